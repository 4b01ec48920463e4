"""Functions of ``pycuda.gpuarray`` that join arrays, choose elements and move them by indices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

import devarray as da
from devarray._primitives.checks import require_array
from devarray.cuda._gpuarray import GPUArray
from devarray.errors import ShapeError, ValueError

if TYPE_CHECKING:
    from devarray._typing import DTypeLike

__all__ = [
    "concatenate",
    "if_positive",
    "logical_and",
    "logical_not",
    "logical_or",
    "maximum",
    "minimum",
    "multi_put",
    "multi_take",
    "multi_take_put",
    "ones",
    "reshape",
    "stack",
    "transpose",
    "where",
    "written",
]


def written(x: da.Array, out: Any) -> Any:
    """A result as a GPUArray, or in `out` where that is given."""
    if out is None:
        return GPUArray._of(x)
    out[...] = x
    return out


def ones(shape: Any, dtype: DTypeLike = np.float64, allocator: object = None, order: str = "C") -> GPUArray:
    """An array of ones.

    Parameters
    ----------
    shape : int or tuple of int
        Sizes of the axes.
    dtype : dtype, optional
        A number's; float64 by default.
    allocator : callable or memory resource, optional
        Where the memory comes from; the device's default by default.
    order : {"C", "F"}, optional
        Which axis is dense in memory.

    Returns
    -------
    GPUArray
        A new array.
    """
    return GPUArray(shape, dtype, allocator, order=order).fill(1)


def concatenate(arrays: Sequence[GPUArray], axis: int = 0, allocator: object = None) -> GPUArray:
    """Arrays joined along an axis that they have.

    Parameters
    ----------
    arrays : sequence of GPUArray
        Of the same shape but for that axis.
    axis : int, optional
        The first by default.
    allocator : callable, optional
        Taken for PyCUDA's sake: the memory comes from where the first array's does.

    Returns
    -------
    GPUArray
        A new array.
    """
    return GPUArray._of(da.concatenate(list(arrays), axis=axis))


def stack(arrays: Sequence[GPUArray], axis: int = 0, allocator: object = None) -> GPUArray:
    """Arrays joined along a new axis.

    Parameters
    ----------
    arrays : sequence of GPUArray
        Of the same shape.
    axis : int, optional
        Where the new axis stands; the first by default.
    allocator : callable, optional
        Taken for PyCUDA's sake: the memory comes from where the first array's does.

    Returns
    -------
    GPUArray
        A new array.
    """
    return GPUArray._of(da.stack(list(arrays), axis=axis))


def transpose(a: GPUArray, axes: Sequence[int] | None = None) -> GPUArray:
    """A view with the axes in another order.

    Parameters
    ----------
    a : GPUArray
        The array.
    axes : sequence of int, optional
        The axes' new order; reversed by default.

    Returns
    -------
    GPUArray
        A view.
    """
    return GPUArray._of(da.transpose(a, axes))


def reshape(a: GPUArray, *shape: Any, order: str = "C") -> GPUArray:
    """The elements in another shape.

    Parameters
    ----------
    a : GPUArray
        The array.
    *shape : int or tuple of int
        The new sizes, of which one may be -1.
    order : {"C", "F"}, optional
        The order in which elements are read and placed.

    Returns
    -------
    GPUArray
        A view where the strides allow one, else a new array.
    """
    sizes = shape[0] if len(shape) == 1 and not hasattr(shape[0], "__index__") else shape
    return GPUArray._of(da.reshape(a, tuple(sizes), order=order))


def where(
    criterion: GPUArray, then_: GPUArray, else_: GPUArray, out: GPUArray | None = None, stream: object = None
) -> GPUArray:
    """Elements of `then_` where the criterion is not zero, else of `else_`.

    Parameters
    ----------
    criterion : GPUArray
        What is asked.
    then_, else_ : GPUArray
        Elements.
    out : GPUArray, optional
        Where the result goes, and what is returned; a new array by default.
    stream : Stream, optional
        Taken for PyCUDA's sake: the work goes to the arrays' own stream.

    Returns
    -------
    GPUArray
        A new array, or `out`.
    """
    return written(da.where(criterion, then_, else_), out)


def if_positive(criterion: GPUArray, then_: Any, else_: Any, out: Any = None, stream: object = None) -> GPUArray:
    """Elements of `then_` where the criterion is positive, else of `else_`.

    Parameters
    ----------
    criterion : GPUArray
        What is compared with 0.
    then_ : GPUArray or scalar
        Elements where it is greater.
    else_ : GPUArray or scalar
        Elements elsewhere.
    out : GPUArray, optional
        Where the result goes, and what is returned; a new array by default.
    stream : Stream, optional
        Taken for PyCUDA's sake: the work goes to the arrays' own stream.

    Returns
    -------
    GPUArray
        A new array, or `out`.
    """
    require_array("if_positive", criterion)
    for x in (then_, else_):
        if isinstance(x, da.Array) and x.shape not in (criterion.shape, ()):
            raise ShapeError("shapes do not match")
    return written(da.where(criterion > 0, then_, else_), out)


def maximum(a: Any, b: Any, out: Any = None, stream: Any = None) -> GPUArray:
    """The greater of two arrays' elements.

    Parameters
    ----------
    a : GPUArray
        Elements.
    b : GPUArray
        As many elements.
    out : GPUArray, optional
        Where the result goes, and what is returned; a new array by default.
    stream : Stream, optional
        Taken for PyCUDA's sake: the work goes to the arrays' own stream.

    Returns
    -------
    GPUArray
        A new array, or `out`.
    """
    return written(da.maximum(a, b), out)


def minimum(a: Any, b: Any, out: Any = None, stream: Any = None) -> GPUArray:
    """The lesser of two arrays' elements.

    Parameters
    ----------
    a : GPUArray
        Elements.
    b : GPUArray
        As many elements.
    out : GPUArray, optional
        Where the result goes, and what is returned; a new array by default.
    stream : Stream, optional
        Taken for PyCUDA's sake: the work goes to the arrays' own stream.

    Returns
    -------
    GPUArray
        A new array, or `out`.
    """
    return written(da.minimum(a, b), out)


def logical_and(x1: Any, x2: Any, /, out: Any = None, *, allocator: object = None) -> GPUArray:
    """Whether both elements are not zero.

    Parameters
    ----------
    x1, x2 : GPUArray or scalar
        Of one shape, one of them an array.
    out : GPUArray, optional
        Where the result goes, and what is returned; a new array of bools by default.
    allocator : callable, optional
        Taken for PyCUDA's sake: the memory comes from where the operands' does.

    Returns
    -------
    GPUArray
        A new array, or `out`.
    """
    return written(da.logical_and(x1, x2), out)


def logical_or(x1: Any, x2: Any, /, out: Any = None, *, allocator: object = None) -> GPUArray:
    """Whether one of two elements is not zero.

    Parameters
    ----------
    x1, x2 : GPUArray or scalar
        Of one shape, one of them an array.
    out : GPUArray, optional
        Where the result goes, and what is returned; a new array of bools by default.
    allocator : callable, optional
        Taken for PyCUDA's sake: the memory comes from where the operands' does.

    Returns
    -------
    GPUArray
        A new array, or `out`.
    """
    return written(da.logical_or(x1, x2), out)


def logical_not(x: Any, /, out: Any = None, *, allocator: object = None) -> GPUArray:
    """Whether each element is zero.

    Parameters
    ----------
    x : GPUArray
        Elements.
    out : GPUArray, optional
        Where the result goes, and what is returned; a new array of bools by default.
    allocator : callable, optional
        Taken for PyCUDA's sake: the memory comes from where the operand's does.

    Returns
    -------
    GPUArray
        A new array, or `out`.
    """
    return written(da.logical_not(x), out)


# --- several arrays by the same indices --------------------------------------------------------------------------


def multi_take(
    arrays: Sequence[GPUArray], indices: GPUArray, out: Sequence[GPUArray] | None = None, stream: object = None
) -> list[GPUArray]:
    """The elements of several arrays at the same indices of the flat arrays.

    Parameters
    ----------
    arrays : sequence of GPUArray
        Elements.
    indices : GPUArray
        Whole numbers.
    out : sequence of GPUArray, optional
        Where the results go; new arrays by default.
    stream : Stream, optional
        Taken for PyCUDA's sake: the work goes to the arrays' own stream.

    Returns
    -------
    list of GPUArray
        One for each array.
    """
    require_array("multi_take", *arrays)
    targets: Sequence[Any] = out or [None] * len(arrays)
    return [written(da.take(a.ravel(), indices), target) for a, target in zip(arrays, targets, strict=True)]


def multi_put(
    arrays: Sequence[GPUArray],
    dest_indices: GPUArray,
    dest_shape: Any = None,
    out: Sequence[GPUArray] | None = None,
    stream: object = None,
) -> Sequence[GPUArray]:
    """The elements of several arrays at the same indices of flat results.

    Parameters
    ----------
    arrays : sequence of GPUArray
        Elements, as many as indices.
    dest_indices : GPUArray
        Whole numbers, which count the elements of the flat results.
    dest_shape : int or tuple of int, optional
        Of new results; other elements of these are undefined.
    out : sequence of GPUArray, optional
        Where the elements go, C-contiguous; new arrays by default.
    stream : Stream, optional
        Taken for PyCUDA's sake: the work goes to the arrays' own stream.

    Returns
    -------
    sequence of GPUArray
        The results, one for each array.
    """
    require_array("multi_put", *arrays)
    targets = _targets("multi_put", arrays, dest_shape, out)
    for a, target in zip(arrays, targets, strict=True):
        target.reshape(-1)[dest_indices] = a.ravel()
    return targets


def multi_take_put(
    arrays: Sequence[GPUArray],
    dest_indices: GPUArray,
    src_indices: GPUArray,
    dest_shape: Any = None,
    out: Sequence[GPUArray] | None = None,
    stream: object = None,
    src_offsets: Sequence[int] | None = None,
) -> Sequence[GPUArray]:
    """The elements of several arrays at the same indices, to the same indices of flat results.

    Parameters
    ----------
    arrays : sequence of GPUArray
        Elements.
    dest_indices, src_indices : GPUArray
        As many whole numbers each, which count the elements of the flat results and arrays.
    dest_shape : int or tuple of int, optional
        Of new results; other elements of these are undefined.
    out : sequence of GPUArray, optional
        Where the elements go, C-contiguous; new arrays by default.
    stream : Stream, optional
        Taken for PyCUDA's sake: the work goes to the arrays' own stream.
    src_offsets : sequence of int, optional
        For each array how many elements its indices begin behind its first one.

    Returns
    -------
    sequence of GPUArray
        The results, one for each array.
    """
    require_array("multi_take_put", *arrays)
    targets = _targets("multi_take_put", arrays, dest_shape, out)
    for a, target, offset in zip(arrays, targets, src_offsets or [0] * len(arrays), strict=True):
        target.reshape(-1)[dest_indices] = da.take(a.ravel(), src_indices + offset if offset else src_indices)
    return targets


def _targets(name: str, arrays: Sequence[GPUArray], shape: Any, out: Sequence[GPUArray] | None) -> Sequence[GPUArray]:
    if out is not None:
        return out
    if shape is None:
        raise ValueError(f"{name} needs dest_shape, the shape of its results, or out, the arrays themselves")
    return [GPUArray(shape, a.dtype, a.allocator) for a in arrays]
