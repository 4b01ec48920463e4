"""Diagonals and traces."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

from devarray import _core
from devarray._array.out import summed_in, write_out
from devarray._primitives.checks import require_array
from devarray.array import Array, reduce
from devarray.errors import ShapeError

if TYPE_CHECKING:
    from devarray._typing import DTypeLike

__all__ = ["diagonal", "trace"]


def diagonal(x: Array, /, *, offset: int = 0) -> Array:
    """Diagonals of matrices.

    Parameters
    ----------
    x : array_like
        Of shape ``(..., M, N)``.
    offset : int
        Which diagonal: 0 is the main one (the default), positive ones are above it.

    Returns
    -------
    Array
        A read-only view: the axes before the last two, then the diagonal.

    Raises
    ------
    ShapeError
        For an array of fewer than two axes.

    Examples
    --------
    >>> import devarray as da
    >>> da.linalg.diagonal(da.asarray([[1, 2], [3, 4]])).copy_to_host()
    array([1, 4])
    """
    require_array("diagonal", x)
    if x.ndim < 2:
        raise ShapeError(f"diagonal: diag requires an array of at least two dimensions; this one has {x.ndim}")
    offset = operator.index(offset)
    rows, columns = x.shape[-2:]
    size = max(0, min(rows + min(offset, 0), columns - max(offset, 0)))
    *outer, down, right = x.strides
    start = (offset * right if offset >= 0 else -offset * down) if size else 0
    return _core.view(x, (*x.shape[:-2], size), (*outer, down + right), start, read_only=True)


def trace(x: Array, /, offset: int = 0, *, dtype: DTypeLike | None = None, out: Array | None = None) -> Array:
    """Sums along the diagonals of matrices.

    Parameters
    ----------
    x : array_like
        Of shape ``(..., M, N)``.
    offset : int
        Which diagonal: 0 is the main one (the default), positive ones are above it.
    dtype : dtype, optional
        To add in, and of the result. 64 bits for integers by default.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).

    Returns
    -------
    Array
        A new array without the last two axes, or `out`.

    Raises
    ------
    ShapeError
        For an array of fewer than two axes.

    Examples
    --------
    >>> import devarray as da
    >>> da.linalg.trace(da.asarray([[1, 2], [3, 4]])).item()
    5
    """
    return write_out("trace", reduce(diagonal(x, offset=offset), "sum", -1, False, summed_in(x, dtype, out)), out)
