// Docstrings of what bind/opencl/platform.cpp binds. tests/test_docstrings_drivers.py runs the examples.
#pragma once

namespace devarray::docs {

constexpr const char* kPlatform = R"(
A vendor's implementation of OpenCL.

Each ``platform_info`` is an attribute in lower case: ``name``, ``vendor``, ``version``, ``extensions``.

Notes
-----
Stands for a ``cl_platform_id``; made by `get_platforms`.

Examples
--------
>>> platform = cl.get_platforms()[0]
>>> platform.version.startswith("OpenCL ")
True
)";

constexpr const char* kPlatformGetDevices = R"(List the platform's devices of one kind.

Parameters
----------
device_type : int, default 0xFFFFFFFF
    Of `device_type`, combined by ``|``; ALL by default.

Returns
-------
list of Device
    Empty where it has none.

Notes
-----
Calls ``clGetDeviceIDs``.

Examples
--------
>>> ctx.devices[0] in cl.get_platforms()[0].get_devices()
True
)";

constexpr const char* kGetPlatforms = R"(List every platform of this machine and Python environment.

Returns
-------
list of Platform
    At least one.

Raises
------
MissingDriverError
    If no OpenCL runtime was found; the text says where it was looked for.

Notes
-----
Calls ``clGetPlatformIDs`` of each library that was found.

Examples
--------
>>> len(cl.get_platforms()) > 0
True
)";

constexpr const char* kDevice = R"(
A device of a platform.

Each ``device_info`` is an attribute in lower case: ``name``, ``type``, ``global_mem_size`` (bytes),
``max_work_group_size`` (work-items).

Notes
-----
Stands for a ``cl_device_id``; made by `Platform.get_devices`.

Examples
--------
>>> device = ctx.devices[0]
>>> device.global_mem_size > 0, device.platform == cl.get_platforms()[0]
(True, True)
)";

constexpr const char* kDeviceCreateSubDevices = R"(Partition the device.

Parameters
----------
properties : sequence of int
    A `device_partition_property`, then its values; the final 0 may be left out.

Returns
-------
list of Device
    The parts.

Raises
------
LogicError
    If the device cannot be partitioned so.

Notes
-----
Calls ``clCreateSubDevices``.

Examples
--------
>>> parts = ctx.devices[0].create_sub_devices([cl.device_partition_property.EQUALLY, 1])
>>> parts[0].max_compute_units
1
)";

constexpr const char* kDeviceDeviceAndHostTimer =
    R"(Read the device's clock, and the host's as the device sees it, at one moment.

Returns
-------
tuple of int
    (device, host), both in nanoseconds.

Raises
------
LogicError
    If the platform is older than OpenCL 2.1 or has no such timer.

Notes
-----
Calls ``clGetDeviceAndHostTimer``.

Examples
--------
>>> device_time, host_time = ctx.devices[0].device_and_host_timer()
>>> host_time <= ctx.devices[0].host_timer()
True
)";

constexpr const char* kDeviceHostTimer = R"(Read the host's clock as the device sees it.

Returns
-------
int
    Nanoseconds.

Raises
------
LogicError
    If the platform is older than OpenCL 2.1 or has no such timer.

Notes
-----
Calls ``clGetHostTimer``.

Examples
--------
>>> ctx.devices[0].host_timer() <= ctx.devices[0].host_timer()
True
)";

constexpr const char* kContext = R"(
Devices that share memory, programs and events.

Each ``context_info`` is an attribute in lower case: ``devices``, ``num_devices``, ``properties``.

Parameters
----------
devices : sequence of Device, optional
    Of one platform. Give these or `dev_type`.
properties : sequence of (int, value), optional
    Pairs of a `context_properties` and its value, such as a Platform.
dev_type : int, optional
    Of `device_type`: take such devices of the platform that `properties` name, or of the first one.

Raises
------
ValueError
    If both `devices` and `dev_type` are given, or no device is.
RuntimeError
    If the platform has no device of the type.

Notes
-----
Calls ``clCreateContext``.

Examples
--------
>>> context = cl.Context([ctx.devices[0]])
>>> context.num_devices
1
)";

constexpr const char* kContextEngineDevice = R"(Return one of this context's devices as arrays see it.

Parameters
----------
device : Device, optional
    The context's first one by default.

Returns
-------
ContextDevice
    What ``device=`` of devarray's functions takes.

Raises
------
DeviceError
    If the device does not belong to this context.

Notes
-----
devarray's own.

Examples
--------
>>> ctx.engine_device().cl_device == ctx.devices[0]
True
)";

constexpr const char* kContextSetDefaultDeviceCommandQueue =
    R"(Choose the queue that kernels enqueue further kernels on by default.

Parameters
----------
dev : Device
    A device of this context.
queue : int
    The handle (``int_ptr``) of an on-device queue.

Raises
------
LogicError
    If the device has no on-device queues, or the handle is none.

Notes
-----
Calls ``clSetDefaultDeviceCommandQueue``.

Examples
--------
>>> try:
...     ctx.set_default_device_command_queue(ctx.devices[0], 0)
... except cl.LogicError:
...     print("0 is no queue")
0 is no queue
)";

}  // namespace devarray::docs
