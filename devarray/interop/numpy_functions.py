"""NumPy's functions on device arrays: ``__array_function__``. Ours is the public function of the same name.

A call is bound to NumPy's signature and handed on by name: what stands first goes by position, what NumPy's caller left
at NumPy's default is left to ours. Functions of which NumPy wants something else are in numpy_spellings.py.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Collection, Iterator
from functools import cache, lru_cache
from importlib import import_module
from types import FrameType
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.lib import stride_tricks

from devarray._array.out import write_out
from devarray._primitives.convert import has_own_functions
from devarray._primitives.host import announce
from devarray._primitives.host_calls import on_host, to_host
from devarray._runtime.arguments import attributes_of
from devarray._runtime.config import config
from devarray.array import Array
from devarray.errors import DTypeError

__all__ = ["names"]

_SPELLED = frozenset(
    [
        "broadcast_arrays",
        "can_cast",
        "linalg.eig",
        "linalg.eigvals",
        "result_type",
        "where",
    ]
)
"""NumPy's functions that numpy_spellings.py has, behind their dots' underscores."""

_MADE_LIKE = frozenset(
    (
        *("arange", "array", "asanyarray", "asarray", "ascontiguousarray", "asfortranarray", "empty", "eye"),
        *("frombuffer", "fromfunction", "fromiter", "fromstring", "full", "identity", "loadtxt", "ones"),
        *("tri", "zeros"),
    )
)
"""NumPy's functions that make arrays, which come here by their ``like=`` alone."""

_FILLED_NEXT = frozenset(("empty_like", "full_like", "ones_like", "zeros_like"))
"""NumPy's functions whose results SciPy's compiled code writes to, where SciPy calls them."""

_WRITING = frozenset(("copyto", "place", "put", "put_along_axis", "putmask"))
"""NumPy's functions that write to their first argument."""

_HINTS = frozenset(("subok", "assume_unique", "kind", "optimize"))  # about how, not what
_SAME_ORDER = frozenset(("C", "K", "A"))  # which functions without an order make anyhow


def names() -> Iterator[str]:
    """NumPy's functions that devarray has, as ``"sum"`` or ``"linalg.inv"``."""
    for prefix, theirs in (("", np), ("linalg.", np.linalg), ("fft.", np.fft), ("lib.stride_tricks.", stride_tricks)):
        for name in dir(theirs):
            if hasattr(getattr(theirs, name), "_implementation") and _find(prefix + name):
                yield prefix + name


def array_function(
    func: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    like: object = None,
    types: Collection[type] = (),
) -> Any:
    """What ``Array.__array_function__`` does. `like` is the array that was asked, `types` are the operands' classes."""
    if len(types) > 1 and config.fallback == "allow" and any(map(has_own_functions, types)):
        return on_host(func)(*args, **kwargs)  # the result is of the operand's class
    if "scipy" in sys.modules and config.fallback != "raise" and _is_for_the_host(func):
        announce(f"numpy.{_name_of(func)} of a function of SciPy's", like)  # type: ignore[arg-type]
        return func(*map(to_host, args), **{key: to_host(value) for key, value in kwargs.items()})
    if not kwargs and callable(func) and type(args) is tuple:
        direct = _direct(func, len(args))
        if direct is not None:
            return direct(*args)
    name = _name_of(func)
    if name in _MADE_LIKE:
        return _make_like(like, name, args, kwargs)
    to_an_array_of_the_host = name in _WRITING and args and isinstance(args[0], np.ndarray)
    if to_an_array_of_the_host and (config.fallback == "allow" or _are_values((*args, *kwargs.values()))):
        return func(*map(to_host, args), **{key: to_host(x) for key, x in kwargs.items()})
    ours = _find(name)
    if ours is None and config.fallback == "allow":
        return on_host(func)(*args, **kwargs)
    if ours is None:
        raise DTypeError(
            f"numpy.{name} has no devarray function; copy the arrays to the host with copy_to_host() first"
        )
    if name in _SPELLED:
        return ours(*args, **kwargs)
    leading, named, out = _bind(func, name, ours, args, kwargs)
    result = ours(*leading, **named)
    return result if out is None else write_out(f"numpy.{name}", result, out)


def _are_values(given: tuple[Any, ...]) -> bool:
    """Whether the device arrays among arguments have no axes: one value each, which the host's arrays take."""
    return all(x.ndim == 0 for x in given if isinstance(x, Array))


def _is_for_the_host(func: Callable[..., Any]) -> bool:
    """Whether SciPy asks for what it hands to code of the host.

    Its optimisers do so with what functions of the caller's return, all of it with arrays that it makes like others.
    """
    frame = sys._getframe(3)
    if frame.f_code.co_name == "__array_function__":  # the first call of all has come through _hooks.py
        frame = cast(FrameType, frame.f_back)
    asker = frame.f_globals.get("__name__", "")
    if not asker.startswith("scipy."):
        return False
    return asker.startswith("scipy.optimize.") or (config.fallback == "allow" and _name_of(func) in _FILLED_NEXT)


