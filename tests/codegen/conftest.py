"""Fixtures: every OpenCL runtime that can be found."""

from __future__ import annotations

import pytest
from runtimes import Runtime, parameters


@pytest.fixture(params=parameters())
def runtime(request: pytest.FixtureRequest) -> Runtime:
    return request.param
