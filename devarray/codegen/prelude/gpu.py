"""Functions for GPUs, whose builtins handle every special case in line: here the ordinary case is in line alone.

The power of float32 is 2**(y log2 x). Its logarithm must carry about 33 bits, since y multiplies by up to 2**7 what
rounding takes from it; so it is the sum of two numbers, and products carry their errors along by `fma`. The polynomials
are minimax ones whose coefficients were rounded to float32 one after the other, the lowest first.
"""

from __future__ import annotations

__all__ = ["GPU", "GPU_CUDA", "GPU_NVIDIA"]

# Zeros are frequent enough, as black pixels are, that their neighbours shall not wait for all of the builtin.
_APART = """f32 pow_apart_f32(const f32 x, const f32 y) {
  if (y == 2.0f) return x * x;
  if (AS_U32(x) == 0 && y > 0) return 0.0f;
  return pow(x, y);
}"""

_PLAIN = "T divide_apart_T(const T x, const T y) { return x / y; }"
_BY = """
FN T divide_by_T(const T x, const T y) {
  const T r = 1.0_T / y, q = x * r;
  T made = fma(-fmin(fma(q, y, -x), T_MAX), r, q);
  if (2 * T_BITSOF(x) - 1 < LEAST) made = divide_apart_T(x, y);
  return made;
}"""

_LOG = """FN f32 NAME_f32(const f32 xMORE) {
  const u32 bits = AS_U32(x), n = (bits - 0x3f2aaaabu) & 0xff800000u;
  const f32 e = EXPONENT, f = AS_F32(bits - n) - 1.0f;
  f32 p = fma(f, -0x1.07c984p-3f, 0x1.1e67ap-3f);
  p = fma(f, p, -0x1.f332ap-4f);
  p = fma(f, p, 0x1.1ed66p-3f);
  p = fma(f, p, -0x1.559c46p-3f);
  p = fma(f, p, 0x1.99d044p-3f);
  p = fma(f, p, -0x1.fffefcp-3f);
  p = fma(f, p, 0x1.555506p-2f);
  p = fma(f, p, -0.5f);
  return fma(e, 0x1.62e43p-1f, fma(f, f * p, f));
}"""


def _log(name: str, more: str, exponent: str) -> str:
    return _LOG.replace("NAME", name).replace("MORE", more).replace("EXPONENT", exponent)


