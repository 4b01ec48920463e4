#include "engine/row_graph.hpp"

#include <algorithm>

#include "engine/config.hpp"
#include "engine/reduce.hpp"

namespace devarray {
namespace {

constexpr std::size_t kMostRowValues = 32;  ///< that have lost the reduced axes

/// The pending values that one kernel of rows computes, each behind what it is computed from.
class RowGraph {
 public:
  /// False where there is something else among them.
  bool collect(Node& root) {
    if (!find_space(root)) return false;
    const NodeRef made = !vector_ && root.shape == dropped_ ? with_axes(root) : NodeRef(&root);
    if (!made || !add(*made)) return false;
    note_views();
    return true;
  }

  ReducedGraph graph() && {
    return {std::move(nodes_), space_, kept_, first_->reduction->axes.size(), vector_, false, std::move(row_values_)};
  }
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
        const std::size_t axes = n.reduction->axes.size();
        for (std::size_t axis = 0; axis + axes < space_.size(); ++axis) dropped_.push_back(kept_[axis]);
        epoch_ = Node::new_epoch();
        vector_ = axes == space_.size();
        return !vector_ || n.of_vector;
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
    if (n.is_pending_view || n.is_pending_join() || n.place->queue != first_->place->queue ||
        nodes_.size() >= 4 * static_cast<std::size_t>(kMaxLeaves))
      return false;
    const bool fits = n.is_pending_reduction() ? n.inputs[0].node->shape == space_ && is_of_row(n)
                                               : n.shape == space_ || is_of_row(n);
    if (!fits || (n.reduction && is_deviation(n.reduction->kind))) return false;
    n.epoch = epoch_;
    for (int i = 0; i < n.arity; ++i) {
      read_whole(n, i);
      Node& in = *n.inputs[i].node;
      if (in.is_pending() && !add(in)) return false;
      if (in.is_leaf() && (!in.is_read_in_place() || !lies_by_rows(in.shape, in.strides))) return false;
    }
    nodes_.emplace_back(&n);
    return true;
  }

  /// Of a vector's values, some have its axes, of size 1, and some have none.
  bool is_of_row(const Node& n) const {
    return n.shape == kept_ || (vector_ && n.size() == 1 && n.shape.size() <= space_.size());
  }

  /// A view that has an element for each row, as `x.sum(1)[:, None]`, is what it is a view of, with the reduced axes.
  void read_whole(Node& n, int input) {
    const NodeRef view = n.inputs[input].node;
    if (!view->is_pending_view || !is_of_row(*view) || !shows_all(*view)) return;
    const NodeRef& base = view->inputs[0].node;
    if (const NodeRef made = is_of_row(*base) ? base : with_axes(*base)) n.replace_input(input, made);
  }

  /// A reduction's result is wanted outside where a view of it is, not because there is one.
  void note_views() {
    for (const NodeRef& n : nodes_)
      for (const Node::Input* c = n->reduction ? n->consumers : nullptr; c; c = c->next) {
        Node& view = *c->consumer;
        if (view.is_pending_view && shows_all(view)) row_values_.push_back({NodeRef(&view), n});
      }
  }

  /// Whether a view's elements are those of its base, in their order.
  static bool shows_all(const Node& view) {
    const Dims steps = c_strides(view.shape, 1);
    for (std::size_t axis = 0; axis < steps.size(); ++axis)
      if (view.shape[axis] > 1 && view.strides[axis] != steps[axis]) return false;
    return view.offset == 0 && view.size() == view.inputs[0].node->size();
  }

  /// A value that has lost the reduced axes, with them again; null where it is more than operations on such values.
  NodeRef with_axes(Node& n) {
    if (n.state == NodeState::scalar) return NodeRef(&n);
    if (n.is_leaf()) return leaf_with_axes(n);
    for (const RowValue& known : row_values_)
      if (known.value.get() == &n) return known.made;
    if (vector_ || n.is_pending_reduction() || !(n.shape == dropped_) || row_values_.size() == kMostRowValues)
      return nullptr;
    NodeRef made;
    if (n.is_pending_view) {
      const NodeRef& base = n.inputs[0].node;
      if (!base->is_pending_reduction() || !(base->shape == kept_) || !shows_all(n)) return nullptr;
      made = base;
    } else {
      NodeRef in[3];
      for (int i = 0; i < n.arity; ++i)
        if (!(in[i] = with_axes(*n.inputs[i].node))) return nullptr;
      made = Node::repeated_operation(n, kept_, in);
    }
    row_values_.push_back({NodeRef(&n), made});
    return made;
  }

  NodeRef leaf_with_axes(Node& n) const {
    if (n.reach) return nullptr;
    if (n.shape.empty()) return NodeRef(&n);
    if (n.shifts) return nullptr;
    Dims shape = n.shape, strides = n.strides;
    for (std::size_t axis = dropped_.size(); axis < space_.size(); ++axis) {
      shape.push_back(1);
      strides.push_back(0);
    }
    return Node::view(n, n.dtype, shape, strides, n.offset);
  }

  const Node* first_ = nullptr;
  Dims space_, kept_, dropped_;  ///< shapes: of values, of what a row has one of, and without the reduced axes
  bool vector_ = false;          ///< ReducedGraph::vector
  std::uint64_t epoch_ = 0;
  std::vector<NodeRef> nodes_;
  std::vector<RowValue> row_values_;
};

}  // namespace

bool ReducedGraph::is_of_row(const Node& n) const { return n.shape == kept || (vector && n.size() == 1); }

std::vector<NodeRef> ReducedGraph::values_of_rows() const {
  std::vector<NodeRef> values;
  for (const RowValue& r : row_values) values.push_back(r.value);
  return values;
}

void ReducedGraph::settle_row_values() const {
  for (const auto& [value, made] : row_values) {
    if (!value->is_pending() || !made->is_leaf() || value->is_pending_view) continue;
    const auto axes = static_cast<std::ptrdiff_t>(value->shape.size());
    value->materialize(made->storage, Dims(made->strides.begin(), made->strides.begin() + axes), made->offset);
  }
}

std::optional<ReducedGraph> rows_below(Node& root) {
  RowGraph rows;
  if (!rows.collect(root) || rows.steps() > kMostRowSteps) return std::nullopt;
  return std::move(rows).graph();
}

namespace {

/// The waiting reductions at and below a value.
SmallVector<Node*, 8> reductions_at(Node& root) {
  const std::uint64_t epoch = Node::new_epoch();
  SmallVector<Node*, 32> stack{&root};
  SmallVector<Node*, 8> found;
  root.epoch = epoch;
  while (!stack.empty()) {
    Node& n = *stack.back();
    stack.pop_back();
    if (n.is_pending_reduction()) found.push_back(&n);
    for (int i = 0; i < n.arity; ++i) {
      Node& in = *n.inputs[i].node;
      if (!in.is_pending() || in.epoch == epoch) continue;
      in.epoch = epoch;
      stack.push_back(&in);
    }
  }
  return found;
}

}  // namespace

bool reduces_shape(Node& n, const Dims& shape) {
  const SmallVector<Node*, 8> found = reductions_at(n);
  return std::any_of(found.begin(), found.end(), [&](const Node* r) { return r->inputs[0].node->shape == shape; });
}

std::size_t reductions_below(Node& n) { return reductions_at(n).size(); }

}  // namespace devarray
