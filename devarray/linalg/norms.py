"""Norms and condition numbers."""

from __future__ import annotations

import builtins
from math import inf

import numpy as np

from devarray._primitives.checks import require_array
from devarray._routines.creation import ranges
from devarray._routines.manipulation import shapes
from devarray._routines.manipulation.axes import moveaxis
from devarray._routines.math import elementwise
from devarray.array import Array, normalize_axes, reduce, reduced_axes
from devarray.errors import DTypeError, LinAlgError, ShapeError, ValueError
from devarray.linalg.checks import square, stack
from devarray.linalg.decompositions import svdvals
from devarray.linalg.solving import inv, slogdet

__all__ = ["cond", "matrix_norm", "norm", "vector_norm"]


def _norm_dtype(x: Array) -> np.dtype:
    if x.dtype.kind in "biu":
        return np.dtype(np.float64)
    return np.dtype(f"f{x.dtype.itemsize // 2}") if x.dtype.kind == "c" else x.dtype


def _magnitudes(x: Array, *, signed: bool = False) -> Array:
    """Magnitudes in a dtype whose squares are exact enough to add; with `signed`, real numbers keep their sign.

    A caller that gives the result a name has it written to memory as well as absorbed by the reduction.
    """
    if x.dtype.kind in "biu" or x.dtype == np.float16:
        wide = x.astype(np.float32 if x.dtype.kind == "f" else np.float64)
        return wide if signed else elementwise.abs(wide)
    return x if signed and x.dtype.kind == "f" else elementwise.abs(x)


def _power_norm(x: Array, order: float, axes: list[int], keepdims: bool) -> Array:
    """Norms of numbers over axes."""
    over = tuple(axes)
    if order == 0:
        return (x != 0).sum(axis=over, keepdims=keepdims, dtype=_norm_dtype(x))
    if order in (inf, -inf):
        if order == inf and x.size == 0:
            return reduce(_magnitudes(x), "sum", over, keepdims, consume=True)  # the largest of none: 0
        return reduce(_magnitudes(x), "max" if order == inf else "min", over, keepdims, consume=True)
    if order == 1:
        return reduce(_magnitudes(x), "sum", over, keepdims, consume=True)
    if order == 2:
        squares = elementwise.square(_magnitudes(x, signed=True))
        return elementwise.sqrt(reduce(squares, "sum", over, keepdims, consume=True))
    return reduce(_magnitudes(x) ** float(order), "sum", over, keepdims, consume=True) ** (1.0 / float(order))


def vector_norm(
    x: Array, /, *, axis: int | tuple[int, ...] | None = None, keepdims: bool = False, ord: int | float | None = 2
) -> Array:
    """Norms of vectors.

    Parameters
    ----------
    x : array_like
        The vectors.
    axis : int or tuple of int, optional
        The axes along which the vectors lie; all by default.
    keepdims : bool
        Whether the reduced axes stay, with size 1. False by default.
    ord : int or float, optional
        The power p in ``sum(abs(x)**p)**(1/p)``, 2 by default and for None; the infinities stand for the largest and
        the smallest magnitude, 0 for the number of elements that are not zero.

    Returns
    -------
    Array
        Real: of the precision of `x`, or float64 for integers.

    Raises
    ------
    ValueError
        Where `ord` is text.
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.linalg.vector_norm(da.asarray([3.0, 4.0])).item()
    5.0
    """
    require_array("vector_norm", x)
    if isinstance(ord, str):
        raise ValueError(f"vector_norm: Invalid norm order {ord!r} for vectors: it is a number")
    axes = reduced_axes(axis, x.ndim)
    return _power_norm(x, 2 if ord is None else ord, axes, keepdims).astype(_norm_dtype(x), copy=False)


def matrix_norm(x: Array, /, *, keepdims: bool = False, ord: int | float | str | None = "fro") -> Array:
    """Norms of matrices of shape (..., M, N).

    Parameters
    ----------
    x : array_like
        Of shape ``(..., M, N)``.
    keepdims : bool
        Whether the last two axes stay, with size 1. False by default.
    ord : {"fro", "nuc", 1, -1, 2, -2, inf, -inf}
        The root of the sum of squares ("fro", the default, or None); the sum of singular values ("nuc"); the largest or
        smallest sum of magnitudes along a column (1), singular value (2), or sum along a row (inf).

    Returns
    -------
    Array
        Real, without the last two axes: of the precision of `x`, or float64 for integers.

    Raises
    ------
    ValueError
        For another `ord`.
    ShapeError
        For an array of fewer than two axes.

    Examples
    --------
    >>> import devarray as da
    >>> da.linalg.matrix_norm(da.asarray([[3.0, 0.0], [0.0, 4.0]])).item()
    5.0
    """
    require_array("matrix_norm", x)
    if x.ndim < 2:
        raise ShapeError(f"matrix_norm takes arrays of at least two dimensions; this one has {x.ndim}")
    if ord in ("nuc", 2, -2):
        s = svdvals(x)
        kind = {"nuc": "sum", 2: "max", -2: "min"}[ord]
        result = reduce(s, "sum" if s.shape[-1] == 0 and ord == 2 else kind, -1, False)
        return result[..., None, None] if keepdims else result
    if ord in ("fro", None):
        result = _power_norm(x, 2, [x.ndim - 2, x.ndim - 1], keepdims)
    elif ord in (1, -1, inf, -inf):
        along = -2 if ord in (1, -1) else -1
        sums = reduce(_magnitudes(x), "sum", along, True, consume=True)
        empty = sums.shape[-1] * sums.shape[-2] == 0
        kind = "sum" if empty and ord in (1, inf) else "max" if ord in (1, inf) else "min"
        result = reduce(sums, kind, (-2, -1), keepdims)
    else:
        raise ValueError(
            f"matrix_norm: Invalid norm order for matrices. It is 1, -1, 2, -2, inf, -inf, 'fro' or 'nuc', not {ord!r}"
        )
    return result.astype(_norm_dtype(x), copy=False)


