"""Array methods that copy to and from the host and other devices, and that show the host an array's memory."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Any, Self

import numpy as np

from devarray import _core
from devarray._runtime.config import config
from devarray._runtime.devices import Device, Queue, resolve_place
from devarray._runtime.devices import device as find_device
from devarray.errors import DTypeError, ShapeError, ValueError

__all__ = ["TransferMethods", "wait_for_kept"]


class _Advice:
    """An attribute that arrays of another library have, and these do not: its AttributeError names ours."""

    def __init__(self, /, text: str) -> None:
        self._text = text

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: type) -> Any:
        raise AttributeError(f"'Array' object has no attribute {self._name!r}: {self._text}")


class _InterfaceOfACopy(_Advice):
    """NumPy's description of memory, of a copy, for readers in Python such as PIL, where `config.fallback` allows it.

    NumPy itself asks for it before ``__array__``, from C, and would take the copy for the array: it gets none.
    """

    def __get__(self, instance: Any, owner: type) -> Any:
        frame = sys._getframe(1)
        names, by_numpy = frame.f_code, frame.f_globals.get("__name__", "").partition(".")[0] == "numpy"
        named = self._name in names.co_names or self._name in names.co_consts
        if config.fallback != "allow" or by_numpy or not named:
            super().__get__(instance, owner)
        host = instance.copy_to_host()
        what = {
            "typestr": host.dtype.str,
            "descr": [("", host.dtype.str)],
            "data": memoryview(host.reshape(-1).view("u1")),
        }
        return what | {"shape": host.shape, "strides": host.strides, "version": 3}


class TransferMethods(_core.ArrayBase):
    """The transfers of `devarray.Array`, under the names of numba.cuda's arrays."""

    __slots__ = ()

    cpu = _Advice("x.copy_to_host() gives a NumPy array")
    numpy = _Advice("x.copy_to_host() gives a NumPy array")
    __array_interface__ = _InterfaceOfACopy("x.as_host_view() is a NumPy array over the memory, where the host sees it")
    cuda = _Advice("x.to_device('cuda:0') moves an array to a device")

    def copy_to_host(self, ary: np.ndarray | None = None, stream: Queue | None = None) -> np.ndarray:
        """The values as a NumPy array.

        Parameters
        ----------
        ary : numpy.ndarray, optional
            Written and returned: of the same shape and dtype, any strides; bytes between its elements stay as they
            are. A fresh array in C order by default.
        stream : Queue, optional
            The copy is enqueued there and the call may return before it is done; ``stream.finish()`` waits for it. It
            does so at once where `ary` is page-locked (:func:`devarray.pinned_array`), as a fresh one then is.

        Returns
        -------
        numpy.ndarray
            `ary`, or a new array in C order.

        Raises
        ------
        ShapeError
            Where `ary` has another shape.
        DTypeError
            Where `ary` is no NumPy array or has another dtype.

        Examples
        --------
        >>> import devarray as da
        >>> da.arange(3).copy_to_host()
        array([0, 1, 2])
        """
        if ary is None:
            fresh = None if stream else _core.fetch(self, RECYCLED_BYTES)
            if fresh is not None:
                return fresh
            ary = _new_host_array(self, stream or None)
        elif not isinstance(ary, np.ndarray):
            raise DTypeError(f"copy_to_host writes into a numpy.ndarray, not {type(ary).__name__}")
        if not stream:  # numba's default is 0
            _core.copy_to_host(self, ary)
        else:
            event = _core.copy_to_host(self, ary, stream, False)
            if event is not None:
                _keep_until(event, ary)
        return ary

    def to_numpy(self) -> np.ndarray:
        """The values as a NumPy array, as :meth:`copy_to_host` gives them, under the name that Matplotlib asks for.

        Returns
        -------
        numpy.ndarray
            A new array in C order.

        Examples
        --------
        >>> import devarray as da
        >>> da.arange(3).to_numpy()
        array([0, 1, 2])
        """
        return self.copy_to_host()

    def copy_to_device(self, ary: object, stream: Queue | None = None) -> None:
        """Write the values of a host or device array into this one.

        Parameters
        ----------
        ary : array_like or Array
            Of the same shape; cast to the dtype of this array.
        stream : Queue, optional
            The copy is enqueued there. The call returns when `ary` has been read, so that it may be written again;
            where all of it is page-locked (:func:`devarray.pinned_array`), at once, and the device reads it later.

        Raises
        ------
        ShapeError
            Where the shapes differ.

        Examples
        --------
        >>> import devarray as da
        >>> x = da.zeros(3)
        >>> x.copy_to_device([1, 2, 3])
        >>> x.copy_to_host()
        array([1., 2., 3.])
        """
        if isinstance(ary, _core.ArrayBase):
            if ary.shape != self.shape:
                raise ShapeError(f"copy_to_device: the source has shape {ary.shape}, the array {self.shape}")
            if ary.device is self.device:
                self[...] = ary
            else:
                _core.copy_across(self, ary if ary.dtype == self.dtype else _core.astype(ary, self.dtype))
            return
        host = np.asarray(ary)
        if host.shape != self.shape:
            raise ShapeError(f"copy_to_device: the source has shape {host.shape}, the array {self.shape}")
        host = host.astype(self.dtype, copy=False)
        event = _core.copy_from_host(self, host, stream or None, not stream)
        if event is not None:
            _keep_until(event, host)

    def get(
        self: Any, stream: Queue | None = None, order: str = "C", out: np.ndarray | None = None, blocking: bool = True
    ) -> np.ndarray:
        """The values as a NumPy array: :func:`devarray.asnumpy` under the name of CuPy's arrays.

        Parameters
        ----------
        stream : Queue, optional
            The copy is enqueued there, see :meth:`copy_to_host`.
        order : {"C", "F", "A", "K"}
            The memory order of a fresh array. C by default.
        out : numpy.ndarray, optional
            Where the values go; of the same shape and dtype.
        blocking : bool
            False, with `stream`: the call may return before the copy is done.

        Returns
        -------
        numpy.ndarray
            `out`, or a new array.

        Examples
        --------
        >>> import devarray as da
        >>> da.arange(3).get()
        array([0, 1, 2])
        """
        if out is None and order != "C" and self.ndim > 1:
            dense = self.flags.f_contiguous if order in ("A", "K") else order == "F"
            out = np.empty(self.shape, self.dtype, "F" if dense else "C")
        host = self.copy_to_host(out, stream)
        if stream and blocking:
            stream.finish()
        return host

    def set(self, ary: object, stream: Queue | None = None) -> None:
        """Write the values of a host array: :meth:`copy_to_device` under the name of CuPy's and PyOpenCL's arrays.

        Parameters
        ----------
        ary : array_like
            Of the same shape; cast to the dtype of this array.
        stream : Queue, optional
            The copy is enqueued there.

        Raises
        ------
        ShapeError
            Where the shapes differ.

        Examples
        --------
        >>> import devarray as da
        >>> x = da.zeros(2)
        >>> x.set([1, 2])
        >>> x.get()
        array([1., 2.])
        """
        self.copy_to_device(ary, stream)

    def to_device(self, device: Device | str, /, *, stream: Queue | None = None) -> Self:
        """The array on a device.

        Parameters
        ----------
        device : Device or str
            The device.
        stream : Queue, optional
            The queue of the result; by default the device's default queue.

        Returns
        -------
        Array
            The array itself where it is there already, else a new array.

        Raises
        ------
        DeviceError
            Where no device has such a name.

        Examples
        --------
        >>> import devarray as da
        >>> x = da.ones(3)
        >>> x.to_device(x.device) is x
        True
        """
        target = find_device(device)
        if target is self.device:
            return self
        # A transposed array keeps its layout: making it dense would take a pass of its device, behind that one's work.
        axes = sorted(range(self.ndim), key=self.strides.__getitem__, reverse=True)
        source: Any = self
        if axes != list(range(self.ndim)):
            source = source.transpose(axes)
        fresh: Any = _core.empty(source.shape, source.dtype, *resolve_place(target, None, stream))
        _core.copy_across(fresh, source)
        return fresh if source is self else fresh.transpose(np.argsort(axes))

    @contextmanager
    def map(self, mode: str = "rw") -> Iterator[np.ndarray]:
        """A context manager that gives the array's own memory as a NumPy array, without a copy. Waits for the device.

        Inside the block the array, and views of it, must not be used on the device; after it the NumPy array must not.

        Parameters
        ----------
        mode : {"r", "rw"}
            Whether the block only reads, or writes too (the default).

        Yields
        ------
        numpy.ndarray
            Over the array's memory; after the block it must not be used.

        Raises
        ------
        DeviceError
            Where the host cannot see the memory (CUDA's kind ``device``).
        ValueError
            For another `mode`.

        Examples
        --------
        >>> import devarray as da
        >>> kind = next(kind for kind in da.device().memory_kinds if kind != "device")
        >>> x = da.zeros(3, allocator=da.alloc.DeviceMemoryResource(da.device(), kind))
        >>> with x.map() as host:
        ...     host[1] = 5
        >>> x.copy_to_host()
        array([0., 5., 0.])
        """
        if mode not in ("r", "rw"):
            raise ValueError(f"map: mode is 'r' or 'rw', not {mode!r}")
        if not self.size:
            yield np.empty(self.shape, self.dtype)
            return
        host, mapping = _core.map_array(self, mode == "rw")
        try:
            yield host
        finally:
            host.flags.writeable = False
            mapping.unmap()

    def as_host_view(self) -> np.ndarray:
        """The array's own memory as a NumPy array, without a copy and for good. Waits for the device.

        For memory that the host sees without a map: SVM of fine grain, managed and page-locked memory. From then on
        work on this memory is no longer deferred (rule 8). What the host writes is seen by work enqueued afterwards; to
        read what the device writes, wait for it first (``devarray.synchronize()``).

        Returns
        -------
        numpy.ndarray
            Over the same memory, which it keeps alive.

        Raises
        ------
        DeviceError
            Where the memory is of another kind; use :meth:`map` or :meth:`copy_to_host`.

        Examples
        --------
        >>> import devarray as da
        >>> if "svm_fine" in da.device().memory_kinds:
        ...     x = da.ones(3, allocator=da.alloc.DeviceMemoryResource(da.device(), "svm_fine"))
        ...     assert x.as_host_view().tolist() == [1.0, 1.0, 1.0]
        """
        return np.empty(self.shape, self.dtype) if not self.size else _core.host_view_of(self)


