#include "engine/parts.hpp"

#include <algorithm>
#include <span>

#include "engine/assign.hpp"
#include "engine/attempt.hpp"
#include "engine/config.hpp"
#include "engine/expression.hpp"
#include "engine/hazards.hpp"
#include "engine/host/at_once.hpp"
#include "engine/kept_launch.hpp"
#include "engine/launch.hpp"
#include "engine/lock.hpp"
#include "engine/operators.hpp"
#include "engine/pending_views.hpp"
#include "engine/throttle.hpp"

namespace devarray {
namespace {

/// A value, and the place that it goes to.
struct Store {
  NodeRef target, value;
};
using Stores = std::span<const Store>;

constexpr std::size_t kMostParts = kMaxExtraOutputs;  ///< of one launch

/// Whether somebody can ask for a pending value beside the stores that are about to be made.
bool is_wanted(const Node& value, std::size_t stores) {
  std::size_t readers = 0;
  for (const Node::Input* c = value.consumers; c && readers <= stores; c = c->next) ++readers;
  return value.owners > 0 || readers > stores;
}

/// Whether a pending value that somebody can still ask for becomes a copy of the place where it is stored. What a
/// program joins it seldom asks for again, and who does so reads the joined array or makes the copy: small values are
/// written beside it, since a launch would cost more. The copy lies as the value would.
bool becomes_copy(const Store& p) {
  constexpr double kSeldom = 8;  // one in so many
  const Node &n = *p.value, &target = *p.target;
  return n.is_pending() && !n.is_of_another() && n.shape == target.shape && n.dtype == target.dtype && n.by_rows &&
         lies_by_rows(target.shape, target.strides) && n.place->device->strategy() == Strategy::gpu &&
         n.place->queue == target.place->queue && config().deferred && !too_much_left() &&
         kSeldom * static_cast<double>(n.nbytes()) >= kLaunchBytes;
}

/// Whether a value may be written by a launch that writes others.
bool may_join(const Store& p) {
  const Node& n = *p.value;
  if (n.state == NodeState::scalar || n.size() == 0 || !(n.shape == p.target->shape)) return false;
  if (n.place->queue != p.target->place->queue || n.storage == p.target->storage) return false;
  return n.is_pending() ? !n.reduction && !n.join : n.place->device->strategy() == Strategy::gpu;
}

/// Of a view that shows all of a pending value in its order, as one of more axes does: the store of that value.
Store of_whole_value(Store s) {
  const Node& view = *s.value;
  if (!view.is_pending_view || view.offset != 0 || !is_c_contiguous(view.shape, view.strides, 1)) return s;
  const NodeRef& value = view.inputs[0].node;
  if (value->is_of_another() || value->size() != view.size()) return s;
  const Node& t = *s.target;
  const auto strides = reshape_strides(t.shape, t.strides, value->shape, t.itemsize());
  return strides ? Store{Node::view(t, t.dtype, value->shape, *strides, t.offset), value} : s;
}

/// What several values are computed from: finds whether two of them share a pending value or memory. Under the engine's
/// lock: what another thread launches meanwhile finds its operands by the numbers of nodes.
class SharedReads {
 public:
  void add(Node& value) {
    size_ = value.size();
    ++number_;
    visit(value);
  }
  bool any() const { return any_; }

 private:
  /// Smaller values, which are repeated, cost little to read again.
  void visit(Node& value) {
    SmallVector<Node*, 32> stack{&value};
    while (!stack.empty()) {
      Node& n = *stack.back();
      stack.pop_back();
      if (n.state == NodeState::scalar || n.size() < size_) continue;
      if (n.epoch == epoch_) {
        any_ |= n.id != number_;
        continue;
      }
      n.epoch = epoch_;
      n.id = number_;
      if (n.is_leaf()) add_leaf(n);
      if (!n.is_pending() || n.reduction || n.join) continue;
      for (int i = 0; i < n.arity; ++i) stack.push_back(n.inputs[i].node.get());
    }
  }
  void add_leaf(const Node& n) {
    const Read read{n.storage.get(), n.extent(), number_};
    for (const Read& r : reads_)
      any_ |= r.storage == read.storage && r.number != number_ && r.extent.low < read.extent.high &&
              read.extent.low < r.extent.high;
    reads_.push_back(read);
  }

  struct Read {
    const Storage* storage;
    Extent extent;
    std::uint16_t number;
  };
  const std::uint64_t epoch_ = Node::new_epoch();
  std::int64_t size_ = 0;
  std::uint16_t number_ = 0;
  bool any_ = false;
  std::vector<Read> reads_;
};

/// Several stores by one launch, under the engine's lock.
class JointStore {
 public:
  explicit JointStore(Stores stores) : stores_(stores), purpose_{.stage = Stage::store} {
    for (const Store& s : stores) {
      const Node& t = *s.target;
      roots_.push_back(Node::pending(core_ops().astype, t.dtype, t.dtype, t.shape, t.place, &s.value, 1));
    }
  }

  /// False, and nothing is stored, where one launch does not take them.
  bool run(bool copies) {
    evaluate_what_differs(roots_, roots_[0]->shape);
    for (NodeRef& root : roots_)  // one that was part of a launch on the way has its value in memory
      if (!root->is_pending())
        root = Node::pending(core_ops().astype, root->dtype, root->dtype, root->shape, root->place, &root, 1);
    if (is_read()) return false;
    describe(copies);
    PlanOf plan(*roots_[0], purpose_, purpose_.targets);
    if (!plan.done() && !launch(plan)) return false;
    roots_.clear();
    for (std::size_t i = 0; i < stores_.size(); ++i)
      if (is_elsewhere(i)) stores_[i].value->become_copy_of(stores_[i].target);
    return true;
  }

