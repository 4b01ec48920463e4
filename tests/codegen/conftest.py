"""Fixtures: every OpenCL runtime that can be found."""

from __future__ import annotations

import pytest
from runtimes import Runtime, opencl_runtimes

RUNTIMES = [pytest.param(runtime, id=runtime.name) for runtime in opencl_runtimes()]


@pytest.fixture(params=RUNTIMES or [pytest.param(None, marks=pytest.mark.skip(reason="no OpenCL runtime"))])
def runtime(request: pytest.FixtureRequest) -> Runtime:
    return request.param
