"""How long a function takes: ``devarray.benchmark(f, *args)``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from devarray import _core
from devarray._runtime.devices import devices
from devarray.array import Array

__all__ = ["Benchmark", "benchmark"]


@dataclass(frozen=True)
class Benchmark:
    """Times in seconds, one of each run.

    Attributes
    ----------
    name : str
        The function's.
    host_times : numpy.ndarray
        Until the call was back and its results were enqueued.
    device_times : numpy.ndarray
        Until the devices were done with them, from the start of the call.
    first : float
        The first call of all, with compiling its kernels or loading them from the cache, until the devices were done.
    launches : int
        Kernels of one call.
    """

    name: str
    host_times: np.ndarray
    device_times: np.ndarray
    first: float
    launches: int

    def __str__(self) -> str:
        parts = [
            f"{title} {_text(times)}" for title, times in (("host", self.host_times), ("device", self.device_times))
        ]
        return f"{self.name}: {'; '.join(parts)}; first call {_unit(self.first)}; {self.launches} launches a call"

    __repr__ = __str__


def benchmark(
    function: Callable[..., Any],
    *args: object,
    repeat: int = 20,
    warmup: int = 3,
    max_seconds: float = 10.0,
    **kwargs: object,
) -> Benchmark:
    """Time calls of a function.

    Results are evaluated: what a call leaves pending belongs to its time.

    Parameters
    ----------
    function : callable
        What to call.
    *args : object
        Its arguments.
    repeat : int
        Calls that are timed. 20 by default.
    warmup : int
        Calls before them, the first of which is told by itself. 3 by default.
    max_seconds : float
        After so long no further call is begun. 10 by default.
    **kwargs : object
        Its keyword arguments.

    Returns
    -------
    Benchmark
        ``host_times`` and ``device_times``; its text gives medians and spread.

    Raises
    ------
    ValueError
        For a `repeat` or `warmup` below 1.

    Examples
    --------
    >>> import devarray as da
    >>> times = da.benchmark(lambda x: x * 2 + 1, da.ones(1000), repeat=5)
    >>> len(times.device_times), times.launches
    (5, 1)
    >>> bool((times.device_times >= times.host_times).all())
    True
    """
    if repeat < 1 or warmup < 1:
        raise ValueError(f"benchmark needs at least one call and one before it; repeat is {repeat}, warmup {warmup}")
    queues = [device.default_queue for device in devices()]

    def once() -> tuple[float, float]:
        begin = _core.steady_seconds()
        _evaluate(function(*args, **kwargs))
        enqueued = _core.steady_seconds()
        for queue in queues:
            queue.finish()
        return enqueued - begin, _core.steady_seconds() - begin

    for queue in queues:
        queue.finish()
    deadline = _core.steady_seconds() + max_seconds
    first = once()[1]
    for _ in range(warmup - 1):
        once()
    before = _core.stats()["launches"]
    times = [once()]
    launches = _core.stats()["launches"] - before
    while len(times) < repeat and _core.steady_seconds() < deadline:
        times.append(once())
    host, device = np.array(times).T
    return Benchmark(getattr(function, "__name__", repr(function)), host, device, first, launches)


def _evaluate(result: object, within: tuple[int, ...] = ()) -> None:
    """The arrays in a result, which may be a list that holds itself: one of those in `within`, by identity."""
    if isinstance(result, Array):
        result.evaluate()
    elif isinstance(result, tuple | list | dict) and id(result) not in within:
        for part in result.values() if isinstance(result, dict) else result:
            _evaluate(part, (*within, id(result)))


def _text(times: np.ndarray) -> str:
    low, middle, high = np.percentile(times, [5, 50, 95])
    return f"{_unit(middle)} ({_unit(low)} to {_unit(high)})"


def _unit(seconds: float) -> str:
    for unit, factor in (("s", 1.0), ("ms", 1e3)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e6:.3g} us"
