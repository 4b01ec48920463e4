"""CUDA's functions, types and memory in a user's text, on every device: CUDA's own compiler has them, OpenCL's ours.

Expected values are those of the CUDA Math API and the CUDA C++ Programming Guide, worked out by NumPy, SciPy's or
Python's integers.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import skip_without

import devarray as da
from devarray import errors

INTS = np.array([0, 1, 2, 3, -1, -2, 7, 255, 256, 65535, 1 << 24, -(1 << 24), 0x12345678, -(1 << 31)], np.int32)
FLOATS = np.array([0.0, -0.5, 0.5, 1.5, 2.5, -2.5, 0.1, 0.9, 3.99, -7.7, 1e9, 4e9, -4e9], np.float32)
BELOW_ONE = np.array([0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99], np.float32)

TEXT = """
extern "C" __global__ void __launch_bounds__(256) f(const {kind}* __restrict__ in, {result}* out, int n) {{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {{ {kind} x = in[i]; {body} }}
}}
"""


def run(values: np.ndarray, body: str, kind: str, result: str = "", **keywords: Any) -> np.ndarray:
    result = result or kind
    kernel = da.RawKernel(TEXT.format(kind=kind, result=result, body=body), "f")
    dtype = {"int": "i4", "unsigned": "u4", "float": "f4", "double": "f8", "long long": "i8"}[result]
    out = da.zeros(len(values), dtype)
    kernel((1,), (len(values),), (da.asarray(values), out, np.int32(len(values))), **keywords)
    made: np.ndarray = out.copy_to_host()
    return made


def u(x: int, bits: int = 32) -> int:
    return x & ((1 << bits) - 1)


def signed(x: int) -> int:
    return struct.unpack("i", struct.pack("I", u(x)))[0]


def reversed_bits(x: int) -> int:
    return signed(int(f"{u(x):032b}"[::-1], 2))


def low(x: int) -> int:
    return (u(x) & 0xFFFFFF) - ((u(x) & 0x800000) << 1)


INTEGERS: dict[str, Callable[[int], int]] = {
    "__popc(x)": lambda x: f"{u(x):b}".count("1"),
    "__clz(x)": lambda x: 32 - u(x).bit_length(),
    "__clzll((long long)x)": lambda x: 64 - u(x, 64).bit_length(),
    "__ffs(x)": lambda x: (u(x) & -u(x)).bit_length(),
    "__brev(x)": reversed_bits,
    "__mul24(x, 5)": lambda x: signed(low(x) * 5),
    "__umul24(x, 5u)": lambda x: signed((u(x) & 0xFFFFFF) * 5),
    "__mulhi(x, 1000000)": lambda x: x * 1000000 >> 32,
    "__umulhi(x, 1000000u)": lambda x: signed(u(x) * 1000000 >> 32),
    "__hadd(x, 3)": lambda x: (x + 3) >> 1,
    "__rhadd(x, 3)": lambda x: (x + 4) >> 1,
    "__sad(x, 7, 2u)": lambda x: signed(abs(x - 7) + 2),
    "__byte_perm(x, 0x11223344, 0x7250)": lambda x: signed(
        int.from_bytes(
            [(u(x).to_bytes(4, "little") + bytes([0x44, 0x33, 0x22, 0x11]))[k] for k in (0, 5, 2, 7)], "little"
        )
    ),
    "__funnelshift_l(x, 0x0F, 4)": lambda x: signed((0x0F << 32 | u(x)) << 4 >> 32),
    "__funnelshift_r(x, 0x0F, 36)": lambda x: signed((0x0F << 32 | u(x)) >> 4),
    "umin(x, 300u)": lambda x: min(u(x), 300),
    "umax(x, 300u)": lambda x: signed(max(u(x), 300)),
    "(int)labs((long)x - 5)": lambda x: signed(abs(x - 5)),
    "__float_as_int(__int_as_float(x & 0x3F7FFFFF))": lambda x: x & 0x3F7FFFFF,
    "max(x, 3) + min(x, 3)": lambda x: signed(max(x, 3) + min(x, 3)),
}


@pytest.mark.parametrize("expression", INTEGERS)
def test_integers(device: da.Device, expression: str) -> None:
    made = run(INTS, f"out[i] = (int)({expression});", "int")
    assert made.tolist() == [INTEGERS[expression](int(x)) for x in INTS]


def clipped(x: float, how: Callable[[float], Any], low: int, high: int) -> int:
    return max(low, min(high, int(how(x))))


CONVERSIONS: dict[str, tuple[str, Callable[[float], int]]] = {
    "__float2int_rn(x)": ("int", lambda x: clipped(x, round, -(1 << 31), (1 << 31) - 1)),
    "__float2int_rz(x)": ("int", lambda x: clipped(x, math.trunc, -(1 << 31), (1 << 31) - 1)),
    "__float2int_rd(x)": ("int", lambda x: clipped(x, math.floor, -(1 << 31), (1 << 31) - 1)),
    "__float2int_ru(x)": ("int", lambda x: clipped(x, math.ceil, -(1 << 31), (1 << 31) - 1)),
    "__float2uint_rn(x)": ("unsigned", lambda x: clipped(x, round, 0, (1 << 32) - 1)),
    "__float2ll_rd(x)": ("long long", math.floor),
    "lrintf(x)": ("long long", round),
    "llroundf(x)": ("long long", lambda x: int(math.copysign(math.floor(abs(x) + 0.5), x))),
    "__float_as_uint(x)": ("unsigned", lambda x: struct.unpack("I", struct.pack("f", x))[0]),
}


@pytest.mark.parametrize("expression", CONVERSIONS)
def test_conversions(device: da.Device, expression: str) -> None:
    result, wanted = CONVERSIONS[expression]
    made = run(FLOATS, f"out[i] = {expression};", "float", result)
    assert made.tolist() == [wanted(float(x)) for x in FLOATS]


EXACT: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "__fadd_rn(__fmul_rn(x, x), x)": lambda x: x * x + x,
    "__fsub_rn(x, 0.3f)": lambda x: x - np.float32(0.3),
    "__saturatef(x)": lambda x: np.clip(x, 0, 1),
    '__saturatef(nanf(""))': lambda x: x * 0,
    "nearbyintf(x)": np.rint,
    "ldexpf(x, 3) + scalbnf(x, -1)": lambda x: x * 8 + x / 2,
    "__ldg(&in[i])": lambda x: x,
    'fminf(x, nanf(""))': lambda x: x,
    "make_float2(x, 2.0f).x * make_float4(1.0f, 2.0f, 3.0f, x).z": lambda x: x * 3,
    "make_float3(x, 2.0f, 3.0f).z": lambda x: np.full_like(x, 3),
    "make_float1(x).x * (float)sizeof(short1)": lambda x: x * 2,
}


@pytest.mark.parametrize("expression", EXACT)
def test_floats(device: da.Device, expression: str) -> None:
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(run(FLOATS, f"out[i] = {expression};", "float"), EXACT[expression](FLOATS))


NEAR: dict[str, Callable[[float], float]] = {
    "sinpif(x)": lambda x: math.sin(math.pi * x),
    "cospif(x)": lambda x: math.cos(math.pi * x),
    "rcbrtf(x)": lambda x: x ** (-1 / 3),
    "rhypotf(x, 2.0f)": lambda x: 1 / math.hypot(x, 2),
    "norm3df(x, 2.0f, 3.0f)": lambda x: math.hypot(x, 2, 3),
    "norm4df(x, 2.0f, 3.0f, 4.0f)": lambda x: math.hypot(x, 2, 3, 4),
    "__frcp_rn(x)": lambda x: 1 / x,
    "__fdiv_rn(x, 3.0f)": lambda x: x / 3,
    "__fsqrt_rn(x)": math.sqrt,
    "__fmaf_rn(x, x, 1.0f)": lambda x: x * x + 1,
    "fdividef(x, 7.0f)": lambda x: x / 7,
    "erff(erfinvf(x))": lambda x: x,
    "erfcf(erfcinvf(x))": lambda x: x,
    "erfcxf(x)": lambda x: math.exp(x * x) * math.erfc(x),
    "normcdff(x)": lambda x: 0.5 * math.erfc(-x / math.sqrt(2)),
    "normcdff(normcdfinvf(x))": lambda x: x,
    "erfinv(x) / erfinvf(x)": lambda x: 1.0,
    "j0f(x) + 0.25f * x * x": lambda x: 1 + x**4 / 64 - x**6 / 2304 + x**8 / 147456,
    "fabsf(x) + abs(x)": lambda x: 2 * x,
}


@pytest.mark.parametrize("expression", NEAR)
def test_functions(device: da.Device, expression: str) -> None:
    made = run(BELOW_ONE, f"out[i] = {expression};", "float")
    np.testing.assert_allclose(made, [NEAR[expression](float(x)) for x in BELOW_ONE], rtol=3e-6, atol=1e-7)


BODIES: dict[str, Callable[[float], float]] = {
    "float s, c; sincosf(x, &s, &c); out[i] = s + 2 * c;": lambda x: math.sin(x) + 2 * math.cos(x),
    "float s, c; sincos(x, &s, &c); out[i] = s + 2 * c;": lambda x: math.sin(x) + 2 * math.cos(x),
    "float s, c; sincospif(x, &s, &c); out[i] = s + 2 * c;": lambda x: (
        math.sin(math.pi * x) + 2 * math.cos(math.pi * x)
    ),
    "float whole; const float part = modff(x + 3.0f, &whole); out[i] = part + 10 * whole;": lambda x: x + 30,
    "int e; const float m = frexpf(x, &e); out[i] = m + e;": lambda x: sum(math.frexp(x)),
    "const auto y = x * 2.0f; auto k = 3; out[i] = y / k;": lambda x: x * 2 / 3,
    "constexpr int N = 3; float a[N * 2]; for (int k = 0; k < N; ++k) a[k] = x; out[i] = a[N - 1];": lambda x: x,
    "const unsigned int N = 8u; const size_t L = 2 * N; float a[L], b[N * 2]; a[L - 1] = x; b[(0 - 1) % N] = 1;"
    " out[i] = a[15] * b[7];": lambda x: x,
    "__threadfence(); out[i] = x; __threadfence_block();": lambda x: x,
    "if (in != nullptr) out[i] = x;": lambda x: x,
    "double d = __longlong_as_double(__double_as_longlong((double)x)); out[i] = (float)__dadd_rn(d, 1.0);": lambda x: (
        x + 1
    ),
}


@pytest.mark.parametrize("body", BODIES)
def test_statements(device: da.Device, body: str) -> None:
    if "double" in body:
        skip_without("float64")
    made = run(BELOW_ONE, body, "float")
    np.testing.assert_allclose(made, [BODIES[body](float(x)) for x in BELOW_ONE], rtol=1e-5)


def test_vectors_of_three_lie_without_a_gap(device: da.Device) -> None:
    text = """
    struct Ray { float3 from; float length; };
    __device__ float3 twice(float3 p) { return make_float3(2 * p.x, 2 * p.y, 2 * p.z); }
    extern "C" __global__ void f(const float3* in, float3* out) {
      Ray ray; ray.from = in[threadIdx.x]; ray.length = 1;
      out[threadIdx.x] = twice(ray.from);
    }"""
    x = np.arange(30, dtype=np.float32).reshape(10, 3)
    out = da.zeros((10, 3), np.float32)
    da.RawKernel(text, "f")((1,), (10,), (da.asarray(x), out))
    np.testing.assert_array_equal(out.copy_to_host(), 2 * x)


def has_generic_pointers(device: da.Device) -> bool:
    """Whether a pointer may point to memory of any kind, as CUDA's."""
    if device.driver == "cuda":
        return True
    return bool(da.queue().device.get_info(da.cl.device_info.GENERIC_ADDRESS_SPACE_SUPPORT))


