"""NumPy's padding, in every mode, and by a caller's function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from devarray import _core
from devarray._array.numbers import numbers_in, stored_number
from devarray._array.order import is_fortran, made_in_order
from devarray._primitives.gather import gather
from devarray._routines.creation.ranges import arange
from devarray._routines.manipulation.axes import moveaxis
from devarray._routines.statistics.bin_edges import on_host
from devarray._routines.statistics.quantiles import median
from devarray.array import OP, Array, normalize_axis
from devarray.errors import DTypeError, ShapeError, ValueError

if TYPE_CHECKING:
    from devarray._typing import ScalarLike

__all__ = ["pad"]

_STATISTICS = ("maximum", "minimum", "mean", "median")
_TAKE = {
    "constant_values": ("constant",),
    "end_values": ("linear_ramp",),
    "stat_length": _STATISTICS,
    "reflect_type": ("reflect", "symmetric"),
}
"""The modes that take each keyword."""
_USUAL = {"constant_values": 0, "end_values": 0, "stat_length": None, "reflect_type": "even"}
_NONE: Any = np._NoValue


def pad(
    array: Array,
    pad_width: object,
    mode: str | Callable[..., Any] = "constant",
    *,
    constant_values: object = _NONE,
    end_values: object = _NONE,
    reflect_type: Any = _NONE,
    stat_length: object = _NONE,
    **kwargs: object,
) -> Array:
    """An array with more elements before and behind it along its axes.

    Parameters
    ----------
    array : array_like
        The array.
    pad_width : int or (before, after) or ((before, after), ...) or dict of int to either
        Numbers of elements for all axes, for each axis, or for those named.
    mode : str or callable
        What the new elements are: ``"constant"``; ``"edge"``, the outermost element; ``"reflect"`` and ``"symmetric"``,
        `array` mirrored at the outermost element or behind it; ``"wrap"``, `array` again; ``"linear_ramp"``, from the
        outermost element to `end_values`; ``"maximum"``, ``"minimum"``, ``"mean"`` or ``"median"`` of the `stat_length`
        outermost elements; ``"empty"``, undefined. A function is called as ``mode(row, (before, after), axis, kwargs)``
        for each row along each axis, a view of the padded array, and writes its ends.
    constant_values, end_values : scalar or (before, after) or ((before, after), ...)
        For the modes "constant" and "linear_ramp": the value at each end. 0 by default.
    reflect_type : {"even", "odd"}, optional
        For the modes "reflect" and "symmetric": whether mirrored values are as they are (the default), or also mirrored
        in the value of the edge.
    stat_length : int or (before, after) or ((before, after), ...), optional
        Number of elements for the statistics; the whole axis by default.
    **kwargs
        Handed to a function of the caller's, as a dict.

    Returns
    -------
    Array
        A new array of the dtype of `array`, stored by columns where `array` is. Corners are padding of what the axes
        before were padded to.

    Raises
    ------
    ValueError
        For an unknown mode or keyword, a negative width, or numbers that are not a pair for each axis.
    ShapeError
        Where an axis is empty, unless the mode is "constant" or "empty".

    Examples
    --------
    >>> import devarray as da
    >>> da.pad(da.asarray([1, 2, 3]), (1, 2)).copy_to_host()
    array([0, 1, 2, 3, 0, 0])
    >>> da.pad(da.asarray([1, 2, 3]), 2, "reflect").copy_to_host()
    array([3, 2, 1, 2, 3, 2, 1])
    """
    given = {"constant_values": constant_values, "end_values": end_values}
    given |= {"stat_length": stat_length, "reflect_type": reflect_type}
    for name, value in given.items():
        if value is _NONE:
            given[name] = _USUAL[name]
        elif not callable(mode) and mode not in _TAKE[name] and (mode in _MODES or mode == "empty"):
            raise ValueError(f"pad: unsupported keyword arguments for mode {mode!r}: {name}")
    constant_values, end_values, stat_length, mirror = given.values()
    if stat_length is not None:
        _require_lengths(mode if array.size else "empty", _pairs(stat_length, array.ndim))
    if mode == "constant" and constant_values is not _USUAL["constant_values"]:
        constant_values = _as_cast(constant_values, array.dtype)
    if not kwargs and not _lies_by_columns(array):
        framed = _core.pad(array, pad_width, mode, constant_values, end_values, mirror, stat_length)
        if framed is not None:
            return framed
    if callable(mode):
        return _by_caller(array, _widths(pad_width, array.ndim), mode, kwargs)
    if kwargs:
        raise ValueError(f"pad: no mode takes {', '.join(kwargs)}; a function of the caller's does")
    if mode not in _MODES and mode != "empty":
        raise ValueError(f"pad: mode '{mode}' is not supported; it is one of {', '.join(_MODES)} and empty")
    widths = _widths(pad_width, array.ndim)
    if mode in ("reflect", "symmetric"):
        pairs: Any = [(mirror, mirror)] * array.ndim
    else:
        pairs = _pairs({"constant": constant_values, "linear_ramp": end_values}.get(mode, stat_length), array.ndim)
    if mode == "constant" and pairs.size:
        pairs = np.broadcast_to(numbers_in(pairs.tolist(), array.dtype), pairs.shape)
    if mode == "constant" and (pairs == pairs[:1, :1]).all():
        return _framed(array, widths, pairs[0, 0] if pairs.size else None)
    padded = _framed(array, widths, None)
    area = [slice(before, before + n) for n, (before, _) in zip(array.shape, widths, strict=True)]
    for axis, sizes in enumerate(widths if mode != "empty" else ()):
        if array.shape[axis] == 0 and any(sizes) and mode != "constant":
            raise ShapeError(f"pad: can't extend empty axis {axis} using modes other than 'constant' or 'empty'")
        done = padded[(slice(None),) * axis + tuple(area[axis:])]  # padded along the axes before this one
        whole = padded[(slice(None),) * (axis + 1) + tuple(area[axis + 1 :])]
        for behind, size in enumerate(sizes):
            if size:
                place = slice(whole.shape[axis] - size, None) if behind else slice(0, size)
                whole[_along(axis, place)] = _MODES[mode](done, axis, size, bool(behind), pairs[axis][behind])
    return padded


def _as_cast(values: Any, dtype: np.dtype) -> Any:
    """One constant, or a pair of them, as NumPy's scalars are stored: those of unsigned dtypes wrap around."""
    if not isinstance(values, int | float | complex | np.generic | np.ndarray | list | tuple):
        return values  # such as an Array
    given = np.asarray(values)
    if given.size > 2 or given.dtype.kind not in "biufc":
        return values
    cast = np.empty(given.shape, dtype)
    for place in np.ndindex(given.shape):
        cast[place] = stored_number(given[place], dtype)
    return cast if cast.ndim else cast.item()


