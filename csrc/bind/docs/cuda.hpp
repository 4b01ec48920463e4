// Docstrings of what bind/cuda/module.cpp binds. tests/test_docstrings_drivers.py runs the examples.
#pragma once

namespace devarray::docs {

constexpr const char* kPrimaryDevice = R"(
A CUDA device as arrays see it, in its primary context.

Examples
--------
>>> [device.driver for device in cuda.devices()][0]
'cuda'
)";

constexpr const char* kDevices = R"(List all CUDA devices, as arrays see them.

Returns
-------
list of PrimaryDevice
    In the driver's order.

Raises
------
MissingDriverError
    If there is no driver.

Notes
-----
devarray's own; calls ``cuDeviceGetCount``.

Examples
--------
>>> len(cuda.devices()) == cuda.Device.count()
True
)";

}  // namespace devarray::docs
