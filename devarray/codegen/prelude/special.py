"""The functions of :mod:`devarray.special`, after SciPy's definitions at zeros, poles and infinities.

The polynomials are Chebyshev series (tools/make_special.py). Of float32 a device with float64 computes in that.
"""

from __future__ import annotations

from collections.abc import Sequence

from devarray.codegen.prelude.special_fits import FITS, J_ZEROS, ROOT_OF_PSI

__all__ = ["SPECIAL", "SPECIAL_FP64"]


def _horner(coefficients: Sequence[float], variable: str = "y") -> str:
    text = ""
    for number in reversed(coefficients):
        text = f"({number!r}_T + {variable} * {text})" if text else f"{number!r}_T"
    return text


def _fit(name: str) -> str:
    return _horner(FITS[name])


def _i1_series() -> list[float]:
    """I1(x) / x in powers of (x / 8)**2, to x = 8."""
    terms, term = [], 0.5
    for k in range(26):
        terms.append(term)
        term *= 16.0 / ((k + 1) * (k + 2))
    return terms


def _zeros(order: int) -> str:
    """The product of x**2 minus the squares of the first zeros, with each zero as a sum of two numbers."""
    return " * ".join(f"(((x - {a!r}_T) - {b!r}_T) * (x + {a!r}_T))" for a, b in J_ZEROS[order])


