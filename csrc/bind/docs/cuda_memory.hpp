// Docstrings of what bind/cuda/memory.cpp binds. tests/test_docstrings_drivers.py runs the examples.
#pragma once

namespace devarray::docs {

constexpr const char* kMemory = R"(
Base of the CUDA driver's memory: an address, as an int, until it is freed.

Examples
--------
>>> memory = cuda.mem_alloc(16)
>>> int(memory) == memory.get_pointer()
True
)";

constexpr const char* kFree = R"(free($self, /)
--

Give the memory back now, not when the last reference goes.

Raises
------
ValueError
    If it was freed before.

Notes
-----
Calls ``cuMemFree``, ``cuMemFreeHost``, ``cuMemHostUnregister`` or ``cuIpcCloseMemHandle``, by what it is.

Examples
--------
>>> memory = cuda.mem_alloc(16)
>>> memory.free()
)";

constexpr const char* kMemoryGetPointer = R"(Return the device address.

Returns
-------
int
    What kernels take.

Raises
------
ValueError
    If it was freed.

Examples
--------
>>> memory = cuda.mem_alloc(16)
>>> memory.get_pointer() == int(memory)
True
)";

constexpr const char* kMemoryAsBuffer =
    R"(Return a buffer object over an address range, for libraries that take buffers of device memory.

The host cannot read device memory through it.

Parameters
----------
size : int
    Bytes.
offset : int, default 0
    Bytes from the start.

Returns
-------
memoryview
    Over the device addresses.

Raises
------
ValueError
    If the range leaves the memory.

Examples
--------
>>> cuda.mem_alloc(16).as_buffer(8, 8).nbytes
8
)";

constexpr const char* kDeviceAllocation = R"(
Memory on a device, freed when its last reference goes; made by `mem_alloc`.

Examples
--------
>>> memory = cuda.mem_alloc(16)
>>> isinstance(memory, cuda.DeviceAllocation), memory.nbytes
(True, 16)
)";

constexpr const char* kIPCMemoryHandle = R"(
Device memory of another process.

Parameters
----------
ipc_handle : bytes
    What that process got from `mem_get_ipc_handle`.
flags : ipc_mem_flags, default 1
    LAZY_ENABLE_PEER_ACCESS.
offset : int, default 0
    Bytes from the start of the allocation that is shared.

Notes
-----
Calls ``cuIpcOpenMemHandle``.

Examples
--------
>>> try:
...     cuda.IPCMemoryHandle(bytes(64))
... except cuda.Error:
...     print("that is no memory")
that is no memory
)";

constexpr const char* kIPCMemoryHandleClose = R"(Let go of the memory; it stays with its process.

Raises
------
ValueError
    If it was closed before.

Notes
-----
Calls ``cuIpcCloseMemHandle``.
)";

constexpr const char* kMemAlloc = R"(mem_alloc(bytes)
--

Allocate memory on the current context's device.

Parameters
----------
bytes : int
    At least 1.

Returns
-------
DeviceAllocation
    Its contents are undefined.

Raises
------
MemoryError
    If there is not that much.
LogicError
    If no context is current.

Notes
-----
Calls ``cuMemAlloc``.

Examples
--------
>>> cuda.mem_alloc(16).nbytes
16
)";

constexpr const char* kMemAllocPitch = R"(Allocate rows of memory whose starts are aligned for fast access.

Parameters
----------
width : int
    Bytes of a row.
height : int
    Rows.
access_size : int
    Bytes of the largest access: 4, 8 or 16.

Returns
-------
tuple of (DeviceAllocation, int)
    The memory, and the bytes from row to row.

Raises
------
MemoryError
    If there is not that much.

Notes
-----
Calls ``cuMemAllocPitch``.

Examples
--------
>>> memory, pitch = cuda.mem_alloc_pitch(100, 10, 4)
>>> pitch >= 100
True
)";

constexpr const char* kMemGetInfo = R"(Return the memory of the current context's device.

Returns
-------
tuple of int
    (free, total), in bytes.

Notes
-----
Calls ``cuMemGetInfo``.

Examples
--------
>>> free, total = cuda.mem_get_info()
>>> 0 < free <= total
True
)";

constexpr const char* kMemGetIpcHandle = R"(Return what another process opens device memory by.

Parameters
----------
devptr : DeviceAllocation or int
    Memory of `mem_alloc`.

Returns
-------
bytes
    For `IPCMemoryHandle`.

Notes
-----
Calls ``cuIpcGetMemHandle``.

Examples
--------
>>> len(cuda.mem_get_ipc_handle(cuda.mem_alloc(16)))
64
)";

constexpr const char* kMemGetAddressRange = R"(Return the allocation that an address lies in.

Parameters
----------
devptr : DeviceAllocation or int
    Any address in it.

Returns
-------
tuple of int
    (first address, bytes).

Notes
-----
Calls ``cuMemGetAddressRange``.

Examples
--------
>>> memory = cuda.mem_alloc(16)
>>> cuda.mem_get_address_range(int(memory) + 8) == (int(memory), 16)
True
)";

