"""NumPy's order statistics, histograms and correlations, from sort, search and reductions."""

from __future__ import annotations

from typing import Any

import numpy as np

from devarray import _core
from devarray.array import OP, Array, normalize_axes
from devarray.errors import DTypeError, ShapeError, ValueError
from devarray.searching import searchsorted, take
from devarray.sorting import argsort, sort
from devarray.statistical import cumulative_sum, diff

__all__ = [
    "average",
    "bincount",
    "corrcoef",
    "cov",
    "digitize",
    "histogram",
    "median",
    "percentile",
    "ptp",
    "quantile",
]

_Axis = int | tuple[int, ...] | None


def _rows(x: Array, axis: _Axis) -> tuple[Array, list[int]]:
    """x with the axes of `axis` joined into a last one, and their numbers."""
    axes = list(range(x.ndim)) if axis is None else sorted(normalize_axes(axis, x.ndim))
    kept = [a for a in range(x.ndim) if a not in axes]
    moved = _core.permute(x, [*kept, *axes])
    return moved.reshape((*(x.shape[a] for a in kept), -1)) if moved.size else moved, axes


def quantile(x: Array, q: Any, /, axis: _Axis = None, *, method: str = "linear", keepdims: bool = False) -> Array:
    """Values below which the shares `q` of the elements lie, interpolated between neighbours; NaN where there is one.

    Parameters
    ----------
    x : Array
        Of a real dtype. Integers give float64.
    q : float or sequence of float
        From 0 to 1; a sequence adds a leading axis.
    axis : int or tuple of int, optional
        All by default.
    method : {"linear", "lower", "higher", "nearest", "midpoint"}

    Examples
    --------
    >>> import devarray as da
    >>> da.quantile(da.asarray([1.0, 2.0, 4.0]), [0.25, 0.5]).copy_to_host()
    array([1.5, 2. ])
    """
    shares = np.asarray(q.copy_to_host() if isinstance(q, Array) else q, np.float64)
    if shares.size and not (shares.min() >= 0 and shares.max() <= 1):
        raise ValueError(f"quantile: q lies between 0 and 1, not {q!r}")
    if x.dtype.kind not in "biuf":
        raise DTypeError(f"quantile: elements of dtype {x.dtype} have no order")
    rounding: dict[str, Any] = {"lower": np.floor, "higher": np.ceil, "nearest": np.rint}
    if method not in rounding and method not in ("linear", "midpoint"):
        raise ValueError(f"quantile: method is linear, midpoint, lower, higher or nearest, not {method!r}")
    if x.dtype.kind != "f":
        x = x.astype(np.float64)
    wide = np.result_type(x.dtype, np.float64) if shares.ndim and method in ("linear", "midpoint") else x.dtype
    rows, axes = _rows(x, axis)
    if rows.shape[-1] == 0 or x.size == 0:
        raise ShapeError("quantile: there are no elements to choose from")
    ordered = sort(rows)
    places = shares * (rows.shape[-1] - 1)
    if method in rounding:
        places = rounding[method](places)
    results = [_between(ordered, place, method == "midpoint", wide) for place in places.reshape(-1)]
    from devarray.manipulation import expand_dims, stack

    if keepdims:
        results = [expand_dims(result, tuple(axes)) for result in results]
    return results[0] if shares.ndim == 0 else stack(results).reshape((*shares.shape, *results[0].shape))


def _between(ordered: Array, place: float, midpoint: bool, wide: np.dtype) -> Array:
    """The element at a place of sorted rows that need not be whole; NaN where the last one is.

    `wide` is the dtype of the weighting, which for a sequence of shares is NumPy's float64.
    """
    low = int(np.floor(place))
    share = place - low
    result = ordered[..., low]
    if share:
        weight = 0.5 if midpoint else float(share)
        high = ordered[..., low + 1]
        step = (high - result).astype(wide, copy=False)
        result = result + step * weight if weight < 0.5 else high - step * (1 - weight)
    result = result.astype(wide, copy=False)
    last = ordered[..., -1]
    return _core.apply(OP["where"], _core.apply(OP["isnan"], last), last, result)


def percentile(x: Array, q: Any, /, axis: _Axis = None, *, method: str = "linear", keepdims: bool = False) -> Array:
    """:func:`quantile` with shares in per cent.

    Examples
    --------
    >>> import devarray as da
    >>> da.percentile(da.asarray([1.0, 2.0, 4.0]), 50).item()
    2.0
    """
    shares = np.asarray(q.copy_to_host() if isinstance(q, Array) else q, np.float64) / 100
    return quantile(x, shares, axis, method=method, keepdims=keepdims)


