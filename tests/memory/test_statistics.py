"""Adaptors that watch or react: tracking, logging, failure callback, prefetch."""

from __future__ import annotations

import csv

import pytest

from devarray import alloc, errors
from devarray.errors import OutOfMemoryError


def test_tracking_knows_the_blocks_in_use(pool):
    tracking = alloc.TrackingResourceAdaptor(pool)
    first, second = tracking.allocate(100), tracking.allocate(200)
    assert tracking.get_outstanding_allocations() == [
        {"address": first.handle, "nbytes": 100, "number": 1, "stack": ""},
        {"address": second.handle, "nbytes": 200, "number": 2, "stack": ""},
    ]
    del first
    assert tracking.get_outstanding_allocations_str() == "allocation 2: 200 bytes\n"
    assert tracking.allocated_bytes == 200


def test_tracking_says_where_a_block_was_asked_for(pool):
    tracking = alloc.TrackingResourceAdaptor(pool, capture_stacks=True)
    block = tracking.allocate(100)
    assert "test_tracking_says_where_a_block_was_asked_for" in tracking.get_outstanding_allocations_str()
    del block
    assert tracking.get_outstanding_allocations() == []


def test_a_log_has_a_line_for_each_event(direct, device, tmp_path):
    queue = device.create_queue()
    limit = alloc.LimitingResourceAdaptor(direct, 1000)
    log = alloc.LoggingResourceAdaptor(limit, tmp_path / "log.csv")
    block = log.allocate(600, queue)
    address = block.handle
    with pytest.raises(OutOfMemoryError):
        log.allocate(500, queue)
    log.allocate(0, queue)
    del block
    log.flush()
    with open(log.log_file_name, newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(r["Action"], int(r["Pointer"], 16), int(r["Size"])) for r in rows] == [
        ("allocate", address, 600),
        ("allocate failure", 0, 500),
        ("free", address, 600),
    ]
    assert [int(r["Stream"], 16) for r in rows] == [queue.handle] * 3
    times = [float(r["Time"]) for r in rows]
    assert times == sorted(times)


def test_a_log_that_cannot_be_written(pool, tmp_path):
    with pytest.raises(errors.ValueError, match=r"cannot be written: No such file"):
        alloc.LoggingResourceAdaptor(pool, tmp_path / "missing" / "log.csv")


def test_a_failure_callback_frees_and_asks_again(direct):
    limit = alloc.LimitingResourceAdaptor(direct, 1000)
    cache = [limit.allocate(900)]
    asked = []

    def free(nbytes):
        asked.append(nbytes)
        cache.clear()
        return True

    resource = alloc.FailureCallbackResourceAdaptor(limit, free)
    block = resource.allocate(500)
    assert (block.nbytes, asked, limit.allocated_bytes) == (500, [500], 500)


def test_a_failure_callback_gives_up(direct):
    resource = alloc.FailureCallbackResourceAdaptor(alloc.LimitingResourceAdaptor(direct, 1000), lambda nbytes: False)
    with pytest.raises(OutOfMemoryError):
        resource.allocate(1001)


def test_an_error_in_a_failure_callback_passes(direct):
    def broken(nbytes):
        raise KeyError("broken")

    resource = alloc.FailureCallbackResourceAdaptor(alloc.LimitingResourceAdaptor(direct, 1000), broken)
    with pytest.raises(KeyError, match="broken"):
        resource.allocate(1001)
    with pytest.raises(errors.ValueError, match="callback is 5"):
        alloc.FailureCallbackResourceAdaptor(direct, 5)


def test_prefetch_passes_memory_that_cannot_be_prefetched(pool, device):
    prefetch = alloc.PrefetchResourceAdaptor(pool)
    block = prefetch.allocate(100, device.create_queue())
    assert (block.nbytes, block.resource is prefetch) == (100, True)


def test_a_log_is_read_and_drawn(pool, tmp_path):
    log = alloc.LoggingResourceAdaptor(pool, tmp_path / "log.csv")
    blocks = [log.allocate(1024) for _ in range(4)]
    blocks[1] = None
    log.flush()
    rows = alloc.read_log(log.log_file_name)
    assert [(action, size) for _, action, _, size, _ in rows] == [("allocate", 1024)] * 4 + [("free", 1024)]
    assert rows[4][2] == rows[1][2]
    pytest.importorskip("matplotlib")
    figure = alloc.plot(log.log_file_name, tmp_path / "log.png")
    live, holes = (axes.lines[0].get_ydata() for axes in figure.axes)
    assert list(live * 1024) == [1, 2, 3, 4, 3]
    assert (tmp_path / "log.png").stat().st_size > 1000
    if blocks[2].handle - blocks[0].handle == 2048:  # in one chunk
        assert list(holes) == [0, 0, 0, 0, 0.25]
