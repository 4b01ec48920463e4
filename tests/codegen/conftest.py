"""Fixtures: every OpenCL runtime that can be found."""

from __future__ import annotations

import pytest
from runtimes import Runtime, opencl_runtimes
from second_runtime import lacking

RUNTIMES = [pytest.param(runtime, id=runtime.name) for runtime in opencl_runtimes()]
if len(RUNTIMES) < 2:
    RUNTIMES.append(pytest.param(None, id="second runtime", marks=pytest.mark.skip(reason=lacking() or "no PyOpenCL")))


@pytest.fixture(params=RUNTIMES)
def runtime(request: pytest.FixtureRequest) -> Runtime:
    return request.param
