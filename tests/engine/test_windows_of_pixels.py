"""Reductions of small windows between other axes: pooling, down-sampling, blocks of cells."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracle import same

import devarray as da

pytestmark = pytest.mark.usefixtures("device", "deferred", "kernels")

RNG = np.random.default_rng(41)
X = RNG.standard_normal((4, 256, 520)).astype(np.float32)
KINDS = ["max", "min", "sum", "prod", "mean"]


def windows(xp: Any, x: Any, kind: str, keepdims: bool = False) -> Any:
    n, h, w = x.shape
    return getattr(xp, kind)(x.reshape(n, h // 2, 2, w // 2, 2), axis=(2, 4), keepdims=keepdims)


def eager(x: Any, kind: str) -> Any:
    """By the kernel of reductions."""
    da.config.deferred = False
    try:
        return windows(da, x, kind)
    finally:
        da.config.deferred = True


def bits(a: Any) -> np.ndarray:
    host = np.asarray(a.copy_to_host())
    return host.view(f"u{host.itemsize}") if host.dtype.kind == "f" else host


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int16", "uint8", "int64"])
def test_values(kind: str, dtype: str) -> None:
    host = (X * 3).astype(dtype) if dtype[0] != "u" else (np.abs(X) * 3).astype(dtype)
    x = da.asarray(host)
    result, wanted = windows(da, x, kind), windows(np, host, kind)
    if kind in ("max", "min") or dtype[0] != "f":
        same(result, wanted)
    else:
        assert result.dtype == wanted.dtype
        np.testing.assert_allclose(result.copy_to_host(), wanted, rtol=1e-5, atol=1e-6)
    assert (bits(eager(x, kind)) == bits(result)).all()


@pytest.mark.parametrize("kind", ["max", "min", "sum"])
def test_nan_infinities_and_zeros(kind: str) -> None:
    host = X.copy()
    host[0, ::3, ::5] = np.nan
    host[1, ::2, ::2] = np.inf
    host[2] = -0.0
    host[3, :, ::2] = 0.0
    host[3, :, 1::2] = -0.0
    x = da.asarray(host)
    result = windows(da, x, kind)
    np.testing.assert_allclose(result.copy_to_host(), windows(np, host, kind), rtol=1e-5, atol=1e-6)
    same(abs(result), abs(eager(x, kind)).copy_to_host())  # which zero is the extreme of both is not said


def test_of_what_is_pending_with_axes_kept_and_in_other_orders() -> None:
    for host in (X, np.asfortranarray(X), X[::-1, :, ::-1]):
        x = da.asarray(host)
        same(windows(da, abs(x) * 2, "max", True), windows(np, abs(host) * 2, "max", True))
        same(
            x[:, :, :512].reshape(4, 64, 4, 128, 4).min((2, 4)), host[:, :, :512].reshape(4, 64, 4, 128, 4).min((2, 4))
        )
        same(x.reshape(2, 2, 256, 260, 2).max((0, 4)), host.reshape(2, 2, 256, 260, 2).max((0, 4)))


def test_they_are_part_of_what_follows(gpu_strategy: None) -> None:
    x = da.asarray(X).evaluate()
    before = da.stats()
    result = (windows(da, x, "max") + 1).evaluate()
    after = da.stats()
    same(result, windows(np, X, "max") + 1)
    assert after["launches"] - before["launches"] == 1
    x[...] = 0
    same(result, windows(np, X, "max") + 1)


def test_writes_in_between() -> None:
    x = da.asarray(X).copy()
    result = windows(da, x, "max")
    x[...] = 0
    same(result, windows(np, X, "max"))
