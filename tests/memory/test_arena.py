"""The splitting pool: it cuts large blocks for small requests and closes the holes again."""

from __future__ import annotations

import random

import pytest

from devarray import alloc
from devarray.errors import OutOfMemoryError

testing = pytest.importorskip("devarray._core.testing", reason="devarray was built without DEVARRAY_TESTING")
CHUNK = 2 << 20
MIB = 1 << 20


@pytest.fixture
def pool(direct):
    return alloc.PoolMemoryResource(direct)


def test_small_requests_share_a_chunk(pool, device):
    blocks = [pool.allocate(1000) for _ in range(100)]
    assert (device.allocations_made, pool.managed_bytes, pool.misses) == (1, CHUNK, 1)
    assert [b.offset for b in blocks] == [1024 * i for i in range(100)]
    assert len({b.allocation.handle for b in blocks}) == 1


def test_offsets_are_aligned(pool):
    blocks = [pool.allocate(n) for n in (1, 100, 257, 511, 513)]
    assert [b.offset % 256 for b in blocks] == [0] * 5


def test_holes_merge_with_their_neighbours(pool):
    blocks = [pool.allocate(1024) for _ in range(4)]
    assert (pool.held_blocks, pool.largest_hole) == (1, CHUNK - 4096)
    blocks[0] = None
    blocks[2] = None
    assert (pool.held_blocks, pool.held_bytes) == (3, CHUNK - 2048)
    blocks[1] = None
    assert (pool.held_blocks, pool.held_bytes) == (2, CHUNK - 1024)
    blocks[3] = None
    assert (pool.held_blocks, pool.held_bytes, pool.largest_hole) == (1, CHUNK, CHUNK)


def test_the_best_hole_serves(pool):
    blocks = [pool.allocate(n) for n in (8192, 256, 4096, 256, 5120, 256)]
    offset = blocks[2].offset
    blocks[0] = blocks[2] = blocks[4] = None
    assert pool.allocate(4000).offset == offset


def test_what_is_left_of_a_hole_serves_too(pool):
    hole, wall = pool.allocate(4096), pool.allocate(256)
    offset = hole.offset
    del hole
    first, second = pool.allocate(1024), pool.allocate(3072)
    assert (first.offset, second.offset) == (offset, offset + 1024)
    del wall


def test_large_requests_get_chunks_of_their_size(pool, device):
    block = pool.allocate(3 * MIB + 5)
    step = 2 * MIB // 4  # a quarter of the power of two below
    assert pool.managed_bytes == 3 * MIB + step
    small = pool.allocate(100)
    assert pool.managed_bytes == 5 * MIB + step
    del block
    assert pool.allocate(2 * MIB).offset == 0
    assert device.allocations_made == 2
    del small


@pytest.fixture
def large() -> tuple[testing.MockDevice, alloc.MemoryResource]:
    device = testing.MockDevice(kinds=["svm_fine"], memory=1 << 32)
    return device, alloc.PoolMemoryResource(alloc.DeviceMemoryResource(device, "svm_fine"))


def test_growing_requests_share_chunks(large):
    device, pool = large
    for step in range(1, 401):
        blocks = [pool.allocate(step * 40_000 * k) for k in (1, 2, 1)]
        del blocks
    assert device.allocations_made < 60
    assert pool.peak_managed_bytes < 1.1 * 4 * 400 * 40_000


def test_a_large_chunk_has_a_sixteenth_to_spare_at_most(large):
    _, pool = large
    sizes = [n * MIB + 1 for n in (129, 300, 700)]
    blocks = [pool.allocate(n) for n in sizes]
    assert pool.active_blocks == len(blocks) and pool.managed_bytes <= sum(sizes) * 17 / 16


def test_a_small_block_does_not_keep_a_large_hole_open(pool):
    large = pool.allocate(4 * MIB)
    del large
    small = pool.allocate(1000)
    assert pool.free_held() == 4 * MIB
    assert pool.managed_bytes == CHUNK
    del small


