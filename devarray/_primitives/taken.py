"""Indexing by integer arrays as an operation: x[i] is computed in the kernel of what is made of it, on GPUs."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

import numpy as np

from devarray import _core
from devarray._primitives.bounds import require_seen_inside
from devarray._primitives.convert import asarray
from devarray._runtime.config import config
from devarray.array import OP, Array

__all__ = ["taken"]

_MOST_AXES = 8
"""For so many the sum of distances of indices out of bounds, -2**58 each, has 64 bits."""
_SHORT_ROW = 16
"""Elements of a row that is no run for a kernel that copies rows."""
_MANY = 1 << 15
"""Elements of a result by rows from which on the launches that are saved count."""


def taken(view: Array, indices: Mapping[int, Array], shape: tuple[int, ...], start: int, what: str) -> Array | None:
    """The elements of `view` at places in its first axes, pending; None where a kernel of its own is to gather them.

    Parameters
    ----------
    view : Array
    indices : mapping of int to Array
        Index arrays by axis.
    shape : tuple of int
        That they broadcast to.
    start : int
        Where that shape stands among the other axes.
    what : str
        What is said of an index out of bounds.
    """
    if view.device.strategy != "gpu" or not _core.deferred() or config.check_bounds:
        return None
    count = len(indices)
    if view.size == 0 or not shape or start or not 0 < count <= _MOST_AXES or list(indices) != list(range(count)):
        return None
    rest = view.shape[count:]
    if rest and (prod(rest) > _SHORT_ROW or prod(shape) * prod(rest) < _MANY):
        return None
    if any(index.dtype.kind != "i" or index.shape != shape for index in indices.values()):
        return None
    require_seen_inside(view, indices)
    places = _distances(view, rest) if rest else None
    for axis, index in indices.items():
        number = index.astype(np.int64, copy=False)
        if rest:
            number = _core.broadcast_to(number[(..., *(None,) * len(rest))], (*shape, *rest))
        one = _core.apply(OP["index_place"], number, view.shape[axis], view.strides[axis])
        places = one if places is None else one + places
    assert places is not None
    return _core.take_at(view, places, what)


def _distances(view: Array, rest: tuple[int, ...]) -> Array:
    """Of the elements of a row from its first one, in bytes."""
    steps = view.strides[view.ndim - len(rest) :]
    made = np.zeros(rest, np.int64)
    for axis, (size, step) in enumerate(zip(rest, steps, strict=True)):
        made += (np.arange(size) * step).reshape((size,) + (1,) * (len(rest) - 1 - axis))
    return asarray(made, queue=view.queue, allocator=view.allocator)
