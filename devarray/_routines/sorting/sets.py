"""Sets: the set chapter of the Array API standard, and NumPy's `unique`.

They sort; equal neighbours are then one element. NaNs are equal to nothing, and -0 is equal to 0. CPUs count integers
that are close together instead.
"""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

import numpy as np

from devarray import _core
from devarray._array.numbers import weak_dtype
from devarray._primitives.convert import asarray
from devarray._primitives.count import by_counting, counted
from devarray._primitives.gather import compress_elements, nonzero_rows
from devarray._primitives.join import concat, stack
from devarray._primitives.operands import as_arrays
from devarray._routines.manipulation.axes import moveaxis
from devarray._routines.sorting.searching import searchsorted, take
from devarray._routines.sorting.sorting import argsort, sort
from devarray._routines.statistics.cumulative import cumulative_sum, diff
from devarray.array import OP, Array, normalize_axes
from devarray.errors import DeviceError, DTypeError

__all__ = [
    "intersect1d",
    "isin",
    "setdiff1d",
    "setxor1d",
    "union1d",
    "unique",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
]


class UniqueAll(NamedTuple):
    """The result of :func:`unique_all`."""

    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCounts(NamedTuple):
    """The result of :func:`unique_counts`."""

    values: Array
    counts: Array


class UniqueInverse(NamedTuple):
    """The result of :func:`unique_inverse`."""

    values: Array
    inverse_indices: Array


def unique_values(x: Array) -> Array:
    """The distinct elements of an array, sorted. Waits for their number.

    Parameters
    ----------
    x : array_like
        The array; flattened.

    Returns
    -------
    Array
        One-dimensional, of the dtype of `x`. Each NaN is distinct.

    Examples
    --------
    >>> import devarray as da
    >>> da.unique_values(da.asarray([3, 1, 3])).copy_to_host()
    array([1, 3])
    """
    return _values(x.reshape(-1), False)


def unique_counts(x: Array) -> UniqueCounts:
    """The distinct elements of an array, sorted, and how often each occurs. Waits for their number.

    Parameters
    ----------
    x : array_like
        The array; flattened.

    Returns
    -------
    values : Array
        One-dimensional, of the dtype of `x`. Each NaN is distinct.
    counts : Array
        int64, of the same shape.

    Examples
    --------
    >>> import devarray as da
    >>> da.unique_counts(da.asarray([3, 1, 3])).counts.copy_to_host()
    array([1, 2])
    """
    return _values_and_counts(x.reshape(-1), False)


def unique_inverse(x: Array) -> UniqueInverse:
    """The distinct elements of an array, sorted, and for each element its index among them. Waits for their number.

    Parameters
    ----------
    x : array_like
        The array; flattened.

    Returns
    -------
    values : Array
        One-dimensional, of the dtype of `x`. Each NaN is distinct.
    inverse_indices : Array
        int64, of the shape of `x`.

    Examples
    --------
    >>> import devarray as da
    >>> da.unique_inverse(da.asarray([3, 1, 3])).inverse_indices.copy_to_host()
    array([1, 0, 1])
    """
    values, inverse, _ = _values_inverse_counts(x, False)
    return UniqueInverse(values, inverse)


def unique_all(x: Array) -> UniqueAll:
    """The distinct elements of an array, sorted, with first indices, inverse indices and counts.

    Waits for their number.

    Parameters
    ----------
    x : array_like
        The array; flattened.

    Returns
    -------
    values : Array
        One-dimensional, of the dtype of `x`. Each NaN is distinct.
    indices : Array
        int64: where each first occurs in the flattened array.
    inverse_indices : Array
        int64, of the shape of `x`: for each element its index in `values`.
    counts : Array
        int64: how often each occurs.

    Examples
    --------
    >>> import devarray as da
    >>> da.unique_all(da.asarray([3, 1, 3])).indices.copy_to_host()
    array([1, 0])
    """
    return _unique_all(x, False)


