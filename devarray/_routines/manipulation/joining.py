"""Arrays joined from parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

from devarray import _core
from devarray._primitives.convert import DEEPEST
from devarray._primitives.join import common_dtype, concat, misfit, parts, stack
from devarray._primitives.operands import as_arrays
from devarray._routines.manipulation.shapes import atleast_1d, atleast_2d, atleast_3d
from devarray.array import Array
from devarray.errors import DTypeError, ShapeError

if TYPE_CHECKING:
    from devarray._typing import DTypeLike

__all__ = [
    "block",
    "column_stack",
    "concat",
    "concatenate",
    "dstack",
    "hstack",
    "row_stack",
    "stack",
    "vstack",
]


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


def row_stack(tup: Sequence[Any], *, dtype: DTypeLike | None = None, casting: str = "same_kind") -> Array:
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
        raise ShapeError(f"{name}: need at least one array to concatenate")
    return as_arrays(*parts(given))


def block(arrays: object) -> Array:
    """An array put together from nested lists of blocks.

    Parameters
    ----------
    arrays : nested lists of array_like
        Those of the innermost lists are joined along the last axis, those of the lists around them along the axis
        before it, and so on. Blocks of fewer dimensions get axes of size 1 in front. All lie at one depth.

    Returns
    -------
    Array
        A new array of the blocks' common dtype, in the memory order that they share.

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
        raise ShapeError(f"block: List depths are mismatched: {sorted(depths)}; all blocks lie at one depth")
    blocks = as_arrays(*(leaf for _, leaf in found))
    depth = found[0][0]
    ndim = max(depth, *(x.ndim for x in blocks))
    shape, rows = _placed(arrays, iter(blocks), ndim - depth, ndim)
    if depth and _share_an_order(blocks, depth * prod(shape)):
        return _joined(arrays, iter(blocks), ndim - depth, ndim)
    result = _core.empty_at(blocks[0], shape, common_dtype(blocks))
    for start, row in rows:
        ends = (begin + size for begin, size in zip(start[:-1], row[0].shape, strict=False))
        place = result[(*map(slice, start[:-1], ends), ...)]
        if depth:
            _core.join_into(place, row, ndim - 1, False)
        else:
            place[...] = row[0]
    return result


def _share_an_order(blocks: Sequence[Array], size: int) -> bool:
    """Whether the result is in another order than C's, as NumPy has it: that of small blocks, or Fortran's."""
    if all(_core.is_contiguous(x, "C") for x in blocks):  # which evaluates nothing that will lie so
        return False
    return size <= 2 * 512 * 512 or all(x.flags.f_contiguous for x in blocks)


def _joined(nested: object, blocks: Iterator[Array], axis: int, ndim: int) -> Array:
    """Nested lists joined one after the other, the outermost along `axis`, which keeps their memory order."""
    if not isinstance(nested, list):
        x = next(blocks)
        return x.reshape((1,) * (ndim - x.ndim) + x.shape)
    return concat([_joined(part, blocks, axis + 1, ndim) for part in nested], axis)


def _leaves(nested: object, depth: int) -> Iterator[tuple[int, Any]]:
    if isinstance(nested, tuple):
        raise DTypeError(
            "block: a tuple is given. Only lists can be used to arrange blocks, and np.block does not allow implicit "
            "conversion from tuple to ndarray."
        )
    if not isinstance(nested, list):
        yield depth, nested
        return
    if not nested:
        raise ShapeError("block: a list cannot be empty: it has no blocks to join")
    if depth == DEEPEST:
        raise ShapeError(f"block: the lists are nested more than {DEEPEST} deep; an array has fewer dimensions")
    for part in nested:
        yield from _leaves(part, depth + 1)


def _placed(
    nested: object, blocks: Iterator[Array], axis: int, ndim: int
) -> tuple[tuple[int, ...], list[tuple[tuple[int, ...], list[Array]]]]:
    """The shape of nested lists, whose outermost is joined along `axis`, and where the blocks of each innermost one
    begin, which lie side by side along the last axis."""
    if not isinstance(nested, list):
        x = next(blocks)
        x = x.reshape((1,) * (ndim - x.ndim) + x.shape)
        return x.shape, [((0,) * ndim, [x])]
    parts = [_placed(part, blocks, axis + 1, ndim) for part in nested]
    first, at, found = parts[0][0], 0, []
    for number, (shape, inner) in enumerate(parts):
        if shape[:axis] + shape[axis + 1 :] != first[:axis] + first[axis + 1 :]:
            raise ShapeError(
                f"{misfit(first, shape, number, axis)}: block: shapes {first} and {shape} differ outside axis {axis}"
            )
        found += [((*start[:axis], start[axis] + at, *start[axis + 1 :]), row) for start, row in inner]
        at += shape[axis]
    if axis == ndim - 1:
        found = [(found[0][0], [x for _, row in found for x in row])]
    return (*first[:axis], at, *first[axis + 1 :]), found


def concatenate(
    arrays: Sequence[Array],
    /,
    axis: int | None = 0,
    out: Array | None = None,
    *,
    dtype: DTypeLike | None = None,
    casting: str = "same_kind",
) -> Array:
    """NumPy's name of :func:`concat`.

    Parameters
    ----------
    arrays : sequence of array_like
        At least one. Their shapes may differ along `axis` only.
    axis : int, optional
        The axis to join along, the first by default. None: the arrays are flattened first.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the arrays' cast to.
    dtype : dtype, optional
        Of the result; by default the dtype that the arrays' promote to. Not together with `out`.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for the casts to `dtype` or into `out`. "same_kind" by default.

    Returns
    -------
    Array
        A new array, in the memory order that the arrays share; or `out`.

    Raises
    ------
    ShapeError
        Where there are no arrays, they have no axes, or their shapes differ elsewhere.
    DTypeError
        For casts that the rule does not allow, and `dtype` beside `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.concatenate([da.zeros(1), da.ones(2)]).copy_to_host()
    array([0., 1., 1.])
    """
    return concat(arrays, axis, out, dtype=dtype, casting=casting)


def vstack(tup: Sequence[Array], *, dtype: DTypeLike | None = None, casting: str = "same_kind") -> Array:
    """Arrays joined along the first axis, one-dimensional ones as rows.

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
        Where the shapes differ beyond the first axis.

    Examples
    --------
    >>> import devarray as da
    >>> da.vstack([da.zeros(2), da.ones(2)]).shape
    (2, 2)
    """
    return concat([atleast_2d(a) for a in parts(tup)], 0, dtype=dtype, casting=casting)


def hstack(tup: Sequence[Array], *, dtype: DTypeLike | None = None, casting: str = "same_kind") -> Array:
    """Arrays joined along the second axis, one-dimensional ones along the first.

    Parameters
    ----------
    tup : sequence of array_like
        At least one. Arrays without axes count as having one element.
    dtype : dtype, optional
        Of the result; by default the dtype that the arrays' promote to.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for the casts to `dtype`. "same_kind" by default.

    Returns
    -------
    Array
        A new array.

    Raises
    ------
    ShapeError
        Where the shapes differ beyond the axis that is joined.

    Examples
    --------
    >>> import devarray as da
    >>> da.hstack([da.zeros(2), da.ones(2)]).shape
    (4,)
    """
    rows = [atleast_1d(a) for a in parts(tup)]
    return concat(rows, 0 if rows and rows[0].ndim == 1 else 1, dtype=dtype, casting=casting)
