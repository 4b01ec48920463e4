"""devarray.cl.characterize.performance: with a timer by which each command takes a millisecond, and by the clock."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest

from devarray import cl
from devarray.cl.characterize import performance

TRANSFERS = [
    performance.HostToDeviceTransfer,
    performance.DeviceToHostTransfer,
    performance.DeviceToDeviceTransfer,
]


class Counter(performance.Timer):
    """A millisecond a command; it notes how many each measurement had."""

    counts: ClassVar[list[int]] = []

    def start(self):
        self.events = []

    def add_event(self, evt):
        self.events.append(evt)

    def get_elapsed(self):
        self.counts.append(len(self.events))
        assert all(isinstance(event, cl.Event) for event in self.events)
        return 1e-3 * len(self.events)


@pytest.fixture
def counts(monkeypatch):
    monkeypatch.setattr(Counter, "counts", [])
    return Counter.counts


@pytest.mark.parametrize("transfer", TRANSFERS)
def test_a_measurement_lasts_long_enough(ctx, counts, transfer):
    queue = cl.CommandQueue(ctx)
    assert performance.transfer_latency(queue, transfer, Counter) == pytest.approx(1e-3)
    assert counts == [1, 10, 100]
    assert performance.transfer_bandwidth(queue, transfer, 4096, Counter) == pytest.approx(4096e3)
    assert performance.get_empty_kernel_time(queue, Counter) == pytest.approx(1e-3)


def test_rates_grow_with_the_number_of_work_items(ctx, counts):
    """A millisecond whatever the number: each doubling is better, until the clock says that it is not."""

    class Saturated(Counter):
        def get_elapsed(self):
            self.calls = getattr(type(self), "calls", 0) + 1
            type(self).calls = self.calls
            return super().get_elapsed() * (1 if self.calls <= 6 else 4)

    queue = cl.CommandQueue(ctx)
    first = 4 * queue.device.max_compute_units
    rate = performance.get_add_rate(queue, "int", Saturated)
    assert rate == pytest.approx(500 * 2 * first * 1e3)


def test_profiling_costs_what_it_adds(ctx, counts):
    added, latency = performance.get_profiling_overhead(ctx, Counter)
    assert added == pytest.approx(0, abs=1e-9) and latency == pytest.approx(1e-3)


@pytest.mark.parametrize("transfer", TRANSFERS)
def test_transfers_move_bytes(ctx, transfer):
    made = transfer(cl.CommandQueue(ctx), 1000)
    source, target = {
        performance.HostToDeviceTransfer: ("host_buf", "dev_buf"),
        performance.DeviceToHostTransfer: ("dev_buf", "host_buf"),
        performance.DeviceToDeviceTransfer: ("dev_buf_1", "dev_buf_2"),
    }[transfer]
    numbers = np.arange(1000, dtype=np.int16).view(np.uint8)[:1000]
    if source == "host_buf":
        made.host_buf[:] = numbers
    else:
        cl.enqueue_copy(made.queue, getattr(made, source), numbers).wait()
    made.do().wait()
    result = np.empty(1000, np.uint8)
    if target == "host_buf":
        result = made.host_buf
    else:
        cl.enqueue_copy(made.queue, result, getattr(made, target)).wait()
    np.testing.assert_array_equal(result, numbers)


def test_the_clock(ctx):
    queue = cl.CommandQueue(ctx)
    timer = performance.WallTimer(queue)
    timer.start()
    timer.stop()
    assert 0 <= timer.get_elapsed() < 60
    with pytest.raises(NotImplementedError):
        performance.Timer(queue).get_elapsed()
