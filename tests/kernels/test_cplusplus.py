"""What CUDA C has of C++, on every device: CUDA's own compiler knows it, for OpenCL's it is put in C.

Expected values are Python's; where there is a compiler of C++ on the host, it has to say the same of the same text.
"""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracle import skip_without

import devarray as da
from devarray import errors
from devarray._kernels.check import user_error
from devarray.codegen.language.cplusplus.lowering import lowered, needed

X = np.array([0.5, 1.0, -2.0, 3.25, 7.0, -0.125, 10.0, 4.5])
KERNEL = """
extern "C" __global__ void f(const float* in, float* out, int n) {{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {{ float x = in[i]; {body} }}
}}
"""
SQUARE = "template <typename T> __device__ T square(T a) { return a * a; }"
COMPLEX = """
struct Complex {
  float re, im;
  __device__ Complex(float r, float i = 0) : re(r), im(i) {}
  __device__ Complex operator+(const Complex& o) const { return Complex(re + o.re, im + o.im); }
  __device__ Complex operator*(const Complex& o) const { return {re * o.re - im * o.im, re * o.im + im * o.re}; }
  __device__ Complex& operator+=(const Complex& o) { re += o.re; im += o.im; return *this; }
  __device__ bool operator==(const Complex& o) const { return re == o.re && im == o.im; }
  __device__ Complex operator-() const { return Complex(-re, -im); }
  __device__ float norm() const { return re * re + im * im; }
  __device__ void scale(float by) { re *= by; this->im *= by; }
};
__device__ Complex operator*(float a, const Complex& b) { return Complex(a * b.re, a * b.im); }
"""
VECTOR = """
template <typename T, int N> struct Vector {
  static constexpr int size = N;
  T data[N];
  __device__ T& operator[](int k) { return data[k]; }
  __device__ T sum() const { T s = 0; for (int k = 0; k < N; ++k) s += data[k]; return s; }
};
"""

