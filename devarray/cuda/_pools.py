"""Memory pools under ``pycuda.tools``' names."""

from __future__ import annotations

import sys
from collections import Counter
from traceback import extract_stack, print_stack
from typing import Any

import numpy as np

from devarray import alloc, cuda
from devarray._alloc.pool_usage import PoolUsage
from devarray._core import Block
from devarray._kernels.driver_arrays import shape_of
from devarray._runtime.devices import devices
from devarray.cuda._gpuarray import cuda_device
from devarray.errors import ValueError

__all__ = [
    "DebugMemoryPool",
    "DeviceMemoryPool",
    "PageLockedAllocator",
    "PageLockedMemoryPool",
    "PooledDeviceAllocation",
    "PooledHostAllocation",
]


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
        return int(self.block.handle)  # of a block with addresses: where the block starts

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


class DebugMemoryPool(DeviceMemoryPool):
    """A `DeviceMemoryPool` that writes down each allocation, where it is asked for, and what else is in use.

    Parameters
    ----------
    interactive : bool, default True
        Ask for a word by which each place is called, once, and wait for the Enter key at each allocation.
    logfile : file, optional
        Where lines go; the standard output by default.
    device : Device, optional
        As for `DeviceMemoryPool`.

    Notes
    -----
    PyCUDA's class of that name. Arrays are to be given its method ``allocate``. `devarray.alloc` has
    ``LoggingResourceAdaptor`` and ``snapshot`` for programs that are not watched.

    Examples
    --------
    >>> import io
    >>> from devarray.cuda.tools import DebugMemoryPool
    >>> log = io.StringIO()
    >>> memory = DebugMemoryPool(interactive=False, logfile=log).allocate(1000)
    >>> "Allocation of size 1000" in log.getvalue()
    True
    """

    def __init__(self, interactive: bool = True, logfile: Any = None, device: Any = None) -> None:
        super().__init__(device)
        self.interactive = interactive
        self.logfile = sys.stdout if logfile is None else logfile
        self.last_free = cuda.mem_get_info()[0]
        self.stacktrace_mnemonics: dict[tuple[tuple[str, ...], int], str] = {}
        self._tracked = alloc.TrackingResourceAdaptor(self.resource)
        self._descriptions: dict[int, tuple[int, str]] = {}

    def allocate(self, size: int) -> PooledDeviceAllocation:
        """Memory of so many bytes, which is written down.

        Parameters
        ----------
        size : int
            Bytes.

        Returns
        -------
        PooledDeviceAllocation
            What kernels take for an address.
        """
        description = self.describe(tuple(frame.name for frame in extract_stack()[:-1]), size)
        free, total = cuda.mem_get_info()
        print(
            f"\n  Allocation of size {size} occurring (mem: last_free:{self.last_free}, free: {free}, total:{total}) "
            f"(pool: held:{self.held_blocks}, active:{self.active_blocks}):\n      at: {description}",
            file=self.logfile,
        )
        for (nbytes, text), count in sorted(self._living().items()):
            print(f"  {text} ({nbytes} bytes): {count}x", file=self.logfile)
        if self.interactive:
            input("  [Enter]")
        block = self._tracked.allocate(size)
        self._descriptions[int(block.handle)] = size, description
        self.last_free = cuda.mem_get_info()[0]
        return PooledDeviceAllocation(block)

    __call__ = allocate

    def describe(self, stack: tuple[str, ...], size: int) -> str:
        """What a place is called.

        Parameters
        ----------
        stack : tuple of str
            The functions that are being called, the innermost one last.
        size : int
            Bytes that are asked for.

        Returns
        -------
        str
            The functions' names, or the word that was given for them.
        """
        if not self.interactive:
            return "|".join(stack)
        if (stack, size) not in self.stacktrace_mnemonics:
            print(size, stack, file=self.logfile)
            while not (word := input("Enter mnemonic or [Enter] for more info:")):
                print_stack()
            self.stacktrace_mnemonics[stack, size] = word
        return self.stacktrace_mnemonics[stack, size]

    def _living(self) -> Counter[tuple[int, str]]:
        """The blocks in use, by their bytes and places."""
        in_use = {found["address"] for found in self._tracked.get_outstanding_allocations()}
        self._descriptions = {place: text for place, text in self._descriptions.items() if place in in_use}
        return Counter(self._descriptions.values())


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
        owner = PooledHostAllocation(self.resource.allocate(count * kind.itemsize), sizes, kind, order)
        made = np.asarray(owner)
        return made if made.dtype == kind else made.view(kind)


class PooledHostAllocation:
    """Memory out of a `PageLockedMemoryPool`: the ``base`` of the pool's arrays, with which it goes back there.

    Examples
    --------
    >>> from devarray.cuda.tools import PageLockedMemoryPool, PooledHostAllocation
    >>> array = PageLockedMemoryPool().allocate(4, np.float32)
    >>> isinstance(array.base, PooledHostAllocation), len(array.base)
    (True, 16)
    """

    def __init__(self, block: Block, shape: tuple[int, ...], dtype: np.dtype, order: str) -> None:
        self.block: Block | None = block
        self._nbytes = int(np.prod(shape, dtype=object)) * dtype.itemsize
        strides = _fortran_strides(shape, dtype.itemsize) if order == "F" else None
        self.__array_interface__ = {
            "version": 3,
            "shape": shape,
            "typestr": dtype.str,
            "descr": dtype.descr,
            "data": (int(block.handle), False),
            "strides": strides,
        }

    @property
    def size(self) -> int:
        """Bytes, as asked for."""
        return 0 if self.block is None else self._nbytes

    def free(self) -> None:
        """Give the memory back to its pool now. The arrays over it must not be used any more.

        Raises
        ------
        ValueError
            If it was given back before.
        """
        if self.block is None:
            raise ValueError("the memory was given back to its pool")
        self.block = None

    def __len__(self) -> int:
        return self.size


def _fortran_strides(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    return tuple(itemsize * int(np.prod(shape[:axis], dtype=object)) for axis in range(len(shape)))
