"""Version 3 of the CUDA array interface: arrays for Numba, CuPy and PyTorch, and theirs for devarray."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from devarray import _core
from devarray.array import PROTOCOLS, Array
from devarray.device import Device, devices
from devarray.errors import BufferError

__all__: list[str] = []


def _export(x: Array) -> dict[str, Any]:
    if x.device.driver != "cuda":
        raise AttributeError(f"__cuda_array_interface__ is of CUDA arrays; this one is on {x.device}")
    memory, offset = _core.raw_memory(x) if x.size else (None, 0)
    return {
        "shape": x.shape,
        "typestr": x.dtype.str,
        "data": (0 if memory is None else memory.handle + offset, _core.memory_traits(x)[2]),
        "strides": None if x.is_c_contiguous() else x.strides,
        "stream": x.queue.handle or 1,
        "version": 3,
    }


def _import(obj: Any) -> Array | None:
    """An array on the memory of an object that has the interface; None for objects that do not."""
    interface = getattr(obj, "__cuda_array_interface__", None)
    if not isinstance(interface, dict):  # of a class it is the property
        return None
    if interface.get("mask") is not None:
        raise BufferError("a CUDA array interface with a mask has no array here; fill the masked elements first")
    address, read_only = interface["data"]
    shape, dtype = tuple(interface["shape"]), np.dtype(interface["typestr"])
    where = _device_of(obj)
    queue = where.default_queue
    if 0 in shape or not address:
        return _core.empty(shape, dtype, queue)
    strides = interface.get("strides") or _dense(shape, dtype.itemsize)
    low = sum(min(0, step * (size - 1)) for step, size in zip(strides, shape, strict=True))
    high = sum(max(0, step * (size - 1)) for step, size in zip(strides, shape, strict=True)) + dtype.itemsize
    memory, offset = _core.foreign_memory(where, address + low, high - low, obj)
    if interface.get("stream") is not None:
        _core.wait_stream(queue, interface["stream"])
    return _core.from_allocation(memory, shape, dtype, strides, offset - low, queue, read_only=bool(read_only))


def _dense(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    return tuple(itemsize * math.prod(shape[axis + 1 :]) for axis in range(len(shape)))


def _device_of(obj: Any) -> Device:
    """The CUDA device of another library's array, by DLPack's word where it has one; else the first."""
    index = obj.__dlpack_device__()[1] if hasattr(obj, "__dlpack_device__") else 0
    return next(d for d in devices() if d.driver == "cuda" and d.index == index)


PROTOCOLS["__cuda_array_interface__"] = _export
PROTOCOLS["from_cuda_array_interface"] = _import
