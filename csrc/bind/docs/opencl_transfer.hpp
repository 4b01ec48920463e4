// Docstrings of what bind/opencl/transfer.cpp binds. tests/test_docstrings_drivers.py runs the examples.
#pragma once

namespace devarray::docs {

constexpr const char* kEnqueueCopyBufferP2pAmd =
    R"(Copy between buffers of two devices and contexts, by AMD's extension cl_amd_copy_buffer_p2p.

Parameters
----------
platform : Platform
    That of the devices.
queue : CommandQueue
    Where it is enqueued.
src : Buffer
    What is read.
dest : Buffer
    What is written.
size : int, optional
    Bytes; those of the smaller buffer by default.
wait_for : sequence of Event, optional
    What the command waits for.

Returns
-------
Event
    Of the copy.

Raises
------
LogicError
    If the platform lacks the extension.

Notes
-----
Calls ``clEnqueueCopyBufferP2PAMD``.

Examples
--------
>>> if "cl_amd_copy_buffer_p2p" not in queue.device.extensions:
...     try:
...         cl.enqueue_copy_buffer_p2p_amd(queue.device.platform, queue, buf, buf)
...     except cl.LogicError as error:
...         assert "cl_amd_copy_buffer_p2p" in str(error)
)";

constexpr const char* kEnqueueFillBuffer = R"(Repeat a pattern over a range of a buffer.

Parameters
----------
queue : CommandQueue
    Where it is enqueued.
mem : Buffer
    What is filled.
pattern : object with the buffer protocol
    1 to 128 bytes, a power of two; a NumPy scalar, say.
offset : int
    Byte that the range starts at, a multiple of the pattern's size.
size : int
    Bytes, a multiple of the pattern's size.
wait_for : sequence of Event, optional
    What the command waits for.

Returns
-------
Event
    Of the fill.

Raises
------
LogicError
    If the range leaves the buffer.

Notes
-----
Calls ``clEnqueueFillBuffer``.

Examples
--------
>>> event = cl.enqueue_fill_buffer(queue, buf, np.float32(7), 0, 16)
>>> event = cl.enqueue_copy(queue, ones, buf)
>>> ones
array([7., 7., 7., 7.], dtype=float32)
)";

constexpr const char* kEnqueueSvmMemfill = R"(Repeat a pattern over shared virtual memory.

Parameters
----------
queue : CommandQueue
    Where it is enqueued.
dest : SVMPointer
    What is filled.
pattern : object with the buffer protocol
    1 to 128 bytes, a power of two; a NumPy scalar, say.
byte_count : int, optional
    Bytes; by default up to the end of `dest`.
wait_for : sequence of Event, optional
    What the command waits for.
offset : int, default 0
    Byte of `dest` that the fill starts at.

Returns
-------
Event
    Of the fill.

Raises
------
ValueError
    If the range leaves the memory, or its size is not known.

Notes
-----
Calls ``clEnqueueSVMMemFill``.

Examples
--------
>>> memory = cl.SVMAllocation(ctx, 16)
>>> cl.enqueue_svm_memfill(queue, memory, np.float32(7)).wait()
>>> with memory.map_ro(queue) as array:
...     array.view(np.float32)
array([7., 7., 7., 7.], dtype=float32)
)";

}  // namespace devarray::docs
