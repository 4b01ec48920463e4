"""Users' kernels as CUDA C: what tests/kernels runs elsewhere compiles with NVRTC."""

from __future__ import annotations

from dataclasses import replace

import pytest
from runtimes import has_nvrtc, linear_spec, nvrtc_compile

from devarray.codegen.kernels import elementwise
from devarray.codegen.kernels.user import Body, Parameter, element_function, element_kernel
from devarray.codegen.kernels.user_reduction import ReductionBody, reduction_kernel
from devarray.codegen.kernels.user_scan import ScanBody, scan_kernel
from devarray.codegen.language import words
from devarray.codegen.language.dialect import CTYPE, dialect_for
from devarray.codegen.language.templates import signature, specialise, with_linkage
from devarray.ops import user
from devarray.ops.dtypes import DTYPES

needs_nvrtc = pytest.mark.skipif(not has_nvrtc(), reason="no NVRTC")
CUDA = dialect_for("cuda", {"strategy": "gpu"})
OPENCL = dialect_for("opencl", {"strategy": "cpu", "fp64": True})
ARCHITECTURES = ["sm_80", "sm_100"]
PREAMBLE = "#define SCALE 2\n__device__ T helper(T v) { return v * SCALE; }"


def compiled(source: str, arch: str) -> str:
    return nvrtc_compile(source, CUDA.build_options(), arch)


def body(dtype: str, *, raw: bool = False, preamble: str = "", text: str = "z = x;") -> Body:
    x = Parameter("x", dtype, raw)
    return Body(
        "named",
        (x, Parameter("k", "int32", scalar=True)),
        (Parameter("z", dtype),),
        text,
        preamble,
        "",
        "",
        (("T", dtype),),
    )


