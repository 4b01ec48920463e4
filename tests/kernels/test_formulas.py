"""Texts that are read as operations of the table give what their compiled C functions give."""

from __future__ import annotations

import copy
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import launches, moderate, same, skip_without

import devarray as da
from devarray import errors

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
DTYPES = ["bool", *INTEGERS, "float16", "float32", "float64"]

ANY_TYPE = [
    "z = x * y + x",
    "z = -x - (y + +x)",
    "z = x < y ? x : y",
    "z = (x < y) + 2 * (x >= y) + 4 * (x == y)",
    "z = !x || (y != 0 && x > 1)",
    "z = min(x, y) - max(x, y)",
    "T a = x + 1, b = a * 2; z = a; z += b; z *= y",
    "z = x; if (x > y) z = y; else if (x == y) { T w = z + 1; z = w; }",
    "z = (float)x * 0.5f + y",
    "z = static_cast<T>(x) - T(y)",
    "z = x;;",
    "{ const int k = 3; z = x * k; } // what stands here counts for nothing",
    "z = (x > y) & (y > 0); z = z * 2 + 1",
    "if (x > y) z = x - y; else z = y - x",
]
OF_INTEGERS = [
    "z = x & y | x ^ 3",
    "z = ~x",
    "z = x << 2 >> 1",
    "z = (x & 0xFu) + 0x10",
    "z = (unsigned int)x * 3u",
    "z = x * 2LL",
    "z = abs((int)x) + (short)y",
]
OF_FLOATS = [
    "z = x / y - 1",
    "z = x * 0.1 + 1e-3f",
    "z = fabs(x) + fmax(x, y) - fminf(x, y)",
    "z = floor(x) + ceil(y) * trunc(x) - rint(y)",
    "z = sqrt(fabs(x))",
    "z = (int)x * 2 + 1",
    "z = copysign(x, y) + fmod(x, 3)",
    "double w = x; z = w * w - 2. * w + .5",
    "z = x * M_PI_2 + FLT_EPSILON * INT_MIN",
    "z = isnan(x) ? NAN : signbit(x) ? INFINITY : isfinite(y)",
]
FUNCTIONS = ["exp", "log1p", "sin", "cos", "tanh", "atan", "cbrt", "exp2", "asinh"]


def pair(text):
    """The text's kernel, and the same one that is a C function: with a preamble none is read."""
    inputs = "T x, T y" if "y" in text else "T x"
    read = da.ElementwiseKernel(inputs, "T z", text, "read")
    return read, da.ElementwiseKernel(inputs, "T z", text, "compiled", preamble="#define NOTHING")


def is_read(kernel):
    return any(formula is not None for formula in kernel._formulas.values())


def agree(text, dtype, a, b):
    read, compiled = pair(text)
    arrays = [da.asarray(a), da.asarray(b)][: read.nin]
    for _ in range(2):  # the second call goes by what the first one left
        ours, wanted = read(*arrays), compiled(*arrays)
        assert is_read(read) and not is_read(compiled), text
        same(ours, wanted.copy_to_host(), f"{text} of {dtype}")


def small(dtype, seed, shape=200):
    """Numbers whose products the dtypes and C's int hold: what overflows is undefined in C."""
    found = moderate(dtype, shape, seed)
    return found if dtype == "bool" else (found % 5).astype(dtype) if dtype in INTEGERS else found


@pytest.mark.parametrize("text", ANY_TYPE)
@pytest.mark.parametrize("dtype", DTYPES)
def test_text_of_any_type(device, text, dtype):
    skip_without(dtype)
    agree(text, dtype, small(dtype, 1), small(dtype, 2))


@pytest.mark.parametrize("text", OF_INTEGERS)
@pytest.mark.parametrize("dtype", INTEGERS)
def test_text_of_integers(device, text, dtype):
    agree(text, dtype, small(dtype, 1), small(dtype, 2))


