"""What ``__array_ufunc__`` and ``__array_function__`` of the program's classes are asked about, in the program's names.

NumPy hands over its own ufunc, function and classes. The program compares them with what it has by these names
(``ufunc is np.add``, ``func is np.where``, ``x.__class__ is np.ndarray``), and that are the stand-in's.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from devarray._primitives.opaque import OpaqueArray
from devarray.array import Array
from devarray.interop.stand_in_types import ANY_ARRAY, ArrayOfHost, StandsFor, of_host

__all__ = ["in_programs_names", "is_handed_over", "to_program"]

_Module = Callable[[str], types.ModuleType]


def in_programs_names(made: type, module: _Module) -> None:
    """Have the methods that NumPy calls, where a class has them, given the program's functions and class of arrays.

    Parameters
    ----------
    made : type
        A class of the program.
    module : callable
        That gives the stand-in of a module of NumPy's by its name.
    """
    own = vars(made)
    asked = own.get("__array_ufunc__")
    if isinstance(asked, types.FunctionType):
        made.__array_ufunc__ = _of_ufuncs(asked, module)  # type: ignore[attr-defined]
    asked = own.get("__array_function__")
    if isinstance(asked, types.FunctionType):
        made.__array_function__ = _of_functions(asked, module)  # type: ignore[attr-defined]

    asked = own.get("__array_finalize__")
    if isinstance(asked, types.FunctionType):
        made.__array_finalize__ = _of_origins(asked)  # type: ignore[attr-defined]


def is_handed_over(frame: types.FrameType) -> bool:
    """Whether NumPy's C code has called the program by way of a method that is made here.

    Parameters
    ----------
    frame : frame
        Of a caller.
    """
    return frame.f_globals is globals()


def _of_ufuncs(asked: Callable[..., Any], module: _Module) -> Callable[..., Any]:
    @wraps(asked)
    def __array_ufunc__(self: Any, ufunc: Any, /, *args: Any, **kwargs: Any) -> Any:
        named = {key: to_program(x) for key, x in kwargs.items()}
        return asked(self, _programs(ufunc, module), *map(to_program, args), **named)

    return __array_ufunc__


def _of_functions(asked: Callable[..., Any], module: _Module) -> Callable[..., Any]:
    @wraps(asked)
    def __array_function__(self: Any, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        kinds = sorted(map(_programs_class, types), key=lambda kind: kind is ANY_ARRAY)  # those below it come first
        return asked(self, _programs(func, module), tuple(kinds), to_program(args), to_program(kwargs))

    return __array_function__


def _of_origins(asked: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(asked)
    def __array_finalize__(self: Any, obj: Any, /) -> Any:
        return asked(self, to_program(obj))

    return __array_finalize__


def to_program(x: Any) -> Any:
    """What NumPy hands over, with its arrays and numbers as :func:`of_host` has them, in lists and dictionaries, too.

    Parameters
    ----------
    x : object
        An argument or a result.
    """
    if type(x) in (list, tuple):
        return type(x)(map(to_program, x))
    return {key: to_program(value) for key, value in x.items()} if type(x) is dict else of_host(x)


def _programs_class(kind: Any) -> Any:
    return ANY_ARRAY if kind in (np.ndarray, Array, OpaqueArray, ArrayOfHost) else kind


def _programs(function: Any, module: _Module) -> Any:
    """What the program has for a function of NumPy's; the function itself where it has no other."""
    if isinstance(function, StandsFor):
        return function
    home = "numpy" if isinstance(function, np.ufunc) else getattr(function, "__module__", None) or ""
    if home != "numpy" and not home.startswith("numpy."):
        return function
    found = getattr(module(home), function.__name__, None)
    return found if isinstance(found, StandsFor) and found == function else function
