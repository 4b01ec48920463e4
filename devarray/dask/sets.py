"""``dask.array.unique`` of device arrays: a part's distinct values, and what is counted of them, as records."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["unique_of_a_part"]


def unique_of_a_part(ar: Any, indices: Any, counts: Any, return_inverse: bool = False) -> Any:
    """Dask's function of one part or of several that were joined: distinct values with the least of their indices and
    the sums of their counts, where these are wanted.

    Parameters
    ----------
    ar : Array or DatetimeArray
        The part's values.
    indices, counts : Array or None
        Of each value.
    return_inverse : bool
        Whether records have a field for it.

    Returns
    -------
    OpaqueArray
        Records of ``values`` and of what is wanted of ``indices``, ``inverse`` and ``counts``.

    Examples
    --------
    >>> import devarray as da
    >>> from devarray.dask.sets import unique_of_a_part
    >>> part = unique_of_a_part(da.asarray([3, 1, 3]), None, da.ones(3, dtype=int))
    >>> part["values"].tolist(), part["counts"].tolist()
    ([1, 3], [1, 2])
    """
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
