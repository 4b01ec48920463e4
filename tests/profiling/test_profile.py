"""devarray.profile(): what ran, its bytes and lines; nothing is noted outside."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import devarray as da
from devarray import _core
from devarray._profiling.profile import Profile


def line_here() -> int:
    return sys._getframe(1).f_lineno


@pytest.fixture
def deferred() -> None:
    if not da.config.deferred:
        pytest.skip("operations are not fused")


def test_a_fused_kernel_has_its_operations_bytes_and_lines(device: da.Device, deferred: None) -> None:
    x, y = da.ones((100, 30), dtype="f4").evaluate(), da.ones((30,), dtype="f4").evaluate()
    with da.profile() as p:
        here = line_here()
        doubled = x * y
        z = doubled + y
        del doubled
        z.evaluate()
    (kernel,) = p.kernels
    assert (kernel.kind, kernel.name, kernel.operations) == ("kernel", "multiply add", 2)
    assert (kernel.read, kernel.written, kernel.bytes) == (100 * 30 * 4 + 30 * 4, 12000, 24120)
    assert [line.number for line in kernel.lines] == [here + 2, here + 1], "the result's first"
    assert kernel.lines[0].file == __file__ and kernel.lines[0].text.startswith("z = doubled")
    assert kernel.device == str(device) and kernel.queue > 0
    assert 0 <= kernel.start <= p.seconds + 0.1 and 0 < kernel.seconds <= p.seconds  # a GPU may begin behind the block
    assert p.counters["launches"] == 1


def test_reductions_are_noted_with_what_they_absorb(device: da.Device, deferred: None) -> None:
    x = da.ones(1000, dtype="f8").evaluate()
    with da.profile() as p:
        total = (x * 3).sum()
        assert total.item() == 3000
    kernel = next(k for k in p.kernels if k.name.startswith("sum"))
    assert (kernel.name, kernel.operations, kernel.read) == ("sum(multiply)", 1, 8000)
    assert kernel.lines[0].function.endswith("test_reductions_are_noted_with_what_they_absorb")
    assert [a.read for a in p.activities if a.kind == "to_host"] == [8]


def test_transfers_and_compilations(device: da.Device) -> None:
    host = np.arange(5000, dtype="i4")
    with da.profile() as p:
        x = da.to_device(host)
        _core.clear_kernel_cache()
        back = (x + 1).copy_to_host()
    np.testing.assert_array_equal(back, host + 1)
    kinds = {a.kind: a for a in p.activities}
    assert kinds["to_device"].written == kinds["to_host"].read == 20000
    assert kinds["compilation"].queue == 0 and kinds["compilation"].seconds > 0
    assert p.counters["transfers_to_device"] == p.counters["transfers_to_host"] == 1


def test_planned_kernels_are_noted(device: da.Device) -> None:
    x = da.asarray(np.random.default_rng(1).permutation(200_000).astype("i4"))
    with da.profile() as p:
        da.cumulative_sum(x).evaluate()
    assert p.kernels and sum(k.written for k in p.kernels) >= 800_000


def test_kernels_are_named_by_the_function_that_was_called(device: da.Device) -> None:
    x = da.linspace(0, 1, 100_000, dtype="float32").evaluate()
    with da.profile() as p:
        da.cumsum(x).evaluate()
    # A GPU that scans in one pass clears what tiles tell each other first, by a kernel that writes and reads nothing.
    cleared = {k.name for k in p.kernels if k.name != "cumsum"}
    assert {k.name for k in p.kernels} - cleared == {"cumsum"}
    assert cleared <= ({"copy"} if device.strategy == "gpu" else set())


def test_work_of_the_host_is_timed_by_its_name(device: da.Device) -> None:
    if device.strategy != "cpu" or da.empty(1).allocator.kind != "svm_fine":
        pytest.skip("the host runs no library's work here")
    matrix = da.asarray(np.random.default_rng(0).random((200, 200)))
    with da.profile() as p:
        da.linalg.svd(matrix)
        (matrix @ matrix).evaluate()
    found = {a.name: a for a in p.activities if a.kind == "host"}
    assert {"linalg.svd", "matmul"} <= set(found)
    assert all(a.seconds > 0 and a.lines for a in found.values())
    assert "wait: " in p.table()


def test_what_is_pending_at_the_end_runs_inside(device: da.Device) -> None:
    x = da.ones(10)
    with da.profile() as p:
        y = x + 1
    assert not y.pending and any("add" in k.name for k in p.kernels)


def test_nothing_is_noted_outside(device: da.Device) -> None:
    with da.profile() as p:
        pass
    (da.ones(10) + 1).evaluate()
    assert not p.kernels
    with da.profile() as p:
        (da.ones(10) * 2).evaluate()
    names = [k.name for k in p.kernels]
    assert any("multiply" in name for name in names) and not any("add" in name for name in names)


def test_one_at_a_time_and_after_errors(device: da.Device) -> None:
    with da.profile(), pytest.raises(da.Error, match="one at a time"), da.profile():
        pass
    with pytest.raises(ZeroDivisionError), da.profile() as p:
        (da.ones(10) + 1).evaluate()
        1 / 0  # noqa: B018
    assert p.kernels
    with da.profile():
        pass


def filled() -> Profile:
    x = da.ones(1000).evaluate()
    with da.profile() as p:
        for _ in range(3):
            (x * 2).evaluate()
        (x + 1).sum().item()
    return p


def test_the_tables(device: da.Device, deferred: None) -> None:
    p = filled()
    text = p.table()
    assert "multiply" in text and "sum(add)" in text and "test_profile.py:" in text
    assert str(p) == text and "launches" in repr(p)
    row = next(line for line in text.splitlines() if line.startswith("multiply"))
    assert row.split()[2] == "3", "calls"
    assert "(x * 2).evaluate()" in p.table("line")
    assert f"{len(p._rows('kernel', 99)) - 2} more" in p.table(limit=1)
    assert p._repr_html_().count("<tr>") == len(p._rows("kernel", 20))
    with pytest.raises(ValueError, match="by 'kernel' or by 'line', not by 'function'"):
        p.table("function")


def test_the_trace_is_perfettos(device: da.Device, tmp_path: Path) -> None:
    p = filled()
    p.save(tmp_path / "trace.json")
    trace = json.loads((tmp_path / "trace.json").read_text())
    events = [e for e in trace["traceEvents"] if e["ph"] == "X"]
    assert len(events) == len(p.activities)
    assert {"name", "ts", "dur", "pid", "tid", "args"} <= set(events[0])
    names = [e["args"]["name"] for e in trace["traceEvents"] if e["name"] == "process_name"]
    assert str(device) in names


def test_the_plot(device: da.Device, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    filled().plot(tmp_path / "profile.png")
    assert (tmp_path / "profile.png").read_bytes().startswith(b"\x89PNG")


def test_a_kernels_time_is_logged(device: da.Device, caplog: pytest.LogCaptureFixture) -> None:
    before = da.config.debug
    try:
        da.config.debug = 2
        with caplog.at_level("DEBUG", logger="devarray"):
            (da.ones(100) + 1).evaluate()
    finally:
        da.config.debug = before
    lines = [r.getMessage() for r in caplog.records if "kernel " in r.getMessage()]
    assert lines and all(line.endswith(" us") for line in lines)
    assert float(lines[-1].split(", ")[-1].removesuffix(" us")) > 0


# --- benchmark() ---------------------------------------------------------------------------------------------------


def test_benchmark_counts_and_times(device: da.Device) -> None:
    calls = []

    def work(x: da.Array, *, factor: int) -> dict[str, da.Array]:
        calls.append(factor)
        return {"result": x * factor}

    times = da.benchmark(work, da.ones(100).evaluate(), repeat=4, warmup=2, factor=3)
    assert calls == [3] * 6 and times.launches == 1
    assert times.host_times.shape == times.device_times.shape == (4,)
    assert (times.device_times >= times.host_times).all() and times.first > 0
    assert str(times).startswith("work: host ") and "1 launches a call" in str(times)


def test_benchmark_stops_in_time_and_refuses_nothing_to_do(device: da.Device) -> None:
    assert len(da.benchmark(lambda: None, repeat=1000, warmup=1, max_seconds=0).host_times) == 1
    with pytest.raises(ValueError, match="at least one call"):
        da.benchmark(lambda: None, repeat=0)


def test_a_result_that_holds_itself_is_evaluated_once() -> None:
    held: list[object] = [da.ones(3) + 1]
    held.append(held)
    assert len(da.benchmark(lambda: held, repeat=2).host_times) == 2
    assert held[0].copy_to_host().tolist() == [2, 2, 2]
