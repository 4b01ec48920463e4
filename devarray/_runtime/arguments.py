"""Checks of arguments where public functions take them, so that an error names a wrong one and what is wanted.

Arrays go through ``_primitives.operands``, the arguments of bound functions through the core. This is for what else the
public modules take: devices, contexts, queues, and host arrays whose form is read.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import numpy as np

from devarray.errors import DTypeError, ShapeError

__all__ = ["attributes_of", "dtype_of", "expect", "few", "form_of", "number_of", "takes"]

_MOST_AXES = 64  # NumPy's

_F = TypeVar("_F", bound=Callable[..., Any])


def expect(function: str, parameter: str, value: object, wanted: type | tuple[type, ...], what: str = "") -> None:
    """DTypeError where a value is of none of the wanted classes; `what` says what those are, by default their names."""
    if not isinstance(value, wanted):
        classes = wanted if isinstance(wanted, tuple) else (wanted,)
        what = what or " or ".join(cls.__name__ for cls in classes)
        given = f"{value!r:.60}" if isinstance(value, str | int | float | None) else f"of class {type(value).__name__}"
        raise DTypeError(f"{function}: {parameter} is {given}; {what} is wanted")


def attributes_of(function: str, parameter: str, value: object, what: str, *names: str) -> tuple[Any, ...]:
    """Attributes of an argument that may be of any class that has them all; DTypeError names what it lacks."""
    found = []
    for name in names:
        try:
            found.append(getattr(value, name))
        except AttributeError:
            raise DTypeError(
                f"{function}: {parameter} is {what}, not {type(value).__name__}, which has no {name}"
            ) from None
    return tuple(found)


def form_of(function: str, parameter: str, value: object) -> tuple[tuple[int, ...], Any, str]:
    """Shape, dtype and order ("C" or "F") of an array of anybody's; what is contiguous in neither order counts as C."""
    what = "a numpy.ndarray, or an array with its shape, dtype and flags"
    shape, dtype, flags = attributes_of(function, parameter, value, what, "shape", "dtype", "flags")
    c, f = attributes_of(function, f"{parameter}.flags", flags, "a numpy.flagsobj", "c_contiguous", "f_contiguous")
    return shape, dtype, "F" if f and not c else "C"


def few(function: str, parameter: str, value: object) -> Any:
    """`value`, of which there is one for each axis; ShapeError, unread, where it is longer than arrays have axes."""
    if getattr(value, "ndim", 1) and hasattr(value, "__len__") and len(value) > _MOST_AXES:
        raise ShapeError(f"{function}: {parameter} has {len(value)} numbers; arrays have at most {_MOST_AXES} axes")
    return value


def dtype_of(value: Any) -> np.dtype[Any]:
    """NumPy's dtype of an array, or of what turns into one, which may have a dtype of another library's."""
    own = getattr(value, "dtype", None)
    return own if isinstance(own, np.dtype) else np.asarray(value).dtype


def number_of(value: Any) -> Any:
    """An integer array without axes, of any library, as Python's int, which may wait; anything else as it is."""
    without_axes = getattr(value, "shape", None) == () and getattr(value, "dtype", None) is not None
    return operator.index(value) if without_axes and dtype_of(value).kind in "iu" else value


def takes(**wanted: type | tuple[type, ...]) -> Callable[[_F], _F]:
    """A decorator: parameters of these names are of these classes, or None where that is their default."""

    def decorate(function: _F) -> _F:
        signature = inspect.signature(function)
        public = function.__qualname__.removesuffix(".__init__")
        optional = {name for name in wanted if signature.parameters[name].default is None}

        @wraps(function)
        def call(*args: object, **kwargs: object) -> Any:
            try:
                given = signature.bind(*args, **kwargs).arguments
            except TypeError:
                return function(*args, **kwargs)  # whose own error names it
            for name, classes in wanted.items():
                value = given.get(name)
                if name in given and not (value is None and name in optional):
                    expect(public, name, value, classes)
            return function(*args, **kwargs)

        return call  # type: ignore[return-value]

    return decorate
