"""The raw driver on a real GPU: the example programs of PyCUDA's page, and what only hardware shows."""

import numpy as np
import pytest

import devarray.cuda as cuda
from devarray import _core, errors
from devarray.cuda.compiler import SourceModule

pytestmark = [pytest.mark.gpu, pytest.mark.usefixtures("context")]

SOURCE = """
__constant__ float offset[1];
__global__ void doublify(float* a) { a[threadIdx.x] *= 2; }
__global__ void shift(float* a) { a[threadIdx.x] += offset[0]; }
__global__ void axpy(float* y, const float* x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
__global__ void reverse(float* a) {
  extern __shared__ float s[];
  s[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
__global__ void fetch(float* out, unsigned long long texture, int width) {
  out[threadIdx.y * width + threadIdx.x] = tex2D<float>(texture, threadIdx.x, threadIdx.y);
}
__global__ void fetch_line(float* out, unsigned long long texture) {
  out[threadIdx.x] = tex1Dfetch<float>(texture, threadIdx.x);
}
__global__ void store(unsigned long long surface) {
  surf2DLayeredwrite(100.0f * threadIdx.y + threadIdx.x, surface, threadIdx.x * 4, threadIdx.y, 0);
}
"""


@pytest.fixture
def module(context):
    return SourceModule(SOURCE, cache_dir=False)


@pytest.fixture
def x():
    return np.arange(400, dtype=np.float32)


def test_doublify_in_place_on_the_device(module):
    a = np.random.default_rng(0).standard_normal((4, 4)).astype(np.float32)
    memory = cuda.mem_alloc(a.nbytes)
    cuda.memcpy_htod(memory, a)
    module.get_function("doublify")(memory, block=(16, 1, 1))
    doubled = np.empty_like(a)
    cuda.memcpy_dtoh(doubled, memory)
    np.testing.assert_array_equal(doubled, 2 * a)


def test_managed_memory_with_a_median_on_the_host(module, context):
    a = cuda.managed_empty(shape=10, dtype=np.float32, mem_flags=cuda.mem_attach_flags.GLOBAL)
    a[:] = np.linspace(0, 9, len(a))
    module.get_function("doublify")(a, grid=(1, 1), block=(len(a), 1, 1))
    context.synchronize()
    assert np.median(a) == 9.0
    a.base.prefetch(cuda.Device(0))
    a.base.advise(cuda.mem_advise.SET_READ_MOSTLY, cuda.Device(0))
    a.base.prefetch()
    context.synchronize()
    assert a[9] == 18.0


def test_host_arrays_by_in_out_and_inout(module, x):
    y = np.ones_like(x)
    call = module.get_function("axpy")
    call(cuda.InOut(y), cuda.In(x), np.float32(3), np.int32(x.size), block=(256, 1, 1), grid=(2, 1))
    np.testing.assert_array_equal(y, 1 + 3 * x)
    call(cuda.InOut(y), cuda.In(x), np.float32(-3), np.int32(x.size), block=256, grid=2, stream=cuda.Stream())
    cuda.Context.synchronize()
    np.testing.assert_array_equal(y, np.ones_like(x))


def test_prepared_calls_and_shared_memory(module, x):
    a = cuda.to_device(x)
    reverse = module.get_function("reverse").prepare("P", shared=x.nbytes)
    reverse.prepared_call((1, 1), (x.size, 1, 1), a)
    np.testing.assert_array_equal(cuda.from_device_like(a, x), x[::-1])
    stream = cuda.Stream()
    reverse.prepared_async_call((1, 1), (x.size, 1, 1), stream, a, shared_size=x.nbytes)
    stream.synchronize()
    np.testing.assert_array_equal(cuda.from_device_like(a, x), x)
    assert 0 < reverse.prepared_timed_call((1, 1), (x.size, 1, 1), a)() < 1


def test_the_calls_of_old(module, x):
    y, a = cuda.to_device(x), cuda.to_device(x)
    axpy = module.get_function("axpy")
    axpy.set_block_shape(x.size, 1, 1)
    axpy.param_set(y, a, np.float32(2), np.int32(x.size))
    axpy.launch_grid(1, 1)
    np.testing.assert_array_equal(cuda.from_device_like(y, x), 3 * x)


def test_constant_memory(module, x):
    address, size = module.get_global("offset")
    assert size == 4
    cuda.memcpy_htod(address, np.float32(7))
    a = cuda.to_device(x)
    module.get_function("shift")(a, block=(x.size, 1, 1))
    np.testing.assert_array_equal(cuda.from_device_like(a, x), x + 7)


