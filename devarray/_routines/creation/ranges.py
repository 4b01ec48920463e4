"""Evenly spaced numbers, unit matrices and triangles; with them the names of the chapter of creation."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from devarray import _core
from devarray._primitives.convert import array, default_float, place_like
from devarray._primitives.convert import asarray_or_texts as asarray
from devarray._routines.creation.arange import arange, of_dates
from devarray._routines.creation.filled import device_array, device_array_like, empty, full, ones, zeros
from devarray._routines.creation.like import empty_like, full_like, ones_like, zeros_like
from devarray._runtime.arguments import dtype_of
from devarray._runtime.devices import Device, Queue, resolve_place
from devarray.array import OP, Array, normalize_axes, normalize_axis
from devarray.errors import DTypeError, ShapeError, ValueError

if TYPE_CHECKING:
    from devarray._typing import DTypeLike

__all__ = [
    "arange",
    "array",
    "asarray",
    "device_array",
    "device_array_like",
    "empty",
    "empty_like",
    "eye",
    "full",
    "full_like",
    "identity",
    "linspace",
    "ones",
    "ones_like",
    "tril",
    "triu",
    "zeros",
    "zeros_like",
]

_PLAIN = (int, float)
_DOUBLE = np.dtype(np.float64)
_Shape = int | Sequence[int]
_Device = Device | str | None


def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: DTypeLike | None = None,
    axis: int = 0,
    *,
    device: _Device = None,
    allocator: object = None,
    queue: Queue | None = None,
) -> Any:
    """Evenly spaced values between two ends.

    Parameters
    ----------
    start, stop : int, float, complex or array_like
        The ends, which broadcast. `stop` is the last value only with `endpoint`. Numbers of the device are read, which
        waits; arrays with axes are not.
    num : int
        Number of values. 50 by default.
    endpoint : bool
        Whether `stop` is the last value. True by default.
    retstep : bool
        Whether to return also the difference of neighbours. False by default.
    dtype : dtype, optional
        float64 by default, complex128 for complex ends, or the single-precision ones on devices without float64.
    axis : int
        The axis of the result along which the values run, where the ends are arrays. 0 by default.
    device, allocator, queue : optional
        Where the result is made, and the queue that orders its work, as in :func:`devarray.empty`.

    Returns
    -------
    Array or tuple
        A new array with an axis of size `num` more than the ends have; with `retstep`, a tuple of it and the
        difference: NaN for less than two values.

    Raises
    ------
    ValueError
        For a negative number of values.
    DTypeError
        For dates and durations.
    AxisError
        For an `axis` that the result does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.linspace(0, 1, 5).copy_to_host()
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    if type(start) in _PLAIN and type(stop) in _PLAIN and type(num) is int and num > 1 and axis in (0, -1):
        there = (queue, None) if device is allocator is None else resolve_place(device, allocator, queue)
        distance = float(stop) - float(start)
        if dtype is None and math.isfinite(distance) and _core.device_of(*there).fp64:
            values, step = between_floats(float(start), float(stop), num, endpoint, there)
            return (values, np.float64(step)) if retstep else values
    num = operator.index(num)
    if num < 0:
        raise ValueError(f"linspace: Number of samples, {num}, must be non-negative.")
    if any(map(of_dates, (start, stop))):
        raise DTypeError("linspace: dates and durations have no floating-point steps; arange() steps by whole units")
    if any(np.ndim(x) for x in (start, stop)):
        where = {"device": device, "allocator": allocator, "queue": queue}
        values, step = evenly_between(start, stop, num, endpoint, where)
        place = normalize_axis(axis, values.ndim)
        order = list(range(1, values.ndim))
        order.insert(place, 0)
        values = _core.permute(values, order)
        target = values.dtype if dtype is None else np.dtype(dtype)
    else:
        normalize_axes(axis, 1)
        values, step, target = _between_numbers(
            start, stop, num, endpoint, dtype, resolve_place(device, allocator, queue)
        )
    if target.kind in "iu":
        values = _core.apply(OP["floor"], values)
    values = values.astype(target, copy=False)
    return (values, step) if retstep else values


def between_floats(start: float, stop: float, num: int, endpoint: bool, place: Any) -> tuple[Array, float]:
    """Two float64 values and more, and the step between them: those of :func:`_between_numbers`, in less time."""
    steps = num - 1 if endpoint else num
    distance = stop - start
    step = distance / steps
    counting = _core.iota(num, _DOUBLE, 0, 1, *place)
    values = (counting * step if step != 0 else counting / steps * distance) + start
    if endpoint:
        values[-1] = stop
    return values, step


