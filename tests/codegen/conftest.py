"""Fixtures: every OpenCL runtime that can be found, and the quickest."""

from __future__ import annotations

import pytest
from runtimes import Runtime, parameters, quickest_runtime


@pytest.fixture(params=parameters())
def runtime(request: pytest.FixtureRequest) -> Runtime:
    return request.param


@pytest.fixture
def quick_runtime() -> Runtime:
    """One runtime, the quickest to compile, for kernels on which others take seconds."""
    found = quickest_runtime()
    if found is None:
        pytest.skip("no OpenCL runtime for CPUs")
    return found
