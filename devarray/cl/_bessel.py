"""Bessel and Hankel functions under ``pyopencl.clmath``'s names.

Bessel functions of complex numbers come by Miller's recurrence from far above down; the sum that scales it is DLMF
10.12.1 at ``t = -i``, an exponential that is large there.

The Hankel functions are of the first kind, of orders 0 and 1. With ``w = -iz`` they are ``2 / (pi i) K0(w)`` and
``-2 / pi K1(w)``. For small ``w`` K0 and K1 are the power series of DLMF 10.31. Elsewhere they are the integral of
``exp(-w cosh t) cosh(nu t)`` (DLMF 10.32.9) by the trapezoidal rule, on a path through ``t = 0`` that turns with the
angle of ``w``, so that the integrand decays. Where that angle is below -pi, in the third quadrant of ``z``, the values
at ``-z`` give those at ``z`` (DLMF 10.11.5).
"""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Any

import devarray as da
from devarray._kernels.elementwise import ElementwiseKernel
from devarray._primitives.checks import require_array
from devarray.cl.array import Array
from devarray.errors import DTypeError

if TYPE_CHECKING:
    from devarray._core import Queue

__all__ = ["bessel_jn", "bessel_yn", "hankel_01", "kept"]

_COMPLEX_JN = """
const double x = z.re, y = fabs(z.im), r = hypot(x, y);
const int order = v < 0 ? -v : v;
j.re = r == 0 && order == 0 ? 1.0 : 0.0;
j.im = 0.0;
if (!(r <= 1e5) || order > 1000000) {
  j.re = j.im = log(-1.0);
} else if (r > 0) {
  const double top = fmax((double)order, ceil(r)), p = 2.0 * (x / r) / r, q = -2.0 * (y / r) / r;  // p + iq = 2 / z
  double ar = 0.0, ai = 0.0, br = 1e-100, bi = 0.0, fr = 0.0, fi = 0.0, sr = 0.0, si = 0.0;
  int scalings = 0;
  for (int k = (int)(top + 8.0 * cbrt(top)) + 20; k >= 0; --k) {
    if (k == order) {
      fr = br;
      fi = bi;
      scalings = 0;
    }
    const double weight = k ? 2.0 : 1.0;  // times (-i)**k
    const double wr = k % 4 == 0 ? weight : k % 4 == 2 ? -weight : 0.0;
    const double wi = k % 4 == 1 ? -weight : k % 4 == 3 ? weight : 0.0;
    sr += wr * br - wi * bi;
    si += wr * bi + wi * br;
    const double cr = k * (p * br - q * bi) - ar, ci = k * (p * bi + q * br) - ai;
    ar = br;
    ai = bi;
    br = cr;
    bi = ci;
    if (fabs(br) + fabs(bi) > 1e100) {
      ar *= 1e-200;
      ai *= 1e-200;
      br *= 1e-200;
      bi *= 1e-200;
      sr *= 1e-200;
      si *= 1e-200;
      ++scalings;
    }
  }
  const double scale = 1.0 / fmax(fabs(sr), fabs(si)), half_way = exp(0.5 * y);
  const double tr = sr * scale, ti = si * scale, square = 1.0 / (tr * tr + ti * ti);
  double qr = (fr * tr + fi * ti) * square * scale, qi = (fi * tr - fr * ti) * square * scale;
  const double er = half_way * cos(x), ei = -half_way * sin(x);
  const double factor = v < 0 && order % 2 ? -half_way : half_way;
  for (; scalings > 0; --scalings) {
    qr *= 1e-200;
    qi *= 1e-200;
  }
  j.re = (qr * er - qi * ei) * factor;
  j.im = (qr * ei + qi * er) * (z.im < 0 ? -factor : factor);
}
"""

_PREAMBLE = """
typedef struct { double a, b, c, d; } hankel_pair;  // K0(w) = a + ib, K1(w) = c + id

__device__ hankel_pair hankel_series(double x, double y, double r, double angle) {
  const double u = 0.25 * (x * x - y * y), v = 0.5 * x * y;  // w**2 / 4
  const double p = log(0.5 * r) + 0.57721566490153286061;    // log(w / 2) + Euler's constant, with the angle
  double tr = 1.0, ti = 0.0, harmonic = 0.0;
  hankel_pair k = {0.0, 0.0, 0.0, 0.0};
  for (int n = 0; n < 24; ++n) {
    const double next = harmonic + 1.0 / (n + 1.0), lr = harmonic - p, mean = 0.5 * (harmonic + next) - p;
    k.a += tr * lr + ti * angle;
    k.b += ti * lr - tr * angle;
    k.c -= (tr * mean + ti * angle) / (n + 1.0);
    k.d -= (ti * mean - tr * angle) / (n + 1.0);
    harmonic = next;
    const double f = 1.0 / ((n + 1.0) * (n + 1.0)), s = (tr * u - ti * v) * f;
    ti = (tr * v + ti * u) * f;
    tr = s;
  }
  const double c = 0.5 * (k.c * x - k.d * y) + x / r / r;
  k.d = 0.5 * (k.c * y + k.d * x) - y / r / r;
  k.c = c;
  return k;
}

__device__ hankel_pair hankel_integral(double x, double y, double r, double angle) {
  const double turn = angle < -2.199114857512855 ? -2.199114857512855 : angle;
  const double h = 0.4 / (6.0 + 1.2 * sqrt(r));
  hankel_pair k = {0.0, 0.0, 0.0, 0.0};
  for (int n = 0; n < 400; ++n) {
    const double s = n * h, bend = tanh(s), t = -turn * bend, slope = -turn * (1.0 - bend * bend);
    const double even = sinh(0.5 * s) * cos(0.5 * t), other = cosh(0.5 * s) * sin(0.5 * t);
    const double cr = 2.0 * (even * even - other * other), ci = 4.0 * even * other;  // cosh(s + it) - 1
    const double size = exp(y * ci - x * cr) * (n ? 1.0 : 0.5), phase = -(x * ci + y * cr);
    const double er = size * (cos(phase) - slope * sin(phase)), ei = size * (sin(phase) + slope * cos(phase));
    k.a += er;
    k.b += ei;
    k.c += er * (1.0 + cr) - ei * ci;
    k.d += ei * (1.0 + cr) + er * ci;
    if (!(fabs(er) + fabs(ei) > 1e-19 * (fabs(k.a) + fabs(k.b)))) break;
  }
  const double scale = h * exp(-x), wr = scale * cos(y), wi = -scale * sin(y);
  hankel_pair made = {k.a * wr - k.b * wi, k.a * wi + k.b * wr, k.c * wr - k.d * wi, k.c * wi + k.d * wr};
  return made;
}

// H0 = a + ib and H1 = c + id at x + iy, which is not in the third quadrant
__device__ hankel_pair hankel_at(double x, double y) {
  const double r = hypot(x, y);
  double angle = atan2(y, x);
  if (angle < -1.6) angle = 3.141592653589793;  // -0 below the negative real axis
  angle -= 1.5707963267948966;
  const hankel_pair k = r < 1.0 ? hankel_series(y, -x, r, angle) : hankel_integral(y, -x, r, angle);
  const double f = 0.63661977236758134308;
  hankel_pair made = {f * k.b, -f * k.a, -f * k.c, -f * k.d};
  return made;
}
"""

