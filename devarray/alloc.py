"""Allocators: where the memory of arrays comes from, and what happens when they are done with it.

Everything here can be given as ``allocator=`` to the functions that create arrays and to ``devarray.use``; a plain
callable ``f(nbytes)`` can as well. Resources compose: each pool or adaptor takes its memory from an upstream.

>>> import devarray as da
>>> from devarray import alloc
>>> device, queue = da.device(), da.queue()
>>> pool = alloc.PoolMemoryResource(alloc.LimitingResourceAdaptor(alloc.DeviceMemoryResource(device), 1 << 30))
>>> block = pool.allocate(1000, queue)
>>> pool.active_blocks, pool.active_bytes
(1, 1000)
>>> del block
>>> pool.active_blocks, pool.held_bytes == pool.managed_bytes
(0, True)

A block may be used on any queue. A pool hands it on to the queue that used it last at once, and to another queue only
behind an event, for which the device waits and the host does not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from devarray import _core
from devarray._alloc.chosen import chosen_defaults
from devarray._alloc.logs import plot, read_log
from devarray._alloc.other_libraries import cupy_allocator, torch_allocator
from devarray._alloc.pyopencl import (
    AllocatorBase,
    DeferredAllocator,
    ImmediateAllocator,
    MemoryPool,
    SVMAllocator,
    SVMPool,
)
from devarray._alloc.snapshots import (
    Difference,
    LivingBlock,
    Snapshot,
    snapshot,
    start_recording,
    stop_recording,
)
from devarray._core import (
    Block,
    CallbackMemoryResource,
    CudaAsyncMemoryResource,
    CudaVirtualMemoryResource,
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
    "AllocatorBase",
    "Block",
    "CallbackMemoryResource",
    "CudaAsyncMemoryResource",
    "CudaVirtualMemoryResource",
    "DeferredAllocator",
    "DeviceMemoryResource",
    "Difference",
    "FailureCallbackResourceAdaptor",
    "ImmediateAllocator",
    "LimitingResourceAdaptor",
    "LivingBlock",
    "LoggingResourceAdaptor",
    "MemoryPool",
    "MemoryResource",
    "PoolMemoryResource",
    "PrefetchResourceAdaptor",
    "SVMAllocator",
    "SVMPool",
    "Snapshot",
    "Statistics",
    "StatisticsResourceAdaptor",
    "TrackingResourceAdaptor",
    "as_allocator",
    "cupy_allocator",
    "default_allocator",
    "free_host_memory",
    "held_host_bytes",
    "plot",
    "read_log",
    "set_default_allocator",
    "snapshot",
    "start_recording",
    "stop_recording",
    "torch_allocator",
]

Allocator = MemoryResource | Callable[[int], Any]
"""What ``allocator=`` takes: a memory resource, or a callable that returns memory for a number of bytes."""


def __getattr__(name: str) -> Any:
    if name in ("PooledBuffer", "PooledSVM"):  # only where the OpenCL layer is built
        return getattr(_core, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def held_host_bytes() -> int:
    """Count the bytes of host memory that dead arrays left behind, for the next ones that ``copy_to_host`` creates.

    Returns
    -------
    int
        Bytes, at most 1 GiB.

    Examples
    --------
    >>> from devarray import alloc
    >>> alloc.free_host_memory() >= 0
    True
    >>> alloc.held_host_bytes()
    0
    """
    return _core.held_host_bytes()


def free_host_memory() -> int:
    """Give the memory that `held_host_bytes` counts back to the system.

    Returns
    -------
    int
        Its bytes.

    Examples
    --------
    >>> from devarray import alloc
    >>> alloc.free_host_memory() >= 0
    True
    """
    return _core.free_host_memory()


def default_allocator(device: _core.Device) -> MemoryResource:
    """Return the allocator of arrays for which none was given.

    Unless `set_default_allocator` was called, a pool over direct memory of the device's preferred kind, made at first
    use and shared by all arrays of the device.

    Parameters
    ----------
    device : Device
        Whose allocator.

    Returns
    -------
    MemoryResource
        The same one at each call.

    Examples
    --------
    >>> import devarray as da
    >>> da.alloc.default_allocator(da.device()) is da.alloc.default_allocator(da.device())
    True
    """
    return _core.default_allocator(device)


def set_default_allocator(device: _core.Device, allocator: Allocator | None) -> None:
    """Set the allocator of arrays for which none is given. Arrays that exist keep theirs.

    Parameters
    ----------
    device : Device
        Whose allocator.
    allocator : MemoryResource or callable, optional
        None puts the built-in pool back.

    Raises
    ------
    DeviceError
        If it is of another device.

    Examples
    --------
    >>> import devarray as da
    >>> from devarray import alloc
    >>> alloc.set_default_allocator(da.device(), alloc.DeviceMemoryResource(da.device()))
    >>> alloc.default_allocator(da.device()).upstream is None
    True
    >>> alloc.set_default_allocator(da.device(), None)
    """
    resource = None if allocator is None else _core.as_allocator(allocator, device)
    _core.set_default_allocator(device, resource)
    if resource is not None:
        chosen_defaults.add(resource)


def as_allocator(allocator: Allocator | None, device: _core.Device) -> MemoryResource:
    """Return the memory resource behind an allocator.

    Parameters
    ----------
    allocator : MemoryResource or callable, optional
        None means the device's default.
    device : Device
        Where its memory is.

    Returns
    -------
    MemoryResource
        `allocator` itself, its ``resource``, or a `CallbackMemoryResource` over the callable.

    Raises
    ------
    DeviceError
        If it is of another device.
    ValueError
        If it is neither a resource nor callable.

    Examples
    --------
    >>> import devarray as da
    >>> from devarray import alloc
    >>> pool = alloc.default_allocator(da.device())
    >>> alloc.as_allocator(lambda nbytes: pool.allocate(nbytes), da.device()).allocate(100).nbytes
    100
    """
    return _core.as_allocator(allocator, device)
