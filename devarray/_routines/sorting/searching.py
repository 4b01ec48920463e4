"""Searching and indexing by arrays: the searching and indexing chapters of the Array API standard."""

from __future__ import annotations

from typing import Any

import numpy as np

from devarray import _core
from devarray._array.numbers import weak_dtype
from devarray._array.out import write_out
from devarray._primitives.checks import clip_mode, whole_parts, within
from devarray._primitives.compaction import nonzero_rows
from devarray._primitives.convert import asarray
from devarray._primitives.gather import along_axis, gather, indices_on_device, scatter_along_axis
from devarray._primitives.planned import run_planned
from devarray._primitives.stored import stored_in
from devarray.array import Array, normalize_axis, reduce
from devarray.errors import DTypeError, IndexError, ShapeError, ValueError

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


def argmax(a: Array, axis: int | None = None, out: Array | None = None, *, keepdims: object = False) -> Array:
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
    return write_out(
        "argmax", reduce(a, "argmax", axis, keepdims is not np._NoValue and bool(keepdims)), out, casting="back"
    )


def argmin(a: Array, axis: int | None = None, out: Array | None = None, *, keepdims: object = False) -> Array:
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
    return write_out(
        "argmin", reduce(a, "argmin", axis, keepdims is not np._NoValue and bool(keepdims)), out, casting="back"
    )


def take(a: Array, indices: object, axis: int | None = None, out: Array | None = None, mode: str = "raise") -> Array:
    """Elements along an axis at the positions of an index array.

    Parameters
    ----------
    a : Array
        The array.
    indices : array_like of int
        Indices outside the axis are never read. Those of the host are checked at the call.
    axis : int, optional
        The axis to take along. By default `a` is flattened.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).
    mode : {"raise", "wrap", "clip"}
        What happens to indices outside: an IndexError (the default; negative ones count from the end then), which of a
        device array's comes at the next point where the host waits for the device; counting on from the start; or the
        nearest valid one.

    Returns
    -------
    Array
        A new array of the dtype of `a`, with the axes of `indices` in place of the axis; or `out`.

    Raises
    ------
    DTypeError
        For indices that are not integers.
    AxisError
        For an axis that the array does not have.
    ValueError
        For another `mode`.
    IndexError
        Where the axis has no elements, but there are indices, and for indices of the host outside the axis.

    Examples
    --------
    >>> import devarray as da
    >>> da.take(da.asarray([10, 20, 30]), da.asarray([2, 0])).copy_to_host()
    array([30, 10])
    """
    if axis is None:
        a, axis = a.reshape(-1), 0
    if a.ndim == 0:
        a = a.reshape(1)
    axis = normalize_axis(axis, a.ndim)
    places, mode = _integers(whole_parts(indices), "take", kinds="biu"), clip_mode(mode, "take")
    if mode != "raise":
        if a.shape[axis] == 0 and places.size:
            raise IndexError("cannot do a non-empty take from an empty axes: there are no elements to take")
        places = within(_beside(places, a), a.shape[axis], mode, "take")
    return write_out("take", _core.as_value(gather(a, indices_on_device(places, a, axis), axis)), out, casting="taken")


def take_along_axis(arr: Array, indices: object, axis: int | None = -1) -> Array:
    """Elements along an axis at indices that differ from row to row.

    Parameters
    ----------
    arr : Array
        The array.
    indices : array_like of int
        Of as many dimensions as `arr`; the two are broadcast except along `axis`. Negative ones count from the end;
        those outside the axis raise IndexError: of the host at the call, of the device at the next point where the host
        waits for it.
    axis : int, optional
        The axis to take along. The last one by default. None: the flattened array.

    Returns
    -------
    Array
        A new array of the dtype of `arr`.

    Raises
    ------
    IndexError
        For indices that are not integers, and for those of the host that are outside the axis.
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
    places = _integers(indices, "take_along_axis", IndexError)
    if axis is None:
        if places.ndim != 1:
            raise ShapeError(
                f"take_along_axis: when axis=None, `indices` must have a single dimension, not {places.ndim}"
            )
        arr, axis = arr.reshape(-1), 0
    axis = normalize_axis(axis, arr.ndim)
    return along_axis(arr, indices_on_device(places, arr, axis), axis)


def put_along_axis(arr: Array, indices: object, values: object, axis: int | None = -1) -> None:
    """Write values where :func:`take_along_axis` would read. Of several values for one element, one stays.

    Parameters
    ----------
    arr : Array
        The array to write to.
    indices : array_like of int
        As :func:`take_along_axis` takes them.
    values : array_like
        Cast to the dtype of `arr`, and broadcast to the shape of `indices`.
    axis : int, optional
        The axis to write along. The last one by default. None: the flattened array.

    Raises
    ------
    IndexError
        For indices that are not integers, and for those of the host that are outside the axis.
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
    places = _integers(indices, "put_along_axis", IndexError)
    if axis is None:
        if places.ndim != 1:
            raise ShapeError(
                f"put_along_axis: when axis=None, `indices` must have a single dimension, not {places.ndim}"
            )
        flat = arr.reshape(-1)
        scatter_along_axis(flat, indices_on_device(places, flat, 0), stored_in(values, arr), 0)
        if not _core.shares_memory(flat, arr):  # reshape made a copy
            arr[...] = flat.reshape(arr.shape)
        return
    axis = normalize_axis(axis, arr.ndim)
    scatter_along_axis(arr, indices_on_device(places, arr, axis), stored_in(values, arr), axis)


