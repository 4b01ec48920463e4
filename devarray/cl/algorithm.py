"""Selection, sorting and lists of lists under ``pyopencl.algorithm``'s names, over this package's scans and sorts.

Examples
--------
>>> import numpy as np
>>> from devarray import cl
>>> import devarray.cl.array as cl_array
>>> from devarray.cl.algorithm import copy_if
>>> queue = cl.CommandQueue(cl.create_some_context(answers=["0"]))
>>> found, count, event = copy_if(cl_array.arange(queue, 6, dtype=np.int32), "ary[i] % 2 == 1")
>>> found.get()[: int(count.get())]
array([1, 3, 5], dtype=int32)
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

import devarray as da
from devarray import _core
from devarray._primitives.checks import require_array
from devarray.cl._events import event_behind, wait_for_events
from devarray.cl._list_builder import BuiltList, ListOfListsBuilder
from devarray.cl.array import Array
from devarray.cl.elementwise import ElementwiseKernel
from devarray.cl.scan import GenericScanKernel
from devarray.cl.tools import ScalarArg, VectorArg
from devarray.errors import DTypeError, ShapeError, ValueError

if TYPE_CHECKING:
    from devarray._core import Queue
    from devarray._typing import ScalarLike

__all__ = [
    "BuiltList", "KeyValueSorter", "ListOfListsBuilder", "RadixSort", "copy_if", "partition", "remove_if", "unique",
]  # fmt: skip

_COPY = "if (prev_item != item) out[item - 1] = ary[i]; if (i + 1 == size_) count[0] = item;"
_PARTITION = """
if (prev_item != item) out_true[item - 1] = ary[i]; else out_false[i - item] = ary[i];
if (i + 1 == size_) count[0] = item;
"""


def copy_if(
    ary: Array,
    predicate: str,
    extra_args: object = None,
    preamble: str = "",
    queue: Queue | None = None,
    wait_for: object = None,
) -> tuple[Array, Array, Any]:
    """The elements for which a predicate holds, in their order.

    Parameters
    ----------
    ary : Array
        Of shape ``(n,)``.
    predicate : str
        C, of ``ary[i]`` and the extra arguments.
    extra_args : sequence of (str, value), optional
        Names and values of further arguments: NumPy scalars and arrays.
    preamble : str
        Definitions before the kernel.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake; the array's own orders the work.
    wait_for : sequence of Event, optional
        Waited for.

    Returns
    -------
    out : Array
        Of shape ``(n,)``; the elements come first, what follows them is undefined.
    count : Array
        Of shape ``()``: how many they are.
    event : Event
        Behind the work.

    Raises
    ------
    ShapeError
        If the array has not one axis.
    CompileError
        For a predicate that is no C.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray import cl
    >>> import devarray.cl.array as cl_array
    >>> queue = cl.CommandQueue(cl.create_some_context(answers=["0"]))
    >>> x = cl_array.to_device(queue, np.array([5, 1, 7, 2]))
    >>> out, count, event = cl.algorithm.copy_if(x, "ary[i] > least", [("least", np.int64(3))])
    >>> out.get()[: int(count.get())]
    array([5, 7])
    """
    out = _like("copy_if", ary)
    count, event = _select(ary, predicate, extra_args, preamble, _COPY, (("out", out),), wait_for)
    return out, count, event


def remove_if(
    ary: Array,
    predicate: str,
    extra_args: object = None,
    preamble: str = "",
    queue: Queue | None = None,
    wait_for: object = None,
) -> tuple[Array, Array, Any]:
    """The elements for which a predicate does not hold, in their order; parameters and results as of `copy_if`.

    Parameters
    ----------
    ary : Array
        Of shape ``(n,)``.
    predicate : str
        C, of ``ary[i]`` and the extra arguments.
    extra_args : sequence of (str, value), optional
        Names and values of further arguments.
    preamble : str
        Definitions before the kernel.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake.
    wait_for : sequence of Event, optional
        Waited for.

    Returns
    -------
    out : Array
        Of shape ``(n,)``, the elements first.
    count : Array
        Of shape ``()``.
    event : Event
        Behind the work.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray import cl
    >>> import devarray.cl.array as cl_array
    >>> queue = cl.CommandQueue(cl.create_some_context(answers=["0"]))
    >>> out, count, event = cl.algorithm.remove_if(cl_array.to_device(queue, np.array([5, 1, 7, 2])), "ary[i] > 3")
    >>> out.get()[: int(count.get())]
    array([1, 2])
    """
    return copy_if(ary, f"!({predicate})", extra_args, preamble, queue, wait_for)


def partition(
    ary: Array,
    predicate: str,
    extra_args: object = None,
    preamble: str = "",
    queue: Queue | None = None,
    wait_for: object = None,
) -> tuple[Array, Array, Array, Any]:
    """The elements for which a predicate holds, and the others, both in their order.

    Parameters
    ----------
    ary : Array
        Of shape ``(n,)``.
    predicate : str
        C, of ``ary[i]`` and the extra arguments.
    extra_args : sequence of (str, value), optional
        Names and values of further arguments.
    preamble : str
        Definitions before the kernel.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake.
    wait_for : sequence of Event, optional
        Waited for.

    Returns
    -------
    out_true, out_false : Array
        Of shape ``(n,)``, the elements first.
    count_true : Array
        Of shape ``()``: for how many it holds.
    event : Event
        Behind the work.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray import cl
    >>> import devarray.cl.array as cl_array
    >>> queue = cl.CommandQueue(cl.create_some_context(answers=["0"]))
    >>> high, low, count, event = cl.algorithm.partition(cl_array.to_device(queue, np.array([5, 1, 7])), "ary[i] > 3")
    >>> high.get()[: int(count.get())], low.get()[: 3 - int(count.get())]
    (array([5, 7]), array([1]))
    """
    held, others = _like("partition", ary), _like("partition", ary)
    outputs = (("out_true", held), ("out_false", others))
    count, event = _select(ary, predicate, extra_args, preamble, _PARTITION, outputs, wait_for)
    return held, others, count, event


def unique(
    ary: Array,
    is_equal_expr: str = "a == b",
    extra_args: object = None,
    preamble: str = "",
    queue: Queue | None = None,
    wait_for: object = None,
) -> tuple[Array, Array, Any]:
    """The first element of each run of equal neighbours.

    Parameters
    ----------
    ary : Array
        Of shape ``(n,)``.
    is_equal_expr : str
        C, of ``a`` and ``b``, its right neighbour.
    extra_args : sequence of (str, value), optional
        Names and values of further arguments.
    preamble : str
        Definitions before the kernel.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake.
    wait_for : sequence of Event, optional
        Waited for.

    Returns
    -------
    out : Array
        Of shape ``(n,)``, the elements first.
    count : Array
        Of shape ``()``.
    event : Event
        Behind the work.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray import cl
    >>> import devarray.cl.array as cl_array
    >>> queue = cl.CommandQueue(cl.create_some_context(answers=["0"]))
    >>> out, count, event = cl.algorithm.unique(cl_array.to_device(queue, np.array([1, 1, 4, 4, 4, 1])))
    >>> out.get()[: int(count.get())]
    array([1, 4, 1])
    """
    out = _like("unique", ary)
    equal = f"#define IS_EQUAL_(a, b) ({is_equal_expr})\n"
    text = "i == 0 || !IS_EQUAL_(ary[i - 1], ary[i])"
    count, event = _select(ary, text, extra_args, preamble + "\n" + equal, _COPY, (("out", out),), wait_for)
    return out, count, event


def _like(name: str, ary: Any) -> Array:
    require_array(name, ary)
    if ary.ndim != 1:
        raise ShapeError(f"{name}: an array of one axis is wanted, not of shape {ary.shape}")
    return Array._of(da.empty_like(ary))


def _select(
    ary: Array,
    predicate: str,
    extra_args: Any,
    preamble: str,
    output: str,
    outputs: Sequence[tuple[str, Array]],
    wait_for: object,
) -> tuple[Array, Any]:
    count = Array._of(da.zeros_like(ary, dtype=np.int64, shape=()))
    given = tuple((name, _value(name, value)) for name, value in extra_args or ())
    kinds = tuple((name, value.dtype.name, isinstance(value, da.Array)) for name, value in given)
    names = tuple(name for name, _ in outputs)
    kernel = _selection(ary.dtype.name, predicate, kinds, preamble, output, names)
    extra = [value for _, value in given]
    if ary.size == 0:
        return count, event_behind(ary)
    event = kernel(ary, *(x for _, x in outputs), count.reshape(1), *extra, np.int64(ary.size), wait_for=wait_for)
    return count, event


def _value(name: str, value: ScalarLike) -> Any:
    if isinstance(value, da.Array | np.generic):
        return value
    raise DTypeError(f"extra_args: {name} is a NumPy scalar or a device array, not {type(value).__name__}")


@lru_cache(256)
def _selection(
    dtype: str, predicate: str, extra: tuple[Any, ...], preamble: str, output: str, outputs: tuple[str, ...]
) -> GenericScanKernel:
    arguments: list[Any] = [
        VectorArg(dtype, "ary"),
        *(VectorArg(dtype, name) for name in outputs),
        VectorArg("int64", "count"),
    ]
    arguments += [(VectorArg if array else ScalarArg)(kind, name) for name, kind, array in extra]
    return GenericScanKernel(
        None, np.int64, [*arguments, ScalarArg("int64", "size_")], f"({predicate}) ? 1 : 0", "a + b", "0", output,
        preamble=preamble, name_prefix="select",
    )  # fmt: skip


class RadixSort:
    """A stable sort of arrays by a key that a text computes for each index.

    Parameters
    ----------
    context : Context
        Taken for PyOpenCL's sake.
    arguments : str or sequence of `VectorArg` and `ScalarArg`
        C arguments.
    key_expr : str
        C: the key, a whole number that is not negative, for an index ``i``.
    sort_arg_names : sequence of str
        Names of the arrays that are sorted.
    bits_at_a_time : int
        Taken for PyOpenCL's sake.
    index_dtype : dtype
        Taken for PyOpenCL's sake.
    key_dtype : dtype
        Of the keys.
    scan_kernel : optional
        Taken for PyOpenCL's sake.
    options : str or sequence of str
        Of the compiler.

    Notes
    -----
    PyOpenCL's class of that name.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray import cl
    >>> import devarray.cl.array as cl_array
    >>> queue = cl.CommandQueue(cl.create_some_context(answers=["0"]))
    >>> by_value = cl.algorithm.RadixSort(queue.context, "int *ary", key_expr="ary[i]", sort_arg_names=["ary"])
    >>> (found,), event = by_value(cl_array.to_device(queue, np.array([3, 1, 2], np.int32)))
    >>> found.get()
    array([1, 2, 3], dtype=int32)
    """

    def __init__(
        self,
        context: Any,
        arguments: object,
        key_expr: str,
        sort_arg_names: Sequence[str],
        bits_at_a_time: int = 2,
        index_dtype: object = np.int32,
        key_dtype: Any = np.uint32,
        scan_kernel: object = None,
        options: Any = None,
    ) -> None:
        from devarray._kernels.pointers import Argument, arguments_of

        self.key_dtype = np.dtype(key_dtype)
        self._arguments = arguments_of(arguments)
        names = [a.name for a in self._arguments]
        missing = [name for name in sort_arg_names if name not in names]
        if missing:
            raise ValueError(f"RadixSort: no argument is called {missing[0]!r}; there are {', '.join(names)}")
        self._sorted = [names.index(name) for name in sort_arg_names]
        read = [Argument(a.name, a.dtype, a.vector, a.vector) for a in self._arguments]
        keys = Argument("key_of_", self.key_dtype.name, True, False)
        self._keys = ElementwiseKernel(
            context, [*read, keys], f"key_of_[i] = ({key_expr})", "sort_keys", options=options
        )

    def __call__(
        self,
        *args: Any,
        key_bits: int | None = None,
        allocator: Any = None,
        queue: Queue | None = None,
        wait_for: Any = None,
    ) -> tuple[list[Array], Any]:
        """Sort.

        Parameters
        ----------
        *args : Array or scalar
            As `arguments` has them.
        key_bits : int, optional
            How many bits of the keys count; all by default.
        allocator : memory resource, optional
            Taken for PyOpenCL's sake; the arrays' own serves.
        queue : CommandQueue, optional
            Taken for PyOpenCL's sake.
        wait_for : sequence of Event, optional
            Waited for.

        Returns
        -------
        arrays : list of Array
            The sorted arrays, in the order of `sort_arg_names`.
        event : Event
            Behind the work.
        """
        first = next((x for a, x in zip(self._arguments, args, strict=False) if a.vector), None)
        require_array("RadixSort", first)
        assert first is not None
        keys = Array._of(da.empty_like(first, dtype=self.key_dtype))
        if first.size:
            self._keys(*args, keys, wait_for=wait_for)
        if key_bits is not None and key_bits < 8 * self.key_dtype.itemsize:
            keys = keys & self.key_dtype.type((1 << key_bits) - 1)
        order = da.argsort(keys, stable=True)
        found = [Array._of(da.take(args[place], order)) for place in self._sorted]
        return found, event_behind(found[0] if found else first)


class KeyValueSorter:
    """Values gathered by their keys, small whole numbers.

    Parameters
    ----------
    context : Context
        Taken for PyOpenCL's sake.

    Notes
    -----
    PyOpenCL's class of that name; the values of one key stay in their order.
    """

    def __init__(self, context: object) -> None:
        self.context = context

    def __call__(
        self,
        queue: Queue | None,
        keys: Array,
        values: Array,
        nkeys: int,
        starts_dtype: object,
        allocator: object = None,
        wait_for: object = None,
    ) -> tuple[Array, Array, Any]:
        """Gather values by keys.

        Parameters
        ----------
        queue : CommandQueue
            Taken for PyOpenCL's sake.
        keys : Array
            Of shape ``(n,)``: from 0 to ``nkeys - 1``.
        values : Array
            Of shape ``(n,)``.
        nkeys : int
            How many keys there are.
        starts_dtype : dtype
            Of `starts`.
        allocator : memory resource, optional
            Taken for PyOpenCL's sake.
        wait_for : sequence of Event, optional
            Waited for.

        Returns
        -------
        starts : Array
            Of shape ``(nkeys + 1,)``: the values of key ``k`` are ``lists[starts[k]:starts[k + 1]]``.
        lists : Array
            Of shape ``(n,)``.
        event : Event
            Behind the work.
        """
        require_array("KeyValueSorter", keys, values)
        wait_for_events(wait_for)
        order = da.argsort(keys, stable=True)
        lists = Array._of(da.take(values, order))
        edges = da.arange(nkeys + 1, dtype=np.int64, queue=_core.ArrayBase.queue.__get__(keys))
        starts = da.searchsorted(da.take(keys, order), edges, side="left")
        return Array._of(starts.astype(starts_dtype)), lists, event_behind(lists)
