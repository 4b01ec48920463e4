// Matrix products by the OpenBLAS that NumPy brings, each on one thread, shared by threads of ours.
//
// OpenBLAS's own threads wait for the next product in a loop, for milliseconds. Kernels that follow a product find a
// core taken that way: on two cores they take twice as long, and a hundred times on a busy machine. Ours sleep.
#pragma once

#include <cstdint>

#include "common/dtype.hpp"
#include "common/shape.hpp"

namespace devarray::host {

/// Multiplications that OpenBLAS does on the caller's thread, of matrices and with a vector.
inline constexpr std::int64_t kOneThread = 1 << 18, kOneThreadWithVector = 1 << 13;

/// Memory of a matrix: `lead` elements from row to row of neighbouring elements, or from column to column where
/// `transposed`.
struct BlasMatrix {
  const char* data = nullptr;
  std::int64_t lead = 0;
  bool transposed = false;
};

/// c = a b, of m x k and k x n: dense, for each element of a batch whose strides are in bytes.
struct BlasProduct {
  DType dtype = DType::float32;
  std::int64_t m = 0, n = 0, k = 0;
  BlasMatrix a, b;
  char* c = nullptr;
  Dims batch, a_strides, b_strides;
};

/// Whether it is a matrix by its own transpose: of those multiply() computes one half, and takes small ones alone.
bool is_by_itself(const BlasProduct& product);
/// Whether NumPy's BLAS is known, and has the dtype.
bool has_blas(DType t);
/// Takes locks where threads share the work: release the GIL first.
void multiply(const BlasProduct& product);

}  // namespace devarray::host
