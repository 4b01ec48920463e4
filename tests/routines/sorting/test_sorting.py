"""sort and argsort against NumPy: dtypes, axes, layouts, zeros of both signs, NaN, both directions."""

from __future__ import annotations

import numpy as np
import pytest
from oracle import DTYPES, FLOATS, host, moderate, same, skip_without, values

import devarray as da

pytestmark = pytest.mark.usefixtures("device")


def order_of(a: np.ndarray, axis: int = -1, descending: bool = False) -> np.ndarray:
    """NumPy's stable order; descending, equals keep theirs."""
    if not descending:
        return np.argsort(a, axis, stable=True)
    return a.shape[axis] - 1 - np.flip(np.argsort(np.flip(a, axis), axis, stable=True), axis)


def check(x: da.Array, a: np.ndarray, axis: int = -1, descending: bool = False) -> None:
    order = order_of(a, axis, descending)
    same(da.argsort(x, axis=axis, descending=descending), order)
    same(da.sort(x, axis=axis, descending=descending), np.take_along_axis(a, order, axis))


@pytest.mark.parametrize("shape", [(40,), (3, 700), (2, 9000)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype(dtype: str, shape: tuple[int, ...]) -> None:
    skip_without(dtype)
    a = values(dtype, shape)
    check(da.asarray(a), a)


@pytest.mark.parametrize("n", [1, 2, 64, 65, 4096, 4097, 100_003])
def test_every_length(n: int) -> None:
    a = np.random.default_rng(n).integers(-99, 99, n).astype(np.int16)
    check(da.asarray(a), a)


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("axis", [0, 1, 2, -2])
def test_axes_of_strided_views(axis: int, descending: bool) -> None:
    a = np.random.default_rng(0).integers(0, 50, (12, 300, 14)).astype(np.float32)
    check(da.asarray(a)[::-2, :, 1::3], a[::-2, :, 1::3], axis, descending)
    check(da.asarray(a).T, a.T, axis, descending)
    check(da.broadcast_to(da.asarray(a[:1]), (3, 300, 14)), np.broadcast_to(a[:1], (3, 300, 14)), axis, descending)


@pytest.mark.parametrize("dtype", DTYPES)
def test_descending_keeps_equals_in_order(dtype: str) -> None:
    skip_without(dtype)
    a = np.round(moderate(dtype, 6000))
    check(da.asarray(a), a, descending=True)
    check(da.asarray(a[:50]), a[:50], descending=True)


@pytest.mark.parametrize("n", [50, 500, 20_000])
@pytest.mark.parametrize("dtype", FLOATS)
def test_zeros_of_both_signs_are_equal(dtype: str, n: int) -> None:
    skip_without(dtype)
    a = np.random.default_rng(n).choice([0.0, -0.0, 1.0, -1.0, np.nan, -np.nan], n).astype(dtype)
    check(da.asarray(a), a)
    zeros = np.where(np.isnan(a), 0, a)
    check(da.asarray(zeros), zeros, descending=True)


def test_nan_comes_last_in_either_part_of_complex_numbers() -> None:
    parts = [-np.inf, -1.0, -0.0, 0.0, 2.0, np.inf, np.nan]
    a = np.array([complex(re, im) for re in parts for im in parts] * 3, np.complex64)
    check(da.asarray(a), a)


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 0, 4)])
def test_nothing_to_sort(shape: tuple[int, ...]) -> None:
    for axis in range(len(shape)):
        check(da.zeros(shape), np.zeros(shape), axis)


def test_the_input_stays_and_may_be_pending() -> None:
    a = np.random.default_rng(0).standard_normal(5000).astype(np.float32)
    x = da.asarray(a)
    same(da.sort(x * 2 + 1), np.sort(a * np.float32(2) + np.float32(1)))
    same(x, a)


def test_wrong_axes_are_refused() -> None:
    with pytest.raises(da.ShapeError, match="dimension 0"):
        da.sort(da.asarray(1.0))
    with pytest.raises(da.AxisError):
        da.argsort(da.zeros((2, 3)), axis=2)


def test_methods_sort_in_either_order() -> None:
    h = np.array([3.0, 1.0, 2.0, 1.0])
    x = da.asarray(h)
    same(x.argsort(descending=True), np.array([0, 2, 1, 3]))
    x.sort(descending=True)
    same(x, np.array([3.0, 2.0, 1.0, 1.0]))
    x.sort(descending=None)
    same(x, np.sort(h))


@pytest.mark.parametrize("dtype", DTYPES)
def test_sort_and_argsort(dtype: str) -> None:
    skip_without(dtype)
    x = values(dtype, (5, 40), 2) if dtype[0] != "c" else moderate(dtype, (5, 40), 2)
    for axis in (-1, 0):
        same(da.sort(da.asarray(x), axis=axis), np.sort(x, axis=axis, kind="stable"))
        same(da.argsort(da.asarray(x), axis=axis), np.argsort(x, axis=axis, kind="stable"))


@pytest.mark.parametrize("n", [0, 1, 2, 1000, 5000])
def test_sort_lengths_and_views(n: int) -> None:
    x = values("int32", 2 * n, 3)
    same(da.sort(da.asarray(x)[::-2]), np.sort(x[::-2]))
    same(da.sort(da.asarray(x) % 7), np.sort(x % 7))
    same(da.argsort(da.asarray(x) % 7), np.argsort(x % 7, kind="stable"))


def test_descending_keeps_the_order_of_equals() -> None:
    x = moderate("int8", 300, 1)
    ours = host(da.argsort(da.asarray(x), descending=True))
    same(x[ours], np.sort(x)[::-1])
    assert all(ours[i] < ours[i + 1] for i in range(299) if x[ours[i]] == x[ours[i + 1]])
    same(da.sort(da.asarray(x), descending=True), np.sort(x)[::-1])