def test_holes_of_different_queues_merge_when_they_must(direct, device):
    pool = alloc.PoolMemoryResource(alloc.LimitingResourceAdaptor(direct, 4 * MIB))
    first, second = device.create_queue(), device.create_queue()
    whole = pool.allocate(4 * MIB, first)
    del whole
    blocks = [pool.allocate(MIB, queue) for queue in (first, second, first, second)]
    for byte, (block, queue) in enumerate(zip(blocks, (first, second, first, second), strict=True)):
        queue.fill(block, byte)
    del blocks, block
    assert pool.held_blocks == 4
    whole = pool.allocate(4 * MIB, second)
    second.fill(whole, 9)
    second.run()
    first.run()
    second.run()
    assert testing.peek(whole) == b"\x09" * (4 * MIB)
    assert (device.allocations_made, device.host_waits) == (1, 0)


def test_the_rest_of_a_merged_hole_still_waits_for_all_its_queues(direct, device):
    pool = alloc.PoolMemoryResource(alloc.LimitingResourceAdaptor(direct, 4 * MIB))
    first, second, third = (device.create_queue() for _ in range(3))
    blocks = [pool.allocate(2 * MIB, first)]
    whole = pool.allocate(2 * MIB, second)
    first.fill(blocks[0], 1)
    second.fill(whole, 2)
    del blocks, whole
    one = pool.allocate(MIB, third)
    two = pool.allocate(MIB, third)
    three = pool.allocate(MIB, third)
    for byte, block in enumerate((one, two, three)):
        third.fill(block, 10 + byte)
    for queue in (third, second, first, third):
        queue.run()
    assert [testing.peek(b)[0] for b in (one, two, three)] == [10, 11, 12]
    assert [set(testing.peek(b)) for b in (one, two, three)] == [{10}, {11}, {12}]


def test_before_a_new_peak_what_was_too_small_is_freed(pool):
    for mib in (1, 2, 3, 4, 5):
        block = pool.allocate(mib * MIB)
        del block
    assert (pool.managed_bytes, pool.peak_managed_bytes) == (5 * MIB, 5 * MIB)


def test_as_the_last_resort_a_small_request_takes_of_a_large_chunk(direct):
    pool = alloc.PoolMemoryResource(alloc.LimitingResourceAdaptor(direct, 4 * MIB))
    first, second = pool.allocate(2 * MIB), pool.allocate(2 * MIB)
    del first
    third = pool.allocate(MIB)
    small = pool.allocate(1000)
    assert small.nbytes == 1000
    with pytest.raises(OutOfMemoryError) as caught:
        pool.allocate(2 * MIB)
    assert caught.value.held == MIB - 1024
    assert caught.value.largest_hole == MIB - 1024
    del second, third, small


def test_where_a_chunk_does_not_fit_the_request_may(device):
    small = testing.MockDevice(memory=10_000)
    pool = alloc.PoolMemoryResource(alloc.DeviceMemoryResource(small))
    block = pool.allocate(1000)
    assert (block.capacity, pool.managed_bytes) == (1000, 1000)
    del block
    assert (pool.managed_bytes, small.live_bytes) == (0, 0)


@pytest.mark.parametrize("seed", range(5))
def test_random_requests_on_many_queues_keep_their_bytes(direct, device, seed):
    rng = random.Random(seed)
    pool = alloc.PoolMemoryResource(direct)
    queues = [device.create_queue() for _ in range(3)]
    live, wrong = [], []
    for step in range(1500):
        if live and (len(live) > 30 or rng.random() < 0.5):
            block, byte = live.pop(rng.randrange(len(live)))
            block.queue.finish()
            wrong += [] if set(testing.peek(block)) == {byte} else [step]
            if rng.random() < 0.5:  # dropped while work on it is pending
                rng.choice(queues).fill(block, 255)
                block.used_on(queues[0])
                for queue in queues[1:]:
                    block.used_on(queue)
        else:
            queue = rng.choice(queues)
            block = pool.allocate(int(10 ** rng.uniform(0, 5.5)), queue)
            queue.fill(block, step % 251)
            live.append((block, step % 251))
        if rng.random() < 0.3:
            rng.choice(queues).step()
    block = None
    assert wrong == []
    assert pool.active_bytes == sum(b.nbytes for b, _ in live)
    live.clear()
    pool.trim()
    assert (pool.active_blocks, pool.held_bytes, pool.managed_bytes) == (0, 0, 0)
    for queue in queues:
        queue.finish()
    direct.trim()
    assert device.live_bytes == 0
