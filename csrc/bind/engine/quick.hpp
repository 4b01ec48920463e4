// Functions that Python calls directly. pybind11's dispatch takes longer than the shorter calls of a driver.
#pragma once

#include <array>

#include "bind/engine/recycle.hpp"
#include "bind/python/bind.hpp"
#include "bind/python/truth.hpp"
#include "common/error.hpp"

namespace devarray {

/// Names of a function and its parameters, of which the first `required` must be given.
template <std::size_t N>
struct QuickSignature {
  const char* function;
  std::array<const char*, N> names;
  std::size_t required;
};

/// The arguments of a call by METH_FASTCALL | METH_KEYWORDS, in the signature's order; those left out are null. Throws
/// TypeError in Python's own words.
template <std::size_t N>
class QuickArguments {
 public:
  QuickArguments(const QuickSignature<N>& signature, PyObject* const* given, Py_ssize_t positional,
                 PyObject* keywords) {
    const auto fail = [&](const std::string& what) {
      throw py::type_error(std::string(signature.function) + "() " + what);
    };
    if (positional > static_cast<Py_ssize_t>(N))
      fail("takes at most " + std::to_string(N) + " arguments (" + std::to_string(positional) + " given)");
    std::copy(given, given + positional, values_.begin());
    for (Py_ssize_t i = 0; keywords && i < PyTuple_GET_SIZE(keywords); ++i) {
      PyObject* key = PyTuple_GET_ITEM(keywords, i);
      std::size_t at = 0;
      while (at < N && PyUnicode_CompareWithASCIIString(key, signature.names[at]) != 0) ++at;
      if (at == N) fail("got an unexpected keyword argument '" + std::string(py::str(key)) + "'");
      if (values_[at]) fail(std::string("got multiple values for argument '") + signature.names[at] + "'");
      values_[at] = given[positional + i];
    }
    for (std::size_t i = 0; i < signature.required; ++i)
      if (!values_[i])
        fail(std::string("missing required argument '") + signature.names[i] + "' (pos " + std::to_string(i + 1) + ")");
  }

  py::handle operator[](std::size_t i) const { return values_[i]; }
  py::handle or_none(std::size_t i) const { return values_[i] ? values_[i] : Py_None; }
  /// False where it was not given.
  bool truth(std::size_t i) const { return values_[i] && devarray::truth(values_[i]); }

 private:
  std::array<PyObject*, N> values_{};
};

/// The C++ object in a Python object, past pybind11's search where its class is exactly T's. Throws TypeError naming
/// the function and what it wants.
template <class T>
T& object_of(py::handle object, const char* function, const char* wanted) {
  static const PyTypeObject* const type = reinterpret_cast<PyTypeObject*>(py::type::of<T>().release().ptr());
  if (Py_TYPE(object.ptr()) == type && private_layout())
    if (void* value = value_in(object.ptr())) return *static_cast<T*>(value);
  if (!py::isinstance<T>(object))
    throw py::type_error(std::string(function) + " wants a " + wanted + ", not " + std::string(py::repr(object)));
  return object.cast<T&>();
}

/// An argument that is a number of bytes; throws TypeError or ValueError.
inline std::size_t byte_count(py::handle object, const char* function, const char* parameter) {
  const py::object index = py::reinterpret_steal<py::object>(PyNumber_Index(object.ptr()));
  const std::size_t bytes = index ? PyLong_AsSize_t(index.ptr()) : 0;
  if (!PyErr_Occurred()) return bytes;
  PyErr_Clear();
  const std::string given = std::string(function) + ": " + parameter + " is " + std::string(py::repr(object));
  if (!index) throw py::type_error(given + "; a number of bytes is wanted");
  throw ValueError(given +
                   (index < py::int_(0) ? "; it must not be negative" : "; that is more than an address can count"));
}

/// A queue; null for None and where none was given. Throws TypeError naming the function.
inline QueuePtr optional_queue(py::handle object, const char* function) {
  if (!object || object.is_none()) return nullptr;
  if (py::isinstance<Queue>(object)) return object.cast<QueuePtr>();
  throw py::type_error(std::string(function) + " wants a Queue or None, not " + std::string(py::repr(object)));
}

using QuickBody = PyObject*(PyObject* self, PyObject* const* arguments, Py_ssize_t positional, PyObject* keywords);

/// The function with its C++ errors made Python's.
template <QuickBody* body>
PyObject* guarded(PyObject* self, PyObject* const* arguments, Py_ssize_t positional, PyObject* keywords) {
  try {
    return body(self, arguments, positional, keywords);
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

/// The same for functions of METH_FASTCALL, which the library alone calls, by position.
using FastBody = PyObject*(PyObject* module, PyObject* const* arguments, Py_ssize_t count);

template <FastBody* body>
PyMethodDef fast(const char* name, const char* text) {
  FastBody* const guard = [](PyObject* module, PyObject* const* arguments, Py_ssize_t count) -> PyObject* {
    try {
      return body(module, arguments, count);
    } catch (...) {
      set_python_error();
      return nullptr;
    }
  };
  return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(guard)), METH_FASTCALL, text};
}

/// An entry of a table of functions; `text` begins with the signature and a line of "--", as CPython's own do.
template <QuickBody* body>
PyMethodDef quick(const char* name, const char* text) {
  return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(guarded<body>)),
          METH_FASTCALL | METH_KEYWORDS, text};
}

/// Gives a class the methods of a table that ends with an empty entry and lives for ever.
inline void add_methods(py::handle cls, PyMethodDef* table) {
  for (; table->ml_name; ++table) {
    const py::object method =
        py::reinterpret_steal<py::object>(PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(cls.ptr()), table));
    if (!method) throw py::error_already_set();
    cls.attr(table->ml_name) = method;
  }
}

}  // namespace devarray
