"""Structures and vectors in `cl.array` and in kernels of PyOpenCL's generators; complex numbers by the header."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import devarray as da

cl = pytest.importorskip("devarray.cl")
if not da.devices() or da.device().driver != "opencl":
    pytest.skip("PyOpenCL's names are for OpenCL devices", allow_module_level=True)

import devarray.cl.array as cl_array  # noqa: E402
from devarray.cl import clmath, clrandom, cltypes, tools  # noqa: E402
from devarray.cl.elementwise import ElementwiseKernel  # noqa: E402
from devarray.cl.reduction import ReductionKernel, ReductionTemplate  # noqa: E402
from devarray.cl.scan import ExclusiveScanKernel, GenericScanKernel, InclusiveScanKernel  # noqa: E402

LAYOUT, TYPEDEF = tools.match_dtype_to_c_struct(
    None, "spread_t", np.dtype([("low", "i1"), ("high", "f8"), ("n", "i4")])
)
SPREAD = tools.get_or_register_dtype("spread_t", LAYOUT)
PREAMBLE = (
    TYPEDEF
    + """
spread_t spread_of(int x) { spread_t s; s.low = x; s.high = x; s.n = 1; return s; }
spread_t spread_join(spread_t a, spread_t b)
{
  if (b.low < a.low) a.low = b.low;
  if (b.high > a.high) a.high = b.high;
  a.n += b.n;
  return a;
}
"""
)


@pytest.fixture
def queue():
    return cl.CommandQueue(da.queue().context)


def numbers(count):
    return np.random.default_rng(3).integers(-100, 100, count).astype(np.int32)


@pytest.mark.parametrize("count", [1, 63, 20000])
def test_a_reduction_gives_a_structure(queue, count):
    spread = ReductionKernel(
        queue.context, SPREAD, "spread_of(0)", "spread_join(a, b)", "spread_of(x[i])", "int *x", preamble=PREAMBLE
    )
    host = numbers(count)
    found = spread(cl_array.to_device(queue, host)).get()
    assert found.dtype == SPREAD
    assert found.shape == ()
    assert found.tolist() == (host.min(), float(host.max()), count)


def test_a_reduction_of_structures_into_one_that_is_given(queue):
    host = np.zeros(500, SPREAD)
    host["low"], host["high"], host["n"] = numbers(500), numbers(500) / 3, 2
    join = ReductionKernel(queue.context, SPREAD, "s[0]", "spread_join(a, b)", None, "spread_t *s", preamble=PREAMBLE)
    out = cl_array.empty(queue, (), SPREAD)
    found = join(cl_array.to_device(queue, host), out=out)
    assert found is out
    assert out.get().tolist() == (host["low"].min(), host["high"].max(), 1000)


def test_structures_larger_than_common_ones_are_reduced(queue):
    layout, text = tools.match_dtype_to_c_struct(None, "sums_t", np.dtype([("s", "f8", (9,))]))
    dtype = tools.get_or_register_dtype("sums_t", layout)
    preamble = text + (
        "sums_t powers(double x)\n"
        "{ sums_t r; r.s[0] = 1; for (int k = 1; k < 9; ++k) r.s[k] = r.s[k - 1] * x; return r; }"
        "\nsums_t both(sums_t a, sums_t b) { for (int k = 0; k < 9; ++k) a.s[k] += b.s[k]; return a; }"
    )
    moments = ReductionKernel(
        queue.context, dtype, "powers(0)", "both(a, b)", "powers(x[i])", "double *x", preamble=preamble
    )
    host = np.linspace(-1, 1, 1001)
    found = moments(cl_array.to_device(queue, host)).get()["s"]
    np.testing.assert_allclose(found, [(host**k).sum() for k in range(9)], rtol=1e-12, atol=1e-10)


def test_a_scan_carries_structures(queue):
    scan = GenericScanKernel(
        queue.context, SPREAD, "int *x, spread_t *seen, int *before", "spread_of(x[i])", "spread_join(a, b)",
        "spread_of(7)", "seen[i] = item; before[i] = prev_item.n", preamble=PREAMBLE,
    )  # fmt: skip
    host = numbers(3001)
    seen, before = cl_array.empty(queue, 3001, SPREAD), cl_array.empty(queue, 3001, np.int32)
    scan(cl_array.to_device(queue, host), seen, before)
    found = seen.get()
    np.testing.assert_array_equal(found["low"], np.minimum.accumulate(host))
    np.testing.assert_array_equal(found["high"], np.maximum.accumulate(host).astype(float))
    np.testing.assert_array_equal(found["n"], np.arange(1, 3002))
    np.testing.assert_array_equal(before.get(), np.r_[1, np.arange(1, 3001)])


def test_inclusive_and_exclusive_scans_of_structures(queue):
    host = np.zeros(100, SPREAD)
    host["low"], host["high"], host["n"] = 1, 2, 1
    x = cl_array.to_device(queue, host)
    InclusiveScanKernel(queue.context, SPREAD, "spread_join(a, b)", preamble=PREAMBLE)(x)
    assert x.get()["n"].tolist() == list(range(1, 101))
    y = cl_array.to_device(queue, host)
    ExclusiveScanKernel(queue.context, SPREAD, "spread_join(a, b)", "spread_of(0)", preamble=PREAMBLE)(y)
    assert y.get()["n"][:3].tolist() == [1, 1, 2]


def test_an_elementwise_kernel_takes_structures_and_vectors(queue):
    host = np.zeros(50, SPREAD)
    host["n"] = np.arange(50)
    x, v = cl_array.to_device(queue, host), cl_array.zeros(queue, 50, cltypes.float4)
    kernel = ElementwiseKernel(
        queue.context, "spread_t *s, float4 *v, int k", "s[i].n *= k; v[i].y = s[i].n", preamble=PREAMBLE
    )
    kernel(x, v, 3)
    assert x.get()["n"].tolist() == list(range(0, 150, 3))
    assert v.get()["y"].tolist() == list(range(0, 150, 3))
    assert v.get()["x"].any() is np.False_
    by_objects = ElementwiseKernel(queue.context, [tools.VectorArg(SPREAD, "s")], "s[i].low = 4", preamble=PREAMBLE)
    by_objects(x)
    assert set(x.get()["low"].tolist()) == {4}


def test_vectors_are_filled_and_have_names_in_c(queue):
    x = cl_array.Array(queue, (3, 2), cltypes.float4)
    x.fill(cltypes.make_float4(0, 1, 2, 3))
    assert x.get().dtype == cltypes.float4
    assert x.get()["w"].tolist() == [[3.0, 3.0]] * 3
    assert cl_array.zeros_like(x).get()["w"].any() is np.False_
    assert tools.dtype_to_ctype(cltypes.int3) == "int3"
    assert tools.get_or_register_dtype("double16") == cltypes.double16


def test_a_template_is_built_for_types(queue):
    template = ReductionTemplate(
        "item_t *x", "spread_of(0)", "%(join)s(a, b)", "%(of)s(x[i])", preamble=PREAMBLE, template_processor="printf"
    )
    values = {"join": "spread_join", "of": "spread_of"}
    for dtype in (np.int32, np.float32):
        kernel = template.build(queue.context, {"reduction_t": SPREAD, "item_t": dtype}, values)
        assert kernel(cl_array.to_device(queue, numbers(99).astype(dtype))).get()["n"] == 99
    with pytest.raises(ValueError, match="reduction_t"):
        template.build(queue.context, {"item_t": np.int32}, values)
    with pytest.raises(ValueError, match="jinja"):
        ReductionTemplate("int *x", "0", "a + b", template_processor="jinja")


def test_random_vectors(queue):
    generator = clrandom.PhiloxGenerator(queue.context, seed=3)
    drawn = generator.uniform(queue, (50, 20), cltypes.float3, 2, 4).get()
    assert drawn.dtype == cltypes.float3
    for field in "xyz":
        assert (drawn[field] >= 2).all()
        assert (drawn[field] < 4).all()
        assert abs(drawn[field].mean() - 3) < 0.1
    assert (drawn["x"] != drawn["y"]).any()
    assert generator.normal(queue, 7, cltypes.double2).get().shape == (7,)


def test_arrays_of_a_queue_out_of_order_have_an_order(queue):
    flags = cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
    try:
        free = cl.CommandQueue(queue.context, properties=flags)
    except cl.LogicError:
        pytest.skip("no queues out of order")
    x = cl_array.arange(free, 10000, dtype=np.float32)
    y = cl_array.to_device(free, np.ones(10000, np.float32))
    assert x.queue.in_order
    assert x.queue is y.queue
    for _ in range(20):
        x = x + y
    np.testing.assert_array_equal(x.get(), np.arange(20, 10020, dtype=np.float32))


@pytest.mark.parametrize("shape", [5.7, (2, 5.7), np.float32(7), (3, -1), "3"])
def test_what_is_no_shape_is_refused(queue, shape):
    with pytest.raises(ValueError, match=r"shape|negative|size"):
        cl_array.empty(queue, shape, np.float32)


def spread(*shape):
    """With bytes between the fields, which are 7."""
    dtype = np.dtype([("n", "i4"), ("at", "f4", (3,)), ("flag", "u1"), ("x", "f8")], align=True)
    host = np.full((*shape, dtype.itemsize), 7, np.uint8).view(dtype)[..., 0]
    for k, name in enumerate(dtype.names):
        host[name] = np.arange(host[name].size).reshape(host[name].shape) + k
    return host


def test_structures_are_compared_element_by_element(queue):
    host = spread(4, 5)
    x = cl_array.to_device(queue, host)
    for key in (0, (0, 0), slice(None), (slice(None), slice(None, 1)), slice(None, None, -1)):
        for ours, theirs in ((x == x[key], host == host[key]), (x != x[key], host != host[key])):
            np.testing.assert_array_equal(ours.get(), theirs)
        np.testing.assert_array_equal((x == host[key]).get(), host == host[key])
    np.testing.assert_array_equal(da.count_nonzero(x), np.count_nonzero(host))


def test_copies_of_structures(queue):
    host = spread(4, 5)
    x = cl_array.to_device(queue, host)
    for made in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        made["n"][...] = 5
        assert made["n"].get().tolist() == np.full((4, 5), 5).tolist()
        assert type(made) is type(x) or type(made) is da.OpaqueArray
    assert x.get().tobytes() == host.tobytes()  # with what lies between the fields
    packed = np.dtype([(name, host.dtype[name]) for name in host.dtype.names])
    assert x.astype(packed).get().tobytes() == host.astype(packed).tobytes()


def test_structures_are_written_from_arrays_of_other_classes(queue):
    host = spread(4, 5)
    x = cl_array.to_device(queue, host)
    host = host.copy()
    x.fill(x[0, 1])
    host.fill(host[0, 1])
    assert (x.get() == host).all()
    x[1:] = da.asarray(spread(3, 5), queue=x.queue)
    host[1:] = spread(3, 5)
    np.put(x, [0, 2], x[1, 4])
    np.put(host, [0, 2], host[1, 4])
    assert (x.get() == host).all()


def test_functions_of_probability_and_gamma(queue):
    special = pytest.importorskip("scipy.special")
    host = np.linspace(0.1, 4, 50)
    x = cl_array.to_device(queue, host)
    pairs = [
        (clmath.erf, special.erf), (clmath.erfc, special.erfc),
        (clmath.lgamma, special.gammaln), (clmath.tgamma, special.gamma),
    ]  # fmt: skip
    for ours, theirs in pairs:
        np.testing.assert_allclose(ours(x).get(), theirs(host), rtol=1e-12, atol=1e-14)


def test_what_is_no_structure_of_that_kind_is_named(queue):
    x = cl_array.zeros(queue, 4, cltypes.float4)
    kernel = ElementwiseKernel(queue.context, "spread_t *s", "s[i].n = 1", preamble=PREAMBLE)
    with pytest.raises(da.DTypeError, match="s is an array of"):
        kernel(x)
    with pytest.raises(da.DTypeError, match="get_or_register_dtype"):
        ReductionKernel(queue.context, np.dtype([("never", "i4")]), "0", "a", "x[i]", "int *x")
    with pytest.raises(da.DTypeError, match="never_t"):
        ElementwiseKernel(queue.context, "never_t *x", "x[i] = 0")


FUNCTIONS = {
    "add(a, b)": lambda a, b: a + b,
    "sub(a, b)": lambda a, b: a - b,
    "mul(a, b)": lambda a, b: a * b,
    "divide(a, b)": lambda a, b: a / b,
    "rdivide(a.real, b)": lambda a, b: a.real / b,
    "divider(a, b.real)": lambda a, b: a / b.real,
    "mulr(a, b.imag)": lambda a, b: a * b.imag,
    "rmul(a.imag, b)": lambda a, b: a.imag * b,
    "addr(a, b.imag)": lambda a, b: a + b.imag,
    "radd(a.imag, b)": lambda a, b: a.imag + b,
    "fma(a, b, a)": lambda a, b: a * b + a,
    "neg(a)": lambda a, b: -a,
    "conj(a)": lambda a, b: a.conj(),
    "fromreal(R_abs(a))": lambda a, b: np.abs(a) + 0j,
    "new(R_abs_squared(a), R_imag(b))": lambda a, b: np.abs(a) ** 2 + 1j * b.imag,
    "pow(a, b)": lambda a, b: a**b,
    "powr(a, b.real)": lambda a, b: a**b.real,
    "rpow(2, b)": lambda a, b: 2**b,
    "sqrt(a)": lambda a, b: np.sqrt(a),
    "exp(a)": lambda a, b: np.exp(a),
    "log(a)": lambda a, b: np.log(a),
    "sin(a)": lambda a, b: np.sin(a),
    "cos(a)": lambda a, b: np.cos(a),
    "tan(a)": lambda a, b: np.tan(a),
    "sinh(a)": lambda a, b: np.sinh(a),
    "cosh(a)": lambda a, b: np.cosh(a),
    "tanh(a)": lambda a, b: np.tanh(a),
}


def complex_operands(dtype):
    rng = np.random.default_rng(5)
    return [(rng.uniform(-2, 2, 200) + 1j * rng.uniform(-2, 2, 200)).astype(dtype) for _ in "ab"]


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_the_header_of_complex_numbers_in_a_program(queue, dtype):
    root = "cfloat" if dtype == "complex64" else "cdouble"
    lines = "\n".join(
        f"out[{k} * 200 + i] = {root}_{text.replace('R_', root + '_')};" for k, text in enumerate(FUNCTIONS)
    )
    program = cl.Program(
        queue.context,
        f"""#define PYOPENCL_DEFINE_CDOUBLE
        #include <pyopencl-complex.h>
        kernel void all_of_them(global const {root}_t* x, global const {root}_t* y, global {root}_t* out)
        {{ const int i = get_global_id(0); const {root}_t a = x[i], b = y[i]; {lines} }}""",
    ).build()
    a, b = complex_operands(dtype)
    out = cl_array.empty(queue, (len(FUNCTIONS), 200), dtype)
    program.all_of_them(
        queue, (200,), None, cl_array.to_device(queue, a).data, cl_array.to_device(queue, b).data, out.data
    )
    wide = a.astype("complex128"), b.astype("complex128")
    for row, (text, oracle) in zip(out.get(), FUNCTIONS.items(), strict=True):
        tolerance = 2e-4 if dtype == "complex64" else 1e-11
        np.testing.assert_allclose(row, oracle(*wide), rtol=tolerance, atol=tolerance / 100, err_msg=text)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_generated_kernels_know_the_names_of_complex_numbers(queue, dtype):
    root = "cfloat" if dtype == "complex64" else "cdouble"
    a, b = complex_operands(dtype)
    x, y = cl_array.to_device(queue, a), cl_array.to_device(queue, b)
    ElementwiseKernel(
        queue.context,
        f"{root}_t *x, {root}_t *y, {root}_t c",
        f"{root}_t z = {root}_mul(x[i], c); x[i] = {root}_new(z.real + y[i].real, z.imag)",
        preamble="#include <pyopencl-complex.h>",
    )(x, y, 2 + 1j)
    np.testing.assert_allclose(x.get(), a * (2 + 1j) + b.real, rtol=1e-5)
    total = ReductionKernel(queue.context, dtype, f"{root}_fromreal(0)", f"{root}_add(a, b)", "y[i]", f"{root}_t *y")
    np.testing.assert_allclose(total(y).get(), b.sum(), rtol=1e-4)
