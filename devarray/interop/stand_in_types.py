"""What a program that runs unmodified gets for ``numpy.ndarray``, ``isinstance``, ``hasattr`` and ``type``.

Arrays of the device are instances of ``numpy.ndarray`` to it, and values those of NumPy's scalars of their dtype.
Python asks an object's class; so the program's modules have builtins of their own, and libraries keep Python's.
"""

from __future__ import annotations

import copyreg
import functools
import sys
import types
from abc import ABCMeta
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np

from devarray import _core
from devarray._primitives.host_arrays import HostArray
from devarray._primitives.opaque import OpaqueArray
from devarray.array import Array

__all__ = [
    "ANY_ARRAY",
    "NUMBERS_OF_HOST",
    "ArrayOfHost",
    "StandsFor",
    "has_attribute",
    "is_instance",
    "is_programs",
    "is_programs_class",
    "kinds",
    "of_host",
    "stand_for_class",
]

_ARRAYS = np.ndarray | Array | OpaqueArray


class StandsFor:
    """Calls that stand for a function of NumPy's."""

    stands_for: Any


class _AsksByUfunc(np.ndarray):
    """Comes before NumPy's class where a class of the program's has an ``__array_ufunc__``, which calls by super()."""

    __slots__ = ()

    def __array_ufunc__(self, ufunc: Any, method: Any, *inputs: Any, **kwargs: Any) -> Any:
        from devarray._primitives.host_calls import to_host, with_outputs, write_back

        there, named = to_host(inputs), to_host(kwargs)
        made = super().__array_ufunc__(_numpys(ufunc), method, *there, **named)
        if made is NotImplemented:
            return made
        if method == "at":
            write_back(inputs[0], there[0])
        return _results_of_host(with_outputs(made, kwargs.get("out", ()), named.get("out", ())))


class _AsksByFunction(np.ndarray):
    """The same for ``__array_function__``."""

    __slots__ = ()

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        types = tuple(np.ndarray if kind is ANY_ARRAY else kind for kind in types)
        return _results_of_host(super().__array_function__(_numpys(func), types, args, kwargs))


def _results_of_host(made: Any) -> Any:
    return type(made)(map(of_host, made)) if type(made) in (list, tuple) else of_host(made)


_ASKING = {"__array_ufunc__": _AsksByUfunc, "__array_function__": _AsksByFunction}


class _Below(np.ndarray):
    """What the program's classes below ``numpy.ndarray`` are made of: NumPy's class, which takes ours for it."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for name, asking in _ASKING.items():
            if name in vars(cls) and not issubclass(cls, asking):  # others have no say in what NumPy's functions give
                cls.__bases__ = (*cls.__bases__, asking)

    def view(self, *args: Any, **kwargs: Any) -> Any:
        args = tuple(ArrayOfHost if a is ANY_ARRAY else a for a in args)
        kwargs = {name: ArrayOfHost if a is ANY_ARRAY else a for name, a in kwargs.items()}
        return np.ndarray.view(self, *args, **kwargs)


class ArrayOfHost(HostArray):
    """An array of the host that a class of the program's is given, or gives as its memory: of the class of arrays.

    It can be viewed by that class, and its methods write to device arrays. Beside an array of a class of the program's,
    that class has the say, as beside one of NumPy's own.
    """

    __slots__ = ()
    __array_priority__ = -1.0
    view = _Below.view

    @property
    def __class__(self) -> Any:
        return ANY_ARRAY

    @__class__.setter
    def __class__(self, kind: type) -> None:
        raise TypeError("__class__ of an array cannot be set")

    @property
    def base(self) -> Any:
        """What NumPy's array has as its memory's owner, which this is a view of."""
        of: Any = np.ndarray.base.__get__(self)
        if type(of) is np.ndarray:  # which this stands for
            return of.base
        skipped = isinstance(of, np.ndarray) and not of.flags.owndata and type(of.base) in (np.ndarray, ArrayOfHost)
        return of.base if skipped else of

    def __array_wrap__(self, made: Any, context: Any = None, return_scalar: bool = False) -> Any:
        if type(made) is ArrayOfHost:  # the output that was given
            return made
        return of_host(made[()] if return_scalar else made)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if any(kind not in (np.ndarray, ArrayOfHost) for kind in types):
            return NotImplemented
        return super().__array_function__(func, types, args, kwargs)


ArrayOfHost.__name__ = "array"  # which NumPy's functions that write an array of another class begin with


def _numbers_of_host(kind: Any) -> type:
    """A class below one of NumPy's of numbers, which can be viewed by the class of arrays, too."""

    def view(self: Any, *args: Any, **kwargs: Any) -> Any:
        args = tuple(np.ndarray if a is ANY_ARRAY else a for a in args)
        kwargs = {name: np.ndarray if a is ANY_ARRAY else a for name, a in kwargs.items()}
        return of_host(kind.view(self, *args, **kwargs))

    def __repr__(self: Any) -> str:
        return repr(kind(self))

    names = {"__slots__": (), "__module__": kind.__module__, "__class__": property(lambda self: kind)}
    return type(kind.__name__, (kind,), names | {"view": view, "__repr__": __repr__})