def nonzero(a: Array) -> tuple[Array, ...]:
    """Indices of the elements that are not zero, in C order.

    Waits for their number.

    Parameters
    ----------
    a : array_like
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
    if a.ndim == 0:
        raise ShapeError("nonzero: Calling nonzero on 0d arrays is not allowed. Use a.reshape(1)")
    return tuple(nonzero_rows(a))


def argwhere(a: Array) -> Array:
    """Indices of the elements that are not zero, one row for each. Waits for their number.

    Parameters
    ----------
    a : array_like
        The array.

    Returns
    -------
    Array
        int64, of shape ``(count, a.ndim)``.

    Examples
    --------
    >>> import devarray as da
    >>> da.argwhere(da.asarray([[0, 1], [2, 0]])).copy_to_host()
    array([[0, 1],
           [1, 0]])
    """
    if a.ndim == 0:
        return _core.empty((int(bool(a)), 0), np.int64, a.queue, a.allocator)
    return nonzero_rows(a).T


def flatnonzero(a: Array) -> Array:
    """Indices of the elements of the flattened array that are not zero. Waits for their number.

    Parameters
    ----------
    a : array_like
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
    return nonzero_rows(a.reshape(-1))[0]


def searchsorted(a: Array, v: Any, side: str = "left", sorter: Array | None = None) -> Array:
    """Indices at which values would be inserted into a sorted array so that it stays sorted.

    Parameters
    ----------
    a : array_like
        One-dimensional, sorted as :func:`sort` does: NaN last, complex numbers by real, then by imaginary part.
    v : array_like
        The values.
    side : {"left", "right"}
        Whether to insert before elements that equal the value (the default), or behind them.
    sorter : array_like of int, optional
        Indices that sort `a`.

    Returns
    -------
    Array
        int64, of the shape of `v`.

    Raises
    ------
    ShapeError
        Where `a` has another number of dimensions than one.
    ValueError
        For another `side`, and a `sorter` of another shape.

    Examples
    --------
    >>> import devarray as da
    >>> da.searchsorted(da.asarray([1, 3, 5]), da.asarray([0, 3, 9])).copy_to_host()
    array([0, 1, 3])
    """
    if a.ndim != 1:
        raise ShapeError(
            f"searchsorted: object too deep for desired array: the sorted array has one dimension, not {a.ndim}"
        )
    if side not in ("left", "right"):
        raise ValueError(f"searchsorted: search side must be 'left' or 'right' (got {side!r})")
    if not isinstance(v, Array):
        v = asarray(v, dtype=weak_dtype(v, a.dtype), queue=a.queue, allocator=a.allocator)
    if sorter is not None:
        places = indices_on_device(_integers(sorter, "searchsorted"), a, 0)
        if places.shape != a.shape:
            raise ValueError(
                f"searchsorted: sorter.size must equal a.size: sorter has shape {places.shape}, and a {a.shape}"
            )
        a = gather(a, places, 0)
    return search_sorted_as(a, v, _core.promote(a.dtype, v.dtype), side)


def search_sorted_as(a: Array, v: Array, dtype: np.dtype[Any], wanted: str) -> Array:
    """What a binary search of a sorted row in a dtype finds for each value: its position ("left", "right"), or whether
    it is there ("member")."""
    table, values = a.astype(dtype, copy=False), _core.contiguous(v.astype(dtype, copy=False))
    result = _core.empty_at(v, None, np.bool_ if wanted == "member" else np.int64)
    if result.size:
        from devarray.codegen.kernels.search import plan_search

        run_planned(plan_search, ("in", "values", "out"), (table, values, result), wanted)
    return _core.as_value(result)


_INTEGERS = {
    "take": "Cannot cast array data from dtype('{}') to dtype('int64') according to the rule 'safe'",
    "take_along_axis": "`indices` must be an integer array",
    "put_along_axis": "`indices` must be an integer array",
    "searchsorted": "sorter must only contain integers",
}
"""NumPy's words for other dtypes, by function."""


def _integers(indices: object, name: str, error: type[Exception] = DTypeError, kinds: str = "iu") -> Any:
    """Index arrays of the device, or of the host as NumPy arrays; truths among the `kinds` are 0 and 1."""
    found: Any = indices if isinstance(indices, Array) else np.asarray(indices)
    if not found.size and found.dtype.kind == "f":  # such as an empty list
        return found.astype(np.int64)
    if found.dtype.kind not in kinds:
        raise error(f"{name}: {_INTEGERS[name].format(found.dtype)}: indices are integers, not {found.dtype}")
    return found.astype(np.int64) if found.dtype.kind == "b" else found


def _beside(indices: Any, x: Array) -> Array:
    """Indices of the host on the device of x, unchecked."""
    return indices if isinstance(indices, Array) else asarray(indices, queue=x.queue, allocator=x.allocator)
