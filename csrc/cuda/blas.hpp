// cuBLAS: its handles, and the matrix product. Python finds the library (devarray/cuda/libraries.py) and hands over the
// addresses of its functions.
#pragma once

#include "cuda/stream.hpp"

namespace devarray::cuda {

/// Addresses of the entry points.
struct BlasFunctions {
  std::uintptr_t create = 0, destroy = 0, set_stream = 0, gemm = 0, gemm_strided_batched = 0;
};

void use_blas(const BlasFunctions& functions);
bool has_blas() noexcept;

/// This thread's handle for a stream, made at first use (which may take long: release the GIL). The stream's context is
/// current. A thread keeps a few; a handle stays with one stream, so that no two share the library's workspace.
void* blas_handle(const Stream& stream);

/// One factor in column-major order: the first of its two sizes is `step` elements apart from column to column.
struct BlasMatrix {
  std::uintptr_t address = 0;
  bool transposed = false;
  int step = 1;
  long long batch_step = 0;  ///< elements from matrix to matrix
};

/// c = a @ b in column-major order, m x k times k x n, for `batch` of them; enqueued on the stream, whose context is
/// current. `data` and `compute` are cudaDataType_t and cublasComputeType_t.
struct Gemm {
  int m = 0, n = 0, k = 0, batch = 1;
  BlasMatrix a, b, c;
  int data = 0, compute = 0;
};
void gemm(const Stream& stream, const Gemm& call);

}  // namespace devarray::cuda
