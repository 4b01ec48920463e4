// Complex numbers for kernels: what CuPy's and PyCUDA's headers call complex<T>, laid out as NumPy's.
#pragma once

extern "C++" {
namespace devarray_complex {

template <class T>
struct Plain {
  typedef T type;  // not deduced: complex<float> * 2 takes 2 as a float
};

template <class T>
struct alignas(2 * sizeof(T)) complex {
  typedef T value_type;
  T re, im;
  __host__ __device__ complex(T real = T(), T imag = T()) : re(real), im(imag) {}
  template <class U>
  __host__ __device__ complex(const complex<U>& z) : re(T(z.re)), im(T(z.im)) {}
  __host__ __device__ T real() const { return re; }
  __host__ __device__ T imag() const { return im; }
  __host__ __device__ void real(T value) { re = value; }
  __host__ __device__ void imag(T value) { im = value; }
  __host__ __device__ complex& operator+=(const complex& z) { return *this = *this + z; }
  __host__ __device__ complex& operator-=(const complex& z) { return *this = *this - z; }
  __host__ __device__ complex& operator*=(const complex& z) { return *this = *this * z; }
  __host__ __device__ complex& operator/=(const complex& z) { return *this = *this / z; }
  __host__ __device__ complex operator+() const { return *this; }
  __host__ __device__ complex operator-() const { return complex(-re, -im); }
};

#define DEVARRAY_BOTH_SIDES(operation)                                                                              \
  template <class T>                                                                                                \
  __host__ __device__ complex<T> operator operation(const complex<T>& a, const typename Plain<T>::type& b) {        \
    return a operation complex<T>(b);                                                                               \
  }                                                                                                                 \
  template <class T>                                                                                                \
  __host__ __device__ complex<T> operator operation(const typename Plain<T>::type& a, const complex<T>& b) {        \
    return complex<T>(a) operation b;                                                                               \
  }

template <class T>
__host__ __device__ complex<T> operator+(const complex<T>& a, const complex<T>& b) {
  return complex<T>(a.re + b.re, a.im + b.im);
}
template <class T>
__host__ __device__ complex<T> operator-(const complex<T>& a, const complex<T>& b) {
  return complex<T>(a.re - b.re, a.im - b.im);
}
template <class T>
__host__ __device__ complex<T> operator*(const complex<T>& a, const complex<T>& b) {
  return complex<T>(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
}
template <class T>
__host__ __device__ complex<T> operator/(const complex<T>& a, const complex<T>& b) {  // Smith's: no square overflows
  if (fabs(b.re) >= fabs(b.im)) {
    const T ratio = b.im / b.re, whole = b.re + b.im * ratio;
    return complex<T>((a.re + a.im * ratio) / whole, (a.im - a.re * ratio) / whole);
  }
  const T ratio = b.re / b.im, whole = b.re * ratio + b.im;
  return complex<T>((a.re * ratio + a.im) / whole, (a.im * ratio - a.re) / whole);
}
DEVARRAY_BOTH_SIDES(+)
DEVARRAY_BOTH_SIDES(-)
DEVARRAY_BOTH_SIDES(*)
DEVARRAY_BOTH_SIDES(/)
#undef DEVARRAY_BOTH_SIDES

template <class T>
__host__ __device__ bool operator==(const complex<T>& a, const complex<T>& b) {
  return a.re == b.re && a.im == b.im;
}
template <class T>
__host__ __device__ bool operator!=(const complex<T>& a, const complex<T>& b) {
  return !(a == b);
}

template <class T>
__device__ T real(const complex<T>& z) {
  return z.re;
}
template <class T>
__device__ T imag(const complex<T>& z) {
  return z.im;
}
template <class T>
__device__ complex<T> conj(const complex<T>& z) {
  return complex<T>(z.re, -z.im);
}
template <class T>
__device__ T norm(const complex<T>& z) {
  return z.re * z.re + z.im * z.im;
}
template <class T>
__device__ T abs(const complex<T>& z) {
  return hypot(z.re, z.im);
}
template <class T>
__device__ T arg(const complex<T>& z) {
  return atan2(z.im, z.re);
}
template <class T>
__device__ complex<T> polar(const T& length, const T& angle = T()) {
  return complex<T>(length * cos(angle), length * sin(angle));
}
template <class T>
__device__ complex<T> exp(const complex<T>& z) {
  return polar<T>(::exp(z.re), z.im);
}
template <class T>
__device__ complex<T> log(const complex<T>& z) {
  return complex<T>(::log(abs(z)), arg(z));
}
template <class T>
__device__ complex<T> sqrt(const complex<T>& z) {
  const T half = ::sqrt((fabs(z.re) + abs(z)) / 2);
  if (half == 0) return complex<T>(0, z.im);
  if (z.re >= 0) return complex<T>(half, z.im / (2 * half));
  return complex<T>(fabs(z.im) / (2 * half), copysign(half, z.im));
}
template <class T>
__device__ complex<T> pow(const complex<T>& z, const complex<T>& w) {
  return z == complex<T>() ? complex<T>(w == complex<T>() ? 1 : 0) : exp(w * log(z));
}
template <class T>
__device__ complex<T> sin(const complex<T>& z) {
  return complex<T>(::sin(z.re) * ::cosh(z.im), ::cos(z.re) * ::sinh(z.im));
}
template <class T>
__device__ complex<T> cos(const complex<T>& z) {
  return complex<T>(::cos(z.re) * ::cosh(z.im), -::sin(z.re) * ::sinh(z.im));
}

}  // namespace devarray_complex
}
