"""Element-wise functions, one for each row of the op table. Written by tools/make_elementwise.py: do not edit.

Each records its operation; chains run as one kernel when a value is needed. Operands are arrays and Python or NumPy
scalars, which take the arrays' dtype as NumPy 2 promotes them, and broadcast. All raise DTypeError for dtypes that the
operation does not take, ShapeError for shapes that do not broadcast, DeviceError for arrays of two devices.
"""

# ruff: noqa: E501
from __future__ import annotations

from typing import TypeAlias

import numpy as np

from devarray._core import apply as _apply
from devarray.array import OP, Array

__all__ = [
    "abs",
    "absolute",
    "acos",
    "acosh",
    "add",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "cbrt",
    "ceil",
    "clip",
    "conj",
    "conjugate",
    "copysign",
    "cos",
    "cosh",
    "deg2rad",
    "divide",
    "equal",
    "exp",
    "exp2",
    "expm1",
    "fabs",
    "float_power",
    "floor",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "gcd",
    "greater",
    "greater_equal",
    "heaviside",
    "hypot",
    "imag",
    "invert",
    "isfinite",
    "isinf",
    "isnan",
    "lcm",
    "left_shift",
    "less",
    "less_equal",
    "log",
    "log10",
    "log1p",
    "log2",
    "logaddexp",
    "logaddexp2",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "mod",
    "multiply",
    "negative",
    "nextafter",
    "not_equal",
    "positive",
    "pow",
    "power",
    "rad2deg",
    "real",
    "reciprocal",
    "remainder",
    "right_shift",
    "rint",
    "round",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "subtract",
    "tan",
    "tanh",
    "true_divide",
    "trunc",
    "where",
]

Scalar: TypeAlias = bool | int | float | complex | np.generic
Operand: TypeAlias = Array | Scalar

_add = OP["add"]
_subtract = OP["subtract"]
_multiply = OP["multiply"]
_divide = OP["divide"]
_floor_divide = OP["floor_divide"]
_remainder = OP["remainder"]
_fmod = OP["fmod"]
_pow = OP["pow"]
_float_power = OP["float_power"]
_negative = OP["negative"]
_positive = OP["positive"]
_abs = OP["abs"]
_fabs = OP["fabs"]
_sign = OP["sign"]
_square = OP["square"]
_reciprocal = OP["reciprocal"]
_sqrt = OP["sqrt"]
_cbrt = OP["cbrt"]
_hypot = OP["hypot"]
_gcd = OP["gcd"]
_lcm = OP["lcm"]
_ceil = OP["ceil"]
_floor = OP["floor"]
_trunc = OP["trunc"]
_round = OP["round"]
_rint = OP["rint"]
_exp = OP["exp"]
_exp2 = OP["exp2"]
_expm1 = OP["expm1"]
_log = OP["log"]
_log1p = OP["log1p"]
_log2 = OP["log2"]
_log10 = OP["log10"]
_logaddexp = OP["logaddexp"]
_logaddexp2 = OP["logaddexp2"]
_sin = OP["sin"]
_cos = OP["cos"]
_tan = OP["tan"]
_asin = OP["asin"]
_acos = OP["acos"]
_atan = OP["atan"]
_atan2 = OP["atan2"]
_sinh = OP["sinh"]
_cosh = OP["cosh"]
_tanh = OP["tanh"]
_asinh = OP["asinh"]
_acosh = OP["acosh"]
_atanh = OP["atanh"]
_deg2rad = OP["deg2rad"]
_rad2deg = OP["rad2deg"]
_equal = OP["equal"]
_not_equal = OP["not_equal"]
_less = OP["less"]
_less_equal = OP["less_equal"]
_greater = OP["greater"]
_greater_equal = OP["greater_equal"]
_maximum = OP["maximum"]
_minimum = OP["minimum"]
_fmax = OP["fmax"]
_fmin = OP["fmin"]
_where = OP["where"]
_heaviside = OP["heaviside"]
_bitwise_and = OP["bitwise_and"]
_bitwise_or = OP["bitwise_or"]
_bitwise_xor = OP["bitwise_xor"]
_bitwise_invert = OP["bitwise_invert"]
_bitwise_left_shift = OP["bitwise_left_shift"]
_bitwise_right_shift = OP["bitwise_right_shift"]
_logical_and = OP["logical_and"]
_logical_or = OP["logical_or"]
_logical_xor = OP["logical_xor"]
_logical_not = OP["logical_not"]
_isfinite = OP["isfinite"]
_isinf = OP["isinf"]
_isnan = OP["isnan"]
_signbit = OP["signbit"]
_copysign = OP["copysign"]
_nextafter = OP["nextafter"]
_conj = OP["conj"]
_real = OP["real"]
_imag = OP["imag"]


