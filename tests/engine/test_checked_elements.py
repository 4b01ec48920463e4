"""Divisions and roots without branches in element-wise kernels: correctly rounded for whatever operands, as NumPy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from test_checked_divisions import agreeing, around_the_ends, of_any_size, ordinary, with_few_special

import devarray as da
from devarray._runtime import compiler

pytestmark = [
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),
    pytest.mark.usefixtures("deferred", "kernels", "plans"),
]
COUNT = (1 << 17) + 3  # vectors of elements, and what is left


def steps(xp: Any, x: Any, y: Any) -> tuple[Any, ...]:
    """Quotients of all kinds and a root, and operations enough for a text with constants."""
    inverse = 1 / y
    root = xp.sqrt(xp.abs(x))
    quotient = (x - 0.5) / (y * 3)
    return inverse, x / y, x / root, quotient * 2 - y / 255, (xp.reciprocal(x) + 1) / (1 / (abs(y) + 1))


@pytest.mark.parametrize("values", [ordinary, of_any_size, around_the_ends, with_few_special])
def test_each_is_numpys(values: Callable[..., np.ndarray]) -> None:
    rng = np.random.default_rng(8)
    x, y = values(rng, (COUNT,)), values(rng, (COUNT,))
    wanted = steps(np, x, y)
    on_device = da.asarray(x).evaluate(), da.asarray(y).evaluate()
    for _ in range(6):  # with scalars, then with constants
        for got, right in zip(steps(da, *on_device), wanted, strict=True):
            assert agreeing(np, got.copy_to_host(), right).all()
        compiler.wait_for_kernels()


def test_where_the_result_replaces_an_operand() -> None:
    """What was not ordinary is computed again, from operands that nothing has been written over."""
    rng = np.random.default_rng(9)
    x, y = with_few_special(rng, (COUNT,)), with_few_special(rng, (COUNT,))
    got, divisor = da.asarray(x), da.asarray(y).evaluate()
    got.evaluate()
    for array, other in ((x, y), (got, divisor)):
        array[...] = array / other / (array / 3 - other) / (other / (array + 7))
    assert agreeing(np, got.copy_to_host(), x).all()


def test_inverses_of_all_significands() -> None:
    x = (np.arange(1 << 23, dtype=np.uint32) + 0x3F800000).view("f4")

    def inverses(xp: Any, x: Any) -> Any:
        return xp.where(x < 0, 1 / (x * 7 + 2) + 1 / (x * 5 - 3) + x * 9 - 4, 1 / x)

    on_device, wanted = da.asarray(x).evaluate(), inverses(np, x)
    for _ in range(5):
        np.testing.assert_array_equal(inverses(da, on_device).copy_to_host(), wanted)
        compiler.wait_for_kernels()
