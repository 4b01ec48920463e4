"""Elements that the host asks for one by one: it keeps them, on GPUs, until somebody writes (engine/mirror.hpp)."""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import devarray as da
from devarray import _core

pytestmark = pytest.mark.usefixtures("device")

DTYPES = ["bool", "int8", "uint16", "int32", "int64", "uint64", "float32", "float64", "complex64", "complex128"]


def values(dtype: str, n: int = 12) -> np.ndarray:
    made = np.arange(n) % 2 if dtype == "bool" else np.arange(n) - (0 if dtype.startswith("u") else 5)
    return made.astype(dtype)


def agree(x: da.Array, h: np.ndarray) -> None:
    """Ask for every element, in three ways, twice: the second time there is a mirror."""
    for _ in range(2):
        for place in np.ndindex(h.shape):
            assert x[place].item() == h[place].item(), place
            assert bool(x[place] == h[place])
            assert bool(x[place] != 0) == bool(h[place] != 0)


def needs_mirrors(device: da.Device) -> None:
    if device.strategy == "cpu":
        pytest.skip("the host sees the memory")
    if not da.config.deferred:
        pytest.skip("operations on elements are launched at once")
    if not _core.get_config()["mirrors"]:
        pytest.skip("there are none behind a test that took a stream's handle in this process")


@pytest.mark.parametrize("dtype", DTYPES)
def test_elements_of_every_dtype(dtype: str) -> None:
    h = values(dtype)
    x = da.asarray(h)
    agree(x, h)
    agree(x[::-2], h[::-2])
    agree(x.reshape(3, 4).T, h.reshape(3, 4).T)
    if np.dtype(dtype).itemsize > 1:
        agree(x.view("uint8"), h.view("uint8"))


def test_they_cost_one_transfer(device: da.Device) -> None:
    needs_mirrors(device)
    x = da.asarray(np.arange(100.0)) * 1
    x.evaluate()
    before = da.stats()
    total = 0.0
    for i in range(100):
        total += float(x[i])
        assert (x[i] > 50) == (i > 50)
        assert int(x[i] * 2 + 1) == 2 * i + 1
    after = da.stats()
    assert total == 4950
    assert after["transfers_to_host"] - before["transfers_to_host"] == 2  # an element, then all
    assert after["launches"] == before["launches"]


def test_reading_and_writing_by_turns_costs_no_more(device: da.Device) -> None:
    """An edit distance: each element follows from three that were written just before."""
    needs_mirrors(device)
    words = "intention", "execution"

    def distance(xp: Any) -> Any:
        d = xp.zeros((10, 10), dtype="int32")
        d[0, :] = range(10)
        d[:, 0] = range(10)
        for i in range(1, 10):
            for j in range(1, 10):
                d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + (words[0][i - 1] != words[1][j - 1]))
        return d

    before = da.stats()["transfers_to_host"]
    x = distance(da)
    assert int(x[-1, -1]) == 5
    assert da.stats()["transfers_to_host"] - before <= 4
    np.testing.assert_array_equal(x.copy_to_host(), distance(np))


STORED: list[Any] = [3, -1, True, 2.5, 0.1, float("nan"), np.float32(0.1), np.int64(-7), np.uint8(200), 1.5 - 2j]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("given", STORED, ids=repr)
@pytest.mark.parametrize("key", [4, slice(3, 9, 2), slice(None), ...], ids=repr)
def test_what_was_stored_is_what_the_memory_holds(dtype: str, given: Any, key: Any) -> None:
    h = values(dtype)
    x = da.asarray(h)
    agree(x, h)
    try:
        x[key] = given
    except (da.Error, TypeError, ValueError, OverflowError):
        pytest.skip("this dtype does not take it")
    asked = [x[i].item() for i in range(12)]
    np.testing.assert_array_equal(np.asarray(asked, dtype), x.copy_to_host())


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("other", ["bool", "int8", "uint16", "int64", "float32", "float64"])
def test_elements_stored_in_arrays_of_other_dtypes(dtype: str, other: str) -> None:
    h, g = values(dtype), values(other)
    x, y = da.asarray(h), da.asarray(g)
    for _ in range(2):
        agree(x, h)
        agree(y, g)
        x[2], x[5], x[7] = y[3], y[4] * y[8], x[1]
        h[2], h[5], h[7] = g[3], g[4] * g[8], h[1]
    agree(x, h)
    np.testing.assert_array_equal(x.copy_to_host(), h)


