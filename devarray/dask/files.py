"""Zarr and NumPy files to and from chunks on devices: Dask's functions, with the transfers between."""

from __future__ import annotations

from typing import Any

import dask.array as dsk

from devarray.dask.backend import Backend

__all__ = ["from_npy_stack", "from_zarr", "store", "to_npy_stack", "to_zarr"]


def from_zarr(
    url: object, *args: object, device: object = None, allocator: object = None, queue: object = None, **kwargs: object
) -> Any:
    """``dask.array.from_zarr``, with the chunks on the device.

    Parameters
    ----------
    url : zarr.Array, str or mapping
        What to read.
    *args, **kwargs
        Dask's.
    device, allocator, queue : optional
        Where the chunks are made, and the queue that orders their work, as in :func:`devarray.asarray`.

    Returns
    -------
    dask.array.Array
        Of device arrays; each chunk is read and moved in one task.

    Examples
    --------
    >>> import tempfile, dask.array as dsk, devarray.dask
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     devarray.dask.to_zarr(dsk.from_array(devarray.arange(6), chunks=3), folder)
    ...     devarray.dask.from_zarr(folder).sum().compute().item()
    15
    """
    where = {"device": device, "allocator": allocator, "queue": queue}
    given = {key: value for key, value in where.items() if value is not None}
    return Backend.to_backend(dsk.from_zarr(url, *args, **kwargs), **given)


def to_zarr(x: Any, url: Any, *args: Any, **kwargs: Any) -> Any:
    """``dask.array.to_zarr``: each chunk is copied to the host and written.

    Parameters
    ----------
    x : dask.array.Array
        Of device arrays.
    url : zarr.Array, str or mapping
        Where to write.
    *args, **kwargs
        Dask's.

    Returns
    -------
    object
        What Dask returns.

    Examples
    --------
    >>> import tempfile, zarr, devarray.dask
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     devarray.dask.to_zarr(devarray.dask.Backend.ones((2, 4), chunks=2), folder)
    ...     zarr.open(folder).shape
    (2, 4)
    """
    return dsk.to_zarr(x.to_backend("numpy"), url, *args, **kwargs)


def from_npy_stack(dirname: str, mmap_mode: str | None = "r") -> Any:
    """``dask.array.from_npy_stack``, with the chunks on the device.

    Parameters
    ----------
    dirname : str
        The folder of .npy files.
    mmap_mode : str, optional
        As :func:`numpy.load` takes it.

    Returns
    -------
    dask.array.Array
        Of device arrays.

    Examples
    --------
    >>> import tempfile, devarray.dask
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     devarray.dask.to_npy_stack(folder, devarray.dask.Backend.ones((4, 2), chunks=2))
    ...     devarray.dask.from_npy_stack(folder).sum().compute().item()
    8.0
    """
    return Backend.to_backend(dsk.from_npy_stack(dirname, mmap_mode))


def to_npy_stack(dirname: str, x: Any, axis: int = 0) -> None:
    """``dask.array.to_npy_stack``: each chunk is copied to the host and written.

    Parameters
    ----------
    dirname : str
        The folder of .npy files.
    x : dask.array.Array
        Of device arrays.
    axis : int
        The axis along which each file holds a block.

    Examples
    --------
    >>> import os, tempfile, devarray.dask
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     devarray.dask.to_npy_stack(folder, devarray.dask.Backend.ones((4, 2), chunks=2))
    ...     sorted(os.listdir(folder))
    ['0.npy', '1.npy', 'info']
    """
    dsk.to_npy_stack(dirname, x.to_backend("numpy"), axis)


def store(sources: Any, targets: Any, **kwargs: Any) -> Any:
    """``dask.array.store`` into NumPy arrays, memory-mapped files and whatever is assigned to by slices.

    Parameters
    ----------
    sources : dask.array.Array or sequence of them
        Of device arrays.
    targets : array_like or sequence of them
        Where to write.
    **kwargs
        Dask's.

    Returns
    -------
    object
        What Dask returns.

    Examples
    --------
    >>> import numpy as np, devarray.dask
    >>> target = np.zeros(4)
    >>> done = devarray.dask.store(devarray.dask.Backend.ones(4, chunks=2), target)
    >>> target.sum()
    np.float64(4.0)
    """
    several = isinstance(sources, list | tuple)
    moved = [x.to_backend("numpy") for x in (sources if several else [sources])]
    return dsk.store(moved if several else moved[0], targets, **kwargs)
