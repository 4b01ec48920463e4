// Arguments of functions that take arrays, of which lists of numbers are made arrays.
#pragma once

#include <algorithm>

#include "bind/engine/array.hpp"

namespace devarray {

/// Arguments by their places; the last bit stands for all further ones.
using Places = unsigned long long;

inline bool has(Places places, Py_ssize_t place) { return places >> std::min<Py_ssize_t>(place, 63) & 1; }

/// Whether an object is a list or tuple of arrays.
inline bool holds_arrays(PyObject* o) {
  if (!PyList_CheckExact(o) && !PyTuple_CheckExact(o)) return false;
  PyObject* const* items = PySequence_Fast_ITEMS(o);
  return std::all_of(items, items + PySequence_Fast_GET_SIZE(o), is_array);
}

/// Arguments by position, of which lists of numbers were made arrays.
class WithArrays {
 public:
  /// Whether there is anything to read, so that calls without a list do not make one of these.
  static bool may_read(PyObject* const* argv, Py_ssize_t positional) {
    return positional <= kMost && std::any_of(argv, argv + positional, is_sequence);
  }
  /// `lists`: those that may be a list of numbers; `sequences`: a list or tuple of arrays and such lists. False where
  /// there is no such list, or a list of something else, or an array of another place than theirs.
  bool read(PyObject* const* argv, Py_ssize_t positional, Places lists, Places sequences) {
    if (!may_read(argv, positional)) return false;
    const PlaceRef place = default_place();
    bool any = false;
    for (Py_ssize_t i = 0; i < positional; ++i) {
      all_[i] = argv[i];
      if (is_array(argv[i]) && node_of(argv[i]).place != place) return false;
      const bool several = has(sequences, i) && is_sequence(argv[i]) && !holds_arrays(argv[i]);
      if (!several && !(has(lists, i) && PyList_CheckExact(argv[i]))) continue;
      made_[i] = several ? arrays_of(argv[i], place) : owned(array_of_list(argv[i], nullptr));
      if (!made_[i]) return false;
      all_[i] = made_[i].ptr();
      any = true;
    }
    return any;
  }
  PyObject* const* data() const { return all_; }

 private:
  static bool is_sequence(PyObject* o) { return PyList_CheckExact(o) || PyTuple_CheckExact(o); }
  static py::object owned(PyObject* o) { return py::reinterpret_steal<py::object>(o); }

  /// A list of arrays: those of a sequence, and arrays of its lists.
  static py::object arrays_of(PyObject* sequence, const PlaceRef& place) {
    const Py_ssize_t n = PySequence_Fast_GET_SIZE(sequence);
    py::list all;
    for (Py_ssize_t i = 0; i < n && i < PySequence_Fast_GET_SIZE(sequence); ++i) {
      py::object item = py::reinterpret_borrow<py::object>(PySequence_Fast_ITEMS(sequence)[i]);
      if (is_array(item.ptr()) ? node_of(item.ptr()).place != place : !PyList_CheckExact(item.ptr())) return {};
      if (!is_array(item.ptr())) item = owned(array_of_list(item.ptr(), nullptr));
      if (!item) return {};
      all.append(item);
    }
    return all;
  }

  static constexpr Py_ssize_t kMost = 8;
  py::object made_[kMost];
  PyObject* all_[kMost];
};

}  // namespace devarray
