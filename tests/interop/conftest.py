"""Devices, memory and modes that the tests of other libraries share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import devarray as da


@pytest.fixture
def shared(device: da.Device) -> Iterator[da.alloc.MemoryResource]:
    """The allocator of new arrays: memory that capsules hold without a copy, of CPUs that which the host reads."""
    kind = next((kind for kind in device.memory_kinds if device.type != "cpu" or kind == "svm_fine"), None)
    if kind is None:
        pytest.skip("no memory that the host reads")
    pool = da.alloc.PoolMemoryResource(da.alloc.DeviceMemoryResource(device, kind))
    with da.use(allocator=pool):
        yield pool


@pytest.fixture
def cpu(device: da.Device, shared: da.alloc.MemoryResource) -> da.Device:
    """A CPU device, and arrays in memory of it that the host reads."""
    if device.type != "cpu":
        pytest.skip("not a CPU device")
    return device


@pytest.fixture
def cuda(device: da.Device) -> Iterator[da.Device]:
    if device.driver != "cuda":
        pytest.skip("not a CUDA device")
    yield device
