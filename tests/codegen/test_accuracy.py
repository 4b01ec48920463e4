"""Real and complex functions against mpmath, in units in the last place; complex ones by the norm."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import mpmath
import numpy as np
import pytest
from runtimes import Engine, Runtime, op_node, parameters
from samples import grid, same_bits, specials

import devarray as da
from devarray.codegen.language.dialect import OpenCL
from devarray.ops.dtypes import COMPLEX, REAL_OF
from devarray.ops.table import OPS

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
LIMIT = 4.0
POINTS = {"float32": 360, "float64": 360, "complex64": 120, "complex128": 120}

UNARY: dict[str, Callable] = {
    name: getattr(mpmath, name)
    for name in [
        "acos",
        "acosh",
        "asin",
        "asinh",
        "atan",
        "atanh",
        "cos",
        "cosh",
        "exp",
        "expm1",
        "log",
        "log1p",
        "sin",
        "sinh",
        "sqrt",
        "tan",
        "tanh",
    ]
} | {
    "exp2": lambda x: mpmath.power(2, x),
    "log2": lambda x: mpmath.log(x) / mpmath.log(2),
    "log10": lambda x: mpmath.log(x) / mpmath.log(10),
}
REAL_ONLY: dict[str, Callable] = {
    "cbrt": lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)),
    "deg2rad": mpmath.radians,
    "i0": lambda x: mpmath.besseli(0, x),
    "rad2deg": mpmath.degrees,
}
DOMAIN = {"acosh": (1, np.inf), "log": (0, np.inf), "log2": (0, np.inf), "log10": (0, np.inf), "sqrt": (0, np.inf)}
DOMAIN |= {"log1p": (-1, np.inf), "acos": (-1, 1), "asin": (-1, 1), "atanh": (-1, 1), "i0": (-88, 88)}
BINARY: dict[str, Callable] = {"atan2": mpmath.atan2, "hypot": mpmath.hypot, "pow": mpmath.power}


@pytest.fixture
def runtime(device: da.Device) -> Engine:
    """The session's device, by which other drivers' libraries of functions are measured too."""
    if not device.caps["fp64"]:
        pytest.skip("the device has no float64")
    return Engine(device)


@pytest.fixture(autouse=True)
def precision() -> object:
    with mpmath.workprec(150):
        yield


@cache
def real_points(dtype: str) -> np.ndarray:
    """Numbers where functions go wrong: near 0 and 1, moderate, up to overflow of exp, and of every magnitude."""
    rng = np.random.default_rng(11)
    n = POINTS[dtype] // 6
    info = np.finfo(dtype)
    sign = rng.choice([-1, 1], n)
    return np.concatenate(
        [
            rng.uniform(-1, 1, n),
            rng.uniform(-8, 8, n),
            rng.uniform(-1, 1, n) * info.maxexp * 0.7,
            np.exp2(rng.uniform(info.minexp - 10, info.maxexp, n)) * sign,
            1 + sign * np.exp2(rng.uniform(-info.nmant, 0, n)),
            rng.integers(-1000, 1000, n) * (np.pi / 2),
        ]
    ).astype(dtype)


@cache
def complex_points(dtype: str) -> np.ndarray:
    """Numbers of moderate size, near the unit circle, near the branch points, and with one small part."""
    rng = np.random.default_rng(12)
    n = POINTS[dtype] // 5
    unit = np.exp(1j * rng.uniform(-np.pi, np.pi, n))
    small = np.exp2(rng.uniform(-30, 0, n))
    z = np.concatenate(
        [
            rng.normal(size=n) + 1j * rng.normal(size=n),
            10 * (rng.normal(size=n) + 1j * rng.normal(size=n)),
            unit * (1 + small * rng.choice([-1, 1], n)),
            rng.choice([1, -1, 1j, -1j, 0], n) + unit * small,
            rng.uniform(-4, 4, n) + 1j * small,
        ]
    )
    return z.astype(dtype)


def ulp(exact: object, dtype: str) -> mpmath.mpf:
    """The unit in the last place of a dtype at a number's magnitude."""
    info = np.finfo(dtype)
    size = abs(exact)
    exponent = mpmath.mag(size) - 1 if size else info.minexp
    return mpmath.ldexp(1, max(exponent, info.minexp) - info.nmant)


