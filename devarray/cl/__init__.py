"""OpenCL under PyOpenCL's names: the driver objects below devarray's arrays, and everything around them.

Code that imports PyOpenCL for platforms, contexts, queues, events, memory, kernels and transfers runs with the import
changed: names, signatures, defaults and blocking are PyOpenCL's. What differs is below that. No ICD loader is needed:
the libraries of the system's registry, NVIDIA's driver, and the CPU runtimes that pip installs are opened directly and
only when the first function that needs them is called. Objects are the driver's own, so `from_int_ptr` and `int_ptr`
exchange them with PyOpenCL in one process. A queue's ``device`` is the `Device` of this module; the device as arrays
see it is its ``engine_device``. Errors are `devarray.Error` too; a failed build carries ``log`` and ``source``.

Examples
--------
>>> import numpy as np
>>> from devarray import cl
>>> ctx = cl.create_some_context(answers=["0"])
>>> queue = cl.CommandQueue(ctx)
>>> ones = np.ones(4, np.float32)
>>> buf = cl.Buffer(ctx, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=ones)
>>> prg = cl.Program(ctx, "kernel void twice(global float* a) { a[get_global_id(0)] *= 2; }").build()
>>> event = prg.twice(queue, ones.shape, None, buf)
>>> event = cl.enqueue_copy(queue, ones, buf)
>>> ones
array([2., 2., 2., 2.], dtype=float32)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module as _import_module

from .. import _core as _core
from . import _constants
from . import invoker as invoker
from ._constants import *  # noqa: F403
from ._context import choose_devices, create_some_context
from ._debugging import enable_debugging
from ._errors import (
    BuildError,
    CommandQueueUsedAfterExit,
    CompilerWarning,
    Error,
    LogicError,
    MemoryError,
    RepeatedKernelRetrieval,
    RuntimeError,
)
from ._image import DTYPE_TO_CHANNEL_TYPE, DTYPE_TO_CHANNEL_TYPE_NORM, create_image, image_from_array
from ._map import enqueue_map_buffer, enqueue_map_image
from ._svm import (
    SVMMap,
    csvm_empty,
    csvm_empty_like,
    fsvm_empty,
    fsvm_empty_like,
    svm_empty,
    svm_empty_like,
)
from ._topology import DeviceTopologyAmd
from ._transfer import enqueue_copy, enqueue_fill
from .version import VERSION, VERSION_STATUS, VERSION_TEXT

Buffer = _core.cl.Buffer
CommandQueue = _core.cl.CommandQueue
Context = _core.cl.Context
Device = _core.cl.Device
Event = _core.cl.Event
Image = _core.cl.Image
ImageFormat = _core.cl.ImageFormat
Kernel = _core.cl.Kernel
LocalMemory = _core.cl.LocalMemory
MemoryMap = _core.cl.MemoryMap
MemoryObject = _core.cl.MemoryObject
MemoryObjectHolder = _core.cl.MemoryObjectHolder
NameVersion = _core.cl.NameVersion
NannyEvent = _core.cl.NannyEvent
Pipe = _core.cl.Pipe
Platform = _core.cl.Platform
Program = _core.cl.Program
SVM = _core.cl.SVM
SVMAllocation = _core.cl.SVMAllocation
SVMPointer = _core.cl.SVMPointer
Sampler = _core.cl.Sampler
UserEvent = _core.cl.UserEvent
create_program_with_built_in_kernels = _core.cl.create_program_with_built_in_kernels
devices = _core.cl.devices
enqueue_barrier = _core.cl.enqueue_barrier
enqueue_copy_buffer_p2p_amd = _core.cl.enqueue_copy_buffer_p2p_amd
enqueue_fill_buffer = _core.cl.enqueue_fill_buffer
enqueue_fill_image = _core.cl.enqueue_fill_image
enqueue_marker = _core.cl.enqueue_marker
enqueue_migrate_mem_objects = _core.cl.enqueue_migrate_mem_objects
enqueue_nd_range_kernel = _core.cl.enqueue_nd_range_kernel
enqueue_svm_memfill = _core.cl.enqueue_svm_memfill
enqueue_svm_migratemem = _core.cl.enqueue_svm_migratemem
enqueue_svm_migrate_mem = _core.cl.enqueue_svm_migratemem
get_platforms = _core.cl.get_platforms
get_supported_image_formats = _core.cl.get_supported_image_formats
link_program = _core.cl.link_program
unload_platform_compiler = _core.cl.unload_platform_compiler
wait_for_events = _core.cl.wait_for_events

CtxFactory = Callable[[], Context]
"""What `tools.pytest_generate_tests_for_pyopencl` gives tests as ``ctx_factory``."""
WaitList = Sequence[Event] | None
"""What ``wait_for`` takes, for annotations."""


def get_cl_header_version() -> tuple[int, int]:
    """Return the OpenCL version of the headers that devarray was built with.

    Returns
    -------
    tuple of int
        (major, minor).

    Examples
    --------
    >>> from devarray import cl
    >>> cl.get_cl_header_version()
    (3, 0)
    """
    return (3, 0)


def have_gl() -> bool:
    """Return whether buffers and textures of OpenGL can be shared.

    Returns
    -------
    bool
        False: there are no classes for them.

    Notes
    -----
    PyOpenCL's function of that name.

    Examples
    --------
    >>> from devarray import cl
    >>> cl.have_gl()
    False
    """
    return False


_MODULES = frozenset(
    (
        *("algorithm", "array", "bitonic_sort", "characterize", "clmath", "clrandom", "cltypes"),
        *("elementwise", "reduction", "scan", "tools"),
    )
)


def __getattr__(name: str) -> object:
    """Modules that are imported when they are asked for: ``pyopencl.tools`` is there as soon as ``pyopencl`` is."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _import_module(f"{__name__}.{name}")


