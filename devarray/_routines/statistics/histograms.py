"""NumPy's histograms and counts.

CPUs count, and GPUs where the bins are few. Elsewhere elements are sorted, and the places of the edges among them tell
how many lie between; real weights are sorted by their bins, each of which adds up its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from devarray import _core
from devarray._primitives.convert import asarray
from devarray._primitives.count import by_counting, counted, counted_by_groups, fits_groups
from devarray._primitives.join import stack
from devarray._primitives.operands import as_arrays
from devarray._routines.sorting.searching import searchsorted, take
from devarray._routines.sorting.sorting import argsort, sort
from devarray._routines.statistics.bin_edges import edges_of, limits_of, on_host, require_room, unusable_range
from devarray._routines.statistics.counting import occurrences
from devarray._routines.statistics.cumulative import cumulative_sum, diff
from devarray._runtime.arguments import number_of
from devarray.array import OP, Array
from devarray.errors import DTypeError, ShapeError, ValueError

if TYPE_CHECKING:
    from devarray._typing import ArrayLike

__all__ = ["histogram", "histogram2d", "histogramdd"]


def histogram(
    a: Array,
    bins: object = 10,
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
    flat, bins = a.reshape(-1), number_of(bins)
    edges = edges_of("histogram", flat, bins, range, weights)
    ours = asarray(edges, queue=a.queue, allocator=a.allocator)
    flat = flat.astype(np.result_type(a.dtype, edges.dtype), copy=False)
    if weights is not None and weights.shape != a.shape:
        raise ShapeError(
            f"histogram: weights should have the same shape as a: {weights.shape} does not fit an array of shape "
            f"{a.shape}"
        )
    heavy = None if weights is None else weights.reshape(-1)
    limits = ours.astype(flat.dtype, copy=False)
    if edges.size < 2:
        found = _core.full((0,), np.int64, 0, a.queue, a.allocator)
    else:
        even = isinstance(bins, int | np.integer | str)
        found = (_counted_between if by_counting(flat) else _summed_between)(flat, limits, edges, even, heavy)
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
    weights = None if weights is None else _to_add_up(weights)
    bins = edges.size - 1
    if _are_guessed(edges, even):
        return counted(flat, bins, weights, edges=ours)
    return counted(_intervals(flat, ours, edges), bins, weights, least=1)


def _are_guessed(edges: np.ndarray, even: bool) -> bool:
    return even and edges.size <= _MOST_GUESSED and bool(np.isfinite(edges[-1] - edges[0]))


def _summed_between(flat: Array, ours: Array, edges: np.ndarray, even: bool, weights: Array | None) -> Array:
    """The same on GPUs: by work-groups, where the bins are few enough, else from sorted elements."""
    heavy = None if weights is None else _to_add_up(weights)
    if fits_groups(flat, edges.size - 1, heavy):
        if _are_guessed(edges, even) and flat.dtype.kind == "f":
            return counted_by_groups(flat, edges.size - 1, heavy, edges=ours)
        return counted_by_groups(_intervals(flat, ours, edges), edges.size - 1, heavy, least=1)
    return _sorted_between(flat, ours, edges, heavy)


def _to_add_up(weights: Array) -> Array:
    return weights.astype(_SUMS.get(weights.dtype.kind, np.int64), copy=False)


def _intervals(flat: Array, ours: Array, edges: np.ndarray) -> Array:
    """The number of each element's interval, from 1 on; others where it lies in none."""
    place = searchsorted(ours[:-1], flat, side="right")
    if edges[-1] == edges[-1]:  # before NaN, there is all the rest
        place = _core.apply(OP["where"], flat <= ours[-1], place, 0)
    return place


def _sorted_between(flat: Array, ours: Array, edges: np.ndarray, weights: Array | None) -> Array:
    """The same from sorted elements. Weights that are whole add up exactly in running sums."""
    if weights is not None and weights.dtype.kind in "fc":
        return _sums_between(_intervals(flat, ours, edges), edges.size, weights)[1:]
    order = None if weights is None else argsort(flat)
    ordered = sort(flat) if order is None else take(flat, order)
    places = searchsorted(ordered, ours)
    places[-1:] = searchsorted(ordered, ours[-1:], side="right")
    if weights is None or order is None:
        return diff(places)
    return diff(take(cumulative_sum(take(weights, order), include_initial=True), places))


