"""Several devices in one process: Dask's threads feed them, and each task runs where most of its operands lie."""

from __future__ import annotations

import itertools
import threading
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from dask import threaded
from dask._task_spec import GraphNode, NestedContainer, Task, convert_legacy_graph
from dask.sizeof import sizeof

from devarray import _core
from devarray._runtime.devices import Device, Queue, default_device, devices, use
from devarray._runtime.devices import device as find_device
from devarray.alloc import default_allocator
from devarray.array import Array
from devarray.dask.fused import Placed, run
from devarray.dask.operands import all_on, arrays_in, fused_chunks, moved
from devarray.dask.workers import Habits, Workers
from devarray.errors import DTypeError, ValueError

__all__ = ["DeviceThreads"]

Place = Callable[[Any, Sequence[Device]], Device]
_SMALL_BYTES = 1 << 20


class DeviceThreads:
    """A scheduler of Dask: its threads, over several devices.

    A task runs on the device that holds most bytes of its operands, and the others are copied there first, by the
    driver's own way between two devices where there is one (:func:`devarray.stats` counts them as
    ``bytes_between_devices``). A task without operands on devices, as one that reads a file or draws random numbers,
    goes where `place` says.

    Parameters
    ----------
    devices : sequence of Device or str, optional
        The devices. By default all of the default device's platform and type.
    place : {"round robin", "memory"} or callable
        Where chunks begin: one device after the other by the block's index; the device that holds fewest bytes; or what
        ``place(key, devices)`` returns.
    threads_per_device : int
        As many tasks run at once for each device, by as many queues, so that the copies of one chunk and the work on
        another overlap. Tasks that only enqueue work are run by the calling thread itself.

    Raises
    ------
    ValueError
        For no device, no thread, or a `place` that there is not.

    Examples
    --------
    >>> import dask, devarray as da, devarray.dask
    >>> threads = devarray.dask.DeviceThreads([da.device()])
    >>> x = devarray.dask.default_rng(0).normal(size=(1000, 10), chunks=(100, 10))
    >>> with dask.config.set(scheduler=threads):
    ...     x.std().compute().device == da.device()
    True
    """

    def __init__(
        self,
        devices: Iterable[Device | str] | None = None,
        place: str | Place = "round robin",
        threads_per_device: int = 2,
    ) -> None:
        self.devices = _alike() if devices is None else tuple(find_device(d) for d in devices)
        if not self.devices:
            raise ValueError("DeviceThreads: no device was given; da.devices() lists those that there are")
        if threads_per_device < 1:
            raise ValueError(f"DeviceThreads: threads_per_device is {threads_per_device}; at least 1 is wanted")
        if not callable(place) and place not in _PLACES:
            raise ValueError(
                f"DeviceThreads: place is {place!r}; {', '.join(map(repr, _PLACES))} or a function is wanted"
            )
        self._place: Place = place if callable(place) else _PLACES[place]
        self.num_workers = threads_per_device * len(self.devices)
        self._turns = {d: itertools.cycle([d.create_queue() for _ in range(threads_per_device)]) for d in self.devices}
        self._habits = Habits(arrays_in)
        self._own = threading.local()

    def __call__(self, dsk: Any, keys: Any, **kwargs: Any) -> Any:
        """Compute the keys of a graph, as ``dask.threaded.get`` does.

        Parameters
        ----------
        dsk : mapping
            Dask's graph.
        keys : object
            Dask's keys.
        **kwargs
            Dask's.

        Returns
        -------
        object
            Their values.
        """
        kwargs["num_workers"] = self.num_workers
        kwargs.setdefault("pool", Workers(self._threads(), self.num_workers, self._habits))
        return threaded.get(placed(dsk, self), keys, **kwargs)

    def _threads(self) -> ThreadPoolExecutor:
        """The threads for what a thread computes: a task that waits for what it computes itself must not have them."""
        made: ThreadPoolExecutor | None = getattr(self._own, "threads", None)
        if made is None:
            made = self._own.threads = ThreadPoolExecutor(self.num_workers, "devarray dask")
        return made

    def run(self, node: GraphNode, values: Mapping[Any, Any]) -> Any:
        """Run one task of a graph where its operands are, or where it is placed.

        Parameters
        ----------
        node : dask._task_spec.GraphNode
            The task.
        values : mapping
            What the task depends on.

        Returns
        -------
        object
            Its value.
        """
        operands, inside = arrays_in(list(values.values())), arrays_in(node)
        given = [*operands, *(fused_chunks(node) if inside else ())]
        device = self._device_of(node.key, given)
        queue = self._queue(device, given)
        with use(queue=queue):
            task = node if all_on(device, inside) else moved(node, device, queue)
            made = run(task, dict(values) if all_on(device, operands) else moved(dict(values), device, queue))
        _settle([x for x in arrays_in(made) if isinstance(x, Array)], self.num_workers > 1)
        return made

    def device_of(self, key: Any, operands: Iterable[Any]) -> Device:
        """The device on which a task runs.

        Parameters
        ----------
        key : object
            Of the task.
        operands : iterable
            What it depends on.

        Returns
        -------
        Device
            That with most bytes of the operands; of equal ones by the block's first index.

        Raises
        ------
        DTypeError
            Where the user's function returns no device.
        """
        return self._device_of(key, arrays_in(list(operands)))

    def _device_of(self, key: Any, arrays: Sequence[Any]) -> Device:
        held: Counter[Device] = Counter()
        for x in arrays:
            if x.device in self.devices:
                held[x.device] += sizeof(x)
        if not held:
            chosen = self._place(key, self.devices)
            if not isinstance(chosen, Device):
                raise DTypeError(f"DeviceThreads: place({key!r}, devices) returned {chosen!r}; a Device is wanted")
            return chosen
        most = max(held.values())
        tied = [device for device in self.devices if held[device] == most]
        return tied[block_indices(key)[0] % len(tied)]

    def _queue(self, device: Device, operands: Sequence[Any]) -> Queue:
        """That of an operand, where its results go anyway; else one after the other."""
        for x in operands:
            if isinstance(x, Array) and x.device is device:
                queue: Queue = x.queue
                return queue
        if device not in self._turns:  # a user's place() may name any
            self._turns[device] = itertools.cycle([device.create_queue()])
        return next(self._turns[device])