def exact_number(value: np.generic) -> object:
    value = value.item()
    return mpmath.mpc(value) if isinstance(value, complex) else mpmath.mpf(value)


def points(dtype: str) -> np.ndarray:
    return complex_points(dtype) if dtype in COMPLEX else real_points(dtype)


def domain(name: str, dtype: str) -> np.ndarray:
    """Which points a function is defined at."""
    x = points(dtype)
    low, high = DOMAIN.get(name, (-np.inf, np.inf))
    return np.full(x.size, True) if dtype in COMPLEX else (x > low) & (x < high)


@cache
def exact_values(name: str, dtype: str) -> list:
    function = (UNARY | REAL_ONLY)[name]
    return [function(exact_number(x)) for x in points(dtype)[domain(name, dtype)]]


def worst(results: np.ndarray, exact: list, dtype: str) -> tuple[float, int]:
    """The greatest error in ULP, and where it is; results that overflow must be infinite."""
    greatest, place = 0.0, 0
    limit = mpmath.mpf(float(np.finfo(dtype).max))
    for i, (result, value) in enumerate(zip(results, exact, strict=True)):
        if abs(value) > limit:
            error = 0.0 if not np.isfinite(result) or abs(result) >= np.finfo(dtype).max * 0.9999 else np.inf
        else:
            error = float(abs(exact_number(result) - value) / ulp(value, dtype)) if np.isfinite(result) else np.inf
        if error > greatest:
            greatest, place = error, i
    return greatest, place


