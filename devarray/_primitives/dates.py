"""Arrays of datetime64 and timedelta64: counts of a unit in int64 on the device, by NumPy's rules."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from devarray import _core
from devarray._array.out import checked_cast
from devarray._array.protocols import PROTOCOLS
from devarray._primitives import date_ufuncs
from devarray._primitives.convert import DEEPEST, asarray, move_operand
from devarray._primitives.date_sorts import DateSorts
from devarray._primitives.date_units import NAT, kept_nat, to_unit
from devarray._primitives.host import announce
from devarray._primitives.host_calls import on_host
from devarray._primitives.opaque import OpaqueArray
from devarray._primitives.opaque_dtypes import PLAIN, cannot_cast, shaped
from devarray._primitives.opaque_numbers import OF_LAYOUT, of_layout
from devarray._runtime.arguments import few
from devarray._runtime.config import config
from devarray._runtime.devices import Device, Queue, resolve_place
from devarray.array import OP, Array
from devarray.errors import DTypeError

__all__ = [
    "DatetimeArray",
    "counts_in",
    "dates_in",
    "is_date",
    "of_array",
    "of_counts",
    "through_host",
    "ufunc_call",
    "uninitialised",
]

_SCALARS = (bool, int, float, type(None))
_MOVES = "compress copy diagonal flatten ravel repeat reshape squeeze swapaxes take transpose"
_REDUCING = {"add": "sum", "maximum": "max", "minimum": "min"}


class DatetimeArray(DateSorts, OpaqueArray):
    """An array of ``datetime64`` or ``timedelta64``.

    :func:`devarray.asarray` makes one of NumPy's arrays of these dtypes, ``x.astype("datetime64[D]")`` of integers.
    Arithmetic, comparison, conversion between units, order and movement run on the device with NumPy's results, "not a
    time" included. What else NumPy does with dates runs on the host, as ``config.fallback`` says.

    Parameters
    ----------
    shape : int or sequence of int
        Sizes of the axes.
    dtype : dtype
        datetime64 or timedelta64 of a unit.
    device, allocator, queue : optional
        Where the result is made, and the queue that orders its work, as in :func:`devarray.empty`.

    Attributes
    ----------
    counts : Array
        The memory: int64, units from 1970 or of duration.
    dtype : numpy.dtype

    Examples
    --------
    >>> import devarray as da, numpy as np
    >>> days = da.asarray(np.array(["2024-02-28", "2024-03-01"], "datetime64[D]"))
    >>> (days[1:] - days[:-1]).copy_to_host()
    array([2], dtype='timedelta64[D]')
    >>> days.astype("datetime64[M]").copy_to_host()
    array(['2024-02', '2024-03'], dtype='datetime64[M]')
    """

    __slots__ = ("counts",)
    counts: Array

    def __init__(
        self,
        shape: int | Sequence[int],
        dtype: object,
        *,
        device: Device | str | None = None,
        allocator: object = None,
        queue: Queue | None = None,
    ) -> None:
        self.dtype = dtype
        sizes = (shape,) if isinstance(shape, int) else tuple(few("DatetimeArray", "shape", shape))
        self.counts = _core.empty(sizes, np.int64, *resolve_place(device, allocator, queue))

    @property
    def dtype(self) -> np.dtype[Any]:
        """datetime64 or timedelta64 of a unit. Another such one can be assigned: it counts the same numbers."""
        return self._dtype

    @dtype.setter
    def dtype(self, dtype: Any) -> None:
        found = np.dtype(dtype)
        if found.kind not in "mM":
            raise DTypeError(f"DatetimeArray: dtype is datetime64 or timedelta64 of a unit, not {found}")
        self._dtype = found

    @classmethod
    def _of(cls, memory: Array, dtype: np.dtype) -> Any:
        if dtype.kind not in "mM":
            return OpaqueArray._of(memory, dtype)
        return of_counts(_core.view(memory, memory.shape[:-1], memory.strides[:-1], 0, np.dtype(np.int64)), dtype)

    @property
    def bytes(self) -> Array:  # type: ignore[override]
        """The memory by bytes, with a last axis of 8."""
        x = self.counts
        return _core.view(x, (*x.shape, 8), (*x.strides, 1), 0, np.dtype(np.uint8))

    @property
    def is_element(self) -> bool:  # type: ignore[override]
        """Whether it is a value, where NumPy gives a scalar."""
        return _core.is_value(self.counts)

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the axes."""
        return self.counts.shape

    @shape.setter
    def shape(self, sizes: Any) -> None:
        self.counts = shaped(self.counts, sizes)

    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes from one element to the next along each axis."""
        return self.counts.strides

    def __getitem__(self, key: object) -> Any:
        return of_counts(self.counts[key], self.dtype)

    def __setitem__(self, key: object, value: object) -> None:
        if isinstance(value, Array):
            value = of_array(value, self.dtype)
        value = on_device(value, self.counts) if isinstance(value, OpaqueArray) else value
        if isinstance(value, DatetimeArray):
            value = value.astype(self.dtype, casting="same_kind")
        self.counts[key] = counts_in(value, self.dtype, self.counts)

    def __contains__(self, value: object) -> bool:
        return bool((self == value).any())

    def astype(
        self, dtype: Any, order: str = "K", casting: Any = "unsafe", subok: bool = True, copy: bool = True
    ) -> Any:
        """The values as another dtype: another unit, or the counts as numbers.

        Parameters
        ----------
        dtype : dtype
            datetime64 or timedelta64 of any unit, rounded down; or a dtype of numbers. Texts and objects are made on
            the host, as ``config.fallback`` says.
        order : {"K", "A", "C", "F"}
            Memory order of the result.
        casting : {"unsafe", "same_kind", "safe", "equiv", "no"}
            Which conversions are allowed.
        subok : bool
            NumPy's, not used.
        copy : bool
            False: an array that needs no change is returned as it is.

        Returns
        -------
        DatetimeArray or Array
            A new array of the same shape.

        Raises
        ------
        DTypeError
            Where `casting` forbids the conversion.

        Examples
        --------
        >>> import devarray as da, numpy as np
        >>> da.asarray(np.array(["2024-03"], "datetime64[M]")).astype("datetime64[D]").copy_to_host()
        array(['2024-03-01'], dtype='datetime64[D]')
        """
        target: np.dtype = np.dtype(dtype)
        if target.kind in "mM" and np.datetime_data(target)[0] == "generic":  # without a unit: this one's
            target = np.dtype(f"{target.kind}8[{np.datetime_data(self.dtype)[1]}{np.datetime_data(self.dtype)[0]}]")
        if not np.can_cast(self.dtype, target, casting):
            raise DTypeError(cannot_cast(self.dtype, target, casting))
        if target == self.dtype and not copy:
            return self
        if target in PLAIN:
            return self.counts.astype(target, order)
        if target.kind not in "mM":
            return through_host("astype", lambda x: x.astype(target), self)
        counts = to_unit(self.counts, self.dtype, target) if target.kind == self.dtype.kind else self.counts
        return of_counts(counts.astype(np.int64, order), target)

    def view(self, dtype: Any = None) -> Any:
        """The same memory as elements of another dtype.

        Parameters
        ----------
        dtype : dtype
            Of 8 bytes, or as :meth:`devarray.Array.view` takes it; the same by default.

        Returns
        -------
        Array or DatetimeArray
            A view.

        Examples
        --------
        >>> import devarray as da, numpy as np
        >>> da.asarray(np.array([5], "timedelta64[s]")).view("int64").copy_to_host()
        array([5])
        """
        target = self.dtype if dtype is None else np.dtype(dtype)
        return of_counts(self.counts, target) if target.kind in "mM" else self.counts.view(target)

    def __getattr__(self, name: str) -> Any:
        if name in ("queue", "allocator"):
            return getattr(self.counts, name)
        if name.startswith("_") or not hasattr(np.ndarray, name):
            raise AttributeError(f"'DatetimeArray' object has no attribute {name!r}", name=name, obj=self)
        if callable(getattr(np.ndarray, name)):
            return lambda *args, **kwargs: PROTOCOLS["function_of_dates"](name, (self, *args), kwargs)
        return getattr(self.counts, name)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if self.ndim and config.fallback != "allow":
            raise DTypeError(
                "a device array does not turn into a NumPy array by itself, because that would hide a transfer and a "
                "wait; call x.copy_to_host(), or allow it with devarray.config.fallback = 'allow'"
            )
        return self.copy_to_host().astype(self.dtype if dtype is None else dtype, copy=False)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **kwargs: Any) -> Any:
        if method == "reduce" and ufunc.__name__ in _REDUCING:
            kwargs = {"axis": 0, "out": out} | kwargs
            given = {key: x for key, x in kwargs.items() if key == "axis" or x not in (None, np._NoValue, True, False)}
            if kwargs.get("keepdims"):
                given["keepdims"] = True
            return PROTOCOLS["function_of_dates"](_REDUCING[ufunc.__name__], inputs, given)
        if method != "__call__" or kwargs or any(_foreign(x) for x in inputs):
            if out is not None:
                kwargs["out"] = out
            return through_host(f"{ufunc.__name__}.{method}", getattr(ufunc, method), *inputs, **kwargs)
        made = _elementwise(ufunc, inputs)
        if out is None:
            return made
        targets = out if isinstance(out, tuple) else (out,)
        for target, result in zip(targets, made if isinstance(made, tuple) else (made,), strict=True):
            target[...] = checked_cast(ufunc.__name__, result, target.dtype, "same_kind")
        return targets if len(targets) > 1 else targets[0]

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """NumPy's functions on device arrays: ours of that name."""
        if func in OF_LAYOUT:
            return of_layout(func, args, kwargs)
        return PROTOCOLS["__array_function__"](func, args, kwargs, self.counts)

    def __reduce__(self) -> tuple[Any, ...]:
        return of_counts, (self.counts.copy(), self.dtype)

    def __complex__(self) -> complex:
        return complex(float(self))

    def __index__(self) -> int:
        raise DTypeError("dates and durations are no integers for indices; int() gives their count")

    def _numbers(self) -> Any:
        return self

    def __int__(self) -> int:
        return int(self.counts)

    def __float__(self) -> float:
        if self.dtype.kind == "M":
            raise DTypeError("a date is no floating-point number; subtract another one, or take its count by int()")
        return float(self.counts)

    def __bool__(self) -> bool:
        return bool(self.counts)

    def __hash__(self) -> int:
        if self.ndim:
            raise DTypeError(f"an array of shape {self.shape} is no key; a date without axes is")
        return hash(self.copy_to_host()[()])

    def __repr__(self) -> str:
        if config.repr == "numpy":
            return repr(self.copy_to_host()[() if self.is_element else ...])
        return super().__repr__().replace("OpaqueArray", "DatetimeArray", 1)


