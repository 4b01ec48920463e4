#include "bind/engine/blas_product.hpp"

#include <algorithm>
#include <climits>

#include "engine/allocate.hpp"
#include "engine/assign.hpp"
#include "engine/evaluate.hpp"
#include "engine/product.hpp"

namespace devarray {
namespace {

/// How cuBLAS names a dtype, and what it computes in. False where it has no such products.
bool gemm_types(DType t, cuda::Gemm& g) {
  switch (t) {
    case DType::float16: g.data = 2, g.compute = 68; return true;
    case DType::float32: g.data = 0, g.compute = 68; return true;  // CUBLAS_COMPUTE_32F: never TF32
    case DType::float64: g.data = 1, g.compute = 70; return true;
    case DType::complex64: g.data = 4, g.compute = 68; return true;
    case DType::complex128: g.data = 5, g.compute = 70; return true;
    default: return false;
  }
}

/// A factor as BLAS reads it.
struct Factor {
  NodeRef array;
  cuda::BlasMatrix matrix;
  Dims steps;  ///< elements from matrix to matrix along each leading axis of the product, 0 where they are repeated
};

/// The last two axes as a column-major matrix: rows whose elements are neighbours are its columns, columns whose
/// elements are neighbours those of its transpose. False where BLAS cannot express the strides.
bool read_matrix(const Node& n, cuda::BlasMatrix& out) {
  const std::size_t last = n.shape.size() - 1;
  const std::int64_t rows = n.shape[last - 1], columns = n.shape[last], size = n.itemsize();
  const std::int64_t down = n.strides[last - 1], right = n.strides[last];
  std::int64_t step = 0;
  if ((right == size || columns == 1) && (rows == 1 || (down >= columns * size && down % size == 0))) {
    step = rows == 1 ? columns : down / size;
  } else if ((down == size || rows == 1) && (columns == 1 || (right >= rows * size && right % size == 0))) {
    out.transposed = true;
    step = columns == 1 ? rows : right / size;
  } else {
    return false;
  }
  out.step = static_cast<int>(step);
  out.address = library_address(n);
  return step <= INT_MAX;
}

/// The leading axes against those of the product. False where cuBLAS cannot step so.
bool read_steps(const Node& n, const Dims& batch, Dims& steps) {
  const std::size_t own = n.shape.size() - 2, before = batch.size() - own;
  steps = Dims(batch.size(), 0);
  for (std::size_t i = 0; i < own; ++i) {
    if (n.shape[i] == 1) continue;
    if (n.strides[i] < 0 || n.strides[i] % n.itemsize() != 0) return false;
    steps[before + i] = n.strides[i] / n.itemsize();
  }
  return true;
}

bool read_factor(NodeRef n, const Dims& batch, Factor& out) {
  out = {n, {}, {}};
  if (read_matrix(*n, out.matrix) && read_steps(*n, batch, out.steps)) return true;
  n = contiguous(n);
  out = {n, {}, {}};
  return read_matrix(*n, out.matrix) && read_steps(*n, batch, out.steps);
}

/// The calls of a stack of products: cuBLAS steps along the last of the axes, further ones take a call for each index.
void add_calls(const cuda::Gemm& first, const Dims& sizes, const Dims& left, const Dims& right, const Dims& result,
               std::int64_t itemsize, SmallVector<cuda::Gemm, 1>& calls) {
  const std::size_t outer = sizes.empty() ? 0 : sizes.size() - 1;
  Dims index(outer, 0);
  for (;;) {
    cuda::Gemm call = first;  // y is cuBLAS's first factor
    for (std::size_t i = 0; i < outer; ++i) {
      call.a.address += static_cast<std::uintptr_t>(index[i] * right[i] * itemsize);
      call.b.address += static_cast<std::uintptr_t>(index[i] * left[i] * itemsize);
      call.c.address += static_cast<std::uintptr_t>(index[i] * result[i] * itemsize);
    }
    calls.push_back(call);
    std::size_t axis = outer;
    while (axis > 0 && ++index[axis - 1] == sizes[axis - 1]) index[--axis] = 0;
    if (axis == 0) return;
  }
}

}  // namespace

std::uintptr_t library_address(const Node& n) {
  const Block& block = *n.storage->block;
  if (!block.allocation) return 0;
  if (block.allocation->is_buffer())
    throw DeviceError("a library call needs memory with an address, not an OpenCL buffer");
  return reinterpret_cast<std::uintptr_t>(block.allocation->handle()) + block.offset +
         static_cast<std::uintptr_t>(n.offset);
}

bool read_sizes_of_product(const Node& x, const Node& y, ProductSizes& s) {
  const std::size_t nx = x.shape.size(), ny = y.shape.size();
  if (!x.place || !y.place || x.dtype != y.dtype || x.place->device != y.place->device || nx < 1 || ny < 1)
    return false;
  const std::size_t most = std::max({nx, ny, std::size_t{2}}) - 2;
  for (std::size_t i = most; i > 0; --i) {  // leading axes, the last one first
    const std::int64_t a = nx >= i + 2 ? x.shape[nx - 2 - i] : 1, b = ny >= i + 2 ? y.shape[ny - 2 - i] : 1;
    if (a != b && a != 1 && b != 1) return false;
    s.batch.push_back(a == 1 ? b : a);
  }
  if (nx > 1) s.m = x.shape[nx - 2];
  if (ny > 1) s.n = y.shape[ny - 1];
  s.k = x.shape[nx - 1];
  return y.shape[ny == 1 ? 0 : ny - 2] == s.k;
}

std::optional<BlasProduct> plan_blas_product(const NodeRef& x, const NodeRef& y, const ProductSizes& s) {
  cuda::Gemm g;
  if (!gemm_types(x->dtype, g) || std::max({s.m, s.n, s.k}) > INT_MAX) return {};
  evaluate(*x);
  evaluate(*y);
  Factor left, right;
  if (!read_factor(as_matrix(x, true), s.batch, left) || !read_factor(as_matrix(y, false), s.batch, right)) return {};
  Dims shape = s.batch;
  if (x->shape.size() > 1) shape.push_back(s.m);
  if (y->shape.size() > 1) shape.push_back(s.n);
  BlasProduct product{left.array, right.array, empty(x->place, x->dtype, shape), {}};
  Dims sizes = s.batch, steps(s.batch.size(), 0);
  std::int64_t rows = s.m, step = s.m * s.n;
  for (std::size_t i = steps.size(); i-- > 0; step *= sizes[i]) steps[i] = step;
  collapse(sizes, {&left.steps, &right.steps, &steps});
  // One matrix for a stack of rows is a single product.
  if (sizes.size() == 1 && right.steps[0] == 0 && !left.matrix.transposed && left.steps[0] == s.m * left.matrix.step &&
      sizes[0] <= INT_MAX / s.m) {
    rows *= sizes[0];
    sizes.clear();
  }
  if (!sizes.empty()) {
    if (sizes.back() > INT_MAX) return {};
    g.batch = static_cast<int>(sizes.back());
    left.matrix.batch_step = left.steps.back(), right.matrix.batch_step = right.steps.back();
  }
  // In column-major order the factors change places: y' x' = (x y)'.
  g.m = static_cast<int>(s.n), g.n = static_cast<int>(rows), g.k = static_cast<int>(s.k);
  g.a = right.matrix, g.b = left.matrix;
  g.c = {library_address(*product.result), false, g.m, sizes.empty() ? 0 : steps.back()};
  add_calls(g, sizes, left.steps, right.steps, steps, x->itemsize(), product.calls);
  return product;
}

}  // namespace devarray
