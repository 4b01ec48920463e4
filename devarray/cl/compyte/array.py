"""Strides of rows and columns, and an array's flags, under the names that PyOpenCL and PyCUDA share."""

from __future__ import annotations

import math
from typing import Any

from numpy.lib.stride_tricks import as_strided

__all__ = [
    "ArrayFlags",
    "as_strided",
    "c_contiguous_strides",
    "equal_strides",
    "f_contiguous_strides",
    "is_c_contiguous_strides",
    "is_f_contiguous_strides",
]

Sizes = tuple[int, ...]


def f_contiguous_strides(itemsize: int, shape: Sizes) -> Sizes:
    """Return the strides of an array whose first axis varies fastest.

    Parameters
    ----------
    itemsize : int
        Bytes of an element.
    shape : tuple of int
        Elements along each axis; one without elements counts as one.

    Returns
    -------
    tuple of int
        In bytes.

    Examples
    --------
    >>> from devarray.cl.compyte.array import f_contiguous_strides
    >>> f_contiguous_strides(4, (2, 3, 5))
    (4, 8, 24)
    """
    strides, step = [], itemsize
    for size in shape:
        strides.append(step)
        step *= max(size, 1)
    return tuple(strides)


def c_contiguous_strides(itemsize: int, shape: Sizes) -> Sizes:
    """Return the strides of an array whose last axis varies fastest.

    Parameters
    ----------
    itemsize : int
        Bytes of an element.
    shape : tuple of int
        Elements along each axis; one without elements counts as one.

    Returns
    -------
    tuple of int
        In bytes.

    Examples
    --------
    >>> from devarray.cl.compyte.array import c_contiguous_strides
    >>> c_contiguous_strides(4, (2, 3, 5))
    (60, 20, 4)
    """
    return f_contiguous_strides(itemsize, shape[::-1])[::-1]


def equal_strides(strides1: Sizes, strides2: Sizes, shape: Sizes) -> bool:
    """Return whether two arrays' strides address the same bytes: those of axes with one element do not count.

    Parameters
    ----------
    strides1, strides2 : tuple of int
        In bytes.
    shape : tuple of int
        Of both.

    Returns
    -------
    bool
        Whether they do.

    Examples
    --------
    >>> from devarray.cl.compyte.array import equal_strides
    >>> equal_strides((4, 4), (99, 4), (1, 3))
    True
    """
    if not len(strides1) == len(strides2) == len(shape):
        return False
    return all(size == 1 or a == b for size, a, b in zip(shape, strides1, strides2, strict=True))


def is_f_contiguous_strides(strides: Sizes, itemsize: int, shape: Sizes) -> bool:
    """Return whether the elements lie without gaps, the first axis varying fastest.

    Parameters
    ----------
    strides : tuple of int
        In bytes.
    itemsize : int
        Bytes of an element.
    shape : tuple of int
        Elements along each axis.

    Returns
    -------
    bool
        Whether they do; always of no elements.

    Examples
    --------
    >>> from devarray.cl.compyte.array import is_f_contiguous_strides
    >>> is_f_contiguous_strides((4, 8), 4, (2, 3))
    True
    """
    return math.prod(shape) == 0 or equal_strides(strides, f_contiguous_strides(itemsize, shape), shape)


def is_c_contiguous_strides(strides: Sizes, itemsize: int, shape: Sizes) -> bool:
    """Return whether the elements lie without gaps, the last axis varying fastest.

    Parameters
    ----------
    strides : tuple of int
        In bytes.
    itemsize : int
        Bytes of an element.
    shape : tuple of int
        Elements along each axis.

    Returns
    -------
    bool
        Whether they do; always of no elements.

    Examples
    --------
    >>> from devarray.cl.compyte.array import is_c_contiguous_strides
    >>> is_c_contiguous_strides((4, 8), 4, (2, 3))
    False
    """
    return is_f_contiguous_strides(strides[::-1], itemsize, shape[::-1])


class ArrayFlags:
    """How the elements of an array lie, from its strides.

    Parameters
    ----------
    ary : array
        With ``shape``, ``strides`` and ``dtype``.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray.cl.compyte.array import ArrayFlags
    >>> flags = ArrayFlags(np.zeros((2, 3), order="F"))
    >>> flags.f_contiguous, flags.c_contiguous, flags.forc
    (True, False, True)
    """

    def __init__(self, ary: Any) -> None:
        layout = (ary.strides, ary.dtype.itemsize, ary.shape)
        self.f_contiguous = is_f_contiguous_strides(*layout)
        self.c_contiguous = is_c_contiguous_strides(*layout)
        self.forc = self.f_contiguous or self.c_contiguous

    def __repr__(self) -> str:
        return f"  C_CONTIGUOUS : {self.c_contiguous}\n  F_CONTIGUOUS : {self.f_contiguous}"
