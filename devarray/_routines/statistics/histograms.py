"""NumPy's histograms and counts.

CPUs count. Elsewhere elements are sorted, and the places of the edges among them tell how many lie between; sums of
weights are then differences of running sums, so that their error is relative to the sum of all weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log2, pi, prod, sqrt
from typing import Any

import numpy as np

from devarray import _core
from devarray._primitives.convert import asarray
from devarray._primitives.count import by_counting, counted
from devarray._primitives.join import stack
from devarray._primitives.operands import as_arrays
from devarray._routines.creation.ranges import arange
from devarray._routines.sorting.searching import searchsorted, take
from devarray._routines.sorting.sorting import argsort, sort
from devarray._routines.statistics.quantiles import percentile
from devarray._routines.statistics.reductions import cumulative_sum, diff
from devarray._runtime.arguments import number_of
from devarray.array import OP, Array
from devarray.errors import DTypeError, ShapeError, ValueError

__all__ = [
    "bincount",
    "digitize",
    "histogram",
    "histogram2d",
    "histogram_bin_edges",
    "histogramdd",
]


def histogram(
    a: Array,
    bins: Any = 10,
    range: tuple[float, float] | None = None,
    density: bool | None = None,
    weights: Array | None = None,
) -> tuple[Array, Array]:
    """Counts of elements in intervals, or sums of their weights.

    Parameters
    ----------
    a : array_like
        The elements, of a real dtype; flattened.
    bins : int, str or array_like
        Number of equal intervals (10 by default), or how to choose it (see :func:`histogram_bin_edges`), or their edges
        in increasing order. The last interval includes its right edge.
    range : (float, float), optional
        The outermost edges; by default the least and the greatest element, which waits for the device.
    density : bool
        Whether to divide by the intervals' widths and the number of elements counted, or the sum of their weights.
        False by default.
    weights : array_like, optional
        Of the shape of `a`; the sums have its dtype.

    Returns
    -------
    counts : Array
        int64, or of the weights' dtype, or a float with `density`; one for each interval.
    edges : Array
        One more than intervals.

    Raises
    ------
    ValueError
        For edges that are not increasing, an unknown rule, a range that is not finite, or less than one interval.
    ShapeError
        For weights of another shape.
    DTypeError
        For complex numbers, and weights with a rule.

    Examples
    --------
    >>> import devarray as da
    >>> da.histogram(da.asarray([1.0, 2.0, 2.5, 4.0]), bins=3)[0].copy_to_host()
    array([1, 2, 1])
    """
    flat = a.reshape(-1)
    edges = _edges("histogram", flat, bins, range, weights)
    ours = asarray(edges, queue=a.queue, allocator=a.allocator)
    flat = flat.astype(np.result_type(a.dtype, edges.dtype), copy=False)
    if weights is not None and weights.shape != a.shape:
        raise ShapeError(f"histogram: weights of shape {weights.shape} do not fit an array of shape {a.shape}")
    heavy = None if weights is None else weights.reshape(-1)
    limits = ours.astype(flat.dtype, copy=False)
    if by_counting(flat):
        found = _counted_between(flat, limits, edges, isinstance(bins, int | np.integer | str), heavy)
    else:
        found = _sorted_between(flat, limits, heavy)
    if weights is not None:
        found = found.astype(weights.dtype, copy=False)
    if density:
        return found / diff(ours).astype(np.float64, copy=False) / found.sum(), ours
    return found, ours


_SUMS: dict[str, Any] = {"u": np.uint64, "f": np.float64, "c": np.complex128}
"""Dtypes in which weights of each kind add up: integers exactly."""
_MOST_GUESSED = 1 << 24  # bins that float32 tells apart


def _counted_between(flat: Array, ours: Array, edges: np.ndarray, even: bool, weights: Array | None) -> Array:
    """Counts between edges, or sums of weights. `even` says whether equal intervals were asked for."""
    weights = None if weights is None else weights.astype(_SUMS.get(weights.dtype.kind, np.int64), copy=False)
    bins = edges.size - 1
    if even and bins < _MOST_GUESSED and np.isfinite(edges[-1] - edges[0]):
        return counted(flat, bins, weights, edges=ours)
    place = searchsorted(ours[:-1], flat, side="right")
    if edges[-1] == edges[-1]:  # before NaN, there is all the rest
        place = _core.apply(OP["where"], flat <= ours[-1], place, 0)
    return counted(place, bins, weights, least=1)


def _sorted_between(flat: Array, ours: Array, weights: Array | None) -> Array:
    """The same from sorted elements."""
    order = None if weights is None else argsort(flat)
    ordered = sort(flat) if order is None else take(flat, order)
    places = searchsorted(ordered, ours)
    places[-1:] = searchsorted(ordered, ours[-1:], side="right")
    if weights is None or order is None:
        return diff(places)
    sums = cumulative_sum(take(weights, order), dtype=_SUMS.get(weights.dtype.kind), include_initial=True)
    return diff(take(sums, places))


def histogram_bin_edges(
    a: Array, bins: Any = 10, range: tuple[float, float] | None = None, weights: Array | None = None
) -> Array:
    """The edges of :func:`histogram`'s intervals. Waits unless `range` and a number of bins are given.

    Parameters
    ----------
    a : array_like
        The elements, of a real dtype; flattened.
    bins : int, str or array_like
        Number of intervals (10 by default); or their edges; or the rule that chooses the number: ``"auto"`` (the finer
        of ``"fd"`` and ``"sturges"``), ``"fd"`` (Freedman and Diaconis), ``"doane"``, ``"rice"``, ``"scott"``,
        ``"sqrt"``, ``"sturges"``.
    range : (float, float), optional
        The outermost edges; by default the least and the greatest element.
    weights : array_like, optional
        Not used by a number of intervals; rules take none.

    Returns
    -------
    Array
        One-dimensional, one more than intervals.

    Raises
    ------
    ValueError
        For edges that are not increasing, an unknown rule, a range that is not finite, or less than one interval.
    DTypeError
        For complex numbers, and weights with a rule.

    Examples
    --------
    >>> import devarray as da
    >>> da.histogram_bin_edges(da.asarray([0.0, 1.0, 4.0]), bins=2).copy_to_host()
    array([0., 2., 4.])
    """
    edges = _edges("histogram_bin_edges", a.reshape(-1), bins, range, weights)
    return asarray(edges, queue=a.queue, allocator=a.allocator)


def _edges(name: str, flat: Array, bins: Any, limits: Any, weights: Any) -> np.ndarray:
    bins = number_of(bins)
    if not isinstance(bins, int | np.integer | str):
        edges = np.asarray(_on_host(bins))
        if edges.ndim != 1 or edges.size < 2 or (np.diff(edges) < 0).any():
            raise ValueError(f"{name}: bins are edges in increasing order, at least two")
        return edges
    if flat.dtype.kind == "c":
        raise DTypeError(f"{name}: complex numbers have no order; take the histogram of their parts")
    low, high = limits if limits is not None else _limits(flat)
    if not (np.isfinite(low) and np.isfinite(high)) or low > high:
        raise ValueError(f"{name}: the range from {low} to {high} is not a finite interval")
    if isinstance(bins, str):
        if bins not in _RULES:
            raise ValueError(f"{name}: {bins!r} is no rule for the number of bins; {', '.join(_RULES)} are")
        if weights is not None:
            raise DTypeError(f"{name}: rules for the number of bins take no weights")
        bins = _number_of_bins(flat, bins, low, high, limits is not None)
    if bins < 1:
        raise ValueError(f"{name}: the number of bins is positive, not {bins}")
    _require_room(flat, int(bins) + 1)
    if limits is None and flat.size and flat.dtype.kind == "f":
        low, high = flat.dtype.type(low), flat.dtype.type(high)  # NumPy rounds between elements as their dtype does
    return np.histogram_bin_edges(np.empty(0, flat.dtype), int(bins), (low, high))


def _on_host(bins: Any) -> Any:
    return bins.copy_to_host() if isinstance(bins, Array) else bins


def _limits(flat: Array) -> tuple[Any, Any]:
    if flat.size == 0:
        return 0.0, 1.0
    return tuple(stack([flat.min(), flat.max()]).tolist())


def _number_of_bins(flat: Array, rule: str, low: float, high: float, cut: bool) -> int:
    """What a rule makes of the elements between two limits. Waits."""
    if low == high:
        low, high = low - 0.5, high + 0.5
    if cut:
        flat = flat[(flat >= low) & (flat <= high)]
    if flat.size == 0:
        return 1
    width = _RULES[rule](flat, flat.size, float(flat.max()) - float(flat.min()))
    if width and flat.dtype.kind in "iu":
        width = max(width, 1)
    return ceil((high - low) / width) if width else 1


# Each rule gives the bins' width for an array, its size and its extent.


def _doane(x: Array, n: int, extent: float) -> float:
    spread = float(x.std())
    if n <= 2 or spread == 0:
        return 0.0
    skewness = abs(float((((x - x.mean()) / spread) ** 3).mean()))
    return extent / (1 + log2(n) + log2(1 + skewness / sqrt(6 * (n - 2) / ((n + 1) * (n + 3)))))


def _freedman_diaconis(x: Array, n: int, extent: float) -> float:
    low, high = percentile(x, [25, 75]).tolist()
    return 2 * (high - low) / n ** (1 / 3)


def _auto(x: Array, n: int, extent: float) -> float:
    return min(max(_freedman_diaconis(x, n, extent), extent / sqrt(n) / 2), extent / (log2(n) + 1))


_RULES: dict[str, Any] = {
    "auto": _auto,
    "doane": _doane,
    "fd": _freedman_diaconis,
    "rice": lambda x, n, extent: extent / (2 * n ** (1 / 3)),
    "scott": lambda x, n, extent: (24 * sqrt(pi) / n) ** (1 / 3) * float(x.std()),
    "sqrt": lambda x, n, extent: extent / sqrt(n),
    "sturges": lambda x, n, extent: extent / (log2(n) + 1),
}


# --- of several variables ------------------------------------------------------------------------------------------


def histogramdd(
    sample: Any,
    bins: Any = 10,
    range: Sequence[tuple[float, float] | None] | None = None,
    density: bool | None = None,
    weights: Any = None,
) -> tuple[Array, list[Array]]:
    """Counts of points in the cells of a grid, or sums of their weights.

    Parameters
    ----------
    sample : array_like or sequence of array_like
        Of shape ``(N, D)``, one point in each row; or D rows of N coordinates.
    bins : int or sequence of (int or array_like)
        Number of equal intervals for all axes (10 by default); or for each axis that, or the edges in increasing order.
        The last interval includes its right edge. Edges on the device are waited for.
    range : sequence of (float, float) or None, optional
        The outermost edges along each axis; by default the least and the greatest coordinate, which waits for the
        device.
    density : bool
        Whether to divide by the cells' volumes and the number of points counted, or the sum of their weights. False by
        default.
    weights : array_like, optional
        Of shape ``(N,)``.

    Returns
    -------
    counts : Array
        float64, with one axis for each variable.
    edges : list of Array
        Along each axis.

    Raises
    ------
    ShapeError
        Where there is not one entry of `bins` and `range` for each variable, or weights do not fit.
    ValueError
        For edges that are not increasing, a range that is not finite, or less than one interval.

    Examples
    --------
    >>> import devarray as da
    >>> points = da.asarray([[0.0, 0.0], [1.0, 3.0], [2.0, 3.0]])
    >>> da.histogramdd(points, bins=(2, 1))[0].copy_to_host()
    array([[1.],
           [2.]])
    """
    points = sample.T if isinstance(sample, Array) and sample.ndim == 2 else _columns(sample)
    depth, count = points.shape
    bins = number_of(bins)
    bins = [bins] * depth if isinstance(bins, int | np.integer) else _on_host(bins)
    ranges = [None] * depth if range is None else list(range)
    if len(bins) != depth or len(ranges) != depth:
        raise ShapeError(f"histogramdd: {len(bins)} bins and {len(ranges)} ranges for {depth} variables")
    if weights is not None:
        _, weights = as_arrays(points, weights)
        if weights.shape != (count,):
            raise ShapeError(f"histogramdd: weights of shape {weights.shape} are not one for each of {count} points")
    edges = [_axis_edges(points[i], bins[i], ranges[i]) for i in np.arange(depth)]
    ours = [asarray(row, queue=points.queue, allocator=points.allocator) for row in edges]
    shape = tuple(row.size + 1 for row in edges)  # with what lies outside
    _require_room(points, *shape)
    cells = _core.full((count,), np.int64, 0, points.queue, points.allocator)
    for row, line in zip(ours, points, strict=True):
        place = searchsorted(row, line, side="right")
        cells = cells * (row.size + 1) + (place - (line == row[-1]))
    found = _occurrences(cells, prod(shape), weights).astype(np.float64, copy=False).reshape(shape)
    found = found[(slice(1, -1),) * depth].copy()
    if density:
        total = found.sum()
        for axis, row in enumerate(ours):
            found = found / diff(row).reshape((-1, *(1,) * (depth - 1 - axis)))
        found = found / total
    return found, ours


def _columns(sample: Any) -> Array:
    """Rows of coordinates, one for each variable."""
    if not isinstance(sample, Array) and not hasattr(sample, "__array__"):
        rows = as_arrays(*sample)
        return stack(rows) if rows[0].ndim else stack(rows)[None]
    (x,) = as_arrays(sample)
    if x.ndim > 2:
        raise ShapeError(f"histogramdd: a sample has a row for each point, not {x.ndim} dimensions")
    return x.T if x.ndim == 2 else x.reshape(1, -1)


def _axis_edges(line: Array, bins: Any, limits: Any) -> np.ndarray:
    """What NumPy makes for one variable, from its limits alone."""
    if not isinstance(bins, int | np.integer):
        return _edges("histogramdd", line, bins, None, None)
    if bins < 1:
        raise ValueError(f"histogramdd: the number of bins is positive, not {bins}")
    _require_room(line, int(bins) + 1)
    ends = np.asarray(_limits(line) if limits is None else limits)
    if limits is None:
        ends = ends.astype(line.dtype if line.size else np.float64)
    if not np.isfinite(ends).all() or ends[0] > ends[1]:
        raise ValueError(f"histogramdd: the range from {ends[0]} to {ends[1]} is not a finite interval")
    low, high = (ends[0] - 0.5, ends[1] + 0.5) if ends[0] == ends[1] else ends
    return np.linspace(low, high, int(bins) + 1)


def histogram2d(
    x: Any,
    y: Any,
    bins: Any = 10,
    range: Sequence[tuple[float, float] | None] | None = None,
    density: bool | None = None,
    weights: Any = None,
) -> tuple[Array, Array, Array]:
    """Counts of points (x, y) in the cells of a grid: :func:`histogramdd` of two variables.

    Parameters
    ----------
    x, y : array_like
        The coordinates, of shape ``(N,)``.
    bins : int or sequence
        Number of intervals (10 by default), or edges, for both axes; or a pair of these.
    range : sequence of (float, float) or None, optional
        As in :func:`histogramdd`.
    density : bool
        As in :func:`histogramdd`. False by default.
    weights : array_like, optional
        As in :func:`histogramdd`.

    Returns
    -------
    counts : Array
        float64, of two dimensions.
    x_edges, y_edges : Array
        Along both axes.

    Raises
    ------
    ShapeError
        Where `x` and `y` are not two rows of one size, or weights do not fit.
    ValueError
        For edges that are not increasing, a range that is not finite, or less than one interval.

    Examples
    --------
    >>> import devarray as da
    >>> da.histogram2d(da.asarray([0.0, 1.0, 2.0]), [0.0, 3.0, 3.0], bins=2)[0].copy_to_host()
    array([[1., 0.],
           [0., 2.]])
    """
    x, y = as_arrays(x, y)
    if x.ndim != 1 or x.shape != y.shape:
        raise ShapeError(f"histogram2d: x of shape {x.shape} and y of shape {y.shape} are not two equal rows")
    if not isinstance(bins, int | np.integer) and len(bins) not in (1, 2):
        bins = [_on_host(bins)] * 2
    counts, (first, second) = histogramdd([x, y], bins, range, density, weights)
    return counts, first, second


# --- of whole numbers ----------------------------------------------------------------------------------------------


def _require_room(x: Array, *shape: int) -> None:
    """Refuse bins or edges for which x's device has no memory, before the host makes them or a kernel is launched."""
    _core.require_room(8 * prod(int(size) for size in shape), x.queue, x.allocator)