def add(x1: Operand, x2: Operand, /) -> Array:
    """Sum; of bools, their or.

    Examples
    --------
    >>> import devarray as da
    >>> da.add(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host()
    array([3., 9.])
    """
    return _apply(_add, x1, x2)


def subtract(x1: Operand, x2: Operand, /) -> Array:
    """Difference.

    Examples
    --------
    >>> import devarray as da
    >>> da.subtract(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host()
    array([-1.,  5.])
    """
    return _apply(_subtract, x1, x2)


def multiply(x1: Operand, x2: Operand, /) -> Array:
    """Product; of bools, their and.

    Examples
    --------
    >>> import devarray as da
    >>> da.multiply(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host()
    array([ 2., 14.])
    """
    return _apply(_multiply, x1, x2)


def divide(x1: Operand, x2: Operand, /) -> Array:
    """Quotient as a float.

    Examples
    --------
    >>> import devarray as da
    >>> da.divide(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host()
    array([0.5, 3.5])
    """
    return _apply(_divide, x1, x2)


def floor_divide(x1: Operand, x2: Operand, /) -> Array:
    """Greatest integer not above the quotient.

    Examples
    --------
    >>> import devarray as da
    >>> da.floor_divide(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host()
    array([0., 3.])
    """
    return _apply(_floor_divide, x1, x2)


def remainder(x1: Operand, x2: Operand, /) -> Array:
    """What floor division leaves; has the divisor's sign.

    Examples
    --------
    >>> import devarray as da
    >>> da.remainder(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host()
    array([1., 1.])
    """
    return _apply(_remainder, x1, x2)


def fmod(x1: Operand, x2: Operand, /) -> Array:
    """What truncated division leaves; has the dividend's sign.

    Examples
    --------
    >>> import devarray as da
    >>> da.fmod(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host()
    array([1., 1.])
    """
    return _apply(_fmod, x1, x2)


def pow(x1: Operand, x2: Operand, /) -> Array:
    """First input raised to the second.

    NumPy's ``power``.

    Examples
    --------
    >>> import devarray as da
    >>> da.pow(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host()
    array([ 1., 49.])
    """
    return _apply(_pow, x1, x2)


def float_power(x1: Operand, x2: Operand, /) -> Array:
    """Power in float64 or complex128.

    Examples
    --------
    >>> import devarray as da
    >>> da.float_power(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host()
    array([ 1., 49.])
    """
    return _apply(_float_power, x1, x2)


def negative(x: Array, /) -> Array:
    """The input with its sign changed.

    Examples
    --------
    >>> import devarray as da
    >>> da.negative(da.asarray([-1.5, 0.25, 2.75])).copy_to_host()
    array([ 1.5 , -0.25, -2.75])
    """
    return _apply(_negative, x)


def positive(x: Array, /) -> Array:
    """The input itself.

    Examples
    --------
    >>> import devarray as da
    >>> da.positive(da.asarray([0.5, 4.0])).copy_to_host()
    array([0.5, 4. ])
    """
    return _apply(_positive, x)


def abs(x: Array, /) -> Array:
    """Absolute value, or magnitude.

    NumPy's ``absolute``.

    Examples
    --------
    >>> import devarray as da
    >>> da.abs(da.asarray([-1.5, 0.25, 2.75])).copy_to_host()
    array([1.5 , 0.25, 2.75])
    """
    return _apply(_abs, x)


def fabs(x: Array, /) -> Array:
    """Absolute value as a float.

    Examples
    --------
    >>> import devarray as da
    >>> da.fabs(da.asarray([-1.5, 0.25, 2.75])).copy_to_host()
    array([1.5 , 0.25, 2.75])
    """
    return _apply(_fabs, x)


def sign(x: Array, /) -> Array:
    """-1, 0 or 1; of complex numbers, z / abs(z).

    Examples
    --------
    >>> import devarray as da
    >>> da.sign(da.asarray([-1.5, 0.25, 2.75])).copy_to_host()
    array([-1.,  1.,  1.])
    """
    return _apply(_sign, x)


