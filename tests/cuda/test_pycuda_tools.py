"""pycuda.curandom, pycuda.scan and pycuda.tools by their names: numbers on any device, pools and contexts over the
stand-in driver."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import devarray as da
from devarray import errors
from devarray.cuda import curandom, gpuarray, tools
from devarray.cuda.elementwise import ElementwiseKernel
from devarray.cuda.reduction import ReductionKernel
from devarray.cuda.scan import ExclusiveScanKernel, InclusiveScanKernel

PSEUDO = [curandom.XORWOWRandomNumberGenerator, curandom.MRG32k3aRandomNumberGenerator]


def seeds(n):
    return np.full(n, 42)


@pytest.mark.parametrize("kind", PSEUDO)
def test_pseudo_random_numbers_have_their_distributions(device, kind):
    generator = kind(seeds)
    x = da.empty((100, 1000), "float32")
    generator.fill_uniform(x)
    host = x.copy_to_host()
    assert 0 < host.min() <= host.max() <= 1
    assert abs(host.mean() - 0.5) < 0.005
    generator.fill_normal(x)
    assert abs(x.copy_to_host().mean()) < 0.02
    assert abs(x.copy_to_host().std() - 1) < 0.02
    generator.fill_log_normal(x, 1.0, 0.5)
    assert abs(np.log(x.copy_to_host()).mean() - 1) < 0.02
    counts = da.empty(100000, "uint32")
    generator.fill_poisson(counts, 3.5)
    assert abs(counts.copy_to_host().mean() - 3.5) < 0.05
    means = da.full(100000, 9, dtype="uint32")
    generator.fill_poisson(means)
    assert abs(means.copy_to_host().mean() - 9) < 0.1
    words = da.empty(100000, "uint32")
    generator.fill_uniform(words)
    assert abs(words.copy_to_host().mean() / 2**31 - 1) < 0.02


def test_generators_are_made_by_their_seeds(device):
    def drawn(kind, seed):
        x = da.empty(64, "float64")
        kind(seed).fill_uniform(x)
        return x.copy_to_host().tolist()

    xorwow, mrg = PSEUDO
    assert drawn(xorwow, seeds) == drawn(xorwow, seeds)
    assert drawn(xorwow, seeds) != drawn(mrg, seeds)
    assert drawn(xorwow, None) != drawn(xorwow, None)


def test_numbers_are_skipped(device):
    generator, x, y = PSEUDO[0](seeds), da.empty(12, "float64"), da.empty(8, "float64")
    generator.fill_uniform(x)
    later = PSEUDO[0](seeds)
    later.call_skip_ahead(4)
    later.fill_uniform(y)
    assert set(y.copy_to_host()).isdisjoint(x.copy_to_host()[:4])
    sequence, z = PSEUDO[1](seeds), da.empty(8, "float64")
    sequence.call_skip_ahead_subsequence(1)
    sequence.fill_uniform(z)
    assert set(z.copy_to_host()).isdisjoint(x.copy_to_host())


@pytest.mark.parametrize(
    ("kind", "dtype"),
    [
        (curandom.Sobol32RandomNumberGenerator, "float32"),
        (curandom.Sobol32RandomNumberGenerator, "float64"),
        (curandom.Sobol64RandomNumberGenerator, "float64"),
    ],
)
def test_sobols_numbers_are_those_of_scipy(device, kind, dtype):
    qmc = pytest.importorskip("scipy.stats").qmc
    x, y = da.empty((4, 16), dtype), da.empty(64, dtype)
    generator = kind()
    generator.fill_uniform(x)
    generator.fill_uniform(y)
    expected = qmc.Sobol(1, scramble=False).random_base2(7)[:, 0]
    np.testing.assert_array_equal(np.concatenate([x.copy_to_host().ravel(), y.copy_to_host()]), expected)
    later = da.empty(8, dtype)
    kind(offset=100).fill_uniform(later)
    np.testing.assert_array_equal(later.copy_to_host(), expected[100:108])


@pytest.mark.parametrize(
    "kind", [curandom.ScrambledSobol32RandomNumberGenerator, curandom.ScrambledSobol64RandomNumberGenerator]
)
def test_scrambled_numbers_fill_the_interval_evenly(device, kind):
    x = da.empty(1024, "float64")
    kind(scramble_vector=np.array([0xDEADBEEF12345678 & (1 << kind._bits) - 1], np.uint64)).fill_uniform(x)
    assert sorted((x.copy_to_host() * 1024).astype(int)) == list(range(1024))
    normal = da.empty(4096, "float64")
    kind().fill_normal(normal)
    assert abs(normal.copy_to_host().mean()) < 0.01
    assert abs(normal.copy_to_host().std() - 1) < 0.01


def test_what_no_generator_draws_is_named(device):
    with pytest.raises(errors.DTypeError, match="complex64"):
        PSEUDO[0]().fill_uniform(da.empty(3, "complex64"))
    with pytest.raises(errors.DTypeError, match="32 bits"):
        curandom.Sobol32RandomNumberGenerator().fill_uniform(da.empty(3, "uint64"))
    with pytest.raises(ValueError, match="32 words"):
        curandom.Sobol32RandomNumberGenerator(np.ones(5))


def test_scans(device):
    host = np.random.default_rng(1).integers(-9, 9, 2000).astype("int64")
    x = da.asarray(host)
    out = da.empty_like(x)
    assert ExclusiveScanKernel("int64", "a+b", 0)(x, out) is out
    np.testing.assert_array_equal(out.copy_to_host(), np.cumsum(host) - host)
    InclusiveScanKernel("int64", "max(a, b)")(x)
    np.testing.assert_array_equal(x.copy_to_host(), np.maximum.accumulate(host))


def test_registered_structures_are_reduced_and_written(device):
    dtype = np.dtype([("value", np.float32), ("count", np.int32)], align=True)
    tools.register_dtype(dtype, "counted_t")
    text = """
    typedef struct { float value; int count; } counted_t;
    __device__ counted_t one_of(float x) { counted_t r; r.value = x; r.count = 1; return r; }
    __device__ counted_t both_of(counted_t a, counted_t b) { a.value += b.value; a.count += b.count; return a; }
    """
    x = da.arange(1000, dtype="float32")
    total = ReductionKernel(dtype, "one_of(0)", "both_of(a, b)", "one_of(x[i])", "float *x", preamble=text)(x)
    assert total.copy_to_host().tolist() == (499500.0, 1000)
    records = da.to_device(np.zeros(10, dtype))
    ElementwiseKernel("counted_t *r", "r[i].count = i", preamble=text)(records)
    assert records.copy_to_host()["count"].tolist() == list(range(10))


def test_c_types():
    assert tools.dtype_to_ctype("uint64") == "unsigned long long"
    assert tools.dtype_to_ctype("complex64") == "pycuda::complex<float>"
    assert tools.parse_c_arg("const unsigned int *n") == tools.VectorArg(np.uint32, "n")
    assert isinstance(tools.parse_c_arg("double s"), tools.ScalarArg)
    with pytest.raises(ValueError, match="register_dtype"):
        tools.dtype_to_ctype([("never", "i2")])
    with pytest.raises(ValueError, match="registered as"):
        tools.register_dtype(np.int32, "float")
    kernel = ElementwiseKernel([tools.VectorArg(np.float32, "x"), tools.ScalarArg(np.float32, "s")], "x[i] *= s")
    assert kernel is not None


def test_c_types_of_cudas_vectors():
    assert tools.parse_c_arg("const float3 *v") == tools.VectorArg(gpuarray.vec.float3, "v")
    assert tools.parse_c_arg("uchar4 v") == tools.ScalarArg(gpuarray.vec.uchar4, "v")
    assert tools.get_or_register_dtype("float3") == gpuarray.vec.float3
    assert tools.dtype_to_ctype(gpuarray.vec.double2) == "double2"
    assert tools.get_or_register_dtype("char") == np.int8
    texts = ("float *x", "double a", "unsigned int n", "double2 v", "pycuda::complex<float> z")
    assert [tools.get_arg_type(text) for text in texts] == ["P", "d", "I", "16s", "F"]
    with pytest.raises(errors.DTypeError, match="never_t"):
        tools.get_arg_type("never_t x")
    hacked = [tools.dtype_to_ctype(name, with_fp_tex_hack=True) for name in ("float32", "float64", "complex128")]
    assert hacked == ["float", "fp_tex_double", "fp_tex_cdouble"]


def test_registered_names_of_numbers_are_known_to_kernels(device):
    tools.register_dtype(np.float32, "my_real_t")
    assert tools.parse_c_arg("my_real_t *x") == tools.VectorArg(np.float32, "x")
    x = da.arange(5, dtype="float32")
    ElementwiseKernel("my_real_t *x", "x[i] = 2 * x[i]", preamble="typedef float my_real_t;")(x)
    np.testing.assert_array_equal(x.copy_to_host(), 2 * np.arange(5, dtype=np.float32))


@pytest.mark.parametrize("name", ["float2", "float4", "uchar4", "int2"])
@pytest.mark.parametrize("described", [False, True], ids=["text", "VectorArg"])
def test_arrays_of_vectors_in_generated_kernels(device, name, described):
    dtype = getattr(gpuarray.vec, name)
    expected = np.zeros(100, dtype)
    expected["x"], expected["y"] = np.arange(100), 7
    x = da.to_device(np.zeros(100, dtype))
    ElementwiseKernel([tools.VectorArg(dtype, "v")] if described else f"{name} *v", "v[i].x = i, v[i].y = 7")(x)
    np.testing.assert_array_equal(x.copy_to_host(), expected)


def test_vectors_are_reduced_and_scanned(device):
    dtype = gpuarray.vec.float2
    host = np.zeros(500, dtype)
    host["x"], host["y"] = np.arange(500), 1
    add = "__device__ float2 added(float2 a, float2 b) { a.x += b.x; a.y += b.y; return a; }"
    zero = "__device__ float2 nothing() { float2 a; a.x = 0; a.y = 0; return a; }"
    x = da.to_device(host)
    total = ReductionKernel(dtype, "nothing()", "added(a, b)", "v[i]", "float2 *v", preamble=add + zero)(x)
    assert total.copy_to_host().tolist() == (host["x"].sum(), 500)
    InclusiveScanKernel(dtype, "added(a, b)", preamble=add)(x)
    np.testing.assert_array_equal(x.copy_to_host()["x"], np.cumsum(host["x"]))


def test_vectors_of_three_have_the_room_of_the_devices_language(device):
    """Three floats in CUDA, the room of four in OpenCL: an array that is laid out otherwise is refused by name."""
    x = da.to_device(np.zeros(10, gpuarray.vec.float3))
    kernel = ElementwiseKernel("float3 *v", "v[i].z = i")
    if device.driver == "cuda":
        kernel(x)
        assert x.copy_to_host()["z"].tolist() == list(range(10))
    else:
        with pytest.raises(errors.DTypeError, match="elements of v have 12 bytes, and float3 has 16"):
            kernel(x)


def test_pools_and_contexts(with_fake_driver):
    with_fake_driver("""
