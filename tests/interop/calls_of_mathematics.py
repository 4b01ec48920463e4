"""Calls of NumPy's mathematical functions, as users write them: a name, arrays, and functions of these."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from oracle import moderate, values

__all__ = ["CALLS"]

X, Y = moderate("float32", (4, 6), 1), moderate("float32", (4, 6), 2)
K, L = moderate("int32", (4, 6), 3), moderate("int32", (4, 6), 4)
Z = moderate("complex64", (4, 6), 5)
HOLES = np.where(np.arange(X.size).reshape(X.shape) % 4 == 1, np.nan, X)
SPECIAL = values("float32")
ROW, SHORT = X.ravel(), Y[0, :4]
SQUARE = (X[:, :4] @ X[:, :4].T + 20 * np.eye(4, dtype=np.float32)).astype(np.float32)
TENSOR = np.kron(np.eye(2), SQUARE[:3, :3]).reshape(2, 3, 6) + 0.1 * X[0]

CALLS: list[tuple[str, tuple[np.ndarray, ...], tuple[Callable[..., Any], ...]]] = []


def calls(name: str, arrays: tuple[np.ndarray, ...], *bodies: Callable[..., Any]) -> None:
    CALLS.append((name, arrays, bodies))


# Element by element
calls("angle", (Z, X, K), lambda z, x, k: np.angle(z), lambda z, x, k: np.angle(z, deg=True))
calls("angle", (Z, X, K), lambda z, x, k: np.angle(x), lambda z, x, k: np.angle(k, True))
calls("around", (X,), np.around, lambda x: np.around(x, 2), lambda x: np.around(x, -1, out=np.zeros_like(x)))
calls("fix", (X,), np.fix, lambda x: np.fix(x, out=np.zeros_like(x)))
calls("i0", (X, K), lambda x, k: np.i0(x), lambda x, k: np.i0(k), lambda x, k: np.i0(9 * x))
calls("sinc", (X, K, Z), lambda x, k, z: np.sinc(x), lambda x, k, z: np.sinc(k * 0.5), lambda x, k, z: np.sinc(z / 9))
calls("iscomplex", (X, Z), lambda x, z: np.iscomplex(x), lambda x, z: np.iscomplex(z.real + 0j))
calls("isreal", (X, Z), lambda x, z: np.isreal(x), lambda x, z: np.isreal(z))
calls("isneginf", (SPECIAL, K), lambda x, k: np.isneginf(x), lambda x, k: np.isneginf(k))
calls("isposinf", (SPECIAL, K), lambda x, k: np.isposinf(x), lambda x, k: np.isposinf(x, out=np.zeros_like(x > 0)))
calls("real_if_close", (Z, X), lambda z, x: np.real_if_close(z), lambda z, x: np.real_if_close(x + 1e-7j, tol=1e4))

# Along axes
calls("unwrap", (9 * X, 5 * K), lambda x, k: np.unwrap(x), lambda x, k: np.unwrap(x, 5.0, axis=0))
calls("unwrap", (9 * X, 5 * K), lambda x, k: np.unwrap(k, period=4), lambda x, k: np.unwrap(k, period=7, axis=0))
calls("ediff1d", (X, K), lambda x, k: np.ediff1d(x), lambda x, k: np.ediff1d(k, to_begin=k[0], to_end=[7, 8]))
calls("gradient", (X, K), lambda x, k: np.gradient(x), lambda x, k: np.gradient(k, 2.0, axis=1, edge_order=2))
calls(
    "gradient",
    (X, np.cumsum(abs(K[0]) + 1)),
    lambda x, k: np.gradient(x, 0.5, k),
    lambda x, k: np.gradient(x, k, axis=-1, edge_order=2),
)
calls(
    "trapezoid", (X, Y), np.trapezoid, lambda x, y: np.trapezoid(x, dx=0.5, axis=0), lambda x, y: np.trapezoid(x, y[0])
)
calls(
    "interp",
    (X, np.sort(Y[0]), Z[0]),
    lambda x, p, z: np.interp(x, p, p * p),
    lambda x, p, z: np.interp(x, p, z, left=0.0),
)
calls("interp", (X, Y[0]), lambda x, p: np.interp(x, p, 2 * p, period=3), lambda x, p: np.interp(1.5, np.sort(p), p))
calls(
    "nanargmax", (HOLES,), np.nanargmax, lambda x: np.nanargmax(x, 1), lambda x: np.nanargmax(x, axis=0, keepdims=True)
)
calls(
    "nanargmin",
    (HOLES,),
    np.nanargmin,
    lambda x: np.nanargmin(x, 1),
    lambda x: np.nanargmin(x, 0, np.zeros_like(x[0], "i8")),
)
calls(
    "nancumsum",
    (HOLES,),
    np.nancumsum,
    lambda x: np.nancumsum(x, 1),
    lambda x: np.nancumsum(x, 0, "f8", np.zeros_like(x)),
)
calls("nancumprod", (HOLES, K), lambda x, k: np.nancumprod(x, axis=0), lambda x, k: np.nancumprod(k))
calls(
    "nanmedian", (HOLES,), np.nanmedian, lambda x: np.nanmedian(x, 0), lambda x: np.nanmedian(x, axis=1, keepdims=True)
)
calls("nanpercentile", (HOLES,), lambda x: np.nanpercentile(x, 30), lambda x: np.nanpercentile(x, [10, 90], axis=1))
calls(
    "nanquantile",
    (HOLES,),
    lambda x: np.nanquantile(x, 0.3, 0),
    lambda x: np.nanquantile(x, [0.1, 1], 1, method="nearest"),
)

# Rows
calls("convolve", (ROW, SHORT, K[0]), lambda x, v, k: np.convolve(x, v), lambda x, v, k: np.convolve(k, [1, 2], "same"))
calls(
    "correlate", (ROW, SHORT, Z[0]), lambda x, v, z: np.correlate(v, x), lambda x, v, z: np.correlate(x, z, mode="full")
)
calls(
    "poly",
    (ROW[:4], Z[0], SQUARE),
    lambda x, z, a: np.poly(x),
    lambda x, z, a: np.poly(z),
    lambda x, z, a: np.poly(a / 20),
)
calls("polyadd", (ROW, SHORT), np.polyadd, lambda x, p: np.polyadd(p, [1, 2, 3, 4, 5, 6]))
calls("polysub", (ROW, SHORT), np.polysub, lambda x, p: np.polysub(p, 2))
calls("polymul", (ROW, SHORT), np.polymul, lambda x, p: np.polymul(p - p, p), lambda x, p: np.polymul(p, [0, 0, 2]))
calls(
    "polydiv", (ROW[:7], SHORT), np.polydiv, lambda x, p: np.polydiv(p, x), lambda x, p: np.polydiv(np.polymul(p, p), p)
)
calls("polyder", (ROW, K[0]), lambda x, k: np.polyder(x), lambda x, k: np.polyder(k, 3), lambda x, k: np.polyder(k, 9))
calls(
    "polyint",
    (ROW, K[0]),
    lambda x, k: np.polyint(x),
    lambda x, k: np.polyint(k, 2, 7),
    lambda x, k: np.polyint(k, 2, k[:2]),
)
calls("polyval", (SHORT, X, K), lambda p, x, k: np.polyval(p, x), lambda p, x, k: np.polyval([1, 0, 2], k))
calls(
    "polyfit",
    (np.sort(ROW), ROW),
    lambda x, y: np.polyfit(x, y, 2),
    lambda x, y: np.polyfit(x, y, 2, w=abs(y), cov=True),
)
calls(
    "polyfit",
    (np.sort(ROW), Y.reshape(-1, 1)),
    lambda x, y: np.polyfit(x, y, 1, full=True)[0],
    lambda x, y: np.polyfit(x, y, 1, cov="unscaled"),
)
calls(
    "roots",
    (np.array([1.0, -3, 1, 1, 0, 0]), np.array([0, 2, -4])),
    lambda p, k: np.sort(np.roots(p)),
    lambda p, k: np.roots(k),
)

# Sets and histograms
calls("union1d", (K, L[0]), np.union1d, lambda k, m: np.union1d(m, [9, 8]))
calls("intersect1d", (K, L[0]), np.intersect1d, lambda k, m: np.intersect1d(k, m, return_indices=True))
calls("intersect1d", (K, L[0]), lambda k, m: np.intersect1d(np.unique(k), np.unique(m), True, True))
calls("setdiff1d", (K, L[0, :2]), np.setdiff1d, lambda k, m: np.setdiff1d(k, m, assume_unique=True))
calls("setxor1d", (K, L[0, :2]), np.setxor1d, lambda k, m: np.setxor1d(k, m + 20))
calls(
    "histogram_bin_edges",
    (X, K),
    lambda x, k: np.histogram_bin_edges(k, 5),
    lambda x, k: np.histogram_bin_edges(x, [0.0, 1, 3]),
)
RULES = ("auto", "doane", "fd", "rice", "scott", "sqrt", "sturges")
SKEW = np.r_[ROW, ROW**2].astype("f8")
calls("histogram_bin_edges", (SKEW,), *(lambda x, r=r: np.histogram_bin_edges(x, r) for r in RULES))
calls("histogram", (SKEW,), *(lambda x, r=r: np.histogram(x, r, (-2.5, 9))[0] for r in RULES))
calls(
    "histogram2d",
    (X[0], Y[0]),
    np.histogram2d,
    lambda x, y: np.histogram2d(x, y, [2, 3], [(-4, 4), (-2, 3)], True, abs(y)),
)
calls(
    "histogram2d",
    (X[0], Y[0]),
    lambda x, y: np.histogram2d(x, y, [-4.0, 0, 1, 4]),
    lambda x, y: np.histogram2d(x, y, [4, [0, 1]]),
)
calls(
    "histogramdd",
    (X.T, K),
    lambda x, k: np.histogramdd(x, 3),
    lambda x, k: np.histogramdd([k[0], k[1]], (2, 3), weights=k[2]),
)

# Linear algebra
calls(
    "outer",
    (X, Y),
    lambda x, y: np.outer(x[0], y[0]),
    np.outer,
    lambda x, y: np.outer(x, y, out=np.zeros_like(x, shape=(24, 24))),
)
calls("einsum_path", (X, Y), lambda x, y: np.einsum_path("ij,kj,kl->il", x, y, x, optimize="optimal"))
calls(
    "linalg.cond",
    (SQUARE, X),
    lambda a, x: np.linalg.cond(x),
    lambda a, x: np.linalg.cond(a, -2),
    lambda a, x: np.linalg.cond(a, 1),
)
calls(
    "linalg.cond",
    (np.stack([SQUARE, 0 * SQUARE]),),
    lambda a: np.linalg.cond(a, "fro"),
    lambda a: np.linalg.cond(a, np.inf),
)
calls(
    "linalg.tensorinv",
    (TENSOR,),
    lambda a: np.linalg.tensorinv(a),
    lambda a: np.linalg.tensorinv(a.transpose(2, 0, 1), ind=1),
)
calls(
    "linalg.tensorsolve",
    (TENSOR, X[0]),
    lambda a, b: np.linalg.tensorsolve(a.transpose(2, 0, 1), b),
    lambda a, b: np.linalg.tensorsolve(a, b, axes=(0, 1)),
)

# Dtypes
calls(
    "common_type", (X, K, Z), np.common_type, lambda x, k, z: np.common_type(x, x), lambda x, k, z: np.common_type(x, k)
)
calls("min_scalar_type", (X, K), lambda x, k: np.min_scalar_type(x), lambda x, k: np.min_scalar_type(k[0, 0]))