def square(x: Array, /) -> Array:
    """Product with itself.

    Examples
    --------
    >>> import devarray as da
    >>> da.square(da.asarray([0.5, 4.0])).copy_to_host()
    array([ 0.25, 16.  ])
    """
    return _apply(_square, x)


def reciprocal(x: Array, /) -> Array:
    """1 divided by the input.

    Examples
    --------
    >>> import devarray as da
    >>> da.reciprocal(da.asarray([0.5, 4.0])).copy_to_host()
    array([2.  , 0.25])
    """
    return _apply(_reciprocal, x)


def sqrt(x: Array, /) -> Array:
    """Square root.

    Examples
    --------
    >>> import devarray as da
    >>> da.sqrt(da.asarray([0.5, 4.0])).copy_to_host().round(6)
    array([0.707107, 2.      ])
    """
    return _apply(_sqrt, x)


def cbrt(x: Array, /) -> Array:
    """Cube root.

    Examples
    --------
    >>> import devarray as da
    >>> da.cbrt(da.asarray([0.5, 4.0])).copy_to_host().round(6)
    array([0.793701, 1.587401])
    """
    return _apply(_cbrt, x)


def hypot(x1: Operand, x2: Operand, /) -> Array:
    """Square root of the sum of squares.

    Examples
    --------
    >>> import devarray as da
    >>> da.hypot(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host().round(6)
    array([2.236068, 7.28011 ])
    """
    return _apply(_hypot, x1, x2)


def gcd(x1: Operand, x2: Operand, /) -> Array:
    """Greatest common divisor.

    Examples
    --------
    >>> import devarray as da
    >>> da.gcd(da.asarray([6, 5]), da.asarray([4, 2])).copy_to_host()
    array([2, 1])
    """
    return _apply(_gcd, x1, x2)


def lcm(x1: Operand, x2: Operand, /) -> Array:
    """Least common multiple.

    Examples
    --------
    >>> import devarray as da
    >>> da.lcm(da.asarray([6, 5]), da.asarray([4, 2])).copy_to_host()
    array([12, 10])
    """
    return _apply(_lcm, x1, x2)


def ceil(x: Array, /) -> Array:
    """Least integer not below the input.

    Examples
    --------
    >>> import devarray as da
    >>> da.ceil(da.asarray([-1.5, 0.25, 2.75])).copy_to_host()
    array([-1.,  1.,  3.])
    """
    return _apply(_ceil, x)


def floor(x: Array, /) -> Array:
    """Greatest integer not above the input.

    Examples
    --------
    >>> import devarray as da
    >>> da.floor(da.asarray([-1.5, 0.25, 2.75])).copy_to_host()
    array([-2.,  0.,  2.])
    """
    return _apply(_floor, x)


def trunc(x: Array, /) -> Array:
    """Nearest integer towards zero.

    Examples
    --------
    >>> import devarray as da
    >>> da.trunc(da.asarray([-1.5, 0.25, 2.75])).copy_to_host()
    array([-1.,  0.,  2.])
    """
    return _apply(_trunc, x)


def round(x: Array, /) -> Array:
    """Nearest integer, ties to even.

    Examples
    --------
    >>> import devarray as da
    >>> da.round(da.asarray([-1.5, 0.25, 2.75])).copy_to_host()
    array([-2.,  0.,  3.])
    """
    return _apply(_round, x)


def rint(x: Array, /) -> Array:
    """Nearest integer as a float, ties to even.

    Examples
    --------
    >>> import devarray as da
    >>> da.rint(da.asarray([-1.5, 0.25, 2.75])).copy_to_host()
    array([-2.,  0.,  3.])
    """
    return _apply(_rint, x)


def exp(x: Array, /) -> Array:
    """e raised to the input.

    Examples
    --------
    >>> import devarray as da
    >>> da.exp(da.asarray([0.5, 4.0])).copy_to_host().round(6)
    array([ 1.648721, 54.59815 ])
    """
    return _apply(_exp, x)


def exp2(x: Array, /) -> Array:
    """2 raised to the input.

    Examples
    --------
    >>> import devarray as da
    >>> da.exp2(da.asarray([0.5, 4.0])).copy_to_host().round(6)
    array([ 1.414214, 16.      ])
    """
    return _apply(_exp2, x)


