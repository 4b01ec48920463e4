"""Short rows, each of which one work-item of a GPU has whole: what is computed from their reductions, and sums over the
rows of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import same
from test_rows import BODIES, Body, grow, host_of, launches, near, share, waiting

import devarray as da

pytestmark = pytest.mark.usefixtures("deferred", "kernels", "waiting")

__all__ = ["waiting"]

Program = Callable[..., Any]
ROWS = 700


def weights(x: Any) -> Any:
    """Of the columns, by NumPy alone."""
    return np.linspace(-1, 1, x.shape[-1]).astype("float32")


def gram(xp: Any, x: Any) -> Any:
    return x.T @ (x @ xp.asarray(weights(x), dtype=x.dtype))


def gradient(xp: Any, x: Any) -> Any:
    error = 1 / (1 + xp.exp(-(x @ xp.asarray(weights(x), dtype=x.dtype)))) - x[:, 0]
    return x.T @ error / x.shape[0]


def spread_of_columns(xp: Any, x: Any) -> Any:
    return ((x - x.mean(-1, keepdims=True)) ** 2).sum(0)


def shares_of_classes(xp: Any, x: Any) -> Any:
    e = xp.exp(x - x.max(1, keepdims=True))
    return (e / e.sum(1)[:, None]).mean(0)


def of_unit_length(xp: Any, x: Any) -> Any:
    return x / xp.sqrt((x * x).sum(1))[:, None]


def top_of_columns(xp: Any, x: Any) -> Any:
    return (x / (1 + abs(x).sum(-1, keepdims=True))).max(0)


OVER_ROWS = [gram, gradient, spread_of_columns, shares_of_classes, top_of_columns]
OF_ROWS = [of_unit_length, *(body for body in BODIES if body is not share)]  # which divides by counts that are 0


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("columns", [2, 3, 4, 5, 8, 12, 16, 17, 32])
@pytest.mark.parametrize("body", [*OVER_ROWS, *OF_ROWS])
def test_results(device: da.Device, body: Body, columns: int, dtype: str) -> None:
    if dtype == "float64" and not device.caps["fp64"]:
        pytest.skip("no float64")
    host = host_of((ROWS, columns), dtype)
    near(body(da, da.asarray(host)), body, host)


@pytest.mark.parametrize("columns", [3, 10, 16])
@pytest.mark.parametrize("body", [*OVER_ROWS, of_unit_length])
def test_one_launch(device: da.Device, body: Body, columns: int) -> None:
    x = da.asarray(host_of((ROWS, columns))).evaluate()
    body(da, x).evaluate()
    quotients = 1 if body is gradient else 0  # of its result
    counts = [launches(lambda: body(da, x).evaluate()) for _ in range(3)]
    assert min(counts) == 1 + quotients  # what else was left to be done may come in between


def test_a_vector_on_the_left(device: da.Device) -> None:
    host = host_of((ROWS, 6))
    x = da.asarray(host).evaluate()
    ours = da.tanh(x @ da.asarray(weights(x))) @ x
    wanted = np.tanh(host.astype("float64") @ weights(x)) @ host
    np.testing.assert_allclose(ours.copy_to_host(), wanted, rtol=1e-4, atol=1e-3)
    both = (x[:1] @ x[0]).copy_to_host(), (x[0] @ x[:1].T).copy_to_host(), (x[:1] @ x[:1].T).copy_to_host()
    for part, shape in zip(both, ((1,), (1,), (1, 1)), strict=True):
        assert part.shape == shape
        np.testing.assert_allclose(part.ravel(), host[0] @ host[0], rtol=1e-5)


def test_what_arrays_hold_is_stored_beside_it(device: da.Device) -> None:
    host = host_of((ROWS, 16))
    x = da.asarray(host).evaluate()
    projected = x @ x[3]
    squashed = da.tanh(projected)
    total = x.T @ squashed
    assert launches(total.evaluate) == 0  # sums over rows are launched when they are recorded
    wanted = host.astype("float64") @ host[3]
    assert launches(lambda: (projected.evaluate(), squashed.evaluate())) == 0
    np.testing.assert_allclose(projected.copy_to_host(), wanted, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(squashed.copy_to_host(), np.tanh(wanted), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(total.copy_to_host(), host.T @ np.tanh(wanted), rtol=1e-3, atol=1e-3)


def test_a_temporary_factor_is_not_stored(device: da.Device) -> None:
    x = da.asarray(host_of((ROWS, 16))).evaluate()
    before = da.stats()["bytes_moved"]
    (x.T @ (x @ x[3])).evaluate()
    moved = da.stats()["bytes_moved"] - before
    assert moved < x.nbytes + 4 * ROWS


def test_a_write_comes_after_what_waits(device: da.Device) -> None:
    host = host_of((ROWS, 10))
    x = da.asarray(host.copy()).evaluate()
    lengths = da.sqrt((x * x).sum(1))
    top = x.max(1)
    x[:] = 0
    np.testing.assert_allclose(lengths.copy_to_host(), np.sqrt((host * host).sum(1)), rtol=1e-6)
    same(top, host.max(1))


@pytest.mark.parametrize("columns", [5, 16])
def test_rows_apart_in_memory(device: da.Device, columns: int) -> None:
    """Rows of a wider table, from an odd place on; several kept axes; every second row."""
    host = host_of((40, 30, 40))
    x = da.asarray(host)
    for part in (np.s_[..., 3 : 3 + columns], np.s_[::2, 1:, :columns], np.s_[0, ::3, 1 : 1 + columns]):
        ours, theirs = x[part], host[part]
        same(ours - ours.max(-1, keepdims=True), theirs - theirs.max(-1, keepdims=True))
        near(ours / abs(ours).sum(-1)[..., None], lambda _, a: a / abs(a).sum(-1)[..., None], theirs)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "complex64"])
@pytest.mark.parametrize("rows", [0, 1, 3, 64, 257, 1024, 2305])
def test_sixteen_columns(device: da.Device, rows: int, dtype: str) -> None:
    """Whole blocks of rows, what is left behind them, and rows that lie apart, the other way round, or unaligned."""
    if dtype == "float64" and not device.caps["fp64"]:
        pytest.skip("no float64")
    host = host_of((2 * rows, 40), "float32").astype(dtype)
    host += 1j * host_of((2 * rows, 40), "float32", 1) if dtype == "complex64" else 0
    x = da.asarray(host)
    weight = (np.linspace(-1, 1, 16) / 16).astype(dtype)  # complex sums stay away from tanh's poles
    for part in (np.s_[:rows, :16], np.s_[::2, 3:19], np.s_[rows - 1 :: -1, 8:24] if rows else np.s_[:0, :16]):
        ours, theirs = x[part], host[part].astype("complex128" if dtype == "complex64" else "float64")
        factor, wanted = da.tanh(ours @ da.asarray(weight)), np.tanh(theirs @ weight.astype(theirs.dtype))
        total, spread = ours.T @ factor, (ours * factor[:, None] + factor[:, None]).sum(0)
        bound = 64 * np.finfo(dtype).eps * max(rows, 1)
        for got, exact in ((total, theirs.T @ wanted), (spread, (theirs * wanted[:, None] + wanted[:, None]).sum(0))):
            assert got.dtype == dtype
            np.testing.assert_allclose(got.copy_to_host().astype(exact.dtype), exact, rtol=0, atol=bound)
        np.testing.assert_allclose(factor.copy_to_host(), wanted, rtol=0, atol=64 * np.finfo(dtype).eps)


def test_integers_and_truths(device: da.Device) -> None:
    host = np.random.default_rng(2).integers(-9, 9, (ROWS, 7)).astype("int16")
    x = da.asarray(host)
    same(x * 2 - x.sum(1, keepdims=True), host * 2 - host.sum(1, keepdims=True))
    same((x - x.min(1, keepdims=True)).sum(0), (host - host.min(1, keepdims=True)).sum(0))
    same(x.any(1, keepdims=True) ^ (x > 0), host.any(1, keepdims=True) ^ (host > 0))
    same((x == x.max(1)[:, None]).sum(0), (host == host.max(1)[:, None]).sum(0))
    same((x > x.mean(1)[:, None]).any(0), (host > host.mean(1)[:, None]).any(0))


@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.tuples(st.integers(0, 13), st.integers(0, 50), st.integers(0, 50), st.booleans()), max_size=8),
    st.sampled_from([2, 5, 8, 12, 16]),
    st.integers(0, 2**16),
    st.sampled_from(["sum", "max", "mean"]),
)
def test_random_programs(
    device: da.Device, steps: list[tuple[int, int, int, bool]], columns: int, held: int, over: str
) -> None:
    host = host_of((ROWS, columns), seed=columns)
    values, wanted = grow(da, da.asarray(host), steps), grow(np, host.astype("float64"), steps)
    some = {k: values[k] for k in range(len(values)) if held >> k & 1}
    result = getattr(values[-1], over)(0)
    del values
    np.testing.assert_allclose(result.copy_to_host(), getattr(wanted[-1], over)(0), rtol=1e-3, atol=2e-2)
    for k, value in some.items():
        np.testing.assert_allclose(value.copy_to_host(), wanted[k], rtol=1e-3, atol=1e-2)
