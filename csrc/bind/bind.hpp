// Shared by the binders: pybind11 and the GIL's rules.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace py = pybind11;

namespace devarray {

void bind_error(py::module_& m);
void bind_driver(py::module_& m);
py::object bind_opencl(py::module_& m);
py::object bind_cuda(py::module_& m);
void bind_memory(py::module_& m);
void bind_engine(py::module_& m);

using release_gil = py::call_guard<py::gil_scoped_release>;

/// Sets the Python error for the exception now being handled. For code that is called by Python without pybind11.
void set_python_error() noexcept;

}  // namespace devarray
