"""Shapes, axes, joining and casting: the manipulation chapter of the Array API standard, and NumPy's names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from devarray import _core
from devarray.arguments import few
from devarray.array import Array, normalize_axes
from devarray.errors import AxisError, DTypeError, ShapeError, ValueError
from devarray.outputs import into

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

    Examples
    --------
    >>> import devarray as da
    >>> da.astype(da.asarray([1.7, -1.7]), da.int32).copy_to_host()
    array([ 1, -1], dtype=int32)
    """
    result = x.astype(dtype, copy=copy)
    return result if device is None else result.to_device(device)


def copy(x: Array, /, order: str = "K") -> Array:
    """The values in fresh memory: dense, as the array lies ("K", "A"), in C order ("C") or Fortran's ("F").

    Examples
    --------
    >>> import devarray as da
    >>> x = da.zeros(2)
    >>> y = da.copy(x)
    >>> y[0] = 1
    >>> x.copy_to_host()
    array([0., 0.])
    """
    return x.copy(order)


def reshape(x: Array, /, shape: int | Sequence[int], order: str = "C", *, copy: bool | None = None) -> Array:
    """The elements under another shape: a view where the strides allow it, else a copy.

    Examples
    --------
    >>> import devarray as da
    >>> da.reshape(da.arange(4), (2, -1)).copy_to_host()
    array([[0, 1],
           [2, 3]])
    """
    return x.reshape(shape, order=order, copy=copy)


def ravel(x: Array, /, order: str = "C") -> Array:
    """The elements as one dense axis: a view where they lie so.

    Examples
    --------
    >>> import devarray as da
    >>> da.ravel(da.ones((2, 2))).shape
    (4,)
    """
    return x.ravel(order)


def permute_dims(x: Array, /, axes: Sequence[int]) -> Array:
    """The array with its axes permuted, a view.

    Examples
    --------
    >>> import devarray as da
    >>> da.permute_dims(da.ones((2, 3, 4)), (2, 0, 1)).shape
    (4, 2, 3)
    """
    return _core.permute(x, list(axes))


def transpose(x: Array, /, axes: Sequence[int] | None = None) -> Array:
    """NumPy's name of :func:`permute_dims`; reverses the axes by default.

    Examples
    --------
    >>> import devarray as da
    >>> da.transpose(da.ones((2, 3))).shape
    (3, 2)
    """
    if isinstance(x, list | tuple):  # as of what nonzero() gives
        x = stack(x)
    return x.T if axes is None else _core.permute(x, list(axes))


def matrix_transpose(x: Array, /) -> Array:
    """The array with its last two axes swapped, a view.

    Examples
    --------
    >>> import devarray as da
    >>> da.matrix_transpose(da.ones((5, 2, 3))).shape
    (5, 3, 2)
    """
    return x.mT


