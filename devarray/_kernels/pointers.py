"""Kernels in PyOpenCL's and PyCUDA's form: C arguments such as ``"float a, float *x"``, and texts that index them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from devarray import _core
from devarray._kernels.arguments import place_near, raw_slots, scalar
from devarray._kernels.check import compiled
from devarray._kernels.elementwise import ElementwiseKernel
from devarray._kernels.parameters import Declared
from devarray._kernels.reduction import ReductionKernel
from devarray._primitives.checks import require_array
from devarray._primitives.opaque import OpaqueArray
from devarray._runtime import compiler
from devarray._runtime.records import NUMBERS, RECORDS, VECTORS, declaration, is_record, record_name
from devarray.array import Array
from devarray.codegen.kernels.launches import ceil_div, scalar_slots, units_of
from devarray.codegen.kernels.user import Parameter
from devarray.codegen.kernels.user_reduction import PARTIAL_BYTES
from devarray.codegen.kernels.user_scan import ScanBody, scan_kernel
from devarray.errors import DTypeError, ValueError
from devarray.ops.dtypes import DTYPES

if TYPE_CHECKING:
    from devarray._core import Queue
    from devarray._typing import DTypeLike

__all__ = ["Argument", "Elementwise", "Reduction", "Scan", "argument_of", "arguments_of", "range_of"]


@dataclass(frozen=True, slots=True)
class Argument:
    """A C argument.

    Attributes
    ----------
    name, dtype : str
    vector, const : bool
    record : str
        Of structures their C type; the dtype is then that of their bytes.
    layout : numpy.dtype
        Of structures their fields.
    value : str
        Of a structure that is given by value its name in the text; it comes as an array of one element, `name`.
    """

    name: str
    dtype: str
    vector: bool
    const: bool
    record: str = ""
    layout: np.dtype | None = None
    value: str = ""

    @property
    def item(self) -> np.dtype:
        """What an element is."""
        return np.dtype(self.dtype) if self.layout is None else self.layout

    @property
    def declared(self) -> Declared:
        """As CuPy's kernels have it."""
        return Declared(self.name, "", self.dtype, self.vector, self.record)

    @property
    def parameter(self) -> Parameter:
        """As a kernel's source has it."""
        return Parameter(self.name, self.dtype, self.vector, not self.vector, self.record)


Records = Mapping[str, np.dtype]
"""Structures under their names in C."""


def argument_of(name: str, dtype: Any, vector: bool, const: bool, records: Records = RECORDS) -> Argument:
    """An argument of a dtype, of numbers or of structures that have a name in C."""
    if is_record(dtype):
        layout = np.dtype(dtype)
        return _of_structures(name, vector, const, record_name(name, layout, records), layout)
    return Argument(name, np.dtype(dtype).name, vector, const)


def _of_structures(name: str, vector: bool, const: bool, record: str, layout: np.dtype) -> Argument:
    if vector:
        return Argument(name, "uint8", True, const, record, layout)
    return Argument(f"{name}_given_", "uint8", True, True, record, layout, name)


def with_values(text: str, arguments: Sequence[Argument]) -> str:
    """A kernel's text, in which the names of structures that are given by value read the arrays in which they come."""
    for a in arguments:
        if a.value:
            text = re.sub(rf"(?<![\w.])(?<!->){a.value}\b", f"(*{a.name})", text)
    return text


def arguments_of(given: object, records: Records = RECORDS) -> tuple[Argument, ...]:
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
        parts = (arguments_of(x, records) if isinstance(x, str) else (_described(x, records),) for x in given)
        return tuple(chain.from_iterable(parts))
    made = []
    for part in given.split(","):
        if not part.strip():
            continue
        kind, name, pointer, const = declaration(part)
        dtype = NUMBERS.get(kind, "")
        if not dtype and kind in records:
            made.append(_of_structures(name, pointer, const, kind, records[kind]))
            continue
        if dtype not in DTYPES:
            raise DTypeError(
                f"{part.strip()!r}: an argument is a number, or a pointer to numbers or to structures that "
                f"tools.get_or_register_dtype knows, not {kind!r}"
            )
        made.append(Argument(name, dtype, pointer, const))
    return tuple(made)


