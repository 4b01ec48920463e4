"""Public functions of several launches that NumPy's own do with the same bits, where few elements are concerned.

Where the host may read the arguments' memory, a call of one is NumPy's on views of it, before any frame of ours.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from devarray import _core
from devarray._array.order import strides_fall
from devarray._primitives.sliding import convolved, correlated

__all__ = ["SMALL", "accumulated", "at_quietly", "few_accumulated", "small_first"]

_WRAPPING = frozenset((np.add, np.subtract, np.multiply, np.maximum, np.minimum))
"""Ufuncs that warn of no integers."""
_RUNNING = frozenset((np.add, np.multiply, np.minimum, np.maximum, np.logical_and, np.logical_or))
_GREATEST = 2**63 - 1


def _counts(x: Any, /, weights: Any = None, minlength: Any = 0) -> np.ndarray:
    """NumPy's bincount, which writes beside its result where the number of counts is beyond int64."""
    if (
        isinstance(x, np.ndarray)
        and x.dtype.char in "lLqQ"
        and x.size
        and (greatest := x.item(x.argmax())) >= _GREATEST
    ):
        raise OverflowError(f"bincount: {greatest} is one count too many")
    return np.bincount(x, weights, minlength)


def _matrix_of_diagonal(v: np.ndarray, k: int = 0) -> np.ndarray | None:
    """NumPy's diag of a row; of a matrix it is a view."""
    return np.diag(v, k) if v.ndim == 1 else None


def accumulated(a: np.ndarray, ufunc: np.ufunc, axis: int | None) -> np.ndarray | None:
    """NumPy's accumulate, in the order of the kernels of short rows; without an axis, of the flattened array.

    None of what does not lie by rows, as what a quick function gives does.
    """
    if axis is not None and not strides_fall(a):
        return None
    row = a.ravel() if axis is None else a
    if a.dtype.kind in "biu" or ufunc is np.maximum or ufunc is np.minimum:  # where nothing overflows
        return ufunc.accumulate(row, axis or 0)
    with np.errstate(all="ignore"):
        return ufunc.accumulate(row, axis or 0)


def _middle(a: Any, axis: Any = None, out: Any = None, overwrite_input: Any = False, keepdims: Any = False) -> Any:
    """The median of real numbers: of an even number of them the mean of the two in the middle."""
    plain = isinstance(a, np.ndarray) and a.ndim > 0 and a.dtype.kind in "biuf" and out is None and keepdims is False
    if not plain or not (axis is None or (type(axis) is int and -a.ndim <= axis < a.ndim)):
        return None
    ordered = a.flatten() if axis is None else np.moveaxis(a, axis, -1).copy() if a.ndim > 1 else a.copy()
    if a.dtype.kind != "f":
        ordered = ordered.astype(np.float64)
    ordered.sort(-1)
    middle, odd = divmod(ordered.shape[-1], 2)
    high, low, last = ordered[..., middle], ordered[..., middle if odd else middle - 1], ordered[..., -1]
    if ordered.ndim == 1 and ordered.dtype == np.float64:  # Python's numbers, which warn of nothing
        if odd or last != last:
            return last[()] if last != last else high[()]
        return np.float64((float(low) + float(high)) * 0.5)
    with np.errstate(all="ignore"):
        wide = np.dtype(np.float32) if ordered.dtype == np.float16 else ordered.dtype
        found = high if odd else ((low.astype(wide) + high) * wide.type(0.5)).astype(ordered.dtype)
        return np.where(np.isnan(last), last, found)[()]


def _numbers_of(a: Any, axis: Any) -> Any:
    """`a` where it has no NaN, or its numbers alone as a row, where there are some; else None."""
    if not isinstance(a, np.ndarray) or a.dtype.char not in "fd" or a.size == 0:
        return None
    missing = np.isnan(a)
    if not missing.any():
        return a
    return a[~missing] if axis is None and not missing.all() else None


