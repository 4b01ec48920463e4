#include "engine/assign.hpp"

#include <optional>

#include "engine/allocate.hpp"
#include "engine/attempt.hpp"
#include "engine/elements.hpp"
#include "engine/evaluate.hpp"
#include "engine/hazards.hpp"
#include "engine/host/at_once.hpp"
#include "engine/kept_launch.hpp"
#include "engine/launch.hpp"
#include "engine/lock.hpp"
#include "engine/mirror.hpp"
#include "engine/pending_views.hpp"
#include "engine/store_beside.hpp"
#include "engine/throttle.hpp"
#include "engine/whole_copy.hpp"

namespace devarray {
namespace {

/// Whether storing into `target` element by element could overwrite what the operand still has to give.
bool has_unsafe_overlap(const Node& target, const Operand& o) {
  if (o.storage != target.storage.get()) return false;
  if (o.table) return true;
  const Extent a = target.extent();
  const auto size = static_cast<std::int64_t>(size_of(o.dtype));
  const Extent b = extent_of(target.shape, o.strides, size);
  if (b.high + o.offset <= a.low || a.high <= b.low + o.offset) return false;
  if (!o.shifts.empty()) return true;
  if (lie_in_turn(target.shape, {target.offset, target.strides, target.itemsize()}, {o.offset, o.strides, size}))
    return false;
  if (o.offset != target.offset || size != target.itemsize()) return true;
  for (std::size_t i = 0; i < target.shape.size(); ++i)
    if (target.shape[i] != 1 && o.strides[i] != target.strides[i]) return true;
  return false;
}

/// What the plan of a store follows from. `right` stands for it.
Purpose purpose_of(Node& right, const Node& target, const Node* last) {
  Purpose p{.stage = Stage::store, .targets = {&target}};
  if (!last) return p;
  evaluate_what_differs(right, target.shape);  // first: who reads the target follows from it
  if (right.is_pending() && may_stay_pending(last, target, *right.inputs[0].node)) p.unstored = last;
  return p;
}

}  // namespace

bool may_stay_pending(const Node* last, const Node& target, const Node& value) {
  if (!last) return false;
  if (last == &value && value.dtype == target.dtype && value.shape == target.shape) return true;
  for (const Node* view = target.storage->views; view; view = view->next)
    for (const Node::Input* c = view->consumers; c; c = c->next)
      if (c->consumer == last || c->consumer != &value) return false;
  return true;
}

namespace {

/// The pending copy of the target's array, if it has one. One that is read in parts and cannot inherit the memory is
/// made before these parts are read elsewhere.
NodeRef waiting_copy_of(const Node& target) {
  const NodeRef copy = copy_of(*target.storage);
  const auto is_read_in_parts = [&] {
    for (const Node::Input* c = copy->consumers; c; c = c->next)
      if (c->consumer && c->consumer->is_pending_view) return true;
    return false;
  };
  if (copy && is_read_in_parts() && !room_beside(target)) evaluate(*copy);
  return copy;
}

void enqueue_store(Node& target, const NodeRef& value, const Node* last) {
  const Extent written = target.extent();
  if (target.storage->elements) settle_elements(*target.storage, written);
  // A cast node of the target's shape stands for the store, so that a broadcast right side needs no case of its own.
  NodeRef right = Node::pending(core_ops().astype, target.dtype, target.dtype, target.shape, target.place, &value, 1);
  NodeRef copy = waiting_copy_of(target);
  for (;;) {
    const Purpose purpose = purpose_of(*right, target, last);
    PlanOf plan(*right, purpose, purpose.targets);
    if (plan.done()) return;
    Expression e(*right, target.shape);
    while (!e.fits() && e.cut());
    bool uneven = false, reads_target = false;
    for (const Operand& o : e.operands) {
      uneven |= has_unsafe_overlap(target, o);
      reads_target |= o.storage == target.storage.get();
    }
    const NodeRef read = right->inputs[0].node;  // of a view of a pending value, its expression
    if (copy && (copy->owners == 0 || !is_whole_copy(*copy))) copy = nullptr;  // evaluated since, or let go of
    const std::optional<Around> around = uneven || copy ? room_beside(target) : std::nullopt;
    const bool goes_beside = around.has_value();
    if (uneven && read->is_pending() && !goes_beside) {
      evaluate(*read);
      continue;
    }
    if (uneven && !goes_beside) {  // a plain overlapping copy: through a temporary
      NodeRef temporary = empty(target.place, read->dtype, read->shape);
      assign(*temporary, read);
      assign(target, temporary);
      return;
    }
    const Node* const inherits = goes_beside ? copy.get() : nullptr;
    if (Node* reader = other_reader(*target.storage, &e, goes_beside ? nullptr : &written, inherits)) {
      evaluate_with_consumers(*reader);
      continue;  // that walk has re-marked nodes
    }
    const NodeRef made = goes_beside ? beside(target) : NodeRef(&target);
    if (goes_beside) PlanOf::spoil();
    ElementwiseLaunch launch(e, *target.place);
    launch.add_assignment(*made, e.id_of(*right));
    SmallVector<Node*, 8> results = reads_target ? e.living() : e.stored();
    // Alone, since what has a result may take the memory of what the others read.
    if (results.size() == 1 && results[0] == last && may_stay_pending(last, target, *read)) results.clear();
    for (Node* living : results)
      if (living != inherits) launch.add_result(*living);
    if (!launch.parameters_fit() && read->is_pending()) {
      evaluate(*read);
      continue;
    }
    launch.run();
    if (goes_beside) return take_over(target, *made, *around, copy.get());
    plan.keep();
    return;
  }
}

}  // namespace

void assign(Node& target, const NodeRef& value, const Node* last) {
  if (target.writable && host::assign_at_once(target, *value, last)) return;
  make_room(*target.place->queue);
  EngineLock lock;
  require_writable(target);
  broadcast_strides(value->shape, Dims(value->shape.size(), 0), target.shape);  // throws where it does not fit
  if (target.size() == 0) return;
  const NodeRef hold_target(&target);
  Attempt::run([&] {
    MirroredStore mirrored(target, *value);
    enqueue_store(target, value, last);
    mirrored.done();
  });
}

NodeRef contiguous(const NodeRef& n) {
  evaluate(*n);
  if (n->c_contiguous()) return n;
  NodeRef out = empty(n->place, n->dtype, n->shape);
  assign(*out, n);
  return out;
}

}  // namespace devarray
