"""How functions behave in a class's body, where Python makes methods of functions."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from devarray import _core

__all__ = ["bound_as", "bound_as_numpys"]

_QUICK: Any = _core.QuickFunction  # a type, which the stub shows as the decorator that it is used as


def bound_as_numpys(function: Any, name: str, module: str) -> Any:
    """A function of a public module, bound as those of that name are in NumPy's module and in NumPy itself."""
    home: Any = np
    for part in module.split(".")[1:]:
        home = getattr(home, part, None)
    bound = bound_as(function, *(getattr(place, name) for place in (np, home) if hasattr(place, name)))
    if bound is not function:
        bound.__module__ = module  # where pickle finds it
    return bound


def bound_as(function: Any, *numpys: object) -> Any:
    """A function that is no method in a class's body where NumPy's, or one of them, is none.

    NumPy's ufuncs and its functions in C, such as `zeros`, are called there as they are outside:
    ``activation = np.tanh`` is a function of one array. Those in Python are methods, of a subclass of arrays for
    instance.
    """
    if all(map(_binds, numpys)):
        return function
    if inspect.isfunction(function):
        function = _core.QuickFunction(function, function, (), 0, 0)
    if isinstance(function, _QUICK):
        function.binds = False
    return function


def _binds(function: object) -> bool:
    get = getattr(type(function), "__get__", None)
    return get is not None and get(function, 0, int) is not function
