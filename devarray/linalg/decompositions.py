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
    """Cholesky factors of Hermitian positive-definite matrices: ``L @ L^H``, or ``U^H @ U`` with `upper`.

    Parameters
    ----------
    x : array_like
        Of shape ``(..., M, M)``. Only one triangle is read; that the other one mirrors it is not checked.
    upper : bool
        Whether to return the upper factor. False by default.

    Returns
    -------
    Array
        Of the shape of `x`, zeros in the other triangle.

    Raises
    ------
    LinAlgError
        Where a matrix is not positive definite or not square.
    DTypeError
        For float16.

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
    """QR decomposition of matrices: orthonormal columns times an upper triangle.

    Parameters
    ----------
    x : array_like
        Of shape ``(..., M, N)``. Integers are taken as float64.
    mode : {"reduced", "complete"}
        Whether K is min(M, N) (the default), or M.

    Returns
    -------
    Q : Array
        Of shape ``(..., M, K)``.
    R : Array
        Of shape ``(..., K, N)``.

    Raises
    ------
    ValueError
        For another `mode`.
    LinAlgError
        For an array of fewer than two axes.
    DTypeError
        For float16.

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
    """Eigenvalues and orthonormal eigenvectors of Hermitian matrices.

    Parameters
    ----------
    x : array_like
        Of shape ``(..., M, M)``. Only the lower triangle is read. Integers are taken as float64.

    Returns
    -------
    eigenvalues : Array
        Real, ascending, of shape ``(..., M)``.
    eigenvectors : Array
        Of the shape and dtype of `x`, one in each column.

    Raises
    ------
    LinAlgError
        Where a matrix is not square or the iteration does not converge.
    DTypeError
        For float16.

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
    """Eigenvalues of Hermitian matrices, ascending.

    Parameters
    ----------
    x : array_like
        Of shape ``(..., M, M)``. Only the lower triangle is read. Integers are taken as float64.

    Returns
    -------
    Array
        Real, of shape ``(..., M)``.

    Raises
    ------
    LinAlgError
        Where a matrix is not square or the iteration does not converge.
    DTypeError
        For float16.

    Examples
    --------
    >>> import devarray as da
    >>> da.linalg.eigvalsh(da.asarray([[0.0, 1.0], [1.0, 0.0]])).shape
    (2,)
    """
    x = square("eigvalsh", x)
    return decompositions(x).eigvalsh(x)


def eig(x: Array, /) -> EigResult:
    """Eigenvalues and right eigenvectors of square matrices.

    Parameters
    ----------
    x : array_like
        Of shape ``(..., M, M)``. Integers are taken as float64.

    Returns
    -------
    eigenvalues : Array
        Complex, of shape ``(..., M)``, in no order.
    eigenvectors : Array
        Complex, of shape ``(..., M, M)``, columns of length 1.

    Raises
    ------
    LinAlgError
        Where a matrix is not square, is not finite, or the iteration does not converge.
    DTypeError
        For float16.

    Examples
    --------
    >>> import devarray as da
    >>> da.linalg.eig(da.asarray([[1.0, 0.0], [0.0, 3.0]])).eigenvalues.copy_to_host()
    array([1.+0.j, 3.+0.j])
    """
    x = square("eig", x)
    return EigResult(*decompositions(x).eig(x))


def eigvals(x: Array, /) -> Array:
    """Eigenvalues of square matrices.

    Parameters
    ----------
    x : array_like
        Of shape ``(..., M, M)``. Integers are taken as float64.

    Returns
    -------
    Array
        Complex, of shape ``(..., M)``, in no order.

    Raises
    ------
    LinAlgError
        Where a matrix is not square, is not finite, or the iteration does not converge.
    DTypeError
        For float16.

    Examples
    --------
    >>> import devarray as da
    >>> da.linalg.eigvals(da.asarray([[1.0, 0.0], [0.0, 3.0]])).copy_to_host()
    array([1.+0.j, 3.+0.j])
    """
    x = square("eigvals", x)
    return decompositions(x).eigvals(x)


def svd(x: Array, /, full_matrices: bool = True) -> SVDResult:
    """Singular value decomposition of matrices: ``U @ diag(S) @ Vh``.

    Parameters
    ----------
    x : array_like
        Of shape ``(..., M, N)``. Integers are taken as float64.
    full_matrices : bool
        Whether U and Vh are square (the default), or only their first K = min(M, N) columns and rows.

    Returns
    -------
    U : Array
        Of shape ``(..., M, M)`` or ``(..., M, K)``.
    S : Array
        Real, descending, of shape ``(..., K)``.
    Vh : Array
        Of shape ``(..., N, N)`` or ``(..., K, N)``.

    Raises
    ------
    LinAlgError
        Where the iteration does not converge, or for an array of fewer than two axes.
    DTypeError
        For float16.

    Examples
    --------
    >>> import devarray as da
    >>> da.linalg.svd(da.asarray([[0.0, 2.0], [1.0, 0.0]])).S.copy_to_host().round(9)
    array([2., 1.])
    """
    x = stack("svd", x)
    return SVDResult(*decompositions(x).svd(x, bool(full_matrices)))


def svdvals(x: Array, /) -> Array:
    """Singular values of matrices, descending.

    Parameters
    ----------
    x : array_like
        Of shape ``(..., M, N)``. Integers are taken as float64.

    Returns
    -------
    Array
        Real, of shape ``(..., min(M, N))``.

    Raises
    ------
    LinAlgError
        Where the iteration does not converge, or for an array of fewer than two axes.
    DTypeError
        For float16.

    Examples
    --------
    >>> import devarray as da
    >>> da.linalg.svdvals(da.asarray([[0.0, 2.0], [1.0, 0.0]])).copy_to_host().round(9)
    array([2., 1.])
    """
    x = stack("svdvals", x)
    return decompositions(x).svdvals(x)