Case = tuple[str, str, Callable[[float], float]]
CASES: dict[str, Case] = {
    # templates
    "a template's type is told": (SQUARE, "out[i] = square<float>(x);", lambda x: x * x),
    "a template's type is deduced": (SQUARE, "int k = 3; out[i] = square(x) + square(k) / 2;", lambda x: x * x + 4),
    "of literals": (SQUARE, "out[i] = x + square(3) / 2 + square(1.5f) + square(2.0);", lambda x: x + 4 + 2.25 + 4),
    "of expressions": (SQUARE, "out[i] = square(x + 1) + square((int)x) / 2;",
                       lambda x: (x + 1) ** 2 + int(x) ** 2 // 2),
    "of a template's own variables": (
        SQUARE + "template <typename T> __device__ T fourth(const T a) { T b = square(a); return square(b); }",
        "out[i] = fourth(x) + fourth(2);", lambda x: x**4 + 16),
    "of pointers": (
        "template <typename T> __device__ T first(const T* p, int k) { const T* q = p + k; return *q; }",
        "float a[2] = {1, 2}; out[i] = first(in, i) + first(a, 1) + first(&x, 0);", lambda x: 2 * x + 2),
    "of values": (
        "template <int N, typename T> __device__ T power(T a) { T r = 1; for (int k = 0; k < N; ++k) r *= a; "
        "return r; }",
        "out[i] = power<3>(x) + power<2, int>(3);", lambda x: x**3 + 9),
    "of default values": (
        "template <typename T = int, int N = 4> __device__ T times(float a) { return (T)(a * N); }",
        "out[i] = times(x) + times<float>(x) + times<float, 2>(x);", lambda x: int(4 * x) + 6 * x),
    "a specialisation": (
        "template <typename T> __device__ int kind(T a) { return 0; }\n"
        "template <> __device__ int kind<int>(int a) { return 1; }\n"
        "template <> __device__ int kind(double a) { return 2; }",
        "out[i] = x + kind(x) + 10 * kind(3) + 100 * kind(1.0);", lambda x: x + 210),
    "a recursion of values": (
        "template <int N> __device__ float sum(const float a) { return a + sum<N - 1>(a); }\n"
        "template <> __device__ float sum<0>(const float a) { return 0; }",
        "out[i] = sum<5>(x);", lambda x: 5 * x),
    "a function that is given": (
        "struct Add { __device__ float operator()(float a, float b) const { return a + b; } };\n"
        "struct Mul { __device__ float operator()(float a, float b) const { return a * b; } };\n"
        "template <class Op> __device__ float twice(Op op, float a) { return op(op(a, a), a); }",
        "out[i] = twice(Add(), x) + twice(Mul{}, x);", lambda x: 3 * x + x**3),
    "several types": (
        "template <typename A, typename B> __device__ B as(A a, B b) { return static_cast<B>(a) + b; }",
        "out[i] = as(x, 2) + as<float, float>(x, 0.5f);", lambda x: int(x) + 2 + x + 0.5),
    "a type that a template derives": (
        "template <typename T> struct Wide { typedef T type; };\n"
        "template <> struct Wide<float> { using type = double; };\n"
        "template <typename T> __device__ int bytes() { return sizeof(typename Wide<T>::type); }",
        "out[i] = x + bytes<float>() + 10 * bytes<int>();", lambda x: x + 48),
    "constants by type": (
        "template <typename T> struct Constants {};\n"
        "template <> struct Constants<float> { static constexpr float HALF = 0.5f; };\n"
        "template <> struct Constants<int> { static constexpr int HALF = 1; };\n"
        "template <typename T> __device__ T half_of(T a) { return a * Constants<T>::HALF; }",
        "out[i] = half_of(x) + half_of(3);", lambda x: x / 2 + 3),
    # references
    "references to variables": (
        "__device__ void swap(float& a, float& b) { float t = a; a = b; b = t; }",
        "float y = 2; swap(x, y); out[i] = x * 10 + y;", lambda x: 20 + x),
    "references to elements": (
        "template <typename T> __device__ void swap(T& a, T& b) { T t = a; a = b; b = t; }",
        "float a[3] = {1, 2, x}; swap(a[0], a[2]); out[i] = 5; swap(out[i], a[1]); out[i] += a[0] + 10 * a[1];",
        lambda x: 2 + x + 50),
    "references that refer on": (
        "__device__ void add(float& a, float b) { a += b; }\n__device__ void more(float& a) { add(a, 1); add(a, a); }",
        "more(x); out[i] = x;", lambda x: 2 * (x + 1)),
    "references to structures": (
        "struct P { float a; int b[2]; };\n__device__ void set(P& p, float a) { p.a = a; p.b[1] = 3; "
        "int& q = p.b[0]; q = 4; }",
        "P p; set(p, x); out[i] = p.a + p.b[0] * p.b[1];", lambda x: x + 12),
    "constant references": (
        "template <typename T> __device__ T add(const T& a, const T& b) { return a + b; }",
        "out[i] = add(x, in[i]) + add(1.0f, 2.0f) + add<float>(1, x);", lambda x: 3 * x + 4),
    "a constant reference to what changes": (
        "__device__ float after(const float& a, float* p) { *p = 7; return a; }",
        "float y = x; out[i] = after(y, &y) + 10 * after(y + 1, &y);", lambda x: 7 + 80),
    "a constant reference to another type": (
        "__device__ float after(const float& a, int* p) { *p = 7; return a; }",
        "int k = 2; out[i] = x + after(k, &k);", lambda x: x + 2),
    "references as variables": (
        "", "float a[2] = {x, 1}; float& r = a[1]; auto& s = a[0]; r += 2; s *= r; const float& c = r; r = 5;"
        " const float& t = x + 1; float& o = out[i]; o = a[0] + c + t;", lambda x: 3 * x + 5 + x + 1),
    # overloads and default values
    "overloads by type": (
        "__device__ int kind(int a) { return 1; }\n__device__ int kind(float a) { return 2; }\n"
        "__device__ int kind(double a) { return 3; }\n__device__ int kind(const float* a) { return 4; }\n"
        "__device__ int kind(int a, int b) { return 5; }",
        "unsigned char c = 0; out[i] = x + kind(1) + 10 * kind(x) + 100 * kind(1.0) + 1000 * kind(in) + "
        "10000 * kind(1, c)"
        " + 100000 * kind(c) + 1000000 * kind('a');", lambda x: x + 1154321),
    "a template beside a function": (
        "template <typename T> __device__ int kind(T a) { return 1; }\n__device__ int kind(int a) { return 2; }",
        "out[i] = x + kind(1) + 10 * kind(x) + 100 * kind(1u);", lambda x: x + 112),
    "default values": (
        "__device__ float line(float a, float slope = 2, float at = 1 + 2) { return slope * a + at; }",
        "out[i] = line(x) + line(x, 1) + line(x, 1, 0);", lambda x: 4 * x + 6),
    # structures
    "operators": (COMPLEX, "Complex a(x, 1), b(2); Complex c = a * b + 2.0f * a; c += -b; out[i] = c.re + 10 * c.im;",
                  lambda x: 4 * x - 2 + 40),
    "member functions": (COMPLEX, "Complex a = Complex(x, 2); a.scale(3); Complex* p = &a; out[i] = a.norm() + "
    "p->norm()"
                         " + (a == a) + (a == Complex(0));", lambda x: 18 * (x * x + 4) + 1),
    "a structure's template": (
        VECTOR, "Vector<float, 3> v = {{x, 2, 3}}; v[1] = 5; v[2] += v[0]; Vector<int, 2> w; w[0] = 7; w[1] = 2;"
        " out[i] = v.sum() + w.sum() / 2 + Vector<int, 4>::size;", lambda x: 2 * x + 8 + 4 + 4),
    "functions of const objects": (
        "template <typename T> struct Matrix {\n  T v[2][2];\n  __device__ T& operator()(int i, int j) { "
        "return v[i][j]; }\n"
        "  __device__ const T& operator()(int i, int j) const { return v[i][j]; }\n};\n"
        "template <typename T> __device__ Matrix<T> operator*(const Matrix<T>& a, "
        "const Matrix<T>& b) {\n  Matrix<T> c;\n"
        "  for (int i = 0; i < 2; ++i) for (int j = 0; j < 2; ++j) {\n    c(i, j) = T(0);\n"
        "    for (int k = 0; k < 2; ++k) c(i, j) += a(i, k) * b(k, j);\n  }\n  return c;\n}",
        "Matrix<float> a; a(0, 0) = x; a(0, 1) = 2; a(1, 0) = 3; a(1, 1) = 4; Matrix<float> b = a * a;"
        " out[i] = b(0, 0) + 10 * b(1, 1);", lambda x: x * x + 6 + 220),
    # lambdas
    "a lambda that refers": ("", "float y = 1; auto f = [&](float a) { y += a; return a * x; }; float z = f(2); f(3);"
                             " out[i] = z + y;", lambda x: 2 * x + 6),
    "a lambda that copies": ("", "float y = 1; auto f = [=](float a) { return a * y + x; }; y = 100; out[i] = f(2);",
                             lambda x: 2 + x),
    "a lambda without captures": ("", "auto f = [](int a, float b) -> float { return a / 2 + b; }; out[i] = f(3, x);",
                                  lambda x: 1 + x),
    "a lambda of arrays": ("", "float a[2] = {x, 3}; const int last = 1; auto sum = [&]() { float s = 0; "
    "for (int k = 0;"
                           " k <= last; k++) s += a[k]; a[0] = 0; return s; }; out[i] = sum() + "
                           "a[0];", lambda x: x + 3),
    # what else C++ writes so
    "casts": ("", "unsigned u = static_cast<unsigned>(3.7f); const int* b = reinterpret_cast<const int*>(&in[i]);"
              " out[i] = float(int(x)) + u + (b[0] == *reinterpret_cast<int*>(&x)) + std::max<float>(x, 1.0f);",
              lambda x: int(x) + 4 + max(x, 1)),
    "names of types": ("using real = float; typedef unsigned int index;", "using T = double; T d = real(x); index k{2};"
                       " real y(3); out[i] = (real)d + k + y + (T{} == 0.0);", lambda x: x + 6),
    "namespaces": (
        "namespace a { const int N = 2; __device__ float f1(float x) { return x + N; } namespace b { "
        "struct S { int k; }; } }",
        "using namespace a; a::b::S s; s.k = 3; out[i] = a::f1(x) + s.k + std::abs(-x) + std::min(x, 0.0f);",
        lambda x: x + 5 + abs(x) + min(x, 0)),
    "limits": (
        "template <typename T> __device__ bool least(T a) { return a == std::numeric_limits<T>::lowest(); }",
        "out[i] = x + least(-2147483647 - 1) + 2 * least(0u) + 4 * (std::numeric_limits<float>::max() > 3e38f)"
        " + 8 * std::isnan(std::numeric_limits<float>::quiet_NaN());", lambda x: x + 15),
    "values and words": (
        "static __device__ __forceinline__ bool both(const bool a, bool b = true) { return a && b; }",
        "const float* p = nullptr; bool t = true; out[i] = (p == nullptr) + both(t) + both(t, false) + "
        "x;", lambda x: x + 2),
    "macros": (
        "#define DEVICE static __device__\n#define REAL float\n#define TWICE(a) ((a) + (a))\n#define PAIR(T, "
        "n) T n##1, n##2\n"
        "DEVICE REAL add(REAL& a, REAL b = TWICE(1)) { return a += b; }",
        "PAIR(REAL, v); v1 = x; v2 = add(v1); out[i] = TWICE(v1) + v2;", lambda x: 3 * (x + 2)),
    "if constexpr": (
        "template <int N> __device__ float pick(float a) { if constexpr (N > 2) { return a; } else { return -a; } }",
        "out[i] = pick<3>(x) + 3 * pick<1>(x);", lambda x: -2 * x),
    "a result's type that is found": (
        "template <typename A, typename B> __device__ auto mix(A a, B b) { return a * b; }",
        "auto y = mix(x, 2); auto k = mix(3, 3); out[i] = y + k / 2;", lambda x: 2 * x + 4),
    "shifts beside templates": (
        "template <int N> __device__ int left(int a) { return a << N; }",
        "int k = 1024; out[i] = x + (k >> 2 >> 1) + left<(4 >> 1)>(1) + (k > 3); k >>= 3; out[i] += k;",
        lambda x: x + 128 + 4 + 1 + 128),
}  # fmt: skip


def run(definitions: str, body: str) -> np.ndarray:
    kernel = da.RawKernel(definitions + KERNEL.format(body=body), "f")
    x, out = X.astype("f4"), da.zeros(len(X), "f4")
    kernel((1,), (len(X),), (da.asarray(x), out, np.int32(len(X))))
    made: np.ndarray = out.copy_to_host()
    return made


@pytest.mark.parametrize("case", CASES)
def test_values(device: da.Device, case: str) -> None:
    definitions, body, wanted = CASES[case]
    if case == "limits" and device.driver == "cuda":
        pytest.skip("NVRTC has no header of limits")
    if "double" in definitions + body or re.search(r"\d\.\d*\b(?!f)", body):
        skip_without("float64")
    np.testing.assert_allclose(run(definitions, body), [wanted(float(x)) for x in X], rtol=1e-6)


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return on_host(CASES, tmp_path_factory.mktemp("cplusplus"))


def on_host(cases: dict[str, Case], folder: Path) -> Any:
    """All texts as C++ of the host: a function `run_<number>` each."""
    compiler = shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        pytest.skip("no compiler of C++")
    head = (
        "#include <cmath>\n#include <cstdlib>\n#include <limits>\n#include <algorithm>\nstruct Index { int x; };\n"
        "static Index threadIdx, blockIdx, blockDim{1};\n#define __device__\n#define __global__\n"
        "#define __forceinline__ inline\n"
    )
    texts = []
    for number, (definitions, body, _) in enumerate(cases.values()):
        kernel = KERNEL.format(body=body).replace('extern "C"', "")
        lines = f"namespace case_{number} {{\n{definitions}\n{kernel}\n}}"
        undone = "".join(f"\n#undef {name}" for name in re.findall(r"#define (\w+)", definitions))
        texts.append(
            f"{lines}{undone}\n"
            f'extern "C" void run_{number}(const float* in, float* out, int n) '
            f"{{ for (blockIdx.x = 0; blockIdx.x < n; ++blockIdx.x) case_{number}::f(in, out, n); }}"
        )
    source, made = folder / "cases.cpp", folder / "cases.so"
    source.write_text(head + "\n".join(texts))
    flags = ["-std=c++17", "-w", "-O1", "-fno-strict-aliasing", "-shared", "-fPIC"]
    built = subprocess.run(
        [compiler, *flags, str(source), "-o", str(made)], capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stderr[:3000]
    return ctypes.CDLL(str(made))


@pytest.mark.parametrize("case", CASES)
def test_cplusplus_says_the_same(host: Any, case: str) -> None:
    x, out = X.astype("f4"), np.zeros(len(X), "f4")
    getattr(host, f"run_{list(CASES).index(case)}")(
        x.ctypes.data_as(ctypes.c_void_p), out.ctypes.data_as(ctypes.c_void_p), 8
    )
    np.testing.assert_allclose(out, [CASES[case][2](float(value)) for value in X], rtol=1e-6)


DTYPES = {
    "float": "f4", "double": "f8", "int": "i4", "unsigned int": "u4", "long long": "i8", "short": "i2",
    "unsigned char": "u1",
}  # fmt: skip


@pytest.mark.parametrize("kind", DTYPES)
def test_template_kernels(device: da.Device, kind: str) -> None:
    """A kernel of each type, with shared memory, a default argument and functions that it calls."""
    skip_without(np.dtype(DTYPES[kind]).name)
    text = """
    template <typename T> struct Pair { T low, high; };
    template <typename T> __device__ inline void order(T& a, T& b) { if (b < a) { const T c = a; a = b; b = c; } }
    template <typename T> __device__ Pair<T> ends(const T* p, int n) {
      Pair<T> e = {p[0], p[0]};
      for (int k = 1; k < n; ++k) { T x = p[k]; order(e.low, x); T y = p[k]; order(y, e.high); }
      return e;
    }
    namespace kernels {
    template <typename T, int N = 4>
    __global__ void __launch_bounds__(64) spread(const T* __restrict__ in,
                                                 T* __restrict__ out, T by) {
      __shared__ T tile[N * 2];
      extern __shared__ char rest[];
      T* more = reinterpret_cast<T*>(rest);
      const int t = threadIdx.x;
      if (t < 2 * N) { tile[t] = in[2 * N * blockIdx.x + t]; more[t] = tile[t]; }
      __syncthreads();
      const Pair<T> a = ends(tile, 2 * N), b = ends<T>(more, 2 * N), c = ends(in + 2 * N * blockIdx.x, N);
      if (t == 0) {
        T& o = out[blockIdx.x];
        o = static_cast<T>((a.high - b.low) * by + c.low);
      }
    }
    }"""
    names = [f"kernels::spread<{kind}>", f"kernels::spread<{kind}, 2>"]
    module = da.RawModule(code=text, name_expressions=names)
    x = np.array([3, 9, 1, 7, 4, 4, 100, 2, 60, 50, 40, 30, 20, 25, 22, 21], DTYPES[kind])
    for name, tile in zip(names, (4, 2), strict=True):
        rows = x.reshape(-1, 2 * tile)
        out = da.zeros(len(rows), x.dtype)
        module.get_function(name)((len(rows),), (8,), (da.asarray(x), out, 2), shared_mem=2 * tile * x.itemsize)
        wanted = (rows.max(1).astype("f8") - rows.min(1)) * 2 + rows[:, :tile].min(1)
        np.testing.assert_array_equal(out.copy_to_host(), wanted.astype("i8").astype(x.dtype))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "uint8"])
