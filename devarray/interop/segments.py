"""NumPy's `ufunc.at` (its values sorted by their indices), `reduceat`, and the other methods of the rarer ufuncs."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from devarray import _core
from devarray._array.numbers import stored_number
from devarray._array.out import mask_of
from devarray._primitives.atomic_sums import add_in_any_order, may_add_in_any_order
from devarray._primitives.convert import asarray
from devarray._primitives.host import host_views
from devarray._primitives.join import concat, stack
from devarray._primitives.small import at_quietly
from devarray._routines.creation.ranges import arange
from devarray._routines.manipulation.axes import moveaxis
from devarray._routines.manipulation.shapes import broadcast_to
from devarray._routines.sorting.searching import searchsorted, take
from devarray._routines.sorting.sorting import argsort, sort
from devarray.array import OP, Array, normalize_axis
from devarray.errors import IndexError, ValueError

__all__ = ["COMBINED_BY", "at", "at_alone", "by_numpy", "reduce", "reduceat"]

_ASSOCIATIVE = {
    *("add", "multiply", "maximum", "minimum", "fmax", "fmin", "bitwise_and", "bitwise_or", "bitwise_xor"),
    *("logical_and", "logical_or", "logical_xor", "logaddexp", "logaddexp2", "hypot", "gcd", "lcm"),
}

_WITHOUT_SIGN = ("gcd", "hypot")  # which one negative element is no result of: NumPy begins with their identity

COMBINED_BY = {"subtract": "add", "divide": "multiply"} | {name: name for name in _ASSOCIATIVE}
"""Ufuncs, and the associative one by which several values for one place become one."""

_NOT_NUMPYS = {"arctan2", "power", "floor_divide"}
"""Ufuncs whose reductions are not left to NumPy: its loops lose steps of the first two (in 2.4, where a result is an
operand again), and the standard has other quotients of infinities."""

_MODULAR = {"add", "subtract", "multiply", "bitwise_and", "bitwise_or", "bitwise_xor"}
"""Those whose low bits follow from the operands' low bits: integers may be cut once, at the end."""


def by_numpy(
    ufunc: np.ufunc, method: str, x: Array, axes: list[int], *indices: Any, initial: object = np._NoValue
) -> Array | None:
    """A ufunc's `reduce`, `accumulate` or `reduceat` by NumPy, over memory that the host reads in place.

    Kernels take a step for each element, or copies of the array for each halving, of what has no kernel of its own.

    Parameters
    ----------
    ufunc : numpy.ufunc
        Of two operands.
    method : str
        Its name.
    x : Array
        Of the dtype that the ufunc takes and gives.
    axes : list of int
        Those that are combined; the result of `reduce` keeps them, with size 1.
    *indices : array_like of int
        Where the runs of `reduceat` begin.
    initial : scalar, optional
        What `reduce` starts with.

    Returns
    -------
    Array or None
        A new array; None where kernels are to do it, or to say what is wrong.
    """
    if ufunc.__name__ in _NOT_NUMPYS or not x.size or not axes or (len(axes) > 1 and not _is_reorderable(ufunc)):
        return None
    shape: list[int] = list(x.shape)
    numbers: list[np.ndarray] = []
    for axis in axes if method == "reduce" else ():
        shape[axis] = 1
    if indices:
        found = host_views(indices) if isinstance(indices[0], Array) else indices
        if found is None:
            return None
        numbers = [np.asarray(found[0])]
        if numbers[0].ndim != 1 or numbers[0].dtype.kind not in "iu" or not numbers[0].size:
            return None
        if numbers[0].min() < 0 or numbers[0].max() >= x.shape[axes[0]]:
            return None
        shape[axes[0]] = numbers[0].size
    made = _core.empty_at(x, shape, x.dtype)
    views = host_views([x], [made])
    if views is None:
        return None
    more: dict[str, object] = {"axis": tuple(axes), "keepdims": True} if method == "reduce" else {"axis": axes[0]}
    if initial is not np._NoValue:
        more["initial"] = initial
    with np.errstate(all="ignore"):
        getattr(ufunc, method)(views[0], *numbers, dtype=x.dtype, out=views[1], **more)
    return made


def _is_reorderable(ufunc: np.ufunc) -> bool:
    return COMBINED_BY.get(ufunc.__name__) == ufunc.__name__


def at(ufunc: np.ufunc, op: int, x: Array, key: object, value: object) -> None:
    """Apply a ufunc to ``x[key]`` and the values, in place; the values of elements that occur several times add up.

    On CPU devices NumPy does it, in the arrays' own memory. Elsewhere the values are sorted by their places. Where the
    ufunc allows it they are combined with each other first, by halves, so that sums of floats round differently from
    NumPy's (and less). Else each place takes its values one after the other: a step for the most that one place has.
    """
    if isinstance(key, Array) and _core.update_on_host(at_quietly, x, key, value, ufunc):
        return
    values = asarray(value, queue=x.queue)  # in their own dtype, where operators would fit a Python number to x's
    loop = ufunc.resolve_dtypes((x.dtype, values.dtype, None))[-1]  # an error where it does not take these
    rows, places, shape = _places(x, key)
    values = broadcast_to(values, shape).reshape((places.size, *rows.shape[1:]))
    if not places.size or not x.size:
        return
    if not _at_in_any_order(ufunc.__name__, loop, rows, places, values) and not _at_on_host(
        ufunc, rows, places, values
    ):
        together = OP.get(COMBINED_BY.get(ufunc.__name__, "")) if _may_combine(ufunc.__name__, loop, x.dtype) else None
        if together is not None:
            values = values.astype(loop, copy=False)
        _at_by_kernels(op, together, rows, places, values)
    if not _core.shares_memory(rows, x):
        x[...] = rows.reshape(x.shape)


