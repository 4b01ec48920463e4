"""Radix sort gives NumPy's order, NaNs included, and keeps equals in order."""

from __future__ import annotations

import numpy as np
import pytest
from launching import GPU, compiles_for_cuda, needs_nvrtc
from planned import execute, view
from runtimes import Runtime

from devarray.codegen.launches import View
from devarray.codegen.sort import plan_argsort, plan_sort
from devarray.ops.dtypes import DTYPES


def numbers(dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    rng = np.random.default_rng(0)
    kind = np.dtype(dtype).kind
    if kind in "biu":
        info = np.iinfo(dtype) if kind != "b" else None
        low, high = (0, 2) if info is None else (info.min, info.max)
        array = rng.integers(low, high, shape, dtype=dtype if kind != "b" else "i8").astype(dtype)
        array.flat[: array.size // 3] = array.flat[-1]  # equals
        return array

    def real() -> np.ndarray:
        array = rng.choice([-np.inf, -3.5, -1, -0.0, 0.0, 1e-7, 2, np.inf, np.nan], shape)
        return np.where(rng.random(shape) < 0.5, array, rng.standard_normal(shape))

    if kind != "c":
        return real().astype(dtype)
    array = np.zeros(shape, dtype)
    array.real, array.imag = real(), real()
    return array


def sorted_by(runtime: Runtime, array: np.ndarray, axis: int = -1, descending: bool = False) -> np.ndarray:
    out = np.zeros(array.shape, array.dtype)
    plan = plan_sort(view("in", array), view("out", out), axis % array.ndim, runtime.dialect, descending=descending)
    execute(runtime, plan, {"in": array, "out": out})
    return out


def indices_by(runtime: Runtime, array: np.ndarray, axis: int = -1, descending: bool = False) -> np.ndarray:
    out = np.zeros(array.shape, np.int64)
    plan = plan_argsort(view("in", array), view("out", out), axis % array.ndim, runtime.dialect, descending=descending)
    execute(runtime, plan, {"in": array, "out": out})
    return out


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype(runtime: Runtime, dtype: str) -> None:
    array = numbers(dtype, (3, 2500))
    np.testing.assert_array_equal(sorted_by(runtime, array), np.sort(array, axis=-1))
    np.testing.assert_array_equal(indices_by(runtime, array), np.argsort(array, axis=-1, stable=True))


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_every_axis_of_strided_views(runtime: Runtime, axis: int) -> None:
    array = numbers("float32", (9, 40, 24))[::-1, ::2, 1::3]
    np.testing.assert_array_equal(sorted_by(runtime, array, axis), np.sort(array, axis=axis))
    np.testing.assert_array_equal(indices_by(runtime, array, axis), np.argsort(array, axis=axis, stable=True))


@pytest.mark.parametrize("n", [1, 2, 2048, 2049, 60_000])
def test_any_length(runtime: Runtime, n: int) -> None:
    array = np.random.default_rng(1).integers(-50, 50, n).astype("i2")
    np.testing.assert_array_equal(indices_by(runtime, array), np.argsort(array, stable=True))
    np.testing.assert_array_equal(sorted_by(runtime, array), np.sort(array))


@pytest.mark.parametrize("dtype", ["uint8", "int32", "float64", "complex64"])
def test_descending_keeps_equals_in_order(runtime: Runtime, dtype: str) -> None:
    array = np.round(np.nan_to_num(numbers(dtype, (700,)), posinf=5, neginf=-5))
    got = indices_by(runtime, array, descending=True)
    want = len(array) - 1 - np.argsort(array[::-1], stable=True)[::-1]
    np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(sorted_by(runtime, array, descending=True), np.sort(array)[::-1])


def test_in_place(runtime: Runtime) -> None:
    array = numbers("int32", (5000,))
    want = np.sort(array)
    execute(runtime, plan_sort(view("x", array), view("x", array), 0, runtime.dialect), {"x": array})
    np.testing.assert_array_equal(array, want)


@needs_nvrtc
@pytest.mark.parametrize("dtype", ["int8", "float16", "float64", "complex64"])
def test_compiles_for_cuda(dtype: str) -> None:
    source = View.contiguous("in", dtype, (4, 9000))
    plans = [plan_sort(source, View.contiguous("out", dtype, (4, 9000)), 1, GPU)]
    plans.append(plan_argsort(source, View.contiguous("out", "int64", (4, 9000)), 1, GPU, descending=True))
    assert all(compiles_for_cuda(source) for source in {launch.source for plan in plans for launch in plan.launches})


def test_wrong_requests_are_refused() -> None:
    a, b = View.contiguous("in", "float32", (3, 4)), View.contiguous("out", "float32", (4, 3))
    with pytest.raises(ValueError, match=r"shape \(3, 4\), not \(4, 3\)"):
        plan_sort(a, b, 0, GPU)
    with pytest.raises(ValueError, match="indices are int64, not float32"):
        plan_argsort(a, a, 0, GPU)
    assert plan_sort(View.contiguous("in", "int8", (0,)), View.contiguous("out", "int8", (0,)), 0, GPU).launches == ()