def _unique_all(x: Array, equal_nan: bool) -> UniqueAll:
    flat = x.reshape(-1)
    order = argsort(flat)
    ordered = take(flat, order)
    firsts = _firsts(ordered, equal_nan)
    starts = nonzero_rows(firsts)[0]
    inverse = _core.empty_at(flat, None, np.int64)
    inverse[order] = cumulative_sum(firsts, dtype=np.int64) - 1
    return UniqueAll(
        take(ordered, starts), take(order, starts), inverse.reshape(x.shape), _counts(starts, ordered.size)
    )


def _firsts(ordered: Array, equal_nan: bool) -> Array:
    """Whether each element of a sorted array differs from the one before it."""
    firsts = _core.full(ordered.shape, np.bool_, True, ordered.queue, ordered.allocator)
    if ordered.size > 1:
        here, before = ordered[1:], ordered[:-1]
        differs = _core.apply(OP["not_equal"], here, before)
        if equal_nan and ordered.dtype.kind in "fc":
            isnan = OP["isnan"]
            differs = differs & ~(_core.apply(isnan, here) & _core.apply(isnan, before))
        firsts[1:] = differs
    return firsts


def _values(flat: Array, equal_nan: bool) -> Array:
    tally = _tally(flat)
    if tally is not None:
        return tally.values
    ordered = sort(flat)  # values alone are sorted faster than indices
    return compress_elements(ordered, _firsts(ordered, equal_nan))


def _values_and_counts(flat: Array, equal_nan: bool) -> UniqueCounts:
    tally = _tally(flat)
    if tally is not None:
        return UniqueCounts(tally.values, take(tally.counts, tally.places))
    ordered = sort(flat)
    starts = nonzero_rows(_firsts(ordered, equal_nan))[0]
    return UniqueCounts(take(ordered, starts), _counts(starts, ordered.size))


def _values_inverse_counts(x: Array, equal_nan: bool) -> tuple[Array, Array, Array]:
    flat = x.reshape(-1)
    tally = _tally(flat)
    if tally is None:
        values, _, inverse, numbers = _unique_all(x, equal_nan)
        return values, inverse, numbers
    ranks = cumulative_sum(tally.counts > 0, dtype=np.int64) - 1
    distances = (flat - tally.least).astype(f"u{flat.itemsize}")  # what overflows comes back
    return tally.values, take(ranks, distances).reshape(x.shape), take(tally.counts, tally.places)


class _Tally(NamedTuple):
    """How often integers occur: `counts` from the least one on, and `places` among these of the `values` that do."""

    least: int
    counts: Array
    places: Array
    values: Array


_WORTH_COUNTING = 1 << 13
"""Elements from which on sorting takes longer than the launches that count."""


def _tally(flat: Array) -> _Tally | None:
    """Integers counted, in no more memory than they fill themselves; None where they are to be sorted. Waits."""
    if flat.dtype.kind not in "iu" or flat.size < _WORTH_COUNTING or not by_counting(flat):
        return None
    least, greatest = stack([flat.min(), flat.max()]).tolist()
    if greatest - least >= flat.size * flat.itemsize // 8:
        return None
    counts = counted(flat, greatest - least + 1, least=least)
    places = nonzero_rows(counts)[0]
    return _Tally(least, counts, places, places.astype(flat.dtype) + least)


def _counts(starts: Array, size: int) -> Array:
    return diff(starts, append=size)


