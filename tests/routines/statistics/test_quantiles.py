"""Partitions and quantiles of long rows, of which a few elements are selected: any distribution, NaNs, zeros' signs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracle import same, skip_without

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


@pytest.mark.parametrize("dtype", ["bool", "int8", "int64", "uint32", "float16", "float32", "float64", "complex64"])
def test_partitions_of_long_rows(dtype: str) -> None:
    skip_without(dtype)
    a = (RNG.random((2, 5000)) * 1000 - 300).astype(dtype)
    if dtype.startswith("float"):
        a[0, 7], a[1, :99], a[1, 2000:2100] = np.nan, -0.0, 0.0
    for axis in (0, 1, None):
        x = da.asarray(a.T.copy() if axis == 0 else a)
        for places in (1000, [0, -1, 2500], [], range(0, 5000, 9)):
            wanted = np.sort(a, axis=None if axis is None else 1, kind="stable")
            ours = da.partition(x, np.asarray(places, int), axis)
            order = da.argpartition(x, np.asarray(places, int), axis)
            flat = x.reshape(-1) if axis is None else x
            taken = da.take_along_axis(flat, order, axis=axis or 0)
            for got in (ours, taken):
                got = got.T if axis == 0 else got
                same(got[..., np.atleast_1d(places).astype(int)], wanted[..., np.atleast_1d(places).astype(int)])
                same(
                    da.sort(got[..., :1000]) if places == 1000 else got[..., :0],
                    wanted[..., :1000] if places == 1000 else wanted[..., :0],
                )


@pytest.mark.parametrize("dtype", ["uint8", "int16", "uint64"])
def test_dtypes_of_places(dtype: str) -> None:
    a = RNG.integers(0, 10**6, 9000)
    same(da.partition(da.asarray(a), np.array([3, 100], dtype))[[3, 100]], np.sort(a)[[3, 100]])
    same(da.partition(da.asarray(a), da.asarray(np.array(100, dtype)))[100], np.sort(a)[100])
