"""NaN among elements: replaced, and left out of a count."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from devarray import _core
from devarray._primitives.convert import asarray
from devarray.array import OP, Array, reduce

if TYPE_CHECKING:
    from devarray._typing import BoolLike

__all__ = ["count_numbers", "extreme_of_numbers", "replace_nan"]

_Axis = int | tuple[int, ...] | None


def replace_nan(x: Array, value: complex) -> Array:
    """x with another value for NaN; itself where it holds none by its dtype."""
    if x.dtype.kind not in "fc":
        return x
    return _core.apply(OP["where"], _core.apply(OP["isnan"], x), value, x)


def count_numbers(x: Array, axis: _Axis, keepdims: bool, where: BoolLike = True) -> Array:
    """Number of elements that are not NaN, as floats of x's precision."""
    there = _core.apply(OP["logical_not"], _core.apply(OP["isnan"], x))
    real = np.dtype(f"f{x.dtype.itemsize // 2}") if x.dtype.kind == "c" else x.dtype
    if where is not True:
        there = _core.apply(OP["logical_and"], there, where)
    wide = real if real.kind == "f" and real.itemsize > 2 else np.float64
    return reduce(there, "sum", axis, keepdims, wide, consume=True)


def extreme_of_numbers(x: Array, kind: str, axis: _Axis, keepdims: bool, initial: object, where: BoolLike) -> Array:
    """The "min" or "max" of what is not NaN; NaN where nothing is."""
    if x.dtype.kind not in "fc":
        return getattr(x, kind)(axis, None, keepdims, initial, where)
    farthest = float("inf") if kind == "min" else float("-inf")
    least = complex(farthest, farthest) if x.dtype.kind == "c" else farthest
    given = initial is not np._NoValue and initial is not None
    left_out = given and initial != initial  # a NaN among NaNs
    best: Array = getattr(replace_nan(x, least), kind)(axis, None, keepdims, least if left_out else initial, where)
    if given and not left_out:
        return best
    missing = _core.apply(OP["isnan"], x)
    if where is not True:
        missing = missing | ~asarray(where, device=x.device)
    empty = reduce(missing, "all", axis, keepdims, consume=True)
    return _core.apply(OP["where"], empty, float("nan"), best)
