"""Reductions and statistics. Each absorbs the pending expression it is given: one kernel for both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from devarray.array import Array, reduce

if TYPE_CHECKING:
    from devarray._typing import BoolLike, DTypeLike

__all__ = [
    "all",
    "amax",
    "amin",
    "any",
    "count_nonzero",
    "max",
    "mean",
    "min",
    "prod",
    "std",
    "sum",
    "var",
]

_Axis = int | tuple[int, ...] | None
_Reduced = Any  # an Array, or a tuple of the host such as a shape, which is reduced on the host
_NONE = np._NoValue


def sum(
    a: _Reduced,
    axis: _Axis = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: object = _NONE,
    where: BoolLike = True,
) -> Array:
    """Sum of elements over axes.

    Integers add up in 64 bits; floats in their own dtype, float16 in float32.

    Parameters
    ----------
    a : array_like
        The array.
    axis : int or tuple of int, optional
        The axes to reduce; all by default.
    dtype : dtype, optional
        To reduce in, and of the result. Integers are reduced in 64 bits by default; floats in their own dtype.
    out : Array, optional
        Where the result goes. It has the result's shape; its dtype may be any, as NumPy's.
    keepdims : bool
        Whether the reduced axes stay, with size 1. False by default.
    initial : scalar, optional
        What the result starts with.
    where : array_like of bool
        The elements that take part, broadcast to the shape of `a`; all by default.

    Returns
    -------
    Array
        A new array without the reduced axes, or `out`.

    Raises
    ------
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.sum(da.ones((2, 3)), axis=0).copy_to_host()
    array([2., 2., 2.])
    """
    return Array.sum(a, axis, dtype, out, keepdims, initial=initial, where=where)


def prod(
    a: _Reduced,
    axis: _Axis = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: object = _NONE,
    where: BoolLike = True,
) -> Array:
    """Product of elements over axes. Integers multiply in 64 bits.

    Parameters
    ----------
    a : array_like
        The array.
    axis : int or tuple of int, optional
        The axes to reduce; all by default.
    dtype : dtype, optional
        To reduce in, and of the result. Integers are reduced in 64 bits by default; floats in their own dtype.
    out : Array, optional
        Where the result goes. It has the result's shape; its dtype may be any, as NumPy's.
    keepdims : bool
        Whether the reduced axes stay, with size 1. False by default.
    initial : scalar, optional
        What the result starts with.
    where : array_like of bool
        The elements that take part, broadcast to the shape of `a`; all by default.

    Returns
    -------
    Array
        A new array without the reduced axes, or `out`.

    Raises
    ------
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.prod(da.asarray([2, 3, 4])).item()
    24
    """
    return Array.prod(a, axis, dtype, out, keepdims, initial=initial, where=where)


def max(
    a: _Reduced,
    axis: _Axis = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: object = _NONE,
    where: BoolLike = True,
) -> Array:
    """Greatest element over axes; NaN where there is one.

    Parameters
    ----------
    a : array_like
        The array.
    axis : int or tuple of int, optional
        The axes to reduce; all by default.
    out : Array, optional
        Where the result goes. It has the result's shape; its dtype may be any, as NumPy's.
    keepdims : bool
        Whether the reduced axes stay, with size 1. False by default.
    initial : scalar, optional
        What the result starts with.
    where : array_like of bool
        The elements that take part, broadcast to the shape of `a`; all by default.

    Returns
    -------
    Array
        A new array of the dtype of `a` without the reduced axes, or `out`.

    Raises
    ------
    AxisError
        For an axis that the array does not have.
    ValueError
        Where there are no elements to reduce, and no `initial`.

    Examples
    --------
    >>> import devarray as da
    >>> da.max(da.asarray([1, 3, 2])).item()
    3
    """
    return Array.max(a, axis, out, keepdims, initial=initial, where=where)


def min(
    a: _Reduced,
    axis: _Axis = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: object = _NONE,
    where: BoolLike = True,
) -> Array:
    """Least element over axes; NaN where there is one.

    Parameters
    ----------
    a : array_like
        The array.
    axis : int or tuple of int, optional
        The axes to reduce; all by default.
    out : Array, optional
        Where the result goes. It has the result's shape; its dtype may be any, as NumPy's.
    keepdims : bool
        Whether the reduced axes stay, with size 1. False by default.
    initial : scalar, optional
        What the result starts with.
    where : array_like of bool
        The elements that take part, broadcast to the shape of `a`; all by default.

    Returns
    -------
    Array
        A new array of the dtype of `a` without the reduced axes, or `out`.

    Raises
    ------
    AxisError
        For an axis that the array does not have.
    ValueError
        Where there are no elements to reduce, and no `initial`.

    Examples
    --------
    >>> import devarray as da
    >>> da.min(da.asarray([2, 1, 3])).item()
    1
    """
    return Array.min(a, axis, out, keepdims, initial=initial, where=where)


amax = max
amin = min


def mean(
    a: Array,
    axis: _Axis = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    keepdims: bool = False,
    *,
    where: BoolLike = True,
) -> Array:
    """Arithmetic mean of elements over axes.

    Parameters
    ----------
    a : array_like
        The array.
    axis : int or tuple of int, optional
        The axes to reduce; all by default.
    dtype : dtype, optional
        To compute in, and of the result. float64 by default for integers, else that of `a`.
    out : Array, optional
        Where the result goes. It has the result's shape; its dtype may be any, as NumPy's.
    keepdims : bool
        Whether the reduced axes stay, with size 1. False by default.
    where : array_like of bool
        The elements that take part, broadcast to the shape of `a`; all by default.

    Returns
    -------
    Array
        A new array without the reduced axes, or `out`.

    Raises
    ------
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.mean(da.asarray([1.0, 2.0])).item()
    1.5
    """
    return Array.mean(a, axis, dtype, out, keepdims, where=where)


def var(
    a: Array,
    axis: _Axis = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: BoolLike = True,
    mean: object = None,
    correction: float | None = None,
) -> Array:
    """Variance over axes: the squared deviations from the mean, divided by the number of elements less `correction`.

    Parameters
    ----------
    a : array_like
        The array.
    axis : int or tuple of int, optional
        The axes to reduce; all by default.
    dtype : dtype, optional
        To compute in. float64 by default for integers, else that of `a`.
    out : Array, optional
        Where the result goes. It has the result's shape; its dtype may be any, as NumPy's.
    ddof : float
        Subtracted from the number of elements that the sum is divided by. 0 by default.
    keepdims : bool
        Whether the reduced axes stay, with size 1. False by default.
    where : array_like of bool
        The elements that take part, broadcast to the shape of `a`; all by default.
    mean : array_like, optional
        The mean, with the reduced axes kept, where the caller has it already.
    correction : float, optional
        The Array API standard's name of `ddof`.

    Returns
    -------
    Array
        A new array of a real dtype without the reduced axes, or `out`.

    Raises
    ------
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.var(da.asarray([1.0, 3.0])).item()
    1.0
    """
    return Array.var(a, axis, dtype, out, ddof, keepdims, correction=correction, where=where, mean=mean)


def std(
    a: Array,
    axis: _Axis = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: BoolLike = True,
    mean: object = None,
    correction: float | None = None,
) -> Array:
    """Standard deviation over axes: the square root of :func:`var`.

    Parameters
    ----------
    a : array_like
        The array.
    axis : int or tuple of int, optional
        The axes to reduce; all by default.
    dtype : dtype, optional
        To compute in. float64 by default for integers, else that of `a`.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).
    ddof : float
        Subtracted from the number of elements that the sum is divided by. 0 by default.
    keepdims : bool
        Whether the reduced axes stay, with size 1. False by default.
    where : array_like of bool
        The elements that take part, broadcast to the shape of `a`; all by default.
    mean : array_like, optional
        The mean, with the reduced axes kept, where the caller has it already.
    correction : float, optional
        The Array API standard's name of `ddof`.

    Returns
    -------
    Array
        A new array of a real dtype without the reduced axes, or `out`.

    Raises
    ------
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.std(da.asarray([1.0, 3.0])).item()
    1.0
    """
    return Array.std(a, axis, dtype, out, ddof, keepdims, correction=correction, where=where, mean=mean)


def any(
    a: _Reduced, axis: _Axis = None, out: Array | None = None, keepdims: bool = False, *, where: BoolLike = True
) -> Array:
    """Whether any element over axes is not zero. NaN counts as not zero.

    Parameters
    ----------
    a : array_like
        The array.
    axis : int or tuple of int, optional
        The axes to reduce; all by default.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).
    keepdims : bool
        Whether the reduced axes stay, with size 1. False by default.
    where : array_like of bool
        The elements that take part, broadcast to the shape of `a`; all by default.

    Returns
    -------
    Array
        bool; a new array without the reduced axes, or `out`.

    Raises
    ------
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.any(da.asarray([0, 1])).item()
    True
    """
    return Array.any(a, axis, out, keepdims, where=where)


def all(
    a: _Reduced, axis: _Axis = None, out: Array | None = None, keepdims: bool = False, *, where: BoolLike = True
) -> Array:
    """Whether all elements over axes are not zero. NaN counts as not zero.

    Parameters
    ----------
    a : array_like
        The array.
    axis : int or tuple of int, optional
        The axes to reduce; all by default.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).
    keepdims : bool
        Whether the reduced axes stay, with size 1. False by default.
    where : array_like of bool
        The elements that take part, broadcast to the shape of `a`; all by default.

    Returns
    -------
    Array
        bool; a new array without the reduced axes, or `out`.

    Raises
    ------
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.all(da.asarray([0, 1])).item()
    False
    """
    return Array.all(a, axis, out, keepdims, where=where)


def count_nonzero(a: Array, axis: _Axis = None, *, keepdims: bool = False) -> Array:
    """Number of elements over axes that are not zero.

    Parameters
    ----------
    a : array_like
        The array.
    axis : int or tuple of int, optional
        The axes to reduce; all by default.
    keepdims : bool
        Whether the reduced axes stay, with size 1. False by default.

    Returns
    -------
    Array
        int64, without the reduced axes.

    Raises
    ------
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.count_nonzero(da.asarray([0, 1, 2])).item()
    2
    """
    return reduce(a, "count_nonzero", axis, keepdims)
