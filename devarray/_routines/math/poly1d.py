"""NumPy's class of polynomials, which takes arrays of the device and gives values there."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from devarray._primitives.host_calls import to_host
from devarray._primitives.operands import asarray_like
from devarray.array import Array
from devarray.errors import LinAlgError

__all__ = ["poly1d"]


def horner(p: Any, x: Any) -> Any:
    """Values of the polynomial of these coefficients, of which there is at least one."""
    value = x * x.dtype.type(0)
    for i in range(len(p)):
        value = (value * x if i else value) + p[i]
    return value


def as_ours(x: object) -> Any:
    """What NumPy's methods give, with its polynomials as ours."""
    if isinstance(x, tuple):
        return tuple(map(as_ours, x))
    return poly1d(x) if isinstance(x, np.poly1d) and not isinstance(x, poly1d) else x


def _method(name: str) -> Callable[..., Any]:
    theirs = getattr(np.poly1d, name)

    def call(self: poly1d, *args: object, **kwargs: object) -> Any:
        return as_ours(theirs(self, *map(to_host, args), **to_host(kwargs)))

    call.__name__, call.__doc__ = name, theirs.__doc__
    return call


def _reflected(name: str, operation: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """An array on the left meets the coefficients, as NumPy's does."""
    theirs = _method(name)

    def call(self: poly1d, other: object) -> Any:
        return operation(other, asarray_like(self.coeffs, other)) if isinstance(other, Array) else theirs(self, other)

    call.__name__, call.__doc__ = name, theirs.__doc__
    return call


class poly1d(np.poly1d):
    """A polynomial: :class:`numpy.poly1d` with values on the device.

    Parameters
    ----------
    c_or_r : array_like
        Coefficients, the highest power first, or zeros. They lie on the host; those of the device are copied there.
    r : bool
        Whether zeros are given. False by default.
    variable : str, optional
        Its name where the polynomial is printed. ``"x"`` by default.

    Examples
    --------
    >>> import devarray as da
    >>> p = da.poly1d([1, 0, 2])
    >>> p(da.asarray([1.0, 3.0])).copy_to_host(), p.deriv()
    (array([ 3., 11.]), poly1d([2, 0]))
    """

    def __init__(self, c_or_r: object, r: object = False, variable: str | None = None) -> None:
        super().__init__(to_host(c_or_r), bool(r), variable)

    @property
    def roots(self) -> Any:
        """The zeros, on the host.

        Raises
        ------
        LinAlgError
            For coefficients that are NaN or infinite.

        Examples
        --------
        >>> import devarray as da
        >>> da.poly1d([1, -3, 2]).roots
        array([2., 1.])
        """
        try:
            return super().roots
        except np.linalg.LinAlgError as error:
            raise LinAlgError(str(error)) from None

    r = roots

    def __call__(self, val: Any) -> Any:
        """Values of the polynomial; of another polynomial, one of both."""
        return horner(self.coeffs, val) if isinstance(val, Array) else as_ours(super().__call__(val))

    __add__, __sub__, __mul__, __truediv__ = map(_method, ("__add__", "__sub__", "__mul__", "__truediv__"))
    __radd__, __rsub__ = _reflected("__radd__", operator.add), _reflected("__rsub__", operator.sub)
    __rmul__, __rtruediv__ = _reflected("__rmul__", operator.mul), _reflected("__rtruediv__", operator.truediv)
    __neg__, __pow__ = _method("__neg__"), _method("__pow__")

    def deriv(self, m: Any = 1) -> poly1d:
        """A derivative of the polynomial.

        Parameters
        ----------
        m : int
            Its order. 1 by default.

        Returns
        -------
        poly1d
            The derivative.

        Examples
        --------
        >>> import devarray as da
        >>> da.poly1d([1, 0, 2]).deriv()
        poly1d([2, 0])
        """
        found: poly1d = as_ours(super().deriv(m))
        return found

    def integ(self, m: Any = 1, k: Any = 0) -> poly1d:
        """An integral of the polynomial.

        Parameters
        ----------
        m : int
            How often to integrate. 1 by default.
        k : array_like
            The constants. Zeros by default.

        Returns
        -------
        poly1d
            The integral.

        Examples
        --------
        >>> import devarray as da
        >>> da.poly1d([2, 1]).integ(k=3)
        poly1d([1., 1., 3.])
        """
        found: poly1d = as_ours(super().integ(m, to_host(k)))
        return found
