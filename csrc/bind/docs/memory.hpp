// Docstrings of what bind/memory/module.cpp binds. tests/test_docstrings_drivers.py runs the examples.
#pragma once

namespace devarray::docs {

constexpr const char* kMemoryResourceAllocate = R"(allocate($self, nbytes, queue=None)
--

Hand out a block.

Parameters
----------
nbytes : int
    Bytes; 0 is fine and gives an empty block.
queue : Queue, optional
    Where the block will be used first: it may have been used on that queue before, whose order keeps the two
    uses apart. Without one, no pending work uses the block.

Returns
-------
Block
    Of at least `nbytes` bytes, given back when its last reference goes.

Raises
------
OutOfMemoryError
    If there is not that much, after everything that could be freed was.
DeviceError
    If `queue` is of another device.
ValueError
    If `nbytes` is negative.

Notes
-----
The counterpart of RMM's ``MemoryResource.allocate``.

Examples
--------
>>> resource = DeviceMemoryResource(device)
>>> resource.allocate(1000, queue).nbytes
1000
)";

constexpr const char* kMemoryResourceCall =
    R"(Hand out a block that no pending work uses: the same as ``allocate(nbytes)``.

Parameters
----------
nbytes : int
    Bytes.

Returns
-------
Block
    As from `allocate`.

Examples
--------
>>> DeviceMemoryResource(device)(100).nbytes
100
)";

constexpr const char* kMemoryResourceTrim = R"(Give memory that is held and free back to the driver.

Returns
-------
int
    The bytes given back.

Examples
--------
>>> pool = PoolMemoryResource(DeviceMemoryResource(device))
>>> block = pool.allocate(1000)
>>> del block
>>> pool.trim() > 0, pool.held_bytes
(True, 0)
)";

constexpr const char* kBlockUsedOn =
    R"(Note that work already enqueued on a queue uses this memory: its reuse waits for that work.

Needed only where the memory's address or handle was given to work that devarray does not know of.

Parameters
----------
queue : Queue
    A queue of the memory's device.

Examples
--------
>>> block = DeviceMemoryResource(device).allocate(64)
>>> block.used_on(queue)
>>> block.queue is queue
True
)";

constexpr const char* kBlock = R"(
A piece of device memory in use.

Its last reference gives the memory back to the resource that it came from. It has the buffer protocol where the
host sees the memory (SVM, managed and pinned memory): reading and writing that way is not ordered with queues, so
wait for them first.

Examples
--------
>>> block = DeviceMemoryResource(device).allocate(1000)
>>> block.nbytes, block.capacity >= 1000, block.kind in device.memory_kinds
(1000, True, True)
)";

constexpr const char* kMemoryResource = R"(
Base of every allocator: what can be given as ``allocator=``.

Resources compose: a pool or an adaptor takes its memory from the `upstream` that it is given.

Examples
--------
>>> direct = DeviceMemoryResource(device)
>>> PoolMemoryResource(direct).upstream is direct, direct.upstream is None
(True, True)
)";

constexpr const char* kDeviceMemoryResource = R"(
Memory straight from the driver, and back to it.

A block that pending work uses is freed when that work is done, without a wait.

Parameters
----------
device : Device
    Where the memory is.
kind : str, optional
    One of ``device.memory_kinds``; the first of them if not given.

Raises
------
DeviceError
    If the device has no memory of that kind.
ValueError
    If no memory kind has that name.

Notes
-----
Calls ``clCreateBuffer``, ``clSVMAlloc``, ``cuMemAlloc``, ``cuMemAllocManaged`` or ``cuMemHostAlloc``, by the kind.
RMM's ``CudaMemoryResource`` is the like of it.

Examples
--------
>>> block = DeviceMemoryResource(device, device.memory_kinds[-1]).allocate(1 << 20)
>>> block.kind == device.memory_kinds[-1]
True
)";

constexpr const char* kCudaAsyncMemoryResource = R"(
The CUDA driver's own stream-ordered pool: allocations and frees take their place in the order of streams.

What is free stays in the pool, one of this resource's own, until `trim`.

Parameters
----------
device : Device
    A CUDA device.

Raises
------
DeviceError
    If the device is not CUDA's, or its driver has no such pools.

Notes
-----
Calls ``cuMemPoolCreate``, ``cuMemAllocFromPoolAsync`` and ``cuMemFreeAsync``; RMM's class of that name.

Examples
--------
>>> pool = CudaAsyncMemoryResource(device)
>>> block = pool.allocate(1000, queue)
>>> pool.used_bytes >= 1000
True
)";

constexpr const char* kCudaAsyncMemoryResourceResetPeaks = R"(Let the peaks start again from the current figures.

Notes
-----
Calls ``cuMemPoolSetAttribute``.

Examples
--------
>>> pool = CudaAsyncMemoryResource(device)
>>> pool.allocate(1 << 20, queue).nbytes
1048576
>>> pool.reset_peaks()
)";

constexpr const char* kCudaVirtualMemoryResource = R"(
CUDA device memory that grows in place.

Each block has addresses for all of the device's memory, and memory behind the first of them.

