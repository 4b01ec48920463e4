"""RawKernel and RawModule: CUDA C, OpenCL C and template kernels on the process's device."""

from __future__ import annotations

import numpy as np
import pytest
from oracle import same

import devarray as da
from devarray import errors

MODULE = r"""
// Two kernels in CUDA's words.
extern "C" {

__global__ void total(const float* x1, const float* x2, float* y, \
                      unsigned int N)
{
    unsigned int tid = blockDim.x * blockIdx.x + threadIdx.x;
    if (tid < N) y[tid] = x1[tid] + x2[tid];
}

__global__ void block_sums(const float* x, float* y, int n) {
    __shared__ float part[64];
    const int t = threadIdx.x;
    part[t] = blockIdx.x * 64 + t < n ? x[blockIdx.x * 64 + t] : 0.0f;
    __syncthreads();
    for (int s = 32; s > 0; s /= 2) { if (t < s) part[t] += part[t + s]; __syncthreads(); }
    if (t == 0) atomicAdd(y, part[0]);
}
}
"""


@pytest.fixture
def x(device):
    return da.arange(1000, dtype="float32")


def test_cuda_words(x):
    module = da.RawModule(code=MODULE)
    y, sums = da.empty_like(x), da.zeros(1, dtype="float32")
    assert module.get_function("total")((16,), (64,), (x, x * 2, y, 1000)) is None
    same(y, np.arange(1000, dtype="float32") * 3)
    module.get_function("block_sums")((16,), (64,), (x, sums, 1000))
    same(sums, np.float32([499500]))


def test_opencl_words(x):
    kernel = da.RawKernel(
        "__kernel void add(__global float* x, int n) { int i = get_global_id(0); if (i < n) x[i] += n; }", "add"
    )
    kernel((4,), (16,), (x, np.int32(50)))
    same(x, np.arange(1000, dtype="float32") + 50 * (np.arange(1000) < 50).astype("float32"))


def test_a_kernel_without_arrays_runs_on_its_queue(device):
    kernel = da.RawKernel("KERNEL void nothing(int n) { int m = n; (void)m; }", "nothing")
    kernel((1,), (1,), (np.int32(3),))
    kernel((1,), (1,), (np.int32(3),), stream=da.queue())


def test_names_of_both(x):
    kernel = da.RawKernel(
        "KERNEL void twice(GLOBAL float* x, int n) { if (GLOBAL_ID(0) < n) x[GLOBAL_ID(0)] *= 2; }", "twice"
    )
    kernel(16, 64, (x[512:], 488))  # where buffers may start, too
    wanted = np.arange(1000, dtype="float32")
    wanted[512:] *= 2
    same(x, wanted)


def test_templates(x):
    code = """
    template <typename T, int N>
    __global__ void scale(T* x, T by) { x[threadIdx.x] *= by + N; }
    """
    module = da.RawModule(code=code, name_expressions=["scale<float, 3>", "scale<int, 1>"])
    k = da.arange(4, dtype="int32")
    module.get_function("scale<float, 3>")((1,), (4,), (x, 10))
    module.get_function("scale<int, 1>")((1,), (4,), (k, 1))
    same(x[:6], np.float32([0, 13, 26, 39, 4, 5]))
    same(k, np.int32([0, 2, 4, 6]))
    with pytest.raises(ValueError, match="not among name_expressions"):
        module.get_function("scale<double, 3>")
    one = da.RawKernel(code, "scale<float, 0>")
    one((1,), (4,), (x, 2.0))
    same(x[:5], np.float32([0, 26, 52, 78, 4]))


def test_errors_name_the_line(x):
    code = "__global__ void wrong(float* x)\n{\n  x[0] = nothing;\n}"
    with pytest.raises(errors.CompileError, match=r"line 3 of wrong: `x.0. = nothing;`"):
        da.RawKernel(code, "wrong")((1,), (1,), (x,))
    with pytest.raises(errors.CompileError, match="line 3 of wrong"):
        da.RawKernel(code.replace("__global__", 'extern "C" __global__'), "wrong").compile()
    with pytest.raises(ValueError, match="no kernel 'missing'"):
        da.RawModule(code=code).get_function("missing")
    with pytest.raises(ValueError, match="Exactly one of"):
        da.RawModule()
    with pytest.raises(errors.DTypeError, match="NumPy array"):
        da.RawKernel(MODULE, "total")((1,), (1,), (x, x, np.ones(3, "float32"), 3))


