"""Shared virtual memory under PyOpenCL's names, with the programs of its documentation."""

from __future__ import annotations

import gc

import numpy as np
import pytest

from devarray import cl, errors

TWICE = "kernel void twice(global float* a) { a[get_global_id(0)] *= 2; }"
smf = cl.svm_mem_flags


@pytest.fixture
def q(ctx, engine):
    if "svm_coarse" not in engine.memory_kinds:
        pytest.skip(f"{engine} has no shared virtual memory")
    return cl.CommandQueue(ctx)


@pytest.fixture
def fine(engine):
    if "svm_fine" not in engine.memory_kinds:
        pytest.skip(f"{engine} has no fine-grained shared virtual memory")


def test_fine_grained_array_in_a_kernel(ctx, q, fine):
    ary = cl.fsvm_empty(ctx, 1000, np.float32)
    assert isinstance(ary, np.ndarray) and isinstance(ary.base, cl.SVMAllocation)
    ary[:] = np.arange(1000)
    cl.Program(ctx, TWICE).build().twice(q, ary.shape, None, cl.SVM(ary))
    q.finish()
    np.testing.assert_array_equal(ary, 2 * np.arange(1000, dtype=np.float32))


def test_coarse_grained_array_is_mapped(ctx, q):
    svm_ary = cl.SVM(cl.csvm_empty(ctx, 1000, np.float32, alignment=64))
    assert svm_ary.svm_ptr % 64 == 0 and svm_ary.size == 4000
    with svm_ary.map_rw(q) as ary:
        assert ary is svm_ary.mem
        ary.fill(17)
    cl.Program(ctx, TWICE).build().twice(q, svm_ary.mem.shape, None, svm_ary)
    with svm_ary.map_ro(q) as ary:
        assert (ary == 34).all()


def test_allocation_maps_and_copies(ctx, q):
    memory = cl.SVMAllocation(ctx, 64, 0, smf.READ_WRITE, queue=q)
    values = np.arange(16, dtype=np.float32)
    cl.enqueue_copy(q, memory, values)
    mapped = memory.map(q, flags=cl.map_flags.READ, is_blocking=False)
    mapped.event.wait()
    np.testing.assert_array_equal(mapped.array.view(np.float32), values)
    mapped.release().wait()
    with pytest.raises(ValueError, match="released already"):
        mapped.release()
    result = np.empty_like(values)
    cl.enqueue_copy(q, result, memory)
    np.testing.assert_array_equal(result, values)
    with pytest.raises(errors.ValueError, match="sizes differ"):
        cl.enqueue_copy(q, memory, values[:3])
    with pytest.raises(errors.ValueError, match="one side has only 64"):
        cl.enqueue_copy(q, memory, np.zeros(100, np.float32), byte_count=100)
    cl.enqueue_copy(q, memory, np.full(2, 9, np.float32), byte_count=8)
    cl.enqueue_copy(q, result, memory)
    assert result[:3].tolist() == [9, 9, 2]


def test_copies_between_buffers_and_shared_memory(ctx, q, fine):
    values = np.arange(16, dtype=np.int32)
    buf = cl.Buffer(ctx, cl.mem_flags.COPY_HOST_PTR, hostbuf=values)
    shared = cl.fsvm_empty_like(ctx, values)
    cl.enqueue_copy(q, cl.SVM(shared), buf)
    q.finish()
    np.testing.assert_array_equal(shared, values)
    shared += 1
    cl.enqueue_copy(q, buf, cl.SVM(shared))
    result = np.empty_like(values)
    cl.enqueue_copy(q, result, buf)
    np.testing.assert_array_equal(result, values + 1)


def test_memfill_and_migrate(ctx, q):
    memory = cl.SVMAllocation(ctx, 64, 0, smf.READ_WRITE, queue=q)
    cl.enqueue_svm_memfill(q, memory, np.int32(3))
    cl.enqueue_svm_memfill(q, memory, np.int32(4), byte_count=8)
    cl.enqueue_fill(q, memory, np.int32(5), 4)
    if ctx._get_cl_version() >= (2, 10):
        cl.enqueue_svm_migratemem(q, [memory])
    result = np.empty(16, np.int32)
    cl.enqueue_copy(q, result, memory)
    assert result.tolist() == [5, 4] + [3] * 14


def test_release_is_ordered_behind_the_queue(ctx, q):
    kernel = cl.Program(ctx, TWICE).build().twice
    for _ in range(200):
        memory = cl.SVMAllocation(ctx, 4096, 0, smf.READ_WRITE, queue=q)
        kernel(q, (1024,), None, memory)
        del memory
    gc.collect()
    q.finish()


@pytest.mark.parametrize("flags", [smf.READ_WRITE, smf.READ_WRITE | smf.SVM_FINE_GRAIN_BUFFER])
def test_an_allocation_of_no_bytes(ctx, q, engine, flags):
    if flags & smf.SVM_FINE_GRAIN_BUFFER and "svm_fine" not in engine.memory_kinds:
        pytest.skip(f"{engine} has no fine-grained shared virtual memory")
    memory = cl.SVMAllocation(ctx, 0, 8, flags, q)
    assert memory.size == 0 and bytes(memory) == b""
    array = cl.svm_empty(ctx, flags, (3, 0), np.float32)
    assert array.shape == (3, 0) and array.base.size == 0
    cl.Program(ctx, "kernel void nothing(global float* a, int n) { if (n) a[0] = n; }").build().nothing(
        q, (1,), None, memory, np.int32(0)
    )
    memory.enqueue_release().wait()
    with pytest.raises(errors.ValueError, match="was released"):
        memory.release()


