"""Operations that a program repeats on the same values are computed once, by the strategy of CPUs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import devarray as da
from devarray.testing import assert_array_equal

pytestmark = pytest.mark.usefixtures("deferred")


def polynomials(x: Any, depths: tuple[float, ...], degree: int = 8) -> Any:
    """A sum over depths of the same polynomial, scaled: `degree` products and sums each time."""
    total = x * 0.0
    for depth in depths:
        y = x * 0.25 + 1.5
        for k in range(degree):
            y = y * x + (0.5 + k)
        total = total + y * depth
    return total


def operations(y: da.Array) -> int:
    return sum(len(kernel.operations) for kernel in da.explain(y).kernels)


def cpu() -> bool:
    return da.device().strategy == "cpu"


def test_repeated_operations_are_one() -> None:
    host = np.random.default_rng(3).random(100_000)
    y = polynomials(da.asarray(host), (1.0, 2.0, 3.0))
    each, sums = 2 + 2 * 8, 1 + 2 * 3
    assert operations(y) == (each + sums if cpu() else 3 * each + sums)
    assert_array_equal(y, polynomials(host, (1.0, 2.0, 3.0)))


def test_the_same_numbers_of_another_sign_or_dtype_are_others() -> None:
    host = np.linspace(-2, 2, 70_000)
    host[::7] = -0.0

    def body(x: Any) -> Any:
        parts = [x * zero + (x + k) for k in range(6) for zero in (0.0, -0.0)]
        signs = [1.0 / part for part in parts]
        return sum(signs[1:], signs[0])

    with np.errstate(all="ignore"):
        wanted = body(host)
    assert_array_equal(body(da.asarray(host)), wanted)

    def shifts(x: Any, xp: Any) -> Any:
        y = x
        for k in range(10):
            y = (y ^ (x >> k)) + (x.astype(xp.int64) >> k).astype(xp.int32) + (x >> k)
        return y

    whole = np.random.default_rng(5).integers(-(2**31), 2**31, 70_000).astype(np.int32)
    assert_array_equal(shifts(da.asarray(whole), da), shifts(whole, np))


def test_repeated_values_that_are_held_are_stored() -> None:
    host = np.random.default_rng(4).random(80_000).astype(np.float32)
    x = da.asarray(host)
    kept = []

    def body(x: Any, keep: bool) -> Any:
        total = x
        for _ in range(8):
            y = (x * 3 + 1) * x
            if keep:
                kept.append(y)
            total = total * 0.5 + y
        return total

    wanted = body(host, False)
    assert_array_equal(body(x, True), wanted)
    for y in kept:
        assert_array_equal(y, (host * 3 + 1) * host)


def test_sums_absorb_repeated_operations() -> None:
    host = np.random.default_rng(6).integers(0, 100, (300, 400))
    x = da.asarray(host)
    assert_array_equal(polynomials(x, (1.0, 2.0)).max(axis=0), polynomials(host, (1.0, 2.0)).max(axis=0))
    assert int(hashed(x).sum()) == int(hashed(host).sum())


def hashed(x: Any) -> Any:
    h = x
    for _ in range(6):
        h = h * 31 + ((x >> 3) ^ (x << 2) ^ 77)
    return h % 1000


@pytest.mark.usefixtures("kernels")
def test_kernels_do_not_differ_by_which_numbers_are_the_same() -> None:
    """Where no operation repeats: a filter's weights by distance, some of which are equal here and there."""
    if not cpu():
        pytest.skip("GPUs take equal numbers once, for steps that repeat")
    host = np.random.default_rng(4).random(3000)
    x = da.asarray(host)

    def work(values: Any, weights: list[float]) -> Any:
        total = values
        for weight in weights:
            total = total * weight + values
        return total

    apart = [0.25 + k / 64 for k in range(16)]
    work(x, apart).evaluate()
    before = da.stats()
    for first in range(15):
        weights = [*apart[: first + 1], *apart[first:-1]]
        assert_array_equal(work(x, weights), work(host, weights))
    after = da.stats()
    made = [after[name] - before[name] for name in ("compilations", "disk_cache_hits")]
    assert made == [0, 0]
