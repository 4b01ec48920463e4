"""What is assigned to arrays of records: its values in their dtype, and the bytes of those that are written."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np

from devarray import _core
from devarray._primitives.opaque_casts import OpaqueCasts
from devarray._primitives.opaque_dtypes import bytes_from, bytes_of
from devarray.array import Array

__all__ = ["as_records", "is_dense", "pairs_of_bytes"]


def as_records(value: Any, like: Any) -> Any:
    """A value as an array of the dtype of `like`, an OpaqueArray: as NumPy converts it in an assignment.

    Fields are taken by their position, not by name; a number goes into each field.

    Raises
    ------
    DTypeError
        There is no such conversion.
    """
    dtype = like.dtype
    if isinstance(value, OpaqueCasts):
        value = value if value.dtype == dtype else value.astype(dtype)
        if not isinstance(value, Array):  # it is one where both are of numbers, in fields that are not aligned
            return value
    if not isinstance(value, Array):
        # NumPy makes bytes of a number by astype() alone.
        raw = dtype.names is None and isinstance(value, bool | int | float | np.generic)
        host = np.asarray(value).astype(dtype) if raw else np.asarray(value, dtype)
        memory = _core.empty((*host.shape, dtype.itemsize), "uint8", like.bytes.queue, like.bytes.allocator)
        memory.copy_to_device(bytes_of(host))
        return like._of(memory, dtype)
    if not dtype.names:
        return like._of(bytes_from(value, dtype), dtype)
    made = like._uninitialised(value.shape, dtype)
    made.bytes[...] = 0  # what lies between the fields
    for name in dtype.names:
        made[name] = value.reshape((*value.shape, *(1 for _ in dtype[name].shape)))
    return made


def pairs_of_bytes(target: Any, value: Any) -> Iterator[tuple[Array, Array]]:
    """The bytes of an array of records that an assignment writes, each run of them with those of its value.

    What no field names is left out: with ``x[["a", "c"]]`` that is the field b.
    """
    if is_dense(target.dtype):
        yield target.bytes, value.bytes
        return
    for start, end in _runs(target.dtype):
        yield target.bytes[..., start:end], value.bytes[..., start:end]


def is_dense(dtype: np.dtype[Any]) -> bool:
    """Whether each byte of an element is a field's."""
    return _runs(dtype) == [(0, dtype.itemsize)]


@functools.lru_cache(256)
def _runs(dtype: np.dtype[Any]) -> list[tuple[int, int]]:
    """First and last of each run of bytes that a dtype's fields have."""
    taken = np.zeros(dtype.itemsize + 2, np.int8)
    taken[1:-1] = _taken(dtype)
    edges = np.flatnonzero(np.diff(taken)).tolist()
    return list(zip(edges[::2], edges[1::2], strict=True))


def _taken(dtype: np.dtype[Any]) -> np.ndarray:
    """Which bytes of an element its fields have."""
    if dtype.subdtype is not None:
        return np.tile(_taken(dtype.base), dtype.itemsize // max(dtype.base.itemsize, 1))
    taken = np.full(dtype.itemsize, dtype.names is None)
    for name in dtype.names or ():
        of_field, offset = dtype.fields[name][:2]  # type: ignore[index]
        taken[offset : offset + of_field.itemsize] |= _taken(of_field)
    return taken
