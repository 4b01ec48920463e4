"""Timing: all libraries in turns, so that a disturbance of the machine meets them alike."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

__all__ = ["Block", "Effort", "Measured", "busy_seconds", "quiet", "stopwatch", "take_turns"]


@dataclass(frozen=True)
class Effort:
    """How long to measure.

    Attributes
    ----------
    repeats : int
        Blocks for each library; their median counts.
    block : float
        Seconds that one block of calls should last.
    limit : float
        Seconds after which a slow library gets no further block.
    """

    repeats: int
    block: float
    limit: float

    @classmethod
    def of(cls, quick: bool) -> Effort:
        return cls(7, 0.02, 1.5) if quick else cls(15, 0.1, 6.0)


@dataclass(frozen=True)
class Measured:
    """Seconds for one call."""

    median: float
    best: float
    repeats: int

    @classmethod
    def of(cls, seconds: list[float]) -> Measured:
        return cls(statistics.median(seconds), min(seconds), len(seconds))


Block = Callable[[int], float]
"""Runs so many calls and waits for them; returns the seconds for all."""


_SETTLE = 0.15
"""Seconds before a library's turn: OpenBLAS's threads look for work a tenth of a second, and would take its cores."""


@contextmanager
def quiet() -> Iterator[None]:
    """No garbage collection inside."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def take_turns(blocks: dict[str, Block], effort: Effort) -> dict[str, Measured]:
    """Measure blocks in turns.

    Parameters
    ----------
    blocks : dict of name to Block
        Warm: what must be compiled is.
    effort : Effort
    """
    counts: dict[str, int] = {}
    times: dict[str, list[float]] = {name: [] for name in blocks}
    spent = dict.fromkeys(blocks, 0.0)
    for name, block in blocks.items():
        once = max(block(1), 1e-7)
        few = min(100, int(effort.block / 4 / once))
        if few > 1:  # a single short call is mostly the wait
            once = block(few) / few
        counts[name] = max(1, min(10_000, int(effort.block / once)))
    order = list(blocks)
    with quiet():
        for turn in range(effort.repeats):
            for name in order[turn % len(order) :] + order[: turn % len(order)]:
                if turn and spent[name] > effort.limit:
                    continue
                time.sleep(_SETTLE)
                blocks[name](max(1, counts[name] // 4))  # the caches have been others', and the processor has slept
                seconds = blocks[name](counts[name])
                spent[name] += seconds
                times[name].append(seconds / counts[name])
    return {name: Measured.of(values) for name, values in times.items()}


def stopwatch(call: Callable[[], object], wait: Callable[[], None]) -> Block:
    """A block of calls that are enqueued and waited for at the end."""

    def block(count: int) -> float:
        begin = time.perf_counter()
        for _ in range(count):
            call()
        wait()
        return time.perf_counter() - begin

    return block


def busy_seconds(work: Callable[[], object]) -> float | None:
    """Seconds in which kernels and copies of any library of this process ran on the GPU, by CUPTI through PyTorch.

    `work` waits for what it begins. None without PyTorch for CUDA.
    """
    try:
        import torch
    except ImportError:
        return None
    if not torch.cuda.is_available():
        return None
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as seen:
        work()
    spans = sorted(
        (event.time_range.start, event.time_range.end)
        for event in seen.events()
        if event.device_type == torch.autograd.DeviceType.CUDA
    )
    busy, until = 0.0, -1.0
    for start, end in spans:  # microseconds; what runs at once counts once
        busy += max(0.0, end - max(start, until))
        until = max(until, end)
    return busy * 1e-6
