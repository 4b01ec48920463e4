"""arange() of dates and durations."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any

import numpy as np

from devarray import _core
from devarray._primitives.date_units import NAT
from devarray._primitives.dates import DatetimeArray, of_counts
from devarray._primitives.opaque import OpaqueArray
from devarray.array import Array
from devarray.errors import DTypeError, ValueError

__all__ = ["arange"]


def arange(start: Any, stop: Any, step: Any, dtype: Any, place: Sequence[Any]) -> DatetimeArray:
    """Evenly spaced dates or durations, from 0 for None. Beside a first date the end may be a duration from there."""
    start, stop, step = (x.copy_to_host()[()] if isinstance(x, OpaqueArray | Array) else x for x in (start, stop, step))
    asked = None if dtype is None else np.dtype(dtype)
    if asked is None or np.datetime_data(asked)[0] == "generic":
        given = [np.asarray(x).dtype for x in (start, stop, step)]
        units = [x for x in given if x.kind in "mM"] or [asked or np.dtype("m8")]
        asked = np.result_type(*units)
    if start is None and asked.kind == "M":
        raise ValueError("arange: dates have a first one and an end; give both")
    lengths = np.dtype(asked.str.replace("M", "m"))
    first = _count_of(0 if start is None else start, asked)
    length = _count_of(1 if step is None else step, lengths)
    of_length = asked.kind == "M" and (isinstance(stop, int | np.integer) or np.asarray(stop).dtype.kind == "m")
    end = _count_of(stop, lengths) + first if of_length else _count_of(stop, asked)
    if not length or NAT in (first, length, end):
        raise ValueError(
            f"arange: start, stop and step are times, and the step is not 0; given {start}, {stop}, {step}"
        )
    counts = _core.iota(max(-((first - end) // length), 0), np.int64, first, length, *place)
    return of_counts(counts, asked)


def _count_of(x: Any, dtype: np.dtype[Any]) -> int:
    try:
        made = np.asarray(x).astype(dtype) if isinstance(x, np.generic) else np.asarray(x, dtype)
    except (TypeError, builtins.ValueError) as error:
        raise DTypeError(f"arange: {error}") from None
    return int(made.view(np.int64))
