// pybind11 has one C function behind all that it binds, and no hook for what that says. A bound function's PyMethodDef
// is CPython's, though, so ours is put in front of it. Where a version of pybind11 calls otherwise, its own texts
// remain.
#include "bind/python/signatures.hpp"

#include <string>
#include <string_view>

namespace py = pybind11;

namespace devarray {
namespace {

using Function = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);

Function dispatch = nullptr;  // pybind11's

constexpr std::string_view kRefusal = " arguments. The following argument types are supported:\n";

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

/// A line "    1. (self: Class, name: type = default) -> result" as "(name: type = default)".
std::string parameters(std::string line) {
  line.erase(0, line.find('('));
  line.erase(line.rfind(" -> ") == std::string::npos ? line.size() : line.rfind(" -> "));
  if (line.starts_with("(self: ")) {
    const std::size_t comma = line.find(", "), close = line.rfind(')');
    line = "(" + (comma == std::string::npos ? line.substr(close) : line.substr(comma + 2));
  }
  for (const char* prefix : {"typing.", "collections.abc.", "devarray._core.", "SupportsInt | "})
    replace_all(line, prefix, "");
  replace_all(line, "SupportsIndex", "int");
  replace_all(line, "SupportsFloat | int", "float");
  return line;
}

/// The types of the arguments, as "(str, int, axis=float)".
std::string types(PyObject* const* args, Py_ssize_t count, PyObject* names, bool method) {
  std::string text = "(";
  const Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;
  for (Py_ssize_t i = method ? 1 : 0; i < count + named; ++i) {
    if (text.size() > 1) text += ", ";
    if (i >= count) text += std::string(py::str(PyTuple_GET_ITEM(names, i - count))) + "=";
    text += Py_TYPE(args[i])->tp_name;
  }
  return text + ")";
}

/// The class in a line "    1. (self: Class, name: type = default) -> result", or nothing.
std::string owner(const std::string& line) {
  constexpr std::string_view kSelf = "(self: ";
  const std::size_t start = line.find(kSelf);
  if (start == std::string::npos) return {};
  const std::size_t name = start + kSelf.size();
  return line.substr(name, line.find_first_of(",)", name) - name);
}

bool is_of(PyObject* object, std::string_view name) {
  PyObject* bases = Py_TYPE(object)->tp_mro;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(bases); ++i)
    if (reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(bases, i))->tp_name == name) return true;
  return false;
}

/// Puts a DTypeError in the place of the TypeError that is set, where that is pybind11's.
void explain(PyObject* const* args, Py_ssize_t count, PyObject* names) {
  py::error_already_set error;
  const std::string text = py::str(error.value());
  const std::size_t start = text.find(kRefusal), end = text.find("\n\nInvoked with: ");
  if (start == std::string::npos || end == std::string::npos) return error.restore();
  const std::string name = text.substr(0, text.find("()"));
  const bool constructor = text.find("incompatible constructor") < start;
  std::string wanted, self;
  for (std::size_t line = start + kRefusal.size(); line < end + 1;) {
    const std::size_t stop = text.find('\n', line);
    const std::string signature = text.substr(line, stop - line);
    if (self.empty()) self = owner(signature);
    wanted += (wanted.empty() ? "" : " or ") + parameters(signature);
    line = stop + 1;
  }
  std::string message = (name == "__init__" ? std::string(Py_TYPE(args[0])->tp_name) : name) + " takes " + wanted +
                        ", not " + types(args, count, names, constructor || !self.empty());
  if (self.starts_with("devarray.") && (count == 0 || !is_of(args[0], self)))  // Queue.finish(None)
    message = self + "." + name + " is called on a " + self + ", not on " +
              (count ? std::string("one of type ") + Py_TYPE(args[0])->tp_name : "nothing");
  PyErr_SetString(py::module_::import("devarray.errors").attr("DTypeError").ptr(), message.c_str());
}

PyObject* call(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  PyObject* result = dispatch(self, args, count, names);
  if (!result && PyErr_ExceptionMatches(PyExc_TypeError)) {
    try {
      explain(args, count, names);
    } catch (py::error_already_set& error) {
      error.restore();
    }
  }
  return result;
}

/// Whether a constructor is called on an object that has its C++ object already.
bool is_second_call(PyObject* self, PyObject* object) {
  const auto* record = py::detail::function_record_ptr_from_PyObject(self);
  if (!record || !record->is_constructor) return false;
  auto* type = reinterpret_cast<PyTypeObject*>(record->scope.ptr());
  if (!PyObject_TypeCheck(object, type)) return false;
  auto* instance = reinterpret_cast<py::detail::instance*>(object);
  if (instance->simple_layout && !instance->simple_instance_registered) [[likely]]
    return false;
  return instance->get_value_and_holder(py::detail::get_type_info(type)).instance_registered();
}

/// Of a constructor. pybind11 does nothing where an object is initialised again; here that is refused.
PyObject* construct(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  if (count < 1 || !is_second_call(self, args[0])) [[likely]]
    return call(self, args, count, names);
  const py::object error = py::module_::import("devarray.errors").attr("ValueError");
  PyErr_Format(error.ptr(), "this %s was initialised already and stays as it is; make another one by calling the class",
               Py_TYPE(args[0])->tp_name);
  return nullptr;
}

void put_in_front(py::handle function);

void put_in_front_of_members(py::handle type) {
  for (auto [name, member] : py::reinterpret_borrow<py::dict>(py::dict(type.attr("__dict__")))) put_in_front(member);
}

/// Of a function, or of those behind a method, a static method or a property.
void put_in_front(py::handle function) {
  if (PyInstanceMethod_Check(function.ptr())) function = PyInstanceMethod_GET_FUNCTION(function.ptr());
  if (PyCFunction_Check(function.ptr())) {
    PyMethodDef* definition = reinterpret_cast<PyCFunctionObject*>(function.ptr())->m_ml;
    const Function ours = std::string_view(definition->ml_name) == "__init__" ? &construct : &call;
    if (definition->ml_meth == reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(dispatch)))
      definition->ml_meth = reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(ours));
  } else if (PyType_Check(function.ptr())) {
    if (py::str(function.attr("__module__")).cast<std::string>().starts_with("devarray"))
      put_in_front_of_members(function);
  } else if (PyObject_TypeCheck(function.ptr(), &PyProperty_Type)) {
    for (const char* part : {"fget", "fset"}) put_in_front(function.attr(part));
  } else if (Py_IS_TYPE(function.ptr(), &PyStaticMethod_Type) || Py_IS_TYPE(function.ptr(), &PyClassMethod_Type)) {
    put_in_front(function.attr("__func__"));
  }
}

}  // namespace

void tell_signatures(py::handle module) {
  const py::cpp_function probe([] {});
  const PyMethodDef* definition = reinterpret_cast<PyCFunctionObject*>(probe.ptr())->m_ml;
  if (definition->ml_flags != (METH_FASTCALL | METH_KEYWORDS)) return;
  dispatch = reinterpret_cast<Function>(reinterpret_cast<void (*)()>(definition->ml_meth));
  put_in_front_of_members(module);
}

}  // namespace devarray