def moveaxis(x: Array, /, source: int | Sequence[int], destination: int | Sequence[int]) -> Array:
    """Axes moved to other places, the rest in order; a view.

    Examples
    --------
    >>> import devarray as da
    >>> da.moveaxis(da.ones((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    src, dst = normalize_axes(source, x.ndim), normalize_axes(destination, x.ndim)
    if len(src) != len(dst):
        raise ShapeError(f"moveaxis: {len(src)} source axes and {len(dst)} destinations; give as many of both")
    order = [axis for axis in range(x.ndim) if axis not in src]
    for place, axis in sorted(zip(dst, src, strict=True)):
        order.insert(place, axis)
    return _core.permute(x, order)


def swapaxes(x: Array, /, axis1: int, axis2: int) -> Array:
    """Two axes swapped, a view.

    Examples
    --------
    >>> import devarray as da
    >>> da.swapaxes(da.ones((2, 3)), 0, 1).shape
    (3, 2)
    """
    return x.swapaxes(axis1, axis2)


def expand_dims(x: Array, /, axis: int | Sequence[int]) -> Array:
    """The array with axes of size 1 inserted; a view.

    Examples
    --------
    >>> import devarray as da
    >>> da.expand_dims(da.ones(3), (0, 2)).shape
    (1, 3, 1)
    """
    given = [axis] if isinstance(axis, int) else list(axis)
    new = set(normalize_axes(given, x.ndim + len(given)))
    shape, strides = list(x.shape), list(x.strides)
    for place in sorted(new):
        shape.insert(place, 1)
        strides.insert(place, 0)
    return _core.view(x, shape, strides)


def squeeze(x: Array, /, axis: int | tuple[int, ...] | None = None) -> Array:
    """The array without the axes of size 1 named (all by default); a view.

    Examples
    --------
    >>> import devarray as da
    >>> da.squeeze(da.ones((1, 3, 1)), 0).shape
    (3, 1)
    """
    return x.squeeze(axis)


def flip(x: Array, /, axis: int | tuple[int, ...] | None = None) -> Array:
    """Elements in reverse order along axes (all by default); a view.

    Examples
    --------
    >>> import devarray as da
    >>> da.flip(da.arange(3)).copy_to_host()
    array([2, 1, 0])
    """
    axes = range(x.ndim) if axis is None else normalize_axes(axis, x.ndim)
    key = [slice(None)] * x.ndim
    for a in axes:
        key[a] = slice(None, None, -1)
    return x[tuple(key)]


def fliplr(m: Array) -> Array:
    """Elements in reverse order along the second axis; a view.

    Examples
    --------
    >>> import devarray as da
    >>> da.fliplr(da.asarray([[1, 2], [3, 4]])).copy_to_host()
    array([[2, 1],
           [4, 3]])
    """
    return flip(m, axis=normalize_axes(1, m.ndim)[0])


def flipud(m: Array) -> Array:
    """Elements in reverse order along the first axis; a view.

    Examples
    --------
    >>> import devarray as da
    >>> da.flipud(da.asarray([[1, 2], [3, 4]])).copy_to_host()
    array([[3, 4],
           [1, 2]])
    """
    return flip(m, axis=normalize_axes(0, m.ndim)[0])


def rot90(m: Array, k: int = 1, axes: Sequence[int] = (0, 1)) -> Array:
    """The array turned `k` quarters, from the first of two axes towards the second; a view.

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
    """One axis moved before another, or with a `start` of the number of axes to the end; a view.

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


def broadcast_to(x: Array, /, shape: Sequence[int]) -> Array:
    """The array repeated to a shape; a view that cannot be written.

    Examples
    --------
    >>> import devarray as da
    >>> da.broadcast_to(da.arange(2), (2, 2)).copy_to_host()
    array([[0, 1],
           [0, 1]])
    """
    return _core.broadcast_to(x, shape)


def broadcast_shapes(*shapes: Sequence[int]) -> tuple[int, ...]:
    """The shape that shapes broadcast to.

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


def broadcast_arrays(*arrays: Array) -> tuple[Array, ...]:
    """Arrays repeated to their common shape, as views: read-only ones, where the shapes differ.

    Examples
    --------
    >>> import devarray as da
    >>> x, y = da.broadcast_arrays(da.ones((2, 1)), da.ones(3))
    >>> x.shape
    (2, 3)
    """
    shape = broadcast_shapes(*(a.shape for a in arrays))
    if all(a.shape == shape for a in arrays):
        return arrays
    return tuple(_core.broadcast_to(a, shape) for a in arrays)


def common_dtype(arrays: Sequence[Array]) -> np.dtype:
    dtype = arrays[0].dtype
    for a in arrays[1:]:
        dtype = _core.promote(dtype, a.dtype)
    return dtype


def _require_arrays(arrays: Sequence[Any], what: str) -> None:
    if not arrays:
        raise ShapeError(f"{what} needs at least one array")
    for a in arrays:
        if not isinstance(a, Array):
            raise DTypeError(f"{what} takes device arrays, not {type(a).__name__}; use asarray() first")


