"""Mapping of buffers and images into the host's memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ._svm import _strides

__all__ = ["enqueue_map_buffer", "enqueue_map_image"]


def array_over(memory: Any, shape: Any, dtype: npt.DTypeLike, order: str) -> np.ndarray:
    """An array over the bytes of `memory`, which it keeps alive."""
    dtype = np.dtype(dtype)
    dims = _dims(shape)
    return np.ndarray(dims, dtype, buffer=memory, strides=_strides(dims, dtype.itemsize, order))


def _dims(shape: Any) -> tuple[int, ...]:
    if isinstance(shape, (int, np.integer)):
        return (int(shape),)
    return tuple(int(length) for length in shape)


def enqueue_map_buffer(
    queue: Any,
    buf: Any,
    flags: int,
    offset: int,
    shape: Any,
    dtype: npt.DTypeLike,
    order: str = "C",
    strides: Sequence[int] | None = None,
    wait_for: Sequence[Any] | None = None,
    is_blocking: bool = True,
) -> tuple[np.ndarray, Any]:
    """Map a range of a buffer as an array.

    Parameters
    ----------
    queue : CommandQueue
    buf : Buffer
    flags : int
        Of `map_flags`.
    offset : int
        Bytes.
    shape, dtype, order, strides
        Of the array over the range; `strides` in bytes override `order`.
    wait_for : sequence of Event, optional
    is_blocking : bool, default True
        Whether to return only once the array may be used; otherwise wait for the event.

    Returns
    -------
    array, event
        The array's ``base`` is the `MemoryMap`; release that, or drop the array, to unmap the range.
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
    queue: Any,
    buf: Any,
    flags: int,
    origin: Sequence[int],
    region: Sequence[int],
    shape: Any,
    dtype: npt.DTypeLike,
    order: str = "C",
    strides: Sequence[int] | None = None,
    wait_for: Sequence[Any] | None = None,
    is_blocking: bool = True,
) -> tuple[np.ndarray, Any, int, int]:
    """Map a region of an image as an array; like `enqueue_map_buffer`.

    Returns
    -------
    array, event, row_pitch, slice_pitch
        Pitches in bytes, as the driver chose them: pass fitting `strides` where they are not those of a dense array.
    """
    dtype = np.dtype(dtype)
    dims = _dims(shape)
    steps = _strides(dims, dtype.itemsize, order) if strides is None else tuple(int(step) for step in strides)
    mapped, event, row_pitch, slice_pitch = _core.cl._enqueue_map_image(
        queue, buf, flags, origin, region, wait_for, is_blocking
    )
    return np.ndarray(dims, dtype, buffer=mapped, strides=steps), event, row_pitch, slice_pitch
