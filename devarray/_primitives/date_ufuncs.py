"""What NumPy's ufuncs compute of datetime64 and timedelta64: rules on counts, between casts that NumPy itself names.

``ufunc.resolve_dtypes()`` gives the dtypes that NumPy's loop has for the operands, or NumPy's error; each operand is
cast to its own, the rule computes with the counts, and what it gives is of the loop's dtype.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from devarray import _core
from devarray._primitives.date_units import NAT, is_nat, kept_nat
from devarray.array import OP, Array
from devarray.errors import DTypeError

__all__ = ["computed", "loop_of"]

_Rule = Callable[..., Any]


def loop_of(ufunc: np.ufunc, dtypes: Sequence[Any]) -> tuple[np.dtype[Any], ...]:
    """The dtypes of operands and results in NumPy's loop for operands of these."""
    if ufunc.__name__ not in _RULES:
        raise DTypeError(f"numpy.{ufunc.__name__} has no device kernel for dates and durations")
    given = [np.dtype(bool) if dtype is bool else dtype for dtype in dtypes]  # which NumPy takes no class for
    try:
        found: tuple[np.dtype[Any], ...] = ufunc.resolve_dtypes((*given, *(None,) * ufunc.nout))
    except TypeError as error:
        raise DTypeError(f"{ufunc.__name__}: {error}") from None
    return found


def computed(ufunc: np.ufunc, values: Sequence[Any], loop: Sequence[np.dtype[Any]]) -> tuple[Any, ...]:
    """The results' values of operands' values, of dates and durations their counts."""
    made = _RULES[ufunc.__name__](*values, "".join(dtype.kind for dtype in loop))
    return made if isinstance(made, tuple) else (made,)


def _op(name: str, *operands: Any) -> Any:
    return _core.apply(OP[name], *operands)


def _of_both(name: str) -> _Rule:
    """Counts of which one that is no time makes the result none."""
    return lambda a, b, _: _op("where", _op("logical_or", is_nat(a), is_nat(b)), NAT, _op(name, a, b))


def _of_one(name: str) -> _Rule:
    return lambda a, _: kept_nat(a, _op(name, a))


def _plain(name: str) -> _Rule:
    return lambda a, b, _: _op(name, a, b)


def _compared(name: str) -> _Rule:
    """A comparison, which is False of what is no time."""
    return lambda a, b, _: _op(
        "logical_and", _op(name, a, b), _op("logical_not", _op("logical_or", is_nat(a), is_nat(b)))
    )


def _unequal(a: Any, b: Any, kinds: str) -> Any:
    return _op("logical_not", _compared("equal")(a, b, kinds))


def _multiplied(a: Any, b: Any, kinds: str) -> Any:
    counts, other = (a, b) if kinds[0] == "m" else (b, a)
    if kinds[kinds[0] == "m"] != "f":
        return kept_nat(counts, _op("multiply", counts, other))
    return kept_nat(counts, _whole(_op("multiply", counts.astype(np.float64), other)))


def _whole(x: Array) -> Any:
    """Floating point numbers as counts, towards zero; what is not finite is no time."""
    return _op("where", _op("isfinite", x), x.astype(np.int64), NAT)


def _divided(a: Any, b: Any, kinds: str) -> Any:
    if kinds[1] == "f":
        return kept_nat(a, _whole(_op("divide", a.astype(np.float64), b)))
    if kinds[1] == "m":
        missing = _op("logical_or", is_nat(a), is_nat(b))
        return _op("where", missing, np.nan, _op("divide", a.astype(np.float64), b.astype(np.float64)))
    whole = _op("floor_divide", a, b)
    up = _op("logical_and", _op("less", _op("bitwise_xor", a, b), 0), _op("not_equal", _op("multiply", whole, b), a))
    towards_zero = _op("add", whole, up.astype(np.int64))
    return _op("where", _op("logical_or", is_nat(a), _op("equal", b, 0)), NAT, towards_zero)


def _floor_divided(a: Any, b: Any, kinds: str) -> Any:
    if kinds[1] != "m":
        return _divided(a, b, kinds)
    missing = _op("logical_or", _op("logical_or", is_nat(a), is_nat(b)), _op("equal", b, 0))
    return _op("where", missing, 0, _op("floor_divide", a, b))


def _remainder(a: Any, b: Any, _: str) -> Any:
    missing = _op("logical_or", _op("logical_or", is_nat(a), is_nat(b)), _op("equal", b, 0))
    return _op("where", missing, NAT, _op("remainder", a, b))


def _sign(a: Any, kinds: str) -> Any:
    """NumPy's loop gives numbers of floating point from 2.5 on, counts before."""
    signs = _op("sign", a)
    return signs if kinds[1] != "f" else _op("where", is_nat(a), np.nan, signs.astype(np.float64))


def _largest_where_nat(name: str) -> _Rule:
    """A comparison among counts of which what is no time is the largest: one below the least of int64."""
    return lambda a, b, _: _op("add", _op(name, _op("subtract", a, 1), _op("subtract", b, 1)), 1)


_RULES: dict[str, _Rule] = {
    "add": _of_both("add"),
    "subtract": _of_both("subtract"),
    "multiply": _multiplied,
    "divide": _divided,
    "floor_divide": _floor_divided,
    "remainder": _remainder,
    "divmod": lambda a, b, kinds: (_floor_divided(a, b, kinds), _remainder(a, b, kinds)),
    "negative": _of_one("negative"),
    "positive": lambda a, _: _op("copy", a),
    "absolute": _of_one("abs"),
    "sign": _sign,
    "isnat": lambda a, _: is_nat(a),
    "isnan": lambda a, _: is_nat(a),
    "isfinite": lambda a, _: _op("not_equal", a, NAT),
    "isinf": lambda a, _: _op("logical_and", is_nat(a), False),
    "maximum": _largest_where_nat("maximum"),
    "minimum": _plain("minimum"),
    "fmax": _plain("maximum"),
    "fmin": _largest_where_nat("minimum"),
    "not_equal": _unequal,
    **{name: _plain(name) for name in ("logical_and", "logical_or", "logical_xor")},  # of truths: NumPy casts to bool
    **{name: _compared(name) for name in ("equal", "less", "less_equal", "greater", "greater_equal")},
}
