"""Replay allocation logs through memory resources, and compare the time and the peak of managed memory.

    python benchmarks/replay.py [LOG.csv ...] [--device DEVICE] [--kind KIND] [--repeat N]

Without a log, three that are made here: a training loop, growing shapes, and random sizes over four decades. A log is
what ``devarray.alloc.LoggingResourceAdaptor`` writes. CuPy's and PyTorch's pools, RMM's and the driver's async pool
take part where they are installed and the device is CUDA's.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Iterator
from itertools import pairwise

import devarray
from devarray import alloc

Event = tuple[int, int]
"""(number of the block, bytes) for an allocation, (number of the block, -1) for a free."""


def from_log(path: str) -> list[Event]:
    events, numbers = [], {}
    for _, action, pointer, size, _ in alloc.read_log(path):
        if action == "allocate":
            numbers[pointer] = len(events)
            events.append((len(events), size))
        elif action == "free" and pointer in numbers:
            events.append((numbers.pop(pointer), -1))
    return events


class Trace:
    """Collects events; blocks are numbered by the position of their allocation."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def allocate(self, size: int) -> int:
        self.events.append((len(self.events), size))
        return len(self.events) - 1

    def free(self, *blocks: int) -> None:
        self.events += [(block, -1) for block in blocks]


def training_loop(steps: int = 60, layers: int = 24) -> list[Event]:
    """Weights that stay, activations of the forward pass that go in the backward pass, temporaries between."""
    trace, rng = Trace(), random.Random(1)
    widths = [rng.choice([256, 512, 768, 1024, 3072]) for _ in range(layers + 1)]
    for a, b in pairwise(widths):
        trace.allocate(4 * a * b)
    for _ in range(steps):
        batch, kept = rng.choice([32, 64, 64, 64]), []
        for width in widths[1:]:
            temporary = trace.allocate(4 * batch * width * 4)
            kept.append(trace.allocate(4 * batch * width * 4))
            trace.free(temporary)
        for activation, (a, b) in zip(reversed(kept), zip(widths[-2::-1], widths[:0:-1], strict=True), strict=True):
            gradient = trace.allocate(4 * a * b)
            temporary = trace.allocate(4 * batch * a * 4)
            trace.free(activation, temporary, gradient)
    return trace.events


def growing_shapes(steps: int = 400) -> list[Event]:
    """A batch that grows from step to step, with three temporaries of its size."""
    trace = Trace()
    for step in range(1, steps + 1):
        blocks = [trace.allocate(step * 40_000 * k) for k in (1, 2, 1)]
        trace.free(*blocks)
    return trace.events


def random_sizes(steps: int = 20_000, live: int = 200) -> list[Event]:
    """Sizes from a kilobyte to ten megabytes, equally likely by decade, freed in random order."""
    trace, rng, blocks = Trace(), random.Random(3), []
    for _ in range(steps):
        if len(blocks) >= live or (blocks and rng.random() < 0.45):
            trace.free(blocks.pop(rng.randrange(len(blocks))))
        else:
            blocks.append(trace.allocate(int(10 ** rng.uniform(3, 7))))
    trace.free(*blocks)
    return trace.events


def peak_of(events: list[Event]) -> int:
    """The most bytes in use at once: what no pool can stay below."""
    sizes, live, peak = {}, 0, 0
    for number, size in events:
        live += size if size >= 0 else -sizes[number]
        if size >= 0:
            sizes[number] = size
        peak = max(peak, live)
    return peak


def replay(events: list[Event], allocate: Callable[[int], object]) -> float:
    """Seconds for all events."""
    live: dict[int, object] = {}
    start = time.perf_counter()
    for number, size in events:
        if size >= 0:
            live[number] = allocate(size)
        else:
            del live[number]
    return time.perf_counter() - start


