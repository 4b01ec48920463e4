"""The Array: NumPy's attributes, operators, indexing and methods over device memory."""

from __future__ import annotations

import math
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

from devarray import _core
from devarray._array.attributes import AttributeMethods
from devarray._array.memory import MemoryMethods, is_memory, over_memory
from devarray._array.methods import FUNCTIONS, RoutineMethods
from devarray._array.moments import MomentMethods
from devarray._array.numpy_forms import NumPyFormMethods
from devarray._array.operations import OP, normalize_axes, normalize_axis, reduced_axes
from devarray._array.order import made_in_order, stored_on_host
from devarray._array.out import write_out
from devarray._array.protocols import PROTOCOLS, ProtocolMethods, has_own_operators
from devarray._array.reductions import ReductionMethods, reduce
from devarray._array.shape import ShapeMethods
from devarray._array.sorting import SortingMethods
from devarray._array.transfers import TransferMethods
from devarray._array.values import ValueMethods
from devarray._runtime.config import config
from devarray._runtime.devices import Device, Queue, resolve_place
from devarray.errors import DTypeError

__all__ = ["OP", "Array", "normalize_axes", "normalize_axis", "reduce", "reduced_axes"]

_DType = Any
_COUNTED = (_core.ArrayBase, np.ndarray, np.generic)
"""Classes whose quotients and remainders are what `//` and `%` give."""


