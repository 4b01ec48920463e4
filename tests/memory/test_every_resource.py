"""What every allocator does, whatever it is made of."""

from __future__ import annotations

import threading

import pytest

from devarray import alloc, errors
from devarray.errors import OutOfMemoryError

testing = pytest.importorskip("devarray._core.testing", reason="devarray was built without DEVARRAY_TESTING")


@pytest.fixture
def resource(device, kind, make_resource):
    return make_resource(alloc.DeviceMemoryResource(device, kind))


def test_hands_out_what_was_asked_for(resource, device, kind):
    queue = device.create_queue()
    block = resource.allocate(1000, queue)
    assert (block.nbytes, block.kind, block.queue is queue) == (1000, kind, True)
    assert block.capacity >= 1000
    assert block.allocation.nbytes >= block.offset + 1000
    assert (resource.device is device, resource.kind) == (True, kind)


def test_is_called_as_a_function(resource):
    assert resource(17).nbytes == 17


def test_blocks_do_not_overlap(resource, device):
    queue = device.create_queue()
    blocks = [resource.allocate(n, queue) for n in (1, 255, 256, 257, 5000, 100_000)]
    for i, block in enumerate(blocks):
        queue.fill(block, i + 1)
    queue.run()
    assert [testing.peek(b) for b in blocks] == [bytes([i + 1]) * b.nbytes for i, b in enumerate(blocks)]


def test_zero_bytes_succeed_and_take_nothing(resource, device):
    block = resource.allocate(0)
    assert (block.nbytes, block.allocation, block.handle, block.kind) == (0, None, 0, None)
    assert device.live_allocations == 0
    assert bytes(block) == b""


def test_a_negative_size_is_refused(resource):
    with pytest.raises(errors.ValueError, match="nbytes is -5"):
        resource.allocate(-5)


def test_a_queue_of_another_device_is_refused(resource):
    other = testing.MockDevice()
    with pytest.raises(errors.DeviceError, match="queue is of"):
        resource.allocate(10, other.create_queue())


def test_too_much_says_what_was_asked(resource, device):
    kept = resource.allocate(1000)
    with pytest.raises(OutOfMemoryError) as caught:
        resource.allocate(1 << 40)
    assert caught.value.asked == 1 << 40
    assert isinstance(caught.value, MemoryError)
    del kept
    assert resource.allocate(1 << 20).nbytes == 1 << 20


@pytest.mark.parametrize("nbytes", [2**62, 2**63 - 1])
def test_sizes_at_the_end_of_the_integers_are_out_of_memory(resource, nbytes):
    with pytest.raises(OutOfMemoryError):
        resource.allocate(nbytes)


def test_everything_comes_back_when_all_is_dropped(device, kind, make_resource):
    resource = make_resource(alloc.DeviceMemoryResource(device, kind))
    blocks = [resource.allocate(n) for n in range(0, 5000, 100)]
    assert device.live_allocations > 0
    del blocks, resource
    assert device.live_allocations == 0


def test_blocks_outlive_the_name_of_their_resource(device, kind, make_resource):
    queue = device.create_queue()
    resource = make_resource(alloc.DeviceMemoryResource(device, kind))
    block = resource.allocate(100, queue)
    del resource
    queue.fill(block, 3)
    queue.run()
    assert testing.peek(block) == b"\x03" * 100
    assert block.resource.allocate(5).nbytes == 5
    del block
    assert device.live_allocations == 0


def test_trim_gives_free_memory_back(resource, device):
    blocks = [resource.allocate(600_000) for _ in range(10)]
    blocks = blocks[:1]
    resource.trim()
    assert device.live_bytes <= 700_000
    del blocks
    resource.trim()
    assert device.live_bytes == 0


def test_nothing_is_freed_under_work_that_uses_it(resource, device, kind):
    """A cl_mem is counted by its driver; all other memory must wait for the queues."""
    first, second = device.create_queue(), device.create_queue()
    block = resource.allocate(1000, first)
    first.fill(block, 1)
    second.fill(block, 2)
    block.used_on(second)
    del block
    resource.trim()
    assert device.freed_in_use == 0
    assert device.host_waits == 0
    first.run()
    resource.trim()
    assert device.freed_in_use == 0
    second.run()
    first.run()
    resource.trim()
    assert device.live_allocations == 0


def test_without_a_queue_no_pending_work_uses_the_block(resource, device):
    queue = device.create_queue()
    block = resource.allocate(1000, queue)
    queue.fill(block, 1)
    del block
    fresh = resource.allocate(1000)
    before = testing.peek(fresh)
    queue.run()
    assert testing.peek(fresh) == before


def test_threads_share_it(resource, device):
    wrong = []

    def work(seed: int) -> None:
        queue = device.create_queue()
        for i in range(100):
            block = resource.allocate(1 + (seed * 7919 + i * 104729) % 5000, queue)
            queue.fill(block, seed)
            queue.finish()
            if testing.peek(block) != bytes([seed]) * block.nbytes:
                wrong.append((seed, i))

    threads = [threading.Thread(target=work, args=(n + 1,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    resource.trim()
    assert device.live_allocations == 0