def _make_like(like: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """An array where `like` is, by our function of NumPy's name."""
    place = {} if like is None else {"queue": like.queue, "allocator": like.allocator}
    given = {key: value for key, value in kwargs.items() if not (key == "subok" and not value)}
    with sys.modules["devarray"].use(**place):
        return getattr(sys.modules["devarray"], name)(*args, **given)


def _name_of(func: Callable[..., Any]) -> str:
    place, name = attributes_of("__array_function__", "func", func, "a function of NumPy's", "__module__", "__name__")
    module = (place or "numpy").removeprefix("numpy").removeprefix(".")
    if "scimath" in module:
        module = "emath"
    return f"{module}.{name}" if module else name


@cache
def _find(name: str) -> Callable[..., Any] | None:
    if name in _SPELLED:
        return getattr(import_module("devarray.interop.numpy_spellings"), name.replace(".", "_"))
    found: Any = sys.modules["devarray"]
    theirs: Any = np
    for part in name.split("."):
        found, theirs = getattr(found, part, None), getattr(theirs, part, None)
    return found if inspect.isroutine(found) and found is not theirs else None  # NumPy's own would ask us again


@cache
def _direct(func: Callable[..., Any], count: int) -> Callable[..., Any] | None:
    """Ours, where a call of so many arguments by position alone is handed on as it is."""
    name = _name_of(func)
    ours = None if name in _MADE_LIKE or name in _SPELLED or name in _WRITING else _find(name)
    if ours is None:
        return None
    mine = _signature(ours).parameters.values()
    theirs = list(_signature(func).parameters.values())
    if count > sum(p.kind is p.POSITIONAL_ONLY or _required(p) for p in mine) or count > len(theirs):
        return None
    by_place = all(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.name != "out" for p in theirs[:count])
    complete = not any(_required(p) for p in theirs[count:])
    return ours if by_place and complete else None


@cache
def _signature(func: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(func)


class _Given(NamedTuple):
    """A parameter of NumPy's function to which a call gives an argument."""

    name: str
    source: Any  # the argument's place or keyword; of what takes several a tuple of places, a dict of keywords
    parameter: inspect.Parameter
    leads: bool  # by position to ours


@lru_cache(maxsize=4096)
def _given(func: Callable[..., Any], ours: Callable[..., Any], count: int, keywords: tuple[str, ...]) -> list[_Given]:
    """What a call of so many arguments by position, and of those by name, gives."""
    theirs, mine = _signature(func).parameters, _signature(ours).parameters.values()
    bound = _signature(func).bind(*range(count), **{key: key for key in keywords}).arguments
    first = sum(p.kind is p.POSITIONAL_ONLY or _required(p) for p in mine)
    return [
        _Given(key, bound[key], parameter, place < first or parameter.kind is parameter.POSITIONAL_ONLY)
        for place, (key, parameter) in enumerate(theirs.items())
        if key in bound
    ]


def _bind(
    func: Callable[..., Any], name: str, ours: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[list[Any], dict[str, Any], Any]:
    """Arguments of ours by position, those by name, and NumPy's `out` where ours has none."""
    mine = _signature(ours).parameters
    leading: list[Any] = []
    named: dict[str, Any] = {}
    out = None
    for key, source, parameter, leads in _given(func, ours, len(args), tuple(kwargs)):
        if isinstance(source, tuple):
            leading += [args[place] for place in source]
            continue
        if isinstance(source, dict):
            named |= {keyword: kwargs[keyword] for keyword in source}
            continue
        value = kwargs[source] if isinstance(source, str) else args[source]
        if key == "out" and "out" not in mine:
            out = value
        elif leads:
            leading.append(value)
        elif not _left_out(value, parameter) and not (key in _HINTS and key not in mine):
            named[key] = value
    if "order" in named and "order" not in mine and named["order"] in _SAME_ORDER:
        del named["order"]
    if not mine.keys() >= named.keys() and not any(p.kind is p.VAR_KEYWORD for p in mine.values()):
        unknown = next(key for key in named if key not in mine)
        raise DTypeError(f"numpy.{name} on device arrays got an unexpected keyword argument {unknown!r}")
    return leading, named, out


def _required(parameter: inspect.Parameter) -> bool:
    return parameter.kind is parameter.POSITIONAL_OR_KEYWORD and parameter.default is parameter.empty


def _left_out(value: object, parameter: inspect.Parameter) -> bool:
    """Whether a value says no more than NumPy's default."""
    if value is np._NoValue or value is parameter.default:
        return True
    plain = isinstance(value, bool | int | float | str) and type(value) is type(parameter.default)
    return plain and bool(value == parameter.default)
