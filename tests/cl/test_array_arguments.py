"""Arrays as arguments of a user's OpenCL kernels: at their offset, in every kind of memory, on any queue."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import devarray as da
from devarray import alloc, cl, errors

SOURCE = """
kernel void add(global float* x, global const float* y) { x[get_global_id(0)] += y[get_global_id(0)]; }
kernel void slow(global float* x, int n)
{
  float v = x[0];
  for (int i = 0; i < n; ++i) v = v * 0.5f + 1.0f;
  x[0] = v;
}
"""


def host(n, start=0.0):
    return np.arange(n, dtype=np.float32) + np.float32(start)


@pytest.fixture(params=["buffer", "svm_coarse", "svm_fine"])
def place(request, engine):
    """New arrays come out of a pool over memory of each kind."""
    if request.param not in engine.memory_kinds:
        pytest.skip(f"{engine} has no {request.param}")
    with da.use(device=engine, allocator=alloc.PoolMemoryResource(alloc.DeviceMemoryResource(engine, request.param))):
        yield request.param


@pytest.fixture
def add(ctx):
    return cl.Program(ctx, SOURCE).build().add


def test_small_pooled_arrays_and_their_data(engine, ctx, add):
    kind = next((kind for kind in engine.memory_kinds if kind != "buffer"), None)
    if kind is None:
        pytest.skip(f"{engine} has buffers alone, which start at offsets that it aligns them at")
    pool = alloc.PoolMemoryResource(alloc.DeviceMemoryResource(engine, kind))
    with da.use(device=engine, allocator=pool):
        x, y, z = da.asarray(host(5)), da.asarray(host(5, 10)), da.asarray(host(5, 100))
    assert len({a.offset for a in (x, y, z)}) == 3  # of one chunk of the default pool
    add(x.queue, x.shape, None, x.data, y.data)
    add(x.queue, x.shape, None, x, z)
    np.testing.assert_array_equal(x.copy_to_host(), host(5) + host(5, 10) + host(5, 100))


def test_every_kind_of_memory(place, add):
    x, y = da.asarray(host(1088)), da.asarray(host(1088, 7))
    add(x.queue, (1088,), None, x, y)
    add(x.queue, (64,), None, x[1024:], y)  # 4096 bytes on: where buffers may start, too
    add(x.queue, (64,), None, x[1024:].data, y.data)
    expected = host(1088) + host(1088, 7)
    expected[1024:] += 2 * host(64, 7)
    np.testing.assert_array_equal(x.copy_to_host(), expected)


def test_the_memory_of_an_array_that_is_gone_stays_its_own(place, add):
    first = da.asarray(host(512, 1)).data
    second = da.asarray(host(512, 1000)).data  # a pool would hand it what the first one had
    out = da.zeros(512, dtype="float32")
    add(out.queue, (512,), None, out, first)
    add(out.queue, (512,), None, out, second)
    np.testing.assert_array_equal(out.copy_to_host(), host(512, 1) + host(512, 1000))


def test_an_offset_that_buffers_cannot_have(place, add):
    x, y = da.asarray(host(16)), da.asarray(host(16))
    if place == "buffer":
        with pytest.raises(errors.ValueError, match=r"starts at byte 4 of its buffer.*copy of the array"):
            add(x.queue, (4,), None, x[1:], y)
        with pytest.raises(errors.ValueError, match="negative stride"):
            add(x.queue, (4,), None, x[::-1], y)
    else:
        add(x.queue, (4,), None, x[1:], y)
        expected = host(16)
        expected[1:5] += host(4)
        np.testing.assert_array_equal(x.copy_to_host(), expected)


def test_pending_arrays_and_their_readers_come_first(place, add, deferred):
    x = da.asarray(host(8)) * 2
    reader = x + 1
    assert x.pending and reader.pending
    add(x.queue, x.shape, None, x, da.asarray(host(8)) + 3)
    np.testing.assert_array_equal(reader.copy_to_host(), 2 * host(8) + 1)
    np.testing.assert_array_equal(x.copy_to_host(), 2 * host(8) + host(8) + 3)
    assert not (x + 1).pending  # exposed: what works on it is not deferred


def test_arguments_set_one_by_one_are_kept(place, add):
    x = da.asarray(host(8))
    add.set_args(x, da.asarray(host(8, 1)))
    gc.collect()
    da.asarray(np.full(8, -5, np.float32)).evaluate()  # would take the second argument's memory
    cl.enqueue_nd_range_kernel(x.queue, add, (8,), None)
    add.set_arg(1, da.asarray(host(8, 2)))
    gc.collect()
    cl.enqueue_nd_range_kernel(x.queue, add, (8,), None)
    np.testing.assert_array_equal(x.copy_to_host(), host(8) + host(8, 1) + host(8, 2))


def test_data_keeps_the_array(place, add):
    x = da.asarray(host(8))
    data = da.asarray(host(1032, 1))[1024:].data
    gc.collect()
    da.asarray(np.full(1032, -5, np.float32)).evaluate()
    add(x.queue, (8,), None, x, data)
    np.testing.assert_array_equal(x.copy_to_host(), host(8) + host(1032, 1)[1024:])


def test_another_queue_waits_and_is_waited_for(ctx, engine):
    slow = cl.Program(ctx, SOURCE).build().slow
    other = cl.CommandQueue(ctx)
    with da.use(device=engine):
        x = da.zeros(4, dtype=np.float32)
    for _ in range(3):
        slow(x.queue, (1,), None, x, np.int32(2_000_000))
        slow(other, (1,), None, x, np.int32(2_000_000))
        x += 1
    # Each round: the fixed point 2 of v = v / 2 + 1, then one more; out of order one of the two would be lost.
    np.testing.assert_array_equal(x.copy_to_host(), np.float32([3, 3, 3, 3]))


def test_queue_of_another_context_is_named(ctx, engine, add):
    elsewhere = cl.Context([ctx.devices[0]])
    with da.use(device=engine):
        x = da.asarray(host(4))
    foreign = cl.Program(elsewhere, SOURCE).build().add
    with pytest.raises(errors.DeviceError, match=r"another OpenCL context.*x\.queue\.context"):
        foreign(cl.CommandQueue(elsewhere), (4,), None, x, x)
    with pytest.raises(cl.LogicError, match="kernel 'add' was built in another context than the queue's"):
        foreign(x.queue, (4,), None, x, x)
    memory = cl.Buffer(elsewhere, cl.mem_flags.READ_WRITE, 16)
    with pytest.raises(cl.LogicError, match=r"queue\.context"):
        foreign(x.queue, (4,), None, memory, memory)


def test_an_empty_array_is_a_null_pointer(ctx, engine):
    kernel = cl.Program(ctx, "kernel void k(global float* x, global int* seen) { *seen = x == 0 ? 7 : 1; }").build().k
    with da.use(device=engine):
        seen = da.zeros(1, dtype=np.int32)
        kernel(seen.queue, (1,), None, da.empty(0, dtype=np.float32), seen)
    assert seen.item() == 7
