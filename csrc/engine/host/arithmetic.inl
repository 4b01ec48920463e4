// Values and their arithmetic as kernels have it: devarray/ops/expressions.py and devarray/codegen/prelude/, in C++.
// Included by loops.inl alone: everything is in its unnamed namespace, compiled for one set of instructions.

template <class R>
struct Complex {
  R re, im;
};

template <DType T>
struct ValueOf;
#define DEVARRAY_VALUE(name, type, unsigned_, signed_)  \
  template <>                                           \
  struct ValueOf<DType::name> {                         \
    using value = type;  /* in value form */            \
    using U = unsigned_; /* computed in: no overflow */ \
    using W = signed_;   /* unsigned, as wide */        \
  };
DEVARRAY_VALUE(bool_, std::uint8_t, std::uint32_t, std::uint8_t)
DEVARRAY_VALUE(int8, std::int8_t, std::uint32_t, std::uint8_t)
DEVARRAY_VALUE(int16, std::int16_t, std::uint32_t, std::uint16_t)
DEVARRAY_VALUE(int32, std::int32_t, std::uint32_t, std::uint32_t)
DEVARRAY_VALUE(int64, std::int64_t, std::uint64_t, std::uint64_t)
DEVARRAY_VALUE(uint8, std::uint8_t, std::uint32_t, std::uint8_t)
DEVARRAY_VALUE(uint16, std::uint16_t, std::uint32_t, std::uint16_t)
DEVARRAY_VALUE(uint32, std::uint32_t, std::uint32_t, std::uint32_t)
DEVARRAY_VALUE(uint64, std::uint64_t, std::uint64_t, std::uint64_t)
DEVARRAY_VALUE(float16, float, void, void)
DEVARRAY_VALUE(float32, float, void, void)
DEVARRAY_VALUE(float64, double, void, void)
DEVARRAY_VALUE(complex64, Complex<float>, void, void)
DEVARRAY_VALUE(complex128, Complex<double>, void, void)
#undef DEVARRAY_VALUE

template <DType T>
using Value = typename ValueOf<T>::value;
template <DType T>
using Unsigned = typename ValueOf<T>::U;  // at least 32 bits
template <DType T>
using Word = typename ValueOf<T>::W;
using Truth = std::uint8_t;

constexpr bool is_signed(DType t) { return kind_of(t) == Kind::integer; }
constexpr bool is_whole(DType t) { return kind_rank(kind_of(t)) == 1; }
constexpr bool is_real(DType t) { return kind_of(t) == Kind::real; }
constexpr bool is_complex(DType t) { return kind_of(t) == Kind::complex; }

template <class To, class From>
inline To bits_of(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  __builtin_memcpy(&to, &from, sizeof to);
  return to;
}

// --- real numbers --------------------------------------------------------------------------------------------------

inline float magnitude(float x) { return __builtin_fabsf(x); }
inline double magnitude(double x) { return __builtin_fabs(x); }
inline float root(float x) { return __builtin_sqrtf(x); }
inline double root(double x) { return __builtin_sqrt(x); }
inline float down(float x) { return __builtin_floorf(x); }
inline double down(double x) { return __builtin_floor(x); }
inline float up(float x) { return __builtin_ceilf(x); }
inline double up(double x) { return __builtin_ceil(x); }
inline float towards_zero(float x) { return __builtin_truncf(x); }
inline double towards_zero(double x) { return __builtin_trunc(x); }
inline float nearest(float x) { return __builtin_rintf(x); }
inline double nearest(double x) { return __builtin_rint(x); }
/// What division leaves is exact. Products of a float and of a quotient below 2**29 are, too, in double; the quotient
/// may be one too large. The library's function goes bit by bit.
inline float left_over(float x, float y) {
  const double a = x, b = y, quotient = a / b;
  if (!(magnitude(quotient) < 0x1p29) || magnitude(y) == __builtin_inff()) return __builtin_fmodf(x, y);
  double r = a - static_cast<std::int32_t>(quotient) * b;
  if (r != 0 && (r < 0) != (a < 0)) r += a < 0 ? -magnitude(b) : magnitude(b);
  return __builtin_copysignf(static_cast<float>(r), x);
}
inline double left_over(double x, double y) { return __builtin_fmod(x, y); }
inline float with_sign(float x, float y) { return __builtin_copysignf(x, y); }
inline double with_sign(double x, double y) { return __builtin_copysign(x, y); }
template <class R>
inline bool infinite(R x) {
  return magnitude(x) == static_cast<R>(__builtin_inf());
}
template <class R>
inline bool finite(R x) {
  return magnitude(x) < static_cast<R>(__builtin_inf());
}
inline bool negative_sign(float x) { return bits_of<std::uint32_t>(x) >> 31; }
inline bool negative_sign(double x) { return bits_of<std::uint64_t>(x) >> 63; }

