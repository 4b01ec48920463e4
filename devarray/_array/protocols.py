"""The protocols by which other libraries take an array: NumPy's, the Array API standard's, DLPack and CUDA's.

What they do needs all of devarray, which lies above: :data:`PROTOCOLS` holds it by the method's name.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from types import FrameType, ModuleType
from typing import Any

import numpy as np

from devarray import _core
from devarray._runtime.config import config
from devarray.errors import BufferError, DTypeError, ValueError

__all__ = ["PLAIN_CALLS", "PROTOCOLS", "ProtocolMethods", "has_own_operators", "strided_on_host"]

_SHOWN = 100  # values that a notebook shows

_SPREAD = 8  # times its own bytes that an array's copy may take on the host

_DRAWING = frozenset({"matplotlib", "mpl_toolkits"})
"""Packages that show values, as printing does."""

PROTOCOLS: dict[str, Callable[..., Any]] = {}
"""What the methods call, by their names; devarray/_hooks.py fills it."""

PLAIN_CALLS: dict[np.ufunc, int] = {}
"""The operations that NumPy's ufuncs of one or two operands record, where they are called with the operands and `out`
alone: such calls are C's, without a frame of Python."""

_DType = Any


def _quick_ufunc(function: Callable[..., Any]) -> Callable[..., Any]:
    return _core.QuickFunction(function, PLAIN_CALLS)


def _overrides(kind: Any, protocol: str) -> bool:
    return issubclass(kind, np.ndarray) and getattr(kind, protocol) is not getattr(np.ndarray, protocol)


overrides: Callable[[Any, str], bool] = lru_cache(maxsize=1024)(_overrides)
"""Whether a class of NumPy's arrays answers a protocol in a way of its own, as arrays that have units do."""


def has_own_operators(obj: object) -> bool:
    """Whether NumPy's arrays on the left leave operators to an object, or to its ``__array_ufunc__``."""
    if hasattr(type(obj), "__array_ufunc__"):
        return True
    if not hasattr(type(obj), "__array_priority__"):  # getattr() of a wrapper may lead to an array of ours
        return getattr(obj, "__dict__", {}).get("__array_priority__", 0) > 0
    return getattr(obj, "__array_priority__", 0) > 0


def _is_known(kind: type) -> bool:
    """Whether NumPy's functions are ours for a class of arrays beside a device array."""
    return issubclass(kind, _core.ArrayBase | np.ndarray) and not overrides(kind, "__array_function__")


_WRITABLE = 0x1  # of the buffer protocol's flags
_INDIRECT = 0x118


def _is_for_a_view(frame: FrameType) -> bool:
    """Whether Python code asks for the buffer by name; NumPy asks from C, in a frame that need not say so."""
    return not {"memoryview", "bytearray"}.isdisjoint(frame.f_code.co_names)


def _is_drawn() -> bool:
    """Whether it is Matplotlib that asks for values, by itself or through functions of NumPy's."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        package = frame.f_globals.get("__name__", "").partition(".")[0]
        if package != "numpy":
            return package in _DRAWING
        frame = frame.f_back
    return False


def _is_strided_anew() -> bool:
    """Whether NumPy's as_strided() asks, whose strides may lead out of a view, into the array that it is of."""
    frame = sys._getframe(2)
    return frame.f_code.co_name == "as_strided" and frame.f_globals.get("__name__", "").startswith("numpy.lib")


_OUTPUTS = frozenset(["out", "output"])
"""Names of SciPy's for arrays that a function is given to write to."""


def _is_output(x: Any) -> bool:
    """Whether a function of SciPy's asks for the memory that its compiled code writes to, and lets go of.

    That is its output, or a view of that, and none of its other arguments.
    """
    frame = sys._getframe(2)
    code = frame.f_code
    if not frame.f_globals.get("__name__", "").startswith("scipy.") or _OUTPUTS.isdisjoint(code.co_varnames):
        return False  # before f_locals, which makes a dict of the caller's names and keeps it
    values = frame.f_locals
    arguments = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    if any(values.get(name) is x for name in arguments if name not in _OUTPUTS):
        return False
    given = (values.get(name) for name in _OUTPUTS)
    return any(isinstance(y, _core.ArrayBase) and (y is x or _core.shares_memory(y, x)) for y in given)


