"""NumPy's classes of dtypes.

Examples
--------
>>> import devarray as da
>>> from devarray.dtypes import Float32DType
>>> isinstance(da.ones(2, da.float32).dtype, Float32DType)
True
"""

from typing import Any

import numpy as np

__all__ = list(np.dtypes.__all__)


def __getattr__(name: str) -> Any:
    """NumPy's class of the name."""
    if name not in __all__:
        raise AttributeError(f"module 'devarray.dtypes' has no attribute {name!r}")
    return getattr(np.dtypes, name)