def median(x: Array, /, axis: _Axis = None, *, keepdims: bool = False) -> Array:
    """The middle element over axes, or the mean of the two; NaN where there is one.

    Examples
    --------
    >>> import devarray as da
    >>> da.median(da.asarray([3.0, 1.0, 2.0])).item()
    2.0
    """
    return quantile(x, 0.5, axis, method="midpoint", keepdims=keepdims)


def ptp(x: Array, /, axis: _Axis = None, *, keepdims: bool = False) -> Array:
    """Greatest less least element over axes.

    Examples
    --------
    >>> import devarray as da
    >>> da.ptp(da.asarray([3, 1, 2])).item()
    2
    """
    return x.max(axis, keepdims) - x.min(axis, keepdims)


def average(
    x: Array, /, axis: _Axis = None, weights: Array | None = None, returned: bool = False, *, keepdims: bool = False
) -> Any:
    """Mean over axes, weighted.

    Parameters
    ----------
    x : Array
    axis : int or tuple of int, optional
    weights : Array, optional
        Of x's shape, or of the one axis' size.
    returned : bool
        Answer the sum of the weights, too.

    Examples
    --------
    >>> import devarray as da
    >>> da.average(da.asarray([1.0, 3.0]), weights=da.asarray([3.0, 1.0])).item()
    1.5
    """
    if weights is None:
        mean = x.mean(axis, keepdims=keepdims)
        count = x.size // mean.size if mean.size else 0
        return (mean, _core.full(mean.shape, mean.dtype, count, x.queue, x.allocator)) if returned else mean
    if weights.shape != x.shape:
        axes = [] if axis is None else normalize_axes(axis, x.ndim)
        if weights.ndim != 1 or len(axes) != 1 or weights.size != x.shape[axes[0]]:
            raise ShapeError(f"average: weights of shape {weights.shape} do not fit {x.shape} along axis {axis}")
        weights = weights.reshape((-1, *(1,) * (x.ndim - 1 - axes[0])))
    wide = _core.broadcast_to(weights, x.shape)
    dtype = np.result_type(x.dtype, weights.dtype, np.float64 if x.dtype.kind in "biu" else x.dtype)
    total = wide.sum(axis, dtype, keepdims)
    mean = (x * wide).sum(axis, dtype, keepdims) / total
    return (mean, total) if returned else mean


def cov(
    m: Array,
    y: Array | None = None,
    /,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
) -> Array:
    """Covariance matrix of variables, each a row of `m` (a column with ``rowvar=False``).

    Examples
    --------
    >>> import devarray as da
    >>> da.cov(da.asarray([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]])).copy_to_host()
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    from devarray.manipulation import atleast_2d, concat

    x = _variables(m, rowvar)
    if y is not None:
        x = concat([x, _variables(y, rowvar)], axis=0)
    x = atleast_2d(x)
    x = x - x.mean(1, keepdims=True)
    freedom = x.shape[1] - ((0 if bias else 1) if ddof is None else ddof)
    product = x @ x.T.conj() / float(max(freedom, 0))
    return product.reshape(()) if product.size == 1 else product


def _variables(m: Array, rowvar: bool) -> Array:
    if m.ndim > 2:
        raise ShapeError(f"cov takes arrays of one or two dimensions, not {m.ndim}")
    x = m.astype(np.result_type(m.dtype, np.float64), copy=False)
    if x.ndim < 2:
        return x.reshape(1, -1)
    return x if rowvar or x.shape[0] == 1 else x.T


def corrcoef(m: Array, y: Array | None = None, /, rowvar: bool = True) -> Array:
    """Matrix of Pearson's correlations of variables, see :func:`cov`.

    Examples
    --------
    >>> import devarray as da
    >>> da.corrcoef(da.asarray([[0.0, 1.0, 2.0], [4.0, 2.0, 0.0]])).copy_to_host().round(12)
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    c = cov(m, y, rowvar)
    if c.ndim == 0:
        return c / c
    spread = _core.apply(OP["sqrt"], _core.apply(OP["real"], c.reshape(-1)[:: c.shape[0] + 1]))
    r = c / spread.reshape(-1, 1) / spread
    return r if r.dtype.kind == "c" else r.clip(-1, 1)


