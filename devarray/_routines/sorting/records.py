"""Orders of records: arrays of structured dtypes sorted by their fields, and those of plain bytes by their bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from devarray import _core
from devarray._primitives.opaque import OpaqueArray
from devarray._routines.sorting.searching import take
from devarray.array import OP, Array
from devarray.errors import DTypeError, ShapeError, ValueError
from devarray.ops.dtypes import DTYPES

__all__ = ["order_of_records", "sorted_records", "starts_of_records"]

_PLAIN = {np.dtype(name) for name in DTYPES}


def sorted_records(x: OpaqueArray, axis: int | None, order: str | Sequence[str] | None, indices: bool) -> Any:
    """The records of one axis in order, or the indices that put them there."""
    if axis is None:
        x = x.ravel()
    elif x.ndim != 1 or axis not in (0, -1):
        raise ShapeError(f"records are sorted along one axis; this array has {x.ndim}: sort x.ravel(), or axis=None")
    found = order_of_records(x, order)
    return found if indices else OpaqueArray._of(take(x.bytes, found, axis=0), x.dtype)


def order_of_records(x: OpaqueArray, order: str | Sequence[str] | None = None) -> Array:
    """The indices that sort the records of one axis: by the fields of `order` first, then by the others."""
    from devarray._routines.sorting.sorting import lexsort

    keys = list(_keys(x, order))
    if not keys or not x.size:
        return _core.iota(x.size, np.dtype(np.int64), 0, 1, x.bytes.queue, x.bytes.allocator)
    return lexsort(keys[::-1])


def starts_of_records(x: OpaqueArray) -> Array:
    """Of sorted records: whether each differs from the one before it."""
    first = _core.full((x.size,), np.bool_, False, x.bytes.queue, x.bytes.allocator)
    first[:1] = True
    for key in _keys(x, None):
        first[1:] |= _core.apply(OP["not_equal"], key[1:], key[:-1])
    return first


def _keys(x: OpaqueArray, order: str | Sequence[str] | None) -> Iterator[Array]:
    """What records are compared by, the most significant first: columns of plain dtypes."""
    names = list(x.dtype.names or ())
    if order is not None:
        first = [order] if isinstance(order, str) else list(order)
        unknown = [name for name in first if name not in names]
        if unknown:
            raise ValueError(f"order: there is no field {unknown[0]!r}; the fields are {', '.join(names) or 'none'}")
        names = first + [name for name in names if name not in first]
    if not names:  # bytes
        yield from (x.bytes[:, i] for i in range(x.itemsize))
    for name in names:
        field = x[name]
        if isinstance(field, OpaqueArray) and field.dtype in _PLAIN:
            field = field.astype(field.dtype)  # not aligned
        if isinstance(field, OpaqueArray) and field.ndim == 1:
            yield from _keys(field, None)
        elif isinstance(field, OpaqueArray):
            raise DTypeError(f"records are not sorted by the field {name!r}, an array of {field.dtype}")
        else:
            columns = field.reshape((len(field), -1))
            yield from (columns[:, i] for i in range(columns.shape[1]))
