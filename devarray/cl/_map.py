"""Mapping of buffers and images into the host's memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ._svm import _strides

if TYPE_CHECKING:
    from devarray._typing import ShapeLike

__all__ = ["enqueue_map_buffer", "enqueue_map_image"]


class HostMapping:
    """What stands below an array of memory that host and device see alike, in the place of a `MemoryMap`.

    Parameters
    ----------
    array : numpy.ndarray
        Over the memory.
    queue : CommandQueue
        Whose work uses it.
    """

    def __init__(self, array: np.ndarray, queue: _core.cl.CommandQueue) -> None:
        self.__array_interface__ = array.__array_interface__
        self._array = array
        self._queue = queue

    def release(
        self, queue: _core.cl.CommandQueue | None = None, wait_for: Sequence[_core.cl.Event] | None = None
    ) -> _core.cl.Event:
        """As of a `MemoryMap`; there is nothing to unmap, so that the event is that of a marker."""
        return _core.cl.enqueue_marker(queue or self._queue, wait_for)


def array_over(memory: Any, shape: ShapeLike, dtype: npt.DTypeLike, order: str) -> np.ndarray:
    """An array over the bytes of `memory`, which it keeps alive."""
    dtype = np.dtype(dtype)
    dims = _dims(shape)
    return np.ndarray(dims, dtype, buffer=memory, strides=_strides(dims, dtype.itemsize, order))


def _dims(shape: Any) -> tuple[int, ...]:
    if isinstance(shape, (int, np.integer)):
        return (int(shape),)
    return tuple(int(length) for length in shape)


def enqueue_map_buffer(
    queue: _core.cl.CommandQueue,
    buf: _core.cl.Buffer,
    flags: int,
    offset: int,
    shape: ShapeLike,
    dtype: npt.DTypeLike,
    order: str = "C",
    strides: Sequence[int] | None = None,
    wait_for: Sequence[_core.cl.Event] | None = None,
    is_blocking: bool = True,
) -> tuple[np.ndarray, _core.cl.Event]:
    """Map a range of a buffer as an array.

    Parameters
    ----------
    queue : CommandQueue
        Where the map is enqueued.
    buf : Buffer
        What is mapped.
    flags : int
        Of `map_flags`.
    offset : int
        Bytes from the buffer's start.
    shape : int or tuple of int
        Of the array over the range.
    dtype : dtype
        Of the array.
    order : {'C', 'F'}, default 'C'
        Of the array.
    strides : sequence of int, optional
        Bytes; they override `order`.
    wait_for : sequence of Event, optional
        What the map waits for.
    is_blocking : bool, default True
        Whether to return only once the array may be used; otherwise wait for the event.

    Returns
    -------
    tuple of (numpy.ndarray, Event)
        The array's ``base`` is the `MemoryMap`; release that, or drop the array, to unmap the range.

    Raises
    ------
    ValueError
        If a stride is negative.
    LogicError
        If the range leaves the buffer.

    Notes
    -----
    Calls ``clEnqueueMapBuffer``.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray import cl
    >>> ctx = cl.create_some_context(answers=["0"])
    >>> queue = cl.CommandQueue(ctx)
    >>> buf = cl.Buffer(ctx, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=np.arange(4))
    >>> array, event = cl.enqueue_map_buffer(queue, buf, cl.map_flags.READ, 8, 3, np.int64)
    >>> array
    array([1, 2, 3])
    """
    dtype = np.dtype(dtype)
    dims = _dims(shape)
    steps = _strides(dims, dtype.itemsize, order) if strides is None else tuple(int(step) for step in strides)
    if any(step < 0 for step in steps):
        raise ValueError(f"strides of a mapped array must not be negative; got {steps}")
    extent = dtype.itemsize + sum((n - 1) * step for n, step in zip(dims, steps, strict=True)) if all(dims) else 0
    mapped, event = _core.cl._enqueue_map_buffer(queue, buf, flags, offset, extent, wait_for, is_blocking)
    return np.ndarray(dims, dtype, buffer=mapped, strides=steps), event


def enqueue_map_image(
    queue: _core.cl.CommandQueue,
    buf: _core.cl.Image,
    flags: int,
    origin: Sequence[int],
    region: Sequence[int],
    shape: ShapeLike,
    dtype: npt.DTypeLike,
    order: str = "C",
    strides: Sequence[int] | None = None,
    wait_for: Sequence[_core.cl.Event] | None = None,
    is_blocking: bool = True,
) -> tuple[np.ndarray, _core.cl.Event, int, int]:
    """Map a region of an image as an array.

    Parameters
    ----------
    queue : CommandQueue
        Where the map is enqueued.
    buf : Image
        What is mapped.
    flags : int
        Of `map_flags`.
    origin : sequence of int
        First pixel: x, y, z; 0 where left out.
    region : sequence of int
        Pixels: width, height, depth; 1 where left out.
    shape : int or tuple of int
        Of the array over the region.
    dtype : dtype
        Of the array.
    order : {'C', 'F'}, default 'C'
        Of the array.
    strides : sequence of int, optional
        Bytes; they override `order`.
    wait_for : sequence of Event, optional
        What the map waits for.
    is_blocking : bool, default True
        Whether to return only once the array may be used; otherwise wait for the event.

    Returns
    -------
    tuple of (numpy.ndarray, Event, int, int)
        The array, the event, and the bytes from row to row and from slice to slice, as the driver chose them: pass
        fitting `strides` where they are not those of a dense array.

    Raises
    ------
    LogicError
        If the region leaves the image.

    Notes
    -----
    Calls ``clEnqueueMapImage``.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray import cl
    >>> ctx = cl.create_some_context(answers=["0"])
    >>> image = cl.image_from_array(ctx, np.ones((4, 8), np.float32), mode="r")
    >>> array, event, row_pitch, _ = cl.enqueue_map_image(
    ...     cl.CommandQueue(ctx), image, cl.map_flags.READ, (0, 0), (8, 1), 8, np.float32)
    >>> array
    array([1., 1., 1., 1., 1., 1., 1., 1.], dtype=float32)
    """
    dtype = np.dtype(dtype)
    dims = _dims(shape)
    steps = _strides(dims, dtype.itemsize, order) if strides is None else tuple(int(step) for step in strides)
    mapped, event, row_pitch, slice_pitch = _core.cl._enqueue_map_image(
        queue, buf, flags, origin, region, wait_for, is_blocking
    )
    return np.ndarray(dims, dtype, buffer=mapped, strides=steps), event, row_pitch, slice_pitch
