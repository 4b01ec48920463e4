// Loops over the functions of svml.hpp, for one width of vectors: included by svml_avx2.cpp and svml_avx512.cpp, which
// name the width in bytes and the function that they define. As in loops.inl, nothing of the standard library with code
// of its own may be used here.
#include <cstring>
#include <utility>

#include "engine/host/svml.hpp"

namespace devarray::host {
namespace {

template <class T>
struct VectorOf;
template <>
struct VectorOf<float> {
  typedef float type __attribute__((vector_size(DEVARRAY_SVML_WIDTH)));
  typedef std::int32_t bits __attribute__((vector_size(DEVARRAY_SVML_WIDTH)));
  static constexpr std::int32_t magnitude = 0x7fffffff;
};
template <>
struct VectorOf<double> {
  typedef double type __attribute__((vector_size(DEVARRAY_SVML_WIDTH)));
  typedef std::int64_t bits __attribute__((vector_size(DEVARRAY_SVML_WIDTH)));
  static constexpr std::int64_t magnitude = 0x7fffffffffffffff;
};
template <class T>
using Vector = typename VectorOf<T>::type;
template <class T>
constexpr std::size_t kLanes = DEVARRAY_SVML_WIDTH / sizeof(T);

template <class T>
struct Limits;
template <>
struct Limits<float> {
  static constexpr float most = __FLT_MAX__, epsilon = __FLT_EPSILON__, infinity = __builtin_inff();
};
template <>
struct Limits<double> {
  static constexpr double most = __DBL_MAX__, epsilon = __DBL_EPSILON__, infinity = __builtin_inf();
};

template <Svml F, class T, class... In>
inline Vector<T> call(In... in) {
  return reinterpret_cast<Vector<T> (*)(In...)>(svml_functions[static_cast<int>(F)][sizeof(T) == 8])(in...);
}

template <class T>
inline Vector<T> magnitude(Vector<T> x) {
  using Bits = typename VectorOf<T>::bits;
  return (Vector<T>)((Bits)x & VectorOf<T>::magnitude);
}

// The texts of devarray/codegen/prelude, for a vector each.

template <Svml F, class T>
struct Function {
  template <class... In>
  static inline Vector<T> of(In... in) {
    return call<F, T>(in...);
  }
};
template <class T>
struct Function<Svml::log1p, T> {
  static inline Vector<T> of(Vector<T> x) {
    return magnitude<T>(x) < T(0.25) * Limits<T>::epsilon ? x : call<Svml::log1p, T>(x);
  }
};
template <>
struct Function<Svml::hypot, double> {
  static inline Vector<double> of(Vector<double> x, Vector<double> y) {
    using L = Limits<double>;
    const Vector<double> a = magnitude<double>(x), b = magnitude<double>(y);
    const Vector<double> most = a > b || b != b ? a : b, least = a < b || b != b ? a : b;
    const auto large = most > 0.5 * L::most && most <= L::most;
    const Vector<double> one = Vector<double>{} + 1.0, scale = large ? one * 0.5 : one;
    const Vector<double> h = call<Svml::hypot, double>(x * scale, y * scale);
    return least < most * (0.25 * L::epsilon) ? most : large ? h * 2.0 : h;
  }
};

inline float hypot_of(float x, float y) {
  const double a = x, b = y;
  const bool endless = __builtin_fabsf(x) == Limits<float>::infinity || __builtin_fabsf(y) == Limits<float>::infinity;
  return endless ? Limits<float>::infinity : static_cast<float>(__builtin_sqrt(a * a + b * b));
}

/// The vector from element i on; behind the end its first element stands again.
template <class T>
inline Vector<T> vector_at(const T* from, std::size_t i, std::size_t n) {
  Vector<T> v;
  if (i + kLanes<T> <= n) {
    std::memcpy(&v, from + i, sizeof v);
    return v;
  }
  T lanes[kLanes<T>];
  for (std::size_t j = 0; j < kLanes<T>; ++j) lanes[j] = from[i + j < n ? i + j : i];
  std::memcpy(&v, lanes, sizeof v);
  return v;
}
template <class T>
inline void store(T* to, Vector<T> v, std::size_t i, std::size_t n) {
  if (i + kLanes<T> <= n)
    std::memcpy(to + i, &v, sizeof v);
  else
    std::memcpy(to + i, &v, (n - i) * sizeof(T));
}

template <Svml F, class T>
void of_one(void* out, const void* const* in, std::size_t n, std::int64_t) {
  const auto* a = static_cast<const T*>(in[0]);
  for (std::size_t i = 0; i < n; i += kLanes<T>)
    store(static_cast<T*>(out), Function<F, T>::of(vector_at(a, i, n)), i, n);
}
template <Svml F, class T>
void of_two(void* out, const void* const* in, std::size_t n, std::int64_t) {
  const auto *a = static_cast<const T*>(in[0]), *b = static_cast<const T*>(in[1]);
  for (std::size_t i = 0; i < n; i += kLanes<T>)
    store(static_cast<T*>(out), Function<F, T>::of(vector_at(a, i, n), vector_at(b, i, n)), i, n);
}
void hypot_floats(void* out, const void* const* in, std::size_t n, std::int64_t) {
  const auto *a = static_cast<const float*>(in[0]), *b = static_cast<const float*>(in[1]);
  for (std::size_t i = 0; i < n; ++i) static_cast<float*>(out)[i] = hypot_of(a[i], b[i]);
}
/// Complex numbers' magnitudes.
void abs_complex_floats(void* out, const void* const* in, std::size_t n, std::int64_t) {
  const auto* a = static_cast<const float*>(in[0]);
  for (std::size_t i = 0; i < n; ++i) static_cast<float*>(out)[i] = hypot_of(a[2 * i], a[2 * i + 1]);
}
void abs_complex_doubles(void* out, const void* const* in, std::size_t n, std::int64_t) {
  constexpr std::size_t L = kLanes<double>;
  const auto* a = static_cast<const double*>(in[0]);
  for (std::size_t i = 0; i < n; i += L, a += 2 * L) {
    Vector<double> re, im;  // made in registers: a vector read from memory just written by halves waits for it
    if (i + L <= n)
      for (std::size_t j = 0; j < L; ++j) re[j] = a[2 * j], im[j] = a[2 * j + 1];
    else
      for (std::size_t j = 0; j < L; ++j) re[j] = a[i + j < n ? 2 * j : 0], im[j] = a[i + j < n ? 2 * j + 1 : 1];
    store(static_cast<double*>(out), Function<Svml::hypot, double>::of(re, im), i, n);
  }
}
/// Powers of which all have the same exponent: pow_by.
template <class T>
void pow_by(void* out, const void* const* in, std::size_t n, std::int64_t first) {
  const auto *a = static_cast<const T*>(in[0]), *b = static_cast<const T*>(in[1]);
  if (n == 0 || b[0] != T(0.5)) return of_two<Svml::pow, T>(out, in, n, first);
  auto* r = static_cast<T*>(out);
  for (std::size_t i = 0; i < n; ++i) {
    const T x = a[i] == -Limits<T>::infinity ? Limits<T>::infinity : a[i] + T(0);
    if constexpr (sizeof(T) == 4)
      r[i] = __builtin_sqrtf(x);
    else
      r[i] = __builtin_sqrt(x);
  }
}

struct SvmlRow {
  const char* name;
  Loop loops[2];  ///< float32, float64
};
constexpr SvmlRow kSvmlRows[] = {
#define DEVARRAY_SVML_ROW(name) {#name, {&of_one<Svml::name, float>, &of_one<Svml::name, double>}},
    DEVARRAY_SVML_OF_ONE(DEVARRAY_SVML_ROW)
#undef DEVARRAY_SVML_ROW
#define DEVARRAY_SVML_ROW(name) {#name, {&of_two<Svml::name, float>, &of_two<Svml::name, double>}},
        DEVARRAY_SVML_ROW(atan2) DEVARRAY_SVML_ROW(pow)
#undef DEVARRAY_SVML_ROW
            {"hypot", {&hypot_floats, &of_two<Svml::hypot, double>}},
    {"pow:scalars", {&pow_by<float>, &pow_by<double>}},
    {"float_power", {nullptr, &of_two<Svml::pow, double>}},
    {"float_power:scalars", {nullptr, &pow_by<double>}},
};

}  // namespace

Loop DEVARRAY_SVML_FIND(const char* name, DType compute) {
  if (kind_of(compute) == Kind::complex) {
    if (__builtin_strcmp(name, "abs") != 0) return nullptr;
    return compute == DType::complex64 ? &abs_complex_floats : &abs_complex_doubles;
  }
  if (compute != DType::float32 && compute != DType::float64) return nullptr;
  for (const SvmlRow& row : kSvmlRows)
    if (__builtin_strcmp(row.name, name) == 0) return row.loops[compute == DType::float64];
  return nullptr;
}

}  // namespace devarray::host