_UNARY: dict[str, str] = {
    "erfcx": f"""
  const T m = fabs_T(x), y = (m - 4.0_T) / (m + 4.0_T);
  const T near = m > T_MAX ? (T)0 : {_fit("ERFCX")} / (1.0_T + 2.0_T * m);
  if (!(x < 0)) return x != x ? x : near;
  if (x < -27.0_T) return T_INF;
  const T high = rint_T(m * 16.0_T) * 0.0625_T;
  return 2.0_T * exp_T(high * high) * exp_T((m - high) * (m + high)) - near;""",
    "erfinv": """
  if (!(fabs_T(x) < 1)) return x == 1 ? T_INF : x == -1 ? -T_INF : T_NAN;
  const T m = fabs_T(x);
  const T r = inverse_error_T(m, 1.0_T - m);
  return x < 0 ? -r : x > 0 ? r : x;""",
    "erfcinv": """
  if (!(x > 0 && x < 2)) return x == 0 ? T_INF : x == 2 ? -T_INF : T_NAN;
  return x <= 1 ? inverse_error_T(1.0_T - x, x) : -inverse_error_T(x - 1.0_T, 2.0_T - x);""",
    "ndtr": """
  if (fabs_T(x) < 1) return 0.5_T + 0.5_T * erf_T(x * 0.70710678118654752440_T);
  return x > 0 ? 1.0_T - normal_above_T(x) : normal_above_T(-x);""",
    "ndtri": """
  if (!(x > 0 && x < 1)) return x == 0 ? -T_INF : x == 1 ? T_INF : T_NAN;
  const T root = 1.41421356237309504880_T;
  if (x < 0.25_T) return -root * inverse_error_T(1.0_T - 2.0_T * x, 2.0_T * x);
  if (x > 0.75_T) return root * inverse_error_T(2.0_T * x - 1.0_T, 2.0_T * (1.0_T - x));
  const T m = fabs_T(2.0_T * x - 1.0_T), r = root * inverse_error_T(m, 1.0_T - m);
  return x < 0.5_T ? -r : r;""",
    "log_ndtr": """
  const T z = x * 0.70710678118654752440_T;
  if (x < -1) {
    const T high = rint_T(x * 16.0_T) * 0.0625_T;
    const T square = fabs_T(x) < 1048576.0_T ? 0.5_T * high * high + 0.5_T * (x - high) * (x + high) : z * z;
    return log_T(0.5_T * erfcx_T(-z)) - square;
  }
  return log1p_T(x > 1 ? -normal_above_T(x) : -0.5_T * erfc_T(z));""",
    "gamma": f"""
  if (x == 0) return copysign_T(T_INF, x);
  if (!(fabs_T(x) <= T_MAX)) return x < 0 ? T_NAN : x;
  if (x < 0 && x == floor_T(x)) return T_NAN;
  const T m = fabs_T(x);
  if (m > 33.0_T) {{
    const T w = 1.0_T / m;
    const T tail = w * (0.083333333333333333_T + w * (0.0034722222222222222_T + w * (-0.0026813271604938272_T
      + w * (-0.00022947209362139918_T + w * (0.00078403922172006663_T + w * (6.9728137583658578e-05_T
      + w * (-0.00059216643735369388_T + w * -5.1717909082605922e-05_T)))))));
    const T part = pow_T(m, 0.5_T * m - 0.25_T);
    const T big = m > 172.0_T ? T_INF : 2.50662827463100050242_T * part * exp_T(-m) * part * (1.0_T + tail);
    if (x > 0) return big;
    const T whole = floor_T(m), off = m - whole, turn = off > 0.5_T ? 1.0_T - off : off;
    const T sine = sin_T(T_PI * turn) * (whole * 0.5_T == floor_T(whole * 0.5_T) ? -1.0_T : 1.0_T);
    return big == T_INF ? copysign_T((T)0, sine) : T_PI / (m * sine) / big;
  }}
  T z = x, p = 1.0_T, q = 1.0_T;
  while (z >= 3.0_T) {{ z -= 1.0_T; p *= z; }}
  if (m < T_EPS) return 1.0_T / x - 0.57721566490153286_T;
  while (z < 0) {{ q *= z; z += 1.0_T; }}
  if (z < T_EPS) return p / (q * z * (1.0_T + 0.57721566490153286_T * z));
  while (z < 2.0_T) {{ q *= z; z += 1.0_T; }}
  const T y = 2.0_T * z - 5.0_T;
  return p * {_fit("GAMMA")} / q;""",
    "gammaln": "\n  return isinf_T(x) ? T_INF : lgamma(x);",
    "gammasgn": """
  if (x != x) return x;
  if (x > 0) return 1;
  if (x == 0) return copysign_T((T)1, x);
  const T whole = floor_T(x);
  if (x == whole) return T_NAN;
  return whole * 0.5_T == floor_T(whole * 0.5_T) ? (T)1 : (T)-1;""",
    "rgamma": """
  if (x <= 0 && x == floor_T(x)) return x == 0 ? x : (T)0;
  if (fabs_T(x) < 1e-30_T) return x;
  return x > 171.0_T ? exp_T(-lgamma(x)) : 1.0_T / gamma_T(x);""",
    "digamma": f"""
  if (x == 0) return copysign_T(T_INF, -x);
  if (!(fabs_T(x) <= T_MAX)) return x < 0 ? T_NAN : x;
  T z = x, r = 0;
  if (x < 0) {{
    const T whole = floor_T(x);
    if (x == whole) return T_NAN;
    if (x < -8.0_T) {{
      T off = x - whole;
      r = off == 0.5_T ? (T)0 : -T_PI / tan_T(T_PI * (off > 0.5_T ? off - 1.0_T : off));
      z = 1.0_T - x;
    }}
  }}
  while (z < 1.0_T) {{ r -= 1.0_T / z; z += 1.0_T; }}
  if (z >= 12.0_T) {{
    const T w = 1.0_T / (z * z);
    const T tail = w * (0.083333333333333333_T - w * (0.0083333333333333333_T - w * (0.003968253968253968_T
      - w * (0.0041666666666666667_T - w * (0.0075757575757575758_T - w * (0.021092796092796093_T
      - w * 0.083333333333333333_T))))));
    return r + (log_T(z) - 0.5_T / z - tail);
  }}
  while (z >= 2.0_T) {{ z -= 1.0_T; r += 1.0_T / z; }}
  const T y = 2.0_T * z - 3.0_T;
  return r + ((z - {ROOT_OF_PSI[0]!r}_T) - {ROOT_OF_PSI[1]!r}_T) * {_fit("PSI")};""",
    "expit": """
  const T e = exp_T(-fabs_T(x));
  return (x < 0 ? e : 1.0_T) / (1.0_T + e);""",
    "log_expit": "\n  return (x < 0 ? x : (T)0) - log1p_T(exp_T(-fabs_T(x)));",
    "logit": """
  if (x < 0 || x > 1) return T_NAN;
  const T d = x - 0.5_T;
  return x < 0.3_T || x > 0.65_T ? log_T(x / (1.0_T - x)) : log1p_T(2.0_T * d / (1.0_T - x));""",
    "entr": "\n  return x > 0 ? -x * log_T(x) : x == 0 ? (T)0 : x < 0 ? -T_INF : x;",
    "exprel": "\n  return fabs_T(x) < T_EPS ? (T)1 : x == T_INF ? x : expm1_T(x) / x;",
    "exp10": "\n  return pow_T(10.0_T, x);",
    "cosm1": "\n  const T s = sin_T(0.5_T * x);\n  return -2.0_T * s * s;",
    "sindg": "\n  return turn_T(x, 0);",
    "cosdg": "\n  return turn_T(x, 1);",
    "tandg": """
  if (!(fabs_T(x) < 1e14_T)) return x - x;
  const T s = turn_T(x, 0), c = turn_T(x, 1);
  return c == 0 ? copysign_T(T_INF, s) : s == 0 ? (T)0 : s / c;""",
    "cotdg": """
  if (!(fabs_T(x) < 1e14_T)) return x - x;
  const T s = turn_T(x, 0), c = turn_T(x, 1);
  return s == 0 ? T_INF : c == 0 ? (T)0 : c / s;""",
    "i0e": "\n  const T m = fabs_T(x);\n  return m <= 8.0_T ? exp_T(-m) * i0_T(m) : far_i0_T(m);",
    "i1": """
  const T m = fabs_T(x), part = exp_T(0.5_T * m);
  if (m > T_MAX) return x;
  const T r = m <= 8.0_T ? near_i1_T(m) : part * far_i1_T(m) * part;
  return x < 0 ? -r : r;""",
    "i1e": """
  const T m = fabs_T(x);
  const T r = m > T_MAX ? (T)0 : m <= 8.0_T ? exp_T(-m) * near_i1_T(m) : far_i1_T(m);
  return x < 0 ? -r : x == x ? r : x;""",
    "k0": """
  if (!(x > 0)) return x == 0 ? T_INF : T_NAN;
  return x <= 2.0_T ? near_k0_T(x) : exp_T(-x) * far_k0_T(x);""",
    "k0e": """
  if (!(x > 0)) return x == 0 ? T_INF : T_NAN;
  return x <= 2.0_T ? exp_T(x) * near_k0_T(x) : far_k0_T(x);""",
    "k1": """
  if (!(x > 0)) return x == 0 ? T_INF : T_NAN;
  return x <= 2.0_T ? near_k1_T(x) : exp_T(-x) * far_k1_T(x);""",
    "k1e": """
  if (!(x > 0)) return x == 0 ? T_INF : T_NAN;
  return x <= 2.0_T ? exp_T(x) * near_k1_T(x) : far_k1_T(x);""",
    "j0": """
  const T m = fabs_T(x);
  return m <= 8.0_T ? near_j0_T(m) : far_bessel_T(m, 0, 0);""",
    "j1": """
  const T m = fabs_T(x);
  const T r = m <= 8.0_T ? near_j1_T(m) : far_bessel_T(m, 1, 0);
  return x < 0 ? -r : r;""",
    "y0": f"""
  if (!(x > 0)) return x == 0 ? -T_INF : T_NAN;
  if (x > 5.0_T) return far_bessel_T(x, 0, 1);
  const T y = x * x * 0.08_T - 1.0_T;
  return 0.63661977236758134308_T * log_T(x) * near_j0_T(x) + {_fit("Y0")};""",
    "y1": f"""
  if (!(x > 0)) return x == 0 ? -T_INF : T_NAN;
  if (x > 5.0_T) return far_bessel_T(x, 1, 1);
  const T y = x * x * 0.08_T - 1.0_T;
  return 0.63661977236758134308_T * (log_T(x) * near_j1_T(x) - 1.0_T / x) + x * {_fit("Y1")};""",
    "ellipk": "\n  return ellipkm1_T(1.0_T - x);",
    "ellipkm1": """
  if (!(x >= 0)) return T_NAN;
  if (x > T_MAX) return 0;
  if (x == 0) return T_INF;
  if (x < T_EPS) return 1.38629436111989061883_T - 0.5_T * log_T(x);
  T a = 1.0_T, g = sqrt_T(x);
  for (i32 n = 0; n < 12 && fabs_T(a - g) > 2.0_T * T_EPS * a; ++n) {
    const T mean = 0.5_T * (a + g);
    g = sqrt_T(a * g);
    a = mean;
  }
  return T_PI / (a + g);""",
    "exp1": f"""
  if (!(x > 0)) return x == 0 ? T_INF : T_NAN;
  if (x <= 0.5_T) {{
    T total = 0, term = 1.0_T;
    for (i32 k = 1; k < 22; ++k) {{
      term *= -x / (T)k;
      total -= term / (T)k;
    }}
    return (total - 0.57721566490153286061_T) - log_T(x);
  }}
  const T t = 1.0_T / x;
  T r;
  if (x <= 1.0_T) {{
    const T y = 2.0_T * t - 3.0_T;
    r = {_fit("EXP1_NEAREST")};
  }} else if (x <= 4.0_T) {{
    const T y = (t - 0.625_T) / 0.375_T;
    r = {_fit("EXP1_NEAR")};
  }} else if (x <= 16.0_T) {{
    const T y = (t - 0.15625_T) / 0.09375_T;
    r = {_fit("EXP1_MIDDLE")};
  }} else {{
    const T y = t * 32.0_T - 1.0_T;
    r = {_fit("EXP1_FAR")};
  }}
  return exp_T(-x) * t * r;""",
}

