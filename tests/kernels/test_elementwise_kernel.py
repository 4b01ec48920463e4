"""ElementwiseKernel: NumPy's results for every layout, one kernel with its neighbours, errors in the user's lines."""

from __future__ import annotations

import numpy as np
import pytest
from oracle import moderate, same, skip_without

import devarray as da
from devarray import errors
from devarray._kernels.check import user_error

DTYPES = ["int8", "int32", "int64", "uint8", "uint32", "float32", "float64"]


def host(n, dtype="float32"):
    return np.arange(n).astype(dtype)


@pytest.fixture(scope="module")
def squared():
    return da.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squared")


LAYOUTS = {
    "plain": lambda x: x,
    "strided": lambda x: x[::2, 1::3],
    "negative": lambda x: x[::-1, ::-2],
    "transposed": lambda x: x.T,
    "row": lambda x: x[:1],
    "column": lambda x: x[:, :1],
    "0-d": lambda x: x[2, 3],
    "empty": lambda x: x[:0],
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_layout_and_dtype(device, squared, layout, dtype):
    skip_without(dtype)
    a, b = moderate(dtype, (12, 15), 1), moderate(dtype, (12, 15), 2)
    view = LAYOUTS[layout]
    x, y = view(da.asarray(a)), view(da.asarray(b))
    if layout == "0-d":
        x, y = da.asarray(a)[2:3, 3].reshape(()), da.asarray(b)[2:3, 3].reshape(())
    a, b = np.asarray(view(a)), np.asarray(view(b))
    same(squared(x, y), ((a - b) * (a - b)).astype(dtype))


@pytest.mark.parametrize("outer", [(4, 1, 5), (1, 3, 1), (3, 5), (5,), ()])
def test_broadcasting(device, squared, outer):
    a, b = moderate("float32", (4, 3, 5), 1), moderate("float32", outer, 2)
    same(squared(da.asarray(a), da.asarray(b)), (a - b) * (a - b))
    with pytest.raises(errors.ShapeError):
        squared(da.zeros(3), da.zeros(4))


def test_it_fuses_with_its_neighbours(device, deferred, squared):
    a, b = moderate("float32", 1000, 1), moderate("float32", 1000, 2)
    x, y = da.asarray(a), da.asarray(b)
    squared(x, y).evaluate()
    da.synchronize()
    da.reset_stats()
    z = squared(x * 2, y + 1) - x
    assert z.pending and da.stats()["launches"] == 0
    z.evaluate()
    assert da.stats()["launches"] == 1
    d = a * np.float32(2) - (b + np.float32(1))
    same(z, d * d - a)


def test_a_reduction_absorbs_it(device, deferred, squared):
    a = moderate("int32", (30, 40), 1)
    x = da.asarray(a)
    squared(x, 1).sum(axis=1).evaluate()
    da.reset_stats()
    total = squared(x, 3).sum(axis=1).evaluate()
    assert da.stats()["launches"] == 1
    same(total, ((a - np.int32(3)) ** 2).sum(axis=1))


@pytest.mark.parametrize("op, text", [("sin", "z = sin(x)"), ("sqrt", "z = sqrt(x)"), ("floor", "z = floor(x)")])
def test_against_the_row_of_the_table(device, op, text):
    x = da.asarray(np.abs(moderate("float32", 5000, 3)))
    mine, row = da.ElementwiseKernel("T x", "T z", text, op)(x), getattr(da, op)(x)
    np.testing.assert_allclose(mine.copy_to_host(), row.copy_to_host(), rtol=3e-7)
    same(
        da.ElementwiseKernel("T x, T y", "T z", "z = x * y + x")(x, x + 1),
        x.copy_to_host() * (x + 1).copy_to_host() + x.copy_to_host(),
    )


@pytest.mark.parametrize(
    "text, wanted, error",
    [
        ("z = __expf(x) + __fdividef(x, 2.0f)", lambda x: np.exp(x) + x / 2, 1e-5),
        ("z = __powf(2, x) * __logf(M_E) + x - __exp10f(0)", lambda x: np.exp2(x) + x - 1, 1e-5),
        ("z = native_exp(x) + native_divide(x, 2.0f)", lambda x: np.exp(x) + x / 2, 1e-3),
    ],
)
def test_quick_functions_of_either_language(device, text, wanted, error):
    x = np.linspace(-1, 1, 50, dtype="float32")
    made = da.ElementwiseKernel("float32 x", "float32 z", text, "quick")(da.asarray(x))
    np.testing.assert_allclose(made.copy_to_host(), wanted(x), rtol=error, atol=error)


def test_two_preambles_with_one_name_in_one_kernel(device, deferred):
    preamble = "#define SCALE {0}\n__device__ T helper(T v) {{ return v * SCALE; }}\n"
    preamble += "__device__ T twice(T v) {{ return helper(v) + v; }}"
    one = da.ElementwiseKernel("T x", "T z", "z = twice(x)", "one", preamble=preamble.format(2))
    two = da.ElementwiseKernel("T x", "T z", "z = twice(x)", "two", preamble=preamble.format(10))
    a = host(50, "int32")
    x = da.asarray(a)
    (one(x) + two(x)).evaluate(), two(x.astype("float32")).evaluate()
    da.reset_stats()
    z = one(x + 1) + two(one(x).astype("float32")).astype("int32")
    z.evaluate()
    assert da.stats()["launches"] == 1
    same(z, (3 * (a + 1) + 11 * 3 * a).astype("int32"))


def test_the_index_counts_in_c_order(device):
    numbered = da.ElementwiseKernel("T x", "T z", "z = x * 1000 + i", "numbered")
    a = host(24, "int64").reshape(4, 6)
    for view in (lambda v: v, lambda v: v.T, lambda v: v[::-1, ::2], lambda v: v[:, 0]):
        wanted = view(a) * 1000 + np.arange(view(a).size).reshape(view(a).shape)
        same(numbered(view(da.asarray(a))), wanted)


def test_types_of_parameters(device):
    skip_without("float64")
    kernel = da.ElementwiseKernel("float32 x, int64 k, bool keep", "float64 z", "z = keep ? (double)x * k : -1.0")
    a, k, keep = host(6), host(6, "int64") + 2**40, host(6) % 2 == 0
    same(kernel(da.asarray(a), da.asarray(k), da.asarray(keep)), np.where(keep, a.astype("f8") * k, -1.0))
    same(kernel(da.asarray(a), 3, True), a.astype("f8") * 3)
    with pytest.raises(errors.DTypeError, match="Type is mismatched: parameter x is float32, and the array is float64"):
        kernel(da.asarray(a.astype("f8")), 3, True)
    with pytest.raises(errors.DTypeError, match="Type is mismatched: parameter y is T, which is float32"):
        da.ElementwiseKernel("T x, T y", "T z", "z = x")(da.asarray(a), da.asarray(k))
    with pytest.raises(errors.DTypeError, match="Type is unknown"):
        da.ElementwiseKernel("T x", "U z", "z = x")(da.asarray(a))
    with pytest.raises(TypeError, match="Wrong number of arguments for 'two'"):
        da.ElementwiseKernel("T x, T y", "T z", "z = x", "two")(da.asarray(a))
    with pytest.raises(errors.ValueError, match="no parameter of a kernel"):
        da.ElementwiseKernel("x", "T z", "z = x")
    with pytest.raises(errors.DTypeError, match="'floot' is no type"):
        da.ElementwiseKernel("floot x", "T z", "z = x")


def test_names_and_sizes_that_are_refused(device, squared):
    for kernel in (
        da.ElementwiseKernel,
        lambda *args: da.ReductionKernel(*args[:2], "x", "a + b", "z = a", "0", args[3]),
    ):
        with pytest.raises(ValueError, match="Invalid kernel name"):
            kernel("T x", "T z", "z = x", "1 bad name")
    with pytest.raises(ValueError, match="block_size is 0"):
        squared(da.ones(3), 1.0, block_size=0)


def test_float16_rounds_once_for_each_kernel(device):
    a, b = moderate("float16", 500, 1), moderate("float16", 500, 2)
    z = da.ElementwiseKernel("T x, T y", "T z", "z = x * y")(da.asarray(a), da.asarray(b))
    same(z, a * b)


def test_several_results_and_many_inputs(device):
    kernel = da.ElementwiseKernel(
        "T a, T b, T c, T d, int32 k", "T s, int32 m", "T ab = a + b; s = ab * c - d; m = k + (a < b)", "five"
    )
    a, b, c, d = (moderate("float32", (5, 7), seed) for seed in range(4))
    s, m = kernel(da.asarray(a), da.asarray(b).T.copy().T, da.asarray(c)[:1], da.asarray(d)[:, ::-1], 4)
    same(s, (a + b) * c[:1] - d[:, ::-1])
    same(m, (4 + (a < b)).astype("int32"))


def test_arrays_for_results(device, squared):
    a = moderate("float32", (6, 8), 1)
    x, out = da.asarray(a), da.zeros((12, 8), dtype="float32")
    target = out[::-2]
    assert squared(x, 2, target) is target
    wanted = np.zeros((12, 8), "float32")
    wanted[::-2] = (a - np.float32(2)) ** 2
    same(out, wanted)
    with pytest.raises(errors.ShapeError, match="Out shape is mismatched"):
        squared(x, 2, da.zeros((6, 7), dtype="float32"))
    with pytest.raises(TypeError, match="Output arguments must be"):
        squared(x, 2, a)
    squared(x, x, x)
    same(x, np.zeros_like(a))


@pytest.mark.parametrize(
    "text, wanted",
    [
        ("z += x", lambda x, z: z + x),
        ("if (x > 2) z = x", lambda x, z: np.where(x > 2, x, z)),
        ("if (x > 2) return; z = 7", lambda x, z: np.where(x > 2, z, 7)),
        ("for (int k = 0; k < 3; ++k) { if (x > k) continue; z = k; break; }", None),
    ],
)
def test_a_result_that_is_read_or_left(device, text, wanted):
    a, b = host(6), host(6) * 10
    out = da.asarray(b)
    da.ElementwiseKernel("T x", "T z", text, "partly")(da.asarray(a), out)
    if wanted is None:
        wanted = lambda x, z: np.select([x <= 0, x <= 1, x <= 2], [0, 1, 2], z)  # noqa: E731
    same(out, wanted(a, b).astype("float32"))


def test_raw_arguments(device):
    reverse = da.ElementwiseKernel("raw T x", "T z", "z = x[_ind.size() - 1 - i]", "reverse")
    a = moderate("float32", (5, 6), 1)
    for view in (lambda v: v, lambda v: v.T, lambda v: v[::-2, 1::2]):
        same(reverse(view(da.asarray(a)), size=view(a).size), view(a).ravel()[::-1])
    with pytest.raises(ValueError, match=r"^Loop size is undecided"):
        reverse(da.asarray(a))
    with pytest.raises(ValueError, match=r"^Specified 'size' can"):
        da.ElementwiseKernel("T x", "T z", "z = x")(da.asarray(a), size=3)
    neighbour = da.ElementwiseKernel("T x, raw T y", "T z", "z = x + y[(i + 1) % n] * y.size() + y.shape()[0]")
    b = host(30)
    same(neighbour(da.asarray(b), da.asarray(b)), b + np.roll(b, -1) * 30 + 30)


def test_indices_of_the_element(device):
    diagonal = da.ElementwiseKernel("T x", "T z", "z = _ind.get()[0] == _ind.get()[1] ? x : T(0)", "diagonal")
    a = moderate("float32", (4, 5), 1)
    same(diagonal(da.asarray(a)), np.where(np.eye(4, 5) == 1, a, np.float32(0)))


def test_raw_results_and_atomics(device):
    scatter = da.ElementwiseKernel("int32 k, T v", "raw T out", "atomicAdd(&out[k], v)", "scatter", no_return=True)
    k, v = np.arange(5000, dtype="int32") % 7, host(5000, "int32")
    out = da.zeros(7, dtype="int32")
    assert scatter(da.asarray(k), da.asarray(v), out) is None
    same(out, np.bincount(k, v, 7).astype("int32"))
    floats = da.zeros((7, 2), dtype="float32")
    scatter(da.asarray(k), da.ones(5000, dtype="float32"), floats[:, 1])
    same(floats[:, 1], np.bincount(k, minlength=7).astype("float32"))


def test_loop_prep_and_after_loop(device):
    counted = da.ElementwiseKernel(
        "T x",
        "raw int32 count",
        "mine += x > 2",
        "counted",
        loop_prep="int mine = 0;",
        after_loop="atomicAdd(&count[0], mine);",
    )
    a = moderate("float32", 3000, 1)
    count = da.zeros(1, dtype="int32")
    counted(da.asarray(a), count)
    assert count.item() == (a > 2).sum()


def test_cuda_words_and_opencl_words(device):
    text = """
    const unsigned long long wide = static_cast<unsigned long long>(x) << 33;   // 64 bits everywhere
    int32_t near = int(fmaxf(y, 2.0f));
    z = double(wide >> 30) + near + min(3, 7) + pow(y, 2) + abs(-y);
    """
    skip_without("float64")
    x, y = host(9, "int32"), host(9)
    z = da.ElementwiseKernel("int32 x, float32 y", "float64 z", text, "words")(da.asarray(x), da.asarray(y))
    same(z, x * 8.0 + np.maximum(y, 2) + 3 + y.astype("f8") ** 2 + y)


def test_errors_point_into_the_users_lines(device):
    text = "float t = x * 2;\nz = t + undefined_name;\n"
    for outputs in ("T z", "T z, T w"):
        kernel = da.ElementwiseKernel("T x", outputs, text, "broken_one")
        with pytest.raises(errors.CompileError, match=r"line 2 of broken_one: `z = t . undefined_name;`") as caught:
            kernel(da.arange(4, dtype="float32"))
        assert "undefined_name" in caught.value.log
    with pytest.raises(errors.CompileError, match=r"line 1 of broken_two \(preamble\)"):
        da.ElementwiseKernel("T x", "T z", "z = x", "broken_two", preamble="int f( { }")(da.arange(4.0))


def test_a_compiler_that_passes_over_line_directives():
    """NVIDIA's OpenCL counts the lines of the whole source."""
    source = 'typedef int T;\n#line 1 "broken"\nfloat t = x * 2;\nz = t + wrong;\n#line 900 "devarray"\n}\n'
    error = errors.CompileError("no")
    error.log = "<kernel>:4:9: error: use of undeclared identifier 'wrong'"
    told = user_error("broken", "a device", error, {"broken": "float t = x * 2;\nz = t + wrong;\n"}, source)
    assert "line 2 of broken: `z = t + wrong;`" in str(told)
    error.log = "<kernel>:6:1: error: what is not the user's"
    assert "line" not in str(user_error("broken", "a device", error, {"broken": "z = x"}, source)).split("\n")[0]


def test_results_live_where_the_arguments_do(device):
    pool = da.alloc.PoolMemoryResource(da.alloc.DeviceMemoryResource(device))
    x = da.ones(5, dtype="float32", allocator=pool)
    z, _ = da.ElementwiseKernel("T x", "T z, T w", "z = w = x")(x)
    assert z.allocator is pool and z.queue is x.queue


def test_a_text_that_comes_again_is_one_op(device):
    from devarray.ops.user import USER_OPS

    x = da.ones(5, dtype="float32")
    da.ElementwiseKernel("T x", "T z", "z = x + 41", "again")(x)
    before = len(USER_OPS)
    for _ in range(5):
        same(da.ElementwiseKernel("T x", "T z", "z = x + 41", "again")(x), np.full(5, 42, "float32"))
    assert len(USER_OPS) == before


def test_small_surface(device):
    kernel = da.ElementwiseKernel("T x, T y", "T z", "z = x", "named", return_tuple=True, doc="What it does.")
    assert (kernel.nin, kernel.nout, kernel.nargs, kernel.name, kernel.__doc__) == (2, 1, 3, "named", "What it does.")
    (z,) = kernel(da.ones(3), 1.0)
    same(z, np.ones(3))
    same(kernel(2.0, 3.0, da.zeros(3))[0], np.full(3, 2.0))


@pytest.mark.parametrize("dtype", ["int64", "float64"])
def test_a_bool_result_is_true_for_whatever_is_not_zero(device, dtype):
    skip_without(dtype)
    x = np.array([0, 2, 256, -512, 0.5], dtype)
    recorded = da.ElementwiseKernel("T x", "bool z", "z = x", "truth")
    launched = da.ElementwiseKernel("T x", "bool z, bool w", "z = x; w = x * 2", "truths")
    same(recorded(da.asarray(x)), x.astype(bool))
    for result in launched(da.asarray(x)):
        same(result, x.astype(bool))


def test_a_result_over_elements_that_others_still_read(device):
    a = da.ones(1000, dtype="float32")
    da.ElementwiseKernel("T x", "T y", "y += x", "shifted")(a[:-1], a[1:])
    same(a, np.array([1] + [2] * 999, "float32"))
    b, c = da.arange(1000, dtype="float32"), da.zeros(1000, dtype="float32")
    both = da.ElementwiseKernel("T x, T v", "T y, T w", "y = x + v; w = v", "both")
    both(b[::-1], b[5], b, c)
    same(b, host(1000)[::-1] + np.float32(5))
    same(c, np.full(1000, 5, "float32"))
    both(b, 1, b, b[...][::-1].copy())  # element upon element, where nothing is copied
    same(b, host(1000)[::-1] + np.float32(6))


def test_more_arrays_than_a_launch_takes(device):
    x = da.ones(3)
    names = [f"x{i}" for i in range(64)]
    many = da.ElementwiseKernel(", ".join(f"T {n}" for n in names), "T z", f"z = {' + '.join(names)}", "many")
    with pytest.raises(ValueError, match="many: 65 arrays, results included, are more than the 64 of a launch"):
        many(*[x + i for i in range(64)])
    same(many(*[x + i for i in range(63)], 1.0), np.full(3, 63 + 63 * 31 + 1.0))


def test_raw_arrays_by_arrays_of_indices(device):
    """CuPy's: `x[index]` is the element at an index for each axis, by the array's strides."""
    turned = da.ElementwiseKernel(
        "raw T x",
        "raw T out",
        """
        const int last = x.ndim - 1;
        const int columns = x.shape()[last];
        const int from[] = {i / columns, i % columns};
        i -= columns * (i / columns);
        int to[2] = {i, from[0]};
        out[to] += x[from];
        """,
        "turned",
    )
    x = np.arange(12, dtype="float32").reshape(3, 4)
    for given in (x, x[::-1], x[:, ::2]):
        out = da.ones(given.shape[::-1], dtype="float32")
        turned(da.asarray(x)[::-1] if given.strides[0] < 0 else da.asarray(given), out, size=given.size)
        np.testing.assert_array_equal(out.copy_to_host(), given.T + 1)


@pytest.mark.parametrize("dtype", ["float32", "complex64", "complex128"])
def test_arithmetic_of_types_with_complex_ones(device, dtype):
    """CuPy's: `T` may be a complex number, whose parts are `T::value_type`; a function may have a word of OpenCL's."""
    skip_without("float64" if dtype == "complex128" else "float32")
    add = da.ElementwiseKernel(
        "raw T x, T w",
        "raw T out",
        "T v = (T)2 * x[i] * kernel(w, (int)i); out[i] += v / w;",
        "add",
        preamble="__device__ inline T kernel(T x, int n) { return n > 1 ? x : x * x; }",
    )
    x, w = np.arange(4).astype(dtype), np.asarray(3, dtype)
    if dtype.startswith("complex"):
        x, w = x + np.asarray(1j, dtype), w - np.asarray(2j, dtype)
        parts = da.ElementwiseKernel(
            "raw T x",
            "raw T out",
            "atomicAdd(reinterpret_cast<T::value_type*>(&out[i / 2]), x[i].imag()); out[i / 2].imag(5);",
            "parts",
        )
        if dtype == "complex64":
            out = da.zeros(2, dtype)
            parts(da.asarray(x), out, size=4)
            np.testing.assert_array_equal(out.copy_to_host(), [2 + 5j, 2 + 5j])
    out = da.ones(4, dtype)
    add(da.asarray(x), w[()], out, size=4)
    wanted = 1 + 2 * x * np.where(np.arange(4) > 1, w, w * w) / w
    np.testing.assert_allclose(out.copy_to_host(), wanted, rtol=1e-5)
