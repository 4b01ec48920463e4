"""What a call costs in Python, apart from the device's work: the microsecond budgets of docs/design.md."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from passes import empty_launch
from timing import quiet

import devarray as da

__all__ = ["Cost", "measure"]

_UNROLLED = 20


@dataclass(frozen=True)
class Cost:
    """One line of the report; `value` and `budget` in microseconds, or a ratio where `unit` is "x"."""

    name: str
    value: float
    budget: float | None = None
    unit: str = "us"


def measure(device: da.Device, quick: bool) -> list[Cost]:
    """All costs on a device, as the medians of several rounds over `total` calls together."""
    total = 20_000 if quick else 100_000
    with quiet():
        recorded, with_flush = _recording(device, total)
        deferred = da.config.deferred
        da.config.deferred = False
        try:
            eager_enqueue, eager, raw_enqueue, raw = _launching(device, min(total, 20_000))
        finally:
            da.config.deferred = deferred
        costs = [
            Cost("record a deferred operation", recorded, 1.0),
            Cost(f"the same with its share of a launch, {_UNROLLED} operations each", with_flush),
            Cost("view of a vector by a slice", _each(_view_vector(), total), 0.6),
            Cost("view of a matrix by a slice and an index", _each(_view_matrix(), total), 0.6),
            Cost("roll of a matrix, recorded", _each(_roll(), total), 1.0),
            Cost("empty array from a warm pool", _each(_empty(), total), 0.6),
            Cost("eager a + b, 16 elements, finished", eager),
            Cost("launch of an empty kernel, finished", raw),
            Cost("eager a + b above the empty launch", eager - raw, 1.5),
            Cost("eager a + b above the empty launch, until enqueued", eager_enqueue - raw_enqueue),
        ]
    ours, numpy = _imports(5 if quick else 15)
    costs += [
        Cost("import numpy", numpy * 1e6),
        Cost("import devarray", ours * 1e6),
        Cost("import devarray / import numpy", ours / numpy, 1.3, "x"),
    ]
    return costs


def _recording(device: da.Device, total: int) -> tuple[float, float]:
    """Microseconds for one recorded operation: without and with its share of the flush and launch."""
    a, b = da.full(16, 0.5, dtype=np.float32), da.full(16, 0.25, dtype=np.float32)
    queue, clock = device.default_queue, time.perf_counter

    def block() -> float:
        begin = clock()
        x = a + b
        x = x * b
        x = x - a
        x = x + b
        x = x * a
        x = x - b
        x = x + a
        x = x * b
        x = x - a
        x = x + b
        x = x * a
        x = x - b
        x = x + a
        x = x * b
        x = x - a
        x = x + b
        x = x * a
        x = x - b
        x = x + a
        x = x * b
        seconds = clock() - begin
        x.evaluate()
        return seconds

    block()
    queue.finish()
    recorded, flushed = [], []
    for _ in range(7):
        seconds, begin = 0.0, clock()
        blocks = total // 7 // _UNROLLED
        for number in range(blocks):
            seconds += block()
            if number % 100 == 99:
                queue.finish()
        queue.finish()
        recorded.append(seconds / blocks / _UNROLLED)
        flushed.append((clock() - begin) / blocks / _UNROLLED)
    return statistics.median(recorded) * 1e6, statistics.median(flushed) * 1e6


def _launching(device: da.Device, total: int) -> tuple[float, float, float, float]:
    """Microseconds until enqueued and until finished: of an eager a + b, and of an empty kernel with three arrays."""
    a, b = da.full(16, 0.5, dtype=np.float32), da.full(16, 0.25, dtype=np.float32)
    queue, clock, empty = device.default_queue, time.perf_counter, empty_launch(device)

    def eager(count: int) -> tuple[float, float]:
        begin = clock()
        for _ in range(count):
            x = a + b  # noqa: F841  (alive until the next one is there)
        middle = clock()
        queue.finish()
        return (middle - begin) / count * 1e6, (clock() - begin) / count * 1e6

    def raw(count: int) -> tuple[float, float]:
        begin = clock()
        for _ in range(count):
            empty()
        middle = clock()
        queue.finish()
        return (middle - begin) / count * 1e6, (clock() - begin) / count * 1e6

    for function in (eager, raw):
        function(10)
    eagers, raws = [], []
    for _ in range(11):
        eagers.append(eager(total // 11))
        raws.append(raw(total // 11))
    columns = [*zip(*eagers, strict=True), *zip(*raws, strict=True)]
    eager_enqueue, eager_all, raw_enqueue, raw_all = (statistics.median(column) for column in columns)
    return eager_enqueue, eager_all, raw_enqueue, raw_all


def _view_vector() -> Callable[[int], None]:
    a = da.empty(1000, dtype=np.float32)

    def views(count: int) -> None:
        for _ in range(count):
            a[10:500]

    return views


def _view_matrix() -> Callable[[int], None]:
    a = da.empty((100, 100), dtype=np.float32)

    def views(count: int) -> None:
        for _ in range(count):
            a[10:90, 7]

    return views


def _roll() -> Callable[[int], None]:
    a, roll = da.empty((100, 100), dtype=np.float32), da.roll

    def rolls(count: int) -> None:
        for _ in range(count):
            roll(a, 1, axis=0)

    return rolls


def _empty() -> Callable[[int], None]:
    empty, dtype = da.empty, np.dtype(np.float32)

    def make(count: int) -> None:
        for _ in range(count):
            empty(1000, dtype=dtype)

    return make


def _each(loop: Callable[[int], None], total: int) -> float:
    """Microseconds for one round of a loop: the median of several blocks, less the loop's own time."""

    def nothing(count: int) -> None:
        for _ in range(count):
            pass

    def once(function: Callable[[int], None], count: int) -> float:
        begin = time.perf_counter()
        function(count)
        return (time.perf_counter() - begin) / count * 1e6

    loop(100)
    count = total // 10
    return statistics.median(once(loop, count) - once(nothing, count) for _ in range(10))


def _imports(times: int) -> tuple[float, float]:
    """Seconds that importing devarray and NumPy takes in a fresh interpreter, from compiled bytecode."""

    def seconds(module: str, folder: str) -> float:
        code = f"import time; t = time.perf_counter(); import {module}; print(time.perf_counter() - t)"
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = folder
        command = [sys.executable, "-P", "-c", code]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return float(done.stdout)

    with tempfile.TemporaryDirectory() as folder:
        pairs = [(seconds("devarray", folder), seconds("numpy", folder)) for _ in range(times + 1)]
    ours, numpy = zip(*pairs[1:], strict=True)  # the first pair compiled
    return statistics.median(ours), statistics.median(numpy)
