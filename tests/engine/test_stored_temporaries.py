"""What only a store's own temporary holds: stored once, and right for those who keep it all the same.

``operator.setitem(*args)`` hands over what only the tuple holds: by its references a temporary, which is asked for
afterwards.
"""

from __future__ import annotations

import operator

import numpy as np
import pytest
from oracle import same

import devarray as da

SIZES = [16, 3000, 20_000, 1_000_000]  # at once, by the evaluator, by kernels


def pair(n: int, dtype: str = "float64") -> tuple[np.ndarray, da.Array]:
    host = (np.arange(n) % 97 + 1).astype(dtype)
    return host, da.asarray(host)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "float16"])
def test_value_that_reads_others(n: int, dtype: str) -> None:
    (a, x), (b, y) = pair(n, dtype), pair(n, dtype)
    a[1:-1] = 3 * (b[:-2] + b[1:-1] + b[2:])
    x[1:-1] = 3 * (y[:-2] + y[1:-1] + y[2:])
    same(x, a)
    same(y, b)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("shift", [0, 1, 7])
def test_value_that_reads_the_target(n: int, shift: int) -> None:
    a, x = pair(n)
    for _ in range(3):
        a[shift:] = a[: n - shift] * 0.5 + a[shift:]
        x[shift:] = x[: n - shift] * 0.5 + x[shift:]
    same(x, a)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("shift", [0, 1])
def test_kept_value_is_right_after_writes(n: int, dtype: str, shift: int) -> None:
    """Of the target's dtype, and of another."""
    a, x = pair(n, dtype)
    wanted = a[: n - shift].astype("float64") * 2 + 1
    args = (x, slice(shift, None), x[: n - shift].astype("float64") * 2 + 1)
    operator.setitem(*args)
    a[shift:] = wanted
    same(x, a)
    x[...] = 0
    same(args[2], wanted)


@pytest.mark.parametrize("n", SIZES)
def test_kept_value_of_others_is_right_after_their_writes(n: int) -> None:
    (_, x), (b, y) = pair(n), pair(n)
    args = (x, slice(None), y * 2 + 1)
    operator.setitem(*args)
    y[...] = 0
    x[...] = 1
    same(args[2], b * 2 + 1)


@pytest.mark.parametrize("n", SIZES)
def test_kept_broadcast_value(n: int) -> None:
    a, x = np.zeros((2, n)), da.zeros((2, n))
    a[0] = x[0] = np.arange(n)
    args = (x, slice(None), x[0] * 2)
    wanted = a[0] * 2
    operator.setitem(*args)
    a[:] = wanted
    same(x, a)
    x[...] = 5
    same(args[2], wanted)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("shift", [0, 1])
@pytest.mark.parametrize("name", ["iadd", "imul", "isub", "itruediv"])
def test_kept_operand_of_an_inplace_operator(n: int, shift: int, name: str) -> None:
    (a, x), (b, y) = pair(n), pair(n)
    inplace = getattr(operator, name)
    wanted = a[: n - shift] * 2
    args = (x[shift:], x[: n - shift] * 2)
    inplace(*args)
    inplace(a[shift:], wanted)
    same(x, a)
    x[...] = 0
    same(args[1], wanted)
    others = (y[shift:], y[: n - shift] * 0 + 3)
    inplace(*others)
    inplace(b[shift:], 3)
    y[...] = 0
    same(others[1], np.full(n - shift, 3.0))


@pytest.mark.parametrize("n", SIZES)
def test_parts_that_others_hold_are_stored(n: int) -> None:
    a, x = pair(n)
    y = x * 2
    x[:] = y + x
    same(y, a * 2)
    same(x, a * 3)


@pytest.mark.usefixtures("deferred")
@pytest.mark.parametrize("n", SIZES)
def test_temporary_takes_no_memory(n: int) -> None:
    """Beside what the target has, nothing is written."""
    if da.device().strategy != "cpu":
        pytest.skip("by the strategy of CPUs")
    counted = da.alloc.StatisticsResourceAdaptor(da.zeros(1).allocator)
    with da.use(allocator=counted):
        x, y = da.zeros(n).evaluate(), da.ones(n).evaluate()
        before = counted.allocation_counts.total_count
        x[1:-1] = y[:-2] + y[2:]
        x[1:-1] += y[:-2] * y[2:]
        assert counted.allocation_counts.total_count == before
