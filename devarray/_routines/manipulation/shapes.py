"""Shapes, axes, joining and casting: the manipulation chapter of the Array API standard, and NumPy's names."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from devarray import _core
from devarray._primitives.convert import asarray
from devarray._primitives.gather import gather
from devarray._primitives.join import concat, parts, stack
from devarray._runtime.arguments import few
from devarray.array import Array, normalize_axes
from devarray.errors import AxisError, ShapeError, ValueError

__all__ = [
    "astype",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "concat",
    "concatenate",
    "copy",
    "expand_dims",
    "flip",
    "fliplr",
    "flipud",
    "hstack",
    "matrix_transpose",
    "moveaxis",
    "permute_dims",
    "ravel",
    "repeat",
    "reshape",
    "roll",
    "rollaxis",
    "rot90",
    "squeeze",
    "stack",
    "swapaxes",
    "tile",
    "transpose",
    "unstack",
    "vstack",
]


def astype(x: Array, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Array:
    """The values in another dtype, as NumPy casts them.

    Parameters
    ----------
    x : array_like
        The array.
    dtype : dtype
        Of the result.
    copy : bool
        Whether to copy where `x` has the dtype already. True by default.
    device : Device or str, optional
        Where the result is; by default where `x` is.

    Returns
    -------
    Array
        Of the shape of `x`: a new array, or with ``copy=False`` possibly `x` itself.

    Examples
    --------
    >>> import devarray as da
    >>> da.astype(da.asarray([1.7, -1.7]), da.int32).copy_to_host()
    array([ 1, -1], dtype=int32)
    """
    result = x.astype(dtype, copy=copy)
    return result if device is None else result.to_device(device)


def copy(a: Array, order: str = "K", subok: bool = False) -> Array:
    """The values in a new array.

    Parameters
    ----------
    a : array_like
        The array.
    order : {"K", "A", "C", "F"}
        Memory order of the result: as `a` ("K", the default), Fortran's where `a` has only that ("A"), C, or Fortran.
    subok : bool
        NumPy's, not used: arrays have no subclasses to pass on.

    Returns
    -------
    Array
        A new dense array of the shape and dtype of `a`.

    Raises
    ------
    ValueError
        For another `order`.

    Examples
    --------
    >>> import devarray as da
    >>> x = da.zeros(2)
    >>> y = da.copy(x)
    >>> y[0] = 1
    >>> x.copy_to_host()
    array([0., 0.])
    """
    return a.copy(order)


def reshape(x: Array, /, shape: int | Sequence[int], order: str = "C", *, copy: bool | None = None) -> Array:
    """The elements under another shape: a view where the strides allow it, else a copy.

    Parameters
    ----------
    x : array_like
        The array.
    shape : int or sequence of int
        Sizes of the new axes. One of them may be -1, which stands for what is left.
    order : {"C", "F", "A"}
        Which axis runs fastest in both shapes: the last one (the default), the first one, or the first one where `x` is
        dense in that order only.
    copy : bool, optional
        True: always copy. False: raise ValueError where a copy is needed. None: copy where it is needed.

    Returns
    -------
    Array
        A view where the strides allow it, else a new array.

    Raises
    ------
    ShapeError
        Where the shape does not have as many elements.
    ValueError
        Where `copy` is False and a copy is needed, or for another `order`.

    Examples
    --------
    >>> import devarray as da
    >>> da.reshape(da.arange(4), (2, -1)).copy_to_host()
    array([[0, 1],
           [2, 3]])
    """
    return x.reshape(shape, order=order, copy=copy)


def ravel(a: Array, order: str = "C") -> Array:
    """The elements as one dense axis.

    Parameters
    ----------
    a : array_like
        The array.
    order : {"C", "F", "A", "K"}
        Which axis runs fastest: the last one (the default), the first one, the first one where `a` is dense in that
        order only, or as in memory.

    Returns
    -------
    Array
        One-dimensional: a view where the elements are dense in this order, else a new array.

    Examples
    --------
    >>> import devarray as da
    >>> da.ravel(da.ones((2, 2))).shape
    (4,)
    """
    return a.ravel(order)


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
    return a.T if axes is None else _core.permute(a, list(axes))


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
    src, dst = normalize_axes(source, a.ndim), normalize_axes(destination, a.ndim)
    if len(src) != len(dst):
        raise ShapeError(f"moveaxis: {len(src)} source axes and {len(dst)} destinations; give as many of both")
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


def expand_dims(a: Array, axis: int | Sequence[int]) -> Array:
    """The array with axes of size 1 inserted; a view.

    Parameters
    ----------
    a : array_like
        The array.
    axis : int or sequence of int
        Where the new axes are in the result.

    Returns
    -------
    Array
        A view.

    Raises
    ------
    AxisError
        For an axis that the result does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.expand_dims(da.ones(3), (0, 2)).shape
    (1, 3, 1)
    """
    given: Any = [axis] if _is_number(axis) else axis
    given = list(given)
    new = set(normalize_axes(given, a.ndim + len(given)))
    shape, strides = list(a.shape), list(a.strides)
    for place in sorted(new):
        shape.insert(place, 1)
        strides.insert(place, 0)
    return _core.view(a, shape, strides)


def squeeze(a: Array, axis: int | tuple[int, ...] | None = None) -> Array:
    """The array without axes of size 1.

    Parameters
    ----------
    a : array_like
        The array.
    axis : int or tuple of int, optional
        The axes to remove; all of size 1 by default.

    Returns
    -------
    Array
        A view.

    Raises
    ------
    ShapeError
        For an axis of another size than 1.
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.squeeze(da.ones((1, 3, 1)), 0).shape
    (3, 1)
    """
    return a.squeeze(axis)


def flip(m: Array, axis: int | tuple[int, ...] | None = None) -> Array:
    """The array with its elements in reverse order along axes.

    Parameters
    ----------
    m : array_like
        The array.
    axis : int or tuple of int, optional
        The axes; all by default.

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
    >>> da.flip(da.arange(3)).copy_to_host()
    array([2, 1, 0])
    """
    axes = range(m.ndim) if axis is None else normalize_axes(axis, m.ndim)
    key = [slice(None)] * m.ndim
    for a in axes:
        key[a] = slice(None, None, -1)
    return m[tuple(key)]


def fliplr(m: Array) -> Array:
    """The array with its elements in reverse order along the second axis.

    Parameters
    ----------
    m : array_like
        Of at least two axes.

    Returns
    -------
    Array
        A view.

    Raises
    ------
    AxisError
        Where there is no second axis.

    Examples
    --------
    >>> import devarray as da
    >>> da.fliplr(da.asarray([[1, 2], [3, 4]])).copy_to_host()
    array([[2, 1],
           [4, 3]])
    """
    return flip(m, axis=normalize_axes(1, m.ndim)[0])


def flipud(m: Array) -> Array:
    """The array with its elements in reverse order along the first axis.

    Parameters
    ----------
    m : array_like
        Of at least one axis.

    Returns
    -------
    Array
        A view.

    Raises
    ------
    AxisError
        Where there is no axis.

    Examples
    --------
    >>> import devarray as da
    >>> da.flipud(da.asarray([[1, 2], [3, 4]])).copy_to_host()
    array([[3, 4],
           [1, 2]])
    """
    return flip(m, axis=normalize_axes(0, m.ndim)[0])


def rot90(m: Array, k: int = 1, axes: Sequence[int] = (0, 1)) -> Array:
    """The array rotated by quarter turns, from the first of two axes towards the second.

    Parameters
    ----------
    m : array_like
        The array.
    k : int
        Number of quarter turns; negative ones turn the other way. 1 by default.
    axes : sequence of two int
        The axes of the plane. The first two by default.

    Returns
    -------
    Array
        A view.

    Raises
    ------
    ShapeError
        Where `axes` is not two different axes.
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.rot90(da.asarray([[1, 2], [3, 4]])).copy_to_host()
    array([[2, 4],
           [1, 3]])
    """
    if len(axes) != 2:
        raise ShapeError(f"rot90 turns from one axis towards another, not along {tuple(axes)}")
    first, second = normalize_axes(axes, m.ndim)
    if k % 4 == 1:
        return flip(m, axis=second).swapaxes(first, second)
    if k % 4 == 3:
        return flip(m.swapaxes(first, second), axis=second)
    return flip(m, axis=(first, second)) if k % 4 else m[...]


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
    (axis,) = normalize_axes(axis, a.ndim)
    place = start + a.ndim if start < 0 else start
    if not 0 <= place <= a.ndim:
        raise AxisError(f"rollaxis: start is from {-a.ndim} to {a.ndim}, not {start}")
    return moveaxis(a, axis, place - (axis < place))


def broadcast_to(array: Array, shape: int | Sequence[int], subok: bool = False) -> Array:
    """The array repeated along axes of size 1 and new leading axes, to a given shape.

    Parameters
    ----------
    array : array_like
        The array.
    shape : int or sequence of int
        The shape of the result.
    subok : bool
        NumPy's, not used: arrays have no subclasses to pass on.

    Returns
    -------
    Array
        A read-only view.

    Raises
    ------
    ShapeError
        Where the array does not broadcast to `shape`.

    Examples
    --------
    >>> import devarray as da
    >>> da.broadcast_to(da.arange(2), (2, 2)).copy_to_host()
    array([[0, 1],
           [0, 1]])
    """
    return _core.broadcast_to(array, shape)


def broadcast_shapes(*shapes: Sequence[int]) -> tuple[int, ...]:
    """The common shape that shapes broadcast to.

    Parameters
    ----------
    *shapes : sequence of int
        The shapes.

    Returns
    -------
    tuple of int
        The common shape.

    Raises
    ------
    ShapeError
        Where there is none.

    Examples
    --------
    >>> import devarray as da
    >>> da.broadcast_shapes((2, 1), (3,))
    (2, 3)
    """
    result: tuple[int, ...] = ()
    for shape in shapes:
        result = _core.broadcast_shapes(result, shape)
    return result


def broadcast_arrays(*args: Array, subok: bool = False) -> tuple[Array, ...]:
    """Arrays repeated to their common shape.

    Parameters
    ----------
    *args : array_like
        The arrays.
    subok : bool
        NumPy's, not used: arrays have no subclasses to pass on.

    Returns
    -------
    tuple of Array
        Read-only views; the arrays themselves where all have one shape.

    Raises
    ------
    ShapeError
        Where the shapes do not broadcast.

    Examples
    --------
    >>> import devarray as da
    >>> x, y = da.broadcast_arrays(da.ones((2, 1)), da.ones(3))
    >>> x.shape
    (2, 3)
    """
    shape = broadcast_shapes(*(a.shape for a in args))
    if all(a.shape == shape for a in args):
        return args
    return tuple(_core.broadcast_to(a, shape) for a in args)


def concatenate(
    arrays: Sequence[Array],
    /,
    axis: int | None = 0,
    out: Array | None = None,
    *,
    dtype: Any = None,
    casting: str = "same_kind",
) -> Array:
    """NumPy's name of :func:`concat`.

    Parameters
    ----------
    arrays : sequence of array_like
        At least one. Their shapes may differ along `axis` only.
    axis : int, optional
        The axis to join along, the first by default. None: the arrays are flattened first.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the arrays' cast to.
    dtype : dtype, optional
        Of the result; by default the dtype that the arrays' promote to. Not together with `out`.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for the casts to `dtype` or into `out`. "same_kind" by default.

    Returns
    -------
    Array
        A new array, in the memory order that the arrays share; or `out`.

    Raises
    ------
    ShapeError
        Where there are no arrays, they have no axes, or their shapes differ elsewhere.
    DTypeError
        For casts that the rule does not allow, and `dtype` beside `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.concatenate([da.zeros(1), da.ones(2)]).copy_to_host()
    array([0., 1., 1.])
    """
    return concat(arrays, axis, out, dtype=dtype, casting=casting)


def vstack(tup: Sequence[Array], *, dtype: Any = None, casting: str = "same_kind") -> Array:
    """Arrays joined along the first axis, one-dimensional ones as rows.

    Parameters
    ----------
    tup : sequence of array_like
        At least one. One-dimensional arrays are rows.
    dtype : dtype, optional
        Of the result; by default the dtype that the arrays' promote to.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for the casts to `dtype`. "same_kind" by default.

    Returns
    -------
    Array
        A new array of at least two axes.

    Raises
    ------
    ShapeError
        Where the shapes differ beyond the first axis.

    Examples
    --------
    >>> import devarray as da
    >>> da.vstack([da.zeros(2), da.ones(2)]).shape
    (2, 2)
    """
    return concat([atleast_2d(a) for a in parts(tup)], 0, dtype=dtype, casting=casting)


def hstack(tup: Sequence[Array], *, dtype: Any = None, casting: str = "same_kind") -> Array:
    """Arrays joined along the second axis, one-dimensional ones along the first.

    Parameters
    ----------
    tup : sequence of array_like
        At least one. Arrays without axes count as having one element.
    dtype : dtype, optional
        Of the result; by default the dtype that the arrays' promote to.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for the casts to `dtype`. "same_kind" by default.

    Returns
    -------
    Array
        A new array.

    Raises
    ------
    ShapeError
        Where the shapes differ beyond the axis that is joined.

    Examples
    --------
    >>> import devarray as da
    >>> da.hstack([da.zeros(2), da.ones(2)]).shape
    (4,)
    """
    rows = [atleast_1d(a) for a in parts(tup)]
    return concat(rows, 0 if rows and rows[0].ndim == 1 else 1, dtype=dtype, casting=casting)


def _of_scalar(x: Any) -> Array:
    """An array of a scalar on the current device; arrays as they are."""
    if isinstance(x, bool | int | float | complex | np.generic):
        return asarray(x)
    return x


def atleast_1d(*arys: Array) -> Any:
    """Arrays with at least one axis.

    Parameters
    ----------
    *arys : array_like
        The arrays.

    Returns
    -------
    Array or tuple of Array
        The array itself or a view of it; a tuple for several arrays.

    Examples
    --------
    >>> import devarray as da
    >>> da.atleast_1d(da.asarray(1.0)).shape
    (1,)
    """
    return _each(arys, [x if x.ndim else x.reshape(1) for x in map(_of_scalar, arys)])


def atleast_2d(*arys: Array) -> Any:
    """Arrays with at least two axes, new ones in front.

    Parameters
    ----------
    *arys : array_like
        The arrays.

    Returns
    -------
    Array or tuple of Array
        The array itself or a view of it; a tuple for several arrays.

    Examples
    --------
    >>> import devarray as da
    >>> da.atleast_2d(da.ones(3)).shape
    (1, 3)
    """
    return _each(arys, [x if x.ndim >= 2 else x.reshape(1, -1) for x in map(_of_scalar, arys)])


def atleast_3d(*arys: Array) -> Any:
    """Arrays with at least three axes.

    Parameters
    ----------
    *arys : array_like
        The arrays. A row becomes one of shape ``(1, n, 1)``, a matrix one of shape ``(m, n, 1)``.

    Returns
    -------
    Array or tuple of Array
        The array itself or a view of it; a tuple for several arrays.

    Examples
    --------
    >>> import devarray as da
    >>> da.atleast_3d(da.ones(3)).shape, da.atleast_3d(da.ones((3, 4))).shape
    ((1, 3, 1), (3, 4, 1))
    """
    shapes = [(1, 1, 1), (1, -1, 1)]
    given = [_of_scalar(x) for x in arys]
    made = [x.reshape(shapes[x.ndim]) if x.ndim < 2 else x[:, :, None] if x.ndim == 2 else x for x in given]
    return _each(arys, made)


def _each(given: tuple[Array, ...], made: list[Array]) -> Any:
    return made[0] if len(given) == 1 else tuple(made)


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
        raise ShapeError("unstack: a 0-dimensional array has no axis to split along")
    moved = moveaxis(x, axis, 0)
    return tuple(moved[i] for i in range(moved.shape[0]))


def roll(a: Array, shift: int | tuple[int, ...], axis: int | tuple[int, ...] | None = None) -> Array:
    """The array shifted along axes; what leaves one end comes in at the other.

    Parameters
    ----------
    a : array_like
        The array.
    shift : int or tuple of int
        By how many places, towards higher indices; for each of the axes, or one for all.
    axis : int or tuple of int, optional
        The axes to shift along. By default the flattened array is shifted.

    Returns
    -------
    Array
        A new array of the shape of `a`.

    Raises
    ------
    ValueError
        Where there are not as many shifts as axes.
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.roll(da.arange(4), 1).copy_to_host()
    array([3, 0, 1, 2])
    """
    given: Any = [shift] if _is_number(shift) else few("roll", "shift", shift)
    shifts = [int(one) for one in given]
    if axis is None:
        return roll(a.reshape(-1), sum(shifts), 0).reshape(a.shape)
    along: Any = [axis] if _is_number(axis) else axis
    axes = list(along)
    if len(shifts) == 1:
        shifts = shifts * len(axes)
    elif len(axes) == 1:
        axes = axes * len(shifts)
    if len(axes) != len(shifts):
        raise ValueError(f"roll: {len(shifts)} shifts and {len(axes)} axes; give as many of both")
    total = [0] * a.ndim
    for place, by in zip(axes, shifts, strict=True):
        total[normalize_axes(place, a.ndim)[0]] += by
    if isinstance(a, Array):
        return _core.roll(a, [by % max(size, 1) for by, size in zip(total, a.shape, strict=True)])
    result = a
    for place, by in enumerate(total):
        size = a.shape[place]
        if size == 0 or by % size == 0:
            continue
        cut = size - by % size
        before = (slice(None),) * place
        result = concat([result[(*before, slice(cut, None))], result[(*before, slice(None, cut))]], axis=place)
    return result.copy("K") if result is a else result


def _is_number(x: Any) -> bool:
    """Whether an argument is one whole number, also one of the device, and not a sequence of them."""
    return isinstance(x, int) or (hasattr(x, "__index__") and not getattr(x, "ndim", 0))


def tile(A: Array, reps: int | Sequence[int]) -> Array:
    """The whole array repeated along its axes.

    Parameters
    ----------
    A : array_like
        The array.
    reps : int or sequence of int
        How often, along each axis. Where there are more of them than axes, new axes are put in front; where fewer, the
        first axes are not repeated.

    Returns
    -------
    Array
        A new array.

    Examples
    --------
    >>> import devarray as da
    >>> da.tile(da.arange(2), 2).copy_to_host()
    array([0, 1, 0, 1])
    """
    given: Any = [reps] if _is_number(reps) else reps
    counts = [operator.index(n) for n in given]
    ndim = max(len(counts), A.ndim)
    counts = [1] * (ndim - len(counts)) + counts
    shape = [1] * (ndim - A.ndim) + list(A.shape)
    pairs = [size for pair in zip(counts, shape, strict=True) for size in pair]
    ones = [size for pair in zip([1] * ndim, shape, strict=True) for size in pair]
    wide = _core.broadcast_to(_core.reshape(A, ones, None), pairs)
    return _core.reshape(wide, [c * s for c, s in zip(counts, shape, strict=True)], True)


def repeat(a: Array, repeats: int | Array, axis: int | None = None) -> Array:
    """The array with each element repeated.

    Parameters
    ----------
    a : array_like
        The array.
    repeats : int or array_like of int
        One count for all, or one for each element along the axis (read from the device where it is there, which waits).
    axis : int, optional
        The axis to repeat along. By default the flattened array is repeated.

    Returns
    -------
    Array
        A new array.

    Raises
    ------
    ShapeError
        Where there is not one count for each element along the axis.
    ValueError
        For a negative count.
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.repeat(da.arange(2), 2).copy_to_host()
    array([0, 0, 1, 1])
    """
    if axis is None:
        a, axis = _of_scalar(a).reshape(-1), 0
    (axis,) = normalize_axes(axis, a.ndim)
    if not isinstance(repeats, Array) and np.size(repeats) != 1:
        repeats = asarray(repeats, queue=a.queue, allocator=a.allocator)
    if isinstance(repeats, Array) and repeats.size != 1:
        counts = repeats.copy_to_host().reshape(-1)
        if len(counts) != a.shape[axis]:
            raise ShapeError(f"repeat: {len(counts)} counts for {a.shape[axis]} elements along axis {axis}")
        if counts.dtype.kind in "biu":
            _core.require_room(8 * int(counts.sum(dtype=np.float64)), a.queue, a.allocator)  # whose sum does not wrap
        where = np.repeat(np.arange(len(counts)), counts)
        return gather(a, asarray(where, queue=a.queue, allocator=a.allocator), axis)
    count = repeats.item() if isinstance(repeats, Array) else int(repeats)
    if count < 0:
        raise ValueError(f"repeat: the count is {count}; it must not be negative")
    shape = list(a.shape)
    shape.insert(axis + 1, 1)
    wide = list(shape)
    wide[axis + 1] = count
    final = list(a.shape)
    final[axis] *= count
    return _core.reshape(_core.broadcast_to(_core.reshape(a, shape, None), wide), final, True)
