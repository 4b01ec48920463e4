"""What all of NumPy's series have in common here: coefficients on the host, values on the device."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from functools import update_wrapper
from typing import Any

import numpy as np
from numpy.polynomial import polyutils
from numpy.polynomial._polybase import ABCPolyBase

from devarray._primitives.host import announce
from devarray._primitives.host_calls import arrays_in, on_host, to_host
from devarray.array import Array

__all__ = ["Series", "names_of"]

VALUES = frozenset(f"{basis}val" for basis in ("poly", "cheb", "leg", "herm", "herme", "lag"))
"""Functions of NumPy's that evaluate a series by operators of its argument alone."""


def names_of(module: types.ModuleType, classes: Mapping[str, type]) -> Callable[[str], Any]:
    """A module's ``__getattr__``: NumPy's functions for device arrays, and the classes of this package."""

    def find(name: str) -> Any:
        if name in classes:
            return classes[name]
        if name.startswith("_") or not hasattr(module, name):
            raise AttributeError(f"module 'devarray.{module.__name__.partition('.')[2]}' has no attribute {name!r}")
        found = getattr(module, name)
        if not callable(found) or isinstance(found, type):
            return found
        return _evaluated(found) if name in VALUES else _through_host(found)

    return find


def _say(name: str, arguments: tuple[Any, ...]) -> None:
    moved = next(arrays_in(arguments), None)
    if moved is not None:
        announce(name, moved, stacklevel=4)


def _through_host(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of NumPy's of arrays that come to the host, which is said."""
    inner = on_host(function)

    def call(*args: object, **kwargs: object) -> Any:
        _say(function.__name__, (*args, *kwargs.values()))
        return inner(*args, **kwargs)

    return update_wrapper(call, function)


def _evaluated(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of NumPy's of places on the device and coefficients on the host."""
    inner = _through_host(function)

    def call(x: object, c: Any, *args: object, **kwargs: object) -> Any:
        if not isinstance(x, Array):
            return inner(x, c, *args, **kwargs)
        if isinstance(c, Array):
            _say(function.__name__, (c,))
            c = c.copy_to_host()
        if np.ndim(c) > 1:  # a series for each column
            return inner(x, c, *args, **kwargs)
        return function(x, c, *args, **kwargs)

    return update_wrapper(call, function)


def _reflected(name: str) -> Callable[..., Any]:
    theirs = getattr(ABCPolyBase, name)
    return update_wrapper(lambda self, other: theirs(self, to_host(other)), theirs)


class Series(ABCPolyBase):
    """The part of a series' class that takes arrays of the device; the other base is NumPy's class."""

    def __init__(self, coef: object, domain: object = None, window: object = None, symbol: str = "x") -> None:
        super().__init__(to_host(coef), to_host(domain), to_host(window), symbol)

    def __call__(self, arg: Any) -> Any:
        """Values of the series, on the device where `arg` is."""
        if not isinstance(arg, Array):
            return super().__call__(arg)
        offset, scale = polyutils.mapparms(self.domain, self.window)
        return self._val(arg * scale + offset, self.coef)  # type: ignore[attr-defined]

    @classmethod
    def fit(cls, x: object, y: object, deg: object, *args: object, **kwargs: object) -> Any:
        """The series of NumPy's least-squares fit, made on the host."""
        _say(f"{cls.__name__}.fit", (x, y))
        return super().fit(*map(to_host, (x, y, deg, *args)), **to_host(kwargs))

    @classmethod
    def fromroots(cls, roots: object, *args: object, **kwargs: object) -> Any:
        """The series with given zeros."""
        return super().fromroots(*map(to_host, (roots, *args)), **to_host(kwargs))

    def _get_coefficients(self, other: object) -> Any:
        """Of NumPy's own classes, too."""
        if isinstance(other, ABCPolyBase) and not isinstance(other, Series) and isinstance(self, type(other)):
            other = type(self)(other.coef, other.domain, other.window, other.symbol)
        return super()._get_coefficients(to_host(other))  # type: ignore[misc]

    __radd__, __rsub__, __rmul__ = map(_reflected, ("__radd__", "__rsub__", "__rmul__"))
    __rfloordiv__, __rmod__, __rdivmod__ = map(_reflected, ("__rfloordiv__", "__rmod__", "__rdivmod__"))
