"""Sums of floats that GPUs may add up in any order, where `config.deterministic` is off."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from oracle import host, skip_without

import devarray as da

pytestmark = pytest.mark.usefixtures("device")


@pytest.fixture(autouse=True, params=[False, True], ids=["any order", "deterministic"])
def deterministic(request: pytest.FixtureRequest) -> Iterator[bool]:
    before = da.config.deterministic
    da.config.deterministic = request.param
    yield request.param
    da.config.deterministic = before


def alike(ours: da.Array, wanted: np.ndarray, size: np.ndarray) -> None:
    """Within the rounding of sums in any order; `size` is the sum of the magnitudes."""
    got = host(ours)
    assert got.dtype == wanted.dtype and got.shape == wanted.shape
    assert (np.abs(got - wanted) <= 1000 * np.finfo(got.dtype).eps * size).all()


@pytest.mark.parametrize("dtype", ["uint8", "int16", "int64"])
def test_bincount_and_histogram(dtype: str) -> None:
    skip_without("float64")
    rng = np.random.default_rng(1)
    for bins in (100, 60_000):
        a = np.minimum(rng.integers(0, bins, 30_000), np.iinfo(dtype).max).astype(dtype)
        a[:1000] = a[0]
        w = rng.normal(size=a.size) * 10.0 ** rng.integers(-9, 9, a.size)
        x, y = da.asarray(a), da.asarray(w)
        alike(da.bincount(x, y, bins), np.bincount(a, w, bins), np.bincount(a, abs(w), bins))
        wanted = np.histogram(a, bins, (0, bins), weights=w)[0]
        size = np.histogram(a, bins, (0, bins), weights=abs(w))[0]
        alike(da.histogram(x, bins, (0, bins), weights=y)[0], wanted, size)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32", "complex64"])
@pytest.mark.parametrize("ufunc", [np.add, np.subtract, np.multiply], ids=lambda ufunc: ufunc.__name__)
def test_values_at_places(ufunc: np.ufunc, dtype: str) -> None:
    skip_without(dtype, "float64")
    rng = np.random.default_rng(2)
    for shape, places in [((500,), (4000,)), ((40, 6), (300,)), ((9,), (2, 3))]:
        start = rng.integers(1, 4, shape).astype(dtype)
        key = rng.integers(-shape[0], shape[0], places)
        values: Any = rng.integers(1, 3, (*places, *shape[1:])).astype(dtype)
        if ufunc is np.multiply:
            key, values = key.ravel()[:6], np.ones(1, dtype)
        for given in (values, 2, 0.5 if dtype.startswith("float") else 3):
            wanted, ours = start.copy(), da.asarray(start)
            ufunc.at(wanted, key, given)
            ufunc.at(ours, da.asarray(key), da.asarray(given) if isinstance(given, np.ndarray) else given)
            np.testing.assert_array_equal(host(ours), wanted)


def test_views_and_pending_readers() -> None:
    base = np.arange(1000, dtype="float32")
    x = da.asarray(base)
    before, part = x * 2, x[100:900]
    key = np.random.default_rng(3).integers(0, 800, 5000)
    np.add.at(part, da.asarray(key), np.float32(1))
    wanted = base.copy()
    np.add.at(wanted[100:900], key, np.float32(1))
    np.testing.assert_array_equal(host(before), base * 2)
    np.testing.assert_array_equal(host(x), wanted)
    every = x[::2]
    np.add.at(every, da.asarray(key // 2), np.float32(3))
    np.add.at(wanted[::2], key // 2, np.float32(3))
    np.testing.assert_array_equal(host(x), wanted)
    np.add.at(x, da.asarray(key), x[0])  # a value of the array's own memory
    np.add.at(wanted, key, wanted[0].copy())
    np.testing.assert_array_equal(host(x), wanted)


def test_places_that_there_are_not() -> None:
    x = da.zeros(5, dtype="float32")
    with pytest.raises(IndexError):
        np.add.at(x, da.asarray([0, 7]), np.float32(1))
        host(x)  # what waits for nothing tells it at the next wait
    y = da.zeros(5, dtype="float32")
    np.add.at(y, da.asarray(np.zeros(0, int)), np.float32(1))
    assert not host(y).any()


def test_setting(deterministic: bool) -> None:
    assert f"deterministic={deterministic}" in repr(da.config)
