"""NumPy's ``out=``: results written into an array that is given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from devarray.errors import DTypeError, ShapeError
from devarray.moving import MovingArray

if TYPE_CHECKING:
    from devarray.array import Array

__all__ = ["into"]


def into(name: str, result: Array, out: Any) -> Array:
    """The result, or `out` with the result written into it as NumPy casts it there.

    Parameters
    ----------
    name : str
        The function, for errors.
    result : Array
    out : Array or None
        Of the result's shape, and of a dtype that the result's goes to by the rule ``same_kind``.

    Raises
    ------
    DTypeError, ShapeError
        `out` is no device array, or does not fit.
    """
    if out is None:
        return result
    if not isinstance(out, MovingArray) or not isinstance(result, MovingArray):
        raise DTypeError(
            f"{name}: out= is one device array, for a function of one result; {type(out).__name__} was given"
        )
    if not np.can_cast(result.dtype, out.dtype, "same_kind"):
        raise DTypeError(f"{name}: a result of {result.dtype} does not fit into out= of {out.dtype}")
    if result.shape != out.shape:
        raise ShapeError(f"{name}: the result has shape {result.shape}, out= {out.shape}")
    out[...] = result
    return out  # type: ignore[return-value]  # all devices' arrays are Arrays
