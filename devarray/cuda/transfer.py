"""Allocate-and-copy functions, under PyCUDA's names."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core import cuda as _cuda

__all__ = ["from_device", "from_device_like", "to_device"]


def to_device(buffer: Any) -> Any:
    """Copy a host buffer into new device memory.

    Parameters
    ----------
    buffer
        A numpy array or another contiguous buffer.

    Returns
    -------
    DeviceAllocation
    """
    memory = _cuda.mem_alloc(max(memoryview(buffer).nbytes, 1))
    if memoryview(buffer).nbytes:
        _cuda.memcpy_htod(memory, buffer)
    return memory


def from_device(devptr: Any, shape: int | tuple[int, ...], dtype: Any, order: Any = "C") -> np.ndarray:
    """Copy device memory into a new host array of the given shape, dtype and order."""
    result = np.empty(shape, dtype, order)
    if result.nbytes:
        _cuda.memcpy_dtoh(result, devptr)
    return result


def from_device_like(devptr: Any, other_ary: np.ndarray) -> np.ndarray:
    """Copy device memory into a new host array of the shape, dtype and order of `other_ary`."""
    result = np.empty_like(other_ary)
    if result.nbytes:
        _cuda.memcpy_dtoh(result, devptr)
    return result
