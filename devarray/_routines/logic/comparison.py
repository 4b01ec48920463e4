"""Comparisons with a tolerance, and of whole arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from devarray import _core
from devarray._primitives.operands import as_array, asarray_like
from devarray.array import OP, Array

if TYPE_CHECKING:
    from devarray._typing import ArrayLike

__all__ = ["allclose", "array_equal", "array_equiv", "isclose"]

_OPERANDS = (Array, bool, int, float, complex, np.generic)


def isclose(a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: bool = False) -> Array:
    """Whether elements agree within a tolerance: ``abs(a - b) <= atol + rtol * abs(b)``.

    Infinities agree with themselves.

    Parameters
    ----------
    a, b : array_like
        The arrays, which broadcast. At least one is an Array.
    rtol, atol : float
        The tolerances, relative to `b` and absolute. 1e-5 and 1e-8 by default.
    equal_nan : bool
        Whether NaN agrees with NaN. False by default.

    Returns
    -------
    Array
        bool, of the shape that `a` and `b` broadcast to.

    Raises
    ------
    DTypeError
        Where neither is an Array.
    ShapeError
        Where the shapes do not broadcast.

    Examples
    --------
    >>> import devarray as da
    >>> da.isclose(da.asarray([1.0, 2.0]), 1.000001).copy_to_host()
    array([ True, False])
    """
    if not isinstance(a, Array) and not isinstance(b, Array):
        a = as_array("isclose", "a", a)
    a, b = (x if isinstance(x, _OPERANDS) else as_array("isclose", "an operand", x) for x in (a, b))
    a, b = (float(x) if type(x) is int and abs(x) >= 1 << 63 else x for x in (a, b))
    floating = _core.apply(OP["divide"], b if isinstance(b, Array) else a, 1).dtype
    a, b = (x.astype(np.promote_types(x.dtype, floating), copy=False) if isinstance(x, Array) else x for x in (a, b))
    size = _core.apply(OP["abs"], b) if isinstance(b, Array) else abs(b)
    like = a if isinstance(a, Array) else b
    rtol, atol = (asarray_like(x, like) if isinstance(x, list | tuple) else x for x in (rtol, atol))
    near = _core.apply(OP["abs"], a - b) <= atol + rtol * size
    finite = _core.apply(OP["isfinite"], b) if isinstance(b, Array) else bool(np.isfinite(b))
    close = (near & finite) | _core.apply(OP["equal"], a, b)
    if equal_nan:
        close = close | (_core.apply(OP["not_equal"], a, a) & _core.apply(OP["not_equal"], b, b))
    return close


def allclose(a: ArrayLike, b: ArrayLike, rtol: object = 1e-5, atol: object = 1e-8, equal_nan: bool = False) -> bool:
    """Whether all elements agree within a tolerance, as :func:`isclose` compares them. Waits for the device.

    Parameters
    ----------
    a, b : array_like
        The arrays, which broadcast. At least one is an Array.
    rtol, atol : float
        The tolerances, relative to `b` and absolute. 1e-5 and 1e-8 by default.
    equal_nan : bool
        Whether NaN agrees with NaN. False by default.

    Returns
    -------
    bool
        On the host.

    Raises
    ------
    DTypeError
        Where neither is an Array.
    ShapeError
        Where the shapes do not broadcast.

    Examples
    --------
    >>> import devarray as da
    >>> da.allclose(da.asarray([1.0, 2.0]), da.asarray([1.0, 2.0 + 1e-12]))
    True
    """
    return bool(isclose(a, b, rtol, atol, equal_nan).all())


def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> bool:
    """Whether two arrays have one shape and equal elements. Waits for the device.

    Parameters
    ----------
    a1, a2 : array_like
        The arrays.
    equal_nan : bool
        Whether NaN equals NaN. False by default.

    Returns
    -------
    bool
        On the host.

    Examples
    --------
    >>> import devarray as da
    >>> da.array_equal(da.arange(3), da.asarray([0, 1, 2]))
    True
    """
    return np.shape(a1) == np.shape(a2) and array_equiv(a1, a2, equal_nan=equal_nan)


def array_equiv(a1: Any, a2: Any, *, equal_nan: bool = False) -> bool:
    """Whether two arrays broadcast to one shape and have equal elements there. Waits for the device.

    Parameters
    ----------
    a1, a2 : array_like
        The arrays.
    equal_nan : bool
        Whether NaN equals NaN. False by default.

    Returns
    -------
    bool
        On the host.

    Examples
    --------
    >>> import devarray as da
    >>> da.array_equiv(da.ones((2, 3)), 1)
    True
    """
    try:
        like = next((x for x in (a1, a2) if isinstance(x, Array)), None)
        a1, a2 = as_array("array_equiv", "a1", a1, like), as_array("array_equiv", "a2", a2, like)
        np.broadcast_shapes(a1.shape, a2.shape)
    except ValueError:
        return False
    same = _core.apply(OP["equal"], a1, a2)
    if equal_nan:
        same = same | (_core.apply(OP["not_equal"], a1, a1) & _core.apply(OP["not_equal"], a2, a2))
    return bool(same.all())
