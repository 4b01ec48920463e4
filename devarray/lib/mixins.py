"""NumPy's operators for classes that have ufuncs of their own.

Examples
--------
>>> import devarray as da
>>> class Metres(da.lib.mixins.NDArrayOperatorsMixin):
...     def __init__(self, values):
...         self.values = values
...
...     def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
...         return Metres(getattr(ufunc, method)(*(getattr(x, "values", x) for x in inputs), **kwargs))
>>> (Metres(da.arange(3)) * 2).values.copy_to_host()
array([0, 2, 4])
"""

from numpy.lib.mixins import NDArrayOperatorsMixin

__all__ = ["NDArrayOperatorsMixin"]
