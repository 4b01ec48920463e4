"""Arrays split into parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import index
from typing import Any

import numpy as np

from devarray._routines.manipulation.axes import moveaxis
from devarray.array import Array, normalize_axis
from devarray.errors import DTypeError, ShapeError

__all__ = [
    "array_split",
    "dsplit",
    "hsplit",
    "split",
    "unstack",
    "vsplit",
]

MOST_PARTS = 1 << 24
"""Views in one list: 4 GB on the host."""


def array_split(ary: Array, indices_or_sections: object, axis: int = 0) -> list[Array]:
    """The array split along an axis, into parts of nearly one size or before the given indices; views.

    Parameters
    ----------
    ary : Array
        The array.
    indices_or_sections : int or sequence of int
        A number of parts, of which the first are longer by one where the size does not divide; or the indices before
        which to split, as slices have them. An Array of indices is read from the device, a wait.
    axis : int
        The axis to split along. 0 by default.

    Returns
    -------
    list of Array
        Views.

    Raises
    ------
    ShapeError
        For a number of parts below 1, or above 2**24.
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> [a.size for a in da.array_split(da.arange(8), 3)]
    [3, 3, 2]
    """
    axis = normalize_axis(axis, ary.ndim)
    size, sections = ary.shape[axis], _sections(indices_or_sections)
    if isinstance(sections, list):
        cuts = sections
    elif not sections >= 1:
        raise ShapeError(f"array_split: number sections must be larger than 0, not {sections}")
    elif sections > MOST_PARTS:
        raise ShapeError(
            f"array_split: {sections} parts of {size} elements; {MOST_PARTS} are the most that it makes, each a view"
        )
    else:
        sections = int(sections)
        least, longer = divmod(size, sections)
        cuts = [least * i + min(i, longer) for i in range(1, sections)]
    before = (slice(None),) * axis
    return [ary[(*before, slice(low, high))] for low, high in zip([0, *cuts], [*cuts, size], strict=True)]


def split(ary: Array, indices_or_sections: int | Sequence[int], axis: int = 0) -> list[Array]:
    """The array split along an axis into equal parts, or before given indices.

    Parameters
    ----------
    ary : array_like
        The array.
    indices_or_sections : int or sequence of int
        A number of equal parts, or the indices before which to split. An Array of indices is read from the device,
        which waits.
    axis : int
        The axis to split along. 0 by default.

    Returns
    -------
    list of Array
        Views.

    Raises
    ------
    ShapeError
        Where the axis does not divide into that number of equal parts.
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> [a.shape for a in da.split(da.arange(6), [1, 3])]
    [(1,), (2,), (3,)]
    """
    sections = _sections(indices_or_sections)
    size = ary.shape[normalize_axis(axis, ary.ndim)]
    if not isinstance(sections, list) and (sections <= 0 or size % sections):
        raise ShapeError(
            f"array split does not result in an equal division: {size} elements do not divide into {sections} equal "
            "parts"
        )
    return array_split(ary, sections, axis)


def hsplit(ary: Array, indices_or_sections: Any) -> list[Array]:
    """The array split along its second axis, or along its only one: see :func:`split`.

    Parameters
    ----------
    ary : array_like
        The array.
    indices_or_sections : int or sequence of int
        A number of equal parts, or the indices before which to split. An Array of indices is read from the device,
        which waits.

    Returns
    -------
    list of Array
        Views.

    Raises
    ------
    ShapeError
        Where the array has no axis, or does not divide into equal parts.

    Examples
    --------
    >>> import devarray as da
    >>> [a.shape for a in da.hsplit(da.ones((2, 4)), 2)]
    [(2, 2), (2, 2)]
    """
    _require_axes("hsplit", ary, 1)
    return split(ary, indices_or_sections, 1 if ary.ndim > 1 else 0)


def vsplit(ary: Array, indices_or_sections: Any) -> list[Array]:
    """The array split along the first of at least two axes: see :func:`split`.

    Parameters
    ----------
    ary : array_like
        The array.
    indices_or_sections : int or sequence of int
        A number of equal parts, or the indices before which to split. An Array of indices is read from the device,
        which waits.

    Returns
    -------
    list of Array
        Views.

    Raises
    ------
    ShapeError
        Where the array has fewer than two axes, or does not divide into equal parts.

    Examples
    --------
    >>> import devarray as da
    >>> [a.shape for a in da.vsplit(da.ones((4, 2)), [1])]
    [(1, 2), (3, 2)]
    """
    _require_axes("vsplit", ary, 2)
    return split(ary, indices_or_sections, 0)


def dsplit(ary: Array, indices_or_sections: Any) -> list[Array]:
    """The array split along its third axis: see :func:`split`.

    Parameters
    ----------
    ary : array_like
        The array.
    indices_or_sections : int or sequence of int
        A number of equal parts, or the indices before which to split. An Array of indices is read from the device,
        which waits.

    Returns
    -------
    list of Array
        Views.

    Raises
    ------
    ShapeError
        Where the array has fewer than three axes, or does not divide into equal parts.

    Examples
    --------
    >>> import devarray as da
    >>> [a.shape for a in da.dsplit(da.ones((2, 2, 4)), 2)]
    [(2, 2, 2), (2, 2, 2)]
    """
    _require_axes("dsplit", ary, 3)
    return split(ary, indices_or_sections, 2)


def _sections(given: Any) -> float | list[int]:
    """A number of parts, which may have a fraction, or the indices before which to split."""
    if isinstance(given, Array | np.ndarray):
        given = given.tolist()
    try:
        if isinstance(given, Iterable) and getattr(given, "ndim", 1) != 0:
            return [index(i) for i in given]
        return float(given) if isinstance(given, float | np.floating) else index(given)
    except TypeError as error:
        raise DTypeError(f"arrays are split into a number of parts, or before the indices of a list: {error}") from None


def _require_axes(name: str, x: Array, least: int) -> None:
    if x.ndim < least:
        raise ShapeError(f"{name} only works on arrays of {least} or more dimensions; this one has {x.ndim}")


def unstack(x: Array, /, *, axis: int = 0) -> tuple[Array, ...]:
    """The slices of an array along an axis.

    Parameters
    ----------
    x : array_like
        Of at least one axis.
    axis : int
        The axis, which the slices do not have. 0 by default.

    Returns
    -------
    tuple of Array
        Views, one for each index along the axis.

    Raises
    ------
    ShapeError
        Where the array has no axis.
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> [a.item() for a in da.unstack(da.arange(3))]
    [0, 1, 2]
    """
    if x.ndim == 0:
        raise ShapeError("unstack: Input array must be at least 1-d. This one has no axis to split along")
    moved = moveaxis(x, axis, 0)
    return tuple(moved[i] for i in range(moved.shape[0]))
