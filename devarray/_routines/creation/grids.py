"""Grids of indices, and sequences of evenly spaced exponents."""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from devarray import _core
from devarray._array.order import order_of
from devarray._primitives.checks import clip_mode, count_of, integers, within
from devarray._primitives.convert import asarray, place_like
from devarray._primitives.operands import as_arrays
from devarray._routines.creation.ranges import between_floats, evenly_between
from devarray._routines.manipulation.axes import moveaxis
from devarray._routines.manipulation.shapes import is_number
from devarray._routines.sorting.searching import nonzero
from devarray._runtime.devices import Device, Queue, resolve_place
from devarray.array import OP, Array, normalize_axes, normalize_axis
from devarray.errors import DTypeError, ShapeError, ValueError

__all__ = [
    "fromfunction",
    "geomspace",
    "indices",
    "ix_",
    "logspace",
    "meshgrid",
    "ravel_multi_index",
    "unravel_index",
]

_Device = Device | str | None
_PLAIN = (int, float)
_INDEX = np.dtype(np.int64)


# --- indices of elements -------------------------------------------------------------------------------------------


def indices(
    dimensions: Sequence[int],
    dtype: Any = int,
    sparse: bool = False,
    *,
    device: _Device = None,
    allocator: object = None,
    queue: Queue | None = None,
) -> Any:
    """The indices of every element of an array of a given shape.

    Parameters
    ----------
    dimensions : sequence of int
        The shape of the array.
    dtype : dtype
        Of the result. int64 by default.
    sparse : bool
        Whether to return the indices along each axis in one dimension, as arrays that broadcast. False by default.
    device, allocator, queue : optional
        Where the result is made, and the queue that orders its work, as in :func:`devarray.empty`.

    Returns
    -------
    Array or tuple of Array
        A new array of shape ``(len(dimensions), *dimensions)``; with `sparse` a tuple of arrays.

    Examples
    --------
    >>> import devarray as da
    >>> da.indices((2, 2)).copy_to_host().tolist()
    [[[0, 0], [1, 1]], [[0, 1], [0, 1]]]
    """
    place = resolve_place(device, allocator, queue)
    shape, target = tuple(dimensions), np.dtype(np.int64 if dtype is None and sparse else dtype)
    n = len(shape)
    lines = []
    for axis, size in enumerate(shape):
        line = _core.iota(size, np.dtype(np.int64) if target.kind == "b" else target, 0, 1, *place)
        line = line if line.dtype is target else line.astype(target, copy=False)
        lines.append(line.reshape((1,) * axis + (size,) + (1,) * (n - axis - 1)))
    if sparse:
        return tuple(lines)
    result = _core.empty((n, *shape), target, *place)
    for axis, line in enumerate(lines):
        result[axis] = line
    return result


def fromfunction(
    function: Callable[..., Any], shape: Sequence[int], *, dtype: object = float, like: object = None, **kwargs: object
) -> Any:
    """What a function returns for the indices of every element of an array.

    Parameters
    ----------
    function : callable
        Of one Array of indices for each axis, as :func:`indices` returns them, and of `kwargs`.
    shape : sequence of int
        The shape of the array.
    dtype : dtype
        Of the indices. float64 by default.
    like : Array, optional
        Where the indices are made. A host array asks for nothing.
    **kwargs
        Handed to the function.

    Returns
    -------
    object
        What the function returns.

    Examples
    --------
    >>> import devarray as da
    >>> da.fromfunction(lambda i, j: i + j, (2, 2), dtype=da.int64).copy_to_host()
    array([[0, 1],
           [1, 2]])
    """
    queue, allocator = place_like(like, None, None, None)
    return function(*indices(shape, dtype, queue=queue, allocator=allocator), **kwargs)


def ix_(*args: Any) -> tuple[Array, ...]:
    """Index arrays that together select given indices along each axis.

    ``x[ix_([0, 2], [1])]`` has two rows and one column.

    Parameters
    ----------
    *args : array_like of int or bool
        One-dimensional indices; or masks, whose elements are counted, which waits.

    Returns
    -------
    tuple of Array
        One for each argument, shaped so that they broadcast.

    Raises
    ------
    ShapeError
        For an argument of another number of dimensions than one.

    Examples
    --------
    >>> import devarray as da
    >>> x = da.arange(6).reshape(2, 3)
    >>> x[da.ix_([1, 0], [0, 2])].copy_to_host()
    array([[3, 5],
           [0, 2]])
    """
    rows = []
    given = [x if isinstance(x, Array | np.ndarray) or len(x) else np.empty(0, np.int64) for x in args]
    lists = all(type(x) is list for x in given)
    for axis, x in enumerate(map(asarray, given) if lists else as_arrays(*given)):
        if x.ndim != 1:
            raise ShapeError(f"ix_: Cross index must be 1 dimensional; number {axis} has {x.ndim} dimensions")
        line = nonzero(x)[0] if x.dtype.kind == "b" else x
        rows.append(line.reshape((1,) * axis + (line.size,) + (1,) * (len(args) - axis - 1)))
    return tuple(rows)


