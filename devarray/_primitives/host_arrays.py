"""Arrays that stay on the host, of texts, objects and mapped files: indices and values may lie on the device."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from devarray import _core
from devarray._array.protocols import PROTOCOLS
from devarray._primitives.host import announce
from devarray._primitives.opaque import OpaqueArray
from devarray._runtime.devices import resolve_place
from devarray.array import Array
from devarray.errors import DTypeError, ShapeError, ValueError

__all__ = [
    "DEEPEST",
    "HostArray",
    "OnHost",
    "arrays_in",
    "brought",
    "cast_on_host",
    "hosted",
    "memmap",
    "plain",
    "to_host",
]

_OURS = (Array, OpaqueArray)

DEEPEST = 64
"""Lists inside of each other that make an array: NumPy's dimensions. A list inside of itself has no end."""


def arrays_in(values: Any, depth: int = 0, single: bool = True) -> Iterator[Array]:
    """The device arrays among arguments, in lists and tuples, too; of dates and records their bytes.

    Without `single` those alone that have axes.
    """
    for value in values:
        if isinstance(value, Array):
            if single or value.ndim:
                yield value
        elif isinstance(value, OpaqueArray):
            if single or not value.is_element:
                yield value.bytes
        elif type(value) in (list, tuple):
            yield from arrays_in(value, _deeper(depth), single)


def to_host(x: Any, depth: int = 0) -> Any:
    """An argument for NumPy: of device arrays their values, in lists, tuples and dictionaries, too.

    Values become NumPy's scalars, as elements that are dates or records do: lists of objects keep them as they are, and
    to scalars Python's operators do more than to arrays.
    """
    if isinstance(x, OpaqueArray):
        return x.copy_to_host()[()] if x.is_element else x.copy_to_host()
    if isinstance(x, Array):
        return x.copy_to_host()[()] if _core.is_value(x) else x.copy_to_host()
    if type(x) in (list, tuple):
        return type(x)(to_host(part, _deeper(depth)) for part in x)
    if type(x) is dict:
        return {key: to_host(value, _deeper(depth)) for key, value in x.items()}
    return x


def _deeper(depth: int) -> int:
    """One level further down; a list that holds itself has levels without end."""
    if depth == DEEPEST:
        raise ValueError(f"lists are nested more than {DEEPEST} deep, or inside of themselves")
    return depth + 1


class OnHost:
    """What a class of NumPy's arrays needs for indices and values of the device."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> Any:
        return super().__getitem__(brought(key))  # type: ignore[misc]

    def __setitem__(self, key: Any, value: Any) -> None:
        dtype: Any = self.dtype  # type: ignore[attr-defined]
        kept = dtype.kind == "O" and isinstance(value, _OURS) and _is_element(key)
        super().__setitem__(brought(key), value if kept else brought(value))  # type: ignore[misc]


class HostArray(OnHost, np.ndarray):
    """NumPy's array of texts or objects, which no device holds, and what NumPy makes of it."""

    __slots__ = ()

    def __repr__(self) -> str:
        return repr(self.view(np.ndarray))

    def __reduce__(self) -> Any:
        return self.view(np.ndarray).__reduce__()

    def __array_wrap__(self, array: np.ndarray, context: Any = None, return_scalar: bool = False) -> Any:
        """What a ufunc or a reduction gives: a scalar where NumPy's own class has one."""
        return array[()] if return_scalar else array.view(HostArray)


