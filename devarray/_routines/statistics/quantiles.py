"""NumPy's order statistics, averages and correlations, from sort, selection and reductions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil, floor, inf, sqrt
from typing import Any

import numpy as np

from devarray import _core
from devarray._array.out import write_out
from devarray._primitives.count import by_counting
from devarray._primitives.gather import along_axis, compress_elements
from devarray._primitives.host import LONG_ROW
from devarray._primitives.join import concat, stack
from devarray._primitives.operands import asarray_like
from devarray._routines.manipulation.shapes import expand_dims
from devarray._routines.math import elementwise
from devarray._routines.sorting.sorting import argsort, partition, sort
from devarray._routines.statistics.nan_reductions import nanmean
from devarray._routines.statistics.quantile_methods import DISCRETE, METHODS, places
from devarray._routines.statistics.reductions import cumsum
from devarray.array import OP, Array, normalize_axes
from devarray.errors import DTypeError, ShapeError, ValueError

__all__ = [
    "average",
    "corrcoef",
    "cov",
    "median",
    "nanmedian",
    "nanpercentile",
    "nanquantile",
    "percentile",
    "ptp",
    "quantile",
]

_Axis = int | tuple[int, ...] | None
_Pick = Callable[[int], Array]
"""What stands at a place of sorted rows: the last one, and those that were asked for."""


def _rows(x: Array, axis: _Axis) -> tuple[Array, list[int]]:
    """x with the axes of `axis` joined into a last one, and their numbers."""
    axes = list(range(x.ndim)) if axis is None else sorted(normalize_axes(axis, x.ndim))
    kept = [a for a in range(x.ndim) if a not in axes]
    moved = _core.permute(x, [*kept, *axes])
    return moved.reshape((*(x.shape[a] for a in kept), -1)) if moved.size else moved, axes


def quantile(
    a: Array,
    q: Any,
    axis: _Axis = None,
    out: Array | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: Array | None = None,
) -> Array:
    """Quantiles over axes: the values below which given shares of the elements lie.

    NaN where an element is NaN.

    Parameters
    ----------
    a : array_like
        The array, of a real dtype. Integers give float64.
    q : array_like of float
        Shares from 0 to 1. A sequence adds leading axes to the result. Shares on the device are read, which waits.
    axis : int or tuple of int, optional
        The axes to reduce; all by default.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).
    overwrite_input : bool
        NumPy's, not used: the input is never written to.
    method : str
        One of NumPy's thirteen, "linear" by default: "inverted_cdf", "averaged_inverted_cdf", "closest_observation",
        "interpolated_inverted_cdf", "hazen", "weibull", "linear", "median_unbiased" and "normal_unbiased", which
        Hyndman and Fan number 1 to 9, and "lower", "higher", "midpoint" and "nearest".
    keepdims : bool
        Whether the reduced axes stay, with size 1. False by default.
    weights : array_like, optional
        Of the shape of `a`, or of the size of the one axis: how much each element counts. For the method "inverted_cdf"
        only.

    Returns
    -------
    Array
        A new array of the shape of `q`, then the axes that are not reduced; or `out`.

    Raises
    ------
    ValueError
        For a share outside of 0 to 1, or another `method`.
    DTypeError
        For complex numbers.
    ShapeError
        Where there are no elements.

    Examples
    --------
    >>> import devarray as da
    >>> da.quantile(da.asarray([1.0, 2.0, 4.0]), [0.25, 0.5]).copy_to_host()
    array([1.5, 2. ])
    """
    a, shares, wide = _checked("quantile", a, q, method, weights)
    if weights is not None:
        return write_out("quantile", _weighted("quantile", a, weights, shares, axis, keepdims), out)
    rows, axes = _rows(a, axis)
    if rows.shape[-1] == 0 or a.size == 0:
        raise ShapeError("quantile: there are no elements to choose from")
    low, weight = places("quantile", method, rows.shape[-1], shares, np)
    whole = low.astype(np.int64).reshape(-1)
    pick = _picker(rows, np.where(weight.reshape(-1) > 0, [whole, np.minimum(whole + 1, rows.shape[-1] - 1)], whole))
    pairs = zip(whole.tolist(), weight.reshape(-1).tolist(), strict=True)
    results = [_between(pick, place, share, wide) for place, share in pairs]
    return write_out("quantile", _joined(results, shares.shape, axes if keepdims else []), out)


def _checked(name: str, x: Array, q: Any, method: str, weights: Any) -> tuple[Array, np.ndarray, np.dtype]:
    """x in the dtype that the method gives, the shares on the host, and the dtype to weight in."""
    shares = np.asarray(q.copy_to_host() if isinstance(q, Array) else q, np.float64)
    if shares.size and not (shares.min() >= 0 and shares.max() <= 1):
        raise ValueError(f"{name}: q lies between 0 and 1, not {q!r}")
    if x.dtype.kind not in "biuf":
        raise DTypeError(f"{name}: elements of dtype {x.dtype} have no order")
    if method not in METHODS:
        raise ValueError(f"{name}: {method!r} is none of the methods {', '.join(sorted(METHODS))}")
    if weights is not None and method != "inverted_cdf":
        raise ValueError(f"{name}: Only method 'inverted_cdf' supports weights, not {method!r}")
    if method in DISCRETE:
        return x, shares, x.dtype
    if x.dtype.kind != "f":
        x = x.astype(np.float64)
    return x, shares, np.result_type(x.dtype, np.float64) if shares.ndim else x.dtype


def _weighted(name: str, x: Array, weights: Array, shares: np.ndarray, axis: _Axis, keepdims: bool) -> Array:
    """The first elements up to which the weights make a share of their sum."""
    rows, axes = _rows(x, axis)
    heavy, _ = _rows(_fitting_weights(name, x, weights, axis), axis)
    if rows.shape[-1] == 0 or x.size == 0:
        raise ShapeError(f"{name}: there are no elements to choose from")
    order = argsort(rows)
    ordered = along_axis(rows, order, rows.ndim - 1)
    parts = cumsum(along_axis(heavy, order, rows.ndim - 1), -1, np.float64)
    parts = parts / parts[..., -1:]
    if bool(_core.apply(OP["isnan"], parts[..., -1:]).any()):
        raise ValueError(f"{name}: weights are finite and not all zero")
    parts = _core.apply(OP["where"], parts == 0, -1.0, parts)  # what weighs nothing is no first element
    last = rows.shape[-1] - 1
    results = []
    for share in shares.reshape(-1).tolist():
        place = (parts < share).sum(-1, keepdims=True).clip(0, last)
        found = along_axis(ordered, place, rows.ndim - 1)[..., 0]
        if rows.dtype.kind == "f":
            final = ordered[..., -1]
            found = _core.apply(OP["where"], _core.apply(OP["isnan"], final), final, found)
        results.append(found)
    return _joined(results, shares.shape, axes if keepdims else [])


def _fitting_weights(name: str, x: Array, weights: Array, axis: _Axis) -> Array:
    """Weights broadcast to the shape of `x`, of which they may have the reduced axes alone."""
    if weights.shape == x.shape:
        return weights
    if axis is None:
        raise DTypeError(f"{name}: weights of shape {weights.shape} need axis= beside an array of shape {x.shape}")
    axes = normalize_axes(axis, x.ndim)
    if weights.shape != tuple(x.shape[a] for a in axes):
        raise ShapeError(f"{name}: weights of shape {weights.shape} do not fit {x.shape} along axis {axis}")
    turned = _core.permute(weights, [int(i) for i in np.argsort(axes)])
    return _core.broadcast_to(turned.reshape([n if i in axes else 1 for i, n in enumerate(x.shape)]), x.shape)


def _joined(results: list[Array], shape: tuple[int, ...], kept: list[int]) -> Array:
    """One result for each share, with the axes `kept` as ones of size 1."""
    if kept:
        results = [expand_dims(result, tuple(kept)) for result in results]
    return stack(results).reshape((*shape, *results[0].shape)) if shape else results[0]


def _between(pick: _Pick, place: int, share: float, wide: np.dtype) -> Array:
    """What lies a share of the way from the element at a place of sorted rows to the next; NaN where the last one is.

    `wide` is the dtype of the weighting, which for a sequence of shares is NumPy's float64.
    """
    result = pick(place)
    if share:
        high = pick(place + 1)
        step = (high - result).astype(wide, copy=False)
        result = result + step * share if share < 0.5 else high - step * (1 - share)
    result = result.astype(wide, copy=False)
    if result.dtype.kind != "f":
        return result
    last = pick(-1)
    return _core.apply(OP["where"], _core.apply(OP["isnan"], last), last, result)


def _picker(rows: Array, places: np.ndarray) -> _Pick:
    """Picks the elements at places of rows in order."""
    if rows.shape[-1] < LONG_ROW or not by_counting(rows):
        ordered = sort(rows)
    else:
        whole = [int(place) for place in np.unique(places)]
        pick = _picker_by_sample(rows, whole) if rows.ndim == 1 else None
        if pick is not None:
            return pick
        ordered = partition(rows, [*whole, -1])
    return lambda place: ordered[..., place]


_SAMPLE = 4096
_WORTH_SAMPLING = 1 << 16
_MOST_PLACES = 8
"""Elements of a row from which on a sample of so many pays, and places from which on it does not: each takes passes."""


def _picker_by_sample(x: Array, places: Sequence[int]) -> _Pick | None:
    """Picks from the elements near those at some places: a sample says which these are, and counts confirm it.

    After Floyd and Rivest, "Expected time bounds for selection" (1975). None where that does not pay, the sample was
    wrong, or there are NaNs. Waits.
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
    """Between which bounds the elements at places lie, most likely; rising, and apart from each other."""
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


