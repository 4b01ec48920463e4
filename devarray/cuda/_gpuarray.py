"""The class of ``pycuda.gpuarray``'s arrays, and where they lie."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

import devarray as da
from devarray import _core, cuda
from devarray._kernels.driver_arrays import DriverArray, shape_of
from devarray._kernels.driver_records import record_array
from devarray._primitives.cuda_interface import cuda_array_interface
from devarray._runtime.devices import devices
from devarray._runtime.records import is_record
from devarray.array import Array
from devarray.errors import DeviceError, DTypeError, ValueError

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
        A number's. One with fields gives an array that is moved, filled and handed to kernels.
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
        if is_record(dtype):
            if gpudata is not None:
                raise DTypeError("an array of structures lies in memory of its own; gpudata= is for numbers")
            return record_array(shape, dtype, cuda_device().default_queue, allocator)  # type: ignore[return-value]
        if gpudata is None:
            return cls._of(da.Array(shape_of(shape), dtype, order=order, **place_of(None, allocator)))
        if strides is None and order == "F":
            strides = np.empty(shape_of(shape), dtype, order="F").strides
        queue = cuda_device().default_queue
        return cls._of(da.Array(gpudata, shape_of(shape), dtype, strides, owner=base, queue=queue, allocator=allocator))

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """As PyCUDA gives it: with strides, and without a stream, so that what is enqueued is waited for here."""
        interface = cuda_array_interface(self)
        _core.ArrayBase.queue.__get__(self).finish()
        return {**interface, "strides": self.strides, "stream": None}

    @property
    def real(self) -> Any:
        """The real parts, side by side in memory as PyCUDA has them; the array itself where it is real."""
        return self._like(Array.real.__get__(self).copy(order="K")) if self.dtype.kind == "c" else self

    @real.setter
    def real(self, value: object) -> None:
        Array.real.__set__(self, value)  # type: ignore[attr-defined]

    @property
    def imag(self) -> Any:
        """The imaginary parts, side by side in memory as PyCUDA has them."""
        if self.dtype.kind != "c":
            return self._like(da.zeros_like(self))
        return self._like(Array.imag.__get__(self).copy(order="K"))

    @imag.setter
    def imag(self, value: object) -> None:
        Array.imag.__set__(self, value)  # type: ignore[attr-defined]

    def conj(self, out: Any = None) -> Any:
        """The complex conjugates.

        Parameters
        ----------
        out : GPUArray, optional
            Where they go, and what is returned; a new array by default.

        Returns
        -------
        GPUArray
            A new array, or `out`.
        """
        made = self._like(Array.conj(self))
        if out is None:
            return made
        out[...] = made
        return out

    conjugate = conj

    def mul_add(  # type: ignore[override]
        self,
        selffac: Any,
        other: object,
        otherfac: Any,
        add_timer: object = None,
        stream: object = None,
        out: Any = None,
    ) -> Any:
        """``selffac * self + otherfac * other``.

        Parameters
        ----------
        selffac : scalar
            Factor of the array.
        other : GPUArray
            What is added.
        otherfac : scalar
            Its factor.
        add_timer : object, optional
            Not used.
        stream : Stream, optional
            Not needed: the array's own orders the work.
        out : GPUArray, optional
            Where the result goes, and what is returned; a new array by default.

        Returns
        -------
        GPUArray
            A new array, or `out`.
        """
        made = super().mul_add(selffac, other, otherfac)
        if out is None:
            return made
        out[...] = made
        return out

    def reshape(self, *shape: Any, order: str = "C") -> Any:  # type: ignore[override]
        """The elements in another shape, with the axis dense in memory that `order` says, as PyCUDA's arrays have it.

        Parameters
        ----------
        *shape : int or tuple of int
            The new sizes, of which one may be -1.
        order : {"C", "F"}, optional
            The order in which elements are read, placed and lie in memory. They are NumPy's: PyCUDA takes the memory
            as it lies where the array has the other order.

        Returns
        -------
        GPUArray
            A view where the memory allows one, else a new array.
        """
        made = Array.reshape(self, *shape, order=order)
        dense = made.flags.f_contiguous if order == "F" else made.flags.c_contiguous
        return self._like(made if dense else made.copy(order=order))

    def transpose(self, *positions: Any, axes: Any = None) -> Any:
        """A view with the axes in another order.

        Parameters
        ----------
        *positions, axes : sequence of int, optional
            The axes' new order; reversed by default.

        Returns
        -------
        GPUArray
            A view.
        """
        return self._like(Array.transpose(self, *positions) if axes is None else Array.transpose(self, *axes))

    def any(self, *args: Any, stream: object = None, allocator: object = None, **kwargs: Any) -> Any:
        """Whether an element is not zero, in all of the array or along axes.

        Parameters
        ----------
        *args
            As `devarray.Array.any` takes them.
        stream, allocator : optional
            Taken for PyCUDA's sake: the work goes to the array's own stream, its result where the array lies.
        **kwargs
            As `devarray.Array.any` takes them.

        Returns
        -------
        GPUArray
            Of bools.
        """
        return self._like(Array.any(self, *args, **kwargs))

    def all(self, *args: Any, stream: object = None, allocator: object = None, **kwargs: Any) -> Any:
        """Whether no element is zero, in all of the array or along axes.

        Parameters
        ----------
        *args
            As `devarray.Array.all` takes them.
        stream, allocator : optional
            Taken for PyCUDA's sake: the work goes to the array's own stream, its result where the array lies.
        **kwargs
            As `devarray.Array.all` takes them.

        Returns
        -------
        GPUArray
            Of bools.
        """
        return self._like(Array.all(self, *args, **kwargs))

    @property
    def mem_size(self) -> int:
        """The number of elements, under PyCUDA's second name."""
        return self.size

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

    def bind_to_texref_ext(
        self,
        texref: Any,
        channels: int = 1,
        allow_double_hack: bool = False,
        allow_complex_hack: bool = False,
        allow_offset: bool = False,
    ) -> int:
        """Bind the memory to a texture reference, and have it read the elements' dtype.

        Parameters
        ----------
        texref : TextureReference
            Of a module.
        channels : int, default 1
            Elements of the array that one of the texture's has.
        allow_double_hack, allow_complex_hack : bool, default False
            Take float64, and complex numbers, as channels of 32-bit integers.
        allow_offset : bool, default False
            Whether the memory may start inside of the texture's.

        Returns
        -------
        int
            Elements from the start of the texture to the first one.

        Raises
        ------
        DTypeError
            If no format is of the dtype.
        ValueError
            If `channels` is not 1 where elements are channels of integers, or elements do not lie side by side.
        """
        if not self.flags.forc:
            raise ValueError("bind_to_texref_ext takes an array whose elements lie side by side")
        allowed = allow_complex_hack if self.dtype.kind == "c" else allow_double_hack
        wide = _WIDE_TEXTURES.get(self.dtype.name) if allowed else None
        if wide is not None and channels != 1:
            raise ValueError(f"a texture of {self.dtype.name} has one channel, not {channels}")
        form, channels = wide or (cuda.dtype_to_array_format(self.dtype), channels)
        offset = texref.set_address(self.gpudata, self.nbytes, allow_offset)
        texref.set_format(form, channels)
        if wide is not None or self.dtype.kind in "iu":
            texref.set_flags(texref.get_flags() | cuda.TRSF_READ_AS_INTEGER)
        return offset // self.itemsize


_WIDE_TEXTURES = {
    "float64": (cuda.array_format.SIGNED_INT32, 2),
    "complex64": (cuda.array_format.UNSIGNED_INT32, 2),
    "complex128": (cuda.array_format.SIGNED_INT32, 4),
}
"""Formats and channels of elements that no format is of, which PyCUDA's ``pycuda-helpers.hpp`` puts together."""
