"""Reductions that absorb long expressions: on GPUs their accumulators share one text of an element."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import same

import devarray as da
from devarray import _core

ROWS, COLUMNS = 300, 1031
DATA = np.random.default_rng(8).uniform(0.5, 1.5, (ROWS, COLUMNS))
LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "rows": lambda x: x,
    "columns": lambda x: x.T,
    "one row": lambda x: x.reshape(-1),
    "strided": lambda x: x[::2, 1::3],
    "back": lambda x: x[:, ::-1],
}
REDUCTIONS: dict[str, Callable[[Any], Any]] = {
    "sum": lambda x: x.sum(-1),
    "max": lambda x: x.max(-1),
    "argmin": lambda x: x.argmin(-1),
    "any": lambda x: (x > 1.9).any(-1),
    "over rows": lambda x: x.sum(0),
    "argmax over rows": lambda x: x.argmax(0),
}


def long_expression(x: Any) -> Any:
    """More than a GPU's kernel has text for in each of eight accumulators."""
    y = x
    for k in range(24):
        y = da.sqrt(y * x + k) / (1 + x)
    return y


@pytest.mark.usefixtures("deferred")
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.heavy
def test_bits_are_those_of_stored_values(reduction: str, layout: str, dtype: str) -> None:
    x = LAYOUTS[layout](da.asarray(DATA.astype(dtype)))
    reduce = REDUCTIONS[reduction]
    stored = reduce(long_expression(x).evaluate()).copy_to_host()
    before = da.stats()["launches"]
    fused = reduce(long_expression(x)).copy_to_host()
    launches = da.stats()["launches"] - before
    same(fused, stored)
    assert launches <= 2


@pytest.mark.usefixtures("deferred")
def test_a_gpus_accumulators_share_a_text(device: da.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    if device.strategy != "gpu":
        pytest.skip("of the strategy of GPUs")
    sources: list[str] = []
    monkeypatch.setattr(da.compiler, "_log_source", lambda device, source, options: sources.append(source))
    da.compiler._kernels.clear()
    _core.clear_kernel_cache()
    x = da.asarray(DATA.astype("float32"))
    x.sum().evaluate()
    assert not any(map(is_rolled, sources)), "short ones are unrolled"
    long_expression(x).sum().evaluate()
    assert any(map(is_rolled, sources))


def is_rolled(source: str) -> bool:
    """Whether a loop over elements is not to be unrolled; loops over partial results and over lanes never are."""
    return re.search(r"#pragma unroll 1\n\s*for \((?!i64 lead|i32 h = )", source) is not None


def test_values_beside_a_long_reduction() -> None:
    x = da.asarray(DATA.astype("float32"))
    y = long_expression(x)
    total = y.sum()
    want = long_expression(x).evaluate()
    same(total.copy_to_host(), want.sum().copy_to_host())
    same(y.copy_to_host(), want.copy_to_host())
