"""Complex powers, within a few units in the last place of the norm however far the exponent stretches the logarithm.

exp(b log a) multiplies the rounding of log a by b, so that a logarithm of working precision leaves up to hundreds of
units. Here the logarithm and the angle are sums of two numbers (T. J. Dekker, "A floating-point technique for extending
the available precision", 1971), and products carry their rounding errors along (S. Graillat and V. Ménissier-Morain,
"Accurate summation, dot product and polynomial evaluation in complex floating point arithmetic", 2012).

A *pair* is a T whose two members are not a complex number but a real one, the unevaluated sum re + im with im below the
rounding of re.
"""

from __future__ import annotations

import re
import struct
from fractions import Fraction
from math import factorial

__all__ = ["POWER", "POWER_FP64"]

_PAIRS = 5
"""Coefficients of the odd series that are pairs; what follows is small enough for single numbers."""
_LAST = 29
"""The series' last denominator: |v| <= 1/8, and 2**-6 to the 15th, over 31, is below 2**-94."""

_NUMBERS: dict[str, Fraction] = {
    "LN_TWO": Fraction("0.693147180559945309417232121458176568075500134360255254120680"),
    "HALF_LN_EIGHT_FIFTHS": Fraction("0.235001814622867776825468515574171032350449524406124020224696"),
    "PI": Fraction("3.14159265358979323846264338327950288419716939937510582097494"),
    "HALF_PI": Fraction("1.57079632679489661923132169163975144209858469968755291048747"),
    "ATAN_1": Fraction("0.244978663126864154172082481211275810914144098381184067127376"),
    "ATAN_2": Fraction("0.463647609000806116214256231461214402028537054286120263810933"),
    "ATAN_3": Fraction("0.643501108793284386802809228717322638041510591115312382865606"),
    "ATAN_4": Fraction("0.785398163397448309615660845819875721049292349843776455243736"),
} | {f"ODD_{n}": Fraction(1, n) for n in range(3, _LAST + 1, 2)}


def _horner(factorials: range) -> str:
    """The sum of (-1)**(n // 2) z**(i) / n! over the i-th n of a range."""
    text = ""
    for n in reversed(factorials):
        number = f"{(-1) ** (n // 2) / factorial(n)!r}_R"
        text = f"({number} + z * {text})" if text else number
    return text


