"""``dask.config.set({"array.backend": "devarray"})``: Dask's functions that make arrays make device arrays."""

from __future__ import annotations

from typing import Any

import dask.array as dsk
from dask import config
from dask.array.backends import ArrayBackendEntrypoint

from devarray._routines.creation.filled import empty
from devarray.array import Array
from devarray.dask.lookups import register, to_devarray_dispatch
from devarray.dask.random import BitGenerator, RandomState

__all__ = ["Backend"]


class Backend(ArrayBackendEntrypoint):
    """What ``dask.array`` asks of a backend: the entry point "devarray" of the group ``dask.array.backends``.

    ``x.to_backend("devarray")`` moves the chunks of any Dask array to the device, and
    ``x.to_backend("numpy")`` to the host.

    Examples
    --------
    >>> import dask.array as dsk, devarray.dask
    >>> devarray.dask.Backend.zeros((2, 3), chunks=2).compute().device == devarray.device()
    True
    """

    def __init__(self) -> None:
        register()

    @classmethod
    def to_backend_dispatch(cls) -> Any:
        """The function that moves a chunk to the device.

        Returns
        -------
        dask.utils.Dispatch
            Of the chunk.

        Examples
        --------
        >>> import numpy as np, devarray.dask
        >>> devarray.dask.Backend.to_backend_dispatch()(np.ones(2)).shape
        (2,)
        """
        return to_devarray_dispatch

    @classmethod
    def to_backend(cls, data: Any, **where: Any) -> Any:
        """The Dask array with its chunks on the device.

        Parameters
        ----------
        data : dask.array.Array
            Of any chunks that devarray can take.
        **where
            `device`, `allocator` and `queue`, as :func:`devarray.asarray` takes them.

        Returns
        -------
        dask.array.Array
            `data` itself where its chunks are device arrays.

        Examples
        --------
        >>> import dask.array as dsk, devarray.dask
        >>> devarray.dask.Backend.to_backend(dsk.ones(4, chunks=2)).sum().compute().item()
        4.0
        """
        if isinstance(data._meta, Array):
            return data
        return data.map_blocks(to_devarray_dispatch, meta=to_devarray_dispatch(data._meta, **where), **where)

    @property
    def RandomState(self) -> type[RandomState]:
        """What the chunks of ``dask.array.random``'s older functions are drawn by."""
        return RandomState

    @property
    def default_bit_generator(self) -> type[BitGenerator]:
        """What ``dask.array.random.default_rng`` draws by."""
        return BitGenerator

    @staticmethod
    def ones(*args: object, **kwargs: object) -> Any:
        """``dask.array.ones``.

        Parameters
        ----------
        *args, **kwargs
            Dask's.

        Returns
        -------
        dask.array.Array
            Of device arrays.

        Examples
        --------
        >>> import devarray.dask
        >>> devarray.dask.Backend.ones(3).sum().compute().item()
        3.0
        """
        return _made("ones", *args, **kwargs)

    @staticmethod
    def zeros(*args: object, **kwargs: object) -> Any:
        """``dask.array.zeros``.

        Parameters
        ----------
        *args, **kwargs
            Dask's.

        Returns
        -------
        dask.array.Array
            Of device arrays.

        Examples
        --------
        >>> import devarray.dask
        >>> devarray.dask.Backend.zeros(3).sum().compute().item()
        0.0
        """
        return _made("zeros", *args, **kwargs)

    @staticmethod
    def empty(*args: object, **kwargs: object) -> Any:
        """``dask.array.empty``.

        Parameters
        ----------
        *args, **kwargs
            Dask's.

        Returns
        -------
        dask.array.Array
            Of device arrays.

        Examples
        --------
        >>> import devarray.dask
        >>> devarray.dask.Backend.empty(3).compute().shape
        (3,)
        """
        return _made("empty", *args, **kwargs)

    @staticmethod
    def full(*args: object, **kwargs: object) -> Any:
        """``dask.array.full``.

        Parameters
        ----------
        *args, **kwargs
            Dask's.

        Returns
        -------
        dask.array.Array
            Of device arrays.

        Examples
        --------
        >>> import devarray.dask
        >>> devarray.dask.Backend.full(3, 2.5).sum().compute().item()
        7.5
        """
        return _made("full", *args, **kwargs)

    @staticmethod
    def arange(*args: object, like: object = None, **kwargs: object) -> Any:
        """``dask.array.arange``.

        Parameters
        ----------
        *args, **kwargs
            Dask's.
        like : array, optional
            Whose type the chunks have; a device array by default.

        Returns
        -------
        dask.array.Array
            Of device arrays.

        Examples
        --------
        >>> import devarray.dask
        >>> devarray.dask.Backend.arange(5, chunks=2).sum().compute().item()
        10
        """
        with config.set({"array.backend": "numpy"}):
            return dsk.arange(*args, like=empty(0) if like is None else like, **kwargs)


def _made(function: str, /, *args: object, meta: object = None, **kwargs: object) -> Any:
    with config.set({"array.backend": "numpy"}):
        return getattr(dsk, function)(*args, meta=empty(0) if meta is None else meta, **kwargs)