def test_release_by_hand(ctx, q):
    memory = cl.SVMAllocation(ctx, 64)
    with pytest.raises(errors.ValueError, match="needs a queue"):
        memory.enqueue_release()
    memory.bind_to_queue(q)
    memory.enqueue_release().wait()
    with pytest.raises(errors.ValueError, match="was released"):
        cl.enqueue_svm_memfill(q, memory, np.int32(3))
    with pytest.raises(errors.ValueError, match="was released"):
        memory.release()
    other = cl.SVMAllocation(ctx, 64, queue=q)
    other.bind_to_queue(cl.CommandQueue(ctx))
    other.unbind_from_queue()
    assert other.queue is None
    other.release()


def test_out_of_order_queue_is_refused(ctx, q):
    out_of_order = cl.CommandQueue(ctx, properties=cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE)
    with pytest.raises(errors.ValueError, match="in-order"):
        cl.SVMAllocation(ctx, 64, queue=out_of_order)


def test_as_buffer_shares_the_bytes(ctx, q, fine):
    shared = cl.fsvm_empty(ctx, 16, np.int32)
    shared[:] = 1
    buf = cl.SVM(shared).as_buffer(ctx)
    assert buf.size == 64
    cl.enqueue_fill_buffer(q, buf, np.int32(8), 0, 64).wait()
    result = np.empty(16, np.int32)
    cl.enqueue_copy(q, result, buf)
    assert (result == 8).all()


@pytest.mark.parametrize("shape", [(), (0,), 5, (3, 4), (2, 0, 3)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_empty_arrays_have_numpys_layout(ctx, q, shape, order):
    ary = cl.csvm_empty(ctx, shape, np.float64, order)
    like = np.empty(shape, np.float64, order)
    assert ary.shape == like.shape and ary.dtype == like.dtype
    assert ary.flags.f_contiguous == like.flags.f_contiguous
    assert ary.flags.c_contiguous == like.flags.c_contiguous


def test_structured_dtype_and_objects(ctx, q):
    dtype = np.dtype([("a", np.int32), ("b", np.float64)])
    assert cl.svm_empty(ctx, smf.READ_WRITE, 3, dtype).dtype == dtype
    with pytest.raises(TypeError, match="Python objects"):
        cl.csvm_empty(ctx, 3, object)
    with pytest.raises(ValueError, match="contiguous"):
        cl.csvm_empty_like(ctx, np.zeros((4, 4))[::2, ::2])


def test_maps_of_wrapped_memory(ctx, q):
    """The page's coarse-grained program, by the general map."""
    svm = cl.SVM(cl.svm_empty_like(ctx, smf.READ_WRITE, np.zeros((4, 5), np.float32, order="F")))
    assert svm.mem.flags.f_contiguous
    mapped = svm.map(q, cl.map_flags.READ | cl.map_flags.WRITE)
    assert isinstance(mapped, cl.SVMMap) and mapped.array is svm.mem
    with mapped as ary:
        ary[...] = 3
    with svm.map_ro(q) as ary:
        assert (ary == 3).all()


def test_fill_from_an_offset(ctx, q):
    memory = cl.SVMAllocation(ctx, 64, 0, smf.READ_WRITE, queue=q)
    cl.enqueue_svm_memfill(q, memory, np.int32(1))
    cl.enqueue_fill(q, memory, np.int32(2), 8, offset=16)
    cl.enqueue_svm_memfill(q, memory, np.int32(3), offset=56)
    result = np.empty(16, np.int32)
    cl.enqueue_copy(q, result, memory)
    assert result.tolist() == [1] * 4 + [2, 2] + [1] * 8 + [3, 3]
    for size, offset in ((8, 60), (68, 0), (4, 100)):
        with pytest.raises(errors.ValueError, match="outside the destination's 64 bytes"):
            cl.enqueue_fill(q, memory, np.int32(2), size, offset=offset)


def test_rectangles_of_shared_memory(ctx, q):
    values = np.arange(64, dtype=np.uint8).reshape(8, 8)
    memory, other = (cl.SVMAllocation(ctx, 64, 0, smf.READ_WRITE, queue=q) for _ in range(2))
    cl.enqueue_copy(q, memory, values)
    part = np.zeros((3, 2), np.uint8)
    cl.enqueue_copy(q, part, memory, buffer_origin=(1, 2), host_origin=(0, 0), region=(2, 3), buffer_pitches=(8,))
    np.testing.assert_array_equal(part, values[2:5, 1:3])
    cl.enqueue_copy(q, other, values[::-1].copy())
    cl.enqueue_copy(
        q, other, memory, src_origin=(0, 0), dst_origin=(4, 4), region=(4, 4), src_pitches=(8,), dst_pitches=(8,)
    )
    result = np.empty_like(values)
    cl.enqueue_copy(q, result, other)
    expected = values[::-1].copy()
    expected[4:, 4:] = values[:4, :4]
    np.testing.assert_array_equal(result, expected)
