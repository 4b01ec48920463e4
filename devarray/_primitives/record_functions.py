"""devarray's functions that move elements, on arrays of records: given the places of the elements."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from devarray import _core
from devarray._primitives.convert import DEEPEST, asarray
from devarray._primitives.join import concat
from devarray._primitives.opaque import OpaqueArray
from devarray.array import Array
from devarray.errors import DTypeError

__all__ = ["VALUES", "moved", "of_records"]

VALUES = {"append": (0, 1), "insert": (0, 2), "union1d": (0, 1), "where": (1, 2)}
"""Of some of these the arguments that are values: no number may stand there for one."""
_WRITTEN = dict.fromkeys(("place", "put", "putmask"), (0, 2))
"""The same of those that write to their first argument."""
_OF_TRUTHS = frozenset(("argwhere", "count_nonzero", "flatnonzero", "nonzero"))


def of_records(function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """What a function gives of arguments among which are records."""
    if function.__name__ in _OF_TRUTHS:
        return function(_truths(args[0]), *args[1:], **kwargs)
    if function.__name__ == "pad":
        return _padded(function, *args, **kwargs)
    if function.__name__ != "array_equal":
        return moved(function, args, kwargs)
    equal = args[0].shape == args[1].shape and args[0] == args[1]
    return equal if isinstance(equal, bool) else bool(equal.all())


def _truths(records: OpaqueArray) -> Any:
    """Which records have a field that is not zero."""
    if not records.dtype.names:
        return (records.bytes != 0).any(-1) if records.dtype.kind == "V" else records != 0
    fields = []
    for name in records.dtype.names:
        found = records[name]
        truths = _truths(found) if isinstance(found, OpaqueArray) else found != 0
        inner = tuple(range(-len(records.dtype[name].shape), 0))
        fields.append(Array.any(truths, inner) if inner else truths)  # classes of drivers have another
    return functools.reduce(operator.or_, fields)


def _padded(function: Callable[..., Any], x: OpaqueArray, width: Any, mode: Any = "constant", **kwargs: Any) -> Any:
    """What ``pad`` gives: records of zeros, or those that are there."""
    if mode == "constant" and "constant_values" not in kwargs:
        zeros = OpaqueArray((), x.dtype, queue=x.bytes.queue, allocator=x.bytes.allocator)
        zeros.bytes[...] = 0
        kwargs["constant_values"] = zeros
    elif mode == "constant":
        if getattr(kwargs["constant_values"], "dtype", None) != x.dtype:
            raise DTypeError(f"pad: constant_values is one record of {x.dtype} here, not {kwargs['constant_values']!r}")
    elif mode not in ("edge", "empty", "reflect", "symmetric", "wrap") or kwargs.get("reflect_type", "even") != "even":
        raise DTypeError(f"pad: mode {mode!r} computes values, of which records have none: pad a field, x[name]")
    return moved(function, (x, width, mode), kwargs)


def moved(function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """What a function that moves elements gives of arrays of records. The results are copies.

    All records are joined, the function moves their places, and the elements at these are taken.
    """
    first = next(records_in((*args, *kwargs.values())))
    joined: list[Array] = []
    count = 0

    def places(x: Any, is_value: bool = False) -> Any:
        nonlocal count
        if type(x) in (list, tuple) and not is_value:
            return type(x)(places(part) for part in x)
        if not is_value and not isinstance(x, OpaqueArray) and getattr(x, "dtype", np.dtype(bool)).kind != "V":
            return x
        records: Any = asarray(x, first.dtype, queue=first.bytes.queue, allocator=first.bytes.allocator)
        joined.append(records.ravel().bytes)
        made = _core.iota(records.size, np.int64, count, 1, first.bytes.queue, first.bytes.allocator)
        count += records.size
        return made.reshape(records.shape)

    values = VALUES.get(function.__name__, ()) or _WRITTEN.get(function.__name__, ())
    for x in (x for i, x in enumerate(args) if values and i not in values):
        if isinstance(x, OpaqueArray):
            raise DTypeError(f"{function.__name__} takes an array of records for values only, not this OpaqueArray")
    given = [places(x, i in values) for i, x in enumerate(args)]
    made = function(*given, **{key: places(x) for key, x in kwargs.items()})
    records = OpaqueArray._of(concat(joined), first.dtype)
    if made is None:  # written to the first argument, of which `given` has the places
        args[0][...] = _taken(records, given[0])
        return None
    return _taken(records, made)


def records_in(values: Iterable[Any], depth: int = 0) -> Iterator[OpaqueArray]:
    """The arrays of records among arguments, in lists and tuples, too."""
    for value in values if depth < DEEPEST else ():
        if isinstance(value, OpaqueArray):
            yield value
        elif type(value) in (list, tuple):
            yield from records_in(value, depth + 1)


def _taken(records: OpaqueArray, places: Any) -> Any:
    if isinstance(places, Array) and places.size and not records.size:  # resize() of nothing gives zeros
        made = OpaqueArray(places.shape, records.dtype, queue=places.queue, allocator=places.allocator)
        made.bytes[...] = 0
        return made
    if isinstance(places, Array):
        return records.take(places.reshape(-1)).reshape(places.shape)
    return type(places)(_taken(records, x) for x in places)
