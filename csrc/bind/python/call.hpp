// Calls of Python functions that may still run when the interpreter ends.
#pragma once

#include <pybind11/pybind11.h>

#include <utility>

#include "bind/python/gil.hpp"

namespace devarray {

/// What a Python function returns. A thread that the interpreter's end stops in there is not unwound through this
/// frame, which would give references back without the lock.
template <class... Args>
pybind11::object call_python(pybind11::handle function, Args&&... args) {
  const pybind11::tuple given = pybind11::make_tuple(std::forward<Args>(args)...);
  PyObject* made = without_unwinding([&] { return PyObject_CallObject(function.ptr(), given.ptr()); });
  if (!made) throw pybind11::error_already_set();
  return pybind11::reinterpret_steal<pybind11::object>(made);
}

}  // namespace devarray
