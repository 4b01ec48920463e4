"""NumPy's assertions for the tests of programs that use devarray: they copy to the host and compare there."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from devarray._primitives.opaque import OpaqueArray
from devarray.array import Array
from devarray.errors import ValueError

if TYPE_CHECKING:
    from devarray._typing import ArrayLike

__all__ = [
    "assert_allclose",
    "assert_array_almost_equal",
    "assert_array_equal",
    "assert_array_less",
    "assert_equal",
]


def __getattr__(name: str) -> Any:
    """NumPy's further assertions, which compare on the host, and its helpers for tests."""
    if name.startswith("_") or name not in np.testing.__all__:
        raise AttributeError(f"module 'devarray.testing' has no attribute {name!r}")
    found = getattr(np.testing, name)
    return comparing_on_host(found) if compares(name, found) else found


def __dir__() -> list[str]:
    return sorted({*globals(), *np.testing.__all__})


def compares(name: str, found: object) -> bool:
    """Whether a name of ``numpy.testing`` is a function that compares its arguments."""
    calls = "raises" in name or "warns" in name or "warnings" in name  # whose arguments are for what they call
    return name.startswith("assert") and not calls and not isinstance(found, type)


def comparing_on_host(found: Callable[..., Any]) -> Callable[..., Any]:
    """An assertion of NumPy's that takes arrays of the device."""

    @functools.wraps(found)
    def compare(*args: object, **kwargs: object) -> Any:
        __tracebackhide__ = True  # pytest's word
        return found(*map(_host, args), **{key: _host(value) for key, value in kwargs.items()})

    return compare


def _host(x: object) -> Any:
    if isinstance(x, Array | OpaqueArray):
        return x.copy_to_host()
    if isinstance(x, dict):
        return {key: _host(value) for key, value in x.items()}
    if isinstance(x, list | tuple):
        try:
            return type(x)(map(_host, x)) if not hasattr(x, "_fields") else type(x)(*map(_host, x))
        except RecursionError:
            raise ValueError("the lists to be compared lie in themselves, or too deep in one another") from None
    return x


def assert_allclose(actual: Any, desired: Any, rtol: float = 1e-7, atol: float = 0.0, **options: Any) -> None:
    """Raise AssertionError unless values agree within a tolerance, as :func:`numpy.testing.assert_allclose`.

    Parameters
    ----------
    actual, desired : array_like
        On the device or the host.
    rtol, atol : float
        The tolerances, relative to `desired` and absolute. 1e-7 and 0 by default.
    **options
        `equal_nan`, `err_msg`, `verbose` and `strict`, as NumPy has them.

    Raises
    ------
    AssertionError
        Where they do not agree.

    Examples
    --------
    >>> import devarray as da
    >>> da.testing.assert_allclose(da.ones(3) / 3, [1 / 3] * 3)
    """
    np.testing.assert_allclose(_host(actual), _host(desired), rtol, atol, **options)


def assert_array_equal(actual: Any, desired: Any, **options: Any) -> None:
    """Raise AssertionError unless shapes and values are equal, as :func:`numpy.testing.assert_array_equal`.

    Parameters
    ----------
    actual, desired : array_like
        On the device or the host.
    **options
        `err_msg`, `verbose` and `strict`, as NumPy has them.

    Raises
    ------
    AssertionError
        Where they are not equal.

    Examples
    --------
    >>> import devarray as da
    >>> da.testing.assert_array_equal(da.arange(3), [0, 1, 2])
    """
    np.testing.assert_array_equal(_host(actual), _host(desired), **options)


def assert_array_almost_equal(actual: Any, desired: Any, decimal: int = 6, **options: Any) -> None:
    """Raise AssertionError unless values agree to a number of decimal places.

    As :func:`numpy.testing.assert_array_almost_equal`.

    Parameters
    ----------
    actual, desired : array_like
        On the device or the host.
    decimal : int
        The decimal places. 6 by default.
    **options
        `err_msg` and `verbose`, as NumPy has them.

    Raises
    ------
    AssertionError
        Where they do not agree.

    Examples
    --------
    >>> import devarray as da
    >>> da.testing.assert_array_almost_equal(da.ones(2), [1, 1.0000001])
    """
    np.testing.assert_array_almost_equal(_host(actual), _host(desired), decimal, **options)


def assert_array_less(x: ArrayLike, y: ArrayLike, **options: Any) -> None:
    """Raise AssertionError unless each value is less than another, as :func:`numpy.testing.assert_array_less`.

    Parameters
    ----------
    x, y : array_like
        On the device or the host.
    **options
        `err_msg`, `verbose` and `strict`, as NumPy has them.

    Raises
    ------
    AssertionError
        Where a value of `x` is not less than that of `y`.

    Examples
    --------
    >>> import devarray as da
    >>> da.testing.assert_array_less(da.zeros(2), da.ones(2))
    """
    np.testing.assert_array_less(_host(x), _host(y), **options)


def assert_equal(actual: Any, desired: Any, **options: Any) -> None:
    """Raise AssertionError unless two objects are equal, arrays inside of lists and tuples included.

    Parameters
    ----------
    actual, desired : object
        Arrays of the device or the host, scalars, or lists and tuples of them.
    **options
        `err_msg`, `verbose` and `strict`, as NumPy has them.

    Raises
    ------
    AssertionError
        Where they are not equal.

    Examples
    --------
    >>> import devarray as da
    >>> da.testing.assert_equal((da.arange(2), 3), (da.arange(2), 3))
    """
    np.testing.assert_equal(_host(actual), _host(desired), **options)