constexpr const char* kPointerGetAttribute = R"(Return an attribute of an address.

Parameters
----------
attribute : pointer_attribute
    Which.
devptr : DeviceAllocation or int
    The address.

Returns
-------
int
    As the attribute is: a `memory_type`, an address, a number.

Notes
-----
Calls ``cuPointerGetAttribute``.

Examples
--------
>>> cuda.pointer_get_attribute(cuda.pointer_attribute.MEMORY_TYPE, cuda.mem_alloc(16)) == cuda.memory_type.DEVICE
True
)";

constexpr const char* kHostPointer = R"(
Base of memory that host and device see; it has the buffer protocol.

Examples
--------
>>> isinstance(cuda.pagelocked_empty(4, np.float32).base, cuda.HostPointer)
True
)";

constexpr const char* kHostPointerGetDevicePointer = R"(Return where the device sees this memory.

Returns
-------
int
    A device address.

Raises
------
LogicError
    If the memory is not mapped for the device.

Notes
-----
Calls ``cuMemHostGetDevicePointer``.

Examples
--------
>>> array = cuda.pagelocked_empty(4, np.float32, mem_flags=cuda.host_alloc_flags.DEVICEMAP)
>>> array.base.get_device_pointer() != 0
True
)";

constexpr const char* kManagedAllocation = R"(
Memory that moves between host and device by itself; made by `managed_empty`.

Examples
--------
>>> isinstance(cuda.managed_empty(4, np.float32).base, cuda.ManagedAllocation)
True
)";

constexpr const char* kManagedAllocationAttach = R"(Say who sees the memory.

Parameters
----------
mem_flags : mem_attach_flags
    GLOBAL, HOST, or SINGLE: the host and `stream`.
stream : Stream or int, optional
    The default stream if not given.

Notes
-----
Calls ``cuStreamAttachMemAsync``.

Examples
--------
>>> cuda.managed_empty(4, np.float32).base.attach(cuda.mem_attach_flags.GLOBAL)
)";

constexpr const char* kManagedAllocationPrefetch = R"(Move the memory ahead of its use.

Parameters
----------
device : Device, optional
    Where to; the host if not given.
stream : Stream or int, optional
    Whose order it takes; the default stream if not given.

Notes
-----
Calls ``cuMemPrefetchAsync``.

Examples
--------
>>> cuda.managed_zeros(4, np.float32).base.prefetch(cuda.Device(0))
)";

constexpr const char* kManagedAllocationAdvise = R"(Tell the driver how the memory is used.

Parameters
----------
advice : mem_advise
    What is said.
device : Device, optional
    About which; the host if not given.

Notes
-----
Calls ``cuMemAdvise``.

Examples
--------
>>> cuda.managed_zeros(4, np.float32).base.advise(cuda.mem_advise.SET_READ_MOSTLY, cuda.Device(0))
)";

constexpr const char* kPagelockedHostAllocation = R"(
Page-locked host memory; made by `pagelocked_empty`.

Examples
--------
>>> isinstance(cuda.pagelocked_empty(4, np.float32).base, cuda.PagelockedHostAllocation)
True
)";

constexpr const char* kPagelockedHostAllocationGetFlags = R"(Return the flags of the memory.

Returns
-------
int
    Of `host_alloc_flags`.

Notes
-----
Calls ``cuMemHostGetFlags``.

Examples
--------
>>> array = cuda.pagelocked_empty(4, np.float32, mem_flags=cuda.host_alloc_flags.DEVICEMAP)
>>> array.base.get_flags() & cuda.host_alloc_flags.DEVICEMAP != 0
True
)";

constexpr const char* kRegisteredHostMemory = R"(
A page lock on somebody else's host memory; made by `register_host_memory`.

Examples
--------
>>> locked = cuda.register_host_memory(cuda.aligned_zeros(4096, np.uint8))
>>> isinstance(locked.base, cuda.RegisteredHostMemory)
True
)";

constexpr const char* kRegisteredHostMemoryUnregister = R"(Give the page lock back; the memory stays.

Raises
------
ValueError
    If it was given back before.

Notes
-----
Calls ``cuMemHostUnregister``.

Examples
--------
>>> cuda.register_host_memory(cuda.aligned_zeros(4096, np.uint8)).base.unregister()
)";

constexpr const char* kAlignedHostAllocation = R"(
Host memory at a chosen alignment, with the buffer protocol.

Parameters
----------
bytes : int
    Its size.
alignment : int
    Bytes, a power of two.

Raises
------
ValueError
    If `alignment` is no power of two.

Examples
--------
>>> cuda.AlignedHostAllocation(100, 4096).nbytes
100
)";

constexpr const char* kAlignedHostAllocationFree = R"(Give the memory back now, not when the last reference goes.

Raises
------
ValueError
    If it was freed before.

Examples
--------
>>> cuda.AlignedHostAllocation(100, 4096).free()
)";

}  // namespace devarray::docs
