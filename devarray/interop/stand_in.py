"""A module that stands in for NumPy: its arrays live on the device, and what has no device version runs on the host.

``python -m devarray run`` gives it to a program that says ``import numpy``. A name that devarray has is devarray's;
where that refuses a call, NumPy does it on the host, so that errors are NumPy's. All other functions of NumPy's run on
the host, and their results go to the device. Types and constants are NumPy's.
"""

from __future__ import annotations

import array
import ctypes
import functools
import mmap
import operator
import sys
import time
import types
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from typing import Any

import numpy as np

from devarray._primitives.convert import has_own_functions
from devarray._primitives.host_arrays import arrays_in, plain, to_host
from devarray._primitives.host_calls import on_host
from devarray._primitives.opaque import OpaqueArray
from devarray._routines.io.archives import opened
from devarray.array import Array
from devarray.errors import Error, OutOfMemoryError
from devarray.interop import stand_in_random
from devarray.interop.numpy_spellings import linalg_eig, linalg_eigvals
from devarray.interop.stand_in_protocols import is_handed_over, to_program
from devarray.interop.stand_in_types import (
    ANY_ARRAY,
    NUMBERS_OF_HOST,
    ArrayOfHost,
    StandsFor,
    is_programs,
    is_programs_class,
    stand_for_class,
)
from devarray.interop.stand_in_vectorize import vectorize

__all__ = ["Record", "StandIn"]

_PLACES = frozenset(["numpy", "numpy.linalg", "numpy.fft", "numpy.lib.stride_tricks", "numpy.lib"])
"""NumPy's modules whose functions devarray has. Random numbers are NumPy's own, to be the same."""


_MADE_HERE = ("errstate", "nditer", "vectorize")
"""Classes of NumPy's of which devarray has its own."""

_ARRAYS = (Array, OpaqueArray, np.ndarray)

_OF_HOST: frozenset[Any] = frozenset((np.ndarray, ArrayOfHost, *np.sctypeDict.values(), *NUMBERS_OF_HOST.values()))
"""Classes of what a library hands to a function of the program's."""

_NUMBERS = frozenset((bool, int, float, complex, *(x for x in _OF_HOST if issubclass(x, np.number | np.bool_))))
"""Classes of numbers, of which NumPy's ufuncs give numbers."""

_CONVERSIONS = ("numpy.asarray", "numpy.array")
"""Functions in which ``__array_ufunc__`` and ``__array_function__`` have no say."""

_OF_PARTS = frozenset(
    f"numpy.{name}" for name in ("column_stack", "concat", "concatenate", "dstack", "hstack", "stack", "vstack")
)
"""Functions of several arrays in one argument, which may be a sequence of a class of the program's."""

_VIEWS = frozenset(
    f"numpy.{name}"
    for name in (
        *("asanyarray", "asarray", "ascontiguousarray", "asfortranarray", "atleast_1d", "atleast_2d", "atleast_3d"),
        *("broadcast_to", "diagonal", "expand_dims", "flip", "frombuffer", "moveaxis", "ravel", "require", "reshape"),
        *("rollaxis", "rot90", "squeeze", "swapaxes", "transpose"),
    )
)
"""Functions that give views of their first argument where they can."""

_OF_OTHERS = (np.memmap, array.array, bytearray, ctypes.Array, memoryview, mmap.mmap)
"""Classes of memory that is not the program's arrays' alone: of files, of other processes, of C's."""

_FILES = frozenset(
    (
        *("fromfile", "fromiter", "fromregex", "genfromtxt", "load", "loadtxt"),
        *("save", "savetxt", "savez", "savez_compressed"),
    )
)
"""Functions that cannot be tried twice, for a file or an iterator has moved on: NumPy's own reads and writes."""

_OF_NUMPY = {"numpy.linalg.eig": linalg_eig, "numpy.linalg.eigvals": linalg_eigvals, "numpy.vectorize": vectorize}
"""Functions of which NumPy wants something else than the Array API standard, or operators, which devarray's follow."""


@dataclass
class Counts:
    """Calls of one function."""

    calls: int = 0
    seconds: float = 0.0
    why: str = ""


@dataclass
class Record:
    """What a program called, on the device and on the host."""

    device: dict[str, Counts] = field(default_factory=dict)
    host: dict[str, Counts] = field(default_factory=dict)
    small: int = 0
    elements: int = 0
    results: int = 0

    def note(self, side: dict[str, Counts], name: str, begun: float, why: str = "") -> None:
        """Count a call that began then."""
        counts = side.get(name)
        if counts is None:
            counts = side[name] = Counts()
        counts.calls += 1
        counts.seconds += time.perf_counter() - begun
        if why:
            counts.why = why


