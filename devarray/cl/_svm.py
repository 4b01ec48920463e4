"""Shared virtual memory under NumPy arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from .._runtime.arguments import form_of
from ._constants import svm_mem_flags

__all__ = [
    "SVMMap",
    "csvm_empty",
    "csvm_empty_like",
    "fsvm_empty",
    "fsvm_empty_like",
    "svm_empty",
    "svm_empty_like",
]

Shape = int | tuple[int, ...]


class SVMMap:
    """Shared virtual memory that is the host's until it is released.

    Made by `SVMPointer.map`. A ``with`` statement gives the array and releases the memory at its end.

    Parameters
    ----------
    svm : SVMPointer
        What is mapped.
    array : object
        The mapped memory.
    queue : CommandQueue
        Where it was mapped.
    event : Event
        Of the map; wait for it where the map was not blocking.

    Notes
    -----
    PyOpenCL's class of that name.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray import cl
    >>> ctx = cl.create_some_context(answers=["0"])
    >>> with cl.SVM(cl.csvm_empty(ctx, 4, np.float32)).map_rw(cl.CommandQueue(ctx)) as array:
    ...     array[:] = 1
    """

    svm: Any
    array: Any
    queue: _core.cl.CommandQueue
    event: Any

    def __init__(self, svm: object, array: object, queue: _core.cl.CommandQueue, event: object) -> None:
        self.svm = svm
        self.array = array
        self.queue = queue
        self.event = event

    def __del__(self) -> None:
        # Interpreter shutdown may have taken the attributes away already.
        if getattr(self, "svm", None) is not None:
            self.release()

    def __enter__(self) -> Any:
        return self.array

    def __exit__(self, *exception: object) -> None:
        self.release()

    def release(
        self, queue: _core.cl.CommandQueue | None = None, wait_for: Sequence[_core.cl.Event] | None = None
    ) -> _core.cl.Event:
        """Give the memory back to the device.

        Parameters
        ----------
        queue : CommandQueue, optional
            The map's own by default.
        wait_for : sequence of Event, optional
            What the command waits for.

        Returns
        -------
        Event
            Of the unmap.

        Raises
        ------
        ValueError
            If it was released before.

        Notes
        -----
        Calls ``clEnqueueSVMUnmap``.

        Examples
        --------
        >>> import numpy as np
        >>> from devarray import cl
        >>> ctx = cl.create_some_context(answers=["0"])
        >>> mapped = cl.SVM(cl.csvm_empty(ctx, 4, np.float32)).map_rw(cl.CommandQueue(ctx))
        >>> mapped.release().wait()
        """
        svm, self.svm = self.svm, None
        if svm is None:
            raise ValueError("the SVMMap was released already")
        self.array = None
        return _core.cl._enqueue_svm_unmap(self.queue if queue is None else queue, svm, wait_for)


def _strides(shape: tuple[int, ...], itemsize: int, order: str) -> tuple[int, ...]:
    if order not in ("C", "F", "c", "f"):
        raise ValueError(f"order must be 'C' or 'F'; got {order!r}")
    if order in ("F", "f"):
        return _strides(shape[::-1], itemsize, "C")[::-1]
    strides = [itemsize]
    for length in shape[:0:-1]:
        strides.append(strides[-1] * length)
    return tuple(strides[::-1][-len(shape) :]) if shape else ()


def svm_empty(
    ctx: _core.cl.Context,
    flags: int,
    shape: Shape,
    dtype: npt.DTypeLike,
    order: str = "C",
    alignment: int | None = None,
    queue: _core.cl.CommandQueue | None = None,
) -> np.ndarray:
    """Return an uninitialised NumPy array in shared virtual memory.

    Parameters
    ----------
    ctx : Context
        Where the memory is.
    flags : int
        Of `svm_mem_flags`.
    shape : int or tuple of int
        As for `numpy.empty`.
    dtype : dtype
        As for `numpy.empty`.
    order : {'C', 'F'}, default 'C'
        As for `numpy.empty`.
    alignment : int, optional
        Bytes; by default that of the dtype.
    queue : CommandQueue, optional
        Orders the release of the memory behind its work.

    Returns
    -------
    numpy.ndarray
        Its ``base`` is an `SVMAllocation`. Wrap it in `SVM` to pass it to kernels and transfers.

    Raises
    ------
    TypeError
        If `dtype` holds Python objects.

    Notes
    -----
    Calls ``clSVMAlloc``.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray import cl
    >>> ctx = cl.create_some_context(answers=["0"])
    >>> cl.svm_empty(ctx, cl.svm_mem_flags.READ_WRITE, (2, 3), np.float32).shape
    (2, 3)
    """
    dtype = np.dtype(dtype)
    if dtype.hasobject:
        raise TypeError(f"shared virtual memory cannot hold Python objects; got dtype {dtype}")
    dims = (int(shape),) if isinstance(shape, (int, np.integer)) else tuple(int(length) for length in shape)
    nbytes = _core.byte_size(dims, dtype.itemsize)
    strides = _strides(dims, dtype.itemsize, order)
    if alignment is None:
        alignment = _power_of_two(dtype.itemsize)
    allocation: Any = _core.cl.SVMAllocation(ctx, nbytes, alignment, flags, queue)
    return np.ndarray(dims, dtype, buffer=allocation, strides=strides)


def _power_of_two(itemsize: int) -> int:
    """The alignment of an item: the power of two above its size, as far as OpenCL C's types go."""
    return min(128, 1 << max(0, itemsize - 1).bit_length())


