"""Calls of few elements that NumPy's functions do, or C without a frame of Python: the bits of the usual way."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import moderate, same

import devarray as da

pytestmark = pytest.mark.usefixtures("on_host")

SIZE = 70

SMALL_CALLS: dict[str, Callable[[Any, Any, Any, Any], Any]] = {
    "argpartition": lambda np, x, y, i: np.argpartition(x, 3),
    "argwhere": lambda np, x, y, i: np.argwhere(x > 3),
    "bincount": lambda np, x, y, i: np.bincount(i),
    "bincount, minlength": lambda np, x, y, i: np.bincount(i, minlength=40),
    "digitize": lambda np, x, y, i: np.digitize(x, np.sort(y)),
    "flatnonzero": lambda np, x, y, i: np.flatnonzero(x),
    "histogram": lambda np, x, y, i: np.histogram(x, bins=7),
    "histogram, range": lambda np, x, y, i: np.histogram(x, 5, (0.0, 6.0)),
    "interp": lambda np, x, y, i: np.interp(x, np.sort(np.unique(y)), np.unique(y) * 3),
    "intersect1d": lambda np, x, y, i: np.intersect1d(x, y),
    "isin": lambda np, x, y, i: np.isin(x, y),
    "nonzero": lambda np, x, y, i: np.nonzero(x > 3),
    "partition": lambda np, x, y, i: np.partition(x, 3)[3],
    "searchsorted": lambda np, x, y, i: np.searchsorted(np.sort(x), y, side="right"),
    "setdiff1d": lambda np, x, y, i: np.setdiff1d(x, y),
    "setxor1d": lambda np, x, y, i: np.setxor1d(x, y),
    "union1d": lambda np, x, y, i: np.union1d(x, y),
    "unique": lambda np, x, y, i: np.unique(x),
    "unique, counts": lambda np, x, y, i: np.unique(x, return_counts=True, return_inverse=True),
}


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "uint8", "bool"])
@pytest.mark.parametrize("name", SMALL_CALLS)
@pytest.mark.filterwarnings("ignore:Converting input from bool:RuntimeWarning")  # NumPy's histogram of bools
def test_small_calls_have_the_kernels_bits_and_numpys(name: str, dtype: str) -> None:
    a, b = (moderate(dtype, SIZE, seed) for seed in (1, 2))
    if a.dtype.kind == "f":  # some are equal
        a, b = np.round(a, 1), np.round(b, 1)
    i = np.abs(moderate("int64", SIZE, 3)) % 30
    x, y, j = da.asarray(a), da.asarray(b), da.asarray(i)
    call = SMALL_CALLS[name]
    wanted = call(np, a, b, i)
    da.synchronize()
    mine = call(da, x, y, j)
    before, da.config.host_elements = da.config.host_elements, 0
    try:
        kernels = call(da, x, y, j)
    finally:
        da.config.host_elements = before
    assert type(mine) is type(kernels)
    for found, other, given in zip(
        *(r if isinstance(r, tuple) else (r,) for r in (mine, kernels, wanted)), strict=True
    ):
        assert found.dtype == other.dtype == given.dtype
        assert found.shape == other.shape == given.shape
        assert found.device is x.device
        if not name.startswith("argpartition"):
            same(found, other.copy_to_host())
            same(found, given)


def test_small_calls_raise_what_the_usual_way_raises() -> None:
    x = da.asarray([1.0, 2.0])
    with pytest.raises(da.errors.DTypeError):
        da.bincount(x)
    with pytest.raises(da.errors.ValueError):
        da.bincount(da.asarray([-1, 2]))


def test_small_calls_take_bytes_for_truths() -> None:
    """A bool whose byte is neither 0 nor 1."""
    x = da.asarray(np.array([0, 2, 0, 7, 1], np.uint8)).view("bool")
    np.testing.assert_array_equal(da.flatnonzero(x).copy_to_host(), [1, 3, 4])
    np.testing.assert_array_equal(da.unique(x).copy_to_host(), [False, True])


@pytest.mark.parametrize("dtype", ["float64", "complex64"])
def test_small_decompositions(dtype: str) -> None:
    a = moderate(dtype, 36).reshape(6, 6) + 9 * np.eye(6, dtype=dtype)
    np.testing.assert_allclose(da.fft.fft(da.asarray(a)).copy_to_host(), np.fft.fft(a), rtol=1e-5, atol=1e-5)
    for name in ("slogdet", "svd", "qr", "eigh", "eig", "cholesky"):
        a = a @ a.conj().T if name == "cholesky" else a
        mine, theirs = getattr(da.linalg, name)(da.asarray(a)), getattr(np.linalg, name)(a)
        if name == "cholesky":
            mine, theirs = (mine,), (theirs,)
        for found, given in zip(mine, theirs, strict=True):
            same(found, given)


METHODS: dict[str, Callable[[Any], Any]] = {
    **{
        name: lambda x, name=name: getattr(x, name)()
        for name in ("sum", "prod", "min", "max", "any", "all", "argmin", "argmax")
    },
    "copy": lambda x: x.copy(),
    "copy of a transposed view": lambda x: x.reshape(7, 10).T.copy(),
    "copy of every third": lambda x: x.reshape(7, 10)[:, ::3].copy(),
    "to float32": lambda x: x.astype("float32"),
    "to complex": lambda x: x.astype(np.complex128),
    "to bool": lambda x: x.astype(bool),
    "to float": lambda x: x.astype(float),
    "to what it is": lambda x: x.astype(x.dtype),
}


@pytest.mark.parametrize("dtype", ["float64", "float32", "int16", "bool"])
@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("pending", [False, True])
def test_methods_in_c(name: str, dtype: str, pending: bool) -> None:
    a = moderate(dtype, SIZE).astype(dtype)
    x = da.asarray(a)
    if pending:
        a, x = ~a if dtype == "bool" else a + a[:1], ~x if dtype == "bool" else x + x[:1]
    wanted, found = METHODS[name](a), METHODS[name](x)
    assert found.dtype == wanted.dtype
    if name in ("sum", "prod"):
        np.testing.assert_allclose(found.copy_to_host(), wanted, rtol=1e-5)
    else:
        same(found, wanted)
    if found.ndim:
        assert found.flags.c_contiguous
        found[...] = 0
        same(x, a)


@pytest.mark.parametrize("source", ["float64", "float32", "int64", "uint8", "bool", "complex64", "float16"])
@pytest.mark.parametrize("target", ["float64", "float32", "int16", "uint64", "bool", "complex128", "float16"])
def test_small_casts(source: str, target: str) -> None:
    """Alone, in an expression, of rows, and stored in an array of another dtype."""
    a = np.abs(moderate(source, SIZE)) if source != "bool" else moderate(source, SIZE)
    if np.dtype(source).kind == "c" and np.dtype(target).kind != "c":
        a = a.real
    x = da.asarray(a)
    same(x.astype(target), a.astype(target))
    same(x[::3].astype(target), a[::3].astype(target))
    b = np.zeros(SIZE, target)
    y = da.asarray(b)
    b[2:-2] = a[2:-2]
    y[2:-2] = x[2:-2]
    same(y, b)
    if target != "bool":
        same(x.astype(target) + x.astype(target), a.astype(target) + a.astype(target))
    y = da.asarray(a.view(f"V{a.itemsize}").view(a.dtype))
    if a.itemsize == np.dtype(target).itemsize and source != "bool" and target != "bool":
        wanted = (a + a).astype(target)
        y[...] = (y + y).astype(target).astype(a.dtype)
        same(y, wanted.astype(a.dtype))


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "uint8", "bool", "complex128", "float16"])
@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("name", ["convolve", "correlate"])
def test_small_rows_that_slide_have_the_kernels_bits(name: str, mode: str, dtype: str) -> None:
    for n, m in ((70, 7), (9, 50), (70, 70), (5, 1), (1, 1), (300, 9), (3, 2), (99, 99)):
        a, b = moderate(dtype, n, 1), moderate(dtype, m, 2)
        a[m // 2 : m // 2 + 2] *= -np.zeros((), a.dtype) if a.dtype.kind != "b" else False  # sums of -0
        x, y = da.asarray(a), da.asarray(b)
        da.synchronize()
        mine = getattr(da, name)(x, y, mode).copy_to_host()
        before, da.config.host_elements = da.config.host_elements, 0
        try:
            kernels = getattr(da, name)(x, y, mode).copy_to_host()
        finally:
            da.config.host_elements = before
        same(mine, kernels)
        assert mine.tobytes() == kernels.tobytes()
        wanted = getattr(np, name)(a, b, mode)
        assert mine.dtype == wanted.dtype
        assert mine.shape == wanted.shape
        if mine.dtype.kind in "biu":
            same(mine, wanted)
        else:
            error = 4 * m * np.finfo(dtype).eps * np.abs(wanted).max()
            np.testing.assert_allclose(mine, wanted, rtol=0, atol=error)


def test_few_sliding_products_launch_nothing_and_warn_of_nothing() -> None:
    x, taps = da.asarray([np.inf, 2.0, 3.0, 1e300, 5.0]), da.asarray([0.0, 1e300])
    da.synchronize()
    before = da.stats()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = da.convolve(x, taps)
    assert da.stats()["launches"] == before["launches"]
    assert da.stats()["recorded"] == before["recorded"]  # no expression either
    same(found, np.array([np.nan, np.inf, 2e300, 3e300, np.inf, 5e300]))
