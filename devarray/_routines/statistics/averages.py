"""Averages, covariances and correlations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from devarray import _core
from devarray._primitives.join import concat
from devarray._primitives.operands import asarray_like, wanted_fractions
from devarray.array import OP, Array, normalize_axes
from devarray.errors import DTypeError, ShapeError, ValueError

if TYPE_CHECKING:
    from devarray._typing import DTypeLike

__all__ = ["average", "corrcoef", "cov"]

_Axis = int | tuple[int, ...] | None


class _ObservationsError(ShapeError, RuntimeError):
    """Weights that are not one for each observation, which NumPy's cov calls a RuntimeError."""


def average(
    a: Array, axis: _Axis = None, weights: Array | None = None, returned: bool = False, *, keepdims: bool = False
) -> Any:
    """Weighted mean over axes.

    Parameters
    ----------
    a : array_like
        The array.
    axis : int or tuple of int, optional
        The axes to reduce; all by default.
    weights : array_like, optional
        Of the shape of `a`, or of the size of the one axis. All equal by default.
    returned : bool
        Whether to return the sum of the weights, too. False by default.
    keepdims : bool
        Whether the reduced axes stay, with size 1. False by default.

    Returns
    -------
    Array or tuple of Array
        The mean; with `returned` a tuple of the mean and the sum of the weights, of one shape.

    Raises
    ------
    ShapeError
        Where the weights do not fit.
    DTypeError
        Where they have another shape and there is no `axis`.

    Examples
    --------
    >>> import devarray as da
    >>> da.average(da.asarray([1.0, 3.0]), weights=da.asarray([3.0, 1.0])).item()
    1.5
    """
    axis = None if axis is None else tuple(normalize_axes(axis, a.ndim))
    if weights is None:
        mean = a.mean(axis, keepdims=keepdims)
        count = a.size // mean.size if mean.size else 0
        if not returned:
            return mean
        total = _core.full(mean.shape, mean.dtype, count, a.queue, a.allocator)
        return mean, total if total.ndim else _core.as_value(total)
    wide = fitting_weights("average", a, weights, axis)
    dtype = np.result_type(a.dtype, wide.dtype, np.float64 if a.dtype.kind in "biu" else a.dtype)
    total = wide.sum(axis, dtype, keepdims=keepdims)
    mean = (a.astype(dtype, copy=False) * wide).sum(axis, dtype, keepdims=keepdims) / total
    return (mean, total) if returned else mean