@pytest.mark.parametrize("text", OF_FLOATS)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_text_of_floats(device, text, dtype):
    skip_without(dtype)
    a, b = moderate(dtype, 200, 1), moderate(dtype, 200, 2)
    a[:3], b[:3] = np.nan, [1, np.nan, np.inf]
    a = np.where(np.isnan(a), np.asarray(7, dtype), a) if "(int)" in text else a
    agree(text, dtype, a, b)


def test_the_lesser_and_the_greater_of_a_nan(device):
    x = da.asarray(np.array([1, np.nan, 2], "float32"))
    for kernel in pair("z = min(x, y) + 10 * max(x, y)"):
        same(kernel(x, x[::-1]), np.array([21, np.nan, 21], "float32"))
        same(kernel(x, da.ones(3, "float32")), np.array([11, 11, 21], "float32"))


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_numbers(device, dtype):
    skip_without(dtype)
    a, b = moderate(dtype, 50, 1), moderate(dtype, 50, 2)
    x, y = da.asarray(a), da.asarray(b)
    real = {"complex64": "float32", "complex128": "float64"}[dtype]

    def of(text, result="T", inputs="T x, T y"):
        kernel = da.ElementwiseKernel(inputs, f"{result} z", text, "read")
        made = [kernel(x, y) for _ in range(2)][-1]
        assert is_read(kernel), text
        return made

    for text, result, wanted in [
        ("z = x + y * 2", "T", a + b * 2),
        ("z = -x - y", "T", -a - b),
        ("z = T(1) * x; z += y", "T", a + b),
        ("z = x == y ? x : conj(y)", "T", np.conj(b)),
        ("z = x.real() - imag(y)", real, a.real - b.imag),
        ("z = x != y", "bool", a != b),
    ]:
        same(of(text, result), wanted.astype(result if result != "T" else dtype), text)
    np.testing.assert_allclose(of("z = x * y / (y + T(9))").copy_to_host(), a * b / (b + 9), rtol=1e-5)
    np.testing.assert_allclose(of("z = exp(x) + sqrt(y)").copy_to_host(), np.exp(a) + np.sqrt(b), rtol=1e-5)
    np.testing.assert_allclose(of("z = abs(x) + abs(y)", real).copy_to_host(), abs(a) + abs(b), rtol=1e-6)
    scaled = da.ElementwiseKernel("T x, T by", "T z", "z = x * by", "scaled")
    for by in (2, 0.5, 1 - 2j, np.complex64(0.1j), True):
        for _ in range(2):
            np.testing.assert_allclose(scaled(x, by).copy_to_host(), a * a.dtype.type(by), rtol=1e-6)
    for text in ("z = x < y ? x : y", "z = fmax(x, y)", "z = floor(x)", "z = x % y"):
        with pytest.raises(errors.CompileError):
            da.ElementwiseKernel("T x, T y", "T z", text, "wrong")(x, y)
    with pytest.raises(errors.CompileError):
        da.ElementwiseKernel("T x", f"{real} z", "z = x", "wrong")(x)
    structure = da.ElementwiseKernel("T x", "T z", "z = x; z.re = x.im", "structure")(x)
    same(structure, (a.imag + 1j * a.imag).astype(dtype))


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", ["int32", "float32", "float64"])
def test_functions(device, name, dtype):
    skip_without(dtype, "float64")
    a = np.abs(small(dtype, 1)) + 1
    read = da.ElementwiseKernel("T x", "double z", f"z = {name}(x)", "read")
    numpy_name = {"atan": "arctan", "asinh": "arcsinh"}.get(name, name)
    wanted = getattr(np, numpy_name)(a.astype("float32" if dtype == "float32" else "float64"))
    np.testing.assert_allclose(read(da.asarray(a)).copy_to_host(), wanted, rtol=4e-7 if dtype == "float32" else 4e-16)
    assert is_read(read)


