"""Kernels of many operands: reductions load less of each at once, and add up in the order of the stored values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracle import close, same

import devarray as da

RNG = np.random.default_rng(23)

pytestmark = pytest.mark.usefixtures("deferred", "kernels", "gpu_strategy")


def product(x: Any) -> Any:
    """Long enough for a loop over the elements, and of every row."""
    total = x[0]
    for row in x[1:]:
        total = total + np.exp(row * 0.25) * (total - row)
    return total


@pytest.mark.parametrize("kind", ["sum", "max"])
@pytest.mark.parametrize("n", [1 << 16, 70_004])
def test_bits_are_those_of_the_stored_value(sources: list[str], n: int, kind: str) -> None:
    x = da.asarray(RNG.normal(size=(30, n)).astype(np.float32)).evaluate()
    together = getattr(product(x), kind)().evaluate()
    assert any("exchange[" in text for text in sources)
    stored = product(x).evaluate()
    same(together, getattr(stored, kind)().copy_to_host())
    close(together, np.float32(getattr(stored.copy_to_host().astype(float), kind)()), 64)


@pytest.mark.parametrize("dtype", ["int32", "int16", "bool"])
def test_whole_numbers(sources: list[str], dtype: str) -> None:
    host = RNG.integers(0, 2 if dtype == "bool" else 50, (30, 66_000)).astype(dtype)

    def values(x: Any) -> Any:
        total = x[0]
        for row in x[1:]:
            total = np.where(total > row, total ^ row, total | row) ^ x[0]
        return total

    x = da.asarray(host).evaluate()
    same(values(x).sum(), values(host).sum())  # nobody holds the values, so that they are not stored beside
    assert dtype == "bool" or any("exchange[" in text for text in sources)


def test_values_that_are_stored_beside_the_sum(sources: list[str]) -> None:
    host = RNG.normal(size=(29, 1 << 16)).astype(np.float32)
    x = da.asarray(host).evaluate()
    values = product(x)
    positive = values > 0
    total = values.sum().evaluate()
    stored = product(x).evaluate()
    same(values, stored.copy_to_host())
    same(positive, stored.copy_to_host() > 0)
    same(total, stored.sum().copy_to_host())


def test_operands_that_are_not_aligned(sources: list[str]) -> None:
    host = RNG.normal(size=(30, 66_001)).astype(np.float32)
    x = da.asarray(host).evaluate()
    same(product(x[:, 1:]).sum(), product(x[:, 1:]).evaluate().sum().copy_to_host())
    rows = [x[k, k % 3 :][:65_000] for k in range(30)]
    same(product(rows).sum(), product(rows).evaluate().sum().copy_to_host())


def test_rows_of_a_table(sources: list[str]) -> None:
    host = RNG.normal(size=(30, 3, 40_000)).astype(np.float32)
    x = da.asarray(host).evaluate()
    same(product(x).sum(-1), product(x).evaluate().sum(-1).copy_to_host())
