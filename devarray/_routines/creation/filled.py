"""Uninitialised arrays, and arrays filled with a value. Every function takes `device`, `allocator` and `queue`."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from devarray import _core
from devarray._array.order import made_in_order, order_of
from devarray._primitives.convert import default_float, place_like
from devarray._primitives.opaque import OpaqueArray, of_records
from devarray._runtime.devices import Device, Queue, resolve_place
from devarray.array import Array
from devarray.errors import DTypeError

__all__ = ["empty", "empty_like", "full", "full_like", "ones", "ones_like", "zeros", "zeros_like"]

_Shape = int | Sequence[int]
_Device = Device | str | None


@_core.QuickFunction
def empty(
    shape: _Shape,
    dtype: Any = None,
    order: str = "C",
    *,
    device: _Device = None,
    like: Any = None,
    allocator: Any = None,
    queue: Queue | None = None,
) -> Array:
    """An uninitialised array.

    Parameters
    ----------
    shape : int or sequence of int
        Sizes of the axes, none of them negative.
    dtype : dtype, optional
        float64 by default, float32 on devices without it.
    order : {"C", "F"}
        Which axis is dense in memory: the last one ("C", the default) or the first one.
    device : Device or str, optional
        Where the array is made; by default the current device.
    like : Array, optional
        Where the result is made, unless `device`, `allocator` or `queue` is given. A host array asks for nothing.
    allocator : memory resource, optional
        Where the memory comes from, and that of results that have the array as operand; by default the device's current
        one.
    queue : Queue, optional
        Orders the work on the array; by default the device's default queue.

    Returns
    -------
    Array
        A new array of the given shape and dtype, dense in the given order. Its values are undefined.

    Raises
    ------
    ShapeError
        For a negative size, or for more axes than the core supports.
    DTypeError
        For a dtype that no device computes with, and a `like` that is no array.
    ValueError
        For an `order` that is neither "C" nor "F".
    DeviceError
        Where `device`, `allocator` and `queue` do not belong to one device.
    OutOfMemoryError
        Where the device has no room for the array.

    Examples
    --------
    >>> import devarray as da
    >>> da.empty((2, 3), da.float32).shape
    (2, 3)
    """
    place = resolve_place(device, allocator, queue) if like is None else place_like(like, device, allocator, queue)
    if order != "C":
        order = order_of(order, "CF", "empty")
    try:
        return _core.empty(shape, default_float(*place) if dtype is None else dtype, *place, order)
    except DTypeError:
        if (made := of_records(shape, dtype, place)) is None:
            raise
        return made


def full(
    shape: _Shape,
    fill_value: Any,
    dtype: Any = None,
    order: str = "C",
    *,
    device: _Device = None,
    like: Any = None,
    allocator: Any = None,
    queue: Queue | None = None,
) -> Array:
    """An array filled with one value, or with values that are broadcast to its shape.

    Parameters
    ----------
    shape : int or sequence of int
        Sizes of the axes, none of them negative.
    fill_value : scalar or array_like
        The value, or values that broadcast to `shape`.
    dtype : dtype, optional
        By default that of the value: bool, int64 (uint64 beyond its range), float64 or complex128, or the
        single-precision ones on devices without float64.
    order : {"C", "F"}
        Which axis is dense in memory: the last one ("C", the default) or the first one.
    device, like, allocator, queue : optional
        Where the result is made, and the queue that orders its work, as in :func:`devarray.empty`.

    Returns
    -------
    Array
        A new array of the given shape and dtype.

    Raises
    ------
    ShapeError
        Where the values do not broadcast to `shape`, or a size is negative.
    ValueError
        For an `order` that is neither "C" nor "F".

    Examples
    --------
    >>> import devarray as da
    >>> da.full(3, 7).copy_to_host()
    array([7, 7, 7])
    """
    place = resolve_place(device, allocator, queue) if like is None else place_like(like, device, allocator, queue)
    order = order_of(order, "CF", "full")
    if isinstance(fill_value, Array) and fill_value.size == 1:
        fill_value = fill_value.item()
    if isinstance(fill_value, Array | np.ndarray | list | tuple):
        own = getattr(fill_value, "dtype", None) or np.asarray(fill_value).dtype
        target = own if dtype is None else dtype
        made: Any = empty(shape, target, order, queue=place[0], allocator=place[1])
        records = type(made) is OpaqueArray
        if records:
            made.copy_to_device(np.full(made.shape, fill_value, made.dtype))
        else:
            made[...] = fill_value
        return made
    if dtype is None:
        if isinstance(fill_value, np.generic):
            dtype = fill_value.dtype
        elif isinstance(fill_value, bool):
            dtype = np.bool_
        elif isinstance(fill_value, int):
            dtype = np.int64 if fill_value < 1 << 63 else np.uint64
        else:
            real = default_float(*place)
            dtype = real if isinstance(fill_value, float) else np.result_type(real, np.complex64)
    return _one_value(shape, dtype, fill_value, place, order)


def zeros(
    shape: _Shape,
    dtype: Any = None,
    order: str = "C",
    *,
    device: _Device = None,
    like: Any = None,
    allocator: Any = None,
    queue: Queue | None = None,
) -> Array:
    """An array of zeros (float64 by default).

    Parameters
    ----------
    shape : int or sequence of int
        Sizes of the axes, none of them negative.
    dtype : dtype, optional
        float64 by default, float32 on devices without it.
    order : {"C", "F"}
        Which axis is dense in memory: the last one ("C", the default) or the first one.
    device, like, allocator, queue : optional
        Where the result is made, and the queue that orders its work, as in :func:`devarray.empty`.

    Returns
    -------
    Array
        A new array of the given shape and dtype.

    Raises
    ------
    ShapeError
        For a negative size.
    ValueError
        For an `order` that is neither "C" nor "F".

    Examples
    --------
    >>> import devarray as da
    >>> da.zeros(2).copy_to_host()
    array([0., 0.])
    """
    place = resolve_place(device, allocator, queue) if like is None else place_like(like, device, allocator, queue)
    dtype = default_float(*place) if dtype is None else dtype
    return _one_value(shape, dtype, 0, place, order)


def ones(
    shape: _Shape,
    dtype: Any = None,
    order: str = "C",
    *,
    device: _Device = None,
    like: Any = None,
    allocator: Any = None,
    queue: Queue | None = None,
) -> Array:
    """An array of ones (float64 by default).

    Parameters
    ----------
    shape : int or sequence of int
        Sizes of the axes, none of them negative.
    dtype : dtype, optional
        float64 by default, float32 on devices without it.
    order : {"C", "F"}
        Which axis is dense in memory: the last one ("C", the default) or the first one.
    device, like, allocator, queue : optional
        Where the result is made, and the queue that orders its work, as in :func:`devarray.empty`.

    Returns
    -------
    Array
        A new array of the given shape and dtype.

    Raises
    ------
    ShapeError
        For a negative size.
    ValueError
        For an `order` that is neither "C" nor "F".

    Examples
    --------
    >>> import devarray as da
    >>> da.ones(2).copy_to_host()
    array([1., 1.])
    """
    place = resolve_place(device, allocator, queue) if like is None else place_like(like, device, allocator, queue)
    dtype = default_float(*place) if dtype is None else dtype
    return _one_value(shape, dtype, 1, place, order)


def _one_value(shape: _Shape, dtype: Any, value: Any, place: Any, order: str) -> Array:
    try:
        if order_of(order, "CF") == "F":
            return _core.full(_reversed(shape), dtype, value, *place).T
        return _core.full(shape, dtype, value, *place)
    except DTypeError:
        if (made := of_records(shape, dtype, place)) is None:
            raise
        made[...] = value
        return made


def _empty_at(shape: _Shape, dtype: Any, *place: Any) -> Any:
    try:
        return _core.empty(shape, dtype, *place)
    except DTypeError:
        if (made := of_records(shape, dtype, place)) is None:
            raise
        return made


def _reversed(shape: _Shape) -> _Shape:
    """The shape whose array, transposed, has `shape`."""
    return shape if hasattr(shape, "__index__") else tuple(shape)[::-1]


def _model(x: Any) -> Any:
    """What has the form of `x`, an Array or what NumPy makes an array of; such arrays are of the current device."""
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
    if host.dtype.kind not in "biufc":
        raise DTypeError(f"an array or numbers that make one are wanted, not {type(x).__name__}")
    return SimpleNamespace(
        shape=host.shape, dtype=host.dtype, ndim=host.ndim, strides=host.strides, queue=None, allocator=None
    )


def _like(
    x: Any,
    make: Any,
    dtype: Any,
    order: str,
    shape: _Shape | None,
    device: _Device,
    allocator: Any,
    queue: Queue | None,
) -> Array:
    """What ``make(shape, dtype, *place)`` gives in an order; what is not given is that of `x`."""
    model = _model(x)
    given = device is not None or allocator is not None or queue is not None
    place = resolve_place(device, allocator, queue) if given else (model.queue, model.allocator)
    sizes: Any = model.shape if shape is None else (shape,) if hasattr(shape, "__index__") else tuple(shape)
    target = model.dtype if dtype is None else dtype
    return made_in_order(lambda dims: make(dims, target, *place), sizes, order_of(order), model)


def _in_c_order(x: Array, order: str) -> bool:
    """Whether an order is C's for an array: the usual case, found out in no time."""
    return order == "C" or (order == "K" and (x.ndim < 2 or _core.is_contiguous(x, "C")))


