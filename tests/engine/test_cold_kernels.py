"""On CPU devices the host does the work of kernels that are being compiled, with their bits."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import devarray as da

pytestmark = pytest.mark.usefixtures("deferred")

N = 300_000  # beyond what always runs on the host
numbers = itertools.count()


@pytest.fixture(autouse=True)
def cold(monkeypatch: pytest.MonkeyPatch, device: da.Device) -> Iterator[None]:
    """No kernel is known, neither in memory nor on disk."""
    if device.strategy != "cpu":
        pytest.skip("kernels of other devices are waited for")
    monkeypatch.setenv("DEVARRAY_CACHE_DIR", "")
    monkeypatch.setattr(da.config, "background", True)
    da.compiler.clear_cache()
    yield
    da.compiler.wait_for_kernels()


def counts() -> tuple[int, int]:
    stats = da.stats()
    return stats["host_runs"], stats["launches"]


def twice(work: Callable[[], da.Array]) -> list[np.ndarray]:
    """What the host gave, and the kernel."""
    host_runs, launches = counts()
    first = work().copy_to_host()
    assert counts() == (host_runs + 1, launches), "the host did it"
    da.compiler.wait_for_kernels()
    second = work().copy_to_host()
    assert counts() == (host_runs + 1, launches + 1), "its kernel did"
    return [first, second]


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "uint8", "bool", "complex64"])
def test_element_wise_work(dtype: str, device: da.Device) -> None:
    host = (np.arange(N) % 251).astype(dtype)
    x = da.asarray(host, device=device)
    for result in twice(lambda: da.where(x == x[::-1], x + x, x[0])):
        assert (result == np.where(host == host[::-1], host + host, host[0])).all()
        assert result.dtype == host.dtype


def test_an_assignment(device: da.Device) -> None:
    x = da.zeros((600, 500), dtype="float32", device=device)
    x[1:, ::2] = 3
    expected = np.zeros((600, 500), np.float32)
    expected[1:, ::2] = 3
    assert (x.copy_to_host() == expected).all()


@pytest.mark.parametrize(
    "dtype",
    [
        *("float32", "int64", "complex64"),
        *(pytest.param(dtype, marks=pytest.mark.slow) for dtype in ("float64", "uint16", "float16")),
    ],
)
@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize(
    "shape", [(N,), (600, 500), (7, N // 7), (N // 3, 3), (N // 16, 16), (N // 40, 40), (2, 150_000)]
)
def test_reductions_have_the_kernels_bits(
    dtype: str, axis: int | None, shape: tuple[int, ...], device: da.Device
) -> None:
    if axis == 1 and len(shape) == 1:
        pytest.skip("no second axis")
    values = np.random.default_rng(1).standard_normal(shape) * 100
    x = da.asarray(values.astype(dtype), device=device)
    for name in ("sum", "prod", "max") if dtype != "complex64" else ("sum",):
        first, second = twice(lambda name=name: getattr(x, name)(axis=axis))
        assert first.dtype == second.dtype
        assert first.tobytes() == second.tobytes(), name


def test_positions_truths_and_means(device: da.Device) -> None:
    host = np.random.default_rng(2).integers(0, 1000, (600, 500)).astype(np.float32)
    x = da.asarray(host, device=device)
    works: list[Callable[[Any], Any]] = [
        lambda x: x.argmax(axis=1), lambda x: x.argmin(), lambda x: (x > 998).any(), lambda x: (x > 998).sum(),
        lambda x: (x >= 0).all(axis=0),
    ]  # fmt: skip
    for work in works:
        first, second = twice(lambda work=work: work(x))
        assert np.array_equal(first, work(host)) and np.array_equal(second, work(host))
    first, second = twice(lambda: x.mean())
    assert first.tobytes() == second.tobytes()


def test_work_that_is_on_its_way_is_waited_for(device: da.Device) -> None:
    x = da.asarray(np.arange(N, dtype=np.float32), device=device)
    y = da.exp(x * 0)  # no loop of the host's: its kernel is waited for, and launched
    z = (y.evaluate() + x).evaluate()
    assert (z.copy_to_host() == np.arange(N) + 1).all()


def test_what_the_host_has_no_loop_for_is_compiled_at_once(device: da.Device) -> None:
    x = da.asarray(np.zeros(N, np.float32), device=device)
    before = counts()
    assert da.sin(x).copy_to_host().max() == 0
    assert counts() == (before[0], before[1] + 1)


def test_without_the_background_kernels_are_waited_for(device: da.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(da.config, "background", False)
    x = da.asarray(np.arange(N, dtype=np.float32), device=device)
    before = counts()
    assert (x - 0.25).copy_to_host()[2] == 1.75
    assert counts() == (before[0], before[1] + 1)


def test_exposed_memory_is_left_to_the_device(device: da.Device) -> None:
    x = da.asarray(np.arange(N, dtype=np.float32), device=device)
    _ = x.__dlpack__()
    before = counts()
    assert (x - 0.5).copy_to_host()[2] == 1.5
    assert counts() == (before[0], before[1] + 1)
