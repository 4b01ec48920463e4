"""Searching and indexing by arrays: the searching and indexing chapters of the Array API standard."""

from __future__ import annotations

from typing import Any

import numpy as np

from devarray import _core
from devarray._array.numbers import weak_dtype
from devarray._array.out import write_out
from devarray._primitives.convert import asarray
from devarray._primitives.gather import along_axis, gather, nonzero_rows, scatter_along_axis, stored_in
from devarray.array import Array, normalize_axes, reduce
from devarray.errors import DTypeError, ShapeError, ValueError

__all__ = [
    "argmax",
    "argmin",
    "argwhere",
    "flatnonzero",
    "nonzero",
    "put_along_axis",
    "searchsorted",
    "take",
    "take_along_axis",
]


def argmax(a: Array, axis: int | None = None, out: Array | None = None, *, keepdims: bool = False) -> Array:
    """Index of the first greatest element along an axis, or into the flattened array.

    Parameters
    ----------
    a : array_like
        The array.
    axis : int, optional
        The axis to search along. By default the index is that into the flattened array.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).
    keepdims : bool
        Whether the axis stays, with size 1. False by default.

    Returns
    -------
    Array
        int64; a new array, or `out`.

    Raises
    ------
    ValueError
        Where there are no elements to search.
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.argmax(da.asarray([1, 3, 2])).item()
    1
    """
    return write_out("argmax", reduce(a, "argmax", axis, keepdims), out)


def argmin(a: Array, axis: int | None = None, out: Array | None = None, *, keepdims: bool = False) -> Array:
    """Index of the first least element along an axis, or into the flattened array.

    Parameters
    ----------
    a : array_like
        The array.
    axis : int, optional
        The axis to search along. By default the index is that into the flattened array.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).
    keepdims : bool
        Whether the axis stays, with size 1. False by default.

    Returns
    -------
    Array
        int64; a new array, or `out`.

    Raises
    ------
    ValueError
        Where there are no elements to search.
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.argmin(da.asarray([2, 1, 3])).item()
    1
    """
    return write_out("argmin", reduce(a, "argmin", axis, keepdims), out)


def take(x: Array, /, indices: Array, axis: int | None = None, *, out: Array | None = None) -> Array:
    """Elements along an axis at the positions of an index array.

    Parameters
    ----------
    x : Array
        The array.
    indices : array_like of int
        Negative ones count from the end. Indices outside the axis are never read; they raise IndexError at the next
        point where the host waits for the device.
    axis : int, optional
        The axis to take along. By default `x` is flattened.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).

    Returns
    -------
    Array
        A new array of the dtype of `x`, with the axes of `indices` in place of the axis; or `out`.

    Raises
    ------
    DTypeError
        For indices that are not integers.
    AxisError
        For an axis that the array does not have.
    ShapeError
        Where the array has no axis, but `axis` is given.

    Examples
    --------
    >>> import devarray as da
    >>> da.take(da.asarray([10, 20, 30]), da.asarray([2, 0])).copy_to_host()
    array([30, 10])
    """
    indices = _indices(indices, x, "take")
    if axis is None:
        x, axis = x.reshape(-1), 0
    if x.ndim == 0:
        raise ShapeError("take: a 0-dimensional array has no axis to take along")
    (axis,) = normalize_axes(axis, x.ndim)
    return write_out("take", gather(x, indices, axis), out)


def take_along_axis(x: Array, /, indices: Array, axis: int = -1) -> Array:
    """Elements along an axis at indices that differ from row to row.

    Parameters
    ----------
    x : Array
        The array.
    indices : array_like of int
        Of as many dimensions as `x`; the two are broadcast except along `axis`. Negative ones count from the end; those
        outside the axis raise IndexError at the next point where the host waits for the device.
    axis : int
        The axis to take along. The last one by default.

    Returns
    -------
    Array
        A new array of the dtype of `x`.

    Raises
    ------
    DTypeError
        For indices that are not integers.
    ShapeError
        Where the shapes do not fit.
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> x = da.asarray([[3, 1, 2], [6, 5, 4]])
    >>> da.take_along_axis(x, da.argsort(x)).copy_to_host()
    array([[1, 2, 3],
           [4, 5, 6]])
    """
    indices = _indices(indices, x, "take_along_axis")
    (axis,) = normalize_axes(axis, x.ndim)
    return along_axis(x, indices, axis)


def put_along_axis(x: Array, indices: Array, values: Any, axis: int = -1) -> None:
    """Write values where :func:`take_along_axis` would read. Of several values for one element, one stays.

    Parameters
    ----------
    x : Array
        The array to write to.
    indices : array_like of int
        As :func:`take_along_axis` takes them.
    values : array_like
        Cast to the dtype of `x`, and broadcast to the shape of `indices`.
    axis : int
        The axis to write along. The last one by default.

    Raises
    ------
    DTypeError
        For indices that are not integers.
    ShapeError
        Where the shapes do not fit.
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> x = da.zeros((2, 3), da.int32)
    >>> da.put_along_axis(x, da.asarray([[1], [2]]), 7)
    >>> x.copy_to_host()
    array([[0, 7, 0],
           [0, 0, 7]], dtype=int32)
    """
    indices = _indices(indices, x, "put_along_axis")
    (axis,) = normalize_axes(axis, x.ndim)
    scatter_along_axis(x, indices, stored_in(values, x), axis)


