"""NumPy's `ufunc.at` and `ufunc.reduceat`: both reduce runs of neighbours, of the values sorted by place for `at`."""

from __future__ import annotations

from typing import Any

import numpy as np

from devarray import _core
from devarray.array import OP, Array, normalize_axes
from devarray.creation import arange, asarray
from devarray.errors import DTypeError, IndexError
from devarray.manipulation import broadcast_to, moveaxis
from devarray.searching import searchsorted, take
from devarray.sorting import argsort

__all__ = ["COMBINED_BY", "at", "reduceat"]

_ASSOCIATIVE = {
    *("add", "multiply", "maximum", "minimum", "fmax", "fmin", "bitwise_and", "bitwise_or", "bitwise_xor"),
    *("logical_and", "logical_or", "logical_xor", "logaddexp", "logaddexp2", "hypot"),
}

COMBINED_BY = {"subtract": "add", "divide": "multiply"} | {name: name for name in _ASSOCIATIVE}
"""The ufuncs that `at` knows, and the associative one by which several values for one place become one."""


def at(name: str, x: Array, key: Any, value: Any) -> Array:
    """The array into whose places the results belong, their indices and the results: ``x[key]``, each value applied.

    NumPy goes value by value; here the values of a place are combined with each other first, by halves, so that sums
    of floats round differently (and less).
    """
    rows, places, shape = _places(x, key)
    values = asarray(value, dtype=None if isinstance(value, Array) else _weak(x, value), queue=x.queue)
    if name.startswith("logical"):
        values = values.astype(np.bool_, copy=False)
    else:
        values = values.astype(np.result_type(x.dtype, values.dtype), copy=False)
    values = broadcast_to(values, shape).reshape((places.size, *rows.shape[1:]))
    if places.size > 1:
        order = argsort(places)
        places, values = take(places, order), take(values, order, axis=0)
        starts = searchsorted(places, places)
        counts = searchsorted(places, places, side="right") - starts
        values = _fold(OP[COMBINED_BY[name]], values, starts, counts, int(counts.max()))
    result = _core.apply(OP[name], take(rows, places, axis=0), values)
    if not np.can_cast(result.dtype, x.dtype, "same_kind"):
        raise DTypeError(f"numpy.{name}.at: results of {result.dtype} do not fit into an array of {x.dtype}")
    rows[places] = result.astype(x.dtype, copy=False)
    return rows


def _weak(x: Array, value: Any) -> np.dtype | None:
    """The dtype in which a Python scalar meets x; None for anything that has a dtype of its own."""
    return np.result_type(x.dtype, value) if type(value) in (bool, int, float, complex) else None


def _places(x: Array, key: Any) -> tuple[Array, Array, tuple[int, ...]]:
    """An array of rows over x's memory where it can be, the rows' numbers, and the shape of ``x[key]``."""
    if isinstance(key, list | int):
        key = asarray(key, queue=x.queue)
    if isinstance(key, Array) and key.dtype.kind in "iu" and x.ndim:
        numbers = key.reshape(-1).astype(np.int64, copy=False)
        wrapped = _core.apply(OP["where"], numbers < 0, numbers + x.shape[0], numbers)
        return x, wrapped, key.shape + x.shape[1:]
    picked = arange(x.size, dtype=np.int64, queue=x.queue, allocator=x.allocator).reshape(x.shape)[key]
    return x.reshape(-1), picked.reshape(-1), picked.shape


def reduceat(op: int, x: Array, indices: Any, axis: int) -> Array:
    """Reductions of ``x[indices[i]:indices[i + 1]]``, or the one element where the next index is no greater."""
    rows = moveaxis(x, normalize_axes(axis, x.ndim)[0], 0)
    n = rows.shape[0]
    if isinstance(indices, Array):
        starts = indices.astype(np.int64, copy=False)
        lengths = _core.apply(OP["maximum"], _next(starts, n) - starts, 1)
        longest = int(lengths.max()) if lengths.size else 0
    else:
        known = np.asarray(indices, np.int64)
        if ((known < 0) | (known >= n)).any():
            raise IndexError(f"reduceat: indices {known.tolist()} for an axis of {n} elements")
        spans = np.maximum(np.append(known[1:], n) - known, 1)
        starts, lengths = (asarray(part, queue=x.queue, allocator=x.allocator) for part in (known, spans))
        longest = int(spans.max(initial=0))
    return moveaxis(_fold(op, rows, starts, lengths, longest), 0, normalize_axes(axis, x.ndim)[0])


def _next(starts: Array, n: int) -> Array:
    from devarray.manipulation import concat

    return concat([starts[1:], _core.full((1,), starts.dtype, n, starts.queue, starts.allocator)])


def _fold(op: int, x: Array, starts: Array, lengths: Array, longest: int) -> Array:
    """Reductions of ``x[start:start + length]``, length >= 1, over the first axis in about log2(longest) steps.

    A table holds the reduction of the 1, 2, 4 ... elements from each place on; a run is put together from those that
    its length has as bits. Runs may overlap.
    """
    result, places, rest, table, span = take(x, starts, axis=0), starts + 1, lengths - 1, x, 1
    while span < longest:
        used = (rest & span) != 0
        piece = take(table, _core.apply(OP["where"], used, places, 0), axis=0)
        spread = used.reshape((-1, *(1,) * (x.ndim - 1)))
        result = _core.apply(OP["where"], spread, _core.apply(op, result, piece), result)
        places = places + used * span
        if 2 * span < longest:
            table = _core.apply(op, table[:-span], table[span:])
        span *= 2
    return result