def _numpys_operand(values: Iterable[Any]) -> type | None:
    """The class of the first argument, or element of a list, that has a say in NumPy's functions."""
    for value in values:
        kind = type(value)
        if kind in (list, tuple):
            kind = next((type(x) for x in value[:16] if has_own_functions(type(x))), kind)
        if has_own_functions(kind):
            return kind
    return None


def _is_of_host(args: tuple[Any, ...]) -> bool:
    return any(type(x) is not Array and type(x) in _OF_HOST for x in args)  # the class Array takes its time to hash


def _are_numbers(args: tuple[Any, ...]) -> bool:
    for x in args:  # noqa: SIM110 (a generator takes twice the time)
        if type(x) is Array or type(x) not in _NUMBERS:
            return False
    return True


def _parts(x: Any) -> Any:
    """What joins arrays, as a list where it is a sequence of another class; other objects as they are."""
    kind = type(x)
    if kind in (list, tuple) or isinstance(x, (dict, str, bytes, *_ARRAYS)) or hasattr(kind, "__array__"):
        return x
    return list(x) if hasattr(kind, "__len__") and hasattr(kind, "__getitem__") else x


def _is_librarys(frame: types.FrameType) -> bool:
    """Whether a library calls, which the program has given the function to."""
    return not is_programs(frame) and not frame.f_globals.get("__name__", "").startswith("devarray.")


def _is_of_program(error: Exception) -> bool:
    """Whether a function of the program's that was called raised an error, which is no refusal of devarray's."""
    trace = error.__traceback__
    while trace is not None and not is_programs(trace.tb_frame):
        trace = trace.tb_next
    return trace is not None and not isinstance(error, Error)


def _caller_back(frame: types.FrameType | None) -> types.FrameType | None:
    """What has called the program's function that asks: a library, such as a solver, or NumPy itself; else None."""
    while frame is not None and is_programs(frame):
        frame = frame.f_back
    return frame if frame is not None and (_is_librarys(frame) or is_handed_over(frame)) else None


