"""Bits in bytes: NumPy's binary packing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from devarray import _core
from devarray._array.operations import row_along
from devarray._primitives.convert import asarray
from devarray._primitives.join import concat
from devarray._routines.manipulation.axes import moveaxis
from devarray.array import OP, Array
from devarray.errors import DTypeError, ValueError

if TYPE_CHECKING:
    from devarray._typing import ArrayLike

__all__ = ["packbits", "unpackbits"]


def packbits(a: ArrayLike, /, axis: int | None = None, bitorder: str = "big") -> Array:
    """The elements of an array as bits of bytes, eight elements in each.

    Parameters
    ----------
    a : array_like of bool or int
        An element that is not zero is a 1. Flattened where no axis is given.
    axis : int, optional
        The axis to pack along.
    bitorder : {"big", "little"}
        Whether the first of eight elements is the highest bit (the default) or the lowest one.

    Returns
    -------
    Array
        uint8; the axis is an eighth as long, and the last byte is filled with zeros.

    Raises
    ------
    DTypeError
        For other dtypes.
    ValueError
        For another `bitorder`.
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.packbits(da.asarray([1, 0, 1, 0, 0, 0, 0, 0, 1])).copy_to_host()
    array([160, 128], dtype=uint8)
    """
    x, axis = _along("packbits", a, axis, bitorder)
    if x.dtype.kind not in "biu":
        raise DTypeError(f"packbits: Expected an input array of integer or boolean data type, not {x.dtype}")
    flags = _core.apply(OP["not_equal"], x, 0)  # 0 or 1, in memory of their own, which begins at a whole word
    rows = moveaxis(flags, axis, -1)
    outer, size = rows.shape[:-1], rows.shape[-1]
    if size % 8:
        rows = concat([rows, _core.full((*outer, -size % 8), np.bool_, 0, x.queue, x.allocator)], axis=-1)
    if rows.size == 0:
        return moveaxis(_core.empty_at(rows, (*outer, -(-size // 8)), np.uint8), -1, axis)
    words = _core.contiguous(rows).view(np.uint64)
    return moveaxis((words * _GATHER[bitorder] >> 56).astype(np.uint8), -1, axis)


def unpackbits(a: ArrayLike, /, axis: int | None = None, count: int | None = None, bitorder: str = "big") -> Array:
    """The bits of bytes, one element each.

    Parameters
    ----------
    a : array_like of uint8
        Flattened where no axis is given.
    axis : int, optional
        The axis to unpack along.
    count : int, optional
        Number of bits along the axis: more of them are filled with 0, and a negative number leaves so many out at the
        end. All by default.
    bitorder : {"big", "little"}
        Whether the highest bit of a byte comes first (the default) or the lowest one.

    Returns
    -------
    Array
        uint8, 0 or 1; the axis is eight times as long, or `count`.

    Raises
    ------
    DTypeError
        For other dtypes than uint8.
    ValueError
        For another `bitorder`, and where there are too few bits to leave out.
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.unpackbits(da.asarray([5], dtype=da.uint8)).copy_to_host()
    array([0, 0, 0, 0, 0, 1, 0, 1], dtype=uint8)
    """
    x, axis = _along("unpackbits", a, axis, bitorder)
    if x.dtype != np.uint8:
        raise DTypeError(f"unpackbits: Expected an input array of unsigned byte data type, not {x.dtype}")
    rows = moveaxis(x, axis, -1)
    size = 8 * rows.shape[-1]
    wanted = size if count is None else count if count >= 0 else size + count
    if wanted < 0:
        raise ValueError(f"unpackbits: there are {size} bits along the axis, too few to leave {-(count or 0)} out")
    bits = _spread(rows, bitorder)[..., :wanted]
    if wanted > size:
        more = _core.full((*rows.shape[:-1], wanted - size), np.uint8, 0, x.queue, x.allocator)
        bits = concat([bits, more], axis=-1)
    return moveaxis(bits, -1, axis)


_GATHER = {"little": 0x0102040810204080, "big": 0x8040201008040201}
"""Times a word of eight bytes that are 0 or 1: no two of their products meet, and the highest byte has one of each."""
_EACH_BYTE = 0x0101010101010101
_ONE_BIT_EACH = {"little": 0x8040201008040201, "big": 0x0102040810204080}


def _spread(rows: Array, bitorder: str) -> Array:
    """Bytes along the last axis as their bits. Eight bytes of a word hold a copy each, of which they keep one bit."""
    words = rows.astype(np.uint64) * _EACH_BYTE & _ONE_BIT_EACH[bitorder]
    ones = _core.contiguous(words + 0x7F * _EACH_BYTE >> 7 & _EACH_BYTE)  # what is not 0 carries into the highest bit
    if rows.size == 0:
        return _core.empty_at(rows, (*rows.shape[:-1], 8 * rows.shape[-1]), None)
    return ones.view(np.uint8)


def _along(name: str, a: object, axis: int | None, bitorder: str) -> tuple[Array, int]:
    if bitorder not in ("big", "little"):
        raise ValueError(f"{name}: 'order' must be either 'little' or 'big', not bitorder={bitorder!r}")
    return row_along(asarray(a), axis)