def test_wrong_arguments_are_refused_before_the_launch(module, x):
    a = cuda.to_device(x)
    axpy = module.get_function("axpy")
    assert axpy.parameter_sizes in (None, [8, 8, 4, 4])
    if axpy.parameter_sizes is not None:
        with pytest.raises(TypeError, match="argument 2 has 8 bytes, the kernel's parameter has 4"):
            axpy(a, a, np.float64(1), np.int32(1), block=1)
    with pytest.raises(cuda.LogicError, match="block \\(2000, 1, 1\\)"):
        axpy(a, a, np.float32(1), np.int32(1), block=2000)


def test_function_attributes_and_occupancy(module):
    axpy = module.get_function("axpy")
    assert axpy.num_regs > 0 and axpy.max_threads_per_block <= 1024
    assert axpy.binary_version >= 75 and axpy.local_size_bytes == 0
    assert axpy.max_active_blocks_per_multiprocessor(256) >= 1
    block, grid = axpy.max_potential_block_size()
    assert 32 <= block <= 1024 and grid >= 1
    axpy.set_cache_config(cuda.func_cache.PREFER_L1)


def test_copies_over_streams_and_events(x):
    stream, other = cuda.Stream(), cuda.Stream(priority=cuda.Context.get_stream_priority_range()[1])
    source, target = cuda.pagelocked_empty_like(x), cuda.pagelocked_zeros_like(x)
    source[:] = x
    a, b = cuda.mem_alloc(x.nbytes), cuda.mem_alloc(x.nbytes)
    start = cuda.Event().record(stream)
    cuda.memcpy_htod_async(a, source, stream)
    done = cuda.Event().record(stream)
    other.wait_for_event(done)
    cuda.memcpy_dtod_async(b, a, x.nbytes, other)
    cuda.memcpy_dtoh_async(target, b, other)
    other.synchronize()
    np.testing.assert_array_equal(target, x)
    assert done.query() and done.time_since(start) >= 0 and stream.is_done()


def test_memsets():
    a = cuda.mem_alloc(64)
    cuda.memset_d32(a, 0x01020304, 16)
    cuda.memset_d16(int(a) + 2, 0xFFFF, 1)
    cuda.memset_d2d8(a, 16, 9, 1, 4)
    words = cuda.from_device(a, 16, np.uint32)
    assert words[0] == 0xFFFF0309 and words[1] == 0x01020304 and words[4] == 0x01020309