def _sums_between(numbers: Array, total: int, weights: Array) -> Array:
    if weights.dtype.kind == "f":
        return occurrences(numbers, total, weights)
    parts = [occurrences(numbers, total, part) for part in (weights.real, weights.imag)]
    return stack(parts, -1).view(weights.dtype)[:, 0]


# Each rule gives the bins' width for an array, its size and its extent.


# --- of several variables ------------------------------------------------------------------------------------------


_NUMBERS = (int, float, np.number)


def histogramdd(
    sample: object,
    bins: object = 10,
    range: Sequence[tuple[float, float] | None] | None = None,
    density: bool | None = None,
    weights: ArrayLike | None = None,
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
    DTypeError
        For complex weights.
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
    bins = [bins] * depth if isinstance(bins, _NUMBERS) else on_host(bins)
    ranges = [None] * depth if range is None else list(range)
    if len(bins) != depth or len(ranges) != depth:
        raise ShapeError(
            f"histogramdd: The dimension of bins must be equal to the dimension of the sample x: {len(bins)} bins for "
            f"{depth} variables"
            if len(bins) != depth
            else "histogramdd: range argument must have one entry per dimension: "
            f"{len(ranges)} ranges for {depth} variables"
        )
    if weights is not None:
        _, weights = as_arrays(points, weights)
        if weights.shape != (count,):
            raise ShapeError(f"histogramdd: weights of shape {weights.shape} are not one for each of {count} points")
        if weights.dtype.kind == "c":
            raise DTypeError("histogramdd: weights are real numbers; count the parts of complex ones")
    edges = [_axis_edges(points[i], bins[i], ranges[i], int(i)) for i in np.arange(depth)]
    ours = [asarray(row, queue=points.queue, allocator=points.allocator) for row in edges]
    shape = tuple(row.size + 1 for row in edges)  # with what lies outside
    require_room(points, *shape)
    cells = _core.full((count,), np.int64, 0, points.queue, points.allocator)
    for row, line in zip(ours, points, strict=True):
        place = searchsorted(row, line, side="right")
        cells = cells * (row.size + 1) + (place - (line == row[-1]))
    found = occurrences(cells, prod(shape), weights).astype(np.float64, copy=False).reshape(shape)
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


def _axis_edges(line: Array, bins: object, limits: object, axis: int) -> np.ndarray:
    """What NumPy makes for one variable, from its limits alone."""
    if isinstance(bins, _NUMBERS) and bins < 1:
        raise ValueError(f"histogramdd: `bins[{axis}]` must be positive, when an integer, not {bins}")
    if not isinstance(bins, int | np.integer):
        edges = edges_of("histogramdd", line, bins, None, None)
        if not edges.size:
            raise ValueError("histogramdd: there are no edges along an axis; give one at least")
        return edges
    require_room(line, int(bins) + 1)
    if limits is None:
        ends = np.asarray(limits_of(line), line.dtype if line.size else np.float64)
    else:
        ends = np.asarray(limits)
    if not np.isfinite(ends).all() or ends[0] > ends[1]:
        raise ValueError(f"histogramdd: {unusable_range(ends[0], ends[1], limits is not None)}")
    low, high = (ends[0] - 0.5, ends[1] + 0.5) if ends[0] == ends[1] else ends
    return np.linspace(low, high, int(bins) + 1)


def histogram2d(
    x: ArrayLike,
    y: ArrayLike,
    bins: Any = 10,
    range: Sequence[tuple[float, float] | None] | None = None,
    density: bool | None = None,
    weights: ArrayLike | None = None,
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
        raise ShapeError(
            f"histogram2d: x and y must have the same length: x of shape {x.shape} and y of shape {y.shape} are not "
            "two equal rows"
        )
    bins = number_of(bins)
    if not isinstance(bins, _NUMBERS) and len(bins) not in (1, 2):
        bins = [on_host(bins)] * 2
    counts, (first, second) = histogramdd([x, y], bins, range, density, weights)
    return counts, first, second


# --- of whole numbers ----------------------------------------------------------------------------------------------
