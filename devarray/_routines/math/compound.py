"""NumPy's mathematical functions that consist of several element-wise operations. They are recorded and fuse."""

from __future__ import annotations

from collections.abc import Callable
from math import pi
from typing import Any

import numpy as np

from devarray import _core
from devarray._array.out import write_out
from devarray._array.ufunc_call import call, targets_of
from devarray._primitives.operands import as_arrays
from devarray._routines.statistics.reductions import cumulative_sum, diff
from devarray.array import OP, Array, normalize_axes
from devarray.errors import DTypeError, ShapeError

__all__ = [
    "angle",
    "around",
    "divmod",
    "frexp",
    "iscomplex",
    "isneginf",
    "isposinf",
    "isreal",
    "ldexp",
    "modf",
    "real_if_close",
    "sinc",
    "unwrap",
]


def _apply(name: str, *operands: Any) -> Array:
    return _core.apply(OP[name], *operands)


def _as_ufunc(name: str, compute: Callable[..., Any], inputs: tuple[Any, ...], out: Any, **keywords: Any) -> Any:
    """A function of several operations with the keywords of NumPy's ufunc of that name."""
    given = {key: value for key, value in keywords.items() if value is not None}
    return call(getattr(np, name), name, inputs, targets_of(name, out), given, compute)


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
    radians = _apply("atan2", _apply("imag", z), _apply("real", z)) if z.dtype.kind == "c" else _apply("atan2", 0, z)
    return _apply("rad2deg", radians) if deg else radians


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


def divmod(
    x1: Any,
    x2: Any,
    /,
    out: Any = (None, None),
    *,
    where: Any = True,
    casting: Any = "same_kind",
    order: str = "K",
    dtype: Any = None,
    subok: bool = True,
    signature: Any = None,
) -> Any:
    """Floor quotients and remainders, as the operators ``//`` and ``%`` give them.

    Parameters
    ----------
    x1 : array_like
        The dividends.
    x2 : array_like
        The divisors. At least one of the two is an Array.
    out : tuple of Array, optional
        Where the results go.
    where : array_like of bool
        The elements that are written; all by default.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for what may be cast. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and results, as NumPy's ufuncs take them.

    Returns
    -------
    quotient, remainder : Array
        New arrays of the shape that the operands broadcast to.

    Raises
    ------
    ShapeError
        Where the shapes do not broadcast.
    DTypeError
        For complex numbers.

    Examples
    --------
    >>> import devarray as da
    >>> [part.copy_to_host().tolist() for part in da.divmod(da.asarray([7, -7]), 3)]
    [[2, -3], [1, 2]]
    """
    return _as_ufunc(
        "divmod", _divmod, (x1, x2), out, where=where, casting=casting, order=order, dtype=dtype, signature=signature
    )


def _divmod(x1: Any, x2: Any) -> tuple[Array, Array]:
    return _apply("floor_divide", x1, x2), _apply("remainder", x1, x2)


def _as_float(x: Array) -> Array:
    """x in the float that NumPy's float functions take for its dtype."""
    if x.dtype.kind == "c":
        raise DTypeError(f"numbers of dtype {x.dtype} have no exponent or whole part")
    if x.dtype.kind == "f":
        return x
    return x.astype(np.result_type(np.float16, x.dtype) if x.itemsize < 4 else np.float64)


def modf(
    x: Array,
    /,
    out: Any = (None, None),
    *,
    where: Any = True,
    casting: Any = "same_kind",
    order: str = "K",
    dtype: Any = None,
    subok: bool = True,
    signature: Any = None,
) -> Any:
    """Fractional and whole parts of numbers.

    Parameters
    ----------
    x : array_like
        The numbers.
    out : tuple of Array, optional
        Where the results go.
    where : array_like of bool
        The elements that are written; all by default.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for what may be cast. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and results, as NumPy's ufuncs take them.

    Returns
    -------
    fraction, whole : Array
        New arrays of a floating-point dtype, both with the sign of `x`.

    Raises
    ------
    DTypeError
        For complex numbers.

    Examples
    --------
    >>> import devarray as da
    >>> [part.copy_to_host().tolist() for part in da.modf(da.asarray([2.25, -1.5]))]
    [[0.25, -0.5], [2.0, -1.0]]
    """
    return _as_ufunc(
        "modf", _modf, (x,), out, where=where, casting=casting, order=order, dtype=dtype, signature=signature
    )


def _modf(x: Array) -> tuple[Array, Array]:
    x = _as_float(x)
    whole = _apply("trunc", x)
    rest = _apply("where", _apply("isinf", x), 0.0, x - whole)
    return _apply("copysign", rest, x), whole


def frexp(
    x: Array,
    /,
    out: Any = (None, None),
    *,
    where: Any = True,
    casting: Any = "same_kind",
    order: str = "K",
    dtype: Any = None,
    subok: bool = True,
    signature: Any = None,
) -> Any:
    """Mantissas and exponents of numbers, such that ``x == mantissa * 2**exponent``.

    Parameters
    ----------
    x : array_like
        The numbers.
    out : tuple of Array, optional
        Where the results go.
    where : array_like of bool
        The elements that are written; all by default.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for what may be cast. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and results, as NumPy's ufuncs take them.

    Returns
    -------
    mantissa : Array
        Floats whose magnitude is from 1/2 to 1, without 1; zeros, infinities and NaN as they are.
    exponent : Array
        int32.

    Raises
    ------
    DTypeError
        For complex numbers.

    Examples
    --------
    >>> import devarray as da
    >>> [part.copy_to_host().tolist() for part in da.frexp(da.asarray([6.0, -0.25]))]
    [[0.75, -0.5], [3, -1]]
    """
    return _as_ufunc(
        "frexp", _frexp, (x,), out, where=where, casting=casting, order=order, dtype=dtype, signature=signature
    )


