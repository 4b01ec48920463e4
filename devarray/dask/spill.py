"""A worker's chunks: on its device while they fit, then on the host, then on the disk."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, MutableMapping
from typing import Any

import zict
from dask.sizeof import sizeof
from dask.utils import parse_bytes
from distributed.spill import SpillBuffer

from devarray._primitives.convert import asarray
from devarray._runtime.devices import device as current_device
from devarray.alloc import (
    DeviceMemoryResource,
    FailureCallbackResourceAdaptor,
    LimitingResourceAdaptor,
    MemoryResource,
    PoolMemoryResource,
    set_default_allocator,
)
from devarray.array import Array
from devarray.errors import ValueError

__all__ = ["DeviceSpill"]


class _OnHost:
    """A device array's values on the host, and where they came from."""

    def __init__(self, x: Array) -> None:
        self.values = x.copy_to_host()

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + self.values.nbytes

    def back(self) -> Array:
        """The array on the device again."""
        return asarray(self.values)


class _Spilled(zict.Func):
    """Distributed's buffer of host and disk, which holds device arrays as host arrays."""

    def __init__(self, buffer: SpillBuffer) -> None:
        super().__init__(_to_host, _to_device, buffer)


class DeviceSpill(MutableMapping):
    """What a worker of ``distributed`` holds: device arrays up to a limit, the rest in Dask's own SpillBuffer.

    The chunk that was not used for longest goes first: to the host, and from there, as Dask's settings say,
    to the disk.
    The pool is told to give the freed memory back to the device where the driver runs out of it: then more chunks go.
    What is no device array goes to Dask's buffer at once.

    Parameters
    ----------
    device_limit : int or str
        Bytes of device arrays, as ``"4 GiB"``.
    host_limit : int or str
        Bytes on the host before the disk is used; "auto" and 0 are without a limit.
    worker_local_directory : str
        The folder below which Dask writes; workers give it.
    pool_limit : int or str, optional
        Makes :meth:`pool` of these bytes the default allocator of the process, so that what tasks make beside their
        chunks is within a limit, too.

    Raises
    ------
    ValueError
        For a limit that is not positive.

    Examples
    --------
    >>> import devarray as da, tempfile
    >>> from devarray.dask import DeviceSpill
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     held = DeviceSpill("1 kB", "1 GB", folder)
    ...     held["x"], held["y"] = da.arange(100.0), da.ones(100)
    ...     list(held.on_device), list(held.on_host)
    (['y'], ['x'])
    """

    def __init__(
        self,
        device_limit: int | str,
        host_limit: int | str | None,
        worker_local_directory: str,
        pool_limit: int | str | None = None,
    ) -> None:
        limit = parse_bytes(device_limit)
        if limit <= 0:
            raise ValueError(f"DeviceSpill: device_limit is {device_limit!r}; a positive number of bytes is wanted")
        host = parse_bytes(host_limit) if host_limit not in (None, "auto") else 0
        self._host = SpillBuffer(os.path.join(worker_local_directory, "storage"), target=host or sys.maxsize)
        self._chunks = zict.Buffer(
            {}, _Spilled(self._host), n=limit, weight=_weight, fast_to_slow_callbacks=[_tell_the_pool]
        )
        if pool_limit is not None:
            set_default_allocator(current_device(), self.pool(pool_limit))

    @property
    def on_device(self) -> Any:
        """The chunks on the device, by key."""
        return self._chunks.fast

    @property
    def on_host(self) -> Any:
        """What lies on the host, by key."""
        return self._host.fast

    @property
    def on_disk(self) -> Any:
        """What lies on the disk, by key."""
        return self._host.slow

    @property
    def fast(self) -> Any:
        """What :meth:`evict` takes from, as Dask's worker wants it: the host's part."""
        return self._host.fast

    def evict(self) -> int:
        """Write the oldest chunk of the host to the disk; Dask's worker calls it where the host's memory is short.

        Returns
        -------
        int
            Bytes that the host has again, -1 where that failed.

        Examples
        --------
        >>> import devarray as da, tempfile
        >>> from devarray.dask import DeviceSpill
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     held = DeviceSpill(800, "1 GB", folder)
        ...     held["x"], held["y"] = da.arange(100.0), da.ones(100)
        ...     held.evict() >= 800, list(held.on_disk), held["x"].sum().item()
        (True, ['x'], 4950.0)
        """
        return self._host.evict()

    def free_device(self) -> int:
        """Move the oldest chunk of the device to the host, and give what the pool holds free back to the driver.

        Returns
        -------
        int
            Bytes of the chunk, 0 where there was none.

        Examples
        --------
        >>> import devarray as da, tempfile
        >>> from devarray.dask import DeviceSpill
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     held = DeviceSpill("1 MB", "1 GB", folder)
        ...     held["x"] = da.arange(100.0)
        ...     held.free_device(), held.free_device(), list(held.on_host)
        (800, 0, ['x'])
        """
        if not self._chunks.fast:
            return 0
        _, _, weight = self._chunks.fast.evict()
        return int(weight)

    def pool(self, limit: int | str) -> MemoryResource:
        """A pool of the device's memory which moves the oldest chunks to the host where an allocation does not fit.

        Parameters
        ----------
        limit : int or str
            The most bytes that it takes from the device, as ``"6 GiB"``.

        Returns
        -------
        MemoryResource
            For :func:`devarray.use` or :func:`devarray.alloc.set_default_allocator`.

        Examples
        --------
        >>> import devarray as da, tempfile
        >>> from devarray.dask import DeviceSpill
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     held = DeviceSpill("1 GB", "1 GB", folder)
        ...     with da.use(allocator=held.pool("2 MiB")):
        ...         for i in range(4):
        ...             held[i] = da.full(100_000, float(i)).evaluate()
        ...     len(held.on_device) <= 2, held[0].max().item()
        (True, 0.0)
        """
        upstream = LimitingResourceAdaptor(DeviceMemoryResource(current_device()), parse_bytes(limit))
        return FailureCallbackResourceAdaptor(PoolMemoryResource(upstream), lambda nbytes: self.free_device() > 0)

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(value, Array):
            self._host_discard(key)
            self._chunks[key] = (
                value.evaluate()
            )  # its bytes count, so it has them; on its way to the host it needs none
        else:
            self._chunks.fast.pop(key, None)
            self._host[key] = value

    def __getitem__(self, key: Any) -> Any:
        if key in self._chunks.fast:
            return self._chunks.fast[key]
        value = self._host[key]
        return self._chunks[key] if isinstance(value, _OnHost) else value

    def __delitem__(self, key: Any) -> None:
        if key in self._chunks.fast:
            del self._chunks.fast[key]
        else:
            del self._host[key]

    def __contains__(self, key: object) -> bool:
        return key in self._chunks.fast or key in self._host

    def __iter__(self) -> Iterator[Any]:
        yield from self._chunks.fast
        yield from self._host

    def __len__(self) -> int:
        return len(self._chunks.fast) + len(self._host)

    def _host_discard(self, key: Any) -> None:
        if key in self._host:
            del self._host[key]


def _weight(key: object, value: Array) -> int:
    return sizeof(value)


def _to_host(x: Array) -> _OnHost:
    return _OnHost(x)


def _to_device(held: _OnHost) -> Array:
    return held.back()


def _tell_the_pool(key: object, value: Array) -> None:
    """Blocks that are free now may go back to the driver, so that other libraries and processes have them."""
    value.allocator.trim()