def empty_like(
    x: Array,
    /,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: _Shape | None = None,
    *,
    device: _Device = None,
    allocator: Any = None,
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
        return _core.empty_at(x, shape, dtype)
    return _like(x, _empty_at, dtype, order, shape, device, allocator, queue)


def full_like(
    a: Array,
    fill_value: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: _Shape | None = None,
    *,
    device: _Device = None,
    allocator: Any = None,
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
    if isinstance(fill_value, Array | np.ndarray | list | tuple):
        made = empty_like(a, dtype, order, subok, shape, device=device, allocator=allocator, queue=queue)
        made[...] = fill_value
        return made
    if device is None and allocator is None and queue is None and isinstance(a, Array) and _in_c_order(a, order):
        dims = a.shape if shape is None else shape
        return _core.full(dims, a.dtype if dtype is None else dtype, fill_value, a.queue, a.allocator)
    return _like(
        a,
        lambda dims, target, *place: _one_value(dims, target, fill_value, place, "C"),
        dtype,
        order,
        shape,
        device,
        allocator,
        queue,
    )


def zeros_like(
    a: Array,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: _Shape | None = None,
    *,
    device: _Device = None,
    allocator: Any = None,
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
    return full_like(a, 0, dtype, order, subok, shape, device=device, allocator=allocator, queue=queue)


def ones_like(
    a: Array,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: _Shape | None = None,
    *,
    device: _Device = None,
    allocator: Any = None,
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
