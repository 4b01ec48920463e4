"""Matrix products agree with NumPy's for every dtype, shape and order of memory."""

from __future__ import annotations

import numpy as np
import pytest
from launching import GPU, compiles_for_cuda, needs_nvrtc
from planned import execute, view
from runtimes import Runtime

from devarray.codegen.kernels.launches import View
from devarray.codegen.kernels.matmul import MatmulSpec, plan_matmul, render
from devarray.ops.dtypes import DTYPES


def whole_numbers(shape: tuple[int, ...], dtype: str, seed: int) -> np.ndarray:
    """Small enough for every product to be exact."""
    rng = np.random.default_rng(seed)
    array = rng.integers(0 if dtype[0] in "ub" else -3, 4, shape).astype(dtype)
    return array + (1j * rng.integers(-3, 4, shape)).astype(dtype) if dtype.startswith("complex") else array


def product(runtime: Runtime, a: np.ndarray, b: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    if out is None:
        out = np.zeros((*batch, a.shape[-2], b.shape[-1]), np.result_type(a, b))
    left, right = np.broadcast_to(a, batch + a.shape[-2:]), np.broadcast_to(b, batch + b.shape[-2:])
    execute(
        runtime,
        plan_matmul(view("a", left), view("b", right), view("out", out), runtime.dialect),
        {"a": a, "b": b, "out": out},
    )
    return out


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.heavy
def test_every_dtype(runtime: Runtime, dtype: str) -> None:
    a, b = whole_numbers((37, 50), dtype, 0), whole_numbers((50, 41), dtype, 1)
    np.testing.assert_array_equal(product(runtime, a, b), a @ b)


@pytest.mark.parametrize("shape", [(1, 1, 1), (64, 64, 64), (200, 3, 7), (5, 300, 129), (130, 17, 1)])
def test_any_shape(runtime: Runtime, shape: tuple[int, int, int]) -> None:
    m, k, n = shape
    a, b = whole_numbers((m, k), "float64", 0), whole_numbers((k, n), "float64", 1)
    np.testing.assert_array_equal(product(runtime, a, b), a @ b)


def test_any_order_of_memory(runtime: Runtime) -> None:
    a, b = whole_numbers((60, 90), "float32", 0), whole_numbers((90, 80), "float32", 1)
    for left in (a, np.asfortranarray(a), np.repeat(a, 2, axis=1)[::-1, ::2]):
        for right in (b, np.asfortranarray(b), b[::-1, ::-2]):
            np.testing.assert_array_equal(product(runtime, left, right), left @ right)
    out = np.zeros((80, 60), "f4").T
    np.testing.assert_array_equal(product(runtime, a, b, out), a @ b)


def test_batches_are_broadcast(runtime: Runtime) -> None:
    a, b = whole_numbers((4, 1, 20, 30), "float32", 0), whole_numbers((3, 30, 10), "float32", 1)
    np.testing.assert_array_equal(product(runtime, a, b), a @ b)


def test_nothing_to_add_up_gives_zeros(runtime: Runtime) -> None:
    plan = plan_matmul(
        View.contiguous("a", "int8", (3, 0)),
        View.contiguous("b", "int8", (0, 4)),
        View.contiguous("out", "int8", (3, 4)),
        runtime.dialect,
    )
    out = np.ones((3, 4), "i1")
    execute(runtime, plan, {"a": np.zeros(1, "i1"), "b": np.zeros(1, "i1"), "out": out})
    assert not out.any()
    assert plan_matmul(*(View.contiguous(role, "int8", (0, 0)) for role in "abc"), runtime.dialect).launches == ()


@needs_nvrtc
@pytest.mark.parametrize("dtype", ["bool", "int8", "float16", "float32", "float64", "complex64", "complex128"])
@pytest.mark.heavy
def test_compiles_for_cuda(dtype: str) -> None:
    acc = "float32" if dtype == "float16" else dtype
    for block in (2, 4, *((8,) if acc in ("float32", "int8", "bool") else ())):
        assert compiles_for_cuda(render(MatmulSpec(2, dtype, dtype, dtype, acc, block, True, False), GPU))


def test_shapes_that_do_not_fit_are_refused() -> None:
    a, b = View.contiguous("a", "float32", (3, 4)), View.contiguous("b", "float32", (3, 4))
    with pytest.raises(ValueError, match=r"shapes \(3, 4\) and \(3, 4\) have no product of shape \(3, 4\)"):
        plan_matmul(a, b, View.contiguous("out", "float32", (3, 4)), GPU)
