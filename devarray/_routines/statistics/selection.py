"""Order statistics: the elements that would stand at given places if the rows were sorted.

Short rows are sorted. Of a long row only the elements near the wanted places are sorted, which a sample finds. Medians
and quantiles (quantiles.py) are made of these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil, floor, inf, prod, sqrt

import numpy as np

from devarray import _core
from devarray._primitives.compaction import compress_elements
from devarray._primitives.count import by_counting
from devarray._primitives.gather import along_axis
from devarray._primitives.host import LONG_ROW
from devarray._primitives.join import stack
from devarray._routines.manipulation.shapes import expand_dims
from devarray._routines.math import elementwise
from devarray._routines.sorting.sorting import partition, partitioned_by_rows, sorted_by_rows
from devarray._routines.statistics.quantile_methods import DISCRETE, places, some
from devarray.array import OP, Array, normalize_axes
from devarray.errors import ShapeError

__all__ = ["complex_median", "interpolated", "joined", "of_nothing", "rows_along", "without_nan"]

_Axis = int | tuple[int, ...] | None
Pick = Callable[[int], Array]
"""From an index into the sorted rows to the elements there: the indices that were asked for, and -1."""


def rows_along(x: Array, axis: _Axis) -> tuple[Array, list[int]]:
    """`x` with the axes of `axis` moved to the end and joined into one, and the numbers of these axes."""
    axes = list(range(x.ndim)) if axis is None else sorted(normalize_axes(axis, x.ndim))
    kept = [a for a in range(x.ndim) if a not in axes]
    moved = _core.permute(x, [*kept, *axes])
    return moved.reshape((*(x.shape[a] for a in kept), -1)) if moved.size else moved, axes


def of_nothing(
    a: Array, axis: _Axis, keepdims: bool, shape: tuple[int, ...], dtype: np.dtype, value: complex | None = None
) -> Array:
    """What is chosen of an array without elements: an array without elements, or `value`; ShapeError without one."""
    axes = list(range(a.ndim)) if axis is None else normalize_axes(axis, a.ndim)
    left = [1 if i in axes else n for i, n in enumerate(a.shape) if keepdims or i not in axes]
    if value is None and 0 in (a.shape[i] for i in axes):
        raise ShapeError("quantile: there are no elements to choose from")
    made = _core.full((*shape, *left), dtype, value or 0, a.queue, a.allocator)
    return made if made.ndim else _core.as_value(made)


def joined(results: list[Array], shape: tuple[int, ...], kept: list[int]) -> Array:
    """The results of several quantiles, which have the shape `shape`, as one array.

    The axes in `kept`, which were reduced, come back with size 1 (`keepdims`).
    """
    if kept:
        results = [expand_dims(result, tuple(kept)) for result in results]
    if not shape:
        return results[0]
    return stack(results)[: prod(shape)].reshape((*shape, *results[0].shape))


def complex_median(a: Array, axis: _Axis, keepdims: bool, without_nan: bool) -> Array:
    """The middle of complex numbers in NumPy's order, by real and then by imaginary parts; NaN come last."""
    rows, axes = rows_along(a, axis)
    if a.size == 0:
        return of_nothing(a, axis, keepdims, (), a.dtype, complex(np.nan, np.nan))
    ordered, last = sorted_by_rows(rows, rows.ndim - 1), rows.ndim - 1
    if without_nan:
        count = _core.apply(OP["maximum"], (rows == rows).sum(last, np.int64, keepdims=True), 1)
        low, high = along_axis(ordered, (count - 1) // 2, last)[..., 0], along_axis(ordered, count // 2, last)[..., 0]
        result = _core.apply(OP["where"], (count % 2 == 1)[..., 0], low, (low + high) / 2)
    else:
        middle = rows.shape[-1] // 2
        result = ordered[..., middle] if rows.shape[-1] % 2 else (ordered[..., middle - 1] + ordered[..., middle]) / 2
        final = ordered[..., -1]
        result = _core.apply(OP["where"], _core.apply(OP["isnan"], final), final, result)
    return joined([result], (), axes if keepdims else [])


def interpolated(
    a: Array, shares: np.ndarray, wide: np.dtype, axis: _Axis, keepdims: bool, method: str, means: bool = False
) -> Array:
    """Interpolation between sorted elements; with `means` of two neighbours their mean."""
    rows, axes = rows_along(a, axis)
    return joined(_of_rows(rows, shares, wide, method, means), shares.shape, axes if keepdims else [])


def _of_rows(rows: Array, shares: np.ndarray, wide: np.dtype, method: str, means: bool) -> list[Array]:
    """:func:`interpolated` along the last axis, a result for each share."""
    low, weight = places("quantile", method, rows.shape[-1], some(shares), np)
    whole = low.astype(np.int64).reshape(-1)
    pick = picker(rows, np.where(weight.reshape(-1) > 0, [whole, np.minimum(whole + 1, rows.shape[-1] - 1)], whole))
    pairs = zip(whole.tolist(), weight.reshape(-1).tolist(), strict=True)
    return [between(pick, place, share, wide, means) for place, share in pairs]


def without_nan(
    a: Array, shares: np.ndarray, wide: np.dtype, axis: _Axis, keepdims: bool, method: str, means: bool = False
) -> Array:
    """:func:`interpolated` among the elements of each row that are not NaN."""
    rows, axes = rows_along(a, axis)
    numbers = _numbers_alone(rows) if rows.device.strategy == "cpu" else None
    if numbers is not None:
        results = _of_rows(numbers, shares, wide, method, means)
    else:
        ordered = sorted_by_rows(rows, rows.ndim - 1)  # NaN last
        count = (rows == rows).sum(-1, np.float64)
        results = [_among(ordered, count, float(share), method, wide, means) for share in some(shares).reshape(-1)]
    return joined(results, shares.shape, axes if keepdims else [])


def _numbers_alone(rows: Array) -> Array | None:
    """The rows where none has NaN, or one row without its own; to know takes a wait. None where it is not so simple."""
    count = int((rows == rows).sum())
    if count == rows.size:
        return rows
    return rows[rows == rows] if rows.ndim == 1 and count else None


def _among(ordered: Array, count: Array, share: float, method: str, wide: np.dtype, means: bool) -> Array:
    """What lies at a share of each row's first `count` elements; the first one, NaN, where there is none."""
    below, weight = places("nanquantile", method, _core.apply(OP["maximum"], count, 1.0), share, elementwise)
    low = along_axis(ordered, below.astype(np.int64)[..., None], ordered.ndim - 1)[..., 0]
    if method in DISCRETE:
        return low
    above = _core.apply(OP["minimum"], below + 1, (count - 1).clip(0))
    high = along_axis(ordered, above.astype(np.int64)[..., None], ordered.ndim - 1)[..., 0]
    where = OP["where"]
    if means:
        value = _mean_of_two(low, high, wide)
    else:
        step, weight = (high - low).astype(wide, copy=False), weight.astype(wide, copy=False)
        value = _core.apply(where, weight < 0.5, low + step * weight, high - step * (1 - weight))
    return _core.apply(where, weight > 0, value.astype(wide, copy=False), low.astype(wide, copy=False))


def _mean_of_two(low: Array, high: Array, wide: np.dtype) -> Array:
    """As NumPy's mean rounds it, which adds float16 up in float32."""
    exact = np.dtype(np.float32) if wide == np.float16 else wide
    mean: Array = (low.astype(exact, copy=False) + high.astype(exact, copy=False)) * 0.5
    return mean.astype(wide, copy=False)


def between(pick: Pick, place: int, share: float, wide: np.dtype, means: bool = False) -> Array:
    """Linear interpolation between the sorted elements at `place` and `place + 1`, `share` of the way (0 to 1).

    The way between two equal infinities is NaN, as for NumPy's quantiles. With `means`, which are of its medians, the
    mean of the two.

    NaN where a row holds one: sorted, it is the last. `wide` is the dtype of the interpolation and of the result, to
    which NumPy promotes elements and shares. From 0.5 on it starts at the upper element, as NumPy does for rounding.
    """
    result = pick(place)
    if share:
        low, high = result, pick(place + 1)
        if means:
            result = _mean_of_two(low, high, wide)
        else:
            step = (high - low).astype(wide, copy=False)
            result = low + step * share if share < 0.5 else high - step * (1 - share)
    result = result.astype(wide, copy=False)
    if result.dtype.kind != "f":
        return result
    last = pick(-1).astype(wide, copy=False)
    return _core.apply(OP["where"], _core.apply(OP["isnan"], last), last, result)


def picker(rows: Array, places: np.ndarray) -> Pick:
    """A function that gives the elements at some of `places`, indices into the sorted rows."""
    if rows.shape[-1] < LONG_ROW or not by_counting(rows):
        ordered = sorted_by_rows(rows, rows.ndim - 1)
    else:
        whole = [int(place) for place in np.unique(places)]
        pick = _picker_by_sample(rows, whole) if rows.ndim == 1 else None
        if pick is not None:
            return pick
        ordered = partitioned_by_rows(rows, [*whole, -1], rows.ndim - 1)
    return lambda place: ordered[..., place]


_SAMPLE = 4096
"""Elements of a sample."""
_WORTH_SAMPLING = 1 << 16
"""A row of fewer elements is not sampled: it does not pay."""
_MOST_PLACES = 8
"""For more places than these nothing is sampled: each costs two passes over the row, to count."""


def _picker_by_sample(x: Array, places: Sequence[int]) -> Pick | None:
    """As `picker`, for one row: sorts only the elements between bounds that a sample suggests around each place.

    How many elements lie below each bound is counted, so that a bad sample is noticed. After Floyd and Rivest,
    "Expected time bounds for selection" (1975). None where that does not pay, the sample was bad, or there are NaNs.
    Waits for the device.
    """
    if x.size < _WORTH_SAMPLING or not 0 < len(places) <= _MOST_PLACES:
        return None
    sample = np.sort(x[:: x.size // _SAMPLE | 1].copy_to_host())
    windows = _windows(sample, x.size, places)
    sums = [(x != x).sum(), *(part.sum() for low, high in windows for part in (x < low, x <= high))]
    nans, *counts = stack(sums).tolist()
    spans = list(zip(counts[::2], counts[1::2], strict=True))
    if nans or sum(upto - below for below, upto in spans) > x.size // 4:
        return None
    at: dict[int, int] = {}
    before = 0
    for below, upto in spans:
        at |= {place: before + place - below for place in places if below <= place < upto}
        before += upto - below
    if len(at) < len(places):
        return None
    near = (x >= windows[0][0]) & (x <= windows[0][1])
    for low, high in windows[1:]:
        near = near | (x >= low) & (x <= high)
    ordered = partition(compress_elements(x, near), list(at.values()))
    at[-1] = at[places[-1]]  # any will do, as none is NaN
    return lambda place: ordered[at[place]]


def _windows(sample: np.ndarray, size: int, places: Sequence[int]) -> list[tuple[float, float]]:
    """Bounds (low, high) between which the elements at `places` lie, most likely: in rising order, without overlap."""
    windows: list[tuple[float, float]] = []
    last = sample.size - 1
    for place in places:
        share = place / (size - 1)
        margin = 4 + 3.5 * sqrt(sample.size * share * (1 - share))  # standard deviations of the sample's place
        first, final = floor(share * last - margin), ceil(share * last + margin)
        low = float(sample[first]) if first >= 0 else -inf
        high = float(sample[final]) if final <= last else inf
        if windows and low <= windows[-1][1]:
            low = windows.pop()[0]
        windows.append((low, high))
    return windows
