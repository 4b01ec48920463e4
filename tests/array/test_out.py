"""NumPy's `out`, `where`, `initial` and `dtype` on devarray's own functions; ufuncs' methods; scalars alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import same

import devarray as da

pytestmark = [
    pytest.mark.usefixtures("device"),
    pytest.mark.filterwarnings("ignore::devarray.HiddenTransferWarning"),  # decompositions of OpenCL GPUs
]

A = np.array([[3.0, -1.5, 0.5], [7.0, 2.0, -4.0]])
B = np.array([[1.0, 2.0, -2.0], [0.5, 0.25, 3.0]])
M = A > 0


def both(work: Callable[..., Any], *host: np.ndarray) -> None:
    """The same body with NumPy and with devarray, and the arrays that it wrote."""
    given = [h.copy() for h in host]
    moved = [da.asarray(h) for h in host]
    wanted, found = work(np, *given), work(da, *moved)
    if wanted is not None:
        same(found, np.asarray(wanted))
    for ours, theirs in zip(moved, given, strict=True):
        same(ours, theirs)


ELEMENTWISE = {
    "unary": lambda xp, a, b, m: xp.negative(a, out=b),
    "binary": lambda xp, a, b, m: xp.add(a, b, out=a),
    "by position": lambda xp, a, b, m: xp.multiply(a, b, b),
    "a tuple, of a product": lambda xp, a, b, m: xp.vecdot(a, b, out=(b[:, 0],)),
    "a tuple": lambda xp, a, b, m: xp.multiply(a, b, out=(b,)),
    "into a view": lambda xp, a, b, m: xp.subtract(a[:, ::-1], 1, out=b[:, ::-1]),
    "overlapping": lambda xp, a, b, m: xp.add(a[:, 1:], a[:, :-1], out=a[:, 1:]),
    "broadcast": lambda xp, a, b, m: xp.add(a[0], 1, out=b[1]),
    "masked": lambda xp, a, b, m: xp.divide(a, b, out=a, where=m),
    "masked row": lambda xp, a, b, m: xp.maximum(a, b, out=b, where=m[0]),
    "comparison": lambda xp, a, b, m: xp.greater(a, b, out=m),
    "float32": lambda xp, a, b, m: xp.add(a, b, dtype=xp.float32),
    "float32 into float64": lambda xp, a, b, m: xp.multiply(a, b, out=a, dtype=xp.float32),
    "round": lambda xp, a, b, m: xp.round(a * 1.26, 1, out=b),
    "round of float32": lambda xp, a, b, m: xp.round((a * 1.26).astype(xp.float32), 1, out=b),
    "rounded float32": lambda xp, a, b, m: (a * 126).astype(xp.float32).round(-1, b),
    "rounded": lambda xp, a, b, m: (a * 100).round(-2, out=b),
    "clip": lambda xp, a, b, m: xp.clip(a, -1, 2, out=b),
    "clipped": lambda xp, a, b, m: a.clip(-1, 2, b),
    "clip to more rows": lambda xp, a, b, m: xp.clip(a[0], -1, 2, out=b),
    "clipped to more rows": lambda xp, a, b, m: a[0].clip(max=2, out=b),
    "floor_divide": lambda xp, a, b, m: xp.floor_divide(a, b, out=a),
    "an alias": lambda xp, a, b, m: xp.absolute(a, out=a),
    "isnan": lambda xp, a, b, m: xp.isnan(a, out=m),
    "matmul": lambda xp, a, b, m: xp.matmul(a.T, b, out=xp.ones((3, 3))),
    "dot": lambda xp, a, b, m: xp.dot(a[0], b[0], out=a[0, :1].reshape(())),
    "outer": lambda xp, a, b, m: xp.outer(a[0], b[0], out=xp.zeros((3, 3))),
    "concatenate": lambda xp, a, b, m: xp.concatenate([a, b], axis=1, out=xp.zeros((2, 6))),
    "stack": lambda xp, a, b, m: xp.stack([a, b], out=xp.zeros((2, 2, 3))),
    "take": lambda xp, a, b, m: a.take(xp.asarray([2, 0]), 1, xp.zeros((2, 2))),
    "around": lambda xp, a, b, m: xp.around(a, out=b),
}  # fmt: skip


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_outputs_of_functions(name: str) -> None:
    both(lambda xp, a, b, m: ELEMENTWISE[name](xp, a, b, m), A, B, M)


REDUCTIONS = {
    "sum": lambda xp, a, r, m: xp.sum(a, axis=1, out=r),
    "sum where": lambda xp, a, r, m: xp.sum(a, axis=1, where=m, initial=5),
    "x.sum": lambda xp, a, r, m: a.sum(1, None, r),
    "x.sum where": lambda xp, a, r, m: a.sum(where=m),
    "prod": lambda xp, a, r, m: a.prod(1, out=r, where=m),
    "max": lambda xp, a, r, m: xp.max(a, 1, r),
    "max initial": lambda xp, a, r, m: a.max(axis=1, initial=5, keepdims=True),
    "min": lambda xp, a, r, m: a.min(1, r, where=m, initial=100),
    "mean": lambda xp, a, r, m: a.mean(1, None, r),
    "mean where": lambda xp, a, r, m: xp.mean(a, 1, where=m),
    "var": lambda xp, a, r, m: a.var(1, None, r, 1),
    "std": lambda xp, a, r, m: xp.std(a, 1, out=r),
    "std where": lambda xp, a, r, m: a.std(1, where=m, keepdims=True),
    "all": lambda xp, a, r, m: m.all(1, where=a > -2),
    "any": lambda xp, a, r, m: m.any(1, keepdims=True),
    "argmax": lambda xp, a, r, m: xp.argmax(a, 1, out=xp.zeros(2, dtype=xp.int64)),
    "argmin": lambda xp, a, r, m: a.argmin(1, keepdims=True),
    "cumsum": lambda xp, a, r, m: xp.cumsum(a, 1, out=a),
    "x.cumprod": lambda xp, a, r, m: a.cumprod(0, None, a),
    "median": lambda xp, a, r, m: xp.median(a, 1, r),
    "quantile": lambda xp, a, r, m: xp.quantile(a, 0.25, 1, r),
    "nansum": lambda xp, a, r, m: xp.nansum(a, 1, out=r),
    "nanmax": lambda xp, a, r, m: xp.nanmax(a, 1, out=r),
    "ptp": lambda xp, a, r, m: xp.ptp(a, 1, out=r),
    "trace": lambda xp, a, r, m: a.trace(),
    "dtype": lambda xp, a, r, m: a.sum(1, xp.float32),
}


@pytest.mark.parametrize("name", REDUCTIONS)
def test_outputs_of_reductions(name: str) -> None:
    both(lambda xp, a, r, m: REDUCTIONS[name](xp, a, r, m), A, np.zeros(2), M)


SUMS: dict[str, tuple[tuple[int, ...], Callable[..., Any]]] = {
    "sum": ((), lambda xp, x, r: xp.sum(x, out=r)),
    "sum, initial": ((), lambda xp, x, r: xp.sum(x, initial=1, out=r)),
    "prod, where": ((), lambda xp, x, r: xp.prod(x, where=x, out=r)),
    "nansum": ((), lambda xp, x, r: xp.nansum(x, out=r)),
    "nanprod": ((), lambda xp, x, r: xp.nanprod(x, out=r)),
    "cumsum": ((4,), lambda xp, x, r: xp.cumsum(x, out=r)),
    "cumprod": ((4,), lambda xp, x, r: xp.cumprod(x, out=r)),
    "nancumsum": ((4,), lambda xp, x, r: xp.nancumsum(x, out=r)),
    "cumulative_sum": ((4,), lambda xp, x, r: xp.cumulative_sum(x, out=r)),
    "trace": ((), lambda xp, x, r: xp.trace(x.reshape(2, 2), out=r)),
    "add.reduce": ((), lambda xp, x, r: np.add.reduce(x, out=r)),
    "add.accumulate": ((4,), lambda xp, x, r: np.add.accumulate(x, out=r)),
}


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.int64, np.float32])
@pytest.mark.parametrize("name", SUMS)
def test_sums_are_made_in_what_operand_and_output_promote_to(name: str, dtype: Any) -> None:
    """Of bools into bools truths, as NumPy makes them; into numbers counts."""
    shape, work = SUMS[name]
    both(lambda xp, x, r: work(xp, x, r), np.array([True, True, False, True]), np.zeros(shape, dtype))


def test_the_array_that_was_given_comes_back() -> None:
    x, target = da.asarray(A), da.zeros((2, 3))
    assert da.exp(x, out=target) is target
    assert da.add(x, 1, target) is target
    assert x.clip(0, 1, out=target) is target
    row = da.zeros(2)
    assert da.sum(x, axis=1, out=row) is row
    assert x.max(1, row) is row


WRONG = {
    "host out": (lambda x: da.exp(x, out=np.zeros((2, 3))), da.DTypeError, "out= is a device array.*ndarray"),
    "host out of a sum": (lambda x: x.sum(out=np.zeros(())), da.DTypeError, "sum: .* one device array.*ndarray"),
    "kind": (lambda x: da.exp(x, out=da.zeros((2, 3), da.int32)), da.DTypeError, "ufunc .exp. output .* .same_kind."),
    "shape": (lambda x: da.exp(x, out=da.zeros(3)), da.ShapeError, r"with shape \(3,\) .* shape \(2, 3\)"),
    "shape of a sum": (lambda x: x.sum(1, out=da.zeros(3)), da.ShapeError, r"sum: .* shape \(2,\), out= \(3,\)"),
    "no identity": (lambda x: da.max(x, where=x > 0), ValueError, "not have an identity"),
    "no dtype": (lambda x: da.i0(x, dtype="f4"), da.DTypeError, "i0 takes no dtype="),
    "no numbers": (lambda x: da.sum(["a"]), da.DTypeError, "sum: a is an array or numbers that make one, not list"),
    "method": (lambda x: np.ldexp.at(x, [0], 2), da.DTypeError, "numpy.ldexp.at has no device kernel"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_what_does_not_fit_says_so(case: str) -> None:
    body, error, message = WRONG[case]
    with pytest.raises(error, match=message):
        body(da.asarray(A))


MASKED: dict[str, Callable[..., Any]] = {
    "add": lambda xp, x, m: xp.add(x, 1, out=xp.zeros(3), where=m),
    "NumPy's add": lambda xp, x, m: np.add(x, 1, out=xp.zeros(3), where=m),
    "sum": lambda xp, x, m: xp.sum(x, where=m),
    "x.max": lambda xp, x, m: x.max(where=m, initial=0),
    "mean": lambda xp, x, m: xp.mean(x, where=m),
    "var": lambda xp, x, m: x.var(where=m),
    "nanmean": lambda xp, x, m: xp.nanmean(x, where=m),
    "any": lambda xp, x, m: xp.any(x, where=m),
    "reduce": lambda xp, x, m: np.add.reduce(x, where=m),
    "reduce by halves": lambda xp, x, m: np.hypot.reduce(x, where=m),
    "copyto": lambda xp, x, m: (xp.copyto(x, 7, where=m), x)[1],
}


@pytest.mark.parametrize("mask", [np.array([1, 0, 1]), np.array([0.5, 0, 0]), np.array([1, 0, 1], "u1"), np.array(1)])
@pytest.mark.parametrize("name", MASKED)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's mean warns of empty slices first
def test_numbers_in_arrays_are_no_mask(name: str, mask: np.ndarray) -> None:
    work = MASKED[name]
    with pytest.raises(TypeError, match="according to the rule 'safe'"):
        work(np, np.arange(3.0), mask)
    for given in (mask, da.asarray(mask)):
        with pytest.raises(da.DTypeError, match=f"where= is a mask of bools, not of {mask.dtype}"):
            work(da, da.arange(3.0), given)


@pytest.mark.parametrize("mask", [[1, 0, 2], (0.5, 0, 0), 1, 0, np.float64(2), np.bool_(True)])
@pytest.mark.parametrize("name", MASKED)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_lists_and_numbers_are_truths(name: str, mask: Any) -> None:
    if name in ("mean", "var", "nanmean") and np.sum(mask) != np.sum(np.asarray(mask, bool)):
        pytest.skip("NumPy counts the numbers, not the truths")
    both(lambda xp, x: MASKED[name](xp, x, mask), np.arange(3.0))


def test_of_a_scalar_alone() -> None:
    x = da.asarray(A)
    assert da.exp(1.0, out=x) is x
    np.testing.assert_allclose(x.copy_to_host(), np.exp(1.0, out=A.copy()), rtol=1e-15)


METHODS = {
    "reduce": lambda xp, x: xp.add.reduce(x),
    "reduce all": lambda xp, x: xp.multiply.reduce(x, axis=None),
    "reduce keeping": lambda xp, x: xp.maximum.reduce(x, 1, keepdims=True),
    "reduce into": lambda xp, x: xp.minimum.reduce(x, 1, out=xp.zeros(2)),
    "reduce masked": lambda xp, x: xp.add.reduce(x, 1, where=x > 0, initial=2),
    "logical": lambda xp, x: xp.logical_and.reduce(x > -2, axis=0),
    "accumulate": lambda xp, x: xp.add.accumulate(x, 1),
    "outer": lambda xp, x: xp.subtract.outer(x[0], x),
    "outer of a scalar": lambda xp, x: xp.multiply.outer(x, 2.0),
    "reduceat": lambda xp, x: xp.add.reduceat(x[0], [0, 2]),
    "at": lambda xp, x: xp.add.at(x, (0, [1, 1]), 2.0),
    "at, alias": lambda xp, x: xp.true_divide.at(x, (1, [0]), 2.0),
}


@pytest.mark.parametrize("name", METHODS)
def test_methods_of_functions(name: str) -> None:
    both(lambda xp, x: METHODS[name](xp, x), A)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "int64", "float16", "float32", "float64", "complex64"])
@pytest.mark.parametrize("axis", [0, 1])
def test_running_extremes(dtype: str, axis: int) -> None:
    rng = np.random.default_rng(3)
    h = rng.integers(0, 100, (70, 900)).astype(dtype)
    if h.dtype.kind in "fc":
        h[rng.random(h.shape) < 0.001] = np.nan
    for name in ("maximum", "minimum", "logical_and", "logical_or"):
        for view in (h, h[::-1, ::3], h[:0], h[:, :1]):
            x = da.asarray(view)
            same(getattr(da, name).accumulate(x, axis), getattr(np, name).accumulate(view, axis))
    same(np.maximum.accumulate(da.asarray(h)[::-1, ::3], axis=axis), np.maximum.accumulate(h[::-1, ::3], axis=axis))


def test_scalars_alone_stay_on_the_host() -> None:
    da.reset_stats()
    for ours, theirs in (
        (da.sqrt(2.0), np.sqrt(2.0)),
        (da.add(1, 2), np.add(1, 2)),
        (da.maximum(np.float32(1), 2), np.maximum(np.float32(1), 2)),
        (da.power(2, 10), np.power(2, 10)),
        (da.where(True, 1.0, 2.0), np.where(True, 1.0, 2.0)),
        (da.round(2.5), np.round(2.5)),
        (da.i0(1.0), np.i0(1.0)),
        (da.isnan(float("nan")), np.isnan(float("nan"))),
    ):
        assert ours == theirs and np.asarray(ours).dtype == np.asarray(theirs).dtype
    shape = (3, 4, 5)  # the commonest of all host data
    assert da.prod(shape) == 60 and da.max(shape) == 5 and da.sum(shape, axis=0) == 12
    assert da.stats()["launches"] == 0
    with pytest.raises(TypeError):
        da.bitwise_and(1.5, 2)


CALLS = {
    "where": lambda xp, a: xp.where(a > 0)[1],
    "sort kind": lambda xp, a: xp.sort(a, 0, "stable"),
    "sort flat": lambda xp, a: xp.sort(a, axis=None, kind="quicksort"),
    "argsort": lambda xp, a: xp.argsort(a, axis=None, kind="stable"),
    "fft": lambda xp, a: xp.fft.fft(a, 4, 1, "ortho"),
    "fft2": lambda xp, a: xp.fft.fft2(a, (2, 2)),
    "ifft2": lambda xp, a: xp.fft.ifft2(a, None, (1, 0)),
    "rfft2": lambda xp, a: xp.fft.rfft2(a, norm="forward"),
    "irfft2": lambda xp, a: xp.fft.irfft2(a, (2, 4)),
    "fftshift": lambda xp, a: xp.fft.fftshift(a, 1),
    "fftfreq": lambda xp, a: xp.fft.fftfreq(5, 0.5),
    "trace": lambda xp, a: xp.trace(a, 1),
    "svd": lambda xp, a: abs(xp.linalg.svd(a, False)[0]),
    "qr": lambda xp, a: abs(xp.linalg.qr(a, "complete")[1]),
    "nanmean": lambda xp, a: xp.nanmean(a, 0, xp.float32),
    "nanstd": lambda xp, a: xp.nanstd(a, 0, None, None, 1),
}


@pytest.mark.parametrize("name", CALLS)
def test_parameters_where_numpy_has_them(name: str) -> None:
    ours, theirs = CALLS[name](da, da.asarray(A)), CALLS[name](np, A)
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    np.testing.assert_allclose(ours.copy_to_host(), theirs, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("mask", [M, M[0], True], ids=["more axes", "as many", "none"])
def test_a_mask_spreads_the_result(mask: Any) -> None:
    a, b = A[0], B[0]
    wanted = np.add(*np.broadcast_arrays(a, b, mask)[:2])
    for where in (mask, da.asarray(mask)):
        for got in (da.add(da.asarray(a), da.asarray(b), where=where), np.add(da.asarray(a), b, where=where)):
            assert got.shape == wanted.shape
            assert np.array_equal(np.where(mask, got.copy_to_host(), 0), np.where(mask, wanted, 0))


def test_where_of_two() -> None:
    with pytest.raises(ValueError, match="x2 is missing"):
        da.where(da.asarray(M), 1)


@pytest.mark.parametrize("dtype", ["int32", "float64", "complex64", "bool", "uint8"])
@pytest.mark.parametrize("shape", [(40, 2), (2, 3, 30), (0, 3), (5, 0), (6, 1), (1, 4)])
def test_unique_slices(dtype: str, shape: tuple[int, ...]) -> None:
    h = np.random.default_rng(5).integers(0, 3, shape).astype(dtype)
    for axis in range(-1, h.ndim - 1):
        ours = da.unique(da.asarray(h), True, True, True, axis)
        for found, wanted in zip(ours, np.unique(h, True, True, True, axis), strict=True):
            same(found, wanted)
        same(da.unique(da.asarray(h)[::-1], axis=axis), np.unique(h[::-1], axis=axis))
    same(np.unique(da.asarray(h), axis=0, return_counts=True)[1], np.unique(h, axis=0, return_counts=True)[1])


NAMES = {
    "pad": lambda xp, a: xp.pad(a, pad_width=1),
    "clip": lambda xp, a: xp.clip(a, a_min=0, a_max=1),
    "quantile": lambda xp, a: xp.quantile(a, q=0.5, axis=0),
    "percentile": lambda xp, a: xp.percentile(a, q=[10, 50]),
    "repeat": lambda xp, a: xp.repeat(a, repeats=2, axis=0),
    "tile": lambda xp, a: xp.tile(a, reps=(2, 1)),
    "moveaxis": lambda xp, a: xp.moveaxis(a, source=0, destination=1),
    "swapaxes": lambda xp, a: xp.swapaxes(a, axis1=0, axis2=1),
    "take": lambda xp, a: xp.take(a, indices=xp.asarray([1, 0]), axis=0),
    "split": lambda xp, a: xp.split(a, indices_or_sections=2)[1],
    "digitize": lambda xp, a: xp.digitize(a, bins=xp.asarray([0.0, 1.0])),
    "histogram": lambda xp, a: xp.histogram(a, 3, (-5, 5), True)[0],
    "matrix_power": lambda xp, a: xp.linalg.matrix_power(a[:, :2], n=2),
    "linspace": lambda xp, a: xp.linspace(start=0, stop=1, num=4),
    "zeros_like": lambda xp, a: xp.zeros_like(a, shape=(2, 2)),
    "full_like": lambda xp, a: xp.full_like(a, 2, shape=3, dtype=xp.int8),
    "isin": lambda xp, a: xp.isin(a, xp.asarray([0.5, 7]), assume_unique=True, invert=True),
}


@pytest.mark.parametrize("name", NAMES)
def test_parameters_by_numpys_names(name: str) -> None:
    same(NAMES[name](da, da.asarray(A)), NAMES[name](np, A))


ORDERS = {
    "zeros": lambda xp, a: xp.zeros((2, 3), xp.int8, "F"),
    "ones": lambda xp, a: xp.ones(3, order="F"),
    "empty": lambda xp, a: xp.empty((0, 3), xp.int8, "F"),
    "numpy's zeros_like": lambda xp, a: np.zeros_like(a, order="F"),
    "full": lambda xp, a: xp.full((2, 3), 7, order="F"),
    "full of a row": lambda xp, a: xp.full((2, 3), [1, 2, 3]),
    "full of a column": lambda xp, a: xp.full((2, 3), [[1.0], [2.0]], xp.float32, "F"),
    "full of an array": lambda xp, a: xp.full((4, 2, 3), a),
    "full_like": lambda xp, a: xp.full_like(a, a[0] * 2, dtype=xp.float32),
    "array": lambda xp, a: xp.array(a, order="F"),
    "array of lists": lambda xp, a: xp.array([[1, 2], [3, 4]], order="F"),
    "copy": lambda xp, a: a.copy("F"),
    "copy as it is": lambda xp, a: a.T.copy("K"),
    "copy in C": lambda xp, a: a.T.copy(),
    "ravel": lambda xp, a: a.T.ravel("A"),
    "ravel of C": lambda xp, a: xp.ravel(a, order="A"),
    "ravel as it lies": lambda xp, a: a.T.ravel("K"),
    "ravel of a permutation": lambda xp, a: xp.arange(24).reshape(2, 3, 4).transpose(2, 0, 1).ravel(order="K"),
    "flatten": lambda xp, a: a.T.flatten("K"),
    "reshape": lambda xp, a: a.T.reshape((2, 3), order="A"),
}


@pytest.mark.parametrize("name", ORDERS)
def test_orders_of_memory(name: str) -> None:
    ours, theirs = ORDERS[name](da, da.asarray(A)), ORDERS[name](np, A)
    same(ours, theirs)
    assert (ours.is_c_contiguous(), ours.is_f_contiguous()) == (theirs.flags.c_contiguous, theirs.flags.f_contiguous)


SMALL = {
    "arange of halves": lambda xp, a: xp.arange(-3, 3, 0.5, dtype=int),
    "arange of steps": lambda xp, a: xp.arange(0.5, 5, 1.5, dtype=xp.int32),
    "round": lambda xp, a: xp.asarray(xp.round(16.055, 2)),
    "atleast_2d": lambda xp, a: xp.atleast_2d(3.0),
    "atleast_3d": lambda xp, a: xp.atleast_3d(3),
    "repeat": lambda xp, a: xp.repeat(3, 4),
    "repeat by a list": lambda xp, a: xp.repeat(a, [1, 0, 2], axis=1),
    "transpose": lambda xp, a: xp.transpose(xp.nonzero(a > 0)),
    "einsum": lambda xp, a: xp.einsum("ij,ij->i", a, a, optimize=True),
    "median": lambda xp, a: xp.median(a, 0, overwrite_input=True),
    "isposinf": lambda xp, a: xp.isposinf(a / 0, a > 100),
    "poly1d": lambda xp, a: xp.poly1d([1.0, 2.0, 3.0])(a),
    "and": lambda xp, a: xp.bitwise_and.reduce(a.astype(xp.int64), 1),
    "or of all": lambda xp, a: xp.bitwise_or.reduce(xp.arange(1000), None),
    "xor": lambda xp, a: xp.bitwise_xor.reduce(xp.arange(24).reshape(2, 3, 4), (0, 2), keepdims=True),
    "logical xor": lambda xp, a: xp.logical_xor.reduce(a > 0, 1),
    "gcd": lambda xp, a: xp.gcd.reduce(xp.asarray([12, 18, 30])),
    "fmax": lambda xp, a: xp.fmax.reduce(xp.asarray([1.0, xp.nan, 3.0, 2.0])),
    "or where": lambda xp, a: xp.bitwise_or.reduce(xp.arange(8), where=xp.arange(8) < 3, initial=16),
    "or of none": lambda xp, a: xp.bitwise_or.reduce(xp.zeros((0, 3), xp.int32)),
    "lcm": lambda xp, a: xp.lcm.reduce(xp.asarray([[4, 6, 10], [3, 5, 7]]), axis=1, keepdims=True),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", SMALL)
def test_what_numpys_examples_use(name: str) -> None:
    same(SMALL[name](da, da.asarray(A)), np.asarray(SMALL[name](np, A)))


def test_flat_is_assigned_to() -> None:
    both(lambda xp, a: setattr(a, "flat", 3), A)
    both(lambda xp, a: setattr(a, "flat", xp.arange(6.0)), A)
    both(lambda xp, a: setattr(a.T, "flat", list(range(6))), A)
    both(lambda xp, a: setattr(a, "flat", xp.arange(4.0)), A)
    both(lambda xp, a: setattr(a.T, "flat", xp.arange(9.0)), A)


def test_casting_is_looked_at() -> None:
    x = da.asarray(A)
    same(x.astype("f4", casting="same_kind"), A.astype("f4"))
    with pytest.raises(TypeError, match=r"dtype\('float64'\) to dtype\('int32'\) according to the rule 'same_kind'"):
        x.astype("i4", casting="same_kind")
    with pytest.raises(ValueError, match="order must be one of"):
        x.copy("Q")
    with pytest.raises(ValueError, match="only 'C' or 'F' order is permitted"):
        da.zeros((2, 2), order="A")
    for name in ("fmax", "lcm"):
        with pytest.raises(ValueError, match="no identity"):
            getattr(da, name).reduce(da.zeros(0, da.int64))


def test_flags() -> None:
    x = da.asarray(A)
    for view, host in ((x, A), (x.T, A.T), (x[:, ::2], A[:, ::2]), (x[0], A[0])):
        for name in ("c_contiguous", "f_contiguous", "forc"):
            assert getattr(view.flags, name) == getattr(host.flags, name)
        assert view.flags["C_CONTIGUOUS"] == host.flags["C_CONTIGUOUS"] and view.flags.writeable
    with pytest.raises(AttributeError, match="no flag 'OWNED'; the flags are C_CONTIGUOUS"):
        x.flags.owned  # noqa: B018 (the attribute is what is tested)


CHOSEN: dict[str, Callable[..., Any]] = {
    "argmax": lambda xp, a, out: xp.argmax(a, 1, out=out),
    "argmin, the method": lambda xp, a, out: a.argmin(1, out),
    "nanargmax": lambda xp, a, out: xp.nanargmax(a, 1, out=out),
    "nanargmin": lambda xp, a, out: xp.nanargmin(a, 1, out=out),
    "take": lambda xp, a, out: xp.take(a, [4, 2], out=out),
    "take, the method": lambda xp, a, out: a[0].take([2, 0], 0, out, mode="wrap"),
    "compress": lambda xp, a, out: xp.compress([False, True], a[:, 1:], 0, out=out[None]),
}


@pytest.mark.parametrize(
    "wanted", ["bool", "int8", "int32", "int64", "uint32", "uint64", "float32", "float64", "complex64"]
)
@pytest.mark.parametrize("given", ["int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("name", CHOSEN)
@pytest.mark.filterwarnings("ignore:Implicit casting of output")  # NumPy 2.5's take, which casts all the same,
@pytest.mark.filterwarnings("ignore:Casting complex values")  # and reads what is in `out` before
def test_what_is_chosen_goes_where_numpy_puts_it(name: str, given: str, wanted: str) -> None:
    host, target = (A * 2).astype(given), np.zeros(2, wanted)
    ours = da.asarray(target)
    try:
        CHOSEN[name](np, host, target)
    except TypeError:
        with pytest.raises(TypeError, match="does not become"):
            CHOSEN[name](da, da.asarray(host), ours)
    else:
        CHOSEN[name](da, da.asarray(host), ours)
    same(ours, target)


SIGNED: dict[str, Callable[..., Any]] = {
    "add": lambda xp, a, b, **s: xp.add(a, b, **s),
    "add, NumPy's": lambda xp, a, b, **s: np.add(a, b, **s),
    "sqrt": lambda xp, a, b, **s: xp.sqrt(abs(a), **s),
    "matmul": lambda xp, a, b, **s: xp.matmul(a, b.T, **s),
    "vecdot": lambda xp, a, b, **s: xp.vecdot(a, b, **s),
    "divmod": lambda xp, a, b, **s: xp.divmod(a, b, **s)[1],
    "frexp": lambda xp, a, b, **s: xp.frexp(a, **s)[0],
}


@pytest.mark.parametrize("more", [{}, {"dtype": "f4"}, {"sig": "dd->d"}, {"casting": "unsafe"}], ids=str)
@pytest.mark.parametrize(
    "given", ["ff->f", "f->f", "ff->ff", "f->fi", ("f", "f", "f"), (None, None, "f"), "zz", ["d"] * 3]
)
@pytest.mark.parametrize("name", SIGNED)
def test_a_signature_has_a_short_name(name: str, given: Any, more: dict[str, Any]) -> None:
    for names in ({"sig": given} | more, {"signature": given} | more):
        try:
            expected = SIGNED[name](np, A, B, **names)
        except (TypeError, ValueError):
            with pytest.raises((TypeError, ValueError)):
                SIGNED[name](da, da.asarray(A), da.asarray(B), **names)
        else:
            found = SIGNED[name](da, da.asarray(A), da.asarray(B), **names)
            assert found.dtype == expected.dtype
            np.testing.assert_allclose(found.copy_to_host(), expected, rtol=1e-5)
