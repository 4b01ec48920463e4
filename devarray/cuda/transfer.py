"""Allocate-and-copy functions, under PyCUDA's names."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core import cuda as _cuda
from ..errors import DTypeError

__all__ = ["from_device", "from_device_like", "mem_alloc_like", "to_device"]


def to_device(buffer: Any) -> _cuda.DeviceAllocation:
    """Copy host memory into new device memory.

    Parameters
    ----------
    buffer : object with the buffer protocol
        Contiguous; all of it is copied.

    Returns
    -------
    DeviceAllocation
        Of as many bytes, at least 1.

    Raises
    ------
    MemoryError
        If there is not that much.

    Notes
    -----
    pycuda.driver's function of that name; calls ``cuMemAlloc`` and ``cuMemcpyHtoD``.

    Examples
    --------
    >>> cuda.to_device(np.ones(4, np.float32)).nbytes
    16
    """
    memory = _cuda.mem_alloc(max(memoryview(buffer).nbytes, 1))
    if memoryview(buffer).nbytes:
        _cuda.memcpy_htod(memory, buffer)
    return memory


def mem_alloc_like(ary: np.ndarray) -> _cuda.DeviceAllocation:
    """Device memory of as many bytes as a host array has.

    Parameters
    ----------
    ary : numpy.ndarray
        Whose bytes are counted; none is copied.

    Returns
    -------
    DeviceAllocation
        Of as many bytes.

    Raises
    ------
    MemoryError
        If there is not that much.

    Notes
    -----
    pycuda.driver's function of that name; calls ``cuMemAlloc``.

    Examples
    --------
    >>> cuda.mem_alloc_like(np.ones(4, np.float32)).nbytes
    16
    """
    if not isinstance(getattr(ary, "nbytes", None), int):
        raise DTypeError(f"mem_alloc_like takes a host array, whose bytes it counts, not {type(ary).__name__}")
    return _cuda.mem_alloc(ary.nbytes)


def from_device(devptr: object, shape: int | tuple[int, ...], dtype: Any, order: Any = "C") -> np.ndarray:
    """Copy device memory into a new host array, and wait for it.

    Parameters
    ----------
    devptr : DeviceAllocation or int
        Where from.
    shape : int or tuple of int
        Of the array.
    dtype : dtype
        Of the array.
    order : {"C", "F"}, default "C"
        Of the array.

    Returns
    -------
    numpy.ndarray
        A copy.

    Notes
    -----
    pycuda.driver's function of that name; calls ``cuMemcpyDtoH``.

    Examples
    --------
    >>> cuda.from_device(cuda.to_device(np.ones(4, np.float32)), (2, 2), np.float32)
    array([[1., 1.],
           [1., 1.]], dtype=float32)
    """
    result = np.empty(shape, dtype, order)
    if result.nbytes:
        _cuda.memcpy_dtoh(result, devptr)
    return result


def from_device_like(devptr: object, other_ary: np.ndarray) -> np.ndarray:
    """Copy device memory into a new host array like another one, and wait for it.

    Parameters
    ----------
    devptr : DeviceAllocation or int
        Where from.
    other_ary : numpy.ndarray
        Whose shape, dtype and order the result has.

    Returns
    -------
    numpy.ndarray
        A copy.

    Notes
    -----
    pycuda.driver's function of that name; calls ``cuMemcpyDtoH``.

    Examples
    --------
    >>> array = np.ones(4, np.float32)
    >>> cuda.from_device_like(cuda.to_device(array), array)
    array([1., 1., 1., 1.], dtype=float32)
    """
    result = np.empty_like(other_ary)
    if result.nbytes:
        _cuda.memcpy_dtoh(result, devptr)
    return result
