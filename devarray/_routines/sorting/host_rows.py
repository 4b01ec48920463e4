"""Sorting on the host, by the strategy of CPUs.

Long rows of numbers are sorted by their digits (csrc/engine/host/radix_sort.cpp), on all cores. NumPy sorts the others,
blocks of rows that stay in the cache beside each other. It sorts numbers by vectors, but its stable sort takes five
times as long. So what is sorted are words that hold an element and, below it, its place: no two are equal. Elements of
64 bits lose their lowest bits to the place; those that only these bits tell apart, and equal ones, are put in order
behind the sort.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from devarray import _core
from devarray._array.order import strides_fall
from devarray._primitives.host_threads import BLOCK, each_block

__all__ = ["argpartition_rows", "argsort", "argsort_rows", "partition_rows", "sort", "sort_rows"]

_PLACES = (1 << 31) - 1
"""Elements of a row at most: ranks and places share words of 64 bits."""
_FEW = 256
"""Elements up to which NumPy's stable sort takes no longer than a look at them and its quicker sort."""
_LONG = 1 << 12
"""Elements up to which NumPy sorts words of places; rows without places it sorts up to `BLOCK`."""
Rows = np.ndarray
Fill = Callable[[Rows, Rows], None]


def sort(values: np.ndarray, axis: int | None) -> np.ndarray | None:
    """The sorted values; equal elements keep their order. None of what does not lie by rows, as a result would."""
    if axis is None:
        values, axis = values.ravel(), 0
    if not strides_fall(values):
        return None
    if values.size <= _FEW:
        return np.sort(values, axis, "stable")
    if values.size <= BLOCK:
        return np.sort(values, axis, "stable" if _order_shows(values) else None)
    out = np.empty_like(values)
    sort_rows(values, out, axis, False)
    return out


def argsort(values: np.ndarray, axis: int | None) -> np.ndarray:
    """The places of the sorted values; equal elements keep their order."""
    if axis is None:
        values, axis = values.ravel(), 0
    if values.size <= 4 * _FEW:
        return np.argsort(values, axis, "stable")
    out = np.empty(values.shape, np.int64)
    argsort_rows(values, out, axis, False)
    return out


def sort_rows(values: np.ndarray, out: np.ndarray, axis: int, descending: bool) -> None:
    """Fill `out` with the sorted values; equal elements keep their order."""
    if _has_digits(values) and values.shape[axis] > BLOCK:
        _by_rows(partial(_core.sort_rows, descending=descending), values, out, axis, whole=True)
    else:
        _by_rows(_sort_descending if descending else _sort, values, out, axis)


def argsort_rows(values: np.ndarray, out: np.ndarray, axis: int, descending: bool) -> None:
    """Fill `out` with the places of the sorted values; equal elements keep their order."""
    if _has_digits(values) and values.shape[axis] > _LONG:
        _by_rows(partial(_core.argsort_rows, descending=descending), values, out, axis, whole=True)
    else:
        _by_rows(_argsort_descending if descending else _argsort, values, out, axis)


def _has_digits(values: np.ndarray) -> bool:
    return values.dtype.kind in "biuf" and values.itemsize <= 8


def partition_rows(values: np.ndarray, out: np.ndarray, axis: int, places: np.ndarray) -> None:
    """Fill `out` with the values, those at `places` where sorting puts them."""

    def fill(rows: Rows, out: Rows) -> None:
        if _order_shows(rows):
            _sort(rows, out)
        else:
            out[...] = np.partition(rows, places, -1)

    _by_rows(fill, values, out, axis)


def argpartition_rows(values: np.ndarray, out: np.ndarray, axis: int, places: np.ndarray) -> None:
    """Fill `out` with the places of the values as :func:`partition_rows` orders them."""

    def fill(rows: Rows, out: Rows) -> None:
        if _order_shows(rows):
            _argsort(rows, out)
        else:
            out[...] = np.argpartition(rows, places, -1)

    _by_rows(fill, values, out, axis)


def _by_rows(fill: Fill, values: np.ndarray, out: np.ndarray, axis: int, whole: bool = False) -> None:
    """``fill(rows, rows of out)`` for all rows along `axis`, which are contiguous: by blocks, or once for the whole."""
    length = values.shape[axis]
    source, target = np.moveaxis(values, axis, -1), np.moveaxis(out, axis, -1)
    rows = np.ascontiguousarray(source).reshape(-1, length)
    made = target if target.flags.c_contiguous else np.empty(target.shape, target.dtype)
    results = made.reshape(-1, length)
    if whole:
        fill(rows, results)
    else:
        each_block(lambda begin, end: fill(rows[begin:end], results[begin:end]), *rows.shape)
    if made is not target:
        target[...] = made


def _sort(rows: Rows, out: Rows) -> None:
    out[...] = rows
    out.sort(-1, kind="stable" if _order_shows(rows) else None)


