"""Functions for CPUs whose common texts the compilers do not make vectors of.

AVX2 has neither a division of integers nor conversions between 64-bit integers and floats. A compiler that is told the
machine knows how to do without; one that first compiles for an abstract machine (SPIR, as Intel's does) computes them
element by element. What helps the second only is behind its macro.
"""

from __future__ import annotations

from devarray.codegen.prelude.convert import CONVERT
from devarray.codegen.prelude.divisor import DIVISOR
from devarray.codegen.prelude.integer import INTEGER

__all__ = ["CPU"]

# The halves of an integer are put into the mantissas of 2**52 and 2**84, and what is added so is taken off again: one
# rounding, the last one.
_TO_FLOAT: dict[tuple[str, str], str] = {
    ("to_f64", "i64"): """
FN f64 to_f64_i64(const i64 a) {
  const f64 high = AS_F64((u64)a >> 32 ^ 0x4530000080000000UL) - 0x1.00000801p84;
  return high + AS_F64(((u64)a & 0xffffffffUL) | 0x4330000000000000UL);
}""",
    ("to_f64", "u64"): """
FN f64 to_f64_u64(const u64 a) {
  const f64 high = AS_F64(a >> 32 | 0x4530000000000000UL) - 0x1.00000001p84;
  return high + AS_F64((a & 0xffffffffUL) | 0x4330000000000000UL);
}""",
    # From 2**53 on, the eleven low bits become one bit above them, which float64 holds: it rounds no more, and float32
    # is rounded as by all of them.
    ("to_f32", "i64"): """
FN f32 to_f32_i64(const i64 a) {
  const i64 odd = (a & ~2047L) | (((a & 2047L) + 2047L) & 2048L);
  return (f32)to_f64_i64(a > -0x20000000000000L && a < 0x20000000000000L ? a : odd);
}""",
    ("to_f32", "u64"): """
FN f32 to_f32_u64(const u64 a) {
  const u64 odd = (a & ~2047UL) | (((a & 2047UL) + 2047UL) & 2048UL);
  return (f32)to_f64_u64(a < 0x20000000000000UL ? a : odd);
}""",
}

# Of a whole number x, the multiple of 2**32 and the rest stand in the low bits of such sums.
_TO_INTEGER: dict[tuple[str, str], str] = {
    # Intel's compiler turns a float's integer that becomes a float again into one rounding, which may give -0.0.
    ("to_i32", "f"): """
FN i32 to_i32_T(const T x) {
  const i32 r = x > -2147483649.0_T && x < 2147483648.0_T ? (i32)x : (i32)0x80000000u;
  return fabs(x) < 1.0_T ? 0 : r;
}""",
    ("to_i64", "f"): """
FN i64 to_i64_T(const T a) {
  const f64 x = trunc((f64)a), high = floor(x * 0x1p-32), low = x - high * 0x1p32;
  const u64 whole = (AS_U64(high + 0x1.8p52) << 32) | (AS_U64(low + 0x1p52) & 0xffffffffUL);
  return x >= -0x1p63 && x < 0x1p63 ? (i64)whole : (i64)0x8000000000000000UL;
}""",
}

# The nearest quotient, give or take a tie, by the reciprocal in floats that hold every number exactly; then the sign of
# what it leaves tells the floor. F is that float, BITS its bits and MAGIC what rounds it to whole numbers, which are
# then its low bits.
_NARROW = {
    "floor_divide": """
FN T floor_divide_T(const T a, const T b) {
  const F x = a, y = b, q = x * ((F)1 / y) + MAGIC, rest = x - (q - MAGIC) * y;
  return b == 0 ? (T)0 : (T)((U)BITS(q) - (rest != 0 && (rest < 0) != (y < 0)));
}""",
    "remainder": """
FN T remainder_T(const T a, const T b) {
  const F x = a, y = b, q = x * ((F)1 / y) + MAGIC, rest = x - (q - MAGIC) * y;
  return b == 0 ? (T)0 : (T)(U)BITS((rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest) + MAGIC);
}""",
    "fmod": """
FN T fmod_T(const T a, const T b) {
  const F x = a, y = b, q = x * ((F)1 / y) + MAGIC, rest = x - (q - MAGIC) * y, step = x < 0 ? -fabs(y) : fabs(y);
  return b == 0 ? (T)0 : (T)(U)BITS((rest != 0 && (rest < 0) != (x < 0) ? rest + step : rest) + MAGIC);
}""",
}

# In 64 bits twice. The first quotient q is off by at most 2**13, and by nothing but the tie where |b| >= 2**31: what it
# leaves is below 2**53 in the one case and about |b| / 2 in the other, so that `rest` has the right sign, or is zero,
# in both.
_WIDE_QUOTIENT = """
  const f64 y = to_f64_T(b), inverse = 1.0 / y, t = to_f64_T(a) * inverse;
  const f64 high = t * 0x1p-32 + 0x1.8p52, low = (t - (high - 0x1.8p52) * 0x1p32) + 0x1.8p52;
  const u64 q = (AS_U64(high) << 32) + AS_U64(low) - 0x4338000000000000UL, left = (u64)a - q * (u64)b;
  const f64 r = to_f64_i64((i64)left), p = r * inverse + 0x1.8p52, rest = r - (p - 0x1.8p52) * y;
  const u64 more = AS_U64(p) - 0x4338000000000000UL;"""
