"""Binary search gives NumPy's positions."""

from __future__ import annotations

import numpy as np
import pytest
from launching import GPU, compiles_for_cuda, needs_nvrtc
from planned import execute, view
from runtimes import Runtime

from devarray.codegen.kernels.search import SearchSpec, plan_search, render
from devarray.ops.dtypes import DTYPES


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "float32", "float64"])
def test_positions(runtime: Runtime, dtype: str, side: str) -> None:
    rng = np.random.default_rng(0)
    table, values = rng.integers(0, 90, 64).astype(dtype), rng.integers(0, 100, 300).astype(dtype)
    if dtype.startswith("float"):
        table[:5] = values[:5] = [np.nan, np.inf, -np.inf, -0.0, 0.0]
    table = np.sort(table)[::2]
    out = np.full(300, -1)
    execute(
        runtime,
        plan_search(view("in", table), view("values", values), view("out", out), side, runtime.dialect),
        {"in": table, "values": values, "out": out},
    )
    np.testing.assert_array_equal(out, np.searchsorted(table, values, side))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "float32", "float64"])
def test_members(runtime: Runtime, dtype: str) -> None:
    rng = np.random.default_rng(0)
    table, values = rng.integers(0, 90, 64).astype(dtype), rng.integers(0, 100, 300).astype(dtype)
    if dtype.startswith("float"):
        table[:3], values[:4] = [np.nan, np.inf, -0.0], [np.nan, np.inf, -np.inf, 0.0]
    table = np.sort(table)[::-1][::2][::-1]
    out = np.full(300, 7, np.uint8).view(bool)
    execute(
        runtime,
        plan_search(view("in", table), view("values", values), view("out", out), "member", runtime.dialect),
        {"in": table, "values": values, "out": out},
    )
    np.testing.assert_array_equal(out.view(np.uint8), np.isin(values, table))


@needs_nvrtc
@pytest.mark.parametrize("wanted", ["left", "right", "member"])
@pytest.mark.parametrize("dtype", DTYPES[:12])
def test_compiles_for_cuda(dtype: str, wanted: str) -> None:
    assert compiles_for_cuda(render(SearchSpec(dtype, wanted), GPU))
