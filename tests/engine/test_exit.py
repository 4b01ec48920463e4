"""The end of a process whose threads are at work: its own exit status, and nothing said."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import sys, threading, time
import numpy as np
import devarray as da

def compute():
    x = da.ones(1000)
    while True:
        x = (x * 1.5 + 2) % 7
        float(x.sum())

def transfer():
    h = np.ones(1 << 18)
    queue = da.queue()
    while True:
        x = da.to_device(h, stream=queue)
        x.copy_to_host()
        x[::2] = 3

def allocate():
    pool = da.alloc.PoolMemoryResource(da.alloc.DeviceMemoryResource(da.device()))
    while True:
        parts = [da.empty(n, allocator=pool) for n in range(1, 5000, 97)]
        del parts
        pool.trim()

def index():
    x = da.arange(1000.0)
    mask = np.arange(1000) % 3 == 0
    while True:
        x[mask] = 1
        x[[1, 2, 3]].copy_to_host()
        da.sort(x)
        x @ x

def call():
    pool = da.alloc.default_allocator(da.device())
    while True:
        da.zeros(100, allocator=lambda n: pool.allocate(n)).evaluate()

threads = [threading.Thread(target=f, daemon=True) for f in (compute, transfer, allocate, index, call, index)]
for t in threads:
    t.start()
time.sleep(float(sys.argv[1]))
assert all(t.is_alive() for t in threads)
print("end")
"""


@pytest.mark.slow
@pytest.mark.parametrize("delay", [1.0, 1.03, 1.07, 1.2])
def test_daemon_threads_at_work(delay):
    environment = {**os.environ, "DEVARRAY_DEBUG": "0"}
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-P", "-c", PROGRAM, str(delay)],
            capture_output=True,
            text=True,
            env=environment,
            timeout=120,
            check=False,
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "end\n", "")


def ended(program: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-c", program],
        capture_output=True,
        text=True,
        env={**os.environ, "DEVARRAY_DEBUG": "0", **environment},
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("before", ["", "da.sort(x)"])
def test_a_thread_that_outlives_the_main_one_sorts(before: str) -> None:
    """No pool takes work any more then, and none can be made."""
    done = ended(f"""
import threading
import numpy as np
import devarray as da

x = da.asarray(np.arange(300_000.0)[::-1].copy())
{before}

def late():
    threading.main_thread().join()
    y = da.sort(x).copy_to_host()
    print((y == np.arange(300_000.0)).all())

threading.Thread(target=late).start()
""")
    assert (done.returncode, done.stdout, done.stderr) == (0, "True\n", "")


@pytest.mark.parametrize("each", [0.001, 0.5])
def test_a_daemon_thread_that_looks_for_runtimes(each: float, tmp_path: Path) -> None:
    """Which a child process tries, so that the thread is in Python, called by the core, when the interpreter ends, or
    comes back to it when that has ended."""
    done = ended(
        f"""
import threading, time
import devarray as da
from devarray.cl import _runtimes

begun = threading.Event()

def candidates():
    begun.set()
    while True:
        time.sleep({each})

_runtimes.candidates = candidates
threading.Thread(target=lambda: da._core.cl.devices(), daemon=True).start()
begun.wait()
print("end")
""",
        DEVARRAY_CACHE_DIR=str(tmp_path),
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "end\n", "")


@pytest.mark.parametrize("after", [0.0005, 0.001, 0.002, 0.004])
def test_an_interrupt_leaves_no_half_of_a_module(after: float) -> None:
    """The driver's classes are bound when they are first asked for, which takes some milliseconds."""
    done = ended(f"""
import signal, time
from devarray import _core

def interrupt(*_):
    raise KeyboardInterrupt

signal.signal(signal.SIGALRM, interrupt)
try:
    signal.setitimer(signal.ITIMER_REAL, {after})
    _core.cl
    while True:  # whichever thread took the signal: the main one looks for it when it has the lock again
        time.sleep(0.001)
except KeyboardInterrupt:
    print("interrupted")
print(hasattr(_core.cl, "devices"), hasattr(_core, "PooledSVM"))
""")
    assert (done.returncode, done.stdout, done.stderr) == (0, "interrupted\nTrue True\n", "")
