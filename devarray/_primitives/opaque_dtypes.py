"""Dtypes that no kernel knows, of records, text and dates: what of them is stored, and how values become its bytes."""

from __future__ import annotations

from typing import Any

import numpy as np

from devarray import _core
from devarray.array import OP, Array
from devarray.errors import DTypeError
from devarray.ops.dtypes import DTYPES

__all__ = ["PLAIN", "bytes_from", "bytes_of", "storable"]

PLAIN = {np.dtype(name) for name in DTYPES}


def storable(dtype: Any) -> np.dtype[Any]:
    found: np.dtype[Any] = np.dtype(dtype)
    if found.kind != "V" or found.hasobject or found.itemsize == 0 or found.shape:
        raise DTypeError(
            f"data of dtype {found} cannot live on a device; convert it to one of {', '.join(DTYPES)}, or to a "
            f"structured dtype"
        )
    return found


def bytes_from(values: Array, dtype: np.dtype[Any]) -> Array:
    """The values as another dtype, of shape (*values.shape, itemsize) and dtype uint8."""
    if dtype.name == "bfloat16":
        bits = values.astype("float32").copy().view("uint32")
        quiet = (bits >> 16) | 0x40  # a NaN stays one when its lower half is dropped
        near = (bits + ((bits >> 16) & 1) + 0x7FFF) >> 16
        halves = _core.apply(OP["where"], (bits & 0x7FFFFFFF) > 0x7F800000, quiet, near).astype("uint16")
    elif dtype in PLAIN:
        halves = values.astype(dtype)
    else:
        raise DTypeError(f"an array of {values.dtype} does not fit into one of {dtype}")
    return halves[..., None].copy().view("uint8")


def bytes_of(host: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The array's bytes, with a last axis of the itemsize; a view."""
    return host.getfield(np.dtype((np.uint8, (host.dtype.itemsize,))))
