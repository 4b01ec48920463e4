"""Functions of NumPy's on the host for arguments of the device: they copy there, and their results come back."""

from __future__ import annotations

import builtins
import functools
import inspect
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from devarray._array.protocols import has_own_operators
from devarray._primitives.binding import bound_as
from devarray._primitives.convert import asarray, has_own_functions, of_other_class
from devarray._primitives.host import announce
from devarray._primitives.host_arrays import arrays_in, hosted, to_host
from devarray._primitives.opaque import OpaqueArray
from devarray._runtime.config import config
from devarray.array import Array
from devarray.ops.dtypes import DTYPES

__all__ = ["arrays_in", "from_host", "on_host", "on_host_alone", "refused", "to_host", "with_outputs", "write_back"]

_OURS = (Array, OpaqueArray)
_PLAIN = frozenset(np.dtype(name) for name in DTYPES)
_WRITES_FIRST = frozenset(["copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask", "shuffle"])
"""Functions that write to their first argument."""


def from_host(x: Any, like: Array | None = None, more_than: int = 0) -> Any:
    """A result of NumPy's: arrays of more than so many elements go to the device, if it holds their dtype."""
    if type(x) is np.ndarray and x.ndim and x.size > more_than and _is_stored(x.dtype):
        return asarray(x) if like is None else asarray(x, queue=like.queue, allocator=like.allocator)
    if type(x) in (list, tuple):
        return type(x)(from_host(item, like, more_than) for item in x)
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return type(x)(*(from_host(item, like, more_than) for item in x))
    return x


def _is_stored(dtype: np.dtype) -> bool:
    return dtype in _PLAIN or dtype.kind in "mM" or (dtype.names is not None and not dtype.hasobject)


_PYTHONS = (int, float, bool, str, type(None))
"""Classes of arguments that hold no array, and nothing that is written to."""


class _OnHost:
    """A function of NumPy's that takes device arrays, and gives them. In a class it is no method, as NumPy's."""

    def __init__(self, function: Callable[..., Any], more_than: int) -> None:
        self._function, self._more_than = function, more_than
        functools.update_wrapper(self, function, updated=())

    def __call__(self, *args: object, **kwargs: object) -> Any:
        if not kwargs and all(type(x) in _PYTHONS for x in args):
            return from_host(self._function(*args), None, self._more_than)
        like = next(arrays_in((*args, *kwargs.values())), None)
        return _called(self._function, args, kwargs, lambda result: from_host(result, like, self._more_than))


def _called(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], finished: Callable[[Any], Any]
) -> Any:
    """What a function gives on the host. What it writes to there is copied to the arrays that were given."""
    given, named = [to_host(x) for x in args], {key: to_host(x) for key, x in kwargs.items()}
    first = bool(args) and _writes_first(function)
    if first and isinstance(args[0], list):
        given[0] = args[0]  # to_host() makes another list
    places = _places_of_outputs(function)
    out, there = (kwargs["out"], named["out"]) if "out" in kwargs else (args[places], tuple(given[places]))
    result = function(*given, **named)
    if first:
        write_back(args[0], given[0])
    outputs, copies = (x if isinstance(x, tuple) else (x,) for x in (out, there))
    return with_outputs(finished(result), outputs, copies)


_OPERATORS = {
    "subtract": "sub",
    "multiply": "mul",
    "divide": "truediv",
    "floor_divide": "floordiv",
    "remainder": "mod",
    "bitwise_and": "and_",
    "bitwise_or": "or_",
    "bitwise_xor": "xor",
    "bitwise_left_shift": "lshift",
    "bitwise_right_shift": "rshift",
    "less": "lt",
    "less_equal": "le",
    "equal": "eq",
    "not_equal": "ne",
    "greater": "gt",
    "greater_equal": "ge",
}
"""Python's names of operations that have another one."""
_TURNED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}


