"""Reductions along axes of a few elements. CPUs write them out, as operations on slices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracle import close, same, skip_without, values

import devarray as da

pytestmark = pytest.mark.usefixtures("device", "deferred", "kernels")

RNG = np.random.default_rng(6)
SHAPES = [((5000, 3), 1), ((5000, 2), -1), ((4, 5000), 0), ((8, 4200), 0), ((70, 3, 100), 1), ((30, 6, 200), 1)]
KINDS = ["sum", "prod", "min", "max", "mean", "any", "std", "argmax"]


def eager(x: da.Array, kind: str, axis: int) -> np.ndarray:
    """By the kernel of reductions."""
    da.config.deferred = False
    try:
        return getattr(x, kind)(axis).copy_to_host()
    finally:
        da.config.deferred = True


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float16", "float32", "float64", "complex64"])
@pytest.mark.parametrize(("shape", "axis"), SHAPES, ids=str)
def test_values_and_bits(shape: tuple[int, ...], axis: int, dtype: str, kind: str) -> None:
    skip_without(dtype)
    if dtype == "complex64" and kind in ("min", "max", "argmax"):
        pytest.skip("of numbers in order")
    if dtype[0] in "fc":
        host = RNG.standard_normal(shape).astype(dtype)
        host.flat[::37], host.flat[5], host.flat[50:60] = -0.0, np.inf, np.nan
    else:
        host = values(dtype, shape, 7)
    with np.errstate(all="ignore"):
        wanted = np.asarray(getattr(host, kind)(axis))
    x = da.asarray(host)
    made = getattr(x, kind)(axis)
    if dtype[0] in "fc" and kind not in ("any", "min", "max", "argmax"):
        assert made.dtype == wanted.dtype
        eps = float(np.finfo(dtype).eps)  # of the largest of the numbers that cancel each other
        np.testing.assert_allclose(made.copy_to_host(), wanted, rtol=16 * eps, atol=64 * eps)
    else:
        same(made, wanted)
    assert made.copy_to_host().tobytes() == eager(x, kind, axis).tobytes()


def test_they_are_part_of_what_follows() -> None:
    host = RNG.standard_normal((6000, 3)).astype("f4")
    x = da.asarray(host).evaluate()
    if x.device.strategy != "cpu":
        pytest.skip("rows of GPUs have kernels of their own")

    def lengths(xp: Any, x: Any) -> Any:
        return xp.sqrt((x * x).sum(1)) + x.max(-1) - x.mean(1)

    before = da.stats()
    made = lengths(da, x).evaluate()
    after = da.stats()
    runs = sum(after[name] - before[name] for name in ("launches", "host_runs"))
    assert runs == 1
    close(made, lengths(np, host), 8)


def test_axes_kept_and_views() -> None:
    host = RNG.standard_normal((4500, 4))
    x = da.asarray(host)
    for view in (np.s_[:], np.s_[::-1, ::-1], np.s_[:, 1:], np.s_[:, ::2], np.s_[:, :1]):
        same(x[view].max(1, keepdims=True), host[view].max(1, keepdims=True))
        close(x[view] / x[view].sum(1)[:, None], host[view] / host[view].sum(1)[:, None], 32)
    turned, here = x.T.copy().T, host.T.copy().T
    same(turned.min(1), here.min(1))
    close(da.sum(x, 1, dtype="f4"), host.astype("f4").sum(1), 16)
    close(x.sum(1, where=x > 0), host.sum(1, where=host > 0), 16)
    same(x.max(1, initial=1.0), host.max(1, initial=1.0))


def test_a_write_in_between() -> None:
    host = RNG.standard_normal((5000, 3)).astype("f4")
    x = da.asarray(host).copy()
    made = x.max(1)
    x[...] = 0
    same(made, host.max(1))
