// Products of vectors and matrices of short rows, such as samples of a few features: BLAS takes up to three times as
// long as reading the matrix does, for it works on long rows and on long columns.
#pragma once

#include <cstdint>

#include "common/dtype.hpp"

namespace devarray::host {

/// A matrix of `rows` rows, `columns` neighbouring elements each, `stride` elements from row to row.
struct NarrowMatrix {
  DType dtype = DType::float32;
  const void* data = nullptr;
  std::int64_t rows = 0, columns = 0, stride = 0;
};

/// Whether there are loops for it on this CPU that beat BLAS. The other operand and the result are dense.
bool is_narrow(const NarrowMatrix& x);

/// By rows: out[i] = sum over j of x[i, j] * vector[j]. Else out[j] = sum over i of vector[i] * x[i, j].
void multiply(const NarrowMatrix& x, const void* vector, void* out, bool by_rows);

}  // namespace devarray::host