class memmap(OnHost, np.memmap):
    """NumPy's ``memmap``, an array of a file on the host; what is written to it may be of the device.

    Parameters
    ----------
    filename : str, path or file object
        The file.
    dtype : dtype, default uint8
        Of the elements.
    mode : {'r+', 'r', 'w+', 'c'}
        Read and write, read alone, create or overwrite, or write to memory alone.
    offset : int, default 0
        Bytes of the file before the first element.
    shape : int or tuple of int, optional
        All of the file, in one dimension, by default; needed where the file is created.
    order : {'C', 'F'}, default 'C'
        Of the elements in the file.

    Examples
    --------
    >>> import devarray as da, tempfile
    >>> with tempfile.TemporaryFile() as file, da.use(fallback="allow"):
    ...     mapped = da.memmap(file, "float32", "w+", shape=4)
    ...     mapped[1:3] = da.ones(2)
    ...     mapped.tolist()
    [0.0, 1.0, 1.0, 0.0]
    """

    def __array_wrap__(self, array: np.ndarray, context: Any = None, return_scalar: bool = False) -> Any:
        """What a ufunc or a reduction gives: in memory, but for this array itself as its ``out``."""
        if array is self:
            return array
        return array[()] if return_scalar else array.view(HostArray)


def cast_on_host(x: Array, dtype: np.dtype, order: Any, casting: Any) -> np.ndarray:
    """Values in a dtype that no device holds, of which a warning tells."""
    announce(f"astype({dtype.name})", x, stacklevel=4)
    return hosted(x.copy_to_host().astype(dtype, order, casting, copy=False))


def hosted(x: Any) -> Any:
    """NumPy's arrays as those that take indices of the device, in lists and tuples, too."""
    if type(x) is np.ndarray:
        return x.view(HostArray)
    if type(x) is getattr(sys.modules.get("numpy.ma"), "MaskedArray", None):
        return PROTOCOLS["host_masked"](x)
    if type(x) in (list, tuple):
        return type(x)(map(hosted, x))
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return type(x)(*map(hosted, x))
    return x


def over_buffer(
    place: tuple[Any, Any, Any],
    shape: Any,
    dtype: Any,
    buffer: Any = None,
    offset: Any = 0,
    strides: Any = None,
    *,
    order: Any = "C",
) -> Any:
    """What ``ndarray(shape, dtype, buffer)`` makes: NumPy's array over the memory of a buffer of the host's.

    Without a buffer an array of the device, whose memory is that of `shape`, in steps of `strides`.
    """
    if buffer is None:
        made = _core.empty(shape, dtype, *resolve_place(*place), order)
        if strides is None:
            return made
        steps = (strides,) if hasattr(strides, "__index__") else tuple(strides)
        if len(steps) != made.ndim:
            raise ShapeError(f"strides, if given, must be the same length as shape, not {steps} for {made.shape}")
        return _core.view(made, made.shape, steps, 0, read_only=False)
    if place != (None, None, None):
        raise DTypeError("an array over a buffer lies in the host's memory; asarray() moves it")
    if isinstance(buffer, _OURS):
        raise DTypeError("ndarray(shape, dtype, buffer): the buffer is the host's; view and reshape a device array")
    if isinstance(buffer, tuple | list):
        raise DTypeError(
            f"Array(shape, dtype, buffer, ...) takes memory of the host, not {type(buffer).__name__}: strides and "
            "offset stand behind it, or behind a driver's memory in Array(memory, shape, dtype, strides, offset)"
        )
    return hosted(np.ndarray(shape, dtype, buffer, offset, strides, order))


def plain(x: Any) -> Any:
    """NumPy's own arrays of those that :func:`hosted` gives, the same object where it can be had."""
    if type(x) is HostArray:
        base, own = x.base, x.view(np.ndarray)
        same = type(base) is np.ndarray and base.__array_interface__ == own.__array_interface__
        return base if same else own
    return type(x)(map(plain, x)) if type(x) in (list, tuple) else x


def brought(x: Any) -> Any:
    """An index or value for NumPy; that arrays of the device come to the host is said, but of single numbers."""
    if type(x) in (int, str, slice):
        return x
    moved = next((array for array in arrays_in((x,)) if array.ndim), None)
    if moved is not None:
        announce("indexing of an array on the host", moved, stacklevel=4)
    return x if moved is None else to_host(x)


def _is_element(key: Any) -> bool:
    """Whether NumPy assigns one element, which may be an object with axes of its own."""
    parts = key if isinstance(key, tuple) else (key,)
    return all(hasattr(type(part), "__index__") and getattr(part, "ndim", 0) == 0 for part in parts)
