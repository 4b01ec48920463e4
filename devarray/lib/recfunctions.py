"""NumPy's functions of arrays with fields.

They stay on the host; functions copy arrays of the device there, and say so.

Examples
--------
>>> import devarray as da
>>> from devarray.lib import recfunctions
>>> pairs = da.rec.fromarrays([[1, 2], [0.5, 1.5]], names="n,x")
>>> recfunctions.drop_fields(pairs, "n").tolist()
[(0.5,), (1.5,)]
"""

from numpy.lib import recfunctions as numpys

from devarray._primitives.host_names import names_of

__all__ = list(numpys.__all__)
__getattr__ = names_of(numpys, "lib.recfunctions")
