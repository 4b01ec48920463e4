"""Counts and sums of weights are NumPy's, whatever lies outside the bins."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from launching import GPU, compiles_for_cuda, needs_nvrtc
from planned import execute, view
from runtimes import Runtime

from devarray.codegen.kernels.counting import CountSpec, count_rows, plan_count, render
from devarray.ops.dtypes import INTEGERS

MANY = 40_000  # enough for several rows


def counted(
    runtime: Runtime,
    x: np.ndarray,
    bins: int,
    weights: np.ndarray | None = None,
    edges: np.ndarray | None = None,
    least: int = 0,
) -> np.ndarray:
    """The sum of the rows, in the middle of memory that must stay as it is."""
    parts = count_rows(x.size, bins, runtime.dialect)
    memory = np.full(parts * bins + 2, 77, np.int64 if weights is None else weights.dtype)
    rows = memory[1:-1].reshape(parts, bins)
    given = {"rows": rows, "in": x, "edges": edges, "weights": weights}
    arrays = {role: array for role, array in given.items() if array is not None}
    views = [view(role, arrays[role]) if role in arrays else None for role in given]
    execute(runtime, plan_count(*views, runtime.dialect, least=least), arrays)
    assert memory[0] == memory[-1] == 77
    return rows.sum(0)


@pytest.mark.parametrize("size", [1, 300, MANY])
@pytest.mark.parametrize("dtype", ["bool", *INTEGERS])
def test_numbers(runtime: Runtime, dtype: str, size: int) -> None:
    x = np.random.default_rng(size).integers(0, 60, size).astype(dtype)
    np.testing.assert_array_equal(counted(runtime, x, 60), np.bincount(x.astype(int), minlength=60))
    few = counted(runtime, x, 20, least=30)
    np.testing.assert_array_equal(few, np.bincount(x.astype(int), minlength=60)[30:50])


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint64"])
def test_numbers_of_no_bin_are_left_out(runtime: Runtime, dtype: str) -> None:
    ends = np.iinfo(dtype)
    x = np.array([ends.min, ends.max, 5, 9, 4, 10, ends.max - 1, ends.min + 1, 5], dtype)
    np.testing.assert_array_equal(counted(runtime, x, 5, least=5), [2, 0, 0, 0, 1])
    np.testing.assert_array_equal(counted(runtime, x, 2, least=int(ends.max) - 1), [1, 1])
    np.testing.assert_array_equal(counted(runtime, x, 2, least=int(ends.min)), [1, 1])


@pytest.mark.parametrize("dtype", ["int64", "uint64", "float64", "complex128"])
@pytest.mark.parametrize("size", [200, MANY])
def test_whole_weights_add_up_exactly(runtime: Runtime, dtype: str, size: int) -> None:
    rng = np.random.default_rng(1)
    x, weights = rng.integers(0, 9, size), rng.integers(0, 1000, size).astype(dtype)
    weights = weights * (1 - 2j) if dtype == "complex128" else weights
    wanted = np.zeros(9, dtype)
    np.add.at(wanted, x, weights)
    np.testing.assert_array_equal(counted(runtime, x, 9, weights), wanted)


def test_one_row_adds_up_in_order(runtime: Runtime) -> None:
    rng = np.random.default_rng(2)
    x, weights = rng.integers(0, 3, 500), rng.normal(size=500) * 10.0 ** rng.integers(-9, 9, 500)
    np.testing.assert_array_equal(counted(runtime, x, 3, weights), np.bincount(x, weights))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("bins", [1, 7, 1000])
def test_values_between_edges(runtime: Runtime, dtype: str, bins: int) -> None:
    rng = np.random.default_rng(bins)
    edges = np.linspace(-1.3, 2.1, bins + 1).astype(dtype)
    special = np.array([np.nan, np.inf, -np.inf, -0.0, 0.0, np.finfo(dtype).max, np.finfo(dtype).min], dtype)
    near = np.concatenate([edges, np.nextafter(edges, np.array(9, dtype)), -edges])
    x: Any = np.concatenate([rng.normal(size=MANY).astype(dtype), special, near])
    inside = np.sort(x[(x >= edges[0]) & (x <= edges[-1])])
    places = np.append(np.searchsorted(inside, edges[:-1]), np.searchsorted(inside, edges[-1:], "right"))
    np.testing.assert_array_equal(counted(runtime, x, bins, edges=edges), np.diff(places))


def test_edges_that_are_far_from_even(runtime: Runtime) -> None:
    """They only cost time."""
    edges = np.array([0.0, 0.0, 1e-300, 1e-9, 3.0, 3.0, 3.5, 1e300, 1e300])
    x = np.concatenate([edges, np.random.default_rng(3).random(300) * 4])
    np.testing.assert_array_equal(counted(runtime, x, 8, edges=edges), np.histogram(x, edges)[0])


@needs_nvrtc
@pytest.mark.parametrize("sums", ["int64", "uint64", "float64", "complex128"])
@pytest.mark.heavy
def test_compiles_for_cuda(sums: str) -> None:
    for dtype, edges in (("int8", False), ("uint64", False), ("float16", True), ("float64", True)):
        assert compiles_for_cuda(render(CountSpec(dtype, edges, sums != "int64", sums), GPU))
