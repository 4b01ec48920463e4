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

import csv
import os
from bisect import bisect_left, insort
from collections.abc import Callable
from typing import Any

from devarray import _core
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
from devarray._runtime.arguments import expect
from devarray.errors import DriverError, OutOfMemoryError

__all__ = [
    "Allocator",
    "AllocatorBase",
    "Block",
    "CallbackMemoryResource",
    "CudaAsyncMemoryResource",
    "CudaVirtualMemoryResource",
    "DeferredAllocator",
    "DeviceMemoryResource",
    "FailureCallbackResourceAdaptor",
    "ImmediateAllocator",
    "LimitingResourceAdaptor",
    "LoggingResourceAdaptor",
    "MemoryPool",
    "MemoryResource",
    "PoolMemoryResource",
    "PrefetchResourceAdaptor",
    "SVMAllocator",
    "SVMPool",
    "Statistics",
    "StatisticsResourceAdaptor",
    "TrackingResourceAdaptor",
    "as_allocator",
    "default_allocator",
    "free_host_memory",
    "held_host_bytes",
    "plot",
    "read_log",
    "set_default_allocator",
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
    _core.set_default_allocator(device, None if allocator is None else _core.as_allocator(allocator, device))


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


class AllocatorBase:
    """Base of the allocators that follow PyOpenCL's names.

    Attributes
    ----------
    resource : MemoryResource
        What serves arrays that are given this allocator.

    Examples
    --------
    >>> from devarray import alloc
    >>> issubclass(alloc.MemoryPool, alloc.AllocatorBase)
    True
    """

    resource: MemoryResource

    def __call__(self, size: int) -> Any:
        """Allocate memory.

        Parameters
        ----------
        size : int
            Bytes.

        Returns
        -------
        object
            What the allocator makes; None for 0 bytes.

        Examples
        --------
        >>> from devarray import alloc, cl
        >>> allocator = alloc.DeferredAllocator(cl.create_some_context(answers=["0"]))
        >>> allocator(0) is None, allocator(100).size
        (True, 100)
        """
        raise NotImplementedError


class DeferredAllocator(AllocatorBase):
    """OpenCL buffers as the driver makes them: the memory may turn out not to exist at its first use.

    Parameters
    ----------
    context : cl.Context
        Where the buffers are.
    mem_flags : int, default 1
        Values of ``cl.mem_flags``; 1 is READ_WRITE.

    Notes
    -----
    Calls ``clCreateBuffer``; PyOpenCL's class of that name.

    Examples
    --------
    >>> from devarray import alloc, cl
    >>> allocator = alloc.DeferredAllocator(cl.create_some_context(answers=["0"]))
    >>> allocator(1000).size
    1000
    """

    def __init__(self, context: _core.cl.Context, mem_flags: int = 1) -> None:
        expect(type(self).__name__, "context", context, _core.cl.Context)
        self._context = context
        self._flags = mem_flags
        self.resource = CallbackMemoryResource(self._allocate, device=context.engine_device(), kind="buffer")

    def _allocate(self, size: int) -> _core.cl.Buffer:
        try:
            return _core.cl.Buffer(self._context, self._flags, size)
        except DriverError as error:
            if error.code_name == "INVALID_BUFFER_SIZE":  # more than any device of the context has
                raise OutOfMemoryError(str(error)) from error
            raise

    def __call__(self, size: int) -> _core.cl.Buffer | None:
        return self._allocate(size) if size else None


class ImmediateAllocator(DeferredAllocator):
    """OpenCL buffers whose memory is real when they are returned, or MemoryError is raised.

    Parameters
    ----------
    queue : cl.CommandQueue
        Where one byte of each new buffer is written, to make the driver find its memory.
    mem_flags : int, default 1
        Values of ``cl.mem_flags``; 1 is READ_WRITE.

    Notes
    -----
    Calls ``clCreateBuffer``; PyOpenCL's class of that name.

    Examples
    --------
    >>> from devarray import alloc, cl
    >>> queue = cl.CommandQueue(cl.create_some_context(answers=["0"]))
    >>> pool = alloc.MemoryPool(alloc.ImmediateAllocator(queue))
    >>> buffer = pool.allocate(1000)
    >>> pool.active_bytes
    1000
    """

    def __init__(self, queue: _core.cl.CommandQueue, mem_flags: int = 1) -> None:
        expect(type(self).__name__, "queue", queue, _core.cl.CommandQueue)
        self.queue = queue
        super().__init__(queue.context, mem_flags)

    def _allocate(self, size: int) -> _core.cl.Buffer:
        buffer = super()._allocate(size)
        # A driver that promises memory lazily has to find it for a command that writes there.
        _core.cl.enqueue_fill_buffer(self.queue, buffer, b"\0", 0, 1).wait()
        return buffer


class SVMAllocator(AllocatorBase):
    """Shared virtual memory from the driver.

    Parameters
    ----------
    context : cl.Context
        Where the memory is.
    alignment : int, default 0
        Bytes; 0 leaves it to the driver.
    flags : int, default 1
        Values of ``cl.svm_mem_flags``; 1 is READ_WRITE.
    queue : cl.CommandQueue, optional
        An in-order queue: memory is freed behind the work that is enqueued there. Without one, what was called as a
        function is freed at once, whatever uses it; arrays are always freed behind their work.

    Notes
    -----
    Calls ``clSVMAlloc``; PyOpenCL's class of that name.

    Examples
    --------
    >>> from devarray import alloc, cl
    >>> alloc.SVMAllocator(cl.create_some_context(answers=["0"]))(1000).size
    1000
    """

    _FINE_GRAIN = 1 << 10

    def __init__(
        self,
        context: _core.cl.Context,
        *,
        alignment: int = 0,
        flags: int = 1,
        queue: _core.cl.CommandQueue | None = None,
    ) -> None:
        expect(type(self).__name__, "context", context, _core.cl.Context)
        self._context = context
        self._alignment = alignment
        self._flags = flags
        self.queue = queue
        kind = "svm_fine" if flags & self._FINE_GRAIN else "svm_coarse"
        self.resource = CallbackMemoryResource(self._allocate, device=context.engine_device(), kind=kind)

    def _allocate(self, size: int) -> _core.cl.SVMAllocation:
        return _core.cl.SVMAllocation(self._context, size, self._alignment, self._flags)

    def __call__(self, size: int) -> _core.cl.SVMAllocation | None:
        if size == 0:
            return None
        return _core.cl.SVMAllocation(self._context, size, self._alignment, self._flags, self.queue)


class _Pool(AllocatorBase):
    """What MemoryPool and SVMPool have in common: bins, and their figures."""

    resource: PoolMemoryResource

    def __init__(self, allocator: AllocatorBase | MemoryResource, leading_bits_in_bin_id: int) -> None:
        upstream = allocator.resource if isinstance(allocator, AllocatorBase) else allocator
        self._queue = getattr(allocator, "queue", None)
        self.resource = PoolMemoryResource(upstream, leading_bits_in_bin_id=leading_bits_in_bin_id)

    def _block(self, size: int) -> Block:
        return self.resource.allocate(size, self._queue)

    @property
    def held_blocks(self) -> int:
        """Unused blocks that the pool holds."""
        return self.resource.held_blocks

    @property
    def active_blocks(self) -> int:
        """Blocks in use."""
        return self.resource.active_blocks

    @property
    def managed_bytes(self) -> int:
        """Bytes of all blocks, in use and held."""
        return self.resource.managed_bytes

    @property
    def active_bytes(self) -> int:
        """Bytes in use, as asked for."""
        return self.resource.active_bytes

    def free_held(self) -> None:
        """Free all unused memory that the pool holds.

        Examples
        --------
        >>> from devarray import alloc, cl
        >>> pool = alloc.MemoryPool(alloc.ImmediateAllocator(cl.CommandQueue(cl.create_some_context(answers=["0"]))))
        >>> pool.allocate(1000).release()
        >>> pool.held_blocks
        1
        >>> pool.free_held()
        >>> pool.held_blocks
        0
        """
        self.resource.free_held()

    def stop_holding(self) -> None:
        """Free memory as soon as it is given back, from now on; calls `free_held`.

        Examples
        --------
        >>> from devarray import alloc, cl
        >>> pool = alloc.MemoryPool(alloc.ImmediateAllocator(cl.CommandQueue(cl.create_some_context(answers=["0"]))))
        >>> pool.stop_holding()
        >>> pool.allocate(1000).release()
        >>> pool.held_blocks
        0
        """
        self.resource.stop_holding()


class MemoryPool(_Pool):
    """A pool of OpenCL buffers.

    Parameters
    ----------
    allocator : AllocatorBase or MemoryResource
        Should be an `ImmediateAllocator`, since a pool must hear of exhausted memory at once.
    leading_bits_in_bin_id : int, default 4
        Sizes that agree in this many bits after the first share a bin.

    Notes
    -----
    PyOpenCL's class of that name.

    Examples
    --------
    >>> from devarray import alloc, cl
    >>> pool = alloc.MemoryPool(alloc.ImmediateAllocator(cl.CommandQueue(cl.create_some_context(answers=["0"]))))
    >>> buffer = pool.allocate(1000)
    >>> pool.active_blocks, pool.active_bytes, pool.managed_bytes >= 1000
    (1, 1000, True)
    """

    def __init__(self, allocator: AllocatorBase | MemoryResource, leading_bits_in_bin_id: int = 4) -> None:
        super().__init__(allocator, leading_bits_in_bin_id)
        # The method below, without a Python frame: programs allocate all the time.
        self._allocate = self.__dict__["allocate"] = _core.pooled_buffers(self.resource, self._queue)

    def allocate(self, size: int) -> _core.PooledBuffer | None:
        """Take a buffer out of the pool.

        Parameters
        ----------
        size : int
            Bytes.

        Returns
        -------
        PooledBuffer
            Of at least `size` bytes; None for 0.

        Raises
        ------
        OutOfMemoryError
            If there is not that much.

        Examples
        --------
        >>> from devarray import alloc, cl
        >>> pool = alloc.MemoryPool(alloc.ImmediateAllocator(cl.CommandQueue(cl.create_some_context(answers=["0"]))))
        >>> pool.allocate(1000).nbytes
        1000
        """
        return self._allocate(size)

    def __call__(self, size: int) -> _core.PooledBuffer | None:
        """Take a buffer out of the pool: the same as `allocate`.

        Parameters
        ----------
        size : int
            Bytes.

        Returns
        -------
        PooledBuffer
            Of at least `size` bytes; None for 0.

        Examples
        --------
        >>> from devarray import alloc, cl
        >>> pool = alloc.MemoryPool(alloc.ImmediateAllocator(cl.CommandQueue(cl.create_some_context(answers=["0"]))))
        >>> pool(1000).nbytes
        1000
        """
        return self._allocate(size)


class SVMPool(_Pool):
    """A pool of shared virtual memory.

    Parameters
    ----------
    allocator : SVMAllocator or MemoryResource
        With a queue, memory is handed out again behind that queue's work.
    leading_bits_in_bin_id : int, default 4
        Sizes that agree in this many bits after the first share a bin.

    Notes
    -----
    PyOpenCL's class of that name.

    Examples
    --------
    >>> from devarray import alloc, cl
    >>> pool = alloc.SVMPool(alloc.SVMAllocator(cl.create_some_context(answers=["0"])))
    >>> memory = pool(1000)
    >>> memory.nbytes, pool.active_bytes
    (1000, 1000)
    """

    def __init__(self, allocator: SVMAllocator | MemoryResource, *, leading_bits_in_bin_id: int = 4) -> None:
        super().__init__(allocator, leading_bits_in_bin_id)

    def __call__(self, size: int) -> Any:
        """Take shared virtual memory out of the pool.

        Parameters
        ----------
        size : int
            Bytes.

        Returns
        -------
        PooledSVM
            Of `size` bytes.

        Raises
        ------
        OutOfMemoryError
            If there is not that much.

        Examples
        --------
        >>> from devarray import alloc, cl
        >>> alloc.SVMPool(alloc.SVMAllocator(cl.create_some_context(answers=["0"])))(1000).size
        1000
        """
        return _core.PooledSVM(self._block(size))


def read_log(path: str | os.PathLike[str]) -> list[tuple[float, str, int, int, int]]:
    """Read what a `LoggingResourceAdaptor` wrote.

    Parameters
    ----------
    path : str or path
        The log's file.

    Returns
    -------
    list of (time, action, pointer, size, stream)
        In seconds and bytes; the action is ``"allocate"``, ``"allocate failure"`` or ``"free"``.

    Examples
    --------
    >>> import os, tempfile
    >>> import devarray as da
    >>> from devarray import alloc
    >>> path = os.path.join(tempfile.mkdtemp(), "log.csv")
    >>> log = alloc.LoggingResourceAdaptor(alloc.default_allocator(da.device()), path)
    >>> block = log.allocate(1000)
    >>> log.flush()
    >>> [(action, size) for _, action, _, size, _ in alloc.read_log(path)]
    [('allocate', 1000)]
    """
    expect("read_log", "path", path, (str, os.PathLike), "a path")
    with open(path, newline="", encoding="ascii") as file:
        return [
            (float(r["Time"]), r["Action"], int(r["Pointer"], 16), int(r["Size"]), int(r["Stream"], 16))
            for r in csv.DictReader(file)
        ]


def plot(log: str | os.PathLike[str], file: str | os.PathLike[str] | None = None) -> Any:
    """Draw a log: live bytes over time, and how much of the address range in use is holes.

    Needs matplotlib, which the extra ``devarray[plot]`` brings.

    Parameters
    ----------
    log : str or path
        The file of a `LoggingResourceAdaptor`.
    file : str or path, optional
        Where to save the picture.

    Returns
    -------
    matplotlib.figure.Figure
        The upper plot is live memory in MiB, the lower one the share of holes, both over seconds.

    Examples
    --------
    >>> import os, tempfile
    >>> import devarray as da
    >>> from devarray import alloc
    >>> path = os.path.join(tempfile.mkdtemp(), "log.csv")
    >>> log = alloc.LoggingResourceAdaptor(alloc.default_allocator(da.device()), path)
    >>> block = log.allocate(1000)
    >>> log.flush()
    >>> len(alloc.plot(path).axes)
    2
    """
    from matplotlib.figure import Figure

    times, live_bytes, holes = [], [], []
    memory = _LiveMemory()
    for time, action, pointer, size, _ in read_log(log):
        if action == "allocate":
            memory.add(pointer, size)
        elif action == "free":
            memory.remove(pointer)
        times.append(time)
        live_bytes.append(memory.live / 2**20)
        holes.append(memory.holes / max(memory.holes + memory.live, 1))
    figure = Figure(figsize=(8, 5), layout="constrained")
    upper, lower = figure.subplots(2, 1, sharex=True)
    upper.step(times, live_bytes, where="post")
    upper.set_ylabel("live memory / MiB")
    lower.step(times, holes, where="post", color="tab:red")
    lower.set_ylabel("share of holes")
    lower.set_ylim(0, 1)
    lower.set_xlabel("time / s")
    if file is not None:
        figure.savefig(file)
    return figure


class _LiveMemory:
    """The blocks in use at a moment of a log, and the holes between neighbours."""

    NEIGHBOURS = 2 << 20  # bytes: blocks further apart do not lie in one chunk

    def __init__(self) -> None:
        self.live = 0
        self.holes = 0
        self._sizes: dict[int, int] = {}
        self._starts: list[int] = []

    def add(self, pointer: int, size: int) -> None:
        self._sizes[pointer] = size
        self.live += size
        insort(self._starts, pointer)
        self._count_around(bisect_left(self._starts, pointer), 1)

    def remove(self, pointer: int) -> None:
        if pointer not in self._sizes:  # in use before the log began
            return
        i = bisect_left(self._starts, pointer)
        self._count_around(i, -1)
        del self._starts[i]
        self.live -= self._sizes.pop(pointer)

    def _count_around(self, i: int, sign: int) -> None:
        """Block i between its neighbours: two holes in place of one."""
        self.holes += sign * (self._gap(i - 1, i) + self._gap(i, i + 1) - self._gap(i - 1, i + 1))

    def _gap(self, i: int, j: int) -> int:
        if i < 0 or j >= len(self._starts):
            return 0
        gap = self._starts[j] - self._starts[i] - self._sizes[self._starts[i]]
        return gap if 0 < gap <= self.NEIGHBOURS else 0
