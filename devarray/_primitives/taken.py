"""Indexing by integer arrays as an operation: x[i] is computed in the kernel of what is made of it, on GPUs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from devarray import _core
from devarray._primitives.bounds import require_seen_inside
from devarray._runtime.config import config
from devarray.array import OP, Array

__all__ = ["taken"]

_MOST_AXES = 8
"""For so many the sum of distances of indices out of bounds, -2**58 each, has 64 bits."""


def taken(view: Array, indices: Mapping[int, Array], shape: tuple[int, ...], what: str) -> Array | None:
    """The elements of `view` at places in all of its axes, pending; None where a kernel of its own is to gather them.

    Parameters
    ----------
    view : Array
    indices : mapping of int to Array
        Index arrays by axis, int32 or int64.
    shape : tuple of int
        That they broadcast to.
    what : str
        What is said of an index out of bounds.
    """
    if view.device.strategy != "gpu" or len(indices) != view.ndim or not 0 < view.ndim <= _MOST_AXES:
        return None
    if view.size == 0 or not shape or not _core.deferred() or config.check_bounds:
        return None
    if any(index.dtype.kind != "i" or index.shape != shape for index in indices.values()):
        return None
    require_seen_inside(view, indices)
    places = None
    for axis, index in indices.items():
        number = index.astype(np.int64, copy=False)
        one = _core.apply(OP["index_place"], number, view.shape[axis], view.strides[axis])
        places = one if places is None else places + one
    return _core.take_at(view, places, what)
