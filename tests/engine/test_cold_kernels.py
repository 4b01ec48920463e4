"""On CPU devices the host does the work of kernels that are being compiled, with their bits."""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import devarray as da
from devarray._runtime import compiler

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
    y = da.i0(x * 0)  # no loop of the host's: its kernel is waited for, and launched
    z = (y.evaluate() + x).evaluate()
    assert (z.copy_to_host() == np.arange(N) + 1).all()


def test_what_the_host_has_no_loop_for_is_compiled_at_once(device: da.Device) -> None:
    x = da.asarray(np.zeros(N, np.float32), device=device)
    before = counts()
    assert da.i0(x).copy_to_host().max() == 1
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


@pytest.mark.parametrize("kind", ["elementwise", "reduction", "gather"])
def test_a_source_is_written_once_while_its_kernel_waits_to_be_compiled(
    kind: str, device: da.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, name = importlib.import_module(f"devarray.codegen.kernels.{kind}"), "render"
    if kind == "gather":
        module, name = importlib.import_module("devarray._primitives.gather"), "_plan"
    written: list[object] = []
    original = getattr(module, name)

    def counted(*arguments: object) -> object:
        written.append(arguments)
        return original(*arguments)

    monkeypatch.setattr(module, name, counted)
    host = np.arange(N, dtype=np.float32)
    x, places = da.asarray(host, device=device), da.asarray(np.arange(N)[::-1].copy(), device=device)
    works: dict[str, Callable[[Any, Any], Any]] = {
        "elementwise": lambda x, _: x * 2.5 - 3, "reduction": lambda x, _: (x - 0.25).max(),
        "gather": lambda x, places: x[places],
    }  # fmt: skip
    wanted = works[kind](host, np.arange(N)[::-1])
    with compiler._background.ahead():  # so that no job begins
        for _ in range(4):
            assert np.array_equal(works[kind](x, places).copy_to_host(), wanted)
    assert len(written) == 1
    da.compiler.wait_for_kernels()
    launches = da.stats()["launches"]
    assert np.array_equal(works[kind](x, places).copy_to_host(), wanted)
    assert da.stats()["launches"] > launches and len(written) == 1


def first_and_second(work: Callable[[], Any]) -> list[Any]:
    """What the host gave without a launch, and the kernels."""
    launches = da.stats()["launches"]
    first = work()
    assert da.stats()["launches"] == launches, "the host did it"
    da.compiler.wait_for_kernels()
    second = work()
    assert da.stats()["launches"] > launches, "kernels did"
    return [first, second]


@pytest.mark.parametrize("dtype", ["float32", "complex128", "bool", "int8"])
@pytest.mark.parametrize("axis", [0, 1])
def test_gathers(dtype: str, axis: int, device: da.Device) -> None:
    host = (np.arange(N).reshape(600, 500) % 117).astype(dtype)
    index = np.random.default_rng(3).integers(-500, 500, (30, 40))
    x, chosen = da.asarray(host, device=device), da.asarray(index, device=device)
    da.config.forbid_waits = True  # a stand-in is none
    try:
        found = first_and_second(lambda: da.take(x, chosen, axis=axis).evaluate())
    finally:
        da.config.forbid_waits = False
    for result in found:
        assert np.array_equal(result.copy_to_host(), np.take(host, index, axis=axis))


def test_gathers_outside_are_errors_of_the_next_wait(device: da.Device) -> None:
    x = da.asarray(np.arange(N, dtype=np.float32), device=device)
    wrong = x[da.asarray(np.array([1, N] * 200_000), device=device)]
    with pytest.raises(IndexError, match=str(N)):
        wrong.copy_to_host()


def test_places_of_a_mask(device: da.Device) -> None:
    host = np.random.default_rng(4).integers(0, 3, (600, 500))
    x = da.asarray(host, device=device)
    for found in first_and_second(lambda: da.nonzero(x)):
        for place, wanted in zip(found, np.nonzero(host), strict=True):
            assert np.array_equal(place.copy_to_host(), wanted)
            assert place.dtype == wanted.dtype


@pytest.mark.parametrize("dtype", ["int64", "uint8", "int16", "uint64"])
@pytest.mark.heavy
def test_counts_of_numbers(dtype: str, device: da.Device) -> None:
    host = np.random.default_rng(5).integers(0, 100, N).astype(dtype)
    x = da.asarray(host, device=device)
    wanted = np.bincount(host.astype(np.int64))
    for found in (da.bincount(x), (da.compiler.wait_for_kernels(), da.bincount(x))[1]):
        assert np.array_equal(found.copy_to_host(), wanted)
    da.compiler.clear_cache()
    values, numbers = da.unique(x, return_counts=True)
    assert np.array_equal(values.copy_to_host(), np.unique(host))
    assert np.array_equal(numbers.copy_to_host(), wanted)


def test_counts_of_negative_numbers(device: da.Device) -> None:
    host = np.random.default_rng(6).integers(-40, 40, N).astype(np.int8)
    values, numbers = da.unique(da.asarray(host, device=device), return_counts=True)
    wanted = np.unique(host, return_counts=True)
    assert np.array_equal(values.copy_to_host(), wanted[0]) and np.array_equal(numbers.copy_to_host(), wanted[1])


@pytest.mark.parametrize("bounds", [None, (-1.0, 2.0), (0.0, 0.7)])
def test_histograms(bounds: tuple[float, float] | None, device: da.Device) -> None:
    host = np.random.default_rng(7).standard_normal(N)
    if bounds:
        host[:4] = [np.nan, np.inf, bounds[0], bounds[1]]
    x = da.asarray(host, device=device)
    wanted = np.histogram(host, 37, bounds)[0]
    for _ in range(2):
        assert np.array_equal(da.histogram(x, 37, bounds)[0].copy_to_host(), wanted)
        da.compiler.wait_for_kernels()


@pytest.mark.parametrize("shift", [1, -3, 299_999])
@pytest.mark.parametrize("shape", [(N,), (600, 500), (20, 50, 300)])
def test_rolled_operands(shape: tuple[int, ...], shift: int, device: da.Device) -> None:
    host = np.arange(N, dtype=np.float32).reshape(shape) % 1013
    x = da.asarray(host, device=device)
    for axis in range(len(shape)):
        wanted = np.roll(np.roll(host, shift, axis=axis), 2, axis=0) * 2 - np.roll(host[::-1], 5, axis=-1)
        for found in twice(
            lambda axis=axis: da.roll(da.roll(x, shift, axis=axis), 2, axis=0) * 2 - da.roll(x[::-1], 5, axis=-1)
        ):
            assert np.array_equal(found, wanted)
