"""Divisions and roots without a branch in reductions: correctly rounded for whatever operands, as NumPy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import devarray as da

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
ROWS = 8192 + 4096 + 77  # blocks of all lanes, and what is left

OPERATIONS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "quotient": lambda xp, x, y: x / y,
    "root": lambda xp, x, y: xp.sqrt(x),
    "both": lambda xp, x, y: y / (xp.sqrt(x) * x),
    "quotient by a number": lambda xp, x, y: x / np.float32(255),
}


def ordinary(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    return (rng.uniform(1, 2, shape) * np.exp2(rng.integers(-20, 20, shape)) * rng.choice([-1, 1], shape)).astype("f4")


def of_any_size(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Every pattern of bits: subnormal numbers, infinities and NaN among them."""
    return rng.integers(0, 2**32, shape, dtype=np.uint32).view("f4")


def around_the_ends(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Where the ordinary range of divisors and quotients begins and ends."""
    exponents = rng.choice([-149, -127, -126, -101, -51, -50, -49, -1, 0, 1, 77, 78, 79, 126, 127], shape)
    return (rng.uniform(1, 2, shape) * np.exp2(exponents.astype("f8"))).astype("f4")


def with_few_special(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Of the blocks of a work-item some have a value that is not ordinary, and some have none."""
    made = ordinary(rng, shape)
    some = rng.random(shape) < 0.01
    made[some] = rng.choice(np.float32([0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-40, 3e38]), some.sum())
    return made


def nearest_to_midpoints(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Pairs whose quotient is as near as can be to the middle between two floats, where rounding is most easily wrong.

    All are ordinary numbers. With significands X and Y, and the odd number M of 25 bits of such a middle, X 2**p is
    M Y plus or minus 1.
    """
    top = np.arange(2**24 - 2**14 + 1, 2**24, 2, dtype=np.uint64)  # whose inverse is hardest to round
    divisor = np.concatenate([top, rng.integers(2**22, 2**23, 2**17, dtype=np.uint64) * 2 + 1])
    inverse = divisor.copy()
    for _ in range(5):
        inverse *= 2 - divisor * inverse
    dividends, divisors = [], []
    for p in (24, 25):
        for k in (1, -1):
            middle = np.uint64(-k % 2**64) * inverse % 2**p | np.uint64(2**24)
            scaled = middle * divisor + np.uint64(k % 2**64)
            dividend = scaled >> p
            found = (scaled % 2**p == 0) & (dividend >= 2**23) & (dividend < 2**24)
            dividends.append(dividend[found])
            divisors.append(divisor[found])
    x, y = np.concatenate(dividends), np.concatenate(divisors)
    powers = np.exp2(rng.integers(-20, 20, (2, x.size))).astype("f4") * rng.choice([-1, 1], (2, x.size)).astype("f4")
    return x.astype("f4") * powers[0], y.astype("f4") * powers[1]


def agreeing(xp: Any, got: Any, wanted: Any) -> Any:
    """Which have the same bits; of NaN, which are such."""
    same = (got == wanted) & (xp.signbit(got) == xp.signbit(wanted))
    return same | (xp.isnan(got) & xp.isnan(wanted))


@pytest.mark.parametrize("columns", [2, 3, 4])
@pytest.mark.parametrize("values", [ordinary, of_any_size, around_the_ends, with_few_special])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_each_is_numpys(operation: str, values: Callable[..., np.ndarray], columns: int) -> None:
    rng = np.random.default_rng(columns)
    x, y = values(rng, (ROWS, columns)), values(rng, (ROWS, columns))
    wanted = OPERATIONS[operation](np, x, y)
    got = OPERATIONS[operation](da, da.asarray(x), da.asarray(y))
    count = agreeing(da, got, da.asarray(wanted)).sum(0)
    np.testing.assert_array_equal(count.copy_to_host(), [ROWS] * columns)


def differing(got: Any, wanted: np.ndarray) -> int:
    """How many of four columns differ."""
    count = agreeing(da, got, da.asarray(wanted)).sum(0)
    return wanted.size - int(count.copy_to_host().sum())


def test_quotients_nearest_to_a_midpoint() -> None:
    x, y = (values[: values.size // 4 * 4].reshape(-1, 4) for values in nearest_to_midpoints(np.random.default_rng(8)))
    assert x.size > 100_000
    assert differing(da.asarray(x) / da.asarray(y), x / y) == 0


def test_roots_of_all_significands() -> None:
    x = np.arange(0x3F800000, 0x40800000, dtype=np.uint32).view("f4").reshape(-1, 4)  # from 1 to 4
    assert differing(da.sqrt(da.asarray(x)), np.sqrt(x)) == 0


@pytest.mark.parametrize("zeros", [False, True])
def test_forces_between_bodies(zeros: bool) -> None:
    """Weights of nothing, for which the ordinary quotient does not do."""
    rng = np.random.default_rng(5)
    x, m = rng.standard_normal((2500, 3)).astype("f4"), rng.random(2500).astype("f4")
    if zeros:
        m[::7] = 0

    def forces(xp: Any, x: Any, m: Any) -> Any:
        d = x[None, :, :] - x[:300, None, :]
        r = (d * d).sum(-1) + x.dtype.type(0.01)
        w = m[None, :] / (r * xp.sqrt(r))
        return (d * w[:, :, None]).sum(1)

    wanted = forces(np, x.astype("f8"), m.astype("f8"))
    got = forces(da, da.asarray(x), da.asarray(m)).copy_to_host()
    np.testing.assert_allclose(got, wanted, atol=3e-6 * np.abs(wanted).max())


def test_places_of_extremes() -> None:
    rng = np.random.default_rng(6)
    x, y = with_few_special(rng, (ROWS, 3)), ordinary(rng, (ROWS, 3))
    x[np.isnan(x)] = 0
    for name in ("argmin", "argmax"):
        got = getattr(da.asarray(x) / da.asarray(y), name)(0)
        np.testing.assert_array_equal(got.copy_to_host(), getattr(x / y, name)(0))
