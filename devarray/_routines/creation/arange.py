"""Numbers in equal steps: :func:`arange`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from devarray import _core
from devarray._array.protocols import PROTOCOLS
from devarray._primitives.convert import default_float, place_like
from devarray._primitives.host_arrays import hosted
from devarray._runtime.devices import Device, Queue
from devarray.array import Array
from devarray.errors import DTypeError, ValueError, ZeroDivisionError

__all__ = ["arange"]

_NONE = np._NoValue
_DATES = (np.datetime64, np.timedelta64)
_PLAIN = (int, float)
_DOUBLE = np.dtype(np.float64)
_MOST = 1 << 60  # elements: of more, their bytes have no 64-bit number
_Device = Device | str | None


def of_dates(x: object) -> bool:
    """Whether it is a date, a duration, or an array of them."""
    if x is None or type(x) in _PLAIN:
        return False
    return isinstance(x, _DATES) or getattr(getattr(x, "dtype", None), "kind", "") in ("m", "M")


def arange(
    start_or_stop: Any = _NONE,
    /,
    stop: Any = None,
    step: Any = 1,
    dtype: Any = None,
    *,
    start: Any = _NONE,
    device: _Device = None,
    like: Any = None,
    allocator: Any = None,
    queue: Queue | None = None,
) -> Array:
    """Evenly spaced values in the half-open interval [start, stop). Of bools two at most, as in NumPy.

    Parameters
    ----------
    start_or_stop : int or float, optional
        The first value, 0 by default; the end where `stop` is not given. Numbers of the device are read, which waits.
    stop : int or float, optional
        The end, which is not part of the result.
    step : int or float
        Difference of neighbours, not 0. 1 by default.
    dtype : dtype, optional
        int64 where all three numbers are integers, else float64 (float32 on devices without it). Objects stay on the
        host, as of :func:`array`.
    start : int or float, optional
        The first value by its name, with which there must be a `stop`.
    device, like, allocator, queue : optional
        Where the result is made, and the queue that orders its work, as in :func:`devarray.empty`.

    Returns
    -------
    Array
        A new one-dimensional array.

    Raises
    ------
    ZeroDivisionError
        For a step of zero.
    ValueError
        Where there are more steps than an array can have.
    DTypeError
        For bool and complex numbers, and where no end is given.

    Examples
    --------
    >>> import devarray as da
    >>> da.arange(2, 10, 3).copy_to_host()
    array([2, 5, 8])
    """
    if start is _NONE and dtype is None and like is None and device is None and allocator is None and queue is None:
        first, end = (0, start_or_stop) if stop is None else (start_or_stop, stop)
        if type(first) is int and type(end) is int and type(step) is int and step:
            count = -((first - end) // step)
            if 1 < count <= _MOST:
                return _core.iota(count, np.int64, first, step)
        elif type(first) in _PLAIN and type(end) in _PLAIN and type(step) in _PLAIN and step:
            steps = (end - first) / step
            if 1 < steps <= _MOST and _core.device_of(None, None).fp64:
                return _core.iota(math.ceil(steps), _DOUBLE, float(first), float(first + step) - float(first))
    start, stop = _ends(start_or_stop, stop, start)
    if any(map(of_dates, (start, stop, step))) or (dtype is not None and np.dtype(dtype).kind in "mM"):
        first = None if start is _NONE else start
        return PROTOCOLS["arange_of_dates"](first, stop, step, dtype, place_like(like, device, allocator, queue))
    if start is None:
        raise DTypeError("arange: the start is None; leave it out, or give a number")
    if dtype is not None and np.dtype(dtype).kind == "O" and device is like is allocator is queue is None:
        first, end, by = (0 if x is _NONE else _host_number(x) for x in (start, stop, step))
        return hosted(np.arange(first, end, by, dtype=dtype))
    start = 0 if start is _NONE else _host_number(start)
    stop, step = _host_number(stop), 1 if step is None else _host_number(step)
    if step == 0:
        raise ZeroDivisionError("arange: the step is zero")
    place = place_like(like, device, allocator, queue)
    count = _steps_between(start, stop, step)
    if dtype is None:
        integral = all(isinstance(v, int | np.integer) for v in (start, stop, step))
        dtype = np.int64 if integral else default_float(*place)
        if 1 < count <= _MOST and type(start) in _PLAIN and type(step) in _PLAIN and dtype is not np.float32:
            # Python's numbers give the bits that NumPy's give below, in a third of the time.
            first = start if integral else float(start)
            return _core.iota(count, dtype, first, step if integral else float(start + step) - first, *place)
    target = np.dtype(dtype)
    if count == 0:  # whose first value need not fit
        return _core.full((0,), target, 0, *place)
    if target.kind == "b":
        if count > 2:
            raise DTypeError(
                f"arange() is only supported for booleans when the result has at most length 2, not {count}: more have "
                "no even spacing; choose an integer dtype"
            )
        one, other = int(bool(start)), int(bool(start + step))
        return _core.iota(count, np.dtype(np.int8), one, other - one, *place).astype(target)
    # NumPy's values: the step is the difference of the first two elements as the dtype has them.
    first = target.type(start)
    if all(isinstance(n, int | np.integer) for n in (start, step)):
        start, step = int(start), int(step)  # whose sum is exact
    with np.errstate(over="ignore", invalid="ignore"):
        delta = first * 0 if count < 2 else target.type(start + step) - first
    return _core.iota(count, target, first, delta, *place)


def _ends(first: Any, stop: Any, start: Any) -> tuple[Any, Any]:
    """The start, NumPy's sign of no value where there is none, and the end; `first` was given by position."""
    if start is not _NONE:
        if first is not _NONE:
            raise DTypeError("arange: the start is given twice, by position and by its name")
        first = start
    elif stop is None:
        first, stop = _NONE, first
    if stop is None or stop is _NONE:
        raise DTypeError("arange() requires stop to be specified: give the end alone by position, or as `stop`")
    return first, stop


def _host_number(x: object) -> Any:
    return x.item() if isinstance(x, Array) and x.ndim == 0 else x


def _steps_between(start: Any, stop: Any, step: Any) -> int:
    """How many of start, start + step, ... lie before `stop`."""
    numbers = [v.item() if isinstance(v, np.generic | np.ndarray) and v.ndim == 0 else v for v in (start, stop, step)]
    start, stop, step = numbers
    if all(isinstance(v, int) for v in numbers):
        count = max(0, -((start - stop) // step))
    else:
        if any(isinstance(v, complex) for v in numbers):
            raise DTypeError("arange: complex numbers have no order; use linspace")
        distance = float((stop - start) / step)
        if math.isnan(distance):
            raise ValueError(
                f"arange: cannot compute length: no number of steps of {step} leads from {start} to {stop}"
            )
        if distance == 0 and stop != start:  # the step is beyond the end
            return int(math.copysign(1, distance) > 0)
        count = 2**63 if distance > 2**62 else max(0, math.ceil(distance))
    if count > 2**62:
        raise ValueError(f"Maximum allowed size exceeded: arange from {start} to {stop} in steps of {step}")
    return count
