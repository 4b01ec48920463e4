// Docstrings of what bind/cuda/context.cpp binds. tests/test_docstrings_drivers.py runs the examples.
#pragma once

namespace devarray::docs {

constexpr const char* kStream = R"(
A queue of work that runs in order, in the current context.

Parameters
----------
flags : stream_flags, default 0
    NON_BLOCKING lets it run beside the default stream.
priority : int, default 0
    In `Context.get_stream_priority_range`.

Notes
-----
Calls ``cuStreamCreateWithPriority``.

Examples
--------
>>> stream = cuda.Stream()
>>> memory = cuda.to_device(np.ones(4, np.float32))
>>> doublify(memory, block=(4, 1, 1), stream=stream)
>>> stream.synchronize()
>>> cuda.from_device(memory, 4, np.float32)
array([2., 2., 2., 2.], dtype=float32)
)";

constexpr const char* kStreamFromHandle = R"(Return a stream for one that was made elsewhere.

Parameters
----------
stream : int or object
    The driver's handle, or an object with ``__cuda_stream__``.
owner : object, optional
    Kept alive as long as the result.

Returns
-------
Stream
    It does not destroy what it stands for.

Examples
--------
>>> mine = cuda.Stream()
>>> cuda.Stream.from_handle(int(mine), mine) == mine
True
)";

constexpr const char* kStreamSynchronize = R"(Wait for all work of this stream.

Raises
------
LaunchError
    If a kernel failed.

Notes
-----
Calls ``cuStreamSynchronize``.

Examples
--------
>>> cuda.Stream().synchronize()
)";

constexpr const char* kStreamIsDone = R"(Tell whether all work of this stream is finished.

Returns
-------
bool
    Without a wait.

Notes
-----
Calls ``cuStreamQuery``.

Examples
--------
>>> stream = cuda.Stream()
>>> stream.synchronize()
>>> stream.is_done()
True
)";

constexpr const char* kStreamWaitForEvent = R"(Let work enqueued from now on wait for an event; the host does not wait.

Parameters
----------
evt : Event
    One that was recorded, on any stream.

Notes
-----
Calls ``cuStreamWaitEvent``.

Examples
--------
>>> first, second = cuda.Stream(), cuda.Stream()
>>> second.wait_for_event(cuda.Event().record(first))
)";

constexpr const char* kStreamBeginCapture = R"(Record what is enqueued from now on instead of running it.

Parameters
----------
mode : stream_capture_mode, default 0
    Which other calls are forbidden meanwhile; GLOBAL by default.

Notes
-----
Calls ``cuStreamBeginCapture``.

Examples
--------
>>> stream = cuda.Stream()
>>> stream.begin_capture()
>>> stream.is_capturing
True
>>> len(stream.end_capture())
0
)";

constexpr const char* kStreamEndCapture = R"(Stop recording.

Returns
-------
Graph
    What was recorded.

Raises
------
LogicError
    If the stream does not record.

Notes
-----
Calls ``cuStreamEndCapture``.

Examples
--------
>>> memory = cuda.to_device(np.ones(4, np.float32))
>>> stream = cuda.Stream()
>>> stream.begin_capture()
>>> doublify(memory, block=(4, 1, 1), stream=stream)
>>> len(stream.end_capture())
1
)";

constexpr const char* kEvent = R"(
A mark in a stream's work, in the current context.

Parameters
----------
flags : event_flags, default 0
    DISABLE_TIMING makes it cheaper; INTERPROCESS lets another process open it.

Notes
-----
Calls ``cuEventCreate``.

Examples
--------
>>> start, end = cuda.Event(), cuda.Event()
>>> start.record().synchronize().query()
True
>>> start.time_till(end.record().synchronize()) >= 0
True
)";

constexpr const char* kEventRecord = R"(Put the mark behind the stream's present work.

Parameters
----------
stream : Stream or int, optional
    The default stream if not given.

Returns
-------
Event
    The event itself.

Notes
-----
Calls ``cuEventRecord``.

Examples
--------
>>> event = cuda.Event()
>>> event.record(cuda.Stream()) is event
True
)";

constexpr const char* kEventSynchronize = R"(Wait until the mark is reached.

Returns
-------
Event
    The event itself.

Notes
-----
Calls ``cuEventSynchronize``.

Examples
--------
>>> event = cuda.Event().record()
>>> event.synchronize() is event
True
)";

constexpr const char* kEventQuery = R"(Tell whether the mark is reached.

Returns
-------
bool
    Without a wait.

Notes
-----
Calls ``cuEventQuery``.

Examples
--------
>>> cuda.Event().record().synchronize().query()
True
)";

constexpr const char* kEventTimeSince = R"(Return the time from another event to this one.

Parameters
----------
event : Event
    The earlier one; both reached, and made with timing.

Returns
-------
float
    Milliseconds.

Raises
------
LogicError
    If one of them has no timing or was not recorded.

Notes
-----
Calls ``cuEventElapsedTime``.

Examples
--------
>>> start, end = cuda.Event().record(), cuda.Event().record()
>>> end.synchronize().time_since(start) >= 0
True
)";

constexpr const char* kEventTimeTill = R"(Return the time from this event to another.

Parameters
----------
event : Event
    The later one; both reached, and made with timing.

Returns
-------
float
    Milliseconds.

Raises
------
LogicError
    If one of them has no timing or was not recorded.

Notes
-----
Calls ``cuEventElapsedTime``.

Examples
--------
>>> start, end = cuda.Event().record(), cuda.Event().record()
>>> start.time_till(end.synchronize()) >= 0
True
)";

constexpr const char* kEventIpcHandle = R"(Return what another process opens the event by.

Returns
-------
bytes
    For `from_ipc_handle`.

Raises
------
LogicError
    If the event was not made with ``event_flags.INTERPROCESS | event_flags.DISABLE_TIMING``.

Notes
-----
Calls ``cuIpcGetEventHandle``.

Examples
--------
>>> shared = cuda.Event(cuda.event_flags.INTERPROCESS | cuda.event_flags.DISABLE_TIMING)
>>> len(shared.ipc_handle())
64
)";

constexpr const char* kEventFromIpcHandle = R"(Open an event of another process.

Parameters
----------
handle : bytes
    What that process got from `ipc_handle`.

Returns
-------
Event
    In the current context.

Notes
-----
Calls ``cuIpcOpenEventHandle``.

Examples
--------
>>> try:
...     cuda.Event.from_ipc_handle(bytes(64))
... except cuda.Error:
...     print("that is no event")
that is no event
)";

}  // namespace devarray::docs
