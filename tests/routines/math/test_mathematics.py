"""NumPy's functions of sampled data, of parts of numbers, polynomials, sets and histograms, over dtypes and layouts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from agreement import ULP, both, check, near
from oracle import COMPLEX, close, moderate, same, skip_without, values

import devarray as da

pytestmark = [
    pytest.mark.usefixtures("device"),
    pytest.mark.filterwarnings("ignore::devarray.HiddenTransferWarning", "ignore:numpy.fix is deprecated"),
]
Body = Callable[..., Any]
# --- every dtype, and layouts --------------------------------------------------------------------------------------

SOME_DTYPES = ("bool", "int8", "uint16", "int64", "float16", "float32", "float64", "complex64")
ELEMENTWISE: dict[str, Body] = {
    "angle": lambda xp, x: xp.angle(x),
    "around": lambda xp, x: xp.around(x, 1),
    "bitwise_count": lambda xp, x: xp.bitwise_count(x),
    "degrees": lambda xp, x: xp.degrees(x),
    "divmod": lambda xp, x: xp.divmod(x, 3),
    "fix": lambda xp, x: xp.fix(x),
    "frexp": lambda xp, x: xp.frexp(x),
    "i0": lambda xp, x: xp.i0(x),
    "iscomplex": lambda xp, x: xp.iscomplex(x),
    "isneginf": lambda xp, x: xp.isneginf(x),
    "isposinf": lambda xp, x: xp.isposinf(x),
    "isreal": lambda xp, x: xp.isreal(x),
    "ldexp": lambda xp, x: xp.ldexp(x, 3),
    "modf": lambda xp, x: xp.modf(x),
    "radians": lambda xp, x: xp.radians(x),
    "real_if_close": lambda xp, x: xp.real_if_close(x),
    "sinc": lambda xp, x: xp.sinc(x / 4 if x.dtype.kind in "fc" else x),
    "spacing": lambda xp, x: xp.spacing(x),
}
ALONG: dict[str, Body] = {
    "ediff1d": lambda xp, x: xp.ediff1d(x, x[..., :1]),
    "gradient": lambda xp, x: xp.gradient(x),
    "gradient, order 2": lambda xp, x: xp.gradient(x, 2.0, axis=-1, edge_order=2),
    "nanargmax": lambda xp, x: xp.nanargmax(x, -1),
    "nanargmin": lambda xp, x: xp.nanargmin(x),
    "nancumprod": lambda xp, x: xp.nancumprod(x, -1),
    "nancumsum": lambda xp, x: xp.nancumsum(x),
    "nanmedian": lambda xp, x: xp.nanmedian(x, -1),
    "nanquantile": lambda xp, x: xp.nanquantile(x, [0.2, 0.9], axis=0),
    "nanpercentile": lambda xp, x: xp.nanpercentile(x, 30, axis=None),
    "trapezoid": lambda xp, x: xp.trapezoid(x),
    "trapezoid, axis": lambda xp, x: xp.trapezoid(x, dx=0.5, axis=0),
    "unwrap": lambda xp, x: xp.unwrap(x, axis=-1),
    "unwrap, period": lambda xp, x: xp.unwrap(x, period=3),
    "histogram_bin_edges": lambda xp, x: xp.histogram_bin_edges(x, 4),
    "union1d": lambda xp, x: xp.union1d(x, x[..., :1]),
    "intersect1d": lambda xp, x: xp.intersect1d(x, x[..., 1:2], return_indices=True),
    "setdiff1d": lambda xp, x: xp.setdiff1d(x, x[..., :1]),
    "setxor1d": lambda xp, x: xp.setxor1d(x, x[..., :2]),
}
LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "reversed, strided": lambda x: x[::-1, ::-2],
    "transposed": lambda x: x.T,
    "a row": lambda x: x[1],
    "a point": lambda x: x[1, 2],
    "empty": lambda x: x[:, :0],
}


def with_holes(dtype: str, shape: tuple[int, ...] = (4, 6)) -> np.ndarray:
    x = moderate(dtype, shape, 9)
    if x.dtype.kind in "fc":
        x[0, 1] = x[2, ::2] = np.nan
    return x


@pytest.mark.parametrize("dtype", SOME_DTYPES)
@pytest.mark.parametrize("name", ELEMENTWISE)
def test_element_by_element(name: str, dtype: str) -> None:
    skip_without(dtype, "float64")
    if (name, dtype) == ("around", "bool"):
        return  # NumPy raises where its own buffer does not hold the result
    x, special = moderate(dtype, (4, 6), 9), values(dtype, 40)
    loose = 2**9 if dtype == "float16" and name in ("i0", "sinc") else ULP  # NumPy rounds each step to a half
    for layout in ("reversed, strided", "a point", "empty"):
        check(lambda xp, x, f=LAYOUTS[layout]: ELEMENTWISE[name](xp, f(x)), x, ulp=loose)
    if name not in ("i0", "sinc", "divmod", "degrees", "around", "angle"):
        check(ELEMENTWISE[name], special, ulp=0)


APART = {("nanmedian", dtype) for dtype in COMPLEX} | {("histogram_bin_edges", dtype) for dtype in COMPLEX}
APART |= {("nanquantile", "bool"), ("nanpercentile", "bool"), ("unwrap", "uint16")}
"""Medians and histograms of numbers without order, and what NumPy raises for in the middle of its own work."""


@pytest.mark.parametrize("dtype", SOME_DTYPES)
@pytest.mark.parametrize("name", ALONG)
def test_along_axes(name: str, dtype: str) -> None:
    skip_without(dtype, "float64")
    if (name.split(",")[0], dtype) in APART:
        return
    x = with_holes(dtype) if name.startswith("nan") else moderate(dtype, (4, 6), 9)
    for layout in LAYOUTS:
        if layout != "a point" or not name.startswith("nan"):  # NumPy lets points have an axis here
            check(lambda xp, x, f=LAYOUTS[layout]: ALONG[name](xp, f(x)), x)


# --- two rows ------------------------------------------------------------------------------------------------------

ROWS: dict[str, Body] = {
    "polyadd": lambda xp, p, q: xp.polyadd(p, q),
    "polyder": lambda xp, p, q: xp.polyder(p, 2),
    "polyint": lambda xp, p, q: xp.polyint(p, 2, 3),
    "polymul": lambda xp, p, q: xp.polymul(p, q),
    "polysub": lambda xp, p, q: xp.polysub(p, q),
    "polyval": lambda xp, p, q: xp.polyval(p, q),
    "polyval of host coefficients": lambda xp, p, q: xp.polyval([2, 0, 1], p),
    "interp": lambda xp, p, q: xp.interp(q, xp.sort(p), p),
    "outer": lambda xp, p, q: xp.outer(p, q),
}


@pytest.mark.parametrize("dtypes", ["bb", "ih", "fi", "ef", "dd", "fF", "DD", "??"])
@pytest.mark.parametrize("name", ROWS)
def test_two_rows(name: str, dtypes: str) -> None:
    skip_without("float64")
    for n, m in ((7, 3), (1, 4), (2, 2), (0, 3), (5, 0)):
        p, q = moderate(dtypes[0], n, 1), moderate(dtypes[1], m, 2)
        check(lambda xp, p, q: ROWS[name](xp, p[::-1], q), p, q, ulp=256)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("name", ["convolve", "correlate"])
def test_convolution(name: str, mode: str) -> None:
    skip_without("float64")
    short = ((1, 1), (7, 3), (3, 8), (8, 4), (4, 9), (40, 30))
    for dtypes in ("??", "bb", "Hh", "iq", "ee", "ff", "fd", "FF", "dD"):
        for n, m in short + (((3000, 300), (290, 300), (256, 256)) if dtypes in ("bb", "ff", "FF") else ()):
            a, v = moderate(dtypes[0], n, 1), moderate(dtypes[1], m, 2)
            check(lambda xp, a, v: getattr(xp, name)(a[::-1], v, mode), a, v)
    check(lambda xp, a: getattr(xp, name)(a, [1, 2], mode), moderate("int8", 5))


def test_interpolation() -> None:
    skip_without("float64")
    nan, inf = np.nan, np.inf
    x = np.array([-1, 0, 0.5, 1, 1.75, 2, 3.5, 4, 9, nan, inf, -inf])
    points = np.array([0.0, 1, 1, 2, 4])
    for heights in ([1.0, 2, 3, 5, 4], [1, inf, inf, 2, nan], [1j, 2, 3, 4 - 1j, 5]):
        for more in ({}, {"left": -7.0, "right": 7.5}, {"period": 3.0}):
            check(lambda xp, x, p, f, m=more: xp.interp(x, p, f, **m), x, points, np.array(heights), ulp=4)
    for single in (x, x[:2].reshape(2, 1), x[3]):
        check(lambda xp, x: xp.interp(x, [1.0], [5.0], left=2.0), np.asarray(single[..., None]), ulp=0)
    check(lambda xp, p: xp.interp(0.3, p, p), points)
    for bad in (([1.0, 2], [1.0]), ([[1.0]], [[2.0]]), ([], []), ([1j], [2.0])):
        check(lambda xp, x, b=bad: xp.interp(x, xp.asarray(b[0]), xp.asarray(b[1])), x)


def test_gradients() -> None:
    skip_without("float64")
    f, even, uneven = moderate("float64", (5, 6)), np.arange(6.0) * 0.5, np.array([0, 1, 3, 3.5, 7, 8])
    for order in (1, 2):
        for dtype in ("float32", "float64", "int32"):
            a = f.astype(dtype)
            for step in (even, uneven, uneven.astype("f4"), (uneven * 2).astype("i2")):
                check(lambda xp, a, s, o=order: xp.gradient(a, s, axis=1, edge_order=o), a, step, ulp=256)
                check(lambda xp, a, s, o=order: xp.gradient(a, np.float32(2), s, edge_order=o), a, step, ulp=256)
        check(lambda xp, a, o=order: xp.gradient(a[:, :2], edge_order=o), f)
    for wrong in ((1, 2, 3), ([1.0, 2.0],), (np.zeros((2, 2)), 1)):
        check(lambda xp, a, w=wrong: xp.gradient(a, *w), f)
    check(lambda xp, a: xp.gradient(a, edge_order=3), f)


def test_polynomials_of_data() -> None:
    skip_without("float64")
    x, y = np.sort(moderate("float64", 20, 1)), moderate("float64", (20, 3), 2)
    for more in ({}, {"full": True}, {"cov": True}, {"cov": "unscaled", "w": abs(y[:, 0]) + 1}):
        for right in (y, y[:, 0]):
            ours, wanted = both(lambda xp, a, b, m=more: xp.polyfit(a, b, 3, **m), x, right)
            near(ours[:2] if more else ours, wanted[:2] if more else wanted, 2**14)
    with pytest.warns(np.exceptions.RankWarning):
        da.polyfit(da.asarray([1.0, 1.0]), da.asarray([1.0, 2.0]), 1)
    for bad in ((x, y, -1), (y, y, 1), (x[:0], y[:0], 1), (x, y[:3], 1), (x, y[None], 1)):
        check(lambda xp, a, b, d=bad[2]: xp.polyfit(a, b, d), *bad[:2])
    for u, v in (([1.0, 0, 0, -1], [1.0, -1]), ([1, 2], [1, 2, 3]), ([2j, 1, 1], [1.0]), ([0.0, 0, 0], [2.0])):
        check(lambda xp, a, b: xp.polydiv(a, b), np.array(u), np.array(v))
    for zeros in ([], [2], [1.0, -2, 3], [1 + 1j, 1 - 1j], [1j, 2], [[2.0, 1], [0, 3]], [[1.0, 2, 3]]):
        check(lambda xp, z: xp.poly(z), np.array(zeros))
    for p in ([0, 0], [5], [1, 0, 0], [0, 1.0, -3, 2, 0, 0], [1, 0, 1], [1.0, 2, 3, 4], [[1, 2]]):
        check(lambda xp, p: xp.sort(xp.roots(p)), np.array(p), ulp=2**10)


# --- counting ------------------------------------------------------------------------------------------------------


def test_histograms_of_several_variables() -> None:
    skip_without("float64")
    for dtype in ("float64", "float32", "int16"):
        points = moderate(dtype, (40, 3), 3)
        weights = moderate("float64", 40, 4)
        for bins in (3, (2, 3, 4), [np.array([-4.0, 0, 1]), 2, [-1, 0, 2, 3]]):
            for more in ({}, {"density": True}, {"range": [(-2, 2), None, (0, 3)]}):
                check(lambda xp, p, b=bins, m=more: xp.histogramdd(p, b, **m), points)
            check(lambda xp, p, w, b=bins: xp.histogramdd(p, b, weights=w), points, weights, ulp=2**10)
    check(lambda xp, p: xp.histogramdd(p[0], 2), points)
    check(lambda xp, p: xp.histogramdd(p[:0], 2), points)
    check(lambda xp, p: xp.histogram2d(p[:, 0], p[:, 1], p[:4, 2].copy() * 0 + xp.asarray([0, 1, 2, 3])), points)
    for wrong in ((2, 3), 0, [[3, 2, 1]] * 3):
        check(lambda xp, p, b=wrong: xp.histogramdd(p, b), points)
    check(lambda xp, p: xp.histogram2d(p[:, 0], p[:3, 1]), points)
    check(lambda xp, p: xp.histogramdd(p, 3, weights=p[:5, 0]), points)


def test_rules_for_the_number_of_bins() -> None:
    skip_without("float64")
    rng = np.random.default_rng(8)
    for x in (rng.normal(size=500), rng.integers(0, 40, 300), np.full(9, 2.0), rng.normal(size=2), np.empty(0)):
        for rule in ("auto", "doane", "fd", "rice", "scott", "sqrt", "sturges"):
            for limits in (None, (-1.0, 1.5)):
                check(lambda xp, x, r=rule, w=limits: xp.histogram(x, r, w), x)
    check(lambda xp, x: xp.histogram_bin_edges(x, "none"), x)
    check(lambda xp, x: xp.histogram_bin_edges(x, "auto", weights=x), x)


def test_nan_is_left_out_of_quantiles() -> None:
    skip_without("float64")
    x = with_holes("float64", (5, 6))
    x[3] = np.nan
    x[4, :2] = np.inf, -np.inf
    for method in ("linear", "lower", "higher", "nearest", "midpoint"):
        for axis in (None, 0, 1, (0, 1)):
            for q in (0, 0.3, 1, [0.5, 0.25]):
                check(lambda xp, x, a=axis, q=q, m=method: xp.nanquantile(x[:4], q, a, method=m, keepdims=True), x)
    for body in (lambda xp, x: xp.nanquantile(x, 2), lambda xp, x: xp.nanmedian(x[:, :0], 1)):
        check(body, x)
    check(lambda xp, x: xp.nanargmax(x, 1), x)  # a row of nothing but NaN
    check(lambda xp, x: xp.nanmedian(x, 1), x)


def test_sets_with_nan_and_of_two_dtypes() -> None:
    skip_without("float64")
    a = np.array([[3.0, np.nan, 1, -0.0], [np.nan, 0, 3, 7]])
    for name in ("union1d", "intersect1d", "setdiff1d", "setxor1d"):
        for b in (np.array([3, 1, 8], "i4"), np.array([np.nan, 7.5]), np.empty(0)):
            check(lambda xp, a, b, n=name: abs(getattr(xp, n)(a, b)), a, b)
            check(lambda xp, a, b, n=name: abs(getattr(xp, n)(b, a)), a, b)
    check(lambda xp, a: xp.intersect1d(a, [5, 3, 1], return_indices=True), np.array([1, 1, 3, 9]))


# --- the rest ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["bartlett", "blackman", "hamming", "hanning", "kaiser"])
def test_windows(name: str) -> None:
    skip_without("float64")
    for m in (0, 1, 2, 7):
        more = (5.0,) if name == "kaiser" else ()
        same(getattr(da, name)(m, *more), getattr(np, name)(m, *more))


def test_products_of_stacks() -> None:
    skip_without("float64")
    for dtype in ("int32", "float64", "complex128"):
        a, v, w = moderate(dtype, (2, 3, 4), 1), moderate(dtype, 4, 2), moderate(dtype, (5, 1, 3), 3)
        near(da.matvec(da.asarray(a), da.asarray(v)), a @ v)
        near(da.vecmat(da.asarray(w), da.asarray(a)), (w.conj()[..., None, :] @ a)[..., 0, :])
    for name, first, second in (("matvec", v, v), ("vecmat", v, v), ("matvec", a, w), ("vecmat", v, a)):
        with pytest.raises(ValueError, match=name if (name == "matvec" and first is v) or second is v else "fit"):
            getattr(da, name)(da.asarray(first), da.asarray(second))


def test_conditions_and_tensors() -> None:
    skip_without("float64")
    a = moderate("float64", (3, 4, 4), 1) + 5 * np.eye(4)
    a[1] = 1.0
    a[2, 0, 0] = np.nan
    for dtype in ("float64", "float32", "complex128"):
        for p in (None, 2, -2, 1, -1, np.inf, -np.inf, "fro"):
            check(lambda xp, a, p=p: xp.linalg.cond(a[:1], p), a.astype(dtype), ulp=2**8)
            if p not in (None, 2, -2):  # of which rounding makes anything
                check(lambda xp, a, p=p: xp.linalg.cond(a, p), a.astype(dtype), ulp=2**8)
    check(lambda xp, a: xp.linalg.cond(a[0, 0]), a)
    check(lambda xp, a: xp.linalg.cond(a[:, :0]), a)
    check(lambda xp, a: xp.linalg.cond(a[:, :3], 1), a)
    t = moderate("float64", (2, 3, 6), 5)
    for body in (
        lambda xp, t: xp.linalg.tensorinv(t),
        lambda xp, t: xp.linalg.tensorinv(t, ind=1),
        lambda xp, t: xp.linalg.tensorinv(t, ind=0),
        lambda xp, t: xp.linalg.tensorsolve(t, t[..., 0]),
        lambda xp, t: xp.linalg.tensorsolve(t, t[0, 0], axes=(0, 1)),
        lambda xp, t: xp.linalg.tensorsolve(t, t[0]),
    ):
        check(body, t, ulp=2**12)


def test_dtypes() -> None:
    f, k = np.ones(2, "f4"), np.ones((), "i2") * 300
    assert da.common_type(da.asarray(f)) is np.common_type(f)
    assert da.common_type(da.asarray(f), da.asarray(k)) is np.common_type(f, k)
    with pytest.raises(TypeError, match="common_type"):
        da.common_type(da.asarray([True]))
    assert da.min_scalar_type(da.asarray(f)) == np.min_scalar_type(f)
    assert da.min_scalar_type(da.asarray(k)) == np.min_scalar_type(k)
    assert da.min_scalar_type(-1) == np.min_scalar_type(-1)
    assert da.issubdtype(da.int8, np.integer) and not da.issubdtype(da.int8, np.floating)
    x = da.ones((2, 3))
    assert da.einsum_path("ij,kj", x, x, optimize=False) == np.einsum_path(
        "ij,kj", *[np.ones((2, 3))] * 2, optimize=False
    )


def test_angles_stay_exact_in_their_dtype() -> None:
    x = np.array([0.0, 30, 180], "f4")
    close(da.radians(da.asarray(x)), np.radians(x), 2)
    close(da.degrees(da.asarray(x)), np.degrees(x), 2)


def test_element_wise_functions_make_one_kernel() -> None:
    x = da.ones((64, 64), da.float32)
    x.evaluate()
    before = da.stats()["launches"]
    y = da.sinc(x) + da.angle(x) * da.i0(x) + da.fix(x)
    y = da.polyval([1.0, 2.0, 3.0], y).astype(da.float32).evaluate()
    assert da.stats()["launches"] - before == (1 if da.config.deferred else da.stats()["launches"] - before)
