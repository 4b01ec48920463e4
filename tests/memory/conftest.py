"""A device whose queues run when the test says so, and every resource over it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest

from devarray import _core, alloc

testing = getattr(_core, "testing", None)
KINDS = ["buffer", "svm_coarse", "svm_fine", "device", "managed", "pinned"]
MEMORY = 1 << 24


@pytest.fixture(params=["buffer", "svm_fine", "device"])  # counted by the driver; seen by the host; neither
def kind(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def device() -> Iterator[_core.testing.MockDevice]:
    """In no test is memory freed under work that uses it."""
    if testing is None:
        pytest.skip("devarray was built without DEVARRAY_TESTING")
    mock = testing.MockDevice(kinds=["svm_fine", *[k for k in KINDS if k != "svm_fine"]], memory=MEMORY)
    yield mock
    assert mock.freed_in_use == 0


@pytest.fixture
def direct(device: _core.testing.MockDevice) -> alloc.DeviceMemoryResource:
    return alloc.DeviceMemoryResource(device, "svm_fine")


def bins(upstream: alloc.MemoryResource) -> alloc.PoolMemoryResource:
    return alloc.PoolMemoryResource(upstream, leading_bits_in_bin_id=4)


@pytest.fixture(params=[alloc.PoolMemoryResource, bins], ids=["splitting", "bins"])
def pool(request: pytest.FixtureRequest, direct: alloc.DeviceMemoryResource) -> alloc.PoolMemoryResource:
    return request.param(direct)


RESOURCES: dict[str, Callable[[alloc.MemoryResource], alloc.MemoryResource]] = {
    "direct": lambda up: up,
    "pool": alloc.PoolMemoryResource,
    "bins": bins,
    "pool of a pool": lambda up: bins(alloc.PoolMemoryResource(up)),
    "limit": lambda up: alloc.LimitingResourceAdaptor(up, MEMORY),
    "statistics": alloc.StatisticsResourceAdaptor,
    "tracking": alloc.TrackingResourceAdaptor,
    "failure callback": lambda up: alloc.FailureCallbackResourceAdaptor(up, lambda nbytes: False),
    "prefetch over pool": lambda up: alloc.PrefetchResourceAdaptor(alloc.PoolMemoryResource(up)),
    "logging over pool": lambda up: alloc.LoggingResourceAdaptor(alloc.PoolMemoryResource(up), os.devnull),
    "callback": lambda up: alloc.CallbackMemoryResource(up.allocate, device=up.device, kind=up.kind),
    "limit over pool": lambda up: alloc.LimitingResourceAdaptor(alloc.PoolMemoryResource(up), MEMORY),
    "pool over limit": lambda up: bins(alloc.LimitingResourceAdaptor(up, MEMORY)),
    "pool over callback": lambda up: alloc.PoolMemoryResource(
        alloc.CallbackMemoryResource(up.allocate, device=up.device, kind=up.kind)
    ),
    "pool over growing blocks": lambda up: alloc.PoolMemoryResource(testing.GrowingResource(up, 1 << 16, 4096)),
    "statistics over limit over pool": lambda up: alloc.StatisticsResourceAdaptor(
        alloc.LimitingResourceAdaptor(alloc.PoolMemoryResource(up), MEMORY)
    ),
}


@pytest.fixture(params=RESOURCES)
def make_resource(request: pytest.FixtureRequest) -> Callable[[alloc.MemoryResource], alloc.MemoryResource]:
    return RESOURCES[request.param]