def percentile(
    a: Array,
    q: Any,
    axis: _Axis = None,
    out: Array | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: Array | None = None,
) -> Array:
    """Percentiles of the elements over axes: :func:`quantile` of shares in per cent.

    Parameters
    ----------
    a : array_like
        The array, of a real dtype. Integers give float64.
    q : array_like of float
        Percentages from 0 to 100. A sequence adds leading axes to the result. Those on the device are read, which
        waits.
    axis : int or tuple of int, optional
        The axes to reduce; all by default.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).
    overwrite_input : bool
        NumPy's, not used: the input is never written to.
    method : str
        One of NumPy's thirteen, "linear" by default: "inverted_cdf", "averaged_inverted_cdf", "closest_observation",
        "interpolated_inverted_cdf", "hazen", "weibull", "linear", "median_unbiased" and "normal_unbiased", which
        Hyndman and Fan number 1 to 9, and "lower", "higher", "midpoint" and "nearest".
    keepdims : bool
        Whether the reduced axes stay, with size 1. False by default.
    weights : array_like, optional
        Of the shape of `a`, or of the size of the one axis: how much each element counts. For the method "inverted_cdf"
        only.

    Returns
    -------
    Array
        A new array of the shape of `q`, then the axes that are not reduced; or `out`.

    Raises
    ------
    ValueError
        For a percentage outside of 0 to 100, or another `method`.
    DTypeError
        For complex numbers.
    ShapeError
        Where there are no elements.

    Examples
    --------
    >>> import devarray as da
    >>> da.percentile(da.asarray([1.0, 2.0, 4.0]), 50).item()
    2.0
    """
    shares = np.asarray(q.copy_to_host() if isinstance(q, Array) else q, np.float64) / 100
    return quantile(a, shares, axis, out, method=method, keepdims=keepdims, weights=weights)