def test_element_wise_kernels(device: da.Device, dtype: str) -> None:
    skip_without(dtype)
    kernel = da.ElementwiseKernel(
        "T x",
        "T y",
        "T z = x; twice(z); auto more = [&](T a) { return a + z; }; y = square(more(x)) + square<T>(1)",
        "combined",
        preamble="template <typename T> __device__ T square(T a) { return a * a; }\n"
        "template <typename T> __device__ void twice(T& a) { a *= 2; }",
    )
    x = np.arange(5).astype(dtype)
    np.testing.assert_array_equal(kernel(da.asarray(x)).copy_to_host(), (3 * x) ** 2 + 1)
    raw = da.ElementwiseKernel(
        "T x, raw T table", "T y", "const T& z = table[i]; T& r = y; r = square(x) + z", "raw_square",
        preamble="template <typename T> __device__ T square(const T& a) { return a * a; }",
    )  # fmt: skip
    np.testing.assert_array_equal(raw(da.asarray(x), da.asarray(x[::-1])).copy_to_host(), x * x + x[::-1])


def test_operators_of_vectors(device: da.Device) -> None:
    text = """
    __device__ float3 operator+(const float3& a, const float3& b) {
      return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
    __device__ float4 operator*(float a, const float4& b) { return make_float4(a * b.x, a * b.y, a * b.z, a * b.w); }
    extern "C" __global__ void f(const float3* a, const float4* b, float* out) {
      float3 s = a[0] + a[1];
      float4 t = 2.0f * *b;
      out[0] = s.x; out[1] = s.y; out[2] = s.z; out[3] = t.w;
    }"""
    a, b, out = np.arange(6, dtype="f4"), np.arange(4, dtype="f4"), da.zeros(4, "f4")
    da.RawKernel(text, "f")((1,), (1,), (da.asarray(a), da.asarray(b), out))
    assert out.tolist() == [3, 5, 7, 6]


