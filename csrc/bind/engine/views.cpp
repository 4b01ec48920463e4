// Views of arrays: other shapes, strides and dtypes over the same memory, and whether they may be written.
#include "bind/engine/array.hpp"
#include "common/checked.hpp"
#include "engine/allocate.hpp"
#include "engine/assign.hpp"
#include "engine/elements.hpp"
#include "engine/evaluate.hpp"
#include "engine/shift.hpp"

namespace devarray {

void check_start(const Allocation& memory, DType t) {
  const void* start = memory.is_buffer() ? memory.host() : memory.handle();
  const auto address = reinterpret_cast<std::uintptr_t>(start);
  if (address % static_cast<std::uintptr_t>(alignment_of(t)) != 0)
    throw ValueError("the memory starts at address " + std::to_string(address) + ", but devices read items of " +
                     name_of(t) + " at multiples of " + std::to_string(alignment_of(t)) + " bytes only; copy it");
}

namespace {

py::object view(py::handle array, py::handle shape, py::handle strides, py::handle offset, py::handle dtype,
                bool read_only) {
  const NodeRef n(&require_array(array));  // held: an integer's __index__ may give the array another value
  const Dims sizes = read_sizes(shape), steps = read_ints(strides, "strides");
  const std::int64_t from = read_int(offset, "the offset");
  evaluate(*n);
  const DType t = dtype.is_none() ? n->dtype : read_dtype(dtype);
  if (t != n->dtype && n->storage->exposed && n->storage->block->allocation)
    check_start(*n->storage->block->allocation, t);
  NodeRef made = Node::leaf(n->storage, t, sizes, steps, checked_add(n->offset, from, "the offset of a view"));
  made->is_view = true;
  made->writable = n->writable && !read_only;
  if (n->element) made->mark_element();
  return view_of(array, std::move(made));
}

py::object reshape(py::handle array, py::handle shape, const std::optional<bool>& copy) {
  const NodeRef n(&require_array(array));
  Dims target = read_ints(shape, "a shape"), given;
  std::int64_t unknown = -1;
  for (std::size_t i = 0; i < target.size(); ++i) {
    if (target[i] == -1 && unknown < 0)
      unknown = static_cast<std::int64_t>(i);
    else if (target[i] < 0)
      throw ShapeError("cannot reshape to " + to_string(target) + ": one size may be -1, the others not negative");
    else
      given.push_back(target[i]);
  }
  const std::int64_t size = n->size();
  const std::int64_t known = element_count(given);
  if (unknown >= 0) {
    if (known == 0 || size % known != 0)
      throw ShapeError("cannot reshape an array of shape " + to_string(n->shape) + " (" + std::to_string(size) +
                       " elements) to " + to_string(target));
    target[static_cast<std::size_t>(unknown)] = size / known;
  } else if (known != size) {
    throw ShapeError("cannot reshape an array of shape " + to_string(n->shape) + " (" + std::to_string(size) +
                     " elements) to " + to_string(target));
  }
  byte_size(target, n->itemsize());  // the sizes beside a 0 count, too
  evaluate(*n);
  if (!copy.value_or(false))
    if (auto strides = reshape_strides(n->shape, n->strides, target, n->itemsize()))
      return view_of(array, Node::view(*n, n->dtype, target, *strides, n->offset));
  if (copy.has_value() && !*copy)
    throw ValueError("an array of shape " + to_string(n->shape) + " and strides " + to_string(n->strides) +
                     " cannot be reshaped to " + to_string(target) + " without a copy");
  const NodeRef fresh = empty(n->place, n->dtype, n->shape);
  assign(*fresh, n);
  return wrapped(Node::leaf(fresh->storage, n->dtype, target, c_strides(target, n->itemsize()), 0));
}

py::object permute(py::handle array, py::handle given) {
  const NodeRef n(&require_array(array));
  Dims axes;  // reversed where none are given
  if (given.is_none())
    for (std::size_t i = n->shape.size(); i-- > 0;) axes.push_back(static_cast<std::int64_t>(i));
  else
    axes = read_ints(given, "axes");
  if (axes.size() != n->shape.size())
    throw ShapeError("axes must name each of the " + std::to_string(n->shape.size()) + " axes once, got " +
                     std::to_string(axes.size()));
  const auto order = normalize_axes(axes, n->shape.size());
  evaluate(*n);
  return view_of(array, Node::view(*n, n->dtype, permuted(n->shape, order), permuted(n->strides, order), n->offset));
}

py::object broadcast_to(py::handle array, py::handle shape) {
  const NodeRef n(&require_array(array));
  const Dims target = read_sizes(shape);
  byte_size(target, n->itemsize());
  broadcast_strides(n->shape, Dims(n->shape.size(), 0), target);
  evaluate(*n);
  NodeRef view = Node::view(*n, n->dtype, target, broadcast_strides(n->shape, n->strides, target), n->offset);
  view->writable = false;  // as NumPy has it
  return wrapped(std::move(view));
}

/// What flags.writeable = ... does: the array shows its memory by a leaf of its own that is writable or not, so that
/// views made before keep their state. A view becomes writable only where the memory's own array is.
void set_writable(py::handle array, bool writable) {
  Node& n = require_array(array);
  evaluate(n);
  Storage& memory = *n.storage;
  if (writable && (memory.read_only || is_value(array.ptr()) || n.element || (n.is_view && memory.locked)))
    throw ValueError("WRITEABLE cannot be set to True: the array is a view of read-only memory");
  NodeRef own = Node::leaf(n.storage, n.dtype, n.shape, n.strides, n.offset);
  own->is_view = n.is_view;
  own->writable = writable;
  if (n.element) own->mark_element();
  if (!n.is_view) memory.locked = !writable;
  rebind(array.ptr(), std::move(own));
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
  m.def("roll", [](py::handle a, const std::vector<std::int64_t>& by) {
    return wrapped(rolled(NodeRef(&require_array(a)), by));
  });
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
  m.def("is_value", [](py::handle array) { return is_array(array.ptr()) && is_value(array.ptr()); });
  m.def("set_writable", &set_writable);
  m.def("is_writable", &is_writable);
}

}  // namespace devarray
