"""The thread that compiles kernels: order, waiting, and jobs that fail."""

from __future__ import annotations

import threading

import pytest

from devarray._runtime import compiler_waits
from devarray._runtime.background import Background
from devarray.errors import CompileError


def test_jobs_run_in_order_each_key_once() -> None:
    jobs, done, gate = Background(), [], threading.Event()
    jobs.submit("first", gate.wait)
    for key in ("a", "b", "a"):
        jobs.submit(key, lambda key=key: done.append(key))
    assert jobs.knows("first") and jobs.knows("a") and not jobs.knows("c")
    gate.set()
    jobs.wait()
    assert done == ["a", "b"]
    assert not jobs.knows("a")


def test_a_job_that_raises_is_noted_and_the_next_one_runs() -> None:
    jobs, done = Background(), []

    def fail() -> None:
        raise CompileError("no")

    jobs.submit("bad", fail)
    jobs.submit("good", lambda: done.append(1))
    jobs.wait()
    assert (jobs.failed, done) == ({"bad"}, [1])


def test_who_waits_goes_first() -> None:
    jobs, done = Background(), []
    with jobs.ahead("mine"):
        jobs.submit("other", lambda: done.append("other"))
        jobs.submit("mine", lambda: done.append("mine"))
        done.append("caller")
    jobs.wait()
    assert done[0] == "caller" and set(done) == {"caller", "other", "mine"}


def test_what_is_under_way_is_waited_for_and_what_waits_is_taken_over() -> None:
    jobs, done, begun, gate = Background(), [], threading.Event(), threading.Event()

    def slow() -> None:
        begun.set()
        gate.wait()
        done.append("slow")

    jobs.submit("slow", slow)
    jobs.submit("later", lambda: done.append("later"))
    begun.wait()
    with jobs.ahead("later"):
        assert not jobs.knows("later")
    threading.Timer(0.05, gate.set).start()
    with jobs.ahead("slow"):
        assert done == ["slow"]
    jobs.wait()
    assert done == ["slow"]


def test_a_long_wait_for_the_compiler_is_told_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(compiler_waits, "LONG", 0.5)
    monkeypatch.setattr(compiler_waits, "_told", False)
    # The second to the fourth belong together, and the third is at the same time as the second.
    for made, (begin, end) in enumerate([(0.0, 0.4), (1.0, 1.3), (1.1, 1.3), (1.31, 1.6), (2.0, 4.0)]):
        before = len(caplog.messages)
        compiler_waits.note(begin + 1e9, end + 1e9, (made, made + 1), "a device", "/a/folder")
        assert (len(caplog.messages) > before) == (begin == 1.31)
    (record,) = caplog.records
    assert (record.name, record.levelname) == ("devarray", "WARNING")
    assert "waited 0.6 s for the compiler of a device, which made 3 kernels" in record.getMessage()
    assert "/a/folder" in record.getMessage() and "warmup SCRIPT" in record.getMessage()
