"""NumPy's assertions for the tests of programs that use devarray: they copy to the host and compare there."""

from __future__ import annotations

from typing import Any

import numpy as np

from devarray.array import Array
from devarray.errors import ValueError
from devarray.opaque import OpaqueArray

__all__ = [
    "assert_allclose",
    "assert_array_almost_equal",
    "assert_array_equal",
    "assert_array_less",
    "assert_equal",
]


def _host(x: Any) -> Any:
    if isinstance(x, Array | OpaqueArray):
        return x.copy_to_host()
    if isinstance(x, list | tuple):
        try:
            return type(x)(map(_host, x))
        except RecursionError:
            raise ValueError("the lists to be compared lie in themselves, or too deep in one another") from None
    return x


def assert_allclose(actual: Any, desired: Any, rtol: float = 1e-7, atol: float = 0.0, **options: Any) -> None:
    """Raise AssertionError unless the values agree: :func:`numpy.testing.assert_allclose` of device or host arrays.

    Parameters
    ----------
    actual, desired : Array or array_like
    rtol, atol : float
        Relative to `desired`, and absolute.
    **options
        NumPy's ``equal_nan``, ``err_msg``, ``verbose`` and ``strict``.

    Examples
    --------
    >>> import devarray as da
    >>> da.testing.assert_allclose(da.ones(3) / 3, [1 / 3] * 3)
    """
    np.testing.assert_allclose(_host(actual), _host(desired), rtol, atol, **options)


def assert_array_equal(actual: Any, desired: Any, **options: Any) -> None:
    """Raise AssertionError unless shapes and values are equal: :func:`numpy.testing.assert_array_equal`.

    Examples
    --------
    >>> import devarray as da
    >>> da.testing.assert_array_equal(da.arange(3), [0, 1, 2])
    """
    np.testing.assert_array_equal(_host(actual), _host(desired), **options)


def assert_array_almost_equal(actual: Any, desired: Any, decimal: int = 6, **options: Any) -> None:
    """Raise AssertionError unless values agree to `decimal` places: :func:`numpy.testing.assert_array_almost_equal`.

    Examples
    --------
    >>> import devarray as da
    >>> da.testing.assert_array_almost_equal(da.ones(2), [1, 1.0000001])
    """
    np.testing.assert_array_almost_equal(_host(actual), _host(desired), decimal, **options)


def assert_array_less(x: Any, y: Any, **options: Any) -> None:
    """Raise AssertionError unless each value of `x` is less than that of `y`: :func:`numpy.testing.assert_array_less`.

    Examples
    --------
    >>> import devarray as da
    >>> da.testing.assert_array_less(da.zeros(2), da.ones(2))
    """
    np.testing.assert_array_less(_host(x), _host(y), **options)


def assert_equal(actual: Any, desired: Any, **options: Any) -> None:
    """Raise AssertionError unless two objects are equal, arrays in lists and tuples among them.

    Examples
    --------
    >>> import devarray as da
    >>> da.testing.assert_equal((da.arange(2), 3), (da.arange(2), 3))
    """
    np.testing.assert_equal(_host(actual), _host(desired), **options)