// NumPy's halves give the first of equals, so of zeros.
template <DType T, class R>
inline R maximum(R a, R b) {
  if constexpr (T == DType::float16) return a >= b || a != a ? a : b;
  return a > b || a != a ? a : b;
}
template <DType T, class R>
inline R minimum(R a, R b) {
  if constexpr (T == DType::float16) return a <= b || a != a ? a : b;
  return a < b || a != a ? a : b;
}
template <DType T, class R>
inline R fmax_of(R a, R b) {
  if constexpr (T == DType::float16) return a >= b || b != b ? a : b;
  return a > b || b != b ? a : b;
}
template <DType T, class R>
inline R fmin_of(R a, R b) {
  if constexpr (T == DType::float16) return a <= b || b != b ? a : b;
  return a < b || b != b ? a : b;
}
template <class R>
inline R clip_between(R x, R low, R high) {
  const R y = x < low || low != low ? low : x;
  return y > high || high != high ? high : y;
}
template <class R>
inline R floored_remainder(R a, R b) {
  const R r = left_over(a, b);
  if (r == 0) return with_sign(R(0), b);
  return (r < 0) != (b < 0) ? r + b : r;
}
template <class R>
inline R floored_quotient(R a, R b) {
  if (b == 0) return a / b;
  const R r = left_over(a, b);
  R q = (a - r) / b;
  if (r != 0 && (r < 0) != (b < 0)) q -= R(1);
  if (q == 0) return with_sign(R(0), a / b);
  const R f = down(q);
  return q - f > R(0.5) ? f + R(1) : f;
}

// --- halves ----------------------------------------------------------------------------------------------------------

inline float half_to_float(std::uint16_t h) {
  const std::uint32_t m = h & 0x7fffU;
  const std::uint32_t f =
      bits_of<std::uint32_t>(bits_of<float>(m << 13) * 0x1p112F) | (m >= 0x7c00U ? 0x7f800000U : 0U);
  return bits_of<float>(f | (static_cast<std::uint32_t>(h & 0x8000U) << 16));
}
/// Of a float that holds a half's value.
inline std::uint16_t float_to_half(float x) {
  const auto u = bits_of<std::uint32_t>(x), a = u & 0x7fffffffU;
  std::uint32_t h =
      a >= 0x38800000U ? (a - 0x38000000U) >> 13 : bits_of<std::uint32_t>(bits_of<float>(a) + 0.5F) - 0x3f000000U;
  h = a >= 0x7f800000U ? (a > 0x7f800000U ? 0x7e00U : 0x7c00U) : h;
  return static_cast<std::uint16_t>(h | (u >> 16 & 0x8000U));
}
/// The nearest half, ties to even, as a float.
inline float rounded_to_half(float x) {
  const auto u = bits_of<std::uint32_t>(x), a = u & 0x7fffffffU;
  std::uint32_t r = (a + 0xfffU + (a >> 13 & 1U)) & 0xffffe000U;
  r = r >= 0x47800000U ? 0x7f800000U : r;
  r = a < 0x38800000U ? bits_of<std::uint32_t>(bits_of<float>(a) + 0.5F - 0.5F) : r;
  r = a > 0x7f800000U ? a : r;
  return bits_of<float>(r | (u & 0x80000000U));
}
inline float rounded_to_half(double x) {
  const auto u = bits_of<std::uint64_t>(x), a = u & 0x7fffffffffffffffU;
  std::uint64_t r = (a + 0x1ffffffffffU + (a >> 42 & 1U)) & 0xfffffc0000000000U;
  r = r >= 0x40f0000000000000U ? 0x7ff0000000000000U : r;
  r = a < 0x3f10000000000000U ? bits_of<std::uint64_t>(bits_of<double>(a) + 0x1p28 - 0x1p28) : r;
  r = a > 0x7ff0000000000000U ? a : r;
  return static_cast<float>(bits_of<double>(r | (u & 0x8000000000000000U)));
}

// --- integers
// ------------------------------------------------------------------------------------------------------------

template <DType T>
inline Value<T> truncated_quotient(Value<T> a, Value<T> b) {
  using V = Value<T>;
  if (b == 0) return 0;
  if constexpr (is_signed(T)) {
    if (b == V(-1)) return static_cast<V>(Unsigned<T>(0) - static_cast<Unsigned<T>>(a));
  }
  return static_cast<V>(a / b);
}
template <DType T>
inline Value<T> truncated_rest(Value<T> a, Value<T> b) {
  using V = Value<T>;
  if (b == 0) return 0;
  if constexpr (is_signed(T)) {
    if (b == V(-1)) return 0;
  }
  return static_cast<V>(a % b);
}
template <DType T>
inline Word<T> absolute(Value<T> a) {
  using U = Unsigned<T>;
  return static_cast<Word<T>>(a < 0 ? U(0) - static_cast<U>(a) : static_cast<U>(a));
}
template <class W>
inline W common_divisor(W x, W y) {
  while (y != 0) {
    const W r = static_cast<W>(x % y);
    x = y;
    y = r;
  }
  return x;
}
template <DType T>
inline Value<T> power(Value<T> a, Value<T> b) {
  using V = Value<T>;
  using U = Unsigned<T>;
  if constexpr (is_signed(T)) {
    if (b < 0) return a == 1 ? V(1) : a == V(-1) ? (b & 1 ? V(-1) : V(1)) : V(0);
  }
  U r = 1, x = static_cast<U>(a);
  for (V n = b; n != 0; n = static_cast<V>(n >> 1)) {
    if (n & 1) r *= x;
    x *= x;
  }
  return static_cast<V>(r);
}