def _frexp(x: Array) -> tuple[Array, Array]:
    x = _as_float(x)
    info, word = np.finfo(x.dtype), np.dtype(f"i{x.itemsize}")
    tiny = _apply("abs", x) < float(info.tiny)
    # By the bits; what is subnormal is made normal first.
    bits = _apply("where", tiny, x * 2.0 ** (info.nmant + 2), x).view(word)
    mask, half = 2 * info.maxexp - 1, (info.maxexp - 2) << info.nmant  # the exponent of numbers from 1/2 to 1
    exponent = (bits >> info.nmant & mask) - (info.maxexp - 2) - tiny.astype(word) * (info.nmant + 2)
    mantissa = (bits & ~(mask << info.nmant) | half).view(x.dtype)
    other = _apply("logical_or", x == 0, _apply("logical_not", _apply("isfinite", x)))
    exponent = _apply("where", other, 0, exponent).astype(np.int32, copy=False)
    return _apply("where", other, x, mantissa), exponent


def ldexp(
    x1: Any,
    x2: Any,
    /,
    out: Array | None = None,
    *,
    where: Any = True,
    casting: Any = "same_kind",
    order: str = "K",
    dtype: Any = None,
    subok: bool = True,
    signature: Any = None,
) -> Any:
    """Products with powers of two, ``x1 * 2**x2``, rounded once.

    Parameters
    ----------
    x1 : array_like
        Of a real dtype.
    x2 : array_like of int
        The exponents. The two broadcast.
    out : Array, optional
        Where the result goes.
    where : array_like of bool
        The elements that are written; all by default.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for what may be cast. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and results, as NumPy's ufuncs take them.

    Returns
    -------
    Array
        A new array of a floating-point dtype.

    Raises
    ------
    DTypeError
        For exponents that are not integers, and complex `x1`.

    Examples
    --------
    >>> import devarray as da
    >>> da.ldexp(da.asarray([0.75, -0.5]), da.asarray([3, -1])).copy_to_host()
    array([ 6.  , -0.25])
    """
    x, n = as_arrays(x1, x2)
    return _as_ufunc(
        "ldexp", _ldexp, (x, n), out, where=where, casting=casting, order=order, dtype=dtype, signature=signature
    )


def _ldexp(x: Array, n: Array) -> tuple[Array]:
    if n.dtype.kind not in "biu":
        raise DTypeError(f"ldexp: exponents are integers, not {n.dtype}")
    x = _as_float(x)
    if x.itemsize == 2:
        return (_ldexp(x.astype(np.float32), n)[0].astype(np.float16),)
    # By powers of two made of bits: three, since two do not reach from the least number to infinity.
    info, word = np.finfo(x.dtype), np.dtype(f"i{x.itemsize}")
    least, most, left = info.minexp, info.maxexp - 1, n.clip(-5000, 5000).astype(word)
    steps = []
    for _ in range(3):
        steps.append(left.clip(least, most))
        left = left - steps[-1]
    for step in reversed(steps):  # the last product is the only one that can round
        x = x * (step + most << info.nmant).view(x.dtype)
    return (x,)


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
    return _apply("not_equal", _apply("imag", x), 0)


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
    return _apply("equal", _apply("imag", x), 0)


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
    return write_out("isneginf", _infinite("isneginf", x, "-inf"), out)


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
    return write_out("isposinf", _infinite("isposinf", x, "inf"), out)


def _infinite(name: str, x: Array, which: str) -> Array:
    if x.dtype.kind == "c":
        raise DTypeError(f"{name}: numbers of dtype {x.dtype} have no sign; ask their real or imaginary parts")
    return _apply("equal", x, float(which)) if x.dtype.kind == "f" else _apply("isinf", x)


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
    return a.real if bool((_apply("abs", a.imag) < bound).all()) else a


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
    return _apply("where", _apply("not_equal", y, 0), _apply("sin", y) / y, 1)


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
        raise ShapeError("unwrap: a 0-dimensional array has no axis to go along")
    (axis,) = normalize_axes(axis, p.ndim)
    steps = diff(p, axis=axis)
    dtype = np.result_type(p.dtype, period)
    high: float = period / 2
    both = True  # whether half a period up and down are the same
    if dtype.kind in "iu":
        high, rest = period // 2, period % 2
        both = rest == 0
    turned = _apply("remainder", steps + high, period) - high
    if both:  # steps of half a period keep their direction
        turned = _apply("where", (turned == -high) & (steps > 0), high, turned)
    added = _apply("where", _apply("abs", steps) < (period / 2 if discont is None else discont), 0, turned - steps)
    result = p.astype(dtype)
    if added.size:
        rest_of = (slice(None),) * axis + (slice(1, None),)
        result[rest_of] = p[rest_of] + cumulative_sum(added, axis=axis)
    return result
