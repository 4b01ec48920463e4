// Docstrings of what bind/opencl/queue.cpp binds. tests/test_docstrings_drivers.py runs the examples.
#pragma once

namespace devarray::docs {

constexpr const char* kEvent = R"(
The state of a command.

Each ``event_info`` is an attribute in lower case: ``command_type``, ``command_execution_status``.

Notes
-----
Stands for a ``cl_event``; returned by every function that enqueues.

Examples
--------
>>> event = cl.enqueue_marker(queue)
>>> event.wait()
>>> event.command_execution_status == cl.command_execution_status.COMPLETE
True
)";

constexpr const char* kEventWait = R"(Block until the command is complete.

Raises
------
RuntimeError
    If the command failed.

Notes
-----
Calls ``clWaitForEvents``.

Examples
--------
>>> event = prg.twice(queue, ones.shape, None, buf)
>>> event.wait()
)";

constexpr const char* kEventSetCallback = R"(Call a function once the command reaches a state.

Parameters
----------
type : int
    Of `command_execution_status`: SUBMITTED, RUNNING or COMPLETE.
cb : callable
    ``cb(status)``, called from a thread of the driver; an exception in it is reported as unraisable.

Notes
-----
Calls ``clSetEventCallback``.

Examples
--------
>>> import threading
>>> called = threading.Event()
>>> event = cl.enqueue_marker(queue)
>>> event.set_callback(cl.command_execution_status.COMPLETE, lambda status: called.set())
>>> queue.finish()
>>> called.wait(60)
True
)";

constexpr const char* kEventGetProfilingInfo = R"(Read one time of the command, on a queue that takes them.

Parameters
----------
param : int
    Of `profiling_info`.

Returns
-------
int
    Nanoseconds of the device's clock.

Raises
------
RuntimeError
    If the queue takes no times.

Notes
-----
Calls ``clGetEventProfilingInfo``. ``event.profile`` has the same as attributes.

Examples
--------
>>> timed = cl.CommandQueue(ctx, properties=cl.command_queue_properties.PROFILING_ENABLE)
>>> event = prg.twice(timed, ones.shape, None, buf)
>>> event.wait()
>>> event.get_profiling_info(cl.profiling_info.START) <= event.profile.end
True
)";

constexpr const char* kProfilingInfo = R"(
The times of a command in nanoseconds, as attributes: ``queued``, ``submit``, ``start``, ``end``.

Made by ``Event.profile``, of a queue with ``command_queue_properties.PROFILING_ENABLE``.

Examples
--------
>>> timed = cl.CommandQueue(ctx, properties=cl.command_queue_properties.PROFILING_ENABLE)
>>> event = prg.twice(timed, ones.shape, None, buf)
>>> event.wait()
>>> event.profile.start <= event.profile.end
True
)";

constexpr const char* kNannyEvent = R"(
The event of a transfer; keeps the host memory alive until the transfer is complete.

Examples
--------
>>> event = cl.enqueue_copy(queue, ones, buf, is_blocking=False)
>>> isinstance(event, cl.NannyEvent), event.get_ward() is ones
(True, True)
>>> event.wait()
)";

constexpr const char* kNannyEventGetWard = R"(Return the object whose memory takes part.

Returns
-------
object
    None once the event was waited for.

Examples
--------
>>> event = cl.enqueue_copy(queue, ones, buf, is_blocking=False)
>>> event.wait()
>>> event.get_ward() is None
True
)";

constexpr const char* kNannyEventWait = R"(Block until the transfer is complete.

Raises
------
RuntimeError
    If the transfer failed.

Notes
-----
Calls ``clWaitForEvents``.

Examples
--------
>>> cl.enqueue_copy(queue, ones, buf, is_blocking=False).wait()
)";

constexpr const char* kUserEvent = R"(
An event that the program completes.

Parameters
----------
context : Context
    Where it can be waited for.

Notes
-----
Calls ``clCreateUserEvent``.

Examples
--------
>>> gate = cl.UserEvent(ctx)
>>> behind = cl.enqueue_marker(queue, wait_for=[gate])
>>> gate.set_status(cl.command_execution_status.COMPLETE)
>>> behind.wait()
)";

constexpr const char* kUserEventSetStatus = R"(Complete the event, or fail it.

Parameters
----------
status : int
    ``command_execution_status.COMPLETE``, or a negative code that fails what waits for the event.

Raises
------
LogicError
    If it has a status already.

Notes
-----
Calls ``clSetUserEventStatus``.

Examples
--------
>>> gate = cl.UserEvent(ctx)
>>> gate.set_status(cl.command_execution_status.COMPLETE)
>>> gate.wait()
)";

constexpr const char* kWaitForEvents = R"(Block until all events are complete.

Parameters
----------
events : sequence of Event
    May be empty.

Raises
------
RuntimeError
    If a command failed.

Notes
-----
Calls ``clWaitForEvents``.

Examples
--------
>>> cl.wait_for_events([prg.twice(queue, ones.shape, None, buf)])
)";

constexpr const char* kCommandQueue = R"(
Where a device's commands are enqueued.

In a ``with`` statement it is finished at the end, and what is enqueued later warns: `CommandQueueUsedAfterExit`.
Each ``command_queue_info`` is an attribute in lower case: ``context``, ``device``, ``properties``.

Parameters
----------
context : Context
    Of the memory and the programs that it works on.
device : Device, optional
    The context's first one by default.
properties : int, optional
    Of `command_queue_properties`. devarray's arrays need an in-order queue, the default.

Notes
-----
Calls ``clCreateCommandQueueWithProperties``, or ``clCreateCommandQueue`` before OpenCL 2.0.

Examples
--------
>>> with cl.CommandQueue(ctx) as other:
...     event = prg.twice(other, ones.shape, None, buf)
>>> other.in_order, other.context == ctx
(True, True)
)";

constexpr const char* kCommandQueueFlush = R"(Hand the enqueued commands to the device without a wait for them.

Notes
-----
Calls ``clFlush``.

Examples
--------
>>> event = prg.twice(queue, ones.shape, None, buf)
>>> queue.flush()
)";

constexpr const char* kCommandQueueFinish = R"(Block until everything enqueued is complete.

Notes
-----
Calls ``clFinish``.

Examples
--------
>>> event = prg.twice(queue, ones.shape, None, buf)
>>> queue.finish()
>>> event.command_execution_status == cl.command_execution_status.COMPLETE
True
)";

constexpr const char* kEnqueueMarker = R"(Enqueue an event that is complete when what is before it is.

Parameters
----------
queue : CommandQueue
    Where it is enqueued.
wait_for : sequence of Event, optional
    What it stands for; by default everything enqueued so far.

Returns
-------
Event
    The marker.

Notes
-----
Calls ``clEnqueueMarkerWithWaitList``.

Examples
--------
>>> cl.enqueue_marker(queue).wait()
)";

constexpr const char* kEnqueueBarrier = R"(Enqueue a marker that later commands wait for.

Parameters
----------
queue : CommandQueue
    Where it is enqueued.
wait_for : sequence of Event, optional
    What it waits for; by default everything enqueued so far.

Returns
-------
Event
    The barrier.

Notes
-----
Calls ``clEnqueueBarrierWithWaitList``.

Examples
--------
>>> cl.enqueue_barrier(queue).wait()
)";

}  // namespace devarray::docs
