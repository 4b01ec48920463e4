// C++ errors become the classes of the same name in devarray/errors.py, with their figures as attributes.
#include "common/error.hpp"

#include "bind/python/bind.hpp"

namespace devarray {
namespace {

py::object error_class(const char* name) { return py::module_::import("devarray.errors").attr(name); }

void raise(const char* name, const py::object& text, const py::dict& attributes = {}) {
  py::object cls = error_class(name);
  py::object instance = cls(text);
  for (auto item : attributes) instance.attr(item.first) = item.second;
  PyErr_SetObject(cls.ptr(), instance.ptr());
}

void raise(const char* name, const std::exception& e, const py::dict& attributes = {}) {
  raise(name, py::str(e.what()), attributes);
}

/// The core writes 'devarray[cpu]' where pip is to bring something; Python knows what pip takes for that here.
py::object with_advice(const std::exception& e) {
  return py::module_::import("devarray._runtime.install").attr("localised")(e.what());
}

void translate(std::exception_ptr p) {
  using namespace py::literals;
  try {
    if (p) std::rethrow_exception(p);
  } catch (const py::cast_error& e) {
    // pybind11's words, said for Python: an uninitialised object behind a shared pointer, and a value of a wrong type.
    const std::string_view text = e.what(), wrong = "Unable to cast Python instance of type ";
    if (text.starts_with("Unable to cast from non-held to held instance"))
      PyErr_SetString(PyExc_TypeError, "an argument was not initialised: the __init__ of its class was not called");
    else if (text.starts_with(wrong))
      PyErr_SetString(PyExc_TypeError, ("an argument is of " +
                                        std::string(text.substr(wrong.size(), text.find(" to C++") - wrong.size())) +
                                        ", which cannot be used here")
                                           .c_str());
    else
      throw;
  } catch (const CompileError& e) {
    raise("CompileError", with_advice(e), py::dict("log"_a = e.log, "source"_a = e.source));
  } catch (const DriverError& e) {
    raise("DriverError", e,
          py::dict("driver"_a = e.driver, "call"_a = e.call, "code"_a = e.code, "code_name"_a = e.code_name));
  } catch (const OutOfMemoryError& e) {
    const auto& f = e.figures;
    raise("OutOfMemoryError", e,
          py::dict("asked"_a = f.asked, "free"_a = f.free, "total"_a = f.total, "held"_a = f.held,
                   "active"_a = f.active, "largest_hole"_a = f.largest_hole));
  } catch (const MissingDriverError& e) {
    raise("MissingDriverError", e);  // its class gives the advice
  } catch (const ForkError& e) {
    raise("ForkError", e);
  } catch (const AxisError& e) {
    raise("AxisError", e);
  } catch (const ShapeError& e) {
    raise("ShapeError", e);
  } catch (const DTypeError& e) {
    raise("DTypeError", e);
  } catch (const IndexError& e) {
    raise("IndexError", e);
  } catch (const DeviceError& e) {
    raise("DeviceError", e);
  } catch (const OverflowError& e) {
    raise("OverflowError", e);
  } catch (const ValueError& e) {
    raise("ValueError", e);
  } catch (const Error& e) {
    raise("Error", e);
  }
}

std::vector<ErrorTranslator*>& translators() {
  static std::vector<ErrorTranslator*> list;
  return list;
}

/// Sets the Python error by the last translator that knows the exception, the earlier ones being for its base classes.
void translate_any(std::exception_ptr p) {
  for (auto translator = translators().rbegin(); translator != translators().rend(); ++translator) {
    try {
      (*translator)(p);
      return;
    } catch (...) {
      p = std::current_exception();
    }
  }
  std::rethrow_exception(p);
}

}  // namespace

void add_error_translator(ErrorTranslator* translator) {
  translators().push_back(translator);
  py::register_local_exception_translator(std::move(translator));
}

void set_python_error() noexcept {
  if (!std::current_exception()) sleep_for_ever();  // no error: Python ends this thread at shutdown (gil.hpp)
  try {
    translate_any(std::current_exception());
  } catch (py::error_already_set& e) {
    e.restore();
  } catch (const py::builtin_exception& e) {
    e.set_error();
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  } catch (...) {
    PyErr_SetString(PyExc_SystemError, "devarray: unknown C++ error");
  }
}

void bind_error(py::module_&) { add_error_translator(translate); }

}  // namespace devarray
