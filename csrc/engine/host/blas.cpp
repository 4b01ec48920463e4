#include "engine/host/blas.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <complex>
#include <cstring>
#include <mutex>
#include <string>

#include "memory/copy.hpp"

namespace devarray::host {
namespace {

constexpr int kRowMajor = 101, kNoTrans = 111, kTrans = 112, kUpper = 121;  // CBLAS
constexpr std::int64_t kLane = 1'000'000;      ///< multiplications that are worth a thread, of which two or more are
constexpr std::int64_t kVectorLane = 250'000;  ///< woken; with vectors, where memory is what takes time
constexpr double kOneDouble[] = {1, 0}, kZeroDouble[] = {0, 0};  // complex factors, as CBLAS takes them
constexpr float kOneFloat[] = {1, 0}, kZeroFloat[] = {0, 0};
constexpr std::int64_t kBlock = 32;            ///< rows or columns that a thread takes at least
constexpr std::int64_t kVast = 1'000'000'000;  ///< from here on more cores count than copies have threads

/// The functions of OpenBLAS as NumPy's wheels build it, with 64 bits for sizes.
struct Blas {
  using Size = std::int64_t;
  using Real = void (*)(int, int, int, Size, Size, Size, float, const void*, Size, const void*, Size, float, void*,
                        Size);
  using Double = void (*)(int, int, int, Size, Size, Size, double, const void*, Size, const void*, Size, double, void*,
                          Size);
  using Complex = void (*)(int, int, int, Size, Size, Size, const void*, const void*, Size, const void*, Size,
                           const void*, void*, Size);
  using RealVector = void (*)(int, int, Size, Size, float, const void*, Size, const void*, Size, float, void*, Size);
  using DoubleVector = void (*)(int, int, Size, Size, double, const void*, Size, const void*, Size, double, void*,
                                Size);
  using RealSquare = void (*)(int, int, int, Size, Size, float, const void*, Size, float, void*, Size);
  using DoubleSquare = void (*)(int, int, int, Size, Size, double, const void*, Size, double, void*, Size);
  using ComplexSquare = void (*)(int, int, int, Size, Size, const void*, const void*, Size, const void*, void*, Size);
  Real sgemm = nullptr;
  Double dgemm = nullptr;
  Complex cgemm = nullptr, zgemm = nullptr;
  RealVector sgemv = nullptr;
  DoubleVector dgemv = nullptr;
  RealSquare ssyrk = nullptr;
  DoubleSquare dsyrk = nullptr;
  ComplexSquare csyrk = nullptr, zsyrk = nullptr;
  int (*threads)() = nullptr;
  void (*set_threads)(int) = nullptr;

  Blas() {
    std::string file;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* found) {
          if (!std::strstr(info->dlpi_name, "libscipy_openblas64_")) return 0;
          *static_cast<std::string*>(found) = info->dlpi_name;
          return 1;
        },
        &file);
    void* const library = file.empty() ? nullptr : dlopen(file.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (!library) return;
    const auto symbol = [&](auto& to, const char* name) {
      to = reinterpret_cast<std::remove_reference_t<decltype(to)>>(dlsym(library, name));
    };
    symbol(dgemm, "scipy_cblas_dgemm64_");
    symbol(cgemm, "scipy_cblas_cgemm64_");
    symbol(zgemm, "scipy_cblas_zgemm64_");
    symbol(sgemv, "scipy_cblas_sgemv64_");
    symbol(dgemv, "scipy_cblas_dgemv64_");
    symbol(ssyrk, "scipy_cblas_ssyrk64_");
    symbol(dsyrk, "scipy_cblas_dsyrk64_");
    symbol(csyrk, "scipy_cblas_csyrk64_");
    symbol(zsyrk, "scipy_cblas_zsyrk64_");
    symbol(threads, "scipy_openblas_get_num_threads64_");
    symbol(set_threads, "scipy_openblas_set_num_threads64_");
    const bool products = dgemm && cgemm && zgemm && sgemv && dgemv && ssyrk && dsyrk && csyrk && zsyrk;
    if (products && threads && set_threads) symbol(sgemm, "scipy_cblas_sgemm64_");
  }
};

const Blas& blas() {
  static const Blas found;
  return found;
}

/// OpenBLAS starts no threads while one of these lives.
class OnOneThread {
 public:
  OnOneThread() {
    std::lock_guard lock(mutex());
    if (users()++ == 0) {
      before() = blas().threads();
      if (before() > 1) blas().set_threads(1);
    }
    threads = before();
  }
  ~OnOneThread() {
    std::lock_guard lock(mutex());
    if (--users() == 0 && before() > 1) blas().set_threads(before());
  }
  OnOneThread(const OnOneThread&) = delete;
  OnOneThread& operator=(const OnOneThread&) = delete;

  int threads;  ///< that OpenBLAS would take

