// What pybind11's classes lack against misuse, and the check of its private layout.
#include <cstring>

#include "bind/engine/recycle.hpp"
#include "bind/python/bind.hpp"

namespace devarray {
namespace {

using py::detail::function_record;

/// The record of a function that pybind11 made; null for any other object.
function_record* record_of(py::handle function) {
  function = function ? py::detail::get_function(function) : function;
  if (!function || !PyCFunction_Check(function.ptr())) return nullptr;
  PyObject* self = PyCFunction_GET_SELF(function.ptr());
  return self ? py::detail::function_record_ptr_from_PyObject(self) : nullptr;
}

void refuse_none(py::handle function) {
  for (function_record* record = record_of(function); record; record = record->next)
    if (record->is_method && !record->is_new_style_constructor && record->args.empty())
      record->args.emplace_back(strdup("self"), nullptr, py::handle(), /*convert=*/true, /*none=*/false);
}

[[noreturn]] void refuse_pickling(const py::object& self) {
  throw py::type_error(
      "a " + std::string(Py_TYPE(self.ptr())->tp_name) +
      " cannot be pickled or copied: it stands for something of the driver's in this process. Arrays can "
      "be pickled, and devices of devarray.devices(), by name");
}

/// Of an object whose memory cannot be had. pybind11 says "Error getting buffer", and the reason only as its cause.
int get_buffer(PyObject* object, Py_buffer* view, int flags) {
  const int status = py::detail::pybind11_getbuffer(object, view, flags);
  if (status == 0) return 0;
  py::error_already_set error;
  const py::object cause = py::reinterpret_steal<py::object>(PyException_GetCause(error.value().ptr()));
  if (cause)
    PyErr_SetObject(py::type::of(cause).ptr(), cause.ptr());
  else
    error.restore();
  return status;
}

void finish_class(const py::object& cls) {
  const py::object dict = cls.attr("__dict__");
  for (py::handle value : items_of(dict.attr("values")())) {
    if (Py_TYPE(value.ptr()) == &PyProperty_Type) {
      refuse_none(value.attr("fget"));
      refuse_none(value.attr("fset"));
    } else {
      refuse_none(value);
    }
  }
  const auto* type = reinterpret_cast<PyTypeObject*>(cls.ptr());
  if (type->tp_as_buffer && type->tp_as_buffer->bf_getbuffer == &py::detail::pybind11_getbuffer)
    type->tp_as_buffer->bf_getbuffer = &get_buffer;
  const bool is_root = !py::detail::get_type_info(type->tp_base);
  if (is_root && !dict.contains("__reduce__") && !dict.contains("__getstate__"))  // object.__reduce_ex__ calls it
    cls.attr("__reduce__") = py::cpp_function(&refuse_pickling, py::is_method(cls), py::name("__reduce__"));
}

/// Something held as all classes with recycled objects are.
struct LayoutProbe {};

bool probe_layout() {
  const auto probe = std::make_shared<LayoutProbe>();
  const py::object object = py::cast(probe);
  const auto* instance = reinterpret_cast<py::detail::instance*>(object.ptr());
  const auto* holder = reinterpret_cast<const std::shared_ptr<LayoutProbe>*>(&instance->simple_value_holder[1]);
  return static_cast<std::size_t>(Py_TYPE(object.ptr())->tp_basicsize) == sizeof *instance && instance->simple_layout &&
         instance->owned && instance->simple_holder_constructed && !instance->has_patients && !instance->weakrefs &&
         instance->simple_value_holder[0] == probe.get() && holder->get() == probe.get() && holder->use_count() == 2;
}

}  // namespace

void require_initialised(const py::detail::value_and_holder& object) {
  if (object.vh && object.value_ptr()) [[likely]]
    return;
  const char* name = object.inst ? Py_TYPE(reinterpret_cast<PyObject*>(object.inst))->tp_name : "devarray";
  throw py::type_error("this " + std::string(name) + " was not initialised: the __init__ of its class was not called");
}

void require_initialised(py::handle object) {
  for (const auto& part : py::detail::values_and_holders(object.ptr())) require_initialised(part);
}

void finish_classes(const py::module_& m) {
  for (py::handle value : items_of(m.attr("__dict__").attr("values")()))
    if (PyType_Check(value.ptr()) && py::detail::get_type_info(reinterpret_cast<PyTypeObject*>(value.ptr())))
      finish_class(py::reinterpret_borrow<py::object>(value));
}

void bind_layout(py::module_& m) {
  py::class_<LayoutProbe, std::shared_ptr<LayoutProbe>> probe(m, "LayoutProbe", "Shows how pybind11 lays objects out.");
  // Versions whose headers were read; the objects' memory is part of what the number stands for.
  private_layout_in_use = PYBIND11_INTERNALS_VERSION >= 11 && PYBIND11_INTERNALS_VERSION <= 12 && probe_layout();
  static const bool known = private_layout_in_use;
  m.def(
      "set_private_layout",
      [](bool use) {
        private_layout_in_use = use && known;
        return known;
      },
      py::arg("use"), "For tests: whether quick calls read pybind11's objects directly. Returns whether they can.");
}

}  // namespace devarray