def concat(arrays: Sequence[Array], /, axis: int | None = 0, *, dtype: Any = None, out: Array | None = None) -> Array:
    """Arrays joined along an axis; flattened first where it is None.

    Examples
    --------
    >>> import devarray as da
    >>> da.concat([da.zeros(1), da.ones(2)]).copy_to_host()
    array([0., 1., 1.])
    """
    arrays = list(arrays)
    _require_arrays(arrays, "concat")
    if axis is None:
        arrays = [a.reshape(-1) for a in arrays]
        axis = 0
    first = arrays[0]
    if first.ndim == 0:
        raise ShapeError("concat: 0-dimensional arrays have no axis to join along; use stack")
    (axis,) = normalize_axes(axis, first.ndim)
    for a in arrays[1:]:
        if a.ndim != first.ndim or any(
            i != axis and size != other for i, (size, other) in enumerate(zip(a.shape, first.shape, strict=True))
        ):
            raise ShapeError(f"concat: shapes {first.shape} and {a.shape} differ outside axis {axis}")
    shape = list(first.shape)
    shape[axis] = sum(a.shape[axis] for a in arrays)
    result = _core.empty_at(first, shape, common_dtype(arrays) if dtype is None else dtype)
    at = 0
    for a in arrays:
        key = [slice(None)] * result.ndim
        key[axis] = slice(at, at + a.shape[axis])
        result[tuple(key)] = a
        at += a.shape[axis]
    return into("concat", result, out)


def concatenate(
    arrays: Sequence[Array], /, axis: int | None = 0, *, dtype: Any = None, out: Array | None = None
) -> Array:
    """NumPy's name of :func:`concat`.

    Examples
    --------
    >>> import devarray as da
    >>> da.concatenate([da.zeros(1), da.ones(2)]).copy_to_host()
    array([0., 1., 1.])
    """
    return into("concatenate", concat(arrays, axis=axis, dtype=dtype), out)


def stack(arrays: Sequence[Array], /, axis: int = 0, *, out: Array | None = None) -> Array:
    """Arrays of one shape joined along a new axis.

    Examples
    --------
    >>> import devarray as da
    >>> da.stack([da.zeros(2), da.ones(2)]).copy_to_host()
    array([[0., 0.],
           [1., 1.]])
    """
    arrays = list(arrays)
    _require_arrays(arrays, "stack")
    first = arrays[0]
    for a in arrays[1:]:
        if a.shape != first.shape:
            raise ShapeError(f"stack: shapes {first.shape} and {a.shape} differ")
    (axis,) = normalize_axes(axis, first.ndim + 1)
    shape = list(first.shape)
    shape.insert(axis, len(arrays))
    result = _core.empty_at(first, shape, common_dtype(arrays))
    key: list[Any] = [slice(None)] * result.ndim
    for i, a in enumerate(arrays):
        key[axis] = i
        result[tuple(key)] = a
    return into("stack", result, out)


def vstack(arrays: Sequence[Array], /) -> Array:
    """Arrays joined along the first axis, one-dimensional ones as rows.

    Examples
    --------
    >>> import devarray as da
    >>> da.vstack([da.zeros(2), da.ones(2)]).shape
    (2, 2)
    """
    return concat([atleast_2d(a) for a in arrays], axis=0)


def hstack(arrays: Sequence[Array], /) -> Array:
    """Arrays joined along the second axis, one-dimensional ones along the first.

    Examples
    --------
    >>> import devarray as da
    >>> da.hstack([da.zeros(2), da.ones(2)]).shape
    (4,)
    """
    arrays = [atleast_1d(a) for a in arrays]
    return concat(arrays, axis=0 if arrays and arrays[0].ndim == 1 else 1)


def _of_scalar(x: Any) -> Array:
    """An array of a scalar on the current device; arrays as they are."""
    if isinstance(x, bool | int | float | complex | np.generic):
        from devarray.creation import asarray

        return asarray(x)
    return x


def atleast_1d(*arys: Array) -> Any:
    """Arrays with at least one axis; a tuple of several ones.

    Examples
    --------
    >>> import devarray as da
    >>> da.atleast_1d(da.asarray(1.0)).shape
    (1,)
    """
    return _each(arys, [x if x.ndim else x.reshape(1) for x in map(_of_scalar, arys)])


def atleast_2d(*arys: Array) -> Any:
    """Arrays with at least two axes, new ones in front; a tuple of several ones.

    Examples
    --------
    >>> import devarray as da
    >>> da.atleast_2d(da.ones(3)).shape
    (1, 3)
    """
    return _each(arys, [x if x.ndim >= 2 else x.reshape(1, -1) for x in map(_of_scalar, arys)])


def atleast_3d(*arys: Array) -> Any:
    """Arrays with at least three axes, of those of a matrix the third; a tuple of several ones.

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
    """The array split along an axis, which is removed; views.

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