 private:
  static std::mutex& mutex() {
    static std::mutex m;
    return m;
  }
  static int& users() {
    static int n = 0;
    return n;
  }
  static int& before() {
    static int n = 1;
    return n;
  }
};

bool is_by_vector(const BlasProduct& p) {
  return (p.m == 1 || p.n == 1) && (p.dtype == DType::float32 || p.dtype == DType::float64);
}

/// `count` elements of the result of a matrix, at `x`, and a vector, whose elements are `step` apart.
void multiply_by_vector(const BlasProduct& p, const char* x, const BlasMatrix& of, bool transposed, std::int64_t count,
                        const char* vector, std::int64_t step, char* c) {
  const std::int64_t rows = transposed ? p.k : count, columns = transposed ? count : p.k;
  const int form = transposed ? kTrans : kNoTrans;
  if (p.dtype == DType::float32)
    blas().sgemv(kRowMajor, form, rows, columns, 1, x, of.lead, vector, step, 0, c, 1);
  else
    blas().dgemv(kRowMajor, form, rows, columns, 1, x, of.lead, vector, step, 0, c, 1);
}

template <class T>
void mirror(T* c, std::int64_t m) {
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = i + 1; j < m; ++j) c[j * m + i] = c[i * m + j];
}

/// A matrix by its own transpose: half of it is computed, the other half is the same, as NumPy does it.
void multiply_by_itself(const BlasProduct& p, const char* a, char* c) {
  const int form = p.a.transposed ? kTrans : kNoTrans;
  switch (p.dtype) {
    case DType::float32:
      blas().ssyrk(kRowMajor, kUpper, form, p.m, p.k, 1, a, p.a.lead, 0, c, p.m);
      return mirror(reinterpret_cast<float*>(c), p.m);
    case DType::float64:
      blas().dsyrk(kRowMajor, kUpper, form, p.m, p.k, 1, a, p.a.lead, 0, c, p.m);
      return mirror(reinterpret_cast<double*>(c), p.m);
    case DType::complex64:
      blas().csyrk(kRowMajor, kUpper, form, p.m, p.k, kOneFloat, a, p.a.lead, kZeroFloat, c, p.m);
      return mirror(reinterpret_cast<std::complex<float>*>(c), p.m);
    default:
      blas().zsyrk(kRowMajor, kUpper, form, p.m, p.k, kOneDouble, a, p.a.lead, kZeroDouble, c, p.m);
      return mirror(reinterpret_cast<std::complex<double>*>(c), p.m);
  }
}

/// Rows [row, row + m) and columns [column, column + n) of one element of the batch.
void multiply_block(const BlasProduct& p, std::int64_t element, std::int64_t row, std::int64_t m, std::int64_t column,
                    std::int64_t n) {
  const auto size = static_cast<std::int64_t>(size_of(p.dtype));
  const char *a = p.a.data, *b = p.b.data;
  char* const c = p.c + (element * p.m * p.n + row * p.n + column) * size;
  for (std::size_t d = p.batch.size(); d-- > 0; element /= p.batch[d]) {
    a += element % p.batch[d] * p.a_strides[d];
    b += element % p.batch[d] * p.b_strides[d];
  }
  a += row * (p.a.transposed ? 1 : p.a.lead) * size;
  b += column * (p.b.transposed ? p.b.lead : 1) * size;
  if (is_by_vector(p)) {
    if (p.n == 1) return multiply_by_vector(p, a, p.a, p.a.transposed, m, b, p.b.transposed ? 1 : p.b.lead, c);
    return multiply_by_vector(p, b, p.b, !p.b.transposed, n, a, p.a.transposed ? p.a.lead : 1, c);
  }
  if (is_by_itself(p)) return multiply_by_itself(p, a, c);
  const int ta = p.a.transposed ? kTrans : kNoTrans, tb = p.b.transposed ? kTrans : kNoTrans;
  switch (p.dtype) {
    case DType::float32: return blas().sgemm(kRowMajor, ta, tb, m, n, p.k, 1, a, p.a.lead, b, p.b.lead, 0, c, p.n);
    case DType::float64: return blas().dgemm(kRowMajor, ta, tb, m, n, p.k, 1, a, p.a.lead, b, p.b.lead, 0, c, p.n);
    case DType::complex64:
      return blas().cgemm(kRowMajor, ta, tb, m, n, p.k, kOneFloat, a, p.a.lead, b, p.b.lead, kZeroFloat, c, p.n);
    default:
      return blas().zgemm(kRowMajor, ta, tb, m, n, p.k, kOneDouble, a, p.a.lead, b, p.b.lead, kZeroDouble, c, p.n);
  }
}

