"""Kernels in PyOpenCL's and PyCUDA's form: C arguments such as ``"float a, float *x"``, and texts that index them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from devarray import _core
from devarray._kernels.arguments import raw_slots, scalar
from devarray._kernels.check import compiled
from devarray._kernels.elementwise import ElementwiseKernel
from devarray._kernels.reduction import ReductionKernel
from devarray._primitives.checks import require_array
from devarray._runtime import compiler
from devarray.array import Array
from devarray.codegen.kernels.launches import ceil_div, scalar_slots, units_of
from devarray.codegen.kernels.user import Parameter
from devarray.codegen.kernels.user_scan import ScanBody, scan_kernel
from devarray.errors import DTypeError, ValueError
from devarray.ops.dtypes import DTYPES

if TYPE_CHECKING:
    from devarray._core import Queue
    from devarray._typing import DTypeLike

__all__ = ["Argument", "Elementwise", "Reduction", "Scan", "arguments_of", "range_of"]

_TYPES = {
    "bool": "bool", "char": "int8", "signed char": "int8", "unsigned char": "uint8", "uchar": "uint8",
    "short": "int16", "unsigned short": "uint16", "ushort": "uint16", "int": "int32", "unsigned": "uint32",
    "unsigned int": "uint32", "uint": "uint32", "long": "int64", "unsigned long": "uint64", "ulong": "uint64",
    "long long": "int64", "unsigned long long": "uint64", "size_t": "uint64", "ptrdiff_t": "int64",
    "half": "float16", "float": "float32", "double": "float64", "cfloat_t": "complex64", "cdouble_t": "complex128",
    "pycuda::complex<float>": "complex64", "pycuda::complex<double>": "complex128",
}  # fmt: skip
_TYPES |= {f"{sign}int{bits}_t": f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}
_WORDS = {"const", "volatile", "restrict", "__restrict__", "__global", "global", "__constant"}


@dataclass(frozen=True, slots=True)
class Argument:
    """A C argument.

    Attributes
    ----------
    name, dtype : str
    vector, const : bool
    """

    name: str
    dtype: str
    vector: bool
    const: bool


def arguments_of(given: object, registered: Mapping[str, np.dtype[Any]] | None = None) -> tuple[Argument, ...]:
    """The arguments of a C list, or of a sequence of objects with `name`, `dtype` and a class that says which they are.

    Raises
    ------
    ValueError
        For what is no such list.
    DTypeError
        For a type that is no number.
    """
    if not isinstance(given, str):
        if isinstance(given, Array) or not isinstance(given, Iterable):
            given = [given]  # which is none, and is named
        return tuple(_described(argument) for argument in given)
    made = []
    for part in given.split(","):
        if not part.strip():
            continue
        words = re.findall(r"[\w:]+(?:<\w+>)?", part)
        kind = " ".join(word for word in words[:-1] if word not in _WORDS)
        dtype = _TYPES.get(kind, "")
        if not dtype and registered and kind in registered:
            dtype = registered[kind].name
        if len(words) < 2:
            raise ValueError(f"{part.strip()!r} is no argument: wanted is a type and a name such as 'float *x'")
        if dtype not in DTYPES:
            raise DTypeError(f"{part.strip()!r}: an argument is a number or a pointer to numbers, not {kind!r}")
        made.append(Argument(words[-1], dtype, "*" in part, "const" in words))
    return tuple(made)


def _described(argument: Any) -> Argument:
    if isinstance(argument, Argument):
        return argument
    vector = "Vector" in type(argument).__name__
    name, dtype = getattr(argument, "name", None), getattr(argument, "dtype", None)
    if not isinstance(name, str) or dtype is None:
        raise DTypeError(
            "arguments are one text such as 'float *x, int n' or a list of VectorArg and ScalarArg, not "
            f"{type(argument).__name__}"
        )
    return Argument(name, np.dtype(dtype).name, vector, False)


def range_of(size: int, range: Any, slice: Any) -> tuple[int, int, int]:
    """Start, step and number of the elements that a call runs over."""
    if range is not None and slice is not None:
        raise ValueError("give range or slice, not both")
    if slice is not None:
        if not isinstance(slice, _slice):
            raise DTypeError(f"slice is a Python slice, not {type(slice).__name__}")
        start, stop, step = slice.indices(size)
    elif range is not None:
        if not isinstance(range, _range | _slice):
            raise DTypeError(f"range is a Python range or slice, not {type(range).__name__}")
        start, stop, step = range.start or 0, size if range.stop is None else range.stop, range.step or 1
    else:
        start, stop, step = 0, size, 1
    return start, step, len(_range(start, stop, step))


_range, _slice = range, slice


class Elementwise:
    """An element-wise kernel whose text indexes its arguments by ``i``."""

    def __init__(
        self, arguments: Any, operation: str, name: str, options: Sequence[str], texts: Mapping[str, str]
    ) -> None:
        self.arguments = arguments_of(arguments)
        if not any(a.vector for a in self.arguments):
            raise ValueError(f"{name}: an element-wise kernel has at least one array among its arguments")
        self.inputs = [a for a in self.arguments if not a.vector or a.const]
        self.outputs = [a for a in self.arguments if a.vector and not a.const]
        names = {a.name for a in self.arguments}
        self._start = "start_" if "start_" not in names else "first_element_"
        body = (
            f"const i64 k_ = i; {{ const i64 i = {self._start} + k_ * step_; (void)i; {operation}\n;}}"
            if "i" in re.findall(r"[A-Za-z_]\w*", operation)
            else operation
        )
        preamble = "#define PYOPENCL_ELWISE_CONTINUE continue\n" if "PYOPENCL_ELWISE_CONTINUE" in operation else ""
        self.kernel = ElementwiseKernel(
            ", ".join([*map(_declared, self.inputs), f"int64 {self._start}", "int64 step_"]),
            ", ".join(map(_declared, self.outputs)),
            body,
            name,
            preamble=preamble + texts.get("preamble", ""),
            loop_prep=texts.get("loop_prep", ""),
            after_loop=texts.get("after_loop", ""),
            options=options,
            no_return=True,
        )

    def __call__(self, args: Sequence[Any], range: Any = None, slice: Any = None) -> Array:
        """Runs the kernel; returns the array whose queue it ran on."""
        if len(args) != len(self.arguments):
            raise DTypeError(f"{self.kernel.name} takes {len(self.arguments)} arguments; {len(args)} were given")
        by_name = dict(zip((a.name for a in self.arguments), args, strict=True))
        arrays = [by_name[a.name] for a in self.arguments if a.vector]
        require_array(self.kernel.name, *arrays)
        start, step, count = range_of(arrays[0].size, range, slice)
        inputs = [by_name[a.name] for a in self.inputs]
        if count:
            outputs = [by_name[a.name] for a in self.outputs]
            # Arguments of one call may be one array: what is written is read where it lies.
            self.kernel(*inputs, start, step, *outputs, size=count)
        return arrays[0]


def _declared(argument: Argument) -> str:
    return f"{'raw ' if argument.vector else ''}{argument.dtype} {argument.name}"


class Reduction:
    """A reduction whose map expression indexes its arguments by ``i``."""

    def __init__(
        self,
        dtype_out: Any,
        neutral: Any,
        reduce_expr: str,
        map_expr: str | None,
        arguments: Any,
        name: str,
        options: Sequence[str],
        preamble: str,
    ) -> None:
        dtype = np.dtype(dtype_out).name
        if dtype not in DTYPES:
            raise DTypeError(f"{name}: a reduction gives numbers, not {dtype}")
        self.arguments = arguments_of(arguments) if arguments is not None else (Argument("in", dtype, True, True),)
        if arguments is None:
            text = "in_[i]"
            self.arguments = (Argument("in_", dtype, True, True),)
        else:
            text = map_expr or f"{self.arguments[0].name}[i]"
        self.dtype = np.dtype(dtype)
        self.kernel = ReductionKernel(
            ", ".join(map(_declared, self.arguments)),
            f"{dtype} out_",
            text,
            reduce_expr,
            "out_ = a",
            neutral,
            name,
            preamble=preamble,
            options=options,
        )

    def __call__(
        self, args: Sequence[Any], out: Array | None, range: Any = None, slice: Any = None, queue: Queue | None = None
    ) -> Array:
        if len(args) != len(self.arguments):
            raise DTypeError(f"{self.kernel.name} takes {len(self.arguments)} arguments; {len(args)} were given")
        require_array(self.kernel.name, *(x for a, x in zip(self.arguments, args, strict=True) if a.vector))
        first = next((x for a, x in zip(self.arguments, args, strict=True) if a.vector), None)
        if first is None and range is None:
            raise ValueError(f"{self.kernel.name}: without an array among the arguments, range says how many there are")
        start, step, count = range_of(0 if first is None else first.size, range, slice)
        place = (queue, None) if first is None else (first.queue, first.allocator)
        if out is not None:
            require_array(self.kernel.name, out)
        result = _core.empty((), self.dtype, *place) if out is None else out
        self.kernel._reduce_indices(args, result, start, step, count)
        return result


class Scan:
    """A scan over the elements of arrays, in their order.

    Parameters
    ----------
    dtype : dtype
        Of the values that are scanned.
    arguments : str
        C arguments.
    input_expr, scan_expr, output_statement : str
    neutral : str, optional
    is_segment_start_expr : str, optional
    input_fetch_exprs : sequence of (str, str, int)
    name : str
    options : sequence of str
    preamble : str
    """

    def __init__(
        self,
        dtype: DTypeLike | None,
        arguments: Any,
        input_expr: str,
        scan_expr: str,
        neutral: Any,
        output_statement: str,
        is_segment_start_expr: str | None = None,
        input_fetch_exprs: Sequence[tuple[str, str, int]] = (),
        name: str = "scan",
        options: Sequence[str] = (),
        preamble: str = "",
    ) -> None:
        from devarray.codegen.language.dialect import CTYPE

        self.dtype = np.dtype(dtype)
        if self.dtype.name not in CTYPE:
            raise DTypeError(f"{name}: values of a scan are numbers, not {self.dtype}")
        self.name, self.options = name, tuple(options)
        self.arguments = arguments_of(arguments)
        self.body = ScanBody(
            name,
            tuple(Parameter(a.name, a.dtype, a.vector, not a.vector) for a in self.arguments),
            tuple(a.vector and not a.const for a in self.arguments),
            input_expr,
            scan_expr,
            output_statement,
            preamble,
            "" if neutral is None else str(neutral),
            is_segment_start_expr or "",
            CTYPE[self.dtype.name],
            tuple((n, a, int(o)) for n, a, o in input_fetch_exprs),
        )

    def __call__(self, args: Sequence[Any], size: int | None = None) -> Array:
        """Runs the scan over the first array's elements; returns that array."""
        if len(args) != len(self.arguments):
            raise DTypeError(f"{self.name} takes {len(self.arguments)} arguments; {len(args)} were given")
        arrays = [x for a, x in zip(self.arguments, args, strict=True) if a.vector]
        first = arrays[0]
        for a, x in zip(self.arguments, args, strict=True):
            # A pointer's type may differ from the array's, of the same size: C reads what lies there.
            if a.vector and (not isinstance(x, Array) or x.itemsize != np.dtype(a.dtype).itemsize):
                raise DTypeError(f"{self.name}: {a.name} is an array of {a.dtype}, not {getattr(x, 'dtype', type(x))}")
        count = first.size if size is None else int(size)
        if count:
            self._run(args, arrays, count)
        return first

    def _run(self, args: Sequence[Any], arrays: Sequence[Array], count: int) -> None:
        first = arrays[0]
        dialect = compiler.dialect(first.device)
        most = units_of(dialect) * 4 if dialect.strategy == "cpu" else min(4096, ceil_div(count, 32))
        chunk = ceil_div(count, max(1, min(most, count)))
        parts = ceil_div(count, chunk)

        def scratch(bytes_: int) -> Array:
            return _core.empty((bytes_,), np.dtype("uint8"), first.queue, first.allocator)

        item = self.dtype.itemsize if self.dtype.kind != "f" or self.dtype.itemsize > 2 else 4
        values, ends, carried = scratch(count * item), scratch(parts * item), scratch((parts + 1) * item)
        firsts = scratch(parts * 8)
        starts = [scratch(count)] if self.body.segment else []
        held = [_core.contiguous(x) for x in arrays]
        written = [w for w, a in zip(self.body.written, self.arguments, strict=True) if a.vector]
        scalars: list[int] = []
        for a, x in zip(self.arguments, args, strict=True):
            if not a.vector:
                scalars += scalar_slots(scalar(self.name, a.name, x, a.dtype).item(), a.dtype)
        head = [count, chunk, parts]
        extents = [slot for x in held for slot in (_core.byte_offset(x), *raw_slots(x))]

        def launch(stage: str, own: Sequence[Array], temporaries: Sequence[Array], items: int) -> None:
            kernel = compiled(
                self.name, first.device, lambda d: scan_kernel(self.body, stage, d), self._texts(), self.options
            ).kernel
            memory = [*own, *temporaries]
            slots = head + (extents if own else []) + [_core.byte_offset(x) for x in temporaries]
            slots += scalars if own else []
            writes = sum(1 << i for i in range(len(own), len(memory)))
            if stage == "output":
                writes |= sum(1 << i for i, w in enumerate(written) if w)
            group = min(64, kernel.max_work_group_size, max(1, items))
            _core.launch(kernel, (ceil_div(items, group),), (group,), memory, slots, writes)

        launch("chunks", held, [values, *starts, ends, firsts], parts)
        launch("carry", [], [ends, carried, firsts], 1)
        launch("output", held, [values, *starts, carried, firsts], parts)
        for x, own, w in zip(arrays, held, written, strict=True):
            if w and own is not x and not _core.shares_memory(x, own):
                x[...] = own.reshape(x.shape)

    def _texts(self) -> dict[str, str]:
        body = self.body
        return {
            f"{self.name} (input_expr)": body.input_expr,
            f"{self.name} (scan_expr)": body.scan_expr,
            f"{self.name} (output_statement)": body.output_statement,
            f"{self.name} (is_segment_start_expr)": body.segment,
            f"{self.name} (preamble)": body.preamble,
        }
