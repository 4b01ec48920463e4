"""Values that are assigned to elements, as arrays of their dtype."""

from __future__ import annotations

import numpy as np

from devarray import _core
from devarray._array.numbers import numbers_in
from devarray._primitives.convert import as_value, holds_arrays
from devarray.array import Array
from devarray.errors import DeviceError, DTypeError
from devarray.ops.dtypes import on_no_device

__all__ = ["stored_in"]


def stored_in(value: object, x: Array) -> Array:
    """A value as an array of x's dtype where x lives."""
    if isinstance(value, Array):
        if value.device is not x.device:
            raise DeviceError(f"the value is on {value.device}, the array on {x.device}; move one with to_device()")
        return value.astype(x.dtype, copy=False)
    if hasattr(value, "_numbers"):  # an OpaqueArray: of numbers, or an error that says so
        return stored_in(value._numbers(), x)
    if isinstance(value, list | tuple) and holds_arrays(value):
        return as_value(value, x).astype(x.dtype, copy=False)
    if isinstance(value, list | tuple | range):
        value = numbers_in(value, x.dtype)
    host = np.asarray(value)
    if on_no_device(host.dtype):
        host = value = host.astype(x.dtype)  # NumPy makes numbers of text and objects, or says what it cannot read
    if host.ndim:
        if host.dtype.kind not in "biufc":
            raise DTypeError(f"values of dtype {host.dtype} cannot be stored in an array of {x.dtype}")
        host = host.astype(host.dtype.newbyteorder("="), copy=False)
        value = _core.empty(host.shape, host.dtype, x.queue, x.allocator)
        if host.size:
            _core.copy_from_host(value, host)
        return value.astype(x.dtype, copy=False)
    single = _core.empty_at(x, (), None)
    if isinstance(value, np.generic) and value.dtype.kind in "iuf" and x.dtype.kind == "i":
        value = value.astype(x.dtype)  # cast, where an element or a slice takes what fits alone
    single[()] = value
    return single
