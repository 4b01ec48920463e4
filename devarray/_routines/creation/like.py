"""Arrays with the shape and dtype of another: empty_like, zeros_like, ones_like, full_like."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from devarray import _core
from devarray._array.numbers import numbers_in
from devarray._array.order import made_in_order, order_of
from devarray._array.ufunc_call import is_masked
from devarray._primitives.convert import asarray, holds_arrays
from devarray._primitives.host_arrays import arrays_in, hosted, to_host
from devarray._primitives.opaque import OpaqueArray, of_records
from devarray._runtime.devices import Device, Queue, resolve_place
from devarray._runtime.lines import warn_of_parts
from devarray.array import Array
from devarray.errors import DTypeError

__all__ = ["empty_like", "full_like", "ones_like", "zeros_like"]

_VALUES = (Array, np.ndarray, list, tuple)
_SINGLE = (bool, int, float, complex, np.generic, str, bytes, type(None), OpaqueArray)
_COMPLEX = (complex, np.complexfloating)
_Shape = int | Sequence[int]
_Device = Device | str | None

_HOST: Any = np
"""NumPy, of masked arrays."""


def reversed_shape(shape: _Shape) -> _Shape:
    """The shape whose array, transposed, has `shape`."""
    return tuple(shape)[::-1] if isinstance(shape, Iterable) and np.ndim(shape) else shape


def one_value(shape: _Shape, dtype: Any, value: Any, place: Any, order: str = "C", name: str = "full") -> Any:
    """An array of one value, or records; of texts and objects the array of NumPy's function of that name."""
    try:
        if order_of(order, "CF") == "F":
            return _core.as_owner(_core.full(reversed_shape(shape), dtype, value, *place).T)
        return _core.full(shape, dtype, value, *place)
    except DTypeError:
        if (inner := _with_inner_axes(shape, dtype)) is not None:
            return one_value(*inner, value, place, order, name)
        if (made := of_records(shape, dtype, place)) is None and not is_of_host(dtype):
            if (number := _number_of(value, dtype)) is None:
                raise
            return one_value(shape, dtype, number, place, order, name)
        if made is None:
            given = {"fill_value": value} if name == "full" else {}
            return hosted(getattr(np, name)(shape, dtype=dtype, order=order, **given))
        made[...] = value if name == "full" else getattr(np, name)((), made.dtype)
        return made


def _with_inner_axes(shape: _Shape, dtype: Any) -> tuple[tuple[int, ...], Any] | None:
    """The shape and dtype of an array of small arrays, such as ``"(2,)f4"``; None for other dtypes."""
    try:
        parts = np.dtype(dtype).subdtype
    except TypeError:  # no dtype, which the core has said
        return None
    if parts is None:
        return None
    sizes: Any = tuple(shape) if np.ndim(shape) else (shape,)  # type: ignore[arg-type]
    return (*sizes, *parts[1]), parts[0]


def _number_of(value: Any, dtype: Any) -> Any:
    """What a dtype of numbers makes of None, NaN, of a text, or of a number of another class; None of other things."""
    of_other_class = not isinstance(value, (*_SINGLE, *_VALUES)) and hasattr(type(value), "__float__")
    if not (of_other_class or value is None or isinstance(value, str | bytes)) or np.dtype(dtype).kind not in "biufc":
        return None
    return numbers_in(value, np.dtype(dtype)).item()


def _filled_with(value: Any) -> Callable[..., Any]:
    return lambda dims, dtype, *place: one_value(dims, dtype, value, place)


def are_values(x: Any) -> bool:
    """Whether a fill value is broadcast: an array, or what NumPy makes an array of numbers of."""
    return isinstance(x, _VALUES) or (not isinstance(x, _SINGLE) and np.asarray(x).dtype.kind in "biufc")


def fill_with(made: Any, values: Any) -> None:
    """Broadcast values to an array, those of lists cast as NumPy's full casts them: complex ones lose a part."""
    if not isinstance(values, Array | np.ndarray) and not any(True for _ in arrays_in([values])):
        values = np.asarray(values)
    made[...] = values


def warned(made: Any, value: Any, name: str) -> Any:
    """An array made of one value, with a warning where the value lost its imaginary part."""
    if isinstance(value, _COMPLEX) and made.dtype.kind in "iuf":
        warn_of_parts(name)
    return made


def empty_at(shape: _Shape, dtype: Any, *place: Any) -> Any:
    """Uninitialised memory, of records too; `place` may end with an order."""
    try:
        return _core.empty(shape, dtype, *place)
    except DTypeError:
        if (inner := _with_inner_axes(shape, dtype)) is not None:
            return empty_at(*inner, *place)
        if (made := of_records(shape, dtype, place[:2])) is None and not is_of_host(dtype):
            raise
        return hosted(np.empty(shape, dtype, *place[2:])) if made is None else made