def _new_host_array(x: Any, stream: Queue | None) -> np.ndarray:
    """Memory for a copy: recycled where it is large, page-locked where the copy shall go on after the call."""
    if stream is not None and x.size and (x.device.driver == "cuda" or not x.device.caps["host_unified"]):
        memory: Any = _core.page_locked_pool(x.device).allocate(x.nbytes)
        return np.ndarray(x.shape, x.dtype, memory)
    return np.empty(x.shape, x.dtype) if x.nbytes < RECYCLED_BYTES else _core.host_empty(x.shape, x.dtype)


RECYCLED_BYTES = 1 << 20
_kept: dict[int, tuple[_core.Event, np.ndarray]] = {}
"""By numbers: other threads come and go while an event is asked."""
_numbers = count()


def _keep_until(event: _core.Event, host: np.ndarray) -> None:
    """Keep the host's end of an enqueued copy alive until it is done; the pool of the other end waits by itself."""
    for number, (earlier, _) in list(_kept.items()):
        if earlier.done:
            _kept.pop(number, None)
    _kept[next(_numbers)] = (event, host)


def wait_for_kept(arrays: Sequence[np.ndarray]) -> None:
    """Wait for the enqueued copies that use one of these host arrays, or a view of one."""
    for event, host in list(_kept.values()):
        if any(np.may_share_memory(host, a) for a in arrays):
            event.wait()