_OPERATION = """
if (z.im < 0 && z.re < 0) {
  const hankel_pair one = hankel_at(-z.re, -z.im), two = hankel_at(-z.re, z.im);
  h0.re = 2.0 * one.a + two.a;
  h0.im = 2.0 * one.b - two.b;
  h1.re = -2.0 * one.c - two.c;
  h1.im = -2.0 * one.d + two.d;
} else {
  const hankel_pair one = hankel_at(z.re, z.im);
  h0.re = one.a;
  h0.im = one.b;
  h1.re = one.c;
  h1.im = one.d;
}
"""

_hankel_01 = ElementwiseKernel(
    "complex128 z", "complex128 h0, complex128 h1", _OPERATION, "hankel_01", preamble=_PREAMBLE
)


_complex_jn = ElementwiseKernel("complex128 z, int32 v", "complex128 j", _COMPLEX_JN, "complex_jn")


def kept(x: Any, like: Any) -> Any:
    """A result as an array of the operand's class and dtype."""
    return like._like(x) if hasattr(like, "_like") else Array._of(x)


def bessel_jn(n: int, x: Any, queue: Queue | None = None) -> Any:
    """Bessel functions of the first kind.

    Parameters
    ----------
    n : int
        The order.
    x : Array
        Real elements, or complex ones of a magnitude up to 10**5 (NaN beyond), which are computed in complex128.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake: the work goes to the arrays' own queue.

    Returns
    -------
    Array
        A new array of the operand's class and shape: of the operand's dtype for float32 and complex numbers, else
        float64.

    Examples
    --------
    >>> from devarray.cl import array as cl_array, clmath
    >>> clmath.bessel_jn(2, cl_array.to_device(None, [1.0, 3.0])).get().round(6)
    array([0.114903, 0.486091])
    """
    require_array("bessel_jn", x)
    if x.dtype.kind == "c":
        return kept(_complex_jn(x.astype("complex128"), index(n)).astype(x.dtype), x)
    return kept(da.special.jn(index(n), x), x)


def bessel_yn(n: int, x: Any, queue: Queue | None = None) -> Any:
    """Bessel functions of the second kind.

    Parameters
    ----------
    n : int
        The order.
    x : Array
        Real elements. The functions are NaN below zero.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake: the work goes to the arrays' own queue.

    Returns
    -------
    Array
        A new array of the operand's class and shape: float32 for float32, else float64.

    Examples
    --------
    >>> from devarray.cl import array as cl_array, clmath
    >>> clmath.bessel_yn(2, cl_array.to_device(None, [1.0, 3.0])).get().round(6)
    array([-1.650683, -0.1604  ])
    """
    require_array("bessel_yn", x)
    return kept(da.special.yn(index(n), x), x)


def hankel_01(x: Any, queue: Queue | None = None) -> tuple[Any, Any]:
    """Hankel functions of the first kind, of orders 0 and 1.

    Parameters
    ----------
    x : Array
        Complex elements. The functions have a cut along the negative real axis.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake: the work goes to the arrays' own queue.

    Returns
    -------
    h0, h1 : Array
        New arrays of the operand's class, dtype and shape. They are computed in complex128.

    Raises
    ------
    DTypeError
        For elements that are not complex, and on devices without float64.

    Examples
    --------
    >>> from devarray.cl import array as cl_array, clmath
    >>> h0, h1 = clmath.hankel_01(cl_array.to_device(None, [1 + 0j]))
    >>> h0.get().round(6), h1.get().round(6)
    (array([0.765198+0.088257j]), array([0.440051-0.781213j]))
    """
    require_array("hankel_01", x)
    if x.dtype.kind != "c":
        raise DTypeError(f"hankel_01 takes complex elements, not {x.dtype}; use x.astype('complex128')")
    h0, h1 = _hankel_01(x.astype("complex128"))
    return kept(h0.astype(x.dtype), x), kept(h1.astype(x.dtype), x)
