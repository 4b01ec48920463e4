#include "engine/shift.hpp"

#include "engine/evaluate.hpp"
#include "engine/record.hpp"

namespace devarray {
namespace {

std::int64_t modulo(std::int64_t a, std::int64_t n) {
  const std::int64_t rest = a % n;
  return rest < 0 ? rest + n : rest;
}

/// The leaf that a value copies, shifted or as it is, where the copy was not made yet; else null.
const Node* copied_leaf(const Node& n) {
  if (!n.is_pending() || n.op != core_ops().copy || n.arity != 1) return nullptr;
  const Node& in = *n.inputs[0].node;
  return in.is_leaf() && in.dtype == n.dtype && in.shape == n.shape ? &in : nullptr;
}

}  // namespace

NodeRef rolled(const NodeRef& n, const Dims& by) {
  if (by.size() != n->shape.size())
    throw ShapeError("roll: " + std::to_string(by.size()) + " shifts were given for " +
                     std::to_string(n->shape.size()) + " axes");
  RecordArg arg;
  const Node* source = copied_leaf(*n);
  if (!source) {
    evaluate(*n);
    source = n.get();
  }
  Dims shifts(n->shape.size(), 0);
  bool any = false;
  for (std::size_t axis = 0; axis < by.size(); ++axis) {
    const std::int64_t size = n->shape[axis];
    if (size < 2) continue;
    const std::int64_t before = source->shifts ? (*source->shifts)[axis] : 0;
    shifts[axis] = modulo(before - modulo(by[axis], size), size);
    any |= shifts[axis] != 0;
  }
  arg.node = Node::view(*source, source->dtype, source->shape, source->strides, source->offset);
  if (any) arg.node->shifts = std::make_unique<const Dims>(shifts);
  return record(core_ops().copy, &arg, 1);
}

}  // namespace devarray
