// Docstrings of what bind/cuda/context.cpp binds. tests/test_docstrings_drivers.py runs the examples.
#pragma once

namespace devarray::docs {

constexpr const char* kDevice = R"(
A CUDA device, by its number or its PCI bus id.

Each `device_attribute` is an attribute in lower case: ``warp_size``, ``clock_rate``. ``Device(pci_bus_id)`` finds a
device by the text that `pci_bus_id` gives.

Parameters
----------
number : int
    From 0, as CUDA_VISIBLE_DEVICES orders and limits them.

Raises
------
LogicError
    If there is no such device.

Notes
-----
Calls ``cuDeviceGet`` or ``cuDeviceGetByPCIBusId``.

Examples
--------
>>> cuda.Device(0).warp_size
32
)";

constexpr const char* kDeviceCount = R"(Return the number of CUDA devices.

Returns
-------
int
    Of those that CUDA_VISIBLE_DEVICES leaves.

Notes
-----
Calls ``cuDeviceGetCount``.

Examples
--------
>>> cuda.Device.count() >= 1
True
)";

constexpr const char* kDeviceName = R"(Return the device's name.

Returns
-------
str
    As the vendor gives it.

Notes
-----
Calls ``cuDeviceGetName``.

Examples
--------
>>> len(cuda.Device(0).name()) > 0
True
)";

constexpr const char* kDevicePciBusId = R"(Return where the device is on the PCI bus.

Returns
-------
str
    Domain, bus and device in hexadecimal: ``"0000:01:00.0"``.

Notes
-----
Calls ``cuDeviceGetPCIBusId``.

Examples
--------
>>> cuda.Device(cuda.Device(0).pci_bus_id()) == cuda.Device(0)
True
)";

constexpr const char* kDeviceUuid = R"(Return the device's identity.

Returns
-------
bytes
    16 of them, the same in every process.

Notes
-----
Calls ``cuDeviceGetUuid_v2``.

Examples
--------
>>> len(cuda.Device(0).uuid())
16
)";

constexpr const char* kDeviceComputeCapability = R"(Return what code the device runs.

Returns
-------
tuple of int
    (major, minor): (9, 0) runs sm_90.

Notes
-----
Calls ``cuDeviceGetAttribute``.

Examples
--------
>>> cuda.Device(0).compute_capability() >= (5, 0)
True
)";

constexpr const char* kDeviceTotalMemory = R"(Return the memory of the device.

Returns
-------
int
    Bytes.

Notes
-----
Calls ``cuDeviceTotalMem_v2``.

Examples
--------
>>> cuda.Device(0).total_memory() > 0
True
)";

constexpr const char* kDeviceGetAttribute = R"(Return the value of one attribute.

Parameters
----------
attr : device_attribute
    Which.

Returns
-------
int
    In the unit that the driver's page says.

Raises
------
LogicError
    If the driver does not know the attribute.

Notes
-----
Calls ``cuDeviceGetAttribute``.

Examples
--------
>>> cuda.Device(0).get_attribute(cuda.device_attribute.WARP_SIZE)
32
)";

constexpr const char* kDeviceGetAttributes = R"(Return all attributes that the driver knows.

Returns
-------
dict of device_attribute to int
    As from `get_attribute`.

Notes
-----
Calls ``cuDeviceGetAttribute``.

Examples
--------
>>> cuda.Device(0).get_attributes()[cuda.device_attribute.WARP_SIZE]
32
)";

constexpr const char* kDeviceMakeContext = R"(Make a new context on this device, and make it current.

Parameters
----------
flags : ctx_flags, default 0
    How the host waits.

Returns
-------
Context
    Destroyed by its `Context.detach`.

Notes
-----
Calls ``cuCtxCreate``. devarray's arrays live in the primary context instead.

Examples
--------
>>> own = cuda.Device(0).make_context()
>>> cuda.Context.get_current() == own
True
>>> own.detach()
)";

constexpr const char* kDeviceRetainPrimaryContext =
    R"(Return the device's primary context, in which devarray's arrays live.

Returns
-------
Context
    Not made current.

Notes
-----
Calls ``cuDevicePrimaryCtxRetain``.

Examples
--------
>>> cuda.Device(0).retain_primary_context().device == cuda.Device(0)
True
)";

constexpr const char* kDeviceCanAccessPeer = R"(Tell whether kernels on this device can reach the memory of another.

Parameters
----------
dev : Device
    The other one.

Returns
-------
bool
    Whether `Context.enable_peer_access` is possible.

Notes
-----
Calls ``cuDeviceCanAccessPeer``.

Examples
--------
>>> cuda.Device(0).can_access_peer(cuda.Device(cuda.Device.count() - 1)) in (True, False)
True
)";

}  // namespace devarray::docs
