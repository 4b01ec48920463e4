"""One device a process: DEVARRAY_DEVICE chooses it, DEVARRAY_EAGER=1 the eager mode; the header names both.

Compiled kernels stay in a folder of their own under the system's temporary folder, so that a second run compiles
nothing. HYPOTHESIS_PROFILE=night and deep search more examples, at random, and brief fewer. A file or a test runs in
one process, more than that in several.
"""

from __future__ import annotations

import gc
import os
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import hypothesis
import pytest

# `python -m pytest` puts the checkout first on the path, where devarray/ lies without its compiled core.
_CHECKOUT = Path(__file__).resolve().parent.parent
sys.path[:] = [entry for entry in sys.path if Path(entry).resolve() != _CHECKOUT]
# Tests' arrays are small, and most tests are of kernels: the host takes none of their work, unless a test or the caller
# asks for it (engine/test_host_runs.py, engine/test_cold_kernels.py). .ci/run runs all tests of arrays once more with
# what users have by default.
os.environ.setdefault("DEVARRAY_HOST_ELEMENTS", "0")
os.environ.setdefault("DEVARRAY_BACKGROUND", "0")
os.environ.setdefault("DEVARRAY_CACHE_DIR", str(Path(tempfile.gettempdir()) / f"devarray-tests-{os.getuid()}"))

# How long a run compiles depends on the machine and the cache, and tests look at what is logged.
os.environ["DEVARRAY_COMPILER_NOTICE"] = "0"

from second_runtime import lacking  # noqa: E402

import devarray as da  # noqa: E402 (found without the checkout)

_COMMON = {
    "deadline": None,
    "database": None,
    "suppress_health_check": [hypothesis.HealthCheck.too_slow, hypothesis.HealthCheck.function_scoped_fixture],
}
hypothesis.settings.register_profile("ci", derandomize=True, max_examples=60, **_COMMON)
hypothesis.settings.register_profile("brief", derandomize=True, max_examples=15, **_COMMON)
hypothesis.settings.register_profile("night", max_examples=100, print_blob=True, **_COMMON)
hypothesis.settings.register_profile("deep", max_examples=1000, print_blob=True, **_COMMON)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


_WORKER_BYTES = 2 << 30
"""Room for a worker: its arrays, and the compilers that the drivers load into it."""


@pytest.hookimpl(optionalhook=True)  # there is no such hook without pytest-xdist
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Workers of ``-n auto``: one a core while memory lasts, at most eight; none for a single file or test."""
    if len(config.args) == 1 and Path(config.args[0].split("::")[0]).is_file():
        return 0
    with open("/proc/meminfo") as file:
        (available,) = (int(line.split()[1]) << 10 for line in file if line.startswith("MemAvailable:"))
    return max(1, min(len(os.sched_getaffinity(0)), available // _WORKER_BYTES, 8))


@cache
def _device() -> da.Device | None:
    try:
        return da.device()
    except da.MissingDriverError:
        return None
    except da.DeviceError as error:
        raise pytest.UsageError(str(error)) from error


@cache
def _pool(kind: str) -> da.alloc.MemoryResource:
    return da.alloc.PoolMemoryResource(da.alloc.DeviceMemoryResource(_device(), kind))


def pytest_report_header() -> str:
    found = _device()
    if found is None:
        return "devarray: no device found, tests that need one are skipped"
    mode = "deferred" if da.config.deferred else "eager"
    return f"devarray: {found}, {found.caps['platform']}, memory {', '.join(found.memory_kinds)}, {mode}"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says what could not be tested here."""
    if lacking():
        terminalreporter.section("LEFT OUT: the half of the OpenCL tests that needs a second runtime", "!", red=True)
        terminalreporter.write_line(lacking())


_MANY, _HEAVY, _EVERY = 3, 1, 11
"""Of a function's cases beyond the first `_MANY`, of a heavy one's beyond the first `_HEAVY`, every `_EVERY`-th runs
always; the others are marked as further. (11 is no divisor of how many dtypes or layouts a test has.)"""


@pytest.hookimpl(tryfirst=True)  # before -m chooses
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    met: dict[str, int] = {}
    for item in items:
        function = item.nodeid.partition("[")[0]
        number = met[function] = met.get(function, -1) + 1
        many = _HEAVY if item.get_closest_marker("heavy") else _MANY
        if number >= many and number % _EVERY:
            item.add_marker(pytest.mark.further)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--every", type=int, default=1, metavar="N", help="of the tests that are chosen, every N-th alone")


class _EveryNth:
    """Leaves out all but every N-th test, when -m and -k have chosen."""

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        chosen = items[:: config.getoption("every")]
        kept = set(chosen)
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = chosen


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(_EveryNth())


def pytest_collection_finish() -> None:
    """Collections of garbage, of which some tests ask for dozens, need not look through the tests themselves."""
    gc.collect()
    gc.freeze()


_SHARED = os.environ["DEVARRAY_CACHE_DIR"]
_KEPT = os.path.join(_SHARED, f"{os.getpid():040x}.src")
"""A file among the kernels that all tests share: it is gone when a test has deleted them."""


def pytest_sessionstart() -> None:
    if _SHARED:
        os.makedirs(_SHARED, 0o700, exist_ok=True)
        Path(_KEPT).touch(0o600)


def pytest_sessionfinish() -> None:
    if _SHARED:
        Path(_KEPT).unlink(missing_ok=True)


@pytest.hookimpl(trylast=True)  # after what ends the test itself
def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Compiling takes most of the tests' time, so none may delete the kernels that others have compiled."""
    if _SHARED and not os.path.exists(_KEPT):
        Path(_KEPT).touch(0o600)
        pytest.fail(
            f"all compiled kernels in {_SHARED} were deleted, by {item.nodeid} or by a test that ran beside it: "
            "a test that clears the cache sets DEVARRAY_CACHE_DIR to a folder of its own"
        )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "memory_kind" in metafunc.fixturenames:
        found = _device()
        metafunc.parametrize("memory_kind", found.memory_kinds if found else ["none"], indirect=True)


@pytest.fixture
def device() -> da.Device:
    """The device of this process."""
    found = _device()
    if found is None:
        pytest.skip("no device")
    return found


@pytest.fixture
def memory_kind(request: pytest.FixtureRequest, device: da.Device) -> Iterator[str]:
    """Each kind of memory that the device has; new arrays take it."""
    with da.use(allocator=_pool(request.param)):
        yield request.param


@pytest.fixture
def kernels(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """All work is done by kernels, in child processes too, whatever the process does by default."""
    before = da.config.host_elements, da.config.background
    da.compiler.wait_for_kernels()  # those of earlier tests
    da.config.host_elements, da.config.background = 0, False
    monkeypatch.setenv("DEVARRAY_HOST_ELEMENTS", "0")
    monkeypatch.setenv("DEVARRAY_BACKGROUND", "0")
    yield
    da.config.host_elements, da.config.background = before


@pytest.fixture
def deferred() -> Iterator[None]:
    """Deferred mode, whatever the process runs in."""
    before = da.config.deferred
    da.config.deferred = True
    yield
    da.config.deferred = before
