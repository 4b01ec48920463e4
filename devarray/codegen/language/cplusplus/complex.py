"""Complex numbers of CUDA's and CuPy's headers, as a text in C++ on the engine's own types."""

from __future__ import annotations

__all__ = ["COMPLEX", "ENGINES"]

ENGINES = {"float": "c64", "double": "c128"}
"""The structures of instances, which every program has."""

_JOINED = "".join(
    f"""
template <typename T> complex<T> operator{sign}(const complex<T>& a, const complex<T>& b) {{ {by_complex} }}
template <typename T> complex<T> operator{sign}(const complex<T>& a, T b) {{ {by_real} }}
template <typename T> complex<T> operator{sign}(T a, const complex<T>& b) {{ {of_real} }}
"""
    for sign, by_complex, by_real, of_real in (
        ("+", "return complex<T>(a.re + b.re, a.im + b.im);", "return complex<T>(a.re + b, a.im);",
         "return complex<T>(a + b.re, b.im);"),
        ("-", "return complex<T>(a.re - b.re, a.im - b.im);", "return complex<T>(a.re - b, a.im);",
         "return complex<T>(a - b.re, -b.im);"),
        ("*", "return complex<T>(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);",
         "return complex<T>(a.re * b, a.im * b);", "return complex<T>(a * b.re, a * b.im);"),
        ("/", "T s = fabs(b.re) + fabs(b.im); T r = b.re / s; T i = b.im / s; T x = a.re / s; T y = a.im / s;"
         " T d = r * r + i * i; return complex<T>((x * r + y * i) / d, (y * r - x * i) / d);",
         "return complex<T>(a.re / b, a.im / b);", "return complex<T>(a) / b;"),
    )
)  # fmt: skip

COMPLEX = f"""
template <typename T> struct complex {{
  typedef T value_type;
  T re, im;
  complex(T r = 0, T i = 0) : re(r), im(i) {{}}
  T real() const {{ return re; }}
  T imag() const {{ return im; }}
  void real(T r) {{ re = r; }}
  void imag(T i) {{ im = i; }}
  complex& operator=(T a) {{ re = a; im = 0; return *this; }}
  complex& operator+=(const complex& o) {{ re += o.re; im += o.im; return *this; }}
  complex& operator-=(const complex& o) {{ re -= o.re; im -= o.im; return *this; }}
  complex& operator*=(const complex& o) {{
    T r = re * o.re - im * o.im; im = re * o.im + im * o.re; re = r; return *this;
  }}
  complex& operator/=(const complex& o) {{ complex<T> q = complex<T>(re, im) / o; re = q.re; im = q.im; return *this; }}
  complex& operator+=(T a) {{ re += a; return *this; }}
  complex& operator-=(T a) {{ re -= a; return *this; }}
  complex& operator*=(T a) {{ re *= a; im *= a; return *this; }}
  complex& operator/=(T a) {{ re /= a; im /= a; return *this; }}
  complex operator-() const {{ return complex<T>(-re, -im); }}
  complex operator+() const {{ return complex<T>(re, im); }}
}};
{_JOINED}
template <typename T>
bool operator==(const complex<T>& a, const complex<T>& b) {{ return a.re == b.re && a.im == b.im; }}
template <typename T>
bool operator!=(const complex<T>& a, const complex<T>& b) {{ return a.re != b.re || a.im != b.im; }}
template <typename T> T real(const complex<T>& a) {{ return a.re; }}
template <typename T> T imag(const complex<T>& a) {{ return a.im; }}
template <typename T> T abs(const complex<T>& a) {{ return hypot(a.re, a.im); }}
template <typename T> T arg(const complex<T>& a) {{ return atan2(a.im, a.re); }}
template <typename T> T norm(const complex<T>& a) {{ return a.re * a.re + a.im * a.im; }}
template <typename T> complex<T> conj(const complex<T>& a) {{ return complex<T>(a.re, -a.im); }}
template <typename T> complex<T> polar(T r, T angle) {{ return complex<T>(r * cos(angle), r * sin(angle)); }}
template <typename T> complex<T> exp(const complex<T>& a) {{ return polar<T>(exp(a.re), a.im); }}
template <typename T>
complex<T> log(const complex<T>& a) {{ return complex<T>(log(hypot(a.re, a.im)), atan2(a.im, a.re)); }}
template <typename T> complex<T> sqrt(const complex<T>& a) {{
  T m = hypot(a.re, a.im);
  if (m == 0) {{ return complex<T>(0, a.im); }}
  T s = sqrt((T)0.5 * (m + fabs(a.re)));
  T t = fabs(a.im) / (2 * s);
  return a.re < 0 ? complex<T>(t, copysign(s, a.im)) : complex<T>(s, copysign(t, a.im));
}}
"""
