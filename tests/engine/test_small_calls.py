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
    "append": lambda np, x, y, i: np.append(x, y),
    "append, other dtype": lambda np, x, y, i: np.append(x.reshape(7, 10), i.reshape(7, 10), 1),
    "append, number": lambda np, x, y, i: np.append(x, 3),
    "argpartition": lambda np, x, y, i: np.argpartition(x, 3),
    "argwhere": lambda np, x, y, i: np.argwhere(x > 3),
    "bincount": lambda np, x, y, i: np.bincount(i),
    "bincount, minlength": lambda np, x, y, i: np.bincount(i, minlength=40),
    "block": lambda np, x, y, i: np.block([[x, y], [i, x]]),
    "block, alone": lambda np, x, y, i: np.block([x, i]),
    "choose": lambda np, x, y, i: np.choose(i % 3, [x, y, x + y]),
    "choose, wrap": lambda np, x, y, i: np.choose(i - 5, (x, y, 3), mode="wrap"),
    "column_stack": lambda np, x, y, i: np.column_stack((x, y.reshape(35, 2).T.reshape(70, 1))),
    "cumprod": lambda np, x, y, i: np.cumprod(x),
    "cumprod, axis": lambda np, x, y, i: np.cumprod(x.reshape(7, 10).T, axis=0),
    "cumsum": lambda np, x, y, i: np.cumsum(x),
    "cumsum, method": lambda np, x, y, i: x.reshape(7, 10).cumsum(-1),
    "cumsum, dtype": lambda np, x, y, i: np.cumsum(x, dtype="float32"),
    "delete": lambda np, x, y, i: np.delete(x, 3),
    "delete, several": lambda np, x, y, i: np.delete(x.reshape(7, 10), i % 7, 0),
    "diag": lambda np, x, y, i: np.diag(x, -2),
    "diag of a matrix": lambda np, x, y, i: np.diag(x.reshape(7, 10), 1),
    "digitize": lambda np, x, y, i: np.digitize(x, np.sort(y)),
    "dstack": lambda np, x, y, i: np.dstack([x, y]),
    "flatnonzero": lambda np, x, y, i: np.flatnonzero(x),
    "histogram": lambda np, x, y, i: np.histogram(x, bins=7),
    "histogram, range": lambda np, x, y, i: np.histogram(x, 5, (0.0, 6.0)),
    "interp": lambda np, x, y, i: np.interp(x, np.sort(np.unique(y)), np.unique(y) * 3),
    "intersect1d": lambda np, x, y, i: np.intersect1d(x, y),
    "isin": lambda np, x, y, i: np.isin(x, y),
    "lexsort": lambda np, x, y, i: np.lexsort((x, i, y)),
    "lexsort, axis": lambda np, x, y, i: np.lexsort([x.reshape(7, 10), (i % 3).reshape(7, 10)], axis=0),
    "lexsort of an array": lambda np, x, y, i: np.lexsort(x.reshape(7, 10)),
    "nonzero": lambda np, x, y, i: np.nonzero(x > 3),
    "packbits": lambda np, x, y, i: np.packbits(x > y),
    "packbits, axis": lambda np, x, y, i: np.packbits((x > y).reshape(7, 10), axis=1, bitorder="little"),
    "pad, edge": lambda np, x, y, i: np.pad(x.reshape(7, 10), ((1, 0), (2, 3)), "edge"),
    "pad, wrap": lambda np, x, y, i: np.pad(x, 75, mode="wrap"),
    "partition": lambda np, x, y, i: np.partition(x, 3)[3],
    "percentile": lambda np, x, y, i: np.percentile(x, [5, 50, 93.5]),
    "quantile": lambda np, x, y, i: np.quantile(x.reshape(7, 10), 0.3, axis=0, keepdims=True),
    "quantile, method": lambda np, x, y, i: np.quantile(x * 1, (0.1, 0.77), method="hazen"),
    "ravel_multi_index": lambda np, x, y, i: np.ravel_multi_index((i, i // 2), (30, 15), order="F"),
    "searchsorted": lambda np, x, y, i: np.searchsorted(np.sort(x), y, side="right"),
    "setdiff1d": lambda np, x, y, i: np.setdiff1d(x, y),
    "setxor1d": lambda np, x, y, i: np.setxor1d(x, y),
    "take_along_axis": lambda np, x, y, i: np.take_along_axis(x, i - 30, None),
    "take_along_axis, rows": lambda np, x, y, i: np.take_along_axis(x.reshape(7, 10), (i % 9).reshape(7, 10), 1),
    "union1d": lambda np, x, y, i: np.union1d(x, y),
    "unique": lambda np, x, y, i: np.unique(x),
    "unique, counts": lambda np, x, y, i: np.unique(x, return_counts=True, return_inverse=True),
    "unpackbits": lambda np, x, y, i: np.unpackbits(i.astype("uint8"), count=-3),
    "unravel_index": lambda np, x, y, i: np.unravel_index(i, (5, 2, 3)),
    "unravel_index of a value": lambda np, x, y, i: np.unravel_index(x.argmax(), (7, 10)),
    "unwrap": lambda np, x, y, i: np.unwrap(x),
    "unwrap, axis": lambda np, x, y, i: np.unwrap(x.reshape(7, 10), axis=0, period=4),
    "where of a condition": lambda np, x, y, i: np.where(x > 3),
}
AS_LAUNCHES = ("cumsum, dtype", "diag of a matrix")
"""Forms that are left to the usual way, which may launch."""
REFUSED = (("percentile", "bool"), ("quantile", "bool"), ("unwrap, axis", "uint8"))
"""What NumPy refuses, so that there is nothing to compare with."""


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
    if (name, dtype) in REFUSED:
        with pytest.raises((TypeError, OverflowError)):
            call(np, a, b, i)
        return
    wanted = call(np, a, b, i)
    call(da, x, y, j)  # compares and slices, too, which may be kernels at first
    da.synchronize()
    launches = da.stats()["launches"]
    mine = call(da, x, y, j)
    assert name in AS_LAUNCHES or da.stats()["launches"] == launches
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


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "uint8"])
@pytest.mark.parametrize("bins", [1, 4, (3, 5)])
def test_small_histograms_of_two_rows(bins: Any, dtype: str) -> None:
    a, b = (moderate(dtype, SIZE, seed) for seed in (1, 2))
    x, y = da.asarray(a), da.asarray(b)
    before, da.config.host_elements = da.config.host_elements, 0
    try:
        kernels = da.histogram2d(x, y, bins)
    finally:
        da.config.host_elements = before
    da.synchronize()
    launches = da.stats()["launches"]
    mine = da.histogram2d(x, y, bins)
    assert da.stats()["launches"] == launches
    for found, other, given in zip(mine, kernels, np.histogram2d(a, b, bins), strict=True):
        same(found, other.copy_to_host())
        same(found, given)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int16", "bool", "complex64"])
