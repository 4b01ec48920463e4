"""NumPy's ``polynomial``: series with coefficients on the host and values where their places lie.

Values of arrays of the device are a fused expression. Fits, zeros and what else has arrays of the device as arguments
goes through the host, as ``config.fallback`` says; functions give arrays of the device.

Examples
--------
>>> import devarray as da
>>> p = da.polynomial.Polynomial([1, 0, 2])
>>> p(da.asarray([1.0, 3.0])).copy_to_host(), p.deriv().coef
(array([ 3., 19.]), array([0., 4.]))
"""

from numpy.polynomial import set_default_printstyle

from devarray.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial, polyutils
from devarray.polynomial._classes import Chebyshev, Hermite, HermiteE, Laguerre, Legendre, Polynomial

__all__ = [
    "Chebyshev",
    "Hermite",
    "HermiteE",
    "Laguerre",
    "Legendre",
    "Polynomial",
    "chebyshev",
    "hermite",
    "hermite_e",
    "laguerre",
    "legendre",
    "polynomial",
    "polyutils",
    "set_default_printstyle",
]
