// Docstrings of what bind/opencl/info.cpp binds. tests/test_docstrings_drivers.py runs the examples.
#pragma once

namespace devarray::docs {

constexpr const char* kNameVersion = R"(
A name with its version, as OpenCL 3.0 lists them.

Parameters
----------
name : str
    An extension, a kernel or an OpenCL C version.
version : int
    A ``cl_version``: major in the upper 10 bits, minor in 10, patch in the lower 12.

Notes
-----
Follows ``cl_name_version``.

Examples
--------
>>> cl.NameVersion("cl_khr_fp64", (3 << 22) | (1 << 12))
NameVersion('cl_khr_fp64', 3.1.0)
)";

}  // namespace devarray::docs
