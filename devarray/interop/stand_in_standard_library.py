"""Python's standard library, for a program that runs unmodified: it takes values of the device as NumPy's scalars.

Modules written in Python ask for a number's class by names of their own; they get the program's ``isinstance`` and
``type`` while it runs. What is written in C looks at the object itself: the program gets these functions and classes
with values turned into NumPy's scalars first, of which those of float64 are Python's floats.
"""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from devarray import _core
from devarray.array import Array
from devarray.interop.stand_in_types import StandsFor, is_instance, kinds

__all__ = ["TAKING", "StandInModule", "teach"]

TAKING = {
    "datetime": ("timedelta", "datetime", "date", "time"),
    "decimal": ("Decimal",),
    "time": ("sleep", "gmtime", "localtime", "ctime"),
}
"""Functions and classes of C that take numbers by their class."""


def teach(name: str) -> Callable[[], None]:
    """Give a module of Python's the program's ``isinstance`` and ``type``; returns what undoes it.

    Parameters
    ----------
    name : str
        Of a module that has been imported.
    """
    names = vars(sys.modules[name])
    names.update(isinstance=is_instance, type=kinds)

    def undo() -> None:
        for given in ("isinstance", "type"):
            names.pop(given, None)

    return undo


def _scalar(x: Any) -> Any:
    return x.copy_to_host()[()] if isinstance(x, Array) and _core.is_value(x) else x


def _taking(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*map(_scalar, args), **{name: _scalar(x) for name, x in kwargs.items()})

    return call


class _Class(StandsFor):
    """A class of Python's whose calls, and those of its class methods, take values."""

    def __init__(self, kind: type) -> None:
        self.__dict__.update(
            _kind=kind, stands_for=kind, __doc__=kind.__doc__, __name__=kind.__name__, __module__=kind.__module__
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return _taking(self._kind)(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._kind, name)
        return _taking(found) if isinstance(getattr(found, "__self__", None), type) else found

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._kind, name, value)

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        """What ``isinstance(x, type)`` asks for."""
        return type(self._kind)

    @property
    def dtype(self) -> np.dtype:
        """What NumPy takes the class for: objects."""
        return np.dtype(self._kind)

    def __instancecheck__(self, x: object) -> bool:
        return isinstance(x, self._kind)

    def __subclasscheck__(self, kind: Any) -> bool:
        return kind is self or issubclass(kind, self._kind)

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        return (self._kind,)

    def __or__(self, other: Any) -> Any:
        return self._kind | other

    def __ror__(self, other: Any) -> Any:
        return other | self._kind

    def __eq__(self, other: object) -> bool:
        return other is self or other is self._kind

    def __hash__(self) -> int:
        return hash(self._kind)

    def __repr__(self) -> str:
        return repr(self._kind)

    def __reduce__(self) -> tuple[Any, ...]:
        return _same, (self._kind,)

    def __copy__(self) -> _Class:
        return self

    def __deepcopy__(self, memo: object) -> _Class:
        return self


def _same(x: Any) -> Any:
    return x


class StandInModule(types.ModuleType):
    """A module of Python's as the program sees it.

    Parameters
    ----------
    origin : module
        Python's own.
    """

    def __init__(self, origin: types.ModuleType) -> None:
        super().__init__(origin.__name__, origin.__doc__)
        object.__setattr__(self, "_origin", origin)
        made = {name: (found, _made(found)) for name in TAKING[origin.__name__] if (found := getattr(origin, name))}
        object.__setattr__(self, "_made", made)

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]
        """Python's names, for programs that import them all."""
        return {name: getattr(self, name) for name in vars(self._origin)}

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._origin, name)
        of, instead = self._made.get(name, (None, None))
        return instead if found is of else found  # a test may have set another one

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._origin, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self._origin, name)

    def __dir__(self) -> list[str]:
        return dir(self._origin)


def _made(found: Any) -> Any:
    return _Class(found) if isinstance(found, type) else _taking(found)
