"""The power of float32 that GPUs compute: in float32 alone, with a branch to the builtin for what is not ordinary."""

from __future__ import annotations

import numpy as np
import pytest
from runtimes import Runtime, has_nvrtc, linear_spec, nvrtc_compile, op_node, parameters
from samples import same_bits, specials

import devarray as da
from devarray.codegen.kernels.elementwise import render
from devarray.codegen.language.dialect import CUDA, Dialect, OpenCL, dialect_for
from devarray.ops.table import OPS

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
LIMIT = 1.5  # ULP, where the result is not the builtin's; ordinary ones are within 1.05
OWN = "log2_sum_f32"


def power(runtime: Runtime, x: np.ndarray, y: np.ndarray | float, name: str = "pow") -> np.ndarray:
    """By the text for GPUs."""
    exponents = np.broadcast_to(np.asarray(y, x.dtype), x.shape).copy()
    dialect = OpenCL(runtime.dialect.caps | {"strategy": "gpu"})
    return runtime.apply([op_node(OPS[name], x.dtype.name)], [x, exponents], dialect)[0]


def error(out: np.ndarray, x: np.ndarray, y: np.ndarray) -> float:
    """The greatest, in ULP of float32."""
    exact = np.power(x.astype("f8"), y.astype("f8"))
    unit = np.ldexp(1.0, np.maximum(np.frexp(exact)[1] - 24, -149))
    return float(np.max(np.abs(out - exact) / unit))


def normal(n: int, rng: np.random.Generator) -> np.ndarray:
    """Bases of every magnitude that has its own text."""
    return np.exp2(rng.uniform(-124.9, 124.9, n)).astype("f4")


@pytest.mark.parametrize("runtime", parameters())
@pytest.mark.parametrize("exponent", [2.4, 1 / 2.4, 0.5, -0.5, 2.2, -1.7, 3, 7, 20.5, 100, 1e-3, 1e-30])
def test_powers_by_a_number(runtime: Runtime, exponent: float) -> None:
    rng = np.random.default_rng(1)
    y = np.float32(exponent)
    size = np.minimum(124.9, 124.9 / abs(float(y)))
    x = np.concatenate([np.exp2(rng.uniform(-size, size, 200_000)), rng.uniform(0.75, 1.5, 50_000)]).astype("f4")
    assert error(power(runtime, x, y), x, y) < LIMIT


@pytest.mark.parametrize("runtime", parameters())
def test_powers_by_numbers_up_to_the_least_and_greatest(runtime: Runtime) -> None:
    """Where the logarithm's rounding counts most: the exponent multiplies it."""
    rng = np.random.default_rng(2)
    near = (1 + np.exp2(rng.uniform(-23, -1, 200_000)) * rng.choice([-1, 1], 200_000)).astype("f4")
    x = np.concatenate([normal(200_000, rng), rng.uniform(0.6, 1.8, 200_000).astype("f4"), near[near != 1]])
    logarithm = np.log2(x.astype("f8"))
    y = (rng.uniform(-124.9, 124.9, x.size) / np.where(logarithm == 0, 1, logarithm)).astype("f4")
    assert error(power(runtime, x, y), x, y) < LIMIT


@pytest.mark.parametrize("runtime", parameters())
def test_powers_around_the_ends_of_the_ordinary(runtime: Runtime) -> None:
    """Of bases next to the least and greatest, and results there, subnormal ones too."""
    rng = np.random.default_rng(3)
    ends = np.concatenate([rng.uniform(-149, -124, 20_000), rng.uniform(124, 128, 20_000)])
    x = np.concatenate([np.exp2(ends), rng.uniform(0.01, 100, 40_000)]).astype("f4")
    x = x[(x > 0) & (np.isfinite(x)) & (x != 1)]
    target = rng.choice(ends, x.size)
    y = (target / np.log2(x.astype("f8"))).astype("f4")
    with np.errstate(over="ignore"):
        wanted = np.power(x.astype("f8"), y.astype("f8")).astype("f4")
    fits = np.isfinite(wanted) & (wanted < np.finfo("f4").max)
    assert error(power(runtime, x[fits], y[fits]), x[fits], y[fits]) < 4


