"""NumPy's mathematical functions that consist of several element-wise operations. They are recorded and fuse."""

from __future__ import annotations

from math import pi
from typing import Any

import numpy as np

from devarray import _core
from devarray._array.out import write_out
from devarray._routines.statistics.cumulative import cumulative_sum, diff
from devarray.array import OP, Array, normalize_axis
from devarray.errors import DTypeError, ShapeError

__all__ = [
    "angle",
    "around",
    "iscomplex",
    "isneginf",
    "isposinf",
    "isreal",
    "nan_to_num",
    "real_if_close",
    "sinc",
    "unwrap",
]


def apply_op(name: str, *operands: object) -> Array:
    return _core.apply(OP[name], *operands)


def angle(z: Array, deg: bool = False) -> Array:
    """Angles of complex numbers in the plane, in radians from -pi to pi or in degrees.

    Parameters
    ----------
    z : array_like
        The numbers. Negative real ones have the angle pi.
    deg : bool
        Whether to return degrees. False by default.

    Returns
    -------
    Array
        A new array of the shape of `z`, of a real floating-point dtype.

    Examples
    --------
    >>> import devarray as da
    >>> da.angle(da.asarray([1.0, 1j, -1.0]), deg=True).copy_to_host()
    array([  0.,  90., 180.])
    """
    radians = (
        apply_op("atan2", apply_op("imag", z), apply_op("real", z)) if z.dtype.kind == "c" else apply_op("atan2", 0, z)
    )
    return apply_op("rad2deg", radians) if deg else radians


def around(a: Array, decimals: int = 0, out: Array | None = None) -> Array:
    """Numbers rounded to a number of decimal places, ties to even.

    Parameters
    ----------
    a : array_like
        The numbers.
    decimals : int
        Decimal places; negative ones are before the point. 0 by default.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).

    Returns
    -------
    Array
        A new array of the shape and dtype of `a`, or `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.around(da.asarray([1.25, 2.375]), 1).copy_to_host()
    array([1.2, 2.4])
    """
    return a.round(decimals, out)


# --- the parts of numbers ------------------------------------------------------------------------------------------


# --- questions -----------------------------------------------------------------------------------------------------


def iscomplex(x: Array) -> Array:
    """Whether the imaginary part is not zero, element by element.

    Parameters
    ----------
    x : array_like
        The numbers.

    Returns
    -------
    Array
        bool, of the shape of `x`.

    Examples
    --------
    >>> import devarray as da
    >>> da.iscomplex(da.asarray([1 + 1j, 2 + 0j])).copy_to_host()
    array([ True, False])
    """
    return apply_op("not_equal", apply_op("imag", x), 0)


def isreal(x: Array) -> Array:
    """Whether the imaginary part is zero, element by element.

    Parameters
    ----------
    x : array_like
        The numbers.

    Returns
    -------
    Array
        bool, of the shape of `x`.

    Examples
    --------
    >>> import devarray as da
    >>> da.isreal(da.asarray([1 + 1j, 2 + 0j])).copy_to_host()
    array([False,  True])
    """
    return apply_op("equal", apply_op("imag", x), 0)


def isneginf(x: Array, out: Array | None = None) -> Array:
    """Whether the input is negative infinity.

    Parameters
    ----------
    x : array_like
        The numbers.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).

    Returns
    -------
    Array
        bool, of the shape of `x`; or `out`.

    Raises
    ------
    DTypeError
        For complex numbers.

    Examples
    --------
    >>> import devarray as da
    >>> da.isneginf(da.asarray([-da.inf, da.inf, 1.0])).copy_to_host()
    array([ True, False, False])
    """
    return write_out("isneginf", _infinite("isneginf", x, "-inf"), out, spread=True)


def isposinf(x: Array, out: Array | None = None) -> Array:
    """Whether the input is positive infinity.

    Parameters
    ----------
    x : array_like
        The numbers.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).

    Returns
    -------
    Array
        bool, of the shape of `x`; or `out`.

    Raises
    ------
    DTypeError
        For complex numbers.

    Examples
    --------
    >>> import devarray as da
    >>> da.isposinf(da.asarray([-da.inf, da.inf, 1.0])).copy_to_host()
    array([False,  True, False])
    """
    return write_out("isposinf", _infinite("isposinf", x, "inf"), out, spread=True)


def _infinite(name: str, x: Array, which: str) -> Array:
    if x.dtype.kind == "c":
        raise DTypeError(f"{name}: numbers of dtype {x.dtype} have no sign; ask their real or imaginary parts")
    return apply_op("equal", x, float(which)) if x.dtype.kind == "f" else apply_op("isinf", x)


def real_if_close(a: Array, tol: float = 100) -> Array:
    """The real parts where all imaginary ones are about zero, else the array itself.

    Waits for the device, since the dtype of the result depends on the values; arrays that are not complex are
    returned at once.

    Parameters
    ----------
    a : Array
        The numbers.
    tol : float
        Bound of the imaginary parts' magnitudes: above 1 in units of the dtype's epsilon, else as it is. 100 by
        default.

    Returns
    -------
    Array
        A view of the real parts, or `a` itself.

    Examples
    --------
    >>> import devarray as da
    >>> da.real_if_close(da.asarray([2.0 + 1e-15j])).copy_to_host()
    array([2.])
    """
    if a.dtype.kind != "c":
        return a
    bound = tol * float(np.finfo(a.dtype).eps) if tol > 1 else tol
    return a.real if bool((apply_op("abs", a.imag) < bound).all()) else a