from devarray.cuda import gpuarray, tools
cuda.init()
context = tools.make_default_context(lambda device: device.retain_primary_context())
context.push()
calls = []
made = tools.context_dependent_memoize(lambda n: calls.append(n) or n)
assert (made(1), made(1), made(2), calls) == (1, 1, 2, [1, 2])
tools.clear_context_caches()
assert made(1) == 1 and calls == [1, 2, 1]

pool = tools.DeviceMemoryPool()
first = pool.allocate(1000)
address = int(first)
assert (pool.active_blocks, pool.active_bytes, first.size) == (1, 1000, 1000)
cuda.memcpy_htod(first, np.arange(250, dtype=np.int32))
back = np.empty(250, np.int32)
cuda.memcpy_dtoh(back, first)
assert back.tolist() == list(range(250))
first.free()
assert (pool.active_blocks, pool.active_bytes) == (0, 0) and pool.managed_bytes >= 1000
with pytest.raises(ValueError, match="given back"):
    first.free()
again = pool(1000)
assert int(again) == address
for allocator in (pool, pool.allocate):
    x = gpuarray.empty(100, np.float32, allocator=allocator)
    assert pool.active_blocks == 2, pool.active_blocks
    del x
    assert pool.active_blocks == 1
del again
pool.free_held()
assert pool.managed_bytes == 0