def median(
    a: Array, axis: _Axis = None, out: Array | None = None, overwrite_input: bool = False, keepdims: bool = False
) -> Array:
    """The middle element over axes, or the mean of the two middle ones. NaN where an element is NaN.

    Parameters
    ----------
    a : array_like
        The array, of a real dtype. Integers give float64.
    axis : int or tuple of int, optional
        The axes to reduce; all by default.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).
    overwrite_input : bool
        NumPy's, not used: the input is never written to.
    keepdims : bool
        Whether the reduced axes stay, with size 1. False by default.

    Returns
    -------
    Array
        A new array without the reduced axes, or `out`.

    Raises
    ------
    DTypeError
        For complex numbers.
    ShapeError
        Where there are no elements.

    Examples
    --------
    >>> import devarray as da
    >>> da.median(da.asarray([3.0, 1.0, 2.0])).item()
    2.0
    """
    return write_out("median", quantile(a, 0.5, axis, method="midpoint", keepdims=keepdims), out)


# --- without NaN ---------------------------------------------------------------------------------------------------


def nanquantile(
    a: Array,
    q: Any,
    axis: _Axis = None,
    out: Array | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: Array | None = None,
) -> Array:
    """Quantiles of the elements over axes that are not NaN: see :func:`quantile`. NaN where there is none.

    Parameters
    ----------
    a : array_like
        The array, of a real dtype. Integers give float64.
    q : array_like of float
        Shares from 0 to 1. A sequence adds leading axes to the result. Shares on the device are read, which waits.
    axis : int or tuple of int, optional
        The axes to reduce; all by default.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).
    overwrite_input : bool
        NumPy's, not used: the input is never written to.
    method : str
        One of NumPy's thirteen, "linear" by default: "inverted_cdf", "averaged_inverted_cdf", "closest_observation",
        "interpolated_inverted_cdf", "hazen", "weibull", "linear", "median_unbiased" and "normal_unbiased", which
        Hyndman and Fan number 1 to 9, and "lower", "higher", "midpoint" and "nearest".
    keepdims : bool
        Whether the reduced axes stay, with size 1. False by default.
    weights : array_like, optional
        Of the shape of `a`, or of the size of the one axis: how much each element counts. For the method "inverted_cdf"
        only.

    Returns
    -------
    Array
        A new array of the shape of `q`, then the axes that are not reduced; or `out`.

    Raises
    ------
    ValueError
        For a share outside of 0 to 1, or another `method`.
    DTypeError
        For complex numbers.

    Examples
    --------
    >>> import devarray as da
    >>> da.nanquantile(da.asarray([1.0, da.nan, 2.0, 4.0]), [0.25, 0.5]).copy_to_host()
    array([1.5, 2. ])
    """
    a, shares, wide = _checked("nanquantile", a, q, method, weights)
    if a.size == 0:
        return nanmean(a, axis, None, out, keepdims)
    if a.dtype.kind != "f":
        return quantile(a, q, axis, out, method=method, keepdims=keepdims, weights=weights)
    if weights is not None:
        absent = _core.apply(OP["isnan"], a)
        weights = _core.apply(OP["where"], absent, 0.0, _fitting_weights("nanquantile", a, weights, axis))
        filled = _core.apply(OP["where"], absent, inf, a)
        result = _weighted("nanquantile", filled, weights, shares, axis, keepdims)
        return write_out("nanquantile", result, out)
    rows, axes = _rows(a, axis)
    ordered = sort(rows)  # NaN last
    count = (rows == rows).sum(-1, np.float64)
    results = [_among(ordered, count, float(share), method, wide) for share in shares.reshape(-1)]
    return write_out("nanquantile", _joined(results, shares.shape, axes if keepdims else []), out)


