"""Counts of natural numbers, and the bins that numbers lie in."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

import numpy as np

from devarray import _core
from devarray._primitives.atomic_sums import add_in_any_order, may_add_in_any_order
from devarray._primitives.convert import asarray
from devarray._primitives.count import by_counting, counted, counted_by_groups, fits_groups
from devarray._primitives.planned import run_planned
from devarray._routines.creation.ranges import arange
from devarray._routines.sorting.searching import searchsorted, take
from devarray._routines.sorting.sorting import sorted_by_bits
from devarray._routines.statistics.bin_edges import on_host, require_room
from devarray._routines.statistics.cumulative import diff
from devarray.array import Array
from devarray.errors import DTypeError, ShapeError, ValueError

if TYPE_CHECKING:
    from devarray.codegen.kernels.launches import Plan, View
    from devarray.codegen.language.dialect import Dialect

__all__ = ["bincount", "digitize"]


def bincount(x: Array, /, weights: Array | None = None, minlength: int = 0) -> Array:
    """How often each number from 0 to the greatest occurs, or the sums of their weights.

    Waits for the greatest number. Weights that are whole numbers below 2**53 add up exactly.

    Parameters
    ----------
    x : array_like of int
        One-dimensional, of numbers that are not negative.
    weights : array_like, optional
        Of the shape of `x`, real.
    minlength : int
        Least size of the result. 0 by default.

    Returns
    -------
    Array
        int64, or float64 with weights; one element for each number.

    Raises
    ------
    DTypeError
        For other dtypes, and complex weights.
    ShapeError
        For another number of dimensions, or weights of another shape.
    ValueError
        For a negative number, or a negative `minlength`.

    Examples
    --------
    >>> import devarray as da
    >>> da.bincount(da.asarray([0, 2, 2])).copy_to_host()
    array([1, 0, 2])
    """
    if x.ndim != 1:
        raise ShapeError(
            f"bincount: object {'too deep' if x.ndim else 'of too small depth'} for desired array: it takes a "
            f"one-dimensional array of integers, not {x.ndim} dimensions of {x.dtype}"
        )
    x = x.astype(np.int64) if not x.size and x.dtype.kind == "f" else x  # such as an empty list
    if x.dtype.kind not in "biu":
        raise DTypeError(
            f"bincount: Cannot cast array data from {x.dtype!r} to dtype('int64') according to the rule 'safe': it "
            "takes integers"
        )
    if weights is not None and weights.shape != x.shape:
        raise ShapeError(
            f"bincount: The weights and list don't have the same length: weights of shape {weights.shape} do not fit "
            f"numbers of shape {x.shape}"
        )
    if weights is not None and weights.dtype.kind == "c":
        raise DTypeError("bincount: weights are real numbers; count the parts of complex ones")
    minlength = operator.index(minlength)
    if minlength < 0:
        raise ValueError(f"bincount: 'minlength' must not be negative, {minlength} is")
    require_room(x, minlength)
    if x.size == 0:
        weights = None  # as NumPy, which counts nothing by them
    total = max(_greatest(x) + 1, minlength)
    require_room(x, total + 1)
    return occurrences(x, total, weights)


def _require_natural(least: int) -> None:
    if least < 0:
        raise ValueError(f"bincount: 'list' argument must have no negative elements; the least is {least}")


def _greatest(x: Array) -> int:
    """The greatest element, in one pass that also tells whether there are negative ones; -1 of none. Waits."""
    if x.size == 0:
        return -1
    if x.dtype.kind != "i":
        return int(x.max())
    greatest = int(x.view(f"u{x.itemsize}").max())  # negative numbers have the top bit
    if greatest >> (8 * x.itemsize - 1):
        _require_natural(int(x.min()))
    return greatest


def digitize(x: Array, bins: object, right: bool = False) -> Array:
    """Numbers of the intervals that elements lie in.

    Parameters
    ----------
    x : array_like
        The elements.
    bins : array_like
        One-dimensional edges, increasing or decreasing. Those on the device are read, which waits.
    right : bool
        Whether intervals include their right edge in place of their left one. False by default.

    Returns
    -------
    Array
        int64, of the shape of `x`.

    Raises
    ------
    ValueError
        For edges that are neither increasing nor decreasing.
    DTypeError
        Where `x` is no array.

    Examples
    --------
    >>> import devarray as da
    >>> da.digitize(da.asarray([0.5, 2.0]), [1.0, 2.0, 3.0]).copy_to_host()
    array([0, 2])
    """
    if not isinstance(x, Array):
        raise DTypeError(f"digitize takes a device array, not {type(x).__name__}; make one with asarray()")
    if x.dtype.kind == "c":
        raise DTypeError("digitize: x may not be complex: complex numbers have no order")
    edges = np.asarray(on_host(bins))
    if edges.dtype.kind == "c":
        raise DTypeError("digitize takes edges that are real numbers, not complex ones")
    if not edges.ndim:
        raise ValueError(f"digitize: object of too small depth for desired array: bins are edges in a row, not {edges}")
    others = edges[edges != edges[:1]] if edges.ndim == 1 else edges
    falling = bool(others.size) and not bool(edges[0] < others[0])  # NaN come last, or first where edges decrease
    wrong = edges[:-1] < edges[1:] if falling else edges[:-1] > edges[1:]
    if edges.ndim != 1 or wrong.any():
        raise ValueError("digitize: bins must be monotonically increasing or decreasing")
    ours = asarray(edges[::-1].copy() if falling else edges, queue=x.queue, allocator=x.allocator)
    places = searchsorted(ours, x, side="left" if right else "right")
    return edges.size - places if falling else places


def occurrences(numbers: Array, total: int, weights: Array | None) -> Array:
    """How often each of the numbers below `total` occurs, int64, or the sums of their weights, float64."""
    heavy = None if weights is None else weights.astype(np.float64, copy=False)
    if by_counting(numbers):
        return counted(numbers, total, heavy)
    if fits_groups(numbers, total, heavy):
        return counted_by_groups(numbers, total, heavy)
    if heavy is not None and may_add_in_any_order(heavy):
        sums = _core.full((total,), heavy.dtype, 0, numbers.queue, numbers.allocator)
        add_in_any_order(sums, numbers, heavy)
        return sums
    narrow = numbers.astype(np.min_scalar_type(total), copy=False)  # a sort takes a pass for each byte of its keys
    bits = (total - 1).bit_length()
    if heavy is None:
        return diff(_starts(sorted_by_bits(narrow, bits), total))
    order = sorted_by_bits(narrow, bits, indices=True)
    return _sums_of_runs(take(narrow, order), total, take(heavy, order))


def _starts(ordered: Array, total: int) -> Array:
    """Where the run of each number below `total` begins, and where the last one ends."""
    counting = arange(total + 1, dtype=ordered.dtype, queue=ordered.queue, allocator=ordered.allocator)
    return searchsorted(ordered, counting)


def _sums_of_runs(ordered: Array, total: int, weights: Array) -> Array:
    """The sums of the weights of equal numbers, which follow each other."""
    sums = _core.empty((total,), weights.dtype, ordered.queue, ordered.allocator)
    arrays = (ordered, weights, _starts(ordered, total), sums)
    run_planned(_plan_sums, ("numbers", "weights", "starts", "out"), arrays)
    return sums


def _plan_sums(numbers: View, weights: View, starts: View, out: View, dialect: Dialect) -> Plan:
    from devarray.codegen.kernels.run_sums import plan_run_sums

    return plan_run_sums(numbers, weights, starts, out, dialect)
