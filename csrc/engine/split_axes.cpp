#include "engine/split_axes.hpp"

#include <algorithm>
#include <optional>

#include "engine/evaluate.hpp"
#include "engine/pending_views.hpp"
#include "engine/plan.hpp"
#include "engine/survey.hpp"

namespace devarray {
namespace {

/// The sizes that one axis becomes, the outer one first.
using Sizes = Dims;

/// How an axis of a view is split for each part to step along one axis of the value. Nothing where that is not
/// possible.
std::optional<Sizes> split_axis(const Dims& shape, const Dims& steps, std::int64_t size, std::int64_t stride) {
  Sizes found;
  while (size > 1 && stride != 0) {
    if (stride < 0) return {};
    std::size_t axis = 0;
    while (shape[axis] == 1 || steps[axis] > stride) ++axis;
    if (stride % steps[axis] != 0) return {};
    const std::int64_t step = stride / steps[axis];
    if (step * (size - 1) < shape[axis]) break;
    const std::int64_t inner = shape[axis] / step;
    if (shape[axis] % step != 0 || inner < 2 || size % inner != 0) return {};
    found.insert(0, inner);
    size /= inner;
    stride *= inner;
  }
  found.insert(0, size);
  return found;
}

/// A graph of operations of one shape, over axes that are split.
class Split {
 public:
  explicit Split(Node& root) : root_(root), parts_(root.shape.size()), epoch_(Node::new_epoch()) {}

  /// Whether a view below the root asks for it, and all of the graph can be computed so.
  bool find() {
    constexpr std::size_t kMostNodes = 64;
    SmallVector<Node*, 32> stack{&root_};
    root_.epoch = epoch_;
    std::vector<Node*> nodes{&root_};
    std::vector<NodeRef> views;
    while (!stack.empty()) {
      Node& n = *stack.back();
      stack.pop_back();
      if (has_flag(n.op, Op::indexed) || nodes.size() > kMostNodes) return false;
      for (int i = 0; i < n.arity; ++i) {
        Node& in = *n.inputs[i].node;
        if (in.is_leaf() && !in.is_read_in_place()) return false;
        if (!in.is_pending() || in.epoch == epoch_) continue;
        in.epoch = epoch_;
        if (in.is_pending_view) {
          views.emplace_back(&in);
          continue;
        }
        if (in.is_of_another() || !(in.shape == root_.shape)) {
          others_.emplace_back(&in);
          continue;
        }
        nodes.push_back(&in);
        stack.push_back(&in);
      }
    }
    for (const Node* n : nodes)
      if (n != &root_ && is_wanted(*n)) return false;
    return std::all_of(views.begin(), views.end(), [&](const NodeRef& view) { return ask(*view); }) && any_ &&
           root_.is_pending();
  }

  /// What is pending below, has another shape and is no view.
  const std::vector<NodeRef>& others() const { return others_; }

  NodeRef made() {
    for (std::size_t axis = 0; axis < parts_.size(); ++axis) {
      if (parts_[axis].empty()) parts_[axis] = {root_.shape[axis]};
      for (const std::int64_t size : parts_[axis]) shape_.push_back(size);
    }
    epoch_ = Node::new_epoch();
    return operation(root_);
  }

 private:
  /// By an array, or by what is no part of the graph.
  bool is_wanted(const Node& n) const {
    if (n.owners > 0) return true;
    for (const Node::Input* c = n.consumers; c; c = c->next)
      if (c->consumer->epoch != epoch_ || c->consumer->is_pending_view) return true;
    return false;
  }

  /// Notes how a view wants its axes split, where its value would have to be stored for it. False where they cannot be.
  bool ask(Node& view) {
    constexpr int kMostWeight = 8;  // done again for each repeated element
    if (!view.is_pending()) return true;
    Node& base = *view.inputs[0].node;
    if (!view.joins_axes || base.is_of_another() || !(view.shape == root_.shape)) return true;
    evaluate_what_differs(base, base.shape);
    if (!base.is_pending()) return true;
    const Survey found = survey(base);
    if (!found.movable || views_can_be_made(found, base, view)) return true;
    if (found.weight > kMostWeight || found.bytes > static_cast<std::uint64_t>(base.nbytes())) return true;
    const Dims steps = c_strides(base.shape, 1);
    for (std::size_t axis = 0; axis < parts_.size(); ++axis) {
      const auto sizes = split_axis(base.shape, steps, view.shape[axis], view.strides[axis]);
      if (!sizes) return false;
      if (sizes->size() < 2) continue;
      if (!parts_[axis].empty() && !(parts_[axis] == *sizes)) return false;
      parts_[axis] = *sizes;
      any_ = true;
    }
    return true;
  }

  Dims split(const Dims& shape, const Dims& strides) const {
    const Dims whole = broadcast_strides(shape, strides, root_.shape);
    Dims out;
    for (std::size_t axis = 0; axis < parts_.size(); ++axis) {
      std::int64_t inner = parts_[axis].empty() ? 1 : element_count(parts_[axis]);
      for (const std::int64_t size : parts_[axis]) {
        inner = size == 0 ? inner : inner / size;
        out.push_back(whole[axis] * inner);
      }
    }
    return out;
  }

  NodeRef operand(Node& n) {
    if (n.is_pending() && !n.is_of_another() && n.shape == root_.shape) return operation(n);
    if (n.state == NodeState::scalar || n.shape.empty()) return NodeRef(&n);
    const Dims strides = split(n.shape, n.strides);
    return noted(n.is_pending() ? Node::pending_view(n.inputs[0].node, shape_, strides, n.offset, false)
                                : Node::view(n, n.dtype, shape_, strides, n.offset),
                 n);
  }

  NodeRef operation(Node& n) {
    if (n.epoch == epoch_) return made_[n.id];
    NodeRef in[3];
    for (int i = 0; i < n.arity; ++i) in[i] = operand(*n.inputs[i].node);
    made_.push_back(noted(Node::repeated_operation(n, shape_, in), n));
    n.epoch = epoch_;
    n.id = static_cast<std::uint16_t>(made_.size() - 1);
    return made_.back();
  }

  static NodeRef noted(NodeRef made, const Node& of) {
    if (Planner* const planner = Planner::current()) planner->note_copy(*made, of);
    return made;
  }

  Node& root_;
  std::vector<Sizes> parts_;  ///< of each axis; empty where nothing was asked
  Dims shape_;
  std::uint64_t epoch_;
  std::vector<NodeRef> made_, others_;
  bool any_ = false;
};

}  // namespace

bool evaluate_split(Node& n) {
  if (n.is_of_another() || !n.by_rows || n.place->device->strategy() != Strategy::gpu) return false;
  Split split(n);
  if (!split.find()) return !n.is_pending();
  if (!split.others().empty()) {
    for (const NodeRef& other : split.others()) evaluate(*other);
    return !n.is_pending() || evaluate_split(n);
  }
  const NodeRef made = split.made();
  // Whatever happens to `made`, the value is what that one is; what it was computed from before asks for nothing.
  n.become_copy_of(view_of_pending(made, n.shape, {c_strides(n.shape, 1), 0}));
  evaluate(*made);
  if (n.is_pending()) n.materialize(made->storage, c_strides(n.shape, n.itemsize()), made->offset);
  return true;
}

}  // namespace devarray
