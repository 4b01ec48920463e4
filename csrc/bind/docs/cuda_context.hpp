// Docstrings of what bind/cuda/context.cpp binds. tests/test_docstrings_drivers.py runs the examples.
#pragma once

namespace devarray::docs {

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

}  // namespace devarray::docs