def _foreign(x: object) -> bool:
    """Whether an operand is nothing that counts are computed with: texts, Python's own dates and other objects."""
    if isinstance(x, list | tuple):
        return any(map(_foreign, x))
    dtype = getattr(x, "dtype", None)
    return type(x) not in _SCALARS and (np.asarray(x).dtype if dtype is None else dtype).kind not in "biufmM"


def of_counts(counts: Array, dtype: np.dtype[Any]) -> DatetimeArray:
    """An array of dates or durations over counts."""
    made = DatetimeArray.__new__(DatetimeArray)
    made.counts, made._dtype = counts, dtype.newbyteorder("=")
    return made


def uninitialised(shape: Any, dtype: np.dtype[Any], place: Sequence[Any]) -> DatetimeArray:
    """An array of dates or durations at a place (queue, allocator)."""
    return of_counts(_core.empty(shape, np.int64, *place), dtype)


def of_array(x: Array, dtype: np.dtype[Any]) -> DatetimeArray:
    """What ``x.astype(dtype)`` gives of numbers: those that are not finite are no times."""
    counts = x.astype(np.int64)
    if x.dtype.kind == "f":
        counts = kept_nat(_core.apply(OP["where"], _core.apply(OP["isfinite"], x), 0, NAT), counts)
    return of_counts(counts, dtype)


