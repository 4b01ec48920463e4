"""NumPy's functions beyond the standard: NaN-aware reductions, comparisons, order statistics, histograms."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from oracle import host, same, values

import devarray as da

pytestmark = pytest.mark.usefixtures("device")
RNG = np.random.default_rng(0)
A = RNG.normal(size=(5, 6, 7))
HOLES = np.where(RNG.random((5, 6, 7)) < 0.3, np.nan, A)
HOLES[0, 0] = np.nan


def near(ours: Any, wanted: Any, tolerance: float = 1e-12) -> None:
    got, wanted = host(ours), np.asarray(wanted)
    assert got.dtype == wanted.dtype
    assert got.shape == wanted.shape
    np.testing.assert_allclose(got, wanted, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2)])
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("name", ["nansum", "nanprod", "nanmin", "nanmax", "nanmean", "nanvar", "nanstd"])
def test_without_nan(name: str, axis: Any, keepdims: bool) -> None:
    for a in (HOLES, HOLES.astype(np.float32), np.arange(24).reshape(2, 3, 4)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            wanted = getattr(np, name)(a, axis=axis, keepdims=keepdims)
        near(getattr(da, name)(da.asarray(a), axis=axis, keepdims=keepdims), wanted, 1e-4 if a.dtype == "f4" else 1e-12)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "int8"])
def test_nan_to_num(dtype: str) -> None:
    a = values(dtype, 40)
    same(da.nan_to_num(da.asarray(a)), np.nan_to_num(a))
    same(da.nan_to_num(da.asarray(a), nan=1, posinf=2, neginf=-3), np.nan_to_num(a, nan=1, posinf=2, neginf=-3))
    x = da.asarray(a)
    da.nan_to_num(x, copy=False)
    same(x, np.nan_to_num(a))


def test_comparisons_with_a_tolerance() -> None:
    a = np.array([1.0, np.nan, np.inf, -np.inf, 0.0, 1e-9, 5.0])
    b = np.array([1.0 + 1e-7, np.nan, np.inf, np.inf, 1e-9, 0.0, 5.1])
    x, y = da.asarray(a), da.asarray(b)
    for equal_nan in (False, True):
        same(da.isclose(x, y, equal_nan=equal_nan), np.isclose(a, b, equal_nan=equal_nan))
        same(da.isclose(x, 1, rtol=0.1), np.isclose(a, 1, rtol=0.1))
    same(da.isclose(da.asarray([1, 2]), da.asarray([1, 3])), np.array([True, False]))
    assert da.allclose(x[:1], y[:1])
    assert not da.allclose(x, y)
    assert da.array_equal(x, x, equal_nan=True)
    assert not da.array_equal(x, x)
    assert not da.array_equal(x, x[:2])
    assert da.array_equiv(da.ones((3, 2)), da.ones(2))
    assert not da.array_equiv(da.ones(3), da.ones(2))


@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2)])
def test_quantiles(axis: Any) -> None:
    x = da.asarray(A)
    for method in ("linear", "lower", "higher", "nearest", "midpoint"):
        near(da.quantile(x, [0.0, 0.3, 1.0], axis, method=method), np.quantile(A, [0.0, 0.3, 1.0], axis, method=method))
    near(da.percentile(x, 37.5, axis, keepdims=True), np.percentile(A, 37.5, axis, keepdims=True))
    near(da.median(x, axis), np.median(A, axis))
    near(da.median(da.asarray(A[:4]), axis), np.median(A[:4], axis))
    near(da.ptp(x, axis), np.ptp(A, axis))
    near(da.median(da.asarray(HOLES), axis), np.median(HOLES, axis))
    near(da.median(da.arange(6).reshape(2, 3), 1), np.median(np.arange(6).reshape(2, 3), 1))


def test_averages_and_correlations() -> None:
    x, w = da.asarray(A[0]), np.abs(A[0])
    near(da.average(x, weights=da.asarray(w)), np.average(A[0], weights=w))
    near(da.average(x, 1, da.asarray(w[0])), np.average(A[0], 1, w[0]))
    for got, wanted in zip(da.average(x, 0, returned=True), np.average(A[0], 0, returned=True), strict=True):
        near(got, wanted)
    near(da.cov(x), np.cov(A[0]))
    near(da.cov(x, x[:1], bias=True), np.cov(A[0], A[0][:1], bias=True))
    near(da.cov(x, rowvar=False), np.cov(A[0], rowvar=False))
    near(da.cov(x[0]), np.cov(A[0][0]))
    near(da.corrcoef(x), np.corrcoef(A[0]))
    near(da.cov(x + 1j * x[::-1]), np.cov(A[0] + 1j * A[0][::-1]))


def test_histograms() -> None:
    x = da.asarray(A)
    for bins in (10, 1, np.array([-1.0, 0.0, 0.5, 2.0])):
        for density in (False, True):
            ours, wanted = da.histogram(x, bins, density=density), np.histogram(A, bins, density=density)
            near(ours[0], wanted[0])
            near(ours[1], wanted[1])
    heavy = RNG.normal(size=A.shape)
    near(da.histogram(x, 7, weights=da.asarray(heavy))[0], np.histogram(A, 7, weights=heavy)[0])
    near(da.histogram(x, 7, weights=x > 0, density=True)[0], np.histogram(A, 7, weights=A > 0, density=True)[0])
    with pytest.raises(ValueError, match="weights of shape"):
        da.histogram(x, 7, weights=da.ones(3))
    ints = RNG.integers(0, 9, 100)
    near(da.histogram(da.asarray(ints), 4, (2, 6))[0], np.histogram(ints, 4, (2, 6))[0])
    same(da.bincount(da.asarray(ints), minlength=12), np.bincount(ints, minlength=12))
    weights = RNG.normal(size=100)
    near(da.bincount(da.asarray(ints), da.asarray(weights)), np.bincount(ints, weights))
    whole = np.round(weights * 9)
    same(da.bincount(da.asarray(ints), weights=da.asarray(whole), minlength=12), np.bincount(ints, whole, minlength=12))
    with pytest.raises(ValueError, match="weights"):
        da.bincount(da.asarray(ints), da.ones(3))
    same(da.bincount(da.asarray(np.empty(0, np.int32))), np.bincount(np.empty(0, np.int32)))
    for bins in ([-1.0, 0.0, 0.5], [1.0, 0.25, -2.0]):
        for right in (False, True):
            same(da.digitize(da.asarray(A[0]), bins, right), np.digitize(A[0], bins, right))


def test_bad_arguments() -> None:
    x = da.asarray(A)
    with pytest.raises(ValueError, match="between 0 and 1"):
        da.quantile(x, 2)
    with pytest.raises(ValueError, match="median"):
        da.quantile(x, 0.5, method="median")
    with pytest.raises(ValueError, match="negative"):
        da.bincount(da.asarray([-1, 2]))
    with pytest.raises(TypeError, match="float64"):
        da.bincount(x.reshape(-1))
    with pytest.raises(ValueError, match="shape"):
        da.average(x, 0, da.ones(3))
