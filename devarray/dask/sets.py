"""``dask.array.unique`` of device arrays: the parts' distinct values, and what is counted of them, as records."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from dask.array import routines

from devarray.array import Array

__all__ = ["register"]


def register() -> None:
    """Have Dask's parts of device arrays, which it would write into a host's records, made on the device.

    Examples
    --------
    >>> import devarray as da, dask.array as dsk
    >>> from devarray.dask import sets
    >>> sets.register()
    >>> x = dsk.from_array(da.asarray([3, 1, 3, 2]), chunks=2)
    >>> [part.copy_to_host().tolist() for part in dsk.compute(*dsk.unique(x, return_counts=True))]
    [[1, 2, 3], [1, 1, 2]]
    """
    original = routines._unique_internal
    if not hasattr(original, "of_hosts"):
        routines._unique_internal = _OfParts(original)


class _OfParts:
    """Dask's function of one part or of several that were joined: distinct values with the least of their indices and
    the sums of their counts, where these are wanted."""

    def __init__(self, of_hosts: Callable[..., Any]) -> None:
        self.of_hosts = of_hosts

    def __call__(self, ar: Any, indices: Any, counts: Any, return_inverse: bool = False) -> Any:
        if not isinstance(ar, Array):
            return self.of_hosts(ar, indices, counts, return_inverse)
        values, places = np.unique(ar, return_inverse=True)
        fields: dict[str, Any] = {"values": values}
        if indices is not None:
            fields["indices"] = np.full_like(values, np.iinfo(np.intp).max, dtype=np.intp)
            np.minimum.at(fields["indices"], places, indices)
        if return_inverse:
            fields["inverse"] = np.arange(values.size, dtype=np.intp, like=values)
        if counts is not None:
            fields["counts"] = np.zeros_like(values, dtype=np.intp)
            np.add.at(fields["counts"], places, counts)
        dtype = np.dtype([(name, field.dtype) for name, field in fields.items()], align=True)
        records = np.empty_like(values, dtype=dtype)
        for name, field in fields.items():
            records[name] = field
        return records