def _among(ordered: Array, count: Array, share: float, method: str, wide: np.dtype) -> Array:
    """What lies at a share of each row's first `count` elements; the first one, NaN, where there is none."""
    below, weight = places("nanquantile", method, _core.apply(OP["maximum"], count, 1.0), share, elementwise)
    low = along_axis(ordered, below.astype(np.int64)[..., None], ordered.ndim - 1)[..., 0]
    if method in DISCRETE:
        return low
    above = _core.apply(OP["minimum"], below + 1, (count - 1).clip(0))
    high = along_axis(ordered, above.astype(np.int64)[..., None], ordered.ndim - 1)[..., 0]
    where = OP["where"]
    step, weight = (high - low).astype(wide, copy=False), weight.astype(wide, copy=False)
    value = _core.apply(where, weight < 0.5, low + step * weight, high - step * (1 - weight))
    return _core.apply(where, weight > 0, value, low.astype(wide, copy=False))


def nanpercentile(
    a: Array,
    q: Any,
    axis: _Axis = None,
    out: Array | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: Array | None = None,
) -> Array:
    """Percentiles of the elements over axes that are not NaN: :func:`nanquantile` of shares in per cent.

    Parameters
    ----------
    a : array_like
        The array, of a real dtype. Integers give float64.
    q : array_like of float
        Percentages from 0 to 100. A sequence adds leading axes to the result. Those on the device are read, which
        waits.
    axis : int or tuple of int, optional
        The axes to reduce; all by default.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).
    overwrite_input : bool
        NumPy's, not used: the input is never written to.
    method : str
        One of NumPy's thirteen, "linear" by default: "inverted_cdf", "averaged_inverted_cdf", "closest_observation",
        "interpolated_inverted_cdf", "hazen", "weibull", "linear", "median_unbiased" and "normal_unbiased", which
        Hyndman and Fan number 1 to 9, and "lower", "higher", "midpoint" and "nearest".
    keepdims : bool
        Whether the reduced axes stay, with size 1. False by default.
    weights : array_like, optional
        Of the shape of `a`, or of the size of the one axis: how much each element counts. For the method "inverted_cdf"
        only.

    Returns
    -------
    Array
        A new array of the shape of `q`, then the axes that are not reduced; or `out`.

    Raises
    ------
    ValueError
        For a percentage outside of 0 to 100, or another `method`.
    DTypeError
        For complex numbers.

    Examples
    --------
    >>> import devarray as da
    >>> da.nanpercentile(da.asarray([1.0, da.nan, 2.0, 4.0]), 50).item()
    2.0
    """
    shares = np.asarray(q.copy_to_host() if isinstance(q, Array) else q, np.float64) / 100
    return nanquantile(a, shares, axis, out, method=method, keepdims=keepdims, weights=weights)


