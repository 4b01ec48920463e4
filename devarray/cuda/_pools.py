"""Memory pools under ``pycuda.tools``' names."""

from __future__ import annotations

from typing import Any

import numpy as np

from devarray import alloc, cuda
from devarray._alloc.pool_usage import PoolUsage
from devarray._core import Block
from devarray._kernels.driver_arrays import shape_of
from devarray._runtime.devices import devices
from devarray.cuda._gpuarray import cuda_device
from devarray.errors import ValueError

__all__ = ["DeviceMemoryPool", "PageLockedAllocator", "PageLockedMemoryPool", "PooledDeviceAllocation"]


class PooledDeviceAllocation(cuda.PointerHolderBase):
    """Memory out of a `DeviceMemoryPool`, which goes back there when the object is gone or freed."""

    def __init__(self, block: Block | None) -> None:
        self.block = block

    def get_pointer(self) -> int:
        """The device address, as kernels take it.

        Returns
        -------
        int
            Where the memory starts.
        """
        if self.block is None:
            raise ValueError("the memory was given back to its pool")
        return int(self.block.handle + self.block.offset)

    @property
    def size(self) -> int:
        """Bytes, as asked for."""
        return 0 if self.block is None else int(self.block.nbytes)

    def free(self) -> None:
        """Give the memory back to its pool now."""
        if self.block is None:
            raise ValueError("the memory was given back to its pool")
        self.block = None

    def __len__(self) -> int:
        return self.size


class DeviceMemoryPool(PoolUsage):
    """Device memory that is kept when it is freed, for the next allocation.

    Parameters
    ----------
    device : Device, optional
        One of `devarray.devices`; the current context's by default.

    Notes
    -----
    PyCUDA's class of that name over `devarray.alloc.PoolMemoryResource`: both the pool and its method ``allocate`` can
    be given as ``allocator=``. Memory that work still uses is handed out behind that work only, on whatever stream.
    """

    def __init__(self, device: Any = None) -> None:
        if device is None:
            current = cuda.Context.get_device() if cuda.Context.get_current() is not None else None
            all_of_them = [d for d in devices() if d.driver == "cuda"]
            known = current is not None and all_of_them
            device = next((d for d in all_of_them if known and d.index == _number(current)), None) or cuda_device()
        self.resource = alloc.PoolMemoryResource(alloc.DeviceMemoryResource(device, "device"))

    def allocate(self, size: int) -> PooledDeviceAllocation:
        """Memory of so many bytes.

        Parameters
        ----------
        size : int
            Bytes.

        Returns
        -------
        PooledDeviceAllocation
            What kernels take for an address.
        """
        return PooledDeviceAllocation(self.resource.allocate(size))

    __call__ = allocate


def _number(device: object) -> int:
    """A driver's device as a number."""
    return next(i for i in range(cuda.Device.count()) if cuda.Device(i) == device)


class PageLockedAllocator:
    """Page-locked host memory by the driver, for a `PageLockedMemoryPool`.

    Parameters
    ----------
    flags : int
        Taken for PyCUDA's sake.
    """

    def __init__(self, flags: int = 0) -> None:
        self.flags = flags


class PageLockedMemoryPool(PoolUsage):
    """Page-locked NumPy arrays, whose memory is kept when they are gone, for the next ones.

    Parameters
    ----------
    allocator : PageLockedAllocator, optional
        Taken for PyCUDA's sake.
    device : Device, optional
        One of `devarray.devices`; the first CUDA device by default.

    Notes
    -----
    PyCUDA's class of that name. Locking pages takes longer than copying them, which a pool saves.
    """

    def __init__(self, allocator: PageLockedAllocator | None = None, device: Any = None) -> None:
        place = cuda_device() if device is None else device
        self.resource = alloc.PoolMemoryResource(alloc.DeviceMemoryResource(place, "pinned"))

    def allocate(self, shape: object, dtype: Any, order: str = "C") -> np.ndarray:
        """An array on the host.

        Parameters
        ----------
        shape : int or tuple of int
            Sizes of the axes.
        dtype : dtype
            Of the elements.
        order : {"C", "F"}
            Which axis is dense in memory.

        Returns
        -------
        numpy.ndarray
            Its memory goes back to the pool with the last array over it.
        """
        sizes = shape_of(shape)
        kind = np.dtype(dtype)
        count = int(np.prod(sizes, dtype=object))
        if not count:
            return np.empty(sizes, kind, order=order)  # type: ignore[call-overload]
        owner = _HostMemory(self.resource.allocate(count * kind.itemsize), count * kind.itemsize)
        flat = np.asarray(owner).view(kind)
        return flat.reshape(sizes, order=order)


class _HostMemory:
    """A block of page-locked memory as NumPy takes memory."""

    def __init__(self, block: Block, nbytes: int) -> None:
        self.block = block
        address = int(block.handle + block.offset)
        self.__array_interface__ = {"version": 3, "shape": (nbytes,), "typestr": "|u1", "data": (address, False)}
