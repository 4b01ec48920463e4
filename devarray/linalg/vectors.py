"""Products of vectors by the names of :mod:`numpy.linalg`, which takes nothing else for them."""

from __future__ import annotations

from devarray.array import Array
from devarray.errors import ShapeError
from devarray.linalg import vector_products

__all__ = ["outer"]


def outer(x1: Array, x2: Array, /) -> Array:
    """Every product of an element of a vector with one of another.

    Parameters
    ----------
    x1, x2 : array_like
        Vectors.

    Returns
    -------
    Array
        A new array of shape (M, N) for vectors of M and N elements.

    Raises
    ------
    ShapeError
        Where an operand is no vector; :func:`devarray.outer` flattens them.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> da.linalg.outer(da.asarray([1, 2]), da.asarray([3, 4, 5])).copy_to_host()
    array([[ 3,  4,  5],
           [ 6,  8, 10]])
    """
    if x1.ndim != 1 or x2.ndim != 1:
        raise ShapeError(
            f"Input arrays must be one-dimensional, but they are x1.ndim={x1.ndim} and x2.ndim={x2.ndim}; "
            "devarray.outer flattens them"
        )
    return vector_products.outer(x1, x2)