def counts_in(x: Any, dtype: np.dtype[Any], like: Array) -> Any:
    """Counts of a date or duration, or what NumPy makes one of, in the unit of a dtype."""
    if isinstance(x, DatetimeArray):
        return x.astype(dtype, copy=False).counts
    if isinstance(x, Array):
        return x.astype(np.int64, copy=False)
    host = np.asarray(np.asarray(x).astype(dtype) if isinstance(x, np.ndarray | np.generic) else np.asarray(x, dtype))
    return move_operand(host.astype(dtype.newbyteorder("="), copy=False).view(np.int64), like)


def is_date(x: object) -> bool:
    """Whether `x` is an array or a scalar of dates or durations, of the device or NumPy's."""
    return isinstance(x, DatetimeArray | np.ndarray | np.generic) and x.dtype.kind in "mM"


def on_device(x: Any, like: Array | None, depth: int = 0) -> Any:
    """Dates and durations, NumPy's or unaligned ones of records, also in lists, as what computes."""
    if type(x) in (list, tuple) and depth < DEEPEST:
        return type(x)(on_device(part, like, depth + 1) for part in x)
    if getattr(getattr(x, "dtype", None), "kind", "") not in ("m", "M") or isinstance(x, DatetimeArray):
        return x
    if isinstance(x, OpaqueArray):
        return x._numbers()
    return asarray(x) if like is None else move_operand(x, like)