def _by_caller(array: Array, widths: list[tuple[int, int]], function: Callable[..., Any], kwargs: object) -> Array:
    padded = _framed(array, widths, 0)
    for axis, width in enumerate(widths):
        rows = moveaxis(padded, axis, -1)
        for place in np.ndindex(rows.shape[:-1]):
            function(rows[place], width, axis, kwargs)
    return padded


def _widths(pad_width: object, ndim: int) -> list[tuple[int, int]]:
    if isinstance(pad_width, Mapping):
        named = {normalize_axis(axis, ndim): np.broadcast_to(pair, 2) for axis, pair in pad_width.items()}
        pad_width = [named.get(axis, (0, 0)) for axis in range(ndim)] if ndim else 0
    whole = np.asarray(on_host(pad_width))
    if whole.dtype.kind not in "iu":
        raise DTypeError(f"`pad_width` must be of integral type, not {pad_width!r}")
    given = _pairs(whole, ndim)
    if (given < 0).any():
        raise ValueError(f"pad: index can't contain negative values; pad_width is {pad_width!r}")
    return [(int(before), int(after)) for before, after in given]


def _pairs(given: object, ndim: int) -> np.ndarray:
    """NumPy's ways to write two values for each axis."""
    values = np.asarray(given)
    if values.ndim > 2 or any(
        size not in (1, wanted) for size, wanted in zip(values.shape[::-1], (2, ndim), strict=False)
    ):
        if values.ndim > 2:
            raise ValueError("pad: input operand has more dimensions than allowed by the axis remapping")
        raise ValueError(
            f"pad: operands could not be broadcast together: {given!r} is no pair of values for each of {ndim} axes"
        )
    return np.broadcast_to(values, (ndim, 2))


def _framed(x: Array, widths: list[tuple[int, int]], value: Any) -> Array:
    """x amid one value, or amid anything for None."""
    shape = tuple(before + n + after for n, (before, after) in zip(x.shape, widths, strict=True))

    def make(shape: Any) -> Array:
        if value is None:
            return _core.empty(shape, x.dtype, x.queue, x.allocator)
        return _core.full(shape, x.dtype, _as_stored(value, x.dtype), x.queue, x.allocator)

    framed = made_in_order(make, shape, "F" if _lies_by_columns(x) else "C")
    framed[tuple(slice(before, before + n) for n, (before, _) in zip(x.shape, widths, strict=True))] = x
    return framed


def _lies_by_columns(x: Array) -> bool:
    """Whether x lies in memory by columns. What is pending does not: to ask would compute it apart from its store."""
    return x.ndim > 1 and not x.pending and is_fortran(x, "A")


def _as_stored(value: ScalarLike, dtype: np.dtype) -> Any:
    return np.asarray(value).astype(dtype).item()


def _along(axis: int, part: slice) -> tuple[slice, ...]:
    return (slice(None),) * axis + (part,)


