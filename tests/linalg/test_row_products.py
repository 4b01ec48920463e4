"""Products of many short rows and a small matrix, for which GPUs have a kernel of their own."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest
from oracle import host, skip_without
from test_tall_products import agrees

import devarray as da

pytestmark = pytest.mark.usefixtures("device")

# On both sides of the fewest rows that the kernel takes of OpenCL's and of CUDA's GPUs.
ROWS = (4095, 4097, 65535, 65537)
# Depth and columns: on both sides of a vector, of what a work-item has, and of the most of each.
SIZES = (
    (1, 2),
    (3, 3),
    (4, 4),
    (7, 5),
    (8, 8),
    (16, 8),
    (16, 9),
    (5, 10),
    (31, 12),
    (16, 16),
    (32, 16),
    (33, 16),
    (8, 17),
)


def matrix(shape: tuple[int, ...], dtype: str, seed: int) -> Any:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("rows", ROWS)
def test_every_size(rows: int, dtype: str) -> None:
    skip_without(dtype)
    for depth, columns in SIZES if rows == 4097 else SIZES[3:7]:
        x, y = matrix((rows, depth), dtype, depth), matrix((depth, columns), dtype, columns)
        agrees(da.asarray(x) @ da.asarray(y), x, y)


@pytest.mark.parametrize("order", ["C", "F"])
def test_views(order: Literal["C", "F"]) -> None:
    x, y = np.asarray(matrix((9001, 40), "float32", 1), order=order), matrix((16, 40), "float32", 2)
    ours, small = da.asarray(x, copy=True), da.asarray(y)
    for rows in (np.s_[:], np.s_[::-1], np.s_[1::2]):
        for columns in (np.s_[:8], np.s_[1:9], np.s_[4:36:4], np.s_[15::-2]):
            agrees(ours[rows, columns] @ small[3:6, 2:10].T, x[rows, columns], y[3:6, 2:10].T)
            agrees(ours[rows, columns] @ small[::2, ::5], x[rows, columns], y[::2, ::5])
    once = np.broadcast_to(x[0, :16], (5000, 16))
    agrees(da.broadcast_to(ours[0, :16], (5000, 16)) @ small[:, :4], once, y[:, :4])


def test_what_is_computed_from() -> None:
    """Pending operands, another dtype beside, `out`, and what is computed from the product."""
    x, y = matrix((70000, 6), "float32", 3), matrix((6, 4), "float32", 4)
    ours, small = da.asarray(x), da.asarray(y)
    agrees((2 * ours) @ (small + small), 2 * x, 2 * y)
    got = host((ours < 0) @ small)
    np.testing.assert_allclose(got, (x < 0) @ y.astype("float64"), rtol=1e-5, atol=1e-5)
    out = da.zeros((70000, 4), dtype="float32")
    agrees(da.matmul(ours, small, out=out), x, y)
    agrees(out, x, y)
    agrees(da.einsum("ik,kj->ij", ours, small), x, y)
    nearest = host(((small * small).sum(axis=0) - 2 * (ours @ small)).argmin(axis=1))
    distances = (y.astype("float64") ** 2).sum(axis=0) - 2 * (x.astype("float64") @ y)
    chosen = np.take_along_axis(distances, nearest[:, None], 1)[:, 0]
    np.testing.assert_allclose(chosen, distances.min(axis=1), rtol=1e-4, atol=1e-4)


def test_no_finite_values() -> None:
    x, y = np.ones((66000, 3), "float32"), np.eye(3, 2, dtype="float32")
    x[5, 0], x[70, 1], x[65999, 2] = np.nan, np.inf, -np.inf
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(host(da.asarray(x) @ da.asarray(y)), x @ y)


def test_written_operands() -> None:
    """Products are of what their operands held when they were asked for."""
    x, y = matrix((66000, 9), "float32", 5), matrix((9, 5), "float32", 6)
    ours, small, results = da.asarray(x), da.asarray(y), []
    for _ in range(3):
        results.append(ours @ small)
        ours += 1
        small *= 2
    for result in results:
        agrees(result, x, y)
        x, y = x + np.float32(1), y * 2


def test_gpus_have_a_kernel_for_them(device: da.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    if device.strategy != "gpu":
        pytest.skip("CPUs have NumPy's BLAS")
    from devarray.linalg import tall_products

    asked: list[tuple[int, ...]] = []
    run = tall_products.run_planned

    def noted(planner: Any, roles: Any, arrays: Any, *options: Any) -> None:
        asked.append(arrays[-1].shape)
        run(planner, roles, arrays, *options)

    monkeypatch.setattr(tall_products, "run_planned", noted)
    x = da.ones((70000, 16), dtype="float32")
    for columns in (2, 16, 17):
        x @ da.ones((16, columns), dtype="float32")
    assert asked == [(70000, 2), (70000, 16)]
