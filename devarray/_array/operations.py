"""Shared by arrays and their methods: numbers of the operations, hooks for functions of later modules, axis checks."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from devarray import _core
from devarray.errors import AxisError, DTypeError, ShapeError
from devarray.ops.dtypes import DTYPES
from devarray.ops.table import table_for_core

__all__ = ["OP", "normalize_axes", "normalize_axis", "operation", "reduced_axes", "row_along", "with_short_name"]

_core.set_hooks({"numpy_generic": np.generic, "numpy_dtype": np.dtype, "dtypes": [np.dtype(name) for name in DTYPES]})
_core.register_ops(table_for_core())
_core._resolve_slots()

OP = {name: number for number, name in enumerate(_core.op_names())}
"""Number of each element-wise operation, for ``_core.apply``."""


_Function = TypeVar("_Function", bound=Callable[..., Any])


def operation(name: str, operands: int) -> Callable[[_Function], _Function]:
    """Make a function record an operation in C where it is called with the operands alone; it does the rest itself."""
    return lambda function: _core.QuickFunction(with_short_name(function), OP[name], operands)


def with_short_name(function: _Function) -> _Function:
    """A ufunc's function that takes `signature` as `sig`, too, which is in no signature of NumPy's ufuncs."""

    @functools.wraps(function)
    def call(*args: Any, **keywords: Any) -> Any:
        if "sig" in keywords:
            if "signature" in keywords:
                raise DTypeError(f"{function.__name__} takes one of signature= and sig=, which mean the same")
            keywords["signature"] = keywords.pop("sig")
        return function(*args, **keywords)

    return call  # type: ignore[return-value]


def normalize_axis(axis: Any, ndim: int) -> int:
    """One axis as a number from 0: AxisError where it is out of bounds, TypeError where it is none."""
    given = operator.index(axis)
    if not -ndim <= given < ndim:
        raise AxisError(f"axis {given} is out of bounds for array of dimension {ndim}")
    return given % ndim


def row_along(x: Any, axis: Any) -> tuple[Any, int]:
    """An array and the axis that a function goes along; flattened without one, and a row of one where it has none."""
    if axis is None or (x.ndim == 0 and operator.index(axis) in (0, -1)):
        return x.reshape(-1), 0
    return x, normalize_axis(axis, x.ndim)


def normalize_axes(axis: Any, ndim: int, repeated: str = "repeated axis, duplicate value in 'axis'") -> list[int]:
    """One axis or a sequence of them as numbers from 0; ShapeError, in NumPy's words, where one is `repeated`."""
    try:
        return [normalize_axis(axis, ndim)]
    except TypeError:  # arrays of several integers have __index__, too
        if not hasattr(axis, "__iter__"):
            raise
    result: list[int] = []
    for given in axis:
        found = normalize_axis(given, ndim)
        if found in result:
            raise ShapeError(f"{repeated}: axis {given} is given twice")
        result.append(found)
    return result


def reduced_axes(axis: Any, ndim: int) -> list[int]:
    """The axes of a reduction: of a sequence NumPy's reductions take a tuple only, and no truth value for a number."""
    if isinstance(axis, bool):
        raise DTypeError(f"an axis is an integer, a tuple of integers or None, not {axis}")
    if axis is None:
        return list(range(ndim))
    return normalize_axes(axis, ndim) if isinstance(axis, tuple) else [normalize_axis(axis, ndim)]
