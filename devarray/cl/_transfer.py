"""enqueue_copy for every pair of memories, and fills."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _core

__all__ = ["enqueue_copy", "enqueue_fill"]

_cl = _core.cl
_Buffer, _Image, _SVMPointer, _MemoryObject = _cl.Buffer, _cl.Image, _cl.SVMPointer, _cl.MemoryObject
_read_buffer, _write_buffer = _cl._enqueue_read_buffer, _cl._enqueue_write_buffer


def enqueue_copy(queue: _core.cl.CommandQueue, dest: Any, src: Any, **kwargs: Any) -> _core.cl.Event:
    """Copy between buffers, images, shared virtual memory and host memory.

    The keywords depend on the two sides:

    ===================================== =========================================================================
    Between                               Keywords
    ===================================== =========================================================================
    a buffer and the host                 ``src_offset`` or ``dst_offset`` (bytes into the buffer; ``device_offset`` is
                                          an older name), ``is_blocking``
    the same, of a rectangle              ``buffer_origin``, ``host_origin``, ``region``, ``buffer_pitches``,
                                          ``host_pitches``, ``is_blocking``
    buffers                               ``src_offset``, ``dst_offset``, ``byte_count``
    buffers, of a rectangle               ``src_origin``, ``dst_origin``, ``region``, ``src_pitches``, ``dst_pitches``
    shared virtual memory and anything    ``byte_count``, ``is_blocking``
    an image and the host or a buffer     ``origin``, ``region`` (pixels), ``pitches`` or ``offset`` (bytes)
    images                                ``src_origin``, ``dest_origin``, ``region`` (pixels)
    ===================================== =========================================================================

    Parameters
    ----------
    queue : CommandQueue
        Where the copy is enqueued.
    dest : Buffer, Image, SVMPointer or object with the buffer protocol
        Where to.
    src : Buffer, Image, SVMPointer or object with the buffer protocol
        Where from; one of the two is the device's.
    **kwargs : object
        As above, in bytes along the first axis of a rectangle; and always ``wait_for``, a sequence of events. With
        ``is_blocking=False`` the event of a copy with the host keeps the host's memory alive; it is True by
        default.

    Returns
    -------
    Event
        A `NannyEvent` where host memory takes part.

    Raises
    ------
    TypeError
        If neither side is the device's.
    ValueError
        If host memory has too few bytes for the copy.
    LogicError
        If the copy leaves a buffer.

    Notes
    -----
    Calls ``clEnqueueReadBuffer``, ``clEnqueueWriteBuffer``, ``clEnqueueCopyBuffer``, their forms for rectangles and
    images, or ``clEnqueueSVMMemcpy``.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray import cl
    >>> ctx = cl.create_some_context(answers=["0"])
    >>> queue = cl.CommandQueue(ctx)
    >>> buf = cl.Buffer(ctx, cl.mem_flags.READ_WRITE, 16)
    >>> event = cl.enqueue_copy(queue, buf, np.arange(4, dtype=np.float32))
    >>> last = np.empty(2, np.float32)
    >>> event = cl.enqueue_copy(queue, last, buf, src_offset=8)
    >>> last
    array([2., 3.], dtype=float32)
    """
    if isinstance(dest, _Buffer):
        if isinstance(src, _MemoryObject):
            return _memory_to_buffer(queue, dest, src, kwargs)
        if isinstance(src, _SVMPointer) and "region" in kwargs:
            return enqueue_copy(queue, dest, _as_buffer(queue, src), **kwargs)
        if isinstance(src, _SVMPointer):
            return _write_buffer(queue, dest, src.buf, **_offset(kwargs, "dst_offset"))
        if "buffer_origin" in kwargs:
            return _cl._enqueue_write_buffer_rect(queue, dest, src, **kwargs)
        return _write_buffer(queue, dest, src, **_offset(kwargs, "dst_offset"))
    if isinstance(dest, _Image):
        return _to_image(queue, dest, src, kwargs)
    if isinstance(dest, _SVMPointer) or isinstance(src, _SVMPointer):
        if "region" in kwargs:
            return enqueue_copy(queue, _as_buffer(queue, dest), _as_buffer(queue, src), **kwargs)
        if isinstance(src, _Buffer):
            return _read_buffer(queue, src, dest.buf, **_offset(kwargs, "src_offset"))
        return _svm(queue, dest, src, **kwargs)
    if isinstance(src, _Buffer):
        if "buffer_origin" in kwargs:
            return _cl._enqueue_read_buffer_rect(queue, src, dest, **kwargs)
        return _read_buffer(queue, src, dest, **_offset(kwargs, "src_offset"))
    if isinstance(src, _Image):
        return _image_to_host(queue, dest, src, **kwargs)
    raise TypeError(
        "enqueue_copy needs a Buffer, an Image or shared virtual memory (SVM, SVMAllocation) on one side; "
        f"got {type(dest).__name__} and {type(src).__name__}"
    )


def _as_buffer(queue: _core.cl.CommandQueue, memory: object) -> Any:
    """Shared virtual memory as a buffer, for the rectangular copies, which OpenCL has for buffers alone."""
    return memory.as_buffer(queue.context) if isinstance(memory, _SVMPointer) else memory


def _offset(kwargs: dict[str, Any], name: str) -> dict[str, Any]:
    """The arguments with `device_offset` under the name of its side."""
    if "device_offset" in kwargs:
        if name in kwargs:
            raise TypeError(f"give device_offset or {name}, not both")
        kwargs[name] = kwargs.pop("device_offset")
    return kwargs


def _memory_to_buffer(queue: _core.cl.CommandQueue, dest: Any, src: Any, kwargs: dict[str, Any]) -> _core.cl.Event:
    if isinstance(src, _Image):
        return _cl._enqueue_copy_image_to_buffer(queue, src, dest, **kwargs)
    if "src_origin" in kwargs:
        return _cl._enqueue_copy_buffer_rect(queue, src, dest, **kwargs)
    return _cl._enqueue_copy_buffer(queue, src, dest, **kwargs)


def _to_image(queue: _core.cl.CommandQueue, dest: Any, src: Any, kwargs: dict[str, Any]) -> _core.cl.Event:
    if isinstance(src, _Image):
        return _cl._enqueue_copy_image(queue, src, dest, **kwargs)
    if isinstance(src, _Buffer):
        return _cl._enqueue_copy_buffer_to_image(queue, src, dest, **kwargs)
    return _host_to_image(queue, dest, src, **kwargs)


def _pitches(pitches: int | Sequence[int]) -> tuple[int, int]:
    """Row and slice pitch from one, two or none."""
    given = (pitches,) if isinstance(pitches, int) else tuple(pitches)
    if len(given) > 2:
        raise ValueError(f"an image has at most two pitches; got {len(given)}")
    row, slice_ = (*given, 0, 0)[:2]
    return row, slice_


def _host_to_image(
    queue: _core.cl.CommandQueue,
    dest: Any,
    src: Any,
    *,
    origin: Sequence[int],
    region: Sequence[int],
    pitches: int | Sequence[int] = (0, 0),
    wait_for: Sequence[_core.cl.Event] | None = None,
    is_blocking: bool = True,
) -> _core.cl.Event:
    return _cl._enqueue_write_image(queue, dest, origin, region, src, *_pitches(pitches), wait_for, is_blocking)


def _image_to_host(
    queue: _core.cl.CommandQueue,
    dest: Any,
    src: Any,
    *,
    origin: Sequence[int],
    region: Sequence[int],
    pitches: int | Sequence[int] = (0, 0),
    wait_for: Sequence[_core.cl.Event] | None = None,
    is_blocking: bool = True,
) -> _core.cl.Event:
    return _cl._enqueue_read_image(queue, src, origin, region, dest, *_pitches(pitches), wait_for, is_blocking)


def _svm(
    queue: _core.cl.CommandQueue,
    dest: object,
    src: object,
    *,
    byte_count: int | None = None,
    is_blocking: bool = True,
    wait_for: Sequence[_core.cl.Event] | None = None,
) -> _core.cl.Event:
    return _cl._enqueue_svm_memcpy(queue, is_blocking, dest, src, wait_for, byte_count)


def enqueue_fill(
    queue: _core.cl.CommandQueue,
    dest: object,
    pattern: object,
    size: int,
    *,
    offset: int = 0,
    wait_for: Sequence[_core.cl.Event] | None = None,
) -> _core.cl.Event:
    """Repeat a pattern over a range of a buffer or of shared virtual memory.

    Parameters
    ----------
    queue : CommandQueue
        Where the fill is enqueued.
    dest : Buffer or SVMPointer
        What is filled.
    pattern : object with the buffer protocol
        1 to 128 bytes, a power of two; a NumPy scalar, say.
    size : int
        Bytes, a multiple of the pattern's size.
    offset : int, default 0
        Bytes from the start, a multiple of the pattern's size.
    wait_for : sequence of Event, optional
        What the fill waits for.

    Returns
    -------
    Event
        Of the fill.

    Raises
    ------
    TypeError
        If `dest` is something else.

    Notes
    -----
    Calls ``clEnqueueFillBuffer`` or ``clEnqueueSVMMemFill``.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray import cl
    >>> ctx = cl.create_some_context(answers=["0"])
    >>> queue = cl.CommandQueue(ctx)
    >>> buf = cl.Buffer(ctx, cl.mem_flags.READ_WRITE, 16)
    >>> event = cl.enqueue_fill(queue, buf, np.float32(7), 16)
    >>> host = np.empty(4, np.float32)
    >>> event = cl.enqueue_copy(queue, host, buf)
    >>> host
    array([7., 7., 7., 7.], dtype=float32)
    """
    if isinstance(dest, _MemoryObject):
        return _cl.enqueue_fill_buffer(queue, dest, pattern, offset, size, wait_for)
    if isinstance(dest, _SVMPointer):
        return _cl.enqueue_svm_memfill(queue, dest, pattern, size, wait_for, offset)
    raise TypeError(f"enqueue_fill needs a Buffer or shared virtual memory; got {type(dest).__name__}")
