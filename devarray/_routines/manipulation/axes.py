"""Axes in another order: transposes."""

from __future__ import annotations

from collections.abc import Sequence

from devarray import _core
from devarray._primitives.join import stack
from devarray._routines.manipulation.shapes import is_number
from devarray.array import Array, normalize_axes, normalize_axis
from devarray.errors import AxisError, ShapeError

__all__ = [
    "matrix_transpose",
    "moveaxis",
    "permute_dims",
    "rollaxis",
    "swapaxes",
    "transpose",
]


def permute_dims(a: Array, axes: Sequence[int] | None = None) -> Array:
    """The array with its axes permuted, a view; in reverse order by default.

    Parameters
    ----------
    a : array_like
        The array.
    axes : sequence of int, optional
        For each axis of the result, the axis of `a`; in reverse order by default.

    Returns
    -------
    Array
        A view.

    Raises
    ------
    ShapeError
        Where `axes` does not name every axis once.

    Examples
    --------
    >>> import devarray as da
    >>> da.permute_dims(da.ones((2, 3, 4)), (2, 0, 1)).shape
    (4, 2, 3)
    """
    return transpose(a, axes)


def transpose(a: Array, axes: Sequence[int] | None = None) -> Array:
    """NumPy's name of :func:`permute_dims`; reverses the axes by default.

    Parameters
    ----------
    a : array_like
        The array.
    axes : sequence of int, optional
        For each axis of the result, the axis of `a`; in reverse order by default.

    Returns
    -------
    Array
        A view.

    Raises
    ------
    ShapeError
        Where `axes` does not name every axis once.

    Examples
    --------
    >>> import devarray as da
    >>> da.transpose(da.ones((2, 3))).shape
    (3, 2)
    """
    if isinstance(a, list | tuple):  # as of what nonzero() gives
        a = stack(a)
    return a.T if axes is None else _core.permute(a, [axes] if is_number(axes) else list(axes))


def matrix_transpose(x: Array, /) -> Array:
    """The array with its last two axes swapped, a view.

    Parameters
    ----------
    x : array_like
        Of at least two axes.

    Returns
    -------
    Array
        A view.

    Raises
    ------
    ShapeError
        Where the array has fewer than two axes.

    Examples
    --------
    >>> import devarray as da
    >>> da.matrix_transpose(da.ones((5, 2, 3))).shape
    (5, 3, 2)
    """
    return x.mT


def moveaxis(a: Array, source: int | Sequence[int], destination: int | Sequence[int]) -> Array:
    """The array with axes moved to other places, the others in order.

    Parameters
    ----------
    a : array_like
        The array.
    source : int or sequence of int
        The axes to move.
    destination : int or sequence of int
        Where each of them goes.

    Returns
    -------
    Array
        A view.

    Raises
    ------
    ShapeError
        Where there are not as many destinations as sources, or one is given twice.
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.moveaxis(da.ones((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    src = normalize_axes(source, a.ndim, "repeated axis in `source` argument")
    dst = normalize_axes(destination, a.ndim, "repeated axis in `destination` argument")
    if len(src) != len(dst):
        raise ShapeError(
            f"moveaxis: `source` and `destination` arguments must have the same number of elements, not {len(src)} and "
            f"{len(dst)}"
        )
    order = [axis for axis in range(a.ndim) if axis not in src]
    for place, axis in sorted(zip(dst, src, strict=True)):
        order.insert(place, axis)
    return _core.permute(a, order)


def swapaxes(a: Array, axis1: int, axis2: int) -> Array:
    """The array with two axes swapped.

    Parameters
    ----------
    a : array_like
        The array.
    axis1, axis2 : int
        The axes.

    Returns
    -------
    Array
        A view.

    Raises
    ------
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.swapaxes(da.ones((2, 3)), 0, 1).shape
    (3, 2)
    """
    return a.swapaxes(axis1, axis2)


def rollaxis(a: Array, axis: int, start: int = 0) -> Array:
    """The array with one axis moved before another.

    Parameters
    ----------
    a : array_like
        The array.
    axis : int
        The axis to move.
    start : int
        The axis before which it goes; the number of axes for the end. 0 by default.

    Returns
    -------
    Array
        A view.

    Raises
    ------
    AxisError
        For an axis or a `start` that is out of bounds.

    Examples
    --------
    >>> import devarray as da
    >>> da.rollaxis(da.ones((2, 3, 4)), 2).shape
    (4, 2, 3)
    """
    axis = normalize_axis(axis, a.ndim)
    place = start + a.ndim if start < 0 else start
    if not 0 <= place <= a.ndim:
        raise AxisError(f"rollaxis: 'start' arg requires {-a.ndim} <= start < {a.ndim + 1}, but {start} was passed in")
    return moveaxis(a, axis, place - (axis < place))
