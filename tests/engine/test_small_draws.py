"""Random numbers of few elements are drawn by the host's loops, with the bits of the kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import same

import devarray as da

pytestmark = pytest.mark.usefixtures("on_host")

DRAWS: dict[str, Callable[[Any], Any]] = {
    "random": lambda g: g.random(50),
    "random, float32": lambda g: g.random(51, dtype="float32"),
    "uniform": lambda g: g.uniform(-2, 3, (5, 7)),
    "integers": lambda g: g.integers(-3, 9, 50),
    "integers, all": lambda g: g.integers(0, 2**64, 50, dtype="uint64"),
    "integers, few": lambda g: g.integers(0, 2**63 + 1, 50, dtype="uint64"),  # every second word is drawn again
    "permutation": lambda g: g.permutation(50),
    "raw": lambda g: g.bit_generator.random_raw(50),
}


@pytest.mark.parametrize("name", DRAWS)
def test_small_draws_launch_nothing_and_have_the_kernels_bits(name: str) -> None:
    before, da.config.host_elements = da.config.host_elements, 0
    try:
        kernels = DRAWS[name](da.random.default_rng(5)).copy_to_host()
    finally:
        da.config.host_elements = before
    da.synchronize()
    launches = da.stats()["launches"]
    mine = DRAWS[name](da.random.default_rng(5)).copy_to_host()
    assert da.stats()["launches"] == launches
    same(mine, kernels)


def test_small_draws_are_numpys() -> None:
    mine, theirs = da.random.default_rng(1), np.random.Generator(np.random.Philox(1))
    same(mine.random(33), theirs.random(33))
    same(mine.random(33, dtype="float32"), theirs.random(33, dtype="float32"))
    same(da.random.Philox(7).random_raw(20), np.random.Philox(7).random_raw(20))
