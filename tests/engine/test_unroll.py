"""Sums along short axes of values that repeat their operands, such as the differences of all pairs of points."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracle import close, same

import devarray as da

pytestmark = pytest.mark.usefixtures("device")

RNG = np.random.default_rng(3)
P = RNG.standard_normal((40, 3)).astype(np.float32)
Q = RNG.standard_normal((50, 3)).astype(np.float32)


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("kind", ["sum", "prod", "mean"])
def test_pairs_of_points(kind: str, keepdims: bool) -> None:
    def pairs(xp: Any, p: Any, q: Any) -> Any:
        d = p[:, None, :] - q[None, :, :]
        return getattr(xp, kind)(d * d, axis=-1, keepdims=keepdims) + 1

    close(pairs(da, da.asarray(P), da.asarray(Q)), pairs(np, P, Q), 4)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int32", "float16", "float64", "complex64"])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_dtypes_and_axes(dtype: str, axis: int) -> None:
    a = RNG.integers(0, 2 if dtype == "bool" else 4, (4, 1, 4)).astype(dtype)
    b = RNG.integers(0, 2 if dtype == "bool" else 4, (1, 100, 1)).astype(dtype)
    for function, host in ((da.sum, np.sum), (da.prod, np.prod)):
        made = function(da.asarray(a) * da.asarray(b), axis=axis)
        wanted = host(a * b, axis=axis)
        assert made.dtype == wanted.dtype
        same(made, wanted)  # small whole numbers: no rounding
    if dtype != "complex64":
        same(
            da.sum(da.asarray(a) * da.asarray(b), axis=axis, dtype="float32"), np.sum(a * b, axis=axis, dtype="float32")
        )


@pytest.mark.parametrize("kind", ["sum", "prod", "mean"])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64"])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 8, 9])  # beyond 8 they are not unrolled
def test_bits_are_those_of_the_stored_value(kind: str, axis: int, dtype: str, n: int) -> None:
    a = RNG.standard_normal((n, 30)).astype(dtype)
    a[:, :4] = -0.0
    b = RNG.standard_normal((60, 1, 1)).astype(dtype)
    short = 1 if axis else 2
    x, y = (da.asarray(a) if axis else da.asarray(a.T.copy())), da.asarray(b)
    stored = getattr(da, kind)((x * y).evaluate(), axis=short)
    same(getattr(da, kind)(x * y, axis=short), stored.copy_to_host())


def test_views_flips_and_lone_axes() -> None:
    p, q = da.asarray(P), da.asarray(Q)
    for hp, hq, dp, dq in (
        (P[::-2, ::-1], Q[3:, ::-1], p[::-2, ::-1], q[3:, ::-1]),
        (P[:, 1:], Q[:, :2], p[:, 1:], q[:, :2]),
    ):
        close(da.sum(abs(dp[:, None] - dq), axis=2), np.sum(abs(hp[:, None] - hq), axis=2), 4)
    weights = np.float32([1, 2, 4])
    close(da.sum((p[:, None, :] - q) * da.asarray(weights), -1), np.sum((P[:, None, :] - Q) * weights, -1), 8)


def test_the_points_may_change_afterwards() -> None:
    p, q = da.asarray(P.copy()), da.asarray(Q)
    d = p[:, None, :] - q
    r = (d * d).sum(-1)
    h = P[:, None, :] - Q
    p[...] = 0
    p += 1
    close(r, (h * h).sum(-1), 4)
    same(d, h)


def test_an_assignment_over_what_a_kept_difference_reads() -> None:
    p, q = da.asarray(P.copy()), da.asarray(Q)
    d = p[:, None, :] - q
    total = d.sum(1)
    p += total * 0 + 1
    same(d, P[:, None, :] - Q)
    same(p, P + 1)


@pytest.mark.usefixtures("deferred")
def test_n_body_stores_no_value_for_each_pair_and_axis() -> None:
    def step(xp: Any, x: Any) -> Any:
        d = x[None, :, :] - x[:, None, :]
        r = xp.sqrt((d * d).sum(-1) + 0.5)
        return (d * (1 / (r * r * r))[:, :, None]).sum(1)

    x = da.asarray(P)
    da.synchronize()
    before = da.stats()
    made = step(da, x).evaluate()
    after = da.stats()
    assert after["bytes_moved"] - before["bytes_moved"] < 4 * 40 * 40 * 4
    np.testing.assert_allclose(made.copy_to_host(), step(np, P), rtol=1e-5, atol=1e-5)


@pytest.mark.usefixtures("deferred", "kernels")
@pytest.mark.parametrize("columns", [2, 3, 4])
def test_weights_of_pairs_that_columns_share_are_never_stored(device: da.Device, columns: int) -> None:
    """Though an array holds them: a work-item of a GPU computes them once for all columns."""
    if device.strategy != "gpu":
        pytest.skip("of the strategy of GPUs")

    def step(xp: Any, x: Any) -> tuple[Any, Any]:
        d = x[None, :, :] - x[:, None, :]
        weights = 1 / xp.sqrt((d * d).sum(-1) + 0.5)
        return (d * weights[:, :, None]).sum(1), weights

    host = RNG.standard_normal((90, columns)).astype(np.float32)
    x = da.asarray(host)
    da.synchronize()
    before = da.stats()
    made, weights = step(da, x)
    made.evaluate()
    after = da.stats()
    assert after["launches"] - before["launches"] == 1
    assert after["bytes_moved"] - before["bytes_moved"] < 90 * 90 * 4
    want, want_weights = step(np, host)
    np.testing.assert_allclose(made.copy_to_host(), want, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(weights.copy_to_host(), want_weights, rtol=1e-6)
    x += 1  # what the weights are computed from, had they been left
    np.testing.assert_allclose(weights.copy_to_host(), want_weights, rtol=1e-6)


@pytest.mark.usefixtures("deferred", "kernels")
def test_no_value_is_stored_for_each_pair_and_eight_axes() -> None:
    x = da.asarray(RNG.standard_normal((200, 8)).astype(np.float32))
    da.synchronize()
    before = da.stats()
    nearest = ((x[:, None, :] - x[None, :16, :]) ** 2).sum(-1).min(1).evaluate()
    after = da.stats()
    assert after["launches"] - before["launches"] == 1
    h = x.copy_to_host()
    close(nearest, ((h[:, None, :] - h[None, :16, :]) ** 2).sum(-1).min(1), 8)
