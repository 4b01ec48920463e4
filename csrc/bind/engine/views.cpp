// Views of arrays, for Python. What they are is engine/views.hpp's.
#include "engine/views.hpp"

#include "bind/engine/array.hpp"
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

py::object reshape(py::handle array, py::handle shape, const std::optional<bool>& copy) {
  const NodeRef n(&require_array(array));
  NodeRef made = reshaped(n, read_ints(shape, "a shape"), copy);
  return made->is_view ? view_of(array, std::move(made)) : wrapped(std::move(made));
}

py::object permute(py::handle array, py::handle given) {
  const NodeRef n(&require_array(array));
  Dims axes;  // reversed where none are given
  if (given.is_none())
    for (std::size_t i = n->shape.size(); i-- > 0;) axes.push_back(static_cast<std::int64_t>(i));
  else
    axes = read_ints(given, "axes");
  return view_of(array, with_axes(n, axes));
}

py::object broadcast_to(py::handle array, py::handle shape) {
  const NodeRef n(&require_array(array));
  return wrapped(broadcast_view(n, read_sizes(shape)));
}

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
  m.def("reshape", &reshape, py::arg("array"), py::arg("shape"), py::arg("copy") = py::none());
  m.def("permute", &permute, py::arg("array"), py::arg("axes"));
  m.def("broadcast_to", &broadcast_to, py::arg("array"), py::arg("shape"));
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
