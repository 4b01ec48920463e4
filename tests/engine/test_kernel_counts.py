"""How many kernels run, how many are compiled, and that nothing is computed twice: da.stats() counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import close, same

import devarray as da
from devarray._array.reductions import reduce

pytestmark = pytest.mark.usefixtures("device", "deferred", "kernels")

A = np.linspace(-2, 3, 600, dtype=np.float32).reshape(20, 30)


@pytest.fixture
def x() -> da.Array:
    d = da.asarray(A)
    da.synchronize()
    return d


def counted(call: Callable[[], Any], what: str = "launches") -> tuple[Any, int]:
    """The result of a call, evaluated, and how far a counter went."""
    before = da.stats()[what]
    result = call()
    for part in result if isinstance(result, tuple) else (result,):
        part.evaluate()
    return result, da.stats()[what] - before


def test_a_chain_is_one_kernel(x: da.Array) -> None:
    y, launches = counted(lambda: da.sqrt(x * x + x * 2) * 2 + x - 1)
    assert launches == 1
    assert y.shape == A.shape


def test_nothing_runs_before_a_value_is_needed(x: da.Array) -> None:
    before = da.stats()["launches"]
    y = x
    for _ in range(10):
        y = y * 2 - x
    assert y.pending
    assert da.stats()["launches"] == before
    assert y.shape == x.shape and y.dtype == x.dtype


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_a_chain_that_ends_in_a_reduction_is_one_kernel(x: da.Array, axis: int | None) -> None:
    y, launches = counted(lambda: da.sum(da.abs(x) * 2 + 1, axis=axis))
    assert launches == 1
    close(y, np.sum(np.abs(A) * 2 + 1, axis=axis), 300)


@pytest.mark.parametrize("axis", [0, 1])
def test_std_along_an_axis_is_two_kernels(x: da.Array, axis: int) -> None:
    y, launches = counted(lambda: da.std(x, axis=axis))
    assert 1 <= launches <= 2  # one, where rows wait however few they are
    close(y, np.std(A, axis=axis), 40)


def test_std_of_an_expression_is_two_kernels(x: da.Array) -> None:
    y, launches = counted(lambda: da.std(x * 2 + 1, axis=1))
    assert 1 <= launches <= 2
    close(y, np.std(A * 2 + 1, axis=1), 40)


def test_mean_is_one_kernel(x: da.Array) -> None:
    y, launches = counted(lambda: da.mean(x, axis=0))
    assert launches == 1
    close(y, np.mean(A, axis=0), 40)


def test_softmax_is_three_kernels(x: da.Array) -> None:
    def softmax() -> da.Array:
        e = da.exp(x - da.max(x, axis=1, keepdims=True))
        return e / da.sum(e, axis=1, keepdims=True)

    y, launches = counted(softmax)
    assert launches <= 3
    e = np.exp(A - A.max(1, keepdims=True))
    close(y, e / e.sum(1, keepdims=True), 60)


def test_an_in_place_update_fuses_its_right_side(x: da.Array) -> None:
    def update() -> da.Array:
        x[1:] = x[1:] * 2 + 1
        return x

    y, launches = counted(update)
    assert launches == 1
    wanted = A.copy()
    wanted[1:] = wanted[1:] * 2 + 1
    same(y, wanted)


def test_a_chain_of_in_place_updates_is_one_kernel(x: da.Array) -> None:
    def update() -> da.Array:
        y = x + 1
        y *= 2
        y -= x
        y /= 3
        return y

    y, launches = counted(update)
    assert launches == 1
    same(y, ((A + 1) * 2 - A) / np.float32(3))


def test_living_interior_values_are_outputs_of_the_same_kernel(x: da.Array) -> None:
    """Rule 6."""

    def work() -> tuple[da.Array, ...]:
        b = x + 1
        c = b * b
        return c - x, b, c

    (d, b, c), launches = counted(work)
    assert launches == 1
    assert not b.pending and not c.pending
    same(b, A + 1)
    same(c, (A + 1) * (A + 1))
    same(d, (A + 1) * (A + 1) - A)


def test_a_shared_value_is_computed_once_by_a_reduction(x: da.Array) -> None:
    b = x * 2
    total, launches = counted(lambda: da.sum(b, axis=1))
    assert launches == 1
    _, launches = counted(lambda: b)
    assert launches == 0, "b was stored beside the reduction"
    same(b, A * 2)
    close(total, (A * 2).sum(1), 300)


def test_a_read_value_is_not_computed_again(x: da.Array) -> None:
    y = x * 3
    same(y, A * 3)
    _, launches = counted(lambda: y)
    assert launches == 0
    _, launches = counted(lambda: y + 1)
    assert launches == 1


def test_readers_of_an_overwritten_array_run_in_one_kernel(x: da.Array) -> None:
    b = x + 1
    c = b * 2
    before = da.stats()["launches"]
    x[...] = 0
    assert not b.pending and not c.pending
    assert da.stats()["launches"] - before == 2, "the readers together, then the write"
    same(c, (A + 1) * 2)


def test_new_scalars_and_shapes_compile_nothing(x: da.Array) -> None:
    def work(x: da.Array, s: float) -> da.Array:
        return x * s + (s + 1)

    work(x, 2.0).evaluate()
    da.sum(x * 2.0, axis=1).evaluate()
    for s in (3.0, -7.5, 1e30, float("nan")):
        _, compiled = counted(lambda s=s: work(x, s), "compilations")
        _, hits = counted(lambda s=s: work(x, s), "disk_cache_hits")
        assert compiled + hits == 0, s
        _, compiled = counted(lambda s=s: da.sum(x * s, axis=1), "compilations")
        assert compiled == 0, s
    other = da.ones((21, 31), da.float32)
    _, compiled = counted(lambda: work(other.evaluate(), 2.0), "compilations")
    assert compiled == 0


def test_arithmetic_and_views_wait_for_nothing_and_copy_nothing(x: da.Array) -> None:
    before = da.stats()
    y = (x[::2] * 2 + x[1::2]).sum(axis=0).T.reshape(3, 10)
    y[1:] += y[:-1]
    y.evaluate()
    after = da.stats()
    for what in ("waits", "transfers_to_host", "transfers_to_device"):
        assert after[what] == before[what], what


def test_eager_mode_runs_each_operation(x: da.Array) -> None:
    da.config.deferred = False
    y, launches = counted(lambda: (x * 2 + 1) - x)
    assert launches == 3
    assert not y.pending
    same(y, A * 2 + 1 - A)


def test_turning_deferral_off_evaluates_what_is_pending(x: da.Array) -> None:
    y = x * 2
    assert y.pending
    da.config.deferred = False
    assert not y.pending
    same(y, A * 2)


def test_limits_are_named() -> None:
    assert {"depth", "nodes", "leaves", "extra_outputs", "scalars", "pending_bytes"} <= set(da.config.limits)


def test_results_may_wait_up_to_half_of_the_memory() -> None:
    """They take none until they are evaluated; at once they would lie there already."""
    half = da.device().caps["global_memory"] // 2
    if half <= da.config.limits["pending_bytes"]:
        pytest.skip("half of this device's memory is what pending results may hold on any device")
    little = da.alloc.LimitingResourceAdaptor(
        da.alloc.default_allocator(da.device()), 2**20
    )  # for values computed at once
    rows = da.broadcast_to(da.ones(1, "uint8", allocator=little), (da.config.limits["pending_bytes"] + 2**20,))
    y = rows + np.uint8(1)
    assert y.pending


def test_a_long_chain_is_cut_by_the_depth_limit(x: da.Array) -> None:
    steps = 3 * da.config.limits["depth"]
    cuts = da.stats()["cuts"]
    y, wanted = x, A
    for i in range(steps):
        y, wanted = (y + 1, wanted + np.float32(1)) if i % 2 else (y * 0.5, wanted * np.float32(0.5))
    _, launches = counted(lambda: y)
    assert da.stats()["cuts"] > cuts
    assert launches <= steps // da.config.limits["scalars"]  # each step has one, and runtimes take few parameters
    same(y, wanted)


@pytest.mark.parametrize("n", [23, 24, 25, 100])
def test_a_wide_sum_is_cut_by_the_leaf_limit(n: int) -> None:
    arrays = [np.full(10, i, np.int64) for i in range(n)]
    on_device = [da.asarray(a) for a in arrays]

    def total(parts: list[da.Array]) -> da.Array:
        while len(parts) > 1:
            parts = [a + b for a, b in zip(parts[::2], parts[1::2], strict=False)] + parts[len(parts) & ~1 :]
        return parts[0]

    same(total(on_device), sum(arrays))


def test_many_scalars_and_shared_parts(x: da.Array) -> None:
    """Doubling by sharing has 2**40 paths and 40 operations."""
    y, wanted = x, A
    for _ in range(40):
        y, wanted = y * 0.5 + y * 0.25, wanted * np.float32(0.5) + wanted * np.float32(0.25)
    same(y, wanted)
    z, wanted = x, A
    for i in range(100):
        z, wanted = z + i, wanted + np.float32(i)
    same(z, wanted)


def test_more_living_values_than_extra_outputs(x: da.Array) -> None:
    n = da.config.limits["extra_outputs"] + 5
    chain = [x]
    for _ in range(n):
        chain.append(chain[-1] + 1)
    wanted = A
    last = chain[-1].evaluate()
    for y in chain[1:]:
        wanted = wanted + np.float32(1)
        same(y, wanted)
    same(last, wanted)


def test_a_reduction_stores_what_somebody_keeps_and_not_what_its_caller_gives_up(device: da.Device) -> None:
    host = np.arange(200_000, dtype=np.float32)
    a = da.asarray(host)
    kept, given = a * 2, a * 4
    others = [kept, given]
    assert reduce(kept, "max", None, False).item() == 2 * host.max()
    assert reduce(given, "max", None, False, consume=True).item() == 4 * host.max()
    assert [x.pending for x in others] == [False, True]
    same(given, host * 4)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
def test_sums_over_pairs_of_rows_and_columns_walk_along_the_columns(
    device: da.Device, sources: list[str], monkeypatch: pytest.MonkeyPatch, dtype: str
) -> None:
    """A work-item for each column, whose neighbours load side by side, on CPUs: not groups that gather a column."""
    if device.strategy != "cpu":
        pytest.skip("of the strategy of CPUs")
    monkeypatch.setattr(da.config, "host_elements", 0)
    rng = np.random.default_rng(4)
    rows, columns = rng.integers(0, 9, (40, 70)).astype(dtype), rng.integers(0, 9, (70, 64)).astype(dtype)
    x, y = da.asarray(rows), da.asarray(columns)
    for name, made in (("max", x[:, :, None] + y[None]), ("sum", x[:, :, None] * y[None])):
        sources.clear()
        got = getattr(made, name)(1)
        wanted = getattr(rows[:, :, None] + columns if name == "max" else rows[:, :, None] * columns, name)(1)
        np.testing.assert_array_equal(got.copy_to_host(), wanted)
        assert any("strip" in source for source in sources)
