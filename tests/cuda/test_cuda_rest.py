"""The rest of PyCUDA's page on a GPU: what the example programs do not need."""

import os

import numpy as np
import pytest

import devarray.cuda as cuda
from devarray.cuda.compiler import SourceModule

pytestmark = [pytest.mark.gpu, pytest.mark.usefixtures("context")]

SOURCE = """
__global__ void doublify(float* a) { a[threadIdx.x] *= 2; }
__global__ void fetch3(float* out, unsigned long long texture) {
  float4 v = tex2D<float4>(texture, threadIdx.x, threadIdx.y);
  float* p = out + 4 * (threadIdx.y * blockDim.x + threadIdx.x);
  p[0] = v.x; p[1] = v.y; p[2] = v.z; p[3] = v.w;
}
"""

# Texture and surface references, which compilers since CUDA 12 do not make, in the driver's own language.
REFERENCES = """
.version 7.0
.target sm_70
.address_size 64
.global .texref tex;
.global .surfref surf;
.visible .entry fetch(.param .u64 out) {
  .reg .u64 %rd<4>;
  .reg .u32 %r<3>;
  .reg .f32 %f<5>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [tex, {%r1}];
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd3, %rd1, %rd2;
  st.global.f32 [%rd3], %f1;
  ret;
}
"""


@pytest.fixture
def module():
    return SourceModule(SOURCE, cache_dir=False)


@pytest.fixture
def x():
    return np.arange(64, dtype=np.float32)


def test_devices_and_contexts_answer(context):
    device = cuda.Device(0)
    assert hash(device) == hash(cuda.Device(0)) and device == cuda.Device(0)
    assert cuda.Device.count() == 1 or device != cuda.Device(1)
    assert context.get_api_version() >= 3010
    for config in (cuda.func_cache.PREFER_SHARED, cuda.func_cache.PREFER_NONE):
        cuda.Context.set_cache_config(config)
        assert cuda.Context.get_cache_config() in cuda.func_cache.__members__.values()
    try:
        cuda.Context.set_shared_config(cuda.shared_config.FOUR_BYTE_BANK_SIZE)
        assert cuda.Context.get_shared_config() in cuda.shared_config.__members__.values()
    except cuda.Error as error:
        assert "bank" in str(error) or "NOT_SUPPORTED" in str(error)  # gone since CUDA 13, and the error says why
    old = cuda.Context.get_limit(cuda.limit.STACK_SIZE)
    cuda.Context.set_limit(cuda.limit.STACK_SIZE, 4096)
    assert cuda.Context.get_limit(cuda.limit.STACK_SIZE) >= 4096
    cuda.Context.set_limit(cuda.limit.STACK_SIZE, old)
    free, total = cuda.mem_get_info()
    assert 0 < free <= total == device.total_memory()


def test_events_of_another_process(script):
    event = cuda.Event(cuda.event_flags.INTERPROCESS | cuda.event_flags.DISABLE_TIMING)
    event.record().synchronize()
    handle = event.ipc_handle()
    assert len(handle) == 64
    out = script(
        f"""
import devarray.cuda as cuda
import devarray.cuda.autoprimaryctx
event = cuda.Event.from_ipc_handle({handle!r})
event.synchronize()
print(event.query())
"""
    )
    assert out.split() == ["True"]


def test_allocations_and_their_buffers(x):
    memory = cuda.mem_alloc(256)
    assert isinstance(memory, cuda.DeviceAllocation) and int(memory) == memory.get_pointer()
    view = memory.as_buffer(64, offset=16)
    assert memoryview(view).nbytes == 64 and np.frombuffer(view, np.uint8).ctypes.data == int(memory) + 16

    class Holder(cuda.PointerHolderBase):
        def get_pointer(self):
            return int(memory)

    cuda.memcpy_htod(Holder(), x)
    np.testing.assert_array_equal(cuda.from_device_like(memory, x), x)
    assert memoryview(Holder().as_buffer(32)).nbytes == 32
    memory.free()
    with pytest.raises(ValueError, match="freed"):
        int(memory)


