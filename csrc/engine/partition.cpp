#include "engine/partition.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/config.hpp"
#include "engine/expression.hpp"
#include "engine/kept_launch.hpp"
#include "engine/launch.hpp"
#include "engine/plan.hpp"
#include "engine/repeats.hpp"
#include "engine/steps.hpp"

namespace devarray {
namespace {

using Graph = std::vector<NodeRef>;

bool alike(const Node& a, const Node& b) {
  return !a.is_of_another() && a.place->queue == b.place->queue && a.shape == b.shape;
}

/// Nodes in the order in which they were recorded. Most of a graph was recorded in one go: each node then has a place
/// of its own among as many as there are serial numbers, but for those that repeat an operation in several views.
Graph by_age(std::vector<Node*> nodes) {
  const auto older = [](const Node* a, const Node* b) { return a->serial < b->serial; };
  const auto [oldest, youngest] = std::minmax_element(nodes.begin(), nodes.end(), older);
  const std::uint64_t first = (*oldest)->serial, numbers = (*youngest)->serial - first + 1;
  std::vector<Node*> places(numbers > 8 * nodes.size() ? 0 : numbers, nullptr);
  bool alone = !places.empty();
  for (Node* n : nodes) {
    if (!alone) break;
    Node*& place = places[n->serial - first];
    alone = !place;
    place = n;
  }
  if (!alone) {
    std::stable_sort(nodes.begin(), nodes.end(), older);
    return Graph(nodes.begin(), nodes.end());
  }
  Graph graph;
  graph.reserve(nodes.size());
  for (Node* n : places)
    if (n) graph.emplace_back(n);
  return graph;
}

/// The root, what is below it, and what shares values with that, oldest first.
Graph connected(Node& root) {
  const std::uint64_t epoch = Node::new_epoch();
  std::vector<Node*> found;
  const auto add = [&](Node* n) {
    if (!n->is_pending() || n->epoch == epoch || !alike(*n, root)) return;
    n->epoch = epoch;
    found.push_back(n);
  };
  add(&root);
  for (std::size_t i = 0; i < found.size(); ++i)
    for (int k = 0; k < found[i]->arity; ++k) add(found[i]->inputs[k].node.get());
  for (std::size_t i = 0; i < found.size() && found.size() < kMaxConnected; ++i) {
    for (int k = 0; k < found[i]->arity; ++k) add(found[i]->inputs[k].node.get());
    for (Node::Input* c = found[i]->consumers; c; c = c->next) add(c->consumer);
  }
  return by_age(std::move(found));
}

/// Leaves out what cannot be evaluated with the rest: where an input is pending and no part of it, and where nothing
/// will ever read the value but the function that is just using it.
void leave_out(Graph& graph, const Node& root, bool with_root) {
  const std::uint64_t epoch = Node::new_epoch();
  Graph kept;
  for (NodeRef& n : graph) {
    bool ready = with_root || n.get() != &root;
    ready &= n.get() == &root || n->owners > 0 || n->consumers;
    for (int k = 0; k < n->arity && ready; ++k) {
      const Node& in = *n->inputs[k].node;
      ready = !in.is_pending() || in.epoch == epoch;
    }
    if (!ready) continue;
    n->epoch = epoch;
    kept.push_back(std::move(n));
  }
  graph = std::move(kept);
}

/// What a kernel of the first nodes of a graph would hold, one node after the other.
class Prefix {
 public:
  Prefix(const Graph& graph, const Node& root) : graph_(graph), epoch_(Node::new_epoch()), last_use_(graph.size(), -1) {
    outside_.resize(graph.size(), false);
    for (std::size_t i = 0; i < graph.size(); ++i) {
      graph[i]->epoch = epoch_;
      graph[i]->id = static_cast<std::uint16_t>(i);
    }
    for (std::size_t i = 0; i < graph.size(); ++i) {
      const Node& n = *graph[i];
      outside_[i] = n.owners > 0 || &n == &root;
      for (Node::Input* c = n.consumers; c; c = c->next) {
        if (c->consumer->epoch == epoch_)
          last_use_[i] = std::max<int>(last_use_[i], c->consumer->id);
        else
          outside_[i] = true;
      }
    }
    number_scalars();
    weigh();
  }

  /// Takes the next node in.
  void extend() {
    const int at = size_++;
    Node& n = *graph_[static_cast<std::size_t>(at)];
    weight_ += weights_[static_cast<std::size_t>(at)];
    for (int k = 0; k < n.arity; ++k) {
      Node& in = *n.inputs[k].node;
      if (in.is_pending()) {
        if (last_use_[in.id] != at || read_again(n, k)) continue;
        live_ -= in.itemsize();
        if (!outside_[in.id]) remove_output(in);
      } else if (in.epoch != epoch_) {
        in.epoch = epoch_;
        if (in.is_leaf()) {
          ++leaves_;
          read_ += in.itemsize();
          if (in.shifts) slots_ += n.shape.size();
        } else if (scalar_list_.empty() || !std::exchange(scalar_read_[in.id], 1)) {
          ++scalars_;
          slots_ += in.dtype == DType::complex128 ? 2 : 1;
        }
      }
    }
    if (last_use_[n.id] > at) live_ += n.itemsize();
    if (outside_[n.id] || last_use_[n.id] > at) {
      ++outputs_;
      written_ += n.itemsize();
    }
  }

