"""Arrays under ``pycuda.gpuarray``'s names: `devarray.Array` with PyCUDA's methods.

Examples
--------
>>> import numpy as np
>>> from devarray.cuda import gpuarray
>>> (2 * gpuarray.to_gpu(np.arange(4, dtype=np.float32))).get()
array([0., 2., 4., 6.], dtype=float32)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

import devarray as da
from devarray._kernels.driver_arrays import DriverArray, dtype_of, shape_of
from devarray._primitives.checks import require_array
from devarray._runtime.devices import devices
from devarray.errors import DeviceError, ShapeError

if TYPE_CHECKING:
    from devarray._typing import DTypeLike

__all__ = [
    "GPUArray",
    "arange",
    "dot",
    "empty",
    "empty_like",
    "if_positive",
    "max",
    "maximum",
    "min",
    "minimum",
    "ones_like",
    "subset_dot",
    "subset_max",
    "subset_min",
    "sum",
    "take",
    "to_gpu",
    "to_gpu_async",
    "vdot",
    "zeros",
    "zeros_like",
]


def _place(stream: Any = None, allocator: Any = None) -> dict[str, Any]:
    """Where new arrays go: the default device where that is CUDA's, else the first one."""
    if stream is not None:
        return {"queue": stream, "allocator": allocator}
    return {"device": _device(), "allocator": allocator}


def _device() -> Any:
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
        allocator: Any = None,
        base: Any = None,
        gpudata: Any = None,
        strides: Sequence[int] | None = None,
        order: str = "C",
    ) -> Self:
        if gpudata is None:
            return cls._of(da.Array(shape_of(shape), dtype, order=order, **_place(None, allocator)))
        if strides is None and order == "F":
            strides = np.empty(shape_of(shape), dtype, order="F").strides
        queue = _device().default_queue
        return cls._of(da.Array(gpudata, shape_of(shape), dtype, strides, owner=base, queue=queue, allocator=allocator))

    def set_async(self, ary: Any, stream: Any = None) -> None:
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


def to_gpu(ary: Any, allocator: Any = None) -> GPUArray:
    """A host array on the device."""
    return GPUArray._of(da.asarray(ary, copy=True, **_place(None, allocator)))


def to_gpu_async(ary: Any, allocator: Any = None, stream: Any = None) -> GPUArray:
    """A host array on the device of a stream, whose work it orders."""
    return GPUArray._of(da.asarray(ary, copy=True, **_place(stream, allocator)))


def empty(shape: Any, dtype: Any = np.float32, *, allocator: Any = None, order: str = "C") -> GPUArray:
    """An uninitialised array."""
    return GPUArray(shape, dtype, allocator, order=order)


def zeros(shape: Any, dtype: Any = np.float32, *, allocator: Any = None, order: str = "C") -> GPUArray:
    """An array of zeros."""
    return GPUArray(shape, dtype, allocator, order=order).fill(0)


def empty_like(other: GPUArray, dtype: DTypeLike | None = None, order: str = "K") -> GPUArray:
    """An uninitialised array of another one's shape and place."""
    return GPUArray._of(da.empty_like(other, dtype=dtype))


def zeros_like(other: GPUArray, dtype: DTypeLike | None = None, order: str = "K") -> GPUArray:
    """An array of zeros of another one's shape and place."""
    return GPUArray._of(da.zeros_like(other, dtype=dtype))


def ones_like(other: GPUArray, dtype: DTypeLike | None = None, order: str = "K") -> GPUArray:
    """An array of ones of another one's shape and place."""
    return GPUArray._of(da.ones_like(other, dtype=dtype))


def arange(*args: Any, dtype: DTypeLike | None = None, allocator: Any = None) -> GPUArray:
    """Evenly spaced numbers."""
    made: Any = da.arange
    return GPUArray._of(made(*args, dtype=dtype, **_place(None, allocator)).evaluate())


def take(a: GPUArray, indices: GPUArray, out: GPUArray | None = None, stream: Any = None) -> GPUArray:
    """The elements at indices of the flat array."""
    require_array("take", a)
    return _into(da.take(a.ravel(), indices), out)


def if_positive(criterion: GPUArray, then_: Any, else_: Any, out: Any = None, stream: Any = None) -> GPUArray:
    """Elements of `then_` where the criterion is positive, else of `else_`."""
    require_array("if_positive", criterion)
    for x in (then_, else_):
        if isinstance(x, da.Array) and x.shape not in (criterion.shape, ()):
            raise ShapeError("shapes do not match")
    return _into(da.where(criterion > 0, then_, else_), out)


def maximum(a: Any, b: Any, out: Any = None, stream: Any = None) -> GPUArray:
    """The greater of two arrays' elements."""
    return _into(da.maximum(a, b), out)


def minimum(a: Any, b: Any, out: Any = None, stream: Any = None) -> GPUArray:
    """The lesser of two arrays' elements."""
    return _into(da.minimum(a, b), out)


def _into(x: da.Array, out: Any) -> Any:
    if out is None:
        return GPUArray._of(x)
    out[...] = x
    return out


def sum(a: GPUArray, dtype: DTypeLike | None = None, stream: Any = None, allocator: Any = None) -> GPUArray:
    """The sum of all elements, in the array's own dtype, as a 0-d array."""
    require_array("sum", a)
    return GPUArray._of(da.sum(a, dtype=dtype or a.dtype))


def dot(
    a: GPUArray, b: GPUArray, dtype: DTypeLike | None = None, stream: Any = None, allocator: Any = None
) -> GPUArray:
    """The sum of the products of all elements."""
    require_array("dot", a, b)
    return GPUArray._of(da.sum(a * b, dtype=dtype or dtype_of(a, b)))


def vdot(
    a: GPUArray, b: GPUArray, dtype: DTypeLike | None = None, stream: Any = None, allocator: Any = None
) -> GPUArray:
    """The sum of the products of all elements, those of the first conjugated."""
    require_array("vdot", a, b)
    return dot(a.conj() if a.dtype.kind == "c" else a, b, dtype)


def max(a: GPUArray, stream: Any = None, allocator: Any = None) -> GPUArray:
    """The greatest element, as a 0-d array."""
    return GPUArray._of(da.max(a))


def min(a: GPUArray, stream: Any = None, allocator: Any = None) -> GPUArray:
    """The least element, as a 0-d array."""
    return GPUArray._of(da.min(a))


def subset_dot(
    subset: GPUArray, a: GPUArray, b: GPUArray, dtype: DTypeLike | None = None, stream: Any = None
) -> GPUArray:
    """The sum of the products of the elements at some indices."""
    return dot(take(a, subset), take(b, subset), dtype)


def subset_max(subset: GPUArray, a: GPUArray, stream: Any = None) -> GPUArray:
    """The greatest of the elements at some indices."""
    return max(take(a, subset))


def subset_min(subset: GPUArray, a: GPUArray, stream: Any = None) -> GPUArray:
    """The least of the elements at some indices."""
    return min(take(a, subset))
