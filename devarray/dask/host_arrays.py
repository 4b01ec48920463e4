"""Arrays of the host whose chunks go to devices when they are wanted."""

from __future__ import annotations

import uuid
from functools import partial
from typing import Any

import dask.array as dsk
import numpy as np
from dask.array.core import normalize_chunks

from devarray._routines.creation.filled import empty
from devarray._routines.transfers import to_device
from devarray.array import Array
from devarray.errors import DTypeError, ShapeError

__all__ = ["from_host"]


class _Host:
    """Hides an array from Dask, which would copy it as a whole."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array


def from_host(
    x: np.ndarray, chunks: Any = "auto", *, device: object = None, allocator: object = None, queue: object = None
) -> Any:
    """A Dask array over memory of the host or a memory-mapped file, of which each chunk is copied to the device by the
    task that wants it.

    ``dask.array.from_array`` copies all of an array of the host first. Here nothing is copied until then, and nothing
    twice: `x` is read each time that a chunk is computed. Memory that is page-locked (:func:`devarray.pinned_array`) is
    read by the device itself, without a copy on the host, and its copies are enqueued: it must not change before
    they are done.

    Parameters
    ----------
    x : numpy.ndarray
        The array, possibly a ``numpy.memmap``.
    chunks : int, tuple or str
        As Dask takes them.
    device, allocator, queue : optional
        Where the chunks are made, and the queue that orders their work, as in :func:`devarray.asarray`.

    Returns
    -------
    dask.array.Array
        Of device arrays.

    Raises
    ------
    DTypeError
        Where `x` is no NumPy array.
    ShapeError
        For an array of no dims.

    Examples
    --------
    >>> import numpy as np, devarray.dask
    >>> devarray.dask.from_host(np.arange(6.0), chunks=2).sum().compute().item()
    15.0
    """
    if not isinstance(x, np.ndarray):
        raise DTypeError(f"from_host() takes a NumPy array, not {type(x).__name__}; dask.array.from_array takes others")
    if not x.ndim:
        raise ShapeError(
            "from_host() takes an array of at least one dim, not one value; dask.array.from_array takes it"
        )
    where = {"device": device, "allocator": allocator, "queue": queue}
    parts = normalize_chunks(chunks, x.shape, dtype=x.dtype)
    read = partial(_read, _Host(x), where)
    token = uuid.uuid4().hex  # of all values it would take longer than to move them
    meta = empty((0,) * x.ndim, x.dtype)
    return dsk.map_blocks(read, chunks=parts, dtype=x.dtype, meta=meta, name=f"from_host-{token}")


def _read(host: _Host, where: dict[str, Any], block_info: Any = None) -> Any:
    piece = host.array[tuple(slice(*ends) for ends in block_info[None]["array-location"])]
    made = to_device(piece, where["queue"], copy=False, device=where["device"], allocator=where["allocator"])
    place = made if isinstance(made, Array) else made.bytes
    made.copy_to_device(piece, stream=place.queue)  # enqueued where the piece is page-locked; done after the call else
    return made