__all__ = [
    *_constants.__all__,
    "DTYPE_TO_CHANNEL_TYPE",
    "DTYPE_TO_CHANNEL_TYPE_NORM",
    "VERSION",
    "VERSION_STATUS",
    "VERSION_TEXT",
    "BuildError",
    "Buffer",
    "CommandQueue",
    "CommandQueueUsedAfterExit",
    "CompilerWarning",
    "Context",
    "CtxFactory",
    "Device",
    "DeviceTopologyAmd",
    "Error",
    "Event",
    "Image",
    "ImageFormat",
    "Kernel",
    "LocalMemory",
    "LogicError",
    "MemoryError",
    "MemoryMap",
    "MemoryObject",
    "MemoryObjectHolder",
    "NameVersion",
    "NannyEvent",
    "Pipe",
    "Platform",
    "Program",
    "RepeatedKernelRetrieval",
    "RuntimeError",
    "SVM",
    "SVMAllocation",
    "SVMMap",
    "SVMPointer",
    "Sampler",
    "UserEvent",
    "WaitList",
    "choose_devices",
    "create_image",
    "create_program_with_built_in_kernels",
    "create_some_context",
    "csvm_empty",
    "csvm_empty_like",
    "devices",
    "enable_debugging",
    "enqueue_barrier",
    "enqueue_copy",
    "enqueue_copy_buffer_p2p_amd",
    "enqueue_fill",
    "enqueue_fill_buffer",
    "enqueue_fill_image",
    "enqueue_map_buffer",
    "enqueue_map_image",
    "enqueue_marker",
    "enqueue_migrate_mem_objects",
    "enqueue_nd_range_kernel",
    "enqueue_svm_memfill",
    "enqueue_svm_migrate_mem",
    "enqueue_svm_migratemem",
    "fsvm_empty",
    "fsvm_empty_like",
    "get_cl_header_version",
    "get_platforms",
    "get_supported_image_formats",
    "have_gl",
    "image_from_array",
    "link_program",
    "svm_empty",
    "svm_empty_like",
    "unload_platform_compiler",
    "wait_for_events",
]
