"""The class of ``pycuda.gpuarray``'s arrays, and where they lie."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

import devarray as da
from devarray._kernels.driver_arrays import DriverArray, shape_of
from devarray._runtime.devices import devices
from devarray.errors import DeviceError

if TYPE_CHECKING:
    from devarray._typing import DTypeLike

__all__ = ["GPUArray", "place_of"]


def place_of(stream: object = None, allocator: object = None) -> dict[str, Any]:
    """Where new arrays go: the default device where that is CUDA's, else the first one."""
    if stream is not None:
        return {"queue": stream, "allocator": allocator}
    return {"device": cuda_device(), "allocator": allocator}


def cuda_device() -> Any:
    current = da.device()
    if current.driver == "cuda":
        return current
    found = next((d for d in devices() if d.driver == "cuda"), None)
    if found is None:
        raise DeviceError("there is no CUDA device; arrays of other devices are devarray.Array")
    return found


class GPUArray(DriverArray):
    """An array on a CUDA device, with PyCUDA's methods.

    Its operators and views are those of :class:`devarray.Array`.

    Parameters
    ----------
    shape : int or tuple of int
        Sizes of the axes.
    dtype : dtype
        A number's.
    allocator : memory resource, optional
        Where the memory comes from.
    base : object, optional
        Kept alive as long as the memory at `gpudata` is used.
    gpudata : DeviceAllocation or int, optional
        Memory that the array lies in; fresh memory by default.
    strides : tuple of int, optional
        Bytes from element to element along each axis.
    order : {"C", "F"}
        Which axis is dense in memory.

    Notes
    -----
    PyCUDA's class of that name.
    """

    def __new__(
        cls,
        shape: int | Sequence[int],
        dtype: DTypeLike | None,
        allocator: object = None,
        base: object = None,
        gpudata: object = None,
        strides: Sequence[int] | None = None,
        order: str = "C",
    ) -> Self:
        if gpudata is None:
            return cls._of(da.Array(shape_of(shape), dtype, order=order, **place_of(None, allocator)))
        if strides is None and order == "F":
            strides = np.empty(shape_of(shape), dtype, order="F").strides
        queue = cuda_device().default_queue
        return cls._of(da.Array(gpudata, shape_of(shape), dtype, strides, owner=base, queue=queue, allocator=allocator))

    def set_async(self, ary: object, stream: object = None) -> None:
        """Copy a host array of the same shape and dtype to the device.

        Parameters
        ----------
        ary : numpy.ndarray
            Of the same number of elements and dtype.
        stream : Stream, optional
            Not needed: the array's own orders the copy.
        """
        self.set(ary)

    def get_async(self, stream: Any = None, ary: Any = None) -> np.ndarray:
        """Copy the array to the host.

        Parameters
        ----------
        stream : Stream, optional
            Where the copy is enqueued; with one, the elements are there when it is done.
        ary : numpy.ndarray, optional
            Where to; a new one by default.

        Returns
        -------
        numpy.ndarray
            The elements.
        """
        target = np.empty(self.shape, self.dtype) if ary is None else ary
        return self.copy_to_host(target) if stream is None else self.copy_to_host(target, stream=stream)

    def bind_to_texref(self, texref: Any, allow_offset: bool = False) -> int:
        """Bind the memory to a texture reference.

        Parameters
        ----------
        texref : TextureReference
            Of a module.
        allow_offset : bool, default False
            Whether the memory may start inside of the texture's.

        Returns
        -------
        int
            Elements from the start of the texture to the first one.
        """
        return texref.set_address(self.gpudata, self.nbytes, allow_offset) // self.itemsize
