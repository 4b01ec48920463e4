"""Medians and quantiles against NumPy: methods, weights, axes, NaN, and rows of which few elements are selected."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from agreement import agree, check
from oracle import host, moderate, same, skip_without

import devarray as da

pytestmark = pytest.mark.usefixtures("device")
SIZE = 150_003
RNG = np.random.default_rng(20)
ROWS = {
    "normal": RNG.normal(size=SIZE),
    "sorted": np.sort(RNG.normal(size=SIZE)),
    "falling": -np.arange(float(SIZE)),
    "heavy tails": RNG.standard_cauchy(SIZE) ** 3,
    "all equal": np.full(SIZE, 2.5),
    "two values": (RNG.random(SIZE) < 0.5) * 1.0,
    "few values": RNG.integers(0, 20, SIZE) / 4,
    "periodic": np.arange(SIZE) % (SIZE // 4096 | 1) * 1.0,  # with the period of a regular sample
    "a bump": np.where(np.arange(SIZE) % 37 == 0, np.arange(SIZE), 0.0),
    "infinities": np.where(RNG.random(SIZE) < 0.3, np.inf, np.where(RNG.random(SIZE) < 0.5, -np.inf, 1.0)),
}
CUBE = RNG.normal(size=(5, 6, 7))
CUBE_WITH_NAN = np.where(RNG.random((5, 6, 7)) < 0.3, np.nan, CUBE)
CUBE_WITH_NAN[0, 0] = np.nan
TABLE = RNG.random((4, 6))
WITH_NAN = TABLE.copy()
WITH_NAN[1, 2] = WITH_NAN[0, 0] = np.nan
INTEGERS = RNG.integers(-9, 9, (4, 6))
WEIGHTS = RNG.integers(1, 4, (4, 6)) + 0.25


def at_places(a: np.ndarray, shares: Any) -> np.ndarray:
    """Elements of a sorted copy; equal ones, such as zeros of both signs, in their order."""
    return np.sort(a, kind="stable")[np.rint(np.asarray(shares) * (a.size - 1)).astype(int)]


@pytest.mark.parametrize("name", ROWS)
def test_quantiles_of_a_long_row(name: str) -> None:
    skip_without("float64")
    a = ROWS[name]
    x = da.asarray(a)
    for shares in (0.0, 0.5, 1.0, [0.05, 0.5, 0.95], [0.9, 0.1, 0.1, 0.4], np.linspace(0, 1, 21)):
        same(da.quantile(x, shares, method="nearest"), at_places(a, shares))
    for size in (SIZE, SIZE - 1):
        same(da.median(x[:size]), np.median(a[:size]))
        same(da.median(x[:size][::-1]), np.median(a[:size]))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int16", "uint64"])
@pytest.mark.heavy
def test_dtypes_of_long_rows(dtype: str) -> None:
    skip_without("float64", dtype)
    a = (RNG.random(SIZE) * 1000).astype(dtype)
    x = da.asarray(a)
    for method in ("lower", "higher", "nearest"):
        same(
            da.quantile(x, [0.25, 0.999], method=method),
            np.quantile(a, [0.25, 0.999], method=method),
        )
    same(da.percentile(x.reshape(3, -1), 30, method="lower"), da.quantile(x, 0.3, method="lower").copy_to_host())
    if dtype != "float16":
        same(da.median(x), np.median(a))


def test_nan_and_zeros_of_long_rows() -> None:
    skip_without("float64")
    a = ROWS["normal"].copy()
    a[SIZE // 3] = np.nan
    same(da.median(da.asarray(a)), np.float64(np.nan))
    same(da.quantile(da.asarray(a), [0.1, 0.9]), np.full(2, np.nan))
    zeros = np.where(RNG.random(SIZE) < 0.9, RNG.normal(size=SIZE), np.where(RNG.random(SIZE) < 0.5, 0.0, -0.0))
    shares = [0.46, 0.5, 0.53]
    same(da.quantile(da.asarray(zeros), shares, method="nearest"), at_places(zeros, shares))


def with_holes(dtype: str, shape: tuple[int, ...] = (4, 6)) -> np.ndarray:
    x = moderate(dtype, shape, 9)
    if x.dtype.kind in "fc":
        x[0, 1] = x[2, ::2] = np.nan
    return x


def test_nan_is_left_out_of_quantiles() -> None:
    skip_without("float64")
    x = with_holes("float64", (5, 6))
    x[3] = np.nan
    x[4, :2] = np.inf, -np.inf
    for method in ("linear", "lower", "higher", "nearest", "midpoint"):
        for axis in (None, 0, 1, (0, 1)):
            for q in (0, 0.3, 1, [0.5, 0.25]):
                check(lambda xp, x, a=axis, q=q, m=method: xp.nanquantile(x[:4], q, a, method=m, keepdims=True), x)
    for body in (lambda xp, x: xp.nanquantile(x, 2), lambda xp, x: xp.nanmedian(x[:, :0], 1)):
        check(body, x)
    check(lambda xp, x: xp.nanargmax(x, 1), x)  # a row of nothing but NaN
    check(lambda xp, x: xp.nanmedian(x, 1), x)


def close_to(ours: Any, wanted: Any, tolerance: float = 1e-12) -> None:
    got, wanted = host(ours), np.asarray(wanted)
    assert got.dtype == wanted.dtype
    assert got.shape == wanted.shape
    np.testing.assert_allclose(got, wanted, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2)])
def test_quantiles(axis: Any) -> None:
    x = da.asarray(CUBE)
    for method in ("linear", "lower", "higher", "nearest", "midpoint"):
        close_to(
            da.quantile(x, [0.0, 0.3, 1.0], axis, method=method),
            np.quantile(CUBE, [0.0, 0.3, 1.0], axis, method=method),
        )
    close_to(da.percentile(x, 37.5, axis, keepdims=True), np.percentile(CUBE, 37.5, axis, keepdims=True))
    close_to(da.median(x, axis), np.median(CUBE, axis))
    close_to(da.median(da.asarray(CUBE[:4]), axis), np.median(CUBE[:4], axis))
    close_to(da.ptp(x, axis), np.ptp(CUBE, axis))
    close_to(da.median(da.asarray(CUBE_WITH_NAN), axis), np.median(CUBE_WITH_NAN, axis))
    close_to(da.median(da.arange(6).reshape(2, 3), 1), np.median(np.arange(6).reshape(2, 3), 1))


METHODS = [
    "inverted_cdf",
    "averaged_inverted_cdf",
    "closest_observation",
    "interpolated_inverted_cdf",
    "hazen",
    "weibull",
    "linear",
    "median_unbiased",
    "normal_unbiased",
    "lower",
    "higher",
    "midpoint",
    "nearest",
]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["quantile", "nanquantile"])
def test_quantiles_by_all_methods(name: str, method: str) -> None:
    for q in (0.0, 0.25, 0.9, 1.0, [0.1, 0.6, 1.0]):
        for axis in (None, 1, (0, 1)):
            for x in (TABLE, WITH_NAN, INTEGERS):
                agree(lambda xp, a, q=q, axis=axis: getattr(xp, name)(a, q, axis, None, False, method, True), x)


@pytest.mark.parametrize("name", ["quantile", "nanquantile"])
def test_weighted_quantiles(name: str) -> None:
    for q in (0.0, 0.2, [0.5, 1.0]):
        for x in (TABLE, WITH_NAN, INTEGERS):
            agree(lambda xp, a, w, q=q: getattr(xp, name)(a, q, 1, method="inverted_cdf", weights=w), x, WEIGHTS)
            agree(lambda xp, a, w, q=q: getattr(xp, name)(a, q, method="inverted_cdf", weights=w), x, WEIGHTS)
    agree(lambda xp, a, w: xp.quantile(a, 0.2, 1, method="inverted_cdf", weights=w), TABLE, WEIGHTS[0])
    agree(lambda xp, a, w: xp.quantile(a, 0.5, 1, weights=w), TABLE, WEIGHTS)
    agree(lambda xp, a, w: xp.quantile(a, 0.5, method="inverted_cdf", weights=w), TABLE, WEIGHTS[0])
    agree(lambda xp, a: xp.quantile(a, 0.5, method="none"), TABLE)


def test_shares_and_methods_that_there_are_not() -> None:
    with pytest.raises(ValueError, match=r"in the range \[0, 1\]"):
        da.quantile(da.asarray(CUBE), 2)
    with pytest.raises(ValueError, match="median"):
        da.quantile(da.asarray(CUBE), 0.5, method="median")


SHARES = {
    "Python's": 0.25,
    "a list": [0.25, 1.0],
    "whole": [0, 1],
    "float32": np.asarray([0.25, 0.5], np.float32),
    "float64": np.asarray([0.25, 0.5]),
    "a float32": np.float32(0.5),
    "int16": np.asarray([1, 0], np.int16),
}


@pytest.mark.parametrize("method", ["linear", "hazen", "lower"])
@pytest.mark.parametrize("name", ["quantile", "nanquantile", "percentile", "nanpercentile"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int16", "uint64"])
def test_elements_and_shares_promote_together(dtype: str, name: str, method: str) -> None:
    skip_without(dtype)
    x = np.asarray([100, 200, 300, 50], dtype)
    for shares in SHARES.values():
        q = shares if "quantile" in name else np.multiply(shares, 100) if isinstance(shares, np.ndarray) else shares
        wanted = getattr(np, name)(x, q, method=method)
        for given in (q, da.asarray(q)) if isinstance(q, np.ndarray) else (q,):
            got = getattr(da, name)(da.asarray(x), given, method=method)
            assert got.dtype == wanted.dtype and got.shape == wanted.shape
            np.testing.assert_allclose(got.copy_to_host(), wanted, rtol=1e-5)


@pytest.mark.parametrize("dtype", ["int8", "float32", "float64", "complex64"])
@pytest.mark.parametrize("shape", [(3, 0), (0, 3), (0,)])
def test_medians_of_no_elements_are_nan(dtype: str, shape: tuple[int, ...]) -> None:
    x = np.zeros(shape, dtype)
    for axis in (None, 0, -1):
        for keepdims in (False, True):
            check(lambda xp, a, axis=axis, k=keepdims: xp.median(a, axis=axis, keepdims=k), x)


@pytest.mark.parametrize("method", ["linear", "nearest", "hazen"])
def test_quantiles_of_no_rows(method: str) -> None:
    x = np.zeros((3, 0), np.int32)
    check(lambda xp, a: xp.quantile(a, 0.5, axis=0, method=method), x)
    check(lambda xp, a: xp.quantile(a, [0.5, 0.2], axis=0, keepdims=True, method=method), x)
    with pytest.raises(ValueError, match="no elements to choose from"):
        da.quantile(da.asarray(x), 0.5, axis=1, method=method)


def test_medians_of_infinities() -> None:
    """The mean of two equal infinities is the infinity; NumPy's quantiles between them are NaN."""
    inf = np.inf
    for dtype in ("float32", "float64"):
        skip_without(dtype)
        a = np.array([[inf, inf, 1, inf], [-inf, -inf, -inf, 2], [inf, -inf, inf, -inf], [inf, 1, 1, 2]], dtype)
        check(lambda xp, x: xp.median(x, axis=1), a)
        check(lambda xp, x: xp.median(x), np.full(2, inf, dtype))
        check(lambda xp, x: xp.nanmedian(x, axis=0), np.where(a == 2, np.nan, a).astype(dtype))
        check(lambda xp, x: xp.nanmedian(x), np.array([inf, np.nan, inf], dtype))
        check(lambda xp, x: xp.quantile(x, 0.5), np.full(2, inf, dtype))
        zeros = np.array([0.0, -0.0, 0.0, -0.0], dtype)
        same(np.signbit(host(da.median(da.asarray(zeros)))), np.signbit(np.median(zeros)))


def test_negative_weights_are_refused() -> None:
    check(
        lambda xp, x: xp.quantile(x, 0.5, method="inverted_cdf", weights=xp.asarray([1.0, -1.0, 1.0])),
        np.array([1.0, 2.0, 3.0], np.float32),
    )


@pytest.mark.filterwarnings("ignore:All-NaN slice")
@pytest.mark.parametrize("share", [0.0, 0.2, 1.0])
@pytest.mark.parametrize("shape", [(50,), (6, 9), (70_000,), (3, 40_000)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_of_numbers_alone(dtype: str, shape: tuple[int, ...], share: float) -> None:
    """NaN nowhere, here and there, and everywhere; few and many elements."""
    skip_without(dtype)
    rng = np.random.default_rng(6)
    x = np.where(rng.random(shape) < share, np.nan, rng.normal(size=shape)).astype(dtype)
    for axis in (None, -1, 0):
        check(lambda xp, x, axis=axis: xp.nanmedian(x, axis), x)
        check(lambda xp, x, axis=axis: xp.nanpercentile(x, 30, axis=axis, method="nearest"), x)
    check(lambda xp, x: xp.nanquantile(x, 0.25, keepdims=True), x)
