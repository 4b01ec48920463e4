"""Counts and sums of weights by GPUs' work-groups are NumPy's, and the same every time."""

from __future__ import annotations

import numpy as np
import pytest
from launching import GPU, compiles_for_cuda, needs_nvrtc
from planned import execute, view
from runtimes import Runtime

from devarray.codegen.kernels.counting_groups import (
    GroupCountSpec,
    group_geometry,
    plan_group_count,
    render,
)
from devarray.ops.dtypes import INTEGERS

MANY = 40_000  # enough for several rows


def rows_of(
    runtime: Runtime,
    x: np.ndarray,
    bins: int,
    weights: np.ndarray | None = None,
    least: int = 0,
    edges: np.ndarray | None = None,
    sums: str | None = None,
) -> np.ndarray:
    """The rows, in the middle of memory that must stay as it is."""
    dtype = np.dtype(sums or np.int64) if weights is None or sums else weights.dtype
    geometry = group_geometry(x.size, bins, None if weights is None else dtype.name, runtime.dialect)
    assert geometry is not None
    memory = np.full(geometry.parts * bins + 2, 77, dtype)
    rows = memory[1:-1].reshape(geometry.parts, bins)
    given = {"rows": rows, "in": x, "edges": edges, "weights": weights}
    arrays = {role: array for role, array in given.items() if array is not None}
    views = [view(role, arrays[role]) if role in arrays else None for role in given]
    execute(runtime, plan_group_count(*views, runtime.dialect, least=least), arrays)
    assert memory[0] == memory[-1] == 77
    return rows


def added_in_order(x: np.ndarray, bins: int, weights: np.ndarray) -> np.ndarray:
    sums = np.zeros(bins, weights.dtype)
    np.add.at(sums, x, weights)
    return sums


@pytest.mark.parametrize("size", [1, 33, 300, MANY])
@pytest.mark.parametrize("dtype", ["bool", *INTEGERS])
def test_counts(runtime: Runtime, dtype: str, size: int) -> None:
    x = np.random.default_rng(size).integers(0, 60, size).astype(dtype)
    wanted = np.bincount(x.astype(int), minlength=60)
    np.testing.assert_array_equal(rows_of(runtime, x, 60).sum(0), wanted)
    np.testing.assert_array_equal(rows_of(runtime, x, 20, least=30).sum(0), wanted[30:50])


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint64"])
@pytest.mark.heavy
def test_numbers_of_no_bin_are_left_out(runtime: Runtime, dtype: str) -> None:
    ends = np.iinfo(dtype)
    x = np.array([ends.min, ends.max, 5, 9, 4, 10, ends.max - 1, ends.min + 1, 5], dtype)
    weights = np.arange(1.0, 10)
    for bins, least, counts, sums in (
        (5, 5, [2, 0, 0, 0, 1], [12, 0, 0, 0, 4]),
        (2, int(ends.max) - 1, [1, 1], [7, 2]),
        (2, int(ends.min), [1, 1], [1, 8]),
    ):
        np.testing.assert_array_equal(rows_of(runtime, x, bins, least=least).sum(0), counts)
        np.testing.assert_array_equal(rows_of(runtime, x, bins, weights, least).sum(0), sums)


@pytest.mark.parametrize("dtype", ["int64", "uint64", "float64", "complex128"])
@pytest.mark.parametrize("bins", [1, 9, 1000])
@pytest.mark.parametrize("size", [31, 200, MANY])
@pytest.mark.heavy
def test_whole_weights_add_up_exactly(runtime: Runtime, dtype: str, bins: int, size: int) -> None:
    rng = np.random.default_rng(1)
    x, weights = rng.integers(0, bins, size), rng.integers(0, 1000, size).astype(dtype)
    weights = weights * (1 - 2j) if dtype == "complex128" else weights
    np.testing.assert_array_equal(rows_of(runtime, x, bins, weights).sum(0), added_in_order(x, bins, weights))