def expm1(x: Array, /) -> Array:
    """exp(x) - 1, exact near zero.

    Examples
    --------
    >>> import devarray as da
    >>> da.expm1(da.asarray([0.5, 4.0])).copy_to_host().round(6)
    array([ 0.648721, 53.59815 ])
    """
    return _apply(_expm1, x)


def log(x: Array, /) -> Array:
    """Natural logarithm.

    Examples
    --------
    >>> import devarray as da
    >>> da.log(da.asarray([0.5, 4.0])).copy_to_host().round(6)
    array([-0.693147,  1.386294])
    """
    return _apply(_log, x)


def log1p(x: Array, /) -> Array:
    """log(1 + x), exact near zero.

    Examples
    --------
    >>> import devarray as da
    >>> da.log1p(da.asarray([0.5, 4.0])).copy_to_host().round(6)
    array([0.405465, 1.609438])
    """
    return _apply(_log1p, x)


def log2(x: Array, /) -> Array:
    """Logarithm to base 2.

    Examples
    --------
    >>> import devarray as da
    >>> da.log2(da.asarray([0.5, 4.0])).copy_to_host()
    array([-1.,  2.])
    """
    return _apply(_log2, x)


def log10(x: Array, /) -> Array:
    """Logarithm to base 10.

    Examples
    --------
    >>> import devarray as da
    >>> da.log10(da.asarray([0.5, 4.0])).copy_to_host().round(6)
    array([-0.30103,  0.60206])
    """
    return _apply(_log10, x)


def logaddexp(x1: Operand, x2: Operand, /) -> Array:
    """log(exp(a) + exp(b)) without overflow.

    Examples
    --------
    >>> import devarray as da
    >>> da.logaddexp(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host().round(6)
    array([2.313262, 7.006715])
    """
    return _apply(_logaddexp, x1, x2)


def logaddexp2(x1: Operand, x2: Operand, /) -> Array:
    """log2(2**a + 2**b) without overflow.

    Examples
    --------
    >>> import devarray as da
    >>> da.logaddexp2(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host().round(6)
    array([2.584963, 7.044394])
    """
    return _apply(_logaddexp2, x1, x2)


def sin(x: Array, /) -> Array:
    """Sine of an angle in radians.

    Examples
    --------
    >>> import devarray as da
    >>> da.sin(da.asarray([0.5, 4.0])).copy_to_host().round(6)
    array([ 0.479426, -0.756802])
    """
    return _apply(_sin, x)


def cos(x: Array, /) -> Array:
    """Cosine of an angle in radians.

    Examples
    --------
    >>> import devarray as da
    >>> da.cos(da.asarray([0.5, 4.0])).copy_to_host().round(6)
    array([ 0.877583, -0.653644])
    """
    return _apply(_cos, x)


def tan(x: Array, /) -> Array:
    """Tangent of an angle in radians.

    Examples
    --------
    >>> import devarray as da
    >>> da.tan(da.asarray([0.5, 4.0])).copy_to_host().round(6)
    array([0.546302, 1.157821])
    """
    return _apply(_tan, x)


def asin(x: Array, /) -> Array:
    """Inverse sine, in radians.

    NumPy's ``arcsin``.

    Examples
    --------
    >>> import devarray as da
    >>> da.asin(da.asarray([0.0, 0.5])).copy_to_host().round(6)
    array([0.      , 0.523599])
    """
    return _apply(_asin, x)


def acos(x: Array, /) -> Array:
    """Inverse cosine, in radians.

    NumPy's ``arccos``.

    Examples
    --------
    >>> import devarray as da
    >>> da.acos(da.asarray([0.0, 0.5])).copy_to_host().round(6)
    array([1.570796, 1.047198])
    """
    return _apply(_acos, x)


def atan(x: Array, /) -> Array:
    """Inverse tangent, in radians.

    NumPy's ``arctan``.

    Examples
    --------
    >>> import devarray as da
    >>> da.atan(da.asarray([0.5, 4.0])).copy_to_host().round(6)
    array([0.463648, 1.325818])
    """
    return _apply(_atan, x)


def atan2(x1: Operand, x2: Operand, /) -> Array:
    """Angle of the point (b, a), in radians.

    NumPy's ``arctan2``.

    Examples
    --------
    >>> import devarray as da
    >>> da.atan2(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host().round(6)
    array([0.463648, 1.292497])
    """
    return _apply(_atan2, x1, x2)


