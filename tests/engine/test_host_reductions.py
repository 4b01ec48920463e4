"""Small reductions on the host have the bits of kernels, whatever lies side by side: rows, columns, few of them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from oracle import skip_without, values

import devarray as da

pytestmark = pytest.mark.usefixtures("on_host")

SHAPES = [(300, 64), (64, 300), (700, 3), (5, 17), (17, 5), (33, 16), (4000, 1), (1, 900), (3, 50, 20), (2, 400, 33)]
VIEWS = {
    "whole": lambda a: a,
    "transposed": lambda a: a.T,
    "reversed": lambda a: a[..., ::-1],
    "part": lambda a: a[1:, ..., 1:] if min(a.shape) > 2 else a,
    "every second": lambda a: a[::2],
}


@pytest.fixture
def compiled() -> Iterator[None]:
    """Kernels are waited for."""
    before, da.config.background = da.config.background, False
    yield
    da.config.background = before


def reduced(x: np.ndarray, view: str, name: str, axis: int | tuple[int, ...] | None, elements: int) -> np.ndarray:
    """The reduction where the host does what is at most so large."""
    da.config.host_elements, runs = elements, da.stats()["host_runs"]
    result = getattr(VIEWS[view](da.asarray(x)), name)(axis=axis).evaluate()
    da.synchronize()
    assert (da.stats()["host_runs"] > runs) == (elements > 0)
    return result.copy_to_host()


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "int32", "bool"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.heavy
def test_bits_are_those_of_kernels(shape: tuple[int, ...], dtype: str) -> None:
    skip_without(dtype)
    rng = np.random.default_rng(7)
    x = values(dtype, shape, 5) if dtype in ("int32", "bool") else rng.standard_normal(shape).astype(dtype)
    if np.dtype(dtype).kind == "f":
        x.flat[3::97] = 1e30
        x.flat[5] = np.inf
    axes = [None, *range(len(shape)), *[(0, 2)] * (len(shape) == 3)]
    for view in VIEWS:
        for axis in axes:
            for name in ("sum", "max"):
                here, kernels = (reduced(x, view, name, axis, elements) for elements in (1 << 20, 0))
                np.testing.assert_array_equal(here, kernels, f"{view} {axis} {name}")


@pytest.mark.parametrize("columns", [1, 2, 15, 16, 17, 31, 33])
def test_columns_beside_those_summed_do_not_count(columns: int) -> None:
    """A block of 16 columns may reach over the end of a row, and of the array."""
    x = np.full((50, 40), np.nan, np.float32)
    x[:, :columns] = np.arange(columns)
    y = da.asarray(x)[:, :columns]
    np.testing.assert_array_equal(y.sum(0).copy_to_host(), 50.0 * np.arange(columns))
    np.testing.assert_array_equal((y * 2).max(0).copy_to_host(), 2.0 * np.arange(columns))


@pytest.mark.parametrize("offset", [0, 1, 4])
def test_fields_that_lie_at_odd_places(offset: int) -> None:
    """They are moved to where their items are aligned before they are summed."""
    kind = np.dtype([("before", "u1", (offset,)), ("rows", "f8", (40,)), ("grid", "f4", (20, 20)), ("after", "u1")])
    table = np.zeros(9, kind)
    rng = np.random.default_rng(3)
    table["rows"], table["grid"] = rng.integers(-9, 9, (9, 40)), rng.integers(-9, 9, (9, 20, 20))
    on_device = da.asarray(table)
    for name in ("rows", "grid"):
        x = on_device[name]
        for axis in range(x.ndim):
            np.testing.assert_array_equal(x.sum(axis).copy_to_host(), table[name].sum(axis))
            np.testing.assert_array_equal((x + 0).max(axis).copy_to_host(), table[name].max(axis))
