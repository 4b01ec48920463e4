// A matrix product of arrays as calls of cuBLAS.
#pragma once

#include <cstdint>
#include <optional>

#include "common/small_vector.hpp"
#include "cuda/blas.hpp"
#include "engine/node.hpp"

namespace devarray {

/// The device address of a leaf's first element; 0 where it has none. Throws DeviceError for an OpenCL buffer.
std::uintptr_t library_address(const Node& n);

/// What two arrays' matrix product is about: m rows, n columns and k products each, for every index of `batch`.
struct ProductSizes {
  Dims batch;
  std::int64_t m = 1, k = 0, n = 1;
};

/// False where they are no arrays of one dtype on one device with at least one axis, or do not fit each other.
bool read_sizes_of_product(const Node& x, const Node& y, ProductSizes& s);

struct BlasProduct {
  NodeRef x, y;  ///< the factors, copied where BLAS cannot express their strides
  NodeRef result;
  SmallVector<cuda::Gemm, 1> calls;
};

/// The calls for factors of any strides, which are evaluated, none of them empty. Nothing where cuBLAS has no product
/// of the dtype, or where sizes are beyond its integers.
std::optional<BlasProduct> plan_blas_product(const NodeRef& x, const NodeRef& y, const ProductSizes& s);

}  // namespace devarray
