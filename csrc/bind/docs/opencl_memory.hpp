// Docstrings of what bind/opencl/memory.cpp binds. tests/test_docstrings_drivers.py runs the examples.
#pragma once

namespace devarray::docs {

constexpr const char* kMemoryObject = R"(
Base of what a ``cl_mem`` stands for: `Buffer`, `Image` and `Pipe`.

Each ``mem_info`` is an attribute in lower case: ``size`` (bytes), ``flags``, ``context``, ``reference_count``.

Examples
--------
>>> isinstance(buf, cl.MemoryObject), buf.size
(True, 16)
)";

constexpr const char* kMemoryObjectRelease = R"(Give the reference back to the driver now.

Raises
------
ValueError
    If it was released before.

Notes
-----
Calls ``clReleaseMemObject``.

Examples
--------
>>> memory = cl.Buffer(ctx, cl.mem_flags.READ_WRITE, 16)
>>> memory.release()
)";

constexpr const char* kMemoryObjectGetHostArray = R"(View the host memory that the object uses as an array.

Parameters
----------
shape : int or tuple of int
    Of the array.
dtype : dtype
    Of the array.
order : {'C', 'F'}, default 'C'
    Of the array.

Returns
-------
numpy.ndarray
    It keeps the memory object alive.

Raises
------
LogicError
    If the object was not created with ``mem_flags.USE_HOST_PTR``.

Examples
--------
>>> own = np.ones(4, np.float32)
>>> memory = cl.Buffer(ctx, cl.mem_flags.READ_WRITE | cl.mem_flags.USE_HOST_PTR, hostbuf=own)
>>> np.shares_memory(memory.get_host_array(4, np.float32), own)
True
)";

constexpr const char* kBuffer = R"(
A memory object of bytes.

Parameters
----------
context : Context
    Where it is.
flags : int
    Of `mem_flags`.
size : int, default 0
    Bytes; 0 means those of `hostbuf`.
hostbuf : object with the buffer protocol, optional
    Host memory that is copied (COPY_HOST_PTR) or used in place (USE_HOST_PTR).

Raises
------
ValueError
    If `hostbuf` is given without a flag that uses it, or is smaller than `size`.
MemoryError
    If there is not that much memory.

Notes
-----
Calls ``clCreateBuffer``.

Examples
--------
>>> memory = cl.Buffer(ctx, cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR, hostbuf=np.zeros(4, np.int32))
>>> memory.size
16
)";

constexpr const char* kBufferGetSubRegion = R"(Return a buffer over a part of this one.

Parameters
----------
origin : int
    Byte that it starts at, a multiple of the device's ``mem_base_addr_align`` (bits).
size : int
    Bytes.
flags : int, default 0
    Of `mem_flags`; 0 takes this buffer's.

Returns
-------
Buffer
    It keeps this one alive.

Raises
------
LogicError
    If `origin` is not aligned, or the part leaves the buffer.

Notes
-----
Calls ``clCreateSubBuffer``.

Examples
--------
>>> buf.get_sub_region(0, 8).size
8
)";

constexpr const char* kBufferGetitem = R"(Return a buffer over a range of bytes.

Parameters
----------
slc : slice
    Of step 1, in bytes.

Returns
-------
Buffer
    As from `get_sub_region`.

Raises
------
ValueError
    If the step is not 1.

Examples
--------
>>> buf[:8].size
8
)";

constexpr const char* kSVMPointer = R"(
Base of addresses in shared virtual memory: `SVM`, `SVMAllocation` and pooled memory.

Examples
--------
>>> memory = cl.SVMAllocation(ctx, 64)
>>> isinstance(memory, cl.SVMPointer), memory.size, memory.svm_ptr != 0
(True, 64, True)
)";

constexpr const char* kArrayPointer = R"(
Shared virtual memory from the first element of an array on: what ``x.data`` is where that lies inside of an allocation.

It keeps the array alive, and a kernel that gets it is ordered with other work on the array.

Examples
--------
>>> import devarray as da
>>> x = da.arange(8, dtype=np.float32)[2:]
>>> x.base_data.kind == "buffer" or x.data.svm_ptr == x.ptr
True
)";

constexpr const char* kArrayBuffer = R"(
The part of a buffer from the first element of an array on: what ``x.data`` is where that lies inside of a buffer.

It keeps the array alive, and a kernel that gets it is ordered with other work on the array.

Examples
--------
>>> issubclass(type(cl.Buffer(ctx, cl.mem_flags.READ_WRITE, 16)), cl.Buffer)
True
)";

constexpr const char* kSVMPointerMap = R"(Make the memory the host's until the `SVMMap` is released.

Parameters
----------
queue : CommandQueue
    Where the map is enqueued.
flags : int
    Of `map_flags`.
is_blocking : bool, default True
    Whether to return only once the memory may be used; otherwise wait for the map's ``event``.
wait_for : sequence of Event, optional
    What the map waits for.
size : int, optional
    Bytes from the start; all by default.

Returns
-------
SVMMap
    A context manager that gives the array.

Raises
------
ValueError
    If `size` is more than there is, or not known and not given.

