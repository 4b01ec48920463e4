"""The CUDA driver under PyCUDA's names: a program for ``pycuda.driver`` moves over by changing its import.

What is here works on raw contexts, streams, addresses and kernels. devarray's arrays live in a device's primary
context; ``import devarray.cuda.autoprimaryctx`` (or ``autoinit``) makes that current, so that both mix freely.
Importing this module touches no driver.
"""

from __future__ import annotations

from .. import _namespace
from .. import errors as _errors
from .._core import cuda as _cuda
from .._core.cuda import (
    AlignedHostAllocation,
    Array,
    ArrayDescriptor,
    ArrayDescriptor3D,
    Context,
    Device,
    DeviceAllocation,
    Event,
    Function,
    Graph,
    GraphExec,
    HostPointer,
    IPCMemoryHandle,
    Linker,
    ManagedAllocation,
    Memcpy2D,
    Memcpy3D,
    Memcpy3DPeer,
    Module,
    PagelockedHostAllocation,
    RegisteredHostMemory,
    Stream,
    SurfaceObject,
    SurfaceReference,
    TextureObject,
    TextureReference,
    devices,
    initialize_profiler,
    mem_alloc,
    mem_alloc_pitch,
    mem_get_address_range,
    mem_get_info,
    mem_get_ipc_handle,
    memcpy_atoa,
    memcpy_atod,
    memcpy_atoh,
    memcpy_dtoa,
    memcpy_dtod,
    memcpy_dtod_async,
    memcpy_dtoh,
    memcpy_dtoh_async,
    memcpy_htoa,
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
    start_profiler,
    stop_profiler,
)
from ._compile import (
    set_debugging,
)
from .arguments import (
    ArgumentHandler,
    In,
    InOut,
    Out,
)
from .compiler import (
    nvrtc_compile,
)
from .constants import (
    TR_DEFAULT,
    TRSA_OVERRIDE_FORMAT,
    TRSF_NORMALIZED_COORDINATES,
    TRSF_READ_AS_INTEGER,
    address_mode,
    array3d_flags,
    array_cubemap_face,
    array_format,
    compute_mode,
    ctx_flags,
    device_attribute,
    event_flags,
    filter_mode,
    func_cache,
    function_attribute,
    host_alloc_flags,
    ipc_mem_flags,
    jit_fallback,
    jit_input_type,
    jit_option,
    jit_target,
    limit,
    mem_advise,
    mem_attach_flags,
    mem_host_register_flags,
    memory_type,
    pointer_attribute,
    profiler_output_mode,
    shared_config,
    stream_capture_mode,
    stream_flags,
)
from .errors import (
    CompileError,
    Error,
    LaunchError,
    LogicError,
    MemoryError,
    RuntimeError,
)
from .host import (
    aligned_empty,
    aligned_empty_like,
    aligned_zeros,
    aligned_zeros_like,
    managed_empty,
    managed_empty_like,
    managed_zeros,
    managed_zeros_like,
    pagelocked_empty,
    pagelocked_empty_like,
    pagelocked_zeros,
    pagelocked_zeros_like,
    register_host_memory,
)
from .pointers import (
    PointerHolderBase,
)
from .streams import (
    default_stream,
    external_stream,
    legacy_default_stream,
    per_thread_default_stream,
)
from .textures import (
    bind_array_to_texref,
    dtype_to_array_format,
    gpuarray_to_array,
    make_multichannel_2d_array,
    matrix_to_array,
    matrix_to_texref,
    np_to_array,
)
from .transfer import (
    from_device,
    from_device_like,
    mem_alloc_like,
    to_device,
)

