"""Arrays made of what is none yet: :func:`asarray`, :func:`array`, and what operators and assignments are given."""

from __future__ import annotations

import array as arrays_of_python
import functools
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from devarray import _core
from devarray._array.numbers import numbers_in
from devarray._array.order import axes_as_they_lie, laid_out, lies, order_of
from devarray._array.protocols import has_own_operators, overrides
from devarray._array.ufunc_call import is_masked
from devarray._primitives.cuda_interface import from_cuda_array_interface
from devarray._primitives.host import announce
from devarray._primitives.host_arrays import DEEPEST, HostArray, arrays_in, hosted, to_host
from devarray._primitives.join import stack
from devarray._primitives.opaque import OpaqueArray, of_records
from devarray._primitives.opaque_dtypes import PLAIN, is_number
from devarray._runtime.config import config
from devarray._runtime.devices import Device, Queue, resolve_place
from devarray.array import Array
from devarray.errors import DTypeError, ValueError
from devarray.ops.dtypes import DTYPES, on_no_device

__all__ = [
    "DEEPEST",
    "array",
    "as_operand",
    "as_value",
    "asarray",
    "asarray_or_texts",
    "default_float",
    "has_own_functions",
    "holds_arrays",
    "listed",
    "move_operand",
    "of_other_class",
    "place_like",
]

_Device = Device | str | None
_PLAIN = (list, tuple, range, str, bytes, bytearray, memoryview, np.ndarray, np.generic, int, float, complex)
"""What is no such sequence: nearly all that arrays are made of."""
_SUPPORTED = {np.dtype(name) for name in DTYPES}


@_core.QuickFunction
def asarray(
    a: Any,
    dtype: Any = None,
    order: str | None = None,
    *,
    device: _Device = None,
    copy: bool | None = None,
    like: Any = None,
    allocator: Any = None,
    queue: Queue | None = None,
) -> Array:
    """An array with the values of an object.

    Parameters
    ----------
    a : Array, array_like, or scalar
        An Array that needs no change is returned as it is, unless `copy` is true. What has
        ``__cuda_array_interface__`` counts as an Array on the same memory. Host data is copied to the device.
    dtype : dtype, optional
        Of the result; by default that of the values. Python floats are float64, or float32 on devices without it.
    order : {"K", "A", "C", "F"}, optional
        Memory order: as `a` lies ("K", the default), Fortran's where `a` has only that ("A"), C, or Fortran's.
    device : Device or str, optional
        Where the result is; by default where `a` is, or the current device for host data.
    copy : bool, optional
        True: always copy. False: raise ValueError where a copy is needed. None: copy where it is needed.
    like : Array, optional
        Where host data goes, unless `device`, `allocator` or `queue` is given. A host array asks for nothing.
    allocator : memory resource, optional
        Where the memory comes from. An Array with another allocator is copied.
    queue : Queue, optional
        Orders the work on the array. An Array of another queue is copied.

    Returns
    -------
    Array
        `a` itself where nothing has to change, else a new array. Of texts and objects NumPy's array, as :func:`array`
        gives it.

    Raises
    ------
    ValueError
        Where `copy` is False and a copy is needed; for another `order`; for lists nested more than 64 deep.
    DTypeError
        For data of a dtype that no device computes with, such as texts where a place is asked for.

    Examples
    --------
    >>> import devarray as da
    >>> da.asarray([1, 2, 3]).copy_to_host()
    array([1, 2, 3])
    """
    asked = dtype is not None or order is not None or device is not None or copy is not None
    if type(a) is Array and not (asked or allocator is not None or queue is not None) and not _core.is_value(a):
        return a
    letter: Any = "K" if order is None else order_of(order, name="asarray")
    if isinstance(a, OpaqueArray):
        return _of_records(a, dtype, copy)
    foreign = None if isinstance(a, Array) else from_cuda_array_interface(a)
    if isinstance(a, Array) or foreign is not None:
        return _from_array(a if foreign is None else foreign, dtype, letter, device, copy, allocator, queue)
    if copy is False:
        raise ValueError(
            f"asarray: Unable to avoid copy while creating an array as requested: {type(a).__name__} is host data and "
            "needs a copy to reach the device; copy=False was given"
        )
    if dtype is not None and isinstance(a, list | tuple) and np.dtype(dtype).kind in "OSTUV":
        a = _values_read(a)
        if any(True for _ in arrays_in(a)):
            raise _on_no_device(np.dtype(dtype))
    a = listed(a)
    if holds_arrays(a, 1):
        made = _stacked(a, dtype, device)
        return made if lies(made, letter) else laid_out(made, letter)
    if not isinstance(a, np.ndarray | np.generic) and hasattr(type(a), "__array__"):
        a = own_array(a)
        if isinstance(a, Array | OpaqueArray):  # of a program's own class, which knows of no other arrays
            return asarray(a, dtype, order, device=device, copy=copy, allocator=allocator, queue=queue)
    host = np.asarray(a, dtype=None if dtype is None else np.dtype(dtype), order=letter)
    if not host.dtype.isnative and host.dtype.kind != "V":
        host = host.astype(host.dtype.newbyteorder("="))
    if host.dtype.kind in "VmM":
        where = place_like(like, device, allocator, queue)
        if (records := of_records(host.shape, host.dtype, where)) is not None:
            records.copy_to_device(host)
            return records
    if host.dtype not in _SUPPORTED:
        raise _on_no_device(host.dtype)
    place = place_like(like, device, allocator, queue)
    if dtype is None and host.dtype == np.float64 and not isinstance(a, np.ndarray | np.generic):
        host = host.astype(default_float(*place), copy=False)
    if host.flags.c_contiguous:
        return _copied(host, place)
    if letter == "A" and copy:
        letter = "F" if host.flags.fnc else "C"
    axes = axes_as_they_lie(host.strides) if letter in "AK" else list(range(host.ndim))[:: -1 if letter == "F" else 1]
    rows = host.transpose(axes)
    fresh = _copied(rows, place)
    return fresh if axes == sorted(axes) else _core.as_owner(_core.permute(fresh, np.argsort(axes).tolist()))


