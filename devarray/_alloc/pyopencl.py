"""Allocators by PyOpenCL's names, for its memory pools and for code that calls them."""

from __future__ import annotations

from typing import Any
from weakref import WeakValueDictionary

from devarray import _core
from devarray._alloc.pool_usage import PoolUsage
from devarray._core import Block, CallbackMemoryResource, MemoryResource, PoolMemoryResource
from devarray._runtime.arguments import expect
from devarray.errors import DriverError, OutOfMemoryError

__all__ = [
    "AllocatorBase",
    "DeferredAllocator",
    "ImmediateAllocator",
    "MemoryPool",
    "SVMAllocator",
    "SVMPool",
    "allocator_of",
]

_allocators: WeakValueDictionary[int, AllocatorBase] = WeakValueDictionary()
"""Allocators by the `id` of their resource, which each of them keeps alive."""


def allocator_of(resource: Any) -> Any:
    """The allocator that a memory resource belongs to, or the resource itself."""
    return _allocators.get(id(resource), resource)


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

    def _serve_by(self, resource: Any) -> None:
        """Set the resource, for which arrays then name this allocator."""
        self.resource = resource
        _allocators[id(resource)] = self

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
        self._serve_by(CallbackMemoryResource(self._allocate, device=context.engine_device(), kind="buffer"))

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
        self._serve_by(CallbackMemoryResource(self._allocate, device=context.engine_device(), kind=kind))

    def _allocate(self, size: int) -> _core.cl.SVMAllocation:
        return _core.cl.SVMAllocation(self._context, size, self._alignment, self._flags)

    def __call__(self, size: int) -> _core.cl.SVMAllocation:
        return _core.cl.SVMAllocation(self._context, size, self._alignment, self._flags, self.queue)


class _Pool(PoolUsage, AllocatorBase):
    """What MemoryPool and SVMPool have in common: a pool over the allocator that they are given."""

    resource: PoolMemoryResource

    def __init__(self, allocator: AllocatorBase | MemoryResource, leading_bits_in_bin_id: int) -> None:
        upstream = allocator.resource if isinstance(allocator, AllocatorBase) else allocator
        self._queue = getattr(allocator, "queue", None)
        self._leading_bits = min(leading_bits_in_bin_id, 7)
        self._serve_by(PoolMemoryResource(upstream, leading_bits_in_bin_id=leading_bits_in_bin_id))

    def _block(self, size: int) -> Block:
        return self.resource.allocate(size, self._queue)


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

    def allocate(self, size: int) -> _core.PooledBuffer:
        """Take a buffer out of the pool.

        Parameters
        ----------
        size : int
            Bytes.

        Returns
        -------
        PooledBuffer
            Of at least `size` bytes, and of at least one.

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

    def __call__(self, size: int) -> _core.PooledBuffer:
        """Take a buffer out of the pool: the same as `allocate`.

        Parameters
        ----------
        size : int
            Bytes.

        Returns
        -------
        PooledBuffer
            Of at least `size` bytes, and of at least one.

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
