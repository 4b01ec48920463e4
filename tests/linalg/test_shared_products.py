"""Products that CPU devices share between threads, of every form that BLAS reads: against sums in a wider dtype."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import product

import numpy as np
import pytest
from oracle import host, skip_without

import devarray as da

pytestmark = pytest.mark.usefixtures("device")

VIEWS = {
    "dense": np.s_[..., :, :],
    "every second row": np.s_[..., ::2, :],
    "every second column": np.s_[..., ::2],
    "from behind": np.s_[..., ::-1, :],
    "mirrored": np.s_[..., ::-1],
}
# Matrices in one piece and in several, matrices of one row or column, vectors, stacks that are repeated.
SIZES = [
    ((3, 4), (4, 5)),
    ((260, 100), (100, 200)),
    ((70, 130), (130, 1)),
    ((1, 130), (130, 70)),
    ((1, 7), (7, 1)),
    ((600,), (600, 1000)),
    ((1000, 600), (600,)),
    ((3, 40, 30), (3, 30, 20)),
    ((3, 80, 130), (130, 100)),
    ((30, 40), (3, 40, 20)),
    ((2, 1, 6, 4), (3, 4, 5)),
    ((0, 3, 4), (4, 5)),
]


def viewed(rng: np.random.Generator, shape: tuple[int, ...], view: str, dtype: str, swapped: bool) -> list:
    """A view of this shape, as NumPy and as devarray have it."""
    if len(shape) == 1:
        values = rng.standard_normal(2 * shape[0]).astype(dtype)
        step = np.s_[::-2] if swapped else np.s_[::2]
        return [values[step], da.asarray(values)[step]]
    sizes = [*shape[:-2], *(shape[:-3:-1] if swapped else shape[-2:])]
    for axis, text in ((-2, "row"), (-1, "column")):
        sizes[axis] *= 1 + (text in view)
    values = rng.standard_normal(sizes).astype(dtype)
    if values.dtype.kind == "c":
        values = values + 1j * rng.standard_normal(sizes).astype(values.real.dtype)
    found = [values[VIEWS[view]], da.asarray(values)[VIEWS[view]]]
    return [x.swapaxes(-1, -2) for x in found] if swapped else found


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_every_form(sizes: tuple, dtype: str) -> None:
    skip_without(dtype)
    rng = np.random.default_rng(7)
    wide = {"float32": "float64", "complex64": "complex128", "float64": "longdouble", "complex128": "clongdouble"}[
        dtype
    ]
    forms = [*product(VIEWS, [False, True])]
    for k, (view, swapped) in enumerate(forms):
        other, turned = forms[(3 * k + 1) % len(forms)]
        (left, x), (right, y) = viewed(rng, sizes[0], view, dtype, swapped), viewed(rng, sizes[1], other, dtype, turned)
        wanted = left.astype(wide) @ right.astype(wide)
        got = host(x @ y)
        assert (got.shape, got.dtype) == (wanted.shape, left.dtype)
        terms = 2 * (left.shape[-1] + 2)  # Higham, chapter 3: for any order of adding up, complex numbers too
        bound = terms * np.finfo(dtype).eps * (np.abs(left).astype(float) @ np.abs(right).astype(float))
        assert (np.abs(got - wanted) <= bound).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_products_with_the_own_transpose_are_symmetric(dtype: str) -> None:
    skip_without(dtype)
    x = da.asarray(np.random.default_rng(1).standard_normal((300, 90)).astype(dtype))
    for made in (x.T @ x, x @ x.T):
        values = host(made)
        np.testing.assert_array_equal(values, values.T)


def test_sums_in_error_and_infinities() -> None:
    x, y = np.ones((80, 80), np.float32), np.ones((80, 80), np.float32)
    x[3, 5], y[7, 2], y[5, 9] = np.inf, np.nan, 0
    with np.errstate(invalid="ignore"):
        wanted = x.astype("float64") @ y.astype("float64")
    np.testing.assert_array_equal(host(da.asarray(x) @ da.asarray(y)), wanted.astype("float32"))


def test_threads_that_multiply_at_once() -> None:
    rng = np.random.default_rng(2)
    x, y = (rng.integers(-9, 9, (200, 200)).astype(np.float32) for _ in range(2))
    ours, wanted = (da.asarray(x), da.asarray(y)), x.astype(int) @ y.astype(int)

    def multiply(_: int) -> np.ndarray:
        return host(ours[0] @ ours[1])

    with ThreadPoolExecutor(4) as pool:
        for got in pool.map(multiply, range(40)):
            np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_products_by_turns_with_numpys(dtype: str) -> None:
    """NumPy's threads hold the other cores meanwhile, and may be left the products."""
    rng = np.random.default_rng(11)
    a, v = rng.random((900, 1100)).astype(dtype), rng.random(1100).astype(dtype)
    x, y = da.asarray(a), da.asarray(v)
    for _ in range(60):
        for _ in range(3):
            wanted = a @ v
        found = [x @ y for _ in range(3)]
        for one in found:
            np.testing.assert_allclose(host(one), wanted, rtol=1e-5 if dtype == "float32" else 1e-13)