@pytest.mark.parametrize(
    "text",
    [
        "z = x / y",  # of integers
        "z = x % 3",
        "z = x * i",
        "for (int j = 0; j < 3; ++j) z = x",
        "z = x; z++",
        "z = x; return;",
        "z = y == 0 ? 1 : x / y",
        "T a[2]; z = x",
        "z = x * 010",
        "z = 7 + 0 * sizeof(x)",
        "z = y; T unused = x",  # whose shape counts, too
    ],
)
def test_what_is_more_than_arithmetic_stays_c(device, text):
    read, compiled = pair(text)
    a, b = np.arange(12, dtype="int64").reshape(3, 4), np.arange(1, 5)
    arrays = [da.asarray(a), da.asarray(b)][: read.nin]
    same(read(*arrays), compiled(*arrays).copy_to_host())
    assert not is_read(read)


@pytest.mark.parametrize("text", ["z = x +", "z = nothing", "x = z", "z = (x", "w = x; z = w", "z = x y"])
def test_mistakes_are_the_compilers(device, text):
    with pytest.raises(errors.CompileError):
        da.ElementwiseKernel("T x, T y", "T z", text, "wrong")(da.ones(3), da.ones(3))


def test_scalar_arguments(device):
    skip_without("float64")
    a = np.linspace(-2, 2, 9, dtype="float32")
    x = da.asarray(a)
    scaled = da.ElementwiseKernel("T x, T by, int32 plus", "T z", "z = x * by + plus", "scaled")
    for by in (0.1, 3, np.float32(0.1), np.int64(3), True, 1e300):
        with np.errstate(all="ignore"):
            same(scaled(x, by, 2), a * np.float32(by) + np.float32(2))
    same(scaled(x, x, x.astype("int32")), a * a + a.astype("int32").astype("float32"))
    wide = da.ElementwiseKernel("float32 by, T x", "double z", "z = x * (double)by", "wide")
    for _ in range(2):
        same(wide(0.1, x.astype("float64")), a.astype("float64") * np.float64(np.float32(0.1)))
    few = da.ElementwiseKernel("int8 k, T x", "T z", "z = x + k", "few")
    for k in (-128, 127, -1, 0):
        same(few(k, x), a + np.float32(k))
    same(few(300, x), a + np.float32(44))  # as NumPy casts it
    half = da.ElementwiseKernel("T x, float16 k", "T z", "z = x * k", "half")
    for k in (0.1, 0.5, 65519.0, 65521.0, -(2**-24), 2**-25, 3e-8, float("nan"), float("-inf"), 7):
        with np.errstate(all="ignore"):
            same(half(x, k), a * np.float32(np.float16(k)))
    free = da.ElementwiseKernel("T x, U k", "U z", "z = k + (U)x", "free")
    for k in (1, 1.5, np.int8(3)):
        wanted = (a.astype(np.asarray(k).dtype) + k).astype(np.asarray(k).dtype)
        same(free(x, k), wanted)


def test_many_inputs_and_shapes(device):
    text = "out = a * b + c * d - e * f"
    kernel = da.ElementwiseKernel("T a, T b, T c, T d, T e, T f", "T out", text, "six")
    hosts = [moderate("float32", shape, i) for i, shape in enumerate([(3, 4), (4,), (3, 1), (), (1, 4), (3, 4)])]
    a, b, c, d, e, f = hosts
    same(kernel(*map(da.asarray, hosts)), a * b + c * d - e * f)
    out = da.zeros((3, 4), "float32")
    assert kernel(*map(da.asarray, hosts), out) is out
    same(out, a * b + c * d - e * f)
    with pytest.raises(errors.ShapeError):
        kernel(*map(da.asarray, hosts), da.zeros((2, 3, 4), "float32"))
    x = da.arange(6, dtype="float32")
    kernel(x[:3], 2, x[3:], 1, 0, x[:3], x[1:4])  # the result lies in an operand
    same(x, np.array([0, 3, 6, 9, 4, 5], "float32"))


def test_plain_text_costs_what_its_operations_do(device, deferred):
    kernel = da.ElementwiseKernel("T x, T y", "T z", "T unused = y / x; z = x * y + 2", "counted")
    x = da.arange(1.0, 17.0)
    kernel(x, x).evaluate()
    before = da.stats()["recorded"]
    made = kernel(x, x)
    assert da.stats()["recorded"] - before == 2
    plain = x * x + 2
    assert launches(made.evaluate) == launches(plain.evaluate)


