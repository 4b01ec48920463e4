// Docstrings of what bind/cuda/memory.cpp binds for addresses of arrays. tests/test_docstrings_drivers.py runs the
// examples.
#pragma once

namespace devarray::docs {

constexpr const char* kArrayAddress = R"(ArrayAddress(array)
--

Where an array starts, as kernels and copies take it. It keeps the array, so that its memory is no other array's.

Parameters
----------
array : Array
    On a CUDA device.

Examples
--------
>>> import devarray as da
>>> x = da.zeros(4, "float32", device="cuda:0")
>>> int(x.gpudata) == x.ptr
True
)";

constexpr const char* kArrayAddressGetPointer = R"(get_pointer($self, /)
--

Return the address of the array's first element.

Returns
-------
int
    On the device.

Raises
------
ValueError
    If it was freed.

Examples
--------
>>> import devarray as da
>>> x = da.zeros(4, "float32", device="cuda:0")
>>> x.gpudata.get_pointer() == x.ptr
True
)";

constexpr const char* kArrayAddressFree = R"(free($self, /)
--

Keep the array no longer: its memory goes back where it came from when the array itself is gone.

Examples
--------
>>> import devarray as da
>>> da.zeros(4, "float32", device="cuda:0").gpudata.free()
)";

}  // namespace devarray::docs
