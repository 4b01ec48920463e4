"""Dtypes that no kernel knows, of records, text and dates: what of them is stored, and how values become its bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from devarray import _core
from devarray._array.shape import no_whole_number
from devarray.array import OP, Array
from devarray.errors import DTypeError, IndexError, ShapeError
from devarray.ops.dtypes import DTYPES

__all__ = [
    "PLAIN",
    "NoSuchAttribute",
    "axes_taken",
    "bytes_from",
    "bytes_of",
    "bytes_turned",
    "is_number",
    "is_plain",
    "picks",
    "regroup",
    "shaped",
    "storable",
    "subset",
    "values_of",
]

PLAIN = {np.dtype(name) for name in DTYPES}


class NoSuchAttribute(DTypeError, AttributeError):
    """What arrays of numbers have, and this one has not."""


def is_number(dtype: np.dtype[Any]) -> bool:
    """Whether values of the dtype are computed with, after they were read into aligned memory: bfloat16 as float32."""
    return is_plain(dtype) or dtype.kind in "mM" or dtype.name == "bfloat16"


def is_plain(dtype: np.dtype[Any]) -> bool:
    """Whether kernels compute with the dtype, in this order of bytes or in the device's."""
    return dtype in PLAIN or (dtype.kind in "iufc" and dtype.name != "bfloat16" and dtype.newbyteorder("=") in PLAIN)


def shaped(memory: Array, sizes: Any, *inner: int) -> Array:
    """A view of other sizes, before those of the last axes; an error where it would be a copy."""
    made = memory[...]
    made.shape = (*((sizes,) if isinstance(sizes, int) else sizes), *inner)  # type: ignore[misc]
    return made


def values_of(memory: Array, dtype: np.dtype) -> Array:
    """Elements of a plain dtype, from their bytes along the last axis, in aligned memory and the device's order."""
    native = dtype.newbyteorder("=")
    return _ordered(memory, dtype).copy().view(native)[..., 0]


def _ordered(memory: Array, dtype: np.dtype) -> Array:
    """The bytes of elements turned from the dtype's order into the device's, or back."""
    return memory if dtype in PLAIN else bytes_turned(memory, dtype)


