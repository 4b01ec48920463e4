"""Messages go through logging, logger ``devarray``; without any logging set up, DEVARRAY_DEBUG shows them on stderr."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import numpy as np
import pytest
from test_settings import python

import devarray as da
from devarray._runtime.logs import log


@pytest.fixture
def debug() -> Iterator[None]:
    """Every message."""
    da.config.debug = 4
    yield
    da.config.debug = 0


@pytest.mark.usefixtures("device", "deferred", "debug")
def test_the_engine_logs_kernels_and_sources(caplog: pytest.LogCaptureFixture) -> None:
    x = da.arange(5, dtype="float32")
    result = ((x + 1.625) * x).copy_to_host()
    np.testing.assert_array_equal(result, (np.arange(5, dtype="float32") + 1.625) * np.arange(5, dtype="float32"))
    records = [record for record in caplog.records if record.name == "devarray"]
    kernels = [record for record in records if record.getMessage().startswith("kernel ")]
    assert any(" (5,), " in record.getMessage() for record in kernels), [r.getMessage() for r in records]
    assert {record.levelno for record in kernels} == {logging.DEBUG}


@pytest.mark.usefixtures("device", "deferred")
def test_without_debug_nothing_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    (da.ones(5) + 2.25).evaluate()
    assert caplog.records == []


@pytest.mark.usefixtures("device", "deferred", "debug")
def test_a_handler_may_compute() -> None:
    class Computing(logging.Handler):
        seen = 0

        def emit(self, record: logging.LogRecord) -> None:
            self.seen += 1
            assert float((da.ones(3) * 3.5).sum()) == 10.5

    handler = Computing()
    logging.getLogger("devarray").addHandler(handler)
    try:
        assert float((da.ones(3) + 4.5).sum()) == 16.5
    finally:
        logging.getLogger("devarray").removeHandler(handler)
    assert handler.seen > 0


class Failing(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        raise RuntimeError("no")


@pytest.mark.usefixtures("device", "deferred", "debug")
def test_a_handler_that_fails_does_not_disturb_the_work(capsys: pytest.CaptureFixture[str]) -> None:
    """Whether C++ makes the message or Python, as that of a kernel's source is made."""
    handler = Failing()
    logging.getLogger("devarray").addHandler(handler)
    try:
        x = (da.ones(3) + 5.5).evaluate()
        told = capsys.readouterr().err
        log(4, "a source")
    finally:
        logging.getLogger("devarray").removeHandler(handler)
    np.testing.assert_array_equal(x.copy_to_host(), [6.5] * 3)
    assert "RuntimeError: no" in told and "RuntimeError: no" in capsys.readouterr().err


WORK = "import devarray as da\n(da.ones(3) + 1).evaluate()\n"


def test_without_logging_set_up_stderr_shows_messages(device: da.Device) -> None:
    name = f"{device.driver}:{device.index}"
    settings = {"DEVARRAY_DEBUG": "2", "DEVARRAY_CACHE_DIR": "", "DEVARRAY_HOST_ELEMENTS": "0"}
    done = python("-P", "-c", WORK, DEVARRAY_DEVICE=name, **settings)
    lines = done.stderr.splitlines()
    assert lines[0].startswith(f"devarray: default device {device}, {device.caps['platform']}")
    # a slow compiler has a message of its own between them
    assert any(line.startswith(("devarray: kernel ", "devarray: host ")) for line in lines[1:])


def test_a_programs_own_logging_gets_each_message_once(device: da.Device) -> None:
    name = f"{device.driver}:{device.index}"
    program = 'import logging\nlogging.basicConfig(format="%(name)s/%(levelname)s/%(message)s")\n' + WORK
    done = python("-P", "-c", program, DEVARRAY_DEVICE=name, DEVARRAY_DEBUG="1")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"devarray/INFO/default device {device}")


def test_logging_is_not_imported_before_there_is_a_message(device: da.Device) -> None:
    program = """
import sys, devarray
print("logging" in sys.modules, "devarray._runtime.logs" in sys.modules)"""
    assert python("-P", "-c", program).stdout == "False False\n"
