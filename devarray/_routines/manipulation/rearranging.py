"""Elements in another order or more than once: flips, rolls, rotations, tiles and repetitions."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from devarray import _core
from devarray._array.operations import row_along
from devarray._primitives.convert import asarray
from devarray._primitives.gather import gather
from devarray._primitives.join import concat
from devarray._routines.manipulation.shapes import is_number, of_scalar
from devarray._runtime.arguments import few
from devarray.array import Array, normalize_axes, normalize_axis
from devarray.errors import ShapeError, ValueError

__all__ = [
    "flip",
    "fliplr",
    "flipud",
    "repeat",
    "roll",
    "rot90",
    "tile",
]


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
    axes = list(range(m.ndim)) if axis is None else normalize_axes(axis, m.ndim)
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
    return flip(m, axis=normalize_axis(1, m.ndim))


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
    return flip(m, axis=normalize_axis(0, m.ndim))


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
        raise ShapeError(f"rot90: len(axes) must be 2: it turns from one axis towards another, not along {tuple(axes)}")
    first, second = normalize_axes(axes, m.ndim, "Axes must be different")
    if k % 4 == 1:
        return flip(m, axis=second).swapaxes(first, second)
    if k % 4 == 3:
        return flip(m.swapaxes(first, second), axis=second)
    return flip(m, axis=(first, second)) if k % 4 else m[...]


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
    made = _core.roll(a, shift, axis)
    if made is not None:
        return made
    given: Any = [shift] if is_number(shift) or isinstance(shift, float | np.floating) else few("roll", "shift", shift)
    if any(isinstance(one, list | tuple) or getattr(one, "ndim", 0) for one in given):
        raise ValueError("roll: 'shift' and 'axis' should be scalars or 1D sequences, as a shift for each axis is")
    shifts = [int(one) for one in given]
    if axis is None:
        return roll(a.reshape(-1), sum(shifts), 0).reshape(a.shape)
    along: Any = [axis] if is_number(axis) else axis
    axes = list(along)
    if len(shifts) == 1:
        shifts = shifts * len(axes)
    elif len(axes) == 1:
        axes = axes * len(shifts)
    if len(axes) != len(shifts):
        raise ValueError(
            f"shape mismatch: objects cannot be broadcast to a single shape: roll got {len(shifts)} shifts and "
            f"{len(axes)} axes; give as many of both"
        )
    total = [0] * a.ndim
    for place, by in zip(axes, shifts, strict=True):
        total[normalize_axis(place, a.ndim)] += by
    if isinstance(a, Array):
        total = [by % max(size, 1) for by, size in zip(total, a.shape, strict=True)]
        made = _core.roll(a, total, tuple(range(a.ndim)))
        return a.copy("K") if made is None else made
    result = a
    for place, by in enumerate(total):
        size = a.shape[place]
        if size == 0 or by % size == 0:
            continue
        cut = size - by % size
        before = (slice(None),) * place
        result = concat([result[(*before, slice(cut, None))], result[(*before, slice(None, cut))]], axis=place)
    return result.copy("K") if result is a else result


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
    made = _core.tile(A, reps)
    if made is not None:
        return made
    given: Any = [reps] if is_number(reps) else reps
    counts = [operator.index(n) for n in given]
    ndim = max(len(counts), A.ndim)
    counts = [1] * (ndim - len(counts)) + counts
    shape = [1] * (ndim - A.ndim) + list(A.shape)
    # An axis is repeated along one before it; those that are not need none, so that most axes may be given.
    pairs = [size for c, s in zip(counts, shape, strict=True) for size in ((s,) if c == 1 else (c, s))]
    ones = [size for c, s in zip(counts, shape, strict=True) for size in ((s,) if c == 1 else (1, s))]
    wide = _core.broadcast_to(_core.reshape(A, ones, None), pairs)
    return _core.reshape(wide, [c * s for c, s in zip(counts, shape, strict=True)], True)


def repeat(a: Array, repeats: Any, axis: int | None = None) -> Array:
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
    made = _core.repeat(a, repeats, axis)
    if made is not None:
        return made
    a, axis = row_along(of_scalar(a), axis)
    if not isinstance(repeats, Array | np.ndarray):
        # Fractions are lost, which NumPy refuses in arrays; an int may be too large for any dtype.
        repeats = np.array(repeats, object if isinstance(repeats, int) else np.int64)
    if repeats.ndim > 1:
        raise ShapeError(
            "repeat: object too deep for desired array: counts are a number or a row of numbers, not of shape "
            f"{repeats.shape}"
        )
    counts = np.reshape(repeats.copy_to_host() if isinstance(repeats, Array) else repeats, -1)
    if len(counts) != 1:
        if len(counts) != a.shape[axis]:
            raise ShapeError(
                f"operands could not be broadcast together with shape ({a.shape[axis]},) ({len(counts)},): repeat got "
                f"{len(counts)} counts for {a.shape[axis]} elements along axis {axis}"
            )
        if counts.dtype.kind in "biu":
            _core.require_room(8 * int(counts.sum(dtype=np.float64)), a.queue, a.allocator)  # whose sum does not wrap
        where = np.repeat(np.arange(len(counts)), counts)
        return gather(a, asarray(where, queue=a.queue, allocator=a.allocator), axis)
    count = operator.index(counts.item())
    if count < 0:
        raise ValueError(f"repeat: negative dimensions are not allowed: the count is {count}")
    shape = list(a.shape)
    shape.insert(axis + 1, 1)
    wide = list(shape)
    wide[axis + 1] = count
    final = list(a.shape)
    final[axis] *= count
    return _core.reshape(_core.broadcast_to(_core.reshape(a, shape, None), wide), final, True)
