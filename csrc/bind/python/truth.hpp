// What Python takes for true.
#pragma once

#include "bind/python/bind.hpp"

namespace devarray {

/// Throws what the object's own __bool__ raises, as that of an array of several elements does.
inline bool truth(pybind11::handle object) {
  const int value = PyObject_IsTrue(object.ptr());
  if (value < 0) throw pybind11::error_already_set();
  return value != 0;
}

}  // namespace devarray
