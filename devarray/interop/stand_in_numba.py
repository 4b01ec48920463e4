"""numba, for a program that runs unmodified: its functions are compiled with NumPy, and called on the host.

They may write to their arguments. So by the strategy of CPUs they get the arrays' own memory, and elsewhere copies, of
which those that have changed are copied back.
"""

from __future__ import annotations

import builtins
import functools
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from devarray import _core
from devarray._primitives.host_calls import from_host, to_host
from devarray.array import Array
from devarray.interop.stand_in import StandIn
from devarray.interop.stand_in_types import ANY_ARRAY, StandsFor, is_instance, kinds

__all__ = ["StandInForNumba"]

_COMPILERS = frozenset(["generated_jit", "guvectorize", "jit", "njit", "stencil", "vectorize"])


class _Lent:
    """An array of the device as NumPy's, while a compiled function runs."""

    def __init__(self, array: Array) -> None:
        self.array, self.before = array, None
        writable = bool(array.flags.writeable)
        seen = None if array.dtype == np.bool_ else _core.host_array(array, writable)  # bools may be any byte there
        self.host: Any = array.copy_to_host() if seen is None else seen
        if seen is None and writable:
            self.before = self.host.copy()

    def is_of(self, result: Any) -> bool:
        """Whether a result is this very argument."""
        same = isinstance(result, np.ndarray) and result.dtype == self.host.dtype and result.shape == self.host.shape
        return same and result.ctypes.data == self.host.ctypes.data and result.strides == self.host.strides

    def give_back(self) -> None:
        """Write what has changed."""
        if self.before is not None and self.before.tobytes() != self.host.tobytes():
            self.array[...] = self.host


class _Compiled:
    """A function that numba has compiled, as the program calls it."""

    def __init__(self, dispatcher: Any) -> None:
        functools.update_wrapper(self, dispatcher, updated=())
        self._dispatcher = dispatcher

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        lent = {id(x): _Lent(x) for x in (*args, *kwargs.values()) if isinstance(x, Array) and not _core.is_value(x)}
        given = [lent[id(x)].host if id(x) in lent else _plain(x) for x in args]
        named = {key: lent[id(x)].host if id(x) in lent else _plain(x) for key, x in kwargs.items()}
        result = self._dispatcher(*given, **named)
        for loan in lent.values():
            loan.give_back()
        same = [loan.array for loan in lent.values() if loan.is_of(result)]
        return same[0] if same else from_host(result)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __getattr__(self, name: str) -> Any:
        if name == "_dispatcher":  # before pickle has set it
            raise AttributeError(name)
        return getattr(self._dispatcher, name)


class StandInForNumba(types.ModuleType):
    """numba with decorators for a program whose ``numpy`` is the stand-in.

    Parameters
    ----------
    origin : module
        numba.
    """

    def __init__(self, origin: types.ModuleType) -> None:
        super().__init__(origin.__name__, origin.__doc__)
        self._origin = origin

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._origin, name)
        return _compiler(found) if name in _COMPILERS else found


def _compiler(numbas: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(numbas)
    def compiler(*args: Any, **kwargs: Any) -> Any:
        if args and isinstance(args[0], types.FunctionType):
            return _Compiled(numbas(_with_numpy(args[0]), *args[1:], **kwargs))
        decorate = numbas(*args, **kwargs)
        return lambda function: _Compiled(decorate(_with_numpy(function)))

    return compiler


def _with_numpy(function: Any) -> Any:
    """The same function, whose names are NumPy's."""
    cells = tuple(types.CellType(_plain(cell.cell_contents)) for cell in function.__closure__ or ()) or None
    names = _Globals(function.__globals__)
    made = types.FunctionType(function.__code__, names, function.__name__, function.__defaults__, cells)
    made.__kwdefaults__ = function.__kwdefaults__
    return functools.update_wrapper(made, function, updated=())


class _Globals(dict):  # type: ignore[type-arg]
    """A module's names as they are when numba looks, each as it is with NumPy."""

    def __init__(self, names: dict[str, Any]) -> None:
        super().__init__()
        self._names = names

    def __contains__(self, name: object) -> bool:
        return name != "__builtins__" and name in self._names

    def __getitem__(self, name: str) -> Any:
        return builtins if name == "__builtins__" else _plain(self._names[name])

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if name in self or name == "__builtins__" else default

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def keys(self) -> Any:
        return self._names.keys()


def _plain(x: Any) -> Any:
    """What the program's object is with NumPy."""
    if isinstance(x, StandIn | StandInForNumba):
        return x._origin
    if isinstance(x, StandsFor):
        return x.stands_for
    if isinstance(x, _Compiled):
        return x._dispatcher
    if isinstance(x, Array) and _core.is_value(x):
        return x.copy_to_host()[()]
    if x is ANY_ARRAY:
        return np.ndarray
    if x is is_instance:
        return isinstance
    return type if x is kinds else to_host(x)
