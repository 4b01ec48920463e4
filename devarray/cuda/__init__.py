"""The CUDA driver under PyCUDA's names: a program for ``pycuda.driver`` moves over by changing its import.

What is here works on raw contexts, streams, addresses and kernels. devarray's arrays live in a device's primary
context; ``import devarray.cuda.autoprimaryctx`` (or ``autoinit``) makes that current, so that both mix freely.
Importing this module touches no driver.
"""

from __future__ import annotations

from typing import Any

from .._core import cuda as _cuda
from .._core.cuda import (
    AlignedHostAllocation,
    Context,
    Device,
    DeviceAllocation,
    Event,
    Function,
    HostPointer,
    IPCMemoryHandle,
    ManagedAllocation,
    Module,
    PagelockedHostAllocation,
    RegisteredHostMemory,
    Stream,
    devices,
    mem_alloc,
    mem_alloc_pitch,
    mem_get_address_range,
    mem_get_info,
    mem_get_ipc_handle,
    memcpy_dtod,
    memcpy_dtod_async,
    memcpy_dtoh,
    memcpy_dtoh_async,
    memcpy_htod,
    memcpy_htod_async,
    memcpy_peer,
    memcpy_peer_async,
    memset_d2d8,
    memset_d2d8_async,
    memset_d2d16,
    memset_d2d16_async,
    memset_d2d32,
    memset_d2d32_async,
    memset_d8,
    memset_d8_async,
    memset_d16,
    memset_d16_async,
    memset_d32,
    memset_d32_async,
    module_from_buffer,
    pointer_get_attribute,
)
from .arguments import ArgumentHandler, In, InOut, Out
from .compiler import nvrtc_compile
from .constants import *
from .errors import CompileError, Error, LaunchError, LogicError, MemoryError, RuntimeError
from .host import *
from .transfer import from_device, from_device_like, to_device

HostAllocation = PagelockedHostAllocation


class PointerHolderBase:
    """Base of classes that own device memory made elsewhere and hand out its address."""

    def get_pointer(self) -> int:
        """Return the device address as an int."""
        raise NotImplementedError("a PointerHolderBase defines get_pointer() to return the device address")

    def as_buffer(self, size: int, offset: int = 0) -> Any:
        """Return a buffer object over `size` bytes from `offset`, for libraries that take device buffers."""
        return _cuda.as_buffer(self.get_pointer() + offset, size)

    def __int__(self) -> int:
        return self.get_pointer()

    def __index__(self) -> int:
        return self.get_pointer()


def init(flags: int = 0) -> None:
    """Load and initialise the driver. Every other function does so by itself.

    Parameters
    ----------
    flags : int, optional
        Must be 0.
    """
    if flags != 0:
        raise ValueError(f"init: flags is {flags}; CUDA takes 0 only")
    _cuda.init()


def get_version() -> tuple[int, int, int]:
    """Return the CUDA version of the headers that devarray was built with, as (major, minor, revision)."""
    version = _cuda.header_version()
    return version // 1000, version % 1000 // 10, version % 10


def get_driver_version() -> int:
    """Return the CUDA version that the driver offers: 13000 for CUDA 13.0."""
    return _cuda.driver_version()


def module_from_file(filename: str) -> Module:
    """Load a cubin, PTX or fatbin file."""
    with open(filename, "rb") as file:
        return module_from_buffer(file.read())
