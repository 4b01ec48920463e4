"""NumPy's functional programming: a function of the user's for each row of an array."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from devarray.array import Array, normalize_axes
from devarray.creation import asarray
from devarray.errors import ShapeError
from devarray.manipulation import moveaxis, stack

__all__ = ["apply_along_axis"]


def apply_along_axis(func1d: Callable[..., Any], axis: int, arr: Array, /, *args: Any, **kwargs: Any) -> Array:
    """The results of a function for each one-dimensional slice along an axis.

    The slices are views on the device, and the function is called once for each: for large arrays, functions that take
    `axis` themselves are quicker.

    Parameters
    ----------
    func1d : callable
        Of a one-dimensional Array and `args` and `kwargs`; returns an Array or a scalar, always of one shape.
    axis : int
    arr : Array

    Returns
    -------
    Array
        With the axes of the results in the place of `axis`, and the first result's dtype.

    Raises
    ------
    ShapeError
        Where there is no slice.

    Examples
    --------
    >>> import devarray as da
    >>> x = da.asarray([[3, 1, 2], [6, 5, 4]])
    >>> da.apply_along_axis(da.sort, 1, x).copy_to_host()
    array([[1, 2, 3],
           [4, 5, 6]])
    """
    (axis,) = normalize_axes(axis, arr.ndim)
    rows = moveaxis(arr, axis, -1)
    outer = rows.shape[:-1]
    if 0 in outer:
        raise ShapeError(f"apply_along_axis: an array of shape {arr.shape} has no slices along axis {axis}")
    results: list[Array] = []
    for place in np.ndindex(outer):
        result = func1d(rows[place], *args, **kwargs)
        made = result if isinstance(result, Array) else asarray(result, queue=arr.queue, allocator=arr.allocator)
        results.append(made.astype(results[0].dtype, copy=False) if results else made)
    joined = stack(results).reshape(outer + results[0].shape)
    inner = range(len(outer), joined.ndim)
    return moveaxis(joined, tuple(inner), tuple(range(axis, axis + len(inner))))
