"""Element-wise functions under ``pycuda.cumath``'s names."""

from __future__ import annotations

from typing import Any

import devarray as da
from devarray._kernels.driver_arrays import unary_text
from devarray._primitives.checks import require_array

__all__ = [
    "acos", "asin", "atan", "ceil", "cos", "cosh", "exp", "fabs", "floor", "fmod", "frexp", "ldexp", "log", "log10",
    "modf", "sin", "sinh", "sqrt", "tan", "tanh",
]  # fmt: skip


def _kept(x: object, like: object) -> Any:
    return like._like(x) if hasattr(like, "_like") else x


def _into(x: Any, like: object, out: Any) -> Any:
    if out is None:
        return _kept(x, like)
    out[...] = x
    return out


def _unary(name: str) -> Any:
    function = getattr(da, name)

    def called(array: object, stream_or_out: object = None, *, out: object = None, stream: object = None) -> Any:
        if out is None and isinstance(stream_or_out, da.Array):
            out = stream_or_out
        return _into(function(array), array, out)

    called.__name__, called.__doc__ = name, unary_text(function, ("stream_or_out", "out", "stream"))
    return called


acos, asin, atan, ceil, cos = _unary("acos"), _unary("asin"), _unary("atan"), _unary("ceil"), _unary("cos")
cosh, exp, fabs, floor, log = _unary("cosh"), _unary("exp"), _unary("fabs"), _unary("floor"), _unary("log")
log10, sin, sinh, sqrt = _unary("log10"), _unary("sin"), _unary("sinh"), _unary("sqrt")
tan, tanh = _unary("tan"), _unary("tanh")


def fmod(arg: Any, mod: Any, stream: Any = None) -> Any:
    """The rest of a division, with the sign of the dividend.

    Parameters
    ----------
    arg : GPUArray
        Elements.
    mod : GPUArray or scalar
        Divisors.
    stream : Stream, optional
        Taken for PyCUDA's sake: the work goes to the arrays' own stream.

    Returns
    -------
    GPUArray
        A new array of the operand's dtype and shape.
    """
    return _kept(da.fmod(arg, mod), arg)


def frexp(arg: Any, stream: Any = None) -> Any:
    """The significands and exponents, both as arrays of the operand's dtype.

    Parameters
    ----------
    arg : GPUArray
        Elements.
    stream : Stream, optional
        Taken for PyCUDA's sake: the work goes to the arrays' own stream.

    Returns
    -------
    tuple of GPUArray
        The significands, from 0.5 to 1 without 1, and the exponents.
    """
    require_array("frexp", arg)
    significand, exponent = da.frexp(arg)
    return _kept(significand, arg), _kept(exponent.astype(arg.dtype), arg)


def ldexp(significand: Any, exponent: Any, stream: Any = None) -> Any:
    """The significands times two raised to the exponents.

    Parameters
    ----------
    significand : GPUArray
        Numbers.
    exponent : GPUArray
        Whole numbers, of an integer or a floating-point dtype.
    stream : Stream, optional
        Taken for PyCUDA's sake: the work goes to the arrays' own stream.

    Returns
    -------
    GPUArray
        A new array of the operand's dtype and shape.
    """
    require_array("ldexp", exponent)
    whole = exponent.astype("int32") if exponent.dtype.kind == "f" else exponent
    return _kept(da.ldexp(significand, whole), significand)


def modf(arg: Any, stream: object = None) -> Any:
    """The fractional and the integral parts.

    Parameters
    ----------
    arg : GPUArray
        Elements.
    stream : Stream, optional
        Taken for PyCUDA's sake: the work goes to the arrays' own stream.

    Returns
    -------
    tuple of GPUArray
        The fractional parts, with the signs of the elements, and the integral parts.
    """
    fraction, whole = da.modf(arg)
    return _kept(fraction, arg), _kept(whole, arg)
