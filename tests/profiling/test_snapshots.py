"""Snapshots of the blocks in use: sizes, lines, what has changed, files and pictures."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import devarray as da
from devarray import alloc, errors


@pytest.fixture
def recording(device):
    alloc.start_recording()
    yield
    alloc.stop_recording()


def line_here(offset=0):
    return inspect.currentframe().f_back.f_lineno + offset


def test_a_block_is_named_by_the_line_that_asked_for_it(recording, device):
    x = da.empty((10, 10), dtype="float32")
    line = line_here(-1)
    (block,) = alloc.snapshot().blocks
    assert (block.nbytes, block.number, block.device) == (
        400,
        1,
        str(device),
    )
    assert block.capacity >= 400
    assert block.kind == x.base_data.kind
    assert (block.line.file, block.line.number) == (__file__, line)
    assert block.line.function.endswith("test_a_block_is_named_by_the_line_that_asked_for_it")
    assert block.line.text == 'x = da.empty((10, 10), dtype="float32")'
    del x
    assert alloc.snapshot().blocks == ()


def test_results_of_evaluations_views_and_the_host_are_known(recording, monkeypatch):
    monkeypatch.setattr(da.config, "host_elements", 65536)
    x = da.arange(1000, dtype="float64").evaluate()
    view = x[10:20]
    del x
    assert [b.nbytes for b in alloc.snapshot().blocks] == [8000]
    small = (view * 2 + 1).evaluate()
    total = small.sum().evaluate()
    found = sorted(b.nbytes for b in alloc.snapshot().blocks if b.line and b.line.file == __file__)
    assert found == [8, 80, 8000]
    del view, small, total
    assert alloc.snapshot().nbytes == 0


@pytest.mark.parametrize("pooled", [True, False])
def test_blocks_of_any_allocator_are_known(recording, device, pooled):
    direct = alloc.DeviceMemoryResource(device)
    resource = alloc.LimitingResourceAdaptor(alloc.PoolMemoryResource(direct) if pooled else direct, 1 << 30)
    x = da.zeros(100, dtype="int32", allocator=resource).evaluate()
    sizes = [(b.nbytes, b.line.file == __file__) for b in alloc.snapshot().blocks]
    assert sizes == [(400, True)]
    if pooled:
        block = resource.allocate(77)
        assert [b.nbytes for b in alloc.snapshot().blocks] == [400, 77]
        del block
    del x
    assert alloc.snapshot().blocks == ()


def test_two_snapshots_tell_what_has_come_and_gone(recording):
    gone = da.empty(1000, dtype="uint8")
    before = alloc.snapshot()
    kept = []
    for _ in range(5):
        kept.append(da.empty(64, dtype="uint8"))
    line = line_here(-1)
    del gone
    after = alloc.snapshot()
    first, second = after.compare_to(before)
    assert (first.nbytes_diff, first.count_diff, first.nbytes_before) == (-1000, -1, 1000)
    assert (second.key.number, second.nbytes_diff, second.count_diff, second.count_before) == (line, 320, 5, 0)
    assert after.compare_to(after) == []
    assert [row[1:] for row in after.statistics()] == [(320, 5)]
    assert [d.nbytes_diff for d in after.compare_to(before, "kind")] == [-680]
    with pytest.raises(ValueError, match="by 'size'"):
        after.statistics("size")


def test_the_history_adds_up(recording):
    arrays = [da.empty(n, dtype="uint8") for n in (10, 20, 30)]
    del arrays[1]
    taken = alloc.snapshot()
    assert [(nbytes, number) for _, nbytes, number in taken.history] == [(10, 1), (20, 2), (30, 3), (-20, 2)]
    times = [seconds for seconds, _, _ in taken.history]
    assert times == sorted(times)
    assert 0 <= times[0] <= times[-1] <= taken.seconds
    assert sum(nbytes for _, nbytes, _ in taken.history) == taken.nbytes == 40
    del arrays


def test_a_snapshot_is_saved_drawn_and_written_out(recording, tmp_path):
    x = da.empty(3 << 20, dtype="uint8")
    taken = alloc.snapshot()
    taken.save(tmp_path / "blocks.json")
    assert alloc.Snapshot.load(tmp_path / "blocks.json") == taken
    lines = str(taken).splitlines()
    assert lines[0] == "3.0 MiB in 1 blocks"
    assert "test_snapshots.py" in lines[1]
    assert 'x = da.empty(3 << 20, dtype="uint8")' in lines[1]
    assert repr(taken) == "<devarray.alloc.Snapshot: 3.0 MiB in 1 blocks>"
    pytest.importorskip("matplotlib")
    upper, lower = taken.plot(tmp_path / "blocks.png").axes
    assert np.max(upper.lines[0].get_ydata()) == 3
    assert [bar.get_width() for bar in lower.patches] == [3]
    assert (tmp_path / "blocks.png").stat().st_size > 1000
    del x


def test_nothing_is_noted_without_a_recording(device):
    with pytest.raises(errors.Error, match="start_recording"):
        alloc.snapshot()
    before = da.empty(10, dtype="uint8")
    alloc.start_recording()
    assert alloc.snapshot().blocks == ()
    del before
    assert alloc.snapshot().history == ()
    alloc.stop_recording()
    after = da.empty(10, dtype="uint8")
    alloc.start_recording()
    del after
    assert (alloc.snapshot().blocks, alloc.snapshot().history) == ((), ())
    alloc.stop_recording()
