"""SciPy's special functions on the device, as element-wise operations that fuse with what surrounds them.

NumPy's way leads here, too: ``scipy.special.erf(x)`` of a device array is ``devarray.special.erf(x)``. Functions of
SciPy's that are missing here go through the host as ``devarray.config.fallback`` says.

Examples
--------
>>> import devarray as da
>>> x = da.asarray([0.0, 0.5, 1.0])
>>> (da.special.erf(x) ** 2).copy_to_host().round(6)
array([0.      , 0.27092 , 0.710145])
"""

from __future__ import annotations

from devarray._primitives.operands import array_like as _array_like
from devarray._routines.math.compound import sinc
from devarray._routines.math.elementwise import cbrt, exp2, expm1, i0, log1p, round
from devarray.special import functions as _functions
from devarray.special.functions import *  # noqa: F403 - its __all__

psi = _functions.digamma
"""SciPy's other name of :func:`digamma`."""

__all__ = ["cbrt", "exp2", "expm1", "i0", "log1p", "psi", "round", "sinc", *_functions.__all__]

sinc = _array_like(sinc, __name__)
