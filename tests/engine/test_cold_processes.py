"""Kernels that are being compiled when a process ends or forks, when the compiler fails, and with several threads."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest

import devarray as da
from devarray._runtime import compiler

N = 300_000  # beyond what always runs on the host


@pytest.fixture(autouse=True)
def cold(monkeypatch: pytest.MonkeyPatch, device: da.Device) -> Iterator[None]:
    """No kernel is known, neither in memory nor on disk."""
    if device.strategy != "cpu":
        pytest.skip("kernels of other devices are waited for")
    monkeypatch.setenv("DEVARRAY_CACHE_DIR", "")
    monkeypatch.setattr(da.config, "background", True)
    compiler.clear_cache()
    yield
    compiler.wait_for_kernels()


def run(program: str) -> str:
    environment = {**os.environ, "DEVARRAY_BACKGROUND": "1", "DEVARRAY_COMPILER_NOTICE": "0"}
    done = subprocess.run(
        [sys.executable, "-c", "import os, sys, time\nimport devarray as da\n" + textwrap.dedent(program)],
        env=environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


BEGUN = """
x = da.zeros(300_000)
works = [(x + k * x if k else x + 1).evaluate() for k in range(2)]
works.append(da.where(x == x[::-1], x - 1, x * x).evaluate())
while not da.compiler._background._running:
    time.sleep(0.0005)
"""


@pytest.mark.parametrize("end", ["", "sys.exit(0)", "raise SystemExit"])
def test_a_process_ends_while_a_kernel_is_compiled(end: str) -> None:
    assert run(f"{BEGUN}\nprint('end')\n{end}") == "end\n"


def test_a_process_ends_before_a_kernel_is_compiled() -> None:
    assert run("x = da.zeros(300_000)\nprint((x + 1).copy_to_host()[5])") == "1.0\n"


def test_a_fork_while_a_kernel_is_compiled() -> None:
    program = f"""{BEGUN}
child = os.fork()
if child == 0:
    jobs = da.compiler._background
    da.compiler.wait_for_kernels()  # there are none in this process
    done = []
    jobs.submit("of the child", lambda: done.append(1))
    jobs.wait()
    os._exit(0 if done else 3)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
da.compiler.wait_for_kernels()
print((works[0] + 1).copy_to_host()[0])
"""
    assert run(program) == "0\n2.0\n"


def test_a_compiler_that_fails_in_the_background_is_told_by_the_call(
    device: da.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise da.errors.CompileError("the compiler has failed")

    x = da.asarray(np.arange(N, dtype=np.float32), device=device)
    with monkeypatch.context() as broken:
        broken.setattr(compiler, "_compile", fail)
        assert (x - 0.25).copy_to_host()[2] == 1.75, "the host does not need it"
        compiler.wait_for_kernels()
        with pytest.raises(da.errors.CompileError, match="the compiler has failed"):
            (x - 0.25).evaluate()
    assert (x - 0.25).copy_to_host()[3] == 2.75, "and it works again when the compiler does"


def test_what_is_no_error_of_ours_ends_no_later_job(monkeypatch: pytest.MonkeyPatch) -> None:
    jobs, seen, done = compiler.Background(), [], []
    monkeypatch.setattr(threading, "excepthook", seen.append)
    jobs.submit("bad", lambda: [][0])
    jobs.wait()
    deadline = time.monotonic() + 10
    while not seen and time.monotonic() < deadline:
        time.sleep(0.001)
    assert [type(hook.exc_value) for hook in seen] == [IndexError]
    assert jobs.failed == {"bad"}
    jobs.submit("good", lambda: done.append(1))
    jobs.wait()
    assert done == [1]


def test_first_calls_of_several_threads_and_queues(device: da.Device) -> None:
    wrong: list[str] = []

    def work(seed: int) -> None:
        with da.use(queue=da.queue()):
            host = np.random.default_rng(seed).integers(0, 99, N).astype(np.float32)
            x = da.asarray(host)
            for _ in range(3):
                results = [
                    (x * 2 - x[::-1], host * 2 - host[::-1]), ((x > 50).sum(), (host > 50).sum()), (x.max(), host.max()),
                    (da.cumsum(x), np.cumsum(host)), (da.sqrt(x), np.sqrt(host)),
                ]  # fmt: skip
                wrong.extend(
                    f"{seed}: {i}" for i, (a, b) in enumerate(results) if not np.array_equal(a.copy_to_host(), b)
                )

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_kernels_that_come_and_go_leave_nothing(device: da.Device) -> None:
    x = da.asarray(np.arange(N, dtype=np.float32), device=device)
    for _ in range(3):
        (x + x * x).evaluate()
        x.sum().evaluate()
        compiler.wait_for_kernels()
        held = (len(compiler._kernels), len(compiler._background._jobs), len(compiler._background.failed))
        assert held == (2, 0, 0)
        compiler.clear_cache()
