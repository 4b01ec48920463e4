// Docstrings of what bind/cuda/graph.cpp binds. tests/test_docstrings_drivers.py runs the examples.
#pragma once

namespace devarray::docs {

constexpr const char* kGraph = R"(
Work captured from a stream, as a graph of its parts; made by `Stream.end_capture`.

``len(graph)`` counts its nodes.

Notes
-----
Stands for a ``CUgraph``.

Examples
--------
>>> stream = cuda.Stream()
>>> stream.begin_capture()
>>> len(stream.end_capture())
0
)";

constexpr const char* kGraphInstantiate = R"(Make the graph ready to run.

Returns
-------
GraphExec
    It can be launched any number of times.

Notes
-----
Calls ``cuGraphInstantiate``.

Examples
--------
>>> stream = cuda.Stream()
>>> stream.begin_capture()
>>> stream.end_capture().instantiate().launch(stream)
)";

constexpr const char* kGraphWriteDot = R"(Write the graph as a Graphviz file.

Parameters
----------
path : str
    The file, made anew.

Notes
-----
Calls ``cuGraphDebugDotPrint``.

Examples
--------
>>> import os, tempfile
>>> path = os.path.join(tempfile.mkdtemp(), "graph.dot")
>>> stream = cuda.Stream()
>>> stream.begin_capture()
>>> stream.end_capture().write_dot(path)
>>> os.path.exists(path)
True
)";

constexpr const char* kGraphExec = R"(
A graph that is ready to run; made by `Graph.instantiate`.

Notes
-----
Stands for a ``CUgraphExec``.

Examples
--------
>>> memory = cuda.to_device(np.ones(4, np.float32))
>>> stream = cuda.Stream()
>>> stream.begin_capture()
>>> doublify(memory, block=(4, 1, 1), stream=stream)
>>> ready = stream.end_capture().instantiate()
>>> ready.launch(stream)
>>> stream.synchronize()
>>> cuda.from_device(memory, 4, np.float32)
array([2., 2., 2., 2.], dtype=float32)
)";

constexpr const char* kGraphExecLaunch = R"(Run all of the graph on a stream.

Parameters
----------
stream : Stream or int, optional
    The default stream if not given.

Notes
-----
Calls ``cuGraphLaunch``.

Examples
--------
>>> stream = cuda.Stream()
>>> stream.begin_capture()
>>> stream.end_capture().instantiate().launch(stream)
)";

constexpr const char* kGraphExecUpload = R"(Bring the graph to the device ahead of the first launch.

Parameters
----------
stream : Stream or int, optional
    The default stream if not given.

Notes
-----
Calls ``cuGraphUpload``.

Examples
--------
>>> stream = cuda.Stream()
>>> stream.begin_capture()
>>> ready = stream.end_capture().instantiate()
>>> ready.upload(stream)
>>> ready.launch(stream)
)";

constexpr const char* kGraphExecUpdate = R"(Take over the arguments of a graph of the same shape.

Parameters
----------
graph : Graph
    As captured again, with other arguments.

Returns
-------
bool
    False when the shape differs.

Notes
-----
Calls ``cuGraphExecUpdate``.

Examples
--------
>>> memory = cuda.to_device(np.ones(4, np.float32))
>>> stream = cuda.Stream()
>>> def captured():
...     stream.begin_capture()
...     doublify(memory, block=(4, 1, 1), stream=stream)
...     return stream.end_capture()
>>> captured().instantiate().update(captured())
True
)";

constexpr const char* kStartProfiler = R"(Let profilers record from here.

Notes
-----
Calls ``cuProfilerStart``; nsys and ncu heed it.

Examples
--------
>>> cuda.start_profiler()
>>> cuda.stop_profiler()
)";

constexpr const char* kStopProfiler = R"(Let profilers record no more.

Notes
-----
Calls ``cuProfilerStop``; nsys and ncu heed it.

Examples
--------
>>> cuda.start_profiler()
>>> cuda.stop_profiler()
)";

constexpr const char* kInitializeProfiler = R"(Configure the profiler that was built into CUDA until version 11.

Parameters
----------
config_file : str
    Which counters.
output_file : str
    Where they go.
output_mode : profiler_output_mode
    As key-value pairs or as CSV.

Raises
------
LogicError
    Since CUDA 12, which has no such profiler: run the program under nsys or ncu.

Notes
-----
Calls ``cuProfilerInitialize``.

Examples
--------
>>> try:
...     cuda.initialize_profiler("", "", cuda.profiler_output_mode.CSV)
... except cuda.Error as error:
...     assert "nsys" in str(error)
)";

}  // namespace devarray::docs
