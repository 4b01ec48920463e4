"""Rows that one work-item reduces in vectors give the bits of rows that a group shares, however many there are."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from oracle import skip_without

import devarray as da

pytestmark = pytest.mark.usefixtures("kernels")

LENGTHS = [16, 17, 23, 24, 63, 64, 79, 80, 127, 257, 1037, 33_000]


@pytest.fixture(autouse=True)
def many_rows(device: da.Device) -> Iterator[None]:
    if device.strategy != "cpu":
        pytest.skip("of the strategy of CPUs")
    with np.errstate(all="ignore"):
        yield


def rows_of(dtype: str, length: int) -> np.ndarray:
    rng = np.random.default_rng(length)
    shape = (200 if length < 2000 else 70, length)
    if dtype == "bool":
        return rng.random(shape) < 0.3
    if np.dtype(dtype).kind in "iu":
        return rng.integers(*((0, 200) if dtype[0] == "u" else (-100, 100)), shape).astype(dtype)
    h = rng.standard_normal(shape).astype(dtype)
    h[1, 5], h[2, -1], h[3, -1], h[4], h[5, ::2], h[5, 1::2] = np.nan, np.inf, np.nan, -0.0, 0.0, -0.0
    return h


def check(h: np.ndarray, reduced: Callable[[np.ndarray], np.ndarray], few: int) -> None:
    """Against NumPy, and bit for bit against `few` rows at a time, which groups share."""
    x = da.asarray(h)
    got, want = reduced(x).copy_to_host(), reduced(h)
    assert got.dtype == want.dtype
    shared = np.concatenate([reduced(x[k : k + few]).copy_to_host() for k in range(0, 40, few)])
    np.testing.assert_array_equal(got[:40].view(np.uint8), shared.view(np.uint8))
    if h.dtype.kind == "f":
        eps = np.finfo(h.dtype).eps
        np.testing.assert_allclose(got, want, rtol=64 * eps, atol=h.shape[1] * eps)
    else:
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("op", ["sum", "prod", "min", "max"])
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "uint32", "int64", "uint64", "float32", "float64"])
def test_rows(dtype: str, op: str, length: int, device: da.Device) -> None:
    skip_without(dtype)
    if op == "prod" and dtype[:5] != "float":
        pytest.skip("products of integers are the groups'")
    if dtype == "bool" and op != "sum":
        pytest.skip("of truths there are sums alone")
    h = rows_of(dtype, length)
    if op == "prod":  # near 1: what underflows is 0 by some threads' mode, and NaN beside infinity
        h = np.copysign(np.exp(h / 100), h)
    check(h, lambda x: getattr(x, op)(axis=1), 4 if length < 2000 else 10)


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("op", ["argmin", "argmax"])
@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64"])
def test_first_places(dtype: str, op: str, length: int, device: da.Device) -> None:
    """Of equals and of NaNs the first counts, in whichever lane it lies."""
    skip_without(dtype)
    h = rows_of(dtype, length)
    if h.dtype.kind == "f":
        h[8:] = np.rint(h[8:])
        h[6], h[7], h[8, length // 2], h[8, -1], h[9, length // 3 :] = -np.inf, np.inf, np.nan, np.nan, np.nan
    for row in range(10, 40):
        h[row, [row * 7 % length, -1]] = 127 if op == "argmax" else 0
    x = da.asarray(h)
    for ours, theirs in ((x, h), (x[::-1, 1:], h[::-1, 1:]), (x[:, ::-1], h[:, ::-1]), (x + x, h + h)):
        np.testing.assert_array_equal(getattr(ours, op)(axis=1).copy_to_host(), getattr(theirs, op)(axis=1))
    np.testing.assert_array_equal(getattr(da, op)(x.T, axis=0).copy_to_host(), getattr(np, op)(h.T, axis=0))


EXPRESSIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "of a row and a column": lambda x: ((x - x[:, :1]) * x[0]).sum(1),
    "with numbers": lambda x: (-(x / 3) + 1).max(1),
    "mean": lambda x: x.mean(1),
    "of every second row": lambda x: np.square(x[::-2]).sum(1),
    "over a part of a row": lambda x: (x[:, 1:] * x[:, :-1]).sum(1),
    "of columns side by side": lambda x: x.T.sum(0),
    "backwards": lambda x: (x[:, ::-1] * 2).sum(1),
    "of three dimensions": lambda x: x.reshape(2, -1, x.shape[1]).min(2).reshape(-1),
}


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("name", EXPRESSIONS)
def test_expressions(name: str, length: int) -> None:
    h = rows_of("float32", length)
    x, f = da.asarray(h), EXPRESSIONS[name]
    got, want = f(x).copy_to_host(), f(h)
    eps = np.finfo("f4").eps
    np.testing.assert_allclose(got, want, rtol=1024 * eps, atol=length * 8 * eps)


@pytest.mark.usefixtures("deferred")
@pytest.mark.parametrize("name", ["of a row and a column", "mean", "over a part of a row"])
def test_expressions_have_the_bits_of_values_that_were_stored(name: str) -> None:
    x = da.asarray(rows_of("float64", 300))
    parts = {
        "of a row and a column": (x - x[:, :1]) * x[0],
        "mean": x + 0,
        "over a part of a row": x[:, 1:] * x[:, :-1],
    }
    fused = parts[name].sum(1).copy_to_host()
    stored = parts[name].copy()
    stored.evaluate()
    np.testing.assert_array_equal(fused.view(np.uint8), stored.sum(1).copy_to_host().view(np.uint8))
