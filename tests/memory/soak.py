"""Threads that allocate and free on several queues under a limit, with patterns that are checked; not part of pytest.

    python tests/memory/soak.py [--device DEVICE] [--kind KIND] [--count N] [--threads 8] [--queues 4] [--check 50]

One array in `--check` is written, often read on another queue, and compared when its turn to go comes. Prints what
happened, and ends with an error where a pattern was lost, memory stayed in use, or the process kept growing.
"""

from __future__ import annotations

import argparse
import random
import threading
import time

import devarray as da
from devarray import alloc
from devarray.errors import OutOfMemoryError

LIVE = 40  # arrays of one thread
LIMIT = 4 << 20
GROWTH = 64 << 20  # bytes that the process may grow by after the first tenth


def resident_bytes() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


class Soak:
    def __init__(self, device: da.Device, kind: str | None, queues: int, check: int) -> None:
        limit = alloc.LimitingResourceAdaptor(alloc.DeviceMemoryResource(device, kind), LIMIT)
        self.pool = alloc.PoolMemoryResource(limit)
        self.queues = [da.queue(device) for _ in range(queues)]
        self.check = check
        self.done = self.checked = self.refused = self.wrong = 0
        self.resident = 0
        self.lock = threading.Lock()

    def work(self, seed: int, count: int) -> None:
        rng, live = random.Random(seed), []
        done = checked = refused = wrong = 0
        for i in range(count):
            while len(live) >= LIVE or (live and rng.random() < 0.3):
                x, value = live.pop(rng.randrange(len(live)))
                if value is not None:
                    checked += 1
                    wrong += not (x.copy_to_host() == value).all()
            size, queue = int(2 ** rng.uniform(0, 17)), rng.choice(self.queues)
            try:
                if rng.randrange(self.check):
                    live.append((da.empty(size, da.uint8, allocator=self.pool, queue=queue), None))
                else:
                    value = rng.randrange(256)
                    live.append((da.full(size, value, da.uint8, allocator=self.pool, queue=queue).evaluate(), value))
                done += 1
            except OutOfMemoryError:
                refused += 1
                del live[: LIVE // 2]
            if i == count // 10 and seed == 0:
                self.resident = resident_bytes()
        del live
        with self.lock:
            self.done += done
            self.checked += checked
            self.refused += refused
            self.wrong += wrong

    def run(self, count: int, threads: int) -> None:
        workers = [threading.Thread(target=self.work, args=(n, count // threads)) for n in range(threads)]
        start = time.perf_counter()
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        da.synchronize()
        growth = resident_bytes() - self.resident
        print(
            f"{self.done} allocations in {time.perf_counter() - start:.0f} s, {self.refused} refused, "
            f"{self.checked} checked, {self.wrong} wrong, {self.pool.active_blocks} left, resident memory "
            f"grew by {growth / 2**20:.1f} MiB"
        )
        if self.wrong or self.pool.active_blocks or growth > GROWTH:
            raise SystemExit("the soak failed")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device")
    parser.add_argument("--kind")
    parser.add_argument("--count", type=int, default=10_000_000)
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--queues", type=int, default=4)
    parser.add_argument("--check", type=int, default=50)
    options = parser.parse_args()
    device = da.device(options.device)
    print(f"{device}, kind {options.kind or device.memory_kinds[0]}")
    with da.use(device):
        Soak(device, options.kind, options.queues, options.check).run(options.count, options.threads)


if __name__ == "__main__":
    main()
