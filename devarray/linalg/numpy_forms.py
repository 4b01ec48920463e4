"""NumPy's ``cross`` and ``trace``, whose axes differ from those of the standard's functions in ``linalg``."""

from __future__ import annotations

from typing import Any

from devarray import _core
from devarray._primitives.checks import require_array
from devarray._primitives.join import stack
from devarray._routines.manipulation.axes import moveaxis
from devarray.array import Array, normalize_axis
from devarray.errors import DTypeError, ShapeError
from devarray.linalg.checks import one_device

__all__ = ["cross", "trace"]


def cross(a: Array, b: Array, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> Array:
    """Cross products of vectors of three elements; of two, whose third one counts as zero.

    Parameters
    ----------
    a, b : array_like
        Broadcast against each other, but not along the axes of the vectors.
    axisa, axisb : int
        The axes of `a` and `b` along which the vectors lie. The last ones by default.
    axisc : int
        The axis of the result along which they lie. The last one by default. Not used where both have two elements.
    axis : int, optional
        In place of all three.

    Returns
    -------
    Array
        A new array; without an axis for the vectors, the third element alone, where both have two.

    Raises
    ------
    ShapeError
        Where the vectors have neither two nor three elements, or the shapes do not broadcast.
    AxisError
        For an axis that an array does not have.
    DTypeError
        For bool.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> da.cross(da.asarray([[1, 0], [0, 1], [0, 0]]), da.asarray([0, 0, 1]), axisa=0).copy_to_host()
    array([[ 0, -1,  0],
           [ 1,  0,  0]])
    """
    require_array("cross", a, b)
    one_device("cross", a, b)
    if axis is not None:
        axisa = axisb = axisc = axis
    if a.ndim == 0 or b.ndim == 0:
        raise ShapeError("cross: At least one array has zero dimension: it holds no vectors")
    left = moveaxis(a, normalize_axis(axisa, a.ndim), -1)
    right = moveaxis(b, normalize_axis(axisb, b.ndim), -1)
    sizes = left.shape[-1], right.shape[-1]
    if not {*sizes} <= {2, 3}:
        raise ShapeError(
            "cross: incompatible dimensions for cross product\n(dimension must be 2 or 3): vectors have 3 elements, "
            f"or 2, not {sizes[0]} and {sizes[1]}"
        )
    if a.dtype.kind == b.dtype.kind == "b":
        raise DTypeError("cross takes numbers, not bool")
    a1, a2 = left[..., 0], left[..., 1]
    b1, b2 = right[..., 0], right[..., 1]
    last = a1 * b2 - a2 * b1
    if sizes == (2, 2):
        return last
    if sizes == (3, 3):
        a3, b3 = left[..., 2], right[..., 2]
        parts = [a2 * b3 - a3 * b2, a3 * b1 - a1 * b3, last]
    elif sizes == (2, 3):
        parts = [a2 * right[..., 2], -(a1 * right[..., 2]), last]
    else:
        parts = [-(left[..., 2] * b2), left[..., 2] * b1, last]
    place = normalize_axis(axisc, last.ndim + 1)
    return stack([_core.broadcast_to(part, last.shape) for part in parts], axis=place)


def trace(
    a: Array, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Array | None = None
) -> Array:
    """Sums along the diagonals of the matrices that two axes make.

    Parameters
    ----------
    a : array_like
        The matrices.
    offset : int
        Which diagonal: 0 is the main one (the default), positive ones are above it.
    axis1, axis2 : int
        The axes of the matrices: rows and columns. The first two by default.
    dtype : dtype, optional
        To add in, and of the result. 64 bits for integers by default.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).

    Returns
    -------
    Array
        A new array without the two axes, or `out`.

    Raises
    ------
    ShapeError
        Where the array has fewer than two dimensions, or the axes are the same.

    Examples
    --------
    >>> import devarray as da
    >>> da.trace(da.asarray([[1, 2], [3, 4]]), offset=1).item()
    2
    """
    require_array("trace", a)
    return a.trace(offset, axis1, axis2, dtype, out)
