"""Array attributes that give the memory as an OpenCL or CUDA object, and arrays over such objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from devarray import _core
from devarray._runtime.devices import Queue
from devarray.errors import DeviceError, ShapeError, ValueError

if TYPE_CHECKING:
    from devarray._core import Array
    from devarray._typing import DTypeLike

__all__ = ["MemoryMethods", "is_memory", "over_memory"]


class _NotSeen(DeviceError, AttributeError):
    """An attribute of memory that the host does not see."""


class MemoryMethods(_core.ArrayBase):
    """The attributes of `devarray.Array` under the names of PyOpenCL's, PyCUDA's and numba.cuda's arrays.

    Each of them hands the memory out: from then on work on it is not deferred, because code outside may see it.
    """

    __slots__ = ()

    @property
    def base_data(self) -> Any:
        """The driver's memory object that the array lies in: a ``cl.Buffer``, an SVM or a CUDA allocation.

        What an allocator handed out cannot be released by hand, because other arrays may lie on it: it goes back when
        the last of them is gone. Memory of the program's own (``Array(buffer, ...)``) can; arrays on it then raise
        ValueError.
        """
        return _core.raw_memory(self)[0]

    @property
    def offset(self) -> int:
        """Bytes from the start of :attr:`base_data` to the first element."""
        return _core.raw_memory(self)[1]

    @property
    def data(self) -> Any:
        """The memory from the first element on, as kernels take it.

        Shared virtual memory with an offset, or a buffer (the part that starts there): either keeps the array alive, so
        that its memory is no other array's while it is in use. On CUDA an object with the address, which keeps the
        array alive as well.

        Raises
        ------
        ValueError
            Where a buffer cannot be cut at the array's first element: at an offset that the device does not align
            buffers at, or for negative strides. :attr:`base_data` and :attr:`offset` say where the array is.
        """
        memory, _ = _core.raw_memory(self)
        if memory is None:
            return None
        return _core.cl._array_memory(self) if self.device.driver == "opencl" else _core.cuda.ArrayAddress(self)

    @property
    def ptr(self) -> int:
        """The address of the first element on the device, an int; 0 where there are no elements.

        Raises
        ------
        DeviceError
            Where the memory is an OpenCL buffer, which has no address.
        """
        memory, offset = _core.raw_memory(self)
        if memory is None:
            return 0
        if memory.kind == "buffer":
            raise DeviceError("an OpenCL buffer has no address; pass x.base_data and x.offset, or x.base_data.int_ptr")
        return memory.handle + offset

    @property
    def gpudata(self) -> Any:
        """The memory as PyCUDA's kernels take it: :attr:`data` on CUDA, else the memory or the address inside of it."""
        if self.device.driver == "cuda":
            return self.data
        memory, offset = _core.raw_memory(self)
        return memory if not offset else self.ptr

    @property
    def ctypes(self: Any) -> Any:
        """The memory for ``ctypes``, where the host sees it: ``data``, ``data_as(...)`` and the rest of NumPy's. Waits.

        It is that of :meth:`as_host_view`: from then on work on the array is not deferred. What C code writes is seen
        by work enqueued afterwards; call ``devarray.synchronize()`` before it reads what the device wrote later.

        Raises
        ------
        DeviceError
            Where the host does not see the memory. It is an AttributeError, too.

        Examples
        --------
        >>> import ctypes, devarray as da
        >>> if "svm_fine" in da.device().memory_kinds:
        ...     x = da.ones(3, allocator=da.alloc.DeviceMemoryResource(da.device(), "svm_fine"))
        ...     assert x.ctypes.data_as(ctypes.POINTER(ctypes.c_double))[2] == 1.0
        """
        try:
            return self.as_host_view().ctypes
        except DeviceError as error:
            raise _NotSeen(f"ctypes: {error}") from None

    @property
    def events(self) -> list[Any]:
        """A list with one event, behind all work on the array so far: for another queue's ``wait_for``."""
        _core.expose(self)
        return [_core.ArrayBase.queue.__get__(self).record()]

    def split(self, section: int, stream: Queue | None = None) -> list[Array]:
        """The array in pieces of a given number of elements, the last one of what is left. Follows numba.cuda.

        Parameters
        ----------
        section : int
            Elements of a piece, at least 1.
        stream : Queue, optional
            numba's, not used: views take no work.

        Returns
        -------
        list of Array
            Views.

        Raises
        ------
        ShapeError
            For an array of another number of dimensions than one.
        ValueError
            For a `section` below 1.

        Examples
        --------
        >>> import devarray as da
        >>> [part.shape for part in da.arange(5).split(2)]
        [(2,), (2,), (1,)]
        """
        if self.ndim != 1:
            raise ShapeError(f"split takes a one-dimensional array, not one of {self.ndim} dimensions")
        if section < 1:
            raise ValueError(f"split: section is {section}; at least 1 is wanted")
        return [self[i : i + section] for i in range(0, self.size, section)]


def is_memory(given: object) -> bool:
    """Whether an object is raw memory, as `over_memory` takes it, rather than a shape."""
    return isinstance(given, _core.Allocation) or hasattr(given, "svm_ptr") or hasattr(given, "get_pointer")


def over_memory(
    data: Any,
    shape: int | Sequence[int],
    dtype: DTypeLike | None = np.float64,
    strides: Sequence[int] | None = None,
    offset: int = 0,
    *,
    owner: Any = None,
    queue: Queue | None = None,
    allocator: Any = None,
) -> Array:
    """An array over memory of the raw driver, which it keeps alive; see :class:`devarray.Array`.

    Parameters
    ----------
    data : cl.Buffer, cl.SVMAllocation, PooledBuffer, cuda.DeviceAllocation or another allocation of the driver's
        Or an object with ``get_pointer()`` (``cuda.PointerHolderBase``), or, with `owner`, an address.
    shape, dtype, strides
        `strides` in bytes; in C order by default.
    offset : int
        Bytes to the first element.
    owner : object, optional
        Kept alive as long as an array uses the memory at an address.
    queue : Queue, optional
        Orders the work on the array; by default the device's default queue, for addresses that of the default device.
        Work that other queues have on the memory must be waited for before.
    allocator : memory resource, optional
        Where results live.

    Raises
    ------
    ShapeError
        Where the array does not fit into the memory.
    ValueError
        Where an element does not lie at a multiple of its size (of half of it for complex ones), as devices read them.
    """
    if allocator is not None and not isinstance(allocator, _core.MemoryResource):
        # An allocator of the raw driver, such as PyOpenCL's: which device is asked of the array without one.
        array = over_memory(data, shape, dtype, strides, offset, owner=owner, queue=queue)
        allocator = _core.as_allocator(allocator, array.device)
    if hasattr(data, "get_pointer") and not isinstance(data, _core.Allocation):
        data, owner = data.get_pointer(), data
    if isinstance(data, (int, np.integer)):
        device = _core.current_place()[0] if queue is None else _core.device_of(queue, None)
        if device.driver != "cuda":
            raise DeviceError(f"an address stands for memory on CUDA devices only, not on {device}; give a Buffer")
        return _core.array_at_address(
            queue or device.default_queue, int(data), shape, dtype, strides, offset, owner, allocator
        )
    if not isinstance(data, _core.Allocation):
        raise DeviceError(
            f"an array lies in a Buffer, an SVMAllocation or a CUDA allocation, not in a {type(data).__name__}; for "
            "arrays out of an SVMPool, give the pool as allocator="
        )
    return _core.from_allocation(data, shape, dtype, strides, offset, queue, allocator)
