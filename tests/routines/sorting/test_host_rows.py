"""Stable orders by NumPy's unstable sorts: whatever the elements' bits, and from several threads."""

import numpy as np
import pytest

from devarray._primitives.host_threads import each_block
from devarray._routines.sorting.host_rows import argpartition_rows, argsort_rows, partition_rows, sort_rows

RNG = np.random.default_rng(5)
ROWS, LENGTH = 300, 257  # several blocks


def _mixed(dtype):
    """Few different values, so that many are equal, with all that floats have."""
    x = RNG.integers(0, 5, (ROWS, LENGTH)).astype(dtype)
    if x.dtype.kind in "fc":
        dice = RNG.random(x.shape)
        for k, special in enumerate((np.nan, -np.nan, np.inf, -np.inf, -0.0, 0.0)):
            x[dice < 0.4 - 0.05 * k] = special
    return x


def _wide(dtype):
    """Values over all of the dtype's range."""
    info = np.iinfo(dtype)
    return RNG.integers(info.min, info.max, (ROWS, LENGTH), dtype, endpoint=True)


def _close():
    """float64 that differ in their lowest bits alone, a few of them equal."""
    x = RNG.random((ROWS, LENGTH))
    x[:, 5:20] = 1 + RNG.integers(0, 4, (ROWS, 15)) * 2.0**-52
    return x


CASES = [
    *(pytest.param(_mixed(dtype), id=f"equals-{np.dtype(dtype)}") for dtype in "?bBhHiIqQefdFD"),
    *(pytest.param(_wide(dtype), id=f"wide-{np.dtype(dtype)}") for dtype in "bBhHiIqQ"),
    pytest.param(_close(), id="close-float64"),
    pytest.param(RNG.random((3, 70_000)), id="long rows"),
    pytest.param(np.zeros((40_000, 1)), id="rows of one"),
]


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("x", CASES)
def test_order_is_that_of_a_stable_sort(x, axis):
    wanted = np.argsort(x, axis, kind="stable")
    order = np.empty(x.shape, np.int64)
    argsort_rows(x, order, axis, False)
    np.testing.assert_array_equal(order, wanted)
    values = np.empty_like(x)
    sort_rows(x, values, axis, False)
    np.testing.assert_array_equal(values, np.take_along_axis(x, wanted, axis))
    if x.dtype.kind == "f":
        np.testing.assert_array_equal(
            np.signbit(values) & (values == 0), np.signbit(np.take_along_axis(x, wanted, axis)) & (values == 0)
        )


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("x", CASES)
def test_descending_order_keeps_equals_in_place(x, axis):
    last = x.shape[axis] - 1
    wanted = last - np.flip(np.argsort(np.flip(x, axis), axis, kind="stable"), axis)
    order = np.empty(x.shape, np.int64)
    argsort_rows(x, order, axis, True)
    np.testing.assert_array_equal(order, wanted)
    values = np.empty_like(x)
    sort_rows(x, values, axis, True)
    np.testing.assert_array_equal(values, np.take_along_axis(x, wanted, axis))


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("x", CASES[: len("?bBhHiIqQefd")])
def test_partitions(x, axis):
    places = np.asarray([0, x.shape[axis] // 3])
    wanted = np.take(np.sort(x, axis), places, axis)
    values, order = np.empty_like(x), np.empty(x.shape, np.int64)
    partition_rows(x, values, axis, places)
    argpartition_rows(x, order, axis, places)
    np.testing.assert_array_equal(np.take(values, places, axis), wanted)
    np.testing.assert_array_equal(np.take(np.take_along_axis(x, order, axis), places, axis), wanted)
    np.testing.assert_array_equal(np.sort(order, axis), np.sort(np.argsort(x, axis), axis))


def test_each_row_has_one_block():
    counts = np.zeros(100_000, int)

    def work(begin, end):
        counts[begin:end] += 1

    each_block(work, counts.size, 3)
    np.testing.assert_array_equal(counts, 1)


@pytest.mark.parametrize("at", [0, 50_000, 99_999])
def test_what_a_block_raises_is_raised(at):
    def work(begin, end):
        if begin <= at < end:
            raise ZeroDivisionError(at)

    with pytest.raises(ZeroDivisionError, match=str(at)):
        each_block(work, 100_000, 3)
