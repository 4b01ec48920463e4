// What the slots of the array type share. Each file adds its own slots to the type that array.cpp makes.
#pragma once

#include <vector>

#include "bind/engine/array.hpp"

namespace devarray {

/// Runs a slot's body; C++ errors become Python's.
template <class F>
PyObject* guarded(F&& body) noexcept {
  try {
    return body();
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

template <class F>
int guarded_int(F&& body) noexcept {
  try {
    return body();
  } catch (...) {
    set_python_error();
    return -1;
  }
}

template <class F>
PyType_Slot slot(int id, F* function) {
  return {id, reinterpret_cast<void*>(function)};
}

void add_operators(std::vector<PyType_Slot>& slots);
void add_scalar_conversions(std::vector<PyType_Slot>& slots);
void add_subscripts(std::vector<PyType_Slot>& slots);
/// The operations behind the operators, by their names; once the table of operations is known.
void resolve_operators();

/// Whether an array with axes is no number even if it has one element: from NumPy 2.4 on.
bool elements_have_no_axes();
/// The one element of an array as Python's number. Waits for the device.
py::object item_object(Node& n);
/// An array's item(), evaluate() and __complex__().
PyObject* item(PyObject* self, PyObject* args);
PyObject* evaluate_method(PyObject* self, PyObject*);
PyObject* complex_method(PyObject* self, PyObject*);
/// A view of a value: a copy, which may be written.
PyObject* copied(const NodeRef& view);

}  // namespace devarray
