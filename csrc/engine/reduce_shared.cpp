// Reductions of all elements that wait for each other, and what waiting ones keep.
#include <algorithm>
#include <utility>

#include "engine/config.hpp"
#include "engine/evaluate.hpp"
#include "engine/lock.hpp"
#include "engine/pending_views.hpp"
#include "engine/plan.hpp"
#include "engine/reduce_rows.hpp"
#include "engine/rows_launch.hpp"

namespace devarray {
namespace {

constexpr std::size_t kMostShared = 8;  ///< reductions in one kernel
constexpr std::size_t kMostSharedNodes = 64;

bool is_whole(const Node& n) { return n.reduction->axes.size() == n.inputs[0].node->shape.size(); }

/// Values of one space, and reductions of all their elements.
class SharedGraph {
 public:
  /// False where the root, or what it is computed from, is something else.
  bool begin(Node& root) {
    epoch_ = Node::new_epoch();
    queue_ = root.place->queue.get();
    if (root.reduction && (!is_whole(root) || root.over_reduction)) return false;
    graph_.space = root.reduction ? root.inputs[0].node->shape : root.shape;
    graph_.axes = graph_.space.size();
    graph_.shared = true;
    return add_with_inputs(root);
  }

  /// Takes a reduction in that reads mostly what the others read. Whether it did.
  bool join(Node& n) {
    if (n.epoch == epoch_ || !is_whole(n) || n.over_reduction || n.place->queue.get() != queue_ ||
        !(n.inputs[0].node->shape == graph_.space) || steps_ == kMostShared)
      return false;
    const std::size_t nodes = graph_.nodes.size(), storages = storages_.size();
    const std::uint64_t before = std::exchange(common_, 0), fresh = std::exchange(fresh_, 0);
    if (add_with_inputs(n) && common_ > 0 && fresh_ <= common_) {
      fresh_ += fresh;
      return true;
    }
    for (std::size_t i = nodes; i < graph_.nodes.size(); ++i) graph_.nodes[i]->epoch = 0;
    graph_.nodes.resize(nodes);
    storages_.resize(storages);
    common_ = before;
    fresh_ = fresh;
    return false;
  }

  const ReducedGraph& graph() const { return graph_; }

 private:
  bool add_with_inputs(Node& n) {
    if (!add_below(n)) return false;
    steps_ += n.reduction != nullptr;
    return true;
  }

  bool add_below(Node& n) {
    if (n.epoch == epoch_) {
      common_ += static_cast<std::uint64_t>(n.inputs[0].node->nbytes());
      return true;
    }
    const bool fits = n.reduction ? n.inputs[0].node->shape == graph_.space : n.shape == graph_.space;
    if (n.is_pending_view || !fits || n.place->queue.get() != queue_ || graph_.nodes.size() == kMostSharedNodes)
      return false;
    n.epoch = epoch_;
    for (int i = 0; i < n.arity; ++i)
      if (!add_input(*n.inputs[i].node)) {
        n.epoch = 0;  // it is no part of the graph, whoever reads it next
        return false;
      }
    graph_.nodes.emplace_back(&n);
    return true;
  }

  bool add_input(Node& in) {
    if (in.is_leaf()) return add_leaf(in);
    return !in.is_pending() || (!in.reduction && add_below(in));
  }

  bool add_leaf(Node& leaf) {
    const auto bytes = static_cast<std::uint64_t>(leaf.nbytes());
    const bool known = std::find(storages_.begin(), storages_.end(), leaf.storage.get()) != storages_.end();
    (known ? common_ : fresh_) += bytes;
    if (!known) storages_.push_back(leaf.storage.get());
    return leaf.is_read_in_place();
  }

  ReducedGraph graph_;
  const Queue* queue_ = nullptr;
  std::uint64_t epoch_ = 0;
  std::size_t steps_ = 0;
  std::vector<const Storage*> storages_;
  std::uint64_t common_ = 0, fresh_ = 0;  ///< bytes read, of memory that was read before and of other
};

/// Whether large pending values that arrays hold are computed from the reduction: they need what it reads, too.
bool is_used_by_large(Node& n) {
  constexpr std::size_t kMost = 64;
  const std::uint64_t epoch = Node::new_epoch();
  std::vector<Node*> found{&n};
  n.epoch = epoch;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found.size() > kMost) return true;
    if (found[i]->owners > 0 && found[i]->nbytes() >= config().large_bytes()) return true;
    for (const Node::Input* c = found[i]->consumers; c; c = c->next) {
      if (c->consumer->epoch == epoch) continue;
      c->consumer->epoch = epoch;
      found.push_back(c->consumer);
    }
  }
  return false;
}