host = tools.PageLockedMemoryPool(tools.PageLockedAllocator())
array = host.allocate((3, 4), np.int16, order="F")
assert array.shape == (3, 4) and array.flags.f_contiguous and host.active_blocks == 1
assert isinstance(array.base, tools.PooledHostAllocation) and len(array.base) == 24
array[...] = 7
view = array[1:]
del array
assert host.active_blocks == 1 and (view == 7).all()
del view
assert host.active_blocks == 0
assert host.allocate(0, np.int16).shape == (0,)
of_fields = np.dtype([("n", "i1"), ("x", "f4")], align=True)
for dtype in ("c16", "M8[s]", "S3", "U2", of_fields):
    made = host.allocate((2, 3), dtype)
    assert made.dtype == np.dtype(dtype) and made.strides == np.empty((2, 3), dtype).strides
    made[...] = np.ones((2, 3), dtype)
    assert (made == np.ones((2, 3), dtype)).all()
base = host.allocate(100, np.int8).base
assert host.active_blocks == 2
base.free()
assert host.active_blocks == 1 and len(base) == 0
with pytest.raises(ValueError, match="given back"):
    base.free()
cuda.Context.pop()
""")


def test_memory_of_one_pool_does_not_overlap(with_fake_driver):
    """Blocks lie side by side in larger allocations, each where the pool says."""
    with_fake_driver("""