Made for a `PoolMemoryResource` over it, which lets a block grow instead of asking for another: sizes that change
all the time leave no holes (PyTorch's expandable segments). Such memory cannot be shared with other processes by
``cuIpcGetMemHandle``. Each block takes at least 2 MiB.

Parameters
----------
device : Device
    A CUDA device.

Raises
------
DeviceError
    If the device is not CUDA's.

Notes
-----
Calls ``cuMemAddressReserve``, ``cuMemCreate`` and ``cuMemMap``.

Examples
--------
>>> pool = PoolMemoryResource(CudaVirtualMemoryResource(device))
>>> pool.allocate(1000).nbytes
1000
)";

constexpr const char* kPoolMemoryResource = R"(
A pool: keeps the memory that is given back and hands it out again.

Where memory has addresses (SVM, CUDA) it takes large chunks from its upstream, splits them and merges free
neighbours; for cl_mem, and where `leading_bits_in_bin_id` is given, it keeps whole blocks in bins of similar size.

A block given back on one queue serves that queue's next request at once, and another queue's only behind an event,
for which the device waits and the host does not. Threads may share a pool. Blocks in use keep their pool alive;
when the last one is gone and nobody refers to the pool, what it holds goes back upstream.

Parameters
----------
upstream : MemoryResource
    Where its memory comes from.
leading_bits_in_bin_id : int, optional
    Keep bins: requests whose sizes agree in this many bits after the first share one, and are rounded up to its
    size.

Notes
-----
RMM's ``PoolMemoryResource`` and, with bins, PyOpenCL's ``MemoryPool``.

Examples
--------
>>> pool = PoolMemoryResource(DeviceMemoryResource(device))
>>> block = pool.allocate(1000, queue)
>>> pool.active_blocks, pool.active_bytes
(1, 1000)
>>> del block
>>> again = pool.allocate(1000, queue)
>>> pool.hits, pool.misses
(1, 1)
)";

constexpr const char* kPoolMemoryResourceResetPeaks = R"(Let the peaks start again from the current figures.

Examples
--------
>>> pool = PoolMemoryResource(DeviceMemoryResource(device))
>>> block = pool.allocate(1000)
>>> del block
>>> pool.peak_active_bytes
1000
>>> pool.reset_peaks()
>>> pool.peak_active_bytes
0
)";

constexpr const char* kPoolMemoryResourceFreeHeld = R"(Give all free blocks back upstream.

Returns
-------
int
    Their bytes.

Examples
--------
>>> pool = PoolMemoryResource(DeviceMemoryResource(device))
>>> block = pool.allocate(1000)
>>> del block
>>> pool.free_held() >= 1000, pool.held_bytes
(True, 0)
)";

constexpr const char* kPoolMemoryResourceStopHolding =
    R"(Give blocks back upstream as soon as they are free, from now on.

Calls `free_held` for those that are free now.

Examples
--------
>>> pool = PoolMemoryResource(DeviceMemoryResource(device))
>>> pool.stop_holding()
>>> pool.holding
False
)";

constexpr const char* kLimitingResourceAdaptor = R"(
Refuse what would bring the bytes in use above a limit.

Parameters
----------
upstream : MemoryResource
    Where its memory comes from.
allocation_limit : int
    Bytes. A request that would exceed it raises OutOfMemoryError.

Raises
------
ValueError
    If the limit is negative.

Notes
-----
RMM's class of that name.

Examples
--------
>>> limited = LimitingResourceAdaptor(DeviceMemoryResource(device), 1000)
>>> block = limited.allocate(600)
>>> limited.allocated_bytes
600
>>> try:
...     limited.allocate(600)
... except da.OutOfMemoryError:
...     print("refused")
refused
)";

constexpr const char* kStatistics = R"(
Bytes and blocks that passed through a `StatisticsResourceAdaptor`.

Attributes
----------
current_bytes, current_count : int
    In use.
peak_bytes, peak_count : int
    The most that were in use at one time.
total_bytes, total_count : int
    All that were handed out.

Examples
--------
>>> counted = StatisticsResourceAdaptor(DeviceMemoryResource(device))
>>> block = counted.allocate(100)
>>> counted.allocation_counts.current_bytes
100
)";

constexpr const char* kStatisticsResourceAdaptor = R"(
Count the bytes and blocks that pass: current, peak and total, also by scope.

Parameters
----------
upstream : MemoryResource
    Where its memory comes from.

Notes
-----
RMM's class of that name.

Examples
--------
>>> counted = StatisticsResourceAdaptor(DeviceMemoryResource(device))
>>> block = counted.allocate(100)
>>> del block
>>> counted.allocation_counts.peak_bytes, counted.allocation_counts.total_count
(100, 1)
)";

constexpr const char* kStatisticsResourceAdaptorPushCounters = R"(Open a scope whose figures start at zero.

Returns
-------
Statistics
    The figures of the scope around it.

Examples
--------
>>> counted = StatisticsResourceAdaptor(DeviceMemoryResource(device))
>>> block = counted.allocate(100)
>>> counted.push_counters().total_bytes, counted.allocation_counts.total_bytes
(100, 0)
)";

constexpr const char* kStatisticsResourceAdaptorPopCounters = R"(Close the innermost scope.

Returns
-------
Statistics
    The figures of the scope that was closed.

Raises
------
ValueError
    If no scope is open.

Examples
--------
>>> counted = StatisticsResourceAdaptor(DeviceMemoryResource(device))
>>> _ = counted.push_counters()
>>> block = counted.allocate(100)
>>> counted.pop_counters().total_count
1
)";

}  // namespace devarray::docs
