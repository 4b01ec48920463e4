"""Factors and eigenvalues of matrices, as the Array API standard's extension ``linalg`` names them."""

from __future__ import annotations

from typing import Literal, NamedTuple

from devarray.array import Array
from devarray.errors import ValueError
from devarray.linalg.backend import decompositions
from devarray.linalg.checks import square, stack

__all__ = [
    "EigResult",
    "EighResult",
    "QRResult",
    "SVDResult",
    "cholesky",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "qr",
    "svd",
    "svdvals",
]


class EigResult(NamedTuple):
    """What :func:`eig` returns."""

    eigenvalues: Array
    eigenvectors: Array


class EighResult(NamedTuple):
    """What :func:`eigh` returns."""

    eigenvalues: Array
    eigenvectors: Array


class QRResult(NamedTuple):
    """What :func:`qr` returns."""

    Q: Array
    R: Array


class SVDResult(NamedTuple):
    """What :func:`svd` returns."""

    U: Array
    S: Array
    Vh: Array


def cholesky(x: Array, /, *, upper: bool = False) -> Array:
    """Cholesky factor of Hermitian positive-definite matrices: ``L @ L^H``, or ``U^H @ U`` where `upper`.

    Parameters
    ----------
    x : Array
        Of shape (..., M, M). Only one triangle is read; that the other mirrors it is not checked.
    upper : bool

    Returns
    -------
    Array
        Of the shape of `x`, zeros in the other triangle.

    Raises
    ------
    LinAlgError
        Where a matrix is not positive definite or not square.

    Examples
    --------
    >>> import devarray as da
    >>> da.linalg.cholesky(da.asarray([[4.0, 2.0], [2.0, 5.0]])).copy_to_host()
    array([[2., 0.],
           [1., 2.]])
    """
    x = square("cholesky", x)
    return decompositions(x).cholesky(x, bool(upper))


def qr(x: Array, /, mode: Literal["reduced", "complete"] = "reduced") -> QRResult:
    """QR decomposition: orthonormal columns times an upper triangle.

    Parameters
    ----------
    x : Array
        Of shape (..., M, N).
    mode : {"reduced", "complete"}
        Q of shape (..., M, K) and R of (..., K, N), where K is min(M, N), or M for "complete".

    Returns
    -------
    QRResult
        Of fields Q and R.

    Examples
    --------
    >>> import devarray as da
    >>> q, r = da.linalg.qr(da.asarray([[3.0, 1.0], [4.0, 2.0]]))
    >>> q.shape, round(abs(r[0, 0]).item(), 9)
    ((2, 2), 5.0)
    """
    x = stack("qr", x)
    if mode not in ("reduced", "complete"):
        raise ValueError(f"qr: mode is 'reduced' or 'complete', not {mode!r}")
    return QRResult(*decompositions(x).qr(x, mode))


def eigh(x: Array, /) -> EighResult:
    """Eigenvalues, ascending, and orthonormal eigenvectors of Hermitian matrices. The lower triangle is read.

    Parameters
    ----------
    x : Array
        Of shape (..., M, M).

    Returns
    -------
    EighResult
        `eigenvalues` of shape (..., M), real; `eigenvectors` of the shape and dtype of `x`, one in each column.

    Raises
    ------
    LinAlgError
        Where a matrix is not square or the iteration does not converge.

    Examples
    --------
    >>> import devarray as da
    >>> values, vectors = da.linalg.eigh(da.asarray([[2.0, 0.0], [0.0, 1.0]]))
    >>> values.copy_to_host().round(9)
    array([1., 2.])
    """
    x = square("eigh", x)
    return EighResult(*decompositions(x).eigh(x))


def eigvalsh(x: Array, /) -> Array:
    """Eigenvalues, ascending, of Hermitian matrices of shape (..., M, M). The lower triangle is read.

    Raises
    ------
    LinAlgError
        Where a matrix is not square or the iteration does not converge.

    Examples
    --------
    >>> import devarray as da
    >>> da.linalg.eigvalsh(da.asarray([[0.0, 1.0], [1.0, 0.0]])).shape
    (2,)
    """
    x = square("eigvalsh", x)
    return decompositions(x).eigvalsh(x)


def eig(x: Array, /) -> EigResult:
    """Eigenvalues and right eigenvectors of square matrices, both complex.

    Parameters
    ----------
    x : Array
        Of shape (..., M, M).

    Returns
    -------
    EigResult
        `eigenvalues` of shape (..., M), in no order; `eigenvectors` of shape (..., M, M), columns of length 1.

    Raises
    ------
    LinAlgError
        Where a matrix is not square, is not finite, or the iteration does not converge.

    Examples
    --------
    >>> import devarray as da
    >>> da.linalg.eig(da.asarray([[1.0, 0.0], [0.0, 3.0]])).eigenvalues.copy_to_host()
    array([1.+0.j, 3.+0.j])
    """
    x = square("eig", x)
    return EigResult(*decompositions(x).eig(x))


def eigvals(x: Array, /) -> Array:
    """Eigenvalues of square matrices of shape (..., M, M): complex, of shape (..., M), in no order.

    Raises
    ------
    LinAlgError
        Where a matrix is not square, is not finite, or the iteration does not converge.

    Examples
    --------
    >>> import devarray as da
    >>> da.linalg.eigvals(da.asarray([[1.0, 0.0], [0.0, 3.0]])).copy_to_host()
    array([1.+0.j, 3.+0.j])
    """
    x = square("eigvals", x)
    return decompositions(x).eigvals(x)


def svd(x: Array, /, full_matrices: bool = True) -> SVDResult:
    """Singular value decomposition ``U @ diag(S) @ Vh``.

    Parameters
    ----------
    x : Array
        Of shape (..., M, N).
    full_matrices : bool
        Whether U is (..., M, M) and Vh (..., N, N), or only their first min(M, N) columns and rows.

    Returns
    -------
    SVDResult
        Of fields U, S (real, descending) and Vh.

    Raises
    ------
    LinAlgError
        Where the iteration does not converge.

    Examples
    --------
    >>> import devarray as da
    >>> da.linalg.svd(da.asarray([[0.0, 2.0], [1.0, 0.0]])).S.copy_to_host().round(9)
    array([2., 1.])
    """
    x = stack("svd", x)
    return SVDResult(*decompositions(x).svd(x, bool(full_matrices)))


def svdvals(x: Array, /) -> Array:
    """Singular values, descending, of matrices of shape (..., M, N).

    Examples
    --------
    >>> import devarray as da
    >>> da.linalg.svdvals(da.asarray([[0.0, 2.0], [1.0, 0.0]])).copy_to_host().round(9)
    array([2., 1.])
    """
    x = stack("svdvals", x)
    return decompositions(x).svdvals(x)
