"""Divisions and roots without branches in element-wise kernels: correctly rounded for whatever operands, as NumPy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import skip_without
from test_checked_divisions import agreeing, around_the_ends, of_any_size, ordinary, with_few_special

import devarray as da
from devarray._runtime import compiler

pytestmark = [
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),
    pytest.mark.usefixtures("deferred", "kernels", "plans"),
]
COUNT = (1 << 17) + 3  # vectors of elements, and what is left
FEW = 301  # an element a work-item


def doubles(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Ordinary ones, all patterns of bits, the ends of what is ordinary, and a few that are not, in a part each."""
    count = shape[0]
    x = rng.uniform(1, 2, count) * np.exp2(rng.integers(-200, 200, count)) * rng.choice([-1, 1], count)
    quarter = count // 4
    x[quarter : 2 * quarter] = np.frombuffer(rng.bytes(8 * quarter), "f8")
    ends = rng.choice([-1074, -1023, -1022, -802, -401, -400, -399, -1, 0, 1, 623, 624, 625, 1022, 1023], quarter)
    x[2 * quarter : 3 * quarter] = rng.uniform(1, 2, quarter) * np.exp2(ends.astype("f8"))
    some = rng.random(count) < 0.01
    some[: 3 * quarter] = False
    x[some] = rng.choice([0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, -1e-310, 1e308], some.sum())
    return x


def agree_several_times(body: Callable[..., tuple[Any, ...]], x: np.ndarray, y: np.ndarray) -> None:
    """With scalars as operands of kernels, then with constants in their texts."""
    wanted = body(np, x, y)
    on_device = da.asarray(x).evaluate(), da.asarray(y).evaluate()
    for _ in range(6):
        for got, right in zip(body(da, *on_device), wanted, strict=True):
            assert agreeing(np, got.copy_to_host(), right).all()
        compiler.wait_for_kernels()


def steps(xp: Any, x: Any, y: Any) -> tuple[Any, ...]:
    """Quotients of all kinds and a root, and operations enough for a text with constants."""
    inverse = 1 / y
    root = xp.sqrt(xp.abs(x))
    quotient = (x - 0.5) / (y * 3)
    return inverse, x / y, x / root, quotient * 2 - y / 255, (xp.reciprocal(x) + 1) / (1 / (abs(y) + 1))


@pytest.mark.parametrize("count", [COUNT, FEW])
@pytest.mark.parametrize("values", [ordinary, of_any_size, around_the_ends, with_few_special, doubles])
def test_each_is_numpys(values: Callable[..., np.ndarray], count: int) -> None:
    rng = np.random.default_rng(8)
    x, y = values(rng, (count,)), values(rng, (count,))
    if not da.device().caps["fp64"] and x.dtype == "f8":
        pytest.skip("the device has no float64")
    agree_several_times(steps, x, y)


def test_where_the_result_replaces_an_operand() -> None:
    """What was not ordinary is computed again, from operands that nothing has been written over."""
    rng = np.random.default_rng(9)
    x, y = with_few_special(rng, (COUNT,)), with_few_special(rng, (COUNT,))
    got, divisor = da.asarray(x), da.asarray(y).evaluate()
    got.evaluate()
    for array, other in ((x, y), (got, divisor)):
        array[...] = array / other / (array / 3 - other) / (other / (array + 7))
    assert agreeing(np, got.copy_to_host(), x).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_what_follows_from_other_tests(dtype: str) -> None:
    """Divisors that are not tested, since what they are made of is."""
    skip_without(dtype)
    rng = np.random.default_rng(10)
    values = doubles if dtype == "float64" else of_any_size
    x, y = values(rng, (COUNT,)), values(rng, (COUNT,))
    x[:1000] = np.abs(x[:1000])

    def body(xp: Any, x: Any, y: Any) -> tuple[Any, ...]:
        root, ratio = xp.sqrt(x), x / y
        return y / (root * 0.3), 1 / (1 + 0.25 * abs(ratio)), xp.sqrt(xp.maximum(ratio, 0.5)), y / (ratio * ratio)

    agree_several_times(body, x, y)


@pytest.mark.parametrize("count", [COUNT, FEW])
@pytest.mark.parametrize("values", [ordinary, of_any_size, around_the_ends, with_few_special])
def test_logarithms(values: Callable[..., np.ndarray], count: int) -> None:
    """Among divisions those of float32 have no steps for special numbers, and the bits of those that have."""
    rng = np.random.default_rng(12)
    x, y = values(rng, (count,)), values(rng, (count,))

    def body(xp: Any, x: Any, y: Any) -> tuple[Any, ...]:
        ratio = x / y
        return ratio, xp.log(ratio), xp.log(abs(ratio) + 0.25), (1 / (y * 0.3)) + (y / (x * 0.7)) * 0.5

    on_device = da.asarray(x).evaluate(), da.asarray(y).evaluate()
    ratio = da.asarray(x / y).evaluate()
    alone = da.log(ratio).copy_to_host(), da.log((abs(ratio) + 0.25).evaluate()).copy_to_host()
    wanted = body(np, x, y)
    ordinary_ones = np.isfinite(wanted[1]) & (wanted[1] != 0)
    distance = abs(alone[0].astype("f8") - np.log((x / y).astype("f8")))[ordinary_ones]
    assert (distance <= 1.5 * np.spacing(abs(wanted[1][ordinary_ones]))).all()
    np.testing.assert_array_equal(alone[0][~ordinary_ones], wanted[1][~ordinary_ones])
    for _ in range(6):
        made = [part.copy_to_host() for part in body(da, *on_device)]
        assert agreeing(np, made[0], wanted[0]).all()
        assert agreeing(np, made[3], wanted[3]).all()
        for got, right in zip(made[1:3], alone, strict=True):
            np.testing.assert_array_equal(got, right)
        compiler.wait_for_kernels()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_divisions_by_constants_among_others(dtype: str) -> None:
    """Those of dividends that are not ordinary are computed again."""
    skip_without(dtype)
    rng = np.random.default_rng(13)
    values = doubles if dtype == "float64" else with_few_special
    x, y = values(rng, (COUNT,)), values(rng, (COUNT,))

    def body(xp: Any, x: Any, y: Any) -> tuple[Any, ...]:
        return x / 5, (x / y) / 3, 1 / (x * 3) + y / (x * x), xp.sqrt(abs(y) / 7) / 255 - x, (y / 1e6) / (x / 1.5)

    agree_several_times(body, x, y)


def test_inverses_of_all_significands() -> None:
    x = (np.arange(1 << 23, dtype=np.uint32) + 0x3F800000).view("f4")

    def inverses(xp: Any, x: Any) -> Any:
        return xp.where(x < 0, 1 / (x * 7 + 2) + 1 / (x * 5 - 3) + x * 9 - 4, 1 / x)

    on_device, wanted = da.asarray(x).evaluate(), inverses(np, x)
    for _ in range(5):
        np.testing.assert_array_equal(inverses(da, on_device).copy_to_host(), wanted)
        compiler.wait_for_kernels()