def nonzero(x: Array, /) -> tuple[Array, ...]:
    """Indices of the elements that are not zero, in C order.

    Waits for their number.

    Parameters
    ----------
    x : array_like
        Of at least one axis.

    Returns
    -------
    tuple of Array
        int64, one for each axis.

    Raises
    ------
    ShapeError
        Where the array has no axis.

    Examples
    --------
    >>> import devarray as da
    >>> [i.copy_to_host().tolist() for i in da.nonzero(da.asarray([[0, 1], [2, 0]]))]
    [[0, 1], [1, 0]]
    """
    if x.ndim == 0:
        raise ShapeError("nonzero: a 0-dimensional array has no axes; use x.reshape(1)")
    return tuple(nonzero_rows(x))


def argwhere(x: Array, /) -> Array:
    """Indices of the elements that are not zero, one row for each. Waits for their number.

    Parameters
    ----------
    x : array_like
        The array.

    Returns
    -------
    Array
        int64, of shape ``(count, x.ndim)``.

    Examples
    --------
    >>> import devarray as da
    >>> da.argwhere(da.asarray([[0, 1], [2, 0]])).copy_to_host()
    array([[0, 1],
           [1, 0]])
    """
    if x.ndim == 0:
        return _core.empty((int(bool(x)), 0), np.int64, x.queue, x.allocator)
    return nonzero_rows(x).T


def flatnonzero(x: Array, /) -> Array:
    """Indices of the elements of the flattened array that are not zero. Waits for their number.

    Parameters
    ----------
    x : array_like
        The array.

    Returns
    -------
    Array
        int64, one-dimensional.

    Examples
    --------
    >>> import devarray as da
    >>> da.flatnonzero(da.asarray([[0, 1], [2, 0]])).copy_to_host()
    array([1, 2])
    """
    return nonzero_rows(x.reshape(-1))[0]


def searchsorted(x1: Array, x2: Any, /, side: str = "left", sorter: Array | None = None) -> Array:
    """Indices at which values would be inserted into a sorted array so that it stays sorted.

    Parameters
    ----------
    x1 : array_like
        One-dimensional, sorted as :func:`sort` does (NaN last), of a real dtype.
    x2 : array_like
        The values.
    side : {"left", "right"}
        Whether to insert before elements that equal the value (the default), or behind them.
    sorter : array_like of int, optional
        Indices that sort `x1`.

    Returns
    -------
    Array
        int64, of the shape of `x2`.

    Raises
    ------
    ShapeError
        Where `x1` has another number of dimensions than one.
    DTypeError
        For complex numbers.
    ValueError
        For another `side`.

    Examples
    --------
    >>> import devarray as da
    >>> da.searchsorted(da.asarray([1, 3, 5]), da.asarray([0, 3, 9])).copy_to_host()
    array([0, 1, 3])
    """
    if x1.ndim != 1:
        raise ShapeError(f"searchsorted: the sorted array has one dimension, not {x1.ndim}")
    if side not in ("left", "right"):
        raise ValueError(f"searchsorted: side is 'left' or 'right', not {side!r}")
    if not isinstance(x2, Array):
        x2 = asarray(x2, dtype=weak_dtype(x2, x1.dtype), queue=x1.queue, allocator=x1.allocator)
    if sorter is not None:
        x1 = gather(x1, _indices(sorter, x1, "searchsorted"), 0)
    dtype = _core.promote(x1.dtype, x2.dtype)
    if dtype.kind == "c":
        raise DTypeError("searchsorted: complex numbers have no order; search their real or imaginary parts")
    table, values = x1.astype(dtype, copy=False), _core.contiguous(x2.astype(dtype, copy=False))
    result = _core.empty_at(x2, None, np.int64)
    if result.size:
        from devarray._primitives.launch import run, view_of
        from devarray._runtime.compiler import dialect
        from devarray.codegen.kernels.search import plan_search

        plan = plan_search(
            view_of("in", table), view_of("values", values), view_of("out", result), side, dialect(x1.device)
        )
        run(plan, {"out": result, "in": table, "values": values})
    return result


def _indices(indices: Any, x: Array, name: str) -> Array:
    """Index arrays of the host go to the device of x."""
    if not isinstance(indices, Array):
        indices = asarray(np.asarray(indices), queue=x.queue, allocator=x.allocator)
    if indices.dtype.kind not in "iu":
        raise DTypeError(f"{name}: indices are integers, not {indices.dtype}")
    return indices