from devarray.cuda import tools
cuda.Device(0).retain_primary_context().push()
pool = tools.DeviceMemoryPool()
parts = [pool.allocate(1000) for _ in range(50)]
for n, part in enumerate(parts):
    assert int(part) == part.block.handle
    cuda.memcpy_htod(part, np.full(1000, n, np.uint8))
back = np.empty(1000, np.uint8)
for n, part in enumerate(parts):
    cuda.memcpy_dtoh(back, part)
    assert (back == n).all(), n
host = tools.PageLockedMemoryPool()
arrays = [host.allocate(1000, np.uint8) for _ in range(50)]
for n, array in enumerate(arrays):
    array[...] = n
assert all((array == n).all() for n, array in enumerate(arrays))
assert not any(np.shares_memory(a, b) for a in arrays for b in arrays if a is not b)
cuda.Context.pop()
""")


def test_a_pool_that_writes_down_its_allocations(with_fake_driver):
    printed = with_fake_driver("""
import builtins, io
from devarray.cuda import gpuarray, tools
context = tools.make_default_context(lambda device: device.retain_primary_context())
context.push()
log = io.StringIO()
pool = tools.DebugMemoryPool(interactive=False, logfile=log)
def one_place():
    return pool.allocate(1000)
first, second = one_place(), one_place()
x = gpuarray.empty(100, np.float32, allocator=pool.allocate)
del second
pool(500)
said = log.getvalue()
assert said.count("Allocation of size 1000 occurring") == 2 and "one_place|" not in said
assert "free: 1000, total:1073741824" in said and "|one_place" in said
last = said[said.index("Allocation of size 500"):]
assert "(1000 bytes): 1x" in last and "(400 bytes): 1x" in last and "active:2" in last
assert pool.active_blocks == 2
del x, first
assert pool.active_blocks == 0
words = iter(["", "here", "", ""])
builtins.input = lambda text: next(words)
asking = tools.DebugMemoryPool(logfile=log)
for _ in range(2):
    asking.allocate(64)
