"""The entry point of the group ``dask.sizeof``, which Dask loads at its own import: it imports nothing of Dask."""

from __future__ import annotations

import math
from typing import Any

from devarray._primitives.opaque import OpaqueArray
from devarray.array import Array

__all__ = ["register", "size_of"]


def register(sizeof: Any) -> None:
    """Tell ``dask.sizeof`` about device arrays.

    Parameters
    ----------
    sizeof : dask.utils.Dispatch
        Dask's.
    """
    sizeof.register(Array, size_of)
    sizeof.register(OpaqueArray, lambda x: size_of(x.bytes))


def size_of(x: Array) -> int:
    """The bytes that an array takes on its device: axes of stride zero count once.

    Parameters
    ----------
    x : Array
        Of any layout, pending or not.

    Returns
    -------
    int
        Bytes.
    """
    if x.pending:
        return int(x.nbytes)
    return x.itemsize * math.prod(n for n, step in zip(x.shape, x.strides, strict=True) if step or not n)
