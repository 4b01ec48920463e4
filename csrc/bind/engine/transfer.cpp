// Copies between arrays and NumPy's memory. Python calls them directly: pybind11's dispatch takes as long as they do.
#include "engine/transfer.hpp"

#include <pybind11/numpy.h>

#include "bind/engine/array.hpp"
#include "bind/engine/quick.hpp"
#include "engine/allocate.hpp"

namespace devarray {
namespace {

Dims shape_of(const py::array& host) { return Dims(host.shape(), host.shape() + host.ndim()); }

HostView host_view(const py::array& host) {
  return {const_cast<void*>(host.data()), Dims(host.strides(), host.strides() + host.ndim())};
}

py::array require_host(const char* name, py::handle host) {
  if (py::isinstance<py::array>(host)) return py::reinterpret_borrow<py::array>(host);
  throw DTypeError(std::string(name) + " wants a numpy.ndarray, not " + Py_TYPE(host.ptr())->tp_name);
}

/// The arguments of both copies: (array, host, queue=None, blocking=True).
struct Copy {
  Copy(const char* name, PyObject* const* argv, Py_ssize_t argc)
      : node(&require_array(argv[0])), host(require_host(name, argv[1])) {
    if (argc > 2) queue = optional_queue(argv[2], name);
    if (argc > 3) blocking = truth(argv[3]);
    const Dims shape = shape_of(host);
    if (!(shape == node->shape))
      throw ShapeError(std::string(name) + ": the host array has shape " + to_string(shape) + ", the device array " +
                       to_string(node->shape));
    const py::object wanted = dtype_object(node->dtype);
    if (!host.dtype().is(wanted) && !host.dtype().equal(wanted))
      throw DTypeError(std::string(name) + ": the host array has dtype " + std::string(py::str(host.dtype())) +
                       ", the device array " + name_of(node->dtype));
  }

  NodeRef node;
  py::array host;
  QueuePtr queue;
  bool blocking = true;
};

PyObject* event_or_none(const EventPtr& event) { return event ? py::cast(event).release().ptr() : Py_NewRef(Py_None); }

void check_count(const char* name, Py_ssize_t argc) {
  if (argc < 2 || argc > 4) throw py::type_error(std::string(name) + "(array, host, queue, blocking)");
}

PyObject* to_host(PyObject*, PyObject* const* argv, Py_ssize_t argc) {
  check_count("copy_to_host", argc);
  const Copy copy("copy_to_host", argv, argc);
  if (!copy.host.writeable()) throw ValueError("copy_to_host: the host array is read-only");
  return event_or_none(copy_to_host(copy.node, host_view(copy.host), copy.queue, copy.blocking));
}

PyObject* from_host(PyObject*, PyObject* const* argv, Py_ssize_t argc) {
  check_count("copy_to_device", argc);
  const Copy copy("copy_to_device", argv, argc);
  return event_or_none(copy_from_host(*copy.node, host_view(copy.host), copy.queue, copy.blocking));
}

/// fetch(array, below): a fresh ndarray of the values, None where it would have `below` bytes or more.
PyObject* fetch(PyObject*, PyObject* const* argv, Py_ssize_t argc) {
  if (argc != 2) throw py::type_error("fetch(array, below)");
  const NodeRef node(&require_array(argv[0]));
  if (node->nbytes() >= PyLong_AsLongLong(argv[1])) Py_RETURN_NONE;
  const py::detail::npy_api& numpy = py::detail::npy_api::get();
  Dims shape = node->shape;  // as wide as NumPy's own sizes
  py::object host = py::reinterpret_steal<py::object>(numpy.PyArray_NewFromDescr_(
      numpy.PyArray_Type_, dtype_object(node->dtype).release().ptr(), static_cast<int>(shape.size()),
      reinterpret_cast<const Py_intptr_t*>(shape.data()), nullptr, nullptr, 0, nullptr));
  if (!host) throw py::error_already_set();
  copy_to_host(node, {py::detail::array_proxy(host.ptr())->data, c_strides(shape, node->itemsize())}, nullptr, true);
  return host.release().ptr();
}

PyMethodDef transfer_functions[] = {
    fast<to_host>("copy_to_host",
                  "copy_to_host(array, host, queue=None, blocking=True): returns an event where the copy may go on."),
    fast<from_host>(
        "copy_from_host",
        "copy_from_host(array, host, queue=None, blocking=True): returns an event where the copy may go on."),
    fast<fetch>("fetch",
                "fetch(array, below): a fresh ndarray of the values; None where it would have `below` bytes or more."),
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

PyObject* upload_plain(PyObject* host) {
  const py::detail::npy_api& numpy = py::detail::npy_api::get();
  if (Py_TYPE(host) != numpy.PyArray_Type_) return nullptr;
  const auto* array = py::detail::array_proxy(host);
  PyObject* const* const known = hooks().dtypes;  // by identity: another byte order is another object
  const auto dtype = std::find(known, known + kDTypes, array->descr) - known;
  if (dtype == kDTypes || !(array->flags & py::detail::npy_api::NPY_ARRAY_C_CONTIGUOUS_)) return nullptr;
  try {
    const Dims shape(array->dimensions, array->dimensions + array->nd);
    const PlaceRef place = default_place();
    check_supported(*place->device, static_cast<DType>(dtype));
    const NodeRef fresh = empty(place, static_cast<DType>(dtype), shape);
    copy_from_host(*fresh, {array->data, Dims(array->strides, array->strides + array->nd)}, nullptr, true);
    return wrap(fresh);
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

void bind_engine_transfer(py::module_& m) {
  if (PyModule_AddFunctions(m.ptr(), transfer_functions) != 0) throw py::error_already_set();
  m.def("copy_across", [](py::handle target, py::handle source) {
    copy_across(require_array(target), NodeRef(&require_array(source)));
  });
}

}  // namespace devarray
