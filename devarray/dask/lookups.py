"""What Dask looks up by the type of a chunk: joining, taking, products, counts, percentiles, transfers, sizes."""

from __future__ import annotations

from typing import Any

import numpy as np
from dask.array import chunk_types, dispatch
from dask.array.backends import _nannumel, _numel_arraylike
from dask.array.numpy_compat import divide
from dask.array.percentile import _percentile
from dask.sizeof import sizeof
from dask.utils import Dispatch

from devarray._primitives.convert import asarray
from devarray._routines.creation.filled import empty
from devarray._routines.manipulation import shapes
from devarray._routines.sorting import searching
from devarray.array import Array
from devarray.interop.dask_sizeof import register as register_sizeof
from devarray.linalg import einsum as contraction
from devarray.linalg import products

__all__ = ["register", "to_devarray_dispatch"]

to_devarray_dispatch = Dispatch("to_devarray_dispatch")
"""By a chunk's type: the function that makes a device array of it."""

_HOW = ("casting", "optimize", "order")  # parameters of NumPy's einsum about how, not what


def register() -> None:
    """Tell ``dask.array`` about device arrays. Importing ``devarray.dask`` does; calling it again changes nothing.

    Examples
    --------
    >>> import devarray.dask, dask.array as dsk
    >>> devarray.dask.register()
    >>> dsk.percentile(dsk.from_array(devarray.arange(101.0), chunks=50), [25, 75]).compute().tolist()
    [25.0, 75.0]
    """
    if chunk_types.is_valid_chunk_type(Array):
        return
    chunk_types.register_chunk_type(Array)
    dispatch.concatenate_lookup.register(Array, shapes.concatenate)
    dispatch.take_lookup.register(Array, searching.take)
    dispatch.tensordot_lookup.register(Array, products.tensordot)
    dispatch.einsum_lookup.register(Array, _einsum)
    dispatch.empty_lookup.register(Array, _empty)
    dispatch.divide_lookup.register(Array, divide)
    dispatch.percentile_lookup.register(Array, _percentiles)
    dispatch.numel_lookup.register(Array, _numel_arraylike)
    dispatch.nannumel_lookup.register(Array, _nannumel)
    dispatch.to_numpy_dispatch.register(Array, _to_numpy)
    to_devarray_dispatch.register(Array, lambda data, **where: data)
    to_devarray_dispatch.register((np.ndarray, np.generic), asarray)
    register_sizeof(sizeof)


def _einsum(*operands: Any, **how: Any) -> Array:
    return contraction.einsum(*operands, **{key: value for key, value in how.items() if key not in _HOW})


def _empty(shape: Any, dtype: Any = np.float64, **_: Any) -> Array:
    return empty(shape, dtype)


def _percentiles(a: Array, q: Any, method: str = "linear") -> Any:
    return _percentile(a, q, method)


def _to_numpy(data: Array, **_: Any) -> np.ndarray[Any, Any]:
    return data.copy_to_host()
