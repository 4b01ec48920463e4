// Docstrings of what bind/opencl/map.cpp binds. tests/test_docstrings_drivers.py runs the examples.
#pragma once

namespace devarray::docs {

constexpr const char* kMemoryMap = R"(
A mapped region of a memory object, unmapped when it is released or dropped.

It has the buffer protocol, and releases at the end of a ``with`` statement. `enqueue_map_buffer` and
`enqueue_map_image` make it, as the ``base`` of their array.

Examples
--------
>>> array, event = cl.enqueue_map_buffer(queue, buf, cl.map_flags.READ, 0, 4, np.float32)
>>> isinstance(array.base, cl.MemoryMap)
True
)";

constexpr const char* kMemoryMapRelease = R"(Give the region back to the device.

Parameters
----------
queue : CommandQueue, optional
    The map's own by default.
wait_for : sequence of Event, optional
    What the command waits for.

Returns
-------
Event
    Of the unmap.

Raises
------
ValueError
    If it was released before.

Notes
-----
Calls ``clEnqueueUnmapMemObject``.

Examples
--------
>>> array, event = cl.enqueue_map_buffer(queue, buf, cl.map_flags.READ, 0, 4, np.float32)
>>> array.base.release(queue).wait()
)";

constexpr const char* kEnqueueMigrateMemObjects = R"(Move memory objects to the queue's device, or to the host.

Parameters
----------
queue : CommandQueue
    Of the device that they move to.
mem_objects : sequence of MemoryObject
    At least one.
flags : int, default 0
    Of `mem_migration_flags`; HOST moves them to the host.
wait_for : sequence of Event, optional
    What the command waits for.

Returns
-------
Event
    Of the move.

Notes
-----
Calls ``clEnqueueMigrateMemObjects``.

Examples
--------
>>> cl.enqueue_migrate_mem_objects(queue, [buf]).wait()
)";

constexpr const char* kEnqueueSvmMigratemem = R"(Move shared virtual memory to the queue's device, or to the host.

Parameters
----------
queue : CommandQueue
    Of the device that it moves to.
svms : sequence of SVMPointer
    What moves.
flags : int, optional
    Of `mem_migration_flags`; HOST moves it to the host.
wait_for : sequence of Event, optional
    What the command waits for.

Returns
-------
Event
    Of the move.

Raises
------
LogicError
    If the platform is older than OpenCL 2.1.

Notes
-----
Calls ``clEnqueueSVMMigrateMem``.

Examples
--------
>>> memory = cl.SVMAllocation(ctx, 64)
>>> cl.enqueue_svm_migratemem(queue, [memory]).wait()
)";

}  // namespace devarray::docs
