"""``numpy.polynomial.hermite_e`` for arrays of the device."""

from numpy.polynomial import hermite_e as _numpys

from devarray.polynomial._classes import CLASSES
from devarray.polynomial._of_host import names_of

__all__ = list(_numpys.__all__)

__getattr__ = names_of(_numpys, CLASSES)