# Each mode gives one end's padding of `size` elements along an axis, or what broadcasts to it.


def _constant(x: Array, axis: int, size: int, behind: bool, value: ScalarLike) -> Any:
    return _as_stored(value, x.dtype)


def _edge(x: Array, axis: int, size: int, behind: bool, _: object) -> Array:
    return x[_along(axis, slice(-1, None) if behind else slice(0, 1))]


def _places(x: Array, axis: int, size: int, behind: bool) -> Array:
    """The padding's indices, counted from x's first element."""
    start = x.shape[axis] if behind else -size
    return arange(start, start + size, dtype=np.int64, queue=x.queue, allocator=x.allocator)


def _wrap(x: Array, axis: int, size: int, behind: bool, _: object) -> Array:
    n = x.shape[axis]
    if size <= n:
        return x[_along(axis, slice(0, size) if behind else slice(n - size, n))]
    return gather(x, _places(x, axis, size, behind) % x.shape[axis], axis)


def _mirrored(step: int) -> Callable[..., Array]:
    """Mirroring with a period of the axis' size less `step`."""

    def end(x: Array, axis: int, size: int, behind: bool, kind: str) -> Array:
        if kind not in ("even", "odd"):
            raise ValueError(f"pad: reflect_type is even or odd, not {kind!r}")
        n = x.shape[axis]
        if n == 1:
            return _edge(x, axis, size, behind, kind)
        if kind == "even" and size <= n - step:  # one turn
            first = n - step - size if behind else step
            return x[_along(axis, slice(first, first + size))][_along(axis, slice(None, None, -1))]
        places, period = _places(x, axis, size, behind), n - step
        turns, rest = places // period, places % period
        odd = turns % 2 != 0
        picked = gather(x, _core.apply(OP["where"], odd, n - 1 - rest, rest), axis)
        if kind == "even":
            return picked
        turns, odd = (part.reshape((-1, *(1,) * (x.ndim - 1 - axis))) for part in (turns, odd))
        result = _core.apply(OP["where"], odd, 2 * _edge(x, axis, 1, behind, None) - picked, picked)
        if size >= period:  # each turn starts where the one before it ended
            whole = turns - _core.apply(OP["where"], odd, 1 if behind else -1, 0)
            step_of_turns = _edge(x, axis, 1, True, None) - _edge(x, axis, 1, False, None)
            result = result + whole.astype(x.dtype) * step_of_turns
        return result.astype(x.dtype, copy=False)

    return end


def _linear_ramp(x: Array, axis: int, size: int, behind: bool, value: ScalarLike) -> Array:
    """From the outermost element of the padding towards x, in steps as numpy.linspace makes them."""
    numbers = arange(size, dtype=np.float64, queue=x.queue, allocator=x.allocator)
    if behind:
        numbers = numbers[::-1]
    numbers = numbers.reshape((-1, *(1,) * (x.ndim - 1 - axis)))
    edge = _edge(x, axis, size, behind, None).astype(np.result_type(x.dtype, np.float64))
    ramp = numbers * ((edge - value) / size) + value
    return (_core.apply(OP["floor"], ramp) if x.dtype.kind in "iu" else ramp).astype(x.dtype)


def _require_lengths(mode: object, lengths: np.ndarray) -> None:
    """ValueError for lengths that a statistic is never of, also where nothing is added."""
    given = lengths.ravel().tolist()
    if any(length is not None and length < 0 for length in given):
        raise ValueError(f"pad: index can't contain negative values; stat_length is {min(given)}")
    if mode in ("maximum", "minimum") and 0 in given:
        raise ValueError(f"pad: stat_length of 0 yields no value for padding: there is no {mode} of no elements")


def _statistic(function: Callable[..., Array]) -> Callable[..., Array]:
    def end(x: Array, axis: int, size: int, behind: bool, length: Any) -> Array:
        n = x.shape[axis]
        count = n if length is None else min(int(length), n)
        if count < 1 and (function not in (Array.mean, median) or x.dtype.kind not in "fc"):
            raise ValueError(f"pad: stat_length of 0 yields no value for padding; it is {length}")
        value = function(x[_along(axis, slice(n - count, n) if behind else slice(0, count))], axis, keepdims=True)
        if x.dtype.kind in "iu" and value.dtype.kind == "f":
            value = _core.apply(OP["round"], value)
        return value.astype(x.dtype, copy=False)

    return end


_MODES: dict[str, Callable[..., Any]] = {
    "constant": _constant,
    "edge": _edge,
    "reflect": _mirrored(1),
    "symmetric": _mirrored(0),
    "wrap": _wrap,
    "linear_ramp": _linear_ramp,
    "maximum": _statistic(Array.max),
    "minimum": _statistic(Array.min),
    "mean": _statistic(Array.mean),
    "median": _statistic(median),
}
