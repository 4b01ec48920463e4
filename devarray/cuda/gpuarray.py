"""Arrays under ``pycuda.gpuarray``'s names: `devarray.Array` with PyCUDA's methods.

Examples
--------
>>> import numpy as np
>>> from devarray.cuda import gpuarray
>>> (2 * gpuarray.to_gpu(np.arange(4, dtype=np.float32))).get()
array([0., 2., 4., 6.], dtype=float32)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import devarray as da
from devarray._primitives.checks import require_array
from devarray.cuda._gpuarray import GPUArray, place_of
from devarray.cuda._gpuarray_forms import (
    concatenate,
    if_positive,
    logical_and,
    logical_not,
    logical_or,
    maximum,
    minimum,
    multi_put,
    multi_take,
    multi_take_put,
    ones,
    reshape,
    stack,
    transpose,
    where,
    written,
)
from devarray.cuda._gpuarray_reductions import (
    all,
    any,
    dot,
    max,
    min,
    subset_dot,
    subset_max,
    subset_min,
    subset_sum,
    sum,
    vdot,
)
from devarray.cuda._splay import splay
from devarray.cuda._vectors import vec

if TYPE_CHECKING:
    from devarray._typing import DTypeLike

__all__ = [
    "GPUArray",
    "all",
    "any",
    "arange",
    "concatenate",
    "dot",
    "empty",
    "empty_like",
    "if_positive",
    "logical_and",
    "logical_not",
    "logical_or",
    "max",
    "maximum",
    "min",
    "minimum",
    "multi_put",
    "multi_take",
    "multi_take_put",
    "ones",
    "ones_like",
    "reshape",
    "splay",
    "stack",
    "subset_dot",
    "subset_max",
    "subset_min",
    "subset_sum",
    "sum",
    "take",
    "to_gpu",
    "to_gpu_async",
    "transpose",
    "vdot",
    "vec",
    "where",
    "zeros",
    "zeros_like",
]


def to_gpu(ary: object, allocator: object = None) -> GPUArray:
    """A host array on the device.

    Parameters
    ----------
    ary : array_like
        Numbers on the host.
    allocator : callable or memory resource, optional
        Where the memory comes from; the device's default by default.

    Returns
    -------
    GPUArray
        A new array.
    """
    return GPUArray._of(da.asarray(ary, copy=True, **place_of(None, allocator)))


def to_gpu_async(ary: object, allocator: object = None, stream: object = None) -> GPUArray:
    """A host array on the device of a stream, whose work it orders.

    Parameters
    ----------
    ary : array_like
        Numbers on the host.
    allocator : callable or memory resource, optional
        Where the memory comes from; the device's default by default.
    stream : Stream, optional
        Whose device the array lies on, and what orders its work.

    Returns
    -------
    GPUArray
        A new array.
    """
    return GPUArray._of(da.asarray(ary, copy=True, **place_of(stream, allocator)))


def empty(
    shape: Any,
    dtype: Any = np.float32,
    allocator: Any = None,
    base: object = None,
    gpudata: object = None,
    strides: Any = None,
    order: str = "C",
) -> GPUArray:
    """An uninitialised array, or one over memory that there is.

    Parameters
    ----------
    shape : int or tuple of int
        Sizes of the axes.
    dtype : dtype, optional
        A number's, or a structure's.
    allocator : callable or memory resource, optional
        Where the memory comes from; the device's default by default.
    base, gpudata, strides : optional
        As `GPUArray` takes them.
    order : {"C", "F"}, optional
        Which axis is dense in memory.

    Returns
    -------
    GPUArray
        A new array.
    """
    return GPUArray(shape, dtype, allocator, base, gpudata, strides, order)


def zeros(shape: Any, dtype: Any = np.float64, allocator: Any = None, order: str = "C") -> GPUArray:
    """An array of zeros.

    Parameters
    ----------
    shape : int or tuple of int
        Sizes of the axes.
    dtype : dtype, optional
        A number's.
    allocator : callable or memory resource, optional
        Where the memory comes from; the device's default by default.
    order : {"C", "F"}, optional
        Which axis is dense in memory.

    Returns
    -------
    GPUArray
        A new array.
    """
    return GPUArray(shape, dtype, allocator, order=order).fill(0)


def empty_like(other_ary: GPUArray, dtype: DTypeLike | None = None, order: str = "K") -> GPUArray:
    """An uninitialised array of another one's shape and place.

    Parameters
    ----------
    other_ary : GPUArray
        The array whose shape and place are taken.
    dtype : dtype, optional
        A number's; the other array's by default.
    order : {"K", "A", "C", "F"}, optional
        Which axis is dense in memory; "K", as in the other array, by default.

    Returns
    -------
    GPUArray
        A new array.
    """
    return GPUArray._of(da.empty_like(other_ary, dtype=dtype, order=order))


def zeros_like(other_ary: GPUArray, dtype: DTypeLike | None = None, order: str = "K") -> GPUArray:
    """An array of zeros of another one's shape and place.

    Parameters
    ----------
    other_ary : GPUArray
        The array whose shape and place are taken.
    dtype : dtype, optional
        A number's; the other array's by default.
    order : {"K", "A", "C", "F"}, optional
        Which axis is dense in memory; "K", as in the other array, by default.

    Returns
    -------
    GPUArray
        A new array.
    """
    return GPUArray._of(da.zeros_like(other_ary, dtype=dtype, order=order))


def ones_like(other_ary: GPUArray, dtype: DTypeLike | None = None, order: str = "K") -> GPUArray:
    """An array of ones of another one's shape and place.

    Parameters
    ----------
    other_ary : GPUArray
        The array whose shape and place are taken.
    dtype : dtype, optional
        A number's; the other array's by default.
    order : {"K", "A", "C", "F"}, optional
        Which axis is dense in memory; "K", as in the other array, by default.

    Returns
    -------
    GPUArray
        A new array.
    """
    return GPUArray._of(da.ones_like(other_ary, dtype=dtype, order=order))


def arange(*args: object, dtype: DTypeLike | None = None, allocator: object = None) -> GPUArray:
    """Evenly spaced numbers.

    Parameters
    ----------
    *args : int or float
        Start, stop and step, as :func:`devarray.arange` takes them.
    dtype : dtype, optional
        The numbers'; by default by the arguments.
    allocator : callable or memory resource, optional
        Where the memory comes from; the device's default by default.

    Returns
    -------
    GPUArray
        A new array of one axis.
    """
    made: Any = da.arange
    return GPUArray._of(made(*args, dtype=dtype, **place_of(None, allocator)).evaluate())


def take(a: GPUArray, indices: GPUArray, out: GPUArray | None = None, stream: object = None) -> GPUArray:
    """The elements at indices of the flat array.

    Parameters
    ----------
    a : GPUArray
        Elements.
    indices : GPUArray
        Whole numbers, which count the elements of the flat array.
    out : GPUArray, optional
        Where the result goes, and what is returned; a new array by default.
    stream : Stream, optional
        Taken for PyCUDA's sake: the work goes to the arrays' own stream.

    Returns
    -------
    GPUArray
        A new array of the shape of `indices`, or `out`.
    """
    require_array("take", a)
    return written(da.take(a.ravel(), indices), out)
