"""Texts in records of the device: stored and compared there, and read to the host one by one."""

from __future__ import annotations

from typing import Any

import numpy as np

from devarray import _core
from devarray._array.protocols import PROTOCOLS
from devarray._primitives.opaque_dtypes import PLAIN, bytes_of
from devarray.array import Array

__all__ = ["cast_texts", "is_text", "same_texts"]


def is_text(dtype: np.dtype[Any]) -> bool:
    """Whether elements of the dtype are texts, or bytes that stand for one."""
    return dtype.kind in "SU"


def cast_texts(x: Any, dtype: np.dtype[Any]) -> Any:
    """Texts as numbers on their device, or as other texts on the host, where they are read; that is said."""
    host = PROTOCOLS["cast_on_host"](x, dtype, "K", "unsafe")
    if host.dtype not in PLAIN:
        return host
    made = _core.empty(host.shape, host.dtype, x.bytes.queue, x.bytes.allocator)
    made.copy_to_device(host)
    return made


def same_texts(x: Any, other: Any) -> Array | None:
    """Where the texts of two arrays are the same, of which `other` may be on the host; None where it is an object.

    Texts of bytes and of characters are never the same, nor are texts and numbers.
    """
    if isinstance(other, Array):
        return _never(x, other.shape)
    if not hasattr(other, "bytes"):
        host = np.asarray(other)
        if host.dtype.kind != x.dtype.kind:
            return _never(x, host.shape) if host.dtype.kind in "SUbiufc" else None
        host = host.astype(host.dtype.newbyteorder(x.dtype.byteorder), copy=False)
        theirs = _core.empty((*host.shape, host.dtype.itemsize), "uint8", x.bytes.queue, x.bytes.allocator)
        theirs.copy_to_device(bytes_of(host))
    elif other.dtype.newbyteorder("=").kind == x.dtype.kind and other.dtype.byteorder == x.dtype.byteorder:
        theirs = other.bytes
    else:
        return _never(x, other.shape) if other.dtype.kind in "SU" and other.dtype.kind != x.dtype.kind else None
    both = min(theirs.shape[-1], x.itemsize)
    same = (x.bytes[..., :both] == theirs[..., :both]).all(-1)
    longer = x.bytes if x.itemsize > both else theirs  # which may end in zeros, as every text does
    return same if longer.shape[-1] == both else same & (longer[..., both:] == 0).all(-1)


def _never(x: Any, shape: tuple[int, ...]) -> Array:
    made = _core.empty(np.broadcast_shapes(x.shape, shape), "bool", x.bytes.queue, x.bytes.allocator)
    made[...] = False
    return made
