"""Clusters of one machine: a worker a device, over Dask's own classes."""

from __future__ import annotations

from typing import Any

import distributed

from devarray._runtime.devices import Device
from devarray.dask import frames, ipc  # registers them in this process, as "preload" does in the workers
from devarray.dask.spill import DeviceSpill

__all__ = ["LocalCluster"]


class LocalCluster(distributed.SpecCluster):
    """``distributed.LocalCluster`` with one worker process a device, which knows device arrays.

    Each worker has one thread by default, since the work of a device is ordered by its queue, and sees its own device:
    ``DEVARRAY_DEVICE`` of its process says which. Everything else is Dask's.

    Parameters
    ----------
    devices : int or sequence of str or Device, optional
        A number of workers, which share the default device; or the device of each, as ``DEVARRAY_DEVICE`` or
        :func:`devarray.device` names it. By default one worker for the default device.
    threads_per_worker : int
        How many tasks a worker runs at once.
    device_memory : int or str, optional
        Bytes of its device that a worker's chunks may take, as ``"8 GiB"``: what is beyond goes to the host, then to
        the disk (:class:`DeviceSpill`). By default chunks count as the worker's memory, as Dask has it.
    device_pool : int or str, optional
        With `device_memory`: the most bytes of its device that a worker takes at all, for its chunks and for what tasks
        make beside them. Where that is too little for a task, chunks go to the host.
    memory_limit : int or str, optional
        Dask's: bytes of the host for each worker.
    dashboard_address : str, optional
        Where Dask's dashboard listens, as ``":8787"``; by default there is none.
    env : dict, optional
        Environment variables of the workers, beside DEVARRAY_DEVICE.
    **kwargs
        Those of ``distributed.SpecCluster``, as `asynchronous` and `silence_logs`.

    Examples
    --------
    >>> import dask.array as dsk, devarray.dask
    >>> from distributed import Client
    >>> with devarray.dask.LocalCluster(2) as cluster, Client(cluster):  # doctest: +SKIP
    ...     float(devarray.dask.default_rng(0).normal(size=10**6, chunks=10**5).std().compute())
    1.0005
    """

    def __init__(
        self,
        devices: Any = 1,
        *,
        threads_per_worker: int = 1,
        device_memory: int | str | None = None,
        device_pool: int | str | None = None,
        memory_limit: int | str | None = "auto",
        env: dict[str, str] | None = None,
        dashboard_address: str | None = None,
        **kwargs: object,
    ) -> None:
        names = [None] * devices if isinstance(devices, int) else [_name_of(device) for device in devices]
        data = (
            None
            if device_memory is None
            else (
                DeviceSpill,
                {"device_limit": device_memory, "host_limit": memory_limit, "pool_limit": device_pool},
            )
        )
        common = {
            "nthreads": threads_per_worker,
            "memory_limit": memory_limit,
            "preload": ["devarray.dask", frames.__name__, ipc.__name__],
            **({} if data is None else {"data": data}),
        }
        workers = {
            i: {
                "cls": distributed.Nanny,
                "options": {**common, "env": {**(env or {}), **({} if name is None else {"DEVARRAY_DEVICE": name})}},
            }
            for i, name in enumerate(names)
        }
        scheduler = {
            "cls": distributed.Scheduler,
            "options": {
                "host": "localhost",
                "dashboard_address": dashboard_address or ":0",
                "dashboard": bool(dashboard_address),
            },
        }
        super().__init__(scheduler=scheduler, workers=workers, **kwargs)


def _name_of(device: object) -> str:
    return f"{device.driver}:{device.index}" if isinstance(device, Device) else str(device)
