"""Complex arithmetic and functions, with the special cases of C's Annex G, which are the standard's.

Products, quotients and comparisons are NumPy's formulas. The inverse functions follow W. Kahan, "Branch cuts for
complex elementary functions" (1987): square roots of 1 - z and 1 + z keep the sign of a zero on the cuts.
"""

from __future__ import annotations

__all__ = ["COMPLEX"]

COMPLEX: dict[tuple[str, str], str] = {
    ("make", "c"): """
FN T make_T(const R re, const R im) {
  T z;
  z.re = re;
  z.im = im;
  return z;
}""",
    # i z and -i z
    ("turn", "c"): "FN T turn_T(const T z) { return make_T(-z.im, z.re); }",
    ("unturn", "c"): "FN T unturn_T(const T z) { return make_T(z.im, -z.re); }",
    ("isnan", "c"): "FN b8 isnan_T(const T z) { return z.re != z.re || z.im != z.im; }",
    ("isinf", "c"): "FN b8 isinf_T(const T z) { return isinf_R(z.re) || isinf_R(z.im); }",
    ("isfinite", "c"): "FN b8 isfinite_T(const T z) { return isfinite_R(z.re) && isfinite_R(z.im); }",
    # Ordered by the real part, then by the imaginary one
    ("less", "c"): """
FN b8 less_T(const T a, const T b) {
  return a.re == b.re ? a.im < b.im : a.re < b.re && a.im == a.im && b.im == b.im;
}""",
    ("less_equal", "c"): """
FN b8 less_equal_T(const T a, const T b) {
  return a.re == b.re ? a.im <= b.im : a.re < b.re && a.im == a.im && b.im == b.im;
}""",
    ("maximum", "c"): "FN T maximum_T(const T a, const T b) { return isnan_T(a) || less_equal_T(b, a) ? a : b; }",
    ("minimum", "c"): "FN T minimum_T(const T a, const T b) { return isnan_T(a) || less_equal_T(a, b) ? a : b; }",
    ("fmax", "c"): "FN T fmax_T(const T a, const T b) { return isnan_T(b) || less_equal_T(b, a) ? a : b; }",
    ("fmin", "c"): "FN T fmin_T(const T a, const T b) { return isnan_T(b) || less_equal_T(a, b) ? a : b; }",
    ("multiply", "c"): """
FN T multiply_T(const T a, const T b) {
  return make_T(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
}""",
    ("square", "c"): "FN T square_T(const T a) { return multiply_T(a, a); }",
    # Smith's division
    ("divide", "c"): """
FN T divide_T(const T a, const T b) {
  const R x = fabs_R(b.re), y = fabs_R(b.im);
  if (x >= y) {
    if (x == 0) return make_T(a.re / x, a.im / x);
    const R ratio = b.im / b.re, scale = 1.0_R / (b.re + b.im * ratio);
    return make_T((a.re + a.im * ratio) * scale, (a.im - a.re * ratio) * scale);
  }
  const R ratio = b.re / b.im, scale = 1.0_R / (b.im + b.re * ratio);
  return make_T((a.re * ratio + a.im) * scale, (a.im * ratio - a.re) * scale);
}""",
    ("reciprocal", "c"): """
FN T reciprocal_T(const T z) {
  if (fabs_R(z.im) <= fabs_R(z.re)) {
    const R ratio = z.im / z.re, d = z.re + z.im * ratio;
    return make_T(1.0_R / d, -ratio / d);
  }
  const R ratio = z.re / z.im, d = z.re * ratio + z.im;
  return make_T(ratio / d, -1.0_R / d);
}""",
    ("abs", "c"): "FN R abs_T(const T z) { return hypot_R(z.re, z.im); }",
    ("sign", "c"): """
FN T sign_T(const T z) {
  const b8 re = isinf_R(z.re), im = isinf_R(z.im);
  if (isnan_T(z) || (re && im)) return make_T(T_NAN, T_NAN);
  if (re) return make_T(copysign_R(1.0_R, z.re), 0);
  if (im) return make_T(0, copysign_R(1.0_R, z.im));
  if (z.re == 0 && z.im == 0) return make_T(0, 0);
  const R m = hypot_R(z.re, z.im);
  if (m < T_INF) return make_T(z.re / m, z.im / m);
  const R x = z.re * 0.5_R, y = z.im * 0.5_R, h = hypot_R(x, y);
  return make_T(x / h, y / h);
}""",
    ("sqrt", "c"): """
FN T sqrt_T(const T z) {
  R x = z.re, y = z.im;
  if (x == 0 && y == 0) return make_T(0, y);
  if (isinf_R(y)) return make_T(T_INF, y);
  if (isinf_R(x)) return x > 0 ? make_T(x, y != y ? y : copysign_R(0, y)) : make_T(fabs_R(y - y), copysign_R(x, y));
  const R m = maximum_R(fabs_R(x), fabs_R(y));
  R up = 1.0_R;
  if (m > T_MAX * 0.25_R) {
    x *= 0.0625_R;
    y *= 0.0625_R;
    up = 4.0_R;
  } else if (m < T_MIN * 4.0_R) {
    x *= 0x1p54_R;
    y *= 0x1p54_R;
    up = 0x1p-27_R;
  }
  const R t = sqrt_R((fabs_R(x) + hypot_R(x, y)) * 0.5_R), u = fabs_R(y) / (2.0_R * t);
  return x >= 0 ? make_T(t * up, copysign_R(u * up, y)) : make_T(u * up, copysign_R(t * up, y));
}""",
    # m exp(x) (cos y + i sin y), where exp(x) alone may overflow
    ("polar", "c"): """
FN T polar_T(const R m, const R x, const R y) {
  const R big = x > T_LN ? T_EXPK * m : m, e = exp_R(x > T_LN ? x - T_K : x);
  return make_T(e * cos_R(y) * big, e * sin_R(y) * big);
}""",
    ("exp", "c"): """
FN T exp_T(const T z) {
  if (z.im == 0) return make_T(exp_R(z.re), z.im);
  if (!isfinite_R(z.im) && isinf_R(z.re)) return z.re > 0 ? make_T(z.re, T_NAN) : make_T(0, copysign_R(0, z.im));
  return polar_T(1.0_R, z.re, z.im);
}""",
    # The angle y ln 2 in two parts, so that its rounding does not turn the result; of a large y the rest is many turns
    ("exp2", "c"): """
FN T exp2_T(const T z) {
  if (z.im == 0) return make_T(exp2_R(z.re), z.im);
  if (!(fabs_R(z.re) < T_LN) || !isfinite_R(z.im)) return exp_T(make_T(z.re * T_LNTWO, z.im * T_LNTWO));
  const R angle = z.im * T_LNTWO, rest = fma(z.im, T_LNTWO, -angle) + z.im * T_LNTWOLOW;
  const R e = exp2_R(z.re), c = cos_R(angle), s = sin_R(angle), u = cos_R(rest), v = sin_R(rest);
  return make_T(e * (c * u - s * v), e * (s * u + c * v));
}""",
    ("expm1", "c"): """
FN T expm1_T(const T z) {
  if (z.im == 0) return make_T(expm1_R(z.re) + 0.0_R, z.im);  // +0 for a real part of -0, as the standard says
  if (z.re > T_LN) return exp_T(z);
  if (isinf_R(z.re)) return make_T(-1.0_R, isfinite_R(z.im) ? copysign_R(0, sin_R(z.im)) : 0);
  if (fabs_R(z.re) > 0.7_R || cos_R(z.im) < 0.5_R) {
    const T w = polar_T(1.0_R, z.re, z.im);
    return make_T(w.re - 1.0_R, w.im);
  }
  const R h = sin_R(z.im * 0.5_R), e = expm1_R(z.re);
  return make_T(e * cos_R(z.im) - 2.0_R * h * h, (e + 1.0_R) * sin_R(z.im));
}""",
    # log |x + iy|
    ("log_hypot", "f"): """
FN T log_hypot_T(const T x, const T y) {
  const T a = fmax_T(fabs_T(x), fabs_T(y)), b = fmin_T(fabs_T(x), fabs_T(y));
  if (isinf_T(x) || isinf_T(y)) return T_INF;
  if (x != x || y != y) return x + y;
  if (a > 0.5_T && a < 3.0_T) return 0.5_T * log1p_T((a - 1.0_T) * (a + 1.0_T) + b * b);
  if (a > T_MAX * 0.25_T) return log_T(hypot_T(a * 0.25_T, b * 0.25_T)) + 1.38629436111989061883446424292_T;
  if (a < T_MIN * 4.0_T && a > 0) return log_T(hypot_T(a * 0x1p54_T, b * 0x1p54_T)) - 37.4299477502370478_T;
  return log_T(hypot_T(a, b));
}""",
    ("log", "c"): "FN T log_T(const T z) { return make_T(log_hypot_R(z.re, z.im), atan2_R(z.im, z.re)); }",
    ("log2", "c"): """
FN T log2_T(const T z) {
  const R e = 1.44269504088896340735992468100_R;
  return make_T(log_hypot_R(z.re, z.im) * e, atan2_R(z.im, z.re) * e);
}""",
    ("log10", "c"): """
FN T log10_T(const T z) {
  const R e = 0.434294481903251827651128918917_R;
  return make_T(log_hypot_R(z.re, z.im) * e, atan2_R(z.im, z.re) * e);
}""",
    ("log1p", "c"): """
FN T log1p_T(const T z) {
  const R x = z.re, y = z.im;
  if (!(x > -0.5_R && x < 1.0_R && fabs_R(y) < 1.0_R)) return log_T(make_T(x + 1.0_R, y));
  return make_T(0.5_R * log1p_R(x * (2.0_R + x) + y * y), atan2_R(y, x + 1.0_R));
}""",
    ("sinh", "c"): """
FN T sinh_T(const T z) {
  const R x = z.re, y = z.im;
  if (y == 0) return make_T(sinh_R(x), y);
  if (!isfinite_R(y) && (x == 0 || isinf_R(x))) return make_T(x, T_NAN);
  if (fabs_R(x) > T_LN) {
    const T w = polar_T(0.5_R, fabs_R(x), y);
    return make_T(x < 0 ? -w.re : w.re, w.im);
  }
  return make_T(sinh_R(x) * cos_R(y), cosh_R(x) * sin_R(y));
}""",
    ("cosh", "c"): """
FN T cosh_T(const T z) {
  const R x = z.re, y = z.im;
  if (y == 0) return make_T(cosh_R(x), copysign_R(1.0_R, x) * y);
  if (!isfinite_R(y) && x == 0) return make_T(T_NAN, 0);
  if (!isfinite_R(y) && isinf_R(x)) return make_T(T_INF, T_NAN);
  if (fabs_R(x) > T_LN) {
    const T w = polar_T(0.5_R, fabs_R(x), y);
    return make_T(w.re, x < 0 ? -w.im : w.im);
  }
  return make_T(cosh_R(x) * cos_R(y), sinh_R(x) * sin_R(y));
}""",
    ("tanh", "c"): """
FN T tanh_T(const T z) {
  const R x = z.re, y = z.im;
  if (y == 0) return make_T(tanh_R(x), y);
  if (isinf_R(x)) return make_T(copysign_R(1.0_R, x), copysign_R(0, y));  // the standard's sign, not C's
  if (!isfinite_R(y)) return make_T(x == 0 ? x : T_NAN, T_NAN);
  if (fabs_R(x) > 22.0_R) {
    const R e = exp_R(-fabs_R(x));
    return make_T(copysign_R(1.0_R, x), 4.0_R * sin_R(y) * cos_R(y) * e * e);
  }
  const R t = tan_R(y), s = sinh_R(x), beta = 1.0_R + t * t, d = 1.0_R + beta * s * s;
  return make_T(beta * sqrt_R(1.0_R + s * s) * s / d, t / d);
}""",
    ("sin", "c"): "FN T sin_T(const T z) { return unturn_T(sinh_T(turn_T(z))); }",
    ("cos", "c"): "FN T cos_T(const T z) { return cosh_T(turn_T(z)); }",
    ("tan", "c"): "FN T tan_T(const T z) { return unturn_T(tanh_T(turn_T(z))); }",
    # log of 2z, for |z| so large that the inverse functions need no more
    ("log_twice", "f"): """
FN T log_twice_T(const T x, const T y) { return log_hypot_T(x, y) + 0.693147180559945309417232121458_T; }""",
    ("asin", "c"): """
FN T asin_T(const T z) {
  const R x = fabs_R(z.re), y = fabs_R(z.im), big = 4.0_R / T_EPS;
  if (x == 0 && y != y) return z;
  if (!(x < big && y < big)) {
    return make_T(copysign_R(atan2_R(x, y), z.re), copysign_R(log_twice_R(x, y), z.im));
  }
  const T p = sqrt_T(make_T(1.0_R - x, -y)), q = sqrt_T(make_T(1.0_R + x, y));
  const R re = atan2_R(x, p.re * q.re - p.im * q.im), im = asinh_R(p.re * q.im - p.im * q.re);
  return make_T(copysign_R(re, z.re), copysign_R(im, z.im));
}""",
    ("acos", "c"): """
FN T acos_T(const T z) {
  const R x = z.re, y = fabs_R(z.im), big = 4.0_R / T_EPS;
  if (x == 0 && y != y) return make_T(0.5_R * T_PI, y);
  if (!(fabs_R(x) < big && y < big)) return make_T(atan2_R(y, x), copysign_R(log_twice_R(x, y), -z.im));
  const T p = sqrt_T(make_T(1.0_R - x, -y)), q = sqrt_T(make_T(1.0_R + x, y));
  return make_T(2.0_R * atan2_R(p.re, q.re), copysign_R(asinh_R(q.re * p.im - q.im * p.re), -z.im));
}""",
    ("acosh", "c"): """
FN T acosh_T(const T z) {
  const T w = acos_T(z);
  return make_T(fabs_R(w.im), copysign_R(w.re, z.im));
}""",
    ("atanh", "c"): """
FN T atanh_T(const T z) {
  const R x = fabs_R(z.re), y = fabs_R(z.im), big = 4.0_R / T_EPS;
  R re, im;
  if (x == 0 && y != y) return z;
  if (isinf_R(x) || isinf_R(y)) {
    re = 0;
    im = isinf_R(y) || y == y ? 0.5_R * T_PI : y;
  } else if (x != x || y != y) {
    return make_T(T_NAN, T_NAN);
  } else if (x >= big || y >= big) {
    const R m = maximum_R(x, y), u = x / m, v = y / m;
    re = u / (u * u + v * v) / m;
    im = 0.5_R * T_PI;
  } else {
    const R e = 1.0_R - x;
    re = x == 1.0_R && y < T_EPS ? 0.5_R * (T_LNTWO - log_R(y))
                               : 0.25_R * log1p_R(4.0_R * x / (e * e + y * y));
    im = 0.5_R * atan2_R(2.0_R * y, e * (1.0_R + x) - y * y);
  }
  return make_T(copysign_R(re, z.re), copysign_R(im, z.im));
}""",
    ("asinh", "c"): "FN T asinh_T(const T z) { return unturn_T(asin_T(turn_T(z))); }",
    ("atan", "c"): "FN T atan_T(const T z) { return unturn_T(atanh_T(turn_T(z))); }",
}
