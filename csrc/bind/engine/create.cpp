// Fresh arrays: empty, filled, counted up.
#include "bind/engine/array.hpp"
#include "engine/allocate.hpp"
#include "engine/elements.hpp"

namespace devarray {
namespace {

DType dtype_or_default(py::handle dtype, const PlaceRef& place) {
  if (dtype && !dtype.is_none()) return read_dtype(dtype);
  return place->device->caps().fp64 ? DType::float64 : DType::float32;
}

NodeRef make_empty(py::handle shape, py::handle dtype, const PlaceRef& place, bool fortran) {
  const DType t = dtype_or_default(dtype, place);
  if (!place->device->caps().fp64) check_supported(*place->device, t);
  return empty(place, t, read_sizes(shape), fortran);
}

}  // namespace

PyObject* empty_array(PyObject*, PyObject* const* argv, Py_ssize_t argc) {
  try {
    if (argc < 1 || argc > 5) throw ValueError("empty(shape, dtype, queue, allocator, order)");
    const bool placed = (argc > 2 && argv[2] != Py_None) || (argc > 3 && argv[3] != Py_None);
    bool fortran = false;
    if (argc > 4) {
      const char* order = PyUnicode_Check(argv[4]) ? PyUnicode_AsUTF8(argv[4]) : "";
      fortran = order[0] == 'F';
      if ((order[0] != 'C' && !fortran) || order[1] != 0)
        throw ValueError("order is 'C' or 'F', not " + std::string(py::repr(argv[4])));
    }
    const PlaceRef place = !placed ? default_place()
                                   : place_for(py::handle(argv[2]).cast<QueuePtr>(),
                                               argc > 3 ? py::handle(argv[3]).cast<ResourcePtr>() : nullptr);
    return wrap(make_empty(argv[0], argc > 1 ? argv[1] : nullptr, place, fortran));
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

namespace {

ScalarValue scalar_for(py::handle value, DType t) {
  RecordArg arg;
  if (!read_operand(value.ptr(), arg) || (arg.node && arg.node->place))
    throw DTypeError("a scalar is wanted, not " + std::string(Py_TYPE(value.ptr())->tp_name));
  return arg.node ? arg.node->value : checked_scalar(arg, t);
}

NodeRef make_full(py::handle shape, py::handle dtype, py::handle value, const PlaceRef& place) {
  const DType t = dtype_or_default(dtype, place);
  return full(place, t, read_sizes(shape), scalar_for(value, t));
}

py::object full_array(py::handle shape, py::handle dtype, py::handle value, const QueuePtr& queue,
                      const ResourcePtr& allocator) {
  return wrapped(make_full(shape, dtype, value, place_for(queue, allocator)));
}

py::object iota_array(py::handle shape, py::handle dtype, py::handle start, py::handle step, const QueuePtr& queue,
                      const ResourcePtr& allocator) {
  const DType t = read_dtype(dtype);
  return wrapped(iota(place_for(queue, allocator), t, read_sizes(shape), scalar_for(start, t), scalar_for(step, t)));
}

/// For empty_like and its kind: a fresh array at another one's place.
py::object empty_at(py::handle like, py::handle shape, py::handle dtype) {
  const Node& n = require_array(like);
  const DType t = dtype.is_none() ? n.dtype : read_dtype(dtype);
  check_supported(*n.place->device, t);
  return wrapped(empty(n.place, t, shape.is_none() ? n.shape : read_sizes(shape)));
}

PyMethodDef creation_functions[] = {
    {"empty", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(empty_array)), METH_FASTCALL,
     "empty(shape, dtype=None, queue=None, allocator=None, order='C'): an uninitialised array."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

PyObject* filled_array(PyObject* shape, PyObject* dtype, PyObject* value) {
  try {
    return wrap(make_full(shape, dtype, value, default_place()));
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

void bind_engine_create(py::module_& m) {
  if (PyModule_AddFunctions(m.ptr(), creation_functions) < 0) throw py::error_already_set();
  m.def("full", &full_array, py::arg("shape"), py::arg("dtype").none(true), py::arg("value"),
        py::arg("queue") = py::none(), py::arg("allocator") = py::none());
  m.def("iota", &iota_array, py::arg("shape"), py::arg("dtype"), py::arg("start"), py::arg("step"),
        py::arg("queue") = py::none(), py::arg("allocator") = py::none());
  m.def("empty_at", &empty_at, py::arg("like"), py::arg("shape") = py::none(), py::arg("dtype") = py::none());
}

}  // namespace devarray
