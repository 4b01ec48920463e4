"""Version 3 of the CUDA array interface: arrays for Numba, CuPy and PyTorch, and theirs for devarray."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from devarray import _core
from devarray._runtime.devices import Device, devices
from devarray.array import Array
from devarray.errors import BufferError

__all__ = ["cuda_array_interface", "device_of", "from_cuda_array_interface", "of_interface"]


def cuda_array_interface(x: Array) -> dict[str, Any]:
    if x.device.driver != "cuda":
        raise AttributeError(f"__cuda_array_interface__ is of CUDA arrays; this one is on {x.device}")
    memory, offset = _core.raw_memory(x) if x.size else (None, 0)
    return {
        "shape": x.shape,
        "typestr": x.dtype.str,
        "data": (0 if memory is None else memory.handle + offset, _core.memory_traits(x)[2]),
        "strides": None if x.is_c_contiguous() else x.strides,
        "stream": _stream_of(x),
        "version": 3,
    }


def _stream_of(x: Array) -> int | None:
    """The stream to wait for; None, that there is nothing to wait for, where the device's own queue has done its work.

    A queue that the program chose is named always: what it enqueues later belongs there, too. One whose work becomes a
    graph must not be asked whether it has done it.
    """
    queue = cast("_core.cuda.Stream", x.queue)
    if queue == x.device.default_queue and not queue.is_capturing and queue.idle:
        return None
    return queue.handle or 1


def from_cuda_array_interface(obj: object) -> Array | None:
    """An array on the memory of an object that has the interface; None for objects that do not.

    NumPy's arrays do not count, though a mapped one has it: the host may write to it before the device has read it.
    """
    interface = None if isinstance(obj, np.ndarray) else getattr(obj, "__cuda_array_interface__", None)
    if not isinstance(interface, dict):  # of a class it is the property
        return None
    return of_interface(interface, obj, device_of(obj))


def of_interface(interface: dict[str, Any], owner: object, where: Device, sync: bool = True) -> Array:
    """An array on the memory that an interface describes, behind its stream's work if `sync`; it keeps `owner`."""
    if interface.get("mask") is not None:
        raise BufferError("a CUDA array interface with a mask has no array here; fill the masked elements first")
    address, read_only = interface["data"]
    shape, dtype = tuple(interface["shape"]), np.dtype(interface["typestr"])
    queue = where.default_queue
    if 0 in shape:
        return _core.empty(shape, dtype, queue)
    if not address:
        raise BufferError(f"a CUDA array interface of shape {shape} has no data")
    if sync and interface.get("stream") is not None:
        _core.wait_stream(queue, interface["stream"])
    return _core.array_at_address(
        queue, address, shape, dtype, interface.get("strides"), 0, owner, read_only=bool(read_only)
    )


def device_of(obj: object) -> Device:
    """The CUDA device of another library's array, by DLPack's word where it has one; else the first."""
    index = obj.__dlpack_device__()[1] if hasattr(obj, "__dlpack_device__") else 0
    for device in devices():
        if device.driver == "cuda" and device.index == index:
            return device
    raise BufferError(f"a CUDA array interface is of CUDA device {index}, which is not here")
