"""Python scalars used with arrays: whether they fit a dtype, and the dtype that they take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from devarray.errors import DTypeError

if TYPE_CHECKING:
    from devarray._typing import ScalarLike

__all__ = ["in_integers", "numbers_in", "stored_number", "weak_dtype"]


def in_integers(kwargs: dict[str, Any]) -> bool:
    """Whether integers stay integers in a ufunc's call, whose `dtype` or `signature` may say otherwise."""
    dtype = kwargs.get("dtype")
    return kwargs.get("signature") is None and (dtype is None or np.dtype(dtype).kind in "biu")


def numbers_in(obj: object, dtype: np.dtype) -> np.ndarray:
    """A list or number as a NumPy array of a dtype; OverflowError for numbers out of its range, as NumPy has it."""
    try:
        return np.asarray(obj, dtype)
    except TypeError as error:
        raise DTypeError(f"{obj!r} does not become an array of {dtype}: {error}") from None


def stored_number(obj: object, dtype: np.dtype) -> Any:
    """A number as NumPy stores it: OverflowError for integers out of the dtype's range, NumPy's scalars among them."""
    place = np.empty((), dtype)
    try:
        place[()] = obj
    except TypeError as error:
        raise DTypeError(f"{obj!r} does not become a number of {dtype}: {error}") from None
    return place[()]


def weak_dtype(value: ScalarLike, beside: np.dtype) -> np.dtype | None:
    """Dtype of a Python number beside an array's; None, for its own, where it is an integer that has no place there."""
    if not isinstance(value, bool | int | float | complex):
        return None
    dtype = np.result_type(beside, value)
    if dtype.kind in "iu" and not np.iinfo(dtype).min <= value <= np.iinfo(dtype).max:  # type: ignore[operator]
        return None
    return dtype
