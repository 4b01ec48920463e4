"""Modes that the engine's tests run in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import devarray as da
from devarray import _core


@pytest.fixture(params=["deferred", "eager"])
def both_modes(request: pytest.FixtureRequest) -> Iterator[None]:
    """Deferred work and eager work, one after the other."""
    before = da.config.deferred
    da.config.deferred = request.param == "deferred"
    yield
    da.config.deferred = before


@pytest.fixture
def on_host(device: da.Device) -> Iterator[None]:
    """Small work runs on the host, whatever the process does by default."""
    if device.strategy != "cpu" or not da.zeros(1).allocator.kind.endswith(("svm_fine", "buffer")):
        pytest.skip("only where the memory is the host's")
    before = da.config.host_elements
    da.config.host_elements = 1 << 20
    da.synchronize()
    yield
    da.config.host_elements = before


@pytest.fixture
def gpu_strategy(device: da.Device) -> None:
    """Skips where kernels are planned as for CPUs."""
    if device.strategy != "gpu":
        pytest.skip("of the strategy of GPUs")


@pytest.fixture
def sources(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The sources of kernels that are asked for."""
    from devarray._runtime import compiler

    _core.clear_kernel_cache()
    seen: list[str] = []
    get = compiler.get

    def noted(device: da.Device, source: str, *rest: Any) -> Any:
        seen.append(source)
        return get(device, source, *rest)

    monkeypatch.setattr(compiler, "get", noted)
    return seen


@pytest.fixture
def plans(gpu_strategy: None) -> Iterator[None]:
    """Launches are planned once and repeated, from none on."""
    before = _core.get_config()
    _core.set_config("row_bytes", 1 << 40)  # reductions are launched at once: those that wait have no plans
    _core.set_config("vector_elements", 0)
    _core.clear_kernel_cache()
    yield
    _core.clear_kernel_cache()
    _core.set_config("row_bytes", before["row_bytes"])
    _core.set_config("vector_elements", before["vector_elements"])


@pytest.fixture
def large_from_256_bytes() -> Iterator[None]:
    """Arrays count as large from 256 bytes on."""
    before = _core.get_config()["row_bytes"]
    _core.set_config("row_bytes", 16)
    yield
    _core.set_config("row_bytes", before)