def _order_shows(values: np.ndarray) -> bool:
    """Whether equal elements can be told apart, so that only a stable sort will do: zeros of both signs, complex."""
    if values.dtype.kind == "f":
        width = values.itemsize
        return bool(np.count_nonzero(values.view(f"i{width}") == -1 << 8 * width - 1))  # the bits of -0
    return values.dtype.kind == "c"


def _argsort(rows: Rows, out: Rows) -> None:
    length = rows.shape[-1]
    if rows.dtype.kind == "c" or length > _PLACES:
        out[...] = np.argsort(rows, -1, kind="stable")
    elif (keys := _keys(rows, 63 - length.bit_length())) is not None:
        keys <<= length.bit_length()
        out[...] = _sorted_words(keys)[1]
    else:
        _argsort_wide(rows, out)


def _argsort_wide(rows: Rows, out: Rows) -> None:
    """:func:`_argsort` of elements of 64 bits, which differ in more bits than a place leaves."""
    leading, order = _sorted_words(_wide_keys(rows))
    same = np.zeros(order.shape, np.bool_)
    np.equal(leading[:, 1:], leading[:, :-1], out=same[:, 1:])
    if same.any():
        unclear = same.copy()
        unclear[:, :-1] |= same[:, 1:]
        if np.count_nonzero(unclear) > order.size // 16:
            order = np.argsort(rows, -1)
            order = _equal_in_order(np.take_along_axis(rows, order, -1), order)
        else:
            places, runs = order[unclear], np.cumsum(~same)[unclear.ravel()]
            order[unclear] = places[np.lexsort((places, rows[np.nonzero(unclear)[0], places], runs))]
    out[...] = order


def _sort_descending(rows: Rows, out: Rows) -> None:
    order = np.empty(rows.shape, np.int64)
    _argsort_descending(rows, order)
    out[...] = np.take_along_axis(rows, order, -1)


def _argsort_descending(rows: Rows, out: Rows) -> None:
    """The last of equals comes first in the reversed row, so its order is reversed back, too."""
    order = np.empty(rows.shape, np.int64)
    _argsort(np.ascontiguousarray(rows[:, ::-1]), order)
    np.subtract(rows.shape[-1] - 1, order[:, ::-1], out=out)


def _keys(rows: Rows, bits: int) -> Rows | None:
    """int64 of at most `bits` bits and a sign, in the order of the elements, which are not complex; None where those
    need more."""
    if rows.dtype.kind == "f":
        return _float_keys(rows) if rows.itemsize <= 4 and bits >= 31 else None
    if rows.itemsize < 4 or rows.size == 0:
        return rows.astype(np.int64)
    low = rows.min()
    if int(rows.max()) - int(low) >> bits:
        return None
    return (rows - low).astype(np.int64) if rows.itemsize == 8 else rows.astype(np.int64) - int(low)


def _float_keys(rows: Rows) -> Rows:
    """int64 of 31 bits and a sign, in the order of floats of up to 32 bits."""
    return _ordered_bits(rows.astype(np.float32), np.int32).astype(np.int64)


def _wide_keys(rows: Rows) -> Rows:
    """int64 in the order of floats or integers of 64 bits."""
    if rows.dtype.kind == "f":
        return _ordered_bits(rows.copy(), np.int64)
    return rows.copy() if rows.dtype.kind == "i" else (rows ^ np.uint64(1 << 63)).view(np.int64)


def _ordered_bits(floats: Rows, integer: type[np.signedinteger[Any]]) -> Rows:
    """Integers in the order of floats, which are written over: equal ones are equal, NaN come last."""
    most = np.iinfo(integer).max
    floats += floats.dtype.type(0)  # -0 becomes 0
    bits = floats.view(integer)
    missing = np.isnan(floats)
    bits ^= (bits >> 8 * bits.itemsize - 1) & most
    if missing.any():
        bits[missing] = most
    return bits


def _sorted_words(keys: Rows) -> tuple[Rows, Rows]:
    """(keys, places) in order. A key's lowest bits give way to its place; the array is written over."""
    length = keys.shape[-1]
    mask = (1 << length.bit_length()) - 1
    keys &= ~mask
    keys |= np.arange(length)
    keys.sort(-1)
    places = keys & mask
    keys &= ~mask
    return keys, places


def _equal_in_order(ordered: Rows, order: Rows) -> Rows:
    """`order` with equal elements by their places: the sorted places of ranks that equal elements share."""
    differs = ordered[:, 1:] != ordered[:, :-1]
    if ordered.dtype.kind == "f":  # NaN, which come last, are equal
        differs &= ordered[:, :-1] == ordered[:, :-1]
    if differs.all():
        return order
    words = np.zeros(order.shape, np.int64)
    np.cumsum(differs, -1, out=words[:, 1:])
    words <<= 32
    words |= order
    words.sort(-1)
    words &= (1 << 32) - 1
    return words
