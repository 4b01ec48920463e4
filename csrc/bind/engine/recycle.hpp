// Python objects that a program makes and drops all the time are kept and used again, with the C++ object inside:
// pybind11 takes longer to make and register one than an OpenCL driver to make a buffer. This reads pybind11's objects
// directly, where private_layout() says that they lie as expected; where not, objects are made and die as ever.
#pragma once

#include <memory>

#include "bind/python/bind.hpp"
#include "common/driver.hpp"

namespace devarray {

/// The C++ object in a Python object of pybind11's simple layout; null where there is none yet. The caller has seen to
/// private_layout() and the class.
inline void* value_in(PyObject* object) noexcept {
  const auto* instance = reinterpret_cast<py::detail::instance*>(object);
  return instance->simple_layout ? instance->simple_value_holder[0] : nullptr;
}

/// For a class `T` that is held by std::shared_ptr, has `retire()`, which lets go of what it owns, and some function of
/// its own that gives it a new life. Objects that anything else still holds, and those of subclasses, die as ever.
template <class T>
class Recycler {
 public:
  static void install(py::handle cls) {
    type_ = reinterpret_cast<PyTypeObject*>(cls.ptr());
    dealloc_ = type_->tp_dealloc;
    type_->tp_dealloc = &keep_or_dealloc;
  }

  /// A new reference to a retired object, or null.
  static PyObject* take() noexcept {
    if (!count_ || !private_layout()) return nullptr;
    PyObject* object = kept_[--count_];
    Py_SET_REFCNT(object, 1);
    return object;
  }

  /// The C++ object of a retired object, or of one that `find` knows.
  static T& value(PyObject* object) noexcept { return *static_cast<T*>(value_in(object)); }

  /// The C++ object in one of exactly this class; null for all else, and where it was not initialised.
  static T* find(PyObject* object) noexcept {
    return Py_TYPE(object) == type_ && private_layout() ? static_cast<T*>(value_in(object)) : nullptr;
  }
  static PyTypeObject* type() noexcept { return type_; }

 private:
  static constexpr std::size_t kMost = 64;

  static void keep_or_dealloc(PyObject* object) {
    if (Py_TYPE(object) == type_ && count_ < kMost && private_layout() && !shutting_down() && is_plain(object)) {
      value(object).retire();
      kept_[count_++] = object;
    } else {
      dealloc_(object);
    }
  }

  static bool is_plain(PyObject* object) noexcept {
    auto* i = reinterpret_cast<py::detail::instance*>(object);
    return i->simple_layout && i->owned && i->simple_holder_constructed && !i->weakrefs && !i->has_patients &&
           reinterpret_cast<std::shared_ptr<T>*>(&i->simple_value_holder[1])->use_count() == 1;
  }

  inline static PyTypeObject* type_ = nullptr;
  inline static destructor dealloc_ = nullptr;
  inline static PyObject* kept_[kMost] = {};
  inline static std::size_t count_ = 0;
};

}  // namespace devarray