_BINARY: dict[str, str] = {
    "beta": """
  if ((a <= 0 && a == floor_T(a)) || (b <= 0 && b == floor_T(b))) return beta_at_pole_T(a, b);
  return regular_beta_T(a, b);""",
    "betaln": """
  if (!((a <= 0 && a == floor_T(a)) || (b <= 0 && b == floor_T(b)))) return regular_betaln_T(a, b);
  const T pole = fmin_T(a, b), other = fmax_T(a, b), rest = 1.0_T - pole - other;
  return pole >= -T_MAX && other > 0 && other == floor_T(other) && rest > 0 ? regular_betaln_T(rest, other) : T_INF;""",
    # Miller's recurrence from far above the order down, where that exceeds the argument: upwards it is unstable there
    "jn": """
  const T n = fabs_T(a), m = fabs_T(b);
  if (n != floor_T(n) || b != b) return T_NAN;
  if (m > T_MAX || (m == 0 && n > 0)) return 0;
  const T sign = (a < 0) != (b < 0) && n != 2.0_T * floor_T(0.5_T * n) ? (T)-1 : (T)1;
  const T zeroth = j0_T(m), first = j1_T(m);
  if (n < 2.0_T) return sign * (n == 0 ? zeroth : first);
  if (n * log_T(0.5_T * m) - gammaln_T(n + 1.0_T) < -800.0_T) return sign * (T)0;
  if (!(n <= 1e6_T)) return T_NAN;
  if (m >= n) {
    T below = zeroth, at = first;
    for (T k = 1.0_T; k < n; k += 1.0_T) {
      const T next = 2.0_T * k / m * at - below;
      below = at;
      at = next;
    }
    return sign * at;
  }
  const T most = 1e12_T;
  T above = 0, at = 1e-12_T, found = 0, scalings = 0;
  for (T k = n + floor_T(8.0_T * cbrt_T(n)) + 16.0_T; k > 0; k -= 1.0_T) {
    if (k == n) { found = at; scalings = 0; }
    const T next = 2.0_T * k / m * at - above;
    above = at;
    at = next;
    if (fabs_T(at) > most) {
      at *= 1e-12_T;
      above *= 1e-12_T;
      scalings += 1.0_T;
    }
  }
  T r = fabs_T(at) > fabs_T(above) ? found * (zeroth / at) : found * (first / above);
  for (; scalings > 0; scalings -= 1.0_T) r *= 1e-12_T;
  return sign * r;""",
    "yn": """
  const T n = fabs_T(a);
  if (!(n <= 1e6_T && n == floor_T(n)) || !(b >= 0)) return T_NAN;
  const T sign = a < 0 && n != 2.0_T * floor_T(0.5_T * n) ? (T)-1 : (T)1;
  if (b > T_MAX) return 0;
  T below = y0_T(b), at = n == 0 ? below : y1_T(b);
  for (T k = 1.0_T; k < n && at > -T_INF; k += 1.0_T) {
    const T next = 2.0_T * k / b * at - below;
    below = at;
    at = next;
  }
  return sign * at;""",
    "poch": """
  if (a > 0 || a != floor_T(a) || b == 0) return regular_poch_T(a, b);
  if (b != floor_T(b) || a + b > 0) return b == b ? (T)0 : b;
  return (b * 0.5_T == floor_T(b * 0.5_T) ? 1.0_T : -1.0_T) * regular_poch_T(1.0_T - a - b, b);""",
    "xlogy": "\n  return a == 0 && b == b ? (T)0 : a * log_T(b);",
    "xlog1py": "\n  return a == 0 && b == b ? (T)0 : a * log1p_T(b);",
    "rel_entr": """
  if (a != a || b != b) return T_NAN;
  if (!(a > 0 && b > 0)) return a == 0 && b >= 0 ? (T)0 : T_INF;
  const T q = a / b;
  if (q > 0.5_T && q < 2.0_T) return a * log1p_T((a - b) / b);
  return q > T_MIN && q <= T_MAX ? a * log_T(q) : a * (log_T(a) - log_T(b));""",
    "kl_div": """
  if (a != a || b != b) return T_NAN;
  if (a > 0 && b > 0) return (a * log_T(a / b) - a) + b;
  return a == 0 && b >= 0 ? b : T_INF;""",
    "huber": """
  if (a < 0) return T_INF;
  return fabs_T(b) <= a ? 0.5_T * b * b : a * (fabs_T(b) - 0.5_T * a);""",
    "pseudo_huber": """
  if (a < 0) return T_INF;
  if (a == 0 || b == 0) return a != a || b != b ? T_NAN : (T)0;
  const T v = fabs_T(b / a), root = v * T_EPS < 1.0_T ? sqrt_T(1.0_T + v * v) : v;
  return a * (fabs_T(b) * (isinf_T(v) ? (T)1 : v / (root + 1.0_T)));""",
    "boxcox": """
  if (fabs_T(b) < 1e-19_T) return log_T(a);
  const T l = log_T(a);
  if (b * l < 709.78_T) return expm1_T(b * l) / b;
  return copysign_T((T)1, b) * exp_T(b * l - log_T(fabs_T(b))) - 1.0_T / b;""",
    "boxcox1p": """
  const T l = log1p_T(a);
  if (fabs_T(b) < 1e-19_T || (fabs_T(l) < 1e-289_T && fabs_T(b) < 1e273_T)) return l;
  if (b * l < 709.78_T) return expm1_T(b * l) / b;
  return copysign_T((T)1, b) * exp_T(b * l - log_T(fabs_T(b))) - 1.0_T / b;""",
    "inv_boxcox": "\n  return b == 0 ? exp_T(a) : exp_T(log1p_product_T(a, b) / b);",
    "inv_boxcox1p": """
  if (b == 0) return expm1_T(a);
  return fabs_T(a * b) < 1e-154_T ? a : expm1_T(log1p_product_T(a, b) / b);""",
}