def test_a_structure_by_value(device: da.Device) -> None:
    text = """
    struct Scale { float by; int4 more; short1 least; };
    extern "C" __global__ void f(const float* in, float* out, const Scale scale) {
      out[threadIdx.x] = in[threadIdx.x] * scale.by + scale.more.w + scale.least.x;
    }"""
    fields = {"names": ["by", "more", "least"], "formats": ["f4", "4i4", "i2"], "offsets": [0, 16, 32], "itemsize": 48}
    scale = np.zeros(1, np.dtype(fields))
    scale["by"], scale["more"], scale["least"] = 3, [[1, 2, 3, 4]], 5
    x, kernel = np.arange(8, dtype=np.float32), da.RawKernel(text, "f")
    for given in (scale, scale[0]):
        out = da.zeros(8, np.float32)
        kernel((1,), (8,), (da.asarray(x), out, given))
        np.testing.assert_array_equal(out.copy_to_host(), x * 3 + 9)
    with pytest.raises(errors.DTypeError, match="no argument of a kernel"):
        kernel((1,), (8,), (da.asarray(x), out, np.zeros(2, scale.dtype)))


def test_sizes_by_constants(device: da.Device) -> None:
    text = """
    const int TILE = 8;
    constexpr unsigned int TILES = TILE * 2;
    extern "C" __global__ void f(const float* in, float* out) {
      __shared__ float tile[TILE][TILES];
      tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * TILES + threadIdx.x];
      __syncthreads();
      out[threadIdx.x * TILE + threadIdx.y] = tile[threadIdx.y][threadIdx.x];
    }"""
    x, out = np.arange(128, dtype=np.float32).reshape(8, 16), da.zeros((16, 8), np.float32)
    da.RawKernel(text, "f")((1,), (16, 8), (da.asarray(x), out))
    np.testing.assert_array_equal(out.copy_to_host(), x.T)


