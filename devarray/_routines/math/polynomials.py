"""NumPy's functions of polynomials, whose coefficients are rows from the highest power to the lowest."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from devarray import _core
from devarray._primitives.host_calls import to_host
from devarray._primitives.join import concat
from devarray._primitives.operands import as_arrays, asarray_like
from devarray._routines.creation.ranges import arange
from devarray._routines.math.elementwise import logical_not
from devarray._routines.math.poly1d import as_ours, horner
from devarray._routines.math.signals import convolve
from devarray._routines.sorting.searching import flatnonzero
from devarray._routines.sorting.sorting import sort
from devarray.array import OP, Array
from devarray.errors import ShapeError, ValueError
from devarray.linalg.decompositions import eigvals

if TYPE_CHECKING:
    from devarray._typing import ArrayLike, DTypeLike

__all__ = [
    "poly",
    "polyadd",
    "polyder",
    "polydiv",
    "polyint",
    "polymul",
    "polysub",
    "polyval",
    "roots",
]


def _zeros(size: int, dtype: DTypeLike | None, like: Array) -> Array:
    return _core.full((size,), np.dtype(dtype), 0, like.queue, like.allocator)


def _coefficients(name: str, *rows: object) -> list[Array]:
    found = [x.reshape(-1) if x.ndim == 0 else x for x in as_arrays(*rows)]
    for x in found:
        if x.ndim != 1:
            raise ShapeError(
                f"{name}: Input must be a rank-1 array: coefficients are a row, not of {x.ndim} dimensions"
            )
    return found


def _are_objects(*operands: object) -> bool:
    return any(isinstance(x, np.poly1d) for x in operands)


def _on_host(function: Callable[..., Any], *operands: object) -> Any:
    """Of polynomial objects, whose coefficients lie on the host, another one."""
    return as_ours(function(*map(to_host, operands)))


def polyval(p: ArrayLike, x: ArrayLike) -> Array:
    """Values of a polynomial, by Horner's rule in one kernel (several for dozens of coefficients).

    Parameters
    ----------
    p : array_like
        Coefficients, the highest power first. Those of the host become arguments of the kernel.
    x : array_like
        Where to evaluate the polynomial.

    Returns
    -------
    Array
        A new array of the shape of `x`.

    Examples
    --------
    >>> import devarray as da
    >>> da.polyval([3, 0, 1], da.asarray([1, 2, 3])).copy_to_host()
    array([ 4, 13, 28])
    """
    if isinstance(x, np.poly1d):
        return _on_host(np.polyval, p, x)
    if isinstance(p, Array):
        x = asarray_like(x, p)
    else:
        p, (x,) = np.asarray(p), as_arrays(x)
    if len(p) == 0:
        return _core.full(x.shape, x.dtype, 0, x.queue, x.allocator)
    return horner(p, x)


# --- sums and products ---------------------------------------------------------------------------------------------


def polyadd(a1: object, a2: object) -> Array:
    """Coefficients of the sum of two polynomials.

    Parameters
    ----------
    a1, a2 : array_like
        Coefficients, the highest power first.

    Returns
    -------
    Array
        A new one-dimensional array.

    Raises
    ------
    ShapeError
        For coefficients of more than one dimension.

    Examples
    --------
    >>> import devarray as da
    >>> da.polyadd(da.asarray([1, 2]), [9, 5, 4]).copy_to_host()
    array([9, 6, 6])
    """
    if _are_objects(a1, a2):
        return _on_host(np.polyadd, a1, a2)
    return _core.apply(OP["add"], *_of_one_length("polyadd", a1, a2))


def polysub(a1: object, a2: object) -> Array:
    """Coefficients of the difference of two polynomials.

    Parameters
    ----------
    a1, a2 : array_like
        Coefficients, the highest power first.

    Returns
    -------
    Array
        A new one-dimensional array.

    Raises
    ------
    ShapeError
        For coefficients of more than one dimension.

    Examples
    --------
    >>> import devarray as da
    >>> da.polysub(da.asarray([1, 2]), [9, 5, 4]).copy_to_host()
    array([-9, -4, -2])
    """
    if _are_objects(a1, a2):
        return _on_host(np.polysub, a1, a2)
    return _core.apply(OP["subtract"], *_of_one_length("polysub", a1, a2))


def _of_one_length(name: str, a1: object, a2: object) -> list[Array]:
    rows = _coefficients(name, a1, a2)
    size = max(x.size for x in rows)
    return [x if x.size == size else concat([_zeros(size - x.size, x.dtype, x), x]) for x in rows]


def polymul(a1: object, a2: object) -> Array:
    """Coefficients of the product of two polynomials. Waits for the number of leading zeros.

    Parameters
    ----------
    a1, a2 : array_like
        Coefficients, the highest power first. Leading zeros are left out.

    Returns
    -------
    Array
        A new one-dimensional array.

    Raises
    ------
    ShapeError
        For coefficients of more than one dimension.

    Examples
    --------
    >>> import devarray as da
    >>> da.polymul(da.asarray([1, 2]), [1, 0, 4]).copy_to_host()
    array([1, 2, 4, 8])
    """
    if _are_objects(a1, a2):
        return _on_host(np.polymul, a1, a2)
    first, second = (_without_leading_zeros(x) for x in _coefficients("polymul", a1, a2))
    return convolve(first, second)


def _without_leading_zeros(p: Array) -> Array:
    """One zero where there is nothing else. Waits for the number of zeros."""
    there = _core.apply(OP["not_equal"], p, 0)
    first = int(there.argmax()) if p.size else 0
    if first == 0 and not (p.size and bool(there[0])):
        return _zeros(1, p.dtype, p)
    return p[first:]


def polydiv(u: object, v: ArrayLike) -> tuple[Array, Array]:
    """Coefficients of the quotient and the remainder of two polynomials.

    A kernel for each coefficient of the quotient; waits for the number of zeros.

    Parameters
    ----------
    u : array_like
        Coefficients of the dividend, the highest power first.
    v : array_like
        Coefficients of the divisor, the highest power first.

    Returns
    -------
    quotient, remainder : Array
        Floats; the remainder has no leading zeros.

    Raises
    ------
    ShapeError
        For coefficients of more than one dimension, or none.

    Examples
    --------
    >>> import devarray as da
    >>> quotient, rest = da.polydiv(da.asarray([3.0, 5.0, 2.0]), [2.0, 1.0])
    >>> quotient.copy_to_host(), rest.copy_to_host()
    (array([1.5 , 1.75]), array([0.25]))
    """
    if _are_objects(u, v):
        return _on_host(np.polydiv, u, v)
    u, v = (x + 0.0 for x in _coefficients("polydiv", u, v))
    if v.size == 0 or u.size == 0:
        raise ShapeError("polydiv: a polynomial has at least one coefficient")
    dtype = _core.promote(u.dtype, v.dtype)
    steps = u.size - v.size + 1
    quotient, rest = _zeros(max(steps, 1), dtype, u), u.astype(dtype)
    scale = 1.0 / v[0]
    for k in range(steps):
        quotient[k] = scale * rest[k]
        rest[k : k + v.size] -= quotient[k] * v
    large = logical_not(abs(rest) <= 1e-8)  # what NumPy's allclose keeps
    first = int(large.argmax()) if bool(large.any()) else rest.size - 1
    return quotient, rest[first:]


# --- derivatives and integrals -------------------------------------------------------------------------------------


def polyder(p: ArrayLike, m: int = 1) -> Array:
    """Coefficients of a derivative of a polynomial.

    Parameters
    ----------
    p : array_like
        Coefficients, the highest power first.
    m : int
        Order of the derivative. 1 by default.

    Returns
    -------
    Array
        One-dimensional.

    Raises
    ------
    ValueError
        For a negative order.
    ShapeError
        For coefficients of more than one dimension.

    Examples
    --------
    >>> import devarray as da
    >>> da.polyder(da.asarray([1, 1, 1, 1])).copy_to_host()
    array([3, 2, 1])
    """
    if _are_objects(p):
        return _on_host(np.polyder, p, m)
    m = operator.index(m)
    if m < 0:
        raise ValueError(f"polyder: Order of derivative must be positive (see polyint), not {m}")
    (p,) = _coefficients("polyder", p)
    for _ in range(min(m, max(p.size, 1))):  # then nothing is left, in the dtype of a product
        powers = arange(p.size - 1, 0, -1, dtype=np.int64, queue=p.queue, allocator=p.allocator)
        p = p[:-1] * powers
    return p


MOST_INTEGRALS = 1000
"""NumPy, which calls itself for each integral, ends near there, too."""


def polyint(p: ArrayLike, m: int = 1, k: object = None) -> Array:
    """Coefficients of an integral of a polynomial.

    Parameters
    ----------
    p : array_like
        Coefficients, the highest power first.
    m : int
        How often to integrate, at most 1000 times. 1 by default.
    k : array_like, optional
        The constants, that of the first integral first: one for all of them, or as many as `m`. Zeros by default.

    Returns
    -------
    Array
        A new one-dimensional array of `m` coefficients more.

    Raises
    ------
    ValueError
        For a negative order, or one above 1000.
    ShapeError
        For coefficients of more than one dimension, or another number of constants.

    Examples
    --------
    >>> import devarray as da
    >>> da.polyint(da.asarray([3, 2, 1]), k=7).copy_to_host()
    array([1., 1., 1., 7.])
    """
    if _are_objects(p):
        return _on_host(np.polyint, p, m, k)
    m = operator.index(m)
    if m < 0:
        raise ValueError(f"polyint: Order of integral must be positive (see polyder), not {m}")
    if m > MOST_INTEGRALS:
        raise ValueError(f"polyint: {m} integrals; {MOST_INTEGRALS} are the most, a kernel and a coefficient each")
    p, constants = _coefficients("polyint", p, [0.0] if k is None else k)
    if constants.size == 1 and m > 1:
        constants = _core.broadcast_to(constants * 1.0, (m,))
    if constants.size < m:
        raise ShapeError(
            f"polyint: k must be a scalar or a rank-1 array of length 1 or >m: {constants.size} constants are neither "
            f"one nor {m}"
        )
    for i in range(m):
        powers = arange(p.size, 0, -1, dtype=np.int64, queue=p.queue, allocator=p.allocator)
        p = concat([p / powers, constants[i : i + 1]])
    return p


# --- zeros ---------------------------------------------------------------------------------------------------------


def poly(seq_of_zeros: object) -> Array:
    """Coefficients of the polynomial with given zeros, or of a matrix's characteristic polynomial.

    One kernel for each zero. Waits for complex zeros, to see whether each has its conjugate, and for the eigenvalues of
    a matrix.

    Parameters
    ----------
    seq_of_zeros : array_like
        The zeros, one-dimensional, or a square matrix.

    Returns
    -------
    Array
        Floats, the highest power first; real where each complex zero has its conjugate.

    Raises
    ------
    ShapeError
        For other shapes.

    Examples
    --------
    >>> import devarray as da
    >>> da.poly(da.asarray([1.0, -2.0])).copy_to_host()
    array([ 1.,  1., -2.])
    """
    (zeros,) = as_arrays(seq_of_zeros)
    if zeros.ndim == 2 and zeros.shape[0] == zeros.shape[1] > 0:
        zeros = _real_where_all_are(eigvals(zeros))
    elif zeros.ndim > 1:
        raise ShapeError(
            f"poly: input must be 1d or non-empty square 2d array: zeros, or a matrix, not of shape {zeros.shape}"
        )
    zeros = zeros.reshape(-1)
    if zeros.dtype.kind not in "fc" or zeros.dtype == np.float16:
        zeros = zeros.astype(np.float64)
    result = _zeros(zeros.size + 1, zeros.dtype, zeros)
    result[0] = 1
    for n in range(zeros.size):
        result[1 : n + 2] -= zeros[n] * result[: n + 1]
    if zeros.size == 0:
        return result.reshape(())
    if zeros.dtype.kind == "c" and bool((sort(zeros) == sort(zeros.conj())).all()):  # each has its conjugate
        return result.real.copy()
    return result


def _real_where_all_are(x: Array) -> Array:
    """The real parts where all imaginary ones are zero. Waits."""
    return x if bool((x.imag != 0).any()) else x.real


def roots(p: ArrayLike) -> Array:
    """Zeros of a polynomial, as the eigenvalues of its companion matrix. Waits for the device.

    Parameters
    ----------
    p : array_like
        Coefficients, the highest power first.

    Returns
    -------
    Array
        One-dimensional; complex, or real where all of them are.

    Raises
    ------
    ShapeError
        For coefficients of more than one dimension.

    Examples
    --------
    >>> import devarray as da
    >>> da.sort(da.roots(da.asarray([1.0, 1.0, -2.0]))).copy_to_host().round(9)
    array([-2.,  1.])
    """
    (p,) = _coefficients("roots", p)
    places = flatnonzero(p)
    if places.size == 0:
        return _zeros(0, np.float64, p)
    first, last = int(places[0]), int(places[-1])
    at_zero = p.size - last - 1
    p = p[first : last + 1]
    if p.dtype.kind not in "fc":
        p = p.astype(np.float64)
    n = p.size - 1
    if n == 0:
        return _zeros(at_zero, np.float64, p)
    companion = _core.full((n, n), p.dtype, 0, p.queue, p.allocator)
    companion.reshape(-1)[n :: n + 1] = 1
    companion[0] = -p[1:] / p[0]
    found = eigvals(companion)
    found = found if p.dtype.kind == "c" else _real_where_all_are(found).copy()
    return concat([found, _zeros(at_zero, found.dtype, p)]) if at_zero else found


# --- fitting -------------------------------------------------------------------------------------------------------
