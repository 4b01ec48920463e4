"""Programs of many equal steps are few launches, of short kernels, whatever their numbers and names are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import same

import devarray as da

HOST = np.random.default_rng(5).normal(size=3000)

pytestmark = pytest.mark.usefixtures("deferred", "kernels")


@pytest.fixture
def x(gpu_strategy: None) -> da.Array:
    return da.asarray(HOST).evaluate()


def lorenz(x: Any, y: Any, z: Any, steps: int, h: float = 0.01) -> tuple[Any, Any, Any]:
    for _ in range(steps):
        dx, dy, dz = 10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z
        x, y, z = x + h * dx, y + h * dy, z + h * dz
    return x, y, z


def launches(work: Callable[[], Any]) -> int:
    before = da.stats()["launches"]
    results = work()
    for result in results:
        result.evaluate()
    return da.stats()["launches"] - before


def test_time_steps_are_one_short_kernel(x: da.Array, sources: list[str]) -> None:
    assert launches(lambda: lorenz(x, x * 0.5, x + 1, 40)) == 1
    assert len(sources) == 1 and len(sources[0]) < 8000
    for mine, theirs in zip(lorenz(x, x * 0.5, x + 1, 40), lorenz(HOST, HOST * 0.5, HOST + 1, 40), strict=True):
        same(mine, theirs)


def test_a_graph_of_more_steps_than_a_kernel_of_its_own_would_take(x: da.Array) -> None:
    """Of 950 operations, where 512 are the most without a loop."""
    assert launches(lambda: lorenz(x, x * 0.5, x + 1, 62)) == 1
    for mine, theirs in zip(lorenz(x, x * 0.5, x + 1, 62), lorenz(HOST, HOST * 0.5, HOST + 1, 62), strict=True):
        same(mine, theirs)


def test_numbers_that_were_equal_once_may_differ_the_next_time(x: da.Array) -> None:
    """Kept plans are of the kernel that takes equal numbers once."""

    def work(value: Any, a: float, b: float) -> Any:
        for _ in range(40):
            value = value * a + b - value * b
        return value

    for a, b in [(0.5, 0.5)] * 4 + [(0.5, 0.25), (0.25, 0.5), (0.5, 0.5), (0.75, 0.25)]:
        same(work(x, a, b), work(HOST, a, b))


def test_numbers_that_differ_from_step_to_step(x: da.Array) -> None:
    def work(value: Any) -> Any:
        for step in range(50):
            value = value * 0.5 + 0.1 * step
        return value

    for _ in range(3):
        same(work(x), work(HOST))


def test_values_of_all_steps_that_are_kept(x: da.Array) -> None:
    def history(value: Any) -> list[Any]:
        seen = []
        for step in range(60):
            value = np.where(value > 0, value * 0.5 - 1, value * value + 0.25)
            if step % 7 == 0:
                seen.append(value)
        return [*seen, value]

    for mine, theirs in zip(history(x), history(HOST), strict=True):
        same(mine, theirs)


def test_steps_within_a_reduction(x: da.Array, sources: list[str]) -> None:
    def work(value: Any) -> Any:
        for _ in range(40):
            value = value * 0.5 + 1
            value = np.minimum(value, 3 - value)
        return value.max()

    assert work(x).item() == work(HOST)
    assert any("for (i32 ts" in source for source in sources)


@pytest.mark.parametrize("dtype", ["int32", "uint8", "float32", "complex128", "bool"])
def test_steps_of_other_dtypes(x: da.Array, dtype: str) -> None:
    host = (HOST * 10).astype(dtype)

    def work(value: Any) -> Any:
        for _ in range(30):
            value = value ^ ~value if dtype == "bool" else value * value + value
            value = value & value if dtype == "bool" else value - 3 * value
        return value

    with np.errstate(all="ignore"):
        same(work(da.asarray(host).evaluate()), work(host))