def test_a_file(x, tmp_path):
    path = tmp_path / "kernels.cu"
    path.write_text(MODULE)
    y = da.empty_like(x)
    da.RawModule(path=path).get_function("total")((16,), (64,), (x, x, y, np.uint32(1000)))
    same(y, np.arange(1000, dtype="float32") * 2)


def test_work_before_and_after_is_ordered(x):
    module = da.RawModule(code=MODULE)
    total = module.get_function("total")
    y = x * 5
    pending = y + 1
    total((16,), (64,), (y, y, y, 1000))
    same(pending, np.arange(1000, dtype="float32") * 5 + 1)
    same(y - 1, np.arange(1000, dtype="float32") * 10 - 1)


def test_cupys_header_of_complex_numbers(device):
    kernel = da.RawKernel(
        """
        #include <cupy/complex.cuh>
        #include <cstdint>
        extern "C" __global__ void f(const complex<float>* x, const complex<float>* y, complex<float>* z, float a) {
          int32_t i = threadIdx.x;
          z[i] = x[i] + a * y[i] * x[i] / (1.0f + y[i]) - sqrt(x[i]) * conj(y[i]);
        }
        """,
        "f",
    )
    rng = np.random.default_rng(0)
    x, y = ((rng.normal(size=32) + 1j * rng.normal(size=32)).astype("c8") for _ in range(2))
    z = da.empty(32, dtype="c8")
    kernel((1,), (32,), (da.asarray(x), da.asarray(y), z, np.float32(2)))
    np.testing.assert_allclose(z.copy_to_host(), x + 2 * y * x / (1 + y) - np.sqrt(x) * y.conj(), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("pointer", ["float* y", "float *y", "float* const y"])
def test_read_only_arrays_are_for_const_pointers(x, pointer):
    kernel = da.RawKernel(f"__global__ void f(const float* x, {pointer}) {{ y[threadIdx.x] = x[threadIdx.x]; }}", "f")
    source, target = x[:4], da.zeros(4, "float32")
    source.flags.writeable = False
    kernel((1,), (4,), (source, target))
    same(target, np.arange(4, dtype="float32"))
    target.flags.writeable = False
    with pytest.raises(errors.ValueError, match="f: the array for y is read-only, and the text may write"):
        kernel((1,), (4,), (x[4:], target))
    same(target, np.arange(4, dtype="float32"))


def test_options_of_cuda_compilers(x):
    """What programs give NVRTC: OpenCL's compilers get its fast arithmetic, and no standard of C++."""
    options = ("-std=c++11", "--std=c++17", "--use_fast_math", "-DBY=3")
    kernel = da.RawKernel('extern "C" __global__ void f(float* x) { x[threadIdx.x] *= BY; }', "f", options=options)
    kernel((1,), (8,), (x,))
    same(x[:8], 3 * np.arange(8, dtype="float32"))
    scaled = da.RawModule(
        code="template <typename T> __global__ void scale(T* x, T by) { x[threadIdx.x] *= by; }",
        options=("-std=c++11",),
        name_expressions=["scale<float>"],
    ).get_function("scale<float>")
    scaled((1,), (8,), (x, 2.0))
    same(x[:8], 6 * np.arange(8, dtype="float32"))
    plain = da.ElementwiseKernel("T x", "T y", "y = x + BY", "plus", options=("--std=c++11", "-DBY=3"))
    same(plain(x[8:12]), np.arange(11, 15, dtype="float32"))


def test_an_unknown_option_is_named(x):
    if x.device.driver != "opencl":
        pytest.skip("NVRTC tells its own log")
    if x.device.caps["vendor"].startswith("NVIDIA"):
        pytest.skip("NVIDIA's compiler takes it for a fault of the text, and names it in its log")
    with pytest.raises(errors.ValueError, match="does not take the options '--no-such-option'"):
        da.RawKernel("__global__ void f(float* x) { *x = 1; }", "f", options=("--no-such-option",))((1,), (1,), (x,))
    with pytest.raises(errors.ValueError, match="does not take the options '--no-such-option'"):
        da.ElementwiseKernel("T x", "T y", "y = x", "same", options=("--no-such-option",))(x).copy_to_host()


def _stored(parameter, value):
    x = da.zeros(1, dtype="int64")
    da.RawKernel(f"KERNEL void store(GLOBAL long* x, {parameter}) {{ x[0] = k; }}", "store")((1,), (1,), (x, value))
    return x.item()


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("int k", 1 << 32),
        ("int k", -(1 << 31) - 1),
        ("int k", float("nan")),
        ("int k", -1e10),
        ("unsigned char k", 256),
        ("unsigned char k", -129),
        ("long k", 1 << 64),
        ("long k", float("inf")),
        ("int k", np.float32(1e10)),
        ("short k", np.int64(1 << 40)),
    ],
)
def test_numbers_that_do_not_fit_are_refused(device, parameter, value):
    with pytest.raises(OverflowError, match=rf"^store: k is u?int\d+, which {value} does not fit in"):
        _stored(parameter, value)


