"""Small products on CPU devices: the bits of numpy.matmul, whichever function of BLAS it calls."""

from __future__ import annotations

import numpy as np
import pytest

import devarray as da

DTYPES = ["float32", "float64", "complex64", "complex128"]
SIZES = [
    (1, 1, 1),
    (1, 5, 1),
    (1, 5, 3),
    (3, 5, 1),
    (3, 1, 4),
    (4, 4, 4),
    (3, 7, 5),
    (16, 16, 16),
    (33, 9, 20),
    (60, 64, 60),
]


def matrix(dtype: str, rows: int, columns: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng([rows, columns, seed])
    made = rng.standard_normal((rows, columns))
    if np.dtype(dtype).kind == "c":
        made = made + 1j * rng.standard_normal((rows, columns))
    return made.astype(dtype)


def laid_out(x: np.ndarray, layout: str) -> tuple[np.ndarray, da.Array]:
    """The same matrix and layout of memory on the host and on the device."""
    rows, columns = x.shape
    if layout == "rows":
        return x, da.asarray(x)
    if layout == "columns":
        turned = np.ascontiguousarray(x.T)
        return turned.T, da.asarray(turned).T
    wide = np.zeros((rows, 2 * columns + 3), x.dtype)
    part = slice(1, columns + 1) if layout == "part" else slice(None, 2 * columns, 2)
    wide[:, part] = x
    return wide[:, part], da.asarray(wide)[:, part]


@pytest.fixture(autouse=True)
def on_a_cpu(device: da.Device) -> None:
    if device.strategy != "cpu":
        pytest.skip("GPUs have products of their own")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_matrices_have_numpys_bits(dtype: str, size: tuple[int, int, int]) -> None:
    m, k, n = size
    for left in ("rows", "columns", "part", "steps"):
        for right in ("rows", "columns", "part", "steps"):
            (a, x), (b, y) = laid_out(matrix(dtype, m, k, 0), left), laid_out(matrix(dtype, k, n, 1), right)
            np.testing.assert_array_equal((x @ y).copy_to_host(), a @ b, err_msg=f"{left} by {right}")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1, 1), (1, 6), (6, 1), (4, 4), (5, 9), (31, 17), (64, 40)], ids=str)
def test_a_matrix_by_its_own_transpose_has_numpys_bits(dtype: str, shape: tuple[int, int]) -> None:
    for layout in ("rows", "columns", "part", "steps"):
        a, x = laid_out(matrix(dtype, *shape, 2), layout)
        np.testing.assert_array_equal((x @ x.T).copy_to_host(), a @ a.T, err_msg=layout)
        np.testing.assert_array_equal((x.T @ x).copy_to_host(), a.T @ a, err_msg=layout)
        stack, device_stack = np.stack([a, 2 * a]), da.stack([x, 2 * x])
        turned = device_stack.mT
        np.testing.assert_array_equal((device_stack @ turned).copy_to_host(), stack @ stack.mT, err_msg=layout)


@pytest.mark.parametrize("dtype", DTYPES)
def test_vectors_have_numpys_bits(dtype: str) -> None:
    for m, k in ((1, 1), (1, 9), (9, 1), (4, 4), (17, 31), (90, 90)):
        for layout in ("rows", "columns", "part", "steps"):
            (a, x), v = laid_out(matrix(dtype, m, k, 3), layout), matrix(dtype, k, 1, 4)[:, 0]
            w = matrix(dtype, m, 1, 5)[:, 0]
            np.testing.assert_array_equal((x @ da.asarray(v)).copy_to_host(), a @ v, err_msg=layout)
            np.testing.assert_array_equal((da.asarray(w) @ x).copy_to_host(), w @ a, err_msg=layout)
            steps = np.repeat(v, 2)
            np.testing.assert_array_equal((x @ da.asarray(steps)[::2]).copy_to_host(), a @ steps[::2], err_msg=layout)


def test_products_of_what_is_pending_and_of_the_result() -> None:
    a = matrix("float64", 8, 8, 6)
    x = da.asarray(a)
    for _ in range(20):
        x = (x + 1) @ (x * 0.1)
        a = (a + 1) @ (a * 0.1)
        x /= 9
        a /= 9
    np.testing.assert_array_equal(x.copy_to_host(), a)


@pytest.mark.parametrize(
    ("left", "right"), [("bool", "float64"), ("float32", "float64"), ("float64", "int32"), ("complex64", "float64")]
)
@pytest.mark.parametrize("size", SIZES)
def test_products_of_two_dtypes_are_those_of_the_dtype_that_both_promote_to(
    left: str, right: str, size: tuple[int, int, int]
) -> None:
    m, k, n = size
    a, b = matrix("float64", m, k, 1).astype(left), matrix("float64", k, n, 2).astype(right)
    result, expected = da.matmul(da.asarray(a), da.asarray(b)), a @ b
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result.copy_to_host(), expected)
