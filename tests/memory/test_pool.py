"""The pool of bins: what it keeps, what it counts, and what it gives back."""

from __future__ import annotations

import pytest

from devarray import alloc, errors
from devarray.errors import OutOfMemoryError

testing = pytest.importorskip("devarray._core.testing", reason="devarray was built without DEVARRAY_TESTING")


@pytest.fixture
def pool(direct):
    return alloc.PoolMemoryResource(direct, leading_bits_in_bin_id=4)


def figures(pool):
    return pool.held_blocks, pool.active_blocks, pool.held_bytes, pool.active_bytes, pool.managed_bytes


def test_counts_what_it_holds_and_what_is_in_use(pool):
    assert figures(pool) == (0, 0, 0, 0, 0)
    block = pool.allocate(1000)
    assert figures(pool) == (0, 1, 0, 1000, 1024)
    del block
    assert figures(pool) == (1, 0, 1024, 0, 1024)
    block = pool.allocate(1010)
    assert figures(pool) == (0, 1, 0, block.nbytes, 1024)
    assert (pool.hits, pool.misses) == (1, 1)


def test_zero_sized_blocks_are_not_counted(pool):
    block = pool.allocate(0)
    assert figures(pool) == (0, 0, 0, 0, 0)
    assert block.resource is pool


def test_a_block_given_back_is_the_next_one_given_out(pool, device):
    queue = device.create_queue()
    block = pool.allocate(5000, queue)
    handle = block.handle
    del block
    assert pool.allocate(5000, queue).handle == handle
    assert device.allocations_made == 1


@pytest.mark.parametrize(
    ("bits", "nbytes", "capacity"),
    [
        (4, 1, 256),
        (4, 256, 256),
        (4, 257, 272),
        (4, 1000, 1024),
        (4, 1 << 20, 1 << 20),
        (4, (1 << 20) + 1, (1 << 20) + (1 << 16)),
        (0, 1025, 2048),
        (1, 1025, 1536),
        (7, 1025, 1032),
        (100, 1025, 1032),
    ],
)
def test_sizes_are_rounded_up_to_their_bin(direct, bits, nbytes, capacity):
    pool = alloc.PoolMemoryResource(direct, leading_bits_in_bin_id=bits)
    assert pool.allocate(nbytes).capacity == capacity


@pytest.mark.parametrize("bits", range(8))
def test_rounding_wastes_no_more_than_the_bits_say(direct, bits):
    pool = alloc.PoolMemoryResource(direct, leading_bits_in_bin_id=bits)
    for nbytes in [*range(1, 2000, 7), 65535, 65536, 65537, 99_991, 123_457]:
        capacity = pool.allocate(nbytes).capacity
        assert nbytes <= capacity
        assert capacity <= max(256, nbytes * (1 + 2.0**-bits) + 1)


def test_free_held_gives_all_free_blocks_back(pool, device):
    kept = pool.allocate(1000)
    blocks = [pool.allocate(n) for n in (300, 300, 5000)]
    del blocks
    assert pool.free_held() == 304 * 2 + 5120
    assert figures(pool) == (0, 1, 0, 1000, 1024)
    assert device.live_bytes == 1024
    del kept


def test_stop_holding(pool, device):
    kept, dropped = pool.allocate(1000), pool.allocate(1000)
    del dropped
    assert pool.holding
    pool.stop_holding()
    assert not pool.holding
    assert figures(pool) == (0, 1, 0, 1000, 1024)
    del kept
    assert figures(pool) == (0, 0, 0, 0, 0)
    assert device.live_bytes == 0
    assert pool.allocate(1000).nbytes == 1000


def test_peaks(pool):
    blocks = [pool.allocate(1024) for _ in range(3)]
    del blocks
    block = pool.allocate(512)
    assert (pool.peak_active_bytes, pool.peak_managed_bytes) == (3072, 3584)
    pool.free_held()
    pool.reset_peaks()
    assert (pool.peak_active_bytes, pool.peak_managed_bytes) == (512, 512)
    del block


def test_the_largest_hole_is_the_largest_free_block(pool):
    small, large = pool.allocate(300), pool.allocate(5000)
    assert pool.largest_hole == 0
    del small
    assert pool.largest_hole == 304
    del large
    assert pool.largest_hole == 5120


