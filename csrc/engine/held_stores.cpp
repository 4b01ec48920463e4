#include "engine/held_stores.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "common/fork.hpp"
#include "engine/assign.hpp"
#include "engine/attempt.hpp"
#include "engine/config.hpp"
#include "engine/expression.hpp"
#include "engine/hazards.hpp"
#include "engine/held_launches.hpp"
#include "engine/held_work.hpp"
#include "engine/kept_launch.hpp"
#include "engine/launch.hpp"
#include "engine/lock.hpp"
#include "engine/parts.hpp"
#include "engine/pending_views.hpp"
#include "engine/throttle.hpp"

namespace devarray {
namespace {

constexpr std::int64_t kLeastHeld = std::int64_t{4} << 10;  ///< bytes of a store that waits
/// Of the memory that it goes to: the host keeps elements of smaller ones (mirror.hpp).
constexpr std::size_t kLeastMemory = std::size_t{64} << 10;
constexpr std::size_t kMostHeld = 8;     ///< stores of one launch
constexpr std::size_t kMostReads = 24;   ///< leaves below a store that waits
constexpr std::size_t kMostBelow = 256;  ///< and operations

struct HeldStore {
  NodeRef target, root;         ///< the root is a cast to the target's dtype: it stands for the store
  std::vector<NodeRef> leaves;  ///< what it is computed from
  bool reads_target = false;    ///< the elements that it writes are among that
};

/// Those of one queue and shape. Under the GIL and the engine's lock.
struct Group {
  std::vector<HeldStore> stores;
  bool failed = false;  ///< once: it is tried a second time
};

Group& held() {
  static auto* group = new Group;  // never destroyed: a process may end with one
  return *group;
}

bool meet(const Extent& a, const Extent& b) { return a.low < b.high && b.low < a.high; }

/// Whether a leaf shows the elements of a target one by one, each at its own place.
bool is_target(const Node& leaf, const Node& target) {
  if (!leaf.is_read_in_place() || leaf.offset != target.offset || leaf.itemsize() != target.itemsize() ||
      !(leaf.shape == target.shape))
    return false;
  for (std::size_t i = 0; i < target.shape.size(); ++i)
    if (target.shape[i] != 1 && leaf.strides[i] != target.strides[i]) return false;
  return true;
}

/// Whether what lies over a target's shape has no byte in common with it.
bool lies_apart(const Node& n, const Node& target) {
  if (n.storage != target.storage || !meet(n.extent(), target.extent())) return true;
  return n.shape == target.shape && !n.shifts && !n.reach &&
         lie_in_turn(n.shape, {n.offset, n.strides, n.itemsize()}, {target.offset, target.strides, target.itemsize()});
}

/// Reads what is below a root; its nodes stay marked until the next walk. False where one kernel may not take it as it
/// is, or memory of it is not the engine's alone.
bool find_leaves(Node& root, std::vector<NodeRef>& leaves) {
  const std::uint64_t epoch = Node::new_epoch();
  SmallVector<Node*, 32> found{&root};
  root.epoch = epoch;
  leaves.clear();
  leaves.reserve(kMostReads);  // in one piece
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Node& n = *found[i];
    for (int k = 0; k < n.arity; ++k) {
      Node& in = *n.inputs[k].node;
      if (in.state == NodeState::scalar || in.epoch == epoch) continue;
      in.epoch = epoch;
      if (in.is_leaf()) {
        if (in.storage->exposed || leaves.size() == kMostReads) return false;
        leaves.emplace_back(&in);
        continue;
      }
      if (in.is_of_another() || in.over_reduction || !(in.shape == root.shape) ||
          in.place->queue != root.place->queue || found.size() == kMostBelow)
        return false;
      found.push_back(&in);
    }
  }
  return true;
}

/// Whether something that is pending, and not below the root that was walked last, reads a storage.
bool is_read_elsewhere(const Storage& storage, const Node& root) {
  for (const Node* view = storage.views; view; view = view->next)
    for (const Node::Input* c = view->consumers; c; c = c->next)
      if (c->consumer->epoch != root.epoch) return true;
  return false;
}

/// The same where what differs is evaluated first, if there is any.
bool read_value(HeldStore& s) {
  if (find_leaves(*s.root, s.leaves)) return true;
  Attempt::run([&] { evaluate_what_differs(*s.root, s.target->shape); });
  return s.root->is_pending() && find_leaves(*s.root, s.leaves);
}

/// Whether a store is of a kind that waits.
bool is_worth_it(const Node& target, const Node& value) {
  return target.place->device->strategy() == Strategy::gpu && config().deferred && target.is_leaf() &&
         target.writable && target.nbytes() >= kLeastHeld && target.storage->block->size >= kLeastMemory &&
         !target.storage->exposed && target.shape == value.shape && value.state != NodeState::scalar &&
         value.place->queue == target.place->queue;
}

/// Whether a store of such a kind may wait now: what runs programs' code, such as an allocator, changes that.
bool may_wait(const Node& target) {
  Storage* const s = target.storage.get();
  const Queue& queue = *target.place->queue;
  return !s->elements && !s->mirror && !s->read_only && !too_much_pending() && may_be_held({&s, 1}, queue, true) &&
         !queue.is_captured();
}

/// Whether a store neither reads nor writes what others write, and writes nothing that they read.
bool is_independent(const HeldStore& s, const std::vector<HeldStore>& others) {
  const auto reads = [](const HeldStore& reader, const Node& target) {
    return std::ranges::any_of(reader.leaves, [&](const NodeRef& leaf) { return !lies_apart(*leaf, target); });
  };
  return std::ranges::none_of(others, [&](const HeldStore& other) {
    return reads(s, *other.target) || reads(other, *s.target) || !lies_apart(*s.target, *other.target);
  });
}

/// Whether one launch of a store with others costs less than one of its own: they read the same memory, or it is small.
bool pays(const HeldStore& s, const std::vector<HeldStore>& others) {
  if (static_cast<double>(s.target->nbytes()) < kLaunchBytes) return true;
  const auto shares = [&](const NodeRef& leaf) {
    if (leaf->size() < s.target->size()) return false;
    const auto same = [&](const NodeRef& l) {
      return l->storage == leaf->storage && meet(l->extent(), leaf->extent());
    };
    return std::ranges::any_of(others, [&](const HeldStore& o) { return std::ranges::any_of(o.leaves, same); });
  };
  return std::ranges::any_of(s.leaves, shares);
}

void take(HeldStore&& s) {
  Group& group = held();
  Queue& queue = *s.target->place->queue;
  s.target->storage->awaits_store = true;
  s.target->storage->unused = false;
  s.target->storage->note_write();
  if (group.stores.empty()) {
    HeldLaunches::of(queue);
    group.stores.reserve(kMostHeld);
    queue.holds_back.store(true, std::memory_order_relaxed);
    EngineLock::before_work.store(release_stores, std::memory_order_relaxed);
  }
  group.stores.push_back(std::move(s));
  watch_gil();
}

/// Nothing is held any more; what was is given back.
std::vector<HeldStore> let_go() {
  std::vector<HeldStore> stores = std::exchange(held().stores, {});
  for (const HeldStore& s : stores) s.target->storage->awaits_store = false;
  if (!stores.empty()) stores[0].target->place->queue->holds_back.store(false, std::memory_order_relaxed);
  EngineLock::before_work.store(nullptr, std::memory_order_relaxed);
  watch_gil();
  return stores;
}

/// False, and nothing is stored, where one launch does not take them.
bool launch_together(const std::vector<HeldStore>& stores) {
  Purpose purpose{.stage = Stage::store};
  bool reads_target = false;
  for (const HeldStore& s : stores) {
    if (!purpose.targets.empty()) purpose.others.push_back(s.root.get());
    purpose.targets.push_back(s.target.get());
    reads_target |= s.reads_target;
  }
  PlanOf plan(*stores[0].root, purpose, purpose.targets);
  if (plan.done()) return true;
  std::vector<NodeRef> roots;
  for (const HeldStore& s : stores) roots.push_back(s.root);
  Expression e(nodes_below(roots));
  if (e.living().size() + stores.size() > kMaxExtraOutputs + 1 || !e.fits(stores.size())) return false;
  ElementwiseLaunch launch(e, *roots[0]->place);
  for (const HeldStore& s : stores) launch.add_assignment(*s.target, e.id_of(*s.root));
  const SmallVector<Node*, 8> results = reads_target ? e.living() : e.stored();  // those left could not be computed
  for (Node* living : results) launch.add_result(*living);
  launch.run();
  plan.keep();
  return true;
}

NodeRef root_of(const Node& target, const NodeRef& value) {
  return Node::pending(core_ops().astype, target.dtype, target.dtype, target.shape, target.place, &value, 1);
}

void launch_alone(HeldStore& s) {
  const NodeRef value = s.root->is_pending() ? s.root->inputs[0].node : s.root;
  s.root = nullptr;  // it is nobody who asks for the value
  try {
    assign(*s.target, value);
  } catch (...) {
    s.root = root_of(*s.target, value);
    throw;
  }
}

bool launch_group(std::vector<HeldStore>& stores) {
  const bool plain = std::ranges::all_of(stores, [](const HeldStore& s) { return s.root->is_pending(); });
  return plain && stores.size() > 1 && launch_together(stores);
}

}  // namespace