def dates_in(values: Iterable[Any], depth: int = 0) -> Iterator[Any]:
    """The dates and durations among arguments, in lists and tuples, too."""
    for value in values if depth < DEEPEST else ():
        if is_date(value):
            yield value
        elif type(value) in (list, tuple):
            yield from dates_in(value, depth + 1)


def _first(values: Iterable[Any]) -> DatetimeArray | None:
    return next((x for x in dates_in(values) if isinstance(x, DatetimeArray)), None)


def through_host(name: str, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What a function of NumPy's gives on the host, as ``config.fallback`` says."""
    if (moved := _first((*args, *kwargs.values()))) is not None:
        announce(name, moved.counts)
    return on_host(function)(*args, **kwargs)


def ufunc_call(name: str, ufunc: Any, inputs: Sequence[Any], **kwargs: Any) -> Any:
    """devarray's own function of some element-wise op."""
    if not isinstance(ufunc, np.ufunc):
        return PROTOCOLS["function_of_dates"](name, tuple(inputs), kwargs)
    like = next((x for x in inputs if isinstance(x, Array)), None)
    inputs = [on_device(x, like) for x in inputs]
    of_dates = next(x for x in inputs if isinstance(x, DatetimeArray))
    return of_dates.__array_ufunc__(ufunc, "__call__", *inputs, **kwargs)


# --- ufuncs --------------------------------------------------------------------------------------------------------


def _elementwise(ufunc: np.ufunc, inputs: Sequence[Any]) -> Any:
    """What a ufunc gives of operands of which one at least is a DatetimeArray."""
    like = next(x.counts for x in inputs if isinstance(x, DatetimeArray))
    operands = [_operand(x, like) for x in inputs]
    try:
        loop = date_ufuncs.loop_of(ufunc, [getattr(x, "dtype", type(x)) for x in operands])
    except DTypeError:
        if ufunc not in (np.equal, np.not_equal):
            raise
        shape = np.broadcast_shapes(*(getattr(x, "shape", ()) for x in operands))  # dates are equal to no numbers
        return _core.full(shape, np.bool_, ufunc is np.not_equal, like.queue, like.allocator)
    values = [_in_loop(x, dtype, like) for x, dtype in zip(operands, loop, strict=False)]
    made = date_ufuncs.computed(ufunc, values, loop)
    results = tuple(
        of_counts(x, dtype) if dtype.kind in "mM" else x for x, dtype in zip(made, loop[ufunc.nin :], strict=True)
    )
    return results if len(results) > 1 else results[0]


def _operand(x: Any, like: Array) -> Any:
    """An operand as what has a dtype of its own, or as Python's number."""
    if isinstance(x, Array | DatetimeArray) or type(x) in (int, float, bool):
        return x
    if isinstance(x, OpaqueArray):
        return x._numbers()
    if isinstance(x, list | tuple):
        return asarray(x, queue=like.queue, allocator=like.allocator)
    return move_operand(x if isinstance(x, np.ndarray) else np.asarray(x), like)


def _in_loop(x: Any, dtype: np.dtype[Any], like: Array) -> Any:
    if dtype.kind in "mM":
        return counts_in(x, dtype, like)
    if isinstance(x, Array | DatetimeArray):
        return x.astype(dtype, copy=False)
    return asarray(dtype.type(x), queue=like.queue, allocator=like.allocator)


def _operator(name: str, ufunc: np.ufunc, reflected: bool = False) -> Callable[..., Any]:
    of_python = getattr(operator, f"__{name}__", divmod)

    def method(self: Any, *other: Any) -> Any:
        if other and other[0] is None:
            return NotImplemented
        operands = (*other, self) if reflected else (self, *other)
        if other and _foreign(other[0]):  # of Python's dates NumPy's scalars have more operators than ufuncs do
            return through_host(ufunc.__name__, of_python, *operands)
        return self.__array_ufunc__(ufunc, "__call__", *operands)

    return method


def _in_place(ufunc: np.ufunc) -> Callable[..., Any]:
    def method(self: Any, other: Any) -> Any:
        made = self.__array_ufunc__(ufunc, "__call__", self, other)
        if not self.is_element:  # of a value the name gets another one
            self[...] = checked_cast(ufunc.__name__, made, self.dtype, "same_kind")
        return made if self.is_element else self

    return method


def _moved(name: str) -> Callable[..., Any]:
    @functools.wraps(getattr(OpaqueArray, name, getattr(Array, name)))
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return of_counts(getattr(self.counts, name)(*args, **kwargs), self.dtype)

    return method


for _name in _MOVES.split():
    setattr(DatetimeArray, _name, _moved(_name))
_BINARY = "add sub:subtract mul:multiply truediv:divide floordiv:floor_divide mod:remainder divmod"
_BINARY += " pow:power and:bitwise_and or:bitwise_or xor:bitwise_xor lshift:left_shift rshift:right_shift matmul"
_OTHERS = "eq:equal ne:not_equal lt:less le:less_equal gt:greater ge:greater_equal"
_OTHERS += " invert neg:negative pos:positive abs:absolute"
for _name, _, _ufunc in (_pair.partition(":") for _pair in _BINARY.split()):
    setattr(DatetimeArray, f"__{_name}__", _operator(_name, getattr(np, _ufunc or _name)))
    setattr(DatetimeArray, f"__r{_name}__", _operator(_name, getattr(np, _ufunc or _name), reflected=True))
    setattr(DatetimeArray, f"__i{_name}__", _in_place(getattr(np, _ufunc or _name)))
for _name, _, _ufunc in (_pair.partition(":") for _pair in _OTHERS.split()):
    setattr(DatetimeArray, f"__{_name}__", _operator(_name, getattr(np, _ufunc or _name)))
