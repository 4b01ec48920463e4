"""Transfers between host and device, by the names of numba.cuda's page on memory.

Large pageable memory moves through page-locked staging blocks that several threads fill or empty while the device
copies; page-locked memory (:func:`pinned_array`, :class:`pinned`) moves directly. A host array that a copy creates lies
in memory that dead ones leave behind (``devarray.alloc.free_host_memory`` gives that back to the system).

A transfer with a `stream` is enqueued there. To and from page-locked memory the call then returns at once; both ends
are kept alive until the copy is done; do not touch them before. Ordinary memory has been read by the time the call
returns, which on OpenCL waits for what the queue has to do before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from mmap import PAGESIZE
from typing import Any

import numpy as np

from devarray import _core
from devarray._array.transfers import wait_for_kept
from devarray._primitives.convert import asarray
from devarray._primitives.opaque import OpaqueArray
from devarray._runtime.arguments import expect
from devarray._runtime.devices import Device, Queue, resolve_place
from devarray._runtime.devices import device as find_device
from devarray.array import Array
from devarray.errors import DeviceError, DTypeError, ShapeError, ValueError
from devarray.ops.dtypes import DTYPES

__all__ = ["MappedNDArray", "mapped", "mapped_array", "pinned", "pinned_array", "to_device"]

_Shape = int | Sequence[int]
Progress = Callable[[int, int | None], object]
"""Called with the bytes copied so far and the bytes in all (None where that is not known)."""

PROGRESS_BYTES = 64 << 20
"""How much is copied between two calls of a progress callback, or one row where that is more."""

_SUPPORTED = {np.dtype(name) for name in DTYPES}


# --- to the device -------------------------------------------------------------------------------------------------


@_core.QuickFunction
def to_device(
    obj: Any,
    stream: Queue | None = None,
    copy: bool = True,
    to: Any = None,
    *,
    device: Device | str | None = None,
    allocator: Any = None,
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
            return OpaqueArray._of(
                asarray(obj.bytes, device=device, allocator=allocator, queue=stream, copy=copy), obj.dtype
            )
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
    if host.dtype not in _SUPPORTED:
        return OpaqueArray(host.shape, host.dtype, queue=place[0], allocator=place[1])
    order = "F" if host.flags.f_contiguous and not host.flags.c_contiguous else "C"
    return _core.empty(host.shape, host.dtype, *place, order)


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


# --- page-locked and mapped host arrays ------------------------------------------------------------------------------


def _host_array(
    memory: Any, shape: _Shape, dtype: Any, strides: Sequence[int] | None, order: str
) -> np.ndarray[Any, Any]:
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    return np.ndarray(sizes, np.dtype(dtype), memory, 0, None if strides is None else tuple(strides), order)  # type: ignore[arg-type]


def _reach(shape: _Shape, dtype: Any, strides: Sequence[int] | None, what: str) -> int:
    """Bytes that an array of these strides covers."""
    sizes, item = (shape,) if isinstance(shape, int) else tuple(shape), np.dtype(dtype)
    if item.hasobject:
        raise DTypeError(f"{what}: memory of dtype {item} holds Python objects; give a dtype of plain bytes")
    dense = _core.byte_size(sizes, item.itemsize)
    if strides is None:
        return dense
    if len(strides) != len(sizes) or any(step < 0 for step in strides):
        raise ShapeError(f"{what} needs one stride for each axis, none of them negative, got {tuple(strides)}")
    if not dense:
        return 0
    return item.itemsize + sum(step * (size - 1) for step, size in zip(strides, sizes, strict=True))


def pinned_array(
    shape: _Shape,
    dtype: Any = np.float64,
    strides: Sequence[int] | None = None,
    order: str = "C",
    *,
    device: Device | str | None = None,
) -> np.ndarray[Any, Any]:
    """An uninitialised NumPy array in page-locked memory, which the device copies to and from directly.

    The memory comes from a pool and goes back there with the last reference. On OpenCL it is that of a host buffer.

    Parameters
    ----------
    shape : int or sequence of int
        Sizes of the axes.
    dtype : dtype
        Any without Python objects, float64 by default.
    strides : sequence of int, optional
        In bytes, none of them negative.
    order : {"C", "F"}
        Which axis is dense in memory: the last one ("C", the default) or the first one.
    device : Device or str, optional
        The device whose transfers it is for; the current one by default.

    Returns
    -------
    numpy.ndarray
        Its values are undefined.

    Raises
    ------
    OutOfMemoryError
        Where the driver has no such memory left.
    DTypeError
        For a dtype with Python objects.
    ShapeError
        Where there is not one stride for each axis, or one is negative.

    Examples
    --------
    >>> import devarray as da
    >>> h = da.pinned_array(3, "int32")
    >>> h[:] = 7
    >>> da.to_device(h).copy_to_host()
    array([7, 7, 7], dtype=int32)
    """
    nbytes = _reach(shape, dtype, strides, "pinned_array")
    memory = _core.page_locked_pool(find_device(device)).allocate(max(nbytes, 1))
    return _host_array(memory, shape, dtype, strides, order)


class MappedNDArray(np.ndarray[Any, Any]):
    """A NumPy array over memory that the device sees, too; what :func:`mapped_array` returns.

    Parameters
    ----------
    shape, dtype, buffer, offset, strides, order : optional
        As of :class:`numpy.ndarray`; programs call :func:`mapped_array`.

    Attributes
    ----------
    device_array : Array
        The same elements, for the device. What the host writes is seen by work enqueued afterwards; what the device
        writes is seen after ``devarray.synchronize()``, or waiting for the queue. None for parts of it, which have
        no device side of their own.

    Examples
    --------
    >>> import devarray as da
    >>> if {"pinned", "svm_fine"} & set(da.device().memory_kinds):
    ...     h = da.mapped_array(2)
    ...     h[:] = 7
    ...     assert h.device_array.sum().item() == 14
    """

    device_array: Any = None

    def copy_to_host(
        self, ary: np.ndarray[Any, Any] | None = None, stream: Queue | None = None
    ) -> np.ndarray[Any, Any]:
        """The values, when the device has finished with them, as a NumPy array.

        Parameters
        ----------
        ary : numpy.ndarray, optional
            Written and returned: of the same shape and dtype. A new array by default.
        stream : Queue, optional
            The copy is enqueued there and the call may return before it is done.

        Returns
        -------
        numpy.ndarray
            `ary`, or a new array.

        Examples
        --------
        >>> import devarray as da
        >>> if {"pinned", "svm_fine"} & set(da.device().memory_kinds):
        ...     h = da.mapped_array(2)
        ...     h[:] = 7
        ...     assert h.copy_to_host().tolist() == [7.0, 7.0]
        """
        return self.device_array.copy_to_host(ary, stream)

    def copy_to_device(self, ary: Any, stream: Queue | None = None) -> None:
        """Write the values of a host or device array into this one, behind the device's work.

        Parameters
        ----------
        ary : array_like or Array
            Of the same shape.
        stream : Queue, optional
            The copy is enqueued there.

        Raises
        ------
        ShapeError
            Where the shapes differ.

        Examples
        --------
        >>> import devarray as da
        >>> if {"pinned", "svm_fine"} & set(da.device().memory_kinds):
        ...     h = da.mapped_array(2)
        ...     h.copy_to_device([1, 2])
        ...     assert h.copy_to_host().tolist() == [1.0, 2.0]
        """
        self.device_array.copy_to_device(ary, stream)

    def split(self, section: int, stream: Queue | None = None) -> list[np.ndarray[Any, Any]]:
        """The array in pieces of a given number of elements; the last one may have fewer.

        Parameters
        ----------
        section : int
            Elements of a piece, at least 1.
        stream : Queue, optional
            numba's, not used: views take no work.

        Returns
        -------
        list of numpy.ndarray
            Views.

        Raises
        ------
        ValueError
            For a `section` below 1.

        Examples
        --------
        >>> import devarray as da
        >>> if {"pinned", "svm_fine"} & set(da.device().memory_kinds):
        ...     assert [len(part) for part in da.mapped_array(5).split(2)] == [2, 2, 1]
        """
        if section <= 0:
            raise ValueError(f"split: a part has at least one element, not {section}")
        return [self[i : i + section] for i in range(0, len(self), section)]


def mapped_array(
    shape: _Shape,
    dtype: Any = np.float64,
    strides: Sequence[int] | None = None,
    order: str = "C",
    stream: Queue | None = None,
    portable: bool = False,
    wc: bool = False,
    *,
    device: Device | str | None = None,
) -> MappedNDArray:
    """An uninitialised NumPy array in memory that host and device both see, without copies.

    Page-locked memory on CUDA, fine-grained shared virtual memory on OpenCL.

    Parameters
    ----------
    shape : int or sequence of int
        Sizes of the axes.
    dtype : dtype
        One that devices compute with. float64 by default.
    strides : sequence of int, optional
        In bytes, none of them negative.
    order : {"C", "F"}
        Which axis is dense in memory: the last one ("C", the default) or the first one.
    stream : Queue, optional
        The queue of :attr:`MappedNDArray.device_array`.
    portable, wc : bool
        Taken for numba's sake: the memory is portable always, and not write-combining.
    device : Device or str, optional
        The device; the current one by default.

    Returns
    -------
    MappedNDArray
        Its values are undefined.

    Raises
    ------
    ShapeError
        Where there is not one stride for each axis, or one is negative.
    DeviceError
        Where the device has no such memory.

    Examples
    --------
    >>> import devarray as da
    >>> h = da.mapped_array(3, "int32")
    >>> h[:] = 7
    >>> h.device_array += 1
    >>> da.synchronize()
    >>> print(h)
    [8 8 8]
    """
    nbytes = _reach(shape, dtype, strides, "mapped_array")
    stream = stream or None
    if stream is not None:
        expect("mapped_array", "stream", stream, _core.Queue)
    queue, _ = resolve_place(device, None, stream)
    where = queue.device if queue is not None else find_device(device)
    kind = next((kind for kind in ("pinned", "svm_fine") if kind in where.memory_kinds), None)
    if kind is None:
        raise DeviceError(f"mapped_array: {where} has no memory that the host sees too; it has {where.memory_kinds}")
    pool = _mapped_pools.get((where, kind))
    if pool is None:
        pool = _core.PoolMemoryResource(_core.DeviceMemoryResource(where, kind))
        _mapped_pools[where, kind] = pool
        if len(_mapped_pools) > _MOST_POOLS:  # of contexts that come and go; a pool lives as long as its arrays
            _mapped_pools.pop(next(iter(_mapped_pools)))
    item = np.dtype(dtype)
    memory = _core.empty(max(-(-nbytes // item.itemsize), 1), item, queue or where.default_queue, pool)
    host = _host_array(_core.host_view_of(memory), shape, item, strides, order).view(MappedNDArray)
    host.device_array = _core.view(memory, host.shape, host.strides)
    return host


_MOST_POOLS = 32
_mapped_pools: dict[tuple[Device, str], Any] = {}


@contextmanager
def pinned(*arylist: np.ndarray[Any, Any], device: Device | str | None = None) -> Iterator[None]:
    """Page-lock host arrays for the time of a block, so that transfers reach them directly.

    OpenCL has no such call: there the block changes nothing.

    Parameters
    ----------
    *arylist : numpy.ndarray
        The arrays, contiguous.
    device : Device or str, optional
        The device whose transfers it is for; the current one by default.

    Raises
    ------
    ValueError
        For an array that is not contiguous.

    Examples
    --------
    >>> import devarray as da, numpy as np
    >>> h = np.arange(4.0)
    >>> with da.pinned(h):
    ...     x = da.to_device(h)
    >>> x.copy_to_host()
    array([0., 1., 2., 3.])
    """
    where = find_device(device)
    locks = [
        _core.lock_pages(where, start, end - start, group) for start, end, group in _page_groups(arylist, "pinned")
    ]
    try:
        yield
    finally:
        wait_for_kept(arylist)
        del locks


def _page_groups(
    arrays: Sequence[np.ndarray[Any, Any]], what: str
) -> list[tuple[int, int, list[np.ndarray[Any, Any]]]]:
    """Pages of the arrays, as (start, end, arrays there). A page is locked once: arrays that share one go together."""
    groups: list[tuple[int, int, list[np.ndarray[Any, Any]]]] = []
    for ary in sorted((ary for ary in arrays if ary.size), key=lambda ary: ary.ctypes.data):
        if not (ary.flags.c_contiguous or ary.flags.f_contiguous):
            raise ValueError(f"{what}: a contiguous array is wanted, got shape {ary.shape}, strides {ary.strides}")
        address = ary.ctypes.data
        start, end = address - address % PAGESIZE, -(-(address + ary.nbytes) // PAGESIZE) * PAGESIZE
        if groups and start < groups[-1][1]:
            groups[-1] = (groups[-1][0], max(end, groups[-1][1]), [*groups[-1][2], ary])
        else:
            groups.append((start, end, [ary]))
    return groups


@contextmanager
def mapped(
    *arylist: np.ndarray[Any, Any], device: Device | str | None = None, stream: Queue | None = None
) -> Iterator[Any]:
    """Let the device use host arrays in place for the time of a block.

    Parameters
    ----------
    *arylist : numpy.ndarray
        In C order, with elements, of dtypes that devices compute with. The host must not touch them inside the block,
        except on CUDA between waits.
    device : Device or str, optional
        The device; the current one by default.
    stream : Queue, optional
        The queue of the device's arrays.

    Yields
    ------
    Array or list of Array
        One for each host array; not to be used after the block, at whose end the host sees what they hold.

    Raises
    ------
    ValueError
        For an array that is not in C order, is empty, or is page-locked already.

    Examples
    --------
    >>> import devarray as da, numpy as np
    >>> h = np.zeros(4)
    >>> with da.mapped(h) as x:
    ...     x[:] = 3
    >>> h
    array([3., 3., 3., 3.])
    """
    queue, _ = resolve_place(device, None, stream or None)
    where = queue.device if queue is not None else find_device(device)
    for ary in arylist:
        if not ary.flags.c_contiguous or ary.size == 0:
            raise ValueError(
                f"mapped: an array in C order with elements is wanted, got shape {ary.shape}, strides {ary.strides}"
            )
    memory = _memory_over(where, arylist)
    arrays = [
        _core.from_allocation(allocation, ary.shape, ary.dtype, offset=offset, queue=queue)
        for ary, (allocation, offset) in zip(arylist, memory, strict=True)
    ]
    try:
        yield arrays[0] if len(arrays) == 1 else list(arrays)
    finally:
        for x in arrays:
            if where.driver == "opencl":
                _core.map_array(x, False)[1].unmap()
            _core.wait(x.queue)


def _memory_over(device: Device, arrays: Sequence[np.ndarray[Any, Any]]) -> list[tuple[Any, int]]:
    """For each host array the device's memory over it, and the array's offset there."""
    if device.driver == "opencl":
        return [(_core.buffer_over(device, ary), 0) for ary in arrays]
    found: dict[int, tuple[Any, int]] = {}
    for start, end, group in _page_groups(arrays, "mapped"):
        lock = _core.lock_pages(device, start, end - start, group)
        if lock is None:
            raise ValueError(
                "mapped: the memory is page-locked already; use mapped_array(), or end the other block first"
            )
        found |= {id(ary): (lock[0], ary.ctypes.data - lock[1]) for ary in group}
    return [found[id(ary)] for ary in arrays]
