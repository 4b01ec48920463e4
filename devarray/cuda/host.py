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


def pagelocked_empty(shape: Shape, dtype: Any, order: str = "C", mem_flags: int = 0) -> np.ndarray:
    """Return an uninitialised array in page-locked memory, which the device reaches without a staging copy.

    Parameters
    ----------
    shape : int or tuple of int
        As for `numpy.empty`.
    dtype : dtype
        As for `numpy.empty`.
    order : {"C", "F"}, default "C"
        As for `numpy.empty`.
    mem_flags : host_alloc_flags, default 0
        Of the allocation.

    Returns
    -------
    numpy.ndarray
        Its ``base`` is a `PagelockedHostAllocation`.

    Raises
    ------
    MemoryError
        If there is not that much.

    Notes
    -----
    pycuda.driver's function of that name; calls ``cuMemHostAlloc``.

    Examples
    --------
    >>> cuda.pagelocked_empty((2, 3), np.float32).shape
    (2, 3)
    """
    dtype = np.dtype(dtype)
    return _over(_cuda.pagelocked_alloc(_size(shape, dtype), mem_flags), shape, dtype, order)


def pagelocked_zeros(shape: Shape, dtype: object, order: str = "C", mem_flags: int = 0) -> np.ndarray:
    """Return an array of zeros in page-locked memory.

    Parameters
    ----------
    shape : int or tuple of int
        As for `numpy.empty`.
    dtype : dtype
        As for `numpy.empty`.
    order : {"C", "F"}, default "C"
        As for `numpy.empty`.
    mem_flags : host_alloc_flags, default 0
        Of the allocation.

    Returns
    -------
    numpy.ndarray
        Its ``base`` is a `PagelockedHostAllocation`.

    Notes
    -----
    pycuda.driver's function of that name; calls ``cuMemHostAlloc``.

    Examples
    --------
    >>> cuda.pagelocked_zeros(3, np.int32)
    array([0, 0, 0], dtype=int32)
    """
    return _zeroed(pagelocked_empty(shape, dtype, order, mem_flags))


def pagelocked_empty_like(array: np.ndarray, mem_flags: int = 0) -> np.ndarray:
    """Return an uninitialised array in page-locked memory, like another array.

    Parameters
    ----------
    array : numpy.ndarray
        Whose shape, dtype and order the result has.
    mem_flags : host_alloc_flags, default 0
        Of the allocation.

    Returns
    -------
    numpy.ndarray
        Its ``base`` is a `PagelockedHostAllocation`.

    Notes
    -----
    pycuda.driver's function of that name; calls ``cuMemHostAlloc``.

    Examples
    --------
    >>> cuda.pagelocked_empty_like(np.ones((2, 3), order="F")).flags.f_contiguous
    True
    """
    return pagelocked_empty(*form_of("pagelocked_empty_like", "array", array), mem_flags)


def pagelocked_zeros_like(array: np.ndarray, mem_flags: int = 0) -> np.ndarray:
    """Return an array of zeros in page-locked memory, like another array.

    Parameters
    ----------
    array : numpy.ndarray
        Whose shape, dtype and order the result has.
    mem_flags : host_alloc_flags, default 0
        Of the allocation.

    Returns
    -------
    numpy.ndarray
        Its ``base`` is a `PagelockedHostAllocation`.

    Notes
    -----
    pycuda.driver's function of that name; calls ``cuMemHostAlloc``.

    Examples
    --------
    >>> cuda.pagelocked_zeros_like(np.ones(3, np.int32))
    array([0, 0, 0], dtype=int32)
    """
    return _zeroed(pagelocked_empty_like(array, mem_flags))


def managed_empty(shape: Shape, dtype: Any, order: str = "C", mem_flags: int = 0) -> np.ndarray:
    """Return an uninitialised array in managed memory, which host and device share and the driver moves.

    Parameters
    ----------
    shape : int or tuple of int
        As for `numpy.empty`.
    dtype : dtype
        As for `numpy.empty`.
    order : {"C", "F"}, default "C"
        As for `numpy.empty`.
    mem_flags : mem_attach_flags, default 0
        Who sees it; 0 means GLOBAL.

    Returns
    -------
    numpy.ndarray
        Its ``base`` is a `ManagedAllocation`. It is passed to a kernel as it is.

    Raises
    ------
    MemoryError
        If there is not that much.

    Notes
    -----
    pycuda.driver's function of that name; calls ``cuMemAllocManaged``.

    Examples
    --------
    >>> cuda.managed_empty((2, 3), np.float32).shape
    (2, 3)
    """
    dtype = np.dtype(dtype)
    return _over(_cuda.managed_alloc(_size(shape, dtype), mem_flags), shape, dtype, order)


def managed_zeros(shape: Shape, dtype: object, order: str = "C", mem_flags: int = 0) -> np.ndarray:
    """Return an array of zeros in managed memory.

    Parameters
    ----------
    shape : int or tuple of int
        As for `numpy.empty`.
    dtype : dtype
        As for `numpy.empty`.
    order : {"C", "F"}, default "C"
        As for `numpy.empty`.
    mem_flags : mem_attach_flags, default 0
        Who sees it; 0 means GLOBAL.

    Returns
    -------
    numpy.ndarray
        Its ``base`` is a `ManagedAllocation`.

    Notes
    -----
    pycuda.driver's function of that name; calls ``cuMemAllocManaged``.

    Examples
    --------
    >>> cuda.managed_zeros(3, np.int32)
    array([0, 0, 0], dtype=int32)
    """
    return _zeroed(managed_empty(shape, dtype, order, mem_flags))


