"""Queues that come and go leave nothing behind: no queue, no memory, and no error unseen."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from oracle import same

import devarray as da

pytestmark = pytest.mark.usefixtures("device")


def round_of(x: da.Array, mask: da.Array) -> tuple[da.Array, da.Array]:
    queue = da.queue()
    y = (da.ones(10, queue=queue) + 1).evaluate()
    with da.use(queue=queue):
        return y, x[mask]


def test_a_queue_ends_with_the_last_that_uses_it() -> None:
    x, mask = da.arange(10), da.arange(10) % 2 == 0
    round_of(x, mask)
    gc.collect()
    before = da.stats()["queues"]
    for _ in range(100):
        y, z = round_of(x, mask)
    same(y, np.full(10, 2.0))
    same(z, np.arange(0, 10, 2))
    del y, z
    gc.collect()
    assert da.stats()["queues"] <= before


def test_blocks_of_queues_that_are_gone_are_used_again(device: da.Device) -> None:
    pool = da.alloc.PoolMemoryResource(da.alloc.DeviceMemoryResource(device))
    for number in range(200):
        with da.use(queue=da.queue(), allocator=pool):
            same(da.full(1000, number) + 1, np.full(1000, number + 1))
    assert pool.managed_bytes <= 4 * 2**20
    assert pool.active_blocks == 0


def test_many_queues_whose_blocks_all_lie_free(device: da.Device) -> None:
    """Their queues end, their memory stays with the pool and serves anybody, behind their last work."""
    pool = da.alloc.PoolMemoryResource(da.alloc.DeviceMemoryResource(device))
    before = da.stats()["queues"]
    arrays = [da.full(1000, n, dtype=da.int64, queue=da.queue(), allocator=pool).evaluate() for n in range(50)]
    for n, x in enumerate(arrays):
        same(x, np.full(1000, n))
    del arrays, x
    gc.collect()
    assert da.stats()["queues"] <= before
    held = pool.managed_bytes
    again = [da.full(1000, n, dtype=da.int64, allocator=pool).evaluate() for n in range(50)]
    for n, x in enumerate(again):
        same(x, np.full(1000, n))
    assert pool.managed_bytes == held


def test_memory_read_by_a_queue_that_is_gone_is_not_written_too_early() -> None:
    """The reader's work is pending when its queue goes; what writes the memory next comes behind it."""
    big = np.arange(2_000_000, dtype=np.float64)
    for number in range(10):
        x = da.asarray(big)
        queue = da.queue()
        with da.use(queue=queue):
            results = [da.empty(big.shape, queue=queue) for _ in range(3)]
            for result in results:
                result[...] = da.sin(x) * 0 + x
        del queue
        x[...] = -1
        for result in results:
            same(result, big)
        same(x, np.full(big.shape, -1.0))
        assert number >= 0


@pytest.mark.usefixtures("deferred")
def test_an_index_error_of_a_queue_that_is_gone_is_raised_by_the_next_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(da.config, "host_elements", 0)  # the host would see it at once
    x = da.arange(10)
    queue = da.queue()
    index = da.asarray(np.array([0, 99]), queue=queue)
    y = da.take(da.arange(10, queue=queue), index).evaluate()
    del y, index, queue
    gc.collect()
    with pytest.raises(IndexError, match="out of bounds"):
        for _ in range(2):
            da.synchronize()
            x.copy_to_host()
    same(x + 1, np.arange(10) + 1)


def test_resident_memory_stays_flat_over_queues() -> None:
    program = """
        import resource
        import devarray as da

        def resident():
            return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()

        x, m = da.arange(10), da.arange(10) > 4

        def rounds(count):
            for _ in range(count):
                q = da.queue()
                y = (da.ones(10, queue=q) + 1).evaluate()
                z = x[m]

        rounds(5000)
        start = resident()
        rounds(3000)
        print((resident() - start) / 3000)
    """
    done = subprocess.run(
        [sys.executable, "-P", "-c", textwrap.dedent(program)],
        env=os.environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 2000, "bytes that each queue left behind"
