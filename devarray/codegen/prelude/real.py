"""Real functions: NumPy's and the Array API standard's special cases on top of what both C dialects offer."""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial

__all__ = ["BUILTINS", "I0_LARGE", "REAL"]

BUILTINS: dict[int, tuple[str, ...]] = {
    1: (
        "acos",
        "acosh",
        "asin",
        "asinh",
        "atan",
        "atanh",
        "cbrt",
        "ceil",
        "cos",
        "cosh",
        "erf",
        "erfc",
        "exp",
        "exp2",
        "expm1",
        "fabs",
        "floor",
        "log",
        "log10",
        "log1p",
        "log2",
        "rint",
        "sin",
        "sinh",
        "sqrt",
        "tan",
        "tanh",
        "trunc",
    ),
    2: ("atan2", "copysign", "fmod", "nextafter", "pow"),
}
"""Functions that both dialects have under this name, by number of arguments."""


def _horner(variable: str, coefficients: Sequence[float]) -> str:
    """The sum of coefficients times powers of a variable, the lowest first."""
    text = ""
    for number in reversed(coefficients):
        text = f"({number!r}_T + {variable} * {text})" if text else f"{number!r}_T"
    return text


_I0_SMALL = [16**k / factorial(k) ** 2 for k in range(25)]
"""Of the series of I0 in (x / 8)**2; for x <= 8 the last term is below 2**-70 of the sum."""
I0_LARGE = [
    0.4021765094450081, 0.0033605519836678614, 0.00013621607438984735, 1.1143033790932038e-05, 1.4838476651250266e-06,
    2.9735985885673923e-07, 8.872034383314144e-08, 3.932584334552952e-08, 2.1566251453104354e-08, 7.554691881248808e-09,
    -6.8493381882867694e-09, -1.340891754008974e-08, -5.0381064879032845e-09, 7.552583062123384e-09,
    6.560138746917057e-09, -3.505966530879332e-09, -4.575553424534973e-09, 1.5200816953924232e-09,
    2.1968921378829006e-09, -5.715843864202709e-10, -6.633287112547084e-10, 1.5279202694981569e-10,
    9.36508689281819e-11, -2.0260604287413626e-11,
]  # fmt: skip
"""Of sqrt(x) exp(-x) I0(x) in y = 16 / x - 1 for x > 8: its Chebyshev series, cut at 2**-57 and written in powers of y.
Found with 300 bits; the coefficients' magnitudes add up to the first one's, so that Horner's rule loses nothing."""

