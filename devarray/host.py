"""Work that runs on the host: over mapped memory on CPU devices, elsewhere as ``config.fallback`` says."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from devarray import _core
from devarray.array import Array
from devarray.config import config
from devarray.errors import Error, HiddenTransferWarning

__all__ = ["host_views", "through_host"]


def host_views(arrays: Sequence[Array], written: Sequence[Array] = ()) -> list[np.ndarray] | None:
    """NumPy views of arrays of a CPU device, waiting for their queues; None where the host cannot see the memory.

    Views of `written` arrays may be assigned to. Drop the views before the arrays are used on the device again.
    """
    views = []
    for x in (*arrays, *written):
        if x.size == 0:
            views.append(np.empty(x.shape, x.dtype))
            continue
        view = _core.host_array(x, any(x is w for w in written))
        if view is None:
            return None
        views.append(view)
    return views


def through_host(
    name: str, function: Callable[..., Any], arrays: Sequence[Array], shape: Sequence[int], dtype: Any
) -> Array:
    """The array of `shape` and `dtype` that ``function(*inputs, out)`` fills, all of them NumPy arrays.

    Parameters
    ----------
    name : str
        Of the public function, for the warning.
    function : callable
    arrays : sequence of Array
        At least one; the first one's place is the result's.
    shape, dtype
        Of the result.
    """
    first = arrays[0]
    result = _core.empty_at(first, shape, dtype)
    if result.size == 0:
        return result
    if first.device.type == "cpu":
        views = host_views(arrays, [result])
        if views is not None:
            function(*views)
            return result
    _announce(name, first)
    out = np.empty(tuple(shape), dtype)
    function(*(x.copy_to_host() for x in arrays), out)
    _core.copy_from_host(result, out)
    return result


def _announce(name: str, x: Array) -> None:
    message = f"{name} has no kernel for {x.device} and goes through the host"
    if config.fallback == "raise":
        raise Error(f"{message}, which devarray.config.fallback = 'raise' forbids")
    if config.fallback == "warn":
        warnings.warn(message, HiddenTransferWarning, stacklevel=4)