# --- waves ---------------------------------------------------------------------------------------------------------


def sinc(x: Array) -> Array:
    """``sin(pi * x) / (pi * x)``, and 1 at zero.

    Parameters
    ----------
    x : array_like
        The numbers.

    Returns
    -------
    Array
        A new array of the shape of `x`.

    Examples
    --------
    >>> import devarray as da
    >>> da.sinc(da.asarray([0.0, 0.5])).copy_to_host().round(6)
    array([1.     , 0.63662])
    """
    y = x * pi
    return apply_op("where", apply_op("not_equal", y, 0), apply_op("sin", y) / y, 1)


def unwrap(p: Array, discont: float | None = None, axis: int = -1, *, period: float = 2 * pi) -> Array:
    """Angles with multiples of the period added, so that neighbours differ by half a period at most.

    Parameters
    ----------
    p : Array
        Of a real dtype. Integers stay so with a whole `period`.
    discont : float, optional
        Differences below it stay as they are; half a period by default, and at least that.
    axis : int
        The axis along which the angles run. The last one by default.
    period : float or int
        In the unit of the angles. 2 * pi by default.

    Returns
    -------
    Array
        A new array of the shape of `p`.

    Raises
    ------
    AxisError
        For an axis that the array does not have.
    ShapeError
        Where the array has no axis.

    Examples
    --------
    >>> import devarray as da
    >>> da.unwrap(da.asarray([0, 1, 2, -1, 0]), period=4).copy_to_host()
    array([0, 1, 2, 3, 4])
    """
    if p.ndim == 0:
        raise ShapeError("unwrap: diff requires input that is at least one dimensional")
    axis = normalize_axis(axis, p.ndim)
    steps = diff(p, axis=axis)
    dtype = np.result_type(p.dtype, period)
    high: float = period / 2
    both = True  # whether half a period up and down are the same
    if dtype.kind in "iu":
        high, rest = period // 2, period % 2
        both = rest == 0
    turned = apply_op("remainder", steps + high, period) - high
    if both:  # steps of half a period keep their direction
        turned = apply_op("where", (turned == -high) & (steps > 0), high, turned)
    added = apply_op("where", apply_op("abs", steps) < (period / 2 if discont is None else discont), 0, turned - steps)
    result = p.astype(dtype)
    if added.size:
        rest_of = (slice(None),) * axis + (slice(1, None),)
        result[rest_of] = p[rest_of] + cumulative_sum(added, axis=axis)
    return result


def _stored(value: Any, x: Array) -> Any:
    """A value that is stored in `x` or its parts, whose leading axes of size 1 do not count."""
    shape = np.shape(value)
    dtype = np.dtype(f"f{x.dtype.itemsize // 2}") if x.dtype.kind == "c" else x.dtype
    try:
        np.copyto(np.empty(shape, dtype), np.empty(shape, value.dtype) if isinstance(value, Array) else value)
    except TypeError as error:
        raise DTypeError(f"nan_to_num: {error}; give numbers that this dtype holds, not {value!r}") from None
    if shape and np.size(value) == 1:
        return value.reshape(()) if isinstance(value, Array) else np.asarray(value).reshape(())[()]
    if _core.broadcast_shapes(x.shape, shape) != x.shape:
        raise ShapeError(f"nan_to_num: values of shape {shape} do not fit an array of shape {x.shape}")
    return value


def nan_to_num(x: Array, copy: bool = True, nan: object = 0.0, posinf: object = None, neginf: object = None) -> Array:
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
    if x.dtype.kind not in "fc":
        return x.copy() if copy else x
    nan = _stored(nan, x)
    posinf, neginf = (value if value is None else _stored(value, x) for value in (posinf, neginf))
    if x.dtype.kind == "c" and x.ndim == 0:  # whose parts are no views to write to
        result = nan_to_num(x[None], nan=nan, posinf=posinf, neginf=neginf)[0]
    elif x.dtype.kind == "c":
        result = x.copy()
        for part, value in ((result.real, x.real), (result.imag, x.imag)):
            part[...] = nan_to_num(value, nan=nan, posinf=posinf, neginf=neginf)
    else:
        limits = np.finfo(x.dtype)
        high = float(limits.max) if posinf is None else posinf
        low = float(limits.min) if neginf is None else neginf
        where, infinite = OP["where"], _core.apply(OP["isinf"], x)
        bounded = _core.apply(where, infinite, _core.apply(where, x > 0, high, low).astype(x.dtype, copy=False), x)
        result = _core.apply(where, _core.apply(OP["isnan"], x), nan, bounded).astype(x.dtype, copy=False)
    if not copy:
        x[...] = result
        return x
    return result
