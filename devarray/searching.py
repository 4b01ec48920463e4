"""Searching and indexing by arrays: the searching and indexing chapters of the Array API standard."""

from __future__ import annotations

from typing import Any

import numpy as np

from devarray.array import Array, normalize_axes, reduce
from devarray.errors import DTypeError, ShapeError
from devarray.indexing import gather

__all__ = ["argmax", "argmin", "take"]


def argmax(x: Array, /, *, axis: int | None = None, keepdims: bool = False) -> Array:
    """Index of the first greatest element along an axis, or into the flattened array.

    Examples
    --------
    >>> import devarray as da
    >>> da.argmax(da.asarray([1, 3, 2])).item()
    1
    """
    return reduce(x, "argmax", axis, keepdims)


def argmin(x: Array, /, *, axis: int | None = None, keepdims: bool = False) -> Array:
    """Index of the first least element along an axis, or into the flattened array.

    Examples
    --------
    >>> import devarray as da
    >>> da.argmin(da.asarray([2, 1, 3])).item()
    1
    """
    return reduce(x, "argmin", axis, keepdims)


def take(x: Array, indices: Array, /, *, axis: int | None = None) -> Array:
    """Elements along an axis at the positions of an index array.

    Parameters
    ----------
    x : Array
    indices : Array of integers
        Negative ones count from the end. Indices outside the axis are never read; they raise IndexError at the next
        point where the host waits for the device.
    axis : int, optional
        The only axis of a one-dimensional array; the flattened array by default.

    Examples
    --------
    >>> import devarray as da
    >>> da.take(da.asarray([10, 20, 30]), da.asarray([2, 0])).copy_to_host()
    array([30, 10])
    """
    if not isinstance(indices, Array):
        from devarray.creation import asarray

        indices = asarray(np.asarray(indices), queue=x.queue, allocator=x.allocator)
    if indices.dtype.kind not in "iu":
        raise DTypeError(f"take: indices are integers, not {indices.dtype}")
    if axis is None:
        x, axis = x.reshape(-1), 0
    if x.ndim == 0:
        raise ShapeError("take: a 0-dimensional array has no axis to take along")
    (axis,) = normalize_axes(axis, x.ndim)
    return gather(x, indices, axis)
