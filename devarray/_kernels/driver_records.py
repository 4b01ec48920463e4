"""Arrays of structures and vectors of PyOpenCL's and PyCUDA's names: `devarray.OpaqueArray` with their methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from devarray import _core
from devarray._alloc.pyopencl import allocator_of
from devarray._kernels.driver_arrays import shape_of
from devarray._primitives.convert import asarray
from devarray._primitives.opaque import OpaqueArray

if TYPE_CHECKING:
    from devarray._core import Queue

__all__ = ["RecordArray", "as_records", "record_array"]


class RecordArray(OpaqueArray):
    """An array of structures, which `cl.array`'s and `gpuarray`'s functions give for dtypes with fields.

    It is moved, filled, viewed by field and given to kernels; it is not computed with.
    """

    __slots__ = ()

    @property
    def queue(self) -> Any:
        """Orders the work on the array."""
        return self.bytes.queue

    @property
    def context(self) -> Any:
        """The context of the array's queue."""
        return self.queue.context

    @property
    def allocator(self) -> Any:
        """Where its memory comes from."""
        return allocator_of(self.bytes.allocator)

    @property
    def data(self) -> Any:
        """The memory at its first element, as kernels take it."""
        return self.bytes.data

    @property
    def gpudata(self) -> Any:
        """The memory at its first element, as PyCUDA's kernels take it."""
        return self.bytes.gpudata

    @property
    def base_data(self) -> Any:
        """The memory object that it lies in."""
        return self.bytes.base_data

    @property
    def offset(self) -> int:
        """Bytes from `base_data` to the first element."""
        return int(_core.byte_offset(self.bytes))

    def get(self, queue: Queue | None = None, ary: np.ndarray | None = None, **_: object) -> Any:
        """Copy the array to the host.

        Parameters
        ----------
        queue : CommandQueue, optional
            Not needed.
        ary : numpy.ndarray, optional
            Where to; a new one by default.
        **_
            Further parameters of PyOpenCL's, which change nothing.

        Returns
        -------
        numpy.ndarray
            The elements.
        """
        return self.copy_to_host(ary)

    def set(self, ary: object, queue: Queue | None = None, **_: object) -> None:
        """Copy a host array of the same shape to the device.

        Parameters
        ----------
        ary : numpy.ndarray
            Of the same dtype.
        queue : CommandQueue, optional
            Not needed.
        **_
            Further parameters of PyOpenCL's, which change nothing.
        """
        self.copy_to_device(ary)

    def fill(self, value: Any, queue: Queue | None = None, wait_for: Any = None) -> RecordArray:
        """Set every element to a value.

        Parameters
        ----------
        value : record or OpaqueArray
            What the elements become; 0 for zeros.
        queue : CommandQueue, optional
            Not needed.
        wait_for : sequence of Event, optional
            Not needed: the array's queue is in order.

        Returns
        -------
        RecordArray
            The array itself.
        """
        if isinstance(value, OpaqueArray):
            self[...] = value
            return self
        host = np.zeros((), self.dtype)
        host[()] = value
        one = np.frombuffer(host.tobytes(), np.uint8)
        self.bytes[...] = asarray(one, queue=self.bytes.queue, allocator=self.bytes.allocator)
        return self

    def with_queue(self, queue: Queue | None) -> RecordArray:
        """The array itself: its own queue orders the work.

        Parameters
        ----------
        queue : CommandQueue or None
            Taken for PyOpenCL's sake.

        Returns
        -------
        RecordArray
            The array.
        """
        return self


def record_array(shape: Any, dtype: Any, queue: Any, allocator: Any) -> RecordArray:
    """An uninitialised array of structures."""
    return RecordArray(shape_of(shape), dtype, queue=queue, allocator=allocator)


def as_records(x: OpaqueArray) -> RecordArray:
    """The same memory as an array of this class."""
    made: RecordArray = RecordArray._of(x.bytes, x.dtype)  # type: ignore[assignment]
    return made
