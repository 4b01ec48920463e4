"""Buffers, pooled buffers and events are used again as Python objects: nothing of an earlier life may show."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import devarray as da
from devarray import _core, alloc, cl

RW = cl.mem_flags.READ_WRITE


@pytest.fixture(params=["private layout", "public calls"], autouse=True)
def layout(request):
    """With pybind11's objects read directly, and by the way that is left where their layout is not known."""
    assert _core.set_private_layout(request.param == "private layout")
    yield
    _core.set_private_layout(True)


@pytest.fixture
def q(ctx):
    return cl.CommandQueue(ctx)


def test_a_new_buffer_has_nothing_of_an_old_one(ctx, q, engine):
    host = np.ones(16, np.float32)
    old = cl.Buffer(ctx, RW | cl.mem_flags.USE_HOST_PTR, hostbuf=host)
    del old
    for size in (64, 1 << 16, 4):
        buf = cl.Buffer(ctx, RW, size)
        assert (buf.size, buf.hostbuf, buf.reference_count, buf.flags) == (size, None, 1, RW)
        assert buf.context == ctx
        del buf
    other = cl.Context([engine.cl_device])
    buf = cl.Buffer(other, RW, 32)
    assert buf.context == other != ctx


def test_many_at_once_are_all_different(ctx):
    for _ in range(3):
        buffers = [cl.Buffer(ctx, RW, 16 + i) for i in range(200)]
        assert len({b.int_ptr for b in buffers}) == 200 and [b.size for b in buffers] == list(range(16, 216))
        del buffers


def test_errors_leave_nothing_behind(ctx):
    cl.Buffer(ctx, RW, 64)
    for _ in range(3):
        with pytest.raises(cl.LogicError, match="INVALID_BUFFER_SIZE"):
            cl.Buffer(ctx, RW, 0)
        with pytest.raises((OverflowError, TypeError)):
            cl.Buffer(ctx, RW, -1)
        assert cl.Buffer(ctx, RW, 64).size == 64
    with pytest.raises(TypeError):
        cl.Buffer(ctx, RW, "64")
    with pytest.raises(TypeError):
        cl.Buffer(3, RW, 64)


def test_references_end_with_the_object(ctx):
    buf = cl.Buffer(ctx, RW, 64)
    alive = weakref.ref(buf)
    del buf
    assert alive() is None
    assert cl.Buffer(ctx, RW, 64) != cl.Buffer(ctx, RW, 64)

    class Named(cl.Buffer):
        name = "mine"

    mine = Named(ctx, RW, 64)
    mine.note = "kept"
    assert isinstance(mine, cl.Buffer) and mine.size == 64 and mine.note == "kept"
    del mine
    assert not hasattr(cl.Buffer(ctx, RW, 64), "note")


def test_memory_in_use_elsewhere_outlives_the_object(ctx, q):
    buf = cl.Buffer(ctx, RW, 64)
    x = da.Array(buf, 16, np.int32)
    x[...] = 7
    del buf
    gc.collect()
    again = cl.Buffer(ctx, RW, 64)
    cl.enqueue_fill_buffer(q, again, np.int32(1), 0, 64).wait()
    assert (x.copy_to_host() == 7).all()


def test_a_released_buffer_is_new_again(ctx):
    buf = cl.Buffer(ctx, RW, 64)
    buf.release()
    del buf
    buf = cl.Buffer(ctx, RW, 128)
    assert buf.size == 128
    buf.release()


def test_pooled_buffers_go_back_and_come_again(ctx, q):
    pool = alloc.MemoryPool(alloc.ImmediateAllocator(q))
    first = pool.allocate(100)
    handle = first.int_ptr
    first.release()
    with pytest.raises(ValueError, match="went back"):
        first.release()
    second = pool(200)
    assert second.int_ptr == handle and second.nbytes == 200 and pool.active_blocks == 1
    alive = weakref.ref(second)
    del second
    assert alive() is None and pool.active_blocks == 0
    blocks = [pool.allocate(100) for _ in range(150)]
    assert len({b.int_ptr for b in blocks}) == 150 == pool.active_blocks
    del blocks
    assert (pool.active_blocks, pool.held_blocks) == (0, 150)
    pool.free_held()
    with pytest.raises((OverflowError, TypeError)):
        pool.allocate(-1)
    with pytest.raises(TypeError):
        pool.allocate(1.5)
    kept = pool.allocate(100)
    kept_array = da.Array(kept, 25, np.float32)
    del kept, pool
    gc.collect()
    kept_array[...] = 3
    assert (kept_array.copy_to_host() == 3).all()


def test_events_are_of_their_own_commands(ctx, q):
    kernel = cl.Program(ctx, "kernel void f(global int* a, int n) { a[get_global_id(0)] = n; }").build().f
    kernel.set_scalar_arg_dtypes([None, np.int32])
    buf = cl.Buffer(ctx, RW, 256)
    gate = cl.UserEvent(ctx)
    waiting = kernel(q, (64,), None, buf, 1, wait_for=[gate])
    handles = {waiting.int_ptr}
    for n in range(20):
        event = kernel(q, (64,), (64,), buf, n)
        assert event.int_ptr not in handles and event.command_type == cl.command_type.NDRANGE_KERNEL
        assert not event.done
        del event
    gate.set_status(cl.command_execution_status.COMPLETE)
    waiting.wait()
    last = cl.enqueue_copy(q, cl.Buffer(ctx, RW, 256), buf)
    last.wait()
    assert waiting.done and last.command_type == cl.command_type.COPY_BUFFER
    with pytest.raises(TypeError, match="takes 2 arguments; got 1"):
        kernel(q, (1,), None, buf)
    with pytest.raises(TypeError):
        kernel(q, (1,))
    with pytest.raises(TypeError):
        kernel(buf, (1,), None, buf, 1)
    with pytest.raises(ValueError, match="dimensions"):
        kernel(q, (1, 1, 1, 1), None, buf, 1)
