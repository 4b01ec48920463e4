"""NumPy arrays in memory that host and device both see: mapped, and managed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from devarray import _core
from devarray._routines.creation.filled import layout_like
from devarray._routines.host_memory import host_array, reach
from devarray._runtime.arguments import expect
from devarray._runtime.devices import Device, Queue, resolve_place
from devarray._runtime.devices import device as find_device
from devarray.errors import DeviceError

if TYPE_CHECKING:
    from devarray._typing import DTypeLike

__all__ = ["MappedNDArray", "managed_array", "mapped_array", "mapped_array_like"]

_Shape = int | Sequence[int]


class MappedNDArray(np.ndarray):
    """A NumPy array over memory that the device sees, too; what :func:`mapped_array` returns.

    Parameters
    ----------
    shape, dtype, buffer, offset, strides, order : optional
        As of :class:`numpy.ndarray`; programs call :func:`mapped_array`.

    Attributes
    ----------
    device_array : Array
        The same elements, for the device. What the host writes is seen by work enqueued afterwards; what the device
        writes is seen after ``devarray.synchronize()``, or waiting for the queue. None for parts of it that indices
        and views make; those of :meth:`split` have theirs.

    Examples
    --------
    >>> import devarray as da
    >>> if {"pinned", "svm_fine"} & set(da.device().memory_kinds):
    ...     h = da.mapped_array(2)
    ...     h[:] = 7
    ...     assert h.device_array.sum().item() == 14
    """

    device_array: Any = None

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """That of :attr:`device_array`; AttributeError on other devices than CUDA's."""
        if self.device_array is None:
            raise AttributeError("a part of a mapped array has no __cuda_array_interface__; take it of device_array")
        return self.device_array.__cuda_array_interface__

    def copy_to_host(self, ary: np.ndarray | None = None, stream: Queue | None = None) -> np.ndarray:
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

    def copy_to_device(self, ary: object, stream: Queue | None = None) -> None:
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

    def split(self, section: int, stream: Queue | None = None) -> list[MappedNDArray]:
        """The array in pieces of a given number of elements; the last one may have fewer.

        Parameters
        ----------
        section : int
            Elements of a piece, at least 1.
        stream : Queue, optional
            numba's, not used: views take no work.

        Returns
        -------
        list of MappedNDArray
            Views, of host and device.

        Raises
        ------
        ShapeError
            For an array of another number of dimensions than one.
        ValueError
            For a `section` below 1.

        Examples
        --------
        >>> import devarray as da
        >>> if {"pinned", "svm_fine"} & set(da.device().memory_kinds):
        ...     assert [len(part) for part in da.mapped_array(5).split(2)] == [2, 2, 1]
        """
        on_device = self.device_array.split(section)
        parts: list[Any] = [self[i : i + section] for i in range(0, self.size, section)]
        for part, its_device_array in zip(parts, on_device, strict=True):
            part.device_array = its_device_array
        return parts


def mapped_array(
    shape: _Shape,
    dtype: DTypeLike | None = np.float64,
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
    return _seen_by_both("mapped_array", ("pinned", "svm_fine"), shape, dtype, strides, order, stream, device)


def managed_array(
    shape: _Shape,
    dtype: DTypeLike | None = np.float64,
    strides: Sequence[int] | None = None,
    order: str = "C",
    stream: Queue | None = None,
    attach_global: bool = True,
    *,
    device: Device | str | None = None,
) -> MappedNDArray:
    """An uninitialised NumPy array in managed memory, which moves to whoever touches it.

    Managed memory on CUDA, fine-grained shared virtual memory on OpenCL. Under CUDA on Windows, and on GPUs without
    concurrent managed access, the host must not touch it while the device works.

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
    attach_global : bool
        Taken for numba's sake: every stream sees the memory always.
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
    >>> if {"managed", "svm_fine"} & set(da.device().memory_kinds):
    ...     h = da.managed_array(3, "int32")
    ...     h[:] = 7
    ...     assert h.device_array.sum().item() == 21
    """
    return _seen_by_both("managed_array", ("managed", "svm_fine"), shape, dtype, strides, order, stream, device)


def mapped_array_like(
    ary: object,
    stream: Queue | None = None,
    portable: bool = False,
    wc: bool = False,
    *,
    device: Device | str | None = None,
) -> MappedNDArray:
    """An uninitialised NumPy array that the device sees too, of the shape, dtype and memory order of another.

    Parameters
    ----------
    ary : Array or array_like
        The model, on the device or the host, of a dtype that devices compute with.
    stream : Queue, optional
        The queue of :attr:`MappedNDArray.device_array`.
    portable, wc : bool
        Taken for numba's sake, as by :func:`mapped_array`.
    device : Device or str, optional
        The device; the current one by default.

    Returns
    -------
    MappedNDArray
        Its axes lie in memory in the order of the model's, without gaps. Its values are undefined.

    Raises
    ------
    DeviceError
        Where the device has no such memory.

    Examples
    --------
    >>> import devarray as da
    >>> if {"pinned", "svm_fine"} & set(da.device().memory_kinds):
    ...     h = da.mapped_array_like(da.zeros(2))
    ...     h[:] = 7
    ...     assert h.device_array.sum().item() == 14
    """
    shape, dtype, strides = layout_like(ary)
    return mapped_array(shape, dtype, strides, "C", stream, portable, wc, device=device)


_MOST_POOLS = 32

_mapped_pools: dict[tuple[Device, str], Any] = {}


def _seen_by_both(
    what: str,
    kinds: tuple[str, ...],
    shape: _Shape,
    dtype: DTypeLike | None,
    strides: Sequence[int] | None,
    order: str,
    stream: Queue | None,
    device: Device | str | None,
) -> MappedNDArray:
    """An array in the first of the kinds of memory that the device has; each device keeps a pool of it."""
    nbytes = reach(shape, dtype, strides, what)
    stream = stream or None
    if stream is not None:
        expect(what, "stream", stream, _core.Queue)
    queue, _ = resolve_place(device, None, stream)
    where = find_device(device) if queue is None else _core.device_of(queue, None)
    kind = next((kind for kind in kinds if kind in where.memory_kinds), None)
    if kind is None:
        raise DeviceError(f"{what}: {where} has no memory that the host sees too; it has {where.memory_kinds}")
    pool = _mapped_pools.get((where, kind))
    if pool is None:
        pool = _core.PoolMemoryResource(_core.DeviceMemoryResource(where, kind))
        _mapped_pools[where, kind] = pool
        if len(_mapped_pools) > _MOST_POOLS:  # of contexts that come and go; a pool lives as long as its arrays
            _mapped_pools.pop(next(iter(_mapped_pools)))
    item = np.dtype(dtype)
    memory = _core.empty(max(-(-nbytes // item.itemsize), 1), item, queue or where.default_queue, pool)
    host = host_array(_core.host_view_of(memory), shape, item, strides, order).view(MappedNDArray)
    host.device_array = _core.view(memory, host.shape, host.strides)
    return host
