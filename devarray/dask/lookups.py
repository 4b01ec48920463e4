"""What Dask looks up by the type of a chunk: joining, taking, products, counts, percentiles, transfers, sizes.

NumPy's functions among them hand device arrays on to ours (``__array_function__``), host arrays beside them moved.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from dask import config
from dask.array import chunk_types, dispatch
from dask.array.backends import _nannumel, _numel_ndarray
from dask.array.numpy_compat import divide
from dask.array.percentile import _percentile
from dask.sizeof import sizeof
from dask.utils import Dispatch

from devarray._primitives.convert import asarray
from devarray._routines.creation.filled import empty, full
from devarray.array import Array
from devarray.dask import for_devices
from devarray.interop.dask_sizeof import register as register_sizeof

__all__ = ["register", "to_devarray_dispatch"]

to_devarray_dispatch = Dispatch("to_devarray_dispatch")
"""By a chunk's type: the function that makes a device array of it."""


def register() -> None:
    """Tell ``dask.array`` about device arrays. Importing ``devarray.dask`` does; calling it again changes nothing.

    Examples
    --------
    >>> import devarray.dask, dask.array as dsk
    >>> devarray.dask.register()
    >>> dsk.percentile(dsk.from_array(devarray.arange(101.0), chunks=50), [0, 100]).compute().tolist()
    [0.0, 100.0]
    """
    if chunk_types.is_valid_chunk_type(Array):
        return
    for kind in for_devices.DEVICE_ARRAYS:
        chunk_types.register_chunk_type(kind)
        for lookup, function in _LOOKUPS.items():
            lookup.register(kind, function)
        to_devarray_dispatch.register(kind, lambda data, **where: data)
    to_devarray_dispatch.register((np.ndarray, np.generic), asarray)
    register_sizeof(sizeof)
    for_devices.register()
    # distributed's other way, by files and buffers ("p2p"), takes memory of the host only
    config.update_defaults({"array": {"rechunk": {"method": "tasks"}}})


def _joined(arrays: Sequence[Any], axis: int = 0, **kwargs: Any) -> Any:
    """NumPy's concatenate. Dask joins along one axis after the other, along most of them one block: no copy of that."""
    return arrays[0] if len(arrays) == 1 and not kwargs else np.concatenate(arrays, axis, **kwargs)


def _empty(shape: Any, dtype: Any = np.float64, **_: object) -> Array:
    return empty(shape, dtype)


def _percentiles(a: Array, q: object, method: str = "linear") -> Any:
    return _percentile(a, q, method)


def _number(x: Array, **kwargs: object) -> Any:
    """How many elements a reduction takes, each the same: of all on the host, where the device's would come anyway."""
    count = _numel_ndarray(x, **kwargs)
    if _whole(x, kwargs.get("axis")):
        return count
    value = count.flat[0] if count.size else 0
    return full(count.shape, value, dtype=count.dtype, queue=x.queue, allocator=x.allocator)


def _number_without_nan(x: Array, **kwargs: object) -> Any:
    """As :func:`_number`, of what is no NaN. Dask writes into the sum of these, and values are read-only."""
    count = _nannumel(x, **kwargs)
    return count.copy_to_host() if _whole(x, kwargs.get("axis")) else count


def _whole(x: Array, axis: object) -> bool:
    """Whether a reduction along these axes leaves one number."""
    return axis is None or len(axis if isinstance(axis, tuple | list) else (axis,)) == x.ndim


def _to_numpy(data: Array, **_: object) -> np.ndarray:
    return data.copy_to_host()


_LOOKUPS: dict[Dispatch, Callable[..., Any]] = {
    dispatch.concatenate_lookup: _joined,
    dispatch.take_lookup: np.take,
    dispatch.tensordot_lookup: np.tensordot,
    dispatch.einsum_lookup: np.einsum,
    dispatch.empty_lookup: _empty,
    dispatch.divide_lookup: divide,
    dispatch.percentile_lookup: _percentiles,
    dispatch.numel_lookup: _number,
    dispatch.nannumel_lookup: _number_without_nan,
    dispatch.to_numpy_dispatch: _to_numpy,
}