_WIDE: dict[tuple[str, str], str] = {
    ("floor_divide", "i64"): f"""
FN T floor_divide_T(const T a, const T b) {{{_WIDE_QUOTIENT}
  return b == 0 ? 0 : (T)(q + more - (rest != 0 && (rest < 0) != (y < 0)));
}}""",
    ("remainder", "i64"): f"""
FN T remainder_T(const T a, const T b) {{{_WIDE_QUOTIENT}
  return b == 0 ? 0 : (T)(left - more * (u64)b + (rest != 0 && (rest < 0) != (y < 0) ? (u64)b : 0));
}}""",
    ("fmod", "i64"): f"""
FN T fmod_T(const T a, const T b) {{{_WIDE_QUOTIENT}
  const u64 step = (a < 0) != (b < 0) ? (u64)0 - (u64)b : (u64)b;
  return b == 0 ? 0 : (T)(left - more * (u64)b + (rest != 0 && (rest < 0) != (a < 0) ? step : 0));
}}""",
    # A divisor from 2**63 on fits once at most; what is left might not be a signed number.
    ("floor_divide", "u64"): f"""
FN T floor_divide_T(const T a, const T b) {{{_WIDE_QUOTIENT}
  return b == 0 ? 0 : (i64)b < 0 ? (T)(a >= b) : q + more - (rest < 0);
}}""",
    ("fmod", "u64"): f"""
FN T fmod_T(const T a, const T b) {{{_WIDE_QUOTIENT}
  return b == 0 ? 0 : (i64)b < 0 ? (a >= b ? a - b : a) : left - more * b + (rest < 0 ? b : 0);
}}""",
}
_FLOATS = {16: ("f32", "AS_U32", "0x1.8p23f"), 32: ("f64", "AS_U64", "0x1.8p52")}


def _divisions() -> dict[tuple[str, str], str]:
    made = dict(_WIDE)
    for name, text in _NARROW.items():
        for bits in (8, 16, 32):
            real, words, magic = _FLOATS[max(bits, 16)]
            filled = text.replace("F)", f"{real})").replace("const F", f"const {real}")
            filled = filled.replace("BITS", words).replace("MAGIC", magic)
            made |= {(name, f"{kind}{bits}"): filled for kind in "iu"}
    return made


def _plain_to_float(target: str, source: str) -> str:
    return f"FN {target} {'to_' + target}_{source}(const {source} a) {{ return ({target})a; }}"


def _for_spir(texts: dict[tuple[str, str], str]) -> dict[tuple[str, str], str]:
    """Each text for compilers by way of SPIR, beside the plain one for others."""
    plain = {(name, kind): text for (name, kinds), text in (INTEGER | CONVERT).items() for kind in kinds}
    made = {}
    for (name, kind), text in texts.items():
        other = plain.get((name, kind[0])) or _plain_to_float(name[3:], kind)
        made[name, kind] = f"#ifdef __SPIR__\n{text.strip()}\n#else\n{other.strip()}\n#endif"
    return made


CPU: dict[tuple[str, str], str] = (
    _for_spir(_TO_FLOAT | _TO_INTEGER | _divisions())
    | DIVISOR
    | {
        # One call that every element makes, since calls on a branch are made element by element. Squares of float32
        # neither overflow in float64 nor vanish.
        ("hypot", "f64"): """
FN T hypot_T(const T x, const T y) {
  const T m = fmax_T(fabs_T(x), fabs_T(y));
  const b8 large = m > 0.5_T * T_MAX && m <= T_MAX;
  const T scale = large ? 0.5_T : 1.0_T, h = hypot(x * scale, y * scale);
  return fmin_T(fabs_T(x), fabs_T(y)) < m * (0.25_T * T_EPS) ? m : large ? h * 2.0_T : h;
}""",
        ("hypot", "f32"): """
FN f32 hypot_f32(const f32 x, const f32 y) {
  const f64 a = x, b = y;
  return isinf_f32(x) || isinf_f32(y) ? T_INF : (f32)sqrt(a * a + b * b);
}""",
        # What is left is exact, and so the same in both types; libraries compute it bit by bit in the narrower one.
        ("fmod", "f32"): "FN f32 fmod_f32(const f32 a, const f32 b) { return (f32)fmod((f64)a, (f64)b); }",
        # An index below 2**48: the nearest quotient, then the sign of what it leaves
        ("index_quotient", "i64"): """
FN i64 index_quotient_i64(const i64 a, const i64 b) {
  const f64 x = AS_F64((u64)a | 0x4330000000000000UL) - 0x1p52, y = AS_F64((u64)b | 0x4330000000000000UL) - 0x1p52;
  const f64 q = x * (1.0 / y) + 0x1p52, rest = x - (q - 0x1p52) * y;
  return (i64)((AS_U64(q) & 0xfffffffffffffUL) - (rest < 0));
}""",
        # An exponent that is the same for all: the branch is the loop's, not the element's.
        ("pow_by", "f"): """
FN T pow_by_T(const T x, const T y) {
  if (y == 0.5_T) return sqrt(x == -T_INF ? T_INF : x + 0.0_T);
  return pow_T(x, y);
}""",
    }
)
"""Texts by name and kinds, for the layer "cpu", which needs float64."""
