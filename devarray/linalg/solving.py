"""Determinants, inverses, ranks and linear equations."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from devarray import _core
from devarray._primitives.checks import require_array
from devarray._primitives.operands import asarray_like
from devarray._routines.creation import ranges
from devarray._routines.math import elementwise
from devarray.array import Array, normalize_axes
from devarray.errors import LinAlgError, ShapeError, ValueError
from devarray.linalg import checks, host
from devarray.linalg.backend import decompositions
from devarray.linalg.checks import cutoff, inexact, mirrored, one_device, real_dtype, require_square, square, stack
from devarray.linalg.decompositions import svd, svdvals
from devarray.linalg.host import quiet_det, quiet_slogdet
from devarray.linalg.products import matmul

__all__ = [
    "LstsqResult",
    "SlogdetResult",
    "det",
    "inv",
    "lstsq",
    "matrix_power",
    "matrix_rank",
    "pinv",
    "slogdet",
    "solve",
    "tensorinv",
    "tensorsolve",
]


class SlogdetResult(NamedTuple):
    """What :func:`slogdet` returns."""

    sign: Array
    logabsdet: Array


class LstsqResult(NamedTuple):
    """What :func:`lstsq` returns."""

    x: Array
    residuals: Array
    rank: np.int32
    s: Array


def det(a: Array) -> Array:
    """Determinants of square matrices.

    Parameters
    ----------
    a : array_like
        Of shape ``(..., M, M)``. Integers are taken as float64.

    Returns
    -------
    Array
        Of shape ``(...)``.

    Raises
    ------
    LinAlgError
        Where the matrices are not square.
    DTypeError
        For float16.

    Examples
    --------
    >>> import devarray as da
    >>> da.linalg.det(da.asarray([[2.0, 0.0], [0.0, 3.0]])).item()
    6.0
    """
    if (quick := _core.on_host(quiet_det, a)) is not None:
        return _core.as_value(quick)
    a = square("det", a)
    return _core.as_value(decompositions(a).det(a))


def slogdet(a: Array) -> SlogdetResult:
    """Signs of the determinants of square matrices, and logarithms of their magnitudes.

    Parameters
    ----------
    a : array_like
        Of shape ``(..., M, M)``. Integers are taken as float64.

    Returns
    -------
    sign : Array
        Of the dtype of `a` and shape ``(...)``; 0 for a singular matrix.
    logabsdet : Array
        Real, of the same shape; -inf for a singular matrix.

    Raises
    ------
    LinAlgError
        Where the matrices are not square.
    DTypeError
        For float16.

    Examples
    --------
    >>> import devarray as da
    >>> da.linalg.slogdet(da.asarray([[0.0, 1.0], [1.0, 0.0]])).sign.item()
    -1.0
    """
    parts = _core.on_host(quiet_slogdet, a) or decompositions(a := square("slogdet", a)).slogdet(a)
    return SlogdetResult(*map(_core.as_value, parts))


def inv(a: Array) -> Array:
    """Inverses of square matrices.

    Parameters
    ----------
    a : array_like
        Of shape ``(..., M, M)``. Integers are taken as float64.

    Returns
    -------
    Array
        Of the shape of `a`.

    Raises
    ------
    LinAlgError
        Where a matrix is singular or not square.
    DTypeError
        For float16.

    Examples
    --------
    >>> import devarray as da
    >>> da.linalg.inv(da.asarray([[2.0, 1.0], [1.0, 1.0]])).copy_to_host().round(9)
    array([[ 1., -1.],
           [-1.,  2.]])
    """
    if (quick := _core.on_host(np.linalg.inv, a)) is not None:
        return quick
    a = square("inv", a)
    return decompositions(a).inv(a)


def solve(a: Array, b: Array) -> Array:
    """Solutions of systems of linear equations, ``a @ y = b``.

    Parameters
    ----------
    a : array_like
        The coefficients, of shape ``(..., M, M)``.
    b : array_like
        Of shape ``(M,)``, one right side, or ``(..., M, K)``. Leading dimensions are broadcast.

    Returns
    -------
    Array
        Of shape ``(..., M)`` for one right side, else ``(..., M, K)``.

    Raises
    ------
    LinAlgError
        Where a matrix of `x1` is singular or not square.
    ShapeError
        Where the right sides do not fit.
    DeviceError
        For arrays of different devices.
    DTypeError
        For float16.

    Examples
    --------
    >>> import devarray as da
    >>> da.linalg.solve(da.asarray([[2.0, 0.0], [0.0, 4.0]]), da.asarray([2.0, 8.0])).copy_to_host()
    array([1., 2.])
    """
    if (quick := _core.on_host(np.linalg.solve, a, b)) is not None:
        return quick
    require_array("solve", a, b)
    one_device("solve", a, b)
    dtype = inexact("solve", a, b)
    a = square("solve", a.astype(dtype, copy=False))
    if b.ndim == 0:
        raise LinAlgError("solve: Input operand 1 does not have enough dimensions: a right side has at least one")
    columns = b.astype(dtype, copy=False)
    columns = columns[:, None] if b.ndim == 1 else columns
    if columns.shape[-2] != a.shape[-1]:
        raise ShapeError(
            f"solve: Input operand 1 has a mismatch in its core dimension 0: matrices of {a.shape[-1]} columns do not "
            f"fit right sides of {columns.shape[-2]} rows"
        )
    shape = (*_core.broadcast_shapes(a.shape[:-2], columns.shape[:-2]), *columns.shape[-2:])
    result = decompositions(a).solve(a, columns, shape)
    return result[..., 0] if b.ndim == 1 else result


def matrix_rank(A: Array, tol: Any = None, hermitian: bool = False, *, rtol: float | Array | None = None) -> Array:
    """Ranks of matrices: how many singular values are larger than `rtol` times the largest one.

    Parameters
    ----------
    A : array_like
        Of shape ``(..., M, N)``. Integers are taken as float64.
    tol : float or array_like, optional
        Singular values up to it count as zero, in place of those up to `rtol` times the largest one.
    hermitian : bool
        Whether to take the matrices as Hermitian, of which the lower triangle is read. False by default.
    rtol : float or array_like, optional
        ``max(M, N)`` times the dtype's epsilon by default; an array fits the shape of `A` without its last two axes.

    Returns
    -------
    Array
        int64, without the last two axes.

    Raises
    ------
    ValueError
        Where both of `tol` and `rtol` are given.
    DTypeError
        For float16.

    Examples
    --------
    >>> import devarray as da
    >>> da.linalg.matrix_rank(da.asarray([[1.0, 2.0], [2.0, 4.0]])).item()
    1
    """
    require_array("matrix_rank", A)
    if A.ndim < 2:
        return (A != 0).any().astype(np.int64)
    A = stack("matrix_rank", A)
    if hermitian:
        A = mirrored("matrix_rank", A)
    if tol is not None and rtol is not None:
        raise ValueError("matrix_rank: `tol` and `rtol` can't be both set: they say the same in two ways")
    if min(A.shape[-2:]) == 0:
        return _core.full(A.shape[:-2], np.int64, 0, A.queue, A.allocator)
    values = svdvals(A)
    if tol is not None:
        limit = asarray_like(tol, A)[..., None]
    else:
        limit = cutoff("matrix_rank", values, rtol, A.shape, values.dtype)
    return (values > limit).sum(axis=-1, dtype=np.int64)


def pinv(a: Array, rcond: Any = None, hermitian: bool = False, *, rtol: float | Array | None = None) -> Array:
    """Moore-Penrose inverses of matrices.

    Parameters
    ----------
    a : array_like
        Of shape ``(..., M, N)``. Integers are taken as float64.
    rcond : float or array_like, optional
        NumPy's other name of `rtol`.
    hermitian : bool
        Whether to take the matrices as Hermitian, of which the lower triangle is read. False by default.
    rtol : float or array_like, optional
        Singular values up to `rtol` times the largest one count as zero. ``max(M, N)`` times the dtype's epsilon by
        default; an array fits the shape of `a` without its last two axes.

    Returns
    -------
    Array
        Of shape ``(..., N, M)``.

    Raises
    ------
    LinAlgError
        For an array of fewer than two axes.
    ValueError
        Where both of `rcond` and `rtol` are given.
    ShapeError
        For limits that are not one for each matrix.
    DTypeError
        For float16.

    Examples
    --------
    >>> import devarray as da
    >>> da.linalg.pinv(da.asarray([[3.0], [4.0]])).copy_to_host().round(9)
    array([[0.12, 0.16]])
    """
    require_array("pinv", a)
    if rcond is not None:
        if rtol is not None:
            raise ValueError("pinv: `rtol` and `rcond` can't be both set: they are one parameter under two names")
        rtol = rcond
    if a.ndim > 1 and min(a.shape[-2:]) == 0:
        return _core.full((*a.shape[:-2], a.shape[-1], a.shape[-2]), a.dtype, 0, a.queue, a.allocator)
    a = mirrored("pinv", stack("pinv", a)) if hermitian else stack("pinv", a)
    u, s, vh = svd(a, full_matrices=False)
    large = s > cutoff("pinv", s, rtol, a.shape, s.dtype)
    if large.shape != s.shape:
        raise ShapeError(f"pinv: rtol= is a number for each matrix of {s.shape[:-1]}, not more: {large.shape[:-1]}")
    inverse = elementwise.where(large, 1 / elementwise.where(large, s, 1), 0)
    return matmul(vh.mT.conj() * inverse[..., None, :], u.mT.conj())


def lstsq(a: Array, b: Array, rcond: float | None = None) -> LstsqResult:
    """Least-squares solutions of a system of linear equations, as :func:`numpy.linalg.lstsq`.

    Of the vectors that make ``|b - a @ x|`` smallest, `x` is the shortest.

    Parameters
    ----------
    a : array_like
        The coefficients, of shape ``(M, N)``.
    b : array_like
        Of shape ``(M,)`` or ``(M, K)``.
    rcond : float, optional
        Singular values up to `rcond` times the largest count as zero: ``max(M, N)`` times the dtype's epsilon by
        default.

    Returns
    -------
    x : Array
        Of shape ``(N,)`` or ``(N, K)``.
    residuals : Array
        The squared lengths of ``b - a @ x``; empty where the rank is below N or M is not above N.
    rank : int
        The rank of `a`, which the host waits for.
    s : Array
        The singular values of `a`.

    Raises
    ------
    LinAlgError
        Where the shapes do not fit.
    DeviceError
        For arrays of different devices.
    DTypeError
        For float16.

    Examples
    --------
    >>> import devarray as da
    >>> fit = da.linalg.lstsq(da.asarray([[1.0], [1.0]]), da.asarray([1.0, 3.0]))
    >>> round(fit.x.item(), 12), int(fit.rank)
    (2.0, 1)
    """
    require_array("lstsq", a, b)
    one_device("lstsq", a, b)
    dtype = inexact("lstsq", a, b)
    checks.require_right_sides("lstsq", a, b)
    a, b = a.astype(dtype, copy=False), b.astype(dtype, copy=False)
    m, n = a.shape
    columns = b[:, None] if b.ndim == 1 else b
    residuals = None
    if min(m, n) == 0:
        rank, s = 0, _core.empty_at(a, (0,), real_dtype(dtype))
        x = _core.full((n, columns.shape[1]), dtype, 0, a.queue, a.allocator)
    elif a.device.strategy == "cpu" and (rcond is None or isinstance(rcond, int | float | np.number)):
        x, residuals, rank, s = host.lstsq(a, columns, rcond)
    else:
        u, s, vh = svd(a, full_matrices=False)
        large = s > cutoff("lstsq", s, rcond, a.shape, s.dtype)
        inverse = elementwise.where(large, 1 / elementwise.where(large, s, 1), 0)
        x = matmul(vh.mT.conj(), inverse[:, None] * matmul(u.mT.conj(), columns))
        rank = int(large.sum())
    if rank < n or m <= n:
        residuals = _core.empty_at(a, (0,), real_dtype(dtype))
    elif residuals is None:
        residuals = (abs(columns - matmul(a, x)) ** 2).sum(axis=0)
    return LstsqResult(x[:, 0] if b.ndim == 1 else x, residuals, np.int32(rank), s)


def matrix_power(a: Array, n: int) -> Array:
    """Powers of square matrices; those of the inverses where the exponent is negative.

    Parameters
    ----------
    a : array_like
        Of shape ``(..., M, M)``.
    n : int
        The exponent.

    Returns
    -------
    Array
        A new array of the shape of `a`.

    Raises
    ------
    LinAlgError
        Where the matrices are not square, or `n` is negative and one is singular.

    Examples
    --------
    >>> import devarray as da
    >>> da.linalg.matrix_power(da.asarray([[1, 1], [0, 1]]), 5).copy_to_host()
    array([[1, 5],
           [0, 1]])
    """
    require_array("matrix_power", a)
    require_square("matrix_power", a)
    n = operator.index(n)
    if n == 0:
        unit = ranges.eye(a.shape[-1], dtype=a.dtype, queue=a.queue, allocator=a.allocator)
        return _core.broadcast_to(unit, a.shape).copy()
    if n < 0:
        a, n = inv(a), -n
    if n == 1:
        return a.copy()
    half = matrix_power(a, n // 2) if n > 3 else a
    square = matmul(half, half)
    return matmul(square, a) if n % 2 else square


# --- tensors -------------------------------------------------------------------------------------------------------


def tensorsolve(a: Array, b: Array, axes: Sequence[int] | None = None) -> Array:
    """The array `x` with ``tensordot(a, x, x.ndim) == b``. Waits as :func:`solve` does.

    Parameters
    ----------
    a : array_like
        Of shape ``b.shape + x.shape``, as many elements in both parts.
    b : array_like
        The right side.
    axes : sequence of int, optional
        Axes of `a` to move behind the others first.

    Returns
    -------
    Array
        Of shape ``a.shape[b.ndim:]``.

    Raises
    ------
    LinAlgError
        Where the parts differ in size, or `a` is singular.

    Examples
    --------
    >>> import devarray as da
    >>> a = da.reshape(da.eye(4), (4, 2, 2))
    >>> da.linalg.tensorsolve(a, da.asarray([1.0, 2.0, 3.0, 4.0])).copy_to_host()
    array([[1., 2.],
           [3., 4.]])
    """
    require_array("tensorsolve", a, b)
    if axes is not None:
        last = normalize_axes(axes, a.ndim)
        a = _core.permute(a, [*(i for i in range(a.ndim) if i not in last), *last])
    shape = a.shape[-(a.ndim - b.ndim) :]  # NumPy's, who counts from the end also where b has as many axes, or more
    if prod(shape) ** 2 != a.size or b.size != prod(shape):
        raise LinAlgError(
            "tensorsolve: Input arrays must satisfy the requirement prod(a.shape[b.ndim:]) == prod(a.shape[:b.ndim]): "
            f"a of shape {a.shape} does not fall into two equal parts by b of {b.shape}"
        )
    return solve(a.reshape(b.size, b.size), b.reshape(-1)).reshape(shape)


def tensorinv(a: Array, ind: int = 2) -> Array:
    """The inverse of an array for :func:`tensordot` over its last axes. Waits as :func:`inv` does.

    Parameters
    ----------
    a : array_like
        As many elements in the first `ind` axes as in the others.
    ind : int
        Number of the first axes, at least 1. 2 by default.

    Returns
    -------
    Array
        Of shape ``a.shape[ind:] + a.shape[:ind]``.

    Raises
    ------
    LinAlgError
        Where the parts differ in size, or `a` is singular.
    ValueError
        For an `ind` below 1.

    Examples
    --------
    >>> import devarray as da
    >>> da.linalg.tensorinv(da.reshape(2 * da.eye(4), (4, 2, 2)), ind=1).shape
    (2, 2, 4)
    """
    require_array("tensorinv", a)
    if ind <= 0:
        raise ValueError(f"tensorinv: Invalid ind argument: it is the number of the first axes, at least 1, not {ind}")
    first, last = a.shape[:ind], a.shape[ind:]
    if prod(first) != prod(last):
        raise LinAlgError(f"tensorinv: Last 2 dimensions of the array must be square, not {a.shape} behind axis {ind}")
    return inv(a.reshape(prod(first), prod(last))).reshape(last + first)
