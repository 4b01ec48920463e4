"""Factors and eigenvalues of matrices, as the Array API standard's extension ``linalg`` names them."""

from __future__ import annotations

from typing import Any, NamedTuple

from devarray.array import Array
from devarray.errors import ValueError
from devarray.linalg import host
from devarray.linalg.backend import decompositions
from devarray.linalg.checks import mirrored, square, stack
from devarray.linalg.products import matmul
from devarray.linalg.tall_qr import suits, tall_qr, tall_r

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


def cholesky(a: Array, /, *, upper: bool = False) -> Array:
    """Cholesky factors of Hermitian positive-definite matrices: ``L @ L^H``, or ``U^H @ U`` with `upper`.

    Parameters
    ----------
    a : array_like
        Of shape ``(..., M, M)``. Only one triangle is read; that the other one mirrors it is not checked.
    upper : bool
        Whether to return the upper factor. False by default.

    Returns
    -------
    Array
        Of the shape of `a`, zeros in the other triangle.

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
    a = square("cholesky", a)
    return decompositions(a).cholesky(a, bool(upper))


def qr(a: Array, mode: str = "reduced") -> Any:
    """QR decomposition of matrices: orthonormal columns times an upper triangle.

    Parameters
    ----------
    a : array_like
        Of shape ``(..., M, N)``. Integers are taken as float64.
    mode : {"reduced", "complete", "r", "raw"}
        Whether K is min(M, N) (the default), or M; "r" returns R alone, of the first kind, and "raw" what LAPACK's
        geqrf does: the transposed reflectors above which R lies, and their factors.

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
    a = stack("qr", a)
    if mode == "raw":
        return host.raw_qr(a)
    if mode == "r":
        r = tall_r(a) if suits(a) else None
        return decompositions(a).qr(a, "reduced")[1] if r is None else r
    if mode == "reduced" and suits(a) and (made := tall_qr(a)) is not None:
        return QRResult(*made)
    if mode not in ("reduced", "complete"):
        raise ValueError(f"qr: Unrecognized mode {mode!r}; it is 'reduced', 'complete', 'r' or 'raw'")
    return QRResult(*decompositions(a).qr(a, mode))


def _lower(name: str, x: Array, triangle: str) -> Array:
    """Hermitian matrices of which the lower triangle is as the one that is to be read."""
    if not isinstance(triangle, str) or triangle.upper() not in ("L", "U"):
        raise ValueError(f"{name}: UPLO argument must be 'L' or 'U', not {triangle!r}")
    return x if triangle.upper() == "L" else (x.mT.conj() if x.dtype.kind == "c" else x.mT)


def eigh(a: Array, UPLO: str = "L") -> EighResult:
    """Eigenvalues and orthonormal eigenvectors of Hermitian matrices.

    Parameters
    ----------
    a : array_like
        Of shape ``(..., M, M)``. Only one triangle is read. Integers are taken as float64.
    UPLO : {"L", "U"}
        Which triangle is read: the lower one by default.

    Returns
    -------
    eigenvalues : Array
        Real, ascending, of shape ``(..., M)``.
    eigenvectors : Array
        Of the shape and dtype of `a`, one in each column.

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
    a = _lower("eigh", square("eigh", a), UPLO)
    return EighResult(*decompositions(a).eigh(a))


def eigvalsh(a: Array, UPLO: str = "L") -> Array:
    """Eigenvalues of Hermitian matrices, ascending.

    Parameters
    ----------
    a : array_like
        Of shape ``(..., M, M)``. Only one triangle is read. Integers are taken as float64.
    UPLO : {"L", "U"}
        Which triangle is read: the lower one by default.

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
    a = _lower("eigvalsh", square("eigvalsh", a), UPLO)
    return decompositions(a).eigvalsh(a)


def eig(a: Array) -> EigResult:
    """Eigenvalues and right eigenvectors of square matrices.

    Parameters
    ----------
    a : array_like
        Of shape ``(..., M, M)``. Integers are taken as float64.

    Returns
    -------
    eigenvalues : Array
        Complex, of shape ``(..., M)``, in no order; of ``numpy.linalg``'s function real where all are.
    eigenvectors : Array
        Of shape ``(..., M, M)`` and the values' dtype, columns of length 1.

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
    a = square("eig", a)
    return EigResult(*decompositions(a).eig(a))


def eigvals(a: Array) -> Array:
    """Eigenvalues of square matrices.

    Parameters
    ----------
    a : array_like
        Of shape ``(..., M, M)``. Integers are taken as float64.

    Returns
    -------
    Array
        Complex, of shape ``(..., M)``, in no order; of ``numpy.linalg``'s function real where all are.

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
    a = square("eigvals", a)
    return decompositions(a).eigvals(a)


def svd(a: Array, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    """Singular value decomposition of matrices: ``U @ diag(S) @ Vh``.

    Parameters
    ----------
    a : array_like
        Of shape ``(..., M, N)``. Integers are taken as float64.
    full_matrices : bool
        Whether U and Vh are square (the default), or only their first K = min(M, N) columns and rows.
    compute_uv : bool
        Whether U and Vh are computed, too. True by default.
    hermitian : bool
        Whether to take the matrices as Hermitian, of which the lower triangle is read. False by default.

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
    a = stack("svd", a)
    if hermitian:
        a = mirrored("svd", a)
    if not compute_uv:
        return svdvals(a)
    if not full_matrices and suits(a) and (made := tall_qr(a)) is not None:
        q, r = made
        left, values, right = decompositions(r).svd(r, False)
        return SVDResult(matmul(q, left), values, right)
    return SVDResult(*decompositions(a).svd(a, bool(full_matrices)))


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
    if suits(x) and (r := tall_r(x)) is not None:
        x = r
    return decompositions(x).svdvals(x)