@pytest.mark.parametrize("bins", [1, 3, 500])
def test_each_row_adds_up_its_part_in_order(runtime: Runtime, bins: int) -> None:
    rng = np.random.default_rng(2)
    x, weights = rng.integers(0, bins, MANY), rng.normal(size=MANY) * 10.0 ** rng.integers(-9, 9, MANY)
    rows = rows_of(runtime, x, bins, weights)
    part = -(-MANY // (32 * len(rows))) * 32
    for number, row in enumerate(rows):
        here = slice(number * part, (number + 1) * part)
        np.testing.assert_array_equal(row, added_in_order(x[here], bins, weights[here]))


def test_what_is_not_finite_stays_in_its_bin(runtime: Runtime) -> None:
    x, weights = np.array([0, 1, 2, 3, 1, 3, 3]), np.array([np.inf, 1, np.nan, 1e300, 2, -1e300, 0.5])
    np.testing.assert_array_equal(rows_of(runtime, x, 4, weights).sum(0), np.bincount(x, weights))


@pytest.mark.parametrize("weighted", [False, True])
def test_bins_beyond_local_memory_are_counted_by_further_groups(runtime: Runtime, weighted: bool) -> None:
    rng = np.random.default_rng(3)
    bins = 20_001
    weights = rng.integers(0, 99, MANY).astype(np.float64) if weighted else None
    x = rng.integers(0, bins, MANY)
    np.testing.assert_array_equal(rows_of(runtime, x, bins, weights).sum(0), np.bincount(x, weights, bins))


@pytest.mark.parametrize(
    ("dtype", "sums"),
    [("float32", "float64"), ("float16", "float64"), ("int8", "int64"), ("bool", "int64"), ("complex64", "complex128")],
)
@pytest.mark.heavy
def test_weights_are_cast_as_they_are_added(runtime: Runtime, dtype: str, sums: str) -> None:
    rng = np.random.default_rng(4)
    weights = rng.normal(size=MANY).astype(dtype) if dtype[0] in "fc" else rng.integers(-9, 9, MANY).astype(dtype)
    x = rng.integers(0, 300, MANY)
    rows = rows_of(runtime, x, 300, weights, sums=sums)
    again = rows_of(runtime, x, 300, weights.astype(sums))
    np.testing.assert_array_equal(rows, again)
    np.testing.assert_allclose(rows.sum(0), added_in_order(x, 300, weights.astype(sums)), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("bins", [1, 7, 100, 15_000])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.heavy
def test_values_between_edges(runtime: Runtime, dtype: str, bins: int, weighted: bool) -> None:
    """Edges, their neighbours, what lies outside, infinities and NaN among them."""
    if dtype == "float16" and bins > 100:
        pytest.skip("as many float16 there are not")
    rng = np.random.default_rng(bins)
    edges = np.linspace(-3.5, 4.25, bins + 1).astype(dtype)
    x = rng.normal(size=MANY).astype(dtype)
    x[: bins + 1] = edges
    x[bins + 1 : 2 * bins + 2] = np.nextafter(edges, np.asarray(-9, dtype))
    x[2 * bins + 2 : 2 * bins + 6] = [np.nan, np.inf, -np.inf, 1e4]
    weights = rng.integers(0, 9, MANY).astype(np.float64) if weighted else None
    wanted = np.histogram(x.astype(np.float64), edges.astype(np.float64), weights=weights)[0]
    np.testing.assert_array_equal(rows_of(runtime, x, bins, weights, edges=edges).sum(0), wanted)


def test_edges_without_a_distance(runtime: Runtime) -> None:
    x = np.array([1.0, 2.0, 3.0, 2.0])
    np.testing.assert_array_equal(rows_of(runtime, x, 1, edges=np.array([2.0, 2.0])).sum(0), [2])
    np.testing.assert_array_equal(rows_of(runtime, x, 2, edges=np.array([2.0, 2.0, 2.0])).sum(0), [0, 2])


def test_too_many_bins_have_no_geometry() -> None:
    assert group_geometry(MANY, 1 << 20, None, GPU) is None
    assert group_geometry(MANY, 1 << 16, "float64", GPU) is None


@needs_nvrtc
@pytest.mark.parametrize("sums", [None, "int64", "uint64", "float64", "complex128"])
@pytest.mark.heavy
def test_compiles_for_cuda(sums: str | None) -> None:
    for dtype, room in (("int8", 64), ("uint64", 2048), ("bool", 2880)):
        assert compiles_for_cuda(render(GroupCountSpec(dtype, sums, room, weights=sums and "float32"), GPU))
    for dtype in ("float16", "float32", "float64"):
        assert compiles_for_cuda(render(GroupCountSpec(dtype, sums, 2048, edges=True), GPU))
