"""Uninitialised arrays, and arrays filled with a value. Every function takes `device`, `allocator` and `queue`."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from devarray import _core
from devarray._primitives.convert import default_float
from devarray._runtime.devices import Device, Queue, resolve_place
from devarray.array import Array
from devarray.errors import DTypeError, ValueError

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
        For a dtype that no device computes with.
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
    place = resolve_place(device, allocator, queue)
    return _core.empty(shape, default_float(*place) if dtype is None else dtype, *place, order)


def full(
    shape: _Shape,
    fill_value: Any,
    dtype: Any = None,
    order: str = "C",
    *,
    device: _Device = None,
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
    device, allocator, queue : optional
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
    place = resolve_place(device, allocator, queue)
    if order != "C":
        return full(
            _reversed(shape, order), _turned(fill_value), dtype, device=device, allocator=allocator, queue=queue
        ).T
    if isinstance(fill_value, Array) and fill_value.size == 1:
        fill_value = fill_value.item()
    if isinstance(fill_value, Array | np.ndarray | list | tuple):
        made = _core.empty(shape, dtype or getattr(fill_value, "dtype", None) or np.asarray(fill_value).dtype, *place)
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
    return _core.full(shape, dtype, fill_value, *place)


def zeros(
    shape: _Shape,
    dtype: Any = None,
    order: str = "C",
    *,
    device: _Device = None,
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
    device, allocator, queue : optional
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
    if order != "C":
        return zeros(_reversed(shape, order), dtype, device=device, allocator=allocator, queue=queue).T
    place = resolve_place(device, allocator, queue)
    return _core.full(shape, default_float(*place) if dtype is None else dtype, 0, *place)


def ones(
    shape: _Shape,
    dtype: Any = None,
    order: str = "C",
    *,
    device: _Device = None,
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
    device, allocator, queue : optional
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
    if order != "C":
        return ones(_reversed(shape, order), dtype, device=device, allocator=allocator, queue=queue).T
    place = resolve_place(device, allocator, queue)
    return _core.full(shape, default_float(*place) if dtype is None else dtype, 1, *place)


def _reversed(shape: _Shape, order: str) -> _Shape:
    """The shape whose array, transposed, has `shape` and the order "F"."""
    if order != "F":
        raise ValueError(f"order is 'C' or 'F', not {order!r}")
    return shape if isinstance(shape, int) else tuple(shape)[::-1]


def _turned(value: Any) -> Any:
    return value.T if isinstance(value, Array) else np.asarray(value).T if isinstance(value, list | tuple) else value


def _model(x: Any) -> Any:
    """What has the shape and the dtype of `x`, an Array or what NumPy makes an array of."""
    if isinstance(x, Array):
        return x
    host = np.asarray(x)
    if host.dtype.kind not in "biufc":
        raise DTypeError(f"an array or numbers that make one are wanted, not {type(x).__name__}")
    return SimpleNamespace(shape=host.shape, dtype=host.dtype, queue=None, allocator=None)


def _like(x: Any, shape: _Shape | None, dtype: Any, device: _Device, allocator: Any, queue: Queue | None) -> tuple:
    """(shape, dtype, queue, allocator) of an array like `x`: what is not given is that of `x`."""
    x = _model(x)
    given = device is not None or allocator is not None or queue is not None
    place = resolve_place(device, allocator, queue) if given else (x.queue, x.allocator)
    return x.shape if shape is None else shape, x.dtype if dtype is None else dtype, *place


def empty_like(
    x: Array,
    /,
    dtype: Any = None,
    *,
    device: _Device = None,
    allocator: Any = None,
    queue: Queue | None = None,
    shape: _Shape | None = None,
) -> Array:
    """An uninitialised array of another one's shape and dtype, living where that one lives.

    Parameters
    ----------
    x : array_like
        The array to take shape, dtype, queue and allocator from, as far as they are not given.
    dtype : dtype, optional
        That of `x` by default.
    device : Device or str, optional
        Where the result is made; by default where `x` is.
    allocator : memory resource, optional
        Where the memory comes from; by default the allocator of `x`.
    queue : Queue, optional
        Orders the work on the result; by default the queue of `x`.
    shape : int or sequence of int, optional
        That of `x` by default.

    Returns
    -------
    Array
        A new array in C order, of the shape and dtype of `x` unless others are given.

    Raises
    ------
    DTypeError
        Where `x` is neither an array nor numbers that make one.

    Examples
    --------
    >>> import devarray as da
    >>> da.empty_like(da.zeros((2, 3), da.int8)).dtype
    dtype('int8')
    """
    if device is None and allocator is None and queue is None and isinstance(x, Array):
        return _core.empty_at(x, shape, dtype)
    return _core.empty(*_like(x, shape, dtype, device, allocator, queue))


def full_like(
    x: Array,
    /,
    fill_value: Any,
    dtype: Any = None,
    *,
    device: _Device = None,
    allocator: Any = None,
    queue: Queue | None = None,
    shape: _Shape | None = None,
) -> Array:
    """An array of one value, of another one's shape and dtype.

    Parameters
    ----------
    x : array_like
        The array to take shape, dtype, queue and allocator from, as far as they are not given.
    fill_value : scalar or array_like
        The value, cast to the dtype, or values that broadcast to the shape.
    dtype : dtype, optional
        That of `x` by default.
    device : Device or str, optional
        Where the result is made; by default where `x` is.
    allocator : memory resource, optional
        Where the memory comes from; by default the allocator of `x`.
    queue : Queue, optional
        Orders the work on the result; by default the queue of `x`.
    shape : int or sequence of int, optional
        That of `x` by default.

    Returns
    -------
    Array
        A new array in C order, of the shape and dtype of `x` unless others are given.

    Raises
    ------
    DTypeError
        Where `x` is neither an array nor numbers that make one.
    ShapeError
        Where the values do not broadcast to the shape.

    Examples
    --------
    >>> import devarray as da
    >>> da.full_like(da.zeros(2), 7).copy_to_host()
    array([7., 7.])
    """
    shape, dtype, *place = _like(x, shape, dtype, device, allocator, queue)
    if isinstance(fill_value, Array | np.ndarray | list | tuple):
        return full(shape, fill_value, dtype, queue=place[0], allocator=place[1])
    return _core.full(shape, dtype, fill_value, *place)


def zeros_like(
    x: Array,
    /,
    dtype: Any = None,
    *,
    device: _Device = None,
    allocator: Any = None,
    queue: Queue | None = None,
    shape: _Shape | None = None,
) -> Array:
    """Zeros of another array's shape and dtype.

    Parameters
    ----------
    x : array_like
        The array to take shape, dtype, queue and allocator from, as far as they are not given.
    dtype : dtype, optional
        That of `x` by default.
    device : Device or str, optional
        Where the result is made; by default where `x` is.
    allocator : memory resource, optional
        Where the memory comes from; by default the allocator of `x`.
    queue : Queue, optional
        Orders the work on the result; by default the queue of `x`.
    shape : int or sequence of int, optional
        That of `x` by default.

    Returns
    -------
    Array
        A new array in C order, of the shape and dtype of `x` unless others are given.

    Raises
    ------
    DTypeError
        Where `x` is neither an array nor numbers that make one.

    Examples
    --------
    >>> import devarray as da
    >>> da.zeros_like(da.ones(2, da.int32)).copy_to_host()
    array([0, 0], dtype=int32)
    """
    return full_like(x, 0, dtype, device=device, allocator=allocator, queue=queue, shape=shape)


def ones_like(
    x: Array,
    /,
    dtype: Any = None,
    *,
    device: _Device = None,
    allocator: Any = None,
    queue: Queue | None = None,
    shape: _Shape | None = None,
) -> Array:
    """Ones of another array's shape and dtype.

    Parameters
    ----------
    x : array_like
        The array to take shape, dtype, queue and allocator from, as far as they are not given.
    dtype : dtype, optional
        That of `x` by default.
    device : Device or str, optional
        Where the result is made; by default where `x` is.
    allocator : memory resource, optional
        Where the memory comes from; by default the allocator of `x`.
    queue : Queue, optional
        Orders the work on the result; by default the queue of `x`.
    shape : int or sequence of int, optional
        That of `x` by default.

    Returns
    -------
    Array
        A new array in C order, of the shape and dtype of `x` unless others are given.

    Raises
    ------
    DTypeError
        Where `x` is neither an array nor numbers that make one.

    Examples
    --------
    >>> import devarray as da
    >>> da.ones_like(da.zeros(2, da.int32)).copy_to_host()
    array([1, 1], dtype=int32)
    """
    return full_like(x, 1, dtype, device=device, allocator=allocator, queue=queue, shape=shape)
