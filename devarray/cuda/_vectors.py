"""CUDA's vector types as structured dtypes, under the names of ``pycuda.gpuarray.vec``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from devarray.cuda._c_types import VECTORS
from devarray.errors import DTypeError

__all__ = ["vec"]


class vec:
    """CUDA's vector types: ``vec.float3`` is a dtype with the fields x, y, z; ``vec.make_float3(1, 2, 3)`` a value.

    Three components lie side by side, as CUDA has them; OpenCL's, in ``devarray.cl.cltypes``, have the room of four.

    Examples
    --------
    >>> from devarray.cuda.gpuarray import vec
    >>> vec.make_float3(1, 2, 3)["z"].item(), vec.float3.itemsize
    (3.0, 12)
    """


def _maker(name: str, dtype: np.dtype) -> Callable[..., np.ndarray]:
    count = len(dtype.names or ())

    def make(*components: Any) -> np.ndarray:
        if len(components) != count:
            raise DTypeError(f"make_{name} takes {count} components; {len(components)} were given")
        return np.array(components, dtype=dtype)

    make.__name__ = f"make_{name}"
    make.__doc__ = (
        f"A {name} of its components.\n\nParameters\n----------\n*components : number\n    As many as it has."
        f"\n\nReturns\n-------\nnumpy.ndarray\n    Without axes, of the dtype ``vec.{name}``."
    )
    return make


for _name, _dtype in VECTORS.items():
    setattr(vec, _name, _dtype)
    setattr(vec, f"make_{_name}", staticmethod(_maker(_name, _dtype)))
