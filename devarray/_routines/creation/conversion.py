"""NumPy's functions that make arrays of a given memory order, and arrays from host buffers and iterators."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from devarray import _core
from devarray._array.ufunc_call import is_masked
from devarray._primitives.convert import array, asarray, asarray_or_texts
from devarray._primitives.host_arrays import to_host
from devarray._primitives.opaque import OpaqueArray
from devarray._runtime.arguments import expect
from devarray._runtime.devices import Device, Queue
from devarray.array import OP, Array
from devarray.errors import ValueError

if TYPE_CHECKING:
    from devarray._typing import ArrayLike, DTypeLike

__all__ = [
    "asanyarray",
    "asarray_chkfinite",
    "ascontiguousarray",
    "asfortranarray",
    "frombuffer",
    "fromiter",
    "require",
]

_Device = Device | str | None


def asanyarray(
    a: ArrayLike,
    dtype: DTypeLike | None = None,
    order: str | None = None,
    *,
    device: _Device = None,
    copy: bool | None = None,
    like: object = None,
    allocator: object = None,
    queue: Queue | None = None,
) -> Array:
    """:func:`asarray`. There are no subclasses to keep.

    Parameters
    ----------
    a : array_like
        The values, on the device or the host.
    dtype : dtype, optional
        Of the result; by default that of the values.
    order : {"C", "F", "A", "K"}, optional
        As in :func:`asarray`.
    device, copy, like, allocator, queue : optional
        As in :func:`asarray`.

    Returns
    -------
    Array
        `a` itself where nothing has to change, else a new array.

    Raises
    ------
    ValueError
        For another `order`, and where ``copy=False`` is given but a copy is needed.
    DTypeError
        For data of a dtype that no device computes with.

    Examples
    --------
    >>> import devarray as da
    >>> da.asanyarray([1, 2], da.float32).dtype
    dtype('float32')
    """
    if is_masked(a):
        return array(a, dtype, copy=copy, order=order or "K", subok=True)
    where: Any = {"device": device, "like": like, "allocator": allocator, "queue": queue}
    return asarray_or_texts(a, dtype, order, copy=copy, **where)


@_core.QuickFunction
def ascontiguousarray(
    a: ArrayLike,
    dtype: DTypeLike | None = None,
    *,
    like: object = None,
    device: _Device = None,
    allocator: object = None,
    queue: Queue | None = None,
) -> Array:
    """An array of at least one dimension whose elements lie densely, the last axis fastest; a copy where needed.

    Parameters
    ----------
    a : array_like
        The values, on the device or the host.
    dtype : dtype, optional
        Of the result; by default that of the values.
    like, device, allocator, queue : optional
        As in :func:`asarray`.

    Returns
    -------
    Array
        `a` itself where it is as wanted, else a new array; with at least one axis.

    Examples
    --------
    >>> import devarray as da
    >>> da.ascontiguousarray(da.ones((2, 3)).T).is_c_contiguous()
    True
    """
    x = asarray(a, dtype, "C", device=device, like=like, allocator=allocator, queue=queue)
    return x if x.ndim else x.reshape(1)


@_core.QuickFunction
def asfortranarray(
    a: ArrayLike,
    dtype: DTypeLike | None = None,
    *,
    like: object = None,
    device: _Device = None,
    allocator: object = None,
    queue: Queue | None = None,
) -> Array:
    """An array of at least one dimension whose elements lie densely, the first axis fastest; a copy where needed.

    Parameters
    ----------
    a : array_like
        The values, on the device or the host.
    dtype : dtype, optional
        Of the result; by default that of the values.
    like, device, allocator, queue : optional
        As in :func:`asarray`.

    Returns
    -------
    Array
        `a` itself where it is as wanted, else a new array; with at least one axis.

    Examples
    --------
    >>> import devarray as da
    >>> da.asfortranarray(da.ones((2, 3))).strides
    (8, 16)
    """
    x = asarray(a, dtype, "F", device=device, like=like, allocator=allocator, queue=queue)
    return x if x.ndim else x.reshape(1)


def asarray_chkfinite(a: ArrayLike, dtype: DTypeLike | None = None, order: str | None = None, **where: Any) -> Array:
    """An array of numbers that are checked to be finite. Waits for the device.

    Parameters
    ----------
    a : array_like
        The values, on the device or the host.
    dtype : dtype, optional
        Of the result; by default that of the values.
    order : {"C", "F", "A", "K"}, optional
        As in :func:`asanyarray`.
    **where
        `device`, `allocator`, `queue` and `copy`, as :func:`asarray` has them.

    Returns
    -------
    Array
        `a` itself where nothing has to change, else a new array.

    Raises
    ------
    ValueError
        Where an element is infinite or NaN.

    Examples
    --------
    >>> import devarray as da
    >>> da.asarray_chkfinite([1.0, 2.0]).shape
    (2,)
    """
    x = asarray_or_texts(a, dtype, order, **where)
    if x.dtype.kind in "fc" and not bool(_core.apply(OP["isfinite"], x).all()):
        raise ValueError("array must not contain infs or NaNs: asarray_chkfinite was given infinities or NaN")
    return x


_ORDERS = {"C": "C", "C_CONTIGUOUS": "C", "CONTIGUOUS": "C", "F": "F", "F_CONTIGUOUS": "F", "FORTRAN": "F"}
_WRITEABLE = ("W", "WRITEABLE")
_OWN = ("O", "OWNDATA")
_ALWAYS = ("A", "ALIGNED", "E", "ENSUREARRAY")


def require(
    a: ArrayLike,
    dtype: DTypeLike | None = None,
    requirements: Any = None,
    *,
    like: object = None,
    device: _Device = None,
    allocator: object = None,
    queue: Queue | None = None,
) -> Array:
    """An array that meets requirements on its memory; a copy where needed.

    Parameters
    ----------
    a : array_like
        The values, on the device or the host.
    dtype : dtype, optional
        Of the result; by default that of the values.
    requirements : str or sequence of str, optional
        ``"C"`` or ``"F"``: the memory order. ``"W"``: that it can be written. ``"O"``: memory of its own, which
        copies every Array. ``"A"`` (aligned) and ``"E"`` (no subclass) hold for all arrays.
    like, device, allocator, queue : optional
        As in :func:`asarray`.

    Returns
    -------
    Array
        `a` itself where it meets them, else a new array.

    Raises
    ------
    ValueError
        For unknown requirements, or both orders at once.

    Examples
    --------
    >>> import devarray as da
    >>> da.require(da.ones((2, 3)), da.float32, "F").strides
    (4, 8)
    """
    given = [requirements] if isinstance(requirements, str) else list(requirements or ())
    for word in given:
        expect("require", "a requirement", word, str)
    wanted = [word.upper() for word in given]
    if isinstance(requirements, str) and requirements.upper() not in (*_ORDERS, *_WRITEABLE, *_OWN, *_ALWAYS):
        wanted = list(requirements.upper())
    unknown = [word for word in wanted if word not in (*_ORDERS, *_WRITEABLE, *_OWN, *_ALWAYS)]
    if unknown:
        raise ValueError(f"require: requirements are C, F, W, O, A and E, not {', '.join(unknown)}")
    orders = {_ORDERS[word] for word in wanted if word in _ORDERS}
    if len(orders) > 1:
        raise ValueError('require: Cannot specify both "C" and "F" order')
    order = orders.pop() if orders else None
    x = asarray(a, dtype, order, like=like, device=device, allocator=allocator, queue=queue)
    fixed = any(word in _WRITEABLE for word in wanted) and not x.flags.writeable
    if fixed or (x is a and any(word in _OWN for word in wanted)):
        return x.copy(order or "A")
    return x


def fromiter(
    iter: Iterable[Any],
    dtype: DTypeLike | None,
    count: int = -1,
    *,
    like: object = None,
    device: _Device = None,
    allocator: object = None,
    queue: Queue | None = None,
) -> Array:
    """A one-dimensional array of the items of an iterable, collected on the host.

    Parameters
    ----------
    iter : iterable
        The items, numbers of the dtype.
    dtype : dtype
        Of the result. Texts and objects stay on the host, as of :func:`array`.
    count : int
        How many items to take; -1 takes all.
    like, device, allocator, queue : optional
        Where the result is made, and the queue that orders its work, as in :func:`devarray.empty`.

    Returns
    -------
    Array
        A new one-dimensional array.

    Examples
    --------
    >>> import devarray as da
    >>> da.fromiter((i * i for i in range(4)), da.int64).copy_to_host()
    array([0, 1, 4, 9])
    """
    if isinstance(iter, Array | OpaqueArray):
        iter = to_host(iter)
    elif np.dtype(dtype).kind in "mMV":  # to which NumPy converts its own scalars alone
        iter = map(to_host, iter)
    made = np.fromiter(iter, dtype, count)
    return asarray_or_texts(made, like=like, device=device, allocator=allocator, queue=queue)


def frombuffer(
    buffer: Any,
    dtype: DTypeLike | None = None,
    count: int = -1,
    offset: int = 0,
    *,
    like: object = None,
    device: _Device = None,
    allocator: object = None,
    queue: Queue | None = None,
) -> Array:
    """A one-dimensional array of the bytes of a host buffer: a copy on the device, unlike NumPy's.

    Parameters
    ----------
    buffer : bytes-like object
        An object with the buffer protocol.
    dtype : dtype, optional
        float64 by default.
    count : int
        Number of elements; -1, the default, takes all.
    offset : int
        Number of bytes to skip at the start. 0 by default.
    like, device, allocator, queue : optional
        Where the result is made, and the queue that orders its work, as in :func:`devarray.empty`.

    Returns
    -------
    Array
        A new one-dimensional array. Of texts, which no device holds, NumPy's array, unless a place was asked for.

    Examples
    --------
    >>> import devarray as da
    >>> da.frombuffer(b"abc", da.uint8, offset=1).copy_to_host()
    array([98, 99], dtype=uint8)
    """
    host = np.frombuffer(buffer, np.float64 if dtype is None else dtype, count, offset)
    return asarray_or_texts(host, like=like, device=device, allocator=allocator, queue=queue)