_INNER: dict[str, str] = {
    # erfinv of m, where rest is 1 - m
    "inverse_error": f"""
FN T inverse_error_T(const T m, const T rest) {{
  const T w = m < 0.5_T ? -log1p_T(-m * m) : -log_T(rest * (1.0_T + m));
  if (w < 6.25_T) {{
    const T y = w * 0.32_T - 1.0_T;
    return m * {_fit("INVERSE_NEAR")};
  }}
  const T s = sqrt_T(w);
  if (s < 4.0_T) {{
    const T y = (s - 3.25_T) / 0.75_T;
    return s * {_fit("INVERSE_MIDDLE")};
  }}
  if (s < 9.0_T) {{
    const T y = (s - 6.5_T) * 0.4_T;
    return s * {_fit("INVERSE_FAR")};
  }}
  const T y = (s - 18.5_T) / 9.5_T;
  return s * {_fit("INVERSE_FARTHEST")};
}}""",
    # the chance of a normal variate above x >= 1: the exponential takes the square of x in two parts
    "normal_above": """
FN T normal_above_T(const T x) {
  if (!(x < 40.0_T)) return x != x ? x : (T)0;
  const T high = rint_T(x * 16.0_T) * 0.0625_T;
  const T small = exp_T(-0.5_T * (x - high) * (x + high));
  return 0.5_T * erfcx_T(x * 0.70710678118654752440_T) * small * exp_T(-0.5_T * high * high);
}""",
    # sine (cosine: 1) of degrees, by the multiple of 45 that is next
    "turn": """
FN T turn_T(const T x, const i32 cosine) {
  if (!(fabs_T(x) < 1e14_T)) return x - x;
  const T m = fabs_T(x), whole = floor_T(m / 90.0_T + 0.5_T), off = (m - whole * 90.0_T) * (T_PI / 180.0_T);
  const i32 quarter = ((i32)(whole - 4.0_T * floor_T(whole * 0.25_T)) + cosine) & 3;
  const T r = quarter & 1 ? cos_T(off) : sin_T(off);
  const T s = quarter & 2 ? -r : r;
  return r == 0 ? (T)0 : !cosine && x < 0 ? -s : s;
}""",
    "far_i0": """
FN T far_i0_T(const T x) {
  const T y = 16.0_T / x - 1.0_T;
  return FAR_I0 / sqrt_T(x);
}""",
    "near_i1": f"""
FN T near_i1_T(const T x) {{
  const T y = x * x * 0.015625_T;
  return x * {_horner(_i1_series())};
}}""",
    "far_i1": f"""
FN T far_i1_T(const T x) {{
  const T y = 16.0_T / x - 1.0_T;
  return {_fit("I1_FAR")} / sqrt_T(x);
}}""",
    "near_k0": f"""
FN T near_k0_T(const T x) {{
  const T y = 0.5_T * x * x - 1.0_T;
  return {_fit("K0")} - log_T(0.5_T * x) * i0_T(x);
}}""",
    "near_k1": f"""
FN T near_k1_T(const T x) {{
  const T y = 0.5_T * x * x - 1.0_T;
  return {_fit("K1")} / x + log_T(0.5_T * x) * near_i1_T(x);
}}""",
    "far_k0": f"""
FN T far_k0_T(const T x) {{
  const T y = 4.0_T / x - 1.0_T;
  return {_fit("K0_FAR")} / sqrt_T(x);
}}""",
    "far_k1": f"""
FN T far_k1_T(const T x) {{
  const T y = 4.0_T / x - 1.0_T;
  return {_fit("K1_FAR")} / sqrt_T(x);
}}""",
    "near_j0": f"""
FN T near_j0_T(const T x) {{
  const T y = x * x * 0.03125_T - 1.0_T;
  return {_zeros(0)} * {_fit("J0")};
}}""",
    "near_j1": f"""
FN T near_j1_T(const T x) {{
  const T y = x * x * 0.03125_T - 1.0_T;
  return x * {_zeros(1)} * {_fit("J1")};
}}""",
    # sqrt(2 / pi x) (P cos(x - s) - Q sin(x - s)), s = pi / 4 for order 0 and 3 pi / 4 for 1; second kind: sin and cos
    "far_bessel": f"""
FN T far_bessel_T(const T x, const i32 order, const i32 second) {{
  if (x > T_MAX) return 0;
  const T w = 1.0_T / x, y = 50.0_T * w * w - 1.0_T;
  const T p = order ? {_fit("P1")} : {_fit("P0")};
  const T q = w * (order ? {_fit("Q1")} : {_fit("Q0")});
  const T s = sin_T(x), c = cos_T(x);
  const T plus = s + c, minus = s - c;
  const T cosine = order ? minus : plus, sine = order ? -plus : minus;
  const T r = second ? p * sine + q * cosine : p * cosine - q * sine;
  return 0.56418958354775628695_T * r / sqrt_T(x);
}}""",
    "regular_beta": """
FN T regular_beta_T(const T a, const T b) {
  if (fabs_T(a) < 100.0_T && fabs_T(b) < 50.0_T && fabs_T(a + b) < 150.0_T)
    return fabs_T(a) > fabs_T(b) ? gamma_T(a) * rgamma_T(a + b) * gamma_T(b)
                                 : gamma_T(b) * rgamma_T(a + b) * gamma_T(a);
  return exp_T(regular_betaln_T(a, b)) * gammasgn_T(a) * gammasgn_T(b) * gammasgn_T(a + b);
}""",
    # the logarithm of gamma(x + d) / gamma(x), both arguments above 32: the difference of Stirling's series
    "gamma_step": """
FN T gamma_step_T(const T x, const T d) {
  if (x > T_MAX || d > T_MAX) return d * log_T(x);
  const T y = x + d, v = 1.0_T / x, w = 1.0_T / y;
  const T from = v * (0.083333333333333333_T - v * v * (0.0027777777777777778_T - v * v * 0.00079365079365079365_T));
  const T to = w * (0.083333333333333333_T - w * w * (0.0027777777777777778_T - w * w * 0.00079365079365079365_T));
  return (((y - 0.5_T) * log1p_T(d / x) - d) + (to - from)) + d * log_T(x);
}""",
    "regular_betaln": """
FN T regular_betaln_T(const T a, const T b) {
  const T low = fmin_T(a, b), high = fmax_T(a, b);
  if (high > 32.0_T && a + b > 32.0_T) return gammaln_T(low) - gamma_step_T(high, low);
  return (gammaln_T(high) - gammaln_T(a + b)) + gammaln_T(low);
}""",
    # up or down by whole steps, which stop before a factor that is 0
    "regular_poch": """
FN T regular_poch_T(const T a, const T b) {
  T r = 1.0_T, m = b;
  if (fabs_T(b) <= 32.0_T) {
    while (m >= 1.0_T && a + m != 1.0_T) { m -= 1.0_T; r *= a + m; }
    while (m <= -1.0_T && a + m != 0) { r /= a + m; m += 1.0_T; }
    if (m == 0) return r;
  }
  if (a + m <= 0 && a + m == floor_T(a + m)) return T_INF;
  if (a > 32.0_T && a + m > 32.0_T) return r * exp_T(gamma_step_T(a, m));
  if (fabs_T(a) < 140.0_T && fabs_T(m) < 30.0_T) return r * gamma_T(a + m) / gamma_T(a);
  return r * exp_T(gammaln_T(a + m) - gammaln_T(a)) * gammasgn_T(a + m) * gammasgn_T(a);
}""",
    # the logarithm of 1 + a b, where the product may be more than the largest number
    "log1p_product": """
FN T log1p_product_T(const T a, const T b) {
  return a * b > T_MAX && fmax_T(fabs_T(a), fabs_T(b)) <= T_MAX ? log_T(fabs_T(a)) + log_T(fabs_T(b)) : log1p_T(a * b);
}""",
    "beta_at_pole": """
FN T beta_at_pole_T(const T a, const T b) {
  const T pole = a <= 0 && a == floor_T(a) ? a : b, other = pole == a ? b : a;
  if (pole < -T_MAX || other != floor_T(other) || 1.0_T - pole - other <= 0) return T_INF;
  const T sign = other * 0.5_T == floor_T(other * 0.5_T) ? 1.0_T : -1.0_T;
  return sign * (other > 0 ? regular_beta_T(1.0_T - pole - other, other) : T_INF);
}""",
}


def _texts() -> dict[tuple[str, str], str]:
    from devarray.codegen.prelude.real import I0_LARGE

    made = {(name, "f"): text for name, text in _INNER.items()}
    made["far_i0", "f"] = made["far_i0", "f"].replace("FAR_I0", _horner(I0_LARGE))
    for name, body in _UNARY.items():
        made[name, "f"] = f"FN T {name}_T(const T x) {{{body}\n}}"
    for name, body in _BINARY.items():
        made[name, "f"] = f"FN T {name}_T(const T a, const T b) {{{body}\n}}"
    return made


SPECIAL = _texts()
SPECIAL_FP64 = {
    (name, "f32"): f"FN f32 {name}_f32(const f32 x) {{ return (f32){name}_f64((f64)x); }}" for name in _UNARY
} | {
    (name, "f32"): f"FN f32 {name}_f32(const f32 a, const f32 b) {{ return (f32){name}_f64((f64)a, (f64)b); }}"
    for name in _BINARY
}
"""float32 on devices that have float64, as SciPy computes it."""
