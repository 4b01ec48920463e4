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
from devarray._routines.manipulation.shapes import atleast_2d, expand_dims
from devarray._routines.sorting.sorting import partition, sort
from devarray._routines.statistics.nan_reductions import nanmean
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
    x: Array,
    /,
    q: Any,
    axis: _Axis = None,
    out: Array | None = None,
    overwrite_input: bool = False,
    *,
    method: str = "linear",
    keepdims: bool = False,
) -> Array:
    """Quantiles over axes: the values below which given shares of the elements lie.

    NaN where an element is NaN.

    Parameters
    ----------
    x : array_like
        The array, of a real dtype. Integers give float64.
    q : array_like of float
        Shares from 0 to 1. A sequence adds leading axes to the result. Shares on the device are read, which waits.
    axis : int or tuple of int, optional
        The axes to reduce; all by default.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).
    overwrite_input : bool
        NumPy's, not used: the input is never written to.
    method : {"linear", "lower", "higher", "nearest", "midpoint"}
        What is returned where a quantile lies between two elements. "linear" by default.
    keepdims : bool
        Whether the reduced axes stay, with size 1. False by default.

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
    x, shares, wide = _checked("quantile", x, q, method)
    rows, axes = _rows(x, axis)
    if rows.shape[-1] == 0 or x.size == 0:
        raise ShapeError("quantile: there are no elements to choose from")
    places = shares * (rows.shape[-1] - 1)
    if method in _ROUNDING:
        places = _ROUNDING[method](places)
    pick = _picker(rows, places.reshape(-1))
    results = [_between(pick, place, method == "midpoint", wide) for place in places.reshape(-1)]
    return write_out("quantile", _joined(results, shares.shape, axes if keepdims else []), out)


_ROUNDING: dict[str, Any] = {"lower": np.floor, "higher": np.ceil, "nearest": np.rint}


def _checked(name: str, x: Array, q: Any, method: str) -> tuple[Array, np.ndarray, np.dtype]:
    """x as floats, the shares on the host, and the dtype to weight in."""
    shares = np.asarray(q.copy_to_host() if isinstance(q, Array) else q, np.float64)
    if shares.size and not (shares.min() >= 0 and shares.max() <= 1):
        raise ValueError(f"{name}: q lies between 0 and 1, not {q!r}")
    if x.dtype.kind not in "biuf":
        raise DTypeError(f"{name}: elements of dtype {x.dtype} have no order")
    if method not in _ROUNDING and method not in ("linear", "midpoint"):
        raise ValueError(f"{name}: method is linear, midpoint, lower, higher or nearest, not {method!r}")
    if x.dtype.kind != "f":
        x = x.astype(np.float64)
    return x, shares, np.result_type(x.dtype, np.float64) if shares.ndim and method not in _ROUNDING else x.dtype


def _joined(results: list[Array], shape: tuple[int, ...], kept: list[int]) -> Array:
    """One result for each share, with the axes `kept` as ones of size 1."""
    if kept:
        results = [expand_dims(result, tuple(kept)) for result in results]
    return stack(results).reshape((*shape, *results[0].shape)) if shape else results[0]


def _between(pick: _Pick, place: float, midpoint: bool, wide: np.dtype) -> Array:
    """The element at a place of sorted rows, which need not be whole; NaN where the last one is.

    `wide` is the dtype of the weighting, which for a sequence of shares is NumPy's float64.
    """
    low = int(np.floor(place))
    share = place - low
    result = pick(low)
    if share:
        weight = 0.5 if midpoint else float(share)
        high = pick(low + 1)
        step = (high - result).astype(wide, copy=False)
        result = result + step * weight if weight < 0.5 else high - step * (1 - weight)
    result = result.astype(wide, copy=False)
    last = pick(-1)
    return _core.apply(OP["where"], _core.apply(OP["isnan"], last), last, result)


def _picker(rows: Array, places: np.ndarray) -> _Pick:
    """Picks the elements at places of rows in order, and at those on either side of a place that is not whole."""
    if rows.shape[-1] < LONG_ROW or not by_counting(rows):
        ordered = sort(rows)
    else:
        whole = [int(place) for place in np.unique([np.floor(places), np.ceil(places)])]
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
    x: Array,
    /,
    q: Any,
    axis: _Axis = None,
    out: Array | None = None,
    overwrite_input: bool = False,
    *,
    method: str = "linear",
    keepdims: bool = False,
) -> Array:
    """Percentiles of the elements over axes: :func:`quantile` of shares in per cent.

    Parameters
    ----------
    x : array_like
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
    method : {"linear", "lower", "higher", "nearest", "midpoint"}
        What is returned where a quantile lies between two elements. "linear" by default.
    keepdims : bool
        Whether the reduced axes stay, with size 1. False by default.

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
    return write_out("percentile", quantile(x, shares, axis, method=method, keepdims=keepdims), out)