void release_stores() {
  if (held().stores.empty()) return;
  EngineLock lock(EngineLock::HeldStores::stay);
  std::vector<HeldStore> stores = let_go();
  if (stores.empty() || forked()) return;
  std::size_t done = 0;
  try {
    if (Attempt::run([&] { return launch_group(stores); })) done = stores.size();
    for (; done < stores.size(); ++done) launch_alone(stores[done]);
  } catch (...) {
    if (!std::exchange(held().failed, true) && held().stores.empty())
      for (; done < stores.size(); ++done) take(std::move(stores[done]));
    throw;
  }
  held().failed = false;
}

bool hold_store(Node& target, const NodeRef& value) {
  if (!is_worth_it(target, *value)) return false;
  const auto held_elsewhere = [&] {
    return target.place->queue->holds_back.load(std::memory_order_relaxed) &&
           (held().stores.empty() || held().stores[0].target->place->queue != target.place->queue);
  };
  if (held_elsewhere()) return false;
  if (awaits_store(*value)) release_stores();
  make_room(*target.place->queue);
  EngineLock lock(EngineLock::HeldStores::stay);
  require_writable(target);
  HeldStore s{NodeRef(&target), root_of(target, value), {}};
  if (!read_value(s)) return false;
  const std::vector<HeldStore>& others = held().stores;
  if (!others.empty() &&
      (others.size() == kMostHeld || !(others[0].target->shape == target.shape) ||
       others[0].target->place->queue != target.place->queue ||
       others[0].target->place->resource != target.place->resource || !is_independent(s, others) || !pays(s, others))) {
    release_stores();
    if (!s.root->is_pending() || !find_leaves(*s.root, s.leaves)) return false;
  }
  for (const NodeRef& leaf : s.leaves) {
    if (lies_apart(*leaf, target)) continue;
    if (!is_target(*leaf, target)) return false;
    s.reads_target = true;
  }
  if (is_read_elsewhere(*target.storage, *s.root) || !may_wait(target) || held_elsewhere()) return false;
  take(std::move(s));
  return true;
}

}  // namespace devarray