GPU: dict[tuple[str, str], str] = {
    # What is computed with it mends its error, which may be a unit in the last place.
    ("reciprocal_estimate", "f"): "FN T reciprocal_estimate_T(const T x) { return 1.0_T / x; }",
    # log2 x as a sum, within 2**-31.5 of itself; of what is not positive and normal it is some number beyond 125.
    # x is 2**n m with m from 0.816 to 1.633, and log2 m that of 3/4 m where m is large, which leaves |s| < 0.102 in
    # log2 m = 2 atanh(s) / ln 2, s = (m - 1) / (m + 1); `less` is what rounding took from s. log2(4/3) has two parts:
    # one that adds to n exactly, and one in units of s. The factor of s is 2 / ln 2 and 0.0017 of it, so that the rest
    # of the series, from 0 to 0.0034, becomes one of either sign and half as large.
    ("log2_sum", "f32"): """
FN f32 log2_sum_f32(const f32 x, f32* rest) {
  const u32 bits = AS_U32(x), n = (bits - 0x3f5105ecu) & 0xff800000u;
  const f32 m = AS_F32(bits - n);
  const b8 large = m >= 1.15f;
  const f32 whole = fma((f32)(i32)n, 0x1p-23f, large ? 0x1.a9p-2f : 0.0f);
  const f32 d = fma(m, large ? 0.75f : 1.0f, -1.0f), r = reciprocal_estimate_f32(d + 2.0f), s = d * r, z = s * s;
  const f32 less = fma(fma(-s, d, fma(-2.0f, s, d)), fma(r, z, r), large ? -0x1.225c34p-21f : 0.0f);
  const f32 more = fma(z, fma(z, fma(z, 0x1.29113ap-3f, 0x1.98dc8ep-3f), 0x1.54bed4p-2f), -0x1.c38a0cp-10f);
  const f32 high = fma(s, 0x1.71f79ap+1f, whole);
  *rest = fma(fma(s, more, less), 0x1.71f79ap+1f, fma(s, 0x1.71f79ap+1f, whole - high));
  return high;
}""",
    # 2**t for |t| <= 0.72, the best for |t| <= 1/2
    ("exp2_near", "f32"): """
FN f32 exp2_near_f32(const f32 t) {
  f32 q = fma(t, 0x1.fb7afap-17f, 0x1.45624cp-13f);
  q = fma(t, q, 0x1.5d9248p-10f);
  q = fma(t, q, 0x1.3b2886p-7f);
  q = fma(t, q, 0x1.c6b07ap-5f);
  q = fma(t, q, 0x1.ebfbe2p-3f);
  q = fma(t, q, 0x1.62e43p-1f);
  return fma(t, q, 1.0f);
}""",
    ("near_reciprocal", "f32"): """
FN f32 near_reciprocal_f32(const f32 x) {
  const f32 estimate = reciprocal_estimate_f32(x);
  return fma(fma(-x, estimate, 1.0f), estimate, estimate);
}""",
    ("near_reciprocal", "f64"): """
FN f64 near_reciprocal_f64(const f64 x) {
  const f64 estimate = reciprocal_estimate_f64(x), e = fma(-x, estimate, 1.0);
  const f64 r = fma(estimate, fma(e, e, e), estimate);
  return fma(r, fma(-x, r, 1.0), r);
}""",
    # A division and a root without a branch. Bit 30 of `ok` stays where the divisor and the quotient, or what is under
    # the root, are from 2**-50 to 2**78 in magnitude: there no step underflows or overflows, what is left of the
    # dividend is exact, and the last step rounds correctly (Markstein). NVIDIA's compiler takes the same steps there.
    # All quotients that are near enough to the middle of two floats for a wrong rounding were tried: of estimates 4
    # units off five are wrong, by divisors just below a power of two, and by a second correction, too. Adding to a
    # float's bits what takes 2**-50's exponent to the middle of all exponents sets bit 30 for 128 exponents from there
    # on, and for no other, NaN's among them. Zeros are others, too. Newton's step alone is right for all significands.
    # Those of float64 are from 2**-400 to 2**624, and the steps those of NVIDIA's compiler one by one.
    ("tested", "f32"): """
FN f32 tested_f32(const f32 x, u32* ok) {
  *ok &= AS_U32(x) + 0x19800000u;
  return x;
}""",
    ("tested", "f64"): """
FN f64 tested_f64(const f64 x, u32* ok) {
  *ok &= (u32)(AS_U64(x) >> 32) + 0x19100000u;
  return x;
}""",
    ("divide_near", "f"): """
FN T divide_near_T(const T x, const T y) {
  const T r = near_reciprocal_T(y), q = x * r;
  return fma(fma(-y, q, x), r, q);
}""",
    ("sqrt_near", "f32"): """
FN f32 sqrt_near_f32(const f32 x) {
  const f32 r = inverse_root_estimate_f32(x), q = x * r;
  return fma(fma(-q, q, x), r * 0.5f, q);
}""",
    ("sqrt_near", "f64"): """
FN f64 sqrt_near_f64(const f64 x) {
  const f64 estimate = inverse_root_estimate_f64(x), e = fma(x, -(estimate * estimate), 1.0);
  const f64 r = fma(fma(e, 0.375, 0.5), estimate * e, estimate), q = x * r;
  return fma(fma(q, -q, x), r * 0.5, q);
}""",
    ("tested_positive", "f32"): """
FN f32 tested_positive_f32(const f32 x, u32* ok) {
  const i32 shifted = (i32)(AS_U32(x) + 0x19800000u);
  *ok &= (u32)(shifted > 0 ? shifted : 0);
  return x;
}""",
    # log x is n log 2 + log(1 + f), where x is 2**n (1 + f) and f from -1/3 to 1/3: within 0.93 ULP, for which all of
    # float32 were tried. `log_near` takes positive normal numbers without a test; its steps are those of `log`, so that
    # both have the same bits. What is subnormal is scaled; negative numbers, zero, infinity and NaN come last.
    ("log_near", "f32"): _log("log_near", "", "(f32)(i32)n * 0x1p-23f"),
    ("log_scaled", "f32"): _log("log_scaled", ", const f32 scale", "fma((f32)(i32)n, 0x1p-23f, scale)"),
    ("log", "f32"): """
FN f32 log_f32(const f32 x) {
  const b8 small = x < T_MIN;
  const f32 scaled = small ? x * 0x1p+23f : x;
  f32 made = log_scaled_f32(scaled, small ? -23.0f : 0.0f);
  if (AS_U32(scaled) >= 0x7f800000u) made = fma(scaled, T_INF, T_INF);
  return x == 0 ? -T_INF : made;
}""",
    # By a constant from 1 to 2**20, whose inverse the compiler works out: a product, and Markstein's correction, whose
    # `fmin` makes a number of infinity's. Zeros get their sign: what is left of them is +0, and -0 is added. Numbers
    # so small that what is left of them may not be exact go the compiler's way; of a zero's bits 1 makes the largest.
    ("divide_by", "f32"): _BY.replace("LEAST", "0x1b000000u"),
    ("divide_by", "f64"): _BY.replace("LEAST", "0x07e0000000000000UL"),
    ("divide_near_by", "f"): """
FN T divide_near_by_T(const T x, const T y) {
  const T r = 1.0_T / y, q = x * r;
  return fma(-fma(q, y, -x), r, q);
}""",
    ("divide_apart", "f"): f"FN {_PLAIN}",
    ("inverse_root_estimate", "f"): "FN T inverse_root_estimate_T(const T x) { return 1.0_T / sqrt(x); }",
    ("pow_apart", "f32"): f"FN {_APART}",
    # Within 1.5 ULP, and exact where the power is a float32. Adding 1.5 * 2**23 rounds to a whole number, which then is
    # the lowest bits; what it leaves of p is exact. The comparisons, false for NaN, make one branch, of one call. A
    # square is one where the exponent is an array's element, too: `x ** 2` is recorded as a product.
    ("pow", "f32"): """
FN f32 pow_f32(const f32 x, const f32 y) {
  f32 rest;
  const f32 high = log2_sum_f32(x, &rest), p = high * y, low = fma(rest, y, fma(high, y, -p));
  const f32 shifted = p + 0x1.8p23f, t = (p - (shifted - 0x1.8p23f)) + low;
  f32 made = AS_F32(AS_U32(exp2_near_f32(t)) + (AS_U32(shifted) << 23));
  if (!((fabs(high) < 125.0f) & (fabs(p) < 125.0f) & (y != 2.0f))) made = pow_apart_f32(x, y);
  return made;
}""",
}
"""Texts by name and type, for the layer "gpu"."""


def _estimate(name: str, instruction: str, real: str) -> str:
    """A function of one instruction of PTX."""
    kept = {"f32": "f", "f64": "d"}[real]
    return f"""
FN {real} {name}_{real}(const {real} x) {{
  {real} made;
  asm("{instruction}.approx.ftz.{real} %0, %1;" : "={kept}"(made) : "{kept}"(x));
  return made;
}}"""


GPU_NVIDIA: dict[tuple[str, str], str] = {
    (name, real): _estimate(name, instruction, real)
    for name, instruction in (("reciprocal_estimate", "rcp"), ("inverse_root_estimate", "rsqrt"))
    for real in ("f32", "f64")
}
"""For the layer "nvidia": one instruction, within a unit in the last place of a float32."""

GPU_CUDA: dict[tuple[str, str], str] = {
    # One for all calls of a kernel, in line nowhere
    ("pow_apart", "f32"): f"static __device__ __noinline__ {_APART}",
    ("divide_apart", "f"): f"static __device__ __noinline__ {_PLAIN}",
}
"""For the layer "cuda"."""