def nanmedian(
    a: Array, axis: _Axis = None, out: Array | None = None, overwrite_input: bool = False, keepdims: bool = False
) -> Array:
    """The middle element over axes of those that are not NaN, or the mean of two. NaN where there is none.

    Parameters
    ----------
    a : array_like
        The array, of a real dtype. Integers give float64.
    axis : int or tuple of int, optional
        The axes to reduce; all by default.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).
    overwrite_input : bool
        NumPy's, not used: the input is never written to.
    keepdims : bool
        Whether the reduced axes stay, with size 1. False by default.

    Returns
    -------
    Array
        A new array without the reduced axes, or `out`.

    Raises
    ------
    DTypeError
        For complex numbers.

    Examples
    --------
    >>> import devarray as da
    >>> da.nanmedian(da.asarray([3.0, da.nan, 2.0])).item()
    2.5
    """
    return write_out("nanmedian", nanquantile(a, 0.5, axis, method="midpoint", keepdims=keepdims), out)


# --- spread, averages and correlations -----------------------------------------------------------------------------


def ptp(a: Array, axis: _Axis = None, out: Array | None = None, keepdims: bool = False) -> Array:
    """Difference of the greatest and the least element over axes.

    Parameters
    ----------
    a : array_like
        The array.
    axis : int or tuple of int, optional
        The axes to reduce; all by default.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).
    keepdims : bool
        Whether the reduced axes stay, with size 1. False by default.

    Returns
    -------
    Array
        A new array of the dtype of `a` without the reduced axes, or `out`.

    Raises
    ------
    ValueError
        Where there are no elements.
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.ptp(da.asarray([3, 1, 2])).item()
    2
    """
    return write_out("ptp", a.max(axis, keepdims=keepdims) - a.min(axis, keepdims=keepdims), out)


def average(
    a: Array, axis: _Axis = None, weights: Array | None = None, returned: bool = False, *, keepdims: bool = False
) -> Any:
    """Weighted mean over axes.

    Parameters
    ----------
    a : array_like
        The array.
    axis : int or tuple of int, optional
        The axes to reduce; all by default.
    weights : array_like, optional
        Of the shape of `a`, or of the size of the one axis. All equal by default.
    returned : bool
        Whether to return the sum of the weights, too. False by default.
    keepdims : bool
        Whether the reduced axes stay, with size 1. False by default.

    Returns
    -------
    Array or tuple of Array
        The mean; with `returned` a tuple of the mean and the sum of the weights, of one shape.

    Raises
    ------
    ShapeError
        Where the weights do not fit.
    DTypeError
        Where they have another shape and there is no `axis`.

    Examples
    --------
    >>> import devarray as da
    >>> da.average(da.asarray([1.0, 3.0]), weights=da.asarray([3.0, 1.0])).item()
    1.5
    """
    if weights is None:
        mean = a.mean(axis, keepdims=keepdims)
        count = a.size // mean.size if mean.size else 0
        return (mean, _core.full(mean.shape, mean.dtype, count, a.queue, a.allocator)) if returned else mean
    wide = _fitting_weights("average", a, weights, axis)
    dtype = np.result_type(a.dtype, wide.dtype, np.float64 if a.dtype.kind in "biu" else a.dtype)
    total = wide.sum(axis, dtype, keepdims=keepdims)
    mean = (a.astype(dtype, copy=False) * wide).sum(axis, dtype, keepdims=keepdims) / total
    return (mean, total) if returned else mean