def _middle_of_numbers(
    a: Any, axis: Any = None, out: Any = None, overwrite_input: Any = False, keepdims: Any = False
) -> Any:
    """NumPy's nanmedian, by :func:`_middle`."""
    numbers = _numbers_of(a, axis) if keepdims is False else None
    return None if numbers is None else _middle(numbers, axis, out)


def few_accumulated(x: Any, ufunc: np.ufunc, axis: int) -> Any:
    """:func:`accumulated` of few elements of an array of ours by one of the ufuncs that have kernels; else None."""
    if ufunc is np.multiply and x.dtype.kind == "c":  # whose products kernels round otherwise
        return None
    return _core.any_on_host(accumulated, x, ufunc, axis) if ufunc in _RUNNING else None


def at_quietly(x: np.ndarray, key: np.ndarray, value: Any, ufunc: np.ufunc) -> None:
    """By places that NumPy checks before it writes."""
    if x.dtype.kind in "biu" and ufunc in _WRAPPING:
        ufunc.at(x, key, value)
        return
    with np.errstate(all="ignore"):
        ufunc.at(x, key, value)


def _running(a: np.ndarray, ufunc: np.ufunc, axis: Any, dtype: Any, out: Any) -> np.ndarray | None:
    plain = dtype is None and out is None and (axis is None or type(axis) is int)  # accumulate takes axes of (0,), too
    return accumulated(a, ufunc, axis) if plain else None


def _running_sum(a: np.ndarray, axis: Any = None, dtype: Any = None, out: Any = None) -> np.ndarray | None:
    return _running(a, np.add, axis, dtype, out)


def _running_product(a: np.ndarray, axis: Any = None, dtype: Any = None, out: Any = None) -> np.ndarray | None:
    """None of complex numbers, whose products kernels round otherwise."""
    return _running(a, np.multiply, axis, dtype, out) if a.dtype.kind != "c" else None


def _padded(array: np.ndarray, pad_width: Any, mode: Any = "constant") -> np.ndarray | None:
    """NumPy's pad by elements of the array; with constants it is one operation, which waits, and means are rounded.

    What is stored by columns is padded so, and what a quick function gives lies by rows.
    """
    quick = mode in ("edge", "reflect", "symmetric", "wrap") and not array.flags.fnc
    return np.pad(array, pad_width, mode) if quick else None


def _inserted(arr: Any, obj: Any, values: Any, axis: Any = None) -> np.ndarray | None:
    """NumPy's insert of what the array's dtype holds at one place."""
    if not isinstance(arr, np.ndarray) or type(obj) is not int:
        return None
    held = arr.dtype.char in "dD" and type(values) in (int, float)
    held = held or (arr.dtype.kind in "iu" and type(values) is int)
    if not held and not (isinstance(values, np.ndarray) and values.dtype == arr.dtype):
        return None
    made = np.insert(arr, obj, values, axis)
    return made if strides_fall(made) else None


