"""Products of tall, narrow matrices agree with NumPy's for every number of columns, place and distance of rows."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from launching import GPU, compiles_for_cuda, needs_nvrtc
from planned import execute, view, whole
from runtimes import Runtime

from devarray.codegen.kernels import tall_product
from devarray.codegen.kernels.launches import View
from devarray.codegen.kernels.tall_product import plan_tall_product

# On both sides of a vector, of a block, and of a row's work-items; 37 rows are less than a group's.
COLUMNS = (2, 3, 4, 5, 8, 12, 13, 16, 24, 31, 32)


def whole_numbers(shape: tuple[int, ...], dtype: str, seed: int) -> np.ndarray:
    """Small enough for every product and sum to be exact."""
    return np.random.default_rng(seed).integers(-3, 4, shape).astype(dtype)


def alignment(array: np.ndarray) -> int:
    place = whole(array)[1] | 16
    return place & -place


def product(runtime: Runtime, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    out, counter = np.full((a.shape[1], b.shape[1]), np.nan, a.dtype), np.zeros(1, np.int32)
    arrays = {"a": a, "b": b, "counter": counter, "out": out}
    views = [view(role, array) for role, array in arrays.items()]
    execute(runtime, plan_tall_product(*views, (alignment(a), alignment(b)), runtime.dialect), arrays)
    assert counter[0] == 0
    return out


def pairs(dtype: str, wanted: tuple[int, ...] = COLUMNS) -> list[tuple[int, int]]:
    """Those that the core's `is_tall_product` takes."""
    most = 4096 // np.dtype(dtype).itemsize
    sides = {columns: 1 << (columns - 1).bit_length() for columns in wanted}
    return [(m, n) for m, n in itertools.product(wanted, wanted) if sides[m] * sides[n] <= most]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.heavy
def test_any_number_of_columns(quick_runtime: Runtime, dtype: str) -> None:
    for m, n in pairs(dtype)[::17]:
        for rows in (37, 4099):
            a, b = whole_numbers((rows, m), dtype, m), whole_numbers((rows, n), dtype, n + 100)
            np.testing.assert_array_equal(product(quick_runtime, a, b), a.T @ b)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_any_number_of_columns_can_be_shared(dtype: str) -> None:
    for m, n in pairs(dtype, tuple(range(2, 33))):
        a, b = View.contiguous("a", dtype, (70000, m)), View.contiguous("b", dtype, (70000, n))
        for at in (16, a.itemsize):
            first, second = (m, tall_product.width_of(a, at)), (n, tall_product.width_of(b, at))
            left, right = tall_product._shared(first, second, a.itemsize)
            assert left.lanes * right.lanes <= 32 and left.block * left.lanes >= m and right.block * right.lanes >= n


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.heavy
def test_any_place_and_distance_of_rows(runtime: Runtime, dtype: str) -> None:
    a, b = whole_numbers((3001, 24), dtype, 1), whole_numbers((3001, 9), dtype, 2)
    cuts: list[Any] = [np.s_[:, :8], np.s_[:, 1:9], np.s_[::-1, 2:18], np.s_[::2, 4:8], np.s_[5::3, :7]]
    for cut in cuts:
        x, y = a[cut], b[cut][:, :4]
        np.testing.assert_array_equal(product(runtime, x, y), x.T @ y)
        np.testing.assert_array_equal(product(runtime, x, x), x.T @ x)


def test_every_number_of_rows_around_a_turn(quick_runtime: Runtime) -> None:
    for rows in (1, 2, 63, 64, 65, 127, 255, 256, 257, 511, 513, 1025):
        a, b = whole_numbers((rows, 16), "float32", 1), whole_numbers((rows, 8), "float32", 2)
        np.testing.assert_array_equal(product(quick_runtime, a, b), a.T @ b)


def test_nothing_is_left_out(runtime: Runtime) -> None:
    a, b = np.zeros((2000, 5), "f4"), np.ones((2000, 3), "f4")
    b[7, 1], a[1999, 4], b[1000, 2], a[1000, 2] = np.inf, np.nan, -np.inf, 2
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(product(runtime, a, b), a.T @ b)


def test_errors_are_those_of_many_short_sums(quick_runtime: Runtime) -> None:
    rng = np.random.default_rng(3)
    a, b = rng.random((200_001, 6), "f4"), rng.random((200_001, 7), "f4")
    wanted = a.astype("f8").T @ b.astype("f8")
    assert (abs(product(quick_runtime, a, b) - wanted) <= 2e-6 * wanted).all()


@needs_nvrtc
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("aligned", [True, False])
@pytest.mark.heavy
def test_compiles_for_cuda(dtype: str, aligned: bool) -> None:
    for m, n in pairs(dtype, (2, 5, 16)):
        a, b = View.contiguous("a", dtype, (70000, m)), View.contiguous("b", dtype, (70000, n))
        counter, out = View.contiguous("counter", "int32", (1,)), View.contiguous("out", dtype, (m, n))
        at = 16 if aligned else a.itemsize
        (launch,) = plan_tall_product(a, b, counter, out, (at, at), GPU).launches
        assert compiles_for_cuda(launch.source)


def test_rows_are_loaded_as_wide_as_they_lie() -> None:
    for shape, stride, at, width in [
        ((9, 8), 32, 16, 4),
        ((9, 8), 32, 8, 2),
        ((9, 8), 40, 16, 2),
        ((9, 6), 32, 16, 2),
        ((9, 5), 32, 16, 1),
        ((9, 8), 36, 16, 1),
    ]:
        assert tall_product.width_of(View("a", "float32", shape, (stride, 4)), at) == width