@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "minimum", "logical_or"])
def test_small_accumulations_by_ufuncs(name: str, dtype: str) -> None:
    a = moderate(dtype, SIZE).reshape(7, 10)
    if a.dtype.kind == "f":
        a[:3] = np.random.default_rng(0).choice([0.0, -0.0, np.nan], (3, 10), p=[0.45, 0.45, 0.1])
    x = da.asarray(a)
    accumulate = getattr(np, name).accumulate
    da.synchronize()
    launches = da.stats()["launches"]
    mine = [accumulate(x, axis).copy_to_host() for axis in (0, -1)]
    if dtype != "complex64":
        assert da.stats()["launches"] == launches
    before, da.config.host_elements = da.config.host_elements, 0
    try:
        kernels = [accumulate(x, axis).copy_to_host() for axis in (0, -1)]
    finally:
        da.config.host_elements = before
    for axis, found, other in zip((0, -1), mine, kernels, strict=True):
        same(found, other)
        assert found.dtype == accumulate(a, axis).dtype
        np.testing.assert_allclose(found, accumulate(a, axis), rtol=1e-5)


def test_few_indices_of_triangles_launch_nothing() -> None:
    da.synchronize()
    launches = da.stats()["launches"]
    for n, k, m in ((5, 0, None), (4, 2, 7), (6, -3, 2), (3, 5, 3)):
        for name in ("triu_indices", "tril_indices"):
            for found, given in zip(getattr(da, name)(n, k, m), getattr(np, name)(n, k, m), strict=True):
                same(found, given)
    assert da.stats()["launches"] == launches


UPDATES: dict[str, Callable[[Any, Any], Any]] = {
    "add.at, number": lambda x, i: np.add.at(x, i, 3),
    "add.at, values": lambda x, i: np.add.at(x, i, i),
    "maximum.at": lambda x, i: np.maximum.at(x[::2], i, i.astype(x.dtype) * 2),
    "negative.at": lambda x, i: np.negative.at(x, i),
    "sort": lambda x, i: x.sort(),
    "sort, axis": lambda x, i: x.reshape(7, 10)[::2].sort(0),
}


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
@pytest.mark.parametrize("name", UPDATES)
def test_small_updates_in_place(name: str, dtype: str) -> None:
    a, i = moderate(dtype, SIZE), np.abs(moderate("int64", 50, 3)) % 30
    if dtype == "float32" and name == "add.at, values":
        i = i.astype("int16")
    x, j = da.asarray(a), da.asarray(i)
    element, pending = x[0], x[:5] + 1
    before, launches = a.copy(), da.stats()["launches"]
    UPDATES[name](x, j)
    assert name == "negative.at" or da.stats()["launches"] == launches
    UPDATES[name](a, i)
    same(x, a)
    assert float(element) == before[0]
    same(pending, before[:5] + 1)