def _copied(rows: np.ndarray, place: tuple[Queue | None, Any]) -> Array:
    fresh = _core.empty(rows.shape, rows.dtype, *place)
    if rows.size:
        _core.copy_from_host(fresh, rows)
    return fresh


def _on_no_device(dtype: np.dtype) -> DTypeError:
    return DTypeError(
        f"asarray: data of dtype {dtype} cannot live on a device; convert it to one of {', '.join(DTYPES)}"
    )


def _of_records(a: OpaqueArray, dtype: Any, copy: bool | None) -> Any:
    if dtype is not None and np.dtype(dtype) != a.dtype:
        return a.astype(dtype)
    return a.copy() if copy else a


def place_like(
    like: object, device: _Device, allocator: object, queue: Queue | None, name: str = "like"
) -> tuple[Queue | None, Any]:
    """:func:`resolve_place`, but the place of an Array `like` where no other is given."""
    if like is None:
        return resolve_place(device, allocator, queue)
    if not hasattr(like, "__array_function__"):
        raise DTypeError(
            f"The `{name}` argument must be an array-like that implements the `__array_function__` protocol (NEP 35), "
            f"not {type(like).__name__}"
        )
    if isinstance(like, Array) and device is None and allocator is None and queue is None:
        return like.queue, like.allocator
    return resolve_place(device, allocator, queue)


def listed(obj: Any) -> Any:
    """A sequence of another class that has arrays of ours in it, such as a deque, as a list; all else as it is."""
    if isinstance(obj, _PLAIN) or not isinstance(obj, Sequence) or hasattr(type(obj), "__array__"):
        return obj
    items = list(obj)
    return items if any(isinstance(item, Array | OpaqueArray) for item in items) else obj


def holds_arrays(obj: object, depth: int = 1) -> bool:
    """Whether a list or tuple, or one at the beginning of it, has an array of ours in it."""
    while isinstance(obj, list | tuple) and obj and depth <= DEEPEST:
        if any(isinstance(item, Array | OpaqueArray) for item in obj):
            return True
        obj, depth = obj[0], depth + 1
    return False


