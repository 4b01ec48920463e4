"""Reuse across queues happens behind events, on the device, and only where it must."""

from __future__ import annotations

import gc

import pytest

from devarray import _core, alloc

testing = pytest.importorskip("devarray._core.testing", reason="devarray was built without DEVARRAY_TESTING")
SIZE = 640 << 10  # large enough for a chunk of its own, so that the splitting pool has one place for it


@pytest.fixture
def queues(device):
    return [device.create_queue() for _ in range(3)]


def run_last_first(queues):
    """Let every queue run as far as it can, the last one first: the order that shows a missing event."""
    for _ in queues:
        for queue in reversed(queues):
            queue.run()


def test_one_queue_needs_no_event(pool, device, queues):
    queue = queues[0]
    for byte in range(5):
        block = pool.allocate(1000, queue)
        queue.fill(block, byte)
        last = block.handle
        del block
    assert pool.allocate(1000, queue).handle == last
    assert (device.allocations_made, device.events_recorded, device.events_waited, device.host_waits) == (1, 0, 0, 0)


def reuse_on_a_second_queue(pool, queues):
    first, second, _ = queues
    block = pool.allocate(SIZE, first)
    first.fill(block, 1)
    del block
    block = pool.allocate(SIZE, second)
    second.fill(block, 2)
    run_last_first(queues)
    return testing.peek(block)


def reuse_on_three_queues(pool, queues):
    """The case that broke other pools: the middle queue never uses the block, so only its wait carries the order."""
    first, second, third = queues
    block = pool.allocate(SIZE, first)
    first.fill(block, 1)
    del block
    block = pool.allocate(SIZE, second)
    del block
    block = pool.allocate(SIZE, third)
    third.fill(block, 3)
    run_last_first(queues)
    return testing.peek(block)


def reuse_after_use_elsewhere(pool, queues):
    """A use on another queue than the one the block was made for, and back to the first."""
    first, second, _ = queues
    block = pool.allocate(SIZE, first)
    second.fill(block, 1)
    block.used_on(second)
    del block
    block = pool.allocate(SIZE, first)
    first.fill(block, 2)
    for queue in (first, second, first):
        queue.run()
    return testing.peek(block)


def reuse_after_uses_on_all_queues(pool, queues):
    first, second, third = queues
    block = pool.allocate(SIZE, first)
    for byte, queue in enumerate((first, second, third)):
        queue.fill(block, byte)
        block.used_on(queue)
    del block
    block = pool.allocate(SIZE, third)
    third.fill(block, 9)
    run_last_first(queues)
    return testing.peek(block)


CASES = {
    reuse_on_a_second_queue: 2,
    reuse_on_three_queues: 3,
    reuse_after_use_elsewhere: 2,
    reuse_after_uses_on_all_queues: 9,
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_the_last_writer_wins(case, pool, device, queues):
    assert case(pool, queues) == bytes([CASES[case]]) * SIZE
    assert device.allocations_made == 1
    assert device.host_waits == 0


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_and_would_not_if_the_events_were_taken_out(case, pool, device, queues):
    device.drop_waits = True
    assert case(pool, queues) != bytes([CASES[case]]) * SIZE


def consumers_work_before_reuse(device, pool, taken_between):
    """Another library works on the legacy stream with memory that it got, and gives it back (DLPack's deleter)."""
    legacy, blocking = device.create_ordered_queue(True), device.create_ordered_queue(False)
    other = device.create_queue()
    block = pool.allocate(SIZE, blocking)
    legacy.fill(block, 1)
    testing.used_until_now_on(block, legacy)
    del block
    if taken_between:
        pool.allocate(SIZE, blocking)  # and given back unused: the blocking queue has had no work of its own
    last = other if taken_between is not None else blocking
    block = pool.allocate(SIZE, last)
    last.fill(block, 2)
    run_last_first([legacy, blocking, other])
    assert device.allocations_made == 1 and device.host_waits == 0
    return testing.peek(block)


@pytest.mark.parametrize("taken_between", [True, False, None])
def test_reuse_behind_the_legacy_stream(pool, device, taken_between):
    assert consumers_work_before_reuse(device, pool, taken_between) == b"\2" * SIZE


def test_a_stream_in_its_order_needs_no_event_of_it(pool, device):
    consumers_work_before_reuse(device, pool, None)
    assert device.events_waited == 0


def test_another_stream_needs_one(pool, device):
    device.drop_waits = True
    assert consumers_work_before_reuse(device, pool, False) != b"\2" * SIZE


def test_a_queue_prefers_its_own_blocks(direct, device, queues):
    pool = alloc.PoolMemoryResource(direct, leading_bits_in_bin_id=4)
    first, second, _ = queues
    mine, other = pool.allocate(1000, first), pool.allocate(1000, second)
    first.fill(mine, 1)
    second.fill(other, 1)
    handle = mine.handle
    del mine, other
    assert pool.allocate(1000, first).handle == handle
    assert device.events_waited == 0


def test_an_idle_queue_needs_no_event(pool, device, queues):
    first, second, _ = queues
    block = pool.allocate(1000, first)
    first.fill(block, 1)
    first.run()
    del block
    pool.allocate(1000, second)
    assert (device.allocations_made, device.events_recorded, device.events_waited) == (1, 0, 0)


def test_one_event_a_queue_however_often_it_is_used(pool, device, queues):
    first, second, _ = queues
    block = pool.allocate(1000, first)
    for _ in range(1000):
        second.fill(block, 1)
        block.used_on(second)
    first.fill(block, 0)
    assert device.events_recorded == 0  # the first queue was idle when the block left it
    for _ in range(1000):
        first.fill(block, 1)
        block.used_on(first)
        second.fill(block, 1)
        block.used_on(second)
    del block
    pool.allocate(1000, second)
    assert device.events_waited <= 1
    first.run()
    second.run()


def test_memory_freed_in_use_is_parked_until_the_work_is_done(direct, device, queues):
    first, second, _ = queues
    block = direct.allocate(1000, first)
    first.fill(block, 1)
    second.fill(block, 2)
    block.used_on(second)
    parked = _core.parked_bytes()
    del block
    assert _core.parked_bytes() == parked + 1000
    direct.trim()
    assert device.live_bytes == 1000
    first.run()
    second.run()
    direct.trim()
    assert (device.live_bytes, _core.parked_bytes(), device.host_waits) == (0, parked, 0)


def test_the_next_calls_free_what_was_parked(direct, device, queues):
    block = direct.allocate(1000, queues[0])
    queues[0].fill(block, 1)
    del block
    queues[0].run()
    assert device.live_bytes == 1000
    small = direct.allocate(10, queues[0])
    assert device.live_bytes == small.nbytes


def test_a_dropped_pool_frees_behind_its_queues(direct, device, queues):
    pool = alloc.PoolMemoryResource(direct, leading_bits_in_bin_id=4)
    block = pool.allocate(1000, queues[0])
    queues[0].fill(block, 1)
    del block, pool
    gc.collect()
    assert (device.live_bytes, device.freed_in_use, device.host_waits) == (1024, 0, 0)
    queues[0].run()
    direct.trim()
    assert device.live_bytes == 0


def test_a_block_does_not_keep_its_queue(pool, device):
    queue = device.create_queue()
    block = pool.allocate(1000, queue)
    queue.fill(block, 1)
    assert block.queue is queue
    del queue
    assert block.queue is None