def test_small_arrays_need_no_launch_on_cpus(device):
    if device.strategy != "cpu" or not da.zeros(1).allocator.kind.endswith(("svm_fine", "buffer")):
        pytest.skip("the host computes where it sees the memory of a CPU")
    before, da.config.host_elements = da.config.host_elements, 1 << 20
    try:
        read, compiled = pair("z = x * y + x")
        x = da.asarray(np.arange(16, dtype="float32"))
        read(x, x).evaluate(), compiled(x, x).evaluate()
        assert launches(lambda: read(x, x).evaluate()) == 0
        assert launches(lambda: compiled(x, x).evaluate()) == 1
    finally:
        da.config.host_elements = before


def test_nested_texts_and_constants_beyond_their_type(device):
    depth = 200  # Clang takes 256 brackets, which NVIDIA's OpenCL is made of
    nested = da.ElementwiseKernel("T x", "T z", "z = " + "(1 + " * depth + "x" + ")" * depth, "nested")
    x = da.arange(3, dtype="float32")
    same(nested(x), np.arange(3, dtype="float32") + depth)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same(
            da.ElementwiseKernel("T x", "T z", "T most = 1e300; z = x + most", "most")(x), np.full(3, np.inf, "float32")
        )


def test_copies_and_a_second_setting(device):
    kernel = da.ElementwiseKernel("T x", "T z", "z = x + 1", "first")
    x = da.arange(3.0)
    kernel(x), kernel(x)
    again = copy.deepcopy(kernel)
    kernel.__init__("T x", "T z", "z = x + 2", "second")
    same(kernel(x), np.arange(3.0) + 2)
    same(again(x), np.arange(3.0) + 1)
    same(da.ElementwiseKernel("T x", "T z", "z = x", "copy")(x), np.arange(3.0))


# --- random texts ----------------------------------------------------------------------------------------------------

LEAVES = ["x", "y", "1", "2u", "3.5f", "0.25", "7LL"]


def expressions(leaves):
    return st.recursive(
        st.sampled_from(leaves),
        lambda inner: st.one_of(
            st.tuples(inner, st.sampled_from(["+", "-", "*", "<", "<=", "=="]), inner).map(
                lambda p: f"({p[0]} {p[1]} {p[2]})"
            ),
            # OpenCL C has no truth of floats
            st.tuples(inner, st.sampled_from(["&&", "||"]), inner).map(
                lambda p: f"(({p[0]} != 0) {p[1]} !({p[2]} > 1))"
            ),
            st.tuples(inner, inner, inner).map(lambda p: f"({p[0]} != 0 ? {p[1]} : {p[2]})"),
            st.tuples(st.sampled_from(["-", "(float)", "(int)", "(bool)"]), inner).map(lambda p: f"({p[0]}{p[1]})"),
            st.tuples(st.sampled_from(["min", "max"]), inner, inner).map(
                lambda p: f"{p[0]}((float){p[1]}, (float){p[2]})"  # of two types CUDA's are ambiguous
            ),
        ),
        max_leaves=7,
    )


@settings(max_examples=30, deadline=None)
@given(
    text=expressions(LEAVES), kinds=st.sampled_from([("uint8", "int16"), ("uint32", "float32"), ("int64", "uint64")])
)
def test_random_texts(device, text, kinds):
    skip_without("float64")
    first, second = kinds
    a, b = np.arange(6, dtype=first), np.arange(5, -1, -1).astype(second)
    kernel = [
        da.ElementwiseKernel("A x, B y", "double z", f"z = {text}", "random", preamble=preamble)
        for preamble in ("", "#define NOTHING")
    ]
    x, y = da.asarray(a), da.asarray(b)
    same(kernel[0](x, y), kernel[1](x, y).copy_to_host(), text)