DYNAMIC = {
    "in the kernel": ("", "extern __shared__ float part[];"),
    "outside of it": ("extern __shared__ float part[];", ""),
    "of bytes": ("", "extern __shared__ __align__(16) unsigned char raw[]; float* part = (float*)raw;"),
}


@pytest.mark.parametrize("where", DYNAMIC)
def test_dynamic_shared_memory(device: da.Device, where: str) -> None:
    if where == "of bytes" and not has_generic_pointers(device):
        pytest.skip("a pointer says where it points")
    before, inside = DYNAMIC[where]
    text = f"""
    {before}
    extern "C" __global__ void turned(const float* in, float* out, int n) {{
      {inside}
      const int t = threadIdx.x;
      part[t] = in[t];
      __syncthreads();
      out[t] = part[n - 1 - t];
    }}
    extern "C" __global__ void without(float* out) {{ out[threadIdx.x] = 7; }}"""
    module = da.RawModule(code=text)
    x, out = np.arange(64, dtype=np.float32), da.zeros(64, np.float32)
    module.get_function("turned")((1,), (64,), (da.asarray(x), out, np.int32(64)), shared_mem=256)
    np.testing.assert_array_equal(out.copy_to_host(), x[::-1])
    module.get_function("without")((1,), (64,), (out,))
    assert out.copy_to_host().tolist() == [7] * 64
    if device.driver == "opencl":
        with pytest.raises(errors.ValueError, match="shared_mem="):
            module.get_function("turned")((1,), (64,), (da.asarray(x), out, np.int32(64)))