def _values_read(x: Any, whole: str | None = None) -> Any:
    """A list whose arrays are values with what the host reads of them, as ``float()`` does; others as they are.

    Those that are no values are read where `whole` says what for, of which a warning tells.
    """
    if not isinstance(x, list | tuple):
        return x
    moved = next(arrays_in(x, single=False), None)
    if moved is not None:
        if whole is None:
            return x
        announce(whole, moved, stacklevel=5)
    return to_host(x)


def _stacked(rows: Sequence[Any], dtype: object, device: _Device, depth: int = 1) -> Array:
    """An array of lists in which arrays stand."""
    if depth > DEEPEST:
        raise ValueError(f"asarray: lists are nested more than {DEEPEST} deep; an array has fewer dimensions")
    made = [
        _stacked(row, dtype, device, depth + 1)
        if holds_arrays(row, depth)
        else asarray(row, dtype=dtype, device=device)
        for row in rows
    ]
    return asarray(stack(made), dtype=dtype)


def _from_array(
    x: Array, dtype: Any, order: str, device: _Device, copy: bool | None, allocator: object, queue: Queue | None
) -> Array:
    if device is not None or allocator is not None or queue is not None:
        where = resolve_place(device, allocator, queue)
        moved = any(
            given is not None and given is not own for given, own in zip(where, (x.queue, x.allocator), strict=True)
        )
        if moved:
            if copy is False:
                raise ValueError(
                    "asarray: Unable to avoid copy while creating an array as requested: moving an array needs a "
                    "copy; copy=False was given"
                )
            fresh = _core.empty(x.shape, x.dtype, *where)
            fresh.copy_to_device(x)
            return fresh if dtype is None and order == "K" else fresh.astype(dtype or x.dtype, order, copy=False)
    if copy is not False and _core.is_value(x):
        x, copy = x[...], None  # an array of a value may be written
    target = x.dtype if dtype is None else np.dtype(dtype).newbyteorder("=")
    if target != x.dtype and copy is False:
        raise ValueError(
            f"asarray: Unable to avoid copy while creating an array as requested: a cast from {x.dtype} to {target} "
            "needs a copy; copy=False was given"
        )
    if copy is False and not lies(x, order):
        raise ValueError(
            f"asarray: Unable to avoid copy while creating an array as requested: the memory order {order!r} needs a "
            "copy; copy=False was given"
        )
    if not copy and order == "A":  # which any order is to what need not be copied
        order = "K"
    return x.astype(target, order, copy=bool(copy))


