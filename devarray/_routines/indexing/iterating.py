"""Iterators over elements: on the host, over a copy of the values, which is taken when they begin."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from devarray._primitives.host_calls import to_host
from devarray._primitives.opaque import OpaqueArray
from devarray.array import Array
from devarray.errors import DTypeError

if TYPE_CHECKING:
    from devarray._typing import ArrayLike

__all__ = ["broadcast", "isfortran", "ndenumerate", "nditer", "nested_iters"]


class ndenumerate(Iterator[tuple[tuple[int, ...], Any]]):
    """Index and value of each element, in C order. Copies the values to the host.

    Parameters
    ----------
    arr : array_like
        The array.

    Examples
    --------
    >>> import devarray as da
    >>> [(i, int(v)) for i, v in da.ndenumerate(da.asarray([[1, 2]]))]
    [((0, 0), 1), ((0, 1), 2)]
    """

    def __init__(self, arr: object) -> None:
        self._items = np.ndenumerate(to_host(arr))

    def __next__(self) -> tuple[tuple[int, ...], Any]:
        return next(self._items)


def _read_only(name: str, op: Any, op_flags: object) -> Any:
    """Operands on the host; device arrays among them cannot be written to."""
    several = type(op) in (list, tuple)
    operands = list(op) if several else [op]
    text = repr(op_flags)
    if any(isinstance(x, Array | OpaqueArray) for x in operands) and ("write" in text and "readonly" not in text):
        raise DTypeError(
            f"{name} on device arrays reads a copy on the host; write by an expression of whole arrays, or iterate "
            "over x.copy_to_host() and move the result with asarray()"
        )
    return to_host(operands) if several else to_host(op)


def nditer(op: Any, flags: Any = None, op_flags: Any = None, *args: Any, **kwargs: Any) -> np.nditer:
    """NumPy's iterator over the elements of arrays, copied to the host: it reads, but writes to no device array.

    Parameters
    ----------
    op : array_like or sequence of array_like
        What is gone through.
    flags, op_flags : sequence of str, optional
        As :class:`numpy.nditer` takes them.
    *args, **kwargs
        NumPy's further parameters.

    Returns
    -------
    numpy.nditer
        Over NumPy arrays.

    Raises
    ------
    DTypeError
        Where a device array would be written to.

    Examples
    --------
    >>> import devarray as da
    >>> [int(v) for v in da.nditer(da.asarray([[1, 2], [3, 4]]))]
    [1, 2, 3, 4]
    """
    return np.nditer(_read_only("nditer", op, op_flags), flags, op_flags, *args, **kwargs)


def nested_iters(
    op: Any,
    axes: Any,
    flags: Any = None,
    op_flags: Any = None,
    op_dtypes: Any = None,
    order: Any = "K",
    casting: Any = "safe",
    buffersize: int = 0,
) -> Any:
    """NumPy's nested iterators over the elements of arrays, copied to the host.

    Parameters
    ----------
    op : array_like or sequence of array_like
        What is gone through.
    axes : list of list of int
        The axes of each iterator.
    flags, op_flags : sequence of str, optional
        As :func:`numpy.nested_iters` takes them.
    op_dtypes : sequence of dtype, optional
        To read the operands in.
    order : {"C", "F", "A", "K"}
        Of going through them. "K", as they lie, by default.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        The rule for casts. "safe" by default.
    buffersize : int
        Of buffers. 0, NumPy's own, by default.

    Returns
    -------
    tuple of numpy.nditer
        Over NumPy arrays.

    Raises
    ------
    DTypeError
        Where a device array would be written to.

    Examples
    --------
    >>> import devarray as da
    >>> outer, inner = da.nested_iters(da.asarray([[1, 2], [3, 4]]), [[0], [1]])
    >>> [[int(v) for v in inner] for _ in outer]
    [[1, 2], [3, 4]]
    """
    return np.nested_iters(
        _read_only("nested_iters", op, op_flags), axes, flags, op_flags, op_dtypes, order, casting, buffersize
    )


def broadcast(*args: object) -> np.broadcast:
    """What arrays broadcast to: NumPy's object, over copies of the values on the host.

    :func:`devarray.broadcast_shapes` tells the shape without a copy.

    Parameters
    ----------
    *args : array_like
        The arrays.

    Returns
    -------
    numpy.broadcast
        With `shape`, `ndim`, `size`, `numiter`, `iters` and `index`; iterates over tuples of elements.

    Raises
    ------
    ValueError
        Where the shapes do not broadcast.

    Examples
    --------
    >>> import devarray as da
    >>> da.broadcast(da.ones((2, 1)), da.ones(3)).shape
    (2, 3)
    """
    return np.broadcast(*map(to_host, args))


def isfortran(a: ArrayLike) -> bool:
    """Whether an array is dense in Fortran's order, and not in C's.

    Parameters
    ----------
    a : array_like
        The array.

    Returns
    -------
    bool
        On the host; no value is read.

    Examples
    --------
    >>> import devarray as da
    >>> da.isfortran(da.ones((2, 3)).T), da.isfortran(da.ones(3))
    (True, False)
    """
    flags = a.flags if isinstance(a, Array) else np.asarray(a).flags
    return bool(flags["F_CONTIGUOUS"] and not flags["C_CONTIGUOUS"])