def median(
    x: Array, /, axis: _Axis = None, out: Array | None = None, overwrite_input: bool = False, *, keepdims: bool = False
) -> Array:
    """The middle element over axes, or the mean of the two middle ones. NaN where an element is NaN.

    Parameters
    ----------
    x : array_like
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
    return write_out("median", quantile(x, 0.5, axis, method="midpoint", keepdims=keepdims), out)


# --- without NaN ---------------------------------------------------------------------------------------------------


def nanquantile(
    x: Array,
    /,
    q: Any,
    axis: _Axis = None,
    out: Array | None = None,
    overwrite_input: bool = False,
    *,
    method: str = "linear",
    keepdims: bool = False,
) -> Array:
    """Quantiles of the elements over axes that are not NaN: see :func:`quantile`. NaN where there is none.

    Parameters
    ----------
    x : array_like
        The array, of a real dtype. Integers give float64.
    q : array_like of float
        Shares from 0 to 1. A sequence adds leading axes to the result. Shares on the device are read, which waits.
    axis : int or tuple of int, optional
        The axes to reduce; all by default.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).
    overwrite_input : bool
        NumPy's, not used: the input is never written to.
    method : {"linear", "lower", "higher", "nearest", "midpoint"}
        What is returned where a quantile lies between two elements. "linear" by default.
    keepdims : bool
        Whether the reduced axes stay, with size 1. False by default.

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
    x, shares, wide = _checked("nanquantile", x, q, method)
    if x.size == 0:
        return write_out("nanquantile", nanmean(x, axis, keepdims=keepdims), out)
    rows, axes = _rows(x, axis)
    ordered = sort(rows)  # NaN last
    last = (rows == rows).sum(-1, np.float64) - 1
    results = [_among(ordered, last, float(share), method, wide) for share in shares.reshape(-1)]
    return write_out("nanquantile", _joined(results, shares.shape, axes if keepdims else []), out)


def _among(ordered: Array, last: Array, share: float, method: str, wide: np.dtype) -> Array:
    """What lies at a share of the way to each row's `last` element; the first one, NaN, where there is none."""
    place = (last * share).clip(0)
    if method in _ROUNDING:
        place = _core.apply(OP[{"lower": "floor", "higher": "ceil", "nearest": "rint"}[method]], place)
    below = _core.apply(OP["floor"], place)
    low, high = (
        along_axis(ordered, index.astype(np.int64)[..., None], ordered.ndim - 1)[..., 0]
        for index in (below, _core.apply(OP["minimum"], below + 1, last.clip(0)))
    )
    weight = place - below
    where = OP["where"]
    if method == "midpoint":
        weight = _core.apply(where, weight > 0, 0.5, weight)
    step, weight = (high - low).astype(wide, copy=False), weight.astype(wide, copy=False)
    value = _core.apply(where, weight < 0.5, low + step * weight, high - step * (1 - weight))
    return _core.apply(where, weight > 0, value, low.astype(wide, copy=False))


def nanpercentile(
    x: Array,
    /,
    q: Any,
    axis: _Axis = None,
    out: Array | None = None,
    overwrite_input: bool = False,
    *,
    method: str = "linear",
    keepdims: bool = False,
) -> Array:
    """Percentiles of the elements over axes that are not NaN: :func:`nanquantile` of shares in per cent.

    Parameters
    ----------
    x : array_like
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
    method : {"linear", "lower", "higher", "nearest", "midpoint"}
        What is returned where a quantile lies between two elements. "linear" by default.
    keepdims : bool
        Whether the reduced axes stay, with size 1. False by default.

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
    return write_out("nanpercentile", nanquantile(x, shares, axis, method=method, keepdims=keepdims), out)


def nanmedian(
    x: Array,
    /,
    axis: _Axis = None,
    out: Array | None = None,
    overwrite_input: bool = False,
    *,
    keepdims: bool = False,
) -> Array:
    """The middle element over axes of those that are not NaN, or the mean of two. NaN where there is none.

    Parameters
    ----------
    x : array_like
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
    return write_out("nanmedian", nanquantile(x, 0.5, axis, method="midpoint", keepdims=keepdims), out)


# --- spread, averages and correlations -----------------------------------------------------------------------------


def ptp(x: Array, /, axis: _Axis = None, *, keepdims: bool = False, out: Array | None = None) -> Array:
    """Difference of the greatest and the least element over axes.

    Parameters
    ----------
    x : array_like
        The array.
    axis : int or tuple of int, optional
        The axes to reduce; all by default.
    keepdims : bool
        Whether the reduced axes stay, with size 1. False by default.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).

    Returns
    -------
    Array
        A new array of the dtype of `x` without the reduced axes, or `out`.

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
    return write_out("ptp", x.max(axis, keepdims=keepdims) - x.min(axis, keepdims=keepdims), out)


def average(
    x: Array, /, axis: _Axis = None, weights: Array | None = None, returned: bool = False, *, keepdims: bool = False
) -> Any:
    """Weighted mean over axes.

    Parameters
    ----------
    x : array_like
        The array.
    axis : int or tuple of int, optional
        The axes to reduce; all by default.
    weights : array_like, optional
        Of the shape of `x`, or of the size of the one axis. All equal by default.
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
    total = wide.sum(axis, dtype, keepdims=keepdims)
    mean = (x * wide).sum(axis, dtype, keepdims=keepdims) / total
    return (mean, total) if returned else mean


def cov(
    m: Array,
    y: Array | None = None,
    /,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
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
    >>> da.cov(da.asarray([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]])).copy_to_host()
    array([[ 1., -1.],
           [-1.,  1.]])
    """
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
    """Matrix of the Pearson correlation coefficients of variables: see :func:`cov`.

    Parameters
    ----------
    m : array_like
        The observations, of one or two dimensions.
    y : array_like, optional
        More variables, joined to `m`.
    rowvar : bool
        Whether each row is a variable (the default), or each column.

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
    c = cov(m, y, rowvar)
    if c.ndim == 0:
        return c / c
    spread = _core.apply(OP["sqrt"], _core.apply(OP["real"], c.reshape(-1)[:: c.shape[0] + 1]))
    r = c / spread.reshape(-1, 1) / spread
    return r if r.dtype.kind == "c" else r.clip(-1, 1)
