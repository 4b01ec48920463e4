"""Searching, sets, cumulative functions and differences against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from oracle import DTYPES, moderate, on_both, same, skip_without, values

import devarray as da

pytestmark = pytest.mark.usefixtures("device")
REAL = DTYPES[:12]


@pytest.mark.parametrize("dtype", DTYPES)
def test_nonzero(dtype: str) -> None:
    skip_without(dtype)
    a = values(dtype, (7, 5, 3))
    for ours, wanted in zip(da.nonzero(da.asarray(a)[::-1, ::2]), np.nonzero(a[::-1, ::2]), strict=True):
        same(ours, wanted)
    same(da.argwhere(da.asarray(a)), np.argwhere(a))
    same(da.flatnonzero(da.asarray(a).T), np.flatnonzero(a.T))


@pytest.mark.parametrize("n", [1, 255, 4097, 300_000])
def test_nonzero_of_many(n: int) -> None:
    a = np.random.default_rng(n).random(n) < 0.3
    (ours,) = da.nonzero(da.asarray(a))
    same(ours, np.nonzero(a)[0])
    (none,) = da.nonzero(da.zeros(n, bool))
    assert none.shape == (0,)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_along_an_axis(axis: int) -> None:
    a = np.random.default_rng(0).random((4, 5, 6), dtype=np.float32)
    order = np.argsort(a, axis)
    same(da.take_along_axis(da.asarray(a), da.asarray(order), axis=axis), np.take_along_axis(a, order, axis))
    few = np.take(order, [0, 2], axis)
    x = da.asarray(a)
    same(da.take_along_axis(x, da.asarray(few - a.shape[axis]), axis=axis), np.take_along_axis(a, few, axis))
    da.put_along_axis(x, da.asarray(few), 5, axis)
    np.put_along_axis(a, few, 5, axis)
    same(x, a)


def test_along_an_axis_broadcasts() -> None:
    a, where = np.arange(12.0).reshape(3, 4), np.array([[2, 0]])
    same(da.take_along_axis(da.asarray(a), da.asarray(where), axis=1), np.take_along_axis(a, where, 1))
    same(da.take_along_axis(da.asarray(a[:1]), da.asarray(where.T), axis=1), np.take_along_axis(a[:1], where.T, 1))


@pytest.mark.parametrize("shape", [(2,), (5,), (1, 1, 2), ()])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_indices_of_other_dimensions_are_refused(shape: tuple[int, ...], axis: int) -> None:
    x, indices = da.asarray(np.arange(6.0).reshape(2, 3)), da.zeros(shape, dtype=da.int64)
    wanted = f"the array has 2 dimensions and the indices {len(shape)}"
    with pytest.raises(da.ShapeError, match=f"take_along_axis: {wanted}"):
        da.take_along_axis(x, indices, axis)
    with pytest.raises(da.ShapeError, match=f"put_along_axis: {wanted}"):
        da.put_along_axis(x, indices, 0.0, axis)
    same(x, np.arange(6.0).reshape(2, 3))


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("side", ["left", "right"])
def test_searchsorted(dtype: str, side: str) -> None:
    skip_without(dtype)
    a, b = np.sort(values(dtype, 80)), values(dtype, (9, 11), seed=1)
    same(da.searchsorted(da.asarray(a), da.asarray(b), side=side), np.searchsorted(a, b, side))
    same(da.searchsorted(da.asarray(a)[::3], da.asarray(b).T, side=side), np.searchsorted(a[::3], b.T, side))


def test_searchsorted_with_scalars_sorter_and_empty_arrays() -> None:
    a = np.array([5.0, 1.0, 3.0])
    order = np.argsort(a)
    x = da.asarray(a)
    same(da.searchsorted(x, 3, sorter=da.asarray(order), side="right"), np.array(np.searchsorted(a, 3, "right", order)))
    assert da.searchsorted(da.sort(x), 2.5).item() == 1
    same(da.searchsorted(da.zeros(0), x), np.zeros(3, np.int64))
    assert da.searchsorted(x, da.zeros((0, 2))).shape == (0, 2)
    with pytest.raises(ValueError, match="middle"):
        da.searchsorted(x, x, side="middle")


@pytest.mark.parametrize("dtype", DTYPES)
def test_unique(dtype: str) -> None:
    skip_without(dtype)
    a = np.concatenate([values(dtype, 60), values(dtype, 60)[::-1], moderate(dtype, 30).round()]).reshape(10, 15)
    x = da.asarray(a)
    for equal_nan in (True, False):
        wanted = np.unique(a, True, True, True, equal_nan=equal_nan)
        ours = da.unique(x, True, True, True, equal_nan=equal_nan)
        if not equal_nan or not np.isnan(a).any():
            for got, want in zip(da.unique_all(x), wanted, strict=True):
                check_unique(got, want)
            check_unique(da.unique_values(x), wanted[0])
            check_unique(da.unique_counts(x).counts, wanted[3])
            check_unique(da.unique_inverse(x).inverse_indices, wanted[2])
        for got, want in zip(ours, wanted, strict=True):
            check_unique(got, want)


def check_unique(ours: da.Array, wanted: np.ndarray) -> None:
    got = ours.copy_to_host()
    assert got.dtype == wanted.dtype
    np.testing.assert_array_equal(got, wanted)


@given(st.data())
def test_isin(data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from(["int8", "uint16", "int64", "float32", "bool", "complex64"]))
    elements = st.integers(0, 1) if dtype == "bool" else st.integers(0, 9)
    a = data.draw(hnp.arrays("i8", hnp.array_shapes(min_dims=0, max_dims=2, min_side=0), elements=elements)).astype(
        dtype
    )
    b = data.draw(hnp.arrays("i8", hnp.array_shapes(min_dims=0, max_dims=2, min_side=0), elements=elements)).astype(
        dtype
    )
    invert = data.draw(st.booleans())
    same(da.isin(da.asarray(a), da.asarray(b), invert=invert), np.asarray(np.isin(a, b, invert=invert)))


def test_isin_with_scalars_nan_and_mixed_signs() -> None:
    x = da.asarray(np.array([1.0, np.nan, -0.0]))
    same(da.isin(x, 0), np.array([False, False, True]))
    same(da.isin(2, da.asarray(np.array([1, 2]))), np.array(True))
    same(da.isin(x, x), np.array([True, False, True]))
    signed, unsigned = np.array([-1, 2**62 + 1]), np.array([2**64 - 1, 2**62 + 1, 5], np.uint64)
    same(da.isin(da.asarray(signed), da.asarray(unsigned)), np.array([False, True]))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["sum", "prod"])
def test_cumulative(dtype: str, name: str) -> None:
    skip_without(dtype)
    a = moderate(dtype, (6, 7)).round()
    a[a == 0] = 1
    x = da.asarray(a)
    theirs = getattr(np, f"cum{name}")
    for axis in (0, -1):
        wanted = theirs(a, axis=axis)
        near(getattr(da, f"cumulative_{name}")(x, axis=axis), wanted)
        near(getattr(da, f"cum{name}")(x, axis), wanted)
        initial = getattr(da, f"cumulative_{name}")(x[::-1, ::2], axis=axis, include_initial=True)
        near(initial, getattr(np, f"cumulative_{name}")(a[::-1, ::2], axis=axis, include_initial=True))
    near(getattr(da, f"cum{name}")(x[:1]), theirs(a[:1]))


def near(ours: da.Array, wanted: np.ndarray) -> None:
    got = ours.copy_to_host()
    assert got.dtype == wanted.dtype
    assert got.shape == wanted.shape
    if wanted.dtype.kind in "fc":
        eps = np.finfo(wanted.dtype).eps
        np.testing.assert_allclose(got, wanted, rtol=50 * eps, atol=50 * eps)
    else:
        np.testing.assert_array_equal(got, wanted)


def test_cumulative_of_many_and_of_none() -> None:
    a = np.random.default_rng(0).integers(-9, 9, 200_001)
    same(da.cumsum(da.asarray(a)), np.cumsum(a))
    same(da.cumulative_sum(da.zeros((0, 3)), axis=0, include_initial=True), np.zeros((1, 3)))
    same(da.cumulative_sum(da.asarray(a), dtype="float32")[:3], np.cumsum(a, dtype=np.float32)[:3])
    with pytest.raises(ValueError, match="axis"):
        da.cumulative_sum(da.zeros((2, 2)))


@pytest.mark.parametrize("dtype", ["bool", "int16", "uint8", "float32", "complex64"])
@pytest.mark.parametrize(("n", "axis"), [(0, 0), (1, -1), (2, 0), (9, 1)])
def test_diff(dtype: str, n: int, axis: int) -> None:
    a = moderate(dtype, (5, 6))
    ours, wanted = on_both(lambda xp, x: xp.diff(x, n=n, axis=axis), a)
    same(ours, wanted)
    ours, wanted = on_both(lambda xp, x: xp.diff(x, n=1, axis=axis, prepend=x, append=x), a)
    same(ours, wanted)
