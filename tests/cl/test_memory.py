"""Buffers, transfers and maps under PyOpenCL's names."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

from devarray import cl, errors

mf = cl.mem_flags


@pytest.fixture
def q(ctx):
    return cl.CommandQueue(ctx)


def filled(ctx, values):
    return cl.Buffer(ctx, mf.READ_WRITE | mf.COPY_HOST_PTR, hostbuf=values)


def fetched(q, buf, like):
    result = np.empty_like(like)
    cl.enqueue_copy(q, result, buf)
    return result


def test_attributes(ctx):
    buf = cl.Buffer(ctx, mf.READ_ONLY, 1000)
    assert buf.size == 1000 == buf.get_info(cl.mem_info.SIZE)
    assert buf.flags == mf.READ_ONLY
    assert buf.type == cl.mem_object_type.BUFFER
    assert buf.context == ctx
    assert buf.reference_count == 1
    assert buf.associated_memobject is None and buf.hostbuf is None


def test_int_ptr_there_and_back(ctx, q):
    values = np.arange(10, dtype=np.int32)
    buf = filled(ctx, values)
    again = cl.MemoryObject.from_int_ptr(buf.int_ptr)
    assert isinstance(again, cl.Buffer)
    assert again == buf and hash(again) == hash(buf) and again != filled(ctx, values)
    assert buf.reference_count == 2
    del buf
    gc.collect()
    assert again.reference_count == 1
    np.testing.assert_array_equal(fetched(q, again, values), values)


def test_use_after_release(ctx, q):
    buf = cl.Buffer(ctx, mf.READ_WRITE, 64)
    buf.release()
    for use in (
        lambda: buf.release(),
        lambda: buf.flags,
        lambda: cl.enqueue_copy(q, np.empty(4), buf),
        lambda: buf.get_sub_region(0, 8),
        lambda: cl.enqueue_fill(q, buf, np.uint8(1), 4),
    ):
        with pytest.raises(errors.ValueError, match="was released"):
            use()


def test_wrong_sizes(ctx, q):
    with pytest.raises(cl.LogicError, match="INVALID_BUFFER_SIZE"):
        cl.Buffer(ctx, mf.READ_WRITE, 0)
    with pytest.raises(errors.ValueError, match="hostbuf has only 8"):
        cl.Buffer(ctx, mf.COPY_HOST_PTR, 9, np.zeros(8, np.uint8))
    with pytest.raises(errors.ValueError, match="COPY_HOST_PTR"):
        cl.Buffer(ctx, mf.READ_WRITE, hostbuf=np.zeros(8, np.uint8))
    buf = cl.Buffer(ctx, mf.READ_WRITE, 64)
    with pytest.raises(cl.LogicError, match="INVALID_VALUE"):
        cl.enqueue_copy(q, np.empty(65, np.uint8), buf)
    with pytest.raises(cl.LogicError, match="INVALID_VALUE"):
        cl.enqueue_copy(q, buf, np.empty(8, np.uint8), dst_offset=60)
    with pytest.raises((ValueError, BufferError)):
        cl.enqueue_copy(q, np.empty((4, 4))[:, ::2], buf)
    with pytest.raises(TypeError, match="int and list"):
        cl.enqueue_copy(q, 3, [])


def test_wrong_context(ctx, engine):
    other = cl.Context([engine.cl_device])
    with pytest.raises(cl.LogicError, match="INVALID_CONTEXT"):
        cl.enqueue_copy(cl.CommandQueue(other), np.empty(4, np.uint8), cl.Buffer(ctx, mf.READ_WRITE, 4))


def test_read_only_destination(ctx, q):
    values = np.zeros(4, np.uint8)
    values.flags.writeable = False
    with pytest.raises((ValueError, BufferError), match=r"(?i)read-only|writable"):
        cl.enqueue_copy(q, values, cl.Buffer(ctx, mf.READ_WRITE, 4))


def test_host_memory_in_use(ctx, q):
    values = np.arange(1024, dtype=np.int32)
    buf = cl.Buffer(ctx, mf.READ_WRITE | mf.USE_HOST_PTR, hostbuf=values)
    assert buf.hostbuf is values
    array = buf.get_host_array((32, 32), np.int32)
    assert array.shape == (32, 32) and array.ctypes.data == values.ctypes.data
    assert array.base is buf
    del values
    np.testing.assert_array_equal(fetched(q, buf, np.empty(1024, np.int32)), np.arange(1024))
    with pytest.raises(cl.LogicError, match="USE_HOST_PTR"):
        cl.Buffer(ctx, mf.READ_WRITE, 8).get_host_array((2,), np.int32)


def test_host_memory_outlives_the_work_that_uses_it(ctx, q):
    values = np.zeros(1 << 16, np.int32)
    kernel = cl.Program(ctx, "kernel void f(global int* a) { a[get_global_id(0)] += 1; }").build().f
    alive = weakref.ref(values)
    gate = cl.UserEvent(ctx)
    buf = cl.Buffer(ctx, mf.READ_WRITE | mf.USE_HOST_PTR, hostbuf=values)
    kernel(q, values.shape, None, buf, wait_for=[gate])
    del buf, values
    gc.collect()
    assert alive() is not None
    gate.set_status(cl.command_execution_status.COMPLETE)
    q.finish()


def test_sub_region_and_slice(ctx, q, engine):
    step = engine.cl_device.mem_base_addr_align // 8
    values = np.arange(3 * step, dtype=np.uint8)
    buf = filled(ctx, values)
    part = buf.get_sub_region(step, step)
    assert part.size == step and part.offset == step and part.associated_memobject == buf
    np.testing.assert_array_equal(fetched(q, part, values[:step]), values[step : 2 * step])
    np.testing.assert_array_equal(fetched(q, buf[step:], values[step:]), values[step:])
    with pytest.raises(errors.ValueError, match="step 1"):
        buf[::2]


def test_copies_with_offsets(ctx, q):
    values = np.arange(64, dtype=np.uint8)
    a, b = filled(ctx, values), filled(ctx, np.zeros(64, np.uint8))
    cl.enqueue_copy(q, b, a, src_offset=8, dst_offset=16, byte_count=4)
    assert fetched(q, b, values)[14:22].tolist() == [0, 0, 8, 9, 10, 11, 0, 0]
    part = np.empty(3, np.uint8)
    cl.enqueue_copy(q, part, b, src_offset=17)
    assert part.tolist() == [9, 10, 11]
    cl.enqueue_copy(q, b, part, device_offset=0)
    assert fetched(q, b, values)[:4].tolist() == [9, 10, 11, 0]


def test_copy_that_does_not_block(ctx, q):
    values = np.arange(1 << 16, dtype=np.int32)
    buf = cl.Buffer(ctx, mf.READ_WRITE, values.nbytes)
    gate = cl.UserEvent(ctx)
    event = cl.enqueue_copy(q, buf, values, is_blocking=False, wait_for=[gate])
    assert isinstance(event, cl.NannyEvent) and event.get_ward() is values
    gate.set_status(cl.command_execution_status.COMPLETE)
    event.wait()
    assert event.get_ward() is None
    np.testing.assert_array_equal(fetched(q, buf, values), values)


def test_rectangles_to_and_from_the_host(ctx, q):
    values = np.arange(4 * 6 * 8, dtype=np.uint8).reshape(4, 6, 8)
    buf = filled(ctx, values)
    part = np.zeros((2, 3, 4), np.uint8)
    cl.enqueue_copy(
        q, part, buf, buffer_origin=(2, 1, 1), host_origin=(0, 0, 0), region=(4, 3, 2), buffer_pitches=(8, 48)
    )
    np.testing.assert_array_equal(part, values[1:3, 1:4, 2:6])
    cl.enqueue_copy(
        q,
        buf,
        part,
        buffer_origin=(0, 0, 0),
        host_origin=(0, 0, 0),
        region=(4, 3, 2),
        buffer_pitches=(8, 48),
        host_pitches=(4, 12),
    )
    expected = values.copy()
    expected[:2, :3, :4] = part
    np.testing.assert_array_equal(fetched(q, buf, values), expected)
    with pytest.raises(errors.ValueError, match="would touch host byte"):
        cl.enqueue_copy(q, part, buf, buffer_origin=(0, 0), host_origin=(0, 0), region=(8, 4), buffer_pitches=(8,))


def test_rectangles_between_buffers(ctx, q):
    values = np.arange(64, dtype=np.uint8).reshape(8, 8)
    a, b = filled(ctx, values), filled(ctx, np.zeros_like(values))
    cl.enqueue_copy(q, b, a, src_origin=(1, 2), dst_origin=(4, 0), region=(3, 5), src_pitches=(8,), dst_pitches=(8,))
    expected = np.zeros_like(values)
    expected[0:5, 4:7] = values[2:7, 1:4]
    np.testing.assert_array_equal(fetched(q, b, values), expected)


def test_fill_and_migrate(ctx, q):
    buf = filled(ctx, np.zeros(8, np.int32))
    cl.enqueue_fill_buffer(q, buf, np.int32(7), 4, 8)
    cl.enqueue_fill(q, buf, np.int16(-1), 4, offset=28)
    event = cl.enqueue_migrate_mem_objects(q, [buf], cl.mem_migration_flags.HOST)
    event.wait()
    assert fetched(q, buf, np.zeros(8, np.int32)).tolist() == [0, 7, 7, 0, 0, 0, 0, -1]
    with pytest.raises(TypeError, match="ndarray"):
        cl.enqueue_fill(q, np.zeros(3), np.int8(0), 3)


def test_map_buffer(ctx, q):
    values = np.arange(24, dtype=np.float32)
    buf = filled(ctx, values)
    array, event = cl.enqueue_map_buffer(q, buf, cl.map_flags.READ | cl.map_flags.WRITE, 16, (4, 5), np.float32)
    event.wait()
    np.testing.assert_array_equal(array, values[4:].reshape(4, 5))
    array[1, 2] = -1
    assert isinstance(array.base, cl.MemoryMap)
    array.base.release(q).wait()
    with pytest.raises(errors.ValueError, match="was released"):
        array.base.release()
    assert fetched(q, buf, values)[4 + 7] == -1
    column, _ = cl.enqueue_map_buffer(q, buf, cl.map_flags.READ, 0, (3,), np.float32, strides=(32,))
    assert column.tolist() == [0, 8, 16]
    with column.base:
        pass


def test_peer_copy_is_refused(ctx, q):
    buf = cl.Buffer(ctx, mf.READ_WRITE, 4)
    with pytest.raises(cl.LogicError, match="cl_amd_copy_buffer_p2p"):
        cl.enqueue_copy_buffer_p2p_amd(cl.get_platforms()[0], q, buf, buf)


def test_queue_work_with_buffers_dropped_at_once(ctx, q):
    kernel = cl.Program(ctx, "kernel void f(global int* a) { a[get_global_id(0)] += 1; }").build().f
    for _ in range(200):
        kernel(q, (256,), None, filled(ctx, np.zeros(256, np.int32)))
    q.finish()
    assert q.idle
