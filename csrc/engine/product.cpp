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
  const bool row = x->shape.size() == 1, column = y->shape.size() == 1;  // a vector is a matrix of one of these
  const std::int64_t m = row ? 1 : x->shape[0], k = x->shape.back(), n = column ? 1 : y->shape[1];
  RecordArg args[2];
  args[0].node = Node::view(*x, x->dtype, {m, k, 1}, {row ? 0 : x->strides[0], x->strides.back(), 0}, x->offset);
  args[1].node = Node::view(*y, y->dtype, {1, k, n}, {0, y->strides[0], column ? 0 : y->strides[1]}, y->offset);
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
