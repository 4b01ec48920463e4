"""Modes that the engine's tests run in."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import devarray as da


@pytest.fixture(params=["deferred", "eager"])
def both_modes(request: pytest.FixtureRequest) -> Iterator[None]:
    """Deferred work and eager work, one after the other."""
    before = da.config.deferred
    da.config.deferred = request.param == "deferred"
    yield
    da.config.deferred = before