def _as_output(x: Any) -> np.ndarray:
    """The array's own memory, where the host sees it while nothing runs on the device."""
    memory = _core.host_array(x, True)
    if memory is None and x.size:
        raise DTypeError(
            "the output that SciPy is given would be a copy of the device array on the host; leave out= or output= out "
            "and use the result, or give an array of NumPy's"
        )
    return x.copy_to_host() if memory is None else memory


def _with_its_base(x: Any) -> np.ndarray:
    """The values on the host, at their place in a copy of all of what x is a view of."""
    base = _core.base_of(x)
    if base is None or not base.flags.c_contiguous or not x.size:
        return strided_on_host(x)
    at = _core.byte_offset(x) - _core.byte_offset(base)
    return np.ndarray(x.shape, x.dtype, base.copy_to_host(), at, x.strides)


def strided_on_host(x: Any) -> np.ndarray:
    """The values on the host, at the array's own strides: as_strided() of NumPy takes those for the copy's.

    Elements that lie far apart, or are one and the same, come in C order.
    """
    ends = [(n - 1) * stride for n, stride in zip(x.shape, x.strides, strict=True)]
    repeats = any(n > 1 and stride == 0 for n, stride in zip(x.shape, x.strides, strict=True))
    low = sum(min(end, 0) for end in ends)
    extent = sum(max(end, 0) for end in ends) - low + x.itemsize
    if not x.ndim or x.flags.c_contiguous or not x.size or repeats or extent > _SPREAD * x.nbytes:
        return x.copy_to_host()
    return x.copy_to_host(np.ndarray(x.shape, x.dtype, np.zeros(extent, np.uint8), -low, x.strides))


