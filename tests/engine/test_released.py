"""Released is released: an error by name at the next use of what lay on the memory, never a dangling pointer."""

from __future__ import annotations

import numpy as np
import pytest

import devarray as da
from devarray import alloc, errors

# Each way to use an array's memory.
USES = {
    "copy_to_host": lambda x: x.copy_to_host(),
    "arithmetic": lambda x: (x + 1).copy_to_host(),
    "item": lambda x: float(x[0]),
    "write": lambda x: x.__setitem__(0, 1),
    "fill": lambda x: x.__setitem__(slice(None), 1),
    "copy_to_device": lambda x: x.copy_to_device(np.zeros(x.shape, x.dtype)),
    "in place": lambda x: x.__iadd__(1).copy_to_host(),
    "sum": lambda x: float(x.sum()),
    "sort": lambda x: da.sort(x).copy_to_host(),
    "view": lambda x: x[::2].copy_to_host(),
    "index": lambda x: x[da.asarray([0, 1])].copy_to_host(),
    "repr": lambda x: repr(x),
    "matmul": lambda x: float(x @ x),
    "copy": lambda x: x.copy().copy_to_host(),
    "dlpack": lambda x: np.from_dlpack(x),
    "handle": lambda x: x.base_data.handle,
}


@pytest.fixture
def cl():
    return pytest.importorskip("devarray.cl")


@pytest.fixture
def ctx(device):
    if device.driver != "opencl":
        pytest.skip("memory of the OpenCL driver")
    return device.cl_context


def over(memory):
    x = da.Array(memory, 16, np.float32)
    x[...] = 7
    assert (x.copy_to_host() == 7).all()
    return x


@pytest.mark.parametrize("name", USES)
def test_an_array_over_a_released_buffer(cl, ctx, name):
    buf = cl.Buffer(ctx, cl.mem_flags.READ_WRITE, 64)
    x = over(buf)
    buf.release()
    with pytest.raises((errors.ValueError, errors.DeviceError), match="released"):
        USES[name](x)
    assert (da.ones(4) + 1).copy_to_host().tolist() == [2, 2, 2, 2]


@pytest.mark.parametrize("name", USES)
def test_an_array_over_released_shared_memory(cl, ctx, device, name):
    if not any(kind.startswith("svm") for kind in device.memory_kinds):
        pytest.skip("no shared virtual memory")
    flags = cl.svm_mem_flags.READ_WRITE
    if "svm_fine" in device.memory_kinds:
        flags |= cl.svm_mem_flags.SVM_FINE_GRAIN_BUFFER
    memory = cl.SVMAllocation(ctx, 64, 0, flags)
    x = over(memory)
    da.synchronize()
    memory.release()
    with pytest.raises((errors.ValueError, errors.DeviceError), match="released"):
        USES[name](x)
    assert (da.ones(4) + 1).copy_to_host().tolist() == [2, 2, 2, 2]


def test_what_was_recorded_before_the_release_stays(cl, ctx):
    buf = cl.Buffer(ctx, cl.mem_flags.READ_WRITE, 64)
    x = over(buf)
    y, z = x + 1, da.ones(16, np.float32) * 2  # memory that the program can reach is read at once (rule 8)
    buf.release()
    assert ((y + z).copy_to_host() == 10).all()


def test_a_pooled_buffer_that_went_back(cl, ctx):
    pool = alloc.MemoryPool(alloc.ImmediateAllocator(cl.CommandQueue(ctx)))
    memory = pool.allocate(64)
    x = over(memory)
    type(memory).__mro__[1].release(memory)  # Buffer.release, past the pool's own
    assert pool.active_blocks == 0
    with pytest.raises(errors.ValueError, match="released"):
        x.copy_to_host()
    assert pool.allocate(64).reference_count == 1


def test_a_sub_buffer_outlives_its_parent(cl, ctx):
    buf = cl.Buffer(ctx, cl.mem_flags.READ_WRITE, 8192)
    over(buf)
    x = over(buf.get_sub_region(4096, 64))
    buf.release()
    with pytest.raises(errors.ValueError, match="released"):
        buf.get_sub_region(0, 64)
    assert (x.copy_to_host() == 7).all()


def test_the_memory_of_a_pool_is_not_released_by_hand(memory_kind):
    arrays = [da.arange(1000.0) + n for n in range(20)]
    for array in arrays:
        array.evaluate()
    memory = arrays[3].base_data
    release = getattr(memory, "release", None) or memory.free
    with pytest.raises(errors.ValueError, match="belongs to an allocator"):
        release()
    for n, array in enumerate(arrays):
        assert (array.copy_to_host() == np.arange(1000.0) + n).all()
    assert (da.arange(1000.0) * 2).copy_to_host()[-1] == 1998


def test_memory_that_a_callable_gave_is_its_own_again_afterwards(cl, ctx, device):
    given = []

    def allocate(nbytes):
        given.append(cl.Buffer(ctx, cl.mem_flags.READ_WRITE, nbytes))
        return given[-1]

    resource = alloc.CallbackMemoryResource(allocate, device=device, kind="buffer")
    x = da.zeros(16, allocator=resource).evaluate()
    with pytest.raises(errors.ValueError, match="belongs to an allocator"):
        given[-1].release()
    assert (x.copy_to_host() == 0).all()
    del x
    da.synchronize()
    given[-1].release()
    with pytest.raises(errors.ValueError, match="released"):
        alloc.CallbackMemoryResource(lambda n: given[-1], device=device, kind="buffer").allocate(8)
