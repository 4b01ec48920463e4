"""Fixtures of the OpenCL layer's tests: every test runs on every runtime that is found."""

from __future__ import annotations

import pytest

from devarray import _core

cl = pytest.importorskip("devarray.cl")


def _name(device):
    platform = device.caps["platform"]
    return {"Portable Computing Language": "pocl", "Intel(R) OpenCL": "intel"}.get(platform, platform)


def pytest_generate_tests(metafunc):
    if "engine" in metafunc.fixturenames:
        devices = _core.cl.devices()
        metafunc.parametrize("engine", devices, ids=[f"{_name(d)}{d.index}" for d in devices], scope="module")


@pytest.fixture
def queue(engine):
    """An in-order queue of the engine's device, of its own."""
    return engine.create_queue()


@pytest.fixture
def ctx(engine):
    """The context of the engine's device."""
    return engine.cl_context