NUMBERS_OF_HOST: dict[Any, type] = {
    kind: _numbers_of_host(kind) for kind in set(np.sctypeDict.values()) if issubclass(kind, np.number)
}
"""Of NumPy's classes of numbers those of the numbers that a class of the program's is given."""


def of_host(x: Any) -> Any:
    """NumPy's array or number as a class of the program's is given it: views by the class of arrays are NumPy's.

    Parameters
    ----------
    x : object
        Others than arrays and numbers of NumPy's own classes are left alone.
    """
    kind = type(x)
    if kind is np.ndarray:
        return x.view(ArrayOfHost)
    own = None if kind is Array else NUMBERS_OF_HOST.get(kind)
    return x if own is None else own(x)


def _writing_to_devices(name: str) -> Callable[..., Any]:
    """A method of NumPy's arrays whose ``out=`` must be one, as a method of arrays of the host whose need not be."""
    theirs = getattr(np.ndarray, name)

    @functools.wraps(theirs)
    def method(self: np.ndarray, *args: Any, **kwargs: Any) -> Any:
        if not any(isinstance(x, Array) for x in (*args, *kwargs.values())):
            return theirs(self, *args, **kwargs)
        from devarray._primitives.host_calls import on_host

        if name == "compress":
            return on_host(np.compress)(args[0], np.asarray(self), *args[1:], **kwargs)
        return on_host(getattr(np, name))(np.asarray(self), *args, **kwargs)

    return method


for _name in ("argmax", "argmin", "choose", "compress", "cumprod", "cumsum", "dot", "round", "take", "trace"):
    setattr(ArrayOfHost, _name, _writing_to_devices(_name))


def _numpys(function: Any) -> Any:
    """The function of NumPy's that a function of the program's stands for."""
    return function.stands_for if isinstance(function, StandsFor) else function


@functools.cache
def _method_of_both(name: str, ours: Any, theirs: Any) -> Any:
    """``numpy.ndarray.NAME``: of arrays of NumPy's the one, of the device's the other. The same at each call."""

    @functools.wraps(theirs)
    def method(of: Any, *args: Any, **kwargs: Any) -> Any:
        if name == "view" and isinstance(of, np.ndarray):
            return _Below.view(of, *args, **kwargs)  # type: ignore[arg-type] # of any class
        if type(of) is ArrayOfHost and name in vars(ArrayOfHost):
            return getattr(of, name)(*args, **kwargs)
        return (theirs if isinstance(of, np.ndarray) else ours)(of, *args, **kwargs)

    return method


_OF_ITSELF = {"__class__", "__copy__", "__deepcopy__", "__dir__", "__doc__", "__instancecheck__", "__module__"}
_OF_ITSELF |= {
    "__abstractmethods__",
    "__bases__",
    "__flags__",
    "__mro__",
    "__name__",
    "__new__",
    "__qualname__",
    "__reduce__",
    "__reduce_ex__",
}
_OF_ITSELF |= {"__subclasscheck__", "__subclasses__"}
"""Attributes of what stands for the class; all others are those of arrays."""


class _KindOfArrays(ABCMeta):
    """Of ``numpy.ndarray`` to the program: arrays of both sides are instances; a class below it is NumPy's."""

    def __new__(cls, name: str, bases: tuple[Any, ...], names: dict[str, Any], **kwargs: Any) -> Any:
        if not bases:
            return super().__new__(cls, name, bases, names)
        of_numpy = tuple(_Below if base is ANY_ARRAY else base for base in bases)
        return types.new_class(name, of_numpy, kwargs, lambda space: space.update(names))

    def __instancecheck__(self, x: object) -> bool:
        return isinstance(x, _ARRAYS) and not _is_value(x)

    def __subclasscheck__(self, kind: Any) -> bool:
        return kind is self or issubclass(kind, _ARRAYS)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        from devarray._primitives.host_calls import from_host

        made = np.ndarray(*args, **kwargs)
        return from_host(made) if made.base is None else made  # what is written to memory of others is to arrive there

    def __getattribute__(self, name: str) -> Any:
        if name == "__dict__":
            return np.ndarray.__dict__
        if name in _OF_ITSELF:
            return super().__getattribute__(name)
        ours, theirs = getattr(Array, name, None), getattr(np.ndarray, name, None)
        if callable(ours) and callable(theirs):
            return _method_of_both(name, ours, theirs)
        return ours or getattr(np.ndarray, name)

    def __dir__(self) -> list[str]:
        return dir(np.ndarray)

    def __getitem__(self, key: Any) -> Any:
        return np.ndarray[key]

    def __or__(self, other: Any) -> Any:
        return _ARRAYS | other

    __ror__ = __or__

    def __eq__(self, other: object) -> bool:
        return other is self or other in (np.ndarray, Array, OpaqueArray)

    def __hash__(self) -> int:
        return hash(np.ndarray)

    def __repr__(self) -> str:
        return repr(np.ndarray)


