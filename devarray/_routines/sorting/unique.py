"""Unique elements: those of the Array API standard's set chapter, and NumPy's `unique`.

They sort; equal neighbours are then one element. NaNs are equal to nothing, and -0 is equal to 0. Integers that are
close together are counted instead; GPUs sort those further apart by their distances from the least one.
"""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

import numpy as np

from devarray import _core
from devarray._primitives.compaction import compress_elements, nonzero_rows
from devarray._primitives.count import by_counting, counted, counted_by_groups, fits_groups
from devarray._primitives.join import stack
from devarray._primitives.opaque import OpaqueArray
from devarray._routines.manipulation.axes import moveaxis
from devarray._routines.sorting.records import starts_of_records
from devarray._routines.sorting.searching import take
from devarray._routines.sorting.sorting import argsort, order_of_records, sorted_by_bits
from devarray._routines.statistics.cumulative import cumulative_sum, diff
from devarray.array import OP, Array, normalize_axis

__all__ = ["unique", "unique_all", "unique_counts", "unique_inverse", "unique_values"]


class UniqueAllResult(NamedTuple):
    """The result of :func:`unique_all`."""

    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCountsResult(NamedTuple):
    """The result of :func:`unique_counts`."""

    values: Array
    counts: Array


class UniqueInverseResult(NamedTuple):
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


def unique_counts(x: Array) -> UniqueCountsResult:
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


def unique_inverse(x: Array) -> UniqueInverseResult:
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
    return UniqueInverseResult(values, inverse)


def unique_all(x: Array) -> UniqueAllResult:
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


def _unique_all(x: Array, equal_nan: bool) -> UniqueAllResult:
    flat = x.reshape(-1)
    order = argsort(flat) if by_counting(flat) else sorted_by_bits(*_narrowed(flat, _span(flat)), indices=True)
    ordered = take(flat, order)
    firsts = first_of_equals(ordered, equal_nan)
    starts = nonzero_rows(firsts)[0]
    inverse = _core.empty_at(flat, None, np.int64)
    inverse[order] = cumulative_sum(firsts, dtype=np.int64) - 1
    return UniqueAllResult(
        take(ordered, starts), take(order, starts), inverse.reshape(x.shape), _counts(starts, ordered.size)
    )


def first_of_equals(ordered: Array, equal_nan: bool) -> Array:
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
    span = _span(flat)
    tally = _tally(flat, span)
    if tally is not None:
        return tally.values
    ordered = sorted_by_bits(*_narrowed(flat, span))  # values alone are sorted faster than indices
    return _widened(compress_elements(ordered, first_of_equals(ordered, equal_nan)), flat, span)


def _values_and_counts(flat: Array, equal_nan: bool) -> UniqueCountsResult:
    span = _span(flat)
    tally = _tally(flat, span)
    if tally is not None:
        return UniqueCountsResult(tally.values, take(tally.counts, tally.places))
    ordered = sorted_by_bits(*_narrowed(flat, span))
    starts = nonzero_rows(first_of_equals(ordered, equal_nan))[0]
    return UniqueCountsResult(_widened(take(ordered, starts), flat, span), _counts(starts, ordered.size))


def _values_inverse_counts(x: Array, equal_nan: bool) -> tuple[Array, Array, Array]:
    flat = x.reshape(-1)
    tally = _tally(flat, _span(flat) if by_counting(flat) else None)
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


_Span = tuple[int, int] | None


def _span(flat: Array) -> _Span:
    """The least and the greatest of integers, where to know them may save a sort; waits."""
    if flat.dtype.kind not in "iu" or flat.size < _WORTH_COUNTING:
        return None
    least, greatest = stack([flat.min(), flat.max()]).tolist()
    return least, greatest


def _tally(flat: Array, span: _Span) -> _Tally | None:
    """Integers counted, on CPUs in no more memory than they fill themselves; None where they are to be sorted."""
    if span is None:
        return None
    least, total = span[0], span[1] - span[0] + 1
    if by_counting(flat):
        if total > flat.size * flat.itemsize // 8:
            return None
        counts = counted(flat, total, least=least)
    elif fits_groups(flat, total):
        counts = counted_by_groups(flat, total, least=least)
    else:
        return None
    places = nonzero_rows(counts)[0]
    return _Tally(least, counts, places, places.astype(flat.dtype) + least)


def _narrowed(flat: Array, span: _Span) -> tuple[Array, int]:
    """What is sorted for the elements, and in how many of its lowest bits they differ, 0 where that is not known: GPUs'
    sorts take a pass for each byte, so they sort distances from the least one where these have fewer bytes."""
    if span is None or by_counting(flat):
        return flat, 0
    least, greatest = span
    distance = greatest - least
    narrow = np.min_scalar_type(distance)
    if narrow.itemsize < flat.itemsize:
        return (flat - least).astype(narrow), distance.bit_length()
    return flat, (least ^ greatest).bit_length() if (least < 0) == (greatest < 0) else 0


def _widened(found: Array, flat: Array, span: _Span) -> Array:
    """The elements that distances stand for."""
    return found if span is None or found.dtype == flat.dtype else found.astype(flat.dtype) + span[0]


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
    ar : array_like or OpaqueArray
        The array. Records are compared by their fields.
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
    if isinstance(ar, OpaqueArray):
        found = _unique_records(ar)
        chosen = zip((return_index, return_inverse, return_counts), found[1:], strict=True)
        more = tuple(part for wanted, part in chosen if wanted)
        return (found[0], *more) if more else found[0]
    if axis is not None and (normalize_axis(axis, ar.ndim) or ar.ndim != 1):
        found = _unique_slices(ar, normalize_axis(axis, ar.ndim))
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


def _unique_records(ar: OpaqueArray) -> tuple[Any, Array, Array, Array]:
    x = ar.ravel()
    order = order_of_records(x)
    ordered = OpaqueArray._of(take(x.bytes, order, axis=0), x.dtype)
    firsts = starts_of_records(ordered)
    starts = nonzero_rows(firsts)[0]
    inverse = _core.empty_at(order, None, np.int64)
    inverse[order] = cumulative_sum(firsts, dtype=np.int64) - 1
    values = OpaqueArray._of(take(ordered.bytes, starts, axis=0), x.dtype)
    return values, take(order, starts), inverse.reshape(ar.shape), _counts(starts, x.size)


def _unique_slices(x: Array, axis: int) -> UniqueAllResult:
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
    return UniqueAllResult(moveaxis(values, 0, axis), take(order, starts), inverse, _counts(starts, len(rows)))