// --- complex numbers
// -----------------------------------------------------------------------------------------------------

template <class R>
inline bool nan(Complex<R> z) {
  return z.re != z.re || z.im != z.im;
}
template <class R>
inline bool less(Complex<R> a, Complex<R> b) {
  return a.re == b.re ? a.im < b.im : a.re < b.re && a.im == a.im && b.im == b.im;
}
template <class R>
inline bool less_equal(Complex<R> a, Complex<R> b) {
  return a.re == b.re ? a.im <= b.im : a.re < b.re && a.im == a.im && b.im == b.im;
}
template <DType T, class R>
inline Complex<R> maximum(Complex<R> a, Complex<R> b) {
  return nan(a) || less_equal(b, a) ? a : b;
}
template <DType T, class R>
inline Complex<R> minimum(Complex<R> a, Complex<R> b) {
  return nan(a) || less_equal(a, b) ? a : b;
}
template <DType T, class R>
inline Complex<R> fmax_of(Complex<R> a, Complex<R> b) {
  return nan(b) || less_equal(b, a) ? a : b;
}
template <DType T, class R>
inline Complex<R> fmin_of(Complex<R> a, Complex<R> b) {
  return nan(b) || less_equal(a, b) ? a : b;
}
template <class R>
inline Complex<R> product(Complex<R> a, Complex<R> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <class R>
inline Complex<R> quotient(Complex<R> a, Complex<R> b) {
  const R x = magnitude(b.re), y = magnitude(b.im);
  if (x >= y) {
    if (x == 0) return {a.re / x, a.im / x};
    const R ratio = b.im / b.re, scale = R(1) / (b.re + b.im * ratio);
    return {(a.re + a.im * ratio) * scale, (a.im - a.re * ratio) * scale};
  }
  const R ratio = b.re / b.im, scale = R(1) / (b.im + b.re * ratio);
  return {(a.re * ratio + a.im) * scale, (a.im * ratio - a.re) * scale};
}
template <class R>
inline Complex<R> inverse(Complex<R> z) {
  if (magnitude(z.im) <= magnitude(z.re)) {
    const R ratio = z.im / z.re, d = z.re + z.im * ratio;
    return {R(1) / d, -ratio / d};
  }
  const R ratio = z.re / z.im, d = z.re * ratio + z.im;
  return {ratio / d, R(-1) / d};
}

// --- conversions
// -----------------------------------------------------------------------------------------------------------

/// Out of range and NaN give the least integer of 32 or 64 bits; narrower types take its low bits.
template <class R>
inline std::int32_t whole32(R x) {
  return x > R(-2147483649.0) && x < R(2147483648.0) ? static_cast<std::int32_t>(x) : INT32_MIN;
}
template <class R>
inline std::int64_t whole64(R x) {
  return x >= R(-0x1p63) && x < R(0x1p63) ? static_cast<std::int64_t>(x) : INT64_MIN;
}

template <DType From, DType To>
inline Value<To> cast_value(Value<From> x) {
  using V = Value<To>;
  if constexpr (From == To) {
    return x;
  } else if constexpr (To == DType::bool_) {
    if constexpr (is_complex(From))
      return x.re != 0 || x.im != 0;
    else
      return x != 0;
  } else if constexpr (is_complex(To)) {
    using R = decltype(V::re);
    if constexpr (is_complex(From))
      return {static_cast<R>(x.re), static_cast<R>(x.im)};
    else
      return {static_cast<R>(x), R(0)};
  } else if constexpr (is_complex(From)) {
    return cast_value<From == DType::complex64 ? DType::float32 : DType::float64, To>(x.re);
  } else if constexpr (To == DType::float16) {
    if constexpr (From == DType::float64)
      return rounded_to_half(x);
    else if constexpr (size_of(From) == 1)
      return static_cast<float>(x);
    else
      return rounded_to_half(static_cast<float>(x));
  } else if constexpr (is_real(From) && is_whole(To)) {
    using R = Value<From>;
    if constexpr (To == DType::uint64)
      return x >= R(0x1p63) ? static_cast<std::uint64_t>(whole64(static_cast<R>(x - R(0x1p63)))) ^ 0x8000000000000000U
                            : static_cast<std::uint64_t>(whole64(x));
    else if constexpr (To == DType::int64 || To == DType::uint32)
      return static_cast<V>(whole64(x));
    else
      return static_cast<V>(whole32(x));
  } else {
    return static_cast<V>(x);
  }
}