def test_large_arrays_are_not_read_for_an_element() -> None:
    x = da.zeros(1 << 20)
    x[77] = 3
    before = da.stats()["bytes_to_host"]
    assert [float(x[i]) for i in range(75, 80)] == [0, 0, 3, 0, 0]
    assert da.stats()["bytes_to_host"] - before <= 5 * 8


def _set(x: Any, at: int) -> None:
    x[at] = 9


def _slice(x: Any, at: int) -> None:
    x[at : at + 3] += 2


def _mask(x: Any, at: int) -> None:
    x[x > at] = -1


def _places(x: Any, at: int) -> None:
    x[[at, 9, 11]] = [3, 4, 5]


def _update(x: Any, at: int) -> None:
    x *= 2
    x -= at


def _reversed(x: Any, at: int) -> None:
    x[:] = x[::-1] + at


def _row_sum(x: Any, at: int) -> None:
    x[at : at + 1] = x.sum()


def _view(x: Any, at: int) -> None:
    x.reshape(3, 4)[1] = at


def _fill(x: Any, at: int) -> None:
    x.fill(at)


def _sort(x: Any, at: int) -> None:
    x.sort()


def _put(x: Any, at: int) -> None:
    x.put([at, 1], [7, 8])


WRITES: list[Callable[[Any, int], None]] = [
    *(_set, _slice, _mask, _places, _update, _reversed, _row_sum, _view, _fill, _sort, _put),
]
OUT = ["add", "sum", "copyto", "at", "matmul", "cumsum", "take", "clip", "round"]


def write_out(xp: Any, name: str, x: Any, at: int) -> None:
    if name == "add":
        xp.add(x, at, out=x)
    elif name == "sum":
        xp.sum(xp.arange(12.0).reshape(3, 4) + at, axis=0, out=x[4:8])
    elif name == "copyto":
        xp.copyto(x[2:5], at)
    elif name == "at":
        xp.add.at(x, [at, at], 1)
    elif name == "matmul":
        xp.matmul(xp.ones((3, 3)) * at, xp.arange(9.0).reshape(3, 3), out=x[:9].reshape(3, 3))
    elif name == "cumsum":
        xp.cumsum(xp.arange(12.0) + at, out=x)
    elif name == "take":
        xp.take(xp.arange(40.0), [at, 3, 5], out=x[:3])
    elif name == "clip":
        xp.clip(x, at, at + 2, out=x)
    elif name == "round":
        xp.divide(x, 4, out=x)
        xp.round(x, 0, out=x)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from([*WRITES, *OUT]), st.integers(0, 8)), min_size=1, max_size=6))
def test_every_write_is_seen(steps: list[tuple[Any, int]]) -> None:
    h = np.arange(12.0) - 5
    x = da.asarray(h)
    for step, at in steps:
        held = [(x[i], h[i]) for i in (0, 5)]
        agree(x, h)
        for xp, a in ((da, x), (np, h)):
            write_out(xp, step, a, at) if isinstance(step, str) else step(a, at)
        for i in range(12):
            assert float(x[i]) == h[i], (step, at, i)
        for element, value in held:
            assert float(element) == value


def test_writes_from_the_host_and_by_kernels() -> None:
    h = np.arange(6.0)
    x = da.asarray(h)
    agree(x, h)
    x[:] = h + 1  # from the host
    agree(x, h + 1)
    x.copy_to_device(h + 2)
    agree(x, h + 2)
    x.set(h + 1)
    agree(x, h + 1)
    double = da.ElementwiseKernel("float64 a", "float64 b", "b = 2 * a", "doubled_for_mirrors")
    double(x, x)
    agree(x, 2 * (h + 1))


def test_writes_through_a_map(device: da.Device) -> None:
    h = np.arange(6.0)
    x = da.asarray(h)
    if x.allocator.kind == "device":
        pytest.skip("the host cannot see the memory")
    agree(x, h)
    with x.map("rw") as seen:
        seen[...] = h + 1
    agree(x, h + 1)


