"""NumPy's reductions that ignore NaN."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from devarray import _core, errors
from devarray._array.moments import freedom, warn_of_few
from devarray._array.out import write_out
from devarray._primitives.operands import wanted_fractions
from devarray._routines.statistics.missing import count_numbers, extreme_of_numbers, replace_nan
from devarray.array import OP, Array, reduce

if TYPE_CHECKING:
    from devarray._typing import BoolLike, DTypeLike

__all__ = [
    "nanargmax",
    "nanargmin",
    "nanmax",
    "nanmean",
    "nanmin",
    "nanprod",
    "nanstd",
    "nansum",
    "nanvar",
]

_Axis = int | tuple[int, ...] | None
_NONE = np._NoValue


def nansum(
    a: Array,
    axis: _Axis = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: object = _NONE,
    where: BoolLike = True,
) -> Array:
    """Sum of elements over axes, with NaN counted as 0.

    Parameters
    ----------
    a : array_like
        The array.
    axis : int or tuple of int, optional
        The axes to reduce; all by default.
    dtype : dtype, optional
        To reduce in, and of the result. Integers are reduced in 64 bits by default; floats in their own dtype.
    out : Array, optional
        Where the result goes. It has the result's shape; its dtype may be any, as NumPy's.
    keepdims : bool
        Whether the reduced axes stay, with size 1. False by default.
    initial : scalar, optional
        What the result starts with.
    where : array_like of bool
        The elements that take part, broadcast to the shape of `a`; all by default.

    Returns
    -------
    Array
        A new array without the reduced axes, or `out`.

    Raises
    ------
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.nansum(da.asarray([1.0, da.nan])).item()
    1.0
    """
    return replace_nan(a, 0).sum(axis, dtype, out, keepdims, initial, where)


def nanprod(
    a: Array,
    axis: _Axis = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: object = _NONE,
    where: BoolLike = True,
) -> Array:
    """Product of elements over axes, with NaN counted as 1.

    Parameters
    ----------
    a : array_like
        The array.
    axis : int or tuple of int, optional
        The axes to reduce; all by default.
    dtype : dtype, optional
        To reduce in, and of the result. Integers are reduced in 64 bits by default; floats in their own dtype.
    out : Array, optional
        Where the result goes. It has the result's shape; its dtype may be any, as NumPy's.
    keepdims : bool
        Whether the reduced axes stay, with size 1. False by default.
    initial : scalar, optional
        What the result starts with.
    where : array_like of bool
        The elements that take part, broadcast to the shape of `a`; all by default.

    Returns
    -------
    Array
        A new array without the reduced axes, or `out`.

    Raises
    ------
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.nanprod(da.asarray([2.0, da.nan])).item()
    2.0
    """
    return replace_nan(a, 1).prod(axis, dtype, out, keepdims, initial, where)


def nanmin(
    a: Array,
    axis: _Axis = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: object = _NONE,
    where: BoolLike = True,
) -> Array:
    """Least element over axes, without NaN; NaN where there is nothing else.

    Parameters
    ----------
    a : array_like
        The array.
    axis : int or tuple of int, optional
        The axes to reduce; all by default.
    out : Array, optional
        Where the result goes. It has the result's shape; its dtype may be any, as NumPy's.
    keepdims : bool
        Whether the reduced axes stay, with size 1. False by default.
    initial : scalar, optional
        What the result starts with.
    where : array_like of bool
        The elements that take part, broadcast to the shape of `a`; all by default.

    Returns
    -------
    Array
        A new array of the dtype of `a` without the reduced axes, or `out`.

    Raises
    ------
    ValueError
        Where `where` is given without `initial`.
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.nanmin(da.asarray([2.0, da.nan])).item()
    2.0
    """
    return write_out("nanmin", extreme_of_numbers(a, "min", axis, keepdims, initial, where), out, casting="unsafe")


def nanmax(
    a: Array,
    axis: _Axis = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: object = _NONE,
    where: BoolLike = True,
) -> Array:
    """Greatest element over axes, without NaN; NaN where there is nothing else.

    Parameters
    ----------
    a : array_like
        The array.
    axis : int or tuple of int, optional
        The axes to reduce; all by default.
    out : Array, optional
        Where the result goes. It has the result's shape; its dtype may be any, as NumPy's.
    keepdims : bool
        Whether the reduced axes stay, with size 1. False by default.
    initial : scalar, optional
        What the result starts with.
    where : array_like of bool
        The elements that take part, broadcast to the shape of `a`; all by default.

    Returns
    -------
    Array
        A new array of the dtype of `a` without the reduced axes, or `out`.

    Raises
    ------
    ValueError
        Where `where` is given without `initial`.
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.nanmax(da.asarray([2.0, da.nan])).item()
    2.0
    """
    return write_out("nanmax", extreme_of_numbers(a, "max", axis, keepdims, initial, where), out, casting="unsafe")


def nanargmin(a: Array, axis: int | None = None, out: Array | None = None, *, keepdims: bool = False) -> Array:
    """Index of the first least element along an axis, or into the flattened array, without NaN.

    Waits for the device, to know that no row is all NaN; arrays of integers do not.

    Parameters
    ----------
    a : array_like
        The array.
    axis : int, optional
        The axis to search along. By default the index is that into the flattened array.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).
    keepdims : bool
        Whether the axis stays, with size 1. False by default.

    Returns
    -------
    Array
        int64; a new array, or `out`.

    Raises
    ------
    ValueError
        Where a row is all NaN, or empty.
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.nanargmin(da.asarray([da.nan, 3.0, 2.0])).item()
    2
    """
    return write_out("nanargmin", _place("argmin", a, axis, keepdims), out, casting="back")


def nanargmax(a: Array, axis: int | None = None, out: Array | None = None, *, keepdims: bool = False) -> Array:
    """Index of the first greatest element along an axis, or into the flattened array, without NaN.

    Waits for the device, to know that no row is all NaN; arrays of integers do not.

    Parameters
    ----------
    a : array_like
        The array.
    axis : int, optional
        The axis to search along. By default the index is that into the flattened array.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).
    keepdims : bool
        Whether the axis stays, with size 1. False by default.

    Returns
    -------
    Array
        int64; a new array, or `out`.

    Raises
    ------
    ValueError
        Where a row is all NaN, or empty.
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.nanargmax(da.asarray([da.nan, 3.0, 2.0])).item()
    1
    """
    return write_out("nanargmax", _place("argmax", a, axis, keepdims), out, casting="back")


def _place(kind: str, x: Array, axis: int | None, keepdims: bool) -> Array:
    found = reduce(replace_nan(x, float("inf" if kind == "argmin" else "-inf")), kind, axis, keepdims)
    if x.dtype.kind in "fc" and bool(_core.apply(OP["isnan"], x).all(axis).any()):
        raise errors.ValueError(f"nan{kind}: All-NaN slice encountered: it has no index to return")
    return found


def nanmean(
    a: Array,
    axis: _Axis = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    keepdims: bool = False,
    *,
    where: BoolLike = True,
) -> Array:
    """Arithmetic mean over axes of the elements that are not NaN; NaN where there is none.

    Parameters
    ----------
    a : array_like
        The array.
    axis : int or tuple of int, optional
        The axes to reduce; all by default.
    dtype : dtype, optional
        To compute in. float64 by default for integers, else that of `a`.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).
    keepdims : bool
        Whether the reduced axes stay, with size 1. False by default.
    where : array_like of bool
        The elements that take part, broadcast to the shape of `a`; all by default.

    Returns
    -------
    Array
        A new array without the reduced axes, or `out`.

    Raises
    ------
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.nanmean(da.asarray([1.0, da.nan, 3.0])).item()
    2.0
    """
    if a.dtype.kind not in "fc":
        return a.mean(axis, dtype, out, keepdims, where=where)
    a = a if dtype is None else a.astype(wanted_fractions("nanmean", dtype), copy=False)
    axis = _of_value(a, axis)
    warn_of_few(a, axis, where, 0, "Mean of empty slice")
    return write_out("nanmean", _mean(a, axis, keepdims, where), out)


def _of_value(a: Array, axis: _Axis) -> _Axis:
    """The axis that NumPy's sums, which this rests on, let pass of a value."""
    return None if a.ndim == 0 and axis in (0, -1) else axis