def refused(name: str, a: Any, b: Any) -> Any:
    """An operator's result where an operand is of a class that no array knows, such as a sparse matrix.

    Parameters
    ----------
    name : str
        Of the operation.
    a, b : object
        The operands, one of them an array.

    Returns
    -------
    object
        What NumPy's ufunc gives, where the other class has a say in that, or stands on the left without an operator of
        its own. Where ``config.fallback`` is "allow", what NumPy's array in place of the device's gives; else
        NotImplemented.
    """
    ours_first = isinstance(a, _OURS)
    other, like = (b, a) if ours_first else (a, b)
    kind: Any = type(other)
    spelled = _OPERATORS.get(name, name)
    if hasattr(kind, "__array_ufunc__"):
        of_numpy = issubclass(kind, np.ndarray)
        if of_numpy and not ours_first and config.fallback == "allow":  # a matrix, which has asked by its own operator
            return getattr(operator, spelled)(a, to_host(b))
        asked = kind.__array_ufunc__ is not None and not of_numpy and not issubclass(kind, _OURS)
        return other.__array_ufunc__(getattr(np, name), "__call__", a, b) if asked else NotImplemented
    if not ours_first and has_own_operators(
        other
    ):  # NumPy asks it first where it stands on the right, and here no more
        made = of_other_class(other, like)
        if made is not NotImplemented:
            return getattr(operator, spelled)(made, b)
    if config.fallback != "allow":
        return NotImplemented
    if ours_first and has_own_operators(other):
        reflected = getattr(kind, f"__{_TURNED.get(spelled) or 'r' + spelled.rstrip('_')}__", None)
        found = reflected(b, a) if reflected else NotImplemented
        if found is not NotImplemented:
            return found
    return from_host(getattr(operator, spelled)(to_host(a), to_host(b)))


def _writes_first(function: Callable[..., Any]) -> bool:
    name = getattr(function, "__name__", "")
    return name in _WRITES_FIRST or (name == "at" and isinstance(getattr(function, "__self__", None), np.ufunc))


def _places_of_outputs(function: Callable[..., Any]) -> slice:
    """Which arguments by position are what the function writes to."""
    if isinstance(function, np.ufunc):
        return slice(function.nin, None)
    return slice(0, 0) if hasattr(function, "__self__") else _place_of_out(function)


@functools.lru_cache(maxsize=1024)
def _place_of_out(function: Callable[..., Any]) -> slice:
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (builtins.ValueError, TypeError):  # NumPy does not say
        return slice(0, 0)
    place = next((i for i, p in enumerate(parameters) if p.name == "out" and p.kind < p.VAR_POSITIONAL), None)
    return slice(0, 0) if place is None else slice(place, place + 1)


def write_back(ours: Any, theirs: Any) -> None:
    """Write to device arrays, in tuples, too, what a function wrote to their copies on the host.

    Parameters
    ----------
    ours : Array or object, or a tuple of such
        Others than arrays of the device are left alone.
    theirs : numpy.ndarray or object, or a tuple of such
        As :func:`to_host` made them of `ours`.
    """
    if isinstance(ours, tuple):
        for pair in zip(ours, theirs, strict=True):
            write_back(*pair)
    elif isinstance(ours, Array):
        ours[...] = asarray(theirs, queue=ours.queue, allocator=ours.allocator)
    elif isinstance(ours, OpaqueArray):
        ours.copy_to_device(theirs)


def with_outputs(made: Any, outputs: tuple[Any, ...], copies: tuple[Any, ...]) -> Any:
    """A result of the host's, where outputs are arrays of the device: they are written, and take their copies' places.

    A result of a class that has a say in NumPy's functions, such as one with units over the output, is left.

    Parameters
    ----------
    made : object
        The call's result, or a tuple of its results.
    outputs, copies : tuple
        What the caller gave as ``out=``, and as :func:`to_host` made it; None for no output.
    """
    write_back(outputs, copies)
    if not any(isinstance(x, _OURS) for x in outputs):
        return made
    results = made if isinstance(made, tuple) else (made,)
    written = (outputs[i] if outputs[i:] else None for i in range(len(results)))
    pairs = zip(results, written, strict=True)
    answers = tuple(y if out is None or has_own_functions(type(y)) else out for y, out in pairs)
    return answers if isinstance(made, tuple) else answers[0]


def on_host_alone(function: Callable[..., Any], name: str, stacklevel: int = 3) -> Callable[..., Any]:
    """A function of NumPy's whose results stay on the host; that arrays of the device come there is said."""

    def call(*args: object, **kwargs: object) -> Any:
        moved = next(arrays_in((*args, *kwargs.values())), None)
        if moved is not None:
            announce(name, moved, stacklevel)
        return _called(function, args, kwargs, hosted)

    call.__wrapped__ = function  # type: ignore[attr-defined]
    call.__name__ = getattr(function, "__name__", name)
    call.__doc__ = f"NumPy's ``{name}`` on the host, with its parameters; arrays of the device come there."
    return bound_as(call, function)


def on_host(function: Callable[..., Any], more_than: int = 0) -> Callable[..., Any]:
    """A function of NumPy's for device arrays; arrays of more than so many elements go to the device."""
    return _OnHost(function, more_than)
