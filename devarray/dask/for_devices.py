"""Functions of Dask that are written for NumPy's arrays only: what takes their place for device arrays.

Dask has no table for these, so each of its functions is replaced in its module by one that asks what it is given.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from importlib import import_module
from typing import Any

import dask.array as dsk
import numpy as np
from dask import config

from devarray._primitives.opaque import OpaqueArray
from devarray.array import Array
from devarray.dask import sets
from devarray.errors import ShapeError

__all__ = ["DEVICE_ARRAYS", "ForDevices", "has_device_chunks", "register"]

DEVICE_ARRAYS = (Array, OpaqueArray)
"""The classes of chunks on devices: numbers, and dates and records."""


def has_device_chunks(x: object) -> bool:
    """Whether something is a device array, or a Dask array of them.

    Parameters
    ----------
    x : object
        Anything.

    Returns
    -------
    bool
        As Dask's own description of the chunks says.

    Examples
    --------
    >>> import devarray as da, dask.array as dsk
    >>> from devarray.dask.for_devices import has_device_chunks
    >>> has_device_chunks(dsk.from_array(da.arange(4), chunks=2)), has_device_chunks(dsk.arange(4))
    (True, False)
    """
    return isinstance(x, DEVICE_ARRAYS) or isinstance(getattr(x, "_meta", None), DEVICE_ARRAYS)


class ForDevices:
    """One of Dask's functions, which has another one do the work where an argument is on a device.

    Workers unpickle it by its name, and get Dask's own where ``devarray.dask`` was not imported.

    Parameters
    ----------
    module : str
        The module of Dask.
    name : str
        The function's name there.
    of_devices : callable
        Takes Dask's function, then what that is given.
    """

    def __init__(self, module: str, name: str, of_devices: Callable[..., Any]) -> None:
        self.place = (module, name)
        self.of_hosts = _found(module, name)
        self.of_devices = of_devices
        functools.update_wrapper(self, self.of_hosts)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if any(map(has_device_chunks, args)):
            return self.of_devices(self.of_hosts, *args, **kwargs)
        return self.of_hosts(*args, **kwargs)

    def __reduce__(self) -> tuple[Any, ...]:
        return _found, self.place

    def __dask_tokenize__(self) -> tuple[str, str]:
        return self.place


def register() -> None:
    """Put them into Dask's modules; again changes nothing.

    Examples
    --------
    >>> import devarray as da, dask.array as dsk
    >>> from devarray.dask import for_devices
    >>> for_devices.register()
    >>> x = dsk.from_array(da.asarray([3, 0, 1]), chunks=2)
    >>> dsk.flatnonzero(x).compute().tolist()
    [0, 2]
    """
    for (module, name), of_devices in _FUNCTIONS.items():
        original = getattr(import_module(module), name, None)
        if original is None or isinstance(original, ForDevices):  # None in a Dask that has no such function
            continue
        ours = ForDevices(module, name, of_devices)
        setattr(import_module(module), name, ours)
        if getattr(dsk, name, None) is original:
            setattr(dsk, name, ours)


def _found(module: str, name: str) -> Any:
    return getattr(import_module(module), name)


# --- of chunks --------------------------------------------------------------------------------------------------------


def _unique(of_hosts: Any, ar: Any, indices: Any, counts: Any, return_inverse: bool = False) -> Any:
    return sets.unique_of_a_part(ar, indices, counts, return_inverse)


def _is_null(of_hosts: Any, values: Any) -> Any:
    """pandas' ``isnull``: NaN and "not a time"."""
    if values.dtype.kind in "fcmM":
        return values != values
    return np.zeros_like(values, dtype=bool)


def _histogram_of_rows(of_hosts: Any, sample: Any, bins: Any, range: Any, weights: Any) -> Any:
    return np.histogramdd(sample, bins, range=range, weights=weights)[0][None]


def _histogram_of_columns(of_hosts: Any, *args: Any) -> Any:
    *sample, bins, range, weights = args
    return np.histogramdd(sample, bins=bins, range=range, weights=weights)[0][None]


def _triangular(of_hosts: Any, a: Any, b: Any, lower: bool = False) -> Any:
    """SciPy's ``solve_triangular``: half of the matrix counts."""
    if a.ndim != 2 or a.shape[0] != a.shape[1] or b.shape[:1] != a.shape[:1]:
        raise ShapeError(f"solve_triangular() is given {a.shape} and {b.shape}; (n, n) and (n,) or (n, m) are wanted")
    return np.linalg.solve(np.tril(a) if lower else np.triu(a), b)


# --- of Dask arrays ---------------------------------------------------------------------------------------------------


def _arg_where(of_hosts: Any, a: Any) -> Any:
    """Dask's, with the numbers of the places made on the device."""
    with config.set({"array.backend": "devarray"}):
        return of_hosts(a)


def _rechunk(
    of_hosts: Any,
    x: Any,
    chunks: Any = "auto",
    threshold: Any = None,
    block_size_limit: Any = None,
    balance: bool = False,
    method: str | None = None,
) -> Any:
    """Dask's. Its exchange between all workers takes the host's memory only: there and back, where it is asked for."""
    how = (chunks, threshold, block_size_limit, balance, method)
    if not (has_device_chunks(x) and (method or config.get("array.rechunk.method", None)) == "p2p"):
        return of_hosts(x, *how)
    on_host = x.to_backend("numpy")
    made = of_hosts(on_host, *how)
    return x if made is on_host else made.to_backend("devarray")


_FUNCTIONS: dict[tuple[str, str], Callable[..., Any]] = {
    ("dask.array.routines", "_unique_internal"): _unique,
    ("dask.array.routines", "_asarray_isnull"): _is_null,
    ("dask.array.routines", "_block_histogramdd_rect"): _histogram_of_rows,
    ("dask.array.routines", "_block_histogramdd_multiarg"): _histogram_of_columns,
    ("dask.array.routines", "argwhere"): _arg_where,
    ("dask.array.linalg", "solve_triangular_safe"): _triangular,
    ("dask.array.rechunk", "rechunk"): _rechunk,
}