def _between_numbers(
    start: object, stop: object, num: int, endpoint: bool, dtype: DTypeLike | None, place: Any
) -> tuple[Array, Any, Any]:
    """The values, the step between them, and the dtype that they are to have."""
    if start is None or stop is None:
        raise DTypeError(f"linspace: {'start' if start is None else 'stop'} is None; a number is wanted")
    typed = [x.dtype for x in (start, stop) if isinstance(x, Array | np.generic | np.ndarray)]
    start, stop = (x.item() if isinstance(x, Array | np.generic | np.ndarray) else x for x in (start, stop))
    inexact = np.dtype(np.result_type(*typed, 1.0) if typed else default_float(*place))
    if isinstance(start, complex) or isinstance(stop, complex):
        inexact = np.result_type(inexact, np.complex64)
    target = inexact if dtype is None else np.dtype(dtype)
    work = np.result_type(target, inexact, default_float(*place))
    steps = num - 1 if endpoint else num
    distance = work.type(stop) - work.type(start)
    step = distance / steps if steps > 0 else work.type(np.nan)
    counting = _core.iota(num, np.dtype(work.type(0).real.dtype), 0, 1, *place)
    if steps > 0 and step != 0:
        values = counting * step + work.type(start)
    elif steps > 0:
        values = counting / steps * distance + work.type(start)
    else:
        values = counting * distance + work.type(start)
    values = values.astype(work, copy=False)
    if endpoint and num > 1:
        values[-1] = work.type(stop).item()
    return values, inexact.type(step if inexact.kind == "c" else step.real), target


def _promoted(x: object) -> Any:
    """What stands for a number or an array in a promotion: Python's numbers are weak."""
    return type(x)() if type(x) in (int, float, complex) else dtype_of(x)


def evenly_between(
    start: object, stop: object, count: int, endpoint: bool, where: dict[str, Any], dtype: Any = None
) -> tuple[Array, Any]:
    """Evenly spaced numbers along a new first axis between arrays, and the differences of neighbours."""
    held = next((x for x in (start, stop) if isinstance(x, Array)), None)
    moved = any(given is not None for given in where.values())
    if held is None or moved:
        place = resolve_place(where.get("device"), where.get("allocator"), where.get("queue"))
    else:
        place = (held.queue, held.allocator)
    inexact = np.result_type(_promoted(start), _promoted(stop), 0.0) if dtype is None else np.dtype(dtype)
    low, high = (
        (asarray(x, **where) if moved else x).astype(inexact, copy=False)
        if isinstance(x, Array)
        else asarray(np.asarray(x, inexact), queue=place[0], allocator=place[1])
        for x in (start, stop)
    )
    delta = high - low
    step: Any
    steps = count - 1 if endpoint else count
    real = np.empty(0, inexact).real.dtype
    counting = _core.iota(count, real, 0, 1, *place).reshape((-1,) + (1,) * delta.ndim)
    if steps > 0:
        step = delta / steps
        rising = _core.apply(OP["where"], step == 0, counting / steps * delta, counting * step)
    else:
        step, rising = np.nan, counting * delta
    values = (rising + low).astype(inexact, copy=False)
    if endpoint and count > 1:
        values[-1] = high
    return values, step


def eye(
    N: int,
    M: int | None = None,
    k: int = 0,
    dtype: DTypeLike | None = None,
    order: str = "C",
    *,
    device: _Device = None,
    like: object = None,
    allocator: object = None,
    queue: Queue | None = None,
) -> Array:
    """A matrix of ones on one diagonal and zeros elsewhere.

    Parameters
    ----------
    N : int
        Number of rows.
    M : int, optional
        Number of columns; as many as rows by default.
    k : int
        Which diagonal: 0 is the main one (the default), positive ones are above it.
    dtype : dtype, optional
        float64 by default, float32 on devices without it.
    order : {"C", "F"}
        Which axis is dense in memory: the last one ("C", the default) or the first one.
    device, like, allocator, queue : optional
        Where the result is made, and the queue that orders its work, as in :func:`devarray.empty`.

    Returns
    -------
    Array
        A new array of shape ``(N, M)``.

    Raises
    ------
    ShapeError
        For a negative size.

    Examples
    --------
    >>> import devarray as da
    >>> da.eye(2, 3, k=1).copy_to_host()
    array([[0., 1., 0.],
           [0., 0., 1.]])
    """
    place = place_like(like, device, allocator, queue)
    result = zeros((N, N if M is None else M), dtype, order, queue=place[0], allocator=place[1])
    (height, width), k = result.shape, operator.index(k)
    length = min(height, width - k) if k >= 0 else min(height + k, width)
    if length > 0:
        row, column = (0, k) if k >= 0 else (-k, 0)
        rows, columns_step = result.strides
        diagonal = _core.view(result, (length,), (rows + columns_step,), row * rows + column * columns_step)
        diagonal[...] = 1
    return result