def _mean(a: Array, axis: _Axis, keepdims: bool, where: BoolLike) -> Array:
    total = nansum(a, axis, keepdims=keepdims, where=where)
    return (total / count_numbers(a, axis, keepdims, where)).astype(total.dtype, copy=False)


def nanvar(
    a: Array,
    axis: _Axis = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: BoolLike = True,
    mean: object = None,
    correction: float | None = None,
) -> Array:
    """Variance over axes of the elements that are not NaN: see :func:`var`.

    Parameters
    ----------
    a : array_like
        The array.
    axis : int or tuple of int, optional
        The axes to reduce; all by default.
    dtype : dtype, optional
        To compute in. float64 by default for integers, else that of `a`.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).
    ddof : float
        Subtracted from the number of elements that the sum is divided by. 0 by default.
    keepdims : bool
        Whether the reduced axes stay, with size 1. False by default.
    where : array_like of bool
        The elements that take part, broadcast to the shape of `a`; all by default.
    mean : array_like, optional
        The mean, with the reduced axes kept, where the caller has it already.
    correction : float, optional
        The Array API standard's name of `ddof`.

    Returns
    -------
    Array
        A new array of a real dtype without the reduced axes, or `out`. NaN where the divisor is not positive.

    Raises
    ------
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.nanvar(da.asarray([1.0, da.nan, 3.0])).item()
    1.0
    """
    less = freedom("nanvar", ddof, correction)
    if a.dtype.kind not in "fc":
        return a.var(axis, dtype, out, less, keepdims, where=where, mean=mean)
    a = a if dtype is None else a.astype(wanted_fractions("nanvar", dtype, a.dtype), copy=False)
    axis = _of_value(a, axis)
    warn_of_few(a, axis, where, less, "Degrees of freedom <= 0 for slice.")
    distance = a - (_mean(a, axis, True, where) if mean is None else mean)
    distance = _core.apply(OP["where"], _core.apply(OP["isnan"], a), 0, distance)
    squares = _core.apply(OP["real"], distance * distance.conj()) if a.dtype.kind == "c" else distance * distance
    total = squares.sum(axis, None, None, keepdims, where=where)
    free = count_numbers(a, axis, keepdims, where) - less
    value = total / _core.apply(OP["where"], free > 0, free, float("nan"))
    asked = np.dtype(total.dtype if dtype is None else dtype)
    return write_out("nanvar", value.astype(asked if asked.kind == "c" else total.dtype, copy=False), out)


