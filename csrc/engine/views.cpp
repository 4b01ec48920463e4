#include "engine/views.hpp"

#include <utility>

#include "common/checked.hpp"
#include "engine/allocate.hpp"
#include "engine/assign.hpp"
#include "engine/evaluate.hpp"
#include "engine/pending_views.hpp"
#include "memory/foreign.hpp"

namespace devarray {
namespace {

/// The shape with its size of -1, if it has one, worked out. Throws ShapeError where it has another number of elements.
Dims resolved_shape(const Node& n, Dims shape) {
  const auto wanted = [asked = shape] { return to_string(asked); };  // as it was given
  Dims given;
  std::size_t unknown = shape.size();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == -1 && unknown == shape.size())
      unknown = i;
    else if (shape[i] < 0)
      throw ShapeError("can only specify one unknown dimension, not " + wanted() +
                       ": one size may be -1, the others not negative");
    else
      given.push_back(shape[i]);
  }
  const std::int64_t size = n.size(), known = element_count(given);
  const bool fits = unknown == shape.size() ? known == size : known != 0 && size % known == 0;
  if (!fits)
    throw ShapeError("cannot reshape array of size " + std::to_string(size) + " into shape " + wanted() +
                     ": the array has shape " + to_string(n.shape));
  if (unknown < shape.size()) shape[unknown] = size / known;
  byte_size(shape, n.itemsize());  // the sizes beside a 0 count, too
  return shape;
}

}  // namespace

void check_start(const Allocation& memory, DType dtype) {
  const void* start = memory.is_buffer() ? memory.host() : memory.handle();
  const auto address = reinterpret_cast<std::uintptr_t>(start);
  if (address % static_cast<std::uintptr_t>(alignment_of(dtype)) != 0)
    throw ValueError("the memory starts at address " + std::to_string(address) + ", but devices read items of " +
                     name_of(dtype) + " at multiples of " + std::to_string(alignment_of(dtype)) +
                     " bytes only; copy it");
}

NodeRef strided_view(const NodeRef& n, DType dtype, const Dims& shape, const Dims& strides, std::int64_t offset,
                     bool read_only) {
  evaluate(*n);
  if (dtype != n->dtype && n->storage->exposed && n->storage->block->allocation)
    check_start(*n->storage->block->allocation, dtype);
  NodeRef view = Node::leaf(n->storage, dtype, shape, strides, checked_add(n->offset, offset, "the offset of a view"));
  view->is_view = true;
  view->writable = n->writable && !read_only;
  if (n->element) view->mark_element();
  return view;
}

NodeRef reshaped(const NodeRef& n, Dims shape, std::optional<bool> copy) {
  shape = resolved_shape(*n, std::move(shape));
  if (!copy.value_or(false) && views_wait(*n)) {
    const Placement now = pending_placement(*n);
    if (const auto strides = reshape_strides(n->shape, now.strides, shape, 1))
      if (NodeRef view = view_of_pending(n, shape, {*strides, now.offset})) return view;
  }
  evaluate(*n);
  if (!copy.value_or(false))
    if (auto strides = reshape_strides(n->shape, n->strides, shape, n->itemsize()))
      return Node::view(*n, n->dtype, shape, *strides, n->offset);
  if (copy == false)
    throw ValueError("Unable to avoid creating a copy while reshaping: an array of shape " + to_string(n->shape) +
                     " and strides " + to_string(n->strides) + " cannot be reshaped to " + to_string(shape) +
                     " without a copy");
  const NodeRef fresh = empty(n->place, n->dtype, n->shape);
  assign(*fresh, n);
  return Node::leaf(fresh->storage, n->dtype, shape, c_strides(shape, n->itemsize()), 0);
}

NodeRef with_axes(const NodeRef& n, const Dims& axes) {
  if (axes.size() != n->shape.size())
    throw ShapeError("axes don't match array: they must name each of the " + std::to_string(n->shape.size()) +
                     " axes once, got " + std::to_string(axes.size()));
  const auto order = normalize_axes(axes, n->shape.size());
  if (views_wait(*n)) {
    const Placement now = pending_placement(*n);
    if (NodeRef view = view_of_pending(n, permuted(n->shape, order), {permuted(now.strides, order), now.offset}))
      return view;
  }
  evaluate(*n);
  return Node::view(*n, n->dtype, permuted(n->shape, order), permuted(n->strides, order), n->offset);
}

NodeRef broadcast_view(const NodeRef& n, const Dims& shape) {
  byte_size(shape, n->itemsize());
  broadcast_strides(n->shape, Dims(n->shape.size(), 0), shape);  // throws before anything is evaluated
  if (views_wait(*n)) {
    const Placement now = pending_placement(*n);
    if (NodeRef view = view_of_pending(n, shape, {broadcast_strides(n->shape, now.strides, shape), now.offset})) {
      view->writable = false;
      return view;
    }
  }
  evaluate(*n);
  NodeRef view = Node::view(*n, n->dtype, shape, broadcast_strides(n->shape, n->strides, shape), n->offset);
  view->writable = false;  // as NumPy has it
  return view;
}

NodeRef with_writable(const NodeRef& n, bool writable, bool is_value) {
  evaluate(*n);
  Storage& memory = *n->storage;
  if (writable && (memory.read_only || is_value || n->element || (n->is_view && memory.locked)))
    throw ValueError("cannot set WRITEABLE flag to True of this array: it is a view of read-only memory");
  NodeRef own = Node::leaf(n->storage, n->dtype, n->shape, n->strides, n->offset);
  own->is_view = n->is_view;
  own->writable = writable;
  if (n->element) own->mark_element();
  if (!n->is_view) memory.locked = !writable;
  return own;
}

NodeRef adopted(const AllocationPtr& memory, DType dtype, const Dims& shape, const Dims& strides, std::int64_t offset,
                const QueuePtr& queue, const ResourcePtr& allocator, bool read_only) {
  check_start(*memory, dtype);
  const DevicePtr device = memory->device().shared_from_this();
  const PlaceRef place(
      new Place(queue ? queue : device->default_queue(), allocator ? allocator : default_resource(device)));
  StorageRef storage(new Storage(adopt(memory, place->queue), place));
  storage->exposed = true;
  storage->read_only = read_only;
  return Node::leaf(storage, dtype, shape, strides, offset);
}

}  // namespace devarray
