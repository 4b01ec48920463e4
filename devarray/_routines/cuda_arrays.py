"""The CUDA array interface by numba.cuda's names; `asarray` takes objects that have it, too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from devarray._primitives.cuda_interface import device_of, of_interface
from devarray._runtime.devices import device
from devarray.array import Array
from devarray.errors import DeviceError, DTypeError

__all__ = ["as_cuda_array", "from_cuda_array_interface", "is_cuda_array"]


def is_cuda_array(obj: object) -> bool:
    """Whether an object has the CUDA array interface: a device array of CUDA, of this library or another one.

    Parameters
    ----------
    obj : object
        Anything.

    Returns
    -------
    bool
        No memory is looked at.

    Examples
    --------
    >>> import devarray as da
    >>> da.is_cuda_array([1, 2])
    False
    >>> da.is_cuda_array(da.ones(2)) == (da.device().driver == "cuda")
    True
    """
    return isinstance(getattr(obj, "__cuda_array_interface__", None), dict)


def as_cuda_array(obj: object, sync: bool = True) -> Array:
    """An array on the memory of an object that has the CUDA array interface; without a copy.

    Parameters
    ----------
    obj : object
        What :func:`is_cuda_array` is true of; an Array is returned as it is.
    sync : bool
        Whether the array's work comes behind what the object's stream has to do (the default).

    Returns
    -------
    Array
        It keeps `obj` alive.

    Raises
    ------
    DTypeError
        For an object without the interface.
    BufferError
        For one with a mask.

    Examples
    --------
    >>> import devarray as da
    >>> x = da.ones(3)
    >>> if da.is_cuda_array(x):
    ...     assert da.as_cuda_array(x) is x
    """
    if not is_cuda_array(obj):
        raise DTypeError(
            f"as_cuda_array: {type(obj).__name__} has no __cuda_array_interface__; to_device takes arrays of the host"
        )
    if isinstance(obj, Array):
        return obj
    return of_interface(obj.__cuda_array_interface__, obj, device_of(obj), sync)  # type: ignore[attr-defined]


def from_cuda_array_interface(desc: Mapping[str, Any], owner: object = None, sync: bool = True) -> Array:
    """An array on the memory that a CUDA array interface describes, on the current CUDA device; without a copy.

    Parameters
    ----------
    desc : dict
        With the keys ``shape``, ``typestr``, ``data`` and ``version`` of the interface; ``strides``, ``stream`` and
        ``mask`` may be missing.
    owner : object, optional
        What has to live as long as the array. Without one the program keeps the memory alive itself.
    sync : bool
        Whether the array's work comes behind what ``desc["stream"]`` has to do (the default).

    Returns
    -------
    Array
        It keeps `owner` alive, and is read-only where the description says so.

    Raises
    ------
    DeviceError
        Where the current device is not of CUDA.
    DTypeError
        Where `desc` lacks a key.
    BufferError
        For a description with a mask, or without an address.

    Examples
    --------
    >>> import devarray as da
    >>> x = da.arange(3)
    >>> if da.is_cuda_array(x):
    ...     y = da.from_cuda_array_interface(x.__cuda_array_interface__, owner=x)
    ...     y += 1
    ...     assert x.copy_to_host().tolist() == [1, 2, 3]
    """
    where = device()
    if where.driver != "cuda":
        raise DeviceError(
            f"from_cuda_array_interface: the current device is {where}; choose one of CUDA by devarray.use"
        )
    missing = [key for key in ("shape", "typestr", "data", "version") if key not in desc]
    if missing:
        raise DTypeError(f"from_cuda_array_interface: the description lacks {', '.join(missing)}")
    return of_interface(dict(desc), owner, where, sync)
