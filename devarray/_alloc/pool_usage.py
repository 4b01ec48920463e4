"""Figures of a pool and how it frees memory, under the names that PyOpenCL's and PyCUDA's pools share."""

from __future__ import annotations

from devarray._core import PoolMemoryResource, bin_capacity, bin_of
from devarray.errors import ValueError

__all__ = ["PoolUsage"]


class PoolUsage:
    """What every pool over a `PoolMemoryResource` offers besides its allocations.

    Attributes
    ----------
    resource : PoolMemoryResource
        The pool itself: it serves arrays that are given the object as allocator.
    """

    resource: PoolMemoryResource
    _leading_bits = 4

    def bin_number(self, size: int) -> int:
        """The bin of a request: blocks of one bin have the same size.

        Parameters
        ----------
        size : int
            Bytes.

        Returns
        -------
        int
            Of a larger request, at least as great.

        Examples
        --------
        >>> from devarray import alloc, cl
        >>> pool = alloc.MemoryPool(alloc.ImmediateAllocator(cl.CommandQueue(cl.create_some_context(answers=["0"]))))
        >>> pool.bin_number(1000) == pool.bin_number(1001)
        True
        """
        if size < 0:
            raise ValueError(f"bin_number: size is {size}; a number of bytes from 0 on is wanted")
        return bin_of(size, self._leading_bits)

    def alloc_size(self, bin: int) -> int:
        """Bytes of the blocks in a bin.

        Parameters
        ----------
        bin : int
            As `bin_number` gives it.

        Returns
        -------
        int
            At least as many as any request of the bin.

        Examples
        --------
        >>> from devarray import alloc, cl
        >>> pool = alloc.MemoryPool(alloc.ImmediateAllocator(cl.CommandQueue(cl.create_some_context(answers=["0"]))))
        >>> pool.alloc_size(pool.bin_number(1000))
        1024
        """
        lowest, highest = bin_of(0, self._leading_bits), bin_of((1 << 62) - 1, self._leading_bits)
        if not lowest <= bin <= highest:
            raise ValueError(f"alloc_size: bin is {bin}; bin_number gives {lowest} to {highest}")
        return bin_capacity(bin, self._leading_bits)

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
