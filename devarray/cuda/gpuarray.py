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
from devarray._kernels.driver_arrays import dtype_of
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
    subset_sum,
    transpose,
    where,
    written,
)

if TYPE_CHECKING:
    from devarray._typing import DTypeLike

__all__ = [
    "GPUArray",
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


def empty(shape: Any, dtype: Any = np.float32, *, allocator: Any = None, order: str = "C") -> GPUArray:
    """An uninitialised array.

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
    return GPUArray(shape, dtype, allocator, order=order)


def zeros(shape: Any, dtype: Any = np.float32, *, allocator: Any = None, order: str = "C") -> GPUArray:
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


def empty_like(other: GPUArray, dtype: DTypeLike | None = None, order: str = "K") -> GPUArray:
    """An uninitialised array of another one's shape and place.

    Parameters
    ----------
    other : GPUArray
        The array whose shape and place are taken.
    dtype : dtype, optional
        A number's; the other array's by default.
    order : {"K"}, optional
        Taken for PyCUDA's sake: the other array's order is kept.

    Returns
    -------
    GPUArray
        A new array.
    """
    return GPUArray._of(da.empty_like(other, dtype=dtype))


def zeros_like(other: GPUArray, dtype: DTypeLike | None = None, order: str = "K") -> GPUArray:
    """An array of zeros of another one's shape and place.

    Parameters
    ----------
    other : GPUArray
        The array whose shape and place are taken.
    dtype : dtype, optional
        A number's; the other array's by default.
    order : {"K"}, optional
        Taken for PyCUDA's sake: the other array's order is kept.

    Returns
    -------
    GPUArray
        A new array.
    """
    return GPUArray._of(da.zeros_like(other, dtype=dtype))


def ones_like(other: GPUArray, dtype: DTypeLike | None = None, order: str = "K") -> GPUArray:
    """An array of ones of another one's shape and place.

    Parameters
    ----------
    other : GPUArray
        The array whose shape and place are taken.
    dtype : dtype, optional
        A number's; the other array's by default.
    order : {"K"}, optional
        Taken for PyCUDA's sake: the other array's order is kept.

    Returns
    -------
    GPUArray
        A new array.
    """
    return GPUArray._of(da.ones_like(other, dtype=dtype))


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


def sum(a: GPUArray, dtype: DTypeLike | None = None, stream: object = None, allocator: object = None) -> GPUArray:
    """The sum of all elements, in the array's own dtype, as a 0-d array.

    Parameters
    ----------
    a : GPUArray
        Elements.
    dtype : dtype, optional
        The result's, which is also computed in; by default that of the elements.
    stream : Stream, optional
        Taken for PyCUDA's sake: the work goes to the arrays' own stream.
    allocator : callable, optional
        Taken for PyCUDA's sake: the memory comes from where the operand's does.

    Returns
    -------
    GPUArray
        A new array without axes.
    """
    require_array("sum", a)
    return GPUArray._of(da.sum(a, dtype=dtype or a.dtype))


def dot(
    a: GPUArray, b: GPUArray, dtype: DTypeLike | None = None, stream: object = None, allocator: object = None
) -> GPUArray:
    """The sum of the products of all elements.

    Parameters
    ----------
    a : GPUArray
        Elements.
    b : GPUArray
        As many elements.
    dtype : dtype, optional
        The result's, which is also computed in; by default that of the elements.
    stream : Stream, optional
        Taken for PyCUDA's sake: the work goes to the arrays' own stream.
    allocator : callable, optional
        Taken for PyCUDA's sake: the memory comes from where the operand's does.

    Returns
    -------
    GPUArray
        A new array without axes.
    """
    require_array("dot", a, b)
    return GPUArray._of(da.sum(a * b, dtype=dtype or dtype_of(a, b)))


def vdot(
    a: GPUArray, b: GPUArray, dtype: DTypeLike | None = None, stream: object = None, allocator: object = None
) -> GPUArray:
    """The sum of the products of all elements, those of the first conjugated.

    Parameters
    ----------
    a : GPUArray
        Elements.
    b : GPUArray
        As many elements.
    dtype : dtype, optional
        The result's, which is also computed in; by default that of the elements.
    stream : Stream, optional
        Taken for PyCUDA's sake: the work goes to the arrays' own stream.
    allocator : callable, optional
        Taken for PyCUDA's sake: the memory comes from where the operand's does.

    Returns
    -------
    GPUArray
        A new array without axes.
    """
    require_array("vdot", a, b)
    return dot(a.conj() if a.dtype.kind == "c" else a, b, dtype)


def max(a: GPUArray, stream: object = None, allocator: object = None) -> GPUArray:
    """The greatest element, as a 0-d array.

    Parameters
    ----------
    a : GPUArray
        Elements.
    stream : Stream, optional
        Taken for PyCUDA's sake: the work goes to the arrays' own stream.
    allocator : callable, optional
        Taken for PyCUDA's sake: the memory comes from where the operand's does.

    Returns
    -------
    GPUArray
        A new array without axes.
    """
    return GPUArray._of(da.max(a))


def min(a: GPUArray, stream: object = None, allocator: object = None) -> GPUArray:
    """The least element, as a 0-d array.

    Parameters
    ----------
    a : GPUArray
        Elements.
    stream : Stream, optional
        Taken for PyCUDA's sake: the work goes to the arrays' own stream.
    allocator : callable, optional
        Taken for PyCUDA's sake: the memory comes from where the operand's does.

    Returns
    -------
    GPUArray
        A new array without axes.
    """
    return GPUArray._of(da.min(a))


def subset_dot(
    subset: GPUArray, a: GPUArray, b: GPUArray, dtype: DTypeLike | None = None, stream: object = None
) -> GPUArray:
    """The sum of the products of the elements at some indices.

    Parameters
    ----------
    subset : GPUArray
        Whole numbers, which count the elements of the flat arrays.
    a : GPUArray
        Elements.
    b : GPUArray
        As many elements.
    dtype : dtype, optional
        The result's, which is also computed in; by default that of the elements.
    stream : Stream, optional
        Taken for PyCUDA's sake: the work goes to the arrays' own stream.

    Returns
    -------
    GPUArray
        A new array without axes.
    """
    return dot(take(a, subset), take(b, subset), dtype)


def subset_max(subset: GPUArray, a: GPUArray, stream: object = None) -> GPUArray:
    """The greatest of the elements at some indices.

    Parameters
    ----------
    subset : GPUArray
        Whole numbers, which count the elements of the flat arrays.
    a : GPUArray
        Elements.
    stream : Stream, optional
        Taken for PyCUDA's sake: the work goes to the arrays' own stream.

    Returns
    -------
    GPUArray
        A new array without axes.
    """
    return max(take(a, subset))


def subset_min(subset: GPUArray, a: GPUArray, stream: object = None) -> GPUArray:
    """The least of the elements at some indices.

    Parameters
    ----------
    subset : GPUArray
        Whole numbers, which count the elements of the flat arrays.
    a : GPUArray
        Elements.
    stream : Stream, optional
        Taken for PyCUDA's sake: the work goes to the arrays' own stream.

    Returns
    -------
    GPUArray
        A new array without axes.
    """
    return min(take(a, subset))