ATOMICS: dict[str, tuple[str, int]] = {
    "atomicAdd(&out[0], 3)": ("int", 300),
    "atomicMax(&out[0], t)": ("int", 99),
    "atomicInc(&out[0], 6u)": ("unsigned int", 100 % 7),
    "atomicDec(&out[0], 6u)": ("unsigned int", -100 % 7),
    "atomicAdd(&out[0], 1ull << 33)": ("unsigned long long", 100 << 33),
    "atomicMin(&out[0], (long long)-t)": ("long long", -99),
    "atomicCAS(&out[0], (unsigned long long)0, 5ull)": ("unsigned long long", 5),
}


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("call", ATOMICS)
def test_atomics(device: da.Device, call: str, local: bool) -> None:
    kind, wanted = ATOMICS[call]
    if "long long" in kind:
        skip_without("float64")
    inside = f"if (t == 0) part[0] = out[0]; __syncthreads(); {call.replace('out', 'part')}; __syncthreads();"
    body = f"{inside} if (t == 0) out[0] = part[0];" if local else f"{call};"
    text = f"""extern "C" __global__ void f({kind}* out) {{
      __shared__ {kind} part[1];
      const int t = threadIdx.x;
      part[0] = 0;
      __syncthreads();
      {body}
    }}"""
    out = da.zeros(1, {"int": "i4", "unsigned int": "u4", "long long": "i8", "unsigned long long": "u8"}[kind])
    da.RawKernel(text, "f")((1,), (100,), (out,))
    assert out.tolist() == [wanted]


def test_what_only_warps_have_is_named(device: da.Device) -> None:
    if device.driver != "opencl":
        pytest.skip("CUDA has it")
    kernel = da.RawKernel(TEXT.format(kind="int", result="int", body="out[i] = __shfl_down_sync(~0u, x, 1);"), "f")
    with pytest.raises(errors.CompileError, match="__shfl_down_sync"):
        kernel.compile()