class Array(
    ShapeMethods,
    AttributeMethods,
    ValueMethods,
    ReductionMethods,
    MomentMethods,
    RoutineMethods,
    SortingMethods,
    TransferMethods,
    MemoryMethods,
    NumPyFormMethods,
    ProtocolMethods,
    _core.ArrayBase,
):
    """An array in the memory of a device.

    Arrays come from :func:`devarray.asarray`, :func:`devarray.to_device`, :func:`devarray.empty` and their like;
    ``Array(shape, dtype)`` is an uninitialised one, ``Array(memory, shape, dtype, strides, offset)`` lies in memory of
    the raw driver, which it keeps alive.

    They follow NumPy: strides and views, broadcasting, promotion (NEP 50), in-place operators and assignment through
    views. Element-wise operations are recorded and run as fused kernels when a value is needed.

    All arguments are :meth:`__new__`'s, as with NumPy's arrays: calling ``__init__`` on an array changes nothing.

    Parameters
    ----------
    shape : int or sequence of int
        Sizes of the axes; or memory of the raw driver: an allocation of its own, an object with ``get_pointer()``, or
        an address on CUDA with its `owner`.
    dtype : dtype
        float64 by default; the shape where memory is given.
    *memory_layout
        Dtype, strides and offset in bytes, where memory is given. Behind a shape and a dtype NumPy's ``buffer``,
        ``offset`` and ``strides``: an array of the host's memory, as ``multiprocessing.shared_memory`` has it, which
        stays there; what is written to it may be of the device. Strides without a buffer are of memory that is made.
    device : Device or str, optional
        Where an uninitialised array is made; by default the current device.
    allocator : memory resource, optional
        Where its memory comes from, and that of results that have the array as operand.
    queue : Queue, optional
        Orders the work on the array; by default the device's default queue.
    order : {"C", "F"}
        Which axis of an uninitialised array is dense in memory: the last one (the default), or the first one.
    **layout
        Where memory is given, the same by their names: ``strides`` and ``offset``, both in bytes, and ``owner``, which
        is kept alive as long as an array uses the memory at an address.

    Attributes
    ----------
    shape, strides : tuple of int
        Sizes, and bytes from element to element along each axis.
    dtype : numpy.dtype
        Of the elements.
    ndim, size, itemsize, nbytes : int
        Numbers of axes and of elements, and bytes of an element and of all of them.
    device : Device
        Where the array is.
    queue : Queue
        Orders the work on the array.
    allocator : memory resource
        Where results that have the array as operand live.
    pending : bool
        Whether the array is an expression that is not evaluated yet.

    Examples
    --------
    >>> import devarray as da
    >>> x = da.asarray([[1.0, 2.0], [3.0, 4.0]])
    >>> (x.T * 10 + 1).copy_to_host()
    array([[11., 31.],
           [21., 41.]])
    """

    __slots__ = ()

    def __new__(
        cls,
        shape: Any,
        dtype: _DType = np.float64,
        *memory_layout: Any,
        device: Device | str | None = None,
        allocator: Any = None,
        queue: Queue | None = None,
        order: str = "C",
        **layout: Any,
    ) -> Array:
        if is_memory(shape) or "owner" in layout:
            return over_memory(shape, dtype, *memory_layout, queue=queue, allocator=allocator, **layout)
        if memory_layout or layout:
            place = (device, allocator, queue)
            made: Array = PROTOCOLS["over_buffer"](place, shape, dtype, *memory_layout, order=order, **layout)
            return made
        return _core.empty(shape, dtype, *resolve_place(device, allocator, queue), order)

    # --- operators that are no operation of the core --------------------------------------------------------------

    def __divmod__(self, /, other: Any) -> Any:
        if has_own_operators(other) and not isinstance(other, _COUNTED):
            asked = getattr(other, "__array_ufunc__", None)
            return NotImplemented if asked is None else asked(np.divmod, "__call__", self, other)
        return self // other, self % other

    def __rdivmod__(self, /, other: Any) -> Any:
        asked = getattr(other, "__array_ufunc__", None)
        if asked is not None and not isinstance(other, _COUNTED):
            return asked(np.divmod, "__call__", other, self)
        return other // self, other % self

    def dot(self, /, b: Array, out: Array | None = None) -> Array:
        """Sums of products over the last axis and the last but one of `b`, as :func:`numpy.dot`.

        With a scalar the product.

        Parameters
        ----------
        b : Array or scalar
            The right operand.
        out : Array, optional
            Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).

        Returns
        -------
        Array
            A new array, or `out`.

        Raises
        ------
        ShapeError
            Where the shapes do not fit.

        Examples
        --------
        >>> import devarray as da
        >>> da.asarray([1, 2, 3]).dot(da.asarray([4, 5, 6])).item()
        32
        """
        scaled = self.ndim == 0 or isinstance(b, int | float | complex | np.generic) or getattr(b, "ndim", None) == 0
        if not scaled and (self.ndim > 2 or (b.ndim if hasattr(b, "ndim") else np.ndim(b)) > 2):
            of_many_axes: Array = FUNCTIONS["dot"](self, PROTOCOLS["asarray_like"](b, self), out)
            return of_many_axes  # where @ pairs the axes before the last two
        factor = np.asarray(b)[()] if isinstance(b, int | float | complex) else b  # NumPy's dot takes it for an array
        return write_out("dot", self * factor if scaled else self @ b, out)

    # --- evaluation and Python's protocols --------------------------------------------------------------------------

    def __iter__(self, /) -> Iterator[Array]:
        if self.ndim == 0:
            raise DTypeError("iteration over a 0-d array: it has no axis to go along")
        return (self[i] for i in range(len(self)))

    def __contains__(self, /, value: object) -> bool:
        found = self == value
        return bool(found.any() if isinstance(found, Array) else found)

    def __repr__(self, /) -> str:
        if config.repr == "numpy":
            host = self.copy_to_host()
            return repr(host[()] if _core.is_value(self) else host)
        text = np.array2string(self.copy_to_host(), separator=", ", prefix="Array(")
        if (self.size == 0 and self.shape != (0,)) or self.size > np.get_printoptions()["threshold"]:
            text += f", shape={self.shape}"
        return f"Array({text}, dtype={self.dtype}, device='{self.device.driver}:{self.device.index}')"

    def __str__(self, /) -> str:
        return str(self.copy_to_host())

    def __format__(self, /, spec: str) -> str:
        if self.ndim and spec:
            raise DTypeError(
                f"unsupported format string passed to {type(self).__name__}.__format__: an array of shape {self.shape} "
                f"takes no format such as {spec!r}, as NumPy's take none; str(x) does, and so do its elements"
            )
        return str(self) if self.ndim else format(self.item(), spec)

    def __round__(self, digits: int | None = None) -> Any:
        if self.ndim:
            raise DTypeError(f"round() takes arrays without axes; this one has shape {self.shape}: call x.round()")
        return round(self.item()) if digits is None else self.round(digits)

    def __trunc__(self) -> int:
        if self.ndim:
            raise DTypeError(f"math.trunc() takes arrays without axes; this one has shape {self.shape}: use da.trunc")
        return math.trunc(self.item())

    def __bytes__(self) -> bytes:
        integer = self.ndim == 0 and self.dtype.kind in "iu"
        return bytes(int(self)) if integer else self.tobytes()

    def __class_getitem__(cls, item: object) -> types.GenericAlias:
        return types.GenericAlias(cls, item)

    def __copy__(self, /) -> Array:
        return self.copy("K")

    def __deepcopy__(self, /, memo: dict[int, Any]) -> Array:
        return self.copy("K")

    def __reduce__(self, /) -> tuple[Any, ...]:
        return _unpickled_value if _core.is_value(self) else _unpickle, (stored_on_host(self),)


def _unpickle(host: np.ndarray) -> Array:
    host = np.asarray(host)  # a pickle may hold anything
    fresh = made_in_order(lambda shape: _core.empty(shape, host.dtype), host.shape, "K", host)
    _core.copy_from_host(fresh, host)
    return fresh


def _unpickled_value(host: np.ndarray) -> Array:
    return _core.as_value(_unpickle(host))