def _settle(results: Sequence[Array], read_elsewhere: bool) -> None:
    """Small results are computed, so that they keep no large operand; other queues need not wait for what comes later.

    Large ones may wait: what the next task does with them is one kernel with them.
    """
    for x in results:
        if x.nbytes <= _SMALL_BYTES:
            x.evaluate()
    if read_elsewhere:
        _core.note_written(results)


def placed(dsk: Any, threads: Any) -> dict[Any, Any]:
    """A graph of Dask whose tasks are run by ``threads.run(task, values)``."""
    graph = convert_legacy_graph(dsk if isinstance(dsk, Mapping) else dsk.__dask_graph__())
    return {key: Placed(node, threads) if _works(node) else node for key, node in graph.items()}


def _works(node: Any) -> bool:
    return isinstance(node, Task) and not isinstance(node, NestedContainer)


def _alike() -> tuple[Device, ...]:
    """The devices of the default one's platform and type."""
    first = default_device()
    return tuple(d for d in devices() if d.type == first.type and d.caps["platform"] == first.caps["platform"])


def block_indices(key: Any) -> tuple[int, ...]:
    """A block's place in its array; for keys of other sorts a number that is always the same."""
    numbers = tuple(int(part) for part in key[1:]) if isinstance(key, tuple) and _counts(key[1:]) else ()
    return numbers or (zlib.crc32(str(key).encode()),)


def _counts(parts: Sequence[Any]) -> bool:
    return all(isinstance(part, int) for part in parts)


def _round_robin(key: Any, devices: Sequence[Device]) -> Device:
    return devices[sum(block_indices(key)) % len(devices)]


def _by_memory(key: Any, devices: Sequence[Device]) -> Device:
    return min(devices, key=lambda device: getattr(default_allocator(device), "active_bytes", 0))


_PLACES: dict[str, Place] = {"round robin": _round_robin, "memory": _by_memory}
