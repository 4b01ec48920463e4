"""NumPy's parameters of decompositions: triangles, modes, and limits of singular values."""

from __future__ import annotations

import numpy as np
import pytest
from agreement import agree

pytestmark = pytest.mark.filterwarnings("ignore")
RNG = np.random.default_rng(0)
X = RNG.random((4, 6))
STACK = RNG.random((3, 4, 4))
HERMITIAN = STACK + STACK.swapaxes(-1, -2)


@pytest.mark.parametrize("triangle", ["L", "U", "l", "u", "X"])
def test_either_triangle_is_read(triangle: str) -> None:
    agree(lambda xp, a: xp.linalg.eigh(a, triangle)[0], STACK)
    agree(lambda xp, a: xp.linalg.eigvalsh(a, UPLO=triangle), STACK + 1j * STACK[::-1])


def test_numpys_eigenvalues_are_real_where_all_are() -> None:
    for x in (HERMITIAN, np.array([[2, 0], [1, 3]]), np.array([[0.0, -1], [1, 0]]), HERMITIAN + 0j):
        agree(lambda xp, a: np.sort(np.linalg.eigvals(a)), x)
        agree(lambda xp, a: np.sort(np.linalg.eig(a)[0]), x)


@pytest.mark.parametrize("mode", ["reduced", "complete", "r", "raw", "none"])
def test_modes_of_qr(mode: str) -> None:
    for x in (STACK[0], STACK[:, :3], STACK[:, :, :2]):
        agree(lambda xp, a: xp.linalg.qr(a, mode), x)


def test_hermitian_matrices_by_their_lower_triangle() -> None:
    lower = np.tril(HERMITIAN)
    agree(lambda xp, a: xp.linalg.svd(a, True, False, True), lower)
    agree(lambda xp, a: xp.linalg.pinv(a, hermitian=True), lower)
    agree(lambda xp, a: xp.linalg.matrix_rank(a, hermitian=True), lower)


def test_limits_of_singular_values() -> None:
    agree(lambda xp, a: xp.linalg.matrix_rank(a, 0.5), STACK)
    agree(lambda xp, a: xp.linalg.matrix_rank(A=a, rtol=0.2), STACK)
    agree(lambda xp, a: xp.linalg.matrix_rank(a, 0.5, rtol=0.2), STACK)
    agree(lambda xp, a: xp.linalg.matrix_rank(a), X[0])
    agree(lambda xp, a: xp.linalg.pinv(a, 0.3), STACK)
    agree(lambda xp, a: xp.linalg.pinv(a, 0.3, rtol=0.3), STACK)
    for rtol in ([0.3], [0.3, 0.3, 0.3], [[0.3]]):
        agree(lambda xp, a, rtol=rtol: xp.linalg.pinv(a, rtol=xp.asarray(rtol)), STACK)
        agree(lambda xp, a, rtol=rtol: xp.linalg.pinv(a, rtol), STACK[0])


@pytest.mark.parametrize("dtype", ["int32", "bool", "float16", "float32", "complex64"])
def test_inverses_of_nothing(dtype: str) -> None:
    agree(lambda xp, a: xp.linalg.pinv(a), np.zeros((0, 3), dtype))
    agree(lambda xp, a: xp.linalg.pinv(a), np.zeros((2, 3, 0), dtype))
