// What the operations compute, named as in the op table: of(...) for each compute dtype; the result's type follows.
// Included by loops.inl alone: everything is in its unnamed namespace, compiled for one set of instructions.

#define DEVARRAY_UNARY(name, ...)       \
  struct name {                         \
    template <DType T>                  \
    static inline auto of(Value<T> a) { \
      using V = Value<T>;               \
      (void)sizeof(V);                  \
      __VA_ARGS__                       \
    }                                   \
  };
#define DEVARRAY_BINARY(name, ...)                  \
  struct name {                                     \
    template <DType T>                              \
    static inline auto of(Value<T> a, Value<T> b) { \
      using V = Value<T>;                           \
      (void)sizeof(V);                              \
      __VA_ARGS__                                   \
    }                                               \
  };

#define DEVARRAY_ARITHMETIC(name, sign, complex_text)                                      \
  DEVARRAY_BINARY(name, {                                                                  \
    if constexpr (is_complex(T))                                                           \
      return V complex_text;                                                               \
    else if constexpr (is_real(T))                                                         \
      return static_cast<V>(a sign b);                                                     \
    else                                                                                   \
      return static_cast<V>(static_cast<Unsigned<T>>(a) sign static_cast<Unsigned<T>>(b)); \
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
    return a == 1 || a == V(-1) ? a : a == 0 ? static_cast<V>(Unsigned<T>(1) << (sizeof(Unsigned<T>) * 8 - 1)) : V(0);
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
  return g == 0 ? V(0)
                : static_cast<V>(static_cast<Unsigned<T>>(static_cast<Word<T>>(x / g)) * static_cast<Unsigned<T>>(y));
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
#define DEVARRAY_EXTREME(name, function, sign) \
  DEVARRAY_BINARY(name, {                      \
    if constexpr (is_real(T) || is_complex(T)) \
      return function<T>(a, b);                \
    else                                       \
      return a sign b ? a : b;                 \
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
// Random words, as the text of kernels has them (devarray/codegen/prelude/random.py)
inline std::uint64_t mul_high(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(a) * b) >> 64);
}
/// The four words of the block in which word `at` of a stream lies.
struct PhiloxBlock {
  std::uint64_t x0, x1 = 0, x2 = 0, x3 = 0;
  PhiloxBlock(std::uint64_t at, std::uint64_t key0, std::uint64_t key1) : x0((at >> 2) + 1) {
    constexpr std::uint64_t factor0 = 0xd2e7470ee14c6c93U, factor1 = 0xca5a826395121157U;
    for (int round = 0; round < 10; ++round) {
      const std::uint64_t high0 = mul_high(factor0, x0), low0 = factor0 * x0;
      const std::uint64_t high1 = mul_high(factor1, x2), low1 = factor1 * x2;
      x0 = high1 ^ x1 ^ key0;
      x1 = low1;
      x2 = high0 ^ x3 ^ key1;
      x3 = low0;
      key0 += 0x9e3779b97f4a7c15U;
      key1 += 0xbb67ae8584caa73bU;
    }
  }
  std::uint64_t word(std::uint64_t at) const { return at & 2 ? (at & 1 ? x3 : x2) : (at & 1 ? x1 : x0); }
};
inline std::uint64_t number_of_sequence(std::uint64_t seed, std::uint64_t n) {
  std::uint64_t x = seed + (n + 1) * 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}
struct Bounded {
  template <DType T>
  static inline std::uint64_t of(std::uint64_t word, std::uint64_t count) {
    constexpr std::uint64_t attempts = 1000;
    if (count == 0) return word;
    std::uint64_t x = word;
    if (x * count < count) {
      const std::uint64_t least = (0 - count) % count;
      for (std::uint64_t n = 0; x * count < least && n < attempts; ++n) x = number_of_sequence(word, n);
    }
    return mul_high(x, count);
  }
};
#undef DEVARRAY_UNARY
#undef DEVARRAY_BINARY
