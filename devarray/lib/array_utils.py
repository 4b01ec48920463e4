"""NumPy's functions for the arguments of functions of arrays.

Examples
--------
>>> from devarray.lib.array_utils import normalize_axis_tuple
>>> normalize_axis_tuple((-1, 0), 3)
(2, 0)
"""

from numpy.lib.array_utils import byte_bounds, normalize_axis_index, normalize_axis_tuple

__all__ = ["byte_bounds", "normalize_axis_index", "normalize_axis_tuple"]
