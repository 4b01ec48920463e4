#include "engine/product.hpp"

#include "engine/evaluate.hpp"
#include "engine/record.hpp"
#include "engine/reduce.hpp"

namespace devarray {

NodeRef as_matrix(const NodeRef& n, bool left) {
  if (n->shape.size() != 1) return n;
  const std::int64_t size = n->shape[0], step = n->strides[0];
  return left ? Node::view(*n, n->dtype, {1, size}, {0, step}, n->offset)
              : Node::view(*n, n->dtype, {size, 1}, {step, 0}, n->offset);
}

NodeRef product_with_vector(const NodeRef& x, const NodeRef& y) {
  static const OpId multiply = ops().find("multiply");
  evaluate(*x);
  evaluate(*y);
  const NodeRef left = as_matrix(x, true), right = as_matrix(y, false);
  const std::int64_t m = left->shape[0], k = left->shape[1], n = right->shape[1];
  RecordArg args[2];
  args[0].node = Node::view(*left, left->dtype, {m, k, 1}, {left->strides[0], left->strides[1], 0}, left->offset);
  args[1].node = Node::view(*right, right->dtype, {1, k, n}, {0, right->strides[0], right->strides[1]}, right->offset);
  Reduction r;
  r.kind = "sum";
  r.axes = {1};
  r.dtype = x->dtype;
  r.input_dies = true;
  const NodeRef sum = reduce(record(multiply, args, 2), r);
  evaluate(*sum);
  Dims shape, strides;
  for (std::size_t axis = 0; axis < 2; ++axis)
    if ((axis == 0 ? x : y)->shape.size() == 2) {
      shape.push_back(sum->shape[axis]);
      strides.push_back(sum->strides[axis]);
    }
  return Node::view(*sum, sum->dtype, shape, strides, sum->offset);
}

}  // namespace devarray
