"""Figures of a pool and how it frees memory, under the names that PyOpenCL's and PyCUDA's pools share."""

from __future__ import annotations

from devarray._core import PoolMemoryResource

__all__ = ["PoolUsage"]


class PoolUsage:
    """What every pool over a `PoolMemoryResource` offers besides its allocations.

    Attributes
    ----------
    resource : PoolMemoryResource
        The pool itself: it serves arrays that are given the object as allocator.
    """

    resource: PoolMemoryResource

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
