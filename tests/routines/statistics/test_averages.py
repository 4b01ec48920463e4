"""Averages, covariances and correlations against NumPy's, with their weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from agreement import agree
from oracle import host

import devarray as da

pytestmark = pytest.mark.usefixtures("device")
RNG = np.random.default_rng(0)
CUBE = RNG.normal(size=(5, 6, 7))
TABLE = RNG.random((4, 6))
WEIGHTS = RNG.integers(1, 4, (4, 6)) + 0.25


def near(ours: Any, wanted: Any, tolerance: float = 1e-12) -> None:
    got, wanted = host(ours), np.asarray(wanted)
    assert got.dtype == wanted.dtype
    assert got.shape == wanted.shape
    np.testing.assert_allclose(got, wanted, rtol=tolerance, atol=tolerance)


def test_averages_and_correlations() -> None:
    x, w = da.asarray(CUBE[0]), np.abs(CUBE[0])
    near(da.average(x, weights=da.asarray(w)), np.average(CUBE[0], weights=w))
    near(da.average(x, 1, da.asarray(w[0])), np.average(CUBE[0], 1, w[0]))
    for got, wanted in zip(da.average(x, 0, returned=True), np.average(CUBE[0], 0, returned=True), strict=True):
        near(got, wanted)
    near(da.cov(x), np.cov(CUBE[0]))
    near(da.cov(x, x[:1], bias=True), np.cov(CUBE[0], CUBE[0][:1], bias=True))
    near(da.cov(x, rowvar=False), np.cov(CUBE[0], rowvar=False))
    near(da.cov(x[0]), np.cov(CUBE[0][0]))
    near(da.corrcoef(x), np.corrcoef(CUBE[0]))
    near(da.cov(x + 1j * x[::-1]), np.cov(CUBE[0] + 1j * CUBE[0][::-1]))


@pytest.mark.parametrize(
    "keywords", [{}, {"bias": True}, {"ddof": 2}, {"rowvar": False}, {"dtype": np.complex128}, {"ddof": 1.5}]
)
def test_covariance(keywords: dict[str, Any]) -> None:
    count = 4 if "rowvar" in keywords else 6
    often, heavy = RNG.integers(1, 4, count), RNG.random(count)
    agree(lambda xp, a: xp.cov(a, **keywords), TABLE)
    agree(lambda xp, a, f: xp.cov(a, fweights=f, **keywords), TABLE, often)
    agree(lambda xp, a, f, w: xp.cov(a, fweights=f, aweights=w, **keywords), TABLE, often, heavy)
    agree(lambda xp, a, w: xp.cov(a, aweights=w, **keywords), TABLE, heavy)


def test_covariance_refuses_weights_that_are_none() -> None:
    agree(lambda xp, a, w: xp.cov(a, fweights=w), TABLE, -np.ones(6, int))
    agree(lambda xp, a, w: xp.cov(a, fweights=w), TABLE, np.full(6, 0.5))


def test_average_over_several_axes() -> None:
    agree(lambda xp, a, w: xp.average(a, axis=(0, 1), weights=w, returned=True, keepdims=True), TABLE, WEIGHTS)
    agree(lambda xp, a, w: xp.average(a=a, axis=1, weights=w, returned=True), TABLE, WEIGHTS[0])
    agree(lambda xp, a, w: xp.average(a, weights=w), TABLE, WEIGHTS[0])
    agree(lambda xp, a, w: xp.average(a, axis=0, weights=w), TABLE, WEIGHTS[0])


def test_weights_of_another_shape_are_refused() -> None:
    with pytest.raises(ValueError, match="shape"):
        da.average(da.asarray(CUBE), 0, da.ones(3))