def histogram(
    x: Array,
    /,
    bins: Any = 10,
    range: tuple[float, float] | None = None,
    *,
    density: bool = False,
    weights: Array | None = None,
) -> tuple[Array, Array]:
    """Counts of the elements in intervals, or sums of their weights, and the intervals' edges.

    Parameters
    ----------
    x : Array
        Flattened; of a real dtype.
    bins : int or Array or sequence
        Number of equal intervals, or their edges in increasing order. The last interval holds its right edge.
    range : (float, float), optional
        Of the intervals; the least and greatest element by default, which waits for the device.
    density : bool
        Divide by the intervals' widths and the number of elements, or the sum of those that were counted.
    weights : Array, optional
        Of x's shape; the sums have its dtype. They are differences of running sums, so that their error is relative to
        the sum of all weights.

    Returns
    -------
    counts, edges : Array

    Examples
    --------
    >>> import devarray as da
    >>> da.histogram(da.asarray([1.0, 2.0, 2.5, 4.0]), bins=3)[0].copy_to_host()
    array([1, 2, 1])
    """
    from devarray.creation import asarray

    flat = x.reshape(-1)
    if isinstance(bins, int | np.integer):
        low, high = range if range is not None else _limits(flat)
        if not (np.isfinite(low) and np.isfinite(high)) or low > high:
            raise ValueError(f"histogram: the range from {low} to {high} is not a finite interval")
        edges = np.histogram_bin_edges(np.empty(0, x.dtype), int(bins), (low, high))
    else:
        edges = np.asarray(bins.copy_to_host() if isinstance(bins, Array) else bins)
        if edges.ndim != 1 or edges.size < 2 or (np.diff(edges) < 0).any():
            raise ValueError("histogram: bins are edges in increasing order, at least two")
    ours = asarray(edges, queue=x.queue, allocator=x.allocator)
    flat = flat.astype(np.result_type(x.dtype, edges.dtype), copy=False)
    if weights is not None and weights.shape != x.shape:
        raise ShapeError(f"histogram: weights of shape {weights.shape} do not fit an array of shape {x.shape}")
    order = None if weights is None else argsort(flat)
    ordered = sort(flat) if order is None else take(flat, order)
    places = searchsorted(ordered, ours.astype(ordered.dtype, copy=False))
    places[-1:] = searchsorted(ordered, ours[-1:].astype(ordered.dtype, copy=False), side="right")
    counts = diff(places)
    if weights is not None and order is not None:
        wide = {"f": np.float64, "c": np.complex128}.get(weights.dtype.kind)  # integers add up exactly
        sums = cumulative_sum(take(weights.reshape(-1), order), dtype=wide, include_initial=True)
        counts = diff(take(sums, places)).astype(weights.dtype, copy=False)
    if density:
        return counts / diff(ours).astype(np.float64, copy=False) / counts.sum(), ours
    return counts, ours


def _limits(flat: Array) -> tuple[float, float]:
    if flat.size == 0:
        return 0.0, 1.0
    return float(flat.min()), float(flat.max())


def bincount(x: Array, /, weights: Array | None = None, minlength: int = 0) -> Array:
    """How often each number from 0 to the greatest occurs, int64; or the sums of their weights, float64.

    Waits for the greatest number. Weights are summed by differences of running sums, so the error of a sum is relative
    to the sum of all weights; whole numbers below 2**53 add up exactly.

    Parameters
    ----------
    x : Array
        One-dimensional, of integers that are not negative.
    weights : Array, optional
        Of x's shape.
    minlength : int
        Of the result, at least.

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
    from devarray.creation import arange

    order = None if weights is None else argsort(x)
    ordered = sort(x) if order is None else take(x, order)
    greatest = int(ordered[-1]) if x.size else -1
    if x.size and int(ordered[0]) < 0:
        raise ValueError(f"bincount: the elements are not negative; the least is {int(ordered[0])}")
    numbers = arange(max(greatest + 1, minlength) + 1, dtype=np.int64, queue=x.queue, allocator=x.allocator)
    starts = searchsorted(ordered.astype(np.int64, copy=False), numbers)
    if weights is None or order is None:
        return diff(starts)
    sums = cumulative_sum(take(weights, order), dtype=np.float64, include_initial=True)
    return diff(take(sums, starts))


def digitize(x: Array, bins: Any, /, right: bool = False) -> Array:
    """Numbers of the intervals in which elements lie, int64.

    Parameters
    ----------
    x : Array
    bins : Array or sequence
        Edges, increasing or decreasing.
    right : bool
        Whether intervals hold their right edge instead of their left one.

    Examples
    --------
    >>> import devarray as da
    >>> da.digitize(da.asarray([0.5, 2.0]), [1.0, 2.0, 3.0]).copy_to_host()
    array([0, 2])
    """
    from devarray.creation import asarray

    edges = np.asarray(bins.copy_to_host() if isinstance(bins, Array) else bins)
    steps = np.diff(edges)
    if edges.ndim != 1 or ((steps < 0).any() and (steps > 0).any()):
        raise ValueError("digitize: bins are edges in increasing or decreasing order")
    falling = bool((steps < 0).any())
    ours = asarray(edges[::-1].copy() if falling else edges, queue=x.queue, allocator=x.allocator)
    side = "left" if right != falling else "right"
    places = searchsorted(ours, x, side=side)
    return edges.size - places if falling else places
