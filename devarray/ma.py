"""NumPy's masked arrays. They stay on the host; functions copy arrays of the device there, and say so.

Examples
--------
>>> import devarray as da, numpy as np
>>> with da.use(fallback="allow"):
...     print(da.ma.masked_where([True, False], da.asarray([1, 2])))
[-- 2]
"""

import numpy as np

from devarray._primitives.host_names import names_of

__all__ = list(np.ma.__all__)
__getattr__ = names_of(np.ma, "ma", frozenset(["masked_array"]))
