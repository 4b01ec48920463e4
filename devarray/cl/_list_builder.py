"""Lists of lists: a text of the user's runs once for each object and appends values, first counted, then written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import devarray as da
from devarray import _core
from devarray._kernels.pointers import arguments_of
from devarray.cl._array import Array
from devarray.cl._array_places import place_of, queue_of
from devarray.cl._events import event_behind, wait_for_events
from devarray.cl.elementwise import options_of
from devarray.cl.tools import ScalarArg, VectorArg, dtype_to_ctype
from devarray.errors import DTypeError, ValueError

__all__ = ["BuiltList", "ListOfListsBuilder"]

_PRAGMA = "#if __OPENCL_C_VERSION__ < 120\n#pragma OPENCL EXTENSION cl_khr_fp64: enable\n#endif\n"


@dataclass
class BuiltList:
    """A list for each object, one behind the other.

    Parameters
    ----------
    count : int
        Number of values in all lists.
    starts : Array
        Of shape ``(n + 1,)``: list ``i`` is ``lists[starts[i]:starts[i + 1]]``.
    lists : Array
        Of shape ``(count,)``.
    num_nonempty_lists : int, optional
        How many lists have values, where empty ones are left out; `starts` then has one more.
    nonempty_indices : Array, optional
        The objects whose lists those are.
    compressed_indices : Array, optional
        Of shape ``(n + 1,)``: the number of lists with values before each object's.
    """

    count: int
    starts: Array
    lists: Array | None = None
    num_nonempty_lists: int | None = None
    nonempty_indices: Array | None = None
    compressed_indices: Array | None = None


class ListOfListsBuilder:
    """A builder of lists of differing lengths, one for each of n objects.

    Parameters
    ----------
    context : Context
        Of the programs.
    list_names_and_dtypes : sequence of (str, dtype)
        The lists.
    generate_template : str
        C that defines ``void generate(LIST_ARG_DECL USER_ARG_DECL index_type i)``, which calls ``APPEND_name(value)``.
        It runs twice for each object and must do the same both times. Functions that it calls take
        ``LIST_ARG_DECL USER_ARG_DECL`` and are given ``LIST_ARGS USER_ARGS``.
    arg_decls : str or sequence of `VectorArg` and `ScalarArg`
        Further arguments of the kernels.
    count_sharing : mapping of str to str, optional
        Lists, by name, that have as many values as another one, to which each value is appended first.
    devices : sequence, optional
        Not needed.
    name_prefix : str
        Of the kernels' names.
    options : str or sequence of str
        Of the compiler.
    preamble : str
        Definitions before the kernels.
    debug, complex_kernel : bool
        Taken for PyOpenCL's sake.
    eliminate_empty_output_lists : sequence of str or bool
        Lists whose empty ones are left out; True for all.

    Notes
    -----
    PyOpenCL's class of that name.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray import cl
    >>> from devarray.cl.algorithm import ListOfListsBuilder
    >>> body = "for (int j = 0; j < i; ++j) APPEND_below(j);"
    >>> text = f"void generate(LIST_ARG_DECL USER_ARG_DECL index_type i) {{ {body} }}"
    >>> queue = cl.CommandQueue(cl.create_some_context(answers=["0"]))
    >>> found, event = ListOfListsBuilder(queue.context, [("below", np.int32)], text, [])(queue, 4)
    >>> found["below"].starts.get(), found["below"].lists.get()
    (array([0, 0, 1, 3, 6], dtype=int32), array([0, 0, 1, 0, 1, 2], dtype=int32))
    """

    def __init__(
        self,
        context: Any,
        list_names_and_dtypes: Sequence[tuple[str, Any]],
        generate_template: str,
        arg_decls: Any,
        count_sharing: Mapping[str, str] | None = None,
        devices: Any = None,
        name_prefix: str = "plb_build_list",
        options: Any = None,
        preamble: str = "",
        debug: bool = False,
        complex_kernel: bool = False,
        eliminate_empty_output_lists: Sequence[str] | bool = False,
    ) -> None:
        self.context, self.name_prefix = context, name_prefix
        self.dtypes = {name: np.dtype(dtype) for name, dtype in list_names_and_dtypes}
        self.count_sharing = dict(count_sharing or {})
        if isinstance(eliminate_empty_output_lists, bool):
            self.eliminated = tuple(self.dtypes) if eliminate_empty_output_lists else ()
        else:
            self.eliminated = tuple(eliminate_empty_output_lists)
        for name in [*self.count_sharing, *self.count_sharing.values(), *self.eliminated]:
            if name not in self.dtypes:
                raise ValueError(f"{name_prefix}: there is no list {name!r}; lists are {', '.join(self.dtypes)}")
        self._arguments = _declared(arg_decls)
        self._text, self._preamble = generate_template, preamble
        self._options = list(options_of(options))
        self._kernels: dict[Any, Any] = {}

    def __call__(
        self,
        queue: Any,
        n_objects: int,
        *args: Any,
        allocator: Any = None,
        omit_lists: Sequence[str] | None = None,
        wait_for: Any = None,
    ) -> tuple[dict[str, BuiltList], Any]:
        """Build the lists. Waits for the number of values.

        Parameters
        ----------
        queue : CommandQueue
            That the work runs on.
        n_objects : int
            How many objects there are.
        *args : Array, memory object or scalar
            As `arg_decls` has them.
        allocator : memory resource, optional
            Of the new arrays.
        omit_lists : sequence of str, optional
            Lists that are not built.
        wait_for : sequence of Event, optional
            Waited for.

        Returns
        -------
        lists : dict of str to BuiltList
            By name.
        event : Event
            Behind the work.
        """
        omitted = frozenset(omit_lists or ())
        if not omitted <= self.dtypes.keys():
            raise ValueError(f"omit_lists: lists are {', '.join(self.dtypes)}, not {', '.join(sorted(omitted))}")
        if len(args) != len(self._arguments):
            raise DTypeError(f"{self.name_prefix} takes {len(self._arguments)} arguments; {len(args)} were given")
        wait_for_events(wait_for)
        built = [name for name in self.dtypes if name not in omitted]
        counted = [name for name in built if self.count_sharing.get(name) not in built]
        index = np.dtype(np.int32 if n_objects < np.iinfo(np.int32).max else np.int64)
        place = place_of(queue, allocator)
        given = [part for a, x in zip(self._arguments, args, strict=True) for part in _passed(a, x)]

        counts = {name: Array._of(da.zeros(n_objects, index, **place).evaluate()) for name in counted}
        count, write = self._compiled(index, tuple(built), tuple(counted))
        if n_objects:
            count(queue, (n_objects,), None, index.type(n_objects), *counts.values(), *given)
        found = {name: _starts(x, place) for name, x in counts.items()}
        for name in built:
            if name not in found:
                found[name] = BuiltList(found[self.count_sharing[name]].count, found[self.count_sharing[name]].starts)
            found[name].lists = Array._of(da.empty(found[name].count, self.dtypes[name], **place))
        if n_objects:
            starts = [found[name].starts for name in counted]
            write(queue, (n_objects,), None, index.type(n_objects), *starts, *(found[n].lists for n in built), *given)
        for name in self.eliminated:
            if name in found:
                _leave_out_empty(found[name], counts[name if name in counts else self.count_sharing[name]])
        return found, event_behind(found[built[0]].lists) if built else queue_of(queue).record()

    def _compiled(self, index: np.dtype[Any], built: tuple[str, ...], counted: tuple[str, ...]) -> tuple[Any, Any]:
        key = index, built, counted
        if key not in self._kernels:
            texts = (self._count_source(index, counted), self._write_source(index, built, counted))
            names = (f"{self.name_prefix}_count", f"{self.name_prefix}_write")
            self._kernels[key] = tuple(
                getattr(_core.cl.Program(self.context, text).build(options=self._options), name)
                for text, name in zip(texts, names, strict=True)
            )
        return self._kernels[key]

    def _count_source(self, index: np.dtype[Any], counted: tuple[str, ...]) -> str:
        macros = [f"#define APPEND_{name}(value) {{ ++*plg_{name}_count; }}" for name in counted]
        macros += [f"#define APPEND_{name}(value) {{ }}" for name in self.dtypes if name not in counted]
        parameters = [f"__global index_type *plg_{name}_counts" for name in counted]
        before = [f"index_type plg_{name}_own = 0;" for name in counted]
        after = [f"plg_{name}_counts[i] = plg_{name}_own;" for name in counted]
        declared = [(f"index_type *plg_{name}_count", f"plg_{name}_count", f"&plg_{name}_own") for name in counted]
        return self._source(index, "count", macros, declared, parameters, before, after)

    def _write_source(self, index: np.dtype[Any], built: tuple[str, ...], counted: tuple[str, ...]) -> str:
        macros = []
        for name in self.dtypes:
            mother = self.count_sharing.get(name)
            if name in counted:
                macros.append(f"#define APPEND_{name}(value) {{ plg_{name}_list[(*plg_{name}_at)++] = value; }}")
            elif name in built:
                macros.append(f"#define APPEND_{name}(value) {{ plg_{name}_list[*plg_{mother}_at - 1] = value; }}")
            else:
                macros.append(f"#define APPEND_{name}(value) {{ }}")
        parameters = [f"__global const index_type *plg_{name}_starts" for name in counted]
        parameters += [f"__global {dtype_to_ctype(self.dtypes[name])} *plg_{name}_list" for name in built]
        before = [f"index_type plg_{name}_own = plg_{name}_starts[i];" for name in counted]
        declared = [(f"index_type *plg_{name}_at", f"plg_{name}_at", f"&plg_{name}_own") for name in counted]
        for name in built:
            pointer = f"plg_{name}_list"
            declared.append((f"__global {dtype_to_ctype(self.dtypes[name])} *{pointer}", pointer, pointer))
        return self._source(index, "write", macros, declared, parameters, before, [])

    def _source(
        self,
        index: np.dtype[Any],
        part: str,
        macros: Sequence[str],
        declared: Sequence[tuple[str, str, str]],
        parameters: Sequence[str],
        before: Sequence[str],
        after: Sequence[str],
    ) -> str:
        """`declared` has the parameters of ``generate``: how they are declared, passed on, and first given."""
        user = [(_inner(a), a.name) for a in self._arguments]
        bases = [
            f"{_inner(a)} = (__global {dtype_to_ctype(a.dtype)} *)"
            f"((__global char *) {a.name}__base + {a.name}__offset);"
            for a in self._arguments
            if getattr(a, "with_offset", False)
        ]
        kernel = ", ".join(["const index_type n", *parameters, *(a.declarator() for a in self._arguments)])
        call = ", ".join([*(own for _, _, own in declared), *(name for _, name in user), "i"])
        return "\n".join(
            [
                _PRAGMA, self._preamble,
                f"typedef {dtype_to_ctype(index)} index_type;",
                f"#define LIST_ARG_DECL {''.join(text + ', ' for text, _, _ in declared)}",
                f"#define LIST_ARGS {''.join(name + ', ' for _, name, _ in declared)}",
                f"#define USER_ARG_DECL {''.join(text + ', ' for text, _ in user)}",
                f"#define USER_ARGS {''.join(name + ', ' for _, name in user)}",
                *macros, self._text,
                f"__kernel void {self.name_prefix}_{part}({kernel}) {{",
                "  const index_type i = get_global_id(0);", "  if (i >= n) return;",
                *bases, *before, f"  generate({call});", *after, "}",
            ]
        )  # fmt: skip


def _declared(given: Any) -> list[Any]:
    """Arguments with a `declarator`."""
    if isinstance(given, str):
        return [(VectorArg if a.vector else ScalarArg)(a.dtype, a.name) for a in arguments_of(given)]
    for a in given:
        if not isinstance(a, VectorArg | ScalarArg):
            raise DTypeError(f"arg_decls is a C list, or VectorArg and ScalarArg, not {type(a).__name__}")
    return list(given)


def _inner(argument: Any) -> str:
    pointer = "__global " if isinstance(argument, VectorArg) else ""
    return f"{pointer}{dtype_to_ctype(argument.dtype)} {'*' if pointer else ''}{argument.name}"


def _passed(argument: Any, x: object) -> list[Any]:
    if isinstance(argument, ScalarArg):
        return [argument.dtype.type(x)]
    if not argument.with_offset:
        return [x]
    return [x.base_data, np.int64(x.offset)] if isinstance(x, da.Array) else [x, np.int64(0)]


def _starts(counts: Array, place: Mapping[str, Any]) -> BuiltList:
    first = da.zeros(1, counts.dtype, **place)
    starts = Array._of(da.concatenate([first, da.cumsum(counts, dtype=counts.dtype)]).evaluate())
    return BuiltList(int(da.sum(counts, dtype=np.int64)), starts)


def _leave_out_empty(built: BuiltList, counts: Array) -> None:
    full = counts > 0
    found = da.nonzero(full)[0].astype(counts.dtype)
    total = built.starts[-1:]
    zero = da.zeros_like(total)
    built.num_nonempty_lists, built.nonempty_indices = int(found.shape[0]), Array._of(found)
    built.compressed_indices = Array._of(da.concatenate([zero, da.cumsum(full, dtype=counts.dtype)]))
    built.starts = Array._of(da.concatenate([da.take(built.starts, found), total]))
