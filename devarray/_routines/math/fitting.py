"""Polynomials fitted to data."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from devarray import _core
from devarray._primitives.operands import as_arrays, asarray_like
from devarray._routines.math.elementwise import sqrt
from devarray.errors import DTypeError, ValueError
from devarray.linalg.products import matmul
from devarray.linalg.solving import inv, lstsq

if TYPE_CHECKING:
    from devarray._typing import ArrayLike

__all__ = ["polyfit"]


def polyfit(
    x: ArrayLike,
    y: ArrayLike,
    deg: int,
    rcond: float | None = None,
    full: bool = False,
    w: ArrayLike | None = None,
    cov: bool | str = False,
) -> Any:
    """Coefficients of the polynomial of a given degree with the least squared distance from points.

    Waits for the rank of the problem (:func:`devarray.linalg.lstsq`); a RankWarning says that it is below
    ``deg + 1``.

    Parameters
    ----------
    x : array_like
        Of shape ``(M,)``.
    y : array_like
        Of shape ``(M,)``, or ``(M, K)`` for K polynomials.
    deg : int
        The degree.
    rcond : float, optional
        Singular values up to `rcond` times the largest count as zero: M times the dtype's epsilon by default.
    full : bool
        Whether to return also the squared distances, the rank, the singular values and `rcond`. False by default.
    w : array_like, optional
        Of shape ``(M,)``: the points' weights, by which distances are multiplied.
    cov : bool or "unscaled"
        Whether to return also the covariances of the coefficients, scaled by the distances found, or "unscaled" for
        weights that are the reciprocals of known errors. False by default.

    Returns
    -------
    Array or tuple
        The coefficients, of shape ``(deg + 1,)`` or ``(deg + 1, K)``, and what else was asked for.

    Raises
    ------
    DTypeError
        Where the points do not fit, or there is none.
    ValueError
        For a negative degree, or too few points to scale the covariances.

    Examples
    --------
    >>> import devarray as da
    >>> da.polyfit(da.asarray([0.0, 1.0, 2.0]), [1.0, 4.0, 11.0], 2).copy_to_host().round(9)
    array([2., 1., 1.])
    """
    deg = int(deg)
    order = deg + 1
    x, y = (part + 0.0 for part in as_arrays(x, y))
    if deg < 0:
        raise ValueError(f"polyfit: expected deg >= 0, not {deg}")
    if x.ndim != 1 or x.size == 0:
        raise DTypeError(
            f"polyfit: expected {'1D' if x.ndim != 1 else 'non-empty'} vector for x, not one of shape {x.shape}"
        )
    if y.ndim not in (1, 2):
        raise DTypeError(f"polyfit: expected 1D or 2D array for y, not one of {y.ndim} dimensions")
    if x.shape[:1] != y.shape[:1]:
        raise DTypeError(f"polyfit: expected x and y to have same length, not {x.shape[0]} and {y.shape[0]}")
    if y.dtype == np.float16:
        raise DTypeError("polyfit: y of float16 has too few digits for a fit; cast it with astype")
    if rcond is None:
        rcond = x.size * float(np.finfo(x.dtype).eps)
    powers = _core.iota(order, np.dtype(np.int64), deg, -1, x.queue, x.allocator)  # NumPy fits in 64 bits, too
    left, right = x[:, None] ** powers, y
    if w is not None:
        weights = asarray_like(w, x) + 0.0
        if weights.shape != x.shape:
            raise DTypeError(
                "polyfit: "
                + (
                    "expected a 1-d array for weights"
                    if weights.ndim != 1
                    else "expected w and y to have the same length"
                )
                + f": weights of shape {weights.shape} are not one for each of {x.size} points"
            )
        left = left * weights[:, None]
        right = right * (weights if y.ndim == 1 else weights[:, None])
    scale = sqrt((left * left).sum(0))
    left = left / scale
    found, residuals, rank, s = lstsq(left, right, rcond)
    found = (found.T / scale).T
    if full:
        return found, residuals, rank, s, rcond
    if rank != order:
        warnings.warn("Polyfit may be poorly conditioned", np.exceptions.RankWarning, stacklevel=2)
    if not cov:
        return found
    spread = inv(matmul(left.T, left)) / (scale[:, None] * scale)
    if cov != "unscaled":
        if x.size <= order:
            raise ValueError(
                f"polyfit: the number of data points must exceed order to scale the covariance matrix: {x.size} are "
                f"too few, {order + 1} are enough"
            )
        factor = residuals / (x.size - order)
        spread = spread * factor if y.ndim == 1 else spread[:, :, None] * factor
    elif y.ndim == 2:
        spread = spread[:, :, None]
    return found, spread