def test_pitched_memory_and_structured_copies():
    matrix = np.arange(35, dtype=np.float32).reshape(5, 7)
    memory, pitch = cuda.mem_alloc_pitch(28, 5, 4)
    assert pitch >= 28
    cuda.memset_d32(memory, 0, 5 * pitch // 4)  # the padding too: it is read below
    copy = cuda.Memcpy2D()
    copy.set_src_host(matrix)
    copy.set_dst_device(memory)
    copy.src_pitch, copy.dst_pitch, copy.width_in_bytes, copy.height = 28, pitch, 28, 5
    copy(aligned=True)
    rows = cuda.from_device(memory, (5, pitch // 4), np.float32)
    np.testing.assert_array_equal(rows[:, :7], matrix)


def test_registered_host_memory(x):
    page = cuda.aligned_empty(4096, np.float32)
    locked = cuda.register_host_memory(page, cuda.mem_host_register_flags.DEVICEMAP)
    locked[:400] = x
    assert locked.base.get_device_pointer() != 0
    a = cuda.mem_alloc(x.nbytes)
    cuda.memcpy_dtod(a, locked.base.get_device_pointer(), x.nbytes)
    np.testing.assert_array_equal(cuda.from_device_like(a, x), x)


@pytest.mark.parametrize("order", ["C", "F"])
def test_texture_object_over_an_array(module, order):
    matrix = np.asarray(np.arange(12, dtype=np.float32).reshape(3, 4), order=order)
    array = cuda.matrix_to_array(matrix, order)
    expected = matrix if order == "C" else matrix.T
    height, width = expected.shape
    assert (array.get_descriptor().width, array.get_descriptor().height) == (width, height)
    out = np.zeros(expected.shape, np.float32)
    module.get_function("fetch")(cuda.Out(out), cuda.TextureObject(array), np.int32(width), block=(width, height, 1))
    np.testing.assert_array_equal(out, expected)


def test_texture_object_over_linear_memory(module, x):
    texture = cuda.TextureObject.from_linear(cuda.to_device(x), x.nbytes, cuda.array_format.FLOAT)
    out = np.zeros_like(x)
    module.get_function("fetch_line")(cuda.Out(out), texture, block=(x.size, 1, 1))
    np.testing.assert_array_equal(out, x)


def test_surface_object(module):
    array = cuda.np_to_array(np.zeros((3, 4), np.float32), "C", allowSurfaceBind=True)
    module.get_function("store")(cuda.SurfaceObject(array), block=(4, 3, 1))
    out = np.zeros((3, 4), np.float32)
    copy = cuda.Memcpy3D()
    copy.set_src_array(array)
    copy.set_dst_host(out)
    copy.width_in_bytes = copy.dst_pitch = 16
    copy.height = copy.dst_height = 3
    copy.depth = 1
    copy()
    np.testing.assert_array_equal(out, 100 * np.arange(3)[:, None] + np.arange(4))


def test_texture_references_name_their_replacement(module):
    with pytest.raises(cuda.LogicError, match="compilers since CUDA 12 make none, pass a TextureObject"):
        module.get_texref("texture")


def test_graph_of_a_captured_stream(module, x):
    a = cuda.to_device(x)
    doublify = module.get_function("doublify")
    stream = cuda.Stream()
    stream.begin_capture()
    for _ in range(3):
        doublify(a, block=(x.size, 1, 1), stream=stream)
    assert stream.is_capturing
    graph = stream.end_capture()
    assert len(graph) == 3
    np.testing.assert_array_equal(cuda.from_device_like(a, x), x)
    ready = graph.instantiate()
    ready.upload(stream)
    ready.launch(stream)
    ready.launch(stream)
    stream.synchronize()
    np.testing.assert_array_equal(cuda.from_device_like(a, x), 64 * x)
    assert ready.update(graph)


def test_ptx_is_translated_by_the_driver(x):
    ptx = cuda.nvrtc_compile('extern "C" {' + SOURCE + "}", "compute_80")
    try:
        module = cuda.module_from_buffer(ptx, [(cuda.jit_option.OPTIMIZATION_LEVEL, 3)])
    except cuda.RuntimeError as error:
        pytest.skip(str(error))  # NVRTC newer than the driver
    a = cuda.to_device(x)
    module.get_function("doublify")(a, block=(x.size, 1, 1))
    np.testing.assert_array_equal(cuda.from_device_like(a, x), 2 * x)


def test_engine_device_builds_and_reloads():
    device = _core.cuda.devices()[0]
    program = device.build('extern "C" __global__ void f(int* a) { *a = 1; }')
    assert program.binary[:4] == b"\x7fELF"
    assert device.load(program.binary).kernel("f").name == "f"
    free, total = device.memory_info()
    assert 0 < free <= total == cuda.Device(0).total_memory()
    with pytest.raises(errors.OutOfMemoryError) as caught:
        cuda.mem_alloc(total * 2)
    assert caught.value.asked == total * 2 and caught.value.free > 0


def test_device_says_what_it_is():
    device = cuda.Device(0)
    assert device == cuda.Device(device.pci_bus_id())
    assert device.get_attributes()[cuda.device_attribute.WARP_SIZE] == device.warp_size == 32
    assert cuda.Context.get_device() == device and len(device.uuid()) == 16
    assert cuda.get_driver_version() >= 12000


def test_an_illegal_address_ends_in_an_error_and_a_clean_exit(script):
    out = script(
        """
import numpy as np, pytest
import devarray.cuda as cuda
import devarray.cuda.autoprimaryctx
from devarray.cuda.compiler import SourceModule
keep = [cuda.mem_alloc(64), cuda.pagelocked_empty(4, np.int32), cuda.Stream(), cuda.Event()]
f = SourceModule("__global__ void f(int* a) { *a = 1; }").get_function("f")
f.prepare("P").prepared_call((1, 1), (1, 1, 1), 64)
with pytest.raises(cuda.LaunchError, match="ILLEGAL_ADDRESS.*context is lost"):
    cuda.Context.synchronize()
with pytest.raises(cuda.LaunchError):
    keep[2].synchronize()
print("done")
"""
    )
    assert out.split() == ["done"]


def test_ipc_memory_in_another_process(script, x):
    a = cuda.to_device(x)
    handle = cuda.mem_get_ipc_handle(a)
    out = script(
        f"""
import numpy as np
import devarray.cuda as cuda
import devarray.cuda.autoprimaryctx
memory = cuda.IPCMemoryHandle({handle!r}, offset=40)
print(*cuda.from_device(memory, 3, np.float32))
memory.close()
"""
    )
    assert [float(word) for word in out.split()] == [10.0, 11.0, 12.0]


def test_peer_copies_between_two_devices(context, x):
    if cuda.Device.count() < 2:
        pytest.skip("one CUDA device")
    there = cuda.Device(1).retain_primary_context()
    a = cuda.to_device(x)
    there.push()
    b = cuda.mem_alloc(x.nbytes)
    cuda.memcpy_peer(b, a, x.nbytes, dest_context=there, src_context=context)
    result = cuda.from_device_like(b, x)
    cuda.Context.pop()
    np.testing.assert_array_equal(result, x)