class ProtocolMethods(_core.ArrayBase):
    """``__array__``, ``__array_ufunc__``, ``__array_function__``, ``__array_namespace__``, DLPack, and CUDA's."""

    __slots__ = ()
    __array_priority__ = 1000.0

    def __array__(self: Any, /, dtype: _DType = None, copy: bool | None = None) -> np.ndarray:
        """The values on the host: of an array without axes, as ``float()`` has it, else as ``config.fallback`` says.

        What draws gets them, as printing does.
        """
        if self.ndim and config.fallback != "allow" and not _is_drawn():
            raise DTypeError(
                "a device array does not turn into a NumPy array by itself, because that would hide a transfer and a "
                "wait; call x.copy_to_host(), or allow it with devarray.config.fallback = 'allow'"
            )
        if copy is False:
            raise ValueError("a NumPy array of a device array's values is a copy; copy=False was given")
        if self.ndim and _is_output(self):
            return _as_output(self)
        host = _with_its_base(self) if _is_strided_anew() else strided_on_host(self)
        return host.astype(self.dtype if dtype is None else dtype, copy=False)

    def __array_wrap__(self: Any, /, array: Any, context: object = None, return_scalar: bool = False) -> Any:
        """What a function made of this array's values, as an array of the device: NumPy's arrays move to this one's."""
        made = array if isinstance(array, _core.ArrayBase) else PROTOCOLS["asarray_like"](array, self)
        return _core.as_value(made) if return_scalar and not made.ndim else made

    def _sympy_(self: Any) -> Any:
        """SymPy's object of the same value; refused where SymPy wants a number and this has axes, as NumPy's are."""
        sympy = import_module("sympy")
        if self.ndim and sys._getframe(1).f_locals.get("strict", True):
            raise sympy.SympifyError(self)
        return sympy.Array(self.tolist()) if self.ndim else sympy.sympify(self.item())

    def _mpmath_(self: Any, precision: int, rounding: str) -> Any:
        """The number that mpmath converts."""
        return self.item()

    def _host_bytes(self: Any, flags: int) -> np.ndarray:
        """What the buffer protocol gives: a copy on the host that is only read, as ``config.fallback`` says.

        Refused is what looks at the memory itself: NumPy by ``memoryview``, which would take that for the array before
        it asks ``__array__``, and never see what the device writes later. Python code that says ``memoryview`` or
        ``bytearray`` gets the copy.
        """
        views = flags & _INDIRECT == _INDIRECT and (config.fallback != "allow" or not _is_for_a_view(sys._getframe(1)))
        if views or flags & _WRITABLE:
            raise BufferError(
                "a device array hands out no memory by the buffer protocol, because the host would not wait for what "
                "the device writes to it; use x.as_host_view() where the host sees the memory, else x.copy_to_host()"
            )
        if config.fallback != "allow":
            raise BufferError(
                "a device array does not hand its bytes to host code by itself, because that would hide a transfer and "
                "a wait; give x.tobytes() or x.copy_to_host(), or allow it with devarray.config.fallback = 'allow'"
            )
        host = np.array(self.copy_to_host(), order="C", copy=None)
        host.flags.writeable = False
        return host

    def __array_namespace__(self, /, *, api_version: str | None = None) -> ModuleType:
        """The namespace of the Array API standard that goes with the array: ``devarray`` itself.

        Parameters
        ----------
        api_version : str, optional
            A version of the standard, such as ``"2025.12"``.

        Raises
        ------
        ValueError
            Where devarray does not follow that version.
        """
        return PROTOCOLS["__array_namespace__"](api_version)

    @_core.QuickFunction
    def __dlpack__(
        self,
        /,
        *,
        stream: object = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """A DLPack capsule of the array, for ``from_dlpack`` of another library. See devarray/interop/dlpack.py.

        Parameters
        ----------
        stream : int, optional
            On CUDA the consumer's stream: None or 1 is the legacy default stream, 2 that of each thread, a greater
            number a stream's address, -1 asks for no order. Elsewhere None; the call then waits for the data.
        max_version : (major, minor), optional
            None or a major version below 1 gives a capsule of the old layout.
        dl_device : (type, id), optional
            Where the consumer wants the data; ``(1, 0)`` is the host.
        copy : bool, optional
            True: always copy. False: raise BufferError where a copy is needed. None: where it is needed.

        Raises
        ------
        BufferError
        """
        return PROTOCOLS["__dlpack__"](self, stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)

    @_core.QuickFunction
    def __dlpack_device__(self, /) -> tuple[int, int]:
        """DLPack's (device type, device id) of the array's memory."""
        return PROTOCOLS["__dlpack_device__"](self)

    __dlpack_c_exchange_api__ = _core.dlpack_exchange_api

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """Version 3 of the CUDA array interface; AttributeError on other devices. The reader waits for ``stream``."""
        return PROTOCOLS["__cuda_array_interface__"](self)

    @_quick_ufunc
    def __array_ufunc__(self, /, ufunc: np.ufunc, method: str, *inputs: object, **kwargs: object) -> Any:
        """NumPy's ufuncs on device arrays: the operation of that name, never a copy to the host.

        Arrays of other libraries beside them, as Dask's, which hold device arrays, have their say.
        """
        return PROTOCOLS["__array_ufunc__"](ufunc, method, inputs, kwargs)

    def __array_function__(self, /, func: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:
        """NumPy's functions on device arrays: ours of that name, never a copy to the host.

        Arrays of other libraries beside them, as Dask's, which hold device arrays, have their say.
        """
        if len(types) > 1 and not all(map(_is_known, types)):
            return NotImplemented
        return PROTOCOLS["__array_function__"](func, args, kwargs, self, types)

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        """What Dask names the array by: a hash of its values, of which 16 bytes come to the host. Waits."""
        return PROTOCOLS["__dask_tokenize__"](self)

    def explain(self) -> Any:
        """What evaluating the array will do: its kernels and why the graph is cut into them. Evaluates nothing.

        Returns
        -------
        Explanation
            As :func:`devarray.explain` gives it.

        Examples
        --------
        >>> import devarray as da
        >>> x = da.ones(1000) * 2 + 1
        >>> x.explain().launches, x.pending
        (1, True)
        """
        return PROTOCOLS["explain"](self)

    def _repr_html_(self: Any) -> str:
        """What a notebook shows: facts that neither wait nor evaluate, and the values where they are at hand.

        At hand are at most 100 values of an array that is evaluated, on a queue that has nothing left to do.
        """
        from html import escape

        facts = {
            "shape": self.shape,
            "dtype": self.dtype,
            "bytes": f"{self.nbytes:,}",
            "device": self.device,
            "memory": self.allocator.kind,
            "state": "pending: x.explain() shows what will run" if self.pending else "in memory",
        }
        rows = "".join(f"<tr><th>{name}</th><td>{escape(str(fact))}</td></tr>" for name, fact in facts.items())
        at_hand = not self.pending and self.size <= _SHOWN and self.queue.idle and not config.forbid_waits
        values = f"<pre>{escape(str(self))}</pre>" if at_hand else ""
        return f"<table>{rows}</table>{values}"