@needs_nvrtc
@pytest.mark.parametrize("arch", ARCHITECTURES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("raw", [False, True])
def test_kernels_of_every_dtype(dtype, raw, arch):
    if raw and dtype == "float16":
        pytest.skip("refused")
    text = "if (k > 3) return; const T* p = x; z = p[(i + n) % x.size()];" if raw else "if (k > 3) return; z = x;"
    for ndim in (1, 3):
        assert compiled(element_kernel(body(dtype, raw=raw, text=text), ndim, [True], CUDA), arch)


@needs_nvrtc
@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_words_of_both_languages(arch):
    text = """
    size_t where = get_global_id(0); uint u = 3; int64_t w = T(2) + abs(-k);
    z = clamp(sqrtf(fabsf(x)), 0.0f, 9.0f) + mad(x, x, x) + rsqrt(x) + pow(x, 2) + min(k, 7) + where + u + w;
    """
    assert compiled(element_kernel(body("float32", text=text), 2, [False], CUDA), arch)


@needs_nvrtc
@pytest.mark.parametrize("arch", ARCHITECTURES)
@pytest.mark.parametrize("vec", [1, 4])
def test_functions_fuse(vec, arch):
    numbers = [
        user.register(
            made,
            ("float32", "int32"),
            "float32",
            indexed,
            lambda d, made=made, i=indexed: element_function(made, user.place_of(made), i, d),
        )
        for indexed in ([False, True] if vec == 1 else [False])
        for made in [
            body(
                "float32",
                preamble=PREAMBLE.replace("2", str(3 + indexed)),
                text=f"z = helper(x) + k{' + i' * indexed};",
            )
        ]
    ]
    names = [user.op_numbered(number).name for number in numbers]
    nodes = [(name, "float32", "float32", (0, 1)) for name in names]
    spec = replace(linear_spec(nodes, ["float32", "int32"]), vec=vec)
    assert compiled(elementwise.render(spec, CUDA), arch)
    assert "user_" in elementwise.render(spec, OPENCL)


@needs_nvrtc
@pytest.mark.parametrize("arch", ARCHITECTURES)
@pytest.mark.parametrize(
    "first, last, empty", [(True, True, False), (True, False, False), (False, True, False), (True, True, True)]
)
def test_reductions(first, last, empty, arch):
    found = "typedef struct { T value; int64_t place; } found;\n"
    found += "__device__ found make(T v, int64_t p) { found f; f.value = v; f.place = p; return f; }"
    made = ReductionBody(
        "argmax", (Parameter("x", "float32"),), (Parameter("k", "int64"),), "make(x, _J)",
        "a.value > b.value ? a : b", "k = a.place", found, "make(0, 0)", "found", (("T", "float32"),),
    )  # fmt: skip
    assert compiled(reduction_kernel(made, 1, 2, first, last, empty, CUDA), arch)


@needs_nvrtc
@pytest.mark.parametrize("arch", ARCHITECTURES)
@pytest.mark.parametrize("segment", ["", "flags[i] && a == a"])
@pytest.mark.parametrize("stage", ["chunks", "carry", "output"])
def test_scans(stage, segment, arch):
    arguments = (Parameter("x", "int64", True), Parameter("flags", "int8", True), Parameter("y", "int64", True))
    made = ScanBody(
        "running", (*arguments, Parameter("k", "int32", scalar=True)), (False, False, True, False), "x[i] + before + k",
        "across_seg_boundary ? b : a + b", "y[i] = item + prev_item + last_item + N", "#define UNUSED 1", "0", segment,
        "i64", (("before", "x", -1),),
    )  # fmt: skip
    assert compiled(scan_kernel(made, stage, CUDA), arch)


@needs_nvrtc
@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_a_raw_kernel_in_opencl_words(arch):
    text = """
    __kernel void total(__global const float* restrict x, global float* y, int n) {
      __local float part[64];
      part[get_local_id(0)] = get_global_id(0) < n ? x[get_global_id(0)] : 0;
      barrier(CLK_LOCAL_MEM_FENCE);
      if (get_local_id(0) == 0) for (uint i = 0; i < 64; ++i) y[get_group_id(0)] += part[i];
    }
    """
    translated = words.translate(text, CUDA)
    assert compiled(CUDA.program(words.library([text], CUDA) + translated), arch)


def test_cuda_words_in_opencls():
    text = (
        'extern "C" __global__ void f(const float* x, float *y, __shared__ int* z, int n) '
        "{ y[threadIdx.x] = x[blockIdx.y]; }"
    )
    translated = words.global_pointers(words.translate(text, OPENCL))
    assert translated == (
        "KERNEL void f(global const float* x, global float *y, LOCAL int* z, int n) "
        "{ y[LOCAL_ID(0)] = x[GROUP_ID(1)]; }"
    )
    assert words.translate("T(3) + int(x) + foo(int *p) + unsigned int(y) + f.T(1)", OPENCL, ["T"]).startswith(
        "(T)(3) + (int)(x)"
    )
    assert words.translate("unsigned long long a; long long b;", OPENCL) == "u64 a; i64 b;"
    assert words.translate("a = 7LL + 0xFFull - 3LLU; fill = 1", OPENCL) == "a = 7L + 0xFFuL - 3UL; fill = 1"


@pytest.mark.parametrize("arch", ARCHITECTURES)
@needs_nvrtc
def test_constants_of_c_s_headers(arch):
    text = "KERNEL void f(double* x) { *x = M_PI + FLT_MAX + INT_MIN + UINT_MAX + NAN + INFINITY + DBL_MIN; }"
    library = words.library([text], CUDA)
    assert "#define M_PI 3.141592653589793\n" in library and "M_E" not in library
    assert "#define INT_MIN (-2147483647 - 1)\n" in library
    assert compiled(CUDA.program(library + words.translate(text, CUDA)), arch)
    assert "M_PI" not in words.library(["#define M_PI 3.14f\n" + text], CUDA)
    assert words.library([text], OPENCL) == ""


def test_quick_functions_of_either_language():
    assert "#define __expf expf\n" in words.library(["z = __expf(x)"], OPENCL)
    assert "#define native_powr __powf\n" in words.library(["z = native_powr(x, y)"], CUDA)


def test_names_that_a_preamble_defines():
    text = """
    #define LIMIT 3
    typedef struct { int a; } pair;
    struct other { float b; };
    __device__ float helper(float x) { float inner = x; return inner; }
    constant float table[2] = {1, 2};
    """
    assert set(words.defined_names(text)) >= {"LIMIT", "pair", "other", "helper", "table"}
    assert "inner" not in words.defined_names(text)


def test_templates_are_specialised_in_the_text():
    text = "int before;\ntemplate<typename T, int N>\n__global__ void f(T* x) { T y = N; x[0] = y; }\nint after;"
    made = specialise(text, {"f<unsigned int, 4>": "f_0"})
    assert "void f_0(unsigned int* x) { unsigned int y = 4; x[0] = y; }" in made and "template" not in made
    assert signature(made, "f_0") == ["unsigned int* x"]
    with pytest.raises(KeyError):
        specialise(text, {"g<int>": "g_0"})
    text = text.replace("int N>", "int N = 5>")
    assert "void f_0(float* x) { float y = 5; x[0] = y; }" in specialise(text, {"inner::f<float>": "f_0"})
    with pytest.raises(KeyError):
        specialise(text, {"f<>": "f_0"})


def test_kernels_keep_their_names_on_cuda():
    text = """// A comment.
__global__ void a() {}
template <int N> __global__ void b() {}
extern "C" __global__ void c() {}
__device__ int d() { return 1; }
__global__ void e() {}
"""
    made = with_linkage(text).splitlines()
    assert [line.startswith('extern "C" __global__') for line in made] == [False, True, False, True, False, True]
    assert made[2] == "template <int N> __global__ void b() {}" and made[3].count("extern") == 1


def test_every_type_has_a_name():
    assert set(CTYPE) == set(DTYPES)
