// Python objects that C++ objects own.
#pragma once

#include <memory>

#include "bind/python/bind.hpp"

namespace devarray {

/// A reference that may be given back by threads that know no Python. At shutdown it stays with the process.
inline std::shared_ptr<void> keep_object(const py::object& object) {
  return {object.inc_ref().ptr(), [](void* p) {
            if (shutting_down() || !Py_IsInitialized()) return;
            const GilAcquire gil;
            Py_DECREF(static_cast<PyObject*>(p));
          }};
}

}  // namespace devarray
