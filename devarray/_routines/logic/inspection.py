"""NumPy's functions that return an array's shape, size or kind, or compare the memory of two arrays."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from devarray import _core
from devarray._primitives.convert import asarray, holds_arrays
from devarray._primitives.opaque import OpaqueArray
from devarray.array import Array, normalize_axes

if TYPE_CHECKING:
    from devarray._typing import ArrayLike

__all__ = [
    "iscomplexobj",
    "isrealobj",
    "isscalar",
    "iterable",
    "may_share_memory",
    "ndim",
    "shape",
    "shares_memory",
    "size",
]


def shape(a: ArrayLike) -> tuple[int, ...]:
    """The sizes of an array's axes.

    Parameters
    ----------
    a : array_like
        The array, on the device or the host.

    Returns
    -------
    tuple of int
        One size for each axis.

    Examples
    --------
    >>> import devarray as da
    >>> da.shape(da.ones((2, 3)))
    (2, 3)
    """
    if holds_arrays(a):
        a = asarray(a)
    return a.shape if isinstance(a, Array | OpaqueArray) else np.shape(a)


def ndim(a: ArrayLike) -> int:
    """The number of an array's axes.

    Parameters
    ----------
    a : array_like
        The array, on the device or the host.

    Returns
    -------
    int
        The number of axes.

    Examples
    --------
    >>> import devarray as da
    >>> da.ndim(da.ones((2, 3)))
    2
    """
    return len(shape(a))


def size(a: ArrayLike, axis: int | tuple[int, ...] | None = None) -> int:
    """The number of an array's elements, or its size along axes.

    Parameters
    ----------
    a : array_like
        The array, on the device or the host.
    axis : int or tuple of int, optional
        The axes to count along; all by default.

    Returns
    -------
    int
        The product of the sizes.

    Raises
    ------
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.size(da.ones((2, 3)), 1)
    3
    """
    sizes = shape(a)
    return math.prod(sizes if axis is None else (sizes[i] for i in normalize_axes(axis, len(sizes))))


def isscalar(element: object) -> bool:
    """Whether an object is a scalar of Python or NumPy, or a value of the device such as ``x[0]`` or ``x.sum()``.

    Parameters
    ----------
    element : object
        The object.

    Returns
    -------
    bool
        False for arrays, also for those without axes.

    Examples
    --------
    >>> import devarray as da
    >>> da.isscalar(3.0), da.isscalar(da.asarray(3.0)), da.isscalar(da.asarray([3.0])[0])
    (True, False, True)
    """
    if isinstance(element, OpaqueArray):
        return element.is_element
    return np.isscalar(element) or (isinstance(element, Array) and _core.is_value(element))


def iterable(y: object) -> bool:
    """Whether an object can be iterated over, as arrays of at least one axis can.

    Parameters
    ----------
    y : object
        The object.

    Returns
    -------
    bool
        Whether it can.

    Examples
    --------
    >>> import devarray as da
    >>> da.iterable(da.ones(2)), da.iterable(da.asarray(1.0))
    (True, False)
    """
    return np.iterable(y)


def shares_memory(a: ArrayLike, b: ArrayLike, /, max_work: int = -1) -> bool:
    """Whether two arrays have a byte of memory in common.

    Parameters
    ----------
    a, b : object
        The arrays. What is no Array shares no memory with one.
    max_work : int
        How many candidates to examine before ``numpy.exceptions.TooHardError`` is raised; -1, the default, is no limit.

    Returns
    -------
    bool
        Whether there is such a byte.

    Examples
    --------
    >>> import devarray as da
    >>> x = da.ones(4)
    >>> da.shares_memory(x, x[2:]), da.shares_memory(x[::2], x[1::2])
    (True, False)
    """
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return np.shares_memory(a, b, max_work)  # type: ignore[arg-type] # any number
    if not may_share_memory(a, b):
        return False
    return np.shares_memory(np.asarray(_Layout(a)), np.asarray(_Layout(b)), max_work)  # type: ignore[arg-type] # any number


class _Layout:
    """Where an array lies in its memory, as NumPy's arrays say it; nothing is there to be read."""

    def __init__(self, x: Array | OpaqueArray) -> None:
        memory = x.bytes if isinstance(x, OpaqueArray) else x
        self.__array_interface__ = {
            "version": 3,
            "shape": x.shape,
            "strides": x.strides,
            "typestr": x.dtype.str,
            "data": (_SOMEWHERE + _core.byte_offset(memory), True),
        }


_SOMEWHERE = 1 << 32


def may_share_memory(a: ArrayLike, b: ArrayLike, /, max_work: int = 0) -> bool:
    """Whether the ranges of memory that two arrays span overlap.

    Parameters
    ----------
    a, b : object
        The arrays. What is no Array shares no memory with one.
    max_work : int
        NumPy's, for two of its arrays.

    Returns
    -------
    bool
        Whether the ranges overlap; the arrays may still have no byte in common.

    Examples
    --------
    >>> import devarray as da
    >>> x = da.ones(4)
    >>> da.may_share_memory(x[::2], x[1::2]), da.may_share_memory(x, x + 1)
    (True, False)
    """
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return np.may_share_memory(a, b, max_work)  # type: ignore[arg-type] # any number
    a, b = (x.bytes if isinstance(x, OpaqueArray) else x for x in (a, b))
    return isinstance(a, Array) and isinstance(b, Array) and _core.shares_memory(a, b)


def iscomplexobj(x: ArrayLike) -> bool:
    """Whether an array has a complex dtype.

    Parameters
    ----------
    x : array_like
        The array.

    Returns
    -------
    bool
        On the host; no value is read.

    Examples
    --------
    >>> import devarray as da
    >>> da.iscomplexobj(da.zeros(2, da.complex64))
    True
    """
    return bool(np.dtype(x.dtype).kind == "c") if isinstance(x, Array | OpaqueArray) else np.iscomplexobj(x)


def isrealobj(x: ArrayLike) -> bool:
    """Whether an array has a dtype that is not complex.

    Parameters
    ----------
    x : array_like
        The array.

    Returns
    -------
    bool
        On the host; no value is read.

    Examples
    --------
    >>> import devarray as da
    >>> da.isrealobj(da.zeros(2))
    True
    """
    return not iscomplexobj(x)
