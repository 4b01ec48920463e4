"""Long expressions of few elements, of which a GPU's work-item takes one: more work-items hide each other's waits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracle import same

import devarray as da
from devarray import _core

pytestmark = pytest.mark.usefixtures("deferred", "kernels", "gpu_strategy")


def series(x: Any, terms: int) -> Any:
    """A sum of powers, of two operations a term; no two terms are alike."""
    value = x * 0.5
    for i in range(terms):
        value = value * x + (1.0 / (i + 2))
    return value


def of_size(elements: int, dtype: str) -> np.ndarray:
    return np.random.default_rng(elements).random(elements).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("terms", [4, 40])
def test_elements_of_a_work_item(device: da.Device, sources: list[str], dtype: str, terms: int) -> None:
    """The widest access is taken by short expressions and by those of many elements."""
    if dtype == "float64" and not device.caps["fp64"]:
        pytest.skip("no float64")
    found = {}
    few, many = 500, 16 * 1024 * max(device.caps["compute_units"], 1)
    for elements in (few, many):
        _core.clear_kernel_cache()
        sources.clear()
        x = of_size(elements, dtype)
        same(series(da.asarray(x), terms), series(x, terms))
        found[elements] = "".join(sources)
    assert (found[few] == found[many]) == (terms == 4)