def norm(
    x: Array,
    ord: int | float | str | None = None,
    axis: int | tuple[int, ...] | None = None,
    keepdims: bool = False,
) -> Array:
    """Norms of vectors or matrices, as :func:`numpy.linalg.norm`.

    Parameters
    ----------
    x : array_like
        The array.
    ord : int, float or str, optional
        As in :func:`vector_norm` and :func:`matrix_norm`; None is the root of the sum of squares.
    axis : int or tuple of two int, optional
        One axis for vectors, two for matrices. By default the norm of the flattened array where `ord` is None, else of
        the vector or matrix that `x` is.
    keepdims : bool
        Whether the reduced axes stay, with size 1. False by default.

    Returns
    -------
    Array
        Real, without the axes.

    Raises
    ------
    ValueError
        For an `ord` that does not fit, or a missing `axis`.
    DTypeError
        Where `axis` is no integer and no tuple of them.
    LinAlgError
        For more than two axes.
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.linalg.norm(da.asarray([[3.0, 0.0], [4.0, 1.0]]), axis=0).copy_to_host()
    array([5., 1.])
    """
    require_array("norm", x)
    if ord is None and axis is None and x.dtype.kind == "f" and x.dtype != np.float16:  # the most frequent one
        return elementwise.sqrt(reduce(elementwise.square(x), "sum", None, keepdims, consume=True))
    if axis is None:
        if ord is None:
            return vector_norm(x, keepdims=keepdims)
        if x.ndim not in (1, 2):
            raise ValueError(
                f"norm: Improper number of dimensions to norm: an array of {x.ndim} needs axis= where ord is given"
            )
        axis = tuple(range(x.ndim))
    if not isinstance(axis, tuple):
        try:
            axis = (int(axis),)
        except (TypeError, builtins.ValueError):
            raise DTypeError(f"norm: 'axis' must be None, an integer or a tuple of integers, not {axis!r}") from None
    axes = normalize_axes(axis, x.ndim, "Duplicate axes given")
    if len(axes) == 1:
        if isinstance(ord, str):
            raise ValueError(f"norm: Invalid norm order {ord!r} for vectors: axis names one axis")
        return vector_norm(x, axis=axes[0], keepdims=keepdims, ord=2 if ord is None else ord)
    if len(axes) != 2:
        raise LinAlgError(f"norm: Improper number of dimensions to norm: axis names one axis or two, not {len(axes)}")
    if ord == "f":
        ord = "fro"
    result = matrix_norm(moveaxis(x, axes, (-2, -1)), ord=ord)
    return shapes.expand_dims(result, tuple(axes)) if keepdims else result


def cond(x: Array, p: int | float | str | None = None) -> Array:
    """Condition numbers of matrices; infinite for singular ones.

    Waits where it needs singular values or inverses, as :func:`svdvals` and :func:`inv` do.

    Parameters
    ----------
    x : array_like
        Of shape ``(..., M, N)``; square for other orders than None, 2 and -2.
    p : int, float or str, optional
        The norm's order: None and 2, the ratio of the largest to the smallest singular value; -2, its reciprocal; or as
        of :func:`matrix_norm`, the norm times that of the inverse.

    Returns
    -------
    Array
        Real, without the last two axes.

    Raises
    ------
    LinAlgError
        For empty matrices, and for those that are not square where they must be.
    DTypeError
        For float16.

    Examples
    --------
    >>> import devarray as da
    >>> da.linalg.cond(da.asarray([[2.0, 0.0], [0.0, 0.5]]), 1).item()
    4.0
    """
    x = stack("cond", x)
    if 0 in x.shape[-2:]:
        raise LinAlgError(f"cond is not defined on empty arrays: matrices of shape {x.shape[-2:]} have no condition")
    if p is None or p in (2, -2):
        values = svdvals(x)
        result = values[..., -1] / values[..., 0] if p == -2 else values[..., 0] / values[..., -1]
    else:
        x = square("cond", x)
        singular = slogdet(x).sign == 0
        unit = ranges.eye(x.shape[-1], dtype=x.dtype, queue=x.queue, allocator=x.allocator)
        inverse = inv(elementwise.where(singular[..., None, None], unit, x))
        result = norm(x, p, (-2, -1)) * norm(inverse, p, (-2, -1))
        result = elementwise.where(singular, inf, result)
    unknown = elementwise.isnan(x).any((-2, -1))
    return elementwise.where(elementwise.isnan(result) & ~unknown, inf, result)
