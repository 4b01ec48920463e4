// What NumPy lets a program ask and set of the memory below an array: its owner, another view of it.
#include "bind/engine/array.hpp"
#include "engine/evaluate.hpp"
#include "engine/lock.hpp"

namespace devarray {
namespace {

/// The array whose memory this one shows; None for that one itself. Where it is gone, a new one over all of the memory.
py::object base_of(py::handle array) {
  const NodeRef n(&require_array(array));
  if (n->is_pending_view) evaluate(*n);
  if (is_value(array.ptr()) || !n->is_leaf() || !n->is_view) return py::none();
  {
    EngineLock lock;
    for (const Node* view = n->storage->views; view; view = view->next)
      if (!view->is_view && view->holder)
        return py::reinterpret_borrow<py::object>(static_cast<PyObject*>(view->holder));
  }
  const Ref<Block>& block = n->storage->block;
  const std::int64_t size = block ? static_cast<std::int64_t>(block->size) / n->itemsize() : 0;
  NodeRef whole = Node::leaf(n->storage, n->dtype, Dims{size}, Dims{n->itemsize()}, 0);
  whole->writable = !n->storage->read_only && !n->storage->locked;
  return wrapped(std::move(whole));
}

/// A fresh array's view, such as the transposed one that is in Fortran's order, as the array that owns the memory.
py::object as_owner(py::object array) {
  Node& n = require_array(array);
  if (n.is_leaf() || n.is_pending_view) n.is_view = false;
  return array;
}

bool owns_memory(py::handle array) { return !require_array(array).is_view; }

/// Whether another array shows memory of this one's.
bool is_shared(py::handle array) {
  const NodeRef n(&require_array(array));
  if (n->is_pending_view && !n->is_view) evaluate(*n);  // the result of a reduction without the axes
  if (n->is_pending_view || n->has_held_views()) return true;
  return n->is_leaf() && n->storage && n->storage->use_count() > 1;
}

/// Gives an array what a new one shows: another view of its memory, or other memory. It stays a view where it was one.
void adopt_view(py::handle array, py::handle other) {
  const Node& old = require_array(array);
  NodeRef next(&require_array(other));
  next->is_view = old.is_view;
  rebind(array.ptr(), std::move(next));
}

}  // namespace

void bind_engine_attributes(py::module_& m) {
  m.def("base_of", &base_of, py::arg("array"));
  m.def("as_owner", &as_owner, py::arg("array"));
  m.def("owns_memory", &owns_memory, py::arg("array"));
  m.def("is_shared", &is_shared, py::arg("array"));
  m.def("adopt_view", &adopt_view, py::arg("array"), py::arg("other"));
}

}  // namespace devarray
