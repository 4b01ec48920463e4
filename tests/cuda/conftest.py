"""Fixtures of the CUDA tests: a driver made of host memory where there is no GPU, and the GPU where there is one."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent

PREAMBLE = """
import ctypes, gc, sys
import numpy as np
import pytest
from devarray import _core, errors
_core.cuda._use_library({library!r})
import devarray.cuda as cuda
fake = ctypes.CDLL({library!r})
"""


def run_python(code, **environment):
    """Run code in a process of its own, with this process's module path, and return what it printed."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p or "." for p in sys.path), **environment}
    command = [sys.executable, "-P", "-X", "faulthandler", "-W", "error", "-c", code]
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            out, error = process.communicate(timeout=120)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGABRT)  # faulthandler writes where each thread is
            out, error = process.communicate(timeout=30)
            pytest.fail(f"still at work after 120 s\n{out}\n{error}")
    assert process.returncode == 0, f"exit status {process.returncode}\n{out}\n{error}"
    return out


@pytest.fixture
def script():
    """Return the function that runs code in a process of its own."""
    return run_python


def build_library(source, library, *options):
    """Compile a stand-in."""
    compiler = shutil.which(os.environ.get("CC", "cc")) or shutil.which("gcc")
    if compiler is None:
        pytest.skip(f"no C compiler to build {source}")
    flags = ("-shared", "-fPIC", "-O1", "-fvisibility=hidden")
    subprocess.run([compiler, *flags, str(HERE / source), "-o", str(library), *options], check=True)
    return str(library)


@pytest.fixture
def build():
    """Return the function that compiles a stand-in."""
    return build_library


@pytest.fixture(scope="session")
def fake_library(tmp_path_factory):
    return build_library("fake_cuda.c", tmp_path_factory.mktemp("fake") / "libfakecuda.so")


@pytest.fixture(scope="session")
def fake_compiler(tmp_path_factory):
    """A folder for the module path, in which NVRTC's stand-in lies where its wheel would put NVRTC."""
    folder = tmp_path_factory.mktemp("wheels")
    (folder / "nvidia" / "cu13" / "lib").mkdir(parents=True)
    build_library("fake_nvrtc.c", folder / "nvidia" / "cu13" / "lib" / "libnvrtc.so.13")
    return str(folder)


@pytest.fixture
def with_fake_driver(fake_library):
    """Return a function that runs code with the stand-in driver: a driver is loaded once a process."""

    def run(code, **environment):
        return run_python(PREAMBLE.format(library=fake_library) + code, **environment)

    return run


@pytest.fixture
def with_stand_ins(fake_library, fake_compiler):
    """Return a function that runs code with the stand-ins for the driver and for NVRTC. The code has their names."""

    def run(code):
        path = os.pathsep.join([fake_compiler, *(p or "." for p in sys.path)])
        environment = {
            "PYTHONPATH": path,
            "DEVARRAY_CACHE_DIR": "",
            "FAKE_CUDA_FILL": "0",
            "DEVARRAY_EAGER": "0",
            "DEVARRAY_ROW_BYTES": str(1 << 23),  # small launches do not walk by turns
        }
        return run_python(code.format(library=fake_library), **environment)

    return run


@pytest.hookimpl(tryfirst=True)  # before -m chooses
def pytest_collection_modifyitems(items):
    for item in items:
        if {"fake_library", "fake_compiler"} & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.stand_in)


def cuda_devices():
    from devarray import _core, errors

    try:
        return _core.cuda.devices()
    except errors.MissingDriverError:
        return []


@pytest.fixture
def context():
    """The first GPU's primary context, current for the test."""
    if not cuda_devices():
        pytest.skip("no CUDA device")
    import devarray.cuda as cuda

    context = cuda.Device(0).retain_primary_context()
    context.push()
    yield context
    cuda.Context.synchronize()
    cuda.Context.pop()


# SEEN_JSON=1: seen.json notes where each test passed, for docs/cuda.md.
_seen: dict[str, set[str]] = {}


def pytest_runtest_logreport(report):
    if report.when == "call" and report.passed:
        place, _, _ = report.nodeid.removeprefix("tests/").partition("[")
        _seen.setdefault(place, set()).add("NVIDIA" if cuda_devices() else "without a GPU")


def pytest_sessionfinish(session):
    if os.environ.get("SEEN_JSON") != "1" or hasattr(session.config, "workerinput"):
        return
    path = HERE / "seen.json"
    before = json.loads(path.read_text()) if path.exists() else {}
    known = {place: sorted({*before.get(place, []), *_seen.get(place, [])}) for place in {*before, *_seen}}
    path.write_text(json.dumps(dict(sorted(known.items())), indent=0) + "\n")
