// Docstrings of what bind/opencl/module.cpp binds. tests/test_docstrings_drivers.py runs the examples.
#pragma once

namespace devarray::docs {

constexpr const char* kDevices = R"(List the devices that arrays can live on: GPUs, then accelerators, then CPUs.

Returns
-------
list of ContextDevice
    Empty where no runtime was found.

Notes
-----
devarray's own; ``devarray.devices()`` puts CUDA's before them.

Examples
--------
>>> [device.driver for device in cl.devices()][0]
'opencl'
)";

constexpr const char* kContextDevice = R"(
A device in a context, as arrays see it.

Made by ``CommandQueue.engine_device`` and `Context.engine_device`.

Examples
--------
>>> queue.engine_device.cl_context == ctx, queue.engine_device.cl_device == queue.device
(True, True)
)";

constexpr const char* kContextDeviceBuildOptions = R"(Complete a program's build options for this device.

Parameters
----------
options : str, default ""
    Options of the program's own.

Returns
-------
str
    Options that ``clBuildProgram`` takes.

Examples
--------
>>> "-DN=3" in queue.engine_device.build_options("-DN=3")
True
)";

}  // namespace devarray::docs
