"""What is known to do with each element of an array what it does with a number, for functions that are followed.

`vectorize` calls a function once, with arrays in place of numbers. That gives what a call for each element gives where
all that the function does is found here; else the elements are taken one by one, on the host.
"""

from __future__ import annotations

import builtins
import math
import types
from collections.abc import Iterable
from typing import Any

import numpy as np

from devarray._routines.math import elementwise as ew
from devarray.array import Array

__all__ = ["ATTRIBUTES", "PURE", "holds_rows", "is_known", "overflows"]

ATTRIBUTES = frozenset(("astype", "clip", "conj", "conjugate", "dtype", "imag", "real", "round"))
"""Attributes of an array that are those of each element."""

_METHODS = ATTRIBUTES - {"dtype", "imag", "real"}

_FURTHER = """abs absolute acos around clip cosh deg2rad fix imag isclose mod nan_to_num power rad2deg real round sinc
where"""

_NAMES = frozenset((*ew.__all__, *_FURTHER.split()))
"""Functions of NumPy's and of devarray's, element by element."""

PURE = frozenset(
    (
        *(abs, bool, complex, dict, divmod, enumerate, float, frozenset, int, isinstance, len, list, map, max, min),
        *(pow, range, reversed, round, set, slice, sorted, str, sum, tuple, type, zip),
    )
)
"""Of Python's functions, those that give the same for the same, and change nothing."""


def is_known(function: Any, traced: bool) -> bool:
    """Whether a call gives for arrays what it gives for each element, and may be made once for all of them.

    Parameters
    ----------
    function : callable
    traced : bool
        Whether arrays are among its arguments.
    """
    if isinstance(function, np.ufunc):
        return True
    owner = getattr(function, "__self__", None)
    if isinstance(owner, Array):
        return getattr(function, "__name__", "") in _METHODS
    if isinstance(function, type) and issubclass(function, np.generic):
        return not traced
    module, name = getattr(function, "__module__", None) or "", getattr(function, "__name__", "")
    if module.partition(".")[0] in ("devarray", "numpy"):
        return name in _NAMES
    if traced:
        return False  # Python's own that are known have been translated before
    return module == math.__name__ or (isinstance(function, types.BuiltinFunctionType | type) and function in PURE)


def holds_rows(values: Iterable[Any]) -> bool:
    """Whether an array with axes is among values that are no argument: beside arrays it would be spread over them."""
    return any(isinstance(x, np.ndarray | Array) and x.ndim > 0 for x in values)


def overflows(name: str, a: Any, b: Any) -> bool:
    """Whether Python's integers, which have no limit, would likely go beyond those of arrays."""
    kinds = [x.dtype.kind if isinstance(x, Array) else "i" if isinstance(x, builtins.int) else "f" for x in (a, b)]
    if name not in ("pow", "lshift") or not all(kind in "iu" for kind in kinds):
        return False
    return name == "lshift" or isinstance(b, Array) or b > 4
