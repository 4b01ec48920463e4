"""The allocators and pools of PyOpenCL's names, on every OpenCL runtime that is found."""

from __future__ import annotations

import numpy as np
import pytest
from second_runtime import lacking

import devarray as da
from devarray import _core, alloc, cl, errors


def pytest_generate_tests(metafunc):
    if "engine" in metafunc.fixturenames:
        rows = [pytest.param(e, id=f"{e.caps['platform'].split('(')[0]}{e.index}") for e in _core.cl.devices()]
        if lacking():
            rows.append(pytest.param(None, id="second runtime", marks=pytest.mark.skip(reason=lacking())))
        metafunc.parametrize("engine", rows)


@pytest.fixture
def queue(engine):
    return engine.create_queue()


@pytest.fixture
def context(engine):
    return engine.cl_context


def figures(pool):
    return pool.held_blocks, pool.active_blocks, pool.managed_bytes, pool.active_bytes


@pytest.mark.parametrize("immediate", [True, False])
def test_allocators_return_buffers(context, queue, immediate):
    allocator = alloc.ImmediateAllocator(queue) if immediate else alloc.DeferredAllocator(context)
    buffer = allocator(1000)
    assert isinstance(buffer, cl.Buffer)
    assert buffer.size == 1000
    assert allocator(0) is None


def test_a_pooled_buffer_is_a_memory_object(queue):
    pool = alloc.MemoryPool(alloc.ImmediateAllocator(queue))
    buffer = pool.allocate(1000)
    assert isinstance(buffer, cl.MemoryObject)
    assert isinstance(buffer, alloc.PooledBuffer)
    assert (buffer.nbytes, buffer.size) == (1000, 1024)
    assert figures(pool) == (0, 1, 1024, 1000)
    data = np.arange(250, dtype=np.float32)
    back = np.empty_like(data)
    cl.enqueue_copy(queue, buffer, data)
    cl.enqueue_copy(queue, back, buffer)
    assert (back == data).all()
    handle = buffer.int_ptr
    del buffer
    assert figures(pool) == (1, 0, 1024, 0)
    assert pool(1000).int_ptr == handle
    pool.free_held()
    assert figures(pool) == (0, 0, 0, 0)
    assert pool.allocate(0).size >= 1 and pool(0).size >= 1


def test_a_released_buffer_goes_back_to_its_pool(queue):
    pool = alloc.MemoryPool(alloc.ImmediateAllocator(queue))
    buffer = pool.allocate(1000)
    buffer.release()
    assert pool.held_blocks == 1
    with pytest.raises(errors.ValueError, match="went back to its pool"):
        buffer.release()
    pool.stop_holding()
    assert figures(pool) == (0, 0, 0, 0)


def test_too_much_is_a_memory_error(queue):
    pool = alloc.MemoryPool(alloc.ImmediateAllocator(queue))
    with pytest.raises(MemoryError):
        pool.allocate(1 << 50)
    assert pool.allocate(1000).nbytes == 1000


@pytest.fixture
def svm_context(engine, context):
    if "svm_coarse" not in engine.memory_kinds:
        pytest.skip("the device has no shared virtual memory")
    return context


def test_svm_allocator(svm_context, queue):
    allocator = alloc.SVMAllocator(svm_context, alignment=64, queue=queue)
    memory = allocator(1000)
    assert isinstance(memory, cl.SVMAllocation)
    assert (memory.size, memory.svm_ptr % 64) == (1000, 0)
    allocator(0).release()
    alloc.SVMPool(allocator)(0).release()


def test_svm_pool(svm_context, queue):
    pool = alloc.SVMPool(alloc.SVMAllocator(svm_context, queue=queue))
    first, second = pool(1000), pool(1000)
    assert isinstance(first, cl.SVMPointer)
    assert isinstance(first, alloc.PooledSVM)
    assert (first.size, first == first, first == second, hash(first) == hash(first)) == (1000, True, False, True)
    assert figures(pool) == (0, 2, 2048, 2000)
    data = np.arange(250, dtype=np.float32)
    back = np.empty_like(data)
    cl.enqueue_copy(queue, first, data)
    cl.enqueue_copy(queue, back, first)
    assert (back == data).all()
    pointer = first.svm_ptr
    first.release()
    assert figures(pool) == (1, 1, 2048, 1000)
    with pytest.raises(errors.ValueError, match="went back to its pool"):
        first.release()
    assert pool(1000).svm_ptr == pointer
    second.enqueue_release()
    assert pool.active_blocks == 0


def test_pooled_svm_is_bound_to_a_queue(svm_context, engine, queue):
    pool = alloc.SVMPool(alloc.SVMAllocator(svm_context))
    memory = pool(1000)
    assert memory.block.queue is None
    other = engine.create_queue()
    memory.bind_to_queue(other)
    assert memory.block.queue is other
    memory.unbind_from_queue()
    assert memory.block.queue is None
    with pytest.raises(TypeError):
        memory.bind_to_queue(None)


def test_too_much_svm_is_a_memory_error(svm_context, queue):
    pool = alloc.SVMPool(alloc.SVMAllocator(svm_context, queue=queue))
    with pytest.raises(MemoryError):
        pool(1 << 50)
    assert pool(1000).size == 1000


def test_zero_bytes_of_an_svm_pool(svm_context):
    pool = alloc.SVMPool(alloc.SVMAllocator(svm_context))
    assert (pool(0).size, pool.active_blocks) == (0, 0)


def test_arrays_take_them(engine, queue):
    pool = alloc.MemoryPool(alloc.ImmediateAllocator(queue))
    with da.use(device=engine, allocator=pool):
        x = da.asarray(np.arange(1000, dtype=np.float32)) + 1
        assert float(da.sum(x).item()) == 500500.0
        assert pool.active_bytes >= 4000