def _described(argument: object, records: Records) -> Argument:
    if isinstance(argument, Argument):
        return argument
    vector = "Vector" in type(argument).__name__
    name, dtype = getattr(argument, "name", None), getattr(argument, "dtype", None)
    if not isinstance(name, str) or dtype is None:
        raise DTypeError(
            "arguments are one text such as 'float *x, int n' or a list of VectorArg and ScalarArg, not "
            f"{type(argument).__name__}"
        )
    return argument_of(name, dtype, vector, False, records)


def range_of(size: int, range: object, slice: object) -> tuple[int, int, int]:
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
        self,
        arguments: object,
        operation: str,
        name: str,
        options: Sequence[str],
        texts: Mapping[str, str],
        records: Records = RECORDS,
    ) -> None:
        self.arguments = arguments_of(arguments, records)
        if not any(a.vector for a in self.arguments):
            raise ValueError(f"{name}: an element-wise kernel has at least one array among its arguments")
        self.inputs = [a for a in self.arguments if not a.vector or a.const]
        self.outputs = [a for a in self.arguments if a.vector and not a.const]
        names = {a.name for a in self.arguments}
        operation = with_values(operation, self.arguments)
        self._start = "start_" if "start_" not in names else "first_element_"
        body = (
            f"const i64 k_ = i; {{ const i64 i = {self._start} + k_ * step_; (void)i; {operation}\n;}}"
            if "i" in re.findall(r"[A-Za-z_]\w*", operation)
            else operation
        )
        preamble = "#define PYOPENCL_ELWISE_CONTINUE continue\n" if "PYOPENCL_ELWISE_CONTINUE" in operation else ""
        self.kernel = ElementwiseKernel(
            (*(a.declared for a in self.inputs), *map(_index, (self._start, "step_"))),
            tuple(a.declared for a in self.outputs),
            body,
            name,
            preamble=preamble + texts.get("preamble", ""),
            loop_prep=texts.get("loop_prep", ""),
            after_loop=texts.get("after_loop", ""),
            options=options,
            no_return=True,
        )

    def __call__(self, args: Sequence[Any], range: object = None, slice: object = None) -> Array:
        """Runs the kernel; returns the array whose queue it ran on."""
        if len(args) != len(self.arguments):
            raise DTypeError(f"{self.kernel.name} takes {len(self.arguments)} arguments; {len(args)} were given")
        args = near_arrays(self.kernel.name, self.arguments, args)
        by_name = dict(zip((a.name for a in self.arguments), args, strict=True))
        arrays = [memory_of(self.kernel.name, a, by_name[a.name]) for a in self.arguments if a.vector]
        start, step, count = range_of(memory_sizes(self.kernel.name, self.arguments, args)[0], range, slice)
        inputs = [memory_of(self.kernel.name, a, by_name[a.name]) for a in self.inputs]
        if count:
            outputs = [memory_of(self.kernel.name, a, by_name[a.name]) for a in self.outputs]
            # Arguments of one call may be one array: what is written is read where it lies.
            self.kernel(*inputs, start, step, *outputs, size=count)
        return arrays[0]


def _index(name: str) -> Declared:
    return Declared(name, "", "int64", False)


def record_bytes(kernel: str, name: str, dtype: np.dtype, x: object) -> Any:
    """The bytes of an array of records, uint8 with a last axis of the itemsize.

    Raises
    ------
    DTypeError
        For what is no array of this dtype.
    """
    if not isinstance(x, OpaqueArray) or x.dtype != dtype:
        raise DTypeError(f"{kernel}: {name} is an array of {dtype}, not {getattr(x, 'dtype', type(x).__name__)}")
    return x.bytes


