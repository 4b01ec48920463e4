"""Operands of which some are the host's: lists, scalars and NumPy arrays beside device arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from devarray.array import Array
from devarray.creation import asarray

__all__ = ["beside", "together"]


def beside(x: Any, like: Array) -> Array:
    """`x` where `like` lives, in the dtype that NumPy gives it."""
    return x if isinstance(x, Array) else asarray(np.asarray(x), queue=like.queue, allocator=like.allocator)


def together(*operands: Any) -> list[Array]:
    """All operands as arrays, those of the host beside the first device array, or on the default device."""
    first = next((x for x in operands if isinstance(x, Array)), None)
    if first is None:
        first = asarray(np.asarray(operands[0]))
        return [first, *(beside(x, first) for x in operands[1:])]
    return [beside(x, first) for x in operands]