def managed_empty_like(array: np.ndarray, mem_flags: int = 0) -> np.ndarray:
    """Return an uninitialised array in managed memory, like another array.

    Parameters
    ----------
    array : numpy.ndarray
        Whose shape, dtype and order the result has.
    mem_flags : mem_attach_flags, default 0
        Who sees it; 0 means GLOBAL.

    Returns
    -------
    numpy.ndarray
        Its ``base`` is a `ManagedAllocation`.

    Notes
    -----
    pycuda.driver's function of that name; calls ``cuMemAllocManaged``.

    Examples
    --------
    >>> cuda.managed_empty_like(np.ones((2, 3))).shape
    (2, 3)
    """
    return managed_empty(*form_of("managed_empty_like", "array", array), mem_flags)


def managed_zeros_like(array: np.ndarray, mem_flags: int = 0) -> np.ndarray:
    """Return an array of zeros in managed memory, like another array.

    Parameters
    ----------
    array : numpy.ndarray
        Whose shape, dtype and order the result has.
    mem_flags : mem_attach_flags, default 0
        Who sees it; 0 means GLOBAL.

    Returns
    -------
    numpy.ndarray
        Its ``base`` is a `ManagedAllocation`.

    Notes
    -----
    pycuda.driver's function of that name; calls ``cuMemAllocManaged``.

    Examples
    --------
    >>> cuda.managed_zeros_like(np.ones(3, np.int32))
    array([0, 0, 0], dtype=int32)
    """
    return _zeroed(managed_empty_like(array, mem_flags))


def aligned_empty(shape: Shape, dtype: Any, order: str = "C", alignment: int = 4096) -> np.ndarray:
    """Return an uninitialised array in ordinary memory at a chosen alignment.

    Parameters
    ----------
    shape : int or tuple of int
        As for `numpy.empty`.
    dtype : dtype
        As for `numpy.empty`.
    order : {"C", "F"}, default "C"
        As for `numpy.empty`.
    alignment : int, default 4096
        Bytes, a power of two.

    Returns
    -------
    numpy.ndarray
        Its ``base`` is an `AlignedHostAllocation`.

    Raises
    ------
    ValueError
        If `alignment` is no power of two.

    Notes
    -----
    pycuda.driver's function of that name.

    Examples
    --------
    >>> cuda.aligned_empty(3, np.int32, alignment=64).ctypes.data % 64
    0
    """
    dtype = np.dtype(dtype)
    return _over(_cuda.AlignedHostAllocation(_size(shape, dtype), alignment), shape, dtype, order)


def aligned_zeros(shape: Shape, dtype: object, order: str = "C", alignment: int = 4096) -> np.ndarray:
    """Return an array of zeros in ordinary memory at a chosen alignment.

    Parameters
    ----------
    shape : int or tuple of int
        As for `numpy.empty`.
    dtype : dtype
        As for `numpy.empty`.
    order : {"C", "F"}, default "C"
        As for `numpy.empty`.
    alignment : int, default 4096
        Bytes, a power of two.

    Returns
    -------
    numpy.ndarray
        Its ``base`` is an `AlignedHostAllocation`.

    Notes
    -----
    pycuda.driver's function of that name.

    Examples
    --------
    >>> cuda.aligned_zeros(3, np.int32)
    array([0, 0, 0], dtype=int32)
    """
    return _zeroed(aligned_empty(shape, dtype, order, alignment))


def aligned_empty_like(array: np.ndarray, alignment: int = 4096) -> np.ndarray:
    """Return an uninitialised array in ordinary memory at a chosen alignment, like another array.

    Parameters
    ----------
    array : numpy.ndarray
        Whose shape, dtype and order the result has.
    alignment : int, default 4096
        Bytes, a power of two.

    Returns
    -------
    numpy.ndarray
        Its ``base`` is an `AlignedHostAllocation`.

    Notes
    -----
    pycuda.driver's function of that name.

    Examples
    --------
    >>> cuda.aligned_empty_like(np.ones((2, 3))).shape
    (2, 3)
    """
    return aligned_empty(*form_of("aligned_empty_like", "array", array), alignment)


def aligned_zeros_like(array: np.ndarray, alignment: int = 4096) -> np.ndarray:
    """Return an array of zeros in ordinary memory at a chosen alignment, like another array.

    Parameters
    ----------
    array : numpy.ndarray
        Whose shape, dtype and order the result has.
    alignment : int, default 4096
        Bytes, a power of two.

    Returns
    -------
    numpy.ndarray
        Its ``base`` is an `AlignedHostAllocation`.

    Notes
    -----
    pycuda.driver's function of that name.

    Examples
    --------
    >>> cuda.aligned_zeros_like(np.ones(3, np.int32))
    array([0, 0, 0], dtype=int32)
    """
    return _zeroed(aligned_empty_like(array, alignment))


def register_host_memory(ary: np.ndarray, flags: int = 0) -> np.ndarray:
    """Page-lock the memory of a host array for as long as the result lives.

    Parameters
    ----------
    ary : numpy.ndarray
        Contiguous. `aligned_empty` gives one that starts at a page.
    flags : mem_host_register_flags, default 0
        Of the lock.

    Returns
    -------
    numpy.ndarray
        The same data. Its ``base`` is a `RegisteredHostMemory`, whose ``base`` is `ary`.

    Raises
    ------
    LogicError
        If the memory is locked already.

    Notes
    -----
    pycuda.driver's function of that name; calls ``cuMemHostRegister``.

    Examples
    --------
    >>> array = cuda.aligned_zeros(4096, np.uint8)
    >>> cuda.register_host_memory(array).base.base is array
    True
    """
    expect("register_host_memory", "ary", ary, np.ndarray)
    memory = _cuda.register_memory(ary, flags)
    memory._owner = ary
    return _over(memory, *form_of("register_host_memory", "ary", ary))
