// Docstrings of what bind/memory/callback.cpp binds. tests/test_docstrings_drivers.py runs the examples.
#pragma once

namespace devarray::docs {

constexpr const char* kCallbackMemoryResource = R"(
A Python callable as an allocator.

Parameters
----------
allocate_func : callable
    ``allocate_func(nbytes)`` returns a Block, an Allocation, an object that has one of these as its ``block``
    or ``allocation``, or an address as an integer. A MemoryError means that there is none.
deallocate_func : callable, optional
    ``deallocate_func(address, nbytes)`` gets addresses back, when the work that uses the memory is done.
device : Device
    Where the memory is.
kind : str, optional
    The kind of memory that comes; the first of ``device.memory_kinds`` if not given.

Raises
------
ValueError
    If `allocate_func` is not callable.

Notes
-----
RMM's class of that name.

Examples
--------
>>> direct = DeviceMemoryResource(device)
>>> resource = CallbackMemoryResource(lambda nbytes: direct.allocate(nbytes), device=device)
>>> resource.allocate(100).nbytes
100
)";

}  // namespace devarray::docs
