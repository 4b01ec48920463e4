// Python objects that C++ objects own.
#pragma once

#include <memory>

#include "bind/python/bind.hpp"
#include "engine/attempt.hpp"

namespace devarray {

/// A reference that may be given back by threads that know no Python, and in the middle of a launch, which finalizers
/// are not to disturb. At shutdown it stays with the process.
inline std::shared_ptr<void> keep_object(const py::object& object) {
  return {object.inc_ref().ptr(), [](void* p) {
            Attempt::call_in_order([p] {
              if (shutting_down() || !Py_IsInitialized()) return;
              const GilAcquire gil;
              Py_DECREF(static_cast<PyObject*>(p));
            });
          }};
}

}  // namespace devarray
