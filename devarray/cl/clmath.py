"""Element-wise functions under ``pyopencl.clmath``'s names, OpenCL C's.

Examples
--------
>>> import numpy as np
>>> from devarray import cl
>>> from devarray.cl import array as cl_array, clmath
>>> queue = cl.CommandQueue(cl.create_some_context(answers=["0"]))
>>> x = cl_array.to_device(queue, np.array([1, 4, 9], np.float32))
>>> clmath.sqrt(x).get()
array([1., 2., 3.], dtype=float32)
>>> clmath.rsqrt(x[:2]).get()
array([1. , 0.5], dtype=float32)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import devarray as da
from devarray._kernels.driver_arrays import unary_text
from devarray._primitives.checks import require_array
from devarray.cl._bessel import bessel_jn, bessel_yn, hankel_01, kept

if TYPE_CHECKING:
    from devarray._core import Queue

__all__ = [
    "acos",
    "acosh",
    "acospi",
    "asin",
    "asinh",
    "asinpi",
    "atan",
    "atan2",
    "atan2pi",
    "atanh",
    "atanpi",
    "bessel_jn",
    "bessel_yn",
    "cbrt",
    "ceil",
    "cos",
    "cosh",
    "cospi",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "exp10",
    "expm1",
    "fabs",
    "floor",
    "fmod",
    "frexp",
    "hankel_01",
    "hypot",
    "ilogb",
    "ldexp",
    "lgamma",
    "log",
    "log1p",
    "log2",
    "log10",
    "logb",
    "modf",
    "nan",
    "rint",
    "round",
    "rsqrt",
    "sin",
    "sinh",
    "sinpi",
    "sqrt",
    "tan",
    "tanh",
    "tanpi",
    "tgamma",
    "trunc",
]  # fmt: skip

_PI = 3.141592653589793


def _unary(name: str, of: Any = None) -> Any:
    function = of or getattr(da, name)

    def called(array: object, queue: Queue | None = None) -> Any:
        return kept(function(array), array)

    called.__name__, called.__doc__ = name, unary_text(function)
    return called


acos, acosh, asin, asinh = _unary("acos"), _unary("acosh"), _unary("asin"), _unary("asinh")
atan, atanh, cbrt, ceil = _unary("atan"), _unary("atanh"), _unary("cbrt"), _unary("ceil")
cos, cosh, exp, exp2 = _unary("cos"), _unary("cosh"), _unary("exp"), _unary("exp2")
expm1, fabs, floor, log = _unary("expm1"), _unary("fabs"), _unary("floor"), _unary("log")
log10, log1p, log2, rint = _unary("log10"), _unary("log1p"), _unary("log2"), _unary("rint")
sin, sinh, sqrt, tan = _unary("sin"), _unary("sinh"), _unary("sqrt"), _unary("tan")
tanh, trunc = _unary("tanh"), _unary("trunc")
erf, erfc = _unary("erf", da.special.erf), _unary("erfc", da.special.erfc)
lgamma, tgamma = _unary("lgamma", da.special.gammaln), _unary("tgamma", da.special.gamma)


def acospi(array: Any, queue: Queue | None = None) -> Any:
    """acos(x) / pi.

    Parameters
    ----------
    array : Array
        Elements.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake: the work goes to the arrays' own queue.

    Returns
    -------
    Array
        A new array of the operand's class, dtype and shape.
    """
    return kept(da.acos(array) / _PI, array)


def asinpi(array: Any, queue: Queue | None = None) -> Any:
    """asin(x) / pi.

    Parameters
    ----------
    array : Array
        Elements.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake: the work goes to the arrays' own queue.

    Returns
    -------
    Array
        A new array of the operand's class, dtype and shape.
    """
    return kept(da.asin(array) / _PI, array)


def atanpi(array: Any, queue: Queue | None = None) -> Any:
    """atan(x) / pi.

    Parameters
    ----------
    array : Array
        Elements.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake: the work goes to the arrays' own queue.

    Returns
    -------
    Array
        A new array of the operand's class, dtype and shape.
    """
    return kept(da.atan(array) / _PI, array)


def cospi(array: Any, queue: Queue | None = None) -> Any:
    """cos(pi x).

    Parameters
    ----------
    array : Array
        Elements.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake: the work goes to the arrays' own queue.

    Returns
    -------
    Array
        A new array of the operand's class, dtype and shape.
    """
    return kept(da.cos(array * _PI), array)


def sinpi(array: Any, queue: Queue | None = None) -> Any:
    """sin(pi x).

    Parameters
    ----------
    array : Array
        Elements.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake: the work goes to the arrays' own queue.

    Returns
    -------
    Array
        A new array of the operand's class, dtype and shape.
    """
    return kept(da.sin(array * _PI), array)


def tanpi(array: Any, queue: Queue | None = None) -> Any:
    """tan(pi x).

    Parameters
    ----------
    array : Array
        Elements.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake: the work goes to the arrays' own queue.

    Returns
    -------
    Array
        A new array of the operand's class, dtype and shape.
    """
    return kept(da.tan(array * _PI), array)


def exp10(array: Any, queue: Queue | None = None) -> Any:
    """10 raised to the array.

    Parameters
    ----------
    array : Array
        Elements.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake: the work goes to the arrays' own queue.

    Returns
    -------
    Array
        A new array of the operand's class, dtype and shape.
    """
    return kept(10.0**array, array)


def rsqrt(array: Any, queue: Queue | None = None) -> Any:
    """The reciprocal of the square root.

    Parameters
    ----------
    array : Array
        Elements.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake: the work goes to the arrays' own queue.

    Returns
    -------
    Array
        A new array of the operand's class, dtype and shape.
    """
    return kept(1 / da.sqrt(array), array)


def round(array: Any, queue: Queue | None = None) -> Any:
    """The nearest integer, halves away from zero, as C has it.

    Parameters
    ----------
    array : Array
        Elements.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake: the work goes to the arrays' own queue.

    Returns
    -------
    Array
        A new array of the operand's class, dtype and shape.
    """
    return kept(da.copysign(da.floor(da.fabs(array) + 0.5), array), array)


def atan2(y: Any, x: Any, queue: Queue | None = None) -> Any:
    """The angle of the point (x, y).

    Parameters
    ----------
    y : Array
        Elements.
    x : Array
        Elements.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake: the work goes to the arrays' own queue.

    Returns
    -------
    Array
        A new array of the operand's class, dtype and shape.
    """
    return kept(da.atan2(y, x), y)


def atan2pi(y: Any, x: Any, queue: Queue | None = None) -> Any:
    """The angle of the point (x, y) by pi.

    Parameters
    ----------
    y : Array
        Elements.
    x : Array
        Elements.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake: the work goes to the arrays' own queue.

    Returns
    -------
    Array
        A new array of the operand's class, dtype and shape.
    """
    return kept(da.atan2(y, x) / _PI, y)


def hypot(a: Any, b: Any, queue: Queue | None = None) -> Any:
    """The square root of the sum of squares.

    Parameters
    ----------
    a : Array
        Elements.
    b : Array
        As many elements.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake: the work goes to the arrays' own queue.

    Returns
    -------
    Array
        A new array of the operand's class, dtype and shape.
    """
    return kept(da.hypot(a, b), a)


def fmod(arg: Any, mod: Any, queue: Queue | None = None) -> Any:
    """The rest of a division, with the sign of the dividend.

    Parameters
    ----------
    arg : Array
        Elements.
    mod : Array or scalar
        Divisors.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake: the work goes to the arrays' own queue.

    Returns
    -------
    Array
        A new array of the operand's class, dtype and shape.
    """
    return kept(da.fmod(arg, mod), arg)


def frexp(arg: Any, queue: Queue | None = None) -> Any:
    """The significands, in the operand's dtype, and the exponents, in int32.

    Parameters
    ----------
    arg : Array
        Elements.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake: the work goes to the arrays' own queue.

    Returns
    -------
    tuple of Array
        The significands, from 0.5 to 1 without 1, and the exponents.
    """
    require_array("frexp", arg)
    significand, exponent = da.frexp(arg)
    return kept(significand, arg), kept(exponent, arg)


def ldexp(significand: Any, exponent: Any, queue: Queue | None = None) -> Any:
    """The significands times two raised to the exponents.

    Parameters
    ----------
    significand : Array
        Numbers.
    exponent : Array
        Whole numbers, of an integer or a floating-point dtype.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake: the work goes to the arrays' own queue.

    Returns
    -------
    Array
        A new array of the significands' dtype.
    """
    require_array("ldexp", exponent)
    whole = exponent.astype("int32") if exponent.dtype.kind == "f" else exponent
    return kept(da.ldexp(significand, whole), significand)


def modf(arg: Any, queue: Queue | None = None) -> Any:
    """The fractional and the integral parts.

    Parameters
    ----------
    arg : Array
        Elements.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake: the work goes to the arrays' own queue.

    Returns
    -------
    tuple of Array
        The fractional parts, with the signs of the elements, and the integral parts.
    """
    fraction, whole = da.modf(arg)
    return kept(fraction, arg), kept(whole, arg)


def ilogb(array: Any, queue: Queue | None = None) -> Any:
    """The exponent of two below the array, as int32.

    Parameters
    ----------
    array : Array
        Elements.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake: the work goes to the arrays' own queue.

    Returns
    -------
    Array
        A new array of int32.
    """
    return kept((da.frexp(array)[1] - 1).astype("int32"), array)


def logb(array: Any, queue: Queue | None = None) -> Any:
    """The exponent of two below the array.

    Parameters
    ----------
    array : Array
        Elements.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake: the work goes to the arrays' own queue.

    Returns
    -------
    Array
        A new array of the operand's class, dtype and shape.
    """
    require_array("logb", array)
    return kept((da.frexp(array)[1] - 1).astype(array.dtype), array)


def nan(array: Any, queue: Queue | None = None) -> Any:
    """NaNs in an array of the same shape.

    Parameters
    ----------
    array : Array
        Elements.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake: the work goes to the arrays' own queue.

    Returns
    -------
    Array
        A new array of the operand's class, dtype and shape.
    """
    require_array("nan", array)
    return kept(da.full_like(array, float("nan"), dtype="float64" if array.dtype.itemsize == 8 else "float32"), array)
