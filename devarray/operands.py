"""Operands: values of the host beside arrays of a device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from devarray import _core
from devarray.array import Array
from devarray.creation import asarray
from devarray.errors import DTypeError, ShapeError, ValueError

__all__ = ["common_dtype", "count_of", "integers", "on_device", "within"]


def on_device(*values: Any, like: Array | None = None) -> list[Array]:
    """Arrays as they are; what the host has beside `like`, or the first Array, or where new arrays are made."""
    place = like if like is not None else next((x for x in values if isinstance(x, Array)), None)
    if place is None:
        return [asarray(x) for x in values]
    return [x if isinstance(x, Array) else asarray(x, queue=place.queue, allocator=place.allocator) for x in values]


def common_dtype(arrays: Sequence[Array]) -> np.dtype:
    """What the arrays' dtypes promote to; there is at least one."""
    dtype = arrays[0].dtype
    for x in arrays[1:]:
        dtype = _core.promote(dtype, x.dtype)
    return dtype


def integers(values: Any, name: str) -> Any:
    """Indices as an Array or a NumPy array of integers."""
    found = values if isinstance(values, Array) else np.asarray(values)
    if found.size == 0 and not isinstance(values, Array | np.ndarray):
        found = found.astype(np.int64)
    if found.dtype.kind not in "biu":
        raise DTypeError(f"{name}: indices are integers, not {found.dtype}")
    return found.astype(np.int64, copy=False)


def within(indices: Any, size: int, mode: str, name: str) -> Any:
    """Indices from 0 to ``size - 1`` by NumPy's `mode`: ``"wrap"``, ``"clip"`` or ``"raise"``.

    With ``"raise"``, the host's indices are looked at here; those of the device raise IndexError at the next wait.
    """
    if mode == "wrap":
        return indices % size if size else indices
    if mode == "clip":
        return indices.clip(0, max(size - 1, 0))
    if mode != "raise":
        raise ValueError(f"{name}: mode is 'raise', 'wrap' or 'clip', not {mode!r}")
    if isinstance(indices, Array):
        from devarray.indexing import require_inside

        require_inside(indices, size, f"{name} into {size} places")
    elif indices.size and (indices.min() < 0 or indices.max() >= size):
        wrong = int(indices.min()) if indices.min() < 0 else int(indices.max())
        raise ValueError(f"{name}: {wrong} is none of the places from 0 to {size - 1}")
    return indices


def count_of(number: Any, name: str) -> int:
    """A number of elements."""
    count = int(number.__index__())
    if count < 0:
        raise ShapeError(f"{name}: the number of elements is {count}; it must not be negative")
    return count
