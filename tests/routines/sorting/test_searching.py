"""Positions of what is sought, and elements at positions, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from oracle import DTYPES, host, on_both, same, skip_without, values

import devarray as da

pytestmark = pytest.mark.usefixtures("device")
REAL = DTYPES[:12]
A = np.arange(24, dtype=np.int32).reshape(2, 3, 4)


@pytest.mark.parametrize("dtype", DTYPES)
def test_nonzero(dtype: str) -> None:
    skip_without(dtype)
    a = values(dtype, (7, 5, 3))
    for ours, wanted in zip(da.nonzero(da.asarray(a)[::-1, ::2]), np.nonzero(a[::-1, ::2]), strict=True):
        same(ours, wanted)
    same(da.argwhere(da.asarray(a)), np.argwhere(a))
    same(da.flatnonzero(da.asarray(a).T), np.flatnonzero(a.T))


@pytest.mark.parametrize("n", [1, 255, 4097, 300_000])
def test_nonzero_of_many(n: int) -> None:
    a = np.random.default_rng(n).random(n) < 0.3
    (ours,) = da.nonzero(da.asarray(a))
    same(ours, np.nonzero(a)[0])
    (none,) = da.nonzero(da.zeros(n, bool))
    assert none.shape == (0,)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_along_an_axis(axis: int) -> None:
    a = np.random.default_rng(0).random((4, 5, 6), dtype=np.float32)
    order = np.argsort(a, axis)
    same(da.take_along_axis(da.asarray(a), da.asarray(order), axis=axis), np.take_along_axis(a, order, axis))
    few = np.take(order, [0, 2], axis)
    x = da.asarray(a)
    same(da.take_along_axis(x, da.asarray(few - a.shape[axis]), axis=axis), np.take_along_axis(a, few, axis))
    da.put_along_axis(x, da.asarray(few), 5, axis)
    np.put_along_axis(a, few, 5, axis)
    same(x, a)


def test_along_an_axis_broadcasts() -> None:
    a, where = np.arange(12.0).reshape(3, 4), np.array([[2, 0]])
    same(da.take_along_axis(da.asarray(a), da.asarray(where), axis=1), np.take_along_axis(a, where, 1))
    same(da.take_along_axis(da.asarray(a[:1]), da.asarray(where.T), axis=1), np.take_along_axis(a[:1], where.T, 1))


@pytest.mark.parametrize("shape", [(2,), (5,), (1, 1, 2), ()])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_indices_of_other_dimensions_are_refused(shape: tuple[int, ...], axis: int) -> None:
    x, indices = da.asarray(np.arange(6.0).reshape(2, 3)), da.zeros(shape, dtype=da.int64)
    wanted = f"the array has 2 and the indices {len(shape)}"
    with pytest.raises(da.ShapeError, match=f"take_along_axis: .*{wanted}"):
        da.take_along_axis(x, indices, axis)
    with pytest.raises(da.ShapeError, match=f"put_along_axis: .*{wanted}"):
        da.put_along_axis(x, indices, 0.0, axis)
    same(x, np.arange(6.0).reshape(2, 3))


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("side", ["left", "right"])
def test_searchsorted(dtype: str, side: str) -> None:
    skip_without(dtype)
    a, b = np.sort(values(dtype, 80)), values(dtype, (9, 11), seed=1)
    same(da.searchsorted(da.asarray(a), da.asarray(b), side=side), np.searchsorted(a, b, side))
    same(da.searchsorted(da.asarray(a)[::3], da.asarray(b).T, side=side), np.searchsorted(a[::3], b.T, side))


def test_searchsorted_with_scalars_sorter_and_empty_arrays() -> None:
    a = np.array([5.0, 1.0, 3.0])
    order = np.argsort(a)
    x = da.asarray(a)
    same(da.searchsorted(x, 3, sorter=da.asarray(order), side="right"), np.array(np.searchsorted(a, 3, "right", order)))
    assert da.searchsorted(da.sort(x), 2.5).item() == 1
    same(da.searchsorted(da.zeros(0), x), np.zeros(3, np.int64))
    assert da.searchsorted(x, da.zeros((0, 2))).shape == (0, 2)
    with pytest.raises(ValueError, match="middle"):
        da.searchsorted(x, x, side="middle")


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize("index_dtype", ["int32", "int64", "uint8"])
def test_take(axis: int | None, index_dtype: str) -> None:
    indices = np.array([[1, 0], [0, 1]], index_dtype)
    same(*on_both(lambda xp, x, i: xp.take(x, i, axis=axis), A, indices))
    if index_dtype != "uint8":
        same(*on_both(lambda xp, x, i: xp.take(x[:, ::-1] * 2, -1 - i[0], axis=axis), A, indices))


def test_take_of_nothing_and_of_everything() -> None:
    same(da.take(da.asarray(A), da.asarray(np.empty(0, np.int64)), axis=1), A[:, :0])
    same(da.take(da.asarray(A), [2, 2, 2, 2, 0], axis=1), A[:, [2, 2, 2, 2, 0]])
    with pytest.raises(da.DTypeError, match="float64"):
        da.take(da.asarray(A), np.array([1.0]), axis=1)
    with pytest.raises(IndexError, match="axis 1"):
        da.take(da.empty((2, 0)), [0], axis=1)


@pytest.mark.usefixtures("kernels", "deferred")  # what the host sees is an error of the call
@pytest.mark.parametrize("index", [3, -4, 2**31])
def test_an_index_outside_raises_at_the_next_wait(index: int) -> None:
    """Rule 13: no foreign memory is read, and nothing waits because of the check."""
    x = da.asarray(A)
    before = da.stats()["waits"]
    y = da.take(x, da.asarray(np.array([0, index])), axis=1).evaluate()
    assert da.stats()["waits"] == before
    with pytest.raises(IndexError, match=f"{index}|3"):
        host(y)
    same(x, A)
    same(da.take(x, [0], axis=1), A[:, :1])


@pytest.mark.parametrize("side", ["left", "right"])
def test_searchsorted_of_complex_numbers_with_nan_parts(side: str) -> None:
    nan = np.nan
    x = np.array(
        [1 + 1j, complex(1, nan), complex(nan, 1), complex(nan, nan), 2 + 0j, complex(0, nan), complex(nan, 0)]
    )
    ordered = np.sort(x)
    found = da.searchsorted(da.asarray(ordered), da.asarray(x), side=side)
    assert found.tolist() == np.searchsorted(ordered, x, side=side).tolist()


def test_take_of_an_empty_list() -> None:
    x = np.arange(6.0).reshape(2, 3)
    for mode in ("raise", "wrap", "clip"):
        same(*on_both(lambda xp, a, mode=mode: xp.take(a, [], mode=mode), x))
        same(*on_both(lambda xp, a, mode=mode: xp.take(a, [[]], axis=1, mode=mode), x))


INDEXED = {
    "take": lambda xp, x, i: xp.take(x, i),
    "take along an axis": lambda xp, x, i: xp.take(x, i, axis=0),
    "take, the method": lambda xp, x, i: x.take(i),
    "numpy.take": lambda xp, x, i: np.take(x, i),
    "take_along_axis": lambda xp, x, i: xp.take_along_axis(x, np.asarray(i), 0),
    "put_along_axis": lambda xp, x, i: xp.put_along_axis(x, np.asarray(i), 1, None),
}


@pytest.mark.parametrize("name", INDEXED)
@pytest.mark.parametrize("index", [9, -7])
def test_indices_of_the_host_are_checked_at_the_call(name: str, index: int) -> None:
    for xp in (np, da):
        x = xp.arange(6)
        with pytest.raises(IndexError, match=f"index {index} is out of bounds for axis 0 with size 6"):
            INDEXED[name](xp, x, [0, index])
    same(x, np.arange(6))


def test_a_list_beside_indices_of_the_device() -> None:
    same(da.take([3, 4, 5], da.asarray([2, 0])), np.take([3, 4, 5], [2, 0]))
    assert da.take(np.arange(3.0), da.asarray([[1]])).shape == (1, 1)
