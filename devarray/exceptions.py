"""NumPy's classes of errors and warnings, which devarray's own are derived from where NumPy raises them.

Examples
--------
>>> import devarray as da
>>> from devarray.exceptions import AxisError
>>> try:
...     da.ones(3).sum(axis=1)
... except AxisError as error:
...     print(error)
axis 1 is out of bounds for array of dimension 1
"""

from numpy.exceptions import (
    AxisError,
    ComplexWarning,
    DTypePromotionError,
    ModuleDeprecationWarning,
    RankWarning,
    TooHardError,
    VisibleDeprecationWarning,
)

__all__ = [
    "AxisError",
    "ComplexWarning",
    "DTypePromotionError",
    "ModuleDeprecationWarning",
    "RankWarning",
    "TooHardError",
    "VisibleDeprecationWarning",
]
