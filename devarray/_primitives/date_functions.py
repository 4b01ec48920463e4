"""devarray's functions on arrays of dates and durations: the functions themselves, given the counts.

`called` takes the tables below as its rules. Where order matters, "not a time" is the largest of all to NumPy: one is
subtracted, so that the least of int64 becomes the greatest, and added to what comes back.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from devarray import _core
from devarray._array.operations import normalize_axis
from devarray._primitives.date_units import NAT, is_nat
from devarray._primitives.dates import DatetimeArray, counts_in, dates_in, is_date, of_counts, on_device, through_host
from devarray._primitives.opaque_dtypes import cannot_cast
from devarray._primitives.operands import MOVES
from devarray._primitives.record_functions import VALUES
from devarray.array import OP, Array
from devarray.errors import DTypeError

__all__ = ["called", "function_of_dates"]

_AS_THEY_ARE = frozenset(
    (
        *("empty_like", "full_like", "ones_like", "zeros_like", "asarray", "array", "asanyarray"),
        *("astype", "copy"),
    )
)
"""Functions that know arrays of all dtypes."""

_MOVES = MOVES | frozenset(
    (
        *("ascontiguousarray", "asfortranarray", "choose", "concat", "concatenate", "diag", "diagflat"),
        *("ravel", "repeat", "reshape", "sliding_window_view", "squeeze", "stack", "swapaxes"),
        *("take", "transpose", "tril", "triu"),
    )
)
"""Their results are elements of the arguments, or zeros."""

_JOINS = frozenset(
    ("block", "column_stack", "concat", "concatenate", "dstack", "hstack", "row_stack", "stack", "vstack")
)
_WRITES = frozenset(("copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask"))
_OF_BOTH_KINDS = (_WRITES - {"place", "putmask"}) | {"where"}
"""Take durations for dates, or check by themselves; all others take arrays of one of the two."""
_LEAST = frozenset(("min", "amin", "nanmax"))
_LARGEST = frozenset(("max", "amax", "nanmin", "sort", "partition", "union1d", "unique"))
"""Their results are elements; "not a time" is the largest to them, to those of the row above the least."""

_PLACES_LEAST = frozenset(
    (
        *("argmin", "nanargmin", "all", "any", "argwhere", "count_nonzero", "flatnonzero"),
        *("nonzero", "ndim", "shape", "size"),
    )
)
_PLACES_LARGEST = frozenset(("argmax", "nanargmax", "argsort", "argpartition", "lexsort", "searchsorted"))
"""The same, and their results are no dates."""

_MASKS = {"where": 0, "compress": 0, "extract": 0, "place": 1, "putmask": 1}
"""The places of arguments whose elements are true or false: of dates and durations all but the count of 0 is true."""

_KNOWN = _MOVES | _WRITES | _LEAST | _LARGEST | _PLACES_LEAST | _PLACES_LARGEST


def function_of_dates(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A method of NumPy's arrays, by the function of that name."""
    function = getattr(sys.modules["devarray"], name, None)
    if inspect.isroutine(function) and (name in _OWN or name in _KNOWN):
        return called(function, args, kwargs)
    method = getattr(np.ndarray, name, None)
    if method is None:
        raise DTypeError(f"{name} takes numbers, not dates or durations; their counts are x.astype('int64')")
    return through_host(name, method, *args, **kwargs)