def test_errors_name_what_is_not_put_in_c(device: da.Device) -> None:
    if device.driver != "opencl":
        pytest.skip("CUDA has it")
    for definitions, body, message in REFUSED:
        kernel = da.RawKernel(f"{definitions}\n{KERNEL.format(body=body)}", "f")
        with pytest.raises(errors.CompileError, match=rf"(?s)line \d+ of f.*{message}"):
            kernel.compile()


REFUSED = [
    ("struct A { virtual __device__ float g() { return 1; } };", "A a; out[i] = a.g();", "virtual"),
    ("struct A { float a; }; struct B : public A { float b; };", "B b; out[i] = b.a;", "inherits"),
    ("struct A { A(const A& a) {} };", "out[i] = 1;", "constructor that copies"),
    ("struct A { __device__ ~A() {} };", "A a; out[i] = 1;", "destructor"),
    ("template <typename... Ts> __device__ int f1(Ts... a) { return 1; }", "out[i] = f1(1, 2);", "any number"),
    ("template <typename T> __device__ T most(T a, T b) { return a > b ? a : b; }", "out[i] = most(x, 1);",
     "T of most, which would be float and int; write most<...>"),
    ("template <typename T> __device__ T zero() { return T(); }", "out[i] = zero();", "does not tell its T"),
    ("__device__ void add(float& a) { a += 1; }", "int k = 1; add(k); out[i] = k;", "`k`, which is int, "
    "as a reference"),
    ("__device__ void add(float& a) { a += 1; }", "add(x + 1); out[i] = x;", "as a reference to float"),
    ("__device__ int kind(int a) { return 1; }\n__device__ int kind(float a) { return 2; }", "out[i] = kind(1.0);",
     "may mean several"),
    ("__device__ int factorial(int n, int by = 1) { return n < 2 ? by : factorial(n - 1, n * by); }",
     "out[i] = factorial(4);", "calls itself"),
    ("template <typename T> __device__ T g(T a) { __shared__ T b[2]; b[0] = a; return b[0]; }", "out[i] = g(x);",
     "`__shared__` in g"),
    ("#ifdef A\n__device__ float g(float& a) { return a; }\n#else\n__device__ float g(float& a) { return 1; }\n#endif",
     "out[i] = g(x);", "defined twice"),
    ("", "float a[2] = {1, x}; for (auto& v : a) v = 1; out[i] = a[0];", "loop over the elements"),
    ("", "auto f = [](auto a) { return a; }; out[i] = f(x);", "name their types"),
    ("using T = float;", "T* p = new T[3]; out[i] = p[0];", "memory on the heap"),
    ("", "std::vector<float> v; out[i] = v.size();", "vector"),
]  # fmt: skip