def meshgrid(*arrays: object, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> tuple[Array, ...]:
    """Coordinate arrays from one-dimensional ones.

    Parameters
    ----------
    *arrays : array_like
        The coordinates along each axis, of at most one dimension.
    copy : bool
        Whether to return new arrays (the default), or read-only broadcast views.
    sparse : bool
        Whether to return the coordinates along each axis in one dimension, as arrays that broadcast. False by default.
    indexing : {"xy", "ij"}
        Whether the first array runs along the second axis (the default), or along the first one.

    Returns
    -------
    tuple of Array
        One for each of `arrays`.

    Raises
    ------
    ValueError
        For another `indexing`.

    Examples
    --------
    >>> import devarray as da
    >>> x, y = da.meshgrid(da.arange(3), da.arange(2))
    >>> y.copy_to_host()
    array([[0, 0, 0],
           [1, 1, 1]])
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid: Valid values for `indexing` are 'xy' and 'ij', not {indexing!r}")
    given = as_arrays(*arrays) if arrays else []
    n = len(given)
    axes = [1, 0, *range(2, n)] if indexing == "xy" and n > 1 else list(range(n))
    shape = [1] * n
    for axis, x in zip(axes, given, strict=True):
        shape[axis] = x.size
    lines = [x.reshape((1,) * axis + (-1,) + (1,) * (n - axis - 1)) for axis, x in zip(axes, given, strict=True)]
    wide = lines if sparse else [_core.broadcast_to(line, shape) for line in lines]
    return tuple(x.copy() for x in wide) if copy else tuple(wide)


def ravel_multi_index(multi_index: Any, dims: Sequence[int], mode: Any = "raise", order: str = "C") -> Array:
    """Indices into a flattened array from the indices along its axes.

    Parameters
    ----------
    multi_index : sequence of array_like of int
        One for each axis; they broadcast.
    dims : sequence of int
        The shape of the array.
    mode : {"raise", "wrap", "clip"} or sequence of them
        What happens to indices outside: an error (the default), counting on from the start, or the nearest valid one.
        With ``"raise"``, host indices raise ValueError; device indices raise IndexError at the next point where the
        host waits for the device.
    order : {"C", "F"}
        Which axis runs fastest in the flattened array: the last one (the default), or the first one.

    Returns
    -------
    Array
        int64, of the shape that the indices broadcast to.

    Raises
    ------
    ShapeError
        Where there is not one index array (and one mode) for each axis.
    ValueError
        For host indices outside the array, another `order` or `mode`, or an array of more elements than int64 counts.

    Examples
    --------
    >>> import devarray as da
    >>> da.ravel_multi_index(([0, 1], da.asarray([2, 0])), (2, 3)).copy_to_host()
    array([2, 3])
    """
    if type(multi_index) is tuple and all(type(i) is int for i in multi_index):
        number = _of_python("ravel_multi_index", multi_index, dims, mode, order)
        if number is not None:
            return _value(number)
    shape, parts = tuple(map(operator.index, dims)), list(multi_index)
    modes = list(mode) if isinstance(mode, list | tuple) else [mode] * len(shape)
    if not len(parts) == len(shape) == len(modes):
        raise ShapeError(
            f"parameter multi_index must be a sequence of length {len(shape)}: ravel_multi_index got {len(parts)} "
            f"indices and {len(modes)} modes for {len(shape)} axes"
        )
    if math.prod(shape) > np.iinfo(np.int64).max:
        raise ValueError(f"ravel_multi_index: an array of shape {shape} has more elements than int64 can number")
    total: Any = 0
    name = "ravel_multi_index"
    parts = [_integral(x, name) for x in parts]
    if not math.prod(shape) and any(x.size for x in parts):
        raise ValueError(f"{name}: an array of shape {shape} has no elements")
    inside = [within(x, size, clip_mode(how, name), name) for x, size, how in zip(parts, shape, modes, strict=True)]
    for x, step in zip(as_arrays(*inside) if inside else (), _steps(shape, order, name), strict=True):
        total = total + x * step
    return total if isinstance(total, Array) else asarray(total)


def unravel_index(indices: Any, shape: int | Sequence[int], order: str = "C") -> tuple[Array, ...]:
    """Indices along the axes of an array from indices into the flattened array.

    Parameters
    ----------
    indices : array_like of int
        Host indices outside the array raise ValueError; device indices raise IndexError at the next point where the
        host waits for the device.
    shape : int or sequence of int
        The shape of the array.
    order : {"C", "F"}
        Which axis runs fastest in the flattened array: the last one (the default), or the first one.

    Returns
    -------
    tuple of Array
        int64, one for each axis, of the shape of `indices`.

    Raises
    ------
    ValueError
        For host indices outside the array, another `order`, or sizes of more elements than int64 counts.

    Examples
    --------
    >>> import devarray as da
    >>> x = da.asarray([[3, 1, 2], [6, 5, 4]])
    >>> [i.item() for i in da.unravel_index(da.argmax(x), x.shape)]
    [1, 0]
    """
    if type(indices) is int and type(shape) is tuple:
        places = _of_python("unravel_index", indices, shape, order)
        if places is not None:
            return tuple(map(_value, places))
    given: Any = [shape] if is_number(shape) else shape
    sizes = tuple(map(operator.index, given))
    name = "unravel_index"
    if math.prod(sizes) > np.iinfo(np.int64).max:
        raise ValueError(f"{name}: an array of shape {sizes} has more elements than int64 counts")
    x = asarray(within(_integral(indices, name), math.prod(sizes), "raise", name))
    if not sizes and x.ndim:
        raise ValueError(f"{name}: multiple indices are not supported for 0d arrays, which have one: {indices!r:.200}")
    order = order_of(order or "C", "CF", name)
    if math.prod(sizes) <= 2**32:  # shorter numbers are divided faster
        x = x.astype(np.uint32)
    found: list[Array] = []
    for size in sizes[:0:-1] if order == "C" else sizes[:-1]:
        outer = x // max(size, 1)
        found.append(x - outer * max(size, 1))
        x = outer
    found += [x] if sizes else []
    return tuple(part.astype(np.int64, copy=False) for part in (found[::-1] if order == "C" else found))


def _integral(indices: Any, name: str) -> Any:
    """Indices as an Array or a NumPy array of integers, of which an empty list is none, as NumPy has it."""
    if isinstance(indices, list | tuple) and not np.size(indices):
        raise DTypeError(f"{name}: {indices!r} has no dtype; give an array without elements, of integers")
    return integers(indices, name)


def _of_python(name: str, *arguments: Any) -> Any:
    """What NumPy's function gives for Python's numbers; None where it raises, for errors of ours."""
    try:
        return getattr(np, name)(*arguments)
    except (TypeError, builtins.ValueError):
        return None


def _value(number: Any) -> Array:
    return _core.as_value(_core.full((), _INDEX, int(number)))


def _steps(shape: Sequence[int], order: str, name: str) -> list[int]:
    """How far apart neighbours along each axis are in the flattened array."""
    order = order_of(order or "C", "CF", name)
    outwards = [math.prod(shape[i + 1 :]) if order == "C" else math.prod(shape[:i]) for i in range(len(shape))]
    return [max(step, 1) for step in outwards]


# --- sequences -----------------------------------------------------------------------------------------------------


def logspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    base: Any = 10.0,
    dtype: Any = None,
    axis: int = 0,
    *,
    device: _Device = None,
    allocator: Any = None,
    queue: Queue | None = None,
) -> Array:
    """`base` to the power of `num` evenly spaced exponents from `start` to `stop`.

    Parameters
    ----------
    start, stop : array_like
        The first and, with `endpoint`, the last exponent. They broadcast, also with `base`.
    num : int
        Number of values. 50 by default.
    endpoint : bool
        Whether `stop` is the last exponent. True by default.
    base : array_like
        The base of the powers. 10 by default.
    dtype : dtype, optional
        That of the exponents by default, at least a float.
    axis : int
        The axis of the result along which the exponents run. 0 by default.
    device, allocator, queue : optional
        Where the result is made, and the queue that orders its work, as in :func:`devarray.empty`.

    Returns
    -------
    Array
        A new array with an axis of size `num` more than the ends have.

    Raises
    ------
    ShapeError
        For a negative number of values.

    Examples
    --------
    >>> import devarray as da
    >>> da.logspace(0, 3, 4).copy_to_host().round(9)
    array([   1.,   10.,  100., 1000.])
    """
    where = {"device": device, "allocator": allocator, "queue": queue}
    if getattr(base, "ndim", 0) or isinstance(base, list | tuple):
        start, stop, base = (x if isinstance(x, Array) else asarray(x, **where) for x in (start, stop, base))
        ndim = max(x.ndim for x in (start, stop, base))
        start, stop, base = (x.reshape((1,) * (ndim - x.ndim) + x.shape) for x in (start, stop, base))
        place = normalize_axis(axis, ndim + 1)
        base = base.reshape((*base.shape[:place], 1, *base.shape[place:]))
    count = count_of(num, "logspace")
    there = resolve_place(device, allocator, queue)
    if count > 1 and type(start) in _PLAIN and type(stop) in _PLAIN and _core.device_of(*there).fp64:
        exponents, _ = between_floats(float(start), float(stop), count, endpoint, there)
    else:
        exponents, _ = evenly_between(start, stop, count, endpoint, where)
    exponents = moveaxis(exponents, 0, axis) if exponents.ndim > 1 else _only(exponents, axis)
    powers = base**exponents
    return powers if dtype is None else powers.astype(dtype, copy=False)


def _only(x: Array, axis: int) -> Array:
    normalize_axes(axis, 1)
    return x


def geomspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    dtype: Any = None,
    axis: int = 0,
    *,
    device: _Device = None,
    allocator: Any = None,
    queue: Queue | None = None,
) -> Array:
    """`num` numbers from `start` to `stop`, each a constant times the one before.

    Parameters
    ----------
    start, stop : array_like
        The first and, with `endpoint`, the last number. Host numbers are checked not to be zero; zeros on the device
        give NaN. Complex numbers run on a spiral.
    num : int
        Number of values. 50 by default.
    endpoint : bool
        Whether `stop` is the last number. True by default.
    dtype : dtype, optional
        At least float64 by default.
    axis : int
        The axis of the result along which the numbers run. 0 by default.
    device, allocator, queue : optional
        Where the result is made, and the queue that orders its work, as in :func:`devarray.empty`.

    Returns
    -------
    Array
        A new array with an axis of size `num` more than the ends have.

    Raises
    ------
    ValueError
        Where a host end is zero.
    ShapeError
        For a negative number of values.
    DTypeError
        For a `dtype` without logarithms.

    Examples
    --------
    >>> import devarray as da
    >>> da.geomspace(1, 1000, 4).copy_to_host().round(9)
    array([   1.,   10.,  100., 1000.])
    """
    for end in (start, stop):
        if not isinstance(end, Array) and not np.all(end):
            raise ValueError("geomspace: Geometric sequence cannot include zero, as one of the ends")
    where = {"device": device, "allocator": allocator, "queue": queue}
    dtypes = [x.dtype if isinstance(x, Array) else np.asarray(x).dtype for x in (start, stop)]
    least = np.float64 if dtype is None else np.dtype(dtype)
    work = np.result_type(*dtypes, least, 0.0)
    if work.kind not in "fc":
        raise DTypeError(f"geomspace: numbers of dtype {work} have no logarithm")
    held = next((x for x in (start, stop) if isinstance(x, Array)), None)
    place = where if held is None else {"queue": held.queue, "allocator": held.allocator}
    low, high = (
        x.astype(work, copy=False) if isinstance(x, Array) else asarray(np.asarray(x, work), **place)
        for x in (start, stop)
    )
    sign = _core.apply(OP["sign"], low)
    low, high = low / sign, high / sign
    log_low, log_high = (_core.apply(OP["log10"], x) for x in (low, high))
    exponents, _ = evenly_between(log_low, log_high, count_of(num, "geomspace"), endpoint, place, work)
    values = (10.0**exponents).astype(work, copy=False)
    if values.shape[0]:
        values[0] = low
    if values.shape[0] > 1 and endpoint:
        values[-1] = high
    values = values * sign
    values = moveaxis(values, 0, axis) if values.ndim > 1 else _only(values, axis)
    return values if dtype is None else values.astype(dtype, copy=False)
