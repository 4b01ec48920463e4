"""A device whose queues run when the test says so, and every resource over it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from devarray import _core, alloc

testing = _core.testing
KINDS = ["buffer", "svm_coarse", "svm_fine", "device", "managed", "pinned"]
MEMORY = 1 << 24


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def device() -> Iterator[_core.testing.MockDevice]:
    """In no test is memory freed under work that uses it."""
    mock = testing.MockDevice(kinds=["svm_fine", *[k for k in KINDS if k != "svm_fine"]], memory=MEMORY)
    yield mock
    assert mock.freed_in_use == 0


@pytest.fixture
def direct(device: _core.testing.MockDevice) -> alloc.DeviceMemoryResource:
    return alloc.DeviceMemoryResource(device, "svm_fine")


@pytest.fixture
def pool(direct: alloc.DeviceMemoryResource) -> alloc.PoolMemoryResource:
    return alloc.PoolMemoryResource(direct)


RESOURCES: dict[str, Callable[[alloc.MemoryResource], alloc.MemoryResource]] = {
    "direct": lambda up: up,
    "pool": alloc.PoolMemoryResource,
    "pool of a pool": lambda up: alloc.PoolMemoryResource(alloc.PoolMemoryResource(up)),
    "limit": lambda up: alloc.LimitingResourceAdaptor(up, MEMORY),
    "statistics": alloc.StatisticsResourceAdaptor,
    "callback": lambda up: alloc.CallbackMemoryResource(up.allocate, device=up.device, kind=up.kind),
    "limit over pool": lambda up: alloc.LimitingResourceAdaptor(alloc.PoolMemoryResource(up), MEMORY),
    "pool over limit": lambda up: alloc.PoolMemoryResource(alloc.LimitingResourceAdaptor(up, MEMORY)),
    "pool over callback": lambda up: alloc.PoolMemoryResource(
        alloc.CallbackMemoryResource(up.allocate, device=up.device, kind=up.kind)
    ),
    "statistics over limit over pool": lambda up: alloc.StatisticsResourceAdaptor(
        alloc.LimitingResourceAdaptor(alloc.PoolMemoryResource(up), MEMORY)
    ),
}


@pytest.fixture(params=RESOURCES)
def make_resource(request: pytest.FixtureRequest) -> Callable[[alloc.MemoryResource], alloc.MemoryResource]:
    return RESOURCES[request.param]
