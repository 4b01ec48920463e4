"""NumPy's order statistics: medians, quantiles and ranges, with NaN or without it."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import numpy as np

from devarray import _core
from devarray._array.moments import warn_of_few
from devarray._array.out import write_out
from devarray._primitives.gather import along_axis
from devarray._routines.sorting.sorting import argsort
from devarray._routines.statistics.averages import weights_from_zero
from devarray._routines.statistics.cumulative import cumsum
from devarray._routines.statistics.nan_reductions import nanmean
from devarray._routines.statistics.quantile_methods import DISCRETE, METHODS, some
from devarray._routines.statistics.selection import (
    complex_median,
    interpolated,
    joined,
    of_nothing,
    rows_along,
    without_nan,
)
from devarray.array import OP, Array
from devarray.errors import DTypeError, ShapeError, ValueError

if TYPE_CHECKING:
    from devarray._typing import ArrayLike

__all__ = [
    "median",
    "nanmedian",
    "nanpercentile",
    "nanquantile",
    "percentile",
    "ptp",
    "quantile",
]

_Axis = int | tuple[int, ...] | None


def quantile(
    a: Array,
    q: ArrayLike,
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
        return write_out("quantile", _weighted("quantile", a, weights, shares, axis, keepdims), out, spread=True)
    if a.size == 0:
        return write_out("quantile", of_nothing(a, axis, keepdims, shares.shape, wide), out, spread=True)
    return write_out("quantile", interpolated(a, shares, wide, axis, keepdims, method), out, spread=True)


def _checked(
    name: str, x: Array, q: ArrayLike, method: str, weights: ArrayLike | None
) -> tuple[Array, np.ndarray, np.dtype]:
    """x in the dtype that the method gives, the shares on the host, and the dtype to weight in."""
    given = q.copy_to_host() if isinstance(q, Array) else np.asarray(q)
    shares = given.astype(np.float64, copy=False)
    if shares.ndim > 2:
        raise ValueError(f"{name}: q must be a scalar or 1d, or have two axes, not {shares.ndim}")
    if shares.size and not (shares.min() >= 0 and shares.max() <= 1):
        raise ValueError(
            f"{name}: Quantiles must be in the range [0, 1], and Percentiles must be in the range [0, 100]: a share of "
            f"{q!r} was given"
        )
    if x.dtype.kind not in "biuf":
        raise DTypeError(f"{name}: a must be an array of real numbers: those of dtype {x.dtype} have no order")
    if method not in METHODS:
        raise ValueError(f"{name}: {method!r} is not a valid method. Use one of: {', '.join(sorted(METHODS))}")
    if weights is not None and method != "inverted_cdf":
        raise ValueError(f"{name}: Only method 'inverted_cdf' supports weights. Got: {method}.")
    if method in DISCRETE:
        return x, shares, x.dtype
    wide = _dtype_of(x, q, given.dtype, method)
    return (x if x.dtype.kind == "f" or wide.kind in "iu" else x.astype(np.float64)), shares, wide


def _dtype_of(x: Array, q: object, given: np.dtype, method: str) -> np.dtype:
    """NumPy's dtype of a weighted result: shares of Python's take the dtype of floats, whole ones keep any."""
    if x.dtype.kind == "f" and type(q) in (int, float):
        return x.dtype
    if given.kind in "biu":
        return x.dtype if method == "linear" and x.dtype.kind != "b" else np.result_type(x.dtype, np.float64)
    return np.result_type(x.dtype, given)


def _hundredths(q: ArrayLike) -> float | np.ndarray:
    """Shares of percentages, as NumPy divides them."""
    if type(q) is int or type(q) is float:
        return q / 100
    return np.true_divide(q.copy_to_host() if isinstance(q, Array) else q, 100)


def _weighted(name: str, x: Array, weights: Array, shares: np.ndarray, axis: _Axis, keepdims: bool) -> Array:
    """The first elements up to which the weights make a share of their sum."""
    rows, axes = rows_along(x, axis)
    heavy, _ = rows_along(weights_from_zero(name, x, weights, axis), axis)
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
    for share in some(shares).reshape(-1).tolist():
        place = (parts < share).sum(-1, keepdims=True).clip(0, last)
        found = along_axis(ordered, place, rows.ndim - 1)[..., 0]
        if rows.dtype.kind == "f":
            final = ordered[..., -1]
            found = _core.apply(OP["where"], _core.apply(OP["isnan"], final), final, found)
        results.append(found)
    return joined(results, shares.shape, axes if keepdims else [])


def percentile(
    a: Array,
    q: ArrayLike,
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
    return quantile(a, _hundredths(q), axis, out, method=method, keepdims=keepdims, weights=weights)


def median(
    a: Array, axis: _Axis = None, out: Array | None = None, overwrite_input: bool = False, keepdims: bool = False
) -> Array:
    """The middle element over axes, or the mean of the two middle ones. NaN where an element is NaN.

    Parameters
    ----------
    a : array_like
        The array. Integers give float64; complex numbers are in NumPy's order, by real and then by imaginary parts.
    axis : int or tuple of int, optional
        The axes to reduce; all by default.
    out : Array, optional
        Where the result goes. It has the result's shape; its dtype may be any, as NumPy's.
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
    >>> da.median(da.asarray([3.0, 1.0, 2.0])).item()
    2.0
    """
    if a.size == 0:
        wide = a.dtype if a.dtype.kind in "fc" else np.dtype(np.float64)
        nan = complex(np.nan, np.nan) if wide.kind == "c" else np.nan
        warn_of_few(a, axis, True, 0, "Mean of empty slice")
        return write_out("median", of_nothing(a, axis, keepdims, (), wide, nan), out, casting="unsafe")
    if a.dtype.kind == "c":
        return write_out("median", complex_median(a, axis, keepdims, False), out, casting="unsafe")
    a, shares, wide = _checked("median", a, 0.5, "midpoint", None)
    result = interpolated(a, shares, wide, axis, keepdims, "midpoint", means=True)
    return write_out("median", result, out, casting="unsafe")


# --- without NaN ---------------------------------------------------------------------------------------------------


def nanquantile(
    a: Array,
    q: ArrayLike,
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
    axis = tuple(axis) if isinstance(axis, list) else axis
    if a.size == 0:
        return nanmean(a, axis, None, out, keepdims)
    if a.dtype.kind != "f":
        return quantile(a, q, axis, out, method=method, keepdims=keepdims, weights=weights)
    if weights is not None:
        absent = _core.apply(OP["isnan"], a)
        alone = absent.all(axis, keepdims=True)  # whose result is NaN
        given = weights_from_zero("nanquantile", a, weights, axis)
        weights = _core.apply(OP["where"], absent, alone.astype(np.float64), given)
        filled = _core.apply(OP["where"], absent & ~alone, inf, a)
        result = _weighted("nanquantile", filled, weights, shares, axis, keepdims)
        return write_out("nanquantile", result, out)
    return write_out("nanquantile", without_nan(a, shares, wide, axis, keepdims, method), out)


def nanpercentile(
    a: Array,
    q: ArrayLike,
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
    return nanquantile(a, _hundredths(q), axis, out, method=method, keepdims=keepdims, weights=weights)


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
        Where the result goes. It has the result's shape; its dtype may be any, as NumPy's.
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
    if a.dtype.kind == "c":
        return write_out("nanmedian", complex_median(a, axis, keepdims, True), out, casting="unsafe")
    if a.size == 0:
        nothing = nanmean(a, tuple(axis) if isinstance(axis, list) else axis, None, None, keepdims)
        return write_out("nanmedian", nothing, out, casting="unsafe")
    if a.dtype.kind != "f":
        return median(a, axis, out, keepdims=keepdims)
    a, shares, wide = _checked("nanmedian", a, 0.5, "midpoint", None)
    result = without_nan(a, shares, wide, axis, keepdims, "midpoint", means=True)
    return write_out("nanmedian", result, out, casting="unsafe")


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
    greatest = a.max(axis, keepdims=keepdims)
    if isinstance(out, Array) and np.can_cast(greatest.dtype, out.dtype):
        greatest = greatest.astype(out.dtype, copy=False)  # NumPy writes it to `out` first
    return write_out("ptp", greatest - a.min(axis, keepdims=keepdims), out)
