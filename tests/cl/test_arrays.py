"""From an array down to the raw driver, and from the raw driver up to an array."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import devarray as da
from devarray import alloc, cl, errors

TWICE = "kernel void twice(global float* a) { a[get_global_id(0)] *= 2; }"


@pytest.fixture(params=["buffer", "svm_coarse", "svm_fine"])
def x(request, engine):
    """0, 1, ..., 63 as float32 in memory of each kind."""
    if request.param not in engine.memory_kinds:
        pytest.skip(f"{engine} has no {request.param}")
    with da.use(device=engine, allocator=alloc.DeviceMemoryResource(engine, request.param)):
        return da.arange(64, dtype=np.float32)


def test_memory_of_an_array_in_a_kernel(ctx, x):
    data = x.data
    handle = "int_ptr" if x.base_data.kind == "buffer" else "svm_ptr"
    assert isinstance(data, (cl.Buffer, cl.SVMPointer)) and x.offset == 0
    assert getattr(data, handle) == getattr(x.base_data, handle)
    assert data.size >= x.nbytes
    cl.Program(ctx, TWICE).build().twice(x.queue, x.shape, None, data)
    np.testing.assert_array_equal(x.copy_to_host(), 2 * np.arange(64, dtype=np.float32))
    np.testing.assert_array_equal((x + 1).copy_to_host(), 2 * np.arange(64, dtype=np.float32) + 1)


def test_memory_of_an_array_says_what_its_elements_are(x):
    """As NumPy's buffers do: libraries ask whether `x.data` is complex."""
    assert x.data.dtype == np.float32
    assert not np.iscomplexobj(x.data)
    assert np.iscomplexobj(x.astype(np.complex64).data)


def test_queue_of_an_array_enqueues(x):
    assert isinstance(x.queue, cl.CommandQueue)
    cl.enqueue_fill(x.queue, x.data, np.float32(3), 16)
    assert x.copy_to_host()[:5].tolist() == [3, 3, 3, 3, 4]


def test_a_view_says_where_it_starts(x):
    y = x[5:]
    assert y.offset == 20 and y.base_data is x.base_data
    if x.base_data.kind == "buffer":
        with pytest.raises(errors.ValueError, match="byte 20"):
            _ = y.data
        with pytest.raises(errors.DeviceError, match="no address"):
            _ = y.ptr
    else:
        assert y.ptr == x.base_data.svm_ptr + 20 == y.gpudata == y.data.svm_ptr
        assert x.gpudata is x.base_data


def test_events_order_another_queue(ctx, engine, x):
    y = x * 3
    other = cl.CommandQueue(ctx)
    events = y.events
    assert all(isinstance(event, cl.Event) for event in events)
    result = np.empty(64, np.float32)
    cl.enqueue_copy(other, result, y.base_data, wait_for=events) if y.base_data.size == y.nbytes else events[0].wait()
    np.testing.assert_array_equal(y.copy_to_host(), 3 * np.arange(64, dtype=np.float32))
    assert events[0].done


@pytest.mark.parametrize("kind", ["buffer", "svm_coarse"])
def test_array_over_memory_of_the_driver(ctx, engine, kind):
    if kind not in engine.memory_kinds:
        pytest.skip(f"{engine} has no {kind}")
    q = cl.CommandQueue(ctx)
    values = np.arange(24, dtype=np.float32)
    memory = cl.Buffer(ctx, cl.mem_flags.READ_WRITE, 96) if kind == "buffer" else cl.SVMAllocation(ctx, 96, 0, 1)
    cl.enqueue_copy(q, memory, values)
    q.finish()  # a blocking copy returns when the host's memory is free, not when other queues see the values
    x = da.Array(memory, (4, 6), np.float32)
    assert x.device is engine and x.base_data is memory
    np.testing.assert_array_equal(x.copy_to_host(), values.reshape(4, 6))
    y = da.Array(memory, (3, 2), "float32", (24, 8), 4, queue=q)
    expected = np.ndarray((3, 2), np.float32, values, 4, (24, 8))
    np.testing.assert_array_equal(y.copy_to_host(), expected)
    y += 100
    del memory, x
    gc.collect()
    np.testing.assert_array_equal(y.copy_to_host(), expected + 100)
    np.testing.assert_array_equal(da.sum(y, axis=0).copy_to_host(), (expected + 100).sum(axis=0))


