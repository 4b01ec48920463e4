"""Functions of several chapters over dtypes and layouts, against NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from agreement import ULP, check
from oracle import COMPLEX, close, moderate, skip_without, values

import devarray as da

pytestmark = [
    pytest.mark.usefixtures("device"),
    pytest.mark.filterwarnings("ignore::devarray.HiddenTransferWarning", "ignore:numpy.fix is deprecated"),
]
Body = Callable[..., Any]


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
APART = {("nanmedian", dtype) for dtype in COMPLEX} | {("histogram_bin_edges", dtype) for dtype in COMPLEX}


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
