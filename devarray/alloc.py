"""Allocators: where the memory of arrays comes from, and what happens when they are done with it.

Everything here can be given as ``allocator=`` to the functions that create arrays and to ``devarray.use``; a plain
callable ``f(nbytes)`` can as well. Resources compose: each pool or adaptor takes its memory from an upstream.

>>> from devarray import alloc
>>> pool = alloc.PoolMemoryResource(alloc.LimitingResourceAdaptor(alloc.DeviceMemoryResource(device), 1 << 30))
>>> block = pool.allocate(1000, queue)
>>> pool.active_bytes, pool.managed_bytes
(1000, 1024)
>>> del block
>>> pool.held_blocks
1

A block may be used on any queue. A pool hands it on to the queue that used it last at once, and to another queue only
behind an event, for which the device waits and the host does not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from devarray import _core
from devarray._core import (
    Block,
    CallbackMemoryResource,
    DeviceMemoryResource,
    FailureCallbackResourceAdaptor,
    LimitingResourceAdaptor,
    LoggingResourceAdaptor,
    MemoryResource,
    PoolMemoryResource,
    PrefetchResourceAdaptor,
    Statistics,
    StatisticsResourceAdaptor,
    TrackingResourceAdaptor,
)

__all__ = [
    "Allocator",
    "Block",
    "CallbackMemoryResource",
    "DeviceMemoryResource",
    "FailureCallbackResourceAdaptor",
    "LimitingResourceAdaptor",
    "LoggingResourceAdaptor",
    "MemoryResource",
    "PoolMemoryResource",
    "PrefetchResourceAdaptor",
    "Statistics",
    "StatisticsResourceAdaptor",
    "TrackingResourceAdaptor",
    "as_allocator",
    "default_allocator",
    "set_default_allocator",
]

Allocator = MemoryResource | Callable[[int], Any]
"""What ``allocator=`` takes: a memory resource, or a callable that returns memory for a number of bytes."""


def default_allocator(device: _core.Device) -> MemoryResource:
    """
    The allocator of arrays for which none was given.

    Unless `set_default_allocator` was called, a pool over direct memory of the device's preferred kind, made at first
    use and shared by all arrays of the device.

    Parameters
    ----------
    device : Device

    Returns
    -------
    MemoryResource

    Examples
    --------
    >>> default_allocator(device) is default_allocator(device)
    True
    """
    return _core.default_allocator(device)


def set_default_allocator(device: _core.Device, allocator: Allocator | None) -> None:
    """
    Set the allocator of arrays for which none is given. Arrays that exist keep theirs.

    Parameters
    ----------
    device : Device
    allocator : MemoryResource or callable, optional
        None puts the built-in pool back.

    Raises
    ------
    DeviceError
        If it is of another device.

    Examples
    --------
    >>> set_default_allocator(device, DeviceMemoryResource(device))
    >>> default_allocator(device).upstream is None
    True
    >>> set_default_allocator(device, None)
    """
    _core.set_default_allocator(device, None if allocator is None else _core.as_allocator(allocator, device))


def as_allocator(allocator: Allocator | None, device: _core.Device) -> MemoryResource:
    """
    The memory resource behind an allocator.

    Parameters
    ----------
    allocator : MemoryResource or callable, optional
        None means the device's default.
    device : Device

    Returns
    -------
    MemoryResource

    Raises
    ------
    DeviceError
        If it is of another device.

    Examples
    --------
    >>> pool = default_allocator(device)
    >>> as_allocator(lambda nbytes: pool.allocate(nbytes), device).allocate(100).nbytes
    100
    """
    return _core.as_allocator(allocator, device)
