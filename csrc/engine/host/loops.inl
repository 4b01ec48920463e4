// The loops, for one set of instructions: included by baseline.cpp, avx2.cpp and avx512.cpp, which name the set that
// they define. Nothing of the standard library with code of its own may be used here: the linker would be free to take
// its AVX2 copy for the rest of the extension. Compiled without contraction, and for vectors (CMakeLists.txt).
#include <type_traits>
#include <utility>

#include "engine/host/loops.hpp"

namespace devarray::host {
namespace {

#include "engine/host/arithmetic.inl"
#include "engine/host/operations.inl"

// --- loops
// ------------------------------------------------------------------------------------------------------------

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
/// Words, or half words. Neighbours mostly lie in one block, which is computed once.
template <bool Half>
void philox(void* out, const void* const* in, std::size_t n, std::int64_t) {
  auto* r = static_cast<std::uint64_t*>(out);
  const auto* at = static_cast<const std::uint64_t*>(in[0]);
  const auto* key0 = static_cast<const std::uint64_t*>(in[1]);
  const auto* key1 = static_cast<const std::uint64_t*>(in[2]);
  for (std::size_t i = 0; i < n;) {
    const PhiloxBlock block(at[i] >> Half, key0[i], key1[i]);
    const std::size_t first = i;
    do {
      const std::uint64_t word = block.word(at[i] >> Half);
      r[i] = !Half ? word : at[i] & 1 ? word >> 32 : word & 0xffffffffU;
      ++i;
    } while (i < n && at[i] >> (2 + Half) == at[first] >> (2 + Half) && key0[i] == key0[first] &&
             key1[i] == key1[first]);
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
#define DEVARRAY_BY_VALUE(name, ...)                                               \
  struct name {                                                                    \
    static inline bool of(std::int64_t a, std::uint64_t b) { return __VA_ARGS__; } \
  };
DEVARRAY_BY_VALUE(IsLess, less_signed(a, b))
DEVARRAY_BY_VALUE(IsEqual, equal_signed(a, b))
DEVARRAY_BY_VALUE(IsAtMost, less_signed(a, b) || equal_signed(a, b))
DEVARRAY_BY_VALUE(IsOther, !equal_signed(a, b))
DEVARRAY_BY_VALUE(IsMore, !(less_signed(a, b) || equal_signed(a, b)))
DEVARRAY_BY_VALUE(IsAtLeast, !less_signed(a, b))
#undef DEVARRAY_BY_VALUE

// --- which op has which
// -------------------------------------------------------------------------------------------------

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
struct OfAll {
  static constexpr const char* kinds = "biufc";
};
struct OfOrdered {
  static constexpr const char* kinds = "biuf";
};
struct OfNumbers {
  static constexpr const char* kinds = "iufc";
};
struct OfOrderedNumbers {
  static constexpr const char* kinds = "iuf";
};
struct OfWhole {
  static constexpr const char* kinds = "iu";
};
struct OfBits {
  static constexpr const char* kinds = "biu";
};
struct OfReal {
  static constexpr const char* kinds = "f";
};
struct OfInexact {
  static constexpr const char* kinds = "fc";
};
struct OfBools {
  static constexpr const char* kinds = "b";
};

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
template <class Op, int Arity>
constexpr Row words(const char* name) {
  Row r{name, {}};
  r.loops[static_cast<int>(DType::uint64)] = loop_of<Op, Arity, DType::uint64, false>();
  return r;
}
template <bool Half>
constexpr Row stream(const char* name) {
  Row r{name, {}};
  r.loops[static_cast<int>(DType::uint64)] = &philox<Half>;
  return r;
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
    stream<false>("philox"),
    stream<true>("philox_half"),
    words<Bounded, 2>("bounded"),
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

const Loop* find(const char* name) {
  for (const Row& r : kRows)
    if (__builtin_strcmp(r.name, name) == 0) return r.loops;
  return nullptr;
}

// --- conversions
// -----------------------------------------------------------------------------------------------------------

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
Convert load(DType t) { return t == DType::bool_ ? &load_bools : t == DType::float16 ? &load_halves : nullptr; }
Convert store(DType t) { return t == DType::float16 ? &store_halves : nullptr; }

#include "engine/host/folds.inl"

}  // namespace

const LoopSet DEVARRAY_LOOP_SET = {&find, &cast, &load, &store, &find_fold, &find_fold_columns};

}  // namespace devarray::host