def cov(
    m: Array,
    y: Array | None = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: object = None,
    aweights: object = None,
    *,
    dtype: DTypeLike | None = None,
) -> Array:
    """Covariance matrix of variables that were observed together.

    Parameters
    ----------
    m : array_like
        The observations, of one or two dimensions.
    y : array_like, optional
        More variables, joined to `m`.
    rowvar : bool
        Whether each row is a variable (the default), or each column.
    bias : bool
        Whether to divide by the number of observations N, in place of N - 1. False by default.
    ddof : int, optional
        Divide by N - `ddof`, whatever `bias` is.
    fweights : array_like of int, optional
        How often each observation was made.
    aweights : array_like, optional
        How much each observation counts.
    dtype : dtype, optional
        Of the result; at least float64 by default.

    Returns
    -------
    Array
        Of shape ``(n, n)`` for n variables, without axes for one; at least float64.

    Raises
    ------
    ShapeError
        For arrays of more than two dimensions, and weights that are not one for each observation.
    ValueError
        For a `ddof` that is no whole number, and negative weights.
    DTypeError
        For `fweights` that are no whole numbers, and a `dtype` of whole numbers.

    Examples
    --------
    >>> import devarray as da
    >>> da.cov(da.asarray([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]])).copy_to_host()
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    if ddof is not None and ddof != int(ddof):
        raise ValueError(f"cov: ddof must be integer, not {ddof}")
    if dtype is None:
        dtype = np.result_type(m.dtype, np.float64 if y is None else y.dtype, np.float64)
    dtype = wanted_fractions("cov", dtype)
    x = _variables(m, rowvar, dtype)
    if x.shape[0] == 0:
        return x.reshape(0, 0)
    if y is not None:
        x = concat([x, _variables(y, rowvar or (y.ndim == 2 and y.shape[0] == 1), dtype)], axis=0)
    less = (0 if bias else 1) if ddof is None else ddof
    often = None if fweights is None else _observed("fweights", x, fweights)
    heavy = None if aweights is None else _observed("aweights", x, aweights)
    if often is None and heavy is None:
        x = x - x.mean(1, keepdims=True)
        freedom = x.shape[1] - less
        product = x @ x.T.conj() / float(max(freedom, 0))
    else:
        weights: Any = often * heavy if often is not None and heavy is not None else heavy if often is None else often
        total = weights.sum()
        x = x - (x * weights).sum(1, keepdims=True) / total
        free = total - less * ((weights * heavy).sum() / total if heavy is not None else 1.0)
        product = x @ (x * weights).T.conj() / _core.apply(OP["maximum"], free, 0.0)
    return product.reshape([n for n in product.shape if n != 1])


def _observed(name: str, x: Array, weights: Any) -> Array:
    """One weight for each observation, not below 0. Waits."""
    weights = asarray_like(weights, x).astype(np.float64, copy=False)
    if name == "fweights" and bool((weights != _core.apply(OP["rint"], weights)).any()):
        raise DTypeError("cov: fweights must be integer: they count how often each observation was made")
    if weights.shape != x.shape[1:]:
        raise _ObservationsError(
            f"cov: {'cannot handle multidimensional' if weights.ndim > 1 else 'incompatible numbers of samples and'} "
            f"{name}: there are {x.shape[1]} observations, the weights have shape {weights.shape}"
        )
    if bool((weights < 0).any()):
        raise ValueError(f"cov: {name} cannot be negative")
    return weights


def _variables(m: Array, rowvar: bool, dtype: DTypeLike | None) -> Array:
    if m.ndim > 2:
        raise ShapeError(f"cov: m has more than 2 dimensions: arrays have one or two, not {m.ndim}")
    x = m.astype(dtype, copy=False)
    if x.ndim < 2:
        return x.reshape(1, -1)
    return x if rowvar else x.T


def corrcoef(x: Array, y: Array | None = None, rowvar: bool = True, *, dtype: DTypeLike | None = None) -> Array:
    """Matrix of the Pearson correlation coefficients of variables: see :func:`cov`.

    Parameters
    ----------
    x : array_like
        The observations, of one or two dimensions.
    y : array_like, optional
        More variables, joined to `x`.
    rowvar : bool
        Whether each row is a variable (the default), or each column.
    dtype : dtype, optional
        Of the result; at least float64 by default.

    Returns
    -------
    Array
        Of shape ``(n, n)`` for n variables, without axes for one; at least float64.

    Raises
    ------
    ShapeError
        For arrays of more than two dimensions.

    Examples
    --------
    >>> import devarray as da
    >>> da.corrcoef(da.asarray([[0.0, 1.0, 2.0], [4.0, 2.0, 0.0]])).copy_to_host().round(12)
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    c = cov(x, y, rowvar, dtype=dtype)
    if c.ndim == 0:
        return c / c
    spread = _core.apply(OP["sqrt"], _core.apply(OP["real"], c.reshape(-1)[:: c.shape[0] + 1]))
    r = c / spread.reshape(-1, 1) / spread
    return r if r.dtype.kind == "c" else r.clip(-1, 1)


def fitting_weights(name: str, x: Array, weights: Array, axis: _Axis) -> Array:
    """Weights broadcast to the shape of `x`, of which they may have the reduced axes alone."""
    if weights.shape == x.shape:
        return weights
    if axis is None:
        raise DTypeError(
            f"Axis must be specified when shapes of a and weights differ: {name}: weights of shape {weights.shape} "
            f"need axis= beside an array of shape {x.shape}"
        )
    axes = normalize_axes(axis, x.ndim)
    if weights.shape != tuple(x.shape[a] for a in axes):
        raise ShapeError(
            f"Shape of weights must be consistent with shape of a along specified axis: {name}: weights of shape "
            f"{weights.shape} do not fit {x.shape} along axis {axis}"
        )
    turned = _core.permute(weights, [int(i) for i in np.argsort(axes)])
    return _core.broadcast_to(turned.reshape([n if i in axes else 1 for i, n in enumerate(x.shape)]), x.shape)


def weights_from_zero(name: str, x: Array, weights: Array, axis: _Axis) -> Array:
    """A weight for each element, none of them negative."""
    wide = fitting_weights(name, x, weights, axis)
    if wide.dtype.kind != "b" and bool((wide < 0).any()):
        raise ValueError(f"{name}: Weights must be non-negative.")
    return wide