def unique(
    ar: Array,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Any:
    """The distinct elements of an array, sorted: NumPy's function of that name. Waits for their number.

    Parameters
    ----------
    ar : array_like
        The array.
    return_index, return_inverse, return_counts : bool
        Whether to return, behind the elements and in this order, their first indices, for each element of `ar` its
        index among them, and how often each occurs. False by default.
    axis : int, optional
        The axis whose distinct slices are wanted, sorted by their elements in order; NaN in them are distinct. One sort
        for each element of a slice. By default the elements of the flattened array.
    equal_nan : bool
        Whether all NaN are one element, the default.
    sorted : bool
        NumPy's leave to give the elements in any order, not used: they are sorted.

    Returns
    -------
    Array or tuple of Array
        The distinct elements, of the dtype of `ar`; a tuple where more is asked for, the rest int64.

    Raises
    ------
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.unique(da.asarray([3.0, da.nan, 3.0, da.nan])).copy_to_host()
    array([ 3., nan])
    """
    if axis is not None and (normalize_axes(axis, ar.ndim) != [0] or ar.ndim != 1):
        found = _unique_slices(ar, normalize_axes(axis, ar.ndim)[0])
        chosen = zip((return_index, return_inverse, return_counts), found[1:], strict=True)
        more = tuple(part for wanted, part in chosen if wanted)
        return (found[0], *more) if more else found[0]
    if return_index:
        found = _unique_all(ar, equal_nan)
        chosen = zip((True, True, return_inverse, return_counts), found, strict=True)
        return tuple(part for wanted, part in chosen if wanted)
    if return_inverse:
        return _values_inverse_counts(ar, equal_nan)[: 3 if return_counts else 2]
    if return_counts:
        return tuple(_values_and_counts(ar.reshape(-1), equal_nan))
    return _values(ar.reshape(-1), equal_nan)


def _unique_slices(x: Array, axis: int) -> UniqueAll:
    front = moveaxis(x, axis, 0)
    rows = front.reshape((len(front), prod(front.shape[1:])))
    order = _core.iota(len(rows), np.dtype(np.int64), 0, 1, x.queue, x.allocator)
    for i in reversed(range(rows.shape[1])):
        order = take(order, argsort(take(rows[:, i], order)))
    ordered = take(rows, order, axis=0)
    firsts = _core.full((len(rows),), np.bool_, False, x.queue, x.allocator)
    firsts[:1] = True
    firsts[1:] = _core.apply(OP["not_equal"], ordered[1:], ordered[:-1]).any(1)
    starts = nonzero_rows(firsts)[0]
    inverse = _core.empty_at(order, None, np.int64)
    inverse[order] = cumulative_sum(firsts, dtype=np.int64) - 1
    values = take(ordered, starts, axis=0).reshape((len(starts), *front.shape[1:]))
    return UniqueAll(moveaxis(values, 0, axis), take(order, starts), inverse, _counts(starts, len(rows)))


def isin(
    element: Any, test_elements: Any, assume_unique: bool = False, invert: bool = False, *, kind: Any = None
) -> Array:
    """Whether each element of an array equals an element of another.

    Parameters
    ----------
    element, test_elements : array_like
        The elements, and those to look for. At least one of the two is an Array.
    assume_unique : bool
        NumPy's, not used.
    invert : bool
        Whether to return the opposite. False by default.
    kind : str, optional
        NumPy's choice of an algorithm, not used.

    Returns
    -------
    Array
        bool, of the shape of `element`.

    Raises
    ------
    DTypeError
        Where neither input is an Array.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> da.isin(da.asarray([1, 2, 3]), da.asarray([3, 1])).copy_to_host()
    array([ True, False,  True])
    """
    like = element if isinstance(element, Array) else test_elements
    if not isinstance(like, Array):
        raise DTypeError("isin: at least one input is a device array; use asarray()")
    element, test_elements = (_as_array(x, like) for x in (element, test_elements))
    if element.device is not test_elements.device:
        raise DeviceError(
            f"isin got arrays of {element.device} and of {test_elements.device}; move one with to_device()"
        )
    if test_elements.size == 0:
        return _core.full(element.shape, np.bool_, invert, element.queue, element.allocator)
    return (
        _core.apply(OP["logical_not"], _member(element, test_elements)) if invert else _member(element, test_elements)
    )


def _member(x1: Array, x2: Array) -> Array:
    if x2.size == 1:
        return _core.apply(OP["equal"], x1, x2.reshape(()))
    dtype = _core.promote(x1.dtype, x2.dtype)
    if dtype.kind == "c" or ({x1.dtype.kind, x2.dtype.kind} == {"i", "u"} and dtype.kind == "f"):
        # No order, or no common integer: every pair is compared, by value.
        return _core.apply(OP["equal"], x1.reshape((*x1.shape, 1)), x2.reshape(-1)).any(-1)
    x1 = x1.astype(dtype, copy=False)
    ordered = sort(x2.reshape(-1).astype(dtype, copy=False))
    places = _core.apply(OP["minimum"], searchsorted(ordered, x1), x2.size - 1)
    return _core.apply(OP["equal"], take(ordered, places), x1)


def _as_array(x: Any, like: Array) -> Array:
    if isinstance(x, Array):
        return x
    return asarray(x, dtype=weak_dtype(x, like.dtype), queue=like.queue, allocator=like.allocator)


# --- NumPy's operations on two sets --------------------------------------------------------------------------------


def union1d(ar1: Any, ar2: Any) -> Array:
    """The distinct elements of two arrays, sorted. Waits for their number.

    Parameters
    ----------
    ar1, ar2 : array_like
        The arrays; flattened.

    Returns
    -------
    Array
        One-dimensional, of the dtype that the arrays' promote to.

    Examples
    --------
    >>> import devarray as da
    >>> da.union1d(da.asarray([3, 1]), [2, 1]).copy_to_host()
    array([1, 2, 3])
    """
    return unique(concat([x.reshape(-1) for x in as_arrays(ar1, ar2)]))


def intersect1d(ar1: Any, ar2: Any, assume_unique: bool = False, return_indices: bool = False) -> Any:
    """The distinct elements that two arrays have in common, sorted. Waits for their number.

    Parameters
    ----------
    ar1, ar2 : array_like
        The arrays; flattened.
    assume_unique : bool
        Whether no element occurs twice in one of them, which saves work. False by default.
    return_indices : bool
        Whether to return also the first indices of these elements in `ar1` and in `ar2`. False by default.

    Returns
    -------
    Array or tuple of Array
        The elements; with `return_indices` a tuple of the elements and two int64 arrays.

    Examples
    --------
    >>> import devarray as da
    >>> da.intersect1d(da.asarray([3, 1, 3, 2]), [4, 3, 1]).copy_to_host()
    array([1, 3])
    """
    ar1, ar2 = (x.reshape(-1) for x in as_arrays(ar1, ar2))
    if not assume_unique and return_indices:
        ar1, first1 = unique(ar1, return_index=True)
        ar2, first2 = unique(ar2, return_index=True)
    elif not assume_unique:
        ar1, ar2 = unique(ar1), unique(ar2)
    both = concat([ar1, ar2])
    order = argsort(both) if return_indices else None
    both = sort(both) if order is None else take(both, order)
    twice = _core.apply(OP["equal"], both[1:], both[:-1])
    if order is None:
        return compress_elements(both[:-1], twice)
    places = nonzero_rows(twice)[0]
    index1, index2 = take(order, places), take(order, places + 1) - ar1.size
    if not assume_unique:
        index1, index2 = take(first1, index1), take(first2, index2)
    return take(both, places), index1, index2


def setdiff1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Array:
    """The distinct elements of an array that another does not have, sorted. Waits for their number.

    Parameters
    ----------
    ar1, ar2 : array_like
        The arrays; flattened.
    assume_unique : bool
        Whether to leave the elements of `ar1` in their order, as often as they occur. False by default.

    Returns
    -------
    Array
        One-dimensional, of the dtype of `ar1`.

    Examples
    --------
    >>> import devarray as da
    >>> da.setdiff1d(da.asarray([3, 1, 3, 2]), [1]).copy_to_host()
    array([2, 3])
    """
    ar1, ar2 = as_arrays(ar1, ar2)
    ar1 = ar1.reshape(-1) if assume_unique else unique(ar1)
    return compress_elements(ar1, isin(ar1, ar2, invert=True))


def setxor1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Array:
    """The distinct elements that exactly one of two arrays has, sorted. Waits for their number.

    Parameters
    ----------
    ar1, ar2 : array_like
        The arrays; flattened.
    assume_unique : bool
        Whether no element occurs twice in one of them, which saves work. False by default.

    Returns
    -------
    Array
        One-dimensional, of the dtype that the arrays' promote to.

    Examples
    --------
    >>> import devarray as da
    >>> da.setxor1d(da.asarray([3, 1, 2]), [4, 3, 1]).copy_to_host()
    array([2, 4])
    """
    ar1, ar2 = (x.reshape(-1) if assume_unique else unique(x) for x in as_arrays(ar1, ar2))
    both = sort(concat([ar1, ar2]))
    if both.size == 0:
        return both
    begins = _firsts(both, False)
    ends = _core.full(both.shape, np.bool_, True, both.queue, both.allocator)
    ends[:-1] = begins[1:]
    return compress_elements(both, begins & ends)