__all__ = [
    "TRSA_OVERRIDE_FORMAT",
    "TRSF_NORMALIZED_COORDINATES",
    "TRSF_READ_AS_INTEGER",
    "TR_DEFAULT",
    "VERSION",
    "VERSION_STATUS",
    "VERSION_TEXT",
    "AlignedHostAllocation",
    "ArgumentHandler",
    "Array",
    "ArrayDescriptor",
    "ArrayDescriptor3D",
    "CompileError",
    "Context",
    "Device",
    "DeviceAllocation",
    "Error",
    "Event",
    "Function",
    "Graph",
    "GraphExec",
    "HostAllocation",
    "HostPointer",
    "IPCMemoryHandle",
    "In",
    "InOut",
    "LaunchError",
    "Linker",
    "LogicError",
    "ManagedAllocation",
    "Memcpy2D",
    "Memcpy3D",
    "Memcpy3DPeer",
    "MemoryError",
    "Module",
    "Out",
    "PagelockedHostAllocation",
    "PointerHolderBase",
    "RegisteredHostMemory",
    "RuntimeError",
    "Stream",
    "SurfaceObject",
    "SurfaceReference",
    "TextureObject",
    "TextureReference",
    "address_mode",
    "aligned_empty",
    "aligned_empty_like",
    "aligned_zeros",
    "aligned_zeros_like",
    "array3d_flags",
    "array_cubemap_face",
    "array_format",
    "bind_array_to_texref",
    "compute_mode",
    "ctx_flags",
    "default_stream",
    "device_attribute",
    "devices",
    "dtype_to_array_format",
    "event_flags",
    "external_stream",
    "filter_mode",
    "from_device",
    "from_device_like",
    "func_cache",
    "function_attribute",
    "get_driver_version",
    "get_version",
    "gpuarray_to_array",
    "have_gl_ext",
    "host_alloc_flags",
    "init",
    "initialize_profiler",
    "ipc_mem_flags",
    "jit_fallback",
    "jit_input_type",
    "jit_option",
    "jit_target",
    "legacy_default_stream",
    "limit",
    "make_multichannel_2d_array",
    "managed_empty",
    "managed_empty_like",
    "managed_zeros",
    "managed_zeros_like",
    "matrix_to_array",
    "matrix_to_texref",
    "mem_advise",
    "mem_alloc",
    "mem_alloc_like",
    "mem_alloc_pitch",
    "mem_attach_flags",
    "mem_get_address_range",
    "mem_get_info",
    "mem_get_ipc_handle",
    "mem_host_register_flags",
    "memcpy_atoa",
    "memcpy_atod",
    "memcpy_atoh",
    "memcpy_dtoa",
    "memcpy_dtod",
    "memcpy_dtod_async",
    "memcpy_dtoh",
    "memcpy_dtoh_async",
    "memcpy_htoa",
    "memcpy_htod",
    "memcpy_htod_async",
    "memcpy_peer",
    "memcpy_peer_async",
    "memory_type",
    "memset_d2d8",
    "memset_d2d8_async",
    "memset_d2d16",
    "memset_d2d16_async",
    "memset_d2d32",
    "memset_d2d32_async",
    "memset_d8",
    "memset_d8_async",
    "memset_d16",
    "memset_d16_async",
    "memset_d32",
    "memset_d32_async",
    "module_from_buffer",
    "module_from_file",
    "np_to_array",
    "nvrtc_compile",
    "pagelocked_empty",
    "pagelocked_empty_like",
    "pagelocked_zeros",
    "pagelocked_zeros_like",
    "per_thread_default_stream",
    "pointer_attribute",
    "pointer_get_attribute",
    "profiler_output_mode",
    "register_host_memory",
    "set_debugging",
    "shared_config",
    "start_profiler",
    "stop_profiler",
    "stream_capture_mode",
    "stream_flags",
    "to_device",
]

VERSION = (2026, 1)
"""The version of PyCUDA whose names and signatures these are."""
VERSION_STATUS = ""
VERSION_TEXT = ".".join(map(str, VERSION))
HostAllocation = PagelockedHostAllocation


def init(flags: int = 0) -> None:
    """Load and initialise the driver. Every other function does so by itself.

    Parameters
    ----------
    flags : int, default 0
        Must be 0.

    Raises
    ------
    ValueError
        If it is not.
    MissingDriverError
        If there is no driver.

    Notes
    -----
    Calls ``cuInit``.

    Examples
    --------
    >>> cuda.init()
    """
    if flags != 0:
        raise _errors.ValueError(f"init: flags is {flags}; CUDA takes 0 only")
    _cuda.init()


def get_version() -> tuple[int, int, int]:
    """Return the CUDA version of the headers that devarray was built with.

    Returns
    -------
    tuple of int
        (major, minor, revision).

    Examples
    --------
    >>> cuda.get_version() >= (12, 0, 0)
    True
    """
    version = _cuda.header_version()
    return version // 1000, version % 1000 // 10, version % 10


def get_driver_version() -> int:
    """Return the CUDA version that the driver offers.

    Returns
    -------
    int
        13000 for CUDA 13.0.

    Notes
    -----
    Calls ``cuDriverGetVersion``.

    Examples
    --------
    >>> cuda.get_driver_version() >= 11000
    True
    """
    return _cuda.driver_version()


def have_gl_ext() -> bool:
    """Whether buffers and textures of OpenGL can be used: never, for there is no ``pycuda.gl`` here.

    Returns
    -------
    bool
        False.

    Notes
    -----
    pycuda.driver's function of that name.

    Examples
    --------
    >>> cuda.have_gl_ext()
    False
    """
    return False


def module_from_file(filename: str) -> Module:
    """Load a cubin, PTX or fatbin file into the current context.

    Parameters
    ----------
    filename : str or path
        The file.

    Returns
    -------
    Module
        Unloaded when its last reference goes.

    Raises
    ------
    OSError
        If the file cannot be read.
    LogicError
        If the code does not fit the device.

    Notes
    -----
    Calls ``cuModuleLoadDataEx``.

    Examples
    --------
    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "kernel.cubin")
    >>> with open(path, "wb") as file:
    ...     written = file.write(cuda.compiler.compile("__global__ void doublify(float* a) { a[threadIdx.x] *= 2; }"))
    >>> cuda.module_from_file(path).get_function("doublify")
    <devarray.cuda.Function doublify>
    """
    with open(filename, "rb") as file:
        return module_from_buffer(file.read())


def __getattr__(name: str) -> object:
    """Names that CuPy's and numba's ``cuda`` have: the error says where they are."""
    raise AttributeError(_namespace.why_missing(name, __name__))
