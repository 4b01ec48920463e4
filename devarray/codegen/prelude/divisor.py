"""Integers by a divisor that is the same for all elements, on CPUs: a multiplication in place of each division.

The quotient of an unsigned `n` by `d` is the high half of `n` times a number that only depends on `d`, with one bit
more than the type has (Granlund and Montgomery, Division by Invariant Integers using Multiplication, 1994). Compilers
compute that number once for many elements. NumPy's results: by zero 0, and the least integer by -1 gives itself.
"""

from __future__ import annotations

__all__ = ["DIVISOR"]

# 2**bits is the least power of two that is not below the divisor. A zero counts as one; nobody takes its quotient.
_QUOTIENT = """
FN T quotient_by_T(const T n, const T divisor) {
  const T d = divisor + (divisor == 0), bits = T_BITS - (T)clz((T)(d - 1));
  const T high = high_half_T(n, multiplier_T(d, bits));
  return (high + ((n - high) >> (bits > 0))) >> (bits > 1 ? bits - 1 : 0);
}"""

# For n of b bits the quotient is floor(n m / 2**(2 b)) with m = floor(2**(2 b) / d) + 1. That m fits 32 bits for b = 8,
# and for b = 16 unless d is 1; there 2**32 - 1 is divided in place of 2**32, one too little where d is a power of two.
_NARROW = {
    ("quotient_by", "u8"): """
FN u32 quotient_by_u8(const u32 n, const u32 divisor) {
  const u32 d = divisor + (divisor == 0);
  return n * (0x10000 / d + 1) >> 16;
}""",
    ("quotient_by", "u16"): """
FN u32 quotient_by_u16(const u32 n, const u32 divisor) {
  const u32 d = divisor + (divisor == 0), m = 0xffffffff / d + (d & (d - 1) ? 1 : 2);
  return d == 1 ? n : (n * (m >> 16) + (n * (m & 0xffff) >> 16)) >> 16;
}""",
    ("high_half", "u32"): "FN u32 high_half_u32(const u32 a, const u32 b) { return (u32)((u64)a * b >> 32); }",
    # floor(2**32 (2**bits - d) / d) + 1
    ("multiplier", "u32"): """
FN u32 multiplier_u32(const u32 d, const u32 bits) {
  return (u32)(((((u64)1 << bits) - d) << 32) / d) + 1;
}""",
    ("quotient_by", "u32"): _QUOTIENT,
}

# Halves of 32 bits, whose products vectors have. The multiplier's two digits come one after the other: a digit by the
# divisor's upper half is at most two too large.
_WIDE = {
    ("high_half", "u64"): """
FN u64 high_half_u64(const u64 a, const u64 b) {
  const u64 low = 0xffffffffUL, middle = (a >> 32) * (b & low) + ((a & low) * (b & low) >> 32);
  const u64 other = (a & low) * (b >> 32) + (middle & low);
  return (a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32);
}""",
    ("digit", "u64"): """
FN u64 digit_u64(const u64 rest, const u64 d) {
  const u64 upper = d >> 32, lower = d & 0xffffffffUL;
  u64 digit = rest / upper, left = rest - digit * upper;
  for (i32 k = 0; k < 2; ++k) {
    const b8 over = left >> 32 == 0 && (digit >> 32 != 0 || digit * lower > left << 32);
    digit -= over;
    left += over ? upper : 0;
  }
  return digit;
}""",
    ("multiplier", "u64"): """
FN u64 multiplier_u64(const u64 d, const u64 bits) {
  const u64 shift = clz(d), v = d << shift, rest = ((bits < 64 ? (u64)1 << bits : 0) - d) << shift;
  const u64 first = digit_u64(rest, v);
  return (first << 32 | digit_u64((rest << 32) - first * v, v)) + 1;
}""",
    ("quotient_by", "u64"): _QUOTIENT,
}

# `turn` has all bits set for a negative divisor, `s` where the quotient is below zero: the floor of a quotient below
# zero is the complement of the one of the complement.
_OF_SIGNED = {
    "floor_divide_by": """
FN T floor_divide_by_T(const T a, const T b) {
  const U turn = (U)0 - (U)(b < 0), s = (U)0 - (U)(a < (T)(b < 0));
  const U q = quotient_by_N(((U)a + turn) ^ s, ((U)b ^ turn) - turn);
  return b == 0 ? (T)0 : (T)(q ^ s ^ turn);
}""",
    "remainder_by": """
FN T remainder_by_T(const T a, const T b) {
  return b == 0 ? (T)0 : (T)((U)a - (U)floor_divide_by_T(a, b) * (U)b);
}""",
    "fmod_by": """
FN T fmod_by_T(const T a, const T b) {
  const U s = (U)0 - (U)(a < 0), turn = (U)0 - (U)(b < 0), n = ((U)a ^ s) - s, d = ((U)b ^ turn) - turn;
  return b == 0 ? (T)0 : (T)(((n - quotient_by_N(n, d) * d) ^ s) - s);
}""",
}
_OF_UNSIGNED = {
    "floor_divide_by": """
FN T floor_divide_by_T(const T a, const T b) { return b == 0 ? (T)0 : (T)quotient_by_N(a, b); }""",
    "remainder_by": """
FN T remainder_by_T(const T a, const T b) {
  return b == 0 ? (T)0 : (T)(a - quotient_by_N(a, b) * b);
}""",
    "fmod_by": "FN T fmod_by_T(const T a, const T b) { return remainder_by_T(a, b); }",
}


def _of_types() -> dict[tuple[str, str], str]:
    made: dict[tuple[str, str], str] = {}
    for kind, texts in (("i", _OF_SIGNED), ("u", _OF_UNSIGNED)):
        for bits in (8, 16, 32, 64):
            made |= {(name, f"{kind}{bits}"): text.replace("_N(", f"_u{bits}(") for name, text in texts.items()}
    return made


DIVISOR: dict[tuple[str, str], str] = _NARROW | _WIDE | _of_types()
"""Texts by name and kind, for the layer "cpu"."""
