"""The types of parameters, for annotations alone: nothing imports this module while a program runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from devarray._core import ArrayBase as _ArrayBase

__all__ = ["ArrayLike", "AxesLike", "BoolLike", "Casting", "DTypeLike", "Order", "ScalarLike", "ShapeLike", "Signature"]

ScalarLike: TypeAlias = complex | np.generic
"""A number of Python's or NumPy's; with `complex` go `float`, `int` and `bool`."""

BoolLike: TypeAlias = bool | np.bool_ | ArrayLike | _ArrayBase
"""Truths, one or an array of them: a parameter `where`."""

ShapeLike: TypeAlias = SupportsIndex | Sequence[SupportsIndex]
"""A shape, or the size of an array of one axis."""

AxesLike: TypeAlias = SupportsIndex | Sequence[SupportsIndex] | None
"""One axis, several, or all."""

Casting: TypeAlias = Literal["no", "equiv", "safe", "same_kind", "same_value", "unsafe"]
"""NumPy's rules for casts."""

Order: TypeAlias = Literal["C", "F", "A", "K"]
"""Memory orders."""

Signature: TypeAlias = str | tuple[DTypeLike | None, ...]
"""The dtypes of operands and result, by which NumPy's ufuncs choose a loop."""
