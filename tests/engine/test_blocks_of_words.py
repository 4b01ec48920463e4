"""Draws whose work-items have a block of random words each, wherever in a block a draw begins and ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import host, same, skip_without

import devarray as da
from devarray import _core

pytestmark = pytest.mark.usefixtures("deferred", "kernels", "gpu_strategy")

SIZES = [1, 3, 4, 7, 8, 9, 255, 256, 2051, 8200]
STAGED = "LOCAL f32 staged0"


def pair(before: int) -> tuple[da.random.Generator, np.random.Generator]:
    """A Generator of each library, so many words behind the first."""
    ours, numpys = da.random.default_rng(3), np.random.Generator(np.random.Philox(3))
    same(ours.bit_generator.random_raw(before), numpys.bit_generator.random_raw(before))
    return ours, numpys


@pytest.mark.parametrize("before", range(5))
@pytest.mark.parametrize("n", SIZES)
def test_draws_are_numpys(n: int, before: int) -> None:
    ours, numpys = pair(before)
    for _ in range(2):  # the second begins where the first has ended: between half words, too
        same(ours.random(n, "float32"), numpys.random(n, "float32"))
        same(ours.bit_generator.random_raw(n), numpys.bit_generator.random_raw(n))
    if ours.random(0).dtype == np.float64:
        same(ours.random(n), numpys.random(n))


@pytest.mark.parametrize("before", range(5))
def test_results_may_lie_anywhere(before: int) -> None:
    """Behind the first element of a block of memory no vector is aligned; what lies around a result stays."""
    for start in range(4):
        ours, numpys = pair(before)
        ours.random(1, "float32"), numpys.random(1, "float32")
        memory, want = da.zeros(999, np.float32), np.zeros(999, np.float32)
        ours.random(out=memory[start:-5]), numpys.random(out=want[start:-5], dtype=np.float32)
        same(memory, want)


@pytest.mark.parametrize(("first", "second"), [(64, 64), (64, 67), (67, 67), (3, 8)])
@pytest.mark.parametrize("before", range(3))
def test_two_streams_in_one_kernel(first: int, second: int, before: int, sources: list[str]) -> None:
    """Their blocks begin together or not, as the draw between them has it."""
    ours, numpys = pair(before)
    x, _, y = ours.random(first, "float32"), ours.bit_generator.random_raw(second), ours.random(first, "float32")
    a, _, b = numpys.random(first, "float32"), numpys.bit_generator.random_raw(second), numpys.random(first, "float32")
    same(x - y, a - b)
    assert any(STAGED in text for text in sources)


@pytest.mark.parametrize("before", range(5))
def test_results_of_several_sizes(before: int) -> None:
    """A kernel's results are aligned or not, one by one."""
    ours, numpys = pair(before)
    x, a = ours.random(777, "float32"), numpys.random(777, "float32")
    less, halves, pairs = x < 0.25, x.astype("float16"), x.astype("complex64") * 2
    _core.evaluate_all()
    for one, want in ((less, a < 0.25), (halves, a.astype("float16")), (pairs, a.astype("complex64") * 2), (x, a)):
        same(one, want)


@pytest.mark.parametrize("before", range(5))
def test_operands_are_read_where_the_elements_lie(before: int) -> None:
    """Where the result takes an operand's memory, too."""
    ours, numpys = pair(before)
    memory, want = da.arange(2000, dtype=np.float32), np.arange(2000, dtype=np.float32)
    ours_part, numpys_part = memory[3:], want[3:]
    ours_part += ours.random(1997, "float32")
    numpys_part += numpys.random(1997, "float32")
    same(memory, want)
    same(memory[:-1] * ours.random(1999, "float32"), want[:-1] * numpys.random(1999, "float32"))
    number = da.arange(501) + (ours.bit_generator.random_raw(501) >> 40).astype(np.int64)
    same(number, np.arange(501) + (numpys.bit_generator.random_raw(501) >> 40).astype(np.int64))


KINDS: dict[str, Callable[[da.random.Generator, Any], da.Array]] = {
    "normal": lambda rng, n: rng.standard_normal(n, "float32"),
    "exponential": lambda rng, n: rng.standard_exponential(n, "float32"),
    "integers": lambda rng, n: rng.integers(0, 1000, n),
    "gamma": lambda rng, n: rng.gamma(2.5, size=n),
}


@pytest.mark.parametrize("before", range(4))
@pytest.mark.parametrize("kind", KINDS)
def test_a_number_depends_on_its_word_alone(kind: str, before: int) -> None:
    """Numbers of one draw are those of draws of one, which begin at each place of a block."""
    skip_without("float64")
    draw = KINDS[kind]
    (together, _), (alone, _) = pair(before), pair(before)
    same(draw(together, 37), np.concatenate([host(draw(alone, 1)) for _ in range(37)]))


def test_blocks_are_computed_once(sources: list[str]) -> None:
    """By kernels whose work-items have a block: one of words is of 4 elements, one of half words of 8."""
    rng = da.random.default_rng(1)
    rng.random(100, "float32").evaluate()
    rng.standard_normal(100, "float32").evaluate()
    assert ["f32 y0[8]" in text for text in sources] == [True, False]
    assert ["f32 y0[4]" in text for text in sources] == [False, True]


@pytest.mark.parametrize("before", range(5))
def test_long_expressions_have_half_a_block(before: int, sources: list[str]) -> None:
    ours, numpys = pair(before)
    x, a = ours.random(301, "float32"), numpys.random(301, "float32")
    for k in range(30):
        x, a = da.abs(x - k) * np.float32(0.5), np.abs(a - np.float32(k)) * np.float32(0.5)
    same(x, a)
    assert any("f32 y0[4]" in text for text in sources)
