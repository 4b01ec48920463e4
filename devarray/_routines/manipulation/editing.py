"""Functions that add elements to arrays and remove elements from them."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from devarray import _core
from devarray._array.order import is_fortran, made_in_order
from devarray._primitives.compaction import compress_elements
from devarray._primitives.convert import asarray
from devarray._primitives.host_arrays import to_host
from devarray._primitives.join import concat
from devarray._primitives.operands import as_arrays, asarray_like
from devarray._primitives.stored import stored_in
from devarray._routines.manipulation.axes import moveaxis
from devarray.array import OP, Array, normalize_axes, normalize_axis
from devarray.errors import IndexError, ShapeError, ValueError

if TYPE_CHECKING:
    from devarray._typing import ArrayLike

__all__ = ["append", "delete", "insert", "resize", "trim_zeros"]


def append(arr: object, values: ArrayLike, axis: int | None = None) -> Array:
    """The array with values appended.

    Parameters
    ----------
    arr, values : array_like
        Their shapes may differ along `axis` only. The result has their common dtype; host values have NumPy's.
    axis : int, optional
        The axis to join along. By default both are flattened first.

    Returns
    -------
    Array
        A new array.

    Raises
    ------
    ShapeError
        Where the shapes do not fit.

    Examples
    --------
    >>> import devarray as da
    >>> da.append(da.asarray([1, 2]), [3, 4]).copy_to_host()
    array([1, 2, 3, 4])
    """
    return concat(as_arrays(arr, values), axis=axis)


def insert(arr: Array, obj: object, values: object, axis: int | None = None) -> Array:
    """The array with values inserted before given indices along an axis.

    Parameters
    ----------
    arr : array_like
        Flattened where no axis is given.
    obj : int, slice, sequence of int, or mask
        Indices into `arr` before which to insert. An Array of them is read from the device, a wait.
    values : array_like
        Cast to the dtype of `arr`; broadcast to a slice of the result for each index.
    axis : int, optional
        The axis to insert along.

    Returns
    -------
    Array
        A new array of the dtype of `arr`.

    Raises
    ------
    IndexError
        For an index outside the axis, or one that is no integer.
    ShapeError
        For indices of more than one dimension, and values that do not broadcast.

    Examples
    --------
    >>> import devarray as da
    >>> da.insert(da.asarray([1, 2, 3]), [1, 3], 9).copy_to_host()
    array([1, 9, 2, 3, 9])
    """
    x, axis = _along(arr, axis)
    size, before = x.shape[axis], (slice(None),) * axis
    places = _positions("insert", obj, size)
    single = places.ndim == 0
    wrong = places[(places < -size) | (places > size)]
    if wrong.size:
        raise IndexError(f"insert: index {wrong[0]} is out of bounds for axis {axis} with size {size}")
    places = np.where(places < 0, places + size, places)
    new = stored_in(values, x)
    if places.size == 1:
        new = new.reshape((1,) * (x.ndim - new.ndim) + new.shape)
        new = moveaxis(new, 0, axis) if single else new
        at, count = int(places.reshape(())), new.shape[axis]
        result = _longer(x, axis, count)
        result[(*before, slice(None, at))] = x[(*before, slice(None, at))]
        result[(*before, slice(at, at + count))] = new
        result[(*before, slice(at + count, None))] = x[(*before, slice(at, None))]
        return result
    order = np.argsort(places, kind="stable")
    places[order] += np.arange(places.size)
    result = _longer(x, axis, places.size)
    result[(*before, places)] = new
    result[(*before, np.delete(np.arange(result.shape[axis]), places))] = x
    return result


def _longer(x: Array, axis: int, count: int) -> Array:
    return _made_like(x, (*x.shape[:axis], x.shape[axis] + count, *x.shape[axis + 1 :]))


def _made_like(x: Array, shape: Sequence[int]) -> Array:
    """A new array of a shape, by columns where `x` is stored by columns."""
    made: Array = made_in_order(lambda sizes: _core.empty_at(x, sizes, None), shape, "F" if is_fortran(x, "A") else "C")
    return made


def _along(arr: object, axis: int | None) -> tuple[Array, int]:
    x = asarray(arr)
    return (x.reshape(-1), 0) if axis is None else (x, normalize_axis(axis, x.ndim))


def _positions(name: str, obj: object, size: int) -> np.ndarray:
    """Indices as NumPy's int64, of no or one dimension; those to delete of any number: ``where(mask)``."""
    if isinstance(obj, slice):
        return np.arange(size, dtype=np.int64)[obj]
    given = obj.copy_to_host() if isinstance(obj, Array) else np.asarray(to_host(obj))
    if name == "delete" and given.dtype.kind != "b" and given.ndim > 1:
        given = given.reshape(-1)
    if given.ndim > 1 or (given.dtype.kind == "b" and given.ndim != 1):
        raise ShapeError(
            f"index array argument obj to {name} must be one dimensional or scalar, not of shape {given.shape}"
        )
    if given.dtype.kind == "b":
        return np.flatnonzero(given)
    if given.dtype.kind not in "iu" and (given.size or isinstance(obj, Array | np.ndarray)):
        raise IndexError(f"{name}: arrays used as indices must be of integer (or boolean) type, not {given.dtype}")
    return given.astype(np.int64)


