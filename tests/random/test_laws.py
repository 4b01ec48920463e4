"""Distributions of `devarray.random` against their exact laws."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
from oracle import host, skip_without

import devarray as da

pytestmark = pytest.mark.usefixtures("device")


def _kolmogorov(x: np.ndarray, law: Callable[[float], float]) -> float:
    """Greatest distance of the empirical distribution from the law, at 400 of its points, times sqrt(n)."""
    x = np.sort(x.astype(np.float64))
    places = np.unique(np.linspace(0, x.size - 1, 400).astype(int))
    exact = np.array([law(float(x[i])) for i in places])
    high = np.searchsorted(x, x[places], "right") / x.size
    low = np.searchsorted(x, x[places], "left") / x.size
    return float(
        np.maximum(
            np.abs(high - exact), np.where(np.diff(x, prepend=-np.inf)[places] > 0, np.abs(low - exact), 0)
        ).max()
    ) * math.sqrt(x.size)


def _named(part: Any) -> str:
    return "" if callable(part) else str(part)


def _gamma_law(shape: float, scale: float = 1.0) -> Callable[[float], float]:
    return lambda x: float(mpmath.gammainc(shape, 0, x / scale, regularized=True))


def _beta_law(a: float, b: float) -> Callable[[float], float]:
    return lambda x: float(mpmath.betainc(a, b, 0, min(max(x, 0.0), 1.0), regularized=True))


def _mixture(x: float, df: float, nonc: float) -> float:
    """Of chi-square laws, by Poisson weights: the noncentral one."""
    return sum(_poisson(nonc / 2)(k) * _gamma_law(df / 2 + k, 2.0)(x) for k in range(30))


def _wald_law(mean: float, scale: float) -> Callable[[float], float]:
    def law(x: float) -> float:
        root = math.sqrt(scale / x)
        far = math.exp(2 * scale / mean) * _normal_law(-root * (x / mean + 1))
        return _normal_law(root * (x / mean - 1)) + far

    return law


def _vonmises_law(mu: float, kappa: float) -> Callable[[float], float]:
    grid = np.linspace(-np.pi, np.pi, 200_001)
    density = np.exp(kappa * (np.cos(grid - mu) - 1))
    total = np.concatenate([[0.0], np.cumsum(density[1:] + density[:-1])])
    return lambda x: float(np.interp(x, grid, total / total[-1]))


def _normal_law(x: float) -> float:
    return 0.5 * math.erfc(-x / math.sqrt(2))


CONTINUOUS: list[tuple[str, tuple[float, ...], Callable[[float], float]]] = [
    ("random", (), lambda x: x),
    ("uniform", (-2.0, 6.0), lambda x: (x + 2) / 8),
    ("standard_normal", (), _normal_law),
    ("normal", (3.0, 2.0), lambda x: _normal_law((x - 3) / 2)),
    ("lognormal", (1.0, 0.5), lambda x: _normal_law((math.log(x) - 1) / 0.5)),
    ("standard_exponential", (), lambda x: -math.expm1(-x)),
    ("exponential", (3.0,), lambda x: -math.expm1(-x / 3)),
    ("laplace", (1.0, 2.0), lambda x: math.exp((x - 1) / 2) / 2 if x < 1 else 1 - math.exp((1 - x) / 2) / 2),
    ("logistic", (1.0, 2.0), lambda x: 1 / (1 + math.exp((1 - x) / 2))),
    ("gumbel", (1.0, 2.0), lambda x: math.exp(-math.exp((1 - x) / 2))),
    ("standard_cauchy", (), lambda x: 0.5 + math.atan(x) / math.pi),
    ("rayleigh", (2.0,), lambda x: -math.expm1(-x * x / 8)),
    ("weibull", (1.5,), lambda x: -math.expm1(-(x**1.5))),
    ("pareto", (3.0,), lambda x: 1 - (1 + x) ** -3.0),
    ("power", (2.5,), lambda x: x**2.5),
    ("triangular", (-1.0, 0.0, 3.0), lambda x: (x + 1) ** 2 / 4 if x < 0 else 1 - (3 - x) ** 2 / 12),
]
FROM_GAMMA: list[tuple[str, tuple[float, ...], Callable[[float], float]]] = [
    ("standard_gamma", (0.3,), _gamma_law(0.3)),
    ("standard_gamma", (1.0,), _gamma_law(1.0)),
    ("gamma", (7.5, 2.0), _gamma_law(7.5, 2.0)),
    ("beta", (0.4, 0.2), _beta_law(0.4, 0.2)),
    ("beta", (3.0, 5.0), _beta_law(3.0, 5.0)),
    ("chisquare", (3.0,), _gamma_law(1.5, 2.0)),
    ("f", (4.0, 7.0), lambda x: _beta_law(2.0, 3.5)(4 * x / (4 * x + 7))),
    ("noncentral_chisquare", (1.5, 4.0), lambda x: _mixture(x, 1.5, 4.0)),
    ("wald", (3.0, 2.0), _wald_law(3.0, 2.0)),
    ("vonmises", (0.5, 2.0), _vonmises_law(0.5, 2.0)),
    ("vonmises", (-3.0, 0.1), _vonmises_law(-3.0, 0.1)),
    ("vonmises", (0.0, 500.0), _vonmises_law(0.0, 500.0)),
    ("standard_t", (3.0,), lambda x: 0.5 + math.copysign(0.5 - 0.5 * _beta_law(1.5, 0.5)(3 / (3 + x * x)), x)),
]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("name", "parameters", "law"), CONTINUOUS, ids=_named)
def test_continuous_draws_follow_their_law(
    name: str, parameters: Any, law: Callable[[float], float], dtype: str
) -> None:
    skip_without(dtype)
    x = host(getattr(da.random.default_rng(11), name)(*parameters, size=50_000, dtype=dtype))
    assert x.dtype == dtype
    assert np.isfinite(x).all()
    assert _kolmogorov(x, law) < 1.95  # one of a thousand samples lies farther away


@pytest.mark.parametrize(("name", "parameters", "law"), FROM_GAMMA, ids=_named)
def test_draws_from_gamma_follow_their_law(name: str, parameters: Any, law: Callable[[float], float]) -> None:
    skip_without("float64")
    x = host(getattr(da.random.default_rng(11), name)(*parameters, size=50_000))
    assert np.isfinite(x).all()
    assert _kolmogorov(x, law) < 1.95


def _binomial(n: int, p: float) -> Callable[[int], float]:
    def mass(k: int) -> float:
        if not 0 <= k <= n:
            return 0.0
        size = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
        return math.exp(size + k * math.log(p) + (n - k) * math.log1p(-p))

    return mass


def _poisson(mean: float) -> Callable[[int], float]:
    return lambda k: math.exp(k * math.log(mean) - mean - math.lgamma(k + 1))


def _negative_binomial(n: float, p: float) -> Callable[[int], float]:
    return lambda k: math.exp(
        math.lgamma(k + n) - math.lgamma(k + 1) - math.lgamma(n) + n * math.log(p) + k * math.log1p(-p)
    )


@pytest.mark.parametrize(
    ("name", "parameters", "mass"),
    [
        ("integers", (0, 7), lambda k: 1 / 7),
        ("binomial", (20, 0.1), _binomial(20, 0.1)),
        ("binomial", (20, 0.9), _binomial(20, 0.9)),
        ("binomial", (100, 0.3), _binomial(100, 0.3)),
        ("binomial", (5000, 0.7), _binomial(5000, 0.7)),
        ("poisson", (0.3,), _poisson(0.3)),
        ("poisson", (9.5,), _poisson(9.5)),
        ("poisson", (10.5,), _poisson(10.5)),
        ("poisson", (400.0,), _poisson(400.0)),
        ("geometric", (0.3,), lambda k: 0.3 * 0.7 ** (k - 1)),
        ("zipf", (4.0,), lambda k: k**-4.0 / float(mpmath.zeta(4))),
        ("logseries", (0.7,), lambda k: -(0.7**k) / (k * math.log1p(-0.7))),
        ("negative_binomial", (2.5, 0.4), _negative_binomial(2.5, 0.4)),
    ],
    ids=_named,
)
def test_discrete_draws_follow_their_law(name: str, parameters: Any, mass: Callable[[int], float]) -> None:
    skip_without("float64")
    n = 50_000
    x = host(getattr(da.random.default_rng(12), name)(*parameters, size=n))
    assert x.dtype == np.int64
    values, counts = np.unique(x, return_counts=True)
    expected = np.array([n * mass(int(k)) for k in range(int(values[0]), int(values[-1]) + 1)])
    seen = np.zeros(expected.size)
    seen[values - values[0]] = counts
    often = expected >= 10
    assert n - expected.sum() < 50  # hardly anything lies outside of what came
    chi2, degrees = ((seen - expected)[often] ** 2 / expected[often]).sum(), often.sum() - 1
    assert float(mpmath.gammainc(degrees / 2, chi2 / 2, mpmath.inf, regularized=True)) > 1e-3


def test_degenerate_parameters() -> None:
    skip_without("float64")
    rng = da.random.default_rng(1)
    for name, parameters, wanted in [
        ("normal", (3.0, 0.0), 3.0),
        ("exponential", (0.0,), 0.0),
        ("standard_gamma", (0.0,), 0.0),
        ("weibull", (0.0,), 0.0),
        ("poisson", (0.0,), 0),
        ("binomial", (0, 0.5), 0),
        ("binomial", (9, 0.0), 0),
        ("binomial", (9, 1.0), 9),
        ("geometric", (1.0,), 1),
        ("logseries", (0.0,), 1),
        ("noncentral_chisquare", (1e-300, 0.0), 0.0),
    ]:
        assert set(host(getattr(rng, name)(*parameters, size=9)).tolist()) == {wanted}, name
