#include "engine/survey.hpp"

#include "engine/expression.hpp"
#include "engine/op.hpp"
#include "engine/partition.hpp"

namespace devarray {

Survey survey(Node& base) {
  constexpr std::uint64_t kSector = 32;  // bytes that an element of a table costs
  Survey found;
  const std::uint64_t epoch = Node::new_epoch();
  SmallVector<Node*, 32> stack{&base};
  base.epoch = epoch;
  while (!stack.empty()) {
    Node& n = *stack.back();
    stack.pop_back();
    if (n.state == NodeState::scalar) continue;
    if (n.is_leaf()) {
      found.movable &= !n.shifts;
      found.filled = false;
      if (n.reach) found.bytes += kSector * static_cast<std::uint64_t>(base.size());
      if (n.size() == 1) continue;
      ++found.reads;
      found.leaves.push_back(&n);
      const Dims strides = broadcast_strides(n.shape, n.strides, base.shape);
      const std::uint64_t bytes = bytes_reached(base.shape, strides, n.dtype);
      found.bytes += bytes;
      found.full |= bytes == static_cast<std::uint64_t>(base.size() * n.itemsize());
      found.in_c_order &= lies_by_rows(base.shape, strides);
      continue;
    }
    found.movable &= !n.is_of_another() && n.shape == base.shape && !has_flag(n.op, Op::indexed);
    if (!found.movable || ++found.operations > kMostSurveyed) break;
    found.weight += weight_of(n.op);
    for (int i = 0; i < n.arity; ++i) {
      Node* in = n.inputs[i].node.get();
      if (in->epoch == epoch) continue;
      in->epoch = epoch;
      stack.push_back(in);
    }
  }
  return found;
}

}  // namespace devarray