def check(runtime: Engine, names: list[str], dtype: str) -> None:
    wrong = {}
    results = runtime.apply([op_node(OPS[name], dtype) for name in names], [points(dtype)])
    for name, out in zip(names, results, strict=True):
        inside = domain(name, dtype)
        error, i = worst(out[inside], exact_values(name, dtype), REAL_OF.get(dtype, dtype))
        if error > LIMIT:
            wrong[name] = (error, points(dtype)[inside][i], out[inside][i])
    assert not wrong


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.heavy
def test_real_functions_are_within_four_ulp(runtime: Engine, dtype: str) -> None:
    check(runtime, [*UNARY, *REAL_ONLY], dtype)


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.heavy
def test_complex_functions_are_within_four_ulp_of_the_norm(runtime: Engine, dtype: str) -> None:
    check(runtime, list(UNARY), dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_real_functions_of_two_arguments_are_within_four_ulp(runtime: Engine, dtype: str) -> None:
    rng = np.random.default_rng(13)
    x, y = real_points(dtype), rng.permutation(real_points(dtype))
    base = np.abs(x)
    exponent = (y / np.maximum(1, np.abs(np.log2(base)))).astype(dtype)
    for name, a, b in (("atan2", x, y), ("hypot", x, y), ("pow", base, exponent)):
        (out,) = runtime.apply([op_node(OPS[name], dtype)], [a, b])
        exact = [BINARY[name](exact_number(p), exact_number(q)) for p, q in zip(a, b, strict=True)]
        error, i = worst(out, exact, dtype)
        assert error <= LIMIT, (name, error, a[i], b[i], out[i])


def log_of_sum(base: int, a: mpmath.mpf, b: mpmath.mpf) -> mpmath.mpf:
    """log(base**a + base**b) to that base."""
    high, low = max(a, b), min(a, b)
    scale = mpmath.log(base)
    return high + mpmath.log1p(mpmath.exp((low - high) * scale)) / scale


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_logarithms_of_sums_are_within_four_ulp(runtime: Engine, dtype: str) -> None:
    """Of the greater argument, where the sum is near 1: there any formula cancels."""
    rng = np.random.default_rng(15)
    x = real_points(dtype)
    y = np.concatenate(
        [x[: x.size // 2] + rng.uniform(-3, 3, x.size // 2).astype(dtype), rng.permutation(x)[x.size // 2 :]]
    )
    for name, base in (("logaddexp", mpmath.e), ("logaddexp2", 2)):
        (out,) = runtime.apply([op_node(OPS[name], dtype)], [x, y])
        for a, b, result in zip(x, y, out, strict=True):
            value = log_of_sum(base, exact_number(a), exact_number(b))
            size = max(abs(value), abs(exact_number(max(a, b))))
            assert abs(exact_number(result) - value) <= LIMIT * ulp(size, dtype), (name, a, b, result)


@pytest.mark.parametrize("name", [*UNARY, *REAL_ONLY])
def test_half_precision_is_within_one_ulp(runtime: Engine, name: str) -> None:
    """It is computed in float32 and rounded once."""
    rng = np.random.default_rng(16)
    x = np.concatenate([rng.uniform(-4, 4, 40), np.exp2(rng.uniform(-24, 15, 60)) * rng.choice([-1, 1], 60)]).astype(
        "f2"
    )
    low, high = DOMAIN.get(name, (-np.inf, np.inf))
    x = x[(x > low) & (x < high)]
    (out,) = runtime.apply([op_node(OPS[name], "float16")], [x])
    exact = [(UNARY | REAL_ONLY)[name](exact_number(a)) for a in x]
    error, i = worst(out, exact, "float16")
    assert error <= 1, (error, x[i], out[i])


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.heavy
def test_complex_functions_of_tiny_and_huge_numbers(runtime: Engine, dtype: str) -> None:
    rng = np.random.default_rng(17)
    info = np.finfo(REAL_OF[dtype])
    n = 24
    tiny, huge = np.exp2(rng.uniform(info.minexp, -20, n)), np.exp2(rng.uniform(5, info.maxexp - 2, n))
    turn = np.exp(1j * rng.uniform(-np.pi, np.pi, n))
    small = np.concatenate([tiny * turn, tiny + 1j * rng.permutation(tiny)]).astype(dtype)
    large = np.concatenate([huge * turn, tiny + 1j * huge, huge - 1j * tiny]).astype(dtype)
    wrong = {}
    for x, names in (
        (small, list(UNARY)),
        (large, ["sqrt", "log", "log2", "log10", "log1p", "asin", "acos", "asinh", "acosh", "atan", "atanh"]),
    ):
        results = runtime.apply([op_node(OPS[name], dtype) for name in names], [x])
        for name, out in zip(names, results, strict=True):
            with mpmath.workprec(2600):  # its formulas for tiny numbers cancel
                exact = [UNARY[name](exact_number(a)) for a in x]
            error, i = worst(out, exact, REAL_OF[dtype])
            if error > LIMIT:
                wrong[name] = (error, x[i], out[i])
    assert not wrong


@pytest.mark.parametrize("dtype", COMPLEX)
def test_complex_arithmetic_is_within_four_ulp_of_the_norm(runtime: Engine, dtype: str) -> None:
    rng = np.random.default_rng(14)
    x, y = complex_points(dtype), rng.permutation(complex_points(dtype))
    names = {"multiply": lambda a, b: a * b, "divide": lambda a, b: a / b}
    for name, function in names.items():
        (out,) = runtime.apply([op_node(OPS[name], dtype)], [x, y])
        exact = [function(exact_number(p), exact_number(q)) for p, q in zip(x, y, strict=True)]
        error, i = worst(out, exact, REAL_OF[dtype])
        assert error <= LIMIT, (name, error, x[i], y[i], out[i])
    unary = {"abs": abs, "square": lambda a: a * a, "reciprocal": lambda a: 1 / a, "sign": lambda a: a / abs(a)}
    for name, function in unary.items():
        (out,) = runtime.apply([op_node(OPS[name], dtype)], [x])
        error, i = worst(out, [function(exact_number(a)) for a in x], REAL_OF[dtype])
        assert error <= LIMIT, (name, error, x[i], out[i])


@cache
def power_points(dtype: str) -> tuple[np.ndarray, np.ndarray, list]:
    """Bases of every magnitude and near the unit circle, exponents that stretch the logarithm to overflow and beyond
    (there the result turns many times), whole and half exponents; and the exact powers."""
    rng = np.random.default_rng(18)
    info, n = np.finfo(REAL_OF[dtype]), 40
    turn = np.exp(1j * rng.uniform(-np.pi, np.pi, (5, n)))
    sizes = [1, np.exp2(rng.uniform(info.minexp, info.maxexp - 2, n)), np.exp2(rng.uniform(info.minexp - 10, -20, n))]
    near = 1 + np.exp2(rng.uniform(-info.nmant, 0, n)) * rng.choice([-1, 1], n)
    bases = np.concatenate(
        [complex_points(dtype), *(size * t for size, t in zip([*sizes, near, near], turn, strict=True))]
    )
    bases = np.where(bases.astype(dtype) == 0, 1, bases)
    log = np.abs(np.log(bases))
    log = np.where(log == 0, 1, log)
    direction = np.exp(1j * rng.uniform(-np.pi, np.pi, bases.size))
    exponents = [
        10 * rng.normal(size=bases.size) * direction,
        rng.uniform(0, 0.7 * info.maxexp, bases.size) / log * direction,
        1j * np.exp2(rng.uniform(0, 20, bases.size)) / log * np.where(np.abs(bases) > 2, 1, 1e-6),
        rng.integers(-64, 65, bases.size) / rng.choice([1, 2], bases.size),
        rng.integers(-4, 5, bases.size),
    ]
    x, y = np.tile(bases, len(exponents)).astype(dtype), np.concatenate(exponents).astype(dtype)
    with mpmath.workprec(400):
        return x, y, [mpmath.power(exact_number(a), exact_number(b)) for a, b in zip(x, y, strict=True)]


@pytest.mark.parametrize("dtype", COMPLEX)
def test_complex_powers_are_within_four_ulp_of_the_norm(runtime: Engine, dtype: str) -> None:
    """With the logarithm's rounding multiplied by the exponent they would be hundreds of units off."""
    x, y, exact = power_points(dtype)
    (out,) = runtime.apply([op_node(OPS["pow"], dtype)], [x, y])
    error, i = worst(out, exact, REAL_OF[dtype])
    assert error <= LIMIT, (error, x[i], y[i], out[i])


@pytest.mark.parametrize("other", parameters())
def test_complex_powers_need_no_float64(other: Runtime) -> None:
    """A dialect without it is tried in PyOpenCL: the drivers at hand all have it."""
    x, y, exact = power_points("complex64")
    dialect = OpenCL(other.dialect.caps | {"fp64": False})
    (out,) = other.apply([op_node(OPS["pow"], "complex64")], [x, y], dialect)
    error, i = worst(out, exact, "float32")
    assert error <= LIMIT, (error, x[i], y[i], out[i])


@pytest.mark.parametrize("dtype", COMPLEX)
def test_complex_powers_are_exact_where_numpys_are(runtime: Engine, dtype: str) -> None:
    """Of Gaussian integers to whole powers, and with infinities and NaN in the base."""
    whole = np.arange(-3, 4)
    x = np.tile((whole[:, None] + 1j * whole).ravel(), 8).astype(dtype)
    y = np.repeat(np.arange(8), whole.size**2).astype(dtype)
    parts = np.array([0, -0.0, 0.5, -2, 3, np.inf, -np.inf, np.nan], REAL_OF[dtype])
    a, b = (part.ravel() for part in np.meshgrid(grid(parts, dtype), np.arange(4).astype(dtype)))
    keep = ~np.isfinite(a) | (b == 0) | (a == 0)
    for base, exponent in ((x, y), (a[keep], b[keep])):
        (out,) = runtime.apply([op_node(OPS["pow"], dtype)], [base, exponent])
        expected = np.power(base, exponent)
        wrong = ~(same_values(out.real, expected.real) & same_values(out.imag, expected.imag))
        assert not wrong.any(), list(zip(base[wrong], exponent[wrong], out[wrong], expected[wrong], strict=True))[:5]


def same_values(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (a == b) | (np.isnan(a) & np.isnan(b))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_real_functions_have_numpys_special_values(runtime: Engine, dtype: str) -> None:
    x = specials(dtype)
    names = [*UNARY, *REAL_ONLY]
    if dtype == "float16":
        names.remove("i0")  # NumPy computes it in halves, which overflow on the way
    results = runtime.apply([op_node(OPS[name], dtype) for name in names], [x])
    for name, out in zip(names, results, strict=True):
        expected = getattr(np, OPS[name].ufunc or name)(x)
        fixed = ~np.isfinite(expected) | (expected == 0)
        assert same_bits(out[fixed], expected[fixed]).all(), (name, x[fixed & ~same_bits(out, expected)])
        np.testing.assert_allclose(out[~fixed], expected[~fixed], rtol=8 * np.finfo(dtype).eps, err_msg=name)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_real_functions_of_two_arguments_have_numpys_special_values(runtime: Engine, dtype: str) -> None:
    x, y = (part.ravel() for part in np.meshgrid(specials(dtype), specials(dtype)))
    names = ["pow", "atan2", "hypot", "logaddexp", "logaddexp2"]
    results = runtime.apply([op_node(OPS[name], dtype) for name in names], [x, y])
    for name, out in zip(names, results, strict=True):
        expected = getattr(np, OPS[name].ufunc or name)(x, y)
        fixed = ~np.isfinite(expected) | ((expected == 0) & (not name.startswith("logaddexp")))
        assert same_bits(out[fixed], expected[fixed]).all(), name
        near = np.isclose(out, expected, rtol=8 * np.finfo(dtype).eps, atol=8 * np.finfo(dtype).smallest_subnormal)
        if name.startswith("logaddexp"):  # cancels where the sum is near 1, in NumPy's formula too
            near |= np.abs(out - expected) <= 4 * np.finfo(dtype).eps * np.maximum(np.abs(x), np.abs(y))
        assert near[~fixed].all(), (name, x[~near & ~fixed][:3], y[~near & ~fixed][:3])


@pytest.mark.parametrize("dtype", COMPLEX)
def test_complex_functions_have_the_special_values_of_annex_g(runtime: Engine, dtype: str) -> None:
    """As NumPy has them, but for the signs that Annex G leaves open: those beside a NaN."""
    x = grid(np.array([0.0, -0.0, 0.5, -1.0, np.inf, -np.inf, np.nan], REAL_OF[dtype]), dtype)
    names = [name for name in UNARY if name not in ("exp2", "expm1", "log2", "log10", "log1p")]
    results = runtime.apply([op_node(OPS[name], dtype) for name in names], [x])
    wrong = {}
    for name, out in zip(names, results, strict=True):
        expected = getattr(np, OPS[name].ufunc or name)(x)
        open_signs = np.isnan(expected) | (np.isnan(x) & (np.isinf(x.real) | np.isinf(x.imag)))
        for part, wanted in ((out.real, expected.real), (out.imag, expected.imag)):
            good = np.isclose(part, wanted, rtol=8 * np.finfo(dtype).eps, atol=0, equal_nan=True)
            good &= (np.signbit(part) == np.signbit(wanted)) | np.isnan(wanted) | open_signs
            good |= open_signs & (np.abs(part) == np.abs(wanted))
            if not good.all():
                wrong[name] = list(zip(x[~good], out[~good], expected[~good], strict=True))
    assert not wrong


@pytest.mark.parametrize("dtype", COMPLEX)
def test_complex_expm1_has_the_standards_special_values(runtime: Engine, dtype: str) -> None:
    inf, nan = np.inf, np.nan
    cases = {
        complex(0, 0): complex(0, 0),
        complex(-0.0, 0): complex(-0.0, 0),
        complex(1, inf): complex(nan, nan),
        complex(1, nan): complex(nan, nan),
        complex(inf, 0): complex(inf, 0),
        complex(-inf, 2): complex(-1, 0),
        complex(-inf, inf): complex(-1, 0),
        complex(-inf, nan): complex(-1, 0),
        complex(inf, inf): complex(inf, nan),
        complex(inf, nan): complex(inf, nan),
        complex(nan, 0): complex(nan, 0),
        complex(nan, 1): complex(nan, nan),
    }
    (out,) = runtime.apply([op_node(OPS["expm1"], dtype)], [np.array(list(cases), dtype)])
    np.testing.assert_array_equal(out, np.array(list(cases.values()), dtype))
