#include "engine/product.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "engine/evaluate.hpp"
#include "engine/pending_views.hpp"
#include "engine/record.hpp"
#include "engine/reduce.hpp"
#include "engine/reduce_plan.hpp"

namespace devarray {

NodeRef as_matrix(const NodeRef& n, bool left) {
  if (n->shape.size() != 1) return n;
  const std::int64_t size = n->shape[0], step = n->strides[0];
  return left ? Node::view(*n, n->dtype, {1, size}, {0, step}, n->offset)
              : Node::view(*n, n->dtype, {size, 1}, {step, 0}, n->offset);
}

namespace {

/// A vector that stands beside a matrix: the same along the matrix's other axis. `axis` is its own one of the two.
NodeRef beside(const NodeRef& vector, std::size_t axis) {
  const std::size_t own = vector->shape.size() == 2 && vector->shape[0] == 1 ? 1 : 0;
  const std::int64_t size = vector->shape[own];
  const Dims shape = axis == 0 ? Dims{size, 1} : Dims{1, size};
  if (vector->is_pending()) {
    const Placement seen = pending_placement(*vector);
    const std::int64_t step = seen.strides[own];
    if (NodeRef view = view_of_pending(vector, shape, {axis == 0 ? Dims{step, 1} : Dims{size, step}, seen.offset}))
      return view;
    evaluate(*vector);
  }
  const std::int64_t step = vector->strides[own];
  return Node::view(*vector, vector->dtype, shape, axis == 0 ? Dims{step, 0} : Dims{0, step}, vector->offset);
}

/// Whether it is computed from sums of rows that wait, which the kernel that adds up rows of `matrix` may take in.
bool waits_for_rows(const Node& vector, const Node& matrix, std::size_t summed) {
  return vector.is_pending() && vector.over_reduction && summed == 0 && matrix.shape[1] <= kNarrow &&
         matrix.place->device->strategy() == Strategy::gpu;
}

/// Whether kernels of ours for products of narrow matrices take them: of one real dtype, on one GPU.
bool suit_own_products(const Node& x, const Node& y) {
  if (x.shape.size() != 2 || y.shape.size() != 2 || x.dtype != y.dtype || !x.place || !y.place) return false;
  if (x.dtype != DType::float32 && x.dtype != DType::float64) return false;
  return x.place->device->strategy() == Strategy::gpu && y.place->device == x.place->device;
}

/// From how many rows on those kernels are quicker: cuBLAS is quick with fewer.
std::int64_t least_rows(const Device& device) { return device.driver() == DriverKind::cuda ? 1 << 16 : 1 << 12; }

}  // namespace

bool is_narrow(const Node& x, const Node& y) {
  constexpr std::int64_t kLong = 1 << 16;
  const Node& matrix = x.shape.size() == 2 && x.shape[0] > 1 ? x : y;
  if (matrix.shape.size() != 2) return false;
  return std::min(matrix.shape[0], matrix.shape[1]) <= kNarrow && std::max(matrix.shape[0], matrix.shape[1]) >= kLong;
}

bool is_tall_product(Node& x, Node& y) {
  constexpr std::uint64_t kMostColumns = 32;
  if (!suit_own_products(x, y)) return false;
  const auto m = static_cast<std::uint64_t>(x.shape[0]), n = static_cast<std::uint64_t>(y.shape[1]);
  const std::int64_t size = x.itemsize();
  if (std::min(m, n) < 2 || std::max(m, n) > kMostColumns) return false;
  const Device& device = *x.place->device;
  // Bytes of the result, whose sides are powers of two there. cuBLAS is quicker with more; our tiled kernel is not,
  // which has one group for all rows.
  const std::uint64_t most = device.driver() == DriverKind::cuda ? 1024 : 4096;
  if (std::bit_ceil(m) * std::bit_ceil(n) * static_cast<std::uint64_t>(size) > most) return false;
  if (x.shape[1] < least_rows(device) || y.shape[0] != x.shape[1]) return false;
  evaluate(x);
  evaluate(y);
  return x.strides[0] == size && y.strides[1] == size && x.strides[1] % size == 0 && y.strides[0] % size == 0;
}

bool is_row_product(Node& x, Node& y) {
  constexpr std::int64_t kMostBytes = 128, kMostResults = 64;  // bytes of a row of x, of the result: else cuBLAS
  if (!suit_own_products(x, y)) return false;
  const std::int64_t depth = x.shape[1], columns = y.shape[1], size = x.itemsize();
  if (x.shape[0] < least_rows(*x.place->device) || y.shape[0] != depth || columns < 2) return false;
  if (depth * size > kMostBytes || columns * size > kMostResults) return false;
  evaluate(x);
  evaluate(y);
  return true;
}

bool are_small(const Node& x, const Node& y) {
  const Device& device = *x.place->device;
  const bool vectors =
      x.shape.size() > 1 && y.shape.size() > 1 && (x.shape[x.shape.size() - 2] == 1 || y.shape.back() == 1);
  const std::int64_t most = vectors ? 64 : device.driver() == DriverKind::cuda ? 8 : 16;  // else cuBLAS, or our tiles
  const std::size_t ndim = std::min(x.shape.size(), y.shape.size());
  if (device.strategy() != Strategy::gpu || ndim < 2 || x.shape.size() + y.shape.size() < 5) return false;
  if (kind_of(x.dtype) == Kind::boolean || x.dtype == DType::float16) return false;
  const std::int64_t depth = x.shape.back(), m = x.shape[x.shape.size() - 2], n = y.shape.back();
  return std::max(m, n) <= most && depth <= (vectors ? most : 4 * most);
}

NodeRef product_of_small(const NodeRef& x, const NodeRef& y) {
  static const OpId multiply = ops().find("multiply");
  evaluate(*x);
  evaluate(*y);
  const auto with_axis = [](const Node& n, std::size_t behind) {  // a new axis before the last `behind` ones
    Dims shape = n.shape, strides = n.strides;
    shape.push_back(1);
    strides.push_back(0);
    for (std::size_t i = shape.size() - 1; behind > 0; --i, --behind) {
      std::swap(shape[i], shape[i - 1]);
      std::swap(strides[i], strides[i - 1]);
    }
    return Node::view(n, n.dtype, shape, strides, n.offset);
  };
  RecordArg args[2];
  args[0].node = with_axis(*x, 0);
  args[1].node = with_axis(*y, 2);
  const NodeRef products = record(multiply, args, 2);
  Reduction r;
  r.kind = "sum";
  r.axes = {static_cast<std::int64_t>(products->shape.size()) - 2};
  r.dtype = x->dtype;
  r.input_dies = true;
  return reduce(products, r);
}

NodeRef product_with_vector(const NodeRef& x, const NodeRef& y, bool x_dies, bool y_dies) {
  static const OpId multiply = ops().find("multiply");
  const bool left = x->shape.size() == 1 || x->shape[0] == 1;  // whether the vector is
  const NodeRef& vector = left ? x : y;
  evaluate(left ? *y : *x);
  NodeRef matrix = as_matrix(left ? y : x, false);
  std::size_t summed = left ? 0 : 1;
  if (std::abs(matrix->strides[0]) < std::abs(matrix->strides[1])) {  // its rows as they lie in memory
    matrix = Node::view(*matrix, matrix->dtype, {matrix->shape[1], matrix->shape[0]},
                        {matrix->strides[1], matrix->strides[0]}, matrix->offset);
    summed = 1 - summed;
  }
  if (!waits_for_rows(*vector, *matrix, summed)) evaluate(*vector);
  RecordArg args[2];
  args[left ? 1 : 0].node = matrix;
  args[left ? 0 : 1].node = beside(vector, summed);
  Reduction r;
  r.kind = "sum";
  r.axes = {static_cast<std::int64_t>(summed)};
  r.dtype = x->dtype;
  r.input_dies = true;
  r.at_once = true;  // short rows wait in any case
  if (left ? x_dies : y_dies) r.dying = vector.get();
  const NodeRef sum = reduce(record(multiply, args, 2), r);
  Dims shape;
  for (const NodeRef& factor : {x, y})
    if (factor->shape.size() == 2) shape.push_back(factor->shape[factor == x ? 0 : 1]);
  if (shape.size() == 1 && sum->shape == shape) return sum;
  evaluate(*sum);
  Dims strides;
  for (const std::int64_t size : shape) strides.push_back(size == 1 ? 0 : sum->strides[0]);
  return Node::view(*sum, sum->dtype, shape, strides, sum->offset);
}

}  // namespace devarray