 private:
  bool is_elsewhere(std::size_t i) const { return purpose_.elsewhere >> i & 1; }

  /// Whether something that is pending needs what is overwritten.
  bool is_read() const {
    const Storage& storage = *stores_[0].target->storage;
    Extent written = stores_[0].target->extent();
    for (const Store& s : stores_) {
      const Extent e = s.target->extent();
      written = {std::min(written.low, e.low), std::max(written.high, e.high)};
    }
    return storage.elements || other_reader(storage, nullptr, &written);
  }

  void describe(bool copies) {
    for (std::size_t i = 0; i < stores_.size(); ++i) {
      const Store& s = stores_[i];
      purpose_.targets.push_back(s.target.get());
      if (i > 0) purpose_.others.push_back(roots_[i].get());
      if (!copies || !becomes_copy(s)) continue;
      const auto same = [&](const Store& other) { return other.value == s.value; };
      const auto times = static_cast<std::size_t>(std::count_if(stores_.begin(), stores_.end(), same));
      const bool known = std::any_of(stores_.begin(), stores_.begin() + static_cast<std::ptrdiff_t>(i), same);
      if (!known && is_wanted(*s.value, times)) purpose_.elsewhere |= std::uint64_t{1} << i;
    }
  }

  bool launch(PlanOf& plan) {
    Expression e(nodes_below(roots_));
    for (std::size_t i = 0; i < stores_.size(); ++i)
      if (is_elsewhere(i)) e.leave_out(*stores_[i].value);
    if (e.living().size() + stores_.size() > kMaxExtraOutputs + 1 || !e.fits(stores_.size())) return false;
    ElementwiseLaunch launch(e, *stores_[0].target->place);
    for (std::size_t i = 0; i < stores_.size(); ++i) launch.add_assignment(*stores_[i].target, e.id_of(*roots_[i]));
    for (Node* living : e.stored()) launch.add_result(*living);
    launch.run();
    plan.keep();
    return true;
  }

  const Stores stores_;
  std::vector<NodeRef> roots_;
  Purpose purpose_;
};

void store_alone(const Store& s, bool copies) {
  const Node* const last = copies && becomes_copy(s) ? s.value.get() : nullptr;
  assign_item(*s.target, s.value, last);
  if (last && last->is_pending()) s.value->become_copy_of(s.target);
}

bool store_together(Stores stores, bool copies) {
  for (const Store& s : stores) require_writable(*s.target);
  make_room(*stores[0].target->place->queue);
  EngineLock lock;
  return Attempt::run([&] { return JointStore(stores).run(copies); });
}

/// `copies`: whether values may become copies of their places: nothing that is stored later is to find them there.
/// `all`: there is nothing else to be stored, so that one launch of them may make copies whose extents interleave.
void store_run(Stores stores, bool copies, bool all) {
  bool together = std::any_of(stores.begin(), stores.end(), [](const Store& s) { return s.value->is_pending(); });
  if (together) {
    const EngineLock lock;
    SharedReads reads;
    for (const Store& s : stores) reads.add(*s.value);
    together = reads.any();
  }
  while (!stores.empty()) {
    std::size_t n = together ? stores.size() : 1;
    while (n > 1 && !store_together(stores.first(n), copies || (all && n == stores.size()))) n = (n + 1) / 2;
    if (n == 1) store_alone(stores[0], copies);
    stores = stores.subspan(n);
    all = false;
  }
}

}  // namespace

std::vector<NodeRef> nodes_below(const std::vector<NodeRef>& roots) {
  const std::uint64_t epoch = Node::new_epoch();
  std::vector<NodeRef> found;
  const auto add = [&](const NodeRef& n) {
    if (!n->is_pending() || n->epoch == epoch) return;
    n->epoch = epoch;
    found.push_back(n);
  };
  for (const NodeRef& root : roots) add(root);
  for (std::size_t i = 0; i < found.size(); ++i)
    for (int k = 0; k < found[i]->arity; ++k) add(NodeRef(found[i]->inputs[k].node));
  std::stable_sort(found.begin(), found.end(),
                   [](const NodeRef& a, const NodeRef& b) { return a->serial < b->serial; });
  return found;
}

void assign_parts(const Node& whole, const Dims& strides, const std::vector<Part>& parts) {
  // One behind the other, so that no store reaches into another one's extent.
  const auto overlaps = [&](const Part& p, const Part& next) {
    return p.at + extent_of(p.value->shape, strides, whole.itemsize()).high > next.at;
  };
  const bool apart = std::adjacent_find(parts.begin(), parts.end(), overlaps) == parts.end();
  std::vector<Store> run;
  const auto end_run = [&] {
    store_run(run, apart, run.size() == parts.size());
    run.clear();
  };
  for (const Part& p : parts) {
    const Store s = of_whole_value({Node::view(whole, whole.dtype, p.value->shape, strides, p.at), p.value});
    const Node& n = *s.value;
    if (!may_join(s)) {
      store_alone(s, apart);
      continue;
    }
    if (s.target->writable && host::assign_at_once(*s.target, *s.value)) continue;
    if (run.size() == kMostParts || (!run.empty() && !(run[0].value->shape == n.shape))) end_run();
    run.push_back(s);
  }
  end_run();
}

}  // namespace devarray
