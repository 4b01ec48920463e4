// Docstrings of what bind/cuda/transfer.cpp binds. tests/test_docstrings_drivers.py runs the examples.
#pragma once

namespace devarray::docs {

constexpr const char* kMemcpyHtod = R"(memcpy_htod(dest, src)
--

Copy host memory to a device address.

Parameters
----------
dest : DeviceAllocation or int
    Where to.
src : object with the buffer protocol
    Contiguous; all of it is copied.

Raises
------
ValueError
    If `dest` is known to have less room.

Notes
-----
Calls ``cuMemcpyHtoD``; returns when `src` may be used again.

Examples
--------
>>> memory = cuda.mem_alloc(16)
>>> cuda.memcpy_htod(memory, np.ones(4, np.float32))
)";

constexpr const char* kMemcpyDtoh = R"(memcpy_dtoh(dest, src)
--

Copy from a device address into host memory, and wait for it.

Parameters
----------
dest : object with the buffer protocol
    Contiguous and writable; all of it is filled.
src : DeviceAllocation or int
    Where from.

Raises
------
ValueError
    If `src` is known to have less.

Notes
-----
Calls ``cuMemcpyDtoH``.

Examples
--------
>>> array = np.empty(4, np.float32)
>>> cuda.memcpy_dtoh(array, cuda.to_device(np.ones(4, np.float32)))
>>> array
array([1., 1., 1., 1.], dtype=float32)
)";

constexpr const char* kMemcpyDtod = R"(memcpy_dtod(dest, src, size)
--

Copy between device addresses.

Parameters
----------
dest : DeviceAllocation or int
    Where to.
src : DeviceAllocation or int
    Where from.
size : int
    Bytes.

Raises
------
ValueError
    If one side is known to have less.

Notes
-----
Calls ``cuMemcpyDtoD``; the host does not wait.

Examples
--------
>>> here, there = cuda.to_device(np.ones(4, np.float32)), cuda.mem_alloc(16)
>>> cuda.memcpy_dtod(there, here, 16)
>>> cuda.from_device(there, 4, np.float32)
array([1., 1., 1., 1.], dtype=float32)
)";

constexpr const char* kMemcpyHtodAsync = R"(Copy host memory to a device address in a stream's order.

Parameters
----------
dest : DeviceAllocation or int
    Where to.
src : object with the buffer protocol
    Page-locked for the copy not to wait; it must stay alive and unchanged until it is done.
stream : Stream or int, optional
    The default stream if not given.

Raises
------
ValueError
    If `dest` is known to have less room.

Notes
-----
Calls ``cuMemcpyHtoDAsync``.

Examples
--------
>>> stream, array = cuda.Stream(), cuda.pagelocked_zeros(4, np.float32)
>>> memory = cuda.mem_alloc(16)
>>> cuda.memcpy_htod_async(memory, array, stream)
>>> stream.synchronize()
)";

constexpr const char* kMemcpyDtohAsync = R"(Copy from a device address into host memory in a stream's order.

Parameters
----------
dest : object with the buffer protocol
    Page-locked for the copy not to wait; it must stay alive until it is done.
src : DeviceAllocation or int
    Where from.
stream : Stream or int, optional
    The default stream if not given.

Raises
------
ValueError
    If `src` is known to have less.

Notes
-----
Calls ``cuMemcpyDtoHAsync``.

Examples
--------
>>> stream, array = cuda.Stream(), cuda.pagelocked_empty(4, np.float32)
>>> memory = cuda.to_device(np.ones(4, np.float32))
>>> cuda.memcpy_dtoh_async(array, memory, stream)
>>> stream.synchronize()
>>> array
array([1., 1., 1., 1.], dtype=float32)
)";

constexpr const char* kMemcpyDtodAsync = R"(Copy between device addresses in a stream's order.

Parameters
----------
dest : DeviceAllocation or int
    Where to.
src : DeviceAllocation or int
    Where from.
size : int
    Bytes.
stream : Stream or int, optional
    The default stream if not given.

Raises
------
ValueError
    If one side is known to have less.

Notes
-----
Calls ``cuMemcpyDtoDAsync``.

Examples
--------
>>> here, there = cuda.to_device(np.ones(4, np.float32)), cuda.mem_alloc(16)
>>> cuda.memcpy_dtod_async(there, here, 16, cuda.Stream())
)";

constexpr const char* kMemcpyPeer = R"(Copy between the memories of two contexts.

Parameters
----------
dest : DeviceAllocation or int
    Where to.
src : DeviceAllocation or int
    Where from.
size : int
    Bytes.
dest_context : Context, optional
    The current one if not given.
src_context : Context, optional
    The current one if not given.

Raises
------
ValueError
    If one side is known to have less.

Notes
-----
Calls ``cuMemcpyPeer``.

Examples
--------
>>> here, there = cuda.to_device(np.ones(4, np.float32)), cuda.mem_alloc(16)
>>> cuda.memcpy_peer(there, here, 16)
>>> cuda.from_device(there, 4, np.float32)
array([1., 1., 1., 1.], dtype=float32)
)";

constexpr const char* kMemcpyPeerAsync = R"(Copy between the memories of two contexts in a stream's order.

Parameters
----------
dest : DeviceAllocation or int
    Where to.
src : DeviceAllocation or int
    Where from.
size : int
    Bytes.
dest_context : Context, optional
    The current one if not given.
src_context : Context, optional
    The current one if not given.
stream : Stream or int, optional
    The default stream if not given.

Raises
------
ValueError
    If one side is known to have less.

Notes
-----
Calls ``cuMemcpyPeerAsync``.

Examples
--------
>>> here, there = cuda.to_device(np.ones(4, np.float32)), cuda.mem_alloc(16)
>>> cuda.memcpy_peer_async(there, here, 16)
)";

}  // namespace devarray::docs
