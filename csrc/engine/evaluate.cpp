#include "engine/evaluate.hpp"

#include "common/assertion.hpp"
#include "engine/allocate.hpp"
#include "engine/attempt.hpp"
#include "engine/held_stores.hpp"
#include "engine/host/at_once.hpp"
#include "engine/join.hpp"
#include "engine/kept_launch.hpp"
#include "engine/launch.hpp"
#include "engine/lock.hpp"
#include "engine/partition.hpp"
#include "engine/record.hpp"
#include "engine/reduce.hpp"
#include "engine/reduce_rows.hpp"
#include "engine/split_axes.hpp"
#include "engine/throttle.hpp"
#include "engine/whole_copy.hpp"

namespace devarray {
namespace {

/// The last pending consumer reached from `n`: evaluating it evaluates `n` inside the same kernel.
Node& consumer_root(Node& n) {
  Node* root = &n;
  for (;;) {
    Node* up = nullptr;
    for (Node::Input* c = root->consumers; c && !up; c = c->next)
      if (c->consumer->is_pending() && !c->consumer->is_pending_view && !c->consumer->join &&
          c->consumer->shape == root->shape)
        up = c->consumer;
    if (!up) return *root;
    root = up;
  }
}

[[gnu::noinline]] void store_known(Node& n) {
  const NodeRef keep(&n);
  const NodeRef stored = full(n.place, n.dtype, Dims(), n.value);
  evaluate(*stored);
  if (n.is_known()) n.give_memory(stored->storage);  // unless another thread was first
}

/// Plans and launches the next kernel of those that evaluate a value; the last one is the value's own.
void launch_next(Node& n, Stage stage) {
  Expression e(n, n.shape);
  if (!n.is_pending()) return;
  // What only other pending values still need is not stored for them, if one kernel takes them, too.
  if (stage == Stage::whole && e.shares_values() && e.evaluate_whole_graph()) return;
  if (!e.fits() && e.cut(true)) return;
  for (bool cut = false;; cut = true) {
    ElementwiseLaunch launch(e, *n.place);
    for (Node* living : e.stored()) launch.add_result(*living);
    launch.add_result(n);  // last: until it drops its inputs, it keeps the others alive
    if (!launch.parameters_fit() && !cut) {
      e.cut();
      continue;
    }
    launch.run();
    return;
  }
}

/// Under the engine's lock.
void evaluate_pending(Node& n) {
  if (n.is_pending_view) return evaluate(*NodeRef(n.inputs[0].node));
  if (n.size() == 0) {
    NodeRef e = empty(n.place, n.dtype, n.shape);
    if (n.is_pending()) n.materialize(e->storage, e->strides, 0);
    return;
  }
  if (may_take_source(n)) return take_memory(n, StorageRef(n.inputs[0].node->storage));
  if (n.join) return evaluate_join(n);
  if (n.over_reduction && evaluate_rows(n)) return;
  if (!waiting_reductions.empty() && evaluate_shared(n)) return;
  if (n.is_pending_reduction()) return evaluate_reduction(n);
  if (n.joins_axes && evaluate_split(n)) return;
  for (Stage stage = Stage::whole; n.is_pending(); stage = Stage::cut) {
    PlanOf plan(n, {.stage = stage});
    if (plan.done()) continue;
    launch_next(n, stage);
    plan.keep();
  }
}

/// The same for a part of what is below it.
void evaluate_part_of(Node& n) {
  if (n.size() == 0 || n.reduction || n.join) return evaluate(n);
  if (n.is_pending_view) return evaluate_part(*NodeRef(n.inputs[0].node));
  PlanOf plan(n, {.stage = Stage::oldest});
  if (plan.done()) return;
  const Expression e(n, n.shape);  // what is pending in other shapes goes first
  if (n.is_pending()) evaluate_oldest(n, Cut::anywhere);
  plan.keep();
}

}  // namespace

void evaluate_with_consumers(Node& n) {
  const NodeRef keep(&n);
  n.store_next();
  const NodeRef root(&consumer_root(n));
  evaluate(*root);
  // Of a value that was part of that kernel alone nobody is left: the result may have the memory of what it reads.
  if (keep->use_count() > 1) evaluate(n);
}

void evaluate(Node& n) {
  if (awaits_store(n)) [[unlikely]]
    release_stores();
  if (n.is_known()) return store_known(n);
  if (!n.is_pending() || host::evaluate_at_once(n)) return;
  if (!waiting_reductions.empty() && !n.over_reduction && !n.is_pending_reduction()) launch_what_keeps_memory();
  make_room(*n.place->queue);
  EngineLock lock;
  const NodeRef keep(&n);
  Attempt::run([&] {
    if (n.is_pending()) evaluate_pending(n);  // unless another thread, or code in an allocator, was first
  });
  DEVARRAY_ASSERT(!n.is_pending());
}

void evaluate_part(Node& n) {
  if (!n.is_pending()) return;
  make_room(*n.place->queue);
  EngineLock lock;
  const NodeRef keep(&n);
  Attempt::run([&] {
    if (n.is_pending()) evaluate_part_of(n);
  });
}

void evaluate_all() {
  EngineLock lock;
  for (;;) {
    Node* n = pending_nodes();
    while (n && n->owners == 0) n = n->next;
    if (!n) return;
    evaluate_with_consumers(*n);
  }
}

}  // namespace devarray
