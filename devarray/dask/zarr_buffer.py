"""What Zarr holds values in on their way to a file, for arrays that Zarr is given as they are: ``stored[...] = x``.

Zarr's own buffer takes any array for one of the host's. :func:`devarray.dask.to_zarr` needs none of this.
"""

from __future__ import annotations

from typing import Any

from zarr.core.buffer import cpu
from zarr.registry import register_ndbuffer

from devarray.array import Array

__all__ = ["NDBuffer"]


class NDBuffer(cpu.NDBuffer):
    """Zarr's buffer in the host's memory, to which device arrays are copied.

    With it ``x.to_zarr(path)`` and ``dask.array.to_zarr(x, path)`` write device chunks, and ``stored[i] = x`` does.

    Examples
    --------
    >>> import devarray as da, zarr, devarray.dask.zarr_buffer
    >>> stored = zarr.create_array(zarr.storage.MemoryStore(), shape=4, chunks=2, dtype="f8")
    >>> with zarr.config.set({"ndbuffer": "devarray.dask.zarr_buffer.NDBuffer"}):
    ...     stored[1:3] = da.ones(2)
    >>> stored[:]
    array([0., 1., 1., 0.])
    """

    @classmethod
    def from_ndarray_like(cls, ndarray_like: object) -> NDBuffer:
        """The buffer of an array's values; a device array is copied to the host."""
        on_host: Any = ndarray_like.copy_to_host() if isinstance(ndarray_like, Array) else ndarray_like
        return cls(on_host)


register_ndbuffer(NDBuffer)