@_core.QuickFunction
def array(
    object: object,
    dtype: object = None,
    *,
    copy: bool | None = True,
    order: str | None = "K",
    subok: bool = False,
    ndmin: int = 0,
    ndmax: int = 0,
    like: object = None,
    device: _Device = None,
    allocator: object = None,
    queue: Queue | None = None,
) -> Array:
    """An array with the values of an object: :func:`asarray` that copies by default, as NumPy's does.

    Parameters
    ----------
    object : Array, array_like or scalar
        The values.
    dtype : dtype, optional
        Of the result; by default that of the values.
    copy : bool, optional
        None: only where it is needed. False: raise ValueError where it is needed.
    order : {"K", "A", "C", "F"}
        Memory order, as in :func:`asarray`.
    subok : bool
        NumPy's, not used: arrays have no subclasses to pass on.
    ndmin : int
        Least number of axes of the result; axes of size 1 are put in front. 0 by default.
    ndmax : int
        NumPy's depth at which lists become objects: an array of more axes is an error. 0, the default, sets no limit.
    like : Array, optional
        Where host data goes, unless `device`, `allocator` or `queue` is given. A host array asks for nothing.
    device : Device or str, optional
        Where the result is; by default where `object` is, or the current device for host data.
    allocator : memory resource, optional
        Where the memory comes from, and that of results that have the array as operand; by default the device's current
        one.
    queue : Queue, optional
        Orders the work on the array; by default the device's default queue.

    Returns
    -------
    Array
        A new array, or with another `copy` possibly `object` itself. Of texts and objects, which no device holds,
        NumPy's array, unless a place was asked for.

    Raises
    ------
    ValueError
        Where `copy` is False and a copy is needed, for another `order`, and for more axes than `ndmax`.
    DTypeError
        For data of a dtype that no device computes with.

    Examples
    --------
    >>> import devarray as da
    >>> x = da.zeros(2)
    >>> y = da.array(x, ndmin=2)
    >>> y[0, 0] = 1
    >>> x.copy_to_host()
    array([0., 0.])
    """
    if subok and is_masked(object):
        made: Any = functools.partial(np.array, object, dtype)
        return hosted(made(copy=copy, order=order, subok=True, ndmin=ndmin))
    elsewhere = device is not None or allocator is not None or queue is not None
    common = copy is True and order == "K" and dtype is None and not ndmax and not elsewhere
    if common and type(object) is Array and ndmin <= object.ndim and not _core.is_value(object):
        return object.copy("K")
    try:
        x = asarray(object, dtype, order, device=device, copy=copy, like=like, allocator=allocator, queue=queue)
    except DTypeError:
        if elsewhere or like is not None or (texts := _texts(object, dtype, copy, order, ndmin)) is None:
            raise
        return texts
    if ndmax and x.ndim > ndmax:
        raise ValueError(f"array: {x.ndim} axes are more than ndmax={ndmax}; devices hold no objects")
    return x if x.ndim >= ndmin else x.reshape((1,) * (ndmin - x.ndim) + x.shape)


def _texts(x: Any, dtype: Any, copy: bool | None, order: Any, ndmin: int = 0) -> Any:
    """NumPy's array of texts or objects; of what a device holds None."""
    of_host = dtype is not None and np.dtype(dtype).kind in "OSTU"
    x = _values_read(x, f"an array of dtype {np.dtype(dtype).name}" if of_host else None)
    if isinstance(x, Array | OpaqueArray) or holds_arrays(x, 1):
        return None
    made: Any = np.array(x, dtype, copy=copy, order=order, ndmin=ndmin, subok=type(x) is HostArray)
    return hosted(made) if made.dtype.kind in "OSUT" else None


@functools.wraps(asarray)
def _asarray_or_texts(a: Any, dtype: Any = None, order: str | None = None, **how: Any) -> Any:
    try:
        return asarray(a, dtype, order, **how)
    except DTypeError:
        placed = any(value is not None for key, value in how.items() if key != "copy")
        if placed or (texts := _texts(a, dtype, how.get("copy"), order or "K")) is None:
            raise
        return texts


asarray_or_texts = asarray if TYPE_CHECKING else _core.QuickFunction(_asarray_or_texts)
"""The public :func:`asarray`, which gives arrays of texts and objects as :func:`array` does."""


def as_value(obj: object, like: Array) -> Array:
    """A host object as an array where `like` lives, for `x[key] = obj`. Python's numbers in it must fit the dtype."""
    if isinstance(obj, list | tuple | range) and not holds_arrays(obj, 1):
        obj = numbers_in(obj, like.dtype)
    try:
        made: Any = asarray(obj, queue=like.queue, allocator=like.allocator)
    except DTypeError:  # text, objects, long doubles: NumPy makes numbers of them, or says what it cannot read
        host = np.asarray(obj)
        if not on_no_device(host.dtype):
            raise
        made = asarray(host.astype(like.dtype), queue=like.queue, allocator=like.allocator)
    if isinstance(made, OpaqueArray) and made.dtype in PLAIN:
        return made._numbers()
    if isinstance(made, OpaqueArray) and made.dtype.name != "bfloat16":
        raise DTypeError(f"an array of {like.dtype} takes no values of {made.dtype}; convert them with astype()")
    return made if isinstance(made, Array) else made._numbers()


def _has_own_functions(kind: Any) -> bool:
    if kind is np.ndarray or issubclass(kind, (Array, OpaqueArray, np.generic, np.memmap, HostArray)):
        return False
    return issubclass(kind, np.ndarray) or hasattr(kind, "__array_ufunc__") or hasattr(kind, "__array_function__")