def test_small_updates_are_refused_before_anything_is_written() -> None:
    x = da.asarray([1.0, 2.0, 3.0])
    with pytest.raises(da.errors.IndexError):
        np.add.at(x, da.asarray([0, 3]), 1)
        da.synchronize()
    whole = x.astype("int64")
    np.add.at(whole, da.asarray([0]), 1.5)  # NumPy cuts it
    same(whole, np.array([2, 2, 3]))
    read_only = da.broadcast_to(x, (2, 3))
    with pytest.raises(da.errors.Error):
        read_only.sort()
    with pytest.raises(da.errors.AxisError):
        x.sort(1)
    same(x[1:], np.array([2.0, 3.0]))
    np.add.at(x, x.astype("int64") - 1, x)  # what is added lies in the memory that is written
    same(x, np.array([2.0, 4.0, 6.0]))
    key = da.asarray([1, 0, 1])
    np.add.at(key, key, 1)
    wanted = np.array([1, 0, 1])
    np.add.at(wanted, np.array([1, 0, 1]), 1)
    same(key, wanted)


def test_small_comparisons_of_whole_arrays() -> None:
    a = np.array([1.0, np.nan, -0.0])
    x = da.asarray(a)
    da.synchronize()
    launches = da.stats()["launches"]
    assert da.array_equal(x, x) is False
    assert da.array_equal(x, x, equal_nan=True) is True
    assert da.array_equal(x, da.asarray([1.0, 2.0])) is False
    assert da.array_equal(x[::2], da.asarray([1, 0])) is True
    assert da.stats()["launches"] == launches


@pytest.mark.parametrize("name", ["add", "subtract", "maximum", "arctan2", "negative"])
def test_functions_that_write_to_an_array(name: str) -> None:
    """A call in C where all fits; else the function's own words."""
    a, b = (np.random.default_rng(seed).random(SIZE) for seed in (1, 2))
    x, y, out = da.asarray(a), da.asarray(b), da.zeros(SIZE)
    operands, ours = ((a,), (x,)) if name == "negative" else ((a, b), (x, y))
    function = getattr(da, name)
    assert function(*ours, out=out) is out
    if name == "arctan2":
        np.testing.assert_allclose(out.copy_to_host(), np.arctan2(a, b), rtol=1e-15)
    else:
        same(out, getattr(np, name)(*operands))
    single = da.zeros(SIZE, "float32")
    function(*ours, out=single)
    np.testing.assert_array_equal(single.copy_to_host(), out.copy_to_host().astype("float32"))
    with pytest.raises(da.errors.ShapeError):
        function(*ours, out=da.zeros(3))
    with pytest.raises(da.errors.DTypeError):
        function(*ours, out=da.zeros(SIZE, "int64"))
    if name not in ("negative", "arctan2"):
        same(function(2.0, 0.5, out=da.zeros(())), np.asarray(getattr(np, name)(2.0, 0.5)))


def test_small_running_sums_warn_of_nothing() -> None:
    x = da.asarray([1e308, 1e308, -np.inf])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same(da.cumsum(x), np.array([1e308, np.inf, np.nan]))
        same(da.cumprod(x), np.array([1e308, np.inf, -np.inf]))


@pytest.mark.parametrize("dtype", ["float64", "int8", "bool", "float16", "complex64"])
@pytest.mark.parametrize("name", ["ascontiguousarray", "asfortranarray"])
def test_arrays_in_an_order_of_memory(name: str, dtype: str) -> None:
    a = moderate(dtype, SIZE)
    for of in (
        lambda x: x,
        lambda x: x[::3],
        lambda x: x.reshape(7, 10),
        lambda x: x.reshape(7, 10).T,
        lambda x: x.reshape(7, 10)[:, ::-1],
        lambda x: x[:60].reshape(3, 4, 5).swapaxes(0, 1),
    ):
        given, x = of(a), of(da.asarray(a))
        wanted, found = getattr(np, name)(given), getattr(da, name)(x)
        same(found, wanted)
        assert found.strides == wanted.strides
        assert (found is x) == (wanted is given)
        if wanted is not given:
            assert found.flags.owndata
            assert found.flags.writeable
            found[...] = 0
            same(x, given)


def test_small_calls_raise_what_the_usual_way_raises() -> None:
    x = da.asarray([1.0, 2.0])
    with pytest.raises(da.errors.ShapeError):
        da.lexsort((x, x[:1]))
    with pytest.raises(da.errors.DTypeError):
        da.block((x, x))
    with pytest.raises(da.errors.Error):
        da.delete(x, 7)
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