def _occurrences(numbers: Array, total: int, weights: Array | None) -> Array:
    """How often each of the numbers below `total` occurs, int64, or the sums of their weights, float64."""
    if by_counting(numbers):
        return counted(numbers, total, None if weights is None else weights.astype(np.float64, copy=False))
    ordered, weights = _sorted(numbers, weights)
    return _runs(ordered, total, weights)


def _sorted(numbers: Array, weights: Array | None) -> tuple[Array, Array | None]:
    """The numbers in order, and the weights in theirs."""
    if weights is None:
        return sort(numbers), None
    order = argsort(numbers)
    return take(numbers, order), take(weights, order)


def _runs(ordered: Array, total: int, weights: Array | None) -> Array:
    """The same as `_occurrences`, of sorted numbers."""
    counting = arange(total + 1, dtype=np.int64, queue=ordered.queue, allocator=ordered.allocator)
    starts = searchsorted(ordered, counting)
    if weights is None:
        return diff(starts)
    return diff(take(cumulative_sum(weights, dtype=np.float64, include_initial=True), starts))


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
        For other dtypes or numbers of dimensions, and complex weights.
    ShapeError
        For weights of another shape.
    ValueError
        For a negative number, or a negative `minlength`.

    Examples
    --------
    >>> import devarray as da
    >>> da.bincount(da.asarray([0, 2, 2])).copy_to_host()
    array([1, 0, 2])
    """
    if x.ndim != 1 or x.dtype.kind not in "biu":
        raise DTypeError(f"bincount takes a one-dimensional array of integers, not {x.ndim} dimensions of {x.dtype}")
    if weights is not None and weights.shape != x.shape:
        raise ShapeError(f"bincount: weights of shape {weights.shape} do not fit numbers of shape {x.shape}")
    if weights is not None and weights.dtype.kind == "c":
        raise DTypeError("bincount: weights are real numbers; count the parts of complex ones")
    if minlength < 0:
        raise ValueError(f"bincount: minlength is {minlength}; it must not be negative")
    _require_room(x, minlength)
    if by_counting(x):
        total = max(_greatest(x) + 1, minlength)
        _require_room(x, total)
        return _occurrences(x, total, weights)
    ordered, weights = _sorted(x, weights)
    ends = ordered[:: max(x.size - 1, 1)].tolist() or [0, -1]
    least, greatest = int(ends[0]), int(ends[-1])
    _require_natural(least)
    total = max(greatest + 1, minlength)
    _require_room(x, total + 1)
    return _runs(ordered.astype(np.int64, copy=False), total, weights)


def _require_natural(least: int) -> None:
    if least < 0:
        raise ValueError(f"bincount: the elements are not negative; the least is {least}")


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


def digitize(x: Array, bins: Any, right: bool = False) -> Array:
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
    edges = np.asarray(_on_host(bins))
    steps = np.diff(edges)
    if edges.ndim != 1 or ((steps < 0).any() and (steps > 0).any()):
        raise ValueError("digitize: bins are edges in increasing or decreasing order")
    falling = bool((steps < 0).any())
    ours = asarray(edges[::-1].copy() if falling else edges, queue=x.queue, allocator=x.allocator)
    side = "left" if right != falling else "right"
    places = searchsorted(ours, x, side=side)
    return edges.size - places if falling else places
