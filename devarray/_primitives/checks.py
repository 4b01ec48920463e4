"""Checks of counts and of indices that callers give."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from devarray.array import Array
from devarray.errors import DTypeError, ShapeError, ValueError

if TYPE_CHECKING:
    from devarray._typing import ArrayLike

__all__ = ["clip_mode", "count_of", "integers", "require_array", "within"]


def require_array(name: str, *operands: object) -> None:
    """DTypeError where an operand is no device array."""
    for x in operands:
        if isinstance(x, Array):
            continue
        if getattr(getattr(x, "dtype", None), "names", None) and not isinstance(x, np.ndarray | np.generic):
            raise DTypeError(f"{name} takes device arrays of numbers, not one of {x.dtype}; take a field of it")  # type: ignore[attr-defined]
        raise DTypeError(f"{name} takes device arrays, not {type(x).__name__}; use asarray() first")


_OUT_OF = "index {} is out of bounds for array with size {}"
_OUTSIDE = {"ravel_multi_index": "invalid entry in coordinates array", "choose": "invalid entry in choice array"}
"""NumPy's words for places that do not exist, by function."""


def integers(values: ArrayLike, name: str) -> Any:
    """Indices as an Array or a NumPy array of integers."""
    found = values if isinstance(values, Array) else np.asarray(values)
    if found.size == 0 and not isinstance(values, Array | np.ndarray):
        found = found.astype(np.int64)
    if found.dtype.kind not in "biu":
        raise DTypeError(
            f"{name}: Cannot cast array data from {found.dtype!r} to dtype('int64') according to the rule 'safe': "
            f"indices are integers, not {found.dtype}; only int indices permitted"
        )
    return found.astype(np.int64, copy=False)


def whole_parts(values: Any) -> Any:
    """Numbers as indices: NumPy cuts their fractions off, where it refuses those of arrays."""
    if isinstance(values, float | np.floating):
        return np.array(int(values))
    if isinstance(values, list | tuple) and any(isinstance(one, float) for one in values):
        return np.array(values, np.int64)
    return values


_MODES = ("clip", "wrap", "raise")
"""By the numbers that NumPy's C code has for them."""


def clip_mode(mode: Any, name: str) -> str:
    """NumPy's `mode` by its name: None is ``"raise"``, and 0, 1 and 2 are ``"clip"``, ``"wrap"`` and ``"raise"``."""
    if mode is None or (isinstance(mode, str) and mode in _MODES):
        return mode or "raise"
    if isinstance(mode, int | np.integer) and not isinstance(mode, bool) and 0 <= mode < len(_MODES):
        return _MODES[mode]
    raise ValueError(f"{name}: clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")


def within(indices: Any, size: int, mode: str, name: str) -> Any:
    """Indices from 0 to ``size - 1`` by a `mode` of clip_mode()'s.

    With ``"raise"``, host indices are checked here, and those of a CPU that the host may look at now; other device
    indices raise IndexError at the next wait.
    """
    if mode != "raise" and indices.dtype.kind in "iu" and size > np.iinfo(indices.dtype).max:
        indices = indices.astype(np.int64)
    if mode == "wrap":
        return indices % size if size else indices
    if mode == "clip":
        return indices.clip(0, max(size - 1, 0))
    wrong = None
    if isinstance(indices, Array):
        from devarray._primitives.bounds import seen_outside
        from devarray._primitives.gather import require_inside

        wrong = seen_outside(indices, 0, size)
        if wrong is None:
            require_inside(indices, size, f"{name} into {size} places")
    elif indices.size and (indices.min() < 0 or indices.max() >= size):
        wrong = int(indices.min()) if indices.min() < 0 else int(indices.max())
    if wrong is not None:
        raise ValueError(
            f"{name}: {_OUTSIDE.get(name, _OUT_OF).format(wrong, size)}: {wrong} is none of the places from 0 to "
            f"{size - 1}"
        )
    return indices


def count_of(number: Any, name: str) -> int:
    """A number of elements."""
    count = operator.index(number)
    if count < 0:
        raise ShapeError(f"{name}: Number of samples, {count}, must be non-negative.")
    return count