_TEXTS: dict[str, str] = {
    "two_sum": """
FN T two_sum_T(const R a, const R b) {
  const R s = a + b, t = s - a;
  return make_T(s, (a - (s - t)) + (b - t));
}""",
    # For |a| >= |b|
    "fast_sum": """
FN T fast_sum_T(const R a, const R b) {
  const R s = a + b;
  return make_T(s, b - (s - a));
}""",
    "two_product": """
FN T two_product_T(const R a, const R b) {
  const R p = a * b;
  return make_T(p, fma(a, b, -p));
}""",
    "pair_add": """
FN T pair_add_T(const T a, const T b) {
  const T s = two_sum_T(a.re, b.re);
  return fast_sum_T(s.re, s.im + (a.im + b.im));
}""",
    "pair_multiply": """
FN T pair_multiply_T(const T a, const T b) {
  const T p = two_product_T(a.re, b.re);
  return fast_sum_T(p.re, p.im + (a.re * b.im + a.im * b.re));
}""",
    "pair_scale": """
FN T pair_scale_T(const T a, const R b) {
  const T p = two_product_T(a.re, b);
  return fast_sum_T(p.re, p.im + a.im * b);
}""",
    # a z + b for |b| >= |a z|, not normalised: a step of Horner's rule
    "pair_step": """
FN T pair_step_T(const T a, const T z, const T b) {
  const T p = two_product_T(a.re, z.re), s = fast_sum_T(b.re, p.re);
  return make_T(s.re, s.im + (p.im + (b.im + (a.re * z.im + a.im * z.re))));
}""",
    "pair_divide": """
FN T pair_divide_T(const T a, const T b) {
  const R q = a.re / b.re, rest = fma(-q, b.re, a.re) + (a.im - q * b.im);
  return fast_sum_T(q, rest / b.re);
}""",
    # v + sign v**3 / 3 + v**5 / 5 + ...: atanh for a sign of 1, atan for -1
    "odd_series": f"""
FN T odd_series_T(const T v, const R sign) {{
  const T square = pair_multiply_T(v, v), z = make_T(square.re * sign, square.im * sign);
  R rest = $ODD_{_LAST}.re;
{chr(10).join(f"  rest = rest * z.re + $ODD_{n}.re;" for n in range(_LAST - 2, 2 * _PAIRS + 1, -2))}
  T sum = make_T(rest, 0);
{chr(10).join(f"  sum = pair_step_T(sum, z, $ODD_{n});" for n in range(2 * _PAIRS + 1, 1, -2))}
  return pair_multiply_T(v, pair_step_T(sum, z, make_T(1.0_R, 0)));
}}""",
    # log(2**e |x + iy|) for x >= y >= 0 with x**2 + y**2 = 1 + d between 1/2 and 2. The logarithm of 1 + d is twice the
    # atanh of d / (2 + d); far from 1, 5/8 or 8/5 is taken out of 1 + d first.
    "log_radius": """
FN T log_radius_T(const R x, const R y, const i32 e) {
  const T p = two_product_T(x, x), q = two_product_T(y, y), t = two_sum_T(p.re, -1.0_R), u = two_sum_T(t.re, q.re);
  const T f = two_sum_T(p.im, q.im), g = two_sum_T(u.re, f.re);
  const T d = fast_sum_T(g.re, g.im + (f.im + (u.im + t.im)));
  const b8 low = d.re < -0.21_R, high = d.re > 0.265_R;
  const T scaled = pair_scale_T(d, low ? 8.0_R : high ? 5.0_R : 1.0_R);
  const T above = pair_add_T(scaled, make_T(low ? 3.0_R : high ? -3.0_R : 0, 0));
  const T below = pair_add_T(scaled, make_T(low || high ? 13.0_R : 2.0_R, 0));
  const T near = odd_series_T(pair_divide_T(above, below), 1.0_R);
  const R side = low ? -1.0_R : high ? 1.0_R : 0;
  const T taken = make_T(side * $HALF_LN_EIGHT_FIFTHS.re, side * $HALF_LN_EIGHT_FIFTHS.im);
  return pair_add_T(pair_scale_T($LN_TWO, (R)e), pair_add_T(taken, near));
}""",
    # The angle of x + iy for x >= y >= 0, x > 0: the nearest quarter k / 4 of the slope is taken out first.
    "angle_octant": """
FN T angle_octant_T(const R x, const R y) {
  const R k = rint_R(4.0_R * (y / x)), slope = 0.25_R * k;
  const T p = two_product_T(slope, x), q = two_product_T(slope, y);
  const T above = pair_add_T(make_T(y, 0), make_T(-p.re, -p.im)), below = pair_add_T(make_T(x, 0), q);
  const T near = odd_series_T(pair_divide_T(above, below), -1.0_R);
  const R re = k == 0 ? 0 : k == 1.0_R ? $ATAN_1.re : k == 2.0_R ? $ATAN_2.re : k == 3.0_R ? $ATAN_3.re : $ATAN_4.re;
  const R im = k == 0 ? 0 : k == 1.0_R ? $ATAN_1.im : k == 2.0_R ? $ATAN_2.im : k == 3.0_R ? $ATAN_3.im : $ATAN_4.im;
  return pair_add_T(make_T(re, im), near);
}""",
    # What rounding takes from multiply_T(a, b)
    "product_error": """
FN T product_error_T(const T a, const T b) {
  const T p = two_product_T(a.re, b.re), q = two_product_T(a.im, b.im);
  const T s = two_product_T(a.re, b.im), t = two_product_T(a.im, b.re);
  return make_T(two_sum_T(p.re, -q.re).im + (p.im - q.im), two_sum_T(s.re, t.re).im + (s.im + t.im));
}""",
    "complex_add": "FN T complex_add_T(const T a, const T b) { return make_T(a.re + b.re, a.im + b.im); }",
    # cos r + i sin r for a pair r with |r| <= pi / 4, by Taylor's series
    "turn_octant": f"""
FN T turn_octant_T(const T r) {{
  const R z = r.re * r.re, less = 0.5_R * z, w = 1.0_R - less;
  const R c = {_horner(range(4, 18, 2))}, s = {_horner(range(3, 18, 2))};
  return make_T(w + (((1.0_R - w) - less) + (z * z * c - r.re * r.im)), r.re + (z * r.re * s + r.im * w));
}}""",
    # exp(z + rest) for a small rest. Turning by quarters keeps what a builtin's argument would round off.
    "exp_sum": """
FN T exp_sum_T(const T z, const T rest) {
  const b8 finite = isfinite_T(rest) && fabs_R(z.re) <= T_LN + T_K && fabs_R(z.im) <= 0.125_R / T_EPS;
  if (!finite) return exp_T(z);
  const R big = z.re > T_LN ? T_EXPK : 1.0_R, e = exp_R(z.re > T_LN ? z.re - T_K : z.re), scale = e + e * rest.re;
  const R k = rint_R(z.im / $HALF_PI.re), quarter = k - 4.0_R * floor_R(0.25_R * k);
  const T r = pair_add_T(two_sum_T(z.im, rest.im), pair_scale_T($HALF_PI, -k)), w = turn_octant_T(r);
  const b8 odd = quarter == 1.0_R || quarter == 3.0_R;
  const R c = odd ? w.im : w.re, s = odd ? w.re : w.im;
  const R re = quarter == 1.0_R || quarter == 2.0_R ? 0 - c : c, im = quarter >= 2.0_R ? 0 - s : s;
  return make_T(scale * re * big, scale * (z.im == 0 && rest.im == 0 ? z.im : im) * big);
}""",
    # exp(b log a) for a finite a that is not 0
    "pow_by_log": """
FN T pow_by_log_T(const T a, const T b) {
  R x = fmax_R(fabs_R(a.re), fabs_R(a.im)), y = fmin_R(fabs_R(a.re), fabs_R(a.im));
  i32 e = ilogb(x);
  x = ldexp(x, -e);
  y = ldexp(y, -e);
  if (x * x + y * y > 2.0_R) {
    x *= 0.5_R;
    y *= 0.5_R;
    e += 1;
  }
  const T radius = log_radius_T(x, y, e);
  T angle = angle_octant_T(x, y);
  if (fabs_R(a.im) > fabs_R(a.re)) angle = pair_add_T($HALF_PI, make_T(-angle.re, -angle.im));
  if (a.re < 0) angle = pair_add_T($PI, make_T(-angle.re, -angle.im));
  const R side = copysign_R(1.0_R, a.im);
  const T log = make_T(radius.re, side * angle.re), rest = make_T(radius.im, side * angle.im);
  return exp_sum_T(multiply_T(b, log), complex_add_T(product_error_T(b, log), multiply_T(b, rest)));
}""",
    # 1 / (z + rest): one step of Newton's over the plain reciprocal
    "reciprocal_sum": """
FN T reciprocal_sum_T(const T z, const T rest) {
  const i32 e = ilogb(fmax_R(fabs_R(z.re), fabs_R(z.im)));
  const T w = make_T(ldexp(z.re, -e), ldexp(z.im, -e)), d = make_T(ldexp(rest.re, -e), ldexp(rest.im, -e));
  const T q = reciprocal_T(w), product = multiply_T(q, w);
  const T less = complex_add_T(product_error_T(q, w), multiply_T(q, d));
  const T r = complex_add_T(q, multiply_T(q, make_T((1.0_R - product.re) - less.re, -product.im - less.im)));
  return make_T(ldexp(r.re, -e), ldexp(r.im, -e));
}""",
    # By squaring, with what each product rounds off carried along
    "pow": """
FN T pow_T(const T a, const T b) {
  if (b.re == 0 && b.im == 0) return make_T(1.0_R, 0);
  if (a.re == 0 && a.im == 0) return b.re > 0 ? (b.im == 0 ? a : make_T(0, 0)) : make_T(T_NAN, T_NAN);
  if (b.im == 0 && fabs_R(b.re) <= 64.0_R && b.re == rint_R(b.re)) {
    T x = a, dx = make_T(0, 0), r = make_T(1.0_R, 0), dr = dx;
    b8 begun = 0;
    for (i32 n = (i32)fabs_R(b.re);;) {
      if (n & 1) {
        dr = begun ? complex_add_T(product_error_T(r, x), complex_add_T(multiply_T(r, dx), multiply_T(dr, x))) : dx;
        r = begun ? multiply_T(r, x) : x;
        begun = 1;
      }
      n >>= 1;
      if (!n) break;
      dx = complex_add_T(product_error_T(x, x), multiply_T(make_T(2.0_R * x.re, 2.0_R * x.im), dx));
      x = square_T(x);
    }
    if (!isfinite_T(a)) return b.re < 0 ? reciprocal_T(r) : r;
    if (b.re > 0 && !isnan_T(r)) return isfinite_T(dr) ? complex_add_T(r, dr) : r;
    if (b.re < 0 && isfinite_T(dr) && (r.re != 0 || r.im != 0)) return reciprocal_sum_T(r, dr);
  }
  return isfinite_T(a) ? pow_by_log_T(a, b) : exp_T(multiply_T(b, log_T(a)));
}""",
}


