#include "engine/reduce_rows.hpp"

#include <algorithm>
#include <utility>

#include "engine/config.hpp"
#include "engine/evaluate.hpp"
#include "engine/plan.hpp"
#include "engine/rows_launch.hpp"

namespace devarray {
namespace {

constexpr std::int64_t kLeastRow = 32;          ///< elements: shorter rows leave lanes idle
constexpr std::int64_t kMostRowBytes = 131072;  ///< that a compute unit's cache holds for the groups that run on it
constexpr std::int64_t kRowsOfAUnit = 4;        ///< for each compute unit: with fewer, several groups share a row
constexpr std::size_t kMostSteps = 4;
constexpr std::size_t kMostWaiting = 16;  ///< reductions: who looks for others looks at all of them
// Of reductions of all elements, by the least bytes of rows. On CPUs each launch costs more than a plan.
constexpr std::int64_t kSharedOnGpu = 4, kSharedOnCpu = 8;

bool is_exposed(const Node& x) { return x.is_leaf() && x.storage->exposed; }

/// The pending values that one kernel of rows computes, each behind what it is computed from.
class RowGraph {
 public:
  /// False where there is something else among them.
  bool collect(Node& root) { return find_space(root) && add(root); }

  ReducedGraph graph() && { return {std::move(nodes_), space_, kept_, first_->reduction->axes.size(), false}; }
  std::size_t steps() const {
    return static_cast<std::size_t>(
        std::count_if(nodes_.begin(), nodes_.end(), [](const NodeRef& n) { return n->reduction != nullptr; }));
  }

 private:
  /// The first reduction tells the shapes of all.
  bool find_space(Node& root) {
    const std::uint64_t epoch = Node::new_epoch();
    SmallVector<Node*, 32> stack{&root};
    root.epoch = epoch;
    while (!stack.empty()) {
      Node& n = *stack.back();
      stack.pop_back();
      if (n.is_pending_reduction()) {
        first_ = &n;
        space_ = n.inputs[0].node->shape;
        kept_ = n.shape;
        epoch_ = Node::new_epoch();
        return n.reduction->axes.size() < space_.size();
      }
      for (int i = 0; i < n.arity; ++i) {
        Node& in = *n.inputs[i].node;
        if (!in.is_pending() || in.epoch == epoch) continue;
        in.epoch = epoch;
        stack.push_back(&in);
      }
    }
    return false;
  }

  bool add(Node& n) {
    if (n.epoch == epoch_) return true;
    if (n.is_pending_view || n.place->queue != first_->place->queue ||
        nodes_.size() >= 4 * static_cast<std::size_t>(kMaxLeaves))
      return false;
    const bool fits = n.is_pending_reduction() ? n.inputs[0].node->shape == space_ && n.shape == kept_
                                               : n.shape == space_ || n.shape == kept_;
    if (!fits) return false;
    n.epoch = epoch_;
    for (int i = 0; i < n.arity; ++i) {
      read_whole(n, i);
      Node& in = *n.inputs[i].node;
      if (in.is_pending() && !add(in)) return false;
      if (in.is_leaf() && (in.shifts || !lies_by_rows(in.shape, in.strides))) return false;
    }
    nodes_.emplace_back(&n);
    return true;
  }

  /// A view of a reduction's result that has the shape of the result, as `x.sum(1)[:, None]`, is the result.
  static void read_whole(Node& n, int input) {
    const NodeRef view = n.inputs[input].node;
    if (!view->is_pending_view) return;
    const NodeRef base = view->inputs[0].node;
    if (!base->is_pending_reduction() || !(view->shape == base->shape) || view->offset != 0) return;
    const Dims steps = c_strides(base->shape, 1);
    for (std::size_t axis = 0; axis < steps.size(); ++axis)
      if (base->shape[axis] > 1 && view->strides[axis] != steps[axis]) return;
    n.replace_input(input, base);
  }

  const Node* first_ = nullptr;
  Dims space_, kept_;
  std::uint64_t epoch_ = 0;
  std::vector<NodeRef> nodes_;
};

}  // namespace

bool reduction_waits(const Node& x, const Reduction& r) {
  const std::size_t ndim = x.shape.size();
  if (!config().deferred || is_arg(r.kind) || r.axes.empty() || x.is_of_another()) return false;
  const bool gpu = x.place->device->strategy() == Strategy::gpu;
  const std::int64_t bytes = x.nbytes(), least = config().row_bytes;
  if (is_exposed(x)) return false;
  if (r.axes.size() == ndim) return gpu ? bytes / kSharedOnGpu >= least : bytes >= least / kSharedOnCpu;
  if (!gpu || bytes < least) return false;
  std::int64_t row = 1;
  for (std::size_t axis = ndim - r.axes.size(); axis < ndim; ++axis) {
    if (std::find(r.axes.begin(), r.axes.end(), static_cast<std::int64_t>(axis)) == r.axes.end()) return false;
    row *= x.shape[axis];
  }
  const auto units = static_cast<std::int64_t>(std::max<std::size_t>(x.place->device->caps().compute_units, 1));
  return row >= kLeastRow && row * x.itemsize() <= kMostRowBytes && x.size() / row >= kRowsOfAUnit * units &&
         (x.is_leaf() ? lies_by_rows(x.shape, x.strides) : x.by_rows);
}

NodeRef waiting_reduction(const NodeRef& x, const Reduction& r, const Dims& shape, DType result) {
  const bool whole = r.axes.size() == x->shape.size();
  Dims kept = x->shape;
  for (const std::int64_t axis : r.axes) kept[static_cast<std::size_t>(axis)] = 1;
  Reduction own = r;
  own.keepdims |= !whole;
  NodeRef n = Node::pending_reduction(x, own.keepdims ? kept : shape, result, own);
  if (keeping_lines()) [[unlikely]]
    n->line = current_line();
  if (!r.keepdims && !whole) {
    n = Node::pending_view(n, shape, c_strides(shape, 1), 0, true);
    n->is_view = false;  // nothing else has its memory
  }
  if (too_much_pending()) evaluate(*n);
  while (waiting_reductions.size() > kMostWaiting) evaluate(*NodeRef(waiting_reductions.front()));
  return n;
}

bool evaluate_rows(Node& root) {
  if (Planner::current()) return false;
  RowGraph rows;
  if (!rows.collect(root) || rows.steps() > kMostSteps) return false;
  return launch_reduced(std::move(rows).graph(), root);
}

void evaluate_reductions_below(Node& n) {
  for (;;) {
    if (!n.is_pending()) return;
    const std::uint64_t epoch = Node::new_epoch();
    SmallVector<Node*, 32> stack{&n};
    Node* found = nullptr;
    while (!stack.empty() && !found) {
      Node& at = *stack.back();
      stack.pop_back();
      if (!at.is_pending() || at.epoch == epoch) continue;
      at.epoch = epoch;
      if (at.reduction) found = &at;
      for (int i = 0; i < at.arity; ++i) stack.push_back(at.inputs[i].node.get());
    }
    if (!found) return;
    evaluate(*found);
  }
}

}  // namespace devarray
