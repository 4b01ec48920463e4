#include "engine/join.hpp"

#include <algorithm>
#include <optional>

#include "engine/allocate.hpp"
#include "engine/config.hpp"
#include "engine/evaluate.hpp"
#include "engine/expression.hpp"
#include "engine/lock.hpp"
#include "engine/moves.hpp"
#include "engine/partition.hpp"
#include "engine/pending_views.hpp"
#include "engine/reduce.hpp"
#include "engine/views.hpp"

namespace devarray {
namespace {

constexpr std::size_t kMostParts = 8;         ///< of one launch that writes them
constexpr std::int64_t kManyOnCpu = 1 << 14;  ///< elements of a join that waits
constexpr std::size_t kMostOperations = 128;  ///< in a chain of operations on the parts, all together

std::vector<NodeRef> parts_of(const Node& join) {
  std::vector<NodeRef> parts;
  for (int k = 0; k < join.arity; ++k) parts.push_back(join.inputs[k].node);
  return parts;
}

/// Whether operations may be done on the parts of a join. Not while it is written: launches then take it that nobody
/// else reads the parts, and give what these read to their results.
bool is_open(const Node& n) {
  const auto is_read = [](const Node::Input& in) { return in.consumer != nullptr; };
  return n.is_pending_join() && std::all_of(n.inputs, n.inputs + n.arity, is_read);
}

/// The indices of a join's axis that one of its parts has.
struct Range {
  std::int64_t first, count;
};

Range range_of(const Node& join, int number) {
  if (join.join->stacked) return {number, 1};
  Range range{0, 0};
  for (int k = 0; k <= number; ++k) {
    range.first += range.count;
    range.count = join.inputs[k].node->shape[join.join->axis];
  }
  return range;
}

/// Whether the parts of two joins lie alike, so that an operation on both is one on each pair of parts.
bool lie_alike(const Node& a, const Node& b) {
  if (!is_open(b) || a.join->stacked != b.join->stacked || a.arity != b.arity || !(a.shape == b.shape) ||
      a.join->axis != b.join->axis)
    return false;
  for (int k = 0; k < a.arity; ++k)
    if (!(a.inputs[k].node->shape == b.inputs[k].node->shape)) return false;
  return true;
}

/// Whether there is room in a kernel for one more operation on each of some parts.
bool takes_more(const std::vector<NodeRef>& parts) {
  std::size_t deepest = 0;
  for (const NodeRef& part : parts) deepest = std::max<std::size_t>(deepest, part->depth);
  return (deepest + 1) * parts.size() <= kMostOperations;
}

/// A view of a value, or the value where the view shows all of it; null where it cannot wait.
NodeRef view_or_whole(const NodeRef& n, const Dims& shape, const Placement& seen) {
  if (n->is_leaf()) return Node::view(*n, n->dtype, shape, seen.strides, seen.offset);
  if (!views_wait(*n)) return nullptr;
  const NodeRef& base = n->is_pending_view ? n->inputs[0].node : n;
  if (seen.offset == 0 && shape == base->shape && is_c_contiguous(shape, seen.strides, 1)) return base;
  return view_of_pending(n, shape, seen);
}

/// The indices `range` of an axis of a value, or where `drop` its only index without the axis.
NodeRef slice(const NodeRef& n, std::size_t axis, Range range, bool drop) {
  Dims shape = n->shape;
  Placement seen = n->is_pending() ? pending_placement(*n) : Placement{n->strides, n->offset};
  seen.offset += range.first * seen.strides[axis];
  shape[axis] = range.count;
  if (drop) {
    shape.erase(axis);
    seen.strides.erase(axis);
  }
  const NodeRef made = view_or_whole(n, shape, seen);
  return made ? seen_part(made) : nullptr;
}

/// What an operation on part `number` of a join reads of another operand; null where that cannot be told.
NodeRef operand_of(const NodeRef& n, const Node& join, int number) {
  if (lie_alike(join, *n)) return n->inputs[number].node;
  const std::size_t behind = join.shape.size() - join.join->axis;  // axes from that one on
  if (n->state == NodeState::scalar || n->shape.size() < behind) return n;
  const std::size_t axis = n->shape.size() - behind;
  const Range range = range_of(join, number);
  if (n->shape[axis] == 1) return join.join->stacked ? slice(n, axis, {0, 1}, true) : n;
  return slice(n, axis, range, join.join->stacked);
}

/// The join among the operands on whose parts an operation can be done; null where there is none.
const Node* join_among(const RecordArg* args, int n) {
  const Node* found = nullptr;
  for (int i = 0; i < n && !found; ++i)
    if (args[i].node && is_open(*args[i].node) && takes_more(parts_of(*args[i].node))) found = args[i].node.get();
  for (int i = 0; i < n && found; ++i) {
    const Node* const other = args[i].node.get();
    if (!other) continue;
    const Dims& shape = found->shape;
    if (other->shape.size() > shape.size()) return nullptr;
    const std::size_t missing = shape.size() - other->shape.size();
    for (std::size_t axis = 0; axis < other->shape.size(); ++axis)
      if (other->shape[axis] != 1 && other->shape[axis] != shape[axis + missing]) return nullptr;
    if (other->place && other->place->queue != found->place->queue) return nullptr;
    if (other->is_leaf() && (other->storage->exposed || !other->is_read_in_place())) return nullptr;
  }
  return found;
}

/// The same operation on each part. Operands are found before any is recorded: recording may evaluate.
NodeRef record_on_parts(OpId op, const RecordArg* args, int n, const NodeRef& join) {
  const auto count = static_cast<std::size_t>(join->arity);
  std::vector<RecordArg> own;
  for (std::size_t k = 0; k < count; ++k)
    for (int i = 0; i < n; ++i) {
      RecordArg arg = args[i];
      if (arg.node) arg.node = operand_of(arg.node, *join, static_cast<int>(k));
      if (args[i].node && !arg.node) return nullptr;
      own.push_back(std::move(arg));
    }
  const Join how = *join->join;
  std::vector<NodeRef> made;
  for (std::size_t k = 0; k < count; ++k) made.push_back(record(op, &own[k * static_cast<std::size_t>(n)], n));
  return Node::pending_join(made, join->shape, how);
}

}  // namespace

NodeRef Node::pending_join(const std::vector<NodeRef>& parts, const Dims& shape, const Join& join) {
  const Node& first = *parts[0];
  NodeRef node =
      pending(kNoOp, first.dtype, first.dtype, shape, first.place, parts.data(), static_cast<int>(parts.size()));
  node->join = std::make_unique<const Join>(join);
  node->by_rows = true;  // it will lie so, whatever its parts do
  ++waiting_joins;
  return node;
}

void Node::hide_reads() {
  // Not of a part that another one is computed from, or that stands twice: it is read again behind its own launch.
  const auto alone = [](const Input& in) { return in.consumer && in.node->consumers == &in && !in.next; };
  for (int i = 0; i < arity; ++i)
    if (alone(inputs[i])) unlink_input(inputs[i]);
}

void Node::show_reads() {
  for (int i = 0; i < arity; ++i)
    if (!inputs[i].consumer) link_input(i, NodeRef(inputs[i].node));
}

void Node::joins_no_more() {
  if (!join) return;
  --waiting_joins;
  join.reset();
}

NodeRef waiting_join(const std::vector<NodeRef>& parts, std::size_t axis, bool stacked, const Dims& shape,
                     DType dtype) {
  const Node& first = *parts[0];
  if (!config().deferred || parts.size() > kMostParts) return nullptr;
  std::size_t computed = 0;
  for (const NodeRef& part : parts) {
    if (part->shape.empty() || part->size() == 0 || part->place->queue != first.place->queue) return nullptr;
    if (part->is_pending() ? part->is_pending_reduction() || part->is_pending_join()
                           : !part->is_leaf() || part->element || part->storage->exposed)
      return nullptr;
    computed += part->is_pending() && !part->is_pending_view;
  }
  // A CPU writes few elements, and parts in memory, in less time than what waits takes to record.
  const bool gpu = first.place->device->strategy() == Strategy::gpu;
  if (computed < (gpu ? 1 : parts.size()) || !takes_more(parts)) return nullptr;
  if (!gpu && element_count(shape) < kManyOnCpu) return nullptr;
  std::vector<NodeRef> own;
  for (const NodeRef& part : parts) own.push_back(cast(part, dtype));
  NodeRef made = Node::pending_join(own, shape, {axis, stacked});
  if (too_much_pending()) evaluate(*made);
  return made;
}

void evaluate_join(Node& n) {
  const NodeRef result = empty(n.place, n.dtype, n.shape);
  const std::vector<NodeRef> parts = parts_of(n);
  const Join how = *n.join;
  n.hide_reads();  // a part that nobody else has is written to its place alone
  try {
    join_into(*result, parts, how.axis, how.stacked);
  } catch (...) {
    if (n.is_pending()) n.show_reads();
    throw;
  }
  // What is evaluated with the parts may read it, and have asked for it in between.
  if (n.is_pending()) n.materialize(result->storage, result->strides, result->offset);
}

NodeRef seen_part(const NodeRef& view) {
  if (!view->is_pending() || !view->is_pending_view) return view;
  const NodeRef join = view->inputs[0].node;
  if (!is_open(*join)) return view;
  const Placement seen{view->strides, view->offset};
  if (view->size() == 0 || !keeps_axes(join->shape, view->shape, seen)) return view;
  const std::size_t axis = join->join->axis;
  const auto over = [&](const Dims& strides, std::int64_t offset) {
    return placement_of({join->shape, strides, offset}, view->shape, seen, 1);
  };
  Dims indices(join->shape.size(), 0);
  indices[axis] = 1;
  const Placement along = over(indices, 0);
  const Extent reached = extent_of(view->shape, along.strides, 1);
  for (int k = 0; k < join->arity; ++k) {
    const Range range = range_of(*join, k);
    if (along.offset + reached.low < range.first || along.offset + reached.high > range.first + range.count) continue;
    const NodeRef& part = join->inputs[k].node;
    Placement own = part->is_pending() ? pending_placement(*part) : Placement{part->strides, part->offset};
    if (join->join->stacked) own.strides.insert(axis, 0);
    const NodeRef made =
        view_or_whole(part, view->shape, over(own.strides, own.offset - range.first * own.strides[axis]));
    return made ? made : view;
  }
  return view;
}

NodeRef record_by_parts(OpId op, const RecordArg* args, int n, bool hold) {
  const EngineLock lock;  // a join that another thread is writing is no operand of its parts': see evaluate_join()
  RecordArg own[3];
  bool seen = false;
  for (int i = 0; i < n; ++i) {
    own[i] = args[i];
    if (!own[i].node) continue;
    own[i].node = seen_part(args[i].node);
    seen |= own[i].node != args[i].node;
  }
  NodeRef made;
  if (const Node* const join = join_among(own, n); join && !has_flag(op, Op::indexed))
    made = record_on_parts(op, own, n, NodeRef(const_cast<Node*>(join)));
  if (!made) return seen ? record(op, own, n, hold) : nullptr;
  if (!hold && too_much_pending()) evaluate(*made);
  return made;
}

NodeRef cast_by_parts(const NodeRef& n, DType dtype) {
  const EngineLock lock;
  if (const NodeRef seen = seen_part(n); seen != n) return cast(seen, dtype);
  if (!is_open(*n) || !takes_more(parts_of(*n))) return nullptr;
  const Join how = *n->join;
  std::vector<NodeRef> made;
  for (const NodeRef& part : parts_of(*n)) made.push_back(cast(part, dtype));
  return Node::pending_join(made, n->shape, how);
}

std::vector<NodeRef> values_along(const Node& n, const Reduction& r) {
  if (!is_open(n) || r.axes.size() != 1 || static_cast<std::size_t>(r.axes[0]) != n.join->axis) return {};
  std::vector<NodeRef> values = parts_of(n);
  for (NodeRef& value : values) {
    if (n.join->stacked) continue;
    if (value->shape[n.join->axis] != 1) return {};
    value = slice(value, n.join->axis, {0, 1}, true);
    if (!value) return {};
  }
  return values;
}

}  // namespace devarray