def sinh(x: Array, /) -> Array:
    """Hyperbolic sine.

    Examples
    --------
    >>> import devarray as da
    >>> da.sinh(da.asarray([0.5, 4.0])).copy_to_host().round(6)
    array([ 0.521095, 27.289917])
    """
    return _apply(_sinh, x)


def cosh(x: Array, /) -> Array:
    """Hyperbolic cosine.

    Examples
    --------
    >>> import devarray as da
    >>> da.cosh(da.asarray([0.5, 4.0])).copy_to_host().round(6)
    array([ 1.127626, 27.308233])
    """
    return _apply(_cosh, x)


def tanh(x: Array, /) -> Array:
    """Hyperbolic tangent.

    Examples
    --------
    >>> import devarray as da
    >>> da.tanh(da.asarray([0.5, 4.0])).copy_to_host().round(6)
    array([0.462117, 0.999329])
    """
    return _apply(_tanh, x)


def asinh(x: Array, /) -> Array:
    """Inverse hyperbolic sine.

    NumPy's ``arcsinh``.

    Examples
    --------
    >>> import devarray as da
    >>> da.asinh(da.asarray([0.5, 4.0])).copy_to_host().round(6)
    array([0.481212, 2.094713])
    """
    return _apply(_asinh, x)


def acosh(x: Array, /) -> Array:
    """Inverse hyperbolic cosine.

    NumPy's ``arccosh``.

    Examples
    --------
    >>> import devarray as da
    >>> da.acosh(da.asarray([1.0, 2.0])).copy_to_host().round(6)
    array([0.      , 1.316958])
    """
    return _apply(_acosh, x)


def atanh(x: Array, /) -> Array:
    """Inverse hyperbolic tangent.

    NumPy's ``arctanh``.

    Examples
    --------
    >>> import devarray as da
    >>> da.atanh(da.asarray([0.0, 0.5])).copy_to_host().round(6)
    array([0.      , 0.549306])
    """
    return _apply(_atanh, x)


def deg2rad(x: Array, /) -> Array:
    """Degrees to radians.

    Examples
    --------
    >>> import devarray as da
    >>> da.deg2rad(da.asarray([0.5, 4.0])).copy_to_host().round(6)
    array([0.008727, 0.069813])
    """
    return _apply(_deg2rad, x)


def rad2deg(x: Array, /) -> Array:
    """Radians to degrees.

    Examples
    --------
    >>> import devarray as da
    >>> da.rad2deg(da.asarray([0.5, 4.0])).copy_to_host().round(6)
    array([ 28.64789 , 229.183118])
    """
    return _apply(_rad2deg, x)


def equal(x1: Operand, x2: Operand, /) -> Array:
    """Whether the inputs are equal.

    Examples
    --------
    >>> import devarray as da
    >>> da.equal(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host()
    array([False, False])
    """
    return _apply(_equal, x1, x2)


def not_equal(x1: Operand, x2: Operand, /) -> Array:
    """Whether the inputs differ.

    Examples
    --------
    >>> import devarray as da
    >>> da.not_equal(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host()
    array([ True,  True])
    """
    return _apply(_not_equal, x1, x2)


def less(x1: Operand, x2: Operand, /) -> Array:
    """Whether a < b.

    Examples
    --------
    >>> import devarray as da
    >>> da.less(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host()
    array([ True, False])
    """
    return _apply(_less, x1, x2)


def less_equal(x1: Operand, x2: Operand, /) -> Array:
    """Whether a <= b.

    Examples
    --------
    >>> import devarray as da
    >>> da.less_equal(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host()
    array([ True, False])
    """
    return _apply(_less_equal, x1, x2)


def greater(x1: Operand, x2: Operand, /) -> Array:
    """Whether a > b.

    Examples
    --------
    >>> import devarray as da
    >>> da.greater(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host()
    array([False,  True])
    """
    return _apply(_greater, x1, x2)


def greater_equal(x1: Operand, x2: Operand, /) -> Array:
    """Whether a >= b.

    Examples
    --------
    >>> import devarray as da
    >>> da.greater_equal(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host()
    array([False,  True])
    """
    return _apply(_greater_equal, x1, x2)