def nanstd(
    a: Array,
    axis: _Axis = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: BoolLike = True,
    mean: object = None,
    correction: float | None = None,
) -> Array:
    """Standard deviation over axes of the elements that are not NaN: the square root of :func:`nanvar`.

    Parameters
    ----------
    a : array_like
        The array.
    axis : int or tuple of int, optional
        The axes to reduce; all by default.
    dtype : dtype, optional
        To compute in. float64 by default for integers, else that of `a`.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).
    ddof : float
        Subtracted from the number of elements that the sum is divided by. 0 by default.
    keepdims : bool
        Whether the reduced axes stay, with size 1. False by default.
    where : array_like of bool
        The elements that take part, broadcast to the shape of `a`; all by default.
    mean : array_like, optional
        The mean, with the reduced axes kept, where the caller has it already.
    correction : float, optional
        The Array API standard's name of `ddof`.

    Returns
    -------
    Array
        A new array of a real dtype without the reduced axes, or `out`. NaN where the divisor is not positive.

    Raises
    ------
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.nanstd(da.asarray([1.0, da.nan, 3.0])).item()
    1.0
    """
    if a.dtype.kind not in "fc":
        less = freedom("nanstd", ddof, correction)
        return a.std(axis, dtype, out, less, keepdims, where=where, mean=mean)
    variance = nanvar(a, axis, dtype, None, ddof, keepdims, where=where, mean=mean, correction=correction)
    return write_out("nanstd", _core.apply(OP["sqrt"], variance), out)
