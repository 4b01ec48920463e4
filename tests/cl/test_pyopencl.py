"""Objects shared with PyOpenCL in one process, through their handles."""

from __future__ import annotations

import numpy as np
import pytest

from devarray import cl

pyopencl = pytest.importorskip("pyopencl")


@pytest.fixture
def theirs(ctx):
    return pyopencl.Context.from_int_ptr(ctx.int_ptr)


@pytest.mark.filterwarnings("ignore:Non-empty compiler output")
def test_our_context_and_buffer_in_their_kernel(ctx, theirs):
    values = np.arange(64, dtype=np.float32)
    ours = cl.Buffer(ctx, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=values)
    buf = pyopencl.MemoryObject.from_int_ptr(ours.int_ptr)
    queue = pyopencl.CommandQueue(theirs)
    source = "kernel void twice(global float* a) { a[get_global_id(0)] *= 2; }"
    pyopencl.Kernel(pyopencl.Program(theirs, source).build(cache_dir=False), "twice")(queue, (64,), None, buf)
    queue.finish()
    result = np.empty_like(values)
    cl.enqueue_copy(cl.CommandQueue(ctx), result, ours)
    np.testing.assert_array_equal(result, 2 * values)


def test_their_buffer_and_queue_with_us(theirs):
    values = np.arange(64, dtype=np.float32)
    flags = pyopencl.mem_flags
    buf = pyopencl.Buffer(theirs, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=values)
    their_queue = pyopencl.CommandQueue(theirs)
    queue = cl.CommandQueue.from_int_ptr(their_queue.int_ptr)
    ours = cl.MemoryObject.from_int_ptr(buf.int_ptr)
    assert ours.size == 256 and ours.context.int_ptr == theirs.int_ptr
    result = np.empty_like(values)
    cl.enqueue_copy(queue, result, ours)
    np.testing.assert_array_equal(result, values)


def test_attributes_have_their_values(engine, theirs):
    device, other = engine.cl_device, theirs.devices[0]
    for name in [
        "name",
        "vendor",
        "version",
        "driver_version",
        "type",
        "max_work_group_size",
        "max_work_item_sizes",
        "max_mem_alloc_size",
        "image_support",
        "global_mem_size",
        "local_mem_size",
        "single_fp_config",
        "double_fp_config",
        "extensions",
        "address_bits",
        "svm_capabilities",
        "partition_properties",
        "queue_properties",
        "preferred_vector_width_float",
        "mem_base_addr_align",
        "opencl_c_version",
        "profile",
    ]:
        assert getattr(device, name) == getattr(other, name), name


def test_constants_have_their_numbers():
    for name in cl._constants.__all__:
        ours, other = getattr(cl, name), getattr(pyopencl, name, None)
        for member in (m for m in vars(other or object) if m[0].isalpha() and isinstance(getattr(other, m), int)):
            assert getattr(ours, member, None) == getattr(other, member), f"{name}.{member}"
