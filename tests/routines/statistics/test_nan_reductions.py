"""Reductions that leave NaN out, and what replaces it, against NumPy."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from agreement import agree
from oracle import host, same, values

import devarray as da

pytestmark = pytest.mark.usefixtures("device")
RNG = np.random.default_rng(0)
CUBE = RNG.normal(size=(5, 6, 7))
CUBE_WITH_NAN = np.where(RNG.random((5, 6, 7)) < 0.3, np.nan, CUBE)
CUBE_WITH_NAN[0, 0] = np.nan
TABLE = RNG.random((4, 6))
WITH_NAN = TABLE.copy()
WITH_NAN[1, 2] = WITH_NAN[0, 0] = np.nan
INTEGERS = RNG.integers(-9, 9, (4, 6))
MASK = RNG.random((4, 6)) > 0.4


def near(ours: Any, wanted: Any, tolerance: float = 1e-12) -> None:
    got, wanted = host(ours), np.asarray(wanted)
    assert got.dtype == wanted.dtype
    assert got.shape == wanted.shape
    np.testing.assert_allclose(got, wanted, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2)])
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("name", ["nansum", "nanprod", "nanmin", "nanmax", "nanmean", "nanvar", "nanstd"])
def test_without_nan(name: str, axis: Any, keepdims: bool) -> None:
    for a in (CUBE_WITH_NAN, CUBE_WITH_NAN.astype(np.float32), np.arange(24).reshape(2, 3, 4)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            wanted = getattr(np, name)(a, axis=axis, keepdims=keepdims)
        near(getattr(da, name)(da.asarray(a), axis=axis, keepdims=keepdims), wanted, 1e-4 if a.dtype == "f4" else 1e-12)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "int8"])
def test_nan_to_num(dtype: str) -> None:
    a = values(dtype, 40)
    same(da.nan_to_num(da.asarray(a)), np.nan_to_num(a))
    same(da.nan_to_num(da.asarray(a), nan=1, posinf=2, neginf=-3), np.nan_to_num(a, nan=1, posinf=2, neginf=-3))
    x = da.asarray(a)
    da.nan_to_num(x, copy=False)
    same(x, np.nan_to_num(a))


def test_nan_to_num_of_a_complex_number() -> None:
    for value in (complex(np.nan, np.inf), complex(-np.inf, 1.0)):
        ours = da.nan_to_num(da.asarray([value])[0], neginf=-5)
        assert ours.item() == np.nan_to_num(value, neginf=-5)


@pytest.mark.parametrize("name", ["nansum", "nanprod", "nanmin", "nanmax"])
@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.heavy
def test_reductions_without_nan(name: str, axis: int | None) -> None:
    for x in (WITH_NAN, INTEGERS, WITH_NAN.astype(np.float32), WITH_NAN + 1j * TABLE):
        agree(lambda xp, a: getattr(xp, name)(a, axis, keepdims=True), x)
        agree(lambda xp, a, m: getattr(xp, name)(a, axis=axis, initial=2, where=m), x, MASK)
    agree(lambda xp, a, m: getattr(xp, name)(a, axis=axis, where=m), WITH_NAN, MASK)


@pytest.mark.parametrize("name", ["mean", "var", "std", "nanmean", "nanvar", "nanstd"])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_means_and_deviations(name: str, axis: int | None) -> None:
    for x in (TABLE, WITH_NAN, INTEGERS):
        agree(lambda xp, a, m: getattr(xp, name)(a, axis=axis, where=m, keepdims=True), x, MASK)
        if "mean" not in name:
            agree(lambda xp, a: getattr(xp, name)(a, axis=axis, mean=xp.mean(a, axis=axis, keepdims=True)), x)
            agree(lambda xp, a: getattr(xp, name)(a, axis=axis, correction=1), x)
            agree(lambda xp, a: getattr(xp, name)(a, axis, None, None, 1), x)
            agree(lambda xp, a: getattr(xp, name)(a, axis=axis, ddof=1, correction=1), x)


@pytest.mark.parametrize("name", ["nanmean", "nanvar", "nanstd"])
def test_means_of_floats_are_no_integers(name: str) -> None:
    with pytest.raises(TypeError, match="floats or complex numbers"):
        getattr(da, name)(da.asarray([1.5, np.nan], da.float32), dtype=np.int32)


def test_variances_keep_imaginary_parts_or_say_so() -> None:
    for function in (da.nanvar, da.nanstd, da.var):
        with pytest.raises(TypeError, match="would drop imaginary parts"):
            function(da.asarray([1 + 2j, 3 - 1j]), dtype="float32")
