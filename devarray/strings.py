"""NumPy's functions of texts in arrays.

They stay on the host; functions copy arrays of the device there, and say so.

Examples
--------
>>> import devarray as da
>>> da.strings.upper(da.array(["a", "b"])).tolist()
['A', 'B']
"""

import numpy as np

from devarray._primitives.host_names import names_of

__all__ = list(np.strings.__all__)
__getattr__ = names_of(np.strings, "strings")