assert log.getvalue().count("at: here") == 2
assert list(asking.stacktrace_mnemonics.values()) == ["here"]
cuda.Context.pop()
""")
    assert not printed


def test_the_device_that_a_user_chooses(with_fake_driver, tmp_path):
    """CUDA_DEVICE goes before the file .cuda_device in the user's home; without both a context is tried everywhere."""
    code = """
from devarray.cuda import tools
cuda.init()
asked = []
tools.make_default_context(lambda device: asked.append(device) or device)
print(asked[0] == cuda.Device(1), tools.get_default_device() == cuda.Device(1))
"""
    assert with_fake_driver(code, HOME=str(tmp_path), CUDA_DEVICE="1") == "True True\n"
    assert with_fake_driver(code, HOME=str(tmp_path)) == "False False\n"
    (tmp_path / ".cuda_device").write_text("1\n")
    assert with_fake_driver(code, HOME=str(tmp_path)) == "True True\n"
    assert with_fake_driver(code, HOME=str(tmp_path), CUDA_DEVICE="0") == "False False\n"
    (tmp_path / ".cuda_device").write_text("first\n")
    with_fake_driver(
        """
from devarray.cuda import tools
with pytest.raises(ValueError, match="cuda_device is 'first'"):
    tools.make_default_context()
""",
        HOME=str(tmp_path),
    )
    assert (
        with_fake_driver(
            """
from devarray.cuda import autoprimaryctx
print(autoprimaryctx.device == cuda.Device(1), cuda.Context.get_device() == cuda.Device(1))
""",
            HOME=str(tmp_path),
            CUDA_DEVICE="1",
        )
        == "True True\n"
    )


def test_grids_for_elements_in_a_row(with_fake_driver):
    with_fake_driver("""
from devarray.cuda import gpuarray
cuda.init()
class Device:
    def get_attribute(self, name):
        return {"MULTIPROCESSOR_COUNT": 10, "WARP_SIZE": 32, "MAX_BLOCKS_PER_MULTIPROCESSOR": 8,
                "MAX_THREADS_PER_MULTIPROCESSOR": 2048}.get(name.name, 1)
assert [gpuarray.splay(n, Device()) for n in (0, 1, 32, 33, 320 * 32, 320 * 32 + 1, 320 * 96, 320 * 128 * 10)] == [
    ((1, 1), (32, 1, 1)), ((1, 1), (32, 1, 1)), ((1, 1), (32, 1, 1)), ((2, 1), (32, 1, 1)), ((320, 1), (32, 1, 1)),
    ((320, 1), (64, 1, 1)), ((320, 1), (96, 1, 1)), ((320, 1), (128, 1, 1))]
cuda.Device(0).retain_primary_context().push()
assert gpuarray.splay(10) == ((1, 1), (32, 1, 1))
""")


