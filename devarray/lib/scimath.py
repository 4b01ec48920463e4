"""Another name of :mod:`devarray.emath`, as NumPy has it.

Examples
--------
>>> from devarray.lib import scimath
>>> scimath.sqrt([-1.0, 4.0]).copy_to_host()
array([0.+1.j, 2.+0.j])
"""

from devarray.emath import arccos, arcsin, arctanh, log, log2, log10, logn, power, sqrt

__all__ = ["arccos", "arcsin", "arctanh", "log", "log2", "log10", "logn", "power", "sqrt"]
