"""Indexing by integer arrays without a kernel of its own: on GPUs x[i] is computed in the kernel of what is made of it,
on CPUs the host may take the elements."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from math import prod

import numpy as np

from devarray import _core
from devarray._primitives.bounds import require_seen_inside
from devarray._primitives.convert import asarray
from devarray._runtime.config import config
from devarray._runtime.devices import Device
from devarray.array import OP, Array

__all__ = ["take_on_host", "taken", "taken_of_pending"]

_PLACE, _INT64 = OP["index_place"], np.dtype(np.int64)
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
    count = len(indices)
    if view.device.strategy != "gpu" or not _core.deferred() or _checks_bounds():
        return None
    if view.itemsize > 4 and not _loads(view.device, view.dtype):
        return None
    if start or not shape or not 0 < count <= _MOST_AXES or view.size == 0:
        return None
    rest = view.shape[count:]
    if rest and (prod(rest) > _SHORT_ROW or prod(shape) * prod(rest) < _MANY):
        return None
    for axis, (indexed, index) in enumerate(indices.items()):
        if indexed != axis or index.shape != shape or index.dtype.kind != "i":
            return None
    require_seen_inside(view, indices)
    places = _distances(view, rest) if rest else None
    sizes, strides = view.shape, view.strides
    for axis, index in indices.items():
        number = index if index.dtype is _INT64 else index.astype(_INT64)
        if rest:
            number = _core.broadcast_to(number[(..., *(None,) * len(rest))], (*shape, *rest))
        one = _core.apply(_PLACE, number, sizes[axis], strides[axis])
        places = one if places is None else one + places
    assert places is not None
    return _core.take_at(view, places, what)


def taken_of_pending(
    view: Array, indices: Mapping[int, Array], start: int, space: tuple[int, ...], gather: Callable[[Array], Array]
) -> Array | None:
    """The elements of a pending value, computed from those of its operands; None where the value is to be stored.

    Parameters
    ----------
    view : Array
    indices : mapping of int to Array
        Index arrays by axis.
    start : int
        Where their shape stands among the other axes.
    space : tuple of int
        The shape of the result.
    gather : callable
        What takes the elements of one operand, which has the shape of `view`.
    """
    count = len(space) - (view.ndim - len(indices))

    def take(operand: Array) -> Array:  # one of them repeats nothing: indices outside are found by its gather
        if any(operand.strides[axis] or view.shape[axis] == 1 for axis in indices):
            return gather(operand)
        row = operand[tuple(0 if axis in indices else slice(None) for axis in range(view.ndim))]
        return _core.broadcast_to(row[(slice(None),) * start + (None,) * count], space)

    return _core.take_of_pending(view, space, take)


@cache
def _loads(device: Device, dtype: np.dtype) -> bool:
    """Whether kernels of a device have values of a dtype; of others they copy the bytes."""
    return bool(device.caps["fp64"]) or dtype.name not in ("float64", "complex128")


@cache
def _checks_bounds() -> bool:
    """Whether kernels check their accesses, which stays as it was at the start."""
    return config.check_bounds


def _distances(view: Array, rest: tuple[int, ...]) -> Array:
    """Of the elements of a row from its first one, in bytes."""
    steps = view.strides[view.ndim - len(rest) :]
    made = np.zeros(rest, np.int64)
    for axis, (size, step) in enumerate(zip(rest, steps, strict=True)):
        made += (np.arange(size) * step).reshape((size,) + (1,) * (len(rest) - 1 - axis))
    return asarray(made, queue=view.queue, allocator=view.allocator)


def take_on_host(arrays: Sequence[Array], axes: tuple[int, ...], start: int, scatter: bool) -> bool:
    """A gather along one axis by the host. False where it may not, and for indices outside, which kernels report."""
    view, other, _, index = arrays
    if index.dtype.kind != "i" or start != axes[0]:
        return False
    table, numbers, out = _core.standing_view(view), _core.standing_view(index), _core.standing_view(other, True)
    if table is None or numbers is None or out is None:
        return False
    try:
        np.take(table, numbers, axes[0], out)
    except builtins.IndexError:
        return False
    return True
