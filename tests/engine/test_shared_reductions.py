"""Reductions of all elements wait, and those that read the same memory are one kernel."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import same

import devarray as da
from devarray import _core

N = 300_007

pytestmark = pytest.mark.usefixtures("deferred", "kernels", "waiting")


@pytest.fixture
def waiting(device: da.Device) -> Iterator[None]:
    """Reductions wait from small arrays on."""
    before = _core.get_config()["row_bytes"]
    _core.set_config("row_bytes", 1000)
    yield
    _core.set_config("row_bytes", before)


def host_of(dtype: str = "float32", seed: int = 0, n: int = N) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=n).astype(dtype)


def launches(work: Callable[[], Any]) -> int:
    before = da.stats()["launches"]
    work()
    return da.stats()["launches"] - before


def near(ours: da.Array, exact: Any, terms: int = N) -> None:
    eps = np.finfo(ours.dtype).eps
    np.testing.assert_allclose(ours.copy_to_host(), exact, rtol=100 * eps, atol=100 * eps * np.sqrt(terms))


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32"])
@pytest.mark.heavy
def test_several_of_one_array(device: da.Device, dtype: str) -> None:
    host = (host_of("float64") * 5).astype(dtype)
    x = da.asarray(host).evaluate()
    low, high, total, any_, count = x.min(), x.max(), x.sum(), (x > 30).any(), da.count_nonzero(x > 0)
    assert launches(low.evaluate) == 1
    assert launches(lambda: [v.evaluate() for v in (high, total, any_, count)]) == 0
    same(low, host.min())
    same(high, host.max())
    same(any_, (host > 30).any())
    assert int(count) == np.count_nonzero(host > 0)
    if dtype == "int32":
        same(total, host.sum())
    elif dtype == "float16":
        np.testing.assert_allclose(float(total), host.astype("float64").sum(), rtol=2e-3)
    else:
        near(total, host.sum(dtype="float64"))


def test_what_is_computed_from_the_same_memory(device: da.Device) -> None:
    h, g = host_of(), host_of(seed=1)
    x, y = da.asarray(h).evaluate(), da.asarray(g).evaluate()
    error = x - y
    worst, square, mean = abs(error).max(), (error * error).sum(), x.mean()
    assert launches(lambda: [v.evaluate() for v in (square, worst, mean)]) == 1
    same(worst, abs(h - g).max())
    near(square, ((h - g).astype("float64") ** 2).sum())
    near(mean, h.mean(dtype="float64"), 1)
    same(error, h - g)


def test_a_value_of_the_whole_space_takes_them_in(device: da.Device) -> None:
    h, g = host_of(), host_of(seed=1)
    x, y = da.asarray(h).evaluate(), da.asarray(g).evaluate()
    valid = (x > -1) & (y < 1)
    z = da.where(valid, x * 2 + y, 0)
    count, total = valid.sum(), z.sum()
    result = da.clip(z, -1, 1)
    del valid, z
    assert launches(lambda: [v.evaluate() for v in (result, count, total)]) == 1
    valid = (h > -1) & (g < 1)
    z = np.where(valid, h * 2 + g, 0)
    same(result, np.clip(z, -1, 1))
    same(count, valid.sum())
    near(total, z.sum(dtype="float64"))


def test_other_memory_is_another_kernel(device: da.Device) -> None:
    h, g = host_of(), host_of(seed=1)
    x, y = da.asarray(h).evaluate(), da.asarray(g).evaluate()
    one, other = x.max(), y.max()
    assert launches(one.evaluate) == 1
    assert other.pending
    same(one, h.max())
    same(other, g.max())


def test_a_write_comes_after_what_waits(device: da.Device) -> None:
    host = host_of()
    x = da.asarray(host.copy()).evaluate()
    low, high = x.min(), x.max()
    x[:] = 7
    twice = x.max()
    x += 1
    same(low, host.min())
    same(high, host.max())
    assert float(twice) == 7
    assert float(x.min()) == 8


def test_results_are_used_by_later_work(device: da.Device) -> None:
    host = host_of()
    x = da.asarray(host).evaluate()
    scaled = (x - x.min()) / (x.max() - x.min())
    same(scaled, (host - host.min()) / (host.max() - host.min()))
    assert bool(x.max() > x.min())
    assert x.max(keepdims=True).shape == (1,)
    same(x.max(keepdims=True), host.max(keepdims=True))


def test_two_dims_and_other_orders(device: da.Device) -> None:
    host = host_of(n=2 * 640 * 250).reshape(640, 500)
    x = da.asarray(host).evaluate()
    y = x.T
    low, high = y.min(), y.max()
    assert launches(lambda: (low.evaluate(), high.evaluate())) == 1
    same(low, host.min())
    same(high, host.max())
    bias = da.asarray(host[0].copy())
    low, high = (x + bias).min(), (x + bias).max()  # the rows of one operand repeat
    same(low, (host + host[0]).min())
    same(high, (host + host[0]).max())


def test_memory_that_only_they_keep_is_given_back(device: da.Device) -> None:
    pool = da.zeros(1).allocator
    host = host_of()
    sums = []
    gc.collect()
    before = pool.active_bytes
    for k in range(6):
        x = da.asarray(host + k)
        sums.append((x.max(), x.min()))
        del x
    assert [value.pending for pair in sums for value in pair].count(True) <= 2
    assert pool.active_bytes <= before + 2 * host.nbytes
    for k, (high, low) in enumerate(sums):
        same(high, (host + k).max())
        same(low, (host + k).min())


def test_memory_that_a_pending_result_needs_is_kept_pending(device: da.Device) -> None:
    if device.strategy != "gpu":
        pytest.skip("CPUs launch reductions of rows at once")
    host = host_of(n=40 * 1024 * 8).reshape(-1, 64)
    x = da.asarray(host).evaluate()
    result = x - x.max(1, keepdims=True)
    del x
    other = da.empty(10)
    assert result.pending
    assert launches(result.evaluate) == 1
    same(result, host - host.max(1, keepdims=True))
    del other


def test_not_many_wait(device: da.Device) -> None:
    host = host_of()
    x = da.asarray(host).evaluate()
    sums = [(x * k).max() for k in range(1, 101)]
    assert sum(value.pending for value in sums) <= 17
    for k, value in enumerate(sums, 1):
        same(value, (host * np.float32(k)).max())


_KINDS = ["sum", "max", "min", "mean", "any", "all", "prod"]


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 12), st.integers(0, 50), st.integers(0, 50)), max_size=9),
    st.sampled_from([5000, 65_536, 100_003]),
    st.integers(0, 2**16),
)
def test_random_programs(device: da.Device, steps: list[tuple[int, int, int]], n: int, held: int) -> None:
    host = host_of(n=n, seed=n)

    def run(xp: Any, x: Any) -> tuple[list[Any], list[Any]]:
        values, numbers = [x / 8], []
        for kind, first, second in steps:
            a, b = values[first % len(values)], values[second % len(values)]
            if kind < 7:
                a = abs(a) / 16 + 1 if kind == 6 else a
                a = xp.where(a > 1.0001, 1, a) if kind == 6 else a
                numbers.append(getattr(a, _KINDS[kind])())
            elif kind < 10:
                values.append(xp.clip(a * b, -2, 2))
            else:
                values.append(xp.maximum(a - b, -1))
        return values, numbers

    values, numbers = run(da, da.asarray(host))
    wanted_values, wanted = run(np, host.astype("float64"))
    some = {k: value for k, value in enumerate(values) if held >> k & 1}
    del values
    for ours, want in zip(numbers, wanted, strict=True):
        np.testing.assert_allclose(ours.copy_to_host(), want, rtol=1e-3, atol=2e-2)
    for k, value in some.items():
        np.testing.assert_allclose(value.copy_to_host(), wanted_values[k], rtol=1e-4, atol=1e-4)


def many_steps(x: Any) -> Any:
    """More operations than reductions of one walk may have together."""
    for k in range(80):
        x = x * 0.9 + 0.01 * k
    return x


@pytest.mark.parametrize("axis", [None, 0, (0,)])
@pytest.mark.parametrize("ddof", [0, 1])
def test_a_deviation_takes_the_mean_that_waits(device: da.Device, axis: Any, ddof: int) -> None:
    host = many_steps(host_of("float64", 7)).astype("float32")
    whole = launches(many_steps(da.asarray(host_of("float32", 7)).evaluate()).evaluate)  # PoCL's are cut
    x = many_steps(da.asarray(host_of("float32", 7)).evaluate())
    mean, deviation, variance = x.mean(axis), x.std(axis, ddof=ddof), x.var(axis, ddof=ddof, keepdims=True)
    assert (
        launches(lambda: [v.evaluate() for v in (mean, deviation, variance)]) <= whole + 2
    )  # 4 more with means of their own
    exact = host.astype("float64")
    np.testing.assert_allclose(mean.copy_to_host(), exact.mean(), rtol=1e-5)
    np.testing.assert_allclose(deviation.copy_to_host(), exact.std(ddof=ddof), rtol=1e-4)
    np.testing.assert_allclose(variance.copy_to_host(), exact.var(ddof=ddof, keepdims=True), rtol=1e-4)


def test_the_mean_that_a_deviation_took_may_be_written_to(device: da.Device) -> None:
    host = host_of("float64", 8)
    x = many_steps(da.asarray(host).evaluate())
    mean = da.mean(x, keepdims=True)
    deviation = x.std()
    mean += 100.0
    mean[...] = mean * 2
    exact = many_steps(host)
    np.testing.assert_allclose(deviation.copy_to_host(), exact.std(), rtol=1e-10)
    np.testing.assert_allclose(mean.copy_to_host(), 2 * (exact.mean(keepdims=True) + 100), rtol=1e-10)


def test_a_mean_in_another_dtype_is_another_one(device: da.Device) -> None:
    host = host_of("float32", 9)
    x = many_steps(da.asarray(host).evaluate())
    wide, narrow, deviation = x.mean(dtype="float64"), x.mean(), x.std()
    exact = many_steps(host.astype("float64"))
    assert wide.dtype == np.float64
    assert deviation.dtype == narrow.dtype == np.float32
    np.testing.assert_allclose(wide.copy_to_host(), exact.mean(), rtol=1e-4)
    np.testing.assert_allclose(deviation.copy_to_host(), exact.std(), rtol=1e-4)


def test_a_deviation_after_its_array_changed(device: da.Device) -> None:
    host = host_of("float64", 10)
    x = da.asarray(host).evaluate()
    y = many_steps(x)
    mean = y.mean()
    y[:1000] = 0
    deviation = y.std()
    exact = many_steps(host)
    first = exact.mean()
    exact[:1000] = 0
    np.testing.assert_allclose(mean.copy_to_host(), first, rtol=1e-10)
    np.testing.assert_allclose(deviation.copy_to_host(), exact.std(), rtol=1e-10)


WINDOWS: dict[str, Callable[[Any], Any]] = {
    "inside of a matrix": lambda x: x[1:-1, 1:-1] * 2 - (x[:-2, 1:-1] + x[2:, 2:]),
    "every second column": lambda x: x[:, ::2] * 3 - x[:, 1::2],
    "inside of three axes": lambda x: (lambda y: y[1:, :-1, 2:] - y[:-1, 1:, :-2] * 2)(x.reshape(20, 30, -1)),
    "turned": lambda x: x[:-1, :-1].T - x[1:, 1:].T * 2,
    "a row for all": lambda x: x[1:, 1:] - x[:1, 1:] * 2,
}


@pytest.mark.parametrize("held", [False, True], ids=["dropped", "stored"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32", "uint8"])
@pytest.mark.parametrize("name", WINDOWS)
@pytest.mark.heavy
def test_windows(device: da.Device, name: str, dtype: str, held: bool) -> None:
    """Values whose operands lie by rows, with gaps."""
    host = (np.random.default_rng(3).normal(size=(600, 520)) * 20).astype("int64").astype(dtype)
    x = da.asarray(host).evaluate()
    y, exact = WINDOWS[name](x), WINDOWS[name](host)
    low, high, total, count = y.min(), y.max(), y.sum(dtype="float64"), da.count_nonzero(y > 3)
    kept = y if held else None
    del y
    same(high, exact.max())
    same(low, exact.min())
    same(total, exact.sum(dtype="float64"))
    assert int(count) == np.count_nonzero(exact > 3)
    if kept is not None:
        same(kept, exact)


def test_windows_of_what_is_pending_are_one_launch(device: da.Device) -> None:
    if device.strategy != "gpu":
        pytest.skip("CPUs evaluate views otherwise")
    _core.set_config("row_bytes", 1 << 20)
    host = host_of("float32", 11, 1000 * 1200).reshape(1000, 1200)
    x = da.asarray(host).evaluate()

    def steps(x: Any) -> Any:
        grey = x * 2 + 1
        sharp = grey[1:-1, 1:-1] * np.float32(1.5) - grey[:-2, 1:-1] * np.float32(0.5)
        low, high = sharp.min(), sharp.max()
        return (sharp - low) / (high - low)

    result = steps(x)
    assert launches(result.evaluate) <= 2  # both extremes, and what is computed from them
    same(result, steps(host))


@pytest.mark.parametrize("times", [1, 3])
def test_a_value_that_is_written_beside_a_reduction(times: int) -> None:
    """It is asked for, and stored, though it is cheap to compute again and not the last node of the kernel."""
    host = host_of(n=1100 * 1100).reshape(1100, 1100)
    x = da.asarray(host).evaluate()
    mean = (x + 1).mean()
    for k in range(times):
        value = x * (k + 1)
        value[:, 0] = value[:, -2]
        wanted = host * np.float32(k + 1)
        wanted[:, 0] = wanted[:, -2]
        same(value, wanted)
    near(mean, (host.astype("float64") + 1).mean(), host.size)


@pytest.mark.parametrize("moved", [np.roll, lambda x, n, axis: x[::-1].copy(), lambda x, n, axis: x.T + n])
def test_what_one_kernel_does_not_take_is_no_part_of_it(moved: Callable[..., Any]) -> None:
    """A reduction that is left out, and another one of a value below it."""
    host = host_of(n=600 * 600).reshape(600, 600)
    x = da.asarray(host).evaluate()

    def results(x: Any) -> list[Any]:
        half = np.float32(0.5)
        shifted, doubled = moved(x, 1, 0) * half, x * 2
        return [(shifted * 2 - doubled).min(), shifted.max(), (shifted > half).any(), doubled.min(), doubled]

    ours, wanted = results(x), results(host)
    for got, want in zip(reversed(ours), reversed(wanted), strict=True):
        same(got, want)
