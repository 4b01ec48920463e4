"""Modules that stand in for NumPy's: what both have is devarray's, the rest NumPy's own.

A foreign program says ``import numpy as np``; the suites here give it :func:`module` in place of that. With
``FOREIGN_SIDE=numpy`` everything is NumPy's, which tells what a test makes of NumPy itself by the same road.
"""

from __future__ import annotations

import functools
import inspect
import os
import types
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import numpy as np
import numpy.ma.testutils
import numpy.testing

SIDE = os.environ.get("FOREIGN_SIDE", "devarray")
PLACES = ("", "linalg", "fft", "random", "lib", "lib.format", "lib.stride_tricks", "emath", "polynomial")
"""Public modules of NumPy's that have a counterpart."""
_INDEXED = ("c_", "mgrid", "ogrid", "r_")
"""What makes arrays when it is indexed."""


def _pairs() -> Iterator[tuple[Any, Any]]:
    if SIDE != "devarray":
        return
    import devarray as da

    for place in PLACES:
        theirs, ours = np, da
        for part in filter(None, place.split(".")):
            theirs, ours = getattr(theirs, part), getattr(ours, part, None)
        if ours is None:
            continue
        for name in dir(theirs):
            mine = None if name.startswith("_") else getattr(ours, name, None)
            found = getattr(theirs, name)
            stands = callable(mine) or name in _INDEXED
            if mine is not None and mine is not found and not isinstance(found, types.ModuleType) and stands:
                yield found, mine
    yield np.ndarray, da.Array


made_on_host = 0
"""How often an array was asked for whose dtype no device holds."""
_MAKERS = frozenset(
    [
        "array",
        "asarray",
        "asanyarray",
        "ascontiguousarray",
        "asfortranarray",
        "asarray_chkfinite",
        "require",
        "zeros",
        "ones",
        "empty",
        "full",
        "zeros_like",
        "ones_like",
        "empty_like",
        "full_like",
        "arange",
        "linspace",
        "fromiter",
        "frombuffer",
        "fromstring",
        "fromfile",
        "loadtxt",
        "genfromtxt",
    ]
)
_NOT_OURS = "OSUMmgG"


def _or_host(ours: Callable[..., Any], theirs: Callable[..., Any]) -> Callable[..., Any]:
    """What makes an array: NumPy's where no device holds the dtype, which is counted."""

    @functools.wraps(ours)
    def make(*args: Any, **kwargs: Any) -> Any:
        global made_on_host
        try:
            return ours(*args, **kwargs)
        except TypeError:
            if not _asks_for_others(theirs, args, kwargs):
                raise
            made_on_host += 1
            return theirs(*map(to_host, args), **{key: to_host(value) for key, value in kwargs.items()})

    return make if hasattr(type(theirs), "__get__") else _Unbound(make)


class _Unbound:
    """A function that is no method in a class's body, as NumPy's in C are none."""

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self.__wrapped__ = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.__wrapped__(*args, **kwargs)


def _asks_for_others(theirs: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    try:
        made = theirs(*map(to_host, args), **{key: to_host(value) for key, value in kwargs.items()})
    except Exception:
        return False
    return _of_others(getattr(made, "dtype", None))


def _of_others(dtype: Any) -> bool:
    if dtype is None:
        return False
    if dtype.fields:
        return any(_of_others(dtype.fields[name][0].base) for name in dtype.names)
    return dtype.isbuiltin == 2 or dtype.kind in _NOT_OURS or dtype.char in _NOT_OURS


def _astype(ours: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(ours)
    def astype(self: Any, dtype: Any, *args: Any, **kwargs: Any) -> Any:
        global made_on_host
        try:
            other = _of_others(np.dtype(dtype))
        except TypeError:
            other = False
        if not other:
            return ours(self, dtype, *args, **kwargs)
        made_on_host += 1
        return self.copy_to_host().astype(dtype, *args, **kwargs)

    return astype


class _UfuncKind(type):
    def __instancecheck__(cls, x: Any) -> bool:
        return isinstance(x, np.ufunc) or (hasattr(x, "nin") and hasattr(x, "reduce"))

    def __getattr__(cls, name: str) -> Any:
        return getattr(np.ufunc, name)


class _Ufunc(metaclass=_UfuncKind):
    """Both sides' ufuncs."""


@functools.cache
def counterparts() -> dict[int, Any]:
    """Ours by the identity of NumPy's."""
    table: dict[int, Any] = {}
    for theirs, ours in _pairs():
        name = getattr(theirs, "__name__", "")
        table[id(theirs)] = _or_host(ours, theirs) if name in _MAKERS else ours
    if SIDE == "devarray":
        import devarray as da

        da.Array.astype = _astype(da.Array.astype)  # type: ignore[method-assign]
        table[id(np.ufunc)] = _Ufunc
    for place in (np.testing, numpy.ma.testutils):
        for name in place.__all__:
            found = getattr(place, name)
            if inspect.isfunction(found) and name.startswith("assert"):
                table[id(found)] = on_host(found)
    return table


def to_host(x: Any) -> Any:
    """The object with NumPy arrays for device arrays, in lists, tuples and dictionaries, too."""
    if hasattr(x, "copy_to_host") and not isinstance(x, type):
        return x.copy_to_host() if x.shape else x.copy_to_host()[()]
    if type(x) in (list, tuple):
        return type(x)(map(to_host, x))
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return tuple(map(to_host, x))
    if type(x) is dict:
        return {key: to_host(value) for key, value in x.items()}
    return x


def on_host(assertion: Callable[..., Any]) -> Callable[..., Any]:
    """An assertion of NumPy's that compares on the host."""

    @functools.wraps(assertion)
    def call(*args: Any, **kwargs: Any) -> Any:
        raises = "raises" in assertion.__name__ or "warns" in assertion.__name__
        if raises:  # whose arguments are for the function that is called
            return assertion(*args, **kwargs)
        return assertion(*map(to_host, args), **{key: to_host(value) for key, value in kwargs.items()})

    return call


class Module:
    """A module of NumPy's in which ours stand for theirs."""

    __slots__ = ("_origin",)

    def __init__(self, origin: types.ModuleType) -> None:
        self._origin = origin

    def __getattr__(self, name: str) -> Any:
        return instead_of(getattr(self._origin, name))

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "_origin":
            object.__setattr__(self, name, value)
        else:
            setattr(self._origin, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self._origin, name)

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]
        return {name: instead_of(found) for name, found in vars(self._origin).items()}

    def __dir__(self) -> list[str]:
        return dir(self._origin)


@functools.cache
def module(name: str) -> Any:
    """The stand-in for the module of that name."""
    return Module(import_module(name))


def instead_of(found: Any) -> Any:
    """What stands in for a thing of NumPy's."""
    if isinstance(found, types.ModuleType):
        return module(found.__name__) if found.__name__.split(".")[0] == "numpy" else found
    try:
        return counterparts().get(id(found), found)
    except TypeError:
        return found


def pick(name: str, member: str) -> Any:
    """What ``from name import member`` gives."""
    origin = import_module(name)
    try:
        return instead_of(getattr(origin, member))
    except AttributeError:
        return module(f"{name}.{member}")
