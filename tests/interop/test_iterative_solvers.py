"""SciPy's iterative solvers on dense matrices of the device, which they take by ``matvec`` and ``rmatvec``."""

from __future__ import annotations

import numpy as np
import pytest

import devarray as da

linalg = pytest.importorskip("scipy.sparse.linalg")

N = 30
RNG = np.random.default_rng(4)
POSITIVE = (lambda a: a @ a.T + N * np.eye(N))(RNG.standard_normal((N, N)))
COMPLEX = RNG.standard_normal((N, 7)) + 1j * RNG.standard_normal((N, 7))
B = RNG.standard_normal(N)


@pytest.mark.parametrize("solver", ["cg", "gmres", "bicgstab", "minres", "lgmres"])
def test_solvers_take_a_matrix(solver: str) -> None:
    solve = getattr(linalg, solver)
    with da.use(fallback="allow"):
        found, status = solve(da.asarray(POSITIVE), da.asarray(B), rtol=1e-10)
        found = np.asarray(found)  # since SciPy 1.18 minres gives what the matrix's products are
    assert status == 0
    np.testing.assert_allclose(POSITIVE @ found, B, atol=1e-6)


def test_eigenvalues_and_singular_values_of_a_matrix() -> None:
    with da.use(fallback="allow"):
        values = linalg.eigsh(da.asarray(POSITIVE), k=3, which="LA", return_eigenvectors=False)
        singular = linalg.svds(da.asarray(COMPLEX), k=2, return_singular_vectors=False)
        values, singular = np.asarray(values), np.asarray(singular)
    np.testing.assert_allclose(np.sort(values), np.linalg.eigvalsh(POSITIVE)[-3:], rtol=1e-8)
    np.testing.assert_allclose(np.sort(singular), np.sort(np.linalg.svd(COMPLEX)[1])[-2:], rtol=1e-8)


@pytest.mark.parametrize("matrix", [POSITIVE, COMPLEX])
def test_operators_of_a_matrix(matrix: np.ndarray) -> None:
    x = da.asarray(matrix)
    v, w = RNG.standard_normal(matrix.shape[1]), RNG.standard_normal(matrix.shape[0])
    with da.use(fallback="allow"):
        operator = linalg.aslinearoperator(x)
        assert operator.shape == matrix.shape and operator.dtype == matrix.dtype
        np.testing.assert_allclose(np.asarray(operator.matvec(v)), matrix @ v, rtol=1e-12)
        np.testing.assert_allclose(np.asarray(operator.rmatvec(w)), matrix.conj().T @ w, rtol=1e-12)
        np.testing.assert_allclose(np.asarray((2 * operator).H @ w), 2 * matrix.conj().T @ w, rtol=1e-12)
    np.testing.assert_allclose(x.matvec(da.asarray(v)).copy_to_host(), matrix @ v, rtol=1e-12)


@pytest.mark.parametrize("shape", [(), (3,), (2, 2, 2)])
def test_only_matrices_have_these_products(shape: tuple[int, ...]) -> None:
    x = da.ones(shape)
    assert not hasattr(x, "matvec") and not hasattr(x, "rmatvec")