def maximum(x1: Operand, x2: Operand, /) -> Array:
    """The greater input; NaN if either is NaN.

    Examples
    --------
    >>> import devarray as da
    >>> da.maximum(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host()
    array([2., 7.])
    """
    return _apply(_maximum, x1, x2)


def minimum(x1: Operand, x2: Operand, /) -> Array:
    """The lesser input; NaN if either is NaN.

    Examples
    --------
    >>> import devarray as da
    >>> da.minimum(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host()
    array([1., 2.])
    """
    return _apply(_minimum, x1, x2)


def fmax(x1: Operand, x2: Operand, /) -> Array:
    """The greater input; a NaN only if both are.

    Examples
    --------
    >>> import devarray as da
    >>> da.fmax(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host()
    array([2., 7.])
    """
    return _apply(_fmax, x1, x2)


def fmin(x1: Operand, x2: Operand, /) -> Array:
    """The lesser input; a NaN only if both are.

    Examples
    --------
    >>> import devarray as da
    >>> da.fmin(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host()
    array([1., 2.])
    """
    return _apply(_fmin, x1, x2)


def clip(x: Array, /, min: Operand | None = None, max: Operand | None = None) -> Array:
    """The first input, kept between the second and the third.

    A bound of None is none.

    Examples
    --------
    >>> import devarray as da
    >>> da.clip(da.asarray([1, 5, 9]), 2, 6).copy_to_host()
    array([2, 5, 6])
    """
    return x.clip(min, max)


def where(condition: Array, x1: Operand, x2: Operand, /) -> Array:
    """The second input where the first is true, else the third.

    Examples
    --------
    >>> import devarray as da
    >>> da.where(da.asarray([True, False]), 1, 2).copy_to_host()
    array([1, 2])
    """
    return _apply(_where, condition, x1, x2)


def heaviside(x1: Operand, x2: Operand, /) -> Array:
    """0 below zero, 1 above, b at zero.

    Examples
    --------
    >>> import devarray as da
    >>> da.heaviside(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host()
    array([1., 1.])
    """
    return _apply(_heaviside, x1, x2)


def bitwise_and(x1: Operand, x2: Operand, /) -> Array:
    """And of the bits.

    Examples
    --------
    >>> import devarray as da
    >>> da.bitwise_and(da.asarray([6, 5]), da.asarray([4, 2])).copy_to_host()
    array([4, 0])
    """
    return _apply(_bitwise_and, x1, x2)


def bitwise_or(x1: Operand, x2: Operand, /) -> Array:
    """Or of the bits.

    Examples
    --------
    >>> import devarray as da
    >>> da.bitwise_or(da.asarray([6, 5]), da.asarray([4, 2])).copy_to_host()
    array([6, 7])
    """
    return _apply(_bitwise_or, x1, x2)


def bitwise_xor(x1: Operand, x2: Operand, /) -> Array:
    """Exclusive or of the bits.

    Examples
    --------
    >>> import devarray as da
    >>> da.bitwise_xor(da.asarray([6, 5]), da.asarray([4, 2])).copy_to_host()
    array([2, 7])
    """
    return _apply(_bitwise_xor, x1, x2)


def bitwise_invert(x: Array, /) -> Array:
    """Every bit changed; of bools, their not.

    NumPy's ``invert``.

    Examples
    --------
    >>> import devarray as da
    >>> da.bitwise_invert(da.asarray([6, 5])).copy_to_host()
    array([-7, -6])
    """
    return _apply(_bitwise_invert, x)


def bitwise_left_shift(x1: Operand, x2: Operand, /) -> Array:
    """Bits moved up; zeros from below.

    NumPy's ``left_shift``.

    Examples
    --------
    >>> import devarray as da
    >>> da.bitwise_left_shift(da.asarray([6, 5]), da.asarray([4, 2])).copy_to_host()
    array([96, 20])
    """
    return _apply(_bitwise_left_shift, x1, x2)


def bitwise_right_shift(x1: Operand, x2: Operand, /) -> Array:
    """Bits moved down; the sign from above.

    NumPy's ``right_shift``.

    Examples
    --------
    >>> import devarray as da
    >>> da.bitwise_right_shift(da.asarray([6, 5]), da.asarray([4, 2])).copy_to_host()
    array([0, 1])
    """
    return _apply(_bitwise_right_shift, x1, x2)


