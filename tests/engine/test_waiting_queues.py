"""A thread that waits for a queue with too much work ahead holds no lock: others go on."""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np
import pytest

import devarray as da

AHEAD = 1500  # launches: more than a queue may have waiting


def evaluated(x: da.Array) -> None:
    (x + 1).evaluate()


def written(x: da.Array) -> None:
    x[...] = 2.0


@pytest.mark.parametrize("change", [None, written])
def test_a_reader_waits_for_what_was_written(device: da.Device, change: Callable[[da.Array], None] | None) -> None:
    """And for nothing that came later on the array's own queue, unless it wrote to the array."""
    if device.driver != "opencl":
        pytest.skip("OpenCL's events of the user hold a queue")
    from devarray import _core, cl

    held, other = da.queue(device), da.queue(device)
    host = np.arange(4096.0)
    x = da.asarray(host, queue=held)
    y = (x * 2).evaluate()
    one = da.ones(1, queue=other)  # results are where the first operand is
    assert (one + y).sum().item() == (host * 2 + 1).sum()  # compiled before
    _core.note_written([y[5:]])
    gate = cl.UserEvent(held.context)
    cl.enqueue_barrier(held, wait_for=[gate])
    _core.note_written([y[5:]])  # is noted already: what came since did not write
    if change:
        change(y)

    sums: list[float] = []

    def read() -> None:
        sums.append((one + y).sum().item())

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    try:
        thread.join(1.0 if change else 30.0)
        assert thread.is_alive() is bool(change)
    finally:
        gate.set_status(cl.command_execution_status.COMPLETE)
        thread.join()
    assert sums == [3 * host.size if change else (host * 2 + 1).sum()]


@pytest.mark.parametrize("launch", [evaluated, written])
def test_work_on_another_queue_goes_on(device: da.Device, launch: Callable[[da.Array], None]) -> None:
    if device.driver != "opencl":
        pytest.skip("OpenCL's events of the user hold a queue")
    from devarray import cl

    held = da.queue(device)
    x = da.asarray(np.arange(64.0), queue=held)
    y = da.asarray(np.arange(64.0), queue=da.queue(device))
    launch(x)  # both are compiled before
    assert (y * 2).sum().item() == 64 * 63
    gate = cl.UserEvent(held.context)
    cl.enqueue_barrier(held, wait_for=[gate])

    def run_ahead() -> None:
        for _ in range(AHEAD):
            launch(x)

    made: list[da.Array] = []
    other = threading.Thread(target=lambda: made.append((y * 3).evaluate()), daemon=True)
    thread = threading.Thread(target=run_ahead, daemon=True)
    thread.start()
    try:
        thread.join(1.0)
        assert thread.is_alive(), "the queue has room for more than it is meant to have"
        other.start()  # it launches; whether the runtime runs it before the gate opens is its own matter
        other.join(30.0)
        assert made, "the thread that waits holds a lock"
    finally:
        gate.set_status(cl.command_execution_status.COMPLETE)
        thread.join()
    assert made[0].sum().item() == 3 * 64 * 63 / 2
