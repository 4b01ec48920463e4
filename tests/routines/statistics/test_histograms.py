"""Counts of numbers and of values in intervals, against NumPy: dtypes, layouts, sizes, and what lies outside."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from agreement import check
from oracle import host, moderate, same, skip_without, values

import devarray as da

pytestmark = pytest.mark.usefixtures("device")
MANY = 100_000  # CPUs count these in several rows
RNG = np.random.default_rng(0)
CUBE = RNG.normal(size=(5, 6, 7))


def near(ours: Any, wanted: Any, tolerance: float = 1e-12) -> None:
    got, wanted = host(ours), np.asarray(wanted)
    assert got.dtype == wanted.dtype
    np.testing.assert_allclose(got, wanted, rtol=tolerance, atol=tolerance * np.abs(wanted).max(initial=0))


@pytest.mark.parametrize("size", [1, 3, 500, MANY])
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "uint32", "int64", "uint64"])
def test_bincount(dtype: str, size: int) -> None:
    a = np.random.default_rng(size).integers(0, 2 if dtype == "bool" else 120, size).astype(dtype)
    x, wide = da.asarray(a), a.astype(np.int64)
    for minlength in (0, 50, 300):
        same(da.bincount(x, minlength=minlength), np.bincount(wide, minlength=minlength))
    for part in (slice(None, None, -1), slice(1, None, 3), slice(2, 2)):
        same(da.bincount(x[part]), np.bincount(wide[part]))
    if dtype != "bool":
        same(da.bincount(x + 1), np.bincount(wide + 1))  # pending where not eager


def test_bincount_of_many_bins_sorts_keys_as_wide_as_the_greatest(device: da.Device) -> None:
    if device.strategy == "cpu":
        pytest.skip("nothing is sorted")

    def launches(greatest: int) -> int:
        a = np.arange(20_000) % 200
        a[7] = greatest
        x = da.asarray(a)
        same(da.bincount(x), np.bincount(a))
        before = da.stats()["launches"]
        da.bincount(x).evaluate()
        return int(da.stats()["launches"] - before)

    assert launches(200) < launches(60_000) < launches(70_000)


@pytest.mark.parametrize("dtype", ["bool", "int8", "int64", "float16", "float64"])
def test_bincount_with_weights(dtype: str) -> None:
    skip_without("float64")
    rng = np.random.default_rng(4)
    for size in (7, MANY):
        a, w = rng.integers(0, 40, size), rng.integers(0, 2 if dtype == "bool" else 90, size).astype(dtype)
        x, y = da.asarray(a), da.asarray(w)
        same(da.bincount(x, y, 45), np.bincount(a, w, 45))
        same(da.bincount(x[::-2], weights=y[::-2]), np.bincount(a[::-2], weights=w[::-2]))


def test_sums_of_weights_are_the_same_every_time() -> None:
    skip_without("float64")
    rng = np.random.default_rng(5)
    a, w = rng.integers(0, 10, MANY), rng.normal(size=MANY) * 10.0 ** rng.integers(-8, 8, MANY)
    x, y = da.asarray(a), da.asarray(w)
    first = host(da.bincount(x, y))
    near(first, np.bincount(a, w))
    for _ in range(5):
        np.testing.assert_array_equal(host(da.bincount(x, y)), first)


@pytest.mark.parametrize("bins", [50, 90_000])
@pytest.mark.parametrize("special", [np.inf, -np.inf, np.nan, 1e300, 1e17])
def test_weights_change_no_bins_but_their_own(special: float, bins: int) -> None:
    """Of few bins and of many: GPUs sort the weights of those that are too many for a group."""
    skip_without("float64")
    a = np.random.default_rng(8).integers(0, bins, 3000)
    a[:500], a[-1] = bins // 3, bins - 1
    w = np.ones(a.size)
    w[2900] = special
    x, y = da.asarray(a), da.asarray(w)
    same(da.bincount(x, y), np.bincount(a, w))
    same(da.histogram(x, bins, (0, bins), weights=y)[0], np.bincount(a, w))
    both = np.empty(a.size, complex)
    both.real, both.imag = 1, w
    ours = host(da.histogram(x, bins, (0, bins), weights=da.asarray(both))[0])
    np.testing.assert_array_equal(ours.real, np.bincount(a))
    np.testing.assert_array_equal(ours.imag, np.bincount(a, w))


def test_bins_as_many_as_elements() -> None:
    a = np.random.default_rng(6).permutation(MANY) * 3
    same(da.bincount(da.asarray(a)), np.bincount(a))
    same(da.bincount(da.asarray([5_000_000])), np.bincount([5_000_000]))


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64"])
def test_negative_numbers_are_refused(dtype: str) -> None:
    for least in (-1, -3, np.iinfo(dtype).min):
        x = da.asarray(np.array([0, 5, least, -1, 7], dtype))
        with pytest.raises(ValueError, match=f"the least is {least}"):
            da.bincount(x)


def test_too_many_bins_are_refused() -> None:
    for greatest in (2**62, 2**50):
        with pytest.raises(da.Error):
            da.bincount(da.asarray([greatest]))
        same(da.bincount(da.asarray([1, 3])), np.bincount([1, 3]))  # the queue works after it
    with pytest.raises(TypeError, match="complex"):
        da.bincount(da.asarray([0, 1]), da.asarray([1j, 2]))


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "uint64", "float16", "float32", "float64"])
@pytest.mark.parametrize("bins", [1, 10, 77, [0, 1, 1, 2, 5, 5], [-1.5, 0.0, 2.25, 40]])
def test_histogram(dtype: str, bins: Any) -> None:
    skip_without("float64", dtype)
    rng = np.random.default_rng(7)
    for size in (0, 1, 60, MANY // 2):
        a = (rng.integers(0, 40, size) / (4 if dtype.startswith("f") else 1)).astype(dtype)
        if dtype == "bool":
            a = rng.random(size) > 0.5
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # NumPy's, where there are bools
            for limits in (None, (0, 7), (0.5, 20.25)):
                if dtype == "bool" and limits is None:
                    continue  # NumPy has no difference of bools
                ours, wanted = da.histogram(da.asarray(a), bins, limits), np.histogram(a, bins, limits)
                same(ours[0], wanted[0])
                same(ours[1], wanted[1])


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_values_outside_the_intervals_are_left_out(dtype: str) -> None:
    skip_without("float64", dtype)
    a = values(dtype, 300)  # infinities, NaN, zeros of both signs
    x = da.asarray(a)
    for bins, limits in ((9, (-2, 2)), (3, (0, 0)), ([-1.0, 0.0, 1.0], None), ([0.0, np.inf], None)):
        same(da.histogram(x, bins, limits)[0], np.histogram(a, bins, limits)[0])
    same(da.histogram(x, [-np.inf, 0.0, 1.0])[0], np.histogram(a, [-np.inf, 0.0, 1.0])[0])
    same(da.histogram(x, [0.0, 1.0, np.nan])[0], np.histogram(a, [0.0, 1.0, np.nan])[0])
    with pytest.raises(ValueError, match="finite"):
        da.histogram(x, 3)


def test_layouts_of_histograms() -> None:
    skip_without("float64")
    a = np.random.default_rng(8).normal(size=(50, 60))
    w = np.random.default_rng(9).integers(0, 9, (50, 60)).astype(float)
    x, y = da.asarray(a), da.asarray(w)
    for key in (np.s_[:], np.s_[::2, ::-3], np.s_[:, 5], np.s_[3, 4], np.s_[:0]):
        for bins in (6, [-1.0, 0.25, 0.5]):
            same(da.histogram(x[key], bins)[0], np.histogram(a[key], bins)[0])
            same(da.histogram(x[key], bins, weights=y[key])[0], np.histogram(a[key], bins, weights=w[key])[0])
    same(da.histogram(x.T * 2, 6, weights=y.T + 1)[0], np.histogram(a.T * 2, 6, weights=w.T + 1)[0])


@pytest.mark.parametrize("dtype", ["int8", "uint64", "float32", "float64", "complex128"])
def test_weights_of_histograms(dtype: str) -> None:
    skip_without("float64", dtype)
    rng = np.random.default_rng(10)
    a, w = rng.normal(size=MANY), rng.integers(0, 2, MANY).astype(dtype)
    w = w * (2 - 3j) if dtype == "complex128" else w
    for bins in (10, [-2.0, -1.0, 0.0, 3.0]):
        ours, wanted = da.histogram(da.asarray(a), bins, weights=da.asarray(w)), np.histogram(a, bins, weights=w)
        same(ours[0], wanted[0])
        for density in (False, True):
            ours = da.histogram(da.asarray(a), bins, density=density, weights=da.asarray(w.real.astype(float) / 3))
            wanted = np.histogram(a, bins, density=density, weights=w.real.astype(float) / 3)
            near(ours[0], wanted[0])


def test_points_in_cells() -> None:
    skip_without("float64")
    rng = np.random.default_rng(11)
    a, w = rng.normal(size=(MANY, 2)), rng.integers(0, 9, MANY).astype(float)
    x, y = da.asarray(a), da.asarray(w)
    for bins in (5, (40, 30), ([-1.0, 0.0, 0.0, 2.0], 3)):
        same(da.histogramdd(x, bins)[0], np.histogramdd(a, bins)[0])
        same(da.histogramdd(x, bins, weights=y)[0], np.histogramdd(a, bins, weights=w)[0])
    same(da.histogram2d(x[:, 0], x[:, 1], 7)[0], np.histogram2d(a[:, 0], a[:, 1], 7)[0])


def test_histograms_of_several_variables() -> None:
    skip_without("float64")
    for dtype in ("float64", "float32", "int16"):
        points = moderate(dtype, (40, 3), 3)
        weights = moderate("float64", 40, 4)
        for bins in (3, (2, 3, 4), [np.array([-4.0, 0, 1]), 2, [-1, 0, 2, 3]]):
            for more in ({}, {"density": True}, {"range": [(-2, 2), None, (0, 3)]}):
                check(lambda xp, p, b=bins, m=more: xp.histogramdd(p, b, **m), points)
            check(lambda xp, p, w, b=bins: xp.histogramdd(p, b, weights=w), points, weights, ulp=2**10)
    check(lambda xp, p: xp.histogramdd(p[0], 2), points)
    check(lambda xp, p: xp.histogramdd(p[:0], 2), points)
    check(lambda xp, p: xp.histogramdd(p, 2), np.array([2**64 - 1, 2**63, 0], np.uint64))
    check(lambda xp, p: xp.histogram2d(p[:, 0], p[:, 1], p[:4, 2].copy() * 0 + xp.asarray([0, 1, 2, 3])), points)
    for wrong in ((2, 3), 0, [[3, 2, 1]] * 3):
        check(lambda xp, p, b=wrong: xp.histogramdd(p, b), points)
    check(lambda xp, p: xp.histogram2d(p[:, 0], p[:3, 1]), points)
    check(lambda xp, p: xp.histogramdd(p, 3, weights=p[:5, 0]), points)


def test_rules_for_the_number_of_bins() -> None:
    skip_without("float64")
    rng = np.random.default_rng(8)
    for x in (rng.normal(size=500), rng.integers(0, 40, 300), np.full(9, 2.0), rng.normal(size=2), np.empty(0)):
        for rule in ("auto", "doane", "fd", "rice", "scott", "sqrt", "sturges"):
            for limits in (None, (-1.0, 1.5)):
                check(lambda xp, x, r=rule, w=limits: xp.histogram(x, r, w), x)
    check(lambda xp, x: xp.histogram_bin_edges(x, "none"), x)
    check(lambda xp, x: xp.histogram_bin_edges(x, "auto", weights=x), x)


def close_to(ours: Any, wanted: Any, tolerance: float = 1e-12) -> None:
    got, wanted = host(ours), np.asarray(wanted)
    assert got.dtype == wanted.dtype
    assert got.shape == wanted.shape
    np.testing.assert_allclose(got, wanted, rtol=tolerance, atol=tolerance)


def test_histograms() -> None:
    x = da.asarray(CUBE)
    for bins in (10, 1, np.array([-1.0, 0.0, 0.5, 2.0])):
        for density in (False, True):
            ours, wanted = da.histogram(x, bins, density=density), np.histogram(CUBE, bins, density=density)
            close_to(ours[0], wanted[0])
            close_to(ours[1], wanted[1])
    heavy = RNG.normal(size=CUBE.shape)
    close_to(da.histogram(x, 7, weights=da.asarray(heavy))[0], np.histogram(CUBE, 7, weights=heavy)[0])
    close_to(
        da.histogram(x, 7, weights=x > 0, density=True)[0], np.histogram(CUBE, 7, weights=CUBE > 0, density=True)[0]
    )
    with pytest.raises(ValueError, match="weights should have the same shape"):
        da.histogram(x, 7, weights=da.ones(3))
    ints = RNG.integers(0, 9, 100)
    close_to(da.histogram(da.asarray(ints), 4, (2, 6))[0], np.histogram(ints, 4, (2, 6))[0])
    same(da.bincount(da.asarray(ints), minlength=12), np.bincount(ints, minlength=12))
    weights = RNG.normal(size=100)
    close_to(da.bincount(da.asarray(ints), da.asarray(weights)), np.bincount(ints, weights))
    whole = np.round(weights * 9)
    same(da.bincount(da.asarray(ints), weights=da.asarray(whole), minlength=12), np.bincount(ints, whole, minlength=12))
    with pytest.raises(ValueError, match="weights"):
        da.bincount(da.asarray(ints), da.ones(3))
    same(da.bincount(da.asarray(np.empty(0, np.int32))), np.bincount(np.empty(0, np.int32)))
    for bins in ([-1.0, 0.0, 0.5], [1.0, 0.25, -2.0]):
        for right in (False, True):
            same(da.digitize(da.asarray(CUBE[0]), bins, right), np.digitize(CUBE[0], bins, right))


def test_what_cannot_be_counted_is_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        da.bincount(da.asarray([-1, 2]))
    with pytest.raises(TypeError, match="float64"):
        da.bincount(da.asarray(CUBE).reshape(-1))


@pytest.mark.filterwarnings("ignore:Converting input from bool")
@pytest.mark.parametrize("rule", ["auto", "sqrt", "sturges"])
def test_bins_of_bools_are_no_narrower_than_one(rule: str) -> None:
    x = np.array([True, False, True, True, False, True])
    wanted = np.histogram(x.astype(np.uint8), rule)
    counts, edges = da.histogram(da.asarray(x), rule)
    same(counts, wanted[0])
    same(edges, wanted[1])


@pytest.mark.parametrize("edges", [[1], [], [0.5]])
def test_one_edge_or_none_has_no_interval(edges: list[float]) -> None:
    x = [1, 2, 3]
    for options in ({}, {"weights": np.asarray([1, 2, 3], np.float32)}, {"density": True}):
        for ours, wanted in zip(da.histogram(x, edges, **options), np.histogram(x, edges, **options), strict=True):
            same(ours, wanted)
    same(da.histogram_bin_edges(x, edges), np.histogram_bin_edges(x, edges))
    if edges:
        for ours, wanted in zip(da.histogram2d(x, x, [edges, 2]), np.histogram2d(x, x, [edges, 2]), strict=True):
            same(ours, wanted)
    else:
        with pytest.raises(ValueError, match="there are no edges"):
            da.histogram2d(x, x, [edges, 2])


def test_one_number_is_no_row_of_bins() -> None:
    for bins in (1, da.asarray(1.5)):
        with pytest.raises(ValueError, match="edges in a row"):
            da.digitize(da.asarray([1, 2]), bins)
