"""Arrays joined from parts and split into parts, by NumPy's names beyond the standard's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from operator import index
from typing import Any

import numpy as np

from devarray import _core
from devarray._primitives.join import common_dtype, concat, parts
from devarray._primitives.operands import as_arrays
from devarray._routines.manipulation.shapes import atleast_3d, vstack
from devarray.array import Array, normalize_axes
from devarray.errors import DTypeError, ShapeError

__all__ = [
    "array_split",
    "block",
    "column_stack",
    "dsplit",
    "dstack",
    "hsplit",
    "row_stack",
    "split",
    "vsplit",
]


# --- joining -------------------------------------------------------------------------------------------------------


def column_stack(tup: Sequence[Any]) -> Array:
    """Arrays joined along the second axis, one-dimensional ones as columns.

    Parameters
    ----------
    tup : sequence of array_like
        Of one or two dimensions, with first axes of one size.

    Returns
    -------
    Array
        A new array of two dimensions.

    Raises
    ------
    ShapeError
        Where there are no arrays, or the first axes differ in size.

    Examples
    --------
    >>> import devarray as da
    >>> da.column_stack([da.asarray([1, 2]), da.asarray([3, 4])]).copy_to_host()
    array([[1, 3],
           [2, 4]])
    """
    return concat([x.reshape(-1, 1) if x.ndim < 2 else x for x in _parts("column_stack", tup)], axis=1)


def dstack(tup: Sequence[Any]) -> Array:
    """Arrays joined along the third axis.

    Parameters
    ----------
    tup : sequence of array_like
        At least one; those of fewer than three axes become what :func:`atleast_3d` makes of them.

    Returns
    -------
    Array
        A new array of at least three axes.

    Raises
    ------
    ShapeError
        Where there are no arrays, or the shapes differ beyond the third axis.

    Examples
    --------
    >>> import devarray as da
    >>> da.dstack([da.asarray([1, 2]), da.asarray([3, 4])]).copy_to_host()
    array([[[1, 3],
            [2, 4]]])
    """
    return concat([atleast_3d(x) for x in _parts("dstack", tup)], axis=2)


def row_stack(tup: Sequence[Any], *, dtype: Any = None, casting: str = "same_kind") -> Array:
    """Arrays joined along the first axis: NumPy's old name of :func:`vstack`.

    Parameters
    ----------
    tup : sequence of array_like
        At least one. One-dimensional arrays are rows.
    dtype : dtype, optional
        Of the result; by default the dtype that the arrays' promote to.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for the casts to `dtype`. "same_kind" by default.

    Returns
    -------
    Array
        A new array of at least two axes.

    Raises
    ------
    ShapeError
        Where there are no arrays, or the shapes differ beyond the first axis.

    Examples
    --------
    >>> import devarray as da
    >>> da.row_stack([da.zeros(2), da.ones(2)]).shape
    (2, 2)
    """
    return vstack(_parts("row_stack", tup), dtype=dtype, casting=casting)


def _parts(name: str, given: Sequence[Any]) -> list[Array]:
    if not len(given):
        raise ShapeError(f"{name} needs at least one array")
    return as_arrays(*parts(given))


def block(arrays: Any) -> Array:
    """An array put together from nested lists of blocks.

    Parameters
    ----------
    arrays : nested lists of array_like
        Those of the innermost lists are joined along the last axis, those of the lists around them along the axis
        before it, and so on. Blocks of fewer dimensions get axes of size 1 in front. All lie at one depth.

    Returns
    -------
    Array
        A new array of the blocks' common dtype; each block is written once.

    Raises
    ------
    ShapeError
        Where blocks do not fit, a list is empty, or depths differ.
    DTypeError
        For tuples, which NumPy does not take either.

    Examples
    --------
    >>> import devarray as da
    >>> x = da.ones((2, 2), da.int64)
    >>> da.block([[x, 2 * x], [da.zeros(4, da.int64)]]).copy_to_host()
    array([[1, 1, 2, 2],
           [1, 1, 2, 2],
           [0, 0, 0, 0]])
    """
    found = list(_leaves(arrays, 0))
    depths = {depth for depth, _ in found}
    if len(depths) > 1:
        raise ShapeError(f"block: the lists are nested to depths {sorted(depths)}; all blocks lie at one depth")
    blocks = as_arrays(*(leaf for _, leaf in found))
    depth = found[0][0]
    ndim = max(depth, *(x.ndim for x in blocks))
    shape, placed = _placed(arrays, iter(blocks), ndim - depth, ndim)
    result = _core.empty_at(blocks[0], shape, common_dtype(blocks))
    for start, x in placed:
        result[tuple(slice(at, at + size) for at, size in zip(start, x.shape, strict=True))] = x
    return result


def _leaves(nested: Any, depth: int) -> Iterator[tuple[int, Any]]:
    if isinstance(nested, tuple):
        raise DTypeError("block takes lists of blocks, not tuples")
    if not isinstance(nested, list):
        yield depth, nested
        return
    if not nested:
        raise ShapeError("block: an empty list has no blocks to join")
    for part in nested:
        yield from _leaves(part, depth + 1)


def _placed(
    nested: Any, blocks: Iterator[Array], axis: int, ndim: int
) -> tuple[tuple[int, ...], list[tuple[tuple[int, ...], Array]]]:
    """The shape of nested lists, whose outermost is joined along `axis`, and where each of their blocks begins."""
    if not isinstance(nested, list):
        x = next(blocks)
        x = x.reshape((1,) * (ndim - x.ndim) + x.shape)
        return x.shape, [((0,) * ndim, x)]
    parts = [_placed(part, blocks, axis + 1, ndim) for part in nested]
    first, at, found = parts[0][0], 0, []
    for shape, inner in parts:
        if shape[:axis] + shape[axis + 1 :] != first[:axis] + first[axis + 1 :]:
            raise ShapeError(f"block: blocks of shapes {first} and {shape} differ outside axis {axis}")
        found += [((*start[:axis], start[axis] + at, *start[axis + 1 :]), x) for start, x in inner]
        at += shape[axis]
    return (*first[:axis], at, *first[axis + 1 :]), found


# --- splitting -----------------------------------------------------------------------------------------------------


MOST_PARTS = 1 << 24
"""Views in one list: 4 GB on the host."""


def array_split(ary: Array, indices_or_sections: Any, axis: int = 0) -> list[Array]:
    """The array split along an axis, into parts of nearly one size or before the given indices; views.

    Parameters
    ----------
    ary : Array
        The array.
    indices_or_sections : int or sequence of int
        A number of parts, of which the first are longer by one where the size does not divide; or the indices before
        which to split, as slices have them. An Array of indices is read from the device, a wait.
    axis : int
        The axis to split along. 0 by default.

    Returns
    -------
    list of Array
        Views.

    Raises
    ------
    ShapeError
        For a number of parts below 1, or above 2**24.
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> [a.size for a in da.array_split(da.arange(8), 3)]
    [3, 3, 2]
    """
    (axis,) = normalize_axes(axis, ary.ndim)
    size, sections = ary.shape[axis], _sections(indices_or_sections)
    if isinstance(sections, list):
        cuts = sections
    elif sections <= 0:
        raise ShapeError(f"array_split: the number of parts is {sections}; it must be at least 1")
    elif sections > MOST_PARTS:
        raise ShapeError(
            f"array_split: {sections} parts of {size} elements; {MOST_PARTS} are the most that it makes, each a view"
        )
    else:
        least, longer = divmod(size, sections)
        cuts = [least * i + min(i, longer) for i in range(1, sections)]
    before = (slice(None),) * axis
    return [ary[(*before, slice(low, high))] for low, high in zip([0, *cuts], [*cuts, size], strict=True)]


def _sections(given: Any) -> int | list[int]:
    if isinstance(given, Array | np.ndarray):
        given = given.tolist()
    try:
        return [index(i) for i in given] if isinstance(given, Iterable) else index(given)
    except TypeError as error:
        raise DTypeError(f"arrays are split into a number of parts, or before the indices of a list: {error}") from None


def split(ary: Array, indices_or_sections: int | Sequence[int], axis: int = 0) -> list[Array]:
    """The array split along an axis into equal parts, or before given indices.

    Parameters
    ----------
    ary : array_like
        The array.
    indices_or_sections : int or sequence of int
        A number of equal parts, or the indices before which to split. An Array of indices is read from the device,
        which waits.
    axis : int
        The axis to split along. 0 by default.

    Returns
    -------
    list of Array
        Views.

    Raises
    ------
    ShapeError
        Where the axis does not divide into that number of equal parts.
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> [a.shape for a in da.split(da.arange(6), [1, 3])]
    [(1,), (2,), (3,)]
    """
    sections = _sections(indices_or_sections)
    size = ary.shape[normalize_axes(axis, ary.ndim)[0]]
    if isinstance(sections, int) and (sections <= 0 or size % sections):
        raise ShapeError(f"split: {size} elements do not divide into {sections} equal parts")
    return array_split(ary, sections, axis)


def hsplit(ary: Array, indices_or_sections: Any) -> list[Array]:
    """The array split along its second axis, or along its only one: see :func:`split`.

    Parameters
    ----------
    ary : array_like
        The array.
    indices_or_sections : int or sequence of int
        A number of equal parts, or the indices before which to split. An Array of indices is read from the device,
        which waits.

    Returns
    -------
    list of Array
        Views.

    Raises
    ------
    ShapeError
        Where the array has no axis, or does not divide into equal parts.

    Examples
    --------
    >>> import devarray as da
    >>> [a.shape for a in da.hsplit(da.ones((2, 4)), 2)]
    [(2, 2), (2, 2)]
    """
    _require_axes("hsplit", ary, 1)
    return split(ary, indices_or_sections, 1 if ary.ndim > 1 else 0)


def vsplit(ary: Array, indices_or_sections: Any) -> list[Array]:
    """The array split along the first of at least two axes: see :func:`split`.

    Parameters
    ----------
    ary : array_like
        The array.
    indices_or_sections : int or sequence of int
        A number of equal parts, or the indices before which to split. An Array of indices is read from the device,
        which waits.

    Returns
    -------
    list of Array
        Views.

    Raises
    ------
    ShapeError
        Where the array has fewer than two axes, or does not divide into equal parts.

    Examples
    --------
    >>> import devarray as da
    >>> [a.shape for a in da.vsplit(da.ones((4, 2)), [1])]
    [(1, 2), (3, 2)]
    """
    _require_axes("vsplit", ary, 2)
    return split(ary, indices_or_sections, 0)


def dsplit(ary: Array, indices_or_sections: Any) -> list[Array]:
    """The array split along its third axis: see :func:`split`.

    Parameters
    ----------
    ary : array_like
        The array.
    indices_or_sections : int or sequence of int
        A number of equal parts, or the indices before which to split. An Array of indices is read from the device,
        which waits.

    Returns
    -------
    list of Array
        Views.

    Raises
    ------
    ShapeError
        Where the array has fewer than three axes, or does not divide into equal parts.

    Examples
    --------
    >>> import devarray as da
    >>> [a.shape for a in da.dsplit(da.ones((2, 2, 4)), 2)]
    [(2, 2, 2), (2, 2, 2)]
    """
    _require_axes("dsplit", ary, 3)
    return split(ary, indices_or_sections, 2)


def _require_axes(name: str, x: Array, least: int) -> None:
    if x.ndim < least:
        raise ShapeError(f"{name} takes arrays of at least {least} dimension{'s' * (least > 1)}; this one has {x.ndim}")
