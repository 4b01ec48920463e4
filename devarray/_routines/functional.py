"""NumPy's functional programming: a caller's function applied to rows, axes or parts of an array."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from devarray import _core
from devarray._primitives.convert import asarray, asarray_or_texts
from devarray._primitives.host_arrays import hosted, to_host
from devarray._primitives.join import stack
from devarray._primitives.operands import asarray_like
from devarray._routines.creation.like import zeros_like
from devarray._routines.manipulation.axes import moveaxis
from devarray._routines.manipulation.shapes import expand_dims, is_number
from devarray.array import OP, Array, normalize_axis
from devarray.errors import ShapeError, ValueError

if TYPE_CHECKING:
    from devarray._typing import ArrayLike

__all__ = ["apply_along_axis", "apply_over_axes", "piecewise"]


def apply_along_axis(func1d: Callable[..., Any], axis: int, arr: Array, *args: object, **kwargs: object) -> Array:
    """The results of a function for each one-dimensional slice along an axis.

    The slices are views on the device, and the function is called once for each: for large arrays, functions that take
    `axis` themselves are quicker.

    Parameters
    ----------
    func1d : callable
        Of a one-dimensional Array and `args` and `kwargs`; returns an Array or a scalar, always of one shape.
    axis : int
        The axis.
    arr : array_like
        The array.
    *args
        Handed to the function.
    **kwargs
        Handed to the function.

    Returns
    -------
    Array
        A new array with the axes of the results in place of `axis`, of the first result's dtype. Where that is of texts
        or other objects, NumPy's array, on the host.

    Raises
    ------
    ShapeError
        Where there is no slice.
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> x = da.asarray([[3, 1, 2], [6, 5, 4]])
    >>> da.apply_along_axis(da.sort, 1, x).copy_to_host()
    array([[1, 2, 3],
           [4, 5, 6]])
    """
    axis = normalize_axis(axis, arr.ndim)
    rows = moveaxis(arr, axis, -1)
    outer = rows.shape[:-1]
    if 0 in outer:
        raise ShapeError(
            f"Cannot apply_along_axis when any iteration dimensions are 0: an array of shape {arr.shape} has no slices "
            f"along axis {axis}"
        )
    calls = (func1d(rows[place], *args, **kwargs) for place in np.ndindex(outer))
    first = next(calls)
    made = first if isinstance(first, Array) else asarray_or_texts(first)
    if isinstance(made, np.ndarray):
        return _of_texts(chain((first,), calls), made, outer, axis)
    place: Any = {"queue": arr.queue, "allocator": arr.allocator}
    arrays = (x if isinstance(x, Array) else asarray(x, **place) for x in chain((first,), calls))
    joined = stack([x.astype(made.dtype, copy=False) for x in arrays]).reshape(outer + made.shape)
    inner = range(len(outer), joined.ndim)
    return moveaxis(joined, tuple(inner), tuple(range(axis, axis + len(inner))))


def _of_texts(results: Iterable[Any], first: np.ndarray, outer: tuple[int, ...], axis: int) -> Any:
    """The results of all slices where those of the first are texts or objects, whose dtype the others are put in."""
    made = np.empty(outer + first.shape, first.dtype)
    for place, result in zip(np.ndindex(outer), results, strict=True):
        made[place] = to_host(result)
    inner = tuple(range(len(outer), made.ndim))
    return hosted(np.moveaxis(made, inner, tuple(range(axis, axis + len(inner)))))


def apply_over_axes(func: Callable[..., Array], a: ArrayLike, axes: int | Sequence[int]) -> Array:
    """The result of applying a function such as a sum along one axis after the other, which are kept.

    Parameters
    ----------
    func : callable
        Of an Array and an axis; its result has as many dimensions as the array, or one less.
    a : array_like
        The array.
    axes : int or sequence of int
        The axes, in this order.

    Returns
    -------
    Array
        Of as many dimensions as `a`.

    Raises
    ------
    ShapeError
        Where the function's result has another number of dimensions.
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.apply_over_axes(lambda x, axis: x.sum(axis), da.ones((2, 3, 4)), (0, 2)).copy_to_host().tolist()
    [[[8.0], [8.0], [8.0]]]
    """
    x = asarray(a)
    several: Any = [axes] if is_number(axes) else axes
    for given in several:
        axis = normalize_axis(given, x.ndim) if x.ndim else operator.index(given)  # as NumPy's: sums let 0 pass
        result = func(x, axis)
        if result.ndim == x.ndim - 1:
            result = expand_dims(result, axis)
        if result.ndim != x.ndim:
            raise ShapeError(
                f"function is not returning an array of the correct shape: apply_over_axes: {x.ndim} dimensions became "
                f"{result.ndim}; at most one may go"
            )
        x = result
    return x


def piecewise(x: ArrayLike, condlist: Any, funclist: Sequence[Any], *args: object, **kw: object) -> Array:
    """Values of different functions where different conditions hold.

    Functions get the elements for which their condition holds, so the count of these is waited for.
    :func:`devarray.select` chooses between results without a wait.

    Parameters
    ----------
    x : array_like
        The points.
    condlist : sequence of array_like of bool
        Conditions, each of the shape of `x`; where several hold, the last one counts.
    funclist : sequence of callable or scalar
        One for each condition, and possibly one more for the elements where none holds; each of a one-dimensional Array
        and of `args` and `kw`.
    *args
        Handed to the functions.
    **kw
        Handed to the functions.

    Returns
    -------
    Array
        A new array of the shape and dtype of `x`; 0 where no condition holds.

    Raises
    ------
    ValueError
        Where there are not as many functions as conditions, or one more.

    Examples
    --------
    >>> import devarray as da
    >>> x = da.asarray([-2.0, -1.0, 3.0])
    >>> da.piecewise(x, [x < 0, x >= 0], [lambda v: -v, 7]).copy_to_host()
    array([2., 1., 7.])
    """
    points = asarray(x)
    if _is_single(condlist, points.ndim):
        condlist = [condlist]
    conditions = [c.astype(np.bool_, copy=False) for c in (asarray_like(c, points) for c in condlist)]
    if len(funclist) == len(conditions) + 1:
        none = conditions[0]
        for condition in conditions[1:]:
            none = _core.apply(OP["logical_or"], none, condition)
        conditions.append(_core.apply(OP["logical_not"], none))
    elif len(funclist) != len(conditions):
        raise ValueError(
            f"piecewise: with {len(conditions)} condition(s), either {len(conditions)} or {len(conditions) + 1} "
            f"functions are expected, not {len(funclist)}"
        )
    result = zeros_like(points)
    for condition, function in zip(conditions, funclist, strict=True):
        if not callable(function):
            result[condition] = function
            continue
        chosen = points[condition]
        if chosen.size:
            result[condition] = function(chosen, *args, **kw)
    return result


def _is_single(condlist: Any, ndim: int) -> bool:
    """Whether a list of conditions is one condition by itself."""
    if np.isscalar(condlist) or (isinstance(condlist, Array | np.ndarray) and condlist.ndim == 0):
        return True
    first = condlist[0]
    if isinstance(condlist, Array | np.ndarray):
        return condlist.ndim == 1 and ndim != 0
    return not isinstance(first, list | np.ndarray | Array) and ndim != 0
