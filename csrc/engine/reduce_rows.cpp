#include "engine/reduce_rows.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/config.hpp"
#include "engine/evaluate.hpp"
#include "engine/plan.hpp"
#include "engine/reduce_plan.hpp"
#include "engine/row_graph.hpp"
#include "engine/rows_launch.hpp"

namespace devarray {
namespace {

constexpr std::int64_t kLeastRow = 32;          ///< elements: shorter rows leave lanes idle
constexpr std::int64_t kMostRowBytes = 131072;  ///< that a compute unit's cache holds for the groups that run on it
constexpr std::int64_t kRowsOfAUnit = 4;        ///< for each compute unit: with fewer, several groups share a row
constexpr std::size_t kMostWaiting = 16;        ///< reductions: who looks for others looks at all of them
constexpr std::int64_t kSharedOnGpu = 4;        ///< of reductions of all elements, by the least bytes of rows
constexpr std::int64_t kComputedOnGpu = 4;      // of what is still to be computed, once for all

/// Whether all its elements are one row of a kernel.
bool is_vector(const Node& x) {
  const std::int64_t size = x.size();
  return size > 1 && size <= config().vector_elements && x.place->device->strategy() == Strategy::gpu;
}

bool is_exposed(const Node& x) { return x.is_leaf() && x.storage->exposed; }

}  // namespace

bool short_rows_wait(const Node& x, const Reduction& r) {
  const std::size_t ndim = x.shape.size();
  if (!config().deferred || is_arg(r.kind) || ndim < 2 || r.axes.size() != 1 || x.is_of_another()) return false;
  if (r.axes[0] != static_cast<std::int64_t>(ndim) - 1 || x.shape.back() < 2 || x.shape.back() > kMostHeldRow)
    return false;
  return x.place->device->strategy() == Strategy::gpu && x.nbytes() >= config().row_bytes && !is_exposed(x) &&
         (x.is_leaf() ? lies_by_rows(x.shape, x.strides) : x.by_rows);
}

bool reduction_waits(const Node& x, const Reduction& r) {
  const std::size_t ndim = x.shape.size();
  if (!config().deferred || r.at_once || is_arg(r.kind) || r.axes.empty() || x.is_of_another()) return false;
  const bool gpu = x.place->device->strategy() == Strategy::gpu;
  const std::int64_t bytes = x.nbytes(), least = config().row_bytes;
  if (is_exposed(x)) return false;
  if (r.axes.size() == ndim) {
    const std::int64_t large = !gpu             ? config().large_bytes() / kSharedOnCpu
                               : x.is_pending() ? least / kComputedOnGpu
                                                : kSharedOnGpu * least;
    return !is_vector(x) && bytes >= large;
  }
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

bool vector_waits(Node& x, const Reduction& r) {
  if (!config().deferred || is_arg(r.kind) || r.axes.size() != x.shape.size() || !is_vector(x) || x.is_of_another() ||
      is_exposed(x))
    return false;
  if (x.is_pending() && x.of_vector && reductions_below(x) >= kMostRowSteps) evaluate(x);
  return x.is_leaf() ? lies_by_rows(x.shape, x.strides) : x.by_rows;
}

NodeRef equal_reduction(const NodeRef& x, const Reduction& r, const Dims& shape, DType result) {
  for (Node* n : waiting_reductions) {
    const Reduction& other = *n->reduction;
    if (n->inputs[0].node == x && n->dtype == result && other.kind == r.kind && other.axes == r.axes &&
        other.dtype == r.dtype && other.post == r.post && n->size() == 1)
      return Node::pending_view(NodeRef(n), shape, c_strides(shape, 1), 0, false);
  }
  return {};
}

NodeRef waiting_reduction(const NodeRef& x, const Reduction& r, const Dims& shape, DType result) {
  const bool whole = r.axes.size() == x->shape.size();
  Dims kept = x->shape;
  for (const std::int64_t axis : r.axes) kept[static_cast<std::size_t>(axis)] = 1;
  Reduction own = r;
  own.dying = nullptr;
  own.keepdims |= !whole;
  NodeRef n = Node::pending_reduction(x, own.keepdims ? kept : shape, result, own);
  n->of_vector |= whole && is_vector(*x);
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
  const std::optional<ReducedGraph> graph = rows_below(root);
  return graph && launch_reduced(*graph, root);
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
      if (at.reduction || at.join) found = &at;
      for (int i = 0; i < at.arity; ++i) stack.push_back(at.inputs[i].node.get());
    }
    if (!found) return;
    evaluate(*found);
  }
}

}  // namespace devarray
