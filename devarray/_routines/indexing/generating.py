"""Index arrays of diagonals and triangles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from devarray import _core
from devarray._primitives.convert import asarray
from devarray._routines.creation.ranges import arange, axis_length, diagonal_number, ones
from devarray._routines.sorting.searching import nonzero, searchsorted
from devarray._runtime.devices import Device, Queue, resolve_place
from devarray.array import Array
from devarray.errors import ShapeError

__all__ = [
    "diag_indices",
    "diag_indices_from",
    "mask_indices",
    "tril_indices",
    "tril_indices_from",
    "triu_indices",
    "triu_indices_from",
]

_Device = Device | str | None
_FEW = 4096
"""Elements that the host numbers in less time than a launch takes."""


def diag_indices(
    n: int, ndim: int = 2, *, device: _Device = None, allocator: object = None, queue: Queue | None = None
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
        raise ShapeError(
            "diag_indices_from: All dimensions of input must be of equal length, and the input array must be at least "
            f"2-d, not of shape {arr.shape}"
        )
    return diag_indices(arr.shape[0], arr.ndim, allocator=arr.allocator, queue=arr.queue)


def tril_indices(
    n: int,
    k: int = 0,
    m: int | None = None,
    *,
    device: _Device = None,
    allocator: object = None,
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
    n, k, width = axis_length(n), diagonal_number(k), axis_length(n if m is None else m)
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
    allocator: object = None,
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
    n, k, width = axis_length(n), diagonal_number(k), axis_length(n if m is None else m)
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
    if 0 < count <= _FEW and _core.device_of(*resolve_place(device, allocator, queue)).strategy == "cpu":
        of_row = np.repeat(np.arange(lengths.size), lengths)
        return asarray(of_row, **where), asarray(np.arange(count) + (firsts - (ends - lengths))[of_row], **where)
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


def mask_indices(n: int, mask_func: Callable[..., Array], k: object = 0) -> tuple[Array, ...]:
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


def _matrix(name: str, x: Array) -> tuple[int, ...]:
    if x.ndim != 2:
        raise ShapeError(f"{name}: input array must be 2-d; this one has {x.ndim} dimensions")
    return x.shape