def near_arrays(kernel: str, arguments: Sequence[Argument], args: Sequence[Any]) -> Sequence[Any]:
    """The arguments of a call, with structures that are given by value on the device of the arrays among them.

    Raises
    ------
    DTypeError
        For what is no structure of the argument's dtype.
    """
    if not any(a.value for a in arguments):
        return args
    first = next((getattr(x, "bytes", x) for x in args if isinstance(x, Array | OpaqueArray)), None)
    place = (None, None) if first is None else place_near(first)
    made = list(args)
    for i, (a, x) in enumerate(zip(arguments, args, strict=True)):
        if a.value and not isinstance(x, OpaqueArray):
            if getattr(x, "dtype", None) != a.item:
                raise DTypeError(f"{kernel}: {a.value} is a structure of {a.item}, not {getattr(x, 'dtype', x)!r}")
            made[i] = OpaqueArray._of(_core.empty((1, a.item.itemsize), "uint8", *place), a.item)
            made[i].copy_to_device(np.asarray(x, a.item).reshape(1))
    return made


def memory_of(kernel: str, argument: Argument, x: object) -> Any:
    """What the engine takes for an argument: a number, an array, or the bytes of records."""
    if argument.record:
        found = record_bytes(kernel, argument.name, argument.item, x)
        _require_layout(kernel, argument, found.device)
        return found
    if not argument.vector:
        return x
    require_array(kernel, x)
    array: Any = x
    return array.view(argument.item) if array.dtype != argument.item and _read_as(array.dtype, argument.item) else x


def _require_layout(kernel: str, argument: Argument, device: Any) -> None:
    """That elements lie as the device's language has them: a vector of three has the room of four in OpenCL alone."""
    vector = VECTORS.get(argument.record)
    if vector is None or vector.names is None:
        return
    size = len(vector.names) * vector[0].itemsize if device.driver == "cuda" else vector.itemsize
    if argument.item.itemsize != size:
        raise DTypeError(
            f"{kernel}: elements of {argument.name} have {argument.item.itemsize} bytes, and {argument.record} has "
            f"{size} on {device.name}: cuda.gpuarray.vec has CUDA's vectors, cl.cltypes OpenCL's"
        )