/// In blocks of rows, or of columns where there are more, on `lanes` threads. A thread begins with the block of its
/// lane.
void share(const BlasProduct& p, std::int64_t elements, unsigned lanes) {
  const bool rows = p.m >= p.n;
  const std::int64_t whole = rows ? p.m : p.n, wanted = ((is_by_vector(p) ? 1 : 2) * lanes + elements - 1) / elements;
  const std::int64_t block = std::max((whole + wanted - 1) / wanted, kBlock), blocks = (whole + block - 1) / block;
  const std::int64_t tasks = elements * blocks, chunk = std::max<std::int64_t>(tasks / (8 * lanes), 1);
  lanes = static_cast<unsigned>(std::min<std::int64_t>(lanes, tasks));
  std::atomic<std::int64_t> next{lanes * chunk};
  in_parallel(
      lanes,
      [&](unsigned lane) {
        for (std::int64_t t = lane * chunk; t < tasks; t = next.fetch_add(chunk))
          for (std::int64_t i = t; i < std::min(tasks, t + chunk); ++i) {
            const std::int64_t at = i % blocks * block, count = std::min(block, whole - at);
            rows ? multiply_block(p, i / blocks, at, count, 0, p.n) : multiply_block(p, i / blocks, 0, p.m, at, count);
          }
      },
      true);
}

/// Whose threads share products by vectors. Ours do, until one takes far longer than such products have taken: then
/// another core is taken, mostly by OpenBLAS's own threads, which wait for milliseconds after a product of NumPy's for
/// the next one. They are at hand then, and take ours. Both ways share the elements of the result, whose bits are the
/// same.
class VectorThreads {
 public:
  bool are_ours(std::int64_t now) const { return now >= theirs_until_.load(std::memory_order_relaxed); }
  void note_ours(double work, std::int64_t now, std::int64_t took) {
    const double rate = work / static_cast<double>(std::max<std::int64_t>(took, 1)), best = best_rate_ * 0.999;
    best_rate_.store(std::max(rate, best), std::memory_order_relaxed);
    if (rate < best * kSlow && now >= ours_until_) {
      slow_rate_ = rate;
      misses_ = 0;
      theirs_until_ = now + kStay;
    }
  }
  void note_theirs(double work, std::int64_t now, std::int64_t took) {
    if (work / static_cast<double>(std::max<std::int64_t>(took, 1)) > slow_rate_ * 1.3) {
      misses_ = 0;
      return;
    }
    if (++misses_ < kMisses) return;
    theirs_until_ = 0;  // it was something else
    ours_until_ = now + kBackOff;
  }

 private:
  static constexpr double kSlow = 0.5;                                         ///< of the best rate there was
  static constexpr std::int64_t kStay = 20'000'000, kBackOff = 1'000'000'000;  ///< ns
  static constexpr int kMisses = 4;
  std::atomic<double> best_rate_{0}, slow_rate_{0};
  std::atomic<int> misses_{0};
  std::atomic<std::int64_t> theirs_until_{0}, ours_until_{0};
};

VectorThreads& vector_threads() {
  static VectorThreads kept;
  return kept;
}

std::int64_t nanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

bool is_by_itself(const BlasProduct& p) {
  return p.a.data == p.b.data && p.a.lead == p.b.lead && p.a.transposed != p.b.transposed && p.m == p.n;
}

bool has_blas(DType t) {
  return blas().sgemm && (t == DType::float32 || t == DType::float64 || kind_of(t) == Kind::complex);
}

void multiply(const BlasProduct& p) {
  const std::int64_t elements = element_count(p.batch);
  const double work = static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k) *
                      static_cast<double>(elements) * (kind_of(p.dtype) == Kind::complex ? 4 : 1);
  if (work > kVast && blas().threads() > static_cast<int>(copy_threads())) {
    for (std::int64_t i = 0; i < elements; ++i) multiply_block(p, i, 0, p.m, 0, p.n);
    return;
  }
  if (work <= static_cast<double>(is_by_vector(p) ? kOneThreadWithVector : kOneThread)) {
    for (std::int64_t i = 0; i < elements; ++i) multiply_block(p, i, 0, p.m, 0, p.n);
    return;
  }
  const std::int64_t begun = nanoseconds();
  if (is_by_vector(p) && elements == 1 && !vector_threads().are_ours(begun)) {
    multiply_block(p, 0, 0, p.m, 0, p.n);
    const std::int64_t now = nanoseconds();
    return vector_threads().note_theirs(work, now, now - begun);
  }
  const OnOneThread limit;
  const double lanes = work / static_cast<double>(is_by_vector(p) ? kVectorLane : kLane);
  const double most = std::min<double>(copy_threads(), std::max(limit.threads, 1));
  if (std::min(lanes, most) >= 2) {
    share(p, elements, static_cast<unsigned>(std::min(lanes, most)));
    const std::int64_t now = nanoseconds();
    if (is_by_vector(p) && elements == 1) vector_threads().note_ours(work, now, now - begun);
  } else
    for (std::int64_t i = 0; i < elements; ++i) multiply_block(p, i, 0, p.m, 0, p.n);
}

}  // namespace devarray::host
