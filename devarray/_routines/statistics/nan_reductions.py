"""NumPy's functions that ignore NaN, and its comparisons with a tolerance."""

from __future__ import annotations

from typing import Any

import numpy as np

from devarray import _core, errors
from devarray._array.out import summed_in, write_out
from devarray._primitives.operands import as_array
from devarray._routines.statistics.reductions import cumprod, cumsum
from devarray.array import OP, Array, reduce

__all__ = [
    "allclose",
    "array_equal",
    "array_equiv",
    "isclose",
    "iscomplexobj",
    "isrealobj",
    "nan_to_num",
    "nanargmax",
    "nanargmin",
    "nancumprod",
    "nancumsum",
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


def _filled(x: Array, value: complex) -> Array:
    """x with another value for NaN; itself where it holds none by its dtype."""
    if x.dtype.kind not in "fc":
        return x
    return _core.apply(OP["where"], _core.apply(OP["isnan"], x), value, x)


def _counted(x: Array, axis: _Axis, keepdims: bool, where: Any = True) -> Array:
    """Number of elements that are not NaN, as floats of x's precision."""
    there = _core.apply(OP["logical_not"], _core.apply(OP["isnan"], x))
    real = np.dtype(f"f{x.dtype.itemsize // 2}") if x.dtype.kind == "c" else x.dtype
    if where is not True:
        there = _core.apply(OP["logical_and"], there, where)
    return reduce(there, "sum", axis, keepdims, real if real.kind == "f" and real.itemsize > 2 else np.float64)


def nansum(
    a: Array,
    axis: _Axis = None,
    dtype: Any = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: Any = _NONE,
    where: Any = True,
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
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).
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
    return _filled(a, 0).sum(axis, dtype, out, keepdims, initial, where)


def nanprod(
    a: Array,
    axis: _Axis = None,
    dtype: Any = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: Any = _NONE,
    where: Any = True,
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
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).
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
    return _filled(a, 1).prod(axis, dtype, out, keepdims, initial, where)


def nanmin(
    a: Array,
    axis: _Axis = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: Any = _NONE,
    where: Any = True,
) -> Array:
    """Least element over axes, without NaN; NaN where there is nothing else.

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
    return write_out("nanmin", _extreme(a, "min", axis, keepdims, initial, where), out)


def nanmax(
    a: Array,
    axis: _Axis = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: Any = _NONE,
    where: Any = True,
) -> Array:
    """Greatest element over axes, without NaN; NaN where there is nothing else.

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
    return write_out("nanmax", _extreme(a, "max", axis, keepdims, initial, where), out)


def _extreme(x: Array, kind: str, axis: _Axis, keepdims: bool, initial: Any, where: Any) -> Array:
    if x.dtype.kind not in "fc":
        return getattr(x, kind)(axis, None, keepdims, initial, where)
    farthest = float("inf") if kind == "min" else float("-inf")
    filled = _filled(x, complex(farthest, farthest) if x.dtype.kind == "c" else farthest)
    best: Array = getattr(filled, kind)(axis, None, keepdims, initial, where)
    if initial is not _NONE and initial is not None:
        return best
    empty = reduce(_core.apply(OP["isnan"], x), "all", axis, keepdims)
    return _core.apply(OP["where"], empty, float("nan"), best)


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
    return write_out("nanargmin", _place("argmin", a, axis, keepdims), out)


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
    return write_out("nanargmax", _place("argmax", a, axis, keepdims), out)


def _place(kind: str, x: Array, axis: int | None, keepdims: bool) -> Array:
    found = reduce(_filled(x, float("inf" if kind == "argmin" else "-inf")), kind, axis, keepdims)
    if x.dtype.kind in "fc" and bool(_core.apply(OP["isnan"], x).all(axis).any()):
        raise errors.ValueError(f"nan{kind}: All-NaN slice encountered: it has no index to return")
    return found


def nancumsum(a: Array, axis: int | None = None, dtype: Any = None, out: Array | None = None) -> Array:
    """Cumulative sums along an axis, or over the flattened array, with NaN counted as 0.

    Parameters
    ----------
    a : array_like
        The array.
    axis : int, optional
        The axis. By default `a` is flattened.
    dtype : dtype, optional
        Of the result; elements are cast to it before they are combined. By default 64 bits for integers, else that of
        `a`.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).

    Returns
    -------
    Array
        A new array, or `out`.

    Raises
    ------
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.nancumsum(da.asarray([1.0, da.nan, 3.0])).copy_to_host()
    array([1., 1., 4.])
    """
    return write_out("nancumsum", cumsum(_filled(a, 0), axis, summed_in(a, dtype, out)), out)


def nancumprod(a: Array, axis: int | None = None, dtype: Any = None, out: Array | None = None) -> Array:
    """Cumulative products along an axis, or over the flattened array, with NaN counted as 1.

    Parameters
    ----------
    a : array_like
        The array.
    axis : int, optional
        The axis. By default `a` is flattened.
    dtype : dtype, optional
        Of the result; elements are cast to it before they are combined. By default 64 bits for integers, else that of
        `a`.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).

    Returns
    -------
    Array
        A new array, or `out`.

    Raises
    ------
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.nancumprod(da.asarray([2.0, da.nan, 3.0])).copy_to_host()
    array([2., 2., 6.])
    """
    return write_out("nancumprod", cumprod(_filled(a, 1), axis, summed_in(a, dtype, out)), out)


def nanmean(
    a: Array,
    axis: _Axis = None,
    dtype: Any = None,
    out: Array | None = None,
    keepdims: bool = False,
    *,
    where: Any = True,
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
    a = a if dtype is None else a.astype(dtype, copy=False)
    total = nansum(a, axis, keepdims=keepdims, where=where)
    return write_out("nanmean", (total / _counted(a, axis, keepdims, where)).astype(total.dtype, copy=False), out)


def nanvar(
    a: Array,
    axis: _Axis = None,
    dtype: Any = None,
    out: Array | None = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: Any = True,
    mean: Any = None,
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
    less = ddof if correction is None else correction
    if correction is not None and ddof:
        raise errors.ValueError("nanvar: ddof and correction can't be provided simultaneously.")
    if a.dtype.kind not in "fc":
        return a.var(axis, dtype, out, less, keepdims, where=where, mean=mean)
    a = a if dtype is None else a.astype(dtype, copy=False)
    distance = a - (nanmean(a, axis, keepdims=True, where=where) if mean is None else mean)
    distance = _core.apply(OP["where"], _core.apply(OP["isnan"], a), 0, distance)
    squares = _core.apply(OP["real"], distance * distance.conj()) if a.dtype.kind == "c" else distance * distance
    total = squares.sum(axis, None, None, keepdims, where=where)
    freedom = _counted(a, axis, keepdims, where) - less
    value = total / _core.apply(OP["where"], freedom > 0, freedom, float("nan"))
    return write_out("nanvar", value.astype(total.dtype, copy=False), out)


def nanstd(
    a: Array,
    axis: _Axis = None,
    dtype: Any = None,
    out: Array | None = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: Any = True,
    mean: Any = None,
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
    variance = nanvar(a, axis, dtype, None, ddof, keepdims, where=where, mean=mean, correction=correction)
    return write_out("nanstd", _core.apply(OP["sqrt"], variance), out)


def nan_to_num(x: Array, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Array:
    """An array with numbers in place of NaN and the infinities.

    Parameters
    ----------
    x : array_like
        The array.
    copy : bool
        False: write to `x` and return it. True by default.
    nan : float
        In place of NaN. 0 by default.
    posinf : float, optional
        In place of infinity; by default the dtype's greatest number.
    neginf : float, optional
        In place of negative infinity; by default the dtype's least number.

    Returns
    -------
    Array
        A new array of the shape and dtype of `x`, or `x` itself.

    Examples
    --------
    >>> import devarray as da
    >>> da.nan_to_num(da.asarray([da.nan, -da.inf, 1.0]), neginf=-9).copy_to_host()
    array([ 0., -9.,  1.])
    """
    if x.dtype.kind == "c":
        result = x.copy()
        for part, value in ((result.real, x.real), (result.imag, x.imag)):
            part[...] = nan_to_num(value, nan=nan, posinf=posinf, neginf=neginf)
    elif x.dtype.kind == "f":
        limits = np.finfo(x.dtype)
        high = float(limits.max) if posinf is None else posinf
        low = float(limits.min) if neginf is None else neginf
        where, infinite = OP["where"], _core.apply(OP["isinf"], x)
        bounded = _core.apply(where, infinite, _core.apply(where, x > 0, high, low).astype(x.dtype, copy=False), x)
        result = _core.apply(where, _core.apply(OP["isnan"], x), nan, bounded).astype(x.dtype, copy=False)
    else:
        return x.copy() if copy else x
    if not copy:
        x[...] = result
        return x
    return result


def isclose(a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: bool = False) -> Array:
    """Whether elements agree within a tolerance: ``abs(a - b) <= atol + rtol * abs(b)``.

    Infinities agree with themselves.

    Parameters
    ----------
    a, b : array_like
        The arrays, which broadcast. At least one is an Array.
    rtol, atol : float
        The tolerances, relative to `b` and absolute. 1e-5 and 1e-8 by default.
    equal_nan : bool
        Whether NaN agrees with NaN. False by default.

    Returns
    -------
    Array
        bool, of the shape that `a` and `b` broadcast to.

    Raises
    ------
    DTypeError
        Where neither is an Array.
    ShapeError
        Where the shapes do not broadcast.

    Examples
    --------
    >>> import devarray as da
    >>> da.isclose(da.asarray([1.0, 2.0]), 1.000001).copy_to_host()
    array([ True, False])
    """
    if not isinstance(a, Array) and not isinstance(b, Array):
        a = as_array("isclose", "a", a)
    a, b = (as_array("isclose", "an operand", x) if isinstance(x, list | tuple | np.ndarray) else x for x in (a, b))
    a, b = (float(x) if type(x) is int and abs(x) >= 1 << 63 else x for x in (a, b))
    floating = _core.apply(OP["divide"], b if isinstance(b, Array) else a, 1).dtype
    a, b = (x.astype(np.promote_types(x.dtype, floating), copy=False) if isinstance(x, Array) else x for x in (a, b))
    size = _core.apply(OP["abs"], b) if isinstance(b, Array) else abs(b)
    near = _core.apply(OP["abs"], a - b) <= atol + rtol * size
    finite = _core.apply(OP["isfinite"], b) if isinstance(b, Array) else bool(np.isfinite(b))
    close = (near & finite) | _core.apply(OP["equal"], a, b)
    if equal_nan:
        close = close | (_core.apply(OP["not_equal"], a, a) & _core.apply(OP["not_equal"], b, b))
    return close


def allclose(a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: bool = False) -> bool:
    """Whether all elements agree within a tolerance, as :func:`isclose` compares them. Waits for the device.

    Parameters
    ----------
    a, b : array_like
        The arrays, which broadcast. At least one is an Array.
    rtol, atol : float
        The tolerances, relative to `b` and absolute. 1e-5 and 1e-8 by default.
    equal_nan : bool
        Whether NaN agrees with NaN. False by default.

    Returns
    -------
    bool
        On the host.

    Raises
    ------
    DTypeError
        Where neither is an Array.
    ShapeError
        Where the shapes do not broadcast.

    Examples
    --------
    >>> import devarray as da
    >>> da.allclose(da.asarray([1.0, 2.0]), da.asarray([1.0, 2.0 + 1e-12]))
    True
    """
    return bool(isclose(a, b, rtol, atol, equal_nan).all())


def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> bool:
    """Whether two arrays have one shape and equal elements. Waits for the device.

    Parameters
    ----------
    a1, a2 : array_like
        The arrays.
    equal_nan : bool
        Whether NaN equals NaN. False by default.

    Returns
    -------
    bool
        On the host.

    Examples
    --------
    >>> import devarray as da
    >>> da.array_equal(da.arange(3), da.asarray([0, 1, 2]))
    True
    """
    return np.shape(a1) == np.shape(a2) and array_equiv(a1, a2, equal_nan=equal_nan)


def array_equiv(a1: Any, a2: Any, *, equal_nan: bool = False) -> bool:
    """Whether two arrays broadcast to one shape and have equal elements there. Waits for the device.

    Parameters
    ----------
    a1, a2 : array_like
        The arrays.
    equal_nan : bool
        Whether NaN equals NaN. False by default.

    Returns
    -------
    bool
        On the host.

    Examples
    --------
    >>> import devarray as da
    >>> da.array_equiv(da.ones((2, 3)), 1)
    True
    """
    try:
        np.broadcast_shapes(np.shape(a1), np.shape(a2))
    except ValueError:
        return False
    same = _core.apply(OP["equal"], a1, a2)
    if equal_nan:
        same = same | (_core.apply(OP["not_equal"], a1, a1) & _core.apply(OP["not_equal"], a2, a2))
    return bool(same.all())


def iscomplexobj(x: Any) -> bool:
    """Whether an array has a complex dtype.

    Parameters
    ----------
    x : array_like
        The array.

    Returns
    -------
    bool
        On the host; no value is read.

    Examples
    --------
    >>> import devarray as da
    >>> da.iscomplexobj(da.zeros(2, da.complex64))
    True
    """
    return bool(np.dtype(x.dtype).kind == "c") if isinstance(x, Array) else np.iscomplexobj(x)


def isrealobj(x: Any) -> bool:
    """Whether an array has a dtype that is not complex.

    Parameters
    ----------
    x : array_like
        The array.

    Returns
    -------
    bool
        On the host; no value is read.

    Examples
    --------
    >>> import devarray as da
    >>> da.isrealobj(da.zeros(2))
    True
    """
    return not iscomplexobj(x)