def memory_sizes(kernel: str, arguments: Sequence[Argument], args: Sequence[Any]) -> list[int]:
    """The number of elements of each array."""
    sizes = []
    for a, x in zip(arguments, args, strict=True):
        if a.vector and not a.value:
            sizes.append(memory_of(kernel, a, x).size // (a.item.itemsize if a.record else 1))
    return sizes


class Reduction:
    """A reduction whose map expression indexes its arguments by ``i``."""

    def __init__(
        self,
        dtype_out: Any,
        neutral: object,
        reduce_expr: str,
        map_expr: str | None,
        arguments: object,
        name: str,
        options: Sequence[str],
        preamble: str,
        records: Records = RECORDS,
    ) -> None:
        self.dtype = np.dtype(dtype_out)
        if self.dtype.name not in DTYPES and not is_record(self.dtype):
            raise DTypeError(f"{name}: a reduction gives numbers or structures, not {self.dtype}")
        self.of_result = of_result = argument_of("in_", self.dtype, True, True, records)
        self.record = of_result.record
        self.arguments = arguments_of(arguments, records) if arguments is not None else (of_result,)
        text = (map_expr if arguments is not None else None) or f"{self.arguments[0].name}[i]"
        self.kernel = ReductionKernel(
            tuple(a.declared for a in self.arguments),
            (Declared("out_", "", of_result.dtype, False, self.record),),
            with_values(text, self.arguments),
            reduce_expr,
            "out_ = a",
            neutral,
            name,
            preamble=preamble,
            options=options,
        )
        self.kernel._partial_bytes = max(PARTIAL_BYTES, self.dtype.itemsize)

    def __call__(
        self, args: Sequence[Any], out: Any, range: object = None, slice: object = None, queue: Queue | None = None
    ) -> Any:
        """The result, an array without axes: `out`, or a new one."""
        if len(args) != len(self.arguments):
            raise DTypeError(f"{self.kernel.name} takes {len(self.arguments)} arguments; {len(args)} were given")
        args = near_arrays(self.kernel.name, self.arguments, args)
        given = [memory_of(self.kernel.name, a, x) for a, x in zip(self.arguments, args, strict=True)]
        first = next((x for a, x in zip(self.arguments, given, strict=True) if a.vector and not a.value), None)
        if first is None and range is None:
            raise ValueError(f"{self.kernel.name}: without an array among the arguments, range says how many there are")
        sizes = [0] if first is None else memory_sizes(self.kernel.name, self.arguments, args)
        start, step, count = range_of(sizes[0], range, slice)
        place = (queue, None) if first is None else place_near(first)
        if self.record:
            made = OpaqueArray._of(_core.empty((self.dtype.itemsize,), "uint8", *place), self.dtype)
            result = made if out is None else out
            memory = _core.view(memory_of(self.kernel.name, self.of_result, result), (), (), 0)
        else:
            if out is not None:
                require_array(self.kernel.name, out)
            memory = result = _core.empty((), self.dtype, *place) if out is None else out
        self.kernel._reduce_indices(given, memory, start, step, count)
        return result


def _read_as(dtype: np.dtype, pointed: np.dtype) -> bool:
    """Whether C reads values of a dtype by a pointer. Integers of one size may differ in sign, and bools are chars."""
    return dtype == pointed or (dtype.itemsize == pointed.itemsize and dtype.kind in "biu" and pointed.kind in "biu")


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
    records : mapping of str to dtype
        Structures under their names in C.
    """

    def __init__(
        self,
        dtype: DTypeLike | None,
        arguments: object,
        input_expr: str,
        scan_expr: str,
        neutral: object,
        output_statement: str,
        is_segment_start_expr: str | None = None,
        input_fetch_exprs: Sequence[tuple[str, str, int]] = (),
        name: str = "scan",
        options: Sequence[str] = (),
        preamble: str = "",
        records: Records = RECORDS,
    ) -> None:
        from devarray.codegen.language.dialect import CTYPE

        self.dtype = np.dtype(dtype)
        record = record_name(name, self.dtype, records) if is_record(self.dtype) else ""
        if self.dtype.name not in CTYPE and not record:
            raise DTypeError(f"{name}: values of a scan are numbers or structures, not {self.dtype}")
        self.name, self.options = name, tuple(options)
        self.arguments = arguments_of(arguments, records)
        input_expr, output_statement, starts = (
            with_values(x or "", self.arguments) for x in (input_expr, output_statement, is_segment_start_expr)
        )
        self.body = ScanBody(
            name,
            tuple(a.parameter for a in self.arguments),
            tuple(a.vector and not a.const for a in self.arguments),
            input_expr,
            scan_expr,
            output_statement,
            preamble,
            "" if neutral is None else str(neutral),
            starts,
            record or CTYPE[self.dtype.name],
            tuple((n, a, int(o)) for n, a, o in input_fetch_exprs),
            bool(record),
        )

    def __call__(self, args: Sequence[Any], size: int | None = None) -> Array:
        """Runs the scan over the first array's elements; returns that array."""
        if len(args) != len(self.arguments):
            raise DTypeError(f"{self.name} takes {len(self.arguments)} arguments; {len(args)} were given")
        args = near_arrays(self.name, self.arguments, args)
        for a, x in zip(self.arguments, args, strict=True):
            if a.vector and not a.record and not (isinstance(x, Array) and _read_as(x.dtype, a.item)):
                raise DTypeError(f"{self.name}: {a.name} is an array of {a.dtype}, not {getattr(x, 'dtype', type(x))}")
        given = [memory_of(self.name, a, x) for a, x in zip(self.arguments, args, strict=True)]
        arrays = [x for a, x in zip(self.arguments, given, strict=True) if a.vector]
        count = memory_sizes(self.name, self.arguments, args)[0] if size is None else int(size)
        if count:
            self._run(given, arrays, count)
        return arrays[0]

    def _run(self, args: Sequence[Any], arrays: Sequence[Array], count: int) -> None:
        first = arrays[0]
        dialect = compiler.dialect(first.device)
        most = units_of(dialect) * 4 if dialect.strategy == "cpu" else min(4096, ceil_div(count, 32))
        chunk = ceil_div(count, max(1, min(most, count)))
        parts = ceil_div(count, chunk)

        def scratch(bytes_: int) -> Array:
            return _core.empty((bytes_,), np.dtype("uint8"), *place_near(first))

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