def bytes_turned(memory: Array, dtype: np.dtype) -> Array:
    """The bytes of numbers in the other order, of each part of complex ones, of records of each field."""
    if dtype.names or dtype.kind in "SUV":
        return memory[..., _places_turned(dtype)]
    halves = (*memory.shape[:-1], 2, dtype.itemsize // 2) if dtype.kind == "c" else memory.shape
    return memory.reshape(halves)[..., ::-1].reshape(memory.shape)


def _places_turned(dtype: np.dtype) -> np.ndarray:
    """Of each byte of an element the one that is there when its numbers and characters are turned."""
    if dtype.subdtype is not None:
        count = dtype.itemsize // max(dtype.base.itemsize, 1)
        return (dtype.base.itemsize * np.arange(count)[:, None] + _places_turned(dtype.base)).ravel()
    places = np.arange(dtype.itemsize)
    for name in dtype.names or ():
        of_field, offset = dtype.fields[name][:2]  # type: ignore[index]
        places[offset : offset + of_field.itemsize] = offset + _places_turned(of_field)
    unit = {"S": 1, "V": 1, "U": 4, "c": dtype.itemsize // 2}.get(dtype.kind, dtype.itemsize)
    return places.reshape(-1, unit)[:, ::-1].ravel()


def storable(dtype: Any) -> np.dtype[Any]:
    found: np.dtype[Any] = np.dtype(dtype)
    if found.kind != "V" or found.hasobject or found.itemsize == 0 or found.shape:
        raise DTypeError(
            f"data of dtype {found} cannot live on a device; convert it to one of {', '.join(DTYPES)}, or to a "
            f"structured dtype"
        )
    return found


def bytes_from(values: Array, dtype: np.dtype) -> Array:
    """The values as another dtype, of shape (*values.shape, itemsize) and dtype uint8."""
    if dtype.name == "bfloat16":
        bits = values.astype("float32").copy().view("uint32")
        quiet = (bits >> 16) | 0x40  # a NaN stays one when its lower half is dropped
        near = (bits + ((bits >> 16) & 1) + 0x7FFF) >> 16
        halves = _core.apply(OP["where"], (bits & 0x7FFFFFFF) > 0x7F800000, quiet, near).astype("uint16")
    elif is_plain(dtype):
        return _ordered(values.astype(dtype.newbyteorder("="))[..., None].copy().view("uint8"), dtype)
    elif dtype.kind == "V" and not dtype.names and dtype.itemsize == values.itemsize:
        return values[..., None].copy().view("uint8")
    else:
        raise DTypeError(f"an array of {values.dtype} does not fit into one of {dtype}")
    return halves[..., None].copy().view("uint8")


def bytes_of(host: np.ndarray) -> np.ndarray:
    """The array's bytes, with a last axis of the itemsize; a view."""
    return host.getfield(np.dtype((np.uint8, (host.dtype.itemsize,))))


def picks(key: object) -> bool:
    """Whether a key has index arrays or masks, by which an array gives copies, and not the names of fields."""
    if isinstance(key, list):
        return not key or not all(isinstance(name, str) for name in key)
    keys = key if isinstance(key, tuple) else (key,)
    basic = (int, np.integer, slice, str, type(None), type(Ellipsis))
    return any(isinstance(k, bool | np.bool_) or not isinstance(k, basic) for k in keys if not _is_index(k))


def axes_taken(key: Any) -> int:
    """How many axes the parts of a key stand for: a mask for as many as it has, truths and None for none."""
    keys = key if isinstance(key, tuple) else (key,)
    return sum(map(_axes_of, keys))


def _axes_of(k: Any) -> int:
    if k is None or k is Ellipsis or isinstance(k, bool | np.bool_):
        return 0
    if isinstance(k, list):
        k = np.asarray(k) if not any(isinstance(x, Array) for x in k) else None
    return int(k.ndim) if isinstance(k, Array | np.ndarray) and k.dtype == bool else 1


def _is_index(k: object) -> bool:
    """Whether an array without axes stands for an integer."""
    return isinstance(k, Array | np.ndarray) and not k.ndim and k.dtype.kind in "iu"


def cannot_cast(given: np.dtype, wanted: np.dtype, casting: object) -> str:
    """NumPy's words for a cast that a rule forbids."""
    return f"Cannot cast array data from {given!r} to {wanted!r} according to the rule {casting!r}"


def subset(dtype: np.dtype, names: Sequence[str]) -> np.dtype:
    """A dtype of the same size with some of the fields, where they were."""
    fields: Any = dtype.fields or {}
    unknown = [name for name in names if name not in fields]
    if unknown:
        raise IndexError(f"there is no field {unknown[0]!r}; the fields are {', '.join(fields) or 'none'}")
    formats, offsets = zip(*(fields[name][:2] for name in names), strict=True)
    return np.dtype({"names": list(names), "formats": formats, "offsets": offsets, "itemsize": dtype.itemsize})


def regroup(shape: list[int], strides: list[int], itemsize: int, dtype: np.dtype) -> None:
    """Changes the axes of elements' bytes, of an itemsize along the last, to those of a view's elements."""
    if shape.pop() != itemsize:
        raise ShapeError(f"these are no elements of {itemsize} bytes along the last axis")
    strides.pop()
    if dtype.itemsize == itemsize:
        return
    if not shape or (shape[-1] != 1 and strides[-1] != itemsize):
        raise ShapeError(
            "To change to a dtype of a different size, the last axis must be contiguous: make a copy first"
        )
    if not dtype.itemsize or shape[-1] * itemsize % dtype.itemsize:
        raise DTypeError(no_whole_number(shape[-1], itemsize, dtype.itemsize))
    shape[-1] = shape[-1] * itemsize // dtype.itemsize
    strides[-1] = dtype.itemsize
