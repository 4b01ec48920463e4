// What help() says of the names that cuda_context.cpp binds. tests/test_docstrings_drivers.py runs the examples.
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

constexpr const char* kContext = R"(
A CUDA context: memory, modules and streams of one device.

Made by `Device.make_context` or `Device.retain_primary_context`. Each thread has a stack of contexts; the one on
top is current, and calls work in it.

Notes
-----
Stands for a ``CUcontext``.

Examples
--------
>>> cuda.Context.get_current().device == cuda.Context.get_device()
True
)";

constexpr const char* kContextPush = R"(Make the context current in this thread, on top of the present one.

Raises
------
DeviceError
    If it was detached.

Notes
-----
Calls ``cuCtxPushCurrent``.

Examples
--------
>>> context = cuda.Device(0).retain_primary_context()
>>> context.push()
>>> cuda.Context.pop()
)";

constexpr const char* kContextPop = R"(Make the context below the current one current again.

Raises
------
LogicError
    If no context is current.

Notes
-----
Calls ``cuCtxPopCurrent``.

Examples
--------
>>> cuda.Device(0).retain_primary_context().push()
>>> cuda.Context.pop()
)";

constexpr const char* kContextDetach =
    R"(Pop the context if it is current; destroy it, and what lives in it, if `Device.make_context` made it.

Notes
-----
Calls ``cuCtxDestroy`` or ``cuDevicePrimaryCtxRelease``.

Examples
--------
>>> own = cuda.Device(0).make_context()
>>> own.detach()
>>> cuda.Context.get_current() == own
False
)";

constexpr const char* kContextGetCurrent = R"(Return the current context.

Returns
-------
Context or None
    None where this thread has none.

Notes
-----
Calls ``cuCtxGetCurrent``.

Examples
--------
>>> cuda.Context.get_current() is not None
True
)";

constexpr const char* kContextGetDevice = R"(Return the device of the current context.

Returns
-------
Device
    As `Device` gives it.

Raises
------
LogicError
    If no context is current.

Notes
-----
Calls ``cuCtxGetDevice``.

Examples
--------
>>> cuda.Context.get_device() == cuda.Device(0)
True
)";

constexpr const char* kContextSynchronize = R"(Wait for all work of the current context.

Raises
------
LaunchError
    If a kernel failed.

Notes
-----
Calls ``cuCtxSynchronize``.

Examples
--------
>>> cuda.Context.synchronize()
)";

constexpr const char* kContextSetLimit = R"(Set a limit of the current context.

Parameters
----------
limit : limit
    Which.
value : int
    Bytes or a number, as the limit is.

Notes
-----
Calls ``cuCtxSetLimit``.

Examples
--------
>>> cuda.Context.set_limit(cuda.limit.STACK_SIZE, 2048)
>>> cuda.Context.get_limit(cuda.limit.STACK_SIZE) >= 2048
True
)";

constexpr const char* kContextGetLimit = R"(Return a limit of the current context.

Parameters
----------
limit : limit
    Which.

Returns
-------
int
    Bytes or a number, as the limit is.

Notes
-----
Calls ``cuCtxGetLimit``.

Examples
--------
>>> cuda.Context.get_limit(cuda.limit.STACK_SIZE) > 0
True
)";

constexpr const char* kContextSetCacheConfig =
    R"(Prefer more shared memory or more L1 cache, where the two share their place.

Parameters
----------
cc : func_cache
    The preference.

Notes
-----
Calls ``cuCtxSetCacheConfig``.

Examples
--------
>>> cuda.Context.set_cache_config(cuda.func_cache.PREFER_NONE)
)";

constexpr const char* kContextGetCacheConfig = R"(Return what `set_cache_config` set.

Returns
-------
func_cache
    The preference.

Notes
-----
Calls ``cuCtxGetCacheConfig``.

Examples
--------
>>> isinstance(cuda.Context.get_cache_config(), cuda.func_cache)
True
)";

constexpr const char* kContextSetSharedConfig =
    R"(Set the bank size of shared memory; without effect since Volta, which has one.

Parameters
----------
sc : shared_config
    The size.

Notes
-----
Calls ``cuCtxSetSharedMemConfig``.

Examples
--------
>>> cuda.Context.set_shared_config(cuda.shared_config.FOUR_BYTE_BANK_SIZE)
)";

constexpr const char* kContextGetSharedConfig = R"(Return the bank size of shared memory.

Returns
-------
shared_config
    The size.

Notes
-----
Calls ``cuCtxGetSharedMemConfig``.

Examples
--------
>>> isinstance(cuda.Context.get_shared_config(), cuda.shared_config)
True
)";

constexpr const char* kContextGetStreamPriorityRange = R"(Return the priorities that streams may have.

Returns
-------
tuple of int
    (least, greatest): the greatest priority has the lower number.

Notes
-----
Calls ``cuCtxGetStreamPriorityRange``.

Examples
--------
>>> least, greatest = cuda.Context.get_stream_priority_range()
>>> greatest <= least
True
)";

constexpr const char* kContextGetApiVersion = R"(Return the version of the interface that the context was made with.

Returns
-------
int
    3020 for CUDA 3.2.

Notes
-----
Calls ``cuCtxGetApiVersion``.

Examples
--------
>>> cuda.Context.get_current().get_api_version() >= 3020
True
)";

constexpr const char* kContextEnablePeerAccess = R"(Let this context reach the memory of another.

``Context.enable_peer_access(peer)``, called on the class, does it for the current one.

Parameters
----------
peer : Context, optional
    The other one, of another device.
flags : int, default 0
    Must be 0.

Raises
------
LogicError
    If the devices have no such way, or it is open already.

Notes
-----
Calls ``cuCtxEnablePeerAccess``.

Examples
--------
>>> here = cuda.Context.get_current()
>>> try:
...     here.enable_peer_access(here)
... except cuda.Error:
...     print("a context is no peer of its own")
a context is no peer of its own
)";

constexpr const char* kContextDisablePeerAccess = R"(Take back what `enable_peer_access` allowed.

Parameters
----------
peer : Context, optional
    The other one.
flags : int, default 0
    Not used.

Raises
------
LogicError
    If it was not allowed.

Notes
-----
Calls ``cuCtxDisablePeerAccess``.

Examples
--------
>>> here = cuda.Context.get_current()
>>> try:
...     here.disable_peer_access(here)
... except cuda.Error:
...     print("it was not enabled")
it was not enabled
)";

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
