"""NumPy's module for ctypes; its arrays lie on the host.

Examples
--------
>>> import devarray as da
>>> da.ctypeslib.as_ctypes_type(da.int32).__name__
'c_int'
"""

from numpy.ctypeslib import as_array, as_ctypes, as_ctypes_type, c_intp, load_library, ndpointer

__all__ = ["as_array", "as_ctypes", "as_ctypes_type", "c_intp", "load_library", "ndpointer"]
