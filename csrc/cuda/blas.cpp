#include "cuda/blas.hpp"

#include <array>

namespace devarray::cuda {
namespace {

using Create = int (*)(void**);
using Destroy = int (*)(void*);
using SetStream = int (*)(void*, CUstream);
using GemmEx = int (*)(void*, int, int, int, int, int, const void*, const void*, int, int, const void*, int, int,
                       const void*, void*, int, int, int, int);
using GemmStridedBatchedEx = int (*)(void*, int, int, int, int, int, const void*, const void*, int, int, long long,
                                     const void*, int, int, long long, const void*, void*, int, int, long long, int,
                                     int, int);

struct {
  Create create = nullptr;
  Destroy destroy = nullptr;
  SetStream set_stream = nullptr;
  GemmEx gemm = nullptr;
  GemmStridedBatchedEx gemm_strided_batched = nullptr;
} blas;

constexpr int kDefaultAlgorithm = -1;
constexpr int kCompute64 = 70;

void check(int status, const char* call) {
  if (status) throw DriverError("cuda", call, status, "CUBLAS_STATUS_" + std::to_string(status));
}

/// The handles of a thread, the latest first.
class Handles {
 public:
  Handles() = default;
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;
  ~Handles() {
    for (Entry& e : entries_) drop(e);
  }

  void* get(const Stream& stream) {
    for (const Entry& e : entries_)
      if (e.handle && e.is_of(stream)) return e.handle;
    Entry fresh{stream.context(), stream.raw(), identity(stream), nullptr};
    check(blas.create(&fresh.handle), "cublasCreate");
    if (const int status = blas.set_stream(fresh.handle, stream.raw())) {
      blas.destroy(fresh.handle);
      check(status, "cublasSetStream");
    }
    drop(entries_.back());
    for (std::size_t i = entries_.size() - 1; i > 0; --i) entries_[i] = std::move(entries_[i - 1]);
    entries_[0] = std::move(fresh);
    return entries_[0].handle;
  }

 private:
  struct Entry {
    ContextPtr context;
    CUstream stream = nullptr;
    std::uint64_t identity = 0;
    void* handle = nullptr;
    bool is_of(const Stream& s) const {
      return stream == s.raw() && context.get() == s.context().get() && identity == Handles::identity(s);
    }
  };
  /// Of a stream of ours: a handle's workspace may be in use by a stream that is gone, whose address the next one has.
  static std::uint64_t identity(const Stream& s) { return s.owned() ? s.serial() : 0; }
  static void drop(Entry& e) noexcept {
    if (!e.handle) return;
    if (const CurrentForRelease current(*e.context); current) blas.destroy(e.handle);
    e = Entry();
  }
  std::array<Entry, 4> entries_;
};

}  // namespace

void use_blas(const BlasFunctions& f) {
  blas.create = reinterpret_cast<Create>(f.create);
  blas.destroy = reinterpret_cast<Destroy>(f.destroy);
  blas.set_stream = reinterpret_cast<SetStream>(f.set_stream);
  blas.gemm_strided_batched = reinterpret_cast<GemmStridedBatchedEx>(f.gemm_strided_batched);
  blas.gemm = reinterpret_cast<GemmEx>(f.gemm);
}

bool has_blas() noexcept { return blas.gemm != nullptr; }

void* blas_handle(const Stream& stream) {
  static thread_local Handles handles;
  return handles.get(stream);
}

void gemm(const Stream& stream, const Gemm& g) {
  // One and zero, complex ones too: the imaginary part is the second element.
  static const float one32[2] = {1, 0}, zero32[2] = {0, 0};
  static const double one64[2] = {1, 0}, zero64[2] = {0, 0};
  const bool wide = g.compute == kCompute64;
  const void* one = wide ? static_cast<const void*>(one64) : one32;
  const void* zero = wide ? static_cast<const void*>(zero64) : zero32;
  void* const handle = blas_handle(stream);
  const auto* a = reinterpret_cast<const void*>(g.a.address);
  const auto* b = reinterpret_cast<const void*>(g.b.address);
  auto* c = reinterpret_cast<void*>(g.c.address);
  if (g.batch == 1)
    check(blas.gemm(handle, g.a.transposed, g.b.transposed, g.m, g.n, g.k, one, a, g.data, g.a.step, b, g.data,
                    g.b.step, zero, c, g.data, g.c.step, g.compute, kDefaultAlgorithm),
          "cublasGemmEx");
  else
    check(blas.gemm_strided_batched(handle, g.a.transposed, g.b.transposed, g.m, g.n, g.k, one, a, g.data, g.a.step,
                                    g.a.batch_step, b, g.data, g.b.step, g.b.batch_step, zero, c, g.data, g.c.step,
                                    g.c.batch_step, g.batch, g.compute, kDefaultAlgorithm),
          "cublasGemmStridedBatchedEx");
}

}  // namespace devarray::cuda