has_own_functions: Callable[[Any], bool] = lru_cache(maxsize=1024)(_has_own_functions)
"""Whether a class of arrays has a say in what NumPy's functions give: masked arrays, matrices, pandas' columns."""


_NO_OPERANDS = (str, bytes, dict, set, frozenset, type(None), type(...), type)
"""Classes that NumPy makes arrays of objects or texts of."""

_SEQUENCES = (list, tuple, range, bytearray, memoryview, arrays_of_python.array)


def as_operand(obj: object, like: Array) -> Any:
    """What an operator takes for an object beside an array: arrays of sequences, scalars of 0-d NumPy arrays."""
    if isinstance(obj, _SEQUENCES):
        return asarray(obj, queue=like.queue, allocator=like.allocator)
    if isinstance(obj, OpaqueArray) and obj.dtype.kind not in "mM":
        small = obj.dtype not in PLAIN and like.dtype.kind in "biu"  # its own operator rounds the result
        return obj._numbers() if is_number(obj.dtype) and not small else NotImplemented
    if getattr(getattr(obj, "dtype", None), "kind", "") in ("m", "M"):
        return NotImplemented
    if isinstance(obj, np.poly1d):
        return asarray(obj.coeffs, queue=like.queue, allocator=like.allocator)
    if hasattr(obj, "mask"):  # a masked array would lose its mask
        return NotImplemented
    if not isinstance(obj, np.ndarray):
        return NotImplemented if has_own_operators(obj) else of_other_class(obj, like)
    if overrides(type(obj), "__array_ufunc__"):  # its unit, or what else it holds, would be lost
        return NotImplemented
    if config.fallback == "allow" and (on_no_device(obj.dtype) or has_own_functions(type(obj))):
        return NotImplemented  # NumPy computes with these
    if obj.ndim == 0 and obj.dtype in _SUPPORTED:
        return obj[()]
    return move_operand(obj, like)


def of_other_class(obj: Any, like: Array) -> Any:
    """What NumPy makes of an object that is no array, where `like` lives; NotImplemented where no device holds it."""
    if isinstance(obj, _NO_OPERANDS):
        return NotImplemented
    made = own_array(obj) if hasattr(type(obj), "__array__") else np.asarray(obj)
    if isinstance(made, Array | OpaqueArray):
        return made if isinstance(made, Array) else as_operand(made, like)
    if made.dtype not in _SUPPORTED:
        return NotImplemented
    return move_operand(made, like) if made.ndim else made[()]


def own_array(obj: Any) -> Any:
    """What an object's ``__array__`` gives; of a class under ``devarray run`` an array of the device, too."""
    method = type(obj).__array__
    return getattr(method, "on_device", method)(obj)


def move_operand(obj: object, like: Array) -> Array:
    """What is no array yet where `like` lives; a NumPy array only as ``config.host_operands`` says."""
    if isinstance(obj, np.ndarray) and obj.ndim:
        _note_move(obj)
        if type(obj) is np.ndarray and obj.flags.c_contiguous and obj.dtype in _SUPPORTED:
            return _copied(obj, (like.queue, like.allocator))
    return asarray(obj, queue=like.queue, allocator=like.allocator)


def _note_move(host: np.ndarray) -> None:
    if config.host_operands == "raise":
        raise DTypeError(
            f"a NumPy array of shape {host.shape} stands beside a device array, and devarray.config.host_operands is "
            "'raise'; move it with devarray.asarray() first"
        )
    _core.count_moved_operand(host.nbytes)
    if config.debug:
        from devarray._runtime.logs import log  # slow to import, and rarely needed

        log(1, f"a NumPy array of shape {host.shape} and dtype {host.dtype} moves to the device of an operand")


def default_float(queue: Queue | None = None, allocator: Any = None) -> Any:
    """float64, or float32 on a device without it."""
    return np.float64 if _core.device_of(queue, allocator).fp64 else np.float32