def test_every_sort_of_host_memory(x, module):
    doublify = module.get_function("doublify")
    for make in (cuda.managed_empty_like, cuda.managed_zeros_like):
        a = make(x)
        assert isinstance(a.base, cuda.ManagedAllocation) and a.base.get_device_pointer() == a.ctypes.data
        a[:] = x
        doublify(a, block=(64, 1, 1))
        cuda.Context.synchronize()
        np.testing.assert_array_equal(a, 2 * x)
    zeros = cuda.managed_zeros((4, 4), np.int32, order="F")
    assert not zeros.any() and zeros.flags.f_contiguous
    stream = cuda.Stream()
    zeros.base.attach(cuda.mem_attach_flags.GLOBAL, stream)
    stream.synchronize()
    page = cuda.aligned_zeros_like(np.empty(1024, np.float32))
    assert isinstance(page.base, cuda.AlignedHostAllocation) and page.ctypes.data % 4096 == 0 and not page.any()
    locked = cuda.register_host_memory(page)
    assert isinstance(locked.base, cuda.RegisteredHostMemory) and locked.base.base is page
    cuda.memcpy_htod_async(cuda.mem_alloc(4096), locked, stream)
    stream.synchronize()
    locked.base.unregister()
    plain = cuda.aligned_empty(16, np.uint8, alignment=256)
    plain.base.free()
    with pytest.raises(ValueError, match="freed"):
        plain.base.free()
    pinned = cuda.pagelocked_zeros(
        16, np.uint8, mem_flags=cuda.host_alloc_flags.PORTABLE | cuda.host_alloc_flags.DEVICEMAP
    )
    assert isinstance(pinned.base, (cuda.PagelockedHostAllocation, cuda.HostAllocation))
    assert isinstance(pinned.base, cuda.HostPointer) and pinned.base.get_device_pointer()
    assert pinned.base.get_flags() & cuda.host_alloc_flags.PORTABLE
    pinned.base.free()


def test_arrays_and_their_descriptors():
    flat = cuda.ArrayDescriptor()
    flat.width, flat.height, flat.format, flat.num_channels = 8, 4, cuda.array_format.SIGNED_INT16, 2
    array = cuda.Array(flat)
    again = array.get_descriptor()
    assert (again.width, again.height, again.format, again.num_channels) == (8, 4, cuda.array_format.SIGNED_INT16, 2)
    solid = cuda.ArrayDescriptor3D()
    solid.width, solid.height, solid.depth, solid.format, solid.num_channels = 8, 4, 3, cuda.array_format.FLOAT, 1
    volume = cuda.Array(solid)
    again = volume.get_descriptor_3d()
    assert (again.width, again.height, again.depth, again.num_channels) == (8, 4, 3, 1)
    assert isinstance(volume.handle, int) and volume.handle != array.handle
    array.free()
    with pytest.raises(ValueError, match="freed"):
        array.get_descriptor()


def test_copies_of_one_dimensional_arrays(x):
    line = cuda.ArrayDescriptor()
    line.width, line.height, line.format, line.num_channels = 64, 0, cuda.array_format.FLOAT, 1
    a, b = cuda.Array(line), cuda.Array(line)
    cuda.memcpy_htoa(a, 0, x)
    cuda.memcpy_atoa(b, 0, a, 128, 128)
    memory = cuda.to_device(np.zeros_like(x))
    cuda.memcpy_atod(memory, b, 0, 128)
    cuda.memcpy_dtoa(b, 128, memory, 128)
    out = np.empty_like(x)
    cuda.memcpy_atoh(out, b, 0)
    np.testing.assert_array_equal(out, np.concatenate([x[32:], x[32:]]))


def test_structured_copies_between_arrays():
    matrix = np.arange(32, dtype=np.float32).reshape(4, 8)
    source, target = cuda.matrix_to_array(matrix, "C"), cuda.matrix_to_array(np.zeros_like(matrix), "C")
    copy = cuda.Memcpy2D()
    copy.set_src_array(source)
    copy.set_dst_array(target)
    copy.src_x_in_bytes, copy.src_y, copy.dst_x_in_bytes, copy.dst_y = 8, 1, 16, 0
    copy.width_in_bytes, copy.height = 16, 2
    copy()
    out = np.zeros_like(matrix)
    back = cuda.Memcpy2D()
    back.set_src_array(target)
    back.set_dst_host(out)
    back.dst_pitch, back.width_in_bytes, back.height = 32, 32, 4
    back(cuda.Stream())
    cuda.Context.synchronize()
    expected = np.zeros_like(matrix)
    expected[0:2, 4:8] = matrix[1:3, 2:6]
    np.testing.assert_array_equal(out, expected)
    memory = cuda.to_device(matrix)
    unified = cuda.Memcpy2D()
    unified.set_src_unified(np.frombuffer(memory.as_buffer(128), np.float32))
    unified.set_dst_unified(out)
    unified.src_pitch = unified.dst_pitch = unified.width_in_bytes = 32
    unified.height = 4
    unified()
    np.testing.assert_array_equal(out, matrix)


def test_structured_copies_in_three_dimensions():
    volume = np.arange(2 * 3 * 4, dtype=np.float32).reshape(2, 3, 4)
    array = cuda.np_to_array(volume, "C")
    memory = cuda.to_device(np.zeros((4, 3, 4), np.float32))
    copy = cuda.Memcpy3D()
    copy.set_src_array(array)
    copy.set_dst_device(memory)
    copy.src_z, copy.dst_z = 1, 2
    copy.dst_pitch, copy.dst_height = 16, 3
    copy.width_in_bytes, copy.height, copy.depth = 16, 3, 1
    copy()
    out = cuda.from_device(memory, (4, 3, 4), np.float32)
    np.testing.assert_array_equal(out[2], volume[1])
    assert not out[:2].any() and not out[3].any()


