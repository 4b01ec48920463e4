// Complex numbers for OpenCL C under the names that PyOpenCL documents: cfloat_t, and cdouble_t where
// PYOPENCL_DEFINE_CDOUBLE is defined, with functions cfloat_add, cdouble_mul and so on. The letter r stands for a real
// operand, before or behind: cfloat_rmul(real, complex), cfloat_mulr(complex, real).
#ifndef DEVARRAY_COMPLEX_H
#define DEVARRAY_COMPLEX_H

#ifdef ENGINE_COMPLEX_TYPES  // in generated kernels: the engine's types, whose members have other names
#define cfloat_t c64
#define cdouble_t c128
#define real re
#define imag im
#define DEVARRAY_COMPLEX_TYPE(R, T)
#else
#define DEVARRAY_COMPLEX_TYPE(R, T) \
  typedef union { \
    struct { R x, y; }; \
    struct { R real, imag; }; \
  } T;
#endif

#define DEVARRAY_COMPLEX_FN static inline __attribute__((unused))

#define DEVARRAY_COMPLEX(R, T, P) \
  DEVARRAY_COMPLEX_TYPE(R, T) \
  DEVARRAY_COMPLEX_FN T P##_new(R a, R b) { T z; z.real = a; z.imag = b; return z; } \
  DEVARRAY_COMPLEX_FN T P##_fromreal(R a) { return P##_new(a, 0); } \
  DEVARRAY_COMPLEX_FN R P##_real(T a) { return a.real; } \
  DEVARRAY_COMPLEX_FN R P##_imag(T a) { return a.imag; } \
  DEVARRAY_COMPLEX_FN R P##_abs(T a) { return hypot(a.real, a.imag); } \
  DEVARRAY_COMPLEX_FN R P##_abs_squared(T a) { return a.real * a.real + a.imag * a.imag; } \
  DEVARRAY_COMPLEX_FN T P##_neg(T a) { return P##_new(-a.real, -a.imag); } \
  DEVARRAY_COMPLEX_FN T P##_conj(T a) { return P##_new(a.real, -a.imag); } \
  DEVARRAY_COMPLEX_FN T P##_add(T a, T b) { return P##_new(a.real + b.real, a.imag + b.imag); } \
  DEVARRAY_COMPLEX_FN T P##_addr(T a, R b) { return P##_new(a.real + b, a.imag); } \
  DEVARRAY_COMPLEX_FN T P##_radd(R a, T b) { return P##_new(a + b.real, b.imag); } \
  DEVARRAY_COMPLEX_FN T P##_sub(T a, T b) { return P##_new(a.real - b.real, a.imag - b.imag); } \
  DEVARRAY_COMPLEX_FN T P##_mul(T a, T b) { \
    return P##_new(a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real); \
  } \
  DEVARRAY_COMPLEX_FN T P##_mulr(T a, R b) { return P##_new(a.real * b, a.imag * b); } \
  DEVARRAY_COMPLEX_FN T P##_rmul(R a, T b) { return P##_new(a * b.real, a * b.imag); } \
  /* a * b + c */ \
  DEVARRAY_COMPLEX_FN T P##_fma(T a, T b, T c) { \
    return P##_new(fma(a.real, b.real, fma(-a.imag, b.imag, c.real)), \
                   fma(a.real, b.imag, fma(a.imag, b.real, c.imag))); \
  } \
  /* Smith's way: no square of a part overflows where the quotient does not */ \
  DEVARRAY_COMPLEX_FN T P##_divide(T a, T b) { \
    if (fabs(b.imag) < fabs(b.real)) { \
      const R q = b.imag / b.real, d = b.real + b.imag * q; \
      return P##_new((a.real + a.imag * q) / d, (a.imag - a.real * q) / d); \
    } \
    const R q = b.real / b.imag, d = b.imag + b.real * q; \
    return P##_new((a.real * q + a.imag) / d, (a.imag * q - a.real) / d); \
  } \
  DEVARRAY_COMPLEX_FN T P##_divider(T a, R b) { return P##_new(a.real / b, a.imag / b); } \
  DEVARRAY_COMPLEX_FN T P##_rdivide(R a, T b) { return P##_divide(P##_fromreal(a), b); } \
  DEVARRAY_COMPLEX_FN T P##_polar(R r, R angle) { return P##_new(r * cos(angle), r * sin(angle)); } \
  DEVARRAY_COMPLEX_FN T P##_exp(T a) { return P##_polar(exp(a.real), a.imag); } \
  DEVARRAY_COMPLEX_FN T P##_log(T a) { return P##_new(log(P##_abs(a)), atan2(a.imag, a.real)); } \
  DEVARRAY_COMPLEX_FN T P##_pow(T a, T b) { return P##_exp(P##_mul(b, P##_log(a))); } \
  DEVARRAY_COMPLEX_FN T P##_powr(T a, R b) { return P##_exp(P##_mulr(P##_log(a), b)); } \
  DEVARRAY_COMPLEX_FN T P##_rpow(R a, T b) { return P##_exp(P##_rmul(log(a), b)); } \
  DEVARRAY_COMPLEX_FN T P##_sqrt(T a) { \
    const R size = P##_abs(a); \
    if (size == 0) return P##_new(0, a.imag); \
    const R root = sqrt((size + fabs(a.real)) / 2), other = fabs(a.imag) / (2 * root); \
    return a.real < 0 ? P##_new(other, copysign(root, a.imag)) : P##_new(root, copysign(other, a.imag)); \
  } \
  DEVARRAY_COMPLEX_FN T P##_sin(T a) { \
    return P##_new(sin(a.real) * cosh(a.imag), cos(a.real) * sinh(a.imag)); \
  } \
  DEVARRAY_COMPLEX_FN T P##_cos(T a) { \
    return P##_new(cos(a.real) * cosh(a.imag), -sin(a.real) * sinh(a.imag)); \
  } \
  DEVARRAY_COMPLEX_FN T P##_sinh(T a) { \
    return P##_new(sinh(a.real) * cos(a.imag), cosh(a.real) * sin(a.imag)); \
  } \
  DEVARRAY_COMPLEX_FN T P##_cosh(T a) { \
    return P##_new(cosh(a.real) * cos(a.imag), sinh(a.real) * sin(a.imag)); \
  } \
  /* from tanh and tan of the parts, which do not overflow */ \
  DEVARRAY_COMPLEX_FN T P##_tanh(T a) { \
    const R t = tanh(a.real), u = tan(a.imag), d = 1 + t * t * u * u; \
    if (fabs(a.imag) > 0 && fabs(u) > 1) { \
      const R v = 1 / u, e = v * v + t * t; \
      return P##_new(t * (1 + v * v) / e, v * (1 - t * t) / e); \
    } \
    return P##_new(t * (1 + u * u) / d, u * (1 - t * t) / d); \
  } \
  DEVARRAY_COMPLEX_FN T P##_tan(T a) { \
    const T t = P##_tanh(P##_new(-a.imag, a.real)); \
    return P##_new(t.imag, -t.real); \
  }

DEVARRAY_COMPLEX(float, cfloat_t, cfloat)
#define cfloat_cast(a) cfloat_new((a).real, (a).imag)

#ifdef PYOPENCL_DEFINE_CDOUBLE
DEVARRAY_COMPLEX(double, cdouble_t, cdouble)
#define cdouble_cast(a) cdouble_new((a).real, (a).imag)
#endif

#endif
