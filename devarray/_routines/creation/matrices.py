"""Diagonals and triangles of matrices, and the indices of their elements."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from devarray import _core
from devarray._primitives.checks import count_of
from devarray._primitives.convert import asarray, place_like
from devarray._primitives.gather import stored_in
from devarray._routines.creation.ranges import arange, empty, ones
from devarray._routines.manipulation.editing import resize
from devarray._routines.sorting.searching import nonzero, searchsorted
from devarray._runtime.devices import Device, Queue, resolve_place
from devarray.array import Array, normalize_axes
from devarray.errors import ShapeError

__all__ = [
    "diag",
    "diag_indices",
    "diag_indices_from",
    "diagflat",
    "diagonal",
    "fill_diagonal",
    "mask_indices",
    "tri",
    "tril_indices",
    "tril_indices_from",
    "triu_indices",
    "triu_indices_from",
    "vander",
]

_Device = Device | str | None


# --- diagonals -----------------------------------------------------------------------------------------------------


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
        raise ShapeError(f"diagonal takes arrays of at least two dimensions; this one has {a.ndim}")
    down, right = normalize_axes((axis1, axis2), a.ndim)
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


def diag(v: Any, k: int = 0) -> Array:
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
        raise ShapeError(f"diag takes arrays of one or two dimensions; this one has {x.ndim}")
    n = x.size + abs(k)
    result = _core.full((n, n), x.dtype, 0, x.queue, x.allocator)
    _diagonal(result, k)[...] = x
    return result


def diagflat(v: Any, k: int = 0) -> Array:
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


def fill_diagonal(a: Array, val: Any, wrap: bool = False) -> None:
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
        raise ShapeError(f"fill_diagonal takes arrays of at least two dimensions; this one has {a.ndim}")
    if a.ndim > 2 and len(set(a.shape)) > 1:
        raise ShapeError(f"fill_diagonal: more than two axes have one size, unlike those of the shape {a.shape}")
    if a.size == 0:
        return
    rows, columns = a.shape[:2]
    starts = range(0, rows, columns + 1) if wrap and a.ndim == 2 else (0,)
    values = stored_in(val, a)
    if values.size == 0:
        raise ShapeError("fill_diagonal: there are no values to write")
    if values.size > 1:
        values = resize(values, sum(min(columns, rows - start) for start in starts))
    at, step = 0, sum(a.strides)
    for start in starts:
        size = min(columns, rows - start) if a.ndim == 2 else rows
        line = _core.view(a, (size,), (step,), start * a.strides[0])
        line[...] = values[at : at + size] if values.size > 1 else values.reshape(())
        at += size


def diag_indices(
    n: int, ndim: int = 2, *, device: _Device = None, allocator: Any = None, queue: Queue | None = None
) -> tuple[Array, ...]:
    """The indices of the main diagonal of an array whose axes have one size.

    Parameters
    ----------
    n : int
        Size of the axes.
    ndim : int
        Number of axes. 2 by default.
    device, allocator, queue : optional
        Where the result is made, and the queue that orders its work, as in :func:`devarray.empty`.

    Returns
    -------
    tuple of Array
        int64, `ndim` times the same array of shape ``(n,)``.

    Examples
    --------
    >>> import devarray as da
    >>> x = da.zeros((2, 2), da.int64)
    >>> x[da.diag_indices(2)] = 3
    >>> x.copy_to_host()
    array([[3, 0],
           [0, 3]])
    """
    return (arange(n, dtype=np.int64, device=device, allocator=allocator, queue=queue),) * ndim


def diag_indices_from(arr: Array) -> tuple[Array, ...]:
    """The indices of the main diagonal of a given array: see :func:`diag_indices`.

    Parameters
    ----------
    arr : array_like
        Of at least two axes, all of one size.

    Returns
    -------
    tuple of Array
        int64, one for each axis.

    Raises
    ------
    ShapeError
        For fewer than two axes, or axes of different sizes.

    Examples
    --------
    >>> import devarray as da
    >>> [i.copy_to_host().tolist() for i in da.diag_indices_from(da.ones((2, 2)))]
    [[0, 1], [0, 1]]
    """
    if arr.ndim < 2 or len(set(arr.shape)) > 1:
        raise ShapeError(f"diag_indices_from takes arrays of at least two axes of one size, not the shape {arr.shape}")
    return diag_indices(arr.shape[0], arr.ndim, allocator=arr.allocator, queue=arr.queue)


# --- triangles -----------------------------------------------------------------------------------------------------


def tri(
    N: int,
    M: int | None = None,
    k: int = 0,
    dtype: Any = None,
    *,
    like: Any = None,
    device: _Device = None,
    allocator: Any = None,
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
    rows = _core.iota(max(N, 0), integer, operator.index(k), 1, *place)
    columns = _core.iota(max(N if M is None else M, 0), integer, 0, 1, *place)
    return (columns <= rows.reshape(-1, 1)).astype(target, copy=False)


def tril_indices(
    n: int,
    k: int = 0,
    m: int | None = None,
    *,
    device: _Device = None,
    allocator: Any = None,
    queue: Queue | None = None,
) -> tuple[Array, Array]:
    """Rows and columns of the elements on and below the k-th diagonal of an n by m matrix.

    Parameters
    ----------
    n : int
        Number of rows.
    k : int
        Which diagonal: 0 is the main one (the default), positive ones are above it.
    m : int, optional
        Number of columns; as many as rows by default.
    device, allocator, queue : optional
        Where the result is made, and the queue that orders its work, as in :func:`devarray.empty`.

    Returns
    -------
    rows, columns : Array
        int64, one-dimensional, in C order of the elements.

    Examples
    --------
    >>> import devarray as da
    >>> [i.copy_to_host().tolist() for i in da.tril_indices(2)]
    [[0, 1, 1], [0, 0, 1]]
    """
    n, k, width = operator.index(n), operator.index(k), operator.index(n if m is None else m)
    start = min(max(-k, 0), n) if width > 0 else n  # the first row that has such elements
    place = resolve_place(device, allocator, queue)
    _core.require_room(8 * _sum_of_clipped(start + k + 1, n + k, width), *place)
    lengths = np.clip(np.arange(start, n) + k + 1, 0, width)
    rows, columns = _row_pieces(np.zeros_like(lengths), lengths, device, allocator, queue)
    return rows + start if start else rows, columns


def triu_indices(
    n: int,
    k: int = 0,
    m: int | None = None,
    *,
    device: _Device = None,
    allocator: Any = None,
    queue: Queue | None = None,
) -> tuple[Array, Array]:
    """Rows and columns of the elements on and above the k-th diagonal of an n by m matrix.

    Parameters
    ----------
    n : int
        Number of rows.
    k : int
        Which diagonal: 0 is the main one (the default), positive ones are above it.
    m : int, optional
        Number of columns; as many as rows by default.
    device, allocator, queue : optional
        Where the result is made, and the queue that orders its work, as in :func:`devarray.empty`.

    Returns
    -------
    rows, columns : Array
        int64, one-dimensional, in C order of the elements.

    Examples
    --------
    >>> import devarray as da
    >>> [i.copy_to_host().tolist() for i in da.triu_indices(2)]
    [[0, 0, 1], [0, 1, 1]]
    """
    n, k, width = operator.index(n), operator.index(k), operator.index(n if m is None else m)
    stop = max(min(n, width - k), 0)  # behind the last row that has such elements
    place = resolve_place(device, allocator, queue)
    _core.require_room(8 * (stop * width - _sum_of_clipped(k, k + stop - 1, width)), *place)
    firsts = np.clip(np.arange(stop) + k, 0, width)
    return _row_pieces(firsts, width - firsts, device, allocator, queue)


def _sum_of_clipped(first: int, last: int, width: int) -> int:
    """The sum of the whole numbers from first to last, each clipped to 0 ... width.

    >>> _sum_of_clipped(-2, 5, 3)
    12
    """

    def up_to(n: int) -> int:
        inside = max(min(n, width), 0)
        return inside * (inside + 1) // 2 + max(n - width, 0) * width

    return up_to(last) - up_to(first - 1)


def _row_pieces(
    firsts: np.ndarray, lengths: np.ndarray, device: Any, allocator: Any, queue: Any
) -> tuple[Array, Array]:
    """Indices of the elements of a piece of each row, which begins at `firsts` and is `lengths` long.

    Elements are numbered on the device; which row one belongs to is looked up in the numbers at which rows end.
    """
    ends = np.cumsum(lengths, dtype=np.int64)
    count = int(ends[-1]) if ends.size else 0
    where = {"device": device, "allocator": allocator, "queue": queue}
    number = arange(count, dtype=np.int64, **where)
    if count == 0:
        return number, number.copy()
    rows = searchsorted(asarray(ends, **where), number, side="right")
    shifts = asarray(firsts - (ends - lengths), **where)
    return rows, number + shifts[rows]


def tril_indices_from(arr: Array, k: int = 0) -> tuple[Array, Array]:
    """Rows and columns of the elements on and below the k-th diagonal of a given matrix.

    Parameters
    ----------
    arr : array_like
        Of two dimensions.
    k : int
        Which diagonal: 0 is the main one (the default), positive ones are above it.

    Returns
    -------
    rows, columns : Array
        int64, one-dimensional, in C order of the elements.

    Raises
    ------
    ShapeError
        For another number of dimensions than two.

    Examples
    --------
    >>> import devarray as da
    >>> x = da.asarray([[1, 2], [3, 4]])
    >>> x[da.tril_indices_from(x)].copy_to_host()
    array([1, 3, 4])
    """
    n, m = _matrix("tril_indices_from", arr)
    return tril_indices(n, k, m, allocator=arr.allocator, queue=arr.queue)


def triu_indices_from(arr: Array, k: int = 0) -> tuple[Array, Array]:
    """Rows and columns of the elements on and above the k-th diagonal of a given matrix.

    Parameters
    ----------
    arr : array_like
        Of two dimensions.
    k : int
        Which diagonal: 0 is the main one (the default), positive ones are above it.

    Returns
    -------
    rows, columns : Array
        int64, one-dimensional, in C order of the elements.

    Raises
    ------
    ShapeError
        For another number of dimensions than two.

    Examples
    --------
    >>> import devarray as da
    >>> x = da.asarray([[1, 2], [3, 4]])
    >>> x[da.triu_indices_from(x)].copy_to_host()
    array([1, 2, 4])
    """
    n, m = _matrix("triu_indices_from", arr)
    return triu_indices(n, k, m, allocator=arr.allocator, queue=arr.queue)


def _matrix(name: str, x: Array) -> tuple[int, ...]:
    if x.ndim != 2:
        raise ShapeError(f"{name} takes arrays of two dimensions; this one has {x.ndim}")
    return x.shape


def mask_indices(n: int, mask_func: Callable[..., Array], k: Any = 0) -> tuple[Array, ...]:
    """The indices of the elements that a function such as :func:`triu` keeps of an n by n matrix.

    Waits for their number.

    Parameters
    ----------
    n : int
        Number of rows and columns.
    mask_func : callable
        Of an array of ones and `k`; sets the elements that are not wanted to zero.
    k : scalar
        Handed to `mask_func`. 0 by default.

    Returns
    -------
    tuple of Array
        int64, one for each axis.

    Examples
    --------
    >>> import devarray as da
    >>> [i.copy_to_host().tolist() for i in da.mask_indices(2, da.triu, 1)]
    [[0], [1]]
    """
    return nonzero(mask_func(ones((n, n), np.int64), k) != 0)


def vander(x: Any, N: int | None = None, increasing: bool = False) -> Array:
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
    given = asarray(x)
    if given.ndim != 1:
        raise ShapeError(f"vander takes arrays of one dimension; this one has {given.ndim}")
    columns = given.size if N is None else count_of(N, "vander")
    base = given.astype(np.promote_types(given.dtype, np.int64), copy=False)
    result = _core.empty_at(base, (base.size, columns), None)
    rising = result if increasing else result[:, ::-1]
    for i in range(columns if base.size else 0):
        rising[:, i] = 1 if i == 0 else base if i == 1 else rising[:, i - 1] * base
    return result