def _rounded(value: Fraction, double: bool) -> float:
    return float(value) if double else struct.unpack("f", struct.pack("f", float(value)))[0]


def _with_numbers(text: str, double: bool) -> str:
    """`text` with `$NAME`, `$NAME.re` and `$NAME.im` replaced by that number's pair and its members."""

    def replace(match: re.Match[str]) -> str:
        value = _NUMBERS[match[1]]
        high = _rounded(value, double)
        members = {".re": high, ".im": _rounded(value - Fraction(high), double)}
        return f"{members[match[2]].hex()}_R" if match[2] else f"make_T({high.hex()}_R, {members['.im'].hex()}_R)"

    return re.sub(r"\$([A-Z_0-9]+)(\.re|\.im)?", replace, text)


POWER: dict[tuple[str, str], str] = {
    (name, suffix): _with_numbers(text, double)
    for name, text in _TEXTS.items()
    for suffix, double in (("c64", False), ("c128", True))
}

POWER_FP64: dict[tuple[str, str], str] = {
    ("pow", "c64"): """
FN c64 pow_c64(const c64 a, const c64 b) {
  const c128 r = pow_c128(make_c128(a.re, a.im), make_c128(b.re, b.im));
  return make_c64((f32)r.re, (f32)r.im);
}""",
}