def identity(
    n: int,
    dtype: DTypeLike | None = None,
    *,
    like: object = None,
    device: _Device = None,
    allocator: object = None,
    queue: Queue | None = None,
) -> Array:
    """A square matrix of ones on the main diagonal and zeros elsewhere.

    Parameters
    ----------
    n : int
        Number of rows and columns.
    dtype : dtype, optional
        float64 by default, float32 on devices without it.
    like, device, allocator, queue : optional
        Where the result is made, and the queue that orders its work, as in :func:`devarray.empty`.

    Returns
    -------
    Array
        A new array of shape ``(n, n)``.

    Examples
    --------
    >>> import devarray as da
    >>> da.identity(2).copy_to_host()
    array([[1., 0.],
           [0., 1.]])
    """
    return eye(n, dtype=dtype, like=like, device=device, allocator=allocator, queue=queue)


def diagonal_number(k: Any) -> int:
    """The diagonal that bounds a triangle; a fraction is cut off, as NumPy does where it counts in integers."""
    return operator.index(k) if hasattr(k, "__index__") else math.trunc(k)


def axis_length(n: Any) -> int:
    """How many rows or columns a number asks for; a fraction counts as one more, as in ``arange(n)``."""
    return operator.index(n) if hasattr(n, "__index__") else math.ceil(n)


def _triangle(x: object, k: int, keep_lower: bool) -> Array:
    x, k = asarray(x), diagonal_number(k)
    if x.ndim == 0:
        raise ShapeError("tril and triu need an axis, the array has none")
    if x.ndim == 1:  # each row of the matrix, as NumPy broadcasts it
        x = _core.broadcast_to(x, (x.size, x.size))
    rows = _core.iota(x.shape[-2], np.dtype(np.int64), 0, 1, x.queue, x.allocator)
    columns = _core.iota(x.shape[-1], np.dtype(np.int64), 0, 1, x.queue, x.allocator)
    rows = _core.reshape(rows, (x.shape[-2], 1), None)
    if keep_lower:
        return _core.apply(OP["where"], columns <= rows + k, x, 0 if x.dtype.kind != "b" else False)
    return _core.apply(OP["where"], columns >= rows + k, x, 0 if x.dtype.kind != "b" else False)


def tril(m: Array, k: int = 0) -> Array:
    """The lower triangle of the last two axes, zeros above the k-th diagonal.

    Parameters
    ----------
    m : array_like
        An array of at least two axes; the last two are the matrices'.
    k : int
        Which diagonal: 0 is the main one (the default), positive ones are above it.

    Returns
    -------
    Array
        A new array of the shape and dtype of `m`.

    Raises
    ------
    ShapeError
        Where the array has fewer than two axes.

    Examples
    --------
    >>> import devarray as da
    >>> da.tril(da.ones((2, 2))).copy_to_host()
    array([[1., 0.],
           [1., 1.]])
    """
    return _triangle(m, k, True)


def triu(m: Array, k: int = 0) -> Array:
    """The upper triangle of the last two axes, zeros below the k-th diagonal.

    Parameters
    ----------
    m : array_like
        An array of at least two axes; the last two are the matrices'.
    k : int
        Which diagonal: 0 is the main one (the default), positive ones are above it.

    Returns
    -------
    Array
        A new array of the shape and dtype of `m`.

    Raises
    ------
    ShapeError
        Where the array has fewer than two axes.

    Examples
    --------
    >>> import devarray as da
    >>> da.triu(da.ones((2, 2))).copy_to_host()
    array([[1., 1.],
           [0., 1.]])
    """
    return _triangle(m, k, False)
