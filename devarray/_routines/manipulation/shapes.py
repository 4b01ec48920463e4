"""Shapes, numbers of dimensions, broadcasting, copies and casts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from devarray import _core
from devarray._primitives.convert import asarray
from devarray.array import Array, normalize_axes
from devarray.errors import ShapeError

if TYPE_CHECKING:
    from devarray._core import Device
    from devarray._typing import DTypeLike

__all__ = [
    "astype",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "copy",
    "expand_dims",
    "ravel",
    "reshape",
    "squeeze",
]


def astype(x: Array, dtype: DTypeLike | None, /, *, copy: bool = True, device: Device | None = None) -> Array:
    """The values in another dtype, as NumPy casts them.

    Parameters
    ----------
    x : array_like
        The array.
    dtype : dtype
        Of the result.
    copy : bool
        Whether to copy where `x` has the dtype already. True by default.
    device : Device or str, optional
        Where the result is; by default where `x` is.

    Returns
    -------
    Array
        Of the shape of `x`: a new array, or with ``copy=False`` possibly `x` itself.

    Examples
    --------
    >>> import devarray as da
    >>> da.astype(da.asarray([1.7, -1.7]), da.int32).copy_to_host()
    array([ 1, -1], dtype=int32)
    """
    result = x.astype(dtype, copy=copy)
    return result if device is None else result.to_device(device)


def copy(a: Array, order: str = "K", subok: bool = False) -> Array:
    """The values in a new array.

    Parameters
    ----------
    a : array_like
        The array.
    order : {"K", "A", "C", "F"}
        Memory order of the result: as `a` ("K", the default), Fortran's where `a` has only that ("A"), C, or Fortran.
    subok : bool
        NumPy's, not used: arrays have no subclasses to pass on.

    Returns
    -------
    Array
        A new dense array of the shape and dtype of `a`.

    Raises
    ------
    ValueError
        For another `order`.

    Examples
    --------
    >>> import devarray as da
    >>> x = da.zeros(2)
    >>> y = da.copy(x)
    >>> y[0] = 1
    >>> x.copy_to_host()
    array([0., 0.])
    """
    return a.copy(order)


def reshape(x: Array, /, shape: int | Sequence[int], order: str = "C", *, copy: bool | None = None) -> Array:
    """The elements under another shape: a view where the strides allow it, else a copy.

    Parameters
    ----------
    x : array_like
        The array.
    shape : int or sequence of int
        Sizes of the new axes. One of them may be -1, which stands for what is left.
    order : {"C", "F", "A"}
        Which axis runs fastest in both shapes: the last one (the default), the first one, or the first one where `x` is
        dense in that order only.
    copy : bool, optional
        True: always copy. False: raise ValueError where a copy is needed. None: copy where it is needed.

    Returns
    -------
    Array
        A view where the strides allow it, else a new array.

    Raises
    ------
    ShapeError
        Where the shape does not have as many elements.
    ValueError
        Where `copy` is False and a copy is needed, or for another `order`.

    Examples
    --------
    >>> import devarray as da
    >>> da.reshape(da.arange(4), (2, -1)).copy_to_host()
    array([[0, 1],
           [2, 3]])
    """
    if order == "C":  # what the method does, one call nearer
        return _core.reshape(x, shape, copy)
    return Array.reshape(x, shape, order=order, copy=copy)  # subclasses may have another signature, as PyCUDA's


def ravel(a: Array, order: str = "C") -> Array:
    """The elements as one dense axis.

    Parameters
    ----------
    a : array_like
        The array.
    order : {"C", "F", "A", "K"}
        Which axis runs fastest: the last one (the default), the first one, the first one where `a` is dense in that
        order only, or as in memory.

    Returns
    -------
    Array
        One-dimensional: a view where the elements are dense in this order, else a new array.

    Examples
    --------
    >>> import devarray as da
    >>> da.ravel(da.ones((2, 2))).shape
    (4,)
    """
    return a.ravel(order)


def expand_dims(a: Array, axis: int | Sequence[int]) -> Array:
    """The array with axes of size 1 inserted; a view.

    Parameters
    ----------
    a : array_like
        The array.
    axis : int or sequence of int
        Where the new axes are in the result.

    Returns
    -------
    Array
        A view.

    Raises
    ------
    AxisError
        For an axis that the result does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.expand_dims(da.ones(3), (0, 2)).shape
    (1, 3, 1)
    """
    given: Any = [axis] if is_number(axis) else axis
    given = list(given)
    new = set(normalize_axes(given, a.ndim + len(given)))
    _core.byte_size((*a.shape, *(1 for _ in new)), a.itemsize)  # refuses more axes than arrays have
    if not new:
        return a[...]
    return a[tuple(None if i in new else slice(None) for i in range(a.ndim + len(new)))]


def squeeze(a: Array, axis: int | tuple[int, ...] | None = None) -> Array:
    """The array without axes of size 1.

    Parameters
    ----------
    a : array_like
        The array.
    axis : int or tuple of int, optional
        The axes to remove; all of size 1 by default.

    Returns
    -------
    Array
        A view.

    Raises
    ------
    ShapeError
        For an axis of another size than 1.
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.squeeze(da.ones((1, 3, 1)), 0).shape
    (3, 1)
    """
    return a.squeeze(axis)


def broadcast_to(array: Array, shape: int | Sequence[int], subok: bool = False) -> Array:
    """The array repeated along axes of size 1 and new leading axes, to a given shape.

    Parameters
    ----------
    array : array_like
        The array.
    shape : int or sequence of int
        The shape of the result.
    subok : bool
        NumPy's, not used: arrays have no subclasses to pass on.

    Returns
    -------
    Array
        A read-only view.

    Raises
    ------
    ShapeError
        Where the array does not broadcast to `shape`.

    Examples
    --------
    >>> import devarray as da
    >>> da.broadcast_to(da.arange(2), (2, 2)).copy_to_host()
    array([[0, 1],
           [0, 1]])
    """
    return _core.broadcast_to(array, shape)


def broadcast_shapes(*shapes: Sequence[int]) -> tuple[int, ...]:
    """The common shape that shapes broadcast to.

    Parameters
    ----------
    *shapes : sequence of int
        The shapes.

    Returns
    -------
    tuple of int
        The common shape.

    Raises
    ------
    ShapeError
        Where there is none.

    Examples
    --------
    >>> import devarray as da
    >>> da.broadcast_shapes((2, 1), (3,))
    (2, 3)
    """
    result: tuple[int, ...] = ()
    try:
        for shape in shapes:
            result = _core.broadcast_shapes(result, shape)
    except ShapeError as error:
        raise ShapeError(f"shape mismatch: objects cannot be broadcast to a single shape: {error}") from None
    return result


def broadcast_arrays(*args: Array, subok: bool = False) -> tuple[Array, ...]:
    """Arrays repeated to their common shape.

    Parameters
    ----------
    *args : array_like
        The arrays.
    subok : bool
        NumPy's, not used: arrays have no subclasses to pass on.

    Returns
    -------
    tuple of Array
        Read-only views; the arrays themselves where all have one shape.

    Raises
    ------
    ShapeError
        Where the shapes do not broadcast.

    Examples
    --------
    >>> import devarray as da
    >>> x, y = da.broadcast_arrays(da.ones((2, 1)), da.ones(3))
    >>> x.shape
    (2, 3)
    """
    shape = broadcast_shapes(*(a.shape for a in args))
    if all(a.shape == shape for a in args):
        return args
    return tuple(_core.broadcast_to(a, shape) for a in args)


def is_number(x: object) -> bool:
    """Whether an argument is one whole number, also one of the device, and not a sequence of them."""
    return isinstance(x, int) or (hasattr(x, "__index__") and not getattr(x, "ndim", 0))


def of_scalar(x: Any) -> Array:
    """An array of a scalar on the current device; arrays as they are."""
    if isinstance(x, bool | int | float | complex | np.generic):
        return asarray(x)
    return x


def atleast_1d(*arys: Array) -> Any:
    """Arrays with at least one axis.

    Parameters
    ----------
    *arys : array_like
        The arrays.

    Returns
    -------
    Array or tuple of Array
        The array itself or a view of it; a tuple for several arrays.

    Examples
    --------
    >>> import devarray as da
    >>> da.atleast_1d(da.asarray(1.0)).shape
    (1,)
    """
    return _each(arys, [x if x.ndim else x.reshape(1) for x in map(of_scalar, arys)])


def atleast_2d(*arys: Array) -> Any:
    """Arrays with at least two axes, new ones in front.

    Parameters
    ----------
    *arys : array_like
        The arrays.

    Returns
    -------
    Array or tuple of Array
        The array itself or a view of it; a tuple for several arrays.

    Examples
    --------
    >>> import devarray as da
    >>> da.atleast_2d(da.ones(3)).shape
    (1, 3)
    """
    return _each(arys, [x if x.ndim >= 2 else x.reshape(1, -1) for x in map(of_scalar, arys)])


def atleast_3d(*arys: Array) -> Any:
    """Arrays with at least three axes.

    Parameters
    ----------
    *arys : array_like
        The arrays. A row becomes one of shape ``(1, n, 1)``, a matrix one of shape ``(m, n, 1)``.

    Returns
    -------
    Array or tuple of Array
        The array itself or a view of it; a tuple for several arrays.

    Examples
    --------
    >>> import devarray as da
    >>> da.atleast_3d(da.ones(3)).shape, da.atleast_3d(da.ones((3, 4))).shape
    ((1, 3, 1), (3, 4, 1))
    """
    shapes = [(1, 1, 1), (1, -1, 1)]
    given = [of_scalar(x) for x in arys]
    made = [x.reshape(shapes[x.ndim]) if x.ndim < 2 else x[:, :, None] if x.ndim == 2 else x for x in given]
    return _each(arys, made)


def _each(given: tuple[Array, ...], made: list[Array]) -> Any:
    return made[0] if len(given) == 1 else tuple(made)