def test_textures_by_reference(with_fake_driver):
    """No module that NVRTC compiles has a reference: what is asked of one is looked at."""
    with_fake_driver("""
from devarray.cuda import gpuarray
context = cuda.Device(0).retain_primary_context()
context.push()
class Reference:
    def __init__(self): self.asked, self.flags = [], 2
    def __getattr__(self, name): return lambda *args: self.asked.append((name, *args))
    def set_address(self, address, nbytes, allow_offset):
        self.asked.append(("set_address", nbytes, allow_offset))
        return 32
    def get_flags(self): return self.flags
reference, array = Reference(), object()
cuda.bind_array_to_texref(array, reference)
clamp = cuda.address_mode.CLAMP
assert reference.asked == [("set_array", array), ("set_address_mode", 0, clamp), ("set_address_mode", 1, clamp),
                           ("set_filter_mode", cuda.filter_mode.POINT)]
for wrong in (np.zeros(3), (), None):
    with pytest.raises(errors.DTypeError, match="texref is a TextureReference, not"):
        cuda.bind_array_to_texref(array, wrong)
with pytest.raises(errors.ShapeError):
    cuda.matrix_to_texref(np.zeros(3, np.float32), reference, "C")
forms = cuda.array_format
for dtype, given, form, channels, flags in (
        ("float32", {"channels": 4}, forms.FLOAT, 4, None), ("int16", {}, forms.SIGNED_INT16, 1, 3),
        ("float64", {"allow_double_hack": True}, forms.SIGNED_INT32, 2, 3),
        ("complex64", {"allow_complex_hack": True}, forms.UNSIGNED_INT32, 2, 3),
        ("complex128", {"allow_complex_hack": True, "allow_offset": True}, forms.SIGNED_INT32, 4, 3)):
    x, reference = gpuarray.empty((4, 8), dtype), Reference()
    assert x.mem_size == 32
    assert x.bind_to_texref_ext(reference, **given) == 32 // x.itemsize
    wanted = [("set_address", x.nbytes, given.get("allow_offset", False)), ("set_format", form, channels)]
    assert reference.asked == wanted + ([] if flags is None else [("set_flags", flags)])
with pytest.raises(errors.DTypeError, match="float64"):
    gpuarray.empty(8, "float64").bind_to_texref_ext(Reference())
with pytest.raises(ValueError, match="one channel, not 2"):
    gpuarray.empty(8, "float64").bind_to_texref_ext(Reference(), 2, True)
with pytest.raises(ValueError, match="side by side"):
    gpuarray.empty(8, "float32")[::2].bind_to_texref_ext(Reference())
assert cuda.have_gl_ext() is False
context.pop()
""")


def test_a_test_of_its_own_context(with_fake_driver):
    with_fake_driver("""
from devarray.cuda import tools
@tools.mark_cuda_test
def named(x):
    return cuda.Context.get_current() is not None and x
assert named(3) == 3 and named.__name__ == "named"
assert cuda.Context.get_current() is None
""")


class Multiprocessor:
    max_threads, warp_size, warps_per_mp, thread_blocks_per_mp = 1024, 32, 64, 32
    registers, shared_memory, smem_alloc_granularity = 65536, 49152, 128


@pytest.mark.parametrize(
    ("threads", "memory", "registers", "blocks", "bound"),
    [
        (32, 0, 0, 32, "device"),
        (1024, 0, 0, 2, "warps"),
        (256, 0, 64, 4, "regs"),
        (128, 16000, 0, 3, "smem"),
    ],
)
def test_occupancy(threads, memory, registers, blocks, bound):
    record = tools.OccupancyRecord(Multiprocessor(), threads, memory, registers)
    assert (record.tb_per_mp, record.limited_by) == (blocks, bound)
    assert record.occupancy == blocks * -(-threads // 32) / 64
    with pytest.raises(ValueError, match="too many threads: 2048"):
        tools.OccupancyRecord(Multiprocessor(), 2048)
    with pytest.raises(ValueError, match="too many registers"):
        tools.OccupancyRecord(Multiprocessor(), 1024, 0, 255)
    with pytest.raises(ValueError, match="too much smem"):
        tools.OccupancyRecord(Multiprocessor(), 32, 60000)


def test_alignment_of_rows(with_fake_driver):
    with_fake_driver("""
from devarray.cuda import tools
cuda.init()
data = tools.DeviceData(cuda.Device(0))
assert data.max_threads == 1024 and data.warp_size == 32
assert [data.align_bytes(n) for n in (4, 8, 16)] == [64, 128, 128]
assert data.align(100) == 128 and data.align_words(8) == 16 and data.align_dtype(17, 4) == 32
assert data.coalesce(17) == 32
assert [data.make_valid_tex_channel_count(n) for n in (1, 2, 3, 4)] == [1, 2, 4, 4]
with pytest.raises(ValueError, match="3 bytes"):
    data.align_bytes(3)
""")


@pytest.mark.parametrize("name", ["empty_like", "zeros_like", "ones_like"])
def test_parameters_of_arrays_like_another(name):
    parameters = inspect.signature(getattr(gpuarray, name)).parameters.values()
    assert [(p.name, p.default) for p in parameters][1:] == [("dtype", None), ("order", "K")]
    assert next(iter(parameters)).name == "other_ary"
