"""Uninitialised arrays, and arrays filled with a value. Every function takes `device`, `allocator` and `queue`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from devarray import _core
from devarray._array.order import axes_as_they_lie, order_of
from devarray._primitives.convert import default_float, place_like
from devarray._primitives.host_arrays import hosted
from devarray._primitives.opaque import OpaqueArray
from devarray._routines.creation.like import are_values, empty_at, fill_with, one_value, warned
from devarray._runtime.arguments import dtype_of
from devarray._runtime.devices import Device, Queue, resolve_place
from devarray.array import Array
from devarray.errors import ShapeError

__all__ = [
    "device_array",
    "device_array_like",
    "empty",
    "full",
    "ones",
    "zeros",
]

_Shape = int | Sequence[int]
_Device = Device | str | None


@_core.QuickFunction
def empty(
    shape: _Shape,
    dtype: object = None,
    order: str = "C",
    *,
    device: _Device = None,
    like: object = None,
    allocator: object = None,
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
    return empty_at(shape, dtype, *place, order)


@_core.QuickFunction
def full(
    shape: _Shape,
    fill_value: object,
    dtype: object = None,
    order: str = "C",
    *,
    device: _Device = None,
    like: object = None,
    allocator: object = None,
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
    made: Any
    if isinstance(fill_value, Array) and fill_value.size == 1:
        dtype = fill_value.dtype if dtype is None else dtype
        fill_value = fill_value.item()
    elif isinstance(fill_value, OpaqueArray):  # values of dates and records, which NumPy repeats
        dtype = fill_value.dtype if dtype is None else dtype
        made = empty_at(shape, dtype, *place, order)
        if not isinstance(made, Array):
            made[...] = fill_value
            return made
        host: Any = fill_value.copy_to_host()
        fill_value = host.astype(dtype)
    if are_values(fill_value):
        target = dtype_of(fill_value) if dtype is None else dtype
        made = empty_at(shape, target, *place, order)
        if type(made) is OpaqueArray:
            made.copy_to_device(np.full(made.shape, fill_value, made.dtype))
        else:
            fill_with(made, fill_value)
        return made
    if dtype is None:
        if isinstance(fill_value, np.generic):
            dtype = fill_value.dtype
        elif isinstance(fill_value, bool):
            dtype = np.bool_
        elif isinstance(fill_value, int):
            dtype = np.int64 if fill_value < 1 << 63 else np.uint64
        elif not isinstance(fill_value, float | complex | OpaqueArray):
            return hosted(np.full(shape, fill_value, order=order))  # type: ignore[call-overload]
        else:
            real = default_float(*place)
            dtype = real if isinstance(fill_value, float) else np.result_type(real, np.complex64)
    return warned(one_value(shape, dtype, fill_value, place, order), fill_value, "full")


@_core.QuickFunction
def zeros(
    shape: _Shape,
    dtype: object = None,
    order: str = "C",
    *,
    device: _Device = None,
    like: object = None,
    allocator: object = None,
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
    return one_value(shape, dtype, 0, place, order, "zeros")


@_core.QuickFunction
def ones(
    shape: _Shape,
    dtype: object = None,
    order: str = "C",
    *,
    device: _Device = None,
    like: object = None,
    allocator: object = None,
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
    return one_value(shape, dtype, 1, place, order, "ones")


def device_array(
    shape: _Shape,
    dtype: Any = np.float64,
    strides: Sequence[int] | None = None,
    order: str = "C",
    stream: Queue | None = None,
) -> Array:
    """An uninitialised array, under numba.cuda's name of :func:`empty`.

    Parameters
    ----------
    shape : int or sequence of int
        Sizes of the axes.
    dtype : dtype
        float64 by default.
    strides : sequence of int, optional
        Bytes from element to element along each axis, in memory just large enough for them. Not negative.
    order : {"C", "F"}
        Which axis is dense in memory: the last one ("C", the default) or the first one.
    stream : Queue, optional
        Orders the work on the array; by default the device's default queue.

    Returns
    -------
    Array
        A new array of the given shape and dtype. Its values are undefined.

    Raises
    ------
    ShapeError
        Where there is not one stride for each axis, or one is negative.

    Examples
    --------
    >>> import devarray as da
    >>> da.device_array((2, 2), da.int32).dtype
    dtype('int32')
    """
    place = resolve_place(None, None, stream or None)  # numba's default is 0
    if strides is None:
        return _core.empty(shape, dtype, *place, order)
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    if any(step < 0 for step in strides) or len(strides) != len(sizes):
        raise ShapeError(f"device_array needs one stride for each axis, none of them negative, got {tuple(strides)}")
    item = np.dtype(dtype)
    reach = (
        item.itemsize + sum(step * (size - 1) for step, size in zip(strides, sizes, strict=True))
        if math.prod(sizes)
        else 0
    )
    memory = _core.empty(-(-reach // item.itemsize), item, *place)
    return _core.view(memory, sizes, list(strides))


def device_array_like(ary: object, stream: Queue | None = None) -> Array:
    """An uninitialised array of the shape, dtype and memory order of another.

    Parameters
    ----------
    ary : Array or array_like
        The model, on the device or the host.
    stream : Queue, optional
        Orders the work on the array; by default the device's default queue.

    Returns
    -------
    Array
        A new array whose axes lie in memory in the order of the model's, without gaps. Its values are undefined.

    Examples
    --------
    >>> import devarray as da, numpy as np
    >>> da.device_array_like(np.ones((2, 3))).shape
    (2, 3)
    """
    shape, dtype, strides = layout_like(ary)
    return device_array(shape, dtype, strides, stream=stream)


def layout_like(ary: Any) -> tuple[tuple[int, ...], np.dtype[Any], tuple[int, ...] | None]:
    """Shape and dtype of an array of the device or the host, and the strides of one like it, None for C order."""
    if not isinstance(ary, Array):
        ary = np.asarray(ary)
    if ary.flags.c_contiguous:
        return ary.shape, ary.dtype, None
    strides, step = [0] * ary.ndim, ary.dtype.itemsize
    for axis in reversed(axes_as_they_lie(ary.strides)):
        strides[axis] = step
        step *= ary.shape[axis]
    return ary.shape, ary.dtype, tuple(strides)
