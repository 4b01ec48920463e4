"""What programs that are written for PyOpenCL do with arrays and modules of devarray.cl."""

import numpy as np
import pytest

import devarray as da
from devarray import cl
from devarray.cl import array as cl_array
from devarray.cl import cltypes
from devarray.cl.scan import GenericScanKernel
from devarray.cl.version import VERSION, VERSION_TEXT


@pytest.fixture
def queue(ctx):
    return cl.CommandQueue(ctx)


def floats(queue, n=16):
    return cl_array.to_device(queue, np.arange(n, dtype=np.float32))


def test_version_is_a_module():
    assert VERSION == cl.VERSION and VERSION_TEXT == cl.VERSION_TEXT


def test_base_data_of_a_fresh_array_starts_with_it(queue):
    others = [cl_array.zeros(queue, 100, np.float32) for _ in range(3)]
    prg = cl.Program(queue.context, "kernel void f(global float *a) { a[get_global_id(0)] = -1; }").build()
    for x in (floats(queue), floats(queue) + 1):
        assert x.offset == 0
        prg.f(queue, x.shape, None, x.base_data)
        assert (x.get() == -1).all()
    assert not any(y.get().any() for y in others)
    view = x[4:]
    assert view.offset == 16 and view[2:].offset == 24
    again = cl_array.Array(queue, 4, np.float32, data=view.base_data, offset=view.offset)
    again.fill(5)
    assert x.get()[4:8].tolist() == [5] * 4 and x.get()[3] == -1


def test_data_goes_where_buffers_go(queue):
    x, buffer = floats(queue), cl.Buffer(queue.context, cl.mem_flags.READ_WRITE, 64)
    assert isinstance(x.data, cl.Buffer)
    part = np.empty(4, np.float32)
    cl.enqueue_copy(queue, part, x.data, src_offset=16)
    assert part.tolist() == [4, 5, 6, 7]
    cl.enqueue_copy(queue, buffer, x.data)
    cl.enqueue_copy(queue, x.data, buffer, byte_count=16, dst_offset=32)
    assert x.get()[8:12].tolist() == [0, 1, 2, 3]
    cl.enqueue_fill_buffer(queue, x.data, np.float32(3), 0, 8)
    mapped, _ = cl.enqueue_map_buffer(queue, x.data, cl.map_flags.READ | cl.map_flags.WRITE, 0, (16,), np.float32)
    assert mapped[0] == 3
    mapped[3] = 100
    mapped.base.release(queue)
    assert x.get()[3] == 100


def test_the_programs_default_allocator_stays(queue):
    device = queue.engine_device
    pool = da.alloc.PoolMemoryResource(da.alloc.DeviceMemoryResource(device))
    da.alloc.set_default_allocator(device, pool)
    try:
        assert cl_array.zeros(queue, 3, np.float32).allocator is pool
    finally:
        da.alloc.set_default_allocator(device, None)


def test_arguments_are_a_list_of_texts(queue):
    x = cl_array.to_device(queue, np.ones(5, np.int32))
    y = cl_array.empty_like(x)
    scan = GenericScanKernel(
        queue.context,
        np.int32,
        ["int *x", "int *y"],
        "x[i]",
        scan_expr="a + b",
        neutral="0",
        output_statement="y[i] = item;",
    )
    scan(x, y)
    assert y.get().tolist() == [1, 2, 3, 4, 5]


def test_an_image_takes_its_shape_from_the_hosts_memory(queue):
    if not queue.device.image_support:
        pytest.skip(f"{queue.device} has no images")
    format = cl.ImageFormat(cl.channel_order.R, cl.channel_type.FLOAT)
    values = np.arange(27, dtype=np.float32).reshape(9, 3)
    flags = cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR
    for make in (cl.create_image, cl.Image):
        assert make(queue.context, flags, format, hostbuf=values).shape == (9, 3)


def test_vectors_have_components_of_pyopencls_names():
    assert cltypes.float4.names == ("s0", "s1", "s2", "s3")
    assert cltypes.float16.names[10:12] == ("s10", "s11")
    value = cltypes.make_float4(1, 2, 3, 4)
    assert value["y"] == value["s1"] == 2
