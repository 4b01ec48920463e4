"""Reductions under ``pycuda.gpuarray``'s names: results are arrays without axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import devarray as da
from devarray._kernels.driver_arrays import dtype_of
from devarray._primitives.checks import require_array
from devarray.cuda._gpuarray import GPUArray

if TYPE_CHECKING:
    from devarray._typing import DTypeLike

__all__ = ["all", "any", "dot", "max", "min", "subset_dot", "subset_max", "subset_min", "subset_sum", "sum", "vdot"]


def _placed(x: da.Array, allocator: object) -> GPUArray:
    """A result as a GPUArray, in memory of `allocator` where that is given."""
    if allocator is None:
        return GPUArray._of(x)
    out = GPUArray(x.shape, x.dtype, allocator)
    out[...] = x
    return out


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
    allocator : callable or memory resource, optional
        Where the result's memory comes from; from where the operand's does by default.

    Returns
    -------
    GPUArray
        A new array without axes.
    """
    require_array("sum", a)
    return _placed(da.sum(a, dtype=dtype or a.dtype), allocator)


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
    allocator : callable or memory resource, optional
        Where the result's memory comes from; from where the operand's does by default.

    Returns
    -------
    GPUArray
        A new array without axes.
    """
    require_array("dot", a, b)
    return _placed(da.sum(a * b, dtype=dtype or dtype_of(a, b)), allocator)


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
    allocator : callable or memory resource, optional
        Where the result's memory comes from; from where the operand's does by default.

    Returns
    -------
    GPUArray
        A new array without axes.
    """
    require_array("vdot", a, b)
    return dot(a.conj() if a.dtype.kind == "c" else a, b, dtype, stream, allocator)


def max(a: GPUArray, stream: object = None, allocator: object = None) -> GPUArray:
    """The greatest element, as a 0-d array.

    Parameters
    ----------
    a : GPUArray
        Elements.
    stream : Stream, optional
        Taken for PyCUDA's sake: the work goes to the arrays' own stream.
    allocator : callable or memory resource, optional
        Where the result's memory comes from; from where the operand's does by default.

    Returns
    -------
    GPUArray
        A new array without axes.
    """
    require_array("max", a)
    return _placed(da.max(a), allocator)


def min(a: GPUArray, stream: object = None, allocator: object = None) -> GPUArray:
    """The least element, as a 0-d array.

    Parameters
    ----------
    a : GPUArray
        Elements.
    stream : Stream, optional
        Taken for PyCUDA's sake: the work goes to the arrays' own stream.
    allocator : callable or memory resource, optional
        Where the result's memory comes from; from where the operand's does by default.

    Returns
    -------
    GPUArray
        A new array without axes.
    """
    require_array("min", a)
    return _placed(da.min(a), allocator)


def subset_dot(
    subset: GPUArray,
    a: GPUArray,
    b: GPUArray,
    dtype: DTypeLike | None = None,
    stream: object = None,
    allocator: object = None,
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
    allocator : callable or memory resource, optional
        Where the result's memory comes from; from where the operand's does by default.

    Returns
    -------
    GPUArray
        A new array without axes.
    """
    require_array("subset_dot", subset, a, b)
    return dot(_at(a, subset), _at(b, subset), dtype, stream, allocator)


def subset_max(subset: GPUArray, a: GPUArray, stream: object = None, allocator: object = None) -> GPUArray:
    """The greatest of the elements at some indices.

    Parameters
    ----------
    subset : GPUArray
        Whole numbers, which count the elements of the flat arrays.
    a : GPUArray
        Elements.
    stream : Stream, optional
        Taken for PyCUDA's sake: the work goes to the arrays' own stream.
    allocator : callable or memory resource, optional
        Where the result's memory comes from; from where the operand's does by default.

    Returns
    -------
    GPUArray
        A new array without axes.
    """
    require_array("subset_max", subset, a)
    return max(_at(a, subset), stream, allocator)


def subset_min(subset: GPUArray, a: GPUArray, stream: object = None, allocator: object = None) -> GPUArray:
    """The least of the elements at some indices.

    Parameters
    ----------
    subset : GPUArray
        Whole numbers, which count the elements of the flat arrays.
    a : GPUArray
        Elements.
    stream : Stream, optional
        Taken for PyCUDA's sake: the work goes to the arrays' own stream.
    allocator : callable or memory resource, optional
        Where the result's memory comes from; from where the operand's does by default.

    Returns
    -------
    GPUArray
        A new array without axes.
    """
    require_array("subset_min", subset, a)
    return min(_at(a, subset), stream, allocator)


def subset_sum(
    subset: GPUArray, a: GPUArray, dtype: DTypeLike | None = None, stream: object = None, allocator: object = None
) -> GPUArray:
    """The sum of the elements at some indices.

    Parameters
    ----------
    subset : GPUArray
        Whole numbers, which count the elements of the flat array.
    a : GPUArray
        Elements.
    dtype : dtype, optional
        The result's, which is also computed in; by default that of the elements.
    stream : Stream, optional
        Taken for PyCUDA's sake: the work goes to the arrays' own stream.
    allocator : callable or memory resource, optional
        Where the result's memory comes from; from where the operand's does by default.

    Returns
    -------
    GPUArray
        A new array without axes.
    """
    require_array("subset_sum", a, subset)
    return _placed(da.sum(_at(a, subset), dtype=dtype or a.dtype), allocator)


def _at(a: GPUArray, subset: GPUArray) -> GPUArray:
    return GPUArray._of(da.take(a.ravel(), subset))


def any(a: GPUArray, stream: object = None, allocator: object = None) -> GPUArray:
    """Whether an element is not zero.

    Parameters
    ----------
    a : GPUArray
        Elements.
    stream : Stream, optional
        Taken for PyCUDA's sake: the work goes to the arrays' own stream.
    allocator : callable or memory resource, optional
        Where the result's memory comes from; from where the operand's does by default.

    Returns
    -------
    GPUArray
        A new array without axes, of a bool.
    """
    require_array("any", a)
    return _placed(da.any(a), allocator)


def all(a: GPUArray, stream: object = None, allocator: object = None) -> GPUArray:
    """Whether no element is zero.

    Parameters
    ----------
    a : GPUArray
        Elements.
    stream : Stream, optional
        Taken for PyCUDA's sake: the work goes to the arrays' own stream.
    allocator : callable or memory resource, optional
        Where the result's memory comes from; from where the operand's does by default.

    Returns
    -------
    GPUArray
        A new array without axes, of a bool.
    """
    require_array("all", a)
    return _placed(da.all(a), allocator)
