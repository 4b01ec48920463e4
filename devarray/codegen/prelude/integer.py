"""Integer functions with NumPy's results where C has none: division by zero, overflow, shifts past the width."""

from __future__ import annotations

__all__ = ["INTEGER"]

INTEGER: dict[tuple[str, str], str] = {
    ("absolute", "i"): "FN T absolute_T(const T a) { return a < 0 ? (T)((U)0 - (U)a) : a; }",
    ("negative", "iu"): "FN T negative_T(const T a) { return (T)((U)0 - (U)a); }",
    ("larger", "biu"): "FN T larger_T(const T a, const T b) { return a > b ? a : b; }",
    ("smaller", "biu"): "FN T smaller_T(const T a, const T b) { return a < b ? a : b; }",
    ("clip", "biu"): "FN T clip_T(const T x, const T low, const T high) { return smaller_T(larger_T(x, low), high); }",
    ("sign", "i"): "FN T sign_T(const T a) { return (T)((a > 0) - (a < 0)); }",
    # Of an index outside -2**58, which the sum with other axes' distances shows.
    ("index_place", "i64"): """
FN i64 index_place_i64(const i64 index, const i64 length, const i64 stride) {
  const i64 i = index < 0 ? index + length : index;
  return (u64)i < (u64)length ? i * stride : -0x400000000000000L;
}""",
    # Truncated quotient; a zero divisor gives 0, and the least integer by -1 gives itself.
    ("quotient", "i"): """
FN T quotient_T(const T a, const T b) {
  return b == -1 ? (T)((U)0 - (U)a) : b == 0 ? (T)0 : (T)(a / b);
}""",
    ("quotient", "u"): "FN T quotient_T(const T a, const T b) { return b == 0 ? (T)0 : (T)(a / b); }",
    ("fmod", "i"): "FN T fmod_T(const T a, const T b) { return b == -1 || b == 0 ? (T)0 : (T)(a % b); }",
    ("fmod", "u"): "FN T fmod_T(const T a, const T b) { return b == 0 ? (T)0 : (T)(a % b); }",
    ("floor_divide", "i"): """
FN T floor_divide_T(const T a, const T b) {
  const T q = quotient_T(a, b), r = fmod_T(a, b);
  return (T)(q - (r != 0 && (r < 0) != (b < 0)));
}""",
    ("floor_divide", "u"): "FN T floor_divide_T(const T a, const T b) { return quotient_T(a, b); }",
    ("remainder", "i"): """
FN T remainder_T(const T a, const T b) {
  const T r = fmod_T(a, b);
  return (T)(r + (r != 0 && (r < 0) != (b < 0) ? b : (T)0));
}""",
    ("remainder", "u"): "FN T remainder_T(const T a, const T b) { return fmod_T(a, b); }",
    # A count outside [0, width) shifts everything out.
    ("left_shift", "iu"): """
FN T left_shift_T(const T a, const T b) {
  return (W)b < T_BITS ? (T)((U)a << ((U)b & (T_BITS - 1))) : (T)0;
}""",
    ("right_shift", "i"): """
FN T right_shift_T(const T a, const T b) {
  return (T)(a >> ((W)b < T_BITS ? (W)b & (T_BITS - 1) : T_BITS - 1));
}""",
    ("right_shift", "u"): """
FN T right_shift_T(const T a, const T b) {
  return b < T_BITS ? (T)(a >> (b & (T_BITS - 1))) : (T)0;
}""",
    # Modulo 2^bits. A negative exponent leaves the truncated value of the exact result.
    ("pow", "i"): """
FN T pow_T(const T a, const T b) {
  if (b < 0) return a == 1 ? (T)1 : a == -1 ? (b & 1 ? (T)-1 : (T)1) : (T)0;
  U r = 1, x = (U)a;
  for (T n = b; n != 0; n = (T)(n >> 1)) {
    if (n & 1) r *= x;
    x *= x;
  }
  return (T)r;
}""",
    ("pow", "u"): """
FN T pow_T(const T a, const T b) {
  U r = 1, x = (U)a;
  for (T n = b; n != 0; n = (T)(n >> 1)) {
    if (n & 1) r *= x;
    x *= x;
  }
  return (T)r;
}""",
    # What NumPy's cast of 1.0 / a gives, for zero too.
    ("reciprocal", "i"): """
FN T reciprocal_T(const T a) {
  return a == 1 || a == -1 ? a : a == 0 ? (T)((U)1 << (sizeof(U) * 8 - 1)) : (T)0;
}""",
    ("reciprocal", "u"): "FN T reciprocal_T(const T a) { return a == 1; }",
    # Of the magnitudes, as unsigned numbers
    ("gcd", "i"): "FN T gcd_T(const T a, const T b) { return (T)gcd_W(magnitude_T(a), magnitude_T(b)); }",
    ("lcm", "i"): "FN T lcm_T(const T a, const T b) { return (T)lcm_W(magnitude_T(a), magnitude_T(b)); }",
    ("magnitude", "i"): "FN W magnitude_T(const T a) { return (W)(a < 0 ? (U)0 - (U)a : (U)a); }",
    ("gcd", "u"): """
FN T gcd_T(const T a, const T b) {
  T x = a, y = b;
  while (y != 0) {
    const T r = (T)(x % y);
    x = y;
    y = r;
  }
  return x;
}""",
    ("lcm", "u"): """
FN T lcm_T(const T a, const T b) {
  const T g = gcd_T(a, b);
  return g == 0 ? (T)0 : (T)((U)(a / g) * (U)b);
}""",
    # Neighbouring bits are added, then pairs of them, then fours; the product adds the bytes (Knuth, 7.1.3).
    ("bitwise_count", "i"): "FN u8 bitwise_count_T(const T a) { return bitwise_count_W(magnitude_T(a)); }",
    ("bitwise_count", "u"): """
FN u8 bitwise_count_T(const T a) {
  u64 x = a;
  x = x - ((x >> 1) & 0x5555555555555555UL);
  x = (x & 0x3333333333333333UL) + ((x >> 2) & 0x3333333333333333UL);
  x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fUL;
  return (u8)((x * 0x0101010101010101UL) >> 56);
}""",
    # int64 against uint64, by value. NumPy compares them exactly although their common dtype is float64.
    ("less_iu", "i64"): "FN b8 less_iu_i64(const i64 a, const u64 b) { return a < 0 || (u64)a < b; }",
    ("equal_iu", "i64"): "FN b8 equal_iu_i64(const i64 a, const u64 b) { return a >= 0 && (u64)a == b; }",
}

INTEGER |= {
    (f"known_{name}", kinds): text.replace(f"{name}_T", f"known_{name}_T")
    for (name, kinds), text in INTEGER.items()
    if name in ("left_shift", "right_shift")
}
"""By numbers that stand in the text the compiler drops the test, and joins shifts, which it does not with PTX's."""
