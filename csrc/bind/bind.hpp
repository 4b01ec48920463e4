// Shared by the binders: pybind11 and the GIL's rules.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "common/driver.hpp"
#include "memory/resource.hpp"

namespace py = pybind11;

namespace pybind11::detail {

/// None for a null pointer, told first. pybind11 comes to it last, after a second round over all arguments and an
/// attribute that it looks for on None: the AttributeError that it raises and drops costs more than most calls do.
template <class T>
struct nullable_caster : copyable_holder_caster<T, std::shared_ptr<T>> {
  bool load(handle source, bool convert) {
    return source.is_none() || copyable_holder_caster<T, std::shared_ptr<T>>::load(source, convert);
  }
};
template <>
class type_caster<devarray::DevicePtr> : public nullable_caster<devarray::Device> {};
template <>
class type_caster<devarray::QueuePtr> : public nullable_caster<devarray::Queue> {};
template <>
class type_caster<devarray::ResourcePtr> : public nullable_caster<devarray::MemoryResource> {};

}  // namespace pybind11::detail

namespace devarray {

void bind_error(py::module_& m);
void bind_driver(py::module_& m);
py::object bind_opencl(py::module_& m);
py::object bind_cuda(py::module_& m);
void bind_memory(py::module_& m);
void bind_engine(py::module_& m);

using release_gil = py::call_guard<py::gil_scoped_release>;

/// Sets the Python error for a C++ exception, or throws it again where it is none of its own.
using ErrorTranslator = void(std::exception_ptr);
void add_error_translator(ErrorTranslator* translator);

/// Sets the Python error for the exception now being handled. For code that is called by Python without pybind11.
void set_python_error() noexcept;

}  // namespace devarray