@pytest.mark.parametrize("runtime", parameters())
@pytest.mark.parametrize(
    "exponent", [1, -1, 2, 3, 4, 5, 6, 7, 8, 11, 15, 23, -2, -3, 0.5, 1.5, 2.5, 3.5, -0.5, 0.25, 0.75, 1.25, 0.125]
)
def test_powers_that_are_float32_come_out_exactly(runtime: Runtime, exponent: float) -> None:
    rng = np.random.default_rng(4)
    few = np.arange(1, 4096, dtype="f8") if exponent != 1 else rng.integers(2**23, 2**24, 300_000).astype("f8")
    roots = 1 / exponent if abs(exponent) < 1 else 1 / (exponent % 1) if exponent % 1 else 1
    bases = np.outer(few, np.exp2(np.arange(-24, 25))).ravel() ** abs(round(roots))
    x = bases.astype("f4")
    exact = np.power(x.astype("f8"), exponent)
    keep = (x == bases) & (exact.astype("f4") == exact) & (x > 1e-30) & (x < 1e30) & (exact > 1e-30) & (exact < 1e30)
    assert keep.sum() > 20
    np.testing.assert_array_equal(power(runtime, x[keep], exponent), exact[keep].astype("f4"))


@pytest.mark.parametrize("runtime", parameters())
@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize("name", ["pow", "float_power"])
def test_special_values_are_numpys(runtime: Runtime, name: str, dtype: str) -> None:
    """Zeros, infinities and NaN with their signs; 1 where the base is 1 or the exponent 0."""
    many = np.concatenate([specials("float32"), np.float32([-5, -4, -2, 1e-45, -1e30, 1e30, 3e38, 65535])])
    x, y = (part.ravel().astype(dtype) for part in np.meshgrid(many, many))
    out, wanted = power(runtime, x, y, name), np.power(x, y)
    fixed = ~np.isfinite(wanted) | (wanted == 0) | (np.abs(wanted) == 1)
    assert same_bits(out[fixed], wanted[fixed]).all(), list(zip(x, y, out, wanted, strict=True))[:3]
    info = np.finfo(dtype)
    np.testing.assert_allclose(out[~fixed], wanted[~fixed], 4 * info.eps, 4 * float(info.smallest_subnormal))
    one = np.ones(many.size, dtype)
    assert same_bits(power(runtime, many.astype(dtype), 0, name), one).all()
    assert same_bits(power(runtime, one, 1e4, name), one).all()


FORMS = {
    "x ** y": lambda x, y: x**y,
    "pow": da.pow,
    "power": da.power,
    "numpy.power": np.power,
    "in a chain": lambda x, y: (x * 0.5 * 2) ** (y + 0),
}


@pytest.mark.parametrize("form", FORMS)
def test_powers_of_the_sessions_device(device: da.Device, form: str) -> None:
    """By an array and by a number; 4 ULP where the function is the compiler's."""
    limit = LIMIT if device.strategy == "gpu" else 4
    rng = np.random.default_rng(5)
    x = normal(100_000, rng)
    y = (rng.uniform(-124.9, 124.9, x.size) / np.log2(x.astype("f8"))).astype("f4")
    out = FORMS[form](da.asarray(x, device=device), da.asarray(y, device=device))
    assert out.dtype == np.float32
    assert error(out.copy_to_host(), x, y) < limit
    for exponent in np.float32([2.4, -0.7, 1]):
        x = np.exp2(rng.uniform(-50, 50, 100_000)).astype("f4")
        out = FORMS[form](da.asarray(x, device=device), exponent).copy_to_host()
        assert error(out, x, exponent) < limit
        assert exponent != 1 or (out == x).all()


def source(name: str, dialect: Dialect, dtype: str = "float32") -> str:
    return render(linear_spec([op_node(OPS[name], dtype)], [dtype, dtype]), dialect)


@pytest.mark.parametrize("name", ["pow", "float_power"])
@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_who_takes_it(name: str, dtype: str) -> None:
    for taker in (CUDA({}), OpenCL({}), OpenCL({"fp64": False}), OpenCL({"platform": "NVIDIA CUDA"})):
        assert OWN in source(name, taker, dtype)
    for other in ({"strategy": "cpu"}, {"strategy": "cpu", "fp64": False}):
        assert OWN not in source(name, dialect_for("opencl", other), dtype)
    assert OWN not in source(name, CUDA({}), "float64")


def test_nvidias_reciprocal_is_one_instruction() -> None:
    assert "rcp.approx" in source("pow", CUDA({}))
    assert "rcp.approx" in source("pow", OpenCL({"platform": "NVIDIA CUDA"}))
    assert "1.0f / x" in source("pow", OpenCL({}))


@pytest.mark.skipif(not has_nvrtc(), reason="no NVRTC")
def test_the_builtin_is_compiled_once_however_many_powers_there_are() -> None:
    spec = linear_spec([op_node(OPS["pow"], "float32", (i, i + 1)) for i in range(5)], ["float32"] * 6)
    ptx = nvrtc_compile(render(spec, CUDA({})), CUDA({}).build_options())
    assert ptx.count(".func") == 1