def at_alone(ufunc: np.ufunc, op: int, x: Array, key: object) -> None:
    """Apply a ufunc of one operand to ``x[key]`` in place, once for each time that an element occurs."""
    rows, places, _ = _places(x, key)
    views = host_views([places], [rows]) if places.size and x.size else None
    if views is not None:
        with np.errstate(all="ignore"):
            ufunc.at(views[1], views[0])
    elif places.size and x.size:
        ordered, wanted = sort(places), _numbers(rows, rows.shape[0])
        counts = searchsorted(ordered, wanted, side="right") - searchsorted(ordered, wanted)
        for step in range(int(counts.max())):
            rows[...] = _where_more(counts, step, _core.apply(op, rows).astype(rows.dtype, copy=False), rows)
    if not _core.shares_memory(rows, x):
        x[...] = rows.reshape(x.shape)


def _places(x: Array, key: object) -> tuple[Array, Array, tuple[int, ...]]:
    """An array of rows over x's memory where it can be, the rows' numbers, and the shape of ``x[key]``."""
    if isinstance(key, int) or (isinstance(key, list) and key):  # an empty list is no array of floats here
        key = asarray(key, queue=x.queue)
    if isinstance(key, Array) and key.dtype.kind in "iu" and x.ndim:
        # The gather counts negative numbers from the end and reports those that are out of bounds.
        return x, take(_numbers(x, x.shape[0]), key.reshape(-1)), key.shape + x.shape[1:]
    picked = _numbers(x, x.size).reshape(x.shape)[key]
    return x.reshape(-1), picked.reshape(-1), picked.shape


def _numbers(x: Array, n: int) -> Array:
    """0 to n - 1, in the narrowest dtype that sorts quickly."""
    dtype = np.uint16 if n <= 1 << 16 else np.uint32 if n <= 1 << 32 else np.int64
    return arange(n, dtype=dtype, queue=x.queue, allocator=x.allocator)


def _at_on_host(ufunc: np.ufunc, rows: Array, places: Array, values: Array) -> bool:
    """Whether the host works in the arrays' memory; then the work is done."""
    views = host_views([places, values], [rows])
    if views is None:
        return False
    with np.errstate(all="ignore"):
        ufunc.at(views[2], views[0], views[1])
    return True


def _at_in_any_order(name: str, loop: np.dtype, rows: Array, places: Array, values: Array) -> bool:
    """Whether atomic operations may add the values up; then the work is done."""
    if name not in ("add", "subtract") or loop.kind != "f" or not may_add_in_any_order(rows):
        return False
    if not _core.is_contiguous(rows, "C") or _core.shares_memory(rows, values):
        return False
    values = values.astype(rows.dtype, copy=False)
    add_in_any_order(rows, places, -values if name == "subtract" else values)
    return True


def _may_combine(name: str, loop: np.dtype, dtype: np.dtype) -> bool:
    """Whether values may be combined with each other, in the loop's dtype, and be cast to the array's once.

    NumPy casts after each value: a maximum that the array's integers can't hold is cut before the next value is
    compared. Multiples that overflow depend on the order.
    """
    if name == "lcm":
        return False
    if loop == dtype or name.startswith("logical"):
        return True
    if loop.kind in "iu" and dtype.kind in "iu":
        return name in _MODULAR
    return loop.kind == dtype.kind and loop.kind in "fc"


def _at_by_kernels(op: int, together: int | None, rows: Array, places: Array, values: Array) -> None:
    """Sort the values by their places and apply them: combined by the operation `together`, or one after the other."""
    order, everywhere = argsort(places), rows.shape[0] <= places.size
    places, values = take(places, order), take(values, order, axis=0)
    wanted = _numbers(rows, rows.shape[0]) if everywhere else places
    starts = searchsorted(places, wanted)
    counts = searchsorted(places, wanted, side="right") - starts
    first, longest = starts.clip(0, places.size - 1), int(counts.max())
    made = rows if everywhere else take(rows, places, axis=0)
    if together is not None:
        totals = _fold(together, values, first, counts, longest)
        made = _where_more(counts, 0, _core.apply(op, made, totals).astype(rows.dtype), made)
    else:
        for step in range(longest):
            value = take(values, (first + step).clip(0, places.size - 1), axis=0)
            made = _where_more(counts, step, _core.apply(op, made, value).astype(rows.dtype), made)
    rows[... if everywhere else places] = made


