"""Work that runs on the host: over mapped memory by the strategy of CPUs, elsewhere as ``config.fallback`` says."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from devarray import _core
from devarray._runtime.config import config
from devarray.array import Array
from devarray.errors import Error, HiddenTransferWarning

if TYPE_CHECKING:
    from devarray._typing import DTypeLike

__all__ = ["LONG_ROW", "announce", "host_views", "plain_bools", "results_through_host", "through_host"]

LONG_ROW = 4096
"""Elements of a row from which on the host selects a few of them in less time than it sorts all."""


def host_views(arrays: Sequence[Array], written: Sequence[Array] = ()) -> list[np.ndarray] | None:
    """NumPy views of arrays, waiting for their queues; None where the strategy is not the CPUs'.

    Views of `written` arrays may be assigned to. Drop the views before the arrays are used on the device again. Bools
    that are read are copies: see :func:`plain_bools`.
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
    for i in range(len(arrays)):
        views[i] = plain_bools(views[i])
    return views


def plain_bools(host: np.ndarray) -> np.ndarray:
    """The array; of bools a copy in the bytes 0 and 1: NumPy adds up, sorts and searches bools by their bytes."""
    return host.view(np.uint8) != 0 if host.dtype == np.bool_ else host


def through_host(
    name: str, function: Callable[..., Any], arrays: Sequence[Array], shape: Sequence[int], dtype: DTypeLike | None
) -> Array:
    """The array of `shape` and `dtype` that ``function(*inputs, out)`` fills: :func:`results_through_host` for one."""
    return results_through_host(name, function, arrays, [(shape, dtype)])[0]


def results_through_host(
    name: str,
    function: Callable[..., Any],
    arrays: Sequence[Array],
    results: Sequence[tuple[Sequence[int], Any]],
) -> tuple[Array, ...]:
    """The arrays that ``function(*inputs, *outs)`` fills, all of them NumPy arrays.

    Parameters
    ----------
    name : str
        Of the public function, for the warning.
    function : callable
        It may raise LinAlgError; then no NumPy view outlives the call. It is not called where all results are empty.
    arrays : sequence of Array
        At least one; the first one's place is the results'.
    results : sequence of (shape, dtype)
    """
    first = arrays[0]
    fresh = tuple(_core.empty_at(first, shape, dtype) for shape, dtype in results)
    if all(x.size == 0 for x in fresh):
        return fresh
    views = host_views(arrays, fresh)
    if views is not None:
        error = _core.timed_on_host(name, lambda: _failure(function, views))
        if error is not None:
            raise error
        return fresh
    announce(name, first)
    outs = [np.empty(tuple(shape), dtype) for shape, dtype in results]
    function(*(plain_bools(x.copy_to_host()) for x in arrays), *outs)
    for x, out in zip(fresh, outs, strict=True):
        if x.size:
            _core.copy_from_host(x, out)
    return fresh


def _failure(function: Callable[..., Any], views: list[np.ndarray]) -> Exception | None:
    """What ``function(*views)`` raised. Its traceback would keep the memory mapped as long as somebody holds it."""
    try:
        function(*views)
    except np.linalg.LinAlgError as error:
        return error.with_traceback(None)
    return None


def announce(name: str, x: Array, stacklevel: int = 5) -> None:
    """Say that a function goes through the host, or refuse it, as ``config.fallback`` says.

    The warning is of the line that called the public function, so many calls above.
    """
    message = f"{name} has no kernel for {x.device} and goes through the host"
    if config.fallback == "raise":
        raise Error(f"{message}, which devarray.config.fallback = 'raise' forbids")
    if config.fallback == "warn":
        warnings.warn(message, HiddenTransferWarning, stacklevel=stacklevel)
