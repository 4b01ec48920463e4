"""Diagonals and triangles of matrices."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

import numpy as np

from devarray import _core
from devarray._primitives.checks import count_of
from devarray._primitives.convert import asarray, place_like
from devarray._primitives.opaque_numbers import read
from devarray._primitives.stored import stored_in
from devarray._routines.creation.ranges import axis_length, diagonal_number, empty
from devarray._routines.manipulation.editing import resize
from devarray._runtime.devices import Device, Queue
from devarray.array import Array, normalize_axes
from devarray.errors import ShapeError

if TYPE_CHECKING:
    from devarray._typing import ArrayLike, DTypeLike

__all__ = [
    "diag",
    "diagflat",
    "diagonal",
    "fill_diagonal",
    "tri",
    "vander",
]

_Device = Device | str | None


def diagonal(a: Array, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    """Diagonals of the matrices that two axes make, as a last axis.

    :func:`devarray.linalg.diagonal`, of the Array API standard, takes the last two axes.

    Parameters
    ----------
    a : array_like
        Of at least two dimensions.
    offset : int
        Which diagonal: 0 is the main one (the default), positive ones are above it.
    axis1, axis2 : int
        The axes of the matrices: rows and columns. The first two by default.

    Returns
    -------
    Array
        A read-only view.

    Raises
    ------
    ShapeError
        Where the array has fewer than two dimensions, or the axes are the same.
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.diagonal(da.asarray([[1, 2], [3, 4]])).copy_to_host()
    array([1, 4])
    """
    return _diagonal(a, offset, axis1, axis2, read_only=True)


def _diagonal(a: Array, offset: int, axis1: int = 0, axis2: int = 1, *, read_only: bool = False) -> Array:
    if a.ndim < 2:
        raise ShapeError(f"diagonal: diag requires an array of at least two dimensions; this one has {a.ndim}")
    if a.ndim == 2 and type(offset) is int and offset == axis1 == 0 and axis2 == 1:
        return _core.view(a, (min(a.shape),), (sum(a.strides),), 0, read_only=read_only)
    down, right = normalize_axes((axis1, axis2), a.ndim, "axis1 and axis2 cannot be the same")
    offset = operator.index(offset)
    size = max(0, min(a.shape[down] + min(offset, 0), a.shape[right] - max(offset, 0)))
    kept = [axis for axis in range(a.ndim) if axis not in (down, right)]
    start = max(offset, 0) * a.strides[right] + max(-offset, 0) * a.strides[down] if size and a.size else 0
    return _core.view(
        a,
        (*(a.shape[axis] for axis in kept), size),
        (*(a.strides[axis] for axis in kept), a.strides[down] + a.strides[right]),
        start,
        read_only=read_only,
    )


def diag(v: ArrayLike, k: int = 0) -> Array:
    """The k-th diagonal of a matrix, or a matrix of zeros with a given k-th diagonal.

    Parameters
    ----------
    v : array_like
        A matrix, or the elements of the diagonal.
    k : int
        Which diagonal: 0 is the main one (the default), positive ones are above it.

    Returns
    -------
    Array
        Of a matrix, a read-only view; of a row of n elements, a new array of shape ``(n + abs(k), n + abs(k))``.

    Raises
    ------
    ShapeError
        For an array of another number of dimensions than one or two.

    Examples
    --------
    >>> import devarray as da
    >>> da.diag(da.asarray([1, 2])).copy_to_host()
    array([[1, 0],
           [0, 2]])
    >>> da.diag(da.asarray([[1, 2], [3, 4]]), 1).copy_to_host()
    array([2])
    """
    x = asarray(v)
    if x.ndim == 2:
        return diagonal(x, k)
    if x.ndim != 1:
        raise ShapeError(f"diag: Input must be 1- or 2-d; this one has {x.ndim} dimensions")
    n = x.size + abs(k)
    result = _core.full((n, n), x.dtype, 0, x.queue, x.allocator)
    _diagonal(result, k)[...] = x
    return result


def diagflat(v: ArrayLike, k: int = 0) -> Array:
    """A matrix of zeros with a given k-th diagonal.

    Parameters
    ----------
    v : array_like
        The elements of the diagonal; flattened.
    k : int
        Which diagonal: 0 is the main one (the default), positive ones are above it.

    Returns
    -------
    Array
        A new array of two dimensions.

    Examples
    --------
    >>> import devarray as da
    >>> da.diagflat(da.asarray([[1], [2]])).copy_to_host()
    array([[1, 0],
           [0, 2]])
    """
    return diag(asarray(v).reshape(-1), k)


def fill_diagonal(a: Array, val: object, wrap: bool = False) -> None:
    """Write `val` to the main diagonal of an array, in place.

    Parameters
    ----------
    a : Array
        Of two dimensions, or of more that have one size.
    val : array_like
        One value, or values that are repeated, or cut off, to the diagonal's length.
    wrap : bool
        In matrices of more rows than columns: whether the diagonal begins again, one row below its end. False by
        default.

    Raises
    ------
    ShapeError
        For fewer than two dimensions, more than two of different sizes, or no values.

    Examples
    --------
    >>> import devarray as da
    >>> x = da.zeros((2, 2), da.int64)
    >>> da.fill_diagonal(x, 5)
    >>> x.copy_to_host()
    array([[5, 0],
           [0, 5]])
    """
    if a.ndim < 2:
        raise ShapeError(f"fill_diagonal: array must be at least 2-d; this one has {a.ndim} dimensions")
    if a.ndim > 2 and len(set(a.shape)) > 1:
        raise ShapeError(
            "fill_diagonal: All dimensions of input must be of equal length where there are more than two, unlike "
            f"those of the shape {a.shape}"
        )
    if a.size == 0:
        return
    rows, columns = a.shape[:2]
    starts = range(0, rows, columns + 1) if wrap and a.ndim == 2 else (0,)
    values = stored_in(val, a)
    if values.size == 0:
        return
    if values.size > 1:
        values = resize(values, sum(min(columns, rows - start) for start in starts))
    at, step = 0, sum(a.strides)
    for start in starts:
        size = min(columns, rows - start) if a.ndim == 2 else rows
        line = _core.view(a, (size,), (step,), start * a.strides[0])
        line[...] = values[at : at + size] if values.size > 1 else values.reshape(())
        at += size


def tri(
    N: int,
    M: int | None = None,
    k: int = 0,
    dtype: DTypeLike | None = None,
    *,
    like: object = None,
    device: _Device = None,
    allocator: object = None,
    queue: Queue | None = None,
) -> Array:
    """Ones on and below the k-th diagonal of an N by M matrix, zeros above.

    Parameters
    ----------
    N : int
        Number of rows.
    M : int, optional
        Number of columns; as many as rows by default.
    k : int
        Which diagonal: 0 is the main one (the default), positive ones are above it.
    dtype : dtype, optional
        float64 by default, float32 on devices without it.
    like, device, allocator, queue : optional
        Where the result is made, and the queue that orders its work, as in :func:`devarray.empty`.

    Returns
    -------
    Array
        A new array of shape ``(N, M)``.

    Examples
    --------
    >>> import devarray as da
    >>> da.tri(2, 3, dtype=da.int64).copy_to_host()
    array([[1, 0, 0],
           [1, 1, 0]])
    """
    place = place_like(like, device, allocator, queue)
    target = empty(0, dtype, queue=place[0], allocator=place[1]).dtype
    integer = np.dtype(np.int64)
    height, width = axis_length(N), axis_length(N if M is None else M)
    rows = _core.iota(max(height, 0), integer, diagonal_number(k), 1, *place)
    columns = _core.iota(max(width, 0), integer, 0, 1, *place)
    return (columns <= rows.reshape(-1, 1)).astype(target, copy=False)


def vander(x: ArrayLike, N: int | None = None, increasing: bool = False) -> Array:
    """The matrix of the powers of numbers, one column for each exponent.

    Parameters
    ----------
    x : array_like
        The numbers, of one dimension.
    N : int, optional
        Number of columns, as many as rows by default.
    increasing : bool
        Whether the exponents rise from 0 to ``N - 1``. They fall to 0 by default.

    Returns
    -------
    Array
        A new array of the dtype that x's and int64 promote to. Powers are products of one more factor each, as NumPy's
        are.

    Raises
    ------
    ShapeError
        For another number of dimensions than one, or a negative number of columns.

    Examples
    --------
    >>> import devarray as da
    >>> da.vander(da.asarray([2, 3]), 3).copy_to_host()
    array([[4, 2, 1],
           [9, 3, 1]])
    """
    given = asarray(read(x))
    if given.ndim != 1:
        raise ShapeError(f"vander: x must be a one-dimensional array or sequence; this one has {given.ndim} dimensions")
    columns = given.size if N is None else count_of(N, "vander")
    base = given.astype(np.promote_types(given.dtype, np.int64), copy=False)
    result = _core.empty_at(base, (base.size, columns), None)
    rising = result if increasing else result[:, ::-1]
    for i in range(columns if base.size else 0):
        rising[:, i] = 1 if i == 0 else base if i == 1 else rising[:, i - 1] * base
    return result