def delete(arr: Array, obj: Any, axis: int | None = None) -> Array:
    """The array without the elements at given indices along an axis.

    Parameters
    ----------
    arr : array_like
        Flattened where no axis is given.
    obj : int, slice, sequence of int, or mask of the axis' size
        Indices of any shape. An Array of indices or a mask, and those in a list, are read from the device, a wait.
    axis : int, optional
        The axis to delete along.

    Returns
    -------
    Array
        A new array of the dtype of `arr`.

    Raises
    ------
    IndexError
        For an index outside the axis, or one that is no integer.
    ShapeError
        For a mask of another size than the axis.

    Examples
    --------
    >>> import devarray as da
    >>> da.delete(da.asarray([1, 2, 3, 4]), [0, 2]).copy_to_host()
    array([2, 4])
    """
    x, axis = _along(arr, axis)
    obj = to_host(obj) if isinstance(obj, list | tuple) else obj
    size, before = x.shape[axis], (slice(None),) * axis
    mask = not isinstance(obj, slice | list | tuple) and getattr(obj, "dtype", None) == np.bool_
    if mask or (isinstance(obj, list | tuple) and np.asarray(obj).dtype == np.bool_):
        given = asarray_like(obj, x)
        if given.shape != (size,):
            raise ShapeError(
                f"boolean array argument obj to delete must be one dimensional and match the axis length of {size}, "
                f"not of shape {given.shape}"
            )
        return x[(*before, _core.apply(OP["logical_not"], given))]
    places = _positions("delete", obj, size)
    wrong = places[(places < -size) | (places >= size)]
    if wrong.size:
        raise IndexError(f"delete: index {wrong[0]} is out of bounds for axis {axis} with size {size}")
    gone = _distinct(places, size)
    count = size - gone.size
    if not count:
        return x[(*before, slice(0, 0))].copy()
    begins, ends = np.append(0, gone + 1), np.append(gone, size)
    runs = (begins < ends).nonzero()[0]
    if runs.size > 2:
        keep = np.ones(size, bool)
        keep[gone] = False
        return compress_elements(x, asarray_like(keep, x), count) if x.ndim == 1 else x[(*before, keep)]
    views = [x[(*before, slice(begins[run], ends[run]))] for run in runs.tolist()]
    shape = (*x.shape[:axis], count, *x.shape[axis + 1 :])
    out = None if x.ndim < 2 or _core.is_contiguous(x, "C") else _made_like(x, shape)
    return concat(views, axis, out)


def _distinct(places: np.ndarray, size: int) -> np.ndarray:
    """Places of an axis, counted from its start, sorted and each once; what is cheap follows from their number."""
    if places.size * 20 < size:
        return np.unique(places + size * (places < 0))
    gone = np.zeros(size, bool)
    gone[places] = True
    return gone.nonzero()[0]


_SHORT = 1024
"""Elements of a row that is too short to be repeated as it is."""


def resize(a: Array, new_shape: int | Sequence[int]) -> Array:
    """The elements in C order, repeated or cut off to fill another shape; zeros where there are none.

    Parameters
    ----------
    a : array_like
        The array.
    new_shape : int or sequence of int
        The shape of the result.

    Returns
    -------
    Array
        A new array of the dtype of `a`.

    Raises
    ------
    ValueError
        For a negative size.

    Examples
    --------
    >>> import devarray as da
    >>> da.resize(da.asarray([1, 2, 3]), (2, 4)).copy_to_host()
    array([[1, 2, 3, 1],
           [2, 3, 1, 2]])
    """
    x = asarray(a)
    if isinstance(new_shape, Array | np.ndarray) and new_shape.ndim:
        new_shape = new_shape.tolist()
    sizes = (new_shape,) if hasattr(new_shape, "__index__") else new_shape
    shape = tuple(operator.index(size) for size in sizes)
    if any(size < 0 for size in shape):
        raise ValueError(f"resize: all elements of `new_shape` must be non-negative, not {shape}")
    count, flat = math.prod(shape), x.reshape(-1)
    if x.size == 0:
        return _core.full(shape, x.dtype, 0, x.queue, x.allocator)
    if count <= x.size:
        return flat[:count].copy().reshape(shape)
    if x.size < _SHORT and count > 2 * _SHORT:
        flat = resize(flat, x.size * (_SHORT // x.size + 1))
        x = flat
    result = _core.empty_at(x, (count,), None)
    whole = count - count % x.size
    result[:whole].reshape((-1, x.size))[...] = flat
    if whole < count:
        result[whole:] = flat[: count - whole]
    return result.reshape(shape)


def trim_zeros(filt: object, trim: str = "fb", axis: int | Sequence[int] | None = None) -> Any:
    """The part of an array inside its outermost elements that are not zero. Waits for their indices.

    Parameters
    ----------
    filt : array_like
        The array.
    trim : {"fb", "f", "b"}
        Where to remove zeros: at both ends (the default), at the front, or at the back.
    axis : int or sequence of int, optional
        The axes to trim; all by default.

    Returns
    -------
    Array
        A view; of a list or a tuple a part of it, as NumPy's.

    Raises
    ------
    ValueError
        For another `trim`.

    Examples
    --------
    >>> import devarray as da
    >>> da.trim_zeros(da.asarray([0, 0, 1, 0, 2, 0])).copy_to_host()
    array([1, 0, 2])
    """
    sides = str(trim).lower()
    if sides not in ("fb", "bf", "f", "b"):
        raise ValueError(f"trim_zeros: unexpected character(s) in `trim`: {trim!r}; it is 'f', 'b' or 'fb'")
    x = asarray(filt)
    axes = list(range(x.ndim)) if axis is None else normalize_axes(axis, x.ndim)
    key = [slice(None)] * x.ndim
    for a in axes:
        found = np.flatnonzero(x.any(tuple(i for i in range(x.ndim) if i != a)).copy_to_host())
        if not found.size:
            key[a] = slice(0, 0)
            continue
        key[a] = slice(int(found[0]) if "f" in sides else None, int(found[-1]) + 1 if "b" in sides else None)
    if isinstance(filt, list | tuple) and x.ndim == 1:
        return filt[key[0]]
    return x[(*key, ...)]  # a view without axes, too