  /// What it has too much of, and any longer one, too.
  Excess final_excess() const {
    if (weight_ > kMaxNodes) return {Limit::nodes, weight_, kMaxNodes};
    if (leaves_ > kMaxLeaves) return {Limit::leaves, leaves_, kMaxLeaves};
    if (scalars_ > kMaxScalars) return {Limit::scalars, scalars_, kMaxScalars};
    return {};
  }
  /// What it has too much of, and a longer one may not.
  Excess excess() const {
    if (live_ > kMaxLiveBytes) return {Limit::live_bytes, live_, kMaxLiveBytes};
    if (outputs_ > kMaxExtraOutputs + 1) return {Limit::extra_outputs, outputs_ - 1, kMaxExtraOutputs};
    const Node& n = *graph_[0];
    return parameter_excess(static_cast<std::size_t>(leaves_ + outputs_), n.shape.size(), slots_, *n.place->device);
  }
  /// Bytes an element and operation: read, written, read again, and the launch.
  double cost() const {
    const double launch = kLaunchBytes / static_cast<double>(graph_[0]->size());
    return (static_cast<double>(read_ + 2 * written_) + std::min(launch, 64.0)) / size_;
  }

 private:
  /// GPUs' kernels of many operations take equal scalars once.
  void number_scalars() {
    const Strategy strategy = graph_[0]->place->device->strategy();
    if (strategy != Strategy::gpu || graph_.size() < repeats_from(strategy)) return;
    for (const NodeRef& n : graph_)
      for (int k = 0; k < n->arity; ++k)
        if (Node* in = n->inputs[k].node.get(); in->state == NodeState::scalar) scalar_list_.push_back(in);
    const std::vector<std::uint16_t> equal = equal_scalars(scalar_list_);
    for (std::size_t i = 0; i < scalar_list_.size(); ++i) scalar_list_[i]->id = equal[i];
    scalar_read_.resize(scalar_list_.size(), 0);
  }
  /// What each node adds to the kernel's text: on GPUs nothing, where it repeats a step.
  void weigh() {
    int total = 0;
    for (const NodeRef& n : graph_) {
      weights_.push_back(weight_of(n->op));
      total += weights_.back();
    }
    if (total <= kMaxNodes || graph_[0]->place->device->strategy() != Strategy::gpu) return;
    std::vector<Node*> nodes;
    for (const NodeRef& n : graph_) nodes.push_back(n.get());
    weights_ = weights_of_steps(nodes, outside_);
  }
  static bool read_again(const Node& n, int k) {
    for (int later = k + 1; later < n.arity; ++later)
      if (n.inputs[later].node == n.inputs[k].node) return true;
    return false;
  }
  void remove_output(const Node& n) {
    --outputs_;
    written_ -= n.itemsize();
  }

  const Graph& graph_;
  const std::uint64_t epoch_;
  std::vector<int> last_use_;  ///< number of the last node of the graph that reads a value, -1 where none does
  std::vector<int> weights_;
  std::vector<Node*> scalar_list_;  ///< the scalars, numbered by their values; empty: each is one
  std::vector<char> scalar_read_;   ///< by number
  std::vector<bool> outside_;       ///< whether an array, or what is no part of the graph, has or reads a value
  int size_ = 0, weight_ = 0, leaves_ = 0, scalars_ = 0, outputs_ = 0;
  std::size_t slots_ = 0;
  std::int64_t live_ = 0, read_ = 0, written_ = 0;
};

std::size_t cheapest(const Graph& graph, const Node& root, bool whole) {
  Prefix prefix(graph, root);
  std::size_t best = 1;
  double least = 0;
  CutReason reason;
  for (std::size_t n = 1; n <= graph.size(); ++n) {
    prefix.extend();
    reason.longest = prefix.final_excess();
    if (reason.longest) break;
    reason.longest = prefix.excess();
    if (reason.longest) continue;
    reason.fitting = n;
    if (whole && n == graph.size()) return n;
    reason.cost_of_longest = prefix.cost();
    if (n > 1 && least > 0 && reason.cost_of_longest > least) continue;
    least = reason.cost_of_longest;
    best = n;
  }
  if (Planner* const planner = Planner::current()) planner->note_cut(reason, graph.size(), best, least);
  return best;
}

/// Puts right what the rest still says of the nodes that are no longer pending.
void renumber(const Graph& graph) {
  for (const NodeRef& n : graph)
    if (n->is_pending()) n->renumber();
}

}  // namespace

bool evaluate_oldest(Node& root, Cut cut) {
  Graph graph = connected(root);
  leave_out(graph, root, cut != Cut::below_root);
  if (graph.empty()) return false;
  const std::size_t n = cheapest(graph, root, cut != Cut::anywhere);
  if (cut == Cut::nowhere && n < graph.size()) return false;
  Graph rest(graph.begin() + static_cast<std::ptrdiff_t>(n), graph.end());
  graph.resize(n);
  {
    if (PlanOf* const plan = PlanOf::current()) plan->note_rest(rest);
    ++root.owners;  // it is needed, whoever holds it
    Expression e(graph);
    --root.owners;
    ElementwiseLaunch launch(e, *graph[0]->place);
    // What the rest reads is wanted at once. A part that nothing reads was asked for, all of it.
    auto results = e.stored(&root, cut != Cut::nowhere);
    if (results.empty()) results = e.living();
    for (Node* living : results) launch.add_result(*living);
    launch.run();
  }
  graph.clear();
  renumber(rest);
  return true;
}

}  // namespace devarray