@pytest.mark.parametrize(
    ("parameter", "value", "kept"),
    [
        ("int k", 0xFFFFFFFF, -1),
        ("int k", -(1 << 31), -(1 << 31)),
        ("int k", 2.75, 2),
        ("int k", True, 1),
        ("unsigned char k", -1, 255),
        ("long k", -(1 << 63), -(1 << 63)),
        ("int k", np.float32(6), 6),
        ("int k", np.int64(6), 6),
        ("long k", np.uint8(200), 200),
        ("float k", np.int16(-3), -3),
        ("int k", np.True_, 1),
    ],
)
def test_numbers_are_converted_as_c_does(device, parameter, value, kept):
    assert _stored(parameter, value) == kept


def test_complex_numbers_are_no_real_ones(device):
    with pytest.raises(TypeError, match="store: k is int32, which 1j is not; take its real part"):
        _stored("int k", 1j)


@pytest.mark.parametrize("grid", [0, -1, (1, 0), (1 << 33, 1 << 33), (1 << 31,)])
def test_sizes_that_no_launch_has(device, grid):
    x = da.zeros(4, dtype="int32")
    kernel = da.RawKernel("KERNEL void one(GLOBAL int* x) { x[0] = 1; }", "one")
    with pytest.raises(ValueError, match=r"the sizes of grid are from 1 to 2\*\*31 - 1, not \("):
        kernel(grid, (1,), (x,))
    with pytest.raises(ValueError, match=r"the sizes of block are from 1 to 2\*\*31 - 1, not \("):
        kernel((1,), grid, (x,))
    assert not x.any()


@pytest.mark.parametrize("kind", ["size_t", "const size_t", "ptrdiff_t"])
def test_sizes_as_parameters(device, kind):
    kernel = da.RawKernel(f"__global__ void f(long long* out, {kind} n, int k) {{ out[0] = n + k; }}", "f")
    out = da.zeros(1, dtype="int64")
    kernel((1,), (1,), (out, 1 << 33, 3))
    assert out.tolist() == [(1 << 33) + 3]


def test_truths_as_parameters(device):
    kernel = da.RawKernel(
        "__global__ void f(int* out, bool on, const bool off) { out[0] = on + 2 * (on == !off); }", "f"
    )
    for on in (True, np.bool_(True), 5):
        out = da.zeros(1, dtype="int32")
        kernel((1,), (1,), (out, on, False))
        assert out.tolist() == [3]


def test_a_texts_own_names_of_types(device):
    """Some programs have `typedef`s of C's names, as their compiler includes no header."""
    kernel = da.RawKernel(
        "typedef signed char int8_t; typedef unsigned long long uint64_t;\n"
        'extern "C" __global__ void f(uint64_t* out, int8_t k) { out[0] = (uint64_t)(k + 1) << 40; }',
        "f",
    )
    out = da.zeros(1, dtype="uint64")
    kernel((1,), (1,), (out, np.int8(2)))
    assert out.tolist() == [3 << 40]
