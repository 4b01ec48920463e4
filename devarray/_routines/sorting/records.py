"""What records are ordered by: the fields of structured dtypes, and the bytes of void ones."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from devarray import _core
from devarray._primitives.opaque import OpaqueArray
from devarray.array import OP, Array
from devarray.errors import DTypeError, ValueError
from devarray.ops.dtypes import DTYPES

__all__ = ["keys_of_records", "starts_of_records"]

_PLAIN = {np.dtype(name) for name in DTYPES}


def starts_of_records(x: OpaqueArray) -> Array:
    """Of sorted records: whether each differs from the one before it."""
    first = _core.full((x.size,), np.bool_, False, x.bytes.queue, x.bytes.allocator)
    first[:1] = True
    for key in keys_of_records(x, None):
        first[1:] |= _core.apply(OP["not_equal"], key[1:], key[:-1])
    return first


def keys_of_records(x: OpaqueArray, order: str | Sequence[str] | None) -> Iterator[Array]:
    """What records are compared by, the most significant first: columns of plain dtypes."""
    names = list(x.dtype.names or ())
    if order is not None:
        first = [order] if isinstance(order, str) else list(order)
        unknown = [name for name in first if name not in names]
        if unknown:
            raise ValueError(f"order: unknown field name: {unknown[0]}; the fields are {', '.join(names) or 'none'}")
        names = first + [name for name in names if name not in first]
    if not names:  # bytes
        yield from (x.bytes[..., i] for i in range(x.itemsize))
    for name in names:
        field = x[name]
        if isinstance(field, OpaqueArray) and field.dtype in _PLAIN:
            field = field.astype(field.dtype)  # not aligned
        if isinstance(field, OpaqueArray) and field.ndim == x.ndim:
            yield from keys_of_records(field, None)
        elif isinstance(field, OpaqueArray):
            raise DTypeError(f"records are not sorted by the field {name!r}, an array of {field.dtype}")
        else:
            columns = field.reshape((*x.shape, math.prod(field.shape[x.ndim :])))
            yield from (columns[..., i] for i in range(columns.shape[-1]))
