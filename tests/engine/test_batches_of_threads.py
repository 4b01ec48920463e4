"""Equal launches of several threads, on one queue and on queues of their own: held back, and launched by any thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import same
from test_threads import THREADS, together

import devarray as da
from devarray._runtime import compiler
from devarray.codegen.kernels import elementwise
from devarray.codegen.kernels.spec import ElementwiseSpec

N = 1 << 16
PARAMETERS = 7
STEPS = 12

pytestmark = pytest.mark.usefixtures("deferred", "kernels", "plans")


@pytest.fixture
def kinds(monkeypatch: pytest.MonkeyPatch) -> set[tuple[bool, bool]]:
    """Of what was rendered: whether it is for several sets, and whether it has constants."""
    found: set[tuple[bool, bool]] = set()
    render = elementwise.render

    def noted(spec: ElementwiseSpec, dialect: Any) -> str:
        found.add((spec.sets > 1, bool(spec.constants)))
        return render(spec, dialect)

    monkeypatch.setattr(elementwise, "render", noted)
    return found


@pytest.fixture(params=["one queue", "own queues"])
def queue_of(request: pytest.FixtureRequest, device: da.Device) -> Callable[[int], da.Queue]:
    queues = [da.queue(device) for _ in range(THREADS if request.param == "own queues" else 1)]
    return lambda i: queues[i % len(queues)]


def moved(w: Any, g: Any, k: float) -> Any:
    """Eleven operations, eight numbers."""
    y = (w * 0.75 + g * k) / 7.0 - 0.125
    return (y * y + w) * 0.5 - (g - 0.25) / 3.0


def data(seed: int) -> tuple[list[np.ndarray], list[np.ndarray]]:
    rng = np.random.default_rng([31, seed])
    hosts = [rng.uniform(-1, 1, N).astype("float32") for _ in range(2 * PARAMETERS)]
    return hosts[:PARAMETERS], hosts[PARAMETERS:]


def test_steps_over_parameters(kinds: set[tuple[bool, bool]], queue_of: Callable[[int], da.Queue]) -> None:
    """Results in place of operands: what is launched twice, too late or with another thread's numbers is seen."""

    def work(i: int) -> None:
        hosts, gradients = data(i)
        with da.use(queue=queue_of(i)):
            ws, gs = [da.asarray(host.copy()) for host in hosts], [da.asarray(g) for g in gradients]
            for step in range(STEPS):
                k = 1.5 if i % 3 else 1.0 + step // 4  # of some threads it changes
                for at in range(PARAMETERS):
                    ws[at] = moved(ws[at], gs[at], k).evaluate()
                    hosts[at] = moved(hosts[at], gradients[at], k)
                if step % 4 == i % 4:
                    same(ws[step % PARAMETERS].copy_to_host(), hosts[step % PARAMETERS])
                if step % 5 == 4 and i == 0:
                    compiler.wait_for_kernels()
            for w, host in zip(ws, hosts, strict=True):
                same(w.copy_to_host(), host)

    wanted, rounds = {(False, True), (True, True)}, 0
    while rounds < 3 or (rounds < 12 and not kinds >= wanted):  # what is held at once depends on the threads' times
        together(work)
        compiler.wait_for_kernels()
        rounds += 1
    assert kinds >= wanted


def test_stores_and_what_others_wait_for(queue_of: Callable[[int], da.Queue]) -> None:
    """Threads write rows of an array of their own, and others ask for all that is under way meanwhile."""

    def work(i: int) -> None:
        hosts, _ = data(i)
        with da.use(queue=queue_of(i)):
            if i % 3 == 2:
                for step in range(4 * STEPS):
                    da.synchronize()
                    same((da.ones(8) * step + i).sum(), np.float64(8 * (step + i)))
                return
            rows = np.stack(hosts)
            x = da.asarray(rows.copy())
            for _ in range(STEPS):
                for at in range(PARAMETERS):
                    x[at] = x[at] * 0.5 + 0.25
                    rows[at] = rows[at] * np.float32(0.5) + np.float32(0.25)
                for at in range(1, PARAMETERS):  # each from the one before
                    x[at] += x[at - 1]
                    rows[at] += rows[at - 1]
            same(x.copy_to_host(), rows)

    for _ in range(3):
        together(work)
        compiler.wait_for_kernels()