def cov(
    m: Array,
    y: Array | None = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: Any = None,
    aweights: Any = None,
    *,
    dtype: Any = None,
) -> Array:
    """Covariance matrix of variables that were observed together.

    Parameters
    ----------
    m : array_like
        The observations, of one or two dimensions.
    y : array_like, optional
        More variables, joined to `m`.
    rowvar : bool
        Whether each row is a variable (the default), or each column.
    bias : bool
        Whether to divide by the number of observations N, in place of N - 1. False by default.
    ddof : int, optional
        Divide by N - `ddof`, whatever `bias` is.
    fweights : array_like of int, optional
        How often each observation was made.
    aweights : array_like, optional
        How much each observation counts.
    dtype : dtype, optional
        Of the result; at least float64 by default.

    Returns
    -------
    Array
        Of shape ``(n, n)`` for n variables, without axes for one; at least float64.

    Raises
    ------
    ShapeError
        For arrays of more than two dimensions, and weights that are not one for each observation.
    ValueError
        For a `ddof` that is no whole number, and negative weights.
    DTypeError
        For `fweights` that are no whole numbers.

    Examples
    --------
    >>> import devarray as da
    >>> da.cov(da.asarray([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]])).copy_to_host()
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    if ddof is not None and ddof != int(ddof):
        raise ValueError(f"cov: ddof is a whole number, not {ddof}")
    if dtype is None:
        dtype = np.result_type(m.dtype, np.float64 if y is None else y.dtype, np.float64)
    x = _variables(m, rowvar, dtype)
    if x.shape[0] == 0:
        return x.reshape(0, 0)
    if y is not None:
        x = concat([x, _variables(y, rowvar or (y.ndim == 2 and y.shape[0] == 1), dtype)], axis=0)
    less = (0 if bias else 1) if ddof is None else ddof
    often = None if fweights is None else _counts(_observed("fweights", x, fweights))
    heavy = None if aweights is None else _observed("aweights", x, aweights)
    if often is None and heavy is None:
        x = x - x.mean(1, keepdims=True)
        freedom = x.shape[1] - less
        product = x @ x.T.conj() / float(max(freedom, 0))
    else:
        weights: Any = often * heavy if often is not None and heavy is not None else heavy if often is None else often
        total = weights.sum()
        x = x - (x * weights).sum(1, keepdims=True) / total
        free = total - less * ((weights * heavy).sum() / total if heavy is not None else 1.0)
        product = x @ (x * weights).T.conj() / _core.apply(OP["maximum"], free, 0.0)
    return product.reshape([n for n in product.shape if n != 1])


def _observed(name: str, x: Array, weights: Any) -> Array:
    """One weight for each observation, not below 0. Waits."""
    weights = asarray_like(weights, x).astype(np.float64, copy=False)
    if weights.shape != x.shape[1:]:
        raise ShapeError(f"cov: {name} is one number for each of {x.shape[1]} observations, not {weights.shape}")
    if bool((weights < 0).any()):
        raise ValueError(f"cov: {name} holds no negative numbers")
    return weights


def _counts(weights: Array) -> Array:
    if bool((weights != _core.apply(OP["rint"], weights)).any()):
        raise DTypeError("cov: fweights are whole numbers, how often each observation was made")
    return weights


def _variables(m: Array, rowvar: bool, dtype: Any) -> Array:
    if m.ndim > 2:
        raise ShapeError(f"cov takes arrays of one or two dimensions, not {m.ndim}")
    x = m.astype(dtype, copy=False)
    if x.ndim < 2:
        return x.reshape(1, -1)
    return x if rowvar else x.T


def corrcoef(x: Array, y: Array | None = None, rowvar: bool = True, *, dtype: Any = None) -> Array:
    """Matrix of the Pearson correlation coefficients of variables: see :func:`cov`.

    Parameters
    ----------
    x : array_like
        The observations, of one or two dimensions.
    y : array_like, optional
        More variables, joined to `x`.
    rowvar : bool
        Whether each row is a variable (the default), or each column.
    dtype : dtype, optional
        Of the result; at least float64 by default.

    Returns
    -------
    Array
        Of shape ``(n, n)`` for n variables, without axes for one; at least float64.

    Raises
    ------
    ShapeError
        For arrays of more than two dimensions.

    Examples
    --------
    >>> import devarray as da
    >>> da.corrcoef(da.asarray([[0.0, 1.0, 2.0], [4.0, 2.0, 0.0]])).copy_to_host().round(12)
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    c = cov(x, y, rowvar, dtype=dtype)
    if c.ndim == 0:
        return c / c
    spread = _core.apply(OP["sqrt"], _core.apply(OP["real"], c.reshape(-1)[:: c.shape[0] + 1]))
    r = c / spread.reshape(-1, 1) / spread
    return r if r.dtype.kind == "c" else r.clip(-1, 1)
