"""Texts in C++ that would mean something else word for word in C: what hides what, what is a copy, and constants.

Expected values are Python's; where there is a compiler of C++ on the host, it has to say the same of the same text.
"""

from __future__ import annotations

import ctypes
import re
from typing import Any

import numpy as np
import pytest
from oracle import skip_without
from test_cplusplus import KERNEL, Case, X, on_host, run

import devarray as da
from devarray import errors
from devarray.codegen.language.cplusplus.lowering import lowered, needed
from devarray.codegen.language.cplusplus.tokens import NotUnderstood

ADD = "template <typename T> __device__ T same(T a) { return a; }\n"
POINTS = "struct V { float* p; __device__ float g(const float& a) const { p[0] = 7; return a; } };\n"
S = """
struct S {
  float a;
  __device__ void up() { a += 5; }
  __device__ S& operator+=(const S& o) { a += o.a; return *this; }
};
"""
NUMBER = "template <int N> __device__ float number(float a) { return a - N; }\n"

CASES: dict[str, Case] = {
    # names that hide others
    "a lambda called where another variable hides what it captures": (
        "", "float y = 1; auto g = [&]() { y += 1; return y; }; { float y = 100; out[i] = g() + y; } out[i] += y + x;",
        lambda x: 104 + x),
    "a copy of a lambda's beside a variable of its name": (
        "", "float y = 1, g_y = 5; { auto g = [=]() { return y; }; y = 50; out[i] = g() + g_y + x; }",
        lambda x: 6 + x),
    "a lambda's own variable of the name of one that it captures": (
        "", "int q = 1; auto g = [&](int a) { int q = a; q++; { int q = 7; a += q; } return q + a; };"
        " out[i] = g(4) + q * 100 + x;", lambda x: 116 + x),
    "a variable that hides a default argument's": (
        "const int N = 3; __device__ int h(int a, int b = N) { return a * 10 + b; }",
        "int N = 7; out[i] = h(2) + N + x;", lambda x: 30 + x),
    "a member function's default argument": (
        "struct D { static const int K = 3; int a; __device__ int g(int b = K) const { return a + b; } };",
        "int K = 50; D d; d.a = 1; out[i] = d.g() + K + x;", lambda x: 54 + x),
    "a variable that hides a static constant's": (
        "const int N = 3; struct D { static const int K = N + 1; int d[K * N]; };",
        "int N = 7; out[i] = D::K + N + sizeof(D) + x;", lambda x: 59 + x),
    "a constant that hides another as a size": (
        "const int N = 3;" + ADD, "const int N = 5; float a[N]; a[4] = 1; out[i] = sizeof(a) + same(a[N - 1]) + x;",
        lambda x: 21 + x),
    "names of types end with their blocks": (
        "", "using T = float; { using T = int; T q = (T)x; out[i] = q; } T z = x; out[i] += z * 100;",
        lambda x: int(x) + 100 * x),
    # copies, and what is none
    "a constant reference that is returned": (
        "__device__ const float& most(const float& a, const float& b) { if (a < b) return b; return a; }",
        "float y = 20; const float& r = most(x, y); y = 99; out[i] = r;", lambda x: 99),
    "a constant reference to what a structure points to": (
        POINTS + "__device__ float h(const float& a, V v) { v.p[0] += 1; return a; }",
        "float y = x; V v; v.p = &y; out[i] = h(y, v) + 100 * v.g(y);", lambda x: x + 701),
    "one of two that changes": (
        S + "__device__ void twice(float& a) { a *= 2; }",
        "S s, t; s.a = 1; t.a = 2; (x > 2 ? s : t).up(); float e = 1, f = x; twice(x > 2 ? e : f);"
        " S& r = x > 2 ? t : s; r.a += 10; (x > 2 ? s : t).a += 100; (x > 2 ? e : f) += 1;"
        " out[i] = s.a + 1000 * t.a + e + 10 * f;",
        lambda x: 106 + 12000 + 3 + 10 * x if x > 2 else 11 + 107000 + 1 + 10 * (2 * x + 1)),
    "a copy that a lambda changes": (
        "", "int q = 1; auto g = [q]() mutable { q++; return q; }; int a = g(); out[i] = a * 10 + g() + 100 * q + x;",
        lambda x: 123 + x),
    "parts with constructors": (
        "struct C { float a; __device__ C(float v) : a(v * 2) {} }; struct P { C c; float d; };",
        "P p = {x, 1}; C b[2] = {1, x}; out[i] = p.c.a + p.d + 10 * b[1].a + b[0].a;", lambda x: 22 * x + 3),
    # constants as template arguments
    "numbers below zero": (NUMBER, "out[i] = number<-1>(x) + number<-7 / 2>(0) + number<(-7 % 3)>(0) + number<010>(0);",
                           lambda x: x + 1 + 3 + 1 - 8),
    "types of numbers": (
        "__device__ int k(int) { return 1; }\n__device__ int k(unsigned) { return 2; }\n"
        "__device__ int k(bool) { return 3; }\ntemplate <unsigned N, bool B> __device__ int g() {"
        " return k(N) + 10 * k(B) + 100 * (N - 5 < 0) + 1000 * B; }", "out[i] = g<3, (2 > 1)>() + x;",
        lambda x: 1032 + x),
    "specialisations by value": (
        "enum E { A, B, D = B << 3 };\ntemplate <int N> __device__ int g() { return N; }\n"
        "template <> __device__ int g<1>() { return 22; }\ntemplate <bool Y> __device__ int h() { return 1; }\n"
        "template <> __device__ int h<true>() { return 2; }\n"
        "template <int N> __device__ int both() { return h<(N > 2)>() * 10 + h<N == 2>(); }",
        "out[i] = g<B>() + 100 * g<D>() + 1000 * both<3>() + x;", lambda x: 22 + 800 + 21000 + x),
    "specialisations that deduce the rest": (
        "template <int N, class T> __device__ int g(T a) { return 1; }\n"
        "template <> __device__ int g<3>(float a) { return 2; }\n"
        "template <class T> __device__ int h(T a) { return 1; }\ntemplate <> __device__ int h(int a) { return 2; }",
        "out[i] = g<3>(x) + 10 * g<3>(1) + 100 * h<int>(x) + 1000 * h<float>(1) + x;", lambda x: 1212 + x),
    "structures that signs tell apart": (
        "enum F { P = 1, Q = 3 };\ntemplate <int N> struct T { int a; __device__ int g() const { return N; } };\n"
        "template <char N> struct U { int a; __device__ int g() const { return N; } };",
        "T<(P | Q)> a; T<(P & Q)> b; U<'+'> c; U<'-'> d; out[i] = a.g() + 10 * b.g() + 100 * (d.g() - c.g()) + x;",
        lambda x: 3 + 10 + 200 + x),
    "a constant of a function": (
        "const int N = 3; template <int M> __device__ int g() { return M; }",
        "const int N = 5; constexpr int K = N * 2; out[i] = g<N>() + 10 * g<K + 1>() + x;", lambda x: 115 + x),
    # numbers, macros, overloads
    "types of 64 bits": (
        "__device__ int k(long long a) { return 1; }\n__device__ int k(unsigned long long a) { return 2; }",
        "unsigned long a = 1; long long b = 2; out[i] = k(a + b) + x;", lambda x: 2 + x),
    "sizes of truth values and characters": (
        ADD, "out[i] = sizeof(x > 1) + 10 * sizeof('a') + 100 * sizeof(true) + same(x);", lambda x: 111 + x),
    "numbers in other notations": (ADD, "out[i] = same(0x1.8p3f) + same(0b101) + same(0xe) + same(017) + x;",
                                   lambda x: 12 + 5 + 14 + 15 + x),
    "macros in arguments of macros": (
        "#define INC(a) ((a) + y)\n__device__ void g(float& y, float& o) { o = INC(INC(1)); }",
        "float o; g(x, o); out[i] = o;", lambda x: 1 + 2 * x),
    "a comment that goes on": (ADD, "float q = 1; // {\\\n q = 2; {\n out[i] = same(q) + x;", lambda x: 1 + x),
    "functions of the names of OpenCL's": (
        ADD + "__device__ float any(float a) { return a * 2 + 3; }\n__device__ float popcount(float a) { return a; }\n"
        "template <typename T> __device__ T sign(T a) { return a + 1; }",
        "out[i] = any(x) + any(same(2)) + popcount(4) + sign(x) + sign(3);", lambda x: 3 * x + 3 + 7 + 4 + 1 + 4),
    "namespaces without a name": ("namespace { __device__ float f1(float a) { return a + 1; } }", "out[i] = f1(x);",
                                  lambda x: x + 1),
    "overloads by const": (
        "__device__ int k(float*) { return 1; }\n__device__ int k(const float*) { return 2; }\n"
        "__device__ int m(float&) { return 1; }\n__device__ int m(const float&) { return 2; }",
        "const float c = 2; out[i] = k(&x) + 10 * k(in) + 100 * m(x) + 1000 * m(c) + 10000 * m(x + 1) + x;",
        lambda x: 22121 + x),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_values(device: da.Device, case: str) -> None:
    definitions, body, wanted = CASES[case]
    if case == "functions of the names of OpenCL's" and device.driver == "cuda":
        pytest.skip("CUDA has a function any of truths, which an int may be")
    if re.search(r"p3f", body):
        skip_without("float64")
    np.testing.assert_allclose(run(definitions, body), [wanted(float(x)) for x in X], rtol=1e-6)


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return on_host(CASES, tmp_path_factory.mktemp("meaning"))


@pytest.mark.parametrize("case", CASES)
def test_cplusplus_says_the_same(host: Any, case: str) -> None:
    x, out = X.astype("f4"), np.zeros(len(X), "f4")
    getattr(host, f"run_{list(CASES).index(case)}")(
        x.ctypes.data_as(ctypes.c_void_p), out.ctypes.data_as(ctypes.c_void_p), 8
    )
    np.testing.assert_allclose(out, [CASES[case][2](float(value)) for value in X], rtol=1e-6)


REFUSED = [
    ("struct T { int q; __device__ int g() { auto l = [&](int a) { return a + q; }; return l(1); } };",
     "T t; t.q = 1; out[i] = t.g();", "uses q of its structure"),
    (S, "S s, t; t.a = 1; (s = t).up(); out[i] = s.a;", "up of what is assigned"),
    ("__device__ const float& g(const float& a) { return a; }", "out[i] = g(x + 1);", "where a call computes it"),
    ("#define g(a) (g(a) + 1)\n" + ADD, "out[i] = same(g(1));", "g, whose text has its own name"),
    ("template <class T> __device__ T g(T a[2][2]) { return a[1][1]; }", "float a[2][2] = {{1, 2}, {3, x}};"
     " out[i] = g(a);", "array of arrays a as a parameter"),
    ("namespace a { __device__ int g(int x) { return 1; } }\nnamespace b { __device__ int g(float x) { return 2; } }",
     "out[i] = a::g(x);", "g, which several namespaces have"),
    ("namespace a { using T = int; }\nnamespace b { using T = float; }", "a::T k = x; out[i] = k;",
     "T, which is defined"),
    ("namespace a { template <class T> struct V { T a; }; }\nnamespace b { template <class T> struct V { T b; }; }",
     "a::V<int> v; out[i] = 1;", "structure V, which is defined twice"),
    ("#ifdef A\n__device__ float g(double a) { return 1; }\n#else\n__device__ float g(int a) { return 2; }\n#endif\n"
     + ADD, "out[i] = same(g(1.0));", "defined twice"),
    ("#ifdef A\nconst int N = 1;\n#else\nconst int N = 2;\n#endif\ntemplate <int M> __device__ int g() { return M; }\n"
     "template <> __device__ int g<1>() { return 7; }", "out[i] = g<N>();", "whose value is not known"),
    ("template <int N> __device__ int g() { return N; }", "int k = 3; out[i] = g<k>();",
     "`k`, whose value is not known"),
]  # fmt: skip


def test_errors_name_what_is_not_put_in_c(device: da.Device) -> None:
    if device.driver != "opencl":
        pytest.skip("CUDA has it")
    for definitions, body, message in REFUSED:
        kernel = da.RawKernel(f"{definitions}\n{KERNEL.format(body=body)}", "f")
        with pytest.raises(errors.CompileError, match=rf"(?s)line \d+ of f.*{message}"):
            kernel.compile()


BROKEN = [
    "using namespace std",
    "namespace a",
    "typedef template",
    "enum E { A = ",
    ADD + "__global__ void f() { float a = same(12ab); }",
    ADD + "__global__ void f() { auto g = []() { return 1; }; int a = same(g(1)); }",
    "template <int N> struct T { int a",
    "struct A { int operator",
    ADD + "__global__ void f() { int a = same<1 / 0>(1); }",
]


@pytest.mark.parametrize("text", BROKEN)
def test_broken_texts_are_errors_of_the_text(text: str) -> None:
    with pytest.raises(NotUnderstood):
        lowered(text, {} if needed(text) else {"f<int>": "f"})


IN_C = [
    "#define DECLARE(name) __kernel void name(__global float* x)\nDECLARE(a) { x[0] = 1; }\nDECLARE(b) { x[0] = 2; }",
    "void f(int operator, int b) { int q = operator + b; q = operator == 3; }",
    "void f(int b) { int operator = 3, using = 1; operator += b; if (template < b || using < 3) b = 1; }",
    "struct P { enum { A = 1 } k; int b; }; void f(struct P* p) { p->k = A; }",
    "void f(int a) { int q[4] = {[0] = 1, [2] = 5}; struct P r = {.a = 1, .b = {[1] = 2}}; }",
]


@pytest.mark.parametrize("text", IN_C)
def test_texts_in_c_stay_as_they_are(text: str) -> None:
    assert not needed(text)
    assert lowered(text, {}) is text
