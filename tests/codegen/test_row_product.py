"""Products of many rows and a small matrix agree with NumPy's for every size, place and distance of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from launching import GPU, compiles_for_cuda, needs_nvrtc
from planned import execute, view
from runtimes import Runtime
from test_tall_product import alignment, whole_numbers

from devarray.codegen.kernels.launches import View
from devarray.codegen.kernels.row_product import plan_row_product

# On both sides of a vector, and of what a work-item has.
SIZES = ((1, 2), (2, 7), (3, 3), (4, 8), (5, 9), (8, 16), (12, 10), (16, 4), (31, 13), (32, 16))


def product(runtime: Runtime, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    out = np.full((a.shape[0], b.shape[1]), np.nan, a.dtype)
    arrays = {"a": a, "b": b, "out": out}
    views = [view(role, array) for role, array in arrays.items()]
    execute(runtime, plan_row_product(*views, alignment(a), runtime.dialect), arrays)
    return out


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.heavy
def test_any_size(quick_runtime: Runtime, dtype: str) -> None:
    for depth, columns in SIZES:
        for rows in (1, 37, 1030):
            a, b = whole_numbers((rows, depth), dtype, depth), whole_numbers((depth, columns), dtype, columns)
            np.testing.assert_array_equal(product(quick_runtime, a, b), a @ b)


@pytest.mark.parametrize(
    "rows",
    [np.s_[:, :8], np.s_[:, 1:9], np.s_[::-1, 4:12], np.s_[1::3, 2:10], np.s_[:, ::4], np.s_[:, 15:7:-1]],
    ids=str,
)
def test_any_place(quick_runtime: Runtime, rows: Any) -> None:
    a, b = whole_numbers((600, 32), "float32", 1), whole_numbers((12, 16), "float32", 2)
    for small in (b[:8, :5], b[1:9, ::3], b.T[::2, ::-1], b[::-1, 3:7][:8]):
        np.testing.assert_array_equal(product(quick_runtime, a[rows], small), a[rows] @ small)
    columns_first = np.asfortranarray(a)
    np.testing.assert_array_equal(product(quick_runtime, columns_first[:, :8], b[:8, :5]), a[:, :8] @ b[:8, :5])


@needs_nvrtc
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.heavy
def test_compiles_for_gpus(dtype: str) -> None:
    for depth, columns in SIZES:
        arrays = [("a", (70000, depth)), ("b", (depth, columns)), ("out", (70000, columns))]
        (launch,) = plan_row_product(*(View.contiguous(role, dtype, shape) for role, shape in arrays), 16, GPU).launches
        assert compiles_for_cuda(launch.source)
