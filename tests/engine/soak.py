"""Threads that do a little of everything on queues that come and go, beside the same work in NumPy; not part of pytest.

    python tests/engine/soak.py [--device DEVICE] [--count N] [--threads 4] [--check 200] [--queue-life 400]

An operation in `--check` ends in a comparison of an array with its twin, bit for bit; each thread takes a new queue
after `--queue-life` operations. Ends with an error where a value was wrong or the process kept growing.
"""

from __future__ import annotations

import argparse
import gc
import random
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import devarray as da

SIZES = (1, 7, 64, 1000)  # elements: few, so that the time goes into operations and not into elements
LIVE = 12  # arrays of one thread
GROWTH = 64 << 20  # bytes that the process may grow by after the first tenth


def resident_bytes() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


class Worker:
    """One thread's arrays, each beside its NumPy twin."""

    def __init__(self, device: da.Device, seed: int, options: argparse.Namespace) -> None:
        self.device, self.options = device, options
        self.rng = random.Random(seed)
        self.queue = da.queue(device)
        self.live: list[tuple[Any, Any]] = []
        self.done = self.checked = self.wrong = self.queues = 0

    def pair(self) -> tuple[Any, Any]:
        """An array and its twin.

        What reads it may stay pending for a while, it itself does not: chains of any length would be kernels without
        number.
        """
        ours, host = self.rng.choice(self.live)
        return ours.evaluate(), host

    def make(self) -> None:
        size, start = self.rng.choice(SIZES), self.rng.randrange(100)
        host = np.arange(start, start + size, dtype=np.int64)
        kind = self.rng.randrange(3)
        if kind == 0:
            ours = da.asarray(host, queue=self.queue)
        elif kind == 1:
            ours = da.arange(start, start + size, dtype="int64", queue=self.queue)
        else:
            ours, host = da.full(size, start, "int64", queue=self.queue), np.full(size, start)
        self.keep(ours, host)

    def keep(self, ours: Any, host: Any) -> None:
        if self.rng.randrange(4):
            ours.evaluate()
        if len(self.live) >= LIVE:
            self.live.pop(self.rng.randrange(len(self.live)))
        self.live.append((ours, host))

    def binary(self) -> None:
        (a, x), (b, y) = self.pair(), self.pair()
        if x.size != y.size and 1 not in (x.size, y.size):
            return
        op = self.rng.randrange(4)
        if op == 0:
            self.keep(a + b, x + y)
        elif op == 1:
            self.keep(a - 3 * b, x - 3 * y)
        elif op == 2:
            self.keep(da.where(a > b, a, b + 1), np.where(x > y, x, y + 1))
        else:
            self.keep(da.minimum(a, b) & 0xFFFF, np.minimum(x, y) & 0xFFFF)

    def in_place(self) -> None:
        a, x = self.pair()
        if x.ndim == 0 or not x.flags.writeable:
            return
        op = self.rng.randrange(4)
        if op == 0:
            a += 1
            x += 1
        elif op == 1:
            a[1:] -= a[:-1]
            x[1:] -= x[:-1]
        elif op == 2:
            a[::-2] = 5
            x[::-2] = 5
        else:
            a[a > 50] = -1
            x[x > 50] = -1

    def view(self) -> None:
        a, x = self.pair()
        if x.ndim == 0:
            return
        step = self.rng.choice((1, 2, -1))
        self.keep(a[::step], x[::step])

    def reduction(self) -> None:
        a, x = self.pair()
        self.keep((a.sum(keepdims=True) & 0xFF) + a, (x.sum(keepdims=True) & 0xFF) + x)

    def shaped(self) -> None:
        (a, x), (b, y) = self.pair(), self.pair()
        if x.ndim != 1 or y.ndim != 1 or x.size + y.size > 4000:
            return
        op = self.rng.randrange(4)
        if op == 0 and x.size + y.size <= 1000:
            self.keep(da.concat([a, b]), np.concatenate([x, y]))
        elif op == 1:
            self.keep(a.copy(), x.copy())
        elif op == 2:
            self.keep(da.flip(a) * 1, np.flip(x) * 1)
        elif op == 3:
            index = np.arange(0, x.size, 3)
            self.keep(a[da.asarray(index, queue=a.queue)], x[index])

    def masked(self) -> None:
        a, x = self.pair()
        if x.ndim == 1:
            self.keep(a[a % 2 == 0], x[x % 2 == 0])

    def new_queue(self) -> None:
        """Old arrays stay on old queues, so that operations cross from one to the other."""
        self.queue = da.queue(self.device)
        self.queues += 1

    def check(self) -> None:
        a, x = self.pair()
        self.checked += 1
        self.wrong += not np.array_equal(a.copy_to_host(), x)

    def work(self, count: int, note: Callable[[str], None]) -> None:
        steps = [self.binary] * 5 + [self.in_place] * 4 + [self.view, self.reduction, self.shaped, self.make]
        self.make()
        for i in range(count):
            self.rng.choice(steps)()
            if not self.live:
                self.make()
            if i % 50 == 0:
                self.masked()
            if i % self.options.check == 0:
                self.check()
            if i % self.options.queue_life == self.options.queue_life - 1:
                self.new_queue()
            if i in (count // 10, count // 2):
                note("tenth" if i < count // 2 else "half")
            self.done += 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device")
    parser.add_argument("--count", type=int, default=10_000_000)
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--check", type=int, default=200)
    parser.add_argument("--queue-life", type=int, default=400)
    options = parser.parse_args()
    device = da.device(options.device)
    workers = [Worker(device, seed, options) for seed in range(options.threads)]
    resident: dict[str, int] = {"start": resident_bytes()}

    def note(when: str) -> None:
        resident[when] = max(resident.get(when, 0), resident_bytes())

    start = time.perf_counter()
    each = options.count // options.threads
    with da.use(device=device):
        threads = [threading.Thread(target=w.work, args=(each, note)) for w in workers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        da.synchronize()
    gc.collect()
    note("end")
    growth = resident["end"] - resident["tenth"]
    done, wrong = sum(w.done for w in workers), sum(w.wrong for w in workers)
    queues, checked = sum(w.queues for w in workers), sum(w.checked for w in workers)
    print(
        f"{done} operations in {time.perf_counter() - start:.0f} s on {device}, {queues} queues, {checked} checked, "
        f"{wrong} wrong, resident MiB: {', '.join(f'{when} {n >> 20}' for when, n in resident.items())}; "
        f"{da.stats()['queues']} queues and {da.stats()['kernels']} kernels alive"
    )
    if wrong or growth > GROWTH or done != each * options.threads:
        raise SystemExit("the soak failed")


if __name__ == "__main__":
    main()