def test_a_kernel_of_the_drivers(device: da.Device) -> None:
    x = da.asarray(np.arange(6.0))
    agree(x, np.arange(6.0))
    index = "get_global_id(0)" if device.driver == "opencl" else "threadIdx.x"
    head = (
        "__kernel void add_one(__global double* x)"
        if device.driver == "opencl"
        else ('extern "C" __global__ void add_one(double* x)')
    )
    kernel = da.RawKernel(f"{head} {{ x[{index}] += 1; }}", "add_one")
    for step in range(1, 4):
        kernel((1,), (6,), (x,))
        assert [float(x[i]) for i in range(6)] == [i + step for i in range(6)]


def test_values_that_were_read_stay() -> None:
    x = da.asarray(np.arange(6.0))
    agree(x, np.arange(6.0))
    first, later = x[2], x[3] + x[4]
    x[:] = -1
    assert float(first) == 2
    assert float(later) == 7
    assert float(x[2]) == -1


def test_elements_as_indices_and_conditions() -> None:
    h = np.array([3, 1, 4, 1, 5, 2, 0])
    x, places = da.asarray(h) * 1, da.asarray(h)
    seen = []
    at = 0
    for _ in range(20):
        at = places[at]
        seen.append(int(x[at]))
        if x[at] == 5:
            x[at] = 2
    expected, data, at = [], h.copy(), 0
    for _ in range(20):
        at = h[at]
        expected.append(int(data[at]))
        if data[at] == 5:
            data[at] = 2
    assert seen == expected


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "divide", "power", "maximum", "floor_divide", "mod"])
def test_operations_have_the_kernels_bits(name: str) -> None:
    call = getattr(
        operator, {"divide": "truediv", "multiply": "mul", "subtract": "sub", "power": "pow"}.get(name, name), None
    )
    call = call or getattr(da, name)
    rng = np.random.default_rng(3)
    for dtype in ("float32", "float64", "int32", "uint8"):
        a = (rng.standard_normal(64) * 50).astype(dtype)
        b = (rng.integers(1, 5, 64)).astype(dtype)
        x, y = da.asarray(a), da.asarray(b)
        with np.errstate(all="ignore"):
            all_at_once = call(x, y).copy_to_host()
        for _ in range(2):
            one_by_one = [call(x[i], y[i]).item() for i in range(64)]
        np.testing.assert_array_equal(np.asarray(one_by_one, all_at_once.dtype), all_at_once)


@pytest.mark.parametrize(
    "name", ["arctan2", "hypot", "float_power", "exp", "expm1", "log", "log1p", "sin", "tanh", "cbrt"]
)
def test_functions_have_the_kernels_bits(name: str) -> None:
    """Kernels by the strategy of GPUs have exponentials, logarithms and powers of their own."""
    rng = np.random.default_rng(5)
    for dtype in ("float32", "float64"):
        operands = [da.asarray((rng.random(64) * 3).astype(dtype)) for _ in range(getattr(np, name).nin)]
        all_at_once = getattr(da, name)(*operands).copy_to_host()
        for _ in range(2):
            one_by_one = [getattr(da, name)(*(x[i] for x in operands)).item() for i in range(64)]
        np.testing.assert_array_equal(np.asarray(one_by_one, all_at_once.dtype), all_at_once)


def test_nan_and_signed_zero_keep_their_bits() -> None:
    h = np.array([np.nan, -np.nan, -0.0, np.inf], np.float32)
    x = da.asarray(h)
    for _ in range(3):
        for i in range(4):
            one = np.float32(x[i].item())
            assert np.signbit(one) == np.signbit(h[i])
            assert np.isnan(one) == np.isnan(h[i])


def test_threads_that_write_and_ask() -> None:
    x = da.zeros(64, dtype="int64")
    stop, wrong = threading.Event(), []

    def ask() -> None:
        while not stop.is_set():
            first, second = int(x[3]), int(x[3])
            if second < first:
                wrong.append((first, second))

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for t in threads:
        t.start()
    for value in range(1, 150):
        x[:] = value
        assert int(x[3]) == value
        assert int(x[4]) == value
    stop.set()
    for t in threads:
        t.join()
    assert not wrong
