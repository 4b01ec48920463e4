"""Products of tall, narrow matrices along their long side, for which GPUs have a kernel of their own."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest
from oracle import host, skip_without

import devarray as da

pytestmark = pytest.mark.usefixtures("device")

# On both sides of the fewest rows that the kernel takes of OpenCL's and of CUDA's GPUs.
ROWS = (4095, 4097, 65535, 65537)
COLUMNS = ((1, 3), (2, 2), (7, 5), (16, 8), (16, 16), (31, 17), (32, 32), (33, 4))


def agrees(ours: da.Array, left: np.ndarray, right: np.ndarray) -> None:
    """Within the bound of any order of adding up (Higham, chapter 3)."""
    wide = np.float128 if left.dtype == np.float64 else np.float64
    wanted = left.astype(wide) @ right.astype(wide)
    got = host(ours)
    assert (got.shape, got.dtype) == (wanted.shape, left.dtype)
    bound = (left.shape[-1] + 2) * np.finfo(left.dtype).eps * (np.abs(left).astype(wide) @ np.abs(right).astype(wide))
    assert (np.abs(got - wanted) <= bound).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("rows", ROWS)
def test_every_side(rows: int, dtype: str) -> None:
    skip_without(dtype)
    rng = np.random.default_rng(rows)
    for m, n in COLUMNS if rows == 4097 else COLUMNS[2:4]:
        x, y = rng.standard_normal((rows, m)).astype(dtype), rng.standard_normal((rows, n)).astype(dtype)
        agrees(da.asarray(x).T @ da.asarray(y), x.T, y)


@pytest.mark.parametrize("order", ["C", "F"])
def test_views(order: Literal["C", "F"]) -> None:
    rng = np.random.default_rng(1)
    x = np.asarray(rng.standard_normal((9001, 20)).astype("float32"), order=order)
    ours = da.asarray(x, copy=True)
    assert ours.strides == x.strides
    for rows in (np.s_[:], np.s_[::-1], np.s_[1::2]):
        for columns in (np.s_[:8], np.s_[1:9], np.s_[4:20:2], np.s_[::-1]):
            agrees(ours[rows, :8].T @ ours[rows, columns], x[rows, :8].T, x[rows, columns])
    agrees(ours.T @ ours, x.T, x)
    agrees(da.broadcast_to(ours[0], (5000, 20)).T @ ours[:5000], np.broadcast_to(x[0], (5000, 20)).T, x[:5000])


def test_what_is_computed_from() -> None:
    """Pending operands, ones that die, another dtype beside, and `out`."""
    x = np.random.default_rng(2).standard_normal((70000, 6)).astype("float32")
    ours = da.asarray(x)
    double = 2 * x
    agrees((2 * ours).T @ (ours + ours), double.T, double)
    below = (x < 0).astype("float32")
    agrees((ours < 0).astype("float32").T @ ours, below.T, x)
    got = host((ours < 0).T @ ours)
    np.testing.assert_allclose(got, below.T.astype("float64") @ x, rtol=1e-4, atol=1e-2)
    out = da.zeros((6, 6), dtype="float32")
    agrees(da.matmul(ours.T, ours, out=out), x.T, x)
    agrees(out, x.T, x)
    agrees(da.einsum("ki,kj->ij", ours, ours), x.T, x)


def test_written_operands_and_repeated_products() -> None:
    """Products are the same each time, and of what their operands held when they were asked for."""
    x = np.random.default_rng(3).standard_normal((66000, 9)).astype("float32")
    ours, results = da.asarray(x), []
    for _ in range(3):
        results.append((ours.T @ ours, ours.T @ ours))
        ours += 1
    for first, second in results:
        np.testing.assert_array_equal(host(first), host(second))
        agrees(first, x.T, x)
        x = x + np.float32(1)


def test_no_term_is_left_out() -> None:
    x, y = np.zeros((70000, 5), "float32"), np.ones((70000, 3), "float32")
    y[7, 1], x[69999, 4], y[1000, 2], x[1000, 2] = np.inf, np.nan, -np.inf, 2
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(host(da.asarray(x).T @ da.asarray(y)), x.T @ y)