def own_pools(device: devarray.Device, kind: str | None) -> Iterator[tuple[str, Callable]]:
    def make(**how: int) -> Callable:
        def start() -> tuple[Callable, Callable]:
            pool = alloc.PoolMemoryResource(alloc.DeviceMemoryResource(device, kind), **how)
            queue = device.default_queue
            return lambda size: pool.allocate(size, queue), lambda: pool.peak_managed_bytes

        return start

    def start_async() -> tuple[Callable, Callable]:
        pool = alloc.CudaAsyncMemoryResource(device)
        queue = device.default_queue
        return lambda size: pool.allocate(size, queue), lambda: pool.peak_reserved_bytes

    def start_over_async() -> tuple[Callable, Callable]:
        upstream = alloc.CudaAsyncMemoryResource(device)
        pool = alloc.PoolMemoryResource(upstream)
        queue = device.default_queue
        return lambda size: pool.allocate(size, queue), lambda: upstream.peak_reserved_bytes

    def start_virtual() -> tuple[Callable, Callable]:
        pool = alloc.PoolMemoryResource(alloc.CudaVirtualMemoryResource(device))
        queue = device.default_queue
        return lambda size: pool.allocate(size, queue), lambda: pool.peak_managed_bytes

    yield "devarray", make()
    yield "devarray bins", make(leading_bits_in_bin_id=4)
    if device.driver == "cuda":
        yield "over virtual", start_virtual
        yield "over async", start_over_async
        yield "driver's async", start_async


def other_pools() -> Iterator[tuple[str, Callable]]:
    try:
        import cupy

        def start_cupy() -> tuple[Callable, Callable]:
            pool, peak = cupy.cuda.MemoryPool(), [0]

            def allocate(size: int) -> object:
                block = pool.malloc(size)
                peak[0] = max(peak[0], pool.total_bytes())
                return block

            return allocate, lambda: peak[0]

        yield "cupy", start_cupy
    except ImportError:
        pass
    try:
        import torch

        if torch.cuda.is_available():

            def start_torch() -> tuple[Callable, Callable]:
                torch.cuda.empty_cache()
                torch.cuda.reset_peak_memory_stats()
                before = torch.cuda.memory_reserved()
                return (
                    lambda size: torch.empty(size, dtype=torch.uint8, device="cuda"),
                    lambda: torch.cuda.max_memory_reserved() - before,
                )

            yield "torch", start_torch
    except ImportError:
        pass
    try:
        import rmm

        def start_rmm() -> tuple[Callable, Callable]:
            upstream = rmm.mr.StatisticsResourceAdaptor(rmm.mr.CudaMemoryResource())
            pool = rmm.mr.PoolMemoryResource(upstream, initial_pool_size=0)
            buffer = rmm.DeviceBuffer
            return lambda size: buffer(size=size, mr=pool), lambda: upstream.allocation_counts.peak_bytes

        yield "rmm", start_rmm
    except ImportError:
        pass


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("logs", nargs="*")
    parser.add_argument("--device")
    parser.add_argument("--kind")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    device = devarray.device(options.device)
    traces = {path: from_log(path) for path in options.logs} or {
        "training loop": training_loop(),
        "growing shapes": growing_shapes(),
        "random sizes": random_sizes(),
    }
    pools = [*own_pools(device, options.kind), *(other_pools() if device.driver == "cuda" else ())]
    print(f"{device}; time a call in ns, and the peak of managed memory over the peak in use")
    for name, events in traces.items():
        print(f"{name}: {len(events)} events, at most {peak_of(events) / 2**20:.1f} MiB in use")
        for pool, start in pools:
            allocate, peak = start()
            first = replay(events, allocate)
            again = min((replay(events, allocate) for _ in range(options.repeat)), default=first)
            print(
                f"  {pool:15} first {first / len(events) * 1e9:9.0f}  warm {again / len(events) * 1e9:9.0f}"
                f"  peak {peak() / peak_of(events):6.3f}"
            )


if __name__ == "__main__":
    main()
