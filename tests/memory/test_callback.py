"""A Python callable is an allocator too."""

from __future__ import annotations

import ctypes
import gc
import weakref

import pytest

from devarray import alloc, errors
from devarray.errors import OutOfMemoryError

testing = pytest.importorskip("devarray._core.testing", reason="devarray was built without DEVARRAY_TESTING")


def test_any_callable_is_an_allocator(pool, device):
    asked = []

    def allocate(nbytes):
        asked.append(nbytes)
        return pool.allocate(nbytes)

    resource = alloc.as_allocator(allocate, device)
    block = resource.allocate(1000)
    assert (asked, pool.active_blocks, block.capacity) == ([1000], 1, 1000)
    del block
    assert pool.active_blocks == 0


def test_the_uses_of_a_block_reach_its_resource(pool, device):
    queue, other = device.create_queue(), device.create_queue()
    resource = alloc.CallbackMemoryResource(pool.allocate, device=device)
    block = resource.allocate(1000, queue)
    queue.fill(block, 1)
    del block
    block = pool.allocate(1000, other)
    other.fill(block, 2)
    other.run()
    queue.run()
    other.run()
    assert testing.peek(block) == b"\x02" * 1000


def test_addresses_go_back_when_the_work_is_done(device):
    memory = ctypes.create_string_buffer(1000)
    freed = []
    resource = alloc.CallbackMemoryResource(
        lambda nbytes: ctypes.addressof(memory),
        lambda address, nbytes: freed.append((address, nbytes)),
        device=device,
        kind="svm_fine",
    )
    block = resource.allocate(1000)
    memoryview(block)[:3] = b"abc"
    assert memory.raw[:3] == b"abc"
    assert block.handle == ctypes.addressof(memory)
    del block
    assert freed == [(ctypes.addressof(memory), 1000)]


def test_an_object_with_an_allocation_will_do(pool, device):
    class Holder:
        def __init__(self, nbytes):
            self.allocation = pool.allocate(nbytes).allocation

    holder = Holder(100)
    block = alloc.CallbackMemoryResource(lambda nbytes: holder, device=device).allocate(100)
    assert block.handle == holder.allocation.handle


def test_memory_error_means_that_there_is_none(device):
    calls = []

    def allocate(nbytes):
        calls.append(nbytes)
        raise MemoryError("nothing left")

    source = alloc.CallbackMemoryResource(allocate, device=device)
    pool = alloc.PoolMemoryResource(source, leading_bits_in_bin_id=4)
    with pytest.raises(OutOfMemoryError, match="nothing left") as caught:
        pool.allocate(1000)
    assert caught.value.asked == 1000
    assert calls == [1024, 1024, 1000]


def test_other_exceptions_pass_through(device):
    def allocate(nbytes):
        raise KeyError(nbytes)

    pool = alloc.PoolMemoryResource(alloc.CallbackMemoryResource(allocate, device=device))
    with pytest.raises(KeyError):
        pool.allocate(1000)
    assert pool.active_blocks == 0


@pytest.mark.parametrize("result", ["text", None, 1.5])
def test_what_cannot_serve_is_refused(device, result):
    with pytest.raises(errors.ValueError, match=r"returned .* for 10 bytes; wanted a Block"):
        alloc.as_allocator(lambda nbytes: result, device).allocate(10)


def test_too_little_is_refused(pool, device):
    with pytest.raises(errors.ValueError, match="returned 9 bytes where 10 were asked for"):
        alloc.as_allocator(lambda nbytes: pool.allocate(nbytes - 1), device).allocate(10)
    assert pool.active_blocks == 0


def test_memory_of_another_device_is_refused(device):
    other = alloc.DeviceMemoryResource(testing.MockDevice())
    with pytest.raises(errors.DeviceError):
        alloc.as_allocator(other.allocate, device).allocate(10)
    with pytest.raises(errors.DeviceError):
        alloc.as_allocator(other, device)


def test_what_is_no_allocator_is_refused(device):
    with pytest.raises(errors.ValueError, match="allocator is 5; wanted a memory resource"):
        alloc.as_allocator(5, device)


def test_the_callable_is_given_back(pool, device):
    class Callable:
        def __call__(self, nbytes):
            return pool.allocate(nbytes)

    function = Callable()
    alive = weakref.ref(function)
    block = alloc.as_allocator(function, device).allocate(10)
    del function
    gc.collect()
    assert alive() is not None
    del block
    gc.collect()
    assert alive() is None
