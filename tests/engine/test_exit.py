"""The end of a process whose daemon threads are at work: its own exit status, and nothing said."""

from __future__ import annotations

import os
import subprocess
import sys

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