class _AnyArray(metaclass=_KindOfArrays):
    """``numpy.ndarray`` to the program: a class, which match statements ask for."""

    __new__ = np.ndarray.__new__  # type: ignore[assignment]


ANY_ARRAY: Any = _AnyArray
_AnyArray.__name__, _AnyArray.__qualname__, _AnyArray.__module__ = "ndarray", "ndarray", "numpy"
copyreg.pickle(_KindOfArrays, lambda kind: (getattr, (np.zeros(0), "__class__")))


def _is_value(x: object) -> bool:
    return x.is_element if isinstance(x, OpaqueArray) else isinstance(x, Array) and _core.is_value(x)


_OTHER_CLASSES = {id(own): (own, kind) for kind, own in NUMBERS_OF_HOST.items()}
"""By the identity of a class, as some cannot be hashed: what ``type(x)`` gives the program for its instances."""


def stand_for_class(stand_in: Any, *classes: type) -> None:
    """Have ``type(x)`` of instances of these very classes give the program what stands for them.

    Parameters
    ----------
    stand_in : object
        What the program has by the class's name.
    *classes : type
        Of instances that its calls make.
    """
    _OTHER_CLASSES.update((id(kind), (kind, stand_in)) for kind in classes)


def _kind_of(x: object) -> Any:
    """The class that NumPy would give for x; None where that is the one that x has."""
    if isinstance(x, Array | OpaqueArray):
        return x.dtype.type if _is_value(x) else ANY_ARRAY
    if type(x) in (np.ndarray, ArrayOfHost):
        return ANY_ARRAY
    if x is ANY_ARRAY:
        return type
    if isinstance(x, StandsFor):
        return type(x.stands_for)
    return _OTHER_CLASSES.get(id(type(x)), (None, None))[1]


def is_instance(x: object, kind: Any, /) -> bool:
    """``isinstance`` to the program.

    Parameters
    ----------
    x : object
        Anything.
    kind : type, union or tuple
        As Python's takes it.
    """
    if _is_value(x):
        return issubclass(x.dtype.type, kind)  # type: ignore[attr-defined]
    if isinstance(x, kind):
        return True
    found = _kind_of(x) if hasattr(x, "stands_for") else None
    return found is not None and issubclass(found, kind)


def has_attribute(x: object, name: str, /) -> bool:
    """``hasattr`` to the program: values have what NumPy's scalars of their dtype have, such as no ``__len__``.

    Parameters
    ----------
    x : object
        Anything.
    name : str
        As Python's takes it.
    """
    return hasattr(x, name) and (not _is_value(x) or hasattr(x.dtype.type, name))  # type: ignore[attr-defined]


def is_programs(frame: FrameType) -> bool:
    """Whether a frame runs code of the program's, told by the builtins of its module.

    Parameters
    ----------
    frame : frame
        Of a caller.
    """
    return frame.f_builtins.get("isinstance") is is_instance


def is_programs_class(kind: type) -> bool:
    """Whether a class is written in the program, told by the builtins of its module.

    Parameters
    ----------
    kind : type
        A class.
    """
    names = getattr(sys.modules.get(kind.__module__), "__builtins__", None)
    return isinstance(names, dict) and names.get("isinstance") is is_instance


class _KindOfKinds(type):
    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if cls is not kinds:
            return super().__call__(*args, **kwargs)
        if len(args) != 1 or kwargs:
            return type(*args, **kwargs)
        found = _kind_of(args[0]) or type(args[0])
        return kinds if found in (type, _KindOfKinds) else found

    def __instancecheck__(cls, x: object) -> bool:
        return isinstance(x, type) if cls is kinds else super().__instancecheck__(x)

    def __subclasscheck__(cls, kind: type) -> bool:
        return issubclass(kind, type) if cls is kinds else super().__subclasscheck__(kind)

    def __getitem__(cls, key: Any) -> Any:
        return type[key]

    def __eq__(cls, other: object) -> bool:
        return other is cls or (cls is kinds and other is type)

    def __hash__(cls) -> int:
        return hash(type) if cls is kinds else super().__hash__()

    def __repr__(cls) -> str:
        return repr(type) if cls is kinds else super().__repr__()


class kinds(type, metaclass=_KindOfKinds):
    """``type`` to the program."""