def _cells(x: Any, y: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    """NumPy's histogram2d of counts; sums of weights and quotients round otherwise."""
    return np.histogram2d(x, y, bins, range) if weights is None and not density else None


def _lying_by_rows(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of NumPy's; None for a result that lies otherwise, which what a quick function gives does not."""

    def call(*arguments: Any, **keywords: Any) -> Any:
        made = function(*arguments, **keywords)
        return made if strides_fall(made) else None

    return call


def _by_value(function: Callable[..., Any]) -> Callable[..., Any]:
    """NumPy's search in a set; None where it would round integers of 64 bits, some of which it then takes for equal."""

    def call(a: Any, b: Any, *arguments: Any, **keywords: Any) -> Any:
        a, b = np.asarray(a), np.asarray(b)
        rounded = any(x.dtype.char in "lLqQ" for x in (a, b)) and np.result_type(a, b).kind not in "biu"
        return None if rounded else function(a, b, *arguments, **keywords)

    return call


def _quantiles(function: Callable[..., Any]) -> Callable[..., Any]:
    """NumPy's quantiles of numbers that all count alike."""

    def call(
        a: Any,
        q: Any,
        axis: Any = None,
        out: Any = None,
        overwrite_input: Any = False,
        method: Any = "linear",
        keepdims: Any = False,
        *,
        weights: Any = None,
    ) -> Any:
        plain = isinstance(a, np.ndarray) and a.dtype.char in "fdbhilqBHILQ" and out is None and weights is None
        return function(a, q, axis, method=method, keepdims=keepdims) if plain else None

    return call


def _quantiles_of_numbers(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same of numbers that are not NaN."""
    quantiles = _quantiles(function)

    def call(a: Any, q: Any, axis: Any = None, *others: Any, keepdims: Any = False, **keywords: Any) -> Any:
        numbers = _numbers_of(a, axis) if keepdims is False and len(others) < 4 else None
        return None if numbers is None else quantiles(numbers, q, axis, *others, **keywords)

    return call


SMALL: dict[str, Callable[..., Any]] = {
    f"devarray._routines.{place}": getattr(np, place.rpartition(".")[2])
    for place in (
        *("creation.grids.ravel_multi_index", "creation.grids.unravel_index", "logic.comparison.array_equal"),
        *(
            "math.calculus.interp",
            "math.compound.unwrap",
            "sorting.searching.argwhere",
            "sorting.searching.flatnonzero",
        ),
        *("sorting.searching.nonzero", "sorting.searching.searchsorted", "sorting.searching.take_along_axis"),
        *("sorting.sets.intersect1d", "sorting.sets.setxor1d", "sorting.sets.union1d"),
        *("sorting.sorting.argpartition", "sorting.sorting.lexsort"),
        *("sorting.unique.unique", "statistics.counting.digitize", "statistics.histograms.histogram"),
    )
} | {
    "devarray._routines.creation.matrices.diag": _matrix_of_diagonal,
    "devarray._routines.indexing.selecting.choose": _lying_by_rows(np.choose),
    "devarray._routines.manipulation.editing.append": _lying_by_rows(np.append),
    "devarray._routines.manipulation.editing.delete": _lying_by_rows(np.delete),
    "devarray._routines.manipulation.editing.insert": _inserted,
    "devarray._routines.manipulation.joining.block": _lying_by_rows(np.block),
    "devarray._routines.manipulation.joining.column_stack": _lying_by_rows(np.column_stack),
    "devarray._routines.manipulation.joining.dstack": _lying_by_rows(np.dstack),
    "devarray._routines.manipulation.padding.pad": _padded,
    "devarray._routines.math.bits.packbits": _lying_by_rows(np.packbits),
    "devarray._routines.math.bits.unpackbits": _lying_by_rows(np.unpackbits),
    "devarray._routines.math.signals.convolve": convolved,
    "devarray._routines.math.signals.correlate": correlated,
    "devarray._routines.statistics.counting.bincount": _counts,
    "devarray._routines.sorting.sets.isin": _by_value(np.isin),
    "devarray._routines.sorting.sets.setdiff1d": _by_value(np.setdiff1d),
    "devarray._routines.sorting.sorting.partition": _lying_by_rows(np.partition),
    "devarray._routines.statistics.cumulative.cumprod": _running_product,
    "devarray._routines.statistics.cumulative.cumsum": _running_sum,
    "devarray._routines.statistics.histograms.histogram2d": _cells,
    "devarray._routines.statistics.quantiles.median": _middle,
    "devarray._routines.statistics.quantiles.nanmedian": _middle_of_numbers,
    "devarray._routines.statistics.quantiles.nanpercentile": _quantiles_of_numbers(np.percentile),
    "devarray._routines.statistics.quantiles.nanquantile": _quantiles_of_numbers(np.quantile),
    "devarray._routines.statistics.quantiles.percentile": _quantiles(np.percentile),
    "devarray._routines.statistics.quantiles.quantile": _quantiles(np.quantile),
}
"""By module and name. What gives None leaves the call to ours; so does one that raises, and one without arrays."""


def small_first(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function for arrays, which methods call, with that look at few elements before it."""
    small = SMALL.get(f"{function.__module__}.{function.__name__}")
    return _core.QuickFunction(function, function, (), 0, 0, small) if small else function
