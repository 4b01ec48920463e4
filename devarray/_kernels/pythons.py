"""Python's functions of numbers, and those of `math`, as operations on arrays."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from devarray._routines.math import elementwise as ew
from devarray.array import Array
from devarray.errors import Error

__all__ = ["TraceError", "is_traced", "translated"]


class TraceError(Error, TypeError):
    """A Python function cannot be followed: what it does depends on values in a way that `where` does not choose."""


def is_traced(value: object) -> bool:
    """Whether it is an array that stands for each of its elements."""
    return isinstance(value, Array)


def _in_float64(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of `math`, which takes whole numbers as floats of 64 bits; floats stay in their precision."""
    return lambda *xs: function(*(x.astype("float64") if is_traced(x) and x.dtype.kind in "biu" else x for x in xs))


_OF_FLOATS = [
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "copysign", "cos", "cosh", "exp", "exp2",
    "expm1", "fabs", "fmod", "hypot", "log", "log10", "log1p", "log2", "nextafter", "pow", "sin", "sinh", "sqrt", "tan",
    "tanh",
]  # fmt: skip
_OF_ANY = ("gcd", "lcm", "isfinite", "isinf", "isnan")
_SPELLED = {"degrees": "rad2deg", "radians": "deg2rad"}
_MATH: dict[Any, Callable[..., Any]] = {
    **{getattr(math, name): getattr(ew, name) for name in _OF_ANY},
    **{
        getattr(math, name): _in_float64(getattr(ew, _SPELLED.get(name, name)))
        for name in (*_OF_FLOATS, *_SPELLED)
        if hasattr(math, name)  # cbrt and exp2 are Python 3.11's
    },
}


def _whole(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: (function(x) if x.dtype.kind == "f" else x).astype("int64", copy=False)


def _extreme(exceeds: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """Python's `max` or `min` of numbers: a later one that is no more, as NaN is, takes no earlier one's place."""

    def chosen(*xs: Any) -> Any:
        return reduce(lambda best, x: _choice(exceeds(x, best), x, best), xs if len(xs) > 1 else xs[0])

    return chosen


def _choice(test: Any, first: Any, second: Any) -> Any:
    return ew.where(test, first, second) if is_traced(test) else first if test else second


def _refused(name: str) -> Callable[..., Any]:
    def refuse(*_: object) -> Any:
        raise TraceError(f"{name}() of an array is not that of each element")

    return refuse


_BUILTINS: dict[Any, Callable[..., Any]] = {
    abs: operator.abs,
    pow: operator.pow,
    min: _extreme(operator.lt),
    max: _extreme(operator.gt),
    bool: lambda x: x != 0,
    int: _whole(ew.trunc),
    float: lambda x: x.astype("float64"),
    round: lambda x, ndigits=0: _whole(ew.round)(x) if not ndigits else ew.round(x * 10.0**ndigits) / 10.0**ndigits,
    math.floor: _whole(ew.floor),
    math.ceil: _whole(ew.ceil),
    math.trunc: _whole(ew.trunc),
    **{function: _refused(function.__name__) for function in (str, repr, format)},
}


def translated(function: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[bool, Any]:
    """Whether one of Python's functions has an operation on arrays, and what it gives."""
    for table in (_MATH, _BUILTINS):
        try:
            ours = table.get(function)
        except TypeError:  # not hashable
            break
        if ours is not None:
            return True, ours(*args, **kwargs)
    return False, None
