// Docstrings of what bind/memory/statistics.cpp binds. tests/test_docstrings_drivers.py runs the examples.
#pragma once

namespace devarray::docs {

constexpr const char* kTrackingResourceAdaptor = R"(
Know the blocks in use, and on request where in the program each was asked for.

Parameters
----------
upstream : MemoryResource
    Where its memory comes from.
capture_stacks : bool, default False
    Keep the Python stack of each allocation, which takes some microseconds.

Notes
-----
RMM's class of that name.

Examples
--------
>>> tracked = TrackingResourceAdaptor(DeviceMemoryResource(device))
>>> block = tracked.allocate(100)
>>> tracked.allocated_bytes
100
)";

constexpr const char* kTrackingResourceAdaptorGetOutstandingAllocations = R"(List the blocks in use, oldest first.

Returns
-------
list of dict
    Each with ``address``, ``nbytes`` (bytes), ``number`` (in the order of allocation) and ``stack`` (a text,
    empty without `capture_stacks`).

Examples
--------
>>> tracked = TrackingResourceAdaptor(DeviceMemoryResource(device))
>>> block = tracked.allocate(100)
>>> [found["nbytes"] for found in tracked.get_outstanding_allocations()]
[100]
)";

constexpr const char* kTrackingResourceAdaptorGetOutstandingAllocationsStr =
    R"(Describe the blocks in use as text, oldest first.

Returns
-------
str
    A line for each, followed by its stack where stacks are captured.

Examples
--------
>>> tracked = TrackingResourceAdaptor(DeviceMemoryResource(device))
>>> block = tracked.allocate(100)
>>> tracked.get_outstanding_allocations_str().endswith(": 100 bytes\n")
True
)";

constexpr const char* kLoggingResourceAdaptor = R"(
Write a line for each allocation and free to a CSV file.

The columns are Thread, Time (in seconds from the start), Action (``allocate``, ``allocate failure`` or ``free``),
Pointer, Size and Stream. `devarray.alloc.plot` draws such a log and ``benchmarks/replay.py`` repeats it.

Parameters
----------
upstream : MemoryResource
    Where its memory comes from.
log_file_name : str or path
    The file, made anew.

Notes
-----
RMM's class of that name.

Examples
--------
>>> import os, tempfile
>>> path = os.path.join(tempfile.mkdtemp(), "log.csv")
>>> logged = LoggingResourceAdaptor(DeviceMemoryResource(device), path)
>>> logged.allocate(1000).nbytes
1000
>>> logged.flush()
>>> [(action, size) for _, action, _, size, _ in read_log(path)]
[('allocate', 1000), ('free', 1000)]
)";

constexpr const char* kLoggingResourceAdaptorFlush = R"(Write out what is buffered.

Examples
--------
>>> import os, tempfile
>>> path = os.path.join(tempfile.mkdtemp(), "log.csv")
>>> logged = LoggingResourceAdaptor(DeviceMemoryResource(device), path)
>>> logged.flush()
>>> read_log(path)
[]
)";

constexpr const char* kFailureCallbackResourceAdaptor = R"(
Call back when there is no memory, to free some, and ask again.

Parameters
----------
upstream : MemoryResource
    Where its memory comes from.
callback : callable
    ``callback(nbytes)`` returns True to ask again, False to let OutOfMemoryError pass.

Raises
------
ValueError
    If `callback` is not callable.

Notes
-----
RMM's class of that name.

Examples
--------
>>> limited = LimitingResourceAdaptor(DeviceMemoryResource(device), 1000)
>>> kept = [limited.allocate(800)]
>>> def free(nbytes):
...     return bool(kept) and not kept.clear()
>>> FailureCallbackResourceAdaptor(limited, free).allocate(600).nbytes
600
)";

constexpr const char* kPrefetchResourceAdaptor = R"(
Move managed memory to its device when it is handed out for a queue.

Memory of other kinds just passes.

Parameters
----------
upstream : MemoryResource
    Where its memory comes from.

Notes
-----
Calls ``cuMemPrefetchAsync``; RMM's class of that name.

Examples
--------
>>> PrefetchResourceAdaptor(DeviceMemoryResource(device)).allocate(100, queue).nbytes
100
)";

}  // namespace devarray::docs