def test_fills_of_two_dimensions():
    memory = cuda.to_device(np.zeros(64, np.uint8))
    cuda.memset_d2d16(memory, 16, 0x0102, 3, 2)
    cuda.memset_d2d32(int(memory) + 32, 16, 0x01020304, 2, 2)
    out = cuda.from_device(memory, 64, np.uint8)
    assert out[:8].tolist() == [2, 1, 2, 1, 2, 1, 0, 0] and out[16:24].tolist() == out[:8].tolist()
    assert out[32:42].tolist() == [4, 3, 2, 1, 4, 3, 2, 1, 0, 0] and out[48:56].tolist() == out[32:40].tolist()


def test_many_channels_in_a_texture(module):
    matrix = np.arange(3 * 5 * 4, dtype=np.float32).reshape(3, 5, 4)
    array = cuda.make_multichannel_2d_array(matrix, "C")
    assert array.get_descriptor().num_channels == 4
    out = np.zeros_like(matrix)
    module.get_function("fetch3")(cuda.Out(out), cuda.TextureObject(array), block=(5, 3, 1))
    np.testing.assert_array_equal(out, matrix)


def test_texture_references(x):
    """They live in code of old compilers, which the driver still loads."""
    try:
        loaded = cuda.module_from_buffer(REFERENCES.encode() + b"\0")
    except cuda.Error as error:
        pytest.skip(f"the driver takes no texture references: {error}")
    assert isinstance(loaded, cuda.Module)
    texture = loaded.get_texref("tex")
    assert isinstance(texture, cuda.TextureReference)
    texture.set_format(cuda.array_format.FLOAT, 1)
    assert texture.get_format() == (cuda.array_format.FLOAT, 1)
    texture.set_flags(cuda.TRSF_READ_AS_INTEGER)
    assert texture.get_flags() == cuda.TRSF_READ_AS_INTEGER
    texture.set_address_mode(0, cuda.address_mode.CLAMP)
    assert texture.get_address_mode(0) == cuda.address_mode.CLAMP
    texture.set_filter_mode(cuda.filter_mode.POINT)
    assert texture.get_filter_mode() == cuda.filter_mode.POINT
    memory = cuda.to_device(x)
    assert texture.set_address(memory, x.nbytes) == 0
    fetch = loaded.get_function("fetch")
    fetch.param_set_texref(texture)
    out = np.zeros_like(x)
    fetch(cuda.Out(out), block=(64, 1, 1), texrefs=[texture])
    np.testing.assert_array_equal(out, x)
    array = cuda.matrix_to_array(x.reshape(1, 64), "C")
    texture.set_array(array)
    assert texture.get_array() == array
    descriptor = cuda.ArrayDescriptor()
    descriptor.width, descriptor.height, descriptor.format = 8, 8, cuda.array_format.FLOAT
    descriptor.num_channels = 1
    pitched, pitch = cuda.mem_alloc_pitch(32, 8, 4)
    texture.set_address_2d(pitched, descriptor, pitch)
    surface = loaded.get_surfref("surf")
    assert isinstance(surface, cuda.SurfaceReference)
    bound = cuda.np_to_array(x.reshape(8, 8), "C", allowSurfaceBind=True)
    surface.set_array(bound)
    assert surface.get_array() == bound


def test_modules_from_files(tmp_path, x):
    from devarray.cuda import compiler

    cubin = compiler.compile(SOURCE, cache_dir=False)
    path = tmp_path / "module.cubin"
    path.write_bytes(cubin)
    function = cuda.module_from_file(os.fspath(path)).get_function("doublify")
    assert isinstance(function, cuda.Function) and function.shared_size_bytes == 0
    function.set_shared_config(cuda.shared_config.FOUR_BYTE_BANK_SIZE)
    a = cuda.to_device(x)
    function(a, block=(64, 1, 1))
    np.testing.assert_array_equal(cuda.from_device_like(a, x), 2 * x)
    with pytest.raises(cuda.Error):
        cuda.module_from_buffer(b"this is no module")


def test_argument_handlers_of_ones_own(module, x):
    class Doubled(cuda.ArgumentHandler):
        def pre_call(self, stream):
            cuda.memcpy_htod(self.get_device_alloc(), self.array)

        def post_call(self, stream):
            cuda.memcpy_dtoh(self.array, self.get_device_alloc())

    a = x.copy()
    module.get_function("doublify")(Doubled(a), block=(64, 1, 1))
    np.testing.assert_array_equal(a, 2 * x)


def test_profiler_control():
    cuda.start_profiler()
    cuda.stop_profiler()
    with pytest.raises(cuda.Error, match=r"(?i)profiler"):
        cuda.initialize_profiler("config", "output", cuda.profiler_output_mode.CSV)  # gone since CUDA 12