def test_out_of_memory_frees_what_is_held_first():
    device = testing.MockDevice(memory=10_000)
    pool = alloc.PoolMemoryResource(alloc.DeviceMemoryResource(device), leading_bits_in_bin_id=4)
    block = pool.allocate(6000)
    del block
    assert pool.allocate(8000).nbytes == 8000


def test_out_of_memory_waits_for_frees_that_are_pending():
    device = testing.MockDevice(memory=10_000)
    queue = device.create_queue()
    pool = alloc.PoolMemoryResource(alloc.DeviceMemoryResource(device), leading_bits_in_bin_id=4)
    block = pool.allocate(6000, queue)
    queue.fill(block, 1)
    del block
    assert pool.allocate(8000, queue).nbytes == 8000
    assert (device.freed_in_use, device.host_waits) == (0, 1)


def test_out_of_memory_takes_the_size_asked_for_where_the_bin_does_not_fit():
    device = testing.MockDevice(memory=1000)
    pool = alloc.PoolMemoryResource(alloc.DeviceMemoryResource(device), leading_bits_in_bin_id=4)
    block = pool.allocate(999)
    assert block.capacity == 999
    del block
    assert figures(pool) == (0, 0, 0, 0, 0)


def test_the_bin_does_not_round_past_the_largest_allocation():
    device = testing.MockDevice(memory=10_000, max_allocation=1000)
    pool = alloc.PoolMemoryResource(alloc.DeviceMemoryResource(device), leading_bits_in_bin_id=4)
    assert pool.allocate(1000).capacity == 1000
    assert device.allocations_made == 1


def test_out_of_memory_tells_the_figures_and_everything_still_works():
    device = testing.MockDevice(memory=10_240)
    pool = alloc.PoolMemoryResource(alloc.DeviceMemoryResource(device), leading_bits_in_bin_id=4)
    active, held = pool.allocate(2000), pool.allocate(3000)
    del held
    with pytest.raises(OutOfMemoryError, match=r"cannot provide 9000 B.*2000 B are in use in 1 blocks") as caught:
        pool.allocate(9000)
    error = caught.value
    assert (error.asked, error.free, error.total) == (9000, 10_240 - 2048, 10_240)
    assert (error.active, error.held, error.largest_hole) == (2000, 0, 0)
    assert pool.allocate(3000).nbytes == 3000
    assert active.nbytes == 2000


def test_a_driver_that_fails_for_a_while_harms_nothing(pool, device):
    device.fail_after(1)
    block = pool.allocate(1000)
    with pytest.raises(OutOfMemoryError):
        pool.allocate(1000)
    assert figures(pool) == (0, 1, 0, 1000, 1024)
    device.fail_never()
    assert pool.allocate(1000).nbytes == 1000
    del block


def test_a_pool_lives_as_long_as_its_blocks(direct, device):
    pool = alloc.PoolMemoryResource(direct, leading_bits_in_bin_id=4)
    first, second = pool.allocate(1000), pool.allocate(1000)
    del pool
    del first
    assert device.live_allocations == 2
    assert second.resource.held_blocks == 1
    del second
    assert device.live_allocations == 0


def test_a_negative_number_of_bits_is_refused(direct):
    with pytest.raises(TypeError):
        alloc.PoolMemoryResource(direct, leading_bits_in_bin_id=-1)


def test_no_upstream_is_refused():
    with pytest.raises(TypeError):
        alloc.PoolMemoryResource(None)


def test_the_host_sees_host_visible_memory(pool, device):
    queue = device.create_queue()
    block = pool.allocate(4, queue)
    view = memoryview(block)
    view[:] = b"abcd"
    assert testing.peek(block) == b"abcd"
    del block
    assert bytes(view) == b"abcd"
    assert pool.active_blocks == 1
    del view
    assert pool.active_blocks == 0


def test_the_host_does_not_see_device_memory(device):
    block = alloc.DeviceMemoryResource(device, "device").allocate(4)
    with pytest.raises(BufferError):
        memoryview(block)


def test_a_kind_that_the_device_lacks(device):
    only = testing.MockDevice(kinds=["buffer"])
    with pytest.raises(errors.DeviceError, match="has no memory of kind 'managed'; it has buffer"):
        alloc.DeviceMemoryResource(only, "managed")
    with pytest.raises(errors.ValueError, match="no memory kind 'shared'"):
        alloc.DeviceMemoryResource(only, "shared")
    assert alloc.DeviceMemoryResource(only).kind == "buffer"
