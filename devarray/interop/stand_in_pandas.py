"""pandas' keys, numbers and functions of a program that runs unmodified: what is of the device becomes NumPy's.

pandas asks for ``numpy.ndarray`` by class where it takes a mask, and has no protocol for others.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from importlib import import_module
from typing import Any

from devarray import _core
from devarray._primitives.host_calls import to_host
from devarray._primitives.opaque import OpaqueArray
from devarray.array import Array

__all__ = ["teach"]

_READERS = (
    "pandas.core.common apply_if_callable",  # keys of frames, columns and their `loc`
    "pandas.core.algorithms _ensure_arraylike",  # values of unique() and factorize()
    "pandas.core.base IndexOpsMixin._map_values",  # of apply() and map()
    "pandas.core.arrays.datetimelike validate_periods",
    "pandas.core.groupby.generic DataFrameGroupBy.filter",
    "pandas.core.groupby.generic SeriesGroupBy.filter",
    "pandas.core.groupby.groupby GroupBy._nth",
    "pandas.core.groupby.groupby GroupBy.quantile",
    "pandas.core.groupby.groupby get_grouper",
    "pandas.core.groupby.ops extract_result",  # of what agg() calls
    "pandas.core.frame DataFrame.set_index",
    "pandas.core.frame DataFrame.pivot_table",
    "pandas.core.frame DataFrame.__init__",  # lists of values would become columns of objects
    "pandas.core.frame DataFrame.__setitem__",
    "pandas.core.frame DataFrame._align_for_op",  # the other operand
    "pandas.core.frame DataFrame._flex_arith_method",  # and what stands for it where there is none
    "pandas.core.series Series._flex_method",
    "pandas.core.frame DataFrame.from_records",
    "pandas.core.frame DataFrame.diff",
    "pandas.core.frame DataFrame.round",
    "pandas.core.frame DataFrame.shift",
    "pandas.core.generic NDFrame._pad_or_backfill",
    "pandas.core.generic NDFrame._rename",
    "pandas.core.generic NDFrame.expanding",
    "pandas.core.generic NDFrame.fillna",
    "pandas.core.generic NDFrame.interpolate",
    "pandas.core.generic NDFrame.replace",
    "pandas.core.generic NDFrame.rolling",
    "pandas.core.generic NDFrame.shift",
    "pandas.core.arrays.categorical Categorical.__init__",
    "pandas.core.indexes.base Index.__contains__",
    "pandas.core.indexes.base Index.get_loc",
    "pandas.core.indexes.multi MultiIndex.__contains__",
    "pandas.core.indexes.multi MultiIndex.from_arrays",
    "pandas.core.indexes.multi MultiIndex.from_product",
    "pandas.core.indexes.multi MultiIndex.from_tuples",
    "pandas.core.indexes.multi MultiIndex.get_loc",
    "pandas.core.indexes.range RangeIndex.__contains__",
    "pandas.core.indexes.range RangeIndex.__new__",
    "pandas.core.indexes.range RangeIndex.get_loc",
    "pandas.core.indexing _AtIndexer.__getitem__",
    "pandas.core.indexing _ScalarAccessIndexer.__getitem__",
    "pandas array",
    "pandas Period.__new__",
    "pandas Timedelta.__new__",
    "pandas Timestamp.__new__",
    "pandas.core.series Series.__init__",
    "pandas.core.series Series.__setitem__",
    "pandas.core.series Series.combine",
    "pandas.core.series Series.diff",
    "pandas.core.series Series.round",
    "pandas.core.indexes.base Index.__new__",
    "pandas.core.indexing _LocationIndexer.__setitem__",
    "pandas.core.indexing _AtIndexer.__setitem__",
    "pandas.core.indexing _iAtIndexer.__setitem__",
    "pandas.core.indexing _ScalarAccessIndexer.__setitem__",
)
"""Functions of pandas' that read what they are given; one that a version does not have is left out."""


def teach() -> Callable[[], None]:
    """Let these functions take arrays of the device; returns what undoes it."""
    kept = []
    for module, path in map(str.split, _READERS):
        *classes, name = path.split(".")
        place = functools.reduce(getattr, classes, import_module(module))
        plain = vars(place).get(name)
        if plain is not None:
            kept.append((place, name, plain))
            of_class = isinstance(plain, classmethod)
            setattr(place, name, classmethod(_on_host(plain.__func__)) if of_class else _on_host(plain))

    def undo() -> None:
        for row in kept:
            setattr(*row)

    return undo


def _read(x: Any) -> Any:
    """The argument with NumPy's arrays, and NumPy's scalars for values, which pandas tells columns' dtypes by."""
    if type(x) in (list, tuple):
        return type(x)(map(_read, x)) if any(type(part) in _HOLDERS for part in x) else x
    if type(x) is dict:
        return {key: _read(value) for key, value in x.items()}
    if type(x) is slice:
        return slice(_read(x.start), _read(x.stop), _read(x.step))
    if isinstance(x, _FUNCTIONS):  # the program's; pandas tells its own apart
        return x if (getattr(x, "__module__", None) or "").startswith("pandas.") else _with_read_result(x)
    if isinstance(x, Array) and _core.is_value(x):
        return x.copy_to_host()[()]
    return to_host(x)


_HOLDERS = frozenset((Array, OpaqueArray, list, tuple, dict, slice))
_FUNCTIONS = (types.FunctionType, types.MethodType, functools.partial)


def _with_read_result(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return _read(function(*args, **kwargs))

    return call


def _on_host(plain: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(plain)
    def reader(*args: Any, **kwargs: Any) -> Any:
        return plain(*map(_read, args), **{key: _read(value) for key, value in kwargs.items()})

    return reader
