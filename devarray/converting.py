"""Arrays of a wanted memory order, and from buffers and iterators of the host, by NumPy's names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from devarray import _core
from devarray.arguments import expect
from devarray.array import OP, Array
from devarray.creation import asarray
from devarray.device import Device, Queue
from devarray.errors import ValueError

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


def asanyarray(a: Any, dtype: Any = None, order: str | None = None, **where: Any) -> Array:
    """:func:`asarray`, with NumPy's memory orders. There are no subclasses to keep.

    Parameters
    ----------
    a : array_like
    dtype : dtype, optional
    order : {"C", "F", "A", "K"}, optional
        An array that has another order than ``"C"`` or ``"F"`` is copied; the others are no wish.
    **where
        `device`, `allocator`, `queue` and `copy`, as :func:`asarray` has them.

    Examples
    --------
    >>> import devarray as da
    >>> da.asanyarray([1, 2], da.float32).dtype
    dtype('float32')
    """
    x = asarray(a, dtype=dtype, **where)
    if order in ("C", None, "A", "K"):
        return x if order != "C" or x.is_c_contiguous() else _core.contiguous(x)
    if order != "F":
        raise ValueError(f"asanyarray: order is 'C', 'F', 'A', 'K' or None, not {order!r}")
    return x if x.is_f_contiguous() else _core.contiguous(x.T).T


def ascontiguousarray(a: Any, dtype: Any = None, **where: Any) -> Array:
    """An array of at least one dimension whose elements lie densely, the last axis fastest; a copy where needed.

    Parameters
    ----------
    a : array_like
    dtype : dtype, optional
    **where
        `device`, `allocator` and `queue`, as :func:`asarray` has them.

    Examples
    --------
    >>> import devarray as da
    >>> da.ascontiguousarray(da.ones((2, 3)).T).is_c_contiguous()
    True
    """
    x = asanyarray(a, dtype, "C", **where)
    return x if x.ndim else x.reshape(1)


def asfortranarray(a: Any, dtype: Any = None, **where: Any) -> Array:
    """An array of at least one dimension whose elements lie densely, the first axis fastest; a copy where needed.

    Parameters
    ----------
    a : array_like
    dtype : dtype, optional
    **where
        `device`, `allocator` and `queue`, as :func:`asarray` has them.

    Examples
    --------
    >>> import devarray as da
    >>> da.asfortranarray(da.ones((2, 3))).strides
    (8, 16)
    """
    x = asanyarray(a, dtype, "F", **where)
    return x if x.ndim else x.reshape(1)


def asarray_chkfinite(a: Any, dtype: Any = None, order: str | None = None, **where: Any) -> Array:
    """:func:`asanyarray` of numbers without NaN and infinities. Waits for the device to have looked at them.

    Parameters
    ----------
    a : array_like
    dtype : dtype, optional
    order : {"C", "F", "A", "K"}, optional
    **where
        `device`, `allocator`, `queue` and `copy`, as :func:`asarray` has them.

    Raises
    ------
    ValueError
        Where one is not finite.

    Examples
    --------
    >>> import devarray as da
    >>> da.asarray_chkfinite([1.0, 2.0]).shape
    (2,)
    """
    x = asanyarray(a, dtype, order, **where)
    if x.dtype.kind in "fc" and not bool(_core.apply(OP["isfinite"], x).all()):
        raise ValueError("asarray_chkfinite: the array holds infinities or NaN")
    return x


_ORDERS = {"C": "C", "C_CONTIGUOUS": "C", "CONTIGUOUS": "C", "F": "F", "F_CONTIGUOUS": "F", "FORTRAN": "F"}
_WRITEABLE = ("W", "WRITEABLE")
_OWN = ("O", "OWNDATA")
_ALWAYS = ("A", "ALIGNED", "E", "ENSUREARRAY")


def require(a: Any, dtype: Any = None, requirements: Any = None, **where: Any) -> Array:
    """An array with what is required of it; a copy where needed.

    Parameters
    ----------
    a : array_like
    dtype : dtype, optional
    requirements : str or sequence of str
        ``"C"`` or ``"F"``, the memory order; ``"W"``, not a broadcast view; ``"O"``, memory of its own, which makes a
        copy of every Array; ``"A"`` and ``"E"``, which all arrays are.
    **where
        `device`, `allocator` and `queue`, as :func:`asarray` has them.

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
        raise ValueError("require: an array has the order C or the order F, not both")
    order = orders.pop() if orders else None
    x = asanyarray(a, dtype, order, **where)
    broadcast = any(step == 0 and size > 1 for step, size in zip(x.strides, x.shape, strict=True))
    if (broadcast and any(word in _WRITEABLE for word in wanted)) or (x is a and any(word in _OWN for word in wanted)):
        return x.T.copy().T if order == "F" else x.copy()
    return x


def fromiter(
    iter: Iterable[Any],
    dtype: Any,
    count: int = -1,
    *,
    device: _Device = None,
    allocator: Any = None,
    queue: Queue | None = None,
) -> Array:
    """A one-dimensional array of what an iterable gives, collected on the host.

    Parameters
    ----------
    iter : iterable
    dtype : dtype
    count : int
        How many items to take; -1 takes all.

    Examples
    --------
    >>> import devarray as da
    >>> da.fromiter((i * i for i in range(4)), da.int64).copy_to_host()
    array([0, 1, 4, 9])
    """
    return asarray(np.fromiter(iter, dtype, count), device=device, allocator=allocator, queue=queue)


def frombuffer(
    buffer: Any,
    dtype: Any = None,
    count: int = -1,
    offset: int = 0,
    *,
    device: _Device = None,
    allocator: Any = None,
    queue: Queue | None = None,
) -> Array:
    """A one-dimensional array of a host buffer's bytes. A copy on the device, unlike NumPy's.

    Parameters
    ----------
    buffer : object with the buffer protocol
    dtype : dtype, optional
        float64 by default.
    count : int
        Of elements; -1 takes all.
    offset : int
        Bytes to pass over.

    Examples
    --------
    >>> import devarray as da
    >>> da.frombuffer(b"abc", da.uint8, offset=1).copy_to_host()
    array([98, 99], dtype=uint8)
    """
    host = np.frombuffer(buffer, np.float64 if dtype is None else dtype, count, offset)
    return asarray(host, device=device, allocator=allocator, queue=queue)
