"""Sets of one axis: membership, unions, intersections and differences, from sorted unique elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from devarray import _core
from devarray._array.numbers import weak_dtype
from devarray._primitives.compaction import compress_elements, nonzero_rows
from devarray._primitives.convert import asarray
from devarray._primitives.join import concat
from devarray._primitives.operands import as_array, as_arrays
from devarray._routines.sorting.searching import search_sorted_as, take
from devarray._routines.sorting.sorting import argsort, sort
from devarray._routines.sorting.unique import first_of_equals, unique
from devarray.array import OP, Array
from devarray.errors import DeviceError, ValueError

__all__ = ["intersect1d", "isin", "setdiff1d", "setxor1d", "union1d"]


def isin(
    element: object,
    test_elements: object,
    assume_unique: bool = False,
    invert: bool = False,
    *,
    kind: str | None = None,
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
        NumPy's choice of an algorithm, not used: None, "sort" or "table".

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
    ValueError
        For another `kind`.

    Examples
    --------
    >>> import devarray as da
    >>> da.isin(da.asarray([1, 2, 3]), da.asarray([3, 1])).copy_to_host()
    array([ True, False,  True])
    """
    if kind not in (None, "sort", "table"):
        raise ValueError(f"isin: Invalid kind: {kind!r}. Please use None, 'sort' or 'table'")
    like = element if isinstance(element, Array) else test_elements
    if not isinstance(like, Array):
        like = element = as_array("isin", "element", element)
    element, test_elements = (_as_array(x, like) for x in (element, test_elements))
    if kind == "table" and not (element.dtype.kind in "biu" and test_elements.dtype.kind in "biu"):
        given = f"{element.dtype} and {test_elements.dtype}"
        raise ValueError(f"isin: The 'table' method is only supported for boolean or integer arrays, not for {given}")
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
    if {x1.dtype.kind, x2.dtype.kind} == {"i", "u"} and dtype.kind == "f":
        return _among_mixed(x1, x2)
    found = _by_table(x1, x2) if dtype.kind in "iu" and x1.size > x2.size else None
    return _among(x1, x2, dtype) if found is None else found


def _among(x1: Array, x2: Array, dtype: np.dtype[Any]) -> Array:
    return search_sorted_as(sort(x2.reshape(-1).astype(dtype, copy=False)), x1, dtype, "member")


def _among_mixed(x1: Array, x2: Array) -> Array:
    """Which signed integers are among unsigned ones of 64 bits, or the other way round: none that has no place among
    the values of `x2`'s dtype."""
    signed = x2.dtype.kind == "i"
    dtype = np.dtype(np.int64 if signed else np.uint64)
    fits = x1 <= np.iinfo(np.int64).max if signed else x1 >= 0
    return _core.apply(OP["logical_and"], fits, _among(x1, x2, dtype))


def _by_table(x1: Array, x2: Array) -> Array | None:
    """Which integers are in a row whose least and greatest are near each other, by a table of those between; None where
    they are far apart, and where the host may not read the row to make the table, as on GPUs."""
    row = _core.standing_view(x2)
    if row is None:
        return None
    low, high = int(row.min()), int(row.max())
    if high - low > 6 * x1.size or high > np.iinfo(np.int64).max:
        return None
    held = np.zeros(high - low + 1, np.bool_)
    held[row.astype(np.int64) - low] = True
    inside = _core.apply(OP["logical_and"], x1 >= low, x1 <= high)
    places = _core.apply(OP["where"], inside, x1.astype(np.int64, copy=False), low) - low
    return _core.apply(OP["logical_and"], inside, take(asarray(held, queue=x1.queue, allocator=x1.allocator), places))


def _as_array(x: Any, like: Array) -> Array:
    if isinstance(x, Array):
        return x
    return asarray(x, dtype=weak_dtype(x, like.dtype), queue=like.queue, allocator=like.allocator)


# --- NumPy's operations on two sets --------------------------------------------------------------------------------


def union1d(ar1: object, ar2: object) -> Array:
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
    like = next((x for x in (ar1, ar2) if isinstance(x, Array)), None)
    if like is not None:  # a Python number takes the other's dtype, as where NumPy joins them
        ar1, ar2 = (_as_array(x, like) if type(x) in (int, float, complex) else x for x in (ar1, ar2))
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


def setdiff1d(ar1: object, ar2: object, assume_unique: bool = False) -> Array:
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


def setxor1d(ar1: object, ar2: object, assume_unique: bool = False) -> Array:
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
    begins = first_of_equals(both, False)
    ends = _core.full(both.shape, np.bool_, True, both.queue, both.allocator)
    ends[:-1] = begins[1:]
    return compress_elements(both, begins & ends)
