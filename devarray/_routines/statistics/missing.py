"""NaN among elements: replaced, and left out of a count."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from devarray import _core
from devarray.array import OP, Array, reduce

if TYPE_CHECKING:
    from devarray._typing import BoolLike

__all__ = ["count_numbers", "replace_nan"]

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
