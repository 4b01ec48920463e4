"""Running sums and products, and differences, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from agreement import agree
from oracle import DTYPES, moderate, on_both, same, skip_without

import devarray as da

pytestmark = pytest.mark.usefixtures("device")
RNG = np.random.default_rng(0)
TABLE = RNG.random((4, 6))
INTEGERS = RNG.integers(-9, 9, (4, 6))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["sum", "prod"])
def test_cumulative(dtype: str, name: str) -> None:
    skip_without(dtype)
    a = moderate(dtype, (6, 7)).round()
    a[a == 0] = 1
    x = da.asarray(a)
    theirs = getattr(np, f"cum{name}")
    for axis in (0, -1):
        wanted = theirs(a, axis=axis)
        nearly(getattr(da, f"cumulative_{name}")(x, axis=axis), wanted)
        nearly(getattr(da, f"cum{name}")(x, axis), wanted)
        initial = getattr(da, f"cumulative_{name}")(x[::-1, ::2], axis=axis, include_initial=True)
        nearly(initial, getattr(np, f"cumulative_{name}")(a[::-1, ::2], axis=axis, include_initial=True))
    nearly(getattr(da, f"cum{name}")(x[:1]), theirs(a[:1]))


def nearly(ours: da.Array, wanted: np.ndarray) -> None:
    got = ours.copy_to_host()
    assert got.dtype == wanted.dtype
    assert got.shape == wanted.shape
    if wanted.dtype.kind in "fc":
        eps = np.finfo(wanted.dtype).eps
        np.testing.assert_allclose(got, wanted, rtol=50 * eps, atol=50 * eps)
    else:
        np.testing.assert_array_equal(got, wanted)


def test_cumulative_of_many_and_of_none() -> None:
    a = np.random.default_rng(0).integers(-9, 9, 200_001)
    same(da.cumsum(da.asarray(a)), np.cumsum(a))
    same(da.cumulative_sum(da.zeros((0, 3)), axis=0, include_initial=True), np.zeros((1, 3)))
    same(da.cumulative_sum(da.asarray(a), dtype="float32")[:3], np.cumsum(a, dtype=np.float32)[:3])
    with pytest.raises(ValueError, match="axis"):
        da.cumulative_sum(da.zeros((2, 2)))


@pytest.mark.parametrize("dtype", ["bool", "int16", "uint8", "float32", "complex64"])
@pytest.mark.parametrize(("n", "axis"), [(0, 0), (1, -1), (2, 0), (9, 1)])
def test_diff(dtype: str, n: int, axis: int) -> None:
    a = moderate(dtype, (5, 6))
    ours, wanted = on_both(lambda xp, x: xp.diff(x, n=n, axis=axis), a)
    same(ours, wanted)
    ours, wanted = on_both(lambda xp, x: xp.diff(x, n=1, axis=axis, prepend=x, append=x), a)
    same(ours, wanted)


def test_diff_of_nothing_is_a_new_array() -> None:
    x = da.broadcast_to(da.zeros((1, 0)), (2, 0))
    for n in (1, 3):
        assert da.diff(x, n).flags.writeable and not x.flags.writeable


def test_no_differences_of_a_number_are_the_number() -> None:
    assert da.diff(da.asarray(3.0), n=0).item() == np.diff(np.asarray(3.0), n=0)
    with pytest.raises(da.errors.ShapeError, match="one dimensional"):
        da.diff(da.asarray(3.0))


def test_differences_with_ends() -> None:
    agree(lambda xp, a: xp.diff(a, prepend=0), INTEGERS)
    agree(lambda xp, a: xp.diff(a, prepend=0.5, append=[[1], [2], [3], [4]]), INTEGERS)
    agree(lambda xp, a: xp.diff(a, append=1, axis=0), TABLE.astype(np.float32))
