#include "engine/steps.hpp"

#include <algorithm>
#include <cstdint>
#include <unordered_map>

#include "engine/partition.hpp"
#include "engine/repeats.hpp"

namespace devarray {
namespace {

/// Finds how long a graph's steps are, and what repeats.
class Steps {
 public:
  explicit Steps(std::span<Node* const> nodes) : nodes_(nodes) {
    std::vector<Node*> scalars;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      number_of_.emplace(nodes[i], i);
      for (int k = 0; k < nodes[i]->arity; ++k)
        if (Node* in = nodes[i]->inputs[k].node.get(); in->state == NodeState::scalar) scalars.push_back(in);
    }
    const std::vector<std::uint16_t> equal = equal_scalars(scalars);
    for (std::size_t i = 0; i < scalars.size(); ++i) number_of_.emplace(scalars[i], equal[i]);
  }

  /// The distance at which most operations come again, or 0.
  std::size_t period() const {
    constexpr std::size_t kAlike = 3;  // operations in a row by which a step is recognised
    std::unordered_map<std::uint64_t, std::size_t> seen, found;
    std::size_t best = 0;
    for (std::size_t i = 0; i + kAlike <= nodes_.size(); ++i) {
      std::uint64_t form = 0;
      for (std::size_t k = 0; k < kAlike; ++k) form = (form ^ form_of(i + k)) * 0x9E3779B97F4A7C15u;
      const auto [at, is_new] = seen.try_emplace(form, i);
      if (is_new) continue;
      const std::size_t distance = i - at->second;
      at->second = i;
      if (++found[distance] > (best ? found[best] : 0)) best = distance;
    }
    return best;
  }

  /// Whether a node does what the one `period` places before it does.
  bool repeats(std::size_t i, std::size_t period) const {
    const Node &n = *nodes_[i], &before = *nodes_[i - period];
    if (n.op != before.op || n.compute != before.compute || n.dtype != before.dtype || n.arity != before.arity)
      return false;
    for (int k = 0; k < n.arity; ++k)
      if (!reads_alike(*n.inputs[k].node, *before.inputs[k].node, period)) return false;
    return true;
  }

 private:
  bool is_inside(const Node& n) const { return n.is_pending() && number_of_.contains(&n); }
  std::size_t number_of(const Node& n) const { return number_of_.at(&n); }

  std::uint64_t form_of(std::size_t i) const {
    const Node& n = *nodes_[i];
    std::uint64_t form = n.op | static_cast<std::uint64_t>(n.compute) << 16 | static_cast<std::uint64_t>(n.dtype) << 24;
    for (int k = 0; k < n.arity; ++k) {
      const Node& in = *n.inputs[k].node;
      std::uint64_t read = in.is_leaf() ? 0 : std::uint64_t{1} << 32;
      if (is_inside(in)) read = i - number_of(in);
      if (in.state == NodeState::scalar) read |= number_of(in);
      form = (form ^ read) * 0xBF58476D1CE4E5B9u;
      form ^= form >> 29;
    }
    return form;
  }

  bool reads_alike(const Node& a, const Node& b, std::size_t period) const {
    if (&a == &b) return true;
    if (is_inside(a) && is_inside(b)) return number_of(a) == number_of(b) + period;
    if (a.state != b.state) return false;
    if (a.state == NodeState::scalar) return number_of(a) == number_of(b);
    return a.is_leaf() && a.storage == b.storage && a.offset == b.offset && a.strides == b.strides && !a.shifts &&
           !b.shifts && !a.reach == !b.reach;
  }

  const std::span<Node* const> nodes_;
  std::unordered_map<const Node*, std::size_t> number_of_;  ///< places of nodes; of scalars the same for equal ones
};

}  // namespace

std::vector<int> weights_of_steps(std::span<Node* const> nodes, const std::vector<bool>& kept) {
  std::vector<int> weights;
  weights.reserve(nodes.size());
  for (const Node* n : nodes) weights.push_back(weight_of(n->op));
  const Steps steps(nodes);
  const std::size_t period = steps.period();
  std::size_t first = 0;  // behind the last value that is kept
  for (std::size_t i = 0; i < nodes.size() && period > 0; ++i) {
    if (i >= first + period && steps.repeats(i, period)) weights[i] = 0;
    if (kept[i]) first = i + 1;
  }
  return weights;
}

bool may_end_early(const ExpressionSpec& body) {
  constexpr std::size_t kLeastTested = 10;  // LEAST_TESTED in loop_ends.py
  struct Choice {
    std::size_t steps = 0, period = 0;  ///< choices in a row, the distance from one to the next; none: no choice
  };
  if (body.nodes.size() < 2 * kLeastTested) return false;
  const std::size_t first = body.leaves.size() + body.scalars.size();
  std::vector<Choice> choices(body.nodes.size());
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const SpecNode& n = body.nodes[i];
    if (!has_flag(n.op, Op::first_is_bool)) continue;
    choices[i].steps = 1;
    for (int k = 1; k < n.nargs; ++k) {
      if (n.args[k] < first || !choices[n.args[k] - first].steps) continue;
      const Choice before = choices[n.args[k] - first];
      const std::size_t period = i - (n.args[k] - first);
      const std::size_t steps = before.period == period ? before.steps + 1 : 2;
      if (steps >= kLeastTested) return true;
      if (steps > choices[i].steps) choices[i] = {steps, period};
    }
  }
  return false;
}

}  // namespace devarray
