"""devarray as the chunks of Dask's arrays: several devices, processes and machines, and data larger than memory.

Importing this module, or setting ``dask.config.set({"array.backend": "devarray"})``, tells :mod:`dask.array` how device
arrays are joined, counted, multiplied and copied to the host; so does the first device array that Dask is given by
itself. What is public here beside that: random numbers that do not depend on the chunks, files, and clusters.

Examples
--------
>>> import dask, dask.array as dsk, devarray.dask
>>> with dask.config.set({"array.backend": "devarray"}):
...     x = dsk.ones((1000, 1000), chunks=(250, 1000))
>>> (x @ x.T).sum().compute().item()
1000000000.0
"""

from __future__ import annotations

from importlib import import_module

from dask.array.backends import array_creation_dispatch

from devarray.dask.backend import Backend
from devarray.dask.files import from_npy_stack, from_zarr, store, to_npy_stack, to_zarr
from devarray.dask.host_arrays import from_host
from devarray.dask.lookups import register
from devarray.dask.random import Generator, RandomState, default_rng
from devarray.dask.threads import DeviceThreads

__all__ = [
    "Backend",
    "DeviceSpill",
    "DeviceThreads",
    "Generator",
    "LocalCluster",
    "RandomState",
    "default_rng",
    "from_host",
    "from_npy_stack",
    "from_zarr",
    "register",
    "store",
    "to_npy_stack",
    "to_zarr",
]

_OF_DISTRIBUTED = {"DeviceSpill": "devarray.dask.spill", "LocalCluster": "devarray.dask.cluster"}


def __getattr__(name: str) -> object:
    """What needs ``distributed``, which takes its time to import."""
    if name not in _OF_DISTRIBUTED:
        raise AttributeError(f"module 'devarray.dask' has no attribute {name!r}")
    return getattr(import_module(_OF_DISTRIBUTED[name]), name)


register()
array_creation_dispatch.register_backend("devarray", Backend())
