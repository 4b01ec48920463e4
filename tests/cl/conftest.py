"""Fixtures of the OpenCL layer's tests: every test runs on every runtime that is found."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from second_runtime import lacking

from devarray import _core

cl = pytest.importorskip("devarray.cl")


def _name(device):
    platform = device.caps["platform"]
    return {"Portable Computing Language": "pocl", "Intel(R) OpenCL": "intel"}.get(platform, platform)


def pytest_generate_tests(metafunc):
    if "engine" in metafunc.fixturenames:
        rows = [pytest.param(d, id=f"{_name(d)}{d.index}") for d in _core.cl.devices()]
        if lacking():
            rows.append(pytest.param(None, id="second runtime", marks=pytest.mark.skip(reason=lacking())))
        metafunc.parametrize("engine", rows, scope="module")


@pytest.fixture
def queue(engine):
    """An in-order queue of the engine's device, of its own."""
    return engine.create_queue()


@pytest.fixture
def ctx(engine):
    """The context of the engine's device."""
    return engine.cl_context


# SEEN_JSON=1: seen.json notes on which runtimes each test passed, for docs/opencl.md.
_seen: dict[str, set[str]] = {}


def pytest_runtest_logreport(report):
    if report.when == "call" and report.passed:
        place, _, parameters = report.nodeid.removeprefix("tests/").partition("[")
        runtimes = {word for word in ("intel", "pocl", "NVIDIA") if word in parameters} or {"any"}
        _seen.setdefault(place, set()).update(runtimes)


def pytest_sessionfinish(session):
    if os.environ.get("SEEN_JSON") != "1" or hasattr(session.config, "workerinput"):
        return
    path = Path(__file__).parent / "seen.json"
    before = json.loads(path.read_text()) if path.exists() else {}
    known = {place: sorted({*before.get(place, []), *_seen.get(place, [])}) for place in {*before, *_seen}}
    path.write_text(json.dumps(dict(sorted(known.items())), indent=0) + "\n")
