"""NumPy's functions of files of its format.

They stay on the host; functions copy arrays of the device there, and say so.

Examples
--------
>>> import devarray as da
>>> da.lib.format.magic(1, 0)[1:6]
b'NUMPY'
"""

import numpy as np

from devarray._primitives.host_names import names_of

__all__ = [name for name in dir(np.lib.format) if not name.startswith("_")]
__getattr__ = names_of(np.lib.format, "lib.format")