def roll(x: Array, /, shift: int | tuple[int, ...], axis: int | tuple[int, ...] | None = None) -> Array:
    """Elements moved along axes, those that leave one end coming in at the other.

    Examples
    --------
    >>> import devarray as da
    >>> da.roll(da.arange(4), 1).copy_to_host()
    array([3, 0, 1, 2])
    """
    if axis is None:
        return roll(
            x.reshape(-1), shift if isinstance(shift, int) else sum(few("roll", "shift", shift)), axis=0
        ).reshape(x.shape)
    axes = [axis] if isinstance(axis, int) else list(axis)
    shifts = [shift] * len(axes) if isinstance(shift, int) else list(few("roll", "shift", shift))
    if len(axes) == 1 and len(shifts) > 1:
        axes = axes * len(shifts)
    if len(axes) != len(shifts):
        raise ValueError(f"roll: {len(shifts)} shifts and {len(axes)} axes; give as many of both")
    total = [0] * x.ndim
    for a, s in zip(axes, shifts, strict=True):
        total[normalize_axes(a, x.ndim)[0]] += s
    result = x.copy() if not any(total) else x
    for a, s in enumerate(total):
        size = x.shape[a]
        if size == 0 or s % size == 0:
            continue
        cut = size - s % size
        low, high = [slice(None)] * x.ndim, [slice(None)] * x.ndim
        low[a], high[a] = slice(cut, None), slice(None, cut)
        result = concat([result[tuple(low)], result[tuple(high)]], axis=a)
    return result.copy() if result is x else result


def tile(x: Array, /, reps: int | Sequence[int]) -> Array:
    """The array repeated as a whole along its axes.

    Examples
    --------
    >>> import devarray as da
    >>> da.tile(da.arange(2), 2).copy_to_host()
    array([0, 1, 0, 1])
    """
    counts = [reps] if isinstance(reps, int) else list(reps)
    ndim = max(len(counts), x.ndim)
    counts = [1] * (ndim - len(counts)) + counts
    shape = [1] * (ndim - x.ndim) + list(x.shape)
    pairs = [size for pair in zip(counts, shape, strict=True) for size in pair]
    ones = [size for pair in zip([1] * ndim, shape, strict=True) for size in pair]
    wide = _core.broadcast_to(_core.reshape(x, ones, None), pairs)
    return _core.reshape(wide, [c * s for c, s in zip(counts, shape, strict=True)], True)


def repeat(x: Array, /, repeats: int | Array, axis: int | None = None) -> Array:
    """Each element repeated.

    Parameters
    ----------
    x : Array
    repeats : int, or Array of int
        One count for all, or one for each element along the axis (their sum is read from the device, a wait).
    axis : int, optional
        The flattened array by default.

    Examples
    --------
    >>> import devarray as da
    >>> da.repeat(da.arange(2), 2).copy_to_host()
    array([0, 0, 1, 1])
    """
    if axis is None:
        x, axis = _of_scalar(x).reshape(-1), 0
    (axis,) = normalize_axes(axis, x.ndim)
    if not isinstance(repeats, Array) and np.size(repeats) != 1:
        from devarray.creation import asarray

        repeats = asarray(repeats, queue=x.queue, allocator=x.allocator)
    if isinstance(repeats, Array) and repeats.size != 1:
        from devarray.searching import take

        counts = repeats.copy_to_host().reshape(-1)
        if len(counts) != x.shape[axis]:
            raise ShapeError(f"repeat: {len(counts)} counts for {x.shape[axis]} elements along axis {axis}")
        if counts.dtype.kind in "biu":
            _core.require_room(8 * int(counts.sum(dtype=np.float64)), x.queue, x.allocator)  # whose sum does not wrap
        where = np.repeat(np.arange(len(counts)), counts)
        from devarray.creation import asarray

        return take(x, asarray(where, queue=x.queue, allocator=x.allocator), axis=axis)
    count = repeats.item() if isinstance(repeats, Array) else int(repeats)
    if count < 0:
        raise ValueError(f"repeat: the count is {count}; it must not be negative")
    shape = list(x.shape)
    shape.insert(axis + 1, 1)
    wide = list(shape)
    wide[axis + 1] = count
    final = list(x.shape)
    final[axis] *= count
    return _core.reshape(_core.broadcast_to(_core.reshape(x, shape, None), wide), final, True)