REAL: dict[tuple[str, str], str] = {
    ("isnan", "f"): "FN b8 isnan_T(const T x) { return x != x; }",
    ("isinf", "f"): "FN b8 isinf_T(const T x) { return fabs_T(x) == T_INF; }",
    ("isfinite", "f"): "FN b8 isfinite_T(const T x) { return fabs_T(x) < T_INF; }",
    ("signbit", "f"): "FN b8 signbit_T(const T x) { return (T_BITSOF(x) & T_SIGN) != 0; }",
    ("sign", "f"): "FN T sign_T(const T x) { return x > 0 ? (T)1 : x < 0 ? (T)-1 : x == 0 ? (T)0 : x; }",
    ("maximum", "f"): "FN T maximum_T(const T a, const T b) { return a > b || a != a ? a : b; }",
    ("minimum", "f"): "FN T minimum_T(const T a, const T b) { return a < b || a != a ? a : b; }",
    ("fmax", "f"): "FN T fmax_T(const T a, const T b) { return a > b || b != b ? a : b; }",
    ("fmin", "f"): "FN T fmin_T(const T a, const T b) { return a < b || b != b ? a : b; }",
    # Where it does not matter which of equals is given, as in reductions.
    ("largest", "f"): "FN T largest_T(const T a, const T b) { return maximum_T(a, b); }",
    ("least", "f"): "FN T least_T(const T a, const T b) { return minimum_T(a, b); }",
    # Of equals, so of zeros, NumPy's halves give the first, and its clip between scalars the element itself.
    ("maximum", "f16"): "FN f32 maximum_f16(const f32 a, const f32 b) { return a >= b || a != a ? a : b; }",
    ("minimum", "f16"): "FN f32 minimum_f16(const f32 a, const f32 b) { return a <= b || a != a ? a : b; }",
    ("fmax", "f16"): "FN f32 fmax_f16(const f32 a, const f32 b) { return a >= b || b != b ? a : b; }",
    ("fmin", "f16"): "FN f32 fmin_f16(const f32 a, const f32 b) { return a <= b || b != b ? a : b; }",
    ("clip", "f"): """
FN T clip_T(const T x, const T low, const T high) {
  const T y = x < low || low != low ? low : x;
  return y > high || high != high ? high : y;
}""",
    # CUDA's overflows where the result is the greatest number
    ("hypot", "f"): """
FN T hypot_T(const T x, const T y) {
  const T m = fmax_T(fabs_T(x), fabs_T(y));
  if (fmin_T(fabs_T(x), fabs_T(y)) < m * (0.25_T * T_EPS)) return m;
  return m > 0.5_T * T_MAX && m <= T_MAX ? hypot(x * 0.5_T, y * 0.5_T) * 2.0_T : hypot(x, y);
}""",
    # PoCL's loses the least subnormals
    ("log1p", "f"): "FN T log1p_T(const T x) { return fabs_T(x) < 0.25_T * T_EPS ? x : log1p(x); }",
    ("heaviside", "f"): """
FN T heaviside_T(const T x, const T h) { return x < 0 ? (T)0 : x > 0 ? (T)1 : x == 0 ? h : x; }""",
    # The standard's special cases: the sign of a zero is the divisor's, and a finite number modulo an infinity of
    # the other sign is that infinity.
    ("remainder", "f"): """
FN T remainder_T(const T a, const T b) {
  const T r = fmod_T(a, b);
  if (r == 0) return copysign_T((T)0, b);
  return (r < 0) != (b < 0) ? r + b : r;
}""",
    # Python's and NumPy's way: exact unless the quotient itself rounds.
    ("np_floor_divide", "f"): """
FN T np_floor_divide_T(const T a, const T b) {
  if (b == 0) return a / b;
  const T r = fmod_T(a, b);
  T q = (a - r) / b;
  if (r != 0 && (r < 0) != (b < 0)) q -= (T)1;
  if (q == 0) return copysign_T((T)0, a / b);
  const T f = floor_T(q);
  return q - f > 0.5_T ? f + (T)1 : f;
}""",
    # The standard's: with an infinity on either side, the quotient itself.
    ("floor_divide", "f"): """
FN T floor_divide_T(const T a, const T b) {
  return isinf_T(a) || isinf_T(b) ? a / b : np_floor_divide_T(a, b);
}""",
    ("logaddexp", "f"): """
FN T logaddexp_T(const T a, const T b) {
  if (a == b) return a + T_LNTWO;
  const T d = a - b;
  return d > 0 ? a + log1p_T(exp_T(-d)) : d <= 0 ? b + log1p_T(exp_T(d)) : d;
}""",
    ("logaddexp2", "f"): """
FN T logaddexp2_T(const T a, const T b) {
  if (a == b) return a + (T)1;
  const T d = a - b, e = 1.44269504088896340735992468100_T;
  return d > 0 ? a + e * log1p_T(exp2_T(-d)) : d <= 0 ? b + e * log1p_T(exp2_T(d)) : d;
}""",
    ("i0", "f"): f"""
FN T i0_T(const T a) {{
  const T x = fabs_T(a);
  if (x <= 8.0_T) {{
    const T y = x * x * 0.015625_T;
    return {_horner("y", _I0_SMALL)};
  }}
  const T y = 16.0_T / x - 1.0_T;
  const T part = exp_T(0.5_T * x);
  return part * ({_horner("y", I0_LARGE)} / sqrt_T(x)) * part;
}}""",
    # NumPy's zeros have no sign here; its halves look upwards always.
    # By powers of two made of bits: three, since two do not reach from the least number to infinity. The last product,
    # by the largest of them, is the only one that can round.
    ("power_of_two", "f"): "FN T power_of_two_T(const S n) { return T_FROMBITS((U)(n + T_BIAS) << (T_DIGITS - 1)); }",
    ("normal_exponent", "f"): """
FN S normal_exponent_T(const S n) { return n < 1 - T_BIAS ? 1 - T_BIAS : n > T_BIAS ? T_BIAS : n; }""",
    ("scale_by_power", "f"): """
FN T scale_by_power_T(const T x, const T n) {
  const S all = n < -5000.0_T ? -5000 : n > 5000.0_T ? 5000 : (S)n, one = normal_exponent_T(all);
  const S two = normal_exponent_T(all - one), three = normal_exponent_T(all - one - two);
  return x * power_of_two_T(three) * power_of_two_T(two) * power_of_two_T(one);
}""",
    # What is subnormal is made normal first.
    ("mantissa", "f"): """
FN T mantissa_T(const T x) {
  if (x == 0 || !isfinite_T(x)) return x;
  const U bits = T_BITSOF(fabs_T(x) < T_MIN ? x * power_of_two_T(T_DIGITS) : x);
  return T_FROMBITS((bits & ~((U)(2 * T_BIAS + 1) << (T_DIGITS - 1))) | (U)(T_BIAS - 1) << (T_DIGITS - 1));
}""",
    ("exponent", "f"): """
FN T exponent_T(const T x) {
  if (x == 0 || !isfinite_T(x)) return (T)0;
  const S tiny = fabs_T(x) < T_MIN;
  const U bits = T_BITSOF(tiny ? x * power_of_two_T(T_DIGITS) : x);
  return (T)((S)(bits >> (T_DIGITS - 1) & (U)(2 * T_BIAS + 1)) - (T_BIAS - 1) - tiny * T_DIGITS);
}""",
    ("spacing", "f"): """
FN T spacing_T(const T x) {
  return isinf_T(x) ? T_NAN : nextafter_T(x, x < 0 ? -T_INF : T_INF) - x;
}""",
    ("spacing", "f16"): """
FN f32 spacing_f16(const f32 x) {
  return isinf_f32(x) ? T_NAN : nextafter_f16(x, T_INF) - x;
}""",
    ("nextafter", "f16"): """
FN f32 nextafter_f16(const f32 x, const f32 y) {
  if (x != x || y != y) return x + y;
  if (x == y) return y;
  const u16 h = store_f16(x);
  if (x == 0) return load_f16(y > 0 ? (u16)1 : (u16)0x8001);
  return load_f16((u16)((x < y) == (x > 0) ? h + 1 : h - 1));
}""",
}
