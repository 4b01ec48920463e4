#include "engine/host/narrow.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

namespace devarray::host {

#ifdef DEVARRAY_X86_LOOPS
namespace {

constexpr int kVectorBytes = 32;
constexpr int kVectors = 4;                   ///< of a row at most: more accumulators do not fit the registers
constexpr std::int64_t kMostBytes = 4 << 20;  ///< of the matrix: BLAS shares what is larger between threads
constexpr std::int64_t kBlock = 256;          ///< rows that are added up before they join the sum of all

template <class T>
constexpr int kLanes = kVectorBytes / static_cast<int>(sizeof(T));
template <class T>
using Lanes [[gnu::vector_size(kVectorBytes)]] = T;
template <class T>
using Mask [[gnu::vector_size(kVectorBytes)]] = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;

template <class T>
[[gnu::always_inline]] inline Lanes<T> load(const T* from) {
  Lanes<T> lanes;
  std::memcpy(&lanes, from, sizeof(lanes));
  return lanes;
}

/// Sums of neighbours: of `a` in the first half, of `b` in the second.
template <class T, std::size_t... k>
[[gnu::always_inline]] inline Lanes<T> sums_of_pairs(const Lanes<T>& a, const Lanes<T>& b, std::index_sequence<k...>) {
  return __builtin_shufflevector(a, b, (2 * k)...) + __builtin_shufflevector(a, b, (2 * k + 1)...);
}

template <class T>
struct Rows {
  const T* data;
  std::int64_t count, columns, stride;

  /// Rows of which `vectors` whole vectors may be read: those at the end would be read beyond the matrix.
  std::int64_t readable(int vectors) const {
    return std::max<std::int64_t>(count - (vectors * kLanes<T> - columns + stride - 1) / stride, 0);
  }
};

/// As many rows at once as a vector has lanes; lanes behind the columns are of the next row, and masked.
template <class T, int vectors>
void times_vector(const Rows<T>& x, const T* vector, T* out) {
  constexpr int n = kLanes<T>;
  T padded[vectors * n] = {};
  std::copy_n(vector, x.columns, padded);
  Lanes<T> factors[vectors];
  for (int c = 0; c < vectors; ++c) factors[c] = load(padded + c * n);
  Mask<T> mask;
  for (int k = 0; k < n; ++k) mask[k] = (vectors - 1) * n + k < x.columns ? -1 : 0;
  std::int64_t i = 0;
  for (const std::int64_t stop = x.readable(vectors) - n; i <= stop; i += n) {
    Lanes<T> sums[n];
#pragma GCC unroll 8
    for (int k = 0; k < n; ++k) {
      const T* row = x.data + (i + k) * x.stride;
      sums[k] = (Lanes<T>)((Mask<T>)load(row + (vectors - 1) * n) & mask) * factors[vectors - 1];
#pragma GCC unroll 4
      for (int c = 0; c + 1 < vectors; ++c) sums[k] += load(row + c * n) * factors[c];
    }
#pragma GCC unroll 4
    for (int half = n / 2; half > 0; half /= 2)
#pragma GCC unroll 4
      for (int k = 0; k < half; ++k)
        sums[k] = sums_of_pairs<T>(sums[2 * k], sums[2 * k + 1], std::make_index_sequence<n>());
    std::memcpy(out + i, &sums[0], sizeof(sums[0]));
  }
  for (; i < x.count; ++i) {
    T sum = 0;
    for (std::int64_t j = 0; j < x.columns; ++j) sum += x.data[i * x.stride + j] * vector[j];
    out[i] = sum;
  }
}

/// Lanes are columns; those behind them are not stored.
template <class T, int vectors>
void sum_of_rows(const Rows<T>& x, const T* vector, T* out) {
  constexpr int n = kLanes<T>, at_once = vectors > 2 ? 2 : 4;
  Lanes<T> total[vectors] = {};
  const std::int64_t readable = x.readable(vectors);
  std::int64_t i = 0;
  while (i + at_once <= readable) {
    Lanes<T> sums[at_once][vectors] = {};
    const std::int64_t stop = std::min(readable, i + kBlock) - at_once;
    for (; i <= stop; i += at_once)
#pragma GCC unroll 4
      for (int k = 0; k < at_once; ++k)
#pragma GCC unroll 4
        for (int c = 0; c < vectors; ++c) sums[k][c] += load(x.data + (i + k) * x.stride + c * n) * vector[i + k];
    for (int c = 0; c < vectors; ++c) {
      for (int k = 1; k < at_once; ++k) sums[0][c] += sums[k][c];
      total[c] += sums[0][c];
    }
  }
  T sums[vectors * n];
  std::memcpy(sums, total, sizeof(sums));
  for (; i < x.count; ++i)
    for (std::int64_t j = 0; j < x.columns; ++j) sums[j] += vector[i] * x.data[i * x.stride + j];
  std::copy_n(sums, x.columns, out);
}

template <class T>
using Product = void (*)(const Rows<T>&, const T*, T*);

template <class T>
Product<T> product_for(std::int64_t columns, bool by_rows) {
  static constexpr Product<T> times[] = {times_vector<T, 1>, times_vector<T, 2>, times_vector<T, 3>,
                                         times_vector<T, 4>};
  static constexpr Product<T> sums[] = {sum_of_rows<T, 1>, sum_of_rows<T, 2>, sum_of_rows<T, 3>, sum_of_rows<T, 4>};
  const Product<T>* const known = by_rows ? times : sums;
  return known[(columns - 1) / kLanes<T>];
}

template <class T>
void multiply(const NarrowMatrix& x, const void* vector, void* out, bool by_rows) {
  const Rows<T> rows{static_cast<const T*>(x.data), x.rows, x.columns, x.stride};
  product_for<T>(x.columns, by_rows)(rows, static_cast<const T*>(vector), static_cast<T*>(out));
}

}  // namespace

bool is_narrow(const NarrowMatrix& x) {
  static const bool has_loops = __builtin_cpu_supports("avx2");
  if (!has_loops || x.rows < 1 || x.columns < 1 || x.stride < x.columns) return false;
  const auto size = static_cast<std::int64_t>(size_of(x.dtype));
  if (x.dtype != DType::float32 && x.dtype != DType::float64) return false;
  return x.columns * size <= kVectors * kVectorBytes && x.rows <= kMostBytes / (x.stride * size);
}

void multiply(const NarrowMatrix& x, const void* vector, void* out, bool by_rows) {
  x.dtype == DType::float32 ? multiply<float>(x, vector, out, by_rows) : multiply<double>(x, vector, out, by_rows);
}

#else

bool is_narrow(const NarrowMatrix&) { return false; }
void multiply(const NarrowMatrix&, const void*, void*, bool) {}

#endif

}  // namespace devarray::host
