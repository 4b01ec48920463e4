"""Pools over memory that grows in place."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from devarray import _core, alloc
from devarray.errors import OutOfMemoryError

testing = pytest.importorskip("devarray._core.testing", reason="devarray was built without DEVARRAY_TESTING")
GRANULE = 4096
RANGE = 1 << 22


@pytest.fixture
def upstream(device: _core.testing.MockDevice) -> _core.testing.GrowingResource:
    return testing.GrowingResource(alloc.DeviceMemoryResource(device, "device"), RANGE, GRANULE)


@pytest.fixture
def pool(upstream: _core.testing.GrowingResource) -> alloc.PoolMemoryResource:
    return alloc.PoolMemoryResource(upstream)


def large(step: int) -> int:
    """Sizes above those that share chunks."""
    return (600 << 10) + step * 1000


def test_growing_sizes_need_one_block_and_hardly_more_than_is_used(device, upstream, pool):
    queue = device.create_queue()
    for step in range(200):
        blocks = [pool.allocate(large(step), queue) for _ in range(3)]
        assert len({block.handle for block in blocks}) == 3
        del blocks
    assert device.allocations_made == 1
    assert pool.managed_bytes == upstream.mapped
    assert pool.peak_managed_bytes <= pool.peak_active_bytes * (1 + 1 / 32) + 2 * GRANULE


def test_blocks_in_use_stay_while_it_grows(device, pool):
    queue = device.create_queue()
    blocks = [pool.allocate(large(i * i), queue) for i in range(5)]
    for i, block in enumerate(blocks):
        queue.fill(block, i + 1)
    queue.run()
    assert [set(testing.peek(block)) for block in blocks] == [{i + 1} for i in range(5)]


def test_trim_shortens_to_what_is_used(device, upstream, pool):
    queue = device.create_queue()
    first, second, third = (pool.allocate(large(0), queue) for _ in range(3))
    del second, third
    before = upstream.mapped
    freed = pool.free_held()
    assert freed == before - upstream.mapped > large(0)
    assert pool.managed_bytes == upstream.mapped < large(0) + 2 * GRANULE
    again = pool.allocate(2 * large(0), queue)
    assert device.allocations_made == 1 and again.handle > first.handle
    del first, again
    pool.free_held()
    assert (upstream.mapped, pool.managed_bytes, device.live_allocations) == (0, 0, 0)


def test_what_pending_work_uses_stays(device, upstream, pool):
    one, two = device.create_queue(), device.create_queue()
    first, second = pool.allocate(large(0), one), pool.allocate(large(0), two)
    two.fill(second, 7)
    del second
    pool.free_held()
    assert two.pending > 0 and upstream.mapped >= 2 * large(0)
    two.run()
    pool.free_held()
    assert upstream.mapped < 2 * large(0)
    assert testing.peek(first) is not None


def test_a_full_range_is_followed_by_another(device, upstream, pool):
    queue = device.create_queue()
    blocks = [pool.allocate(1 << 20, queue) for _ in range(6)]
    assert device.allocations_made == 2
    assert len({block.handle for block in blocks}) == 6
    assert pool.managed_bytes == upstream.mapped >= 6 << 20


def test_random_sizes_keep_the_books(device, upstream, pool):
    queues = [device.create_queue() for _ in range(3)]
    rng, live = random.Random(1), []
    for _ in range(2000):
        if live and rng.random() < 0.5:
            live.pop(rng.randrange(len(live)))
        elif sum(block.nbytes for block in live) < 2 << 20:
            live.append(pool.allocate(int(10 ** rng.uniform(2, 6)), rng.choice(queues)))
        if rng.random() < 0.01:
            pool.free_held()
        assert pool.active_bytes == sum(block.nbytes for block in live)
        assert pool.managed_bytes == upstream.mapped >= pool.active_bytes + pool.held_bytes - 256 * len(live)
    spans = sorted((block.handle, block.nbytes) for block in live)
    assert all(a + n <= b for (a, n), (b, _) in pairwise(spans))
    live.clear()
    for queue in queues:
        queue.run()
    pool.free_held()
    assert (upstream.mapped, pool.managed_bytes) == (0, 0)


def test_no_more_memory_is_said_and_survived(device, upstream, pool):
    queue = device.create_queue()
    kept = [pool.allocate(1 << 20, queue) for _ in range(3)]
    device.fail_after(0)
    with pytest.raises(OutOfMemoryError, match="are in use in 4 blocks"):
        [pool.allocate(1 << 20, queue) for _ in range(3)]
    device.fail_never()
    assert pool.allocate(1 << 20, queue).nbytes == 1 << 20
    del kept