class _Call(StandsFor):
    """A function of NumPy's as the program calls it. A copy is itself; other processes unpickle NumPy's."""

    def __init__(self, name: str, theirs: Any, ours: Any, record: Record) -> None:
        self._name, self._theirs, self._ours, self._record = name, theirs, ours, record
        reads = opened if name == "numpy.load" and not record.small else theirs
        self._on_host = on_host(reads, record.small)
        self._is_ufunc, self._copies = isinstance(theirs, np.ufunc), name == "numpy.array"
        self._of_parts, self._views = name in _OF_PARTS, name in _VIEWS
        self.stands_for = theirs
        self._binds = hasattr(type(theirs), "__get__") and not isinstance(theirs, types.MethodType)
        self.__wrapped__ = getattr(theirs, "__wrapped__", theirs)  # NumPy's own code, which asks no class
        self.__name__ = self.__qualname__ = getattr(theirs, "__name__", name)
        self.__module__ = getattr(theirs, "__module__", None) or "numpy"
        self.__doc__ = getattr(theirs, "__doc__", None)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        record, begun = self._record, time.perf_counter()
        if self._is_ufunc and not kwargs and _are_numbers(args):
            result = self._theirs(*args)
            record.note(record.host, self._name, begun)
            return result
        frame = sys._getframe(1)
        if _is_librarys(frame) and self._stays(args, kwargs):  # of arrays of its own
            return self._theirs(*args, **kwargs)
        if _is_of_host(args) and self._stays(args, kwargs) and (by := _caller_back(frame)):
            result = self._theirs(*args, **kwargs)  # of what a library has handed to a function of the program's
            return to_program(result) if is_handed_over(by) else result
        if self._of_parts and args:
            args = (_parts(args[0]), *args[1:])
        if self._views and isinstance(args[0] if args else kwargs.get("buffer"), _OF_OTHERS):
            view = self._theirs(*to_host(args), **to_host(kwargs))
            if isinstance(view, np.memmap):
                return view
            if view.flags.writeable and not view.flags.owndata:  # what is written to it is to arrive there
                return to_program(view)
        theirs = _numpys_operand(args) or (_numpys_operand(kwargs.values()) if kwargs else None)
        if theirs and self._name in _CONVERSIONS:
            if not issubclass(theirs, np.ndarray):
                theirs = None  # its own __array__ may give an array of the device
            elif (
                args and type(args[0]) is theirs and is_programs_class(theirs) and not kwargs.get("copy", self._copies)
            ):
                return to_program(self._theirs(*args, **kwargs))  # the program may write to what it shares memory with
        if theirs or self._ours is None or (record.small and self._stays(args, kwargs)):
            result = self._on_host(*args, **kwargs)
            why = f"given a {theirs.__name__}" if theirs else "" if self._ours is not None else "no device version"
            record.note(record.host, self._name, begun, why)
            return result
        try:
            result = plain(self._ours(*args, **kwargs))
        except OutOfMemoryError:
            raise
        except Exception as error:  # whatever devarray refuses, NumPy is asked; what it refuses, too, is its error
            if _is_of_program(error):
                raise
            result = self._on_host(*args, **kwargs)
            record.note(record.host, self._name, begun, f"{type(error).__name__}: {error}")
            return result
        record.note(record.device, self._name, begun)
        if isinstance(result, Array):
            record.results += 1
            record.elements += result.size
        elif isinstance(result, tuple) and hasattr(result, "_fields"):
            return _numpys_class(type(result))(*result)
        return result

    def _stays(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Whether NumPy computes it: nothing of it is on the device, and what it makes may be small."""
        return next(arrays_in((*args, *kwargs.values())), None) is None

    def __eq__(self, other: object) -> bool:
        return other is self or other is self._theirs

    def __hash__(self) -> int:
        return hash(self._theirs)

    def __reduce__(self) -> tuple[Any, ...]:
        return _same, (self._theirs,)

    def __copy__(self) -> _Call:
        return self

    def __deepcopy__(self, memo: object) -> _Call:
        return self

    def __getattr__(self, name: str) -> Any:
        theirs = getattr(self._theirs, name)
        ours = getattr(self._ours, name, None) if self._ours is not None else None
        if callable(theirs) and not isinstance(theirs, type):
            return _Call(f"{self._name}.{name}", theirs, ours, self._record)
        return theirs

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """A method where NumPy's is: its Python functions are, in classes; ufuncs and what C alone defines are not."""
        return types.MethodType(self, instance) if instance is not None and self._binds else self


class _Vectorized(np.vectorize):
    """What the program's classes below ``numpy.vectorize`` are made of: NumPy's, whose calls take device arrays."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return on_host(super().__call__)(*args, **kwargs)


_BELOW = {"vectorize": _Vectorized}
"""What is the base of the program's classes, where that is neither devarray's own class nor NumPy's."""


class _CallOfClass(_Call):
    """A class of NumPy's of which devarray has its own, as the program calls it, asks for it and builds on it."""

    def __init__(self, name: str, theirs: Any, ours: Any, record: Record) -> None:
        super().__init__(name, theirs, ours, record)
        of_both = (theirs, ours) if isinstance(ours, type) else (theirs,)
        self._instances, self._below = of_both, _BELOW.get(theirs.__name__, of_both[-1])
        for method in ("__init__", "__call__"):  # which a class below may call with its instance
            if hasattr(self._below, method):
                vars(self)[method] = getattr(self._below, method)
        stand_for_class(self, *of_both)

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return type(self._theirs)

    def __instancecheck__(self, x: object) -> bool:
        return isinstance(x, self._instances) or type(getattr(x, "_source", None)) is self._theirs  # nditer's wrappers

    def __subclasscheck__(self, kind: Any) -> bool:
        return kind is self or issubclass(kind, self._instances)

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        return (self._below,)

    def __or__(self, other: Any) -> Any:
        return functools.reduce(operator.or_, self._instances) | other

    __ror__ = __or__

    def __repr__(self) -> str:
        return repr(self._theirs)


_names_of: Callable[[types.ModuleType], dict[str, Any]] = dict(vars(types.ModuleType))["__dict__"].__get__
"""The names that a stand-in has made so far."""


class _Indexed:
    """An object of NumPy's that is indexed, as the program sees it."""

    def __init__(self, item: _Call) -> None:
        self._item = item

    def __getitem__(self, key: Any) -> Any:
        return self._item(key)


@lru_cache
def _numpys_class(kind: Any) -> Any:
    """NumPy's class of results such as ``SVDResult``, which has the name of devarray's."""
    home = getattr(np.linalg, "_linalg", np.linalg), getattr(np.lib, "_arraysetops_impl", np.lib)
    names = kind.__name__, f"{kind.__name__}Result"
    return next((getattr(place, name) for place in home for name in names if hasattr(place, name)), kind)


def _same(x: Any) -> Any:
    return x


class StandIn(types.ModuleType):
    """The stand-in for one of NumPy's modules.

    Parameters
    ----------
    origin : module
        NumPy's.
    record : Record
        Where calls are counted; `small` of it is the number of elements up to which arrays stay on the host.
    """

    def __init__(self, origin: types.ModuleType, record: Record) -> None:
        super().__init__(origin.__name__, origin.__doc__)
        self._origin, self._record = origin, record
        self.__path__ = getattr(origin, "__path__", [])
        self.__file__ = getattr(origin, "__file__", None)

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]
        """All names, for programs that go through them: ``vars(np)``."""
        for name in list(vars(self._origin)):  # which getattr may add to
            if not name.startswith("__"):
                getattr(self, name)
        return _names_of(self)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._origin, name)
        first = getattr(found, "__name__", name) if callable(found) else name
        if first != name and getattr(self._origin, first, None) is found:
            made = getattr(self, first)  # of two names, such as pow and power: one object
        else:
            made = self._instead_of(name, found)
        _names_of(self)[name] = made
        return made

    def __dir__(self) -> list[str]:
        return dir(self._origin)

    def _instead_of(self, name: str, found: Any) -> Any:
        if isinstance(found, types.ModuleType):
            return StandIn(found, self._record) if found.__name__.startswith("numpy") else found
        if found is np.ndarray:
            return ANY_ARRAY
        place = self._origin.__name__
        if place == "numpy.typing":
            return found
        if place.startswith("numpy.random"):
            return self._of_random(name, found)
        if place.startswith("numpy.ctypeslib"):
            return found  # whose arrays lie in memory of C's
        if name.startswith("_") or place.startswith(("numpy.testing", "numpy.ma", "numpy.polynomial")):
            return found if not callable(found) or isinstance(found, type) else on_host(found)
        if callable(found) and not (getattr(found, "__module__", None) or "numpy").startswith(("numpy", "builtins")):
            return found  # a library's, which it has put into NumPy
        if not callable(found) or (isinstance(found, type) and name not in _MADE_HERE):
            return self._grid(name, found)
        if found is np.frompyfunc:
            return self._frompyfunc
        ours = self._ours(name) if place in _PLACES and name not in _FILES else None
        kind = _CallOfClass if isinstance(found, type) else _Call
        return kind(f"{place}.{name}", found, ours, self._record)

    def _frompyfunc(self, *args: Any, **kwargs: Any) -> Any:
        """NumPy's ``frompyfunc``, which makes arrays of objects, on the host; devarray's gives numbers."""
        made = np.frompyfunc(*args, **kwargs)
        return _Call(made.__name__, made, None, self._record)

    def _grid(self, name: str, found: Any) -> Any:
        """``mgrid``, ``r_`` and their like, which are indexed."""
        if name not in ("mgrid", "ogrid", "r_", "c_") or self._record.small:
            return found
        return _Indexed(_Call(f"numpy.{name}", found.__getitem__, self._ours(name).__getitem__, self._record))

    def _ours(self, name: str) -> Any:
        place: Any = sys.modules["devarray"]
        for part in self._origin.__name__.split(".")[1:]:
            place = getattr(place, part, None)
        ours = _OF_NUMPY.get(f"{self._origin.__name__}.{name}") or getattr(place, name, None)
        return ours if callable(ours) or name in ("mgrid", "ogrid", "r_", "c_") else None

    def _of_random(self, name: str, found: Any) -> Any:
        if name in stand_in_random.__all__:
            return getattr(stand_in_random, name)
        if callable(found) and not isinstance(found, type) and not name.startswith("_"):
            return _Call(f"numpy.random.{name}", found, None, self._record)
        return found


def modules(record: Record) -> Callable[[str], types.ModuleType]:
    """A function that gives the stand-in of a module of NumPy's by its name."""
    top = StandIn(np, record)

    def module(name: str) -> types.ModuleType:
        import_module(name)
        found: Any = top
        for part in name.split(".")[1:]:
            found = getattr(found, part)
        return found if isinstance(found, types.ModuleType) else sys.modules[name]  # which a function's name hides

    return module


def names_in(record: Record) -> Iterator[tuple[str, str, Counts]]:
    """Side, name and counts of all functions called, the longest first."""
    rows = [("device", *row) for row in record.device.items()] + [("host", *row) for row in record.host.items()]
    return iter(sorted(rows, key=lambda row: -row[2].seconds))
