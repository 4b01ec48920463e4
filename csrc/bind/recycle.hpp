// Python objects that a program makes and drops all the time are kept and used again, with the C++ object inside:
// pybind11 takes longer to make and register one than an OpenCL driver to make a buffer.
#pragma once

#include <memory>

#include "bind/bind.hpp"
#include "common/driver.hpp"

namespace devarray {

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
    if (!count_) return nullptr;
    PyObject* object = kept_[--count_];
    Py_SET_REFCNT(object, 1);
    return object;
  }

  /// The C++ object in one of exactly this class.
  static T& value(PyObject* object) noexcept { return *static_cast<T*>(instance(object)->simple_value_holder[0]); }

  /// Whether an object's class is this one and none derived from it.
  static bool is_exactly(PyObject* object) noexcept { return Py_TYPE(object) == type_; }
  static PyTypeObject* type() noexcept { return type_; }

 private:
  static constexpr std::size_t kMost = 64;

  static py::detail::instance* instance(PyObject* object) noexcept {
    return reinterpret_cast<py::detail::instance*>(object);
  }

  static void keep_or_dealloc(PyObject* object) {
    py::detail::instance* i = instance(object);
    const bool plain = Py_TYPE(object) == type_ && i->simple_layout && i->owned && i->simple_holder_constructed &&
                       !i->weakrefs && !i->has_patients && count_ < kMost && !shutting_down();
    if (plain && reinterpret_cast<std::shared_ptr<T>*>(&i->simple_value_holder[1])->use_count() == 1) {
      value(object).retire();
      kept_[count_++] = object;
    } else {
      dealloc_(object);
    }
  }

  inline static PyTypeObject* type_ = nullptr;
  inline static destructor dealloc_ = nullptr;
  inline static PyObject* kept_[kMost] = {};
  inline static std::size_t count_ = 0;
};

}  // namespace devarray