/// Whether another reduction that waits is one of the same values.
bool reads_with_another(const Node& n) {
  return n.reduction && std::any_of(waiting_reductions.begin(), waiting_reductions.end(), [&](const Node* other) {
           return other != &n && other->inputs[0].node == n.inputs[0].node;
         });
}

/// Whether it reads large memory that no array has any more.
bool keeps_memory(Node& n) {
  constexpr std::size_t kMost = 128;
  const std::uint64_t epoch = Node::new_epoch();
  std::vector<Node*> found{&n};
  n.epoch = epoch;
  for (std::size_t i = 0; i < found.size() && found.size() <= kMost; ++i)
    for (int k = 0; k < found[i]->arity; ++k) {
      Node& in = *found[i]->inputs[k].node;
      if (in.epoch == epoch) continue;
      in.epoch = epoch;
      if (in.is_pending()) found.push_back(&in);
      if (!in.is_leaf() || static_cast<std::int64_t>(in.storage->block->size) < config().large_bytes()) continue;
      bool held = false;
      for (const Node* view = in.storage->views; view; view = view->next) held |= view->owners > 0;
      if (!held) return true;
    }
  return false;
}

/// True while it lives.
class Flagged {
 public:
  explicit Flagged(bool& flag) : flag_(flag) { flag_ = true; }
  ~Flagged() { flag_ = false; }
  Flagged(const Flagged&) = delete;
  Flagged& operator=(const Flagged&) = delete;

 private:
  bool& flag_;
};

/// Views below are settled before the graph is taken. False where that evaluates the root.
bool settle_views(Node& root) {
  const auto settle = [](Node& n) {
    const NodeRef x(n.reduction ? n.inputs[0].node : NodeRef(&n));
    if (x->is_pending() && !x->is_of_another()) evaluate_what_differs(*x, x->shape);
  };
  if (reads_with_another(root)) settle(root);
  if (!root.is_pending()) return false;
  static bool settling = false;  // under the engine's lock; values below may be evaluated, which get here again
  if (settling || root.over_reduction || root.place->device->strategy() == Strategy::cpu) return true;
  if (root.reduction && !is_whole(root)) return true;
  const Dims space = root.reduction ? root.inputs[0].node->shape : root.shape;
  std::vector<NodeRef> others;
  for (Node* n : waiting_reductions)
    if (n != &root && is_whole(*n) && !n->over_reduction && n->inputs[0].node->shape == space) others.emplace_back(n);
  if (others.empty()) return true;
  const Flagged flagged(settling);
  settle(root);
  for (const NodeRef& n : others)
    if (n->is_pending()) settle(*n);
  return root.is_pending();
}

}  // namespace

bool evaluate_shared(Node& root) {
  const bool cpu = root.place->device->strategy() == Strategy::cpu;
  const std::int64_t least = cpu ? config().large_bytes() / kSharedOnCpu : config().row_bytes;
  if (Planner::current() || (!root.reduction && root.nbytes() < least)) return false;
  if (!settle_views(root)) return true;
  SharedGraph shared;
  if (!shared.begin(root)) return false;
  bool any = false;
  for (Node* n : waiting_reductions) any |= n != &root && shared.join(*n);
  return any && launch_reduced(shared.graph(), root);
}

void launch_what_keeps_memory() {
  if (EngineLock::held()) return;
  for (std::size_t i = waiting_reductions.size(); i-- > 0;) {  // the last ones take others in
    if (i >= waiting_reductions.size()) continue;
    Node& n = *waiting_reductions[i];
    if (!keeps_memory(n) || is_used_by_large(n)) continue;
    try {
      evaluate(n);
    } catch (const Error&) {  // it stays pending, and whoever asks for it is told
    }
  }
}

}  // namespace devarray
