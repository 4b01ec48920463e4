"""NumPy's classes of series, which take arrays of the device."""

from __future__ import annotations

import numpy.polynomial as numpys

from devarray.polynomial._of_host import Series

__all__ = ["CLASSES", "Chebyshev", "Hermite", "HermiteE", "Laguerre", "Legendre", "Polynomial"]


class Polynomial(Series, numpys.Polynomial):
    """A power series: :class:`numpy.polynomial.Polynomial` with values on the device.

    Parameters
    ----------
    coef : array_like
        Coefficients, the lowest power first. They lie on the host.
    domain, window : array_like, optional
        As NumPy's takes them.
    symbol : str
        As NumPy's takes it.

    Examples
    --------
    >>> import devarray as da
    >>> da.polynomial.Polynomial([1, 2, 3])(da.asarray([0.0, 1.0])).copy_to_host()
    array([1., 6.])
    """


class Chebyshev(Series, numpys.Chebyshev):
    """A Chebyshev series: :class:`numpy.polynomial.Chebyshev` with values on the device.

    Parameters
    ----------
    coef : array_like
        Coefficients, the lowest degree first. They lie on the host.
    domain, window : array_like, optional
        As NumPy's takes them.
    symbol : str
        As NumPy's takes it.

    Examples
    --------
    >>> import devarray as da
    >>> da.polynomial.Chebyshev([0, 0, 1])(da.asarray([0.0, 1.0])).copy_to_host()
    array([-1.,  1.])
    """


class Legendre(Series, numpys.Legendre):
    """A Legendre series: :class:`numpy.polynomial.Legendre` with values on the device.

    Parameters
    ----------
    coef : array_like
        Coefficients, the lowest degree first. They lie on the host.
    domain, window : array_like, optional
        As NumPy's takes them.
    symbol : str
        As NumPy's takes it.

    Examples
    --------
    >>> import devarray as da
    >>> da.polynomial.Legendre([0, 0, 1])(da.asarray([0.0, 1.0])).copy_to_host()
    array([-0.5,  1. ])
    """


class Laguerre(Series, numpys.Laguerre):
    """A Laguerre series: :class:`numpy.polynomial.Laguerre` with values on the device.

    Parameters
    ----------
    coef : array_like
        Coefficients, the lowest degree first. They lie on the host.
    domain, window : array_like, optional
        As NumPy's takes them.
    symbol : str
        As NumPy's takes it.

    Examples
    --------
    >>> import devarray as da
    >>> da.polynomial.Laguerre([0, 1])(da.asarray([0.0, 1.0])).copy_to_host()
    array([1., 0.])
    """


class Hermite(Series, numpys.Hermite):
    """A Hermite series of the physicists': :class:`numpy.polynomial.Hermite` with values on the device.

    Parameters
    ----------
    coef : array_like
        Coefficients, the lowest degree first. They lie on the host.
    domain, window : array_like, optional
        As NumPy's takes them.
    symbol : str
        As NumPy's takes it.

    Examples
    --------
    >>> import devarray as da
    >>> da.polynomial.Hermite([0, 1])(da.asarray([0.5, 1.0])).copy_to_host()
    array([1., 2.])
    """


class HermiteE(Series, numpys.HermiteE):
    """A Hermite series of the probabilists': :class:`numpy.polynomial.HermiteE` with values on the device.

    Parameters
    ----------
    coef : array_like
        Coefficients, the lowest degree first. They lie on the host.
    domain, window : array_like, optional
        As NumPy's takes them.
    symbol : str
        As NumPy's takes it.

    Examples
    --------
    >>> import devarray as da
    >>> da.polynomial.HermiteE([0, 0, 1])(da.asarray([0.0, 2.0])).copy_to_host()
    array([-1.,  3.])
    """


CLASSES = {kind.__name__: kind for kind in (Polynomial, Chebyshev, Legendre, Laguerre, Hermite, HermiteE)}
"""The classes by name."""