def test_array_over_a_sub_buffer_and_a_pooled_one(ctx, engine):
    q = cl.CommandQueue(ctx)
    step = engine.cl_device.mem_base_addr_align // 8
    whole = cl.Buffer(ctx, cl.mem_flags.READ_WRITE, 2 * step)
    cl.enqueue_fill_buffer(q, whole, np.int32(1), 0, 2 * step).wait()
    part = da.Array(whole[step:], step // 4, np.int32)
    part *= 5
    assert int(da.sum(da.Array(whole, step // 2, "i4")).item()) == step // 4 * 6
    pool = alloc.MemoryPool(alloc.ImmediateAllocator(q))
    x = da.Array(pool.allocate(64), (16,), np.int32)
    x[...] = 7
    assert (x.copy_to_host() == 7).all() and pool.active_blocks == 1
    del x
    gc.collect()
    da.synchronize(engine)
    alloc.DeviceMemoryResource(engine).trim()  # lets go of memory that was parked behind the array's work
    assert pool.active_blocks == 0


def test_wrong_memory_for_an_array(ctx, engine):
    memory = cl.Buffer(ctx, cl.mem_flags.READ_WRITE, 64)
    with pytest.raises(errors.ShapeError, match="does not fit into 64 bytes"):
        da.Array(memory, 17, np.float32)
    with pytest.raises(errors.ShapeError, match="does not fit"):
        da.Array(memory, (4,), np.float32, (-4,))
    with pytest.raises(errors.ShapeError, match="does not fit"):
        da.Array(memory, (4,), np.float32, offset=52)
    with pytest.raises(errors.DeviceError, match="SVMPool"):
        da.Array(cl.SVM(np.zeros(4)), 4)
    with pytest.raises(TypeError, match="takes memory of the host, not tuple"):
        da.Array((4,), np.float32, (4,))


def test_memory_and_queue_of_another_library(engine, ctx):
    pyopencl = pytest.importorskip("pyopencl")
    theirs = pyopencl.Context.from_int_ptr(ctx.int_ptr)
    their_queue = pyopencl.CommandQueue(theirs)
    values = np.arange(32, dtype=np.float32)
    buf = pyopencl.Buffer(theirs, pyopencl.mem_flags.COPY_HOST_PTR, hostbuf=values)
    queue = cl.CommandQueue.from_int_ptr(their_queue.int_ptr)
    x = da.Array(cl.MemoryObject.from_int_ptr(buf.int_ptr), 32, np.float32, queue=queue)
    y = x * 2 + 1
    x -= 1
    result = np.empty_like(values)
    pyopencl.enqueue_copy(their_queue, result, buf)
    np.testing.assert_array_equal(result, values - 1)
    np.testing.assert_array_equal(y.copy_to_host(), values * 2 + 1)
    if y.base_data.kind == "buffer":
        back = pyopencl.MemoryObject.from_int_ptr(y.base_data.int_ptr)
        pyopencl.enqueue_copy(their_queue, result, back, src_offset=y.offset)
        np.testing.assert_array_equal(result, values * 2 + 1)


def test_split_gives_views(x):
    parts = x.split(24)
    assert [len(part) for part in parts] == [24, 24, 16]
    parts[1][...] = -1
    assert (x.copy_to_host()[24:48] == -1).all()
    with pytest.raises(errors.ShapeError, match="one-dimensional"):
        x.reshape(8, 8).split(2)
    with pytest.raises(errors.ValueError, match="section is 0"):
        x.split(0)