def test_lines_of_errors(device: da.Device) -> None:
    text = "template <typename T>\n__device__ T twice(T a,\n                   T b)\n{\n  return a + nothing;\n}\n"
    with pytest.raises(errors.CompileError, match=r"line 5 of f: `return a \+ nothing;`"):
        da.RawKernel(text + KERNEL.format(body="out[i] = twice(x, x);"), "f").compile()


def test_lines_where_a_compiler_passes_over_directives() -> None:
    """NVIDIA's for OpenCL counts the program's own lines."""
    text = "a\nb\nwrong\nd\n"
    for program, line in (('p\n#line 1 "f"\na\nb\nwrong\n', 5), ('p\n#line 1 "f"\n\n#line 2\nb\nwrong\n', 6)):
        given = errors.CompileError("it does not compile")
        given.log = f"<kernel>:{line}:1: error: unknown"
        with pytest.raises(errors.CompileError, match="line 3 of f: `wrong`"):
            raise user_error("f", None, given, {"f": text}, program)


IN_C = [
    "struct P { float x; }; __device__ float g(const P* p, int k) { if (k & 1) { return p->x; } return k; }",
    "#ifdef WIDE\n__device__ float g(double x) { return x; }\n#else\n__device__ float g(float x) { return x; }\n#endif",
    "__attribute__((overloadable)) float g(int x) { return x; }\n"
    "__attribute__((overloadable)) float g(float x) { return x; }",
    "struct P { int a; }; constant struct P table[] = { {.a = 1} }; int uniform(int x) { return x; }",
    "int g(int a, int b) { switch (a) { case 1 & 3: return a & b; } int new = a, class = b, template = 3;"
    " template = new & class; int complex = 1; return complex < 3; }",
    "#define MANY(name, ...) name(__VA_ARGS__)\n#define TEXT(x) #x\n__device__ int g(int a) { return a; }",
]


@pytest.mark.parametrize("definitions", IN_C)
def test_texts_in_c_stay_as_they_are(definitions: str) -> None:
    text = definitions + KERNEL.format(body="int k = 3 & i; float y = k * x; out[i] = y < k && x > y;")
    assert not needed(text)
    assert lowered(text, {}) is text