def called(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a function gives of arguments among which are dates or durations."""
    name = function.__name__
    like = next((x for x in args if isinstance(x, Array)), None)
    args = tuple(on_device(_as_arrays(name, x), like) for x in args)
    kwargs = {key: on_device(_as_arrays(name, x), like) for key, x in kwargs.items()}
    args = tuple(x.astype(bool) if is_date(x) and i == _MASKS.get(name) else x for i, x in enumerate(args))
    if name in _AS_THEY_ARE or next(dates_in((*args, *kwargs.values())), None) is None:
        return function(*args, **kwargs)
    if name in _OWN and not _given(kwargs):
        try:
            return _OWN[name](*args, **{key: kwargs[key] for key in kwargs if key not in _IGNORED})
        except _Unknown:
            pass
    elif name in _KNOWN and not _beyond(name, kwargs):
        return _with_counts(function, name, args, kwargs)
    theirs = getattr(np, name, None)
    if theirs is None:
        raise DTypeError(f"{name} is not defined for dates and durations; take their counts, as x.astype('int64')")
    return through_host(name, theirs, *args, **kwargs)


def _of_scalars(x: Any) -> Any:
    """A list of dates or durations, or of such lists, as the array that it makes."""
    if type(x) not in (list, tuple):
        return x
    parts = [_of_scalars(part) for part in x]
    are_rows = all(type(part) in (list, tuple) for part in x)
    if not parts or not all(map(is_date, parts)) or (not are_rows and any(map(np.ndim, parts))):
        return type(x)(parts)
    on_host = all(isinstance(part, np.ndarray | np.generic) for part in parts)
    return np.asarray(parts) if on_host else sys.modules["devarray"].stack(parts)


def _as_arrays(name: str, x: Any) -> Any:
    """An argument with its lists of dates or durations as arrays: of what joins arrays each part by itself."""
    if name == "block":  # whose lists say where the parts lie
        return x
    joined = name in _JOINS and type(x) in (list, tuple)
    return type(x)(map(_of_scalars, x)) if joined else _of_scalars(x)


class _Unknown(Exception):
    """Parameters that only NumPy has."""


_IGNORED = ("kind", "order", "stable", "mode")


def _given(kwargs: dict[str, Any]) -> bool:
    """Whether a parameter is given that changes a reduction."""
    return any(
        kwargs.get(key) is not None and kwargs[key] is not np._NoValue and kwargs[key] is not True
        for key in ("dtype", "out", "initial", "where", "prepend", "append", "overwrite_input")
    )


def _beyond(name: str, kwargs: dict[str, Any]) -> bool:
    """Whether a call asks for more than counts can answer."""
    initial = kwargs.get("initial", np._NoValue)
    return (
        (name == "unique" and kwargs.get("equal_nan") is False)
        or (initial is not np._NoValue and initial is not None)
        or (kwargs.get("out") is not None and name in _LEAST | _LARGEST)
    )


def _with_counts(function: Callable[..., Any], name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    found = list(dates_in((*args, *kwargs.values())))
    dtype = found[0].dtype if name in _WRITES else np.result_type(*(x.dtype for x in found))
    other = next((x.dtype for x in found if x.dtype.kind != dtype.kind), None)
    if other is not None and name not in _OF_BOTH_KINDS:
        raise DTypeError(f"{name}: {cannot_cast(other, dtype, 'same_kind')}")
    like = next(x.counts for x in found if isinstance(x, DatetimeArray))
    shift = int(name in _LARGEST | _PLACES_LARGEST)

    values = VALUES.get(name, ())
    args = tuple(_whole(name, x, dtype) if i in values and not is_date(x) else x for i, x in enumerate(args))

    def counts(x: Any) -> Any:
        if is_date(x):
            values = counts_in(x, dtype, like)
            return values - shift if shift else values
        if type(x) in (list, tuple):
            parts = (
                _whole(name, part, dtype)
                if name in _JOINS and not is_date(part) and not isinstance(part, list | tuple)
                else counts(part)
                for part in x
            )
            return type(x)(parts)
        return x

    made = function(*map(counts, args), **{key: counts(value) for key, value in kwargs.items()})
    if name in _PLACES_LEAST | _PLACES_LARGEST or made is None:
        return made
    if name == "unique" and isinstance(made, tuple):
        return (of_counts(made[0] + shift, dtype), *made[1:])
    return _as_dates(made, dtype, shift)


def _whole(name: str, x: Any, dtype: np.dtype[Any]) -> Any:
    """Whole numbers beside durations as counts of their unit, as NumPy takes them; beside dates in insert() alone."""
    kind = np.asarray(x).dtype.kind if getattr(x, "dtype", None) is None else x.dtype.kind
    if kind not in "biu" or (dtype.kind == "M" and name != "insert"):
        raise DTypeError(f"{name}: {type(x).__name__} is no value beside {dtype}; give dates or durations")
    if isinstance(x, Array):
        return x.astype(np.int64, copy=False)
    return np.asarray(x, np.int64) if np.ndim(x) else int(x)


def _as_dates(made: Any, dtype: np.dtype[Any], shift: int) -> Any:
    if isinstance(made, Array):
        if made.dtype != np.int64:
            raise DTypeError(f"numbers of {made.dtype} are no values beside {dtype}; give dates or durations")
        return of_counts(made + shift if shift else made, dtype)
    return type(made)(_as_dates(x, dtype, shift) for x in made)


# --- with arithmetic -----------------------------------------------------------------------------------------------


def _durations(x: DatetimeArray, name: str) -> Array:
    if x.dtype.kind == "M":
        raise DTypeError(f"{name}: dates have no sum; subtract one of them, which gives durations")
    return x.counts


def _missing(x: DatetimeArray, axis: Any, keepdims: bool, made: Any) -> DatetimeArray:
    """A reduction's counts, none where one of the elements is no time."""
    missing = is_nat(x.counts).any(axis=axis, keepdims=keepdims)
    return of_counts(_core.apply(OP["where"], missing, NAT, made), x.dtype)


def _sum(x: DatetimeArray, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False) -> Any:
    keepdims = keepdims is True
    return _missing(x, axis, keepdims, _durations(x, "sum").sum(axis=axis, keepdims=keepdims))


def _mean(x: DatetimeArray, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False) -> Any:
    total = _sum(x, axis, None, None, keepdims)
    return total / (x.size // max(total.size, 1))


def _cumsum(x: DatetimeArray, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    counts = _durations(x, "cumsum")
    missing = is_nat(counts).cumsum(axis=axis) > 0
    return of_counts(_core.apply(OP["where"], missing, NAT, counts.cumsum(axis=axis)), x.dtype)


def _ptp(x: DatetimeArray, axis: Any = None, out: Any = None, keepdims: Any = False) -> Any:
    more = {"axis": axis, "keepdims": keepdims is True}
    return function_of_dates("max", (x,), more) - function_of_dates("min", (x,), more)


def _diff(x: DatetimeArray, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    if prepend is not None or append is not None:
        raise _Unknown
    place = normalize_axis(axis, x.ndim)
    before, after = ((*(slice(None),) * place, part) for part in (slice(None, -1), slice(1, None)))
    for _ in range(n):
        x = x[after] - x[before]
    return x


def _isin(element: Any, test_elements: Any, assume_unique: bool = False, invert: bool = False, kind: Any = None) -> Any:
    if not (is_date(element) and is_date(test_elements)) or element.dtype.kind != test_elements.dtype.kind:
        raise _Unknown
    dtype = np.result_type(element.dtype, test_elements.dtype)
    like = next(x.counts for x in (element, test_elements) if isinstance(x, DatetimeArray))
    counts = [counts_in(x, dtype, like) for x in (element, test_elements)]
    found = sys.modules["devarray"].isin(*counts) & ~is_nat(counts[0])
    return ~found if invert else found


def _setdiff1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    values = ar1 if assume_unique else function_of_dates("unique", (ar1,), {})
    return values.reshape(-1)[_isin(values.reshape(-1), ar2, invert=True)]


def _intersect1d(ar1: Any, ar2: Any, assume_unique: bool = False, return_indices: bool = False) -> Any:
    if return_indices or not isinstance(ar1, DatetimeArray):
        raise _Unknown
    values = function_of_dates("sort" if assume_unique else "unique", (ar1.reshape(-1),), {})
    common = values[_isin(values, ar2)]
    return common.astype(np.result_type(ar1.dtype, ar2.dtype))


def _array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> Any:
    if not (is_date(a1) and is_date(a2)) or equal_nan:
        raise _Unknown
    return bool(a1.shape == a2.shape and (a1 == a2).all())


def _clip(a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, *, min: Any = None, max: Any = None) -> Any:
    low, high = (a_min if min is None else min), (a_max if max is None else max)
    if not isinstance(a, DatetimeArray) or out is not None:
        raise _Unknown
    made = a if low is None else np.maximum(a, low)
    return made if high is None else np.minimum(made, high)


def _select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    choices = [on_device(x, None) for x in (*choicelist, default)]
    found = [x for x in choices if is_date(x)]
    dtype = np.result_type(*(x.dtype for x in found))
    like: Any = next((x.counts for x in found if isinstance(x, DatetimeArray)), None)
    *chosen, rest = (counts_in(x, dtype, like) if is_date(x) else _whole("select", x, dtype) for x in choices)
    return of_counts(sys.modules["devarray"].select(condlist, chosen, rest), dtype)


def _meshgrid(*xi: Any, **kwargs: Any) -> Any:
    rows = [x.counts if isinstance(x, DatetimeArray) else x for x in xi]
    made = sys.modules["devarray"].meshgrid(*rows, **kwargs)
    pairs = zip(xi, made, strict=True)
    return type(made)(of_counts(grid, x.dtype) if isinstance(x, DatetimeArray) else grid for x, grid in pairs)


def _asnumpy(x: Any) -> Any:
    return x.copy_to_host()


def _each(name: str) -> Callable[..., Any]:
    """A function of several arrays, each of which keeps its dtype."""

    def each(*arrays: Any, **kwargs: Any) -> Any:
        counts = [x.counts if isinstance(x, DatetimeArray) else x for x in arrays]
        made = getattr(sys.modules["devarray"], name)(*counts, **kwargs)
        pairs = zip(arrays, made if isinstance(made, tuple) else (made,), strict=True)
        found = tuple(of_counts(y, x.dtype) if isinstance(x, DatetimeArray) else y for x, y in pairs)
        return found if isinstance(made, tuple) else found[0]

    return each


_OWN: dict[str, Callable[..., Any]] = {
    **{name: _each(name) for name in ("atleast_1d", "atleast_2d", "atleast_3d", "broadcast_arrays")},
    "sum": _sum,
    "mean": _mean,
    "cumsum": _cumsum,
    "ptp": _ptp,
    "diff": _diff,
    "isin": _isin,
    "setdiff1d": _setdiff1d,
    "intersect1d": _intersect1d,
    "array_equal": _array_equal,
    "clip": _clip,
    "select": _select,
    "meshgrid": _meshgrid,
    "asnumpy": _asnumpy,
}
