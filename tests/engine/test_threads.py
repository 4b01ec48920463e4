"""Several Python threads at once, garbage collection, and memory that stays flat."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracle import same

import devarray as da

pytestmark = pytest.mark.usefixtures("device")
THREADS = 6


def together(work: Callable[[int], None]) -> None:
    """Run in every thread, all starting at once; the first error is raised here."""
    barrier = threading.Barrier(THREADS)

    def begin(i: int) -> None:
        barrier.wait()
        work(i)

    with ThreadPoolExecutor(THREADS) as pool:
        for done in [pool.submit(begin, i) for i in range(THREADS)]:
            done.result(timeout=120)


def test_threads_with_arrays_of_their_own() -> None:
    def work(i: int) -> None:
        a = np.arange(2000, dtype=np.int64) + i
        x = da.asarray(a)
        for step in range(25):
            x = x * 3 - step
            a = a * 3 - step
            x[1:] += x[:-1]
            a[1:] += a[:-1].copy()
            if step % 10 == 0:
                same(x, a)
        assert x.sum().item() == a.sum()

    together(work)


def test_threads_that_read_one_pending_array() -> None:
    a = np.arange(5000, dtype=np.int64)
    for _ in range(5):
        shared = da.asarray(a) * 2 + 1

        def work(i: int, shared: da.Array = shared) -> None:
            same(shared + i, a * 2 + 1 + i)
            assert shared.max().item() == 9999

        together(work)


def test_threads_that_join_what_another_one_computes() -> None:
    """What is joined is looked through for what it shares, while another thread's launch waits for the queue."""
    host = np.arange(30, dtype=np.float32).reshape(6, 5) - 7
    table, indices = da.asarray(np.ones((5, 2, 5))), da.asarray(np.array([3, -5, -3, -1, -5]))
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(400):
            x = da.asarray(host)
            x += x
            jobs: list[Callable[[], Any]] = [
                lambda x=x: np.concatenate((x.ravel(), x.ravel())),
                lambda x=x: x.sum(0),
                lambda x=x: x.T + 1,
                lambda x=x: np.concatenate((x, x)),
            ]
            threads = [threading.Thread(target=job) for job in jobs]
            for thread in threads:
                thread.start()
            np.take(table, indices, 2).evaluate()
            for thread in threads:
                thread.join()
            same(x, host + host)
    finally:
        sys.setswitchinterval(before)


def test_threads_that_write_parts_of_one_array() -> None:
    x = da.zeros(THREADS * 1000, da.int64)

    def work(i: int) -> None:
        part = x[i * 1000 : (i + 1) * 1000]
        for _ in range(20):
            part += i + 1

    together(work)
    same(x, np.repeat(np.arange(1, THREADS + 1) * 20, 1000))


def test_threads_that_compile_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same kernels and different ones, none of them in the cache."""
    monkeypatch.setenv("DEVARRAY_CACHE_DIR", str(tmp_path))

    def work(i: int) -> None:
        x = da.asarray(np.arange(10, dtype=np.uint16))
        y = x * 5 + 77
        for _ in range(i % 3 + 1):
            y = da.bitwise_xor(y, x) * 3 - 1
        wanted = np.arange(10, dtype=np.uint16) * np.uint16(5) + np.uint16(77)
        for _ in range(i % 3 + 1):
            wanted = (wanted ^ np.arange(10, dtype=np.uint16)) * np.uint16(3) - np.uint16(1)
        same(y, wanted)

    together(work)


def test_use_is_a_threads_own(device: da.Device) -> None:
    pools = [da.alloc.PoolMemoryResource(da.alloc.DeviceMemoryResource(device)) for _ in range(THREADS)]

    def work(i: int) -> None:
        with da.use(allocator=pools[i]):
            for _ in range(10):
                assert (da.ones(10) + 1).evaluate().allocator is pools[i]

    together(work)
    assert all(pool.active_bytes == 0 for pool in pools)


def test_a_dead_array_frees_its_memory_at_once(device: da.Device) -> None:
    """Without the garbage collector: arrays are in no cycle."""
    pool = da.alloc.PoolMemoryResource(da.alloc.DeviceMemoryResource(device))
    gc.collect()
    gc.disable()
    try:
        x = da.ones(1000, allocator=pool).evaluate()
        gone = weakref.ref(x)
        y = x[::2] + 1
        z = y.sum()
        assert pool.active_blocks >= 1
        del x, y, z
        assert gone() is None
        assert pool.active_blocks == 0
    finally:
        gc.enable()


def test_arrays_in_cycles_are_collected(device: da.Device) -> None:
    pool = da.alloc.PoolMemoryResource(da.alloc.DeviceMemoryResource(device))

    class Holder:
        pass

    holder = Holder()
    holder.me, holder.x = holder, da.ones(10, allocator=pool).evaluate()
    del holder
    gc.collect()
    assert pool.active_blocks == 0


@pytest.mark.slow
def test_memory_stays_flat() -> None:
    """Not one of some ten thousand calls leaves something behind, and the measure sees a small object that is kept."""
    script = Path(__file__).with_name("kept.py")
    done = subprocess.run([sys.executable, "-P", str(script)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    kept = json.loads(done.stdout)
    assert kept.pop("a planted leak") > 64
    assert {name: each for name, each in kept.items() if each >= 32} == {}


def test_an_accumulating_loop_keeps_nothing_pending() -> None:
    x = da.zeros(10, da.float32)
    one = da.ones(10, da.float32)
    for _ in range(5000):
        x = x + one
    same(x, np.full(10, 5000, np.float32))