def is_of_host(dtype: Any) -> bool:
    """Whether it is one of texts or objects, whose arrays are NumPy's."""
    try:
        return np.dtype(dtype).kind in "OSUT"
    except TypeError:  # no dtype, which the core has said
        return False


def _model(x: object) -> Any:
    """What has the form of `x`, an Array or what NumPy makes an array of; such arrays are of the current device."""
    if holds_arrays(x):
        x = asarray(x)
    if isinstance(x, Array):
        return x
    if isinstance(x, OpaqueArray):
        return SimpleNamespace(
            shape=x.shape,
            dtype=x.dtype,
            ndim=x.ndim,
            strides=x.strides,
            queue=x.bytes.queue,
            allocator=x.bytes.allocator,
        )
    host = np.asarray(x)
    if host.dtype.kind not in "biufcOSUT":
        raise DTypeError(f"an array or numbers that make one are wanted, not {type(x).__name__}")
    return SimpleNamespace(
        shape=host.shape, dtype=host.dtype, ndim=host.ndim, strides=host.strides, queue=None, allocator=None
    )


def _like(
    x: object,
    make: Any,
    dtype: object,
    order: str,
    shape: _Shape | None,
    device: _Device,
    allocator: object,
    queue: Queue | None,
) -> Array:
    """What ``make(shape, dtype, *place)`` gives in an order; what is not given is that of `x`."""
    model = _model(x)
    given = device is not None or allocator is not None or queue is not None
    place = resolve_place(device, allocator, queue) if given else (model.queue, model.allocator)
    sizes: Any = model.shape if shape is None else (shape,) if hasattr(shape, "__index__") else tuple(shape)
    target = model.dtype if dtype is None else dtype
    if is_of_host(target):  # NumPy's arrays, in C order
        return make(sizes, target, *place)
    return made_in_order(lambda dims: make(dims, target, *place), sizes, order_of(order), model)


def _zero_of(dtype: np.dtype[Any]) -> Any:
    """What an array of zeros holds: of records and texts not the number, whose text is "0"."""
    return np.zeros((), dtype)[()] if dtype.kind in "SUV" and dtype.subdtype is None else 0


def _in_c_order(x: Array, order: str) -> bool:
    """Whether an order is C's for an array: the usual case, found out in no time."""
    return order == "C" or (order == "K" and (x.ndim < 2 or _core.is_contiguous(x, "C")))


def empty_like(
    x: Array,
    /,
    dtype: object = None,
    order: str = "K",
    subok: bool = True,
    shape: _Shape | None = None,
    *,
    device: _Device = None,
    allocator: object = None,
    queue: Queue | None = None,
) -> Array:
    """An uninitialised array of another one's shape and dtype, living where that one lives.

    Parameters
    ----------
    x : array_like
        The array to take shape, dtype, queue and allocator from, as far as they are not given.
    dtype : dtype, optional
        That of `x` by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result: as `x` ("K", the default), Fortran's where `x` has only that ("A"), C, or
        Fortran's. "K" is C with a `shape` of another number of axes.
    subok : bool
        NumPy's, not used: arrays have no subclasses to pass on.
    shape : int or sequence of int, optional
        That of `x` by default.
    device : Device or str, optional
        Where the result is made; by default where `x` is.
    allocator : memory resource, optional
        Where the memory comes from; by default the allocator of `x`.
    queue : Queue, optional
        Orders the work on the result; by default the queue of `x`.

    Returns
    -------
    Array
        A new array, of the shape and dtype of `x` unless others are given.

    Raises
    ------
    ValueError
        For another `order`.
    DTypeError
        Where `x` is neither an array nor numbers that make one.

    Examples
    --------
    >>> import devarray as da
    >>> da.empty_like(da.zeros((2, 3), da.int8)).dtype
    dtype('int8')
    """
    if device is None and allocator is None and queue is None and isinstance(x, Array) and _in_c_order(x, order):
        try:
            return _core.empty_at(x, shape, dtype)
        except DTypeError:  # texts and objects
            return _like(x, empty_at, dtype, order, shape, None, None, None)
    if is_masked(x):
        return hosted(_HOST.empty_like(x, dtype, order, subok, shape))
    return _like(x, empty_at, dtype, order, shape, device, allocator, queue)