Notes
-----
Calls ``clEnqueueSVMMap``.

Examples
--------
>>> memory = cl.SVMAllocation(ctx, 64)
>>> with memory.map(queue, cl.map_flags.WRITE) as array:
...     array[:] = 7
>>> with memory.map_ro(queue) as array:
...     int(array.sum())
448
)";

constexpr const char* kSVMPointerMapRo = R"(Make the memory the host's to read: `map` with ``map_flags.READ``.

Parameters
----------
queue : CommandQueue
    Where the map is enqueued.
is_blocking : bool, default True
    Whether to return only once the memory may be used.
wait_for : sequence of Event, optional
    What the map waits for.
size : int, optional
    Bytes from the start; all by default.

Returns
-------
SVMMap
    As from `map`.

Notes
-----
Calls ``clEnqueueSVMMap``.

Examples
--------
>>> memory = cl.SVMAllocation(ctx, 64)
>>> with memory.map_ro(queue) as array:
...     array.nbytes
64
)";

constexpr const char* kSVMPointerMapRw =
    R"(Make the memory the host's to read and write: `map` with ``map_flags.READ | map_flags.WRITE``.

Parameters
----------
queue : CommandQueue
    Where the map is enqueued.
is_blocking : bool, default True
    Whether to return only once the memory may be used.
wait_for : sequence of Event, optional
    What the map waits for.
size : int, optional
    Bytes from the start; all by default.

Returns
-------
SVMMap
    As from `map`.

Notes
-----
Calls ``clEnqueueSVMMap``.

Examples
--------
>>> memory = cl.SVMAllocation(ctx, 64)
>>> with memory.map_rw(queue) as array:
...     array[0] = 1
)";

constexpr const char* kSVMPointerAsBuffer = R"(Return a buffer over the same memory, which must outlive it.

Parameters
----------
ctx : Context
    Where the buffer is.
flags : int, optional
    Of `mem_flags`; READ_WRITE by default. USE_HOST_PTR is added.
size : int, optional
    Bytes from the start; all by default.

Returns
-------
Buffer
    Over the memory, not a copy.

Notes
-----
Calls ``clCreateBuffer``.

Examples
--------
>>> memory = cl.SVMAllocation(ctx, 64)
>>> memory.as_buffer(ctx).size
64
)";

constexpr const char* kSVM = R"(
Tag an object with the buffer protocol as shared virtual memory, for kernels and transfers.

Parameters
----------
mem : object with the buffer protocol
    Contiguous; an array of `svm_empty`, or any memory where the device shares all of the host's.

Examples
--------
>>> array = cl.csvm_empty(ctx, 4, np.float32)
>>> cl.SVM(array).mem is array
True
)";

constexpr const char* kSVMAllocation = R"(
Shared virtual memory of a context.

Parameters
----------
context : Context
    Where it is.
size : int
    Bytes.
alignment : int, default 0
    Bytes, a power of two; 0 leaves it to the driver.
flags : int, default 1
    Of `svm_mem_flags`; 1 is READ_WRITE.
queue : CommandQueue, optional
    An in-order queue: the memory is freed behind its work. Without one it is freed at once.

Raises
------
DeviceError
    If the device has no shared virtual memory.
MemoryError
    If there is not that much memory.

Notes
-----
Calls ``clSVMAlloc``.

Examples
--------
>>> cl.SVMAllocation(ctx, 64, queue=queue).size
64
)";

constexpr const char* kSVMAllocationRelease =
    R"(Free the memory: behind the work of the queue that it is bound to, or at once.

Raises
------
ValueError
    If it was released before.

Notes
-----
Calls ``clSVMFree`` or ``clEnqueueSVMFree``.

Examples
--------
>>> cl.SVMAllocation(ctx, 64).release()
)";

constexpr const char* kSVMAllocationEnqueueRelease = R"(Free the memory behind a queue's work.

Parameters
----------
queue : CommandQueue, optional
    The queue that it is bound to by default.
wait_for : sequence of Event, optional
    What the release waits for.

Returns
-------
Event
    Of the release.

Raises
------
ValueError
    If there is no queue.

Notes
-----
Calls ``clEnqueueSVMFree``.

Examples
--------
>>> cl.SVMAllocation(ctx, 64, queue=queue).enqueue_release().wait()
)";

constexpr const char* kSVMAllocationBindToQueue = R"(Let the memory be freed behind a queue's work from now on.

Parameters
----------
queue : CommandQueue
    An in-order queue of the context.

Raises
------
ValueError
    If the queue runs commands out of order.

Examples
--------
>>> memory = cl.SVMAllocation(ctx, 64)
>>> memory.bind_to_queue(queue)
>>> memory.queue == queue
True
)";

constexpr const char* kSVMAllocationUnbindFromQueue =
    R"(Wait for the queue's work; from then on the memory is bound to none.

Examples
--------
>>> memory = cl.SVMAllocation(ctx, 64, queue=queue)
>>> memory.unbind_from_queue()
>>> memory.queue is None
True
)";

}  // namespace devarray::docs
