"""Measurements of a device, under ``pyopencl.characterize.performance``' names: times are in seconds.

Examples
--------
>>> from devarray import cl
>>> from devarray.cl.characterize import performance
>>> queue = cl.CommandQueue(cl.create_some_context(answers=["0"]))
>>> performance.transfer_bandwidth(queue, performance.HostToDeviceTransfer, 1 << 20) > 0
True
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from ... import _core
from .. import _constants as constants
from .._transfer import enqueue_copy

__all__ = [
    "DeviceToDeviceTransfer",
    "DeviceToHostTransfer",
    "HostDeviceTransferBase",
    "HostToDeviceTransfer",
    "Timer",
    "WallTimer",
    "get_add_rate",
    "get_empty_kernel_time",
    "get_profiling_overhead",
    "transfer_bandwidth",
    "transfer_latency",
]

_DURATION = 0.1
"""Seconds that a measurement takes at least."""
_WARMUPS = 3
_READ_WRITE = 1


class Timer:
    """Base of timers: :meth:`start`, commands, :meth:`stop`, and then :meth:`get_elapsed`.

    Parameters
    ----------
    queue : CommandQueue
        Where the commands go.
    """

    def __init__(self, queue: _core.cl.CommandQueue) -> None:
        self.queue = queue

    def start(self) -> None:
        """Begin."""

    def stop(self) -> None:
        """End, behind all commands."""

    def add_event(self, evt: Any) -> None:
        """Take notice of a command's event."""

    def get_elapsed(self) -> float:
        """Return the seconds from start to stop."""
        raise NotImplementedError


class WallTimer(Timer):
    """A timer by the host's clock, which waits for the queue at both ends."""

    _begun = _ended = 0.0

    def start(self) -> None:
        """Begin, when the queue is empty."""
        self.queue.finish()
        self._begun = perf_counter()

    def stop(self) -> None:
        """End, when the queue is empty."""
        self.queue.finish()
        self._ended = perf_counter()

    def get_elapsed(self) -> float:
        """Return the seconds from start to stop."""
        return self._ended - self._begun


def _time_of(queue: _core.cl.CommandQueue, command: Callable[[], Any], timer_factory: Any) -> float:
    """Seconds that a command takes, by as many of them as fill the time of a measurement."""
    for _ in range(_WARMUPS):
        command()
    count = 1
    while True:
        timer = (timer_factory or WallTimer)(queue)
        timer.start()
        for _ in range(count):
            timer.add_event(command())
        timer.stop()
        elapsed = timer.get_elapsed()
        if elapsed >= _DURATION:
            return elapsed / count
        wanted = int(count * _DURATION / elapsed) if elapsed else 10 * count
        count = min(max(wanted, 2 * count), 10 * count)


class HostDeviceTransferBase:
    """Memory of both sides for a copy between them.

    Parameters
    ----------
    queue : CommandQueue
        Where the copy goes.
    block_size : int
        Bytes.
    """

    def __init__(self, queue: _core.cl.CommandQueue, block_size: int) -> None:
        self.queue = queue
        self.host_buf = np.empty(block_size, np.uint8)
        self.dev_buf = _core.cl.Buffer(queue.context, _READ_WRITE, block_size)


class HostToDeviceTransfer(HostDeviceTransferBase):
    """A copy from the host to the device."""

    def do(self) -> Any:
        """Copy, and return the event."""
        return enqueue_copy(self.queue, self.dev_buf, self.host_buf)


class DeviceToHostTransfer(HostDeviceTransferBase):
    """A copy from the device to the host."""

    def do(self) -> Any:
        """Copy, and return the event."""
        return enqueue_copy(self.queue, self.host_buf, self.dev_buf)


class DeviceToDeviceTransfer:
    """A copy within the device.

    Parameters
    ----------
    queue : CommandQueue
        Where the copy goes.
    block_size : int
        Bytes.
    """

    def __init__(self, queue: _core.cl.CommandQueue, block_size: int) -> None:
        self.queue = queue
        self.dev_buf_1 = _core.cl.Buffer(queue.context, _READ_WRITE, block_size)
        self.dev_buf_2 = _core.cl.Buffer(queue.context, _READ_WRITE, block_size)

    def do(self) -> Any:
        """Copy, and return the event."""
        return enqueue_copy(self.queue, self.dev_buf_2, self.dev_buf_1)