def full_like(
    a: Array,
    fill_value: object,
    dtype: object = None,
    order: str = "K",
    subok: bool = True,
    shape: _Shape | None = None,
    *,
    device: _Device = None,
    allocator: object = None,
    queue: Queue | None = None,
) -> Array:
    """An array of one value, of another one's shape and dtype.

    Parameters
    ----------
    a : array_like
        The array to take shape, dtype, queue and allocator from, as far as they are not given.
    fill_value : scalar or array_like
        The value, cast to the dtype, or values that broadcast to the shape.
    dtype : dtype, optional
        That of `a` by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result: as `a` ("K", the default), Fortran's where `a` has only that ("A"), C, or
        Fortran's. "K" is C with a `shape` of another number of axes.
    subok : bool
        NumPy's, not used: arrays have no subclasses to pass on.
    shape : int or sequence of int, optional
        That of `a` by default.
    device : Device or str, optional
        Where the result is made; by default where `a` is.
    allocator : memory resource, optional
        Where the memory comes from; by default the allocator of `a`.
    queue : Queue, optional
        Orders the work on the result; by default the queue of `a`.

    Returns
    -------
    Array
        A new array, of the shape and dtype of `a` unless others are given.

    Raises
    ------
    ValueError
        For another `order`.
    DTypeError
        Where `a` is neither an array nor numbers that make one.
    ShapeError
        Where the values do not broadcast to the shape.

    Examples
    --------
    >>> import devarray as da
    >>> da.full_like(da.zeros(2), 7).copy_to_host()
    array([7., 7.])
    """
    if type(a) is not Array and is_masked(a):
        return hosted(_HOST.full_like(a, to_host(fill_value), dtype, order, subok, shape))
    if are_values(fill_value):
        made = empty_like(a, dtype, order, subok, shape, device=device, allocator=allocator, queue=queue)
        fill_with(made, fill_value)
        return made
    if device is None and allocator is None and queue is None and isinstance(a, Array) and _in_c_order(a, order):
        try:
            return warned(_core.full_at(a, shape, dtype, fill_value), fill_value, "full_like")
        except DTypeError:  # None, texts and objects
            return _like(a, _filled_with(fill_value), dtype, order, shape, None, None, None)
    made = _like(a, _filled_with(fill_value), dtype, order, shape, device, allocator, queue)
    return warned(made, fill_value, "full_like")


def zeros_like(
    a: Array,
    dtype: object = None,
    order: str = "K",
    subok: bool = True,
    shape: _Shape | None = None,
    *,
    device: _Device = None,
    allocator: object = None,
    queue: Queue | None = None,
) -> Array:
    """Zeros of another array's shape and dtype.

    Parameters
    ----------
    a : array_like
        The array to take shape, dtype, queue and allocator from, as far as they are not given.
    dtype : dtype, optional
        That of `a` by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result: as `a` ("K", the default), Fortran's where `a` has only that ("A"), C, or
        Fortran's. "K" is C with a `shape` of another number of axes.
    subok : bool
        NumPy's, not used: arrays have no subclasses to pass on.
    shape : int or sequence of int, optional
        That of `a` by default.
    device : Device or str, optional
        Where the result is made; by default where `a` is.
    allocator : memory resource, optional
        Where the memory comes from; by default the allocator of `a`.
    queue : Queue, optional
        Orders the work on the result; by default the queue of `a`.

    Returns
    -------
    Array
        A new array, of the shape and dtype of `a` unless others are given.

    Raises
    ------
    ValueError
        For another `order`.
    DTypeError
        Where `a` is neither an array nor numbers that make one.

    Examples
    --------
    >>> import devarray as da
    >>> da.zeros_like(da.ones(2, da.int32)).copy_to_host()
    array([0, 0], dtype=int32)
    """
    a = asarray(a) if holds_arrays(a) else a
    given: Any = np.asarray(a).dtype if dtype is None and not isinstance(a, (Array, OpaqueArray)) else dtype
    given = a.dtype if given is None and isinstance(a, OpaqueArray) else given
    zero = 0 if given is None else _zero_of(np.dtype(given))
    return full_like(a, zero, dtype, order, subok, shape, device=device, allocator=allocator, queue=queue)


def ones_like(
    a: Array,
    dtype: object = None,
    order: str = "K",
    subok: bool = True,
    shape: _Shape | None = None,
    *,
    device: _Device = None,
    allocator: object = None,
    queue: Queue | None = None,
) -> Array:
    """Ones of another array's shape and dtype.

    Parameters
    ----------
    a : array_like
        The array to take shape, dtype, queue and allocator from, as far as they are not given.
    dtype : dtype, optional
        That of `a` by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result: as `a` ("K", the default), Fortran's where `a` has only that ("A"), C, or
        Fortran's. "K" is C with a `shape` of another number of axes.
    subok : bool
        NumPy's, not used: arrays have no subclasses to pass on.
    shape : int or sequence of int, optional
        That of `a` by default.
    device : Device or str, optional
        Where the result is made; by default where `a` is.
    allocator : memory resource, optional
        Where the memory comes from; by default the allocator of `a`.
    queue : Queue, optional
        Orders the work on the result; by default the queue of `a`.

    Returns
    -------
    Array
        A new array, of the shape and dtype of `a` unless others are given.

    Raises
    ------
    ValueError
        For another `order`.
    DTypeError
        Where `a` is neither an array nor numbers that make one.

    Examples
    --------
    >>> import devarray as da
    >>> da.ones_like(da.zeros(2, da.int32)).copy_to_host()
    array([1, 1], dtype=int32)
    """
    return full_like(a, 1, dtype, order, subok, shape, device=device, allocator=allocator, queue=queue)
