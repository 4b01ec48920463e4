"""NumPy's arrays of records with fields for attributes.

They stay on the host; functions copy arrays of the device there, and say so.

Examples
--------
>>> import devarray as da
>>> da.rec.fromarrays([[1, 2], [0.5, 1.5]], names="n,x").x.tolist()
[0.5, 1.5]
"""

import numpy as np

from devarray._primitives.host_names import names_of

__all__ = list(np.rec.__all__)
__getattr__ = names_of(np.rec, "rec")
