"""Page-locked memory of the host: NumPy arrays in it, and arrays locked or mapped for the time of a block."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from mmap import PAGESIZE
from typing import TYPE_CHECKING, Any

import numpy as np

from devarray import _core
from devarray._array.transfers import wait_for_kept
from devarray._routines.creation.filled import layout_like
from devarray._runtime.devices import Device, Queue, resolve_place
from devarray._runtime.devices import device as find_device
from devarray.errors import DTypeError, ShapeError, ValueError

if TYPE_CHECKING:
    from devarray._typing import DTypeLike

__all__ = ["mapped", "pinned", "pinned_array", "pinned_array_like"]

_Shape = int | Sequence[int]


def host_array(
    memory: object, shape: _Shape, dtype: DTypeLike | None, strides: Sequence[int] | None, order: str
) -> np.ndarray:
    """A NumPy array at the start of `memory`."""
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    return np.ndarray(sizes, np.dtype(dtype), memory, 0, None if strides is None else tuple(strides), order)  # type: ignore[arg-type]


def reach(shape: _Shape, dtype: DTypeLike | None, strides: Sequence[int] | None, what: str) -> int:
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
    dtype: DTypeLike | None = np.float64,
    strides: Sequence[int] | None = None,
    order: str = "C",
    *,
    device: Device | str | None = None,
) -> np.ndarray:
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
    nbytes = reach(shape, dtype, strides, "pinned_array")
    memory = _core.page_locked_pool(find_device(device)).allocate(max(nbytes, 1))
    return host_array(memory, shape, dtype, strides, order)


def pinned_array_like(ary: object, *, device: Device | str | None = None) -> np.ndarray:
    """An uninitialised NumPy array in page-locked memory, of the shape, dtype and memory order of another.

    Parameters
    ----------
    ary : Array or array_like
        The model, on the device or the host.
    device : Device or str, optional
        The device whose transfers it is for; the current one by default.

    Returns
    -------
    numpy.ndarray
        Its axes lie in memory in the order of the model's, without gaps. Its values are undefined.

    Raises
    ------
    OutOfMemoryError
        Where the driver has no such memory left.
    DTypeError
        For a dtype with Python objects.

    Examples
    --------
    >>> import devarray as da
    >>> x = da.arange(3)
    >>> h = da.pinned_array_like(x)
    >>> x.copy_to_host(h)
    array([0, 1, 2])
    """
    shape, dtype, strides = layout_like(ary)
    return pinned_array(shape, dtype, strides, device=device)


@contextmanager
def pinned(*arylist: np.ndarray, device: Device | str | None = None) -> Iterator[None]:
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


def _page_groups(arrays: Sequence[np.ndarray], what: str) -> list[tuple[int, int, list[np.ndarray]]]:
    """Pages of the arrays, as (start, end, arrays there). A page is locked once: arrays that share one go together."""
    groups: list[tuple[int, int, list[np.ndarray]]] = []
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
def mapped(*arylist: np.ndarray, device: Device | str | None = None, stream: Queue | None = None) -> Iterator[Any]:
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
    where = find_device(device) if queue is None else _core.device_of(queue, None)
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


def _memory_over(device: Device, arrays: Sequence[np.ndarray]) -> list[tuple[Any, int]]:
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
