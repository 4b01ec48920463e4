"""Indices outside their axes that a CPU's host sees before a kernel does, and masks that do not fit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from devarray import _core
from devarray.array import Array
from devarray.errors import IndexError

__all__ = ["require_mask_fits", "require_seen_inside", "seen_outside"]

_NOTHING = np.zeros(1, np.bool_)


def seen_outside(indices: Array, least: int, size: int) -> int | None:
    """An index below `least`, or not below `size`, of few that the host may look at now; else None."""
    if indices.device.strategy != "cpu":
        return None
    wrong: list[int] = []

    def look(numbers: np.ndarray) -> np.ndarray:
        lowest, highest = int(numbers.min()), int(numbers.max())
        if lowest < least or highest >= size:
            wrong.append(lowest if lowest < least else highest)
        return _NOTHING

    _core.any_on_host(look, indices)
    return wrong[0] if wrong else None


def require_seen_inside(x: Array, indices: Mapping[int, Array]) -> None:
    """IndexError at once for indices outside their axes of x that the host sees; kernels find the others."""
    for axis, index in indices.items():
        size = x.shape[axis]
        wrong = seen_outside(index, -size, size)
        if wrong is not None:
            raise IndexError(f"index {wrong} is out of bounds for axis {axis} with size {size}")


def require_mask_fits(mask: Any, covered: tuple[int, ...], first: int = 0) -> None:
    """A mask has the size of each axis that it covers, from the `first` on, or 0, as in NumPy."""
    for axis, (m, n) in enumerate(zip(mask.shape, covered, strict=False), first):
        if m not in (n, 0):
            raise IndexError(
                f"boolean index did not match indexed array along axis {axis}; size of axis is {n} but size of "
                f"corresponding boolean axis is {m}"
            )
    if len(covered) != mask.ndim:
        raise IndexError(f"a mask of shape {mask.shape} does not fit axes of shape {covered}")
