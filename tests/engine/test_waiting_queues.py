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