def _where_more(counts: Array, number: int, made: Array, rows: Array) -> Array:
    """The rows that were made where the count is greater than a number, the others elsewhere."""
    there = (counts > number).reshape((-1, *(1,) * (rows.ndim - 1)))
    return _core.apply(OP["where"], there, made, rows)


_METHODS = {"add": "sum", "multiply": "prod", "minimum": "min", "maximum": "max"}
_FEW_SEGMENTS, _LONG = 64, 1024  # then a reduction for each takes less than halving all of them together


def reduceat(name: str, op: int, x: Array, indices: object, axis: int) -> Array:
    """Reductions of ``x[indices[i]:indices[i + 1]]``, or the one element where the next index is no greater.

    By halves where the ufunc is associative, else element by element: a step for each of the longest segment.
    """
    axis = normalize_axis(axis, x.ndim)
    rows = moveaxis(x, axis, 0)
    n = rows.shape[0]
    if isinstance(indices, Array):
        starts = indices.astype(np.int64, copy=False)
        end = _core.full((1,), starts.dtype, n, x.queue, x.allocator)
        lengths = _core.apply(OP["maximum"], concat([starts[1:], end]) - starts, 1)
        longest = int(lengths.max()) if lengths.size else 0
    else:
        known = np.asarray(indices, np.int64)
        if ((known < 0) | (known >= n)).any():
            raise IndexError(
                f"index {known[(known < 0) | (known >= n)][0]} out-of-bounds in {name}.reduceat [0, {n}): indices "
                f"{known.tolist()} for an axis of {n} elements"
            )
        spans = np.maximum(np.append(known[1:], n) - known, 1)
        starts, lengths = (asarray(part, queue=x.queue, allocator=x.allocator) for part in (known, spans))
        longest = int(spans.max(initial=0))
        method = _METHODS.get(name) if x.dtype.kind in "iufc" else None
        if method is not None and 0 < known.size <= _FEW_SEGMENTS and longest >= _LONG:
            given = {"dtype": x.dtype} if name in ("add", "multiply") else {}
            pairs = zip(known.tolist(), spans.tolist(), strict=True)
            parts = [getattr(rows[at : at + span], method)(axis=0, **given) for at, span in pairs]
            return moveaxis(stack(parts), 0, axis)
    if name in _ASSOCIATIVE:
        return moveaxis(_fold(op, rows, starts, lengths, longest), 0, axis)
    made = take(rows, starts, axis=0)
    for step in range(1, longest):
        value = take(rows, (starts + step).clip(0, n - 1), axis=0)
        made = _where_more(lengths, step, _core.apply(op, made, value), made)
    return moveaxis(made, 0, axis)


def reduce(ufunc: np.ufunc, x: Array, axes: list[int], keepdims: bool, initial: object, where: object) -> Array:
    """A reduction over axes by halves, for the associative ufuncs that have no kernel of their own."""
    op, name = OP[ufunc.__name__], ufunc.__name__
    begin = identity = None
    if initial is not np._NoValue and initial is not None:  # in the result's dtype, which it does not widen
        begin = initial.astype(x.dtype) if isinstance(initial, Array) else stored_number(initial, x.dtype)
    if ufunc.identity is not None and initial is not None:  # None: an element begins
        identity = np.array(ufunc.identity).astype(x.dtype)[()]  # -1 is all bits of unsigned integers
    where = mask_of(f"numpy.{name}.reduce", where)
    if where is not True:
        nothing = begin if identity is None else identity  # without an identity a repeated element changes nothing
        if nothing is None:
            raise ValueError(f"numpy.{name}.reduce has no identity, so that where= needs initial=")
        x = _core.apply(OP["where"], where, x, nothing)
    rest = [axis for axis in range(x.ndim) if axis not in axes]
    count = prod(x.shape[axis] for axis in axes)
    rows = _core.permute(x, [*axes, *rest]).reshape((count, *(x.shape[axis] for axis in rest)))
    if begin is None and (not count or name in _WITHOUT_SIGN):
        begin = identity
    if count:
        result = reduceat(name, op, rows, [0], 0)[0]
        if begin is not None:
            result = _core.apply(op, result, begin)
    elif begin is None:
        raise ValueError(f"numpy.{name}.reduce of no elements has no identity; give initial=")
    else:
        result = _core.full(rows.shape[1:], x.dtype, begin, x.queue, x.allocator)
    kept = [1 if axis in axes else size for axis, size in enumerate(x.shape)]
    return result.reshape(kept) if keepdims else result


def _fold(op: int, x: Array, starts: Array, lengths: Array, longest: int) -> Array:
    """Reductions of ``x[start:start + length]`` over the first axis, in about log2(longest) steps.

    Of one element for a length of 0. A table holds the reduction of the 1, 2, 4 ... elements from each place on; a run
    is put together from those that its length has as bits. Runs may overlap.
    """
    result, places, table, span = take(x, starts, axis=0), starts + 1, x, 1
    rest = _core.apply(OP["maximum"], lengths - 1, 0)
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
