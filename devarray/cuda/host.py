"""numpy arrays over page-locked, registered, aligned and managed memory, under PyCUDA's names."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from .._core import cuda as _cuda
from .._runtime.arguments import expect, form_of

__all__ = [
    "aligned_empty",
    "aligned_empty_like",
    "aligned_zeros",
    "aligned_zeros_like",
    "managed_empty",
    "managed_empty_like",
    "managed_zeros",
    "managed_zeros_like",
    "pagelocked_empty",
    "pagelocked_empty_like",
    "pagelocked_zeros",
    "pagelocked_zeros_like",
    "register_host_memory",
]

Shape = int | tuple[int, ...]


def _size(shape: Shape, dtype: np.dtype) -> int:
    """Bytes to allocate; drivers take no empty allocations."""
    return max(_core.byte_size(shape, dtype.itemsize), 1)


def _over(memory: Any, shape: Shape, dtype: np.dtype, order: Any) -> np.ndarray:
    return np.ndarray(shape, dtype, buffer=memory, order=order)


def _zeroed(array: np.ndarray) -> np.ndarray:
    array.fill(0)
    return array


def pagelocked_empty(shape: Shape, dtype: Any, order: Any = "C", mem_flags: int = 0) -> np.ndarray:
    """Return an uninitialised array in page-locked memory, which the device reaches without a staging copy.

    Parameters
    ----------
    shape, dtype, order
        As for :func:`numpy.empty`.
    mem_flags : host_alloc_flags, optional

    Returns
    -------
    numpy.ndarray
        Its ``base`` is a ``PagelockedHostAllocation``.
    """
    dtype = np.dtype(dtype)
    return _over(_cuda.pagelocked_alloc(_size(shape, dtype), mem_flags), shape, dtype, order)


def pagelocked_zeros(shape: Shape, dtype: Any, order: Any = "C", mem_flags: int = 0) -> np.ndarray:
    """Like :func:`pagelocked_empty`, filled with zeros."""
    return _zeroed(pagelocked_empty(shape, dtype, order, mem_flags))


def pagelocked_empty_like(array: np.ndarray, mem_flags: int = 0) -> np.ndarray:
    """Return a page-locked array with the shape, dtype and order of `array`."""
    return pagelocked_empty(*form_of("pagelocked_empty_like", "array", array), mem_flags)


def pagelocked_zeros_like(array: np.ndarray, mem_flags: int = 0) -> np.ndarray:
    """Like :func:`pagelocked_empty_like`, filled with zeros."""
    return _zeroed(pagelocked_empty_like(array, mem_flags))


def managed_empty(shape: Shape, dtype: Any, order: Any = "C", mem_flags: int = 0) -> np.ndarray:
    """Return an uninitialised array in managed memory, which host and device share and the driver moves.

    Parameters
    ----------
    shape, dtype, order
        As for :func:`numpy.empty`.
    mem_flags : mem_attach_flags, optional
        ``GLOBAL`` by default.

    Returns
    -------
    numpy.ndarray
        Its ``base`` is a ``ManagedAllocation``. Passed to a kernel as it is.
    """
    dtype = np.dtype(dtype)
    return _over(_cuda.managed_alloc(_size(shape, dtype), mem_flags), shape, dtype, order)


def managed_zeros(shape: Shape, dtype: Any, order: Any = "C", mem_flags: int = 0) -> np.ndarray:
    """Like :func:`managed_empty`, filled with zeros."""
    return _zeroed(managed_empty(shape, dtype, order, mem_flags))


def managed_empty_like(array: np.ndarray, mem_flags: int = 0) -> np.ndarray:
    """Return a managed array with the shape, dtype and order of `array`."""
    return managed_empty(*form_of("managed_empty_like", "array", array), mem_flags)


def managed_zeros_like(array: np.ndarray, mem_flags: int = 0) -> np.ndarray:
    """Like :func:`managed_empty_like`, filled with zeros."""
    return _zeroed(managed_empty_like(array, mem_flags))


def aligned_empty(shape: Shape, dtype: Any, order: Any = "C", alignment: int = 4096) -> np.ndarray:
    """Return an uninitialised array in ordinary memory whose data starts at a multiple of `alignment` bytes."""
    dtype = np.dtype(dtype)
    return _over(_cuda.AlignedHostAllocation(_size(shape, dtype), alignment), shape, dtype, order)


def aligned_zeros(shape: Shape, dtype: Any, order: Any = "C", alignment: int = 4096) -> np.ndarray:
    """Like :func:`aligned_empty`, filled with zeros."""
    return _zeroed(aligned_empty(shape, dtype, order, alignment))


def aligned_empty_like(array: np.ndarray, alignment: int = 4096) -> np.ndarray:
    """Return an aligned array with the shape, dtype and order of `array`."""
    return aligned_empty(*form_of("aligned_empty_like", "array", array), alignment)


def aligned_zeros_like(array: np.ndarray, alignment: int = 4096) -> np.ndarray:
    """Like :func:`aligned_empty_like`, filled with zeros."""
    return _zeroed(aligned_empty_like(array, alignment))


def register_host_memory(ary: np.ndarray, flags: int = 0) -> np.ndarray:
    """Page-lock the memory of a host array for as long as the result lives.

    Parameters
    ----------
    ary : numpy.ndarray
        Contiguous. :func:`aligned_empty` gives one that starts at a page.
    flags : mem_host_register_flags, optional

    Returns
    -------
    numpy.ndarray
        The same data. Its ``base`` is a ``RegisteredHostMemory``, whose ``base`` is `ary`.
    """
    expect("register_host_memory", "ary", ary, np.ndarray)
    memory = _cuda.register_memory(ary, flags)
    memory._owner = ary
    return _over(memory, *form_of("register_host_memory", "ary", ary))
