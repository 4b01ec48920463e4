"""NumPy's ``emath``: functions that give complex numbers where an argument leaves the real domain.

Each looks at its argument, which waits for the device.

Examples
--------
>>> import devarray as da
>>> da.emath.sqrt(da.asarray([4.0, -4.0])).copy_to_host()
array([2.+0.j, 0.+2.j])
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from devarray import _core
from devarray._primitives.operands import as_array
from devarray.array import OP, Array

if TYPE_CHECKING:
    from devarray._typing import ArrayLike

__all__ = ["arccos", "arcsin", "arctanh", "log", "log2", "log10", "logn", "power", "sqrt"]


def _complex(x: Array) -> Array:
    return x.astype(np.complex64 if x.dtype in (np.float16, np.float32, np.int8, np.int16) else np.complex128)


def _where_negative(name: str, x: Any) -> Array:
    """The argument, complex if any element is below 0."""
    x = as_array(name, "x", x)
    return _complex(x) if x.dtype.kind in "if" and bool((x < 0).any()) else x


def _where_outside(name: str, x: Any) -> Array:
    """The argument, complex if any element is outside of -1 to 1."""
    x = as_array(name, "x", x)
    return _complex(x) if x.dtype.kind in "iuf" and bool((_core.apply(OP["abs"], x) > 1).any()) else x


def sqrt(x: ArrayLike) -> Array:
    """Square roots, of negative numbers complex ones.

    Parameters
    ----------
    x : array_like
        The numbers.

    Returns
    -------
    Array
        Complex where an element is negative.

    Examples
    --------
    >>> import devarray as da
    >>> da.emath.sqrt([-1.0, 4.0]).copy_to_host()
    array([0.+1.j, 2.+0.j])
    """
    return _core.apply(OP["sqrt"], _where_negative("sqrt", x))


def log(x: ArrayLike) -> Array:
    """Natural logarithms, of negative numbers complex ones.

    Parameters
    ----------
    x : array_like
        The numbers.

    Returns
    -------
    Array
        Complex where an element is negative.

    Examples
    --------
    >>> import devarray as da
    >>> da.emath.log(da.asarray([-1.0])).imag.item() == da.pi
    True
    """
    return _core.apply(OP["log"], _where_negative("log", x))


def log2(x: ArrayLike) -> Array:
    """Logarithms to base 2, of negative numbers complex ones.

    Parameters
    ----------
    x : array_like
        The numbers.

    Returns
    -------
    Array
        Complex where an element is negative.

    Examples
    --------
    >>> import devarray as da
    >>> da.emath.log2([8.0]).copy_to_host()
    array([3.])
    """
    return _core.apply(OP["log2"], _where_negative("log2", x))


def log10(x: ArrayLike) -> Array:
    """Logarithms to base 10, of negative numbers complex ones.

    Parameters
    ----------
    x : array_like
        The numbers.

    Returns
    -------
    Array
        Complex where an element is negative.

    Examples
    --------
    >>> import devarray as da
    >>> da.emath.log10([100.0]).copy_to_host()
    array([2.])
    """
    return _core.apply(OP["log10"], _where_negative("log10", x))


def logn(n: ArrayLike, x: ArrayLike) -> Array:
    """Logarithms to base `n`, of negative numbers complex ones.

    Parameters
    ----------
    n, x : array_like
        The bases and the numbers.

    Returns
    -------
    Array
        Complex where an element is negative.

    Examples
    --------
    >>> import devarray as da
    >>> da.emath.logn(2, [4.0, 8.0]).copy_to_host()
    array([2., 3.])
    """
    return log(x) / log(n)


def power(x: ArrayLike, p: ArrayLike) -> Array:
    """`x` raised to `p`: integers by negative integers give floats, negative numbers complex ones.

    Parameters
    ----------
    x, p : array_like
        The bases and the exponents.

    Returns
    -------
    Array
        Complex where a base is negative.

    Examples
    --------
    >>> import devarray as da
    >>> da.emath.power([2, 4], -2).copy_to_host()
    array([0.25  , 0.0625])
    """
    base, exponent = _where_negative("power", x), as_array("power", "p", p)
    if exponent.dtype.kind == "i" and bool((exponent < 0).any()):
        exponent = exponent.astype(np.float64)
    return _core.apply(OP["pow"], base, exponent)


def arccos(x: ArrayLike) -> Array:
    """Inverse cosines, outside of -1 to 1 complex ones.

    Parameters
    ----------
    x : array_like
        The numbers.

    Returns
    -------
    Array
        Complex where an element is outside.

    Examples
    --------
    >>> import devarray as da
    >>> da.emath.arccos([1.0]).copy_to_host()
    array([0.])
    """
    return _core.apply(OP["acos"], _where_outside("arccos", x))


def arcsin(x: ArrayLike) -> Array:
    """Inverse sines, outside of -1 to 1 complex ones.

    Parameters
    ----------
    x : array_like
        The numbers.

    Returns
    -------
    Array
        Complex where an element is outside.

    Examples
    --------
    >>> import devarray as da
    >>> da.emath.arcsin([0.0]).copy_to_host()
    array([0.])
    """
    return _core.apply(OP["asin"], _where_outside("arcsin", x))


def arctanh(x: ArrayLike) -> Array:
    """Inverse hyperbolic tangents, outside of -1 to 1 complex ones.

    Parameters
    ----------
    x : array_like
        The numbers.

    Returns
    -------
    Array
        Complex where an element is outside.

    Examples
    --------
    >>> import devarray as da
    >>> da.emath.arctanh([0.0]).copy_to_host()
    array([0.])
    """
    return _core.apply(OP["atanh"], _where_outside("arctanh", x))
