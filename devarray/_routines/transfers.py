"""Transfers between host and device, by the names of numba.cuda's page on memory.

Large pageable memory moves through page-locked staging blocks that several threads fill or empty while the device
copies; page-locked memory (:func:`pinned_array`, :class:`pinned`) moves directly. A host array that a copy creates lies
in memory that dead ones leave behind (``devarray.alloc.free_host_memory`` gives that back to the system).

A transfer with a `stream` is enqueued there. To and from page-locked memory the call then returns at once; both ends
are kept alive until the copy is done; do not touch them before. Ordinary memory has been read by the time the call
returns, which on OpenCL waits for what the queue has to do before.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from types import ModuleType
from typing import Any

import numpy as np

from devarray import _core
from devarray._primitives.convert import asarray
from devarray._primitives.opaque import OpaqueArray, of_records
from devarray._runtime.arguments import expect
from devarray._runtime.devices import Device, Queue, resolve_place
from devarray.array import Array
from devarray.errors import ShapeError, ValueError
from devarray.ops.dtypes import DTYPES

__all__ = ["asnumpy", "get_array_module", "to_device"]

Progress = Callable[[int, int | None], object]
"""Called with the bytes copied so far and the bytes in all (None where that is not known)."""

PROGRESS_BYTES = 64 << 20
"""How much is copied between two calls of a progress callback, or one row where that is more."""

_SUPPORTED = {np.dtype(name) for name in DTYPES}


# --- to the device -------------------------------------------------------------------------------------------------


@_core.QuickFunction
def to_device(
    obj: object,
    stream: Queue | None = None,
    copy: bool = True,
    to: Any = None,
    *,
    device: Device | str | None = None,
    allocator: object = None,
    progress: Progress | None = None,
) -> Any:
    """Copy host data to a device (numba.cuda's function of that name).

    Parameters
    ----------
    obj : array_like, NumPy scalar, Array, or iterator of array_like
        Of an iterator the chunks are joined along the first axis; with `to` given, host and device need room for one
        chunk beside the result. So arrays larger than the host's memory come from pieces of a ``numpy.memmap``.
        Structured data and other dtypes without arithmetic become an :class:`~devarray.OpaqueArray`.
    stream : Queue, optional
        The copy is enqueued there; the queue becomes that of the array. Page-locked memory must not change before it
        is done, other memory may.
    copy : bool
        False: only allocate, leave the values undefined.
    to : Array or OpaqueArray, optional
        Write into this array instead of a fresh one.
    device : Device or str, optional
        The device; the current one by default.
    allocator : memory resource, optional
        Where the memory comes from, see :mod:`devarray.alloc`.
    progress : callable, optional
        ``progress(done, total)`` in bytes, after every 64 MiB and at the end; total is None for an iterator without
        `to`.

    Returns
    -------
    Array or OpaqueArray
        A new array, or `to`; of an array that is on the device already, possibly the array itself.

    Raises
    ------
    DTypeError
        For data that no device memory holds, such as Python objects.
    ShapeError
        Where `to` or the chunks do not match.
    ValueError
        For an iterator without chunks.

    Examples
    --------
    >>> import devarray as da, numpy as np
    >>> x = da.to_device(np.arange(3.0))
    >>> x.copy_to_host()
    array([0., 1., 2.])
    >>> da.to_device(iter([[1, 2], [3]])).copy_to_host()
    array([1, 2, 3])
    """
    stream = stream or None  # numba's default is 0
    if isinstance(obj, Iterator):
        return _from_chunks(obj, stream, to, device, allocator, progress)
    if isinstance(obj, Array | OpaqueArray) and to is None:
        if isinstance(obj, OpaqueArray):
            return obj._of(asarray(obj.bytes, device=device, allocator=allocator, queue=stream, copy=copy), obj.dtype)
        return asarray(obj, device=device, allocator=allocator, queue=stream, copy=copy)
    if to is not None:
        expect("to_device", "to", to, (Array, OpaqueArray))
        source = obj
    else:
        source = np.asarray(obj)
        to = _empty_for(source, resolve_place(device, allocator, stream))
        if not copy:
            return to
    if to.size:
        _fill(to, source, stream, progress)
    return to


def _empty_for(host: np.ndarray, place: tuple[Any, Any]) -> Any:
    dtype = host.dtype if host.dtype.kind == "V" else host.dtype.newbyteorder("=")
    if dtype.kind in "mM":
        return of_records(host.shape, dtype, place)
    if dtype not in _SUPPORTED:
        return OpaqueArray(host.shape, dtype, queue=place[0], allocator=place[1])
    order = "F" if host.flags.f_contiguous and not host.flags.c_contiguous else "C"
    return _core.empty(host.shape, dtype, *place, order)


def _fill(target: Any, source: Any, stream: Queue | None, progress: Progress | None) -> None:
    if progress is None:
        target.copy_to_device(source, stream)
        return
    if source.shape != target.shape:
        raise ShapeError(f"to_device: the source has shape {source.shape}, the array {target.shape}")
    for done, rows in _pieces(target.shape, target.nbytes):
        target[rows].copy_to_device(source[rows], stream)
        progress(done, target.nbytes)


def _pieces(shape: tuple[int, ...], nbytes: int) -> Iterator[tuple[int, Any]]:
    """An array by pieces of its first axis: the bytes up to a piece's end, and the piece's index."""
    if not shape or nbytes <= PROGRESS_BYTES:
        yield nbytes, ...
        return
    row = nbytes // shape[0]
    step = max(1, PROGRESS_BYTES // max(row, 1))
    for start in range(0, shape[0], step):
        end = min(start + step, shape[0])
        yield end * row, slice(start, end)


def _from_chunks(
    chunks: Iterable[Any],
    stream: Queue | None,
    to: Any,
    device: Device | str | None,
    allocator: Any,
    progress: Progress | None,
) -> Any:
    """Chunks joined along the first axis, in `to` or a fresh array."""
    if to is not None:
        at = 0
        for chunk in chunks:
            host = np.asarray(chunk)
            if host.shape[1:] != to.shape[1:] or host.ndim != to.ndim or at + len(host) > len(to):
                raise ShapeError(
                    f"to_device: a chunk of shape {host.shape} does not fit at row {at} of shape {to.shape}"
                )
            if len(host):
                to[at : at + len(host)].copy_to_device(host, stream)
            at += len(host)
            if progress is not None:
                progress(at * (to.nbytes // max(len(to), 1)), to.nbytes)
        if at != len(to):
            raise ShapeError(f"to_device: the chunks have {at} rows together, the array {len(to)}")
        return to
    parts, done = [], 0
    for chunk in chunks:
        part = to_device(np.asarray(chunk), stream, device=device, allocator=allocator)
        if part.ndim == 0:
            raise ShapeError("to_device: a chunk needs at least one axis, along which the chunks are joined")
        parts.append(part)
        done += part.nbytes
        if progress is not None:
            progress(done, None)
    if not parts:
        raise ValueError("to_device: the iterator gave no chunk, so that the dtype is not known")
    if len(parts) == 1:
        return parts[0]
    first = parts[0]
    if any(part.shape[1:] != first.shape[1:] or part.dtype != first.dtype for part in parts):
        raise ShapeError("to_device: the chunks differ in dtype or in shape beyond the first axis")
    shape = (sum(len(part) for part in parts), *first.shape[1:])
    if isinstance(first, OpaqueArray):
        joined: Any = OpaqueArray(shape, first.dtype, queue=first.bytes.queue, allocator=first.bytes.allocator)
    else:
        joined = _core.empty(shape, first.dtype, first.queue, first.allocator)
    at = 0
    for part in parts:
        joined[at : at + len(part)] = part
        at += len(part)
    return joined


# --- by CuPy's names -------------------------------------------------------------------------------------------------


def asnumpy(
    a: object, stream: Queue | None = None, order: str = "C", out: np.ndarray | None = None, *, blocking: bool = True
) -> np.ndarray:
    """The values as a NumPy array, of device arrays by a copy (CuPy's function of that name).

    Parameters
    ----------
    a : Array, OpaqueArray or array_like
        The array.
    stream : Queue, optional
        The copy is enqueued there, see :meth:`Array.copy_to_host`.
    order : {"C", "F", "A", "K"}
        The memory order of a fresh array. C by default.
    out : numpy.ndarray, optional
        Where the values go; of the same shape and dtype.
    blocking : bool
        False, with `stream`: the call may return before the copy is done.

    Returns
    -------
    numpy.ndarray
        `out`, or a new array; of a host array possibly the array itself.

    Examples
    --------
    >>> import devarray as da
    >>> da.asnumpy(da.arange(3))
    array([0, 1, 2])
    >>> da.asnumpy([1, 2])
    array([1, 2])
    """
    if isinstance(a, Array):
        return a.get(stream, order, out, blocking)
    host = a.copy_to_host() if isinstance(a, OpaqueArray) else np.asarray(a, order=order)  # type: ignore[call-overload]
    if out is None:
        return host
    out[...] = host
    return out


def get_array_module(*args: object) -> ModuleType:
    """The module whose functions suit the arguments: `devarray` with a device array among them, else `numpy`.

    CuPy's function of that name, for programs that run with both.

    Parameters
    ----------
    *args : object
        Arrays and anything else.

    Returns
    -------
    module
        Of the two, the one.

    Examples
    --------
    >>> import devarray as da, numpy as np
    >>> da.get_array_module(da.ones(2), 1).__name__
    'devarray'
    >>> da.get_array_module(np.ones(2)).__name__
    'numpy'
    """
    return sys.modules["devarray"] if any(isinstance(x, Array | OpaqueArray) for x in args) else np


# --- page-locked and mapped host arrays ------------------------------------------------------------------------------
