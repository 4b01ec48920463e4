"""NumPy's masked arrays. They stay on the host; functions copy arrays of the device there, and say so.

Examples
--------
>>> import devarray as da, numpy as np
>>> with da.use(fallback="allow"):
...     print(da.ma.masked_where([True, False], da.asarray([1, 2])))
[-- 2]
"""

from typing import Any

import numpy as np

from devarray._primitives.host_calls import on_host_alone

__all__ = list(np.ma.__all__)


def __getattr__(name: str) -> Any:
    """NumPy's name; what is called takes arrays of the device, but for classes, which `isinstance` is asked for."""
    if name.startswith("_") or not hasattr(np.ma, name):
        raise AttributeError(f"module 'devarray.ma' has no attribute {name!r}")
    found = getattr(np.ma, name)
    if not callable(found) or (isinstance(found, type) and name != "masked_array"):
        return found
    return on_host_alone(found, f"ma.{name}")