def svm_empty_like(ctx: Any, flags: int, ary: np.ndarray, alignment: int | None = None) -> np.ndarray:
    """Return an uninitialised NumPy array in shared virtual memory, like another array.

    Parameters
    ----------
    ctx : Context
        Where the memory is.
    flags : int
        Of `svm_mem_flags`.
    ary : numpy.ndarray
        Whose shape, dtype and order the result has.
    alignment : int, optional
        Bytes; by default that of the dtype.

    Returns
    -------
    numpy.ndarray
        As from `svm_empty`.

    Raises
    ------
    ValueError
        If `ary` is not contiguous.

    Notes
    -----
    Calls ``clSVMAlloc``.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray import cl
    >>> ctx = cl.create_some_context(answers=["0"])
    >>> cl.svm_empty_like(ctx, cl.svm_mem_flags.READ_WRITE, np.ones((2, 3), order="F")).flags.f_contiguous
    True
    """
    shape, dtype, order = form_of("svm_empty_like", "ary", ary)
    if not (ary.flags.c_contiguous or ary.flags.f_contiguous):
        raise ValueError("svm_empty_like needs an array that is contiguous in C or Fortran order")
    return svm_empty(ctx, flags, shape, dtype, order, alignment)


def csvm_empty(
    ctx: _core.cl.Context,
    shape: Shape,
    dtype: npt.DTypeLike,
    order: str = "C",
    alignment: int | None = None,
    queue: _core.cl.CommandQueue | None = None,
) -> np.ndarray:
    """Return an uninitialised NumPy array in coarse-grained shared virtual memory, for reading and writing.

    Parameters
    ----------
    ctx : Context
        Where the memory is.
    shape : int or tuple of int
        As for `numpy.empty`.
    dtype : dtype
        As for `numpy.empty`.
    order : {'C', 'F'}, default 'C'
        As for `numpy.empty`.
    alignment : int, optional
        Bytes; by default that of the dtype.
    queue : CommandQueue, optional
        Orders the release of the memory behind its work.

    Returns
    -------
    numpy.ndarray
        As from `svm_empty`. Map it while the host uses it.

    Notes
    -----
    Calls ``clSVMAlloc``.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray import cl
    >>> cl.csvm_empty(cl.create_some_context(answers=["0"]), (2, 3), np.float32).shape
    (2, 3)
    """
    return svm_empty(ctx, svm_mem_flags.READ_WRITE, shape, dtype, order, alignment, queue)


def csvm_empty_like(ctx: _core.cl.Context, ary: np.ndarray, alignment: int | None = None) -> np.ndarray:
    """Return an uninitialised NumPy array in coarse-grained shared virtual memory, like another array.

    Parameters
    ----------
    ctx : Context
        Where the memory is.
    ary : numpy.ndarray
        Whose shape, dtype and order the result has.
    alignment : int, optional
        Bytes; by default that of the dtype.

    Returns
    -------
    numpy.ndarray
        As from `svm_empty`. Map it while the host uses it.

    Raises
    ------
    ValueError
        If `ary` is not contiguous.

    Notes
    -----
    Calls ``clSVMAlloc``.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray import cl
    >>> cl.csvm_empty_like(cl.create_some_context(answers=["0"]), np.ones((2, 3))).shape
    (2, 3)
    """
    return svm_empty_like(ctx, svm_mem_flags.READ_WRITE, ary, alignment)


def fsvm_empty(
    ctx: _core.cl.Context,
    shape: Shape,
    dtype: npt.DTypeLike,
    order: str = "C",
    alignment: int | None = None,
    queue: _core.cl.CommandQueue | None = None,
) -> np.ndarray:
    """Return an uninitialised NumPy array in fine-grained shared virtual memory, for reading and writing.

    Parameters
    ----------
    ctx : Context
        Where the memory is.
    shape : int or tuple of int
        As for `numpy.empty`.
    dtype : dtype
        As for `numpy.empty`.
    order : {'C', 'F'}, default 'C'
        As for `numpy.empty`.
    alignment : int, optional
        Bytes; by default that of the dtype.
    queue : CommandQueue, optional
        Orders the release of the memory behind its work.

    Returns
    -------
    numpy.ndarray
        As from `svm_empty`. Host and device use it without maps.

    Notes
    -----
    Calls ``clSVMAlloc``.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray import cl
    >>> cl.fsvm_empty(cl.create_some_context(answers=["0"]), (2, 3), np.float32).shape
    (2, 3)
    """
    flags = svm_mem_flags.READ_WRITE | svm_mem_flags.SVM_FINE_GRAIN_BUFFER
    return svm_empty(ctx, flags, shape, dtype, order, alignment, queue)


def fsvm_empty_like(ctx: _core.cl.Context, ary: np.ndarray, alignment: int | None = None) -> np.ndarray:
    """Return an uninitialised NumPy array in fine-grained shared virtual memory, like another array.

    Parameters
    ----------
    ctx : Context
        Where the memory is.
    ary : numpy.ndarray
        Whose shape, dtype and order the result has.
    alignment : int, optional
        Bytes; by default that of the dtype.

    Returns
    -------
    numpy.ndarray
        As from `svm_empty`. Host and device use it without maps.

    Raises
    ------
    ValueError
        If `ary` is not contiguous.

    Notes
    -----
    Calls ``clSVMAlloc``.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray import cl
    >>> cl.fsvm_empty_like(cl.create_some_context(answers=["0"]), np.ones((2, 3))).shape
    (2, 3)
    """
    flags = svm_mem_flags.READ_WRITE | svm_mem_flags.SVM_FINE_GRAIN_BUFFER
    return svm_empty_like(ctx, flags, ary, alignment)
