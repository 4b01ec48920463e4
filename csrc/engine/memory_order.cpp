#include "engine/memory_order.hpp"

#include "engine/pending_views.hpp"

namespace devarray {
namespace {

SmallVector<std::uint8_t, 8> c_order(std::size_t ndim) {
  SmallVector<std::uint8_t, 8> order;
  for (std::size_t i = 0; i < ndim; ++i) order.push_back(static_cast<std::uint8_t>(i));
  return order;
}

/// Strides of the leaves below a pending value, over its shape, where nothing below it has another shape. False where
/// an operand only fills an array.
bool collect_strides(Node& root, std::vector<Dims>& strides) {
  const std::uint64_t epoch = Node::new_epoch();
  SmallVector<Node*, 32> stack{&root};
  root.epoch = epoch;
  while (!stack.empty()) {
    const Node& n = *stack.back();
    stack.pop_back();
    if (fills(n)) return false;
    for (int i = 0; i < n.arity; ++i) {
      Node* in = n.inputs[i].node.get();
      if (in->state == NodeState::scalar || in->epoch == epoch) continue;
      in->epoch = epoch;
      if (in->is_leaf())
        strides.push_back(broadcast_strides(in->shape, in->strides, root.shape));
      else
        stack.push_back(in);
    }
  }
  return true;
}

}  // namespace

bool fills(const Node& n) {
  if (!n.is_pending() || n.shape.size() < 2) return false;
  for (int i = 0; i < n.arity; ++i)
    if (n.inputs[i].node->state != NodeState::scalar) return false;
  return true;
}

SmallVector<std::uint8_t, 8> order_of_axes(Node& x) {
  const std::size_t ndim = x.shape.size();
  if (x.is_pending() && x.by_rows) return c_order(ndim);
  if (x.is_pending()) evaluate_what_differs(x, x.shape);
  std::vector<Dims> strides;
  if (x.is_leaf())
    strides.push_back(x.strides);
  else if (!x.is_pending() || !collect_strides(x, strides))
    return c_order(ndim);
  std::vector<const Dims*> seen;
  for (const Dims& s : strides) seen.push_back(&s);
  return agreed_order(x.shape, seen);
}

}  // namespace devarray