def logical_and(x1: Operand, x2: Operand, /) -> Array:
    """Whether both inputs are non-zero.

    Examples
    --------
    >>> import devarray as da
    >>> da.logical_and(da.asarray([True, False]), da.asarray([True, True])).copy_to_host()
    array([ True, False])
    """
    return _apply(_logical_and, x1, x2)


def logical_or(x1: Operand, x2: Operand, /) -> Array:
    """Whether an input is non-zero.

    Examples
    --------
    >>> import devarray as da
    >>> da.logical_or(da.asarray([True, False]), da.asarray([True, True])).copy_to_host()
    array([ True,  True])
    """
    return _apply(_logical_or, x1, x2)


def logical_xor(x1: Operand, x2: Operand, /) -> Array:
    """Whether just one input is non-zero.

    Examples
    --------
    >>> import devarray as da
    >>> da.logical_xor(da.asarray([True, False]), da.asarray([True, True])).copy_to_host()
    array([False,  True])
    """
    return _apply(_logical_xor, x1, x2)


def logical_not(x: Array, /) -> Array:
    """Whether the input is zero.

    Examples
    --------
    >>> import devarray as da
    >>> da.logical_not(da.asarray([True, False])).copy_to_host()
    array([False,  True])
    """
    return _apply(_logical_not, x)


def isfinite(x: Array, /) -> Array:
    """Whether the input is neither infinite nor NaN.

    Examples
    --------
    >>> import devarray as da
    >>> da.isfinite(da.asarray([1.0, float('inf'), float('nan')])).copy_to_host()
    array([ True, False, False])
    """
    return _apply(_isfinite, x)


def isinf(x: Array, /) -> Array:
    """Whether the input is infinite.

    Examples
    --------
    >>> import devarray as da
    >>> da.isinf(da.asarray([1.0, float('inf'), float('nan')])).copy_to_host()
    array([False,  True, False])
    """
    return _apply(_isinf, x)


def isnan(x: Array, /) -> Array:
    """Whether the input is NaN.

    Examples
    --------
    >>> import devarray as da
    >>> da.isnan(da.asarray([1.0, float('inf'), float('nan')])).copy_to_host()
    array([False, False,  True])
    """
    return _apply(_isnan, x)


def signbit(x: Array, /) -> Array:
    """Whether the sign bit is set.

    Examples
    --------
    >>> import devarray as da
    >>> da.signbit(da.asarray([-1.5, 0.25, 2.75])).copy_to_host()
    array([ True, False, False])
    """
    return _apply(_signbit, x)


def copysign(x1: Operand, x2: Operand, /) -> Array:
    """The first input with the second's sign.

    Examples
    --------
    >>> import devarray as da
    >>> da.copysign(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host()
    array([1., 7.])
    """
    return _apply(_copysign, x1, x2)


def nextafter(x1: Operand, x2: Operand, /) -> Array:
    """The next number from a towards b.

    Examples
    --------
    >>> import devarray as da
    >>> da.nextafter(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host()
    array([1., 7.])
    """
    return _apply(_nextafter, x1, x2)


def conj(x: Array, /) -> Array:
    """Complex conjugate.

    NumPy's ``conjugate``.

    Examples
    --------
    >>> import devarray as da
    >>> da.conj(da.asarray([(1+2j), (3-1j)])).copy_to_host()
    array([1.-2.j, 3.+1.j])
    """
    return _apply(_conj, x)


def real(x: Array, /) -> Array:
    """Real part.

    Examples
    --------
    >>> import devarray as da
    >>> da.real(da.asarray([(1+2j), (3-1j)])).copy_to_host()
    array([1., 3.])
    """
    return _apply(_real, x)


def imag(x: Array, /) -> Array:
    """Imaginary part; zeros for real input.

    Examples
    --------
    >>> import devarray as da
    >>> da.imag(da.asarray([(1+2j), (3-1j)])).copy_to_host()
    array([ 2., -1.])
    """
    return _apply(_imag, x)


# NumPy's names
absolute = abs
arccos = acos
arccosh = acosh
arcsin = asin
arcsinh = asinh
arctan = atan
arctan2 = atan2
arctanh = atanh
invert = bitwise_invert
left_shift = bitwise_left_shift
right_shift = bitwise_right_shift
conjugate = conj
true_divide = divide
power = pow
mod = remainder
