"""Extremes and counts over all pairs of two sets, which are never stored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import same

import devarray as da

REDUCTIONS: dict[str, Callable[[Any], Any]] = {
    "min": lambda d: d.min(1),
    "max of rows": lambda d: d.max(0),
    "argmin": lambda d: d.argmin(1),
    "argmax of rows": lambda d: d.argmax(0),
    "any": lambda d: (d > 3).any(1),
    "count": lambda d: (d > 1).sum(1),
    "all": lambda d: (d >= 0).all(0),
}


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int16", "uint8"])
@pytest.mark.parametrize(("rows", "columns"), [(1031, 300), (4096, 37), (33, 2053), (1, 5000), (5000, 1)])
def test_all_pairs(rows: int, columns: int, dtype: str, reduction: str) -> None:
    rng = np.random.default_rng(rows)
    a, b = (rng.integers(0, 9, (n, 3)).astype(dtype) for n in (rows, columns))

    def distances(xp: Any, a: Any, b: Any) -> Any:
        return xp.abs(a[:, 0, None] - b[:, 0]) + xp.abs(a[:, 2, None] - b[:, 1])

    got = REDUCTIONS[reduction](distances(da, da.asarray(a), da.asarray(b)))
    same(got.copy_to_host(), REDUCTIONS[reduction](distances(np, a, b)))


def test_not_a_number_among_pairs() -> None:
    a, b = np.arange(2000.0), np.arange(1500.0)
    a[70], b[1300] = np.nan, np.inf
    d = da.asarray(a)[:, None] - da.asarray(b)
    same(d.min(1).copy_to_host(), (a[:, None] - b).min(1))
    same(d.max(0).copy_to_host(), (a[:, None] - b).max(0))
