"""Steps that a mask keeps as they are end early on GPUs, with the bits of all steps."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import same
from test_loops_of_steps import lorenz

import devarray as da

RNG = np.random.default_rng(11)
HOST = RNG.uniform(-2, 2, 4101).astype(np.float32)
OTHER = RNG.uniform(-2, 2, 4101).astype(np.float32)

pytestmark = pytest.mark.usefixtures("deferred", "kernels", "gpu_strategy")

Work = Callable[..., Any]


def checked(sources: list[str], work: Work, *arrays: np.ndarray, tested: bool = True) -> str:
    """The kernel's text; its results are NumPy's, and it tests whether it may end where it should."""
    with np.errstate(all="ignore"):
        made, wanted = work(*(da.asarray(each).evaluate() for each in arrays)), work(*arrays)
        for mine, theirs in zip(made, wanted, strict=True):
            same(mine, theirs)
    texts = [text for text in sources if "for (i32 ts" in text]
    assert texts and all(("break;" in text) is tested for text in texts)
    return texts[-1]


def turns(text: str) -> list[int]:
    """Steps left over, runs of steps, steps of a run."""
    return [int(count) for count in re.findall(r"for \(i32 t[rs] = 0; t[rs] < (\d+);", text)]


def mandelbrot(cx: Any, cy: Any, steps: int = 50) -> tuple[Any, Any, Any]:
    x, y, count = cx * 0, cy * 0, cx * 0
    for _ in range(steps):
        inside = x * x + y * y < 4
        x, y = np.where(inside, x * x - y * y + cx, x), np.where(inside, 2 * x * y + cy, y)
        count = count + inside
    return x, y, count


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("steps", [11, 13, 30, 48, 50, 53, 60])
def test_points_that_escape(sources: list[str], steps: int, dtype: str) -> None:
    text = checked(sources, lambda a, b: mandelbrot(a, b, steps), HOST.astype(dtype), OTHER.astype(dtype))
    *left, runs, length = turns(text)
    assert sum(left) + runs * length in (steps, steps - 1) and length >= 5 and sum(left) < length
    assert text.count(" * ") < 30  # of two or three steps, not of all


def test_elements_are_handled_one_by_one(sources: list[str]) -> None:
    """One beside the other they would be computed one after the other."""
    assert "x4" not in checked(sources, mandelbrot, HOST, OTHER)


def test_axes_that_are_broadcast(sources: list[str]) -> None:
    def whole(cx: Any, cy: Any) -> tuple[Any, ...]:
        return mandelbrot(cx + 0 * cy, cy + 0 * cx)

    checked(sources, whole, HOST[:100], OTHER[:70, None])
    checked(sources, whole, HOST[:8], OTHER[:700, None])


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_a_complex_number_is_carried(sources: list[str], dtype: str) -> None:
    def julia(z: Any) -> tuple[Any, Any]:
        count = (np.abs(z) * 0).astype("int32")
        for _ in range(40):
            inside = np.abs(z) < 2
            z = np.where(inside, (z + 0.25) - 0.5 * z, z)
            count = np.where(inside, count + 1, count)
        return z, count

    checked(sources, julia, (HOST + 1j * OTHER).astype(dtype))


@pytest.mark.parametrize("way", ["where", "masked sum", "product with a bool"])
def test_roots_that_converge(sources: list[str], way: str) -> None:
    def newton(a: Any) -> tuple[Any, Any, Any]:
        x, active, low = a * 0 + 1, a * 0 == 0, a * 0
        for _ in range(25):
            step = (x * x * x - a) / (3 * x * x)
            active = active & (np.abs(step) > 1e-6)
            if way == "where":
                x = np.where(active, x - step, x)
            elif way == "masked sum":
                x = x - np.where(active, step, np.float32(0))
            else:
                x = x - step * active
            low = np.minimum(low, x)
        return x, active, low

    checked(sources, newton, HOST)


def test_values_that_follow_from_what_is_kept(sources: list[str]) -> None:
    """The squares of the next step are carried, too."""

    def work(cx: Any, cy: Any) -> tuple[Any, ...]:
        x, y = cx, cy
        xx, yy = x * x, y * y
        for _ in range(40):
            inside = xx + yy < 4
            x, y = np.where(inside, xx - yy + cx, x), np.where(inside, 2 * x * y + cy, y)
            xx, yy = x * x, y * y
        return x, y, xx

    checked(sources, work, HOST, OTHER)


def test_steps_that_move_everything_are_not_tested(sources: list[str]) -> None:
    checked(sources, lambda x, y: lorenz(x, y, x + y, 40), HOST.astype(float), OTHER.astype(float), tested=False)


def test_a_ball_that_bounces_is_not_tested(sources: list[str]) -> None:
    def work(x: Any, v: Any) -> tuple[Any, Any]:
        for _ in range(40):
            v = np.where(x < -2, -v, v)
            x = x + 0.5 * v
            x = x * np.float32(0.875)
        return x, v

    checked(sources, work, HOST, OTHER, tested=False)


def test_few_steps_are_not_tested(sources: list[str]) -> None:
    checked(sources, lambda a, b: mandelbrot(a, b, 8), HOST, OTHER, tested=False)


def test_not_a_number_and_infinity_stay(sources: list[str]) -> None:
    """A state of NaN is the same as the one before: bits are compared."""

    def work(x: Any, limit: Any) -> tuple[Any, Any]:
        count = x * 0
        for _ in range(40):
            x = np.where(x < limit, x * x + x, x)
            count = count + (x < limit)
        return x, count

    edge = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e30, 3.0], np.float32)
    x, limit = (grid.ravel() for grid in np.meshgrid(edge, edge))
    checked(sources, work, x, limit)


def test_a_zero_that_changes_its_sign_is_no_fixed_state(sources: list[str]) -> None:
    """A count that begins late: behind zeros that compare equal."""

    def work(x: Any, count: Any) -> tuple[Any, Any, Any]:
        zero = x * 0
        for _ in range(37):
            odd = np.signbit(zero) if isinstance(zero, np.ndarray) else da.signbit(zero)
            zero = np.where(x == x, -zero, zero)
            count = np.where(odd, count + 1, count)
            x = np.where(odd, x, x)
        return zero, count, x

    checked(sources, work, np.abs(HOST), OTHER * 0)


@pytest.mark.parametrize("dtype", ["float16", "float32", "int8", "uint16", "int64", "uint64"])
def test_states_that_alternate(sources: list[str], dtype: str) -> None:
    """Of period two: never the state of the step before."""

    def work(x: Any, stay: Any) -> tuple[Any, Any]:
        times = x * 0
        for _ in range(41):
            x = np.where(stay, x, 7 - x)
            times = times + (x > 3)
        return x, times

    checked(sources, work, np.abs(HOST * 4).astype(dtype), OTHER > 0)


@pytest.mark.parametrize("wait", [1, 5, 6, 7, 8, 20, 38])
def test_what_begins_late_has_not_ended(sources: list[str], wait: int) -> None:
    """A clock is carried: as long as it runs the state is not the same, whatever else stays."""

    def work(x: Any) -> tuple[Any, Any]:
        clock = (x * 0).astype("int32") + wait
        for _ in range(39):
            late = clock <= 0
            x = np.where(late, x * x - 1, x)
            clock = np.where(clock > -5, clock - 1, clock)
        return x, clock

    checked(sources, work, HOST)


def test_choices_within_choices(sources: list[str]) -> None:
    def work(x: Any) -> tuple[Any, ...]:
        for _ in range(30):
            x = np.where(x > 1, x * 0.75, np.where(x < -1, x + 1, x))
        return (x,)

    checked(sources, work, HOST * 20)


def test_bools_and_integers_of_64_bits_are_carried(sources: list[str]) -> None:
    def collatz(n: Any) -> tuple[Any, Any, Any]:
        steps, done = n * 0, n == 1
        for _ in range(60):
            done = done | (n == 1)
            n = np.where(done, n, np.where(n % 2 == 0, n // 2, 3 * n + 1))
            steps = steps + ~done
        return n, steps, done

    checked(sources, collatz, np.arange(1, 4000, dtype="int64"))


def test_two_loops_of_a_kernel(sources: list[str]) -> None:
    def work(cx: Any, cy: Any) -> tuple[Any, ...]:
        x, y, count = mandelbrot(cx, cy, 30)
        for _ in range(12):
            far = x * x > 1
            x = np.where(far, x * 0.5, x)
        return x, y, count

    checked(sources, work, HOST, OTHER)


def test_steps_within_a_reduction(sources: list[str]) -> None:
    checked(sources, lambda a, b: (mandelbrot(a, b)[2].sum(),), HOST, OTHER)
    checked(sources, lambda a, b: (mandelbrot(a, b)[2].max(axis=0),), HOST[:4000].reshape(40, 100), OTHER[:100])