def transfer_latency(queue: _core.cl.CommandQueue, transfer_type: Any, timer_factory: Any = None) -> float:
    """Return the seconds of a copy of one byte.

    Parameters
    ----------
    queue : CommandQueue
        Where the copies go.
    transfer_type : type
        `HostToDeviceTransfer`, `DeviceToHostTransfer` or `DeviceToDeviceTransfer`.
    timer_factory : callable, optional
        `WallTimer` by default.

    Returns
    -------
    float
        Seconds.
    """
    return _time_of(queue, transfer_type(queue, 1).do, timer_factory)


def transfer_bandwidth(
    queue: _core.cl.CommandQueue, transfer_type: Any, block_size: int, timer_factory: Any = None
) -> float:
    """Return the bytes that copies move in a second.

    Parameters
    ----------
    queue : CommandQueue
        Where the copies go.
    transfer_type : type
        `HostToDeviceTransfer`, `DeviceToHostTransfer` or `DeviceToDeviceTransfer`.
    block_size : int
        Bytes of a copy.
    timer_factory : callable, optional
        `WallTimer` by default.

    Returns
    -------
    float
        Bytes a second, of one side.
    """
    return block_size / _time_of(queue, transfer_type(queue, block_size).do, timer_factory)


def get_profiling_overhead(ctx: _core.cl.Context, timer_factory: Any = None) -> tuple[float, float]:
    """Return what profiling adds to a command.

    Parameters
    ----------
    ctx : Context
        Of the device.
    timer_factory : callable, optional
        `WallTimer` by default.

    Returns
    -------
    (float, float)
        The seconds that profiling adds, and those of a command with it.
    """
    times = []
    for properties in (0, constants.command_queue_properties.PROFILING_ENABLE):
        queue = _core.cl.CommandQueue(ctx, properties=properties)
        times.append(transfer_latency(queue, DeviceToDeviceTransfer, timer_factory))
    plain, profiled = times
    return profiled - plain, profiled


def get_empty_kernel_time(queue: _core.cl.CommandQueue, timer_factory: Any = None) -> float:
    """Return the seconds of a kernel that does nothing.

    Parameters
    ----------
    queue : CommandQueue
        Where the kernels go.
    timer_factory : callable, optional
        `WallTimer` by default.

    Returns
    -------
    float
        Seconds.
    """
    kernel = _core.cl.Kernel(_core.cl.Program(queue.context, "kernel void empty() { }").build(), "empty")
    return _time_of(queue, lambda: kernel(queue, (1,), None), timer_factory)


_ADDITIONS = 500
_ADD = """
kernel void benchmark(global {type} *out)
{{
    {type} value = get_global_id(0);
    for (int i = 0; i < 10; ++i)
    {{
        {additions}
    }}
    if (value == 0)  // only the first work-item's is: the others' must be computed all the same
        out[0] = value;
}}
"""


def get_add_rate(queue: _core.cl.CommandQueue, type: str = "float", timer_factory: Any = None) -> float:
    """Return the additions that the device does in a second, each of which needs the one before it.

    Parameters
    ----------
    queue : CommandQueue
        Where the kernels go.
    type : str
        Of the numbers, in OpenCL C. "float" by default.
    timer_factory : callable, optional
        `WallTimer` by default.

    Returns
    -------
    float
        Additions a second, at the number of work-items that gives the most.
    """
    source = _ADD.format(type=type, additions="value += value; " * (_ADDITIONS // 10))
    kernel = _core.cl.Kernel(_core.cl.Program(queue.context, source).build(), "benchmark")
    out = _core.cl.Buffer(queue.context, _READ_WRITE, 64)
    size, best, dips = 4 * queue.device.max_compute_units, 0.0, 0
    while True:
        rate = size / _time_of(queue, partial(kernel, queue, (size,), None, out), timer_factory)
        better = rate > 1.05 * best
        dips += rate < 0.9 * best
        best = max(best, rate)
        if not better and (rate >= 0.9 * best or dips > 3):
            return _ADDITIONS * best
        size *= 2
