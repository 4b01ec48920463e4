"""NumPy's parameters of functions of numbers do what they do in NumPy: values, dtypes, shapes and classes of errors."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from agreement import agree
from oracle import skip_without

import devarray as da

pytestmark = pytest.mark.filterwarnings("ignore")

RNG = np.random.default_rng(0)
X = RNG.random((4, 6))
HOLES = X.copy()
HOLES[1, 2] = HOLES[0, 0] = np.nan
K = RNG.integers(-9, 9, (4, 6))
MASK = RNG.random((4, 6)) > 0.4
WEIGHTS = RNG.integers(1, 4, (4, 6)) + 0.25
STACK = RNG.random((3, 4, 4))
HERMITIAN = STACK + STACK.swapaxes(-1, -2)
METHODS = [
    "inverted_cdf",
    "averaged_inverted_cdf",
    "closest_observation",
    "interpolated_inverted_cdf",
    "hazen",
    "weibull",
    "linear",
    "median_unbiased",
    "normal_unbiased",
    "lower",
    "higher",
    "midpoint",
    "nearest",
]


# --- statistics ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["quantile", "nanquantile"])
def test_quantiles_by_all_methods(name: str, method: str) -> None:
    for q in (0.0, 0.25, 0.9, 1.0, [0.1, 0.6, 1.0]):
        for axis in (None, 1, (0, 1)):
            for x in (X, HOLES, K):
                agree(lambda xp, a, q=q, axis=axis: getattr(xp, name)(a, q, axis, None, False, method, True), x)


@pytest.mark.parametrize("name", ["quantile", "nanquantile"])
def test_weighted_quantiles(name: str) -> None:
    for q in (0.0, 0.2, [0.5, 1.0]):
        for x in (X, HOLES, K):
            agree(lambda xp, a, w, q=q: getattr(xp, name)(a, q, 1, method="inverted_cdf", weights=w), x, WEIGHTS)
            agree(lambda xp, a, w, q=q: getattr(xp, name)(a, q, method="inverted_cdf", weights=w), x, WEIGHTS)
    agree(lambda xp, a, w: xp.quantile(a, 0.2, 1, method="inverted_cdf", weights=w), X, WEIGHTS[0])
    agree(lambda xp, a, w: xp.quantile(a, 0.5, 1, weights=w), X, WEIGHTS)
    agree(lambda xp, a, w: xp.quantile(a, 0.5, method="inverted_cdf", weights=w), X, WEIGHTS[0])
    agree(lambda xp, a: xp.quantile(a, 0.5, method="none"), X)


@pytest.mark.parametrize("name", ["nansum", "nanprod", "nanmin", "nanmax"])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_reductions_without_nan(name: str, axis: int | None) -> None:
    for x in (HOLES, K, HOLES.astype(np.float32), HOLES + 1j * X):
        agree(lambda xp, a: getattr(xp, name)(a, axis, keepdims=True), x)
        agree(lambda xp, a, m: getattr(xp, name)(a, axis=axis, initial=2, where=m), x, MASK)
    agree(lambda xp, a, m: getattr(xp, name)(a, axis=axis, where=m), HOLES, MASK)


@pytest.mark.parametrize("name", ["mean", "var", "std", "nanmean", "nanvar", "nanstd"])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_means_and_deviations(name: str, axis: int | None) -> None:
    for x in (X, HOLES, K):
        agree(lambda xp, a, m: getattr(xp, name)(a, axis=axis, where=m, keepdims=True), x, MASK)
        if "mean" not in name:
            agree(lambda xp, a: getattr(xp, name)(a, axis=axis, mean=xp.mean(a, axis=axis, keepdims=True)), x)
            agree(lambda xp, a: getattr(xp, name)(a, axis=axis, correction=1), x)
            agree(lambda xp, a: getattr(xp, name)(a, axis, None, None, 1), x)
            agree(lambda xp, a: getattr(xp, name)(a, axis=axis, ddof=1, correction=1), x)


@pytest.mark.parametrize(
    "keywords", [{}, {"bias": True}, {"ddof": 2}, {"rowvar": False}, {"dtype": np.complex128}, {"ddof": 1.5}]
)
def test_covariance(keywords: dict[str, Any]) -> None:
    count = 4 if "rowvar" in keywords else 6
    often, heavy = RNG.integers(1, 4, count), RNG.random(count)
    agree(lambda xp, a: xp.cov(a, **keywords), X)
    agree(lambda xp, a, f: xp.cov(a, fweights=f, **keywords), X, often)
    agree(lambda xp, a, f, w: xp.cov(a, fweights=f, aweights=w, **keywords), X, often, heavy)
    agree(lambda xp, a, w: xp.cov(a, aweights=w, **keywords), X, heavy)


def test_covariance_refuses_weights_that_are_none() -> None:
    agree(lambda xp, a, w: xp.cov(a, fweights=w), X, -np.ones(6, int))
    agree(lambda xp, a, w: xp.cov(a, fweights=w), X, np.full(6, 0.5))


def test_average_over_several_axes() -> None:
    agree(lambda xp, a, w: xp.average(a, axis=(0, 1), weights=w, returned=True, keepdims=True), X, WEIGHTS)
    agree(lambda xp, a, w: xp.average(a=a, axis=1, weights=w, returned=True), X, WEIGHTS[0])
    agree(lambda xp, a, w: xp.average(a, weights=w), X, WEIGHTS[0])
    agree(lambda xp, a, w: xp.average(a, axis=0, weights=w), X, WEIGHTS[0])


def test_differences_with_ends() -> None:
    agree(lambda xp, a: xp.diff(a, prepend=0), K)
    agree(lambda xp, a: xp.diff(a, prepend=0.5, append=[[1], [2], [3], [4]]), K)
    agree(lambda xp, a: xp.diff(a, append=1, axis=0), X.astype(np.float32))


def test_bounds_by_both_names() -> None:
    agree(lambda xp, a: xp.clip(a, 0.2, 0.8), X)
    agree(lambda xp, a: xp.clip(a, min=0.2), X)
    agree(lambda xp, a: xp.clip(a, a_min=-3, a_max=3), K)
    agree(lambda xp, a: xp.clip(a, 0.2, 0.8, dtype=np.float32), X)
    agree(lambda xp, a: xp.clip(a, a_min=0.2, a_max=0.8, min=0.1), X)


# --- linear algebra ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("triangle", ["L", "U", "l", "u", "X"])
def test_either_triangle_is_read(triangle: str) -> None:
    agree(lambda xp, a: xp.linalg.eigh(a, triangle)[0], STACK)
    agree(lambda xp, a: xp.linalg.eigvalsh(a, UPLO=triangle), STACK + 1j * STACK[::-1])


def test_numpys_eigenvalues_are_real_where_all_are() -> None:
    for x in (HERMITIAN, np.array([[2, 0], [1, 3]]), np.array([[0.0, -1], [1, 0]]), HERMITIAN + 0j):
        agree(lambda xp, a: np.sort(np.linalg.eigvals(a)), x)
        agree(lambda xp, a: np.sort(np.linalg.eig(a)[0]), x)


@pytest.mark.parametrize("mode", ["reduced", "complete", "r", "raw", "none"])
def test_modes_of_qr(mode: str) -> None:
    for x in (STACK[0], STACK[:, :3], STACK[:, :, :2]):
        agree(lambda xp, a: xp.linalg.qr(a, mode), x)


def test_hermitian_matrices_by_their_lower_triangle() -> None:
    lower = np.tril(HERMITIAN)
    agree(lambda xp, a: xp.linalg.svd(a, True, False, True), lower)
    agree(lambda xp, a: xp.linalg.pinv(a, hermitian=True), lower)
    agree(lambda xp, a: xp.linalg.matrix_rank(a, hermitian=True), lower)


def test_limits_of_singular_values() -> None:
    agree(lambda xp, a: xp.linalg.matrix_rank(a, 0.5), STACK)
    agree(lambda xp, a: xp.linalg.matrix_rank(A=a, rtol=0.2), STACK)
    agree(lambda xp, a: xp.linalg.matrix_rank(a, 0.5, rtol=0.2), STACK)
    agree(lambda xp, a: xp.linalg.matrix_rank(a), X[0])
    agree(lambda xp, a: xp.linalg.pinv(a, 0.3), STACK)
    agree(lambda xp, a: xp.linalg.pinv(a, 0.3, rtol=0.3), STACK)


def test_axes_of_traces_and_cross_products() -> None:
    agree(lambda xp, a: xp.trace(a, 1, 1, 2, np.float32), RNG.random((3, 5, 4, 3)))
    agree(lambda xp, a: xp.trace(a), STACK)
    agree(lambda xp, a: xp.linalg.trace(a), STACK)
    agree(lambda xp, a, b: xp.cross(a, b, axisa=0, axisb=1, axisc=0), RNG.random((3, 5)), RNG.random((5, 3)))
    for sizes in ((2, 2), (2, 3), (3, 2), (3, 3), (4, 3)):
        if 2 in sizes and np.lib.NumpyVersion(np.__version__) >= "2.5.0":
            continue  # NumPy's own takes three elements alone, since then
        agree(lambda xp, a, b: xp.cross(a, b), X[:, : sizes[0]], X[:, : sizes[1]])


def test_keywords_of_products() -> None:
    a, b = RNG.random((2, 3, 4)), RNG.random((2, 4, 5))
    agree(lambda xp, a, b: xp.matmul(a, b, dtype=np.float32), a, b)
    agree(lambda xp, a, b: xp.matmul(a, b, signature="ff->f", casting="unsafe"), a, b)
    agree(lambda xp, a, b: xp.matmul(a, b, casting="safe", dtype=np.float32), a, b)
    agree(lambda xp, a, b: xp.matmul(a, b, axes=[(1, 2), (1, 2), (0, 1)]), a, b)
    agree(lambda xp, a, b: xp.matmul(a, b, axis=0), a, b)
    agree(lambda xp, a, b: xp.vecdot(a, b, axis=0, keepdims=True), X, X)
    agree(lambda xp, a, b: xp.vecdot(a, b, axes=[0, (1,), ()]), X, X.T)
    agree(lambda xp, a, b: xp.matvec(a, b, axes=[(0, 1), 0, 0]), RNG.random((3, 4)), RNG.random(4))
    agree(lambda xp, a, b: xp.vecmat(a, b, dtype=np.complex128), RNG.random(3), RNG.random((3, 4)))


def test_keywords_of_einsum() -> None:
    agree(lambda xp, a, b: xp.einsum("ij,kj->ik", a, b, dtype=np.complex128, optimize=True), X, X)
    agree(lambda xp, a, b: xp.einsum("ij,kj->ik", a, b, dtype=np.float32, casting="unsafe"), X, X)
    agree(lambda xp, a, b: xp.einsum("ij,kj->ik", a, b, dtype=np.float32), X, X)


# --- ufuncs --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "keywords",
    [
        {"dtype": np.float32},
        {"dtype": np.float32, "casting": "no"},
        {"casting": "safe"},
        {"order": "F"},
        {"order": "X"},
        {"subok": False},
        {"signature": "dd->d"},
        {"signature": (np.float32,) * 3},
    ],
    ids=str,
)
def test_keywords_of_ufuncs(keywords: dict[str, Any]) -> None:
    one = {key: value for key, value in keywords.items() if key != "signature"}
    agree(lambda xp, a, b: xp.add(a, b, **keywords), X, X)
    agree(lambda xp, a: xp.sin(a, **one), X)
    agree(lambda xp, a, b: xp.divmod(a, b, **one), X, X + 1)
    agree(lambda xp, a: xp.modf(a, **one), 9 * X)


def test_order_of_results() -> None:
    skip_without(np.float64)
    x = da.asarray(X)
    for order, flag in (("F", "f_contiguous"), ("C", "c_contiguous")):
        assert getattr(da.add(x, x, order=order).flags, flag)
        assert getattr(da.sin(x.T, order=order).flags, flag)
        assert getattr(da.einsum("ij,kj->ik", x, x, order=order).flags, flag)
        assert getattr(da.matmul(x, x.T, order=order).flags, flag)


UFUNCS = [
    name for name in dir(da) if isinstance(getattr(np, name, None), np.ufunc) and hasattr(getattr(da, name), "nin")
]


def test_ufuncs_have_attributes() -> None:
    assert len(UFUNCS) >= 90
    for name in UFUNCS:
        ours, theirs = getattr(da, name), getattr(np, name)
        for attribute in ("nin", "nout", "nargs", "identity", "signature"):
            assert getattr(ours, attribute) == getattr(theirs, attribute), (name, attribute)
        assert set(ours.types) <= set(theirs.types) and ours.types


@pytest.mark.parametrize("name", ["subtract", "divide", "power", "hypot", "arctan2", "fmod", "floor_divide", "less"])
@pytest.mark.parametrize("method", ["reduce", "accumulate"])
def test_methods_of_functions_that_depend_on_order(name: str, method: str) -> None:
    # Along contiguous memory NumPy's loops of power and arctan2 forget what they combined so far.
    for axis in (0,) if name in ("power", "arctan2") else (0, 1, -1):
        agree(lambda xp, a, axis=axis: getattr(getattr(xp, name), method)(a, axis), X)
    if name in ("subtract", "floor_divide"):
        agree(lambda xp, a: getattr(getattr(xp, name), method)(a), K)
    if method == "reduce" and name in ("subtract", "divide", "hypot", "fmod"):
        agree(lambda xp, a: getattr(xp, name).reduce(a, 1, keepdims=True, initial=0.5), X)
    if method == "reduce" and name == "subtract":
        agree(lambda xp, a: xp.subtract.reduce(a, None), X)


def test_methods_of_functions_of_one_operand() -> None:
    def negated(xp: Any, a: Any) -> Any:
        xp.negative.at(a, [0, 2])
        return a

    def twice(xp: Any, a: Any) -> Any:
        xp.sqrt.at(a, ([0, 0, 1], [1, 1, 2]))
        return a

    agree(negated, X)
    agree(twice, X)
    agree(lambda xp, a: xp.negative.reduce(a), X)
    agree(lambda xp, a: xp.sin.outer(a, a), X)


def test_results_go_where_out_says() -> None:
    skip_without(np.float64)
    x = da.asarray(X)
    for name, more in (("fft", {}), ("ifft", {}), ("fft2", {}), ("fftn", {"axes": (0,)})):
        out = da.zeros(X.shape, da.complex128)
        assert getattr(da.fft, name)(x, out=out, **more) is out
        np.testing.assert_allclose(out.copy_to_host(), getattr(np.fft, name)(X, **more))
    out = da.zeros((4, 4))
    for function, wanted in (
        (lambda: da.linalg.multi_dot([x, x.T], out=out), X @ X.T),
        (lambda: da.dot(x, x.T, out), X @ X.T),
        (lambda: da.outer(x[0, :4], x[1, :4], out), np.outer(X[0, :4], X[1, :4])),
    ):
        assert function() is out
        np.testing.assert_allclose(out.copy_to_host(), wanted)


def test_positions_are_numpys() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        agree(lambda xp, a: xp.nanmedian(a, 1, None, False, True), HOLES)
        agree(lambda xp, a: xp.median(a, 1, None, True, True), X)
        agree(lambda xp, a: xp.percentile(a, [10, 50], 0, None, False, "hazen", True), X)
        agree(lambda xp, a: xp.ptp(a, 0, None, True), K)
        agree(lambda xp, a: xp.sum(a, 0, None, None, True, 5, True), K)
        agree(lambda xp, a: xp.argmax(a, 0, None, keepdims=True), K)
