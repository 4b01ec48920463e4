"""Shared by arrays and their methods: numbers of the operations, hooks for functions of later modules, axis checks."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from devarray import _core
from devarray.errors import AxisError, ShapeError
from devarray.ops.dtypes import DTYPES
from devarray.ops.table import table_for_core

__all__ = ["OP", "normalize_axes", "operation"]

_core.set_hooks({"numpy_generic": np.generic, "numpy_dtype": np.dtype, "dtypes": [np.dtype(name) for name in DTYPES]})
_core.register_ops(table_for_core())
_core._resolve_slots()

OP = {name: number for number, name in enumerate(_core.op_names())}
"""Number of each element-wise operation, for ``_core.apply``."""


_Function = TypeVar("_Function", bound=Callable[..., Any])


def operation(name: str, operands: int) -> Callable[[_Function], _Function]:
    """Make a function record an operation in C where it is called with the operands alone; it does the rest itself."""
    return lambda function: _core.QuickFunction(function, OP[name], operands)


def normalize_axes(axis: int | Sequence[int], ndim: int) -> list[int]:
    """Axes as numbers from 0; AxisError where one is out of bounds, ShapeError where one is given twice."""
    try:
        axes = [operator.index(axis)]  # type: ignore[arg-type]
    except TypeError:  # arrays of several integers have __index__, too
        axes = [operator.index(a) for a in axis]  # type: ignore[union-attr]
    result = []
    for given in axes:
        if not -ndim <= given < ndim:
            raise AxisError(f"axis {given} is out of bounds for array of dimension {ndim}")
        a = given % ndim
        if a in result:
            raise ShapeError(f"axis {given} is given twice")
        result.append(a)
    return result
