// Views of arrays, for Python. What they are is engine/views.hpp's.
#include "engine/views.hpp"

#include "bind/engine/array.hpp"
#include "bind/engine/quick.hpp"
#include "common/checked.hpp"

namespace devarray {

namespace {

PyObject* require_value(const py::object& array) {
  require_array(array);
  if (!is_value(array.ptr())) throw DTypeError("an array without axes, of value semantics, is wanted");
  return array.ptr();
}

py::object view(py::handle array, py::handle shape, py::handle strides, py::handle offset, py::handle dtype,
                bool read_only) {
  const NodeRef n(&require_array(array));  // held: an integer's __index__ may give the array another value
  const Dims sizes = read_sizes(shape), steps = read_ints(strides, "strides");
  const std::int64_t from = read_int(offset, "the offset");
  const DType t = dtype.is_none() ? n->dtype : read_dtype(dtype);
  return view_of(array, strided_view(n, t, sizes, steps, from, read_only));
}

PyObject* reshape(PyObject*, PyObject* const* argv, Py_ssize_t argc) {
  if (argc < 2 || argc > 3) throw ValueError("reshape(array, shape, copy)");
  const NodeRef n(&require_array(argv[0]));
  std::optional<bool> copy;
  if (argc > 2 && argv[2] != Py_None) copy = truth(argv[2]);
  NodeRef made = reshaped(n, read_new_shape(argv[1]), copy);
  return made->is_view ? view_of(argv[0], std::move(made)).release().ptr() : wrap(std::move(made));
}

PyObject* permute(PyObject*, PyObject* const* argv, Py_ssize_t argc) {
  if (argc != 2) throw ValueError("permute(array, axes)");
  const NodeRef n(&require_array(argv[0]));
  Dims axes;  // reversed where none are given
  if (argv[1] == Py_None)
    for (std::size_t i = n->shape.size(); i-- > 0;) axes.push_back(static_cast<std::int64_t>(i));
  else
    axes = read_ints(argv[1], "axes");
  return view_of(argv[0], with_axes(n, axes)).release().ptr();
}

PyObject* broadcast_to(PyObject*, PyObject* const* argv, Py_ssize_t argc) {
  if (argc != 2) throw ValueError("broadcast_to(array, shape)");
  const NodeRef n(&require_array(argv[0]));
  return wrap(broadcast_view(n, read_sizes(argv[1])));
}

PyMethodDef view_functions[] = {
    fast<reshape>("reshape", "reshape(array, shape, copy=None): a view where the strides allow it, else a copy."),
    fast<permute>("permute", "permute(array, axes): its axes in another order; reversed for None."),
    fast<broadcast_to>("broadcast_to", "broadcast_to(array, shape): a read-only view."),
    {nullptr, nullptr, 0, nullptr}};

void set_writable(py::handle array, bool writable) {
  const NodeRef n(&require_array(array));
  rebind(array.ptr(), with_writable(n, writable, is_value(array.ptr())));
}

bool is_writable(py::handle array) {
  const Node& n = require_array(array);
  return n.writable;
}

}  // namespace

void bind_engine_views(py::module_& m) {
  m.def("view", &view, py::arg("array"), py::arg("shape"), py::arg("strides"), py::arg("offset") = 0,
        py::arg("dtype") = py::none(), py::arg("read_only") = false);
  if (PyModule_AddFunctions(m.ptr(), view_functions) < 0) throw py::error_already_set();
  m.def(
      "byte_size", [](py::handle shape, std::int64_t itemsize) { return byte_size(read_sizes(shape), itemsize); },
      py::arg("shape"), py::arg("itemsize"), "Bytes of a dense array; ShapeError for a shape that no array has.");
  m.def("broadcast_shapes", [](py::handle a, py::handle b) {
    const Dims shape = broadcast_shapes(read_sizes(a), read_sizes(b));
    byte_size(shape, 1);
    return dims_tuple(shape);
  });
  m.def(
      "as_value",
      [](const py::object& array) {
        require_array(array);
        make_value(array.ptr());
        return array;
      },
      py::arg("array"), "The array itself, a fresh result: a value where it has no axes.");
  m.def(
      "rebind_value",
      [](const py::object& array, const py::object& to) { rebind(require_value(array), NodeRef(&require_array(to))); },
      py::arg("array"), py::arg("to"), "Let a value be another one of its dtype.");
  m.def("is_value", [](py::handle array) { return is_array(array.ptr()) && is_value(array.ptr()); });
  m.def("set_writable", &set_writable);
  m.def("is_writable", &is_writable);
}

}  // namespace devarray
