// Docstrings of what bind/memory/opencl.cpp binds. tests/test_docstrings_drivers.py runs the examples.
#pragma once

namespace devarray::docs {

constexpr const char* kPooledBuffer = R"(
A buffer out of a `MemoryPool`: its memory goes back to the pool.

Parameters
----------
block : Block
    One that is all of an OpenCL buffer.

Raises
------
ValueError
    If `block` is something else.

Notes
-----
PyOpenCL's class of that name.

Examples
--------
>>> from devarray import cl
>>> pool = MemoryPool(ImmediateAllocator(cl.CommandQueue(cl.create_some_context(answers=["0"]))))
>>> buffer = pool.allocate(1000)
>>> buffer.nbytes, pool.active_blocks
(1000, 1)
>>> buffer.release()
>>> pool.active_blocks, pool.held_blocks
(0, 1)
)";

constexpr const char* kPooledSVM = R"(
Shared virtual memory out of an `SVMPool`: an SVMPointer whose memory goes back to the pool.

Parameters
----------
block : Block
    One of shared virtual memory.

Raises
------
ValueError
    If `block` is something else.

Notes
-----
PyOpenCL's class of that name.

Examples
--------
>>> from devarray import cl
>>> pool = SVMPool(SVMAllocator(cl.create_some_context(answers=["0"])))
>>> pool(1000).nbytes
1000
)";

constexpr const char* kPooledSVMEnqueueRelease = R"(Give the memory back to the pool: the same as `release`.

Raises
------
ValueError
    If it was given back before.

Examples
--------
>>> from devarray import cl
>>> pool = SVMPool(SVMAllocator(cl.create_some_context(answers=["0"])))
>>> pool(1000).enqueue_release()
>>> pool.active_blocks
0
)";

constexpr const char* kRelease = R"(Give the memory back to the pool, behind the work of its queue.

Raises
------
ValueError
    If it was given back before.

Examples
--------
>>> from devarray import cl
>>> pool = MemoryPool(ImmediateAllocator(cl.CommandQueue(cl.create_some_context(answers=["0"]))))
>>> pool.allocate(1000).release()
>>> pool.held_blocks
1
)";

constexpr const char* kBindToQueue = R"(Let this queue's work be what the memory's reuse waits for, from now on.

Parameters
----------
queue : cl.CommandQueue
    A queue of the memory's device.

Examples
--------
>>> from devarray import cl
>>> queue = cl.CommandQueue(cl.create_some_context(answers=["0"]))
>>> memory = MemoryPool(ImmediateAllocator(queue)).allocate(1000)
>>> memory.bind_to_queue(queue)
>>> memory.block.queue is queue
True
)";

constexpr const char* kUnbindFromQueue = R"(Wait for the queue's work; from then on the memory is bound to none.

Examples
--------
>>> from devarray import cl
>>> memory = MemoryPool(ImmediateAllocator(cl.CommandQueue(cl.create_some_context(answers=["0"])))).allocate(1000)
>>> memory.unbind_from_queue()
>>> memory.block.queue is None
True
)";

}  // namespace devarray::docs
