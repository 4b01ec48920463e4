// The loops, for one set of instructions: included by baseline.cpp and avx2.cpp, which name the set that they define.
// Nothing of the standard library with code of its own may be used here: the linker would be free to take its AVX2 copy
// for the rest of the extension. Compiled without contraction, and for vectors (CMakeLists.txt).
#include <type_traits>
#include <utility>

#include "engine/host/loops.hpp"

namespace devarray::host {
namespace {

#include "engine/host/arithmetic.inl"

// --- operations: of(...) for each compute dtype; the result's type follows -------------------------------------------

#define DEVARRAY_UNARY(name, ...)              \
  struct name {                                \
    template <DType T>                         \
    static inline auto of(Value<T> a) {        \
      using V = Value<T>;                      \
      (void)sizeof(V);                         \
      __VA_ARGS__                              \
    }                                          \
  };
#define DEVARRAY_BINARY(name, ...)                \
  struct name {                                   \
    template <DType T>                            \
    static inline auto of(Value<T> a, Value<T> b) { \
      using V = Value<T>;                         \
      (void)sizeof(V);                            \
      __VA_ARGS__                                 \
    }                                             \
  };

#define DEVARRAY_ARITHMETIC(name, sign, complex_text)                                                   \
  DEVARRAY_BINARY(name, {                                                                               \
    if constexpr (is_complex(T))                                                                        \
      return V complex_text;                                                                            \
    else if constexpr (is_real(T))                                                                      \
      return static_cast<V>(a sign b);                                                                  \
    else                                                                                                \
      return static_cast<V>(static_cast<Unsigned<T>>(a) sign static_cast<Unsigned<T>>(b));              \
  })

struct Add {
  template <DType T>
  static inline Value<T> of(Value<T> a, Value<T> b) {
    if constexpr (is_complex(T))
      return {a.re + b.re, a.im + b.im};
    else if constexpr (T == DType::bool_)
      return a | b;
    else if constexpr (is_real(T))
      return a + b;
    else
      return static_cast<Value<T>>(static_cast<Unsigned<T>>(a) + static_cast<Unsigned<T>>(b));
  }
};
struct Subtract {
  template <DType T>
  static inline Value<T> of(Value<T> a, Value<T> b) {
    if constexpr (is_complex(T))
      return {a.re - b.re, a.im - b.im};
    else if constexpr (is_real(T))
      return a - b;
    else
      return static_cast<Value<T>>(static_cast<Unsigned<T>>(a) - static_cast<Unsigned<T>>(b));
  }
};
struct Multiply {
  template <DType T>
  static inline Value<T> of(Value<T> a, Value<T> b) {
    if constexpr (is_complex(T))
      return product(a, b);
    else if constexpr (T == DType::bool_)
      return a & b;
    else if constexpr (is_real(T))
      return a * b;
    else
      return static_cast<Value<T>>(static_cast<Unsigned<T>>(a) * static_cast<Unsigned<T>>(b));
  }
};
#undef DEVARRAY_ARITHMETIC

DEVARRAY_BINARY(Divide, {
  if constexpr (is_complex(T))
    return quotient(a, b);
  else
    return a / b;
})
DEVARRAY_BINARY(FloorDivide, {
  if constexpr (is_real(T)) {
    return infinite(a) || infinite(b) ? a / b : floored_quotient(a, b);
  } else {
    const V q = truncated_quotient<T>(a, b), r = truncated_rest<T>(a, b);
    return static_cast<V>(q - (r != 0 && (r < 0) != (b < 0)));
  }
})
DEVARRAY_BINARY(NumpyFloorDivide, {
  if constexpr (is_real(T))
    return floored_quotient(a, b);
  else
    return FloorDivide::of<T>(a, b);
})
DEVARRAY_BINARY(Remainder, {
  if constexpr (is_real(T)) {
    return floored_remainder(a, b);
  } else {
    const V r = truncated_rest<T>(a, b);
    return static_cast<V>(r + (r != 0 && (r < 0) != (b < 0) ? b : V(0)));
  }
})
DEVARRAY_BINARY(Fmod, {
  if constexpr (is_real(T))
    return left_over(a, b);
  else
    return truncated_rest<T>(a, b);
})
DEVARRAY_BINARY(Pow, { return power<T>(a, b); })
DEVARRAY_UNARY(Negative, {
  if constexpr (is_complex(T))
    return V{-a.re, -a.im};
  else if constexpr (is_real(T))
    return -a;
  else
    return static_cast<V>(Unsigned<T>(0) - static_cast<Unsigned<T>>(a));
})
DEVARRAY_UNARY(Same, { return a; })
DEVARRAY_UNARY(Abs, {
  if constexpr (is_real(T))
    return magnitude(a);
  else if constexpr (is_signed(T))
    return static_cast<V>(absolute<T>(a));
  else
    return a;
})
DEVARRAY_UNARY(Sign, {
  if constexpr (is_real(T))
    return a > 0 ? V(1) : a < 0 ? V(-1) : a == 0 ? V(0) : a;
  else
    return static_cast<V>((a > 0) - (a < 0));
})
DEVARRAY_UNARY(Square, { return Multiply::of<T>(a, a); })
DEVARRAY_UNARY(Reciprocal, {
  if constexpr (is_complex(T))
    return inverse(a);
  else if constexpr (is_real(T))
    return V(1) / a;
  else if constexpr (is_signed(T))
    return a == 1 || a == V(-1) ? a
           : a == 0             ? static_cast<V>(Unsigned<T>(1) << (sizeof(Unsigned<T>) * 8 - 1))
                                : V(0);
  else
    return static_cast<V>(a == 1);
})
DEVARRAY_UNARY(Sqrt, { return root(a); })
DEVARRAY_BINARY(Gcd, {
  if constexpr (is_signed(T))
    return static_cast<V>(common_divisor(absolute<T>(a), absolute<T>(b)));
  else
    return common_divisor(a, b);
})
DEVARRAY_BINARY(Lcm, {
  Word<T> x = static_cast<Word<T>>(a), y = static_cast<Word<T>>(b);
  if constexpr (is_signed(T)) x = absolute<T>(a), y = absolute<T>(b);
  const Word<T> g = common_divisor(x, y);
  return g == 0 ? V(0) : static_cast<V>(static_cast<Unsigned<T>>(static_cast<Word<T>>(x / g)) * static_cast<Unsigned<T>>(y));
})
DEVARRAY_UNARY(Ceil, {
  if constexpr (is_real(T))
    return up(a);
  else
    return a;
})
DEVARRAY_UNARY(Floor, {
  if constexpr (is_real(T))
    return down(a);
  else
    return a;
})
DEVARRAY_UNARY(Trunc, {
  if constexpr (is_real(T))
    return towards_zero(a);
  else
    return a;
})
DEVARRAY_UNARY(Round, {
  if constexpr (is_complex(T))
    return V{nearest(a.re), nearest(a.im)};
  else if constexpr (is_real(T))
    return nearest(a);
  else
    return a;
})
DEVARRAY_UNARY(ToRadians, {
  constexpr V pi = sizeof(V) == 8 ? V(3.141592653589793) : V(3.14159274F);
  return a * (pi / V(180));
})
DEVARRAY_UNARY(ToDegrees, {
  constexpr V pi = sizeof(V) == 8 ? V(3.141592653589793) : V(3.14159274F);
  return a * (V(180) / pi);
})
DEVARRAY_BINARY(Equal, {
  if constexpr (is_complex(T))
    return Truth(a.re == b.re && a.im == b.im);
  else
    return Truth(a == b);
})
DEVARRAY_BINARY(NotEqual, {
  if constexpr (is_complex(T))
    return Truth(a.re != b.re || a.im != b.im);
  else
    return Truth(a != b);
})
DEVARRAY_BINARY(Less, {
  if constexpr (is_complex(T))
    return Truth(less(a, b));
  else
    return Truth(a < b);
})
DEVARRAY_BINARY(LessEqual, {
  if constexpr (is_complex(T))
    return Truth(less_equal(a, b));
  else
    return Truth(a <= b);
})
DEVARRAY_BINARY(Greater, { return Less::of<T>(b, a); })
DEVARRAY_BINARY(GreaterEqual, { return LessEqual::of<T>(b, a); })
#define DEVARRAY_EXTREME(name, function, sign)    \
  DEVARRAY_BINARY(name, {                         \
    if constexpr (is_real(T) || is_complex(T))    \
      return function<T>(a, b);                   \
    else                                          \
      return a sign b ? a : b;                    \
  })
DEVARRAY_EXTREME(Maximum, maximum, >)
DEVARRAY_EXTREME(Minimum, minimum, <)
DEVARRAY_EXTREME(Fmax, fmax_of, >)
DEVARRAY_EXTREME(Fmin, fmin_of, <)
#undef DEVARRAY_EXTREME
struct Clip {
  template <DType T>
  static inline Value<T> of(Value<T> a, Value<T> low, Value<T> high) {
    if constexpr (T == DType::float16) {
      return clip_between(a, low, high);
    } else if constexpr (is_real(T) || is_complex(T)) {
      return minimum<T>(maximum<T>(a, low), high);
    } else {
      const Value<T> y = a > low ? a : low;
      return y < high ? y : high;
    }
  }
};
struct ClipBetweenScalars {
  template <DType T>
  static inline Value<T> of(Value<T> a, Value<T> low, Value<T> high) {
    return clip_between(a, low, high);
  }
};
DEVARRAY_BINARY(Heaviside, { return a < 0 ? V(0) : a > 0 ? V(1) : a == 0 ? b : a; })
DEVARRAY_BINARY(BitAnd, { return static_cast<V>(a & b); })
DEVARRAY_BINARY(BitOr, { return static_cast<V>(a | b); })
DEVARRAY_BINARY(BitXor, { return static_cast<V>(a ^ b); })
DEVARRAY_UNARY(BitInvert, {
  if constexpr (T == DType::bool_)
    return static_cast<V>(!a);
  else
    return static_cast<V>(~a);
})
DEVARRAY_BINARY(LeftShift, {
  constexpr unsigned bits = 8 * sizeof(V);
  const auto count = static_cast<Word<T>>(b);
  return count < bits ? static_cast<V>(static_cast<Unsigned<T>>(a) << (count & (bits - 1))) : V(0);
})
DEVARRAY_BINARY(RightShift, {
  constexpr unsigned bits = 8 * sizeof(V);
  const auto count = static_cast<Word<T>>(b);
  if constexpr (is_signed(T))
    return static_cast<V>(a >> (count < bits ? count & (bits - 1) : bits - 1));
  else
    return count < bits ? static_cast<V>(a >> (count & (bits - 1))) : V(0);
})
DEVARRAY_UNARY(BitCount, {
  std::uint64_t x = static_cast<Word<T>>(a);
  if constexpr (is_signed(T)) x = absolute<T>(a);
  x = x - ((x >> 1) & 0x5555555555555555U);
  x = (x & 0x3333333333333333U) + ((x >> 2) & 0x3333333333333333U);
  x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fU;
  return static_cast<std::uint8_t>((x * 0x0101010101010101U) >> 56);
})
DEVARRAY_UNARY(LogicalNot, { return static_cast<V>(!a); })
DEVARRAY_UNARY(IsNan, {
  if constexpr (is_complex(T))
    return Truth(nan(a));
  else if constexpr (is_real(T))
    return Truth(a != a);
  else
    return Truth(0);
})
DEVARRAY_UNARY(IsInf, {
  if constexpr (is_complex(T))
    return Truth(infinite(a.re) || infinite(a.im));
  else if constexpr (is_real(T))
    return Truth(infinite(a));
  else
    return Truth(0);
})
DEVARRAY_UNARY(IsFinite, {
  if constexpr (is_complex(T))
    return Truth(finite(a.re) && finite(a.im));
  else if constexpr (is_real(T))
    return Truth(finite(a));
  else
    return Truth(1);
})
DEVARRAY_UNARY(SignBit, { return Truth(negative_sign(a)); })
DEVARRAY_BINARY(CopySign, { return with_sign(a, b); })
DEVARRAY_UNARY(Conj, {
  if constexpr (is_complex(T))
    return V{a.re, -a.im};
  else
    return a;
})
DEVARRAY_UNARY(Real, {
  if constexpr (is_complex(T))
    return a.re;
  else
    return a;
})
DEVARRAY_UNARY(Imag, {
  if constexpr (is_complex(T))
    return a.im;
  else
    return V(0);
})
// int64 against uint64, by value: the inputs are of these two dtypes whatever the compute dtype is.
inline bool less_signed(std::int64_t a, std::uint64_t b) { return a < 0 || static_cast<std::uint64_t>(a) < b; }
inline bool equal_signed(std::int64_t a, std::uint64_t b) { return a >= 0 && static_cast<std::uint64_t>(a) == b; }

// --- loops ------------------------------------------------------------------------------------------------------------

template <class Op, DType T, bool Rounded, class... In>
inline auto value_of(In... in) {
  const auto v = Op::template of<T>(in...);
  if constexpr (T == DType::float16 && Rounded)
    return rounded_to_half(v);
  else
    return v;
}
template <class Op, DType T, bool Rounded>
void unary(void* out, const void* const* in, std::size_t n, std::int64_t) {
  using R = decltype(value_of<Op, T, Rounded>(Value<T>()));
  const auto* a = static_cast<const Value<T>*>(in[0]);
  auto* r = static_cast<R*>(out);
  for (std::size_t i = 0; i < n; ++i) r[i] = value_of<Op, T, Rounded>(a[i]);
}
template <class Op, DType T, bool Rounded>
void binary(void* out, const void* const* in, std::size_t n, std::int64_t) {
  using R = decltype(value_of<Op, T, Rounded>(Value<T>(), Value<T>()));
  const auto *a = static_cast<const Value<T>*>(in[0]), *b = static_cast<const Value<T>*>(in[1]);
  auto* r = static_cast<R*>(out);
  for (std::size_t i = 0; i < n; ++i) r[i] = value_of<Op, T, Rounded>(a[i], b[i]);
}
template <class Op, DType T, bool Rounded>
void ternary(void* out, const void* const* in, std::size_t n, std::int64_t) {
  const auto *a = static_cast<const Value<T>*>(in[0]), *b = static_cast<const Value<T>*>(in[1]),
             *c = static_cast<const Value<T>*>(in[2]);
  auto* r = static_cast<Value<T>*>(out);
  for (std::size_t i = 0; i < n; ++i) r[i] = value_of<Op, T, Rounded>(a[i], b[i], c[i]);
}
template <DType T>
void choose(void* out, const void* const* in, std::size_t n, std::int64_t) {
  const auto* a = static_cast<const Truth*>(in[0]);
  const auto *b = static_cast<const Value<T>*>(in[1]), *c = static_cast<const Value<T>*>(in[2]);
  auto* r = static_cast<Value<T>*>(out);
  for (std::size_t i = 0; i < n; ++i) r[i] = a[i] ? b[i] : c[i];
}
template <DType T>
void count_on(void* out, const void* const* in, std::size_t n, std::int64_t first) {
  const auto *a = static_cast<const Value<T>*>(in[0]), *b = static_cast<const Value<T>*>(in[1]);
  auto* r = static_cast<Value<T>*>(out);
  for (std::size_t i = 0; i < n; ++i) {
    const std::int64_t number = first + static_cast<std::int64_t>(i);
    if constexpr (is_complex(T)) {
      const auto c = static_cast<decltype(Value<T>::re)>(number);
      r[i] = {a[i].re + c * b[i].re, a[i].im + c * b[i].im};
    } else if constexpr (is_real(T)) {
      const auto c = static_cast<Value<T>>(number);
      const Value<T> v = a[i] + c * b[i];
      if constexpr (T == DType::float16)
        r[i] = rounded_to_half(v);
      else
        r[i] = v;
    } else {
      using U = Unsigned<T>;
      r[i] = static_cast<Value<T>>(static_cast<U>(a[i]) + static_cast<U>(number) * static_cast<U>(b[i]));
    }
  }
}
template <class Compare>
void by_value(void* out, const void* const* in, std::size_t n, std::int64_t) {
  auto* r = static_cast<Truth*>(out);
  for (std::size_t i = 0; i < n; ++i) r[i] = Compare::at(in, i);
}
template <bool Reverse, class F>
struct SignedFirst {
  static inline Truth at(const void* const* in, std::size_t i) {
    return F::of(static_cast<const std::int64_t*>(in[Reverse])[i], static_cast<const std::uint64_t*>(in[!Reverse])[i]);
  }
};
#define DEVARRAY_BY_VALUE(name, ...) \
  struct name {                      \
    static inline bool of(std::int64_t a, std::uint64_t b) { return __VA_ARGS__; } \
  };
DEVARRAY_BY_VALUE(IsLess, less_signed(a, b))
DEVARRAY_BY_VALUE(IsEqual, equal_signed(a, b))
DEVARRAY_BY_VALUE(IsAtMost, less_signed(a, b) || equal_signed(a, b))
DEVARRAY_BY_VALUE(IsOther, !equal_signed(a, b))
DEVARRAY_BY_VALUE(IsMore, !(less_signed(a, b) || equal_signed(a, b)))
DEVARRAY_BY_VALUE(IsAtLeast, !less_signed(a, b))
#undef DEVARRAY_BY_VALUE

// --- which op has which -------------------------------------------------------------------------------------------------

enum class Form : std::uint8_t { plain, rounded };  // rounded: float16 results are rounded to halves

constexpr bool has_kind(const char* kinds, DType t) {
  for (; *kinds; ++kinds)
    if (static_cast<char>(kind_of(t)) == *kinds) return true;
  return false;
}

struct Row {
  const char* name;
  Loop loops[kDTypes];
};

template <class Op, int Arity, DType T, bool Rounded>
constexpr Loop loop_of() {
  if constexpr (Arity == 1)
    return &unary<Op, T, Rounded>;
  else if constexpr (Arity == 2)
    return &binary<Op, T, Rounded>;
  else
    return &ternary<Op, T, Rounded>;
}
/// Kinds as the op table has them. A type, since they decide which loops there are.
struct OfAll { static constexpr const char* kinds = "biufc"; };
struct OfOrdered { static constexpr const char* kinds = "biuf"; };
struct OfNumbers { static constexpr const char* kinds = "iufc"; };
struct OfOrderedNumbers { static constexpr const char* kinds = "iuf"; };
struct OfWhole { static constexpr const char* kinds = "iu"; };
struct OfBits { static constexpr const char* kinds = "biu"; };
struct OfReal { static constexpr const char* kinds = "f"; };
struct OfInexact { static constexpr const char* kinds = "fc"; };
struct OfBools { static constexpr const char* kinds = "b"; };

template <class Op, int Arity, class Kinds, bool Rounded, int T>
constexpr Loop entry() {
  if constexpr (has_kind(Kinds::kinds, static_cast<DType>(T)))
    return loop_of<Op, Arity, static_cast<DType>(T), Rounded>();
  else
    return nullptr;
}
template <class Op, int Arity, class Kinds, Form F, int... T>
constexpr Row row_of(const char* name, std::integer_sequence<int, T...>) {
  return {name, {entry<Op, Arity, Kinds, F == Form::rounded, T>()...}};
}
template <class Op, int Arity, class Kinds, Form F = Form::plain>
constexpr Row row(const char* name) {
  return row_of<Op, Arity, Kinds, F>(name, std::make_integer_sequence<int, kDTypes>());
}
template <int... T>
constexpr Row choices(std::integer_sequence<int, T...>) {
  return {"where", {&choose<static_cast<DType>(T)>...}};
}
template <int... T>
constexpr Row counts(std::integer_sequence<int, T...>) {
  return {"iota", {nullptr, &count_on<static_cast<DType>(T + 1)>...}};
}
template <class F>
constexpr Row signed_first(const char* name) {
  Row r{name, {}};
  r.loops[static_cast<int>(DType::float64)] = &by_value<SignedFirst<false, F>>;
  return r;
}
template <class F>
constexpr Row signed_second(const char* name) {
  Row r{name, {}};
  r.loops[static_cast<int>(DType::float64)] = &by_value<SignedFirst<true, F>>;
  return r;
}

constexpr Row kRows[] = {
    row<Add, 2, OfAll, Form::rounded>("add"),
    row<Subtract, 2, OfNumbers, Form::rounded>("subtract"),
    row<Multiply, 2, OfAll, Form::rounded>("multiply"),
    row<Divide, 2, OfInexact, Form::rounded>("divide"),
    row<FloorDivide, 2, OfOrderedNumbers, Form::rounded>("floor_divide"),
    row<NumpyFloorDivide, 2, OfOrderedNumbers, Form::rounded>("np_floor_divide"),
    row<Remainder, 2, OfOrderedNumbers, Form::rounded>("remainder"),
    row<Fmod, 2, OfOrderedNumbers>("fmod"),
    row<Pow, 2, OfWhole>("pow"),
    row<Negative, 1, OfNumbers>("negative"),
    row<Same, 1, OfNumbers>("positive"),
    row<Abs, 1, OfOrdered>("abs"),
    row<Abs, 1, OfReal>("fabs"),
    row<Sign, 1, OfOrderedNumbers>("sign"),
    row<Square, 1, OfNumbers, Form::rounded>("square"),
    row<Reciprocal, 1, OfNumbers, Form::rounded>("reciprocal"),
    row<Sqrt, 1, OfReal, Form::rounded>("sqrt"),
    row<Gcd, 2, OfWhole>("gcd"),
    row<Lcm, 2, OfWhole>("lcm"),
    row<Ceil, 1, OfOrdered>("ceil"),
    row<Floor, 1, OfOrdered>("floor"),
    row<Trunc, 1, OfOrdered>("trunc"),
    row<Round, 1, OfAll>("round"),
    row<Round, 1, OfInexact>("rint"),
    row<ToRadians, 1, OfReal, Form::rounded>("deg2rad"),
    row<ToDegrees, 1, OfReal, Form::rounded>("rad2deg"),
    row<Equal, 2, OfAll>("equal"),
    row<NotEqual, 2, OfAll>("not_equal"),
    row<Less, 2, OfAll>("less"),
    row<LessEqual, 2, OfAll>("less_equal"),
    row<Greater, 2, OfAll>("greater"),
    row<GreaterEqual, 2, OfAll>("greater_equal"),
    row<Maximum, 2, OfAll>("maximum"),
    row<Minimum, 2, OfAll>("minimum"),
    row<Fmax, 2, OfAll>("fmax"),
    row<Fmin, 2, OfAll>("fmin"),
    row<Clip, 3, OfAll>("clip"),
    row<ClipBetweenScalars, 3, OfReal>("clip:scalars"),
    row<Heaviside, 2, OfReal>("heaviside"),
    row<BitAnd, 2, OfBits>("bitwise_and"),
    row<BitOr, 2, OfBits>("bitwise_or"),
    row<BitXor, 2, OfBits>("bitwise_xor"),
    row<BitInvert, 1, OfBits>("bitwise_invert"),
    row<LeftShift, 2, OfWhole>("bitwise_left_shift"),
    row<RightShift, 2, OfWhole>("bitwise_right_shift"),
    row<BitCount, 1, OfWhole>("bitwise_count"),
    row<BitAnd, 2, OfBools>("logical_and"),
    row<BitOr, 2, OfBools>("logical_or"),
    row<BitXor, 2, OfBools>("logical_xor"),
    row<LogicalNot, 1, OfBools>("logical_not"),
    row<IsFinite, 1, OfAll>("isfinite"),
    row<IsInf, 1, OfAll>("isinf"),
    row<IsNan, 1, OfAll>("isnan"),
    row<SignBit, 1, OfReal>("signbit"),
    row<CopySign, 2, OfReal>("copysign"),
    row<Conj, 1, OfAll>("conj"),
    row<Real, 1, OfAll>("real"),
    row<Imag, 1, OfAll>("imag"),
    row<Same, 1, OfAll>("astype"),
    row<Same, 1, OfAll>("copy"),
    choices(std::make_integer_sequence<int, kDTypes>()),
    counts(std::make_integer_sequence<int, kDTypes - 1>()),
    signed_first<IsEqual>("equal:iu"),
    signed_second<IsEqual>("equal:ui"),
    signed_first<IsOther>("not_equal:iu"),
    signed_second<IsOther>("not_equal:ui"),
    signed_first<IsLess>("less:iu"),
    signed_second<IsMore>("less:ui"),
    signed_first<IsAtMost>("less_equal:iu"),
    signed_second<IsAtLeast>("less_equal:ui"),
    signed_first<IsMore>("greater:iu"),
    signed_second<IsLess>("greater:ui"),
    signed_first<IsAtLeast>("greater_equal:iu"),
    signed_second<IsAtMost>("greater_equal:ui"),
};

Loop find(const char* name, DType compute) {
  for (const Row& r : kRows)
    if (__builtin_strcmp(r.name, name) == 0) return r.loops[static_cast<int>(compute)];
  return nullptr;
}

// --- conversions -----------------------------------------------------------------------------------------------------------

template <DType From, DType To>
void cast_loop(void* out, const void* in, std::size_t n) {
  const auto* a = static_cast<const Value<From>*>(in);
  auto* r = static_cast<Value<To>*>(out);
  for (std::size_t i = 0; i < n; ++i) r[i] = cast_value<From, To>(a[i]);
}
template <int Pair>
constexpr Convert cast_entry() {
  constexpr auto from = static_cast<DType>(Pair / kDTypes), to = static_cast<DType>(Pair % kDTypes);
  if constexpr (from == to || (from == DType::float16 && to == DType::float32))
    return nullptr;
  else
    return &cast_loop<from, to>;
}
struct Casts {
  Convert of[kDTypes * kDTypes];
};
template <int... Pair>
constexpr Casts casts_of(std::integer_sequence<int, Pair...>) {
  return {{cast_entry<Pair>()...}};
}
constexpr Casts kCasts = casts_of(std::make_integer_sequence<int, kDTypes * kDTypes>());
Convert cast(DType from, DType to) { return kCasts.of[static_cast<int>(from) * kDTypes + static_cast<int>(to)]; }

void load_bools(void* out, const void* in, std::size_t n) {
  const auto* a = static_cast<const std::uint8_t*>(in);
  auto* r = static_cast<Truth*>(out);
  for (std::size_t i = 0; i < n; ++i) r[i] = a[i] != 0;
}
void load_halves(void* out, const void* in, std::size_t n) {
  const auto* a = static_cast<const std::uint16_t*>(in);
  auto* r = static_cast<float*>(out);
  for (std::size_t i = 0; i < n; ++i) r[i] = half_to_float(a[i]);
}
void store_halves(void* out, const void* in, std::size_t n) {
  const auto* a = static_cast<const float*>(in);
  auto* r = static_cast<std::uint16_t*>(out);
  for (std::size_t i = 0; i < n; ++i) r[i] = float_to_half(a[i]);
}
Convert load(DType t) {
  return t == DType::bool_ ? &load_bools : t == DType::float16 ? &load_halves : nullptr;
}
Convert store(DType t) { return t == DType::float16 ? &store_halves : nullptr; }

#include "engine/host/folds.inl"

}  // namespace

const LoopSet DEVARRAY_LOOP_SET = {&find, &cast, &load, &store, &find_fold};

}  // namespace devarray::host
