"""Dask's threads over two devices of one process: GPUs, or the two CPU runtimes."""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np
import pytest

import devarray as da

dask = pytest.importorskip("dask")
dsk = pytest.importorskip("dask.array")

from dask_programs import BODIES, OVER_THE_HOST, results  # noqa: E402

import devarray.dask as devdask  # noqa: E402
from devarray.dask import workers  # noqa: E402

pytestmark = [
    pytest.mark.filterwarnings("ignore::devarray.HiddenTransferWarning"),
    pytest.mark.filterwarnings("ignore::dask.array.core.PerformanceWarning"),
]

HOST = np.random.default_rng(5).normal(size=(80, 12))


@pytest.fixture
def pair(device: da.Device) -> tuple[da.Device, da.Device]:
    alike = [d for d in da.devices() if d.type == device.type and d is not device]
    if not alike:
        pytest.skip("one device of its kind")
    return device, min(alike, key=lambda d: d.driver != device.driver)


@pytest.fixture
def threads(pair: Any) -> devdask.DeviceThreads:
    return devdask.DeviceThreads(pair)


def chunks_of(x: Any) -> list[da.Array]:
    """A persisted array's chunks, in the order of its first axis."""
    graph = dict(x.__dask_graph__())
    found = [graph[key] for key in sorted(graph)]
    return [getattr(chunk, "value", chunk) for chunk in found]


@pytest.mark.parametrize("name", [name for name in BODIES if name not in OVER_THE_HOST])
def test_all_programs_over_two_devices(name: str, threads: devdask.DeviceThreads) -> None:
    wanted = results(name, lambda host: host).compute(scheduler="sync")
    moved = BODIES[name](
        *(
            dsk.from_array(host, chunks=chunks).to_backend("devarray")
            for host, chunks in zip(_inputs(), ((5, 3), 11, (5, 3), 4), strict=True)
        )
    )
    got = moved.compute(scheduler=threads)
    assert isinstance(got, da.Array) and got.device in threads.devices
    np.testing.assert_allclose(got.copy_to_host(), wanted, rtol=1e-9, atol=1e-12)


def _inputs() -> tuple[np.ndarray, ...]:
    from dask_programs import HOLED, SQUARE, V, X

    return X, V, HOLED, SQUARE


def test_chunks_begin_by_turns_and_results_follow_them(pair: Any, threads: devdask.DeviceThreads) -> None:
    x = dsk.from_array(HOST, chunks=(10, 12)).to_backend("devarray").persist(scheduler=threads)
    assert [chunk.device for chunk in chunks_of(x)] == [pair[i % 2] for i in range(8)]
    before = da.stats()
    y = (dsk.sqrt(x * x + 1) - x).persist(scheduler=threads)
    assert [chunk.device for chunk in chunks_of(y)] == [pair[i % 2] for i in range(8)]
    for chunk in chunks_of(y):
        chunk.evaluate()
    after = da.stats()
    for name in ("transfers_between_devices", "transfers_to_host", "bytes_to_host"):
        assert after[name] == before[name]


def test_what_crosses_is_counted(threads: devdask.DeviceThreads) -> None:
    x = dsk.from_array(HOST, chunks=(40, 12)).to_backend("devarray").persist(scheduler=threads)
    before = da.stats()
    crossed = x[:40] + x[40:]  # of one device and the other
    got = crossed.persist(scheduler=threads)
    after = da.stats()
    assert after["transfers_between_devices"] - before["transfers_between_devices"] == 1
    assert after["bytes_between_devices"] - before["bytes_between_devices"] == HOST[:40].nbytes
    np.testing.assert_array_equal(got.compute().copy_to_host(), HOST[:40] + HOST[40:])


def test_the_larger_operand_stays(pair: Any, threads: devdask.DeviceThreads) -> None:
    small, large = (da.ones((1, 12), device=d).evaluate() for d in pair), da.ones((500, 12), device=pair[1]).evaluate()
    a, b = (dsk.from_array(x, chunks=-1, name=False) for x in (next(small), large))
    for sum_ in (a + b, b + a):
        assert sum_.compute(scheduler=threads).device is pair[1]


def test_arrays_inside_of_tasks_move_too(pair: Any, threads: devdask.DeviceThreads) -> None:
    """A function's own argument, by place and by name, and in containers."""
    weights = da.asarray(HOST[0], device=pair[1])
    x = dsk.from_array(HOST, chunks=(10, 12)).to_backend("devarray")
    for lazy in (
        x.map_blocks(lambda b, w: b * w, weights, meta=x._meta),
        x.map_blocks(lambda b, w=None: b * w, w=weights, meta=x._meta),
        x.map_blocks(lambda b, w=None: b * w["w"][0], w={"w": [weights]}, meta=x._meta),
    ):
        got = lazy.compute(scheduler=threads).copy_to_host()
        np.testing.assert_array_equal(got, HOST * HOST[0])


def test_places(pair: Any) -> None:
    lazy = dsk.from_array(HOST, chunks=(10, 12)).to_backend("devarray")

    def places(threads: devdask.DeviceThreads) -> list[da.Device]:
        return [chunk.device for chunk in chunks_of(lazy.persist(scheduler=threads))]

    asked = []

    def ask(key: Any, devices: Any) -> da.Device:
        asked.append((key[1:], devices))
        return devices[key[1] >= 6]

    assert places(devdask.DeviceThreads(pair, ask)) == [pair[0]] * 6 + [pair[1]] * 2
    assert sorted(asked) == [((i, 0), pair) for i in range(8)]
    held = da.ones(10**6, device=pair[0]).evaluate()  # what makes the other one hold less
    assert da.alloc.default_allocator(pair[0]).active_bytes >= held.nbytes
    others = da.alloc.default_allocator(pair[1])
    if others.active_bytes + HOST.nbytes < da.alloc.default_allocator(pair[0]).active_bytes:
        assert set(places(devdask.DeviceThreads(pair, "memory"))) == {pair[1]}


def test_random_numbers_are_the_same_on_any_devices(pair: Any) -> None:
    x = devdask.default_rng(7).normal(size=(100, 8), chunks=(9, 8))
    wanted = da.random.default_rng(7).normal(size=(100, 8)).copy_to_host()
    for devices in (pair, pair[::-1], pair[1:]):
        got = x.compute(scheduler=devdask.DeviceThreads(devices)).copy_to_host()
        np.testing.assert_allclose(got, wanted, rtol=1e-12)


def test_one_device_is_where_all_stays(pair: Any) -> None:
    threads = devdask.DeviceThreads(pair[1:], threads_per_device=3)
    before = da.stats()["transfers_between_devices"]
    x = dsk.from_array(HOST, chunks=(10, 12)).to_backend("devarray")
    assert (x @ x.T).compute(scheduler=threads).device is pair[1]
    assert da.stats()["transfers_between_devices"] == before


def test_the_default_is_all_of_the_default_devices_kind(device: da.Device) -> None:
    found = devdask.DeviceThreads().devices
    assert da.default_device() in found and {d.caps["platform"] for d in found} == {
        da.default_device().caps["platform"]
    }


def test_what_only_enqueues_work_is_run_by_the_calling_thread(
    threads: devdask.DeviceThreads, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And what waits goes to other threads, once it was seen to."""
    for name in ("_QUICK_SECONDS", "_WAITING_SECONDS"):  # far above what a busy machine makes of a quick task
        monkeypatch.setattr(workers, name, 0.3)
    x = dsk.from_array(HOST, chunks=(10, 12)).to_backend("devarray").persist(scheduler=threads)
    seen: list[threading.Thread] = []

    def quick(block: Any) -> Any:
        seen.append(threading.current_thread())
        return block + 1

    def slow(block: Any) -> Any:
        time.sleep(0.4)
        return quick(block)

    quicks, slows = x.map_blocks(quick, meta=x._meta), x.map_blocks(slow, meta=x._meta)
    for _ in range(2):  # where the first compiles, it takes long
        seen.clear()
        got = quicks.compute(scheduler=threads).copy_to_host()
    assert sum(thread is threading.current_thread() for thread in seen) >= 4, seen
    np.testing.assert_array_equal(got, HOST + 1)
    seen.clear()
    got = slows.compute(scheduler=threads).copy_to_host()
    assert [thread is threading.current_thread() for thread in seen].count(True) == 1, seen
    np.testing.assert_array_equal(got, HOST + 1)


def test_a_small_task_says_nothing_of_a_large_one_of_its_name(
    threads: devdask.DeviceThreads, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the QR of small factors and that of tall chunks, which waits, in Dask's `tsqr`."""
    for name in ("_QUICK_SECONDS", "_WAITING_SECONDS"):
        monkeypatch.setattr(workers, name, 0.3)
    seen: list[threading.Thread] = []

    def factor(block: Any) -> Any:
        if len(block) > 1:
            time.sleep(0.4)
            seen.append(threading.current_thread())
        return block + 1

    def run(rows: int) -> None:
        x = dsk.from_array(np.ones((4 * rows, 8)), chunks=(rows, 8)).to_backend("devarray").persist(scheduler=threads)
        x.map_blocks(factor, meta=x._meta).compute(scheduler=threads)

    run(1000)  # the first is tried by the calling thread
    for _ in range(2):
        run(1)
    seen.clear()
    run(1000)
    assert len(seen) == 4 and threading.current_thread() not in seen


def test_what_waits_is_tried_again_ever_later() -> None:
    """And at once where it is found to be quick."""
    habit = workers.Habit(True)
    tried = []
    for turn in range(200):
        if habit.is_quick():
            tried.append(turn)
            habit.note(1.0, 1.0)
    assert tried == [0, 16, 48, 112]
    habit.note(1e-5, 0.0)
    assert habit.is_quick()


def test_what_has_no_operand_on_a_device_begins_in_a_thread(threads: devdask.DeviceThreads) -> None:
    seen: list[threading.Thread] = []

    def made(block_info: Any = None) -> Any:
        seen.append(threading.current_thread())
        time.sleep(0.005)
        return da.ones((2, 3))

    x = dsk.map_blocks(made, chunks=((2,) * 6, (3,)), dtype=np.float64, meta=da.empty((0, 0)))
    np.testing.assert_array_equal(x.compute(scheduler=threads).copy_to_host(), np.ones((12, 3)))
    assert threading.current_thread() not in seen and len(seen) == 6


def test_a_task_may_compute_by_the_same_scheduler(threads: devdask.DeviceThreads) -> None:
    """Its tasks have threads of their own: it waits for them in one of all threads."""
    x = dsk.from_array(HOST, chunks=(10, 12)).to_backend("devarray").persist(scheduler=threads)

    def total(block: Any) -> Any:
        time.sleep(0.002)
        inner = dsk.from_array(HOST[:20], chunks=(5, 12)).to_backend("devarray")
        return block + float(inner.sum().compute(scheduler=threads))

    for _ in range(2):
        got = x.map_blocks(total, meta=x._meta).compute(scheduler=threads).copy_to_host()
    np.testing.assert_allclose(got, HOST + HOST[:20].sum())


def test_several_tasks_are_given_at_once(threads: devdask.DeviceThreads) -> None:
    """Dask's `chunksize`: a batch of quick tasks and of others."""
    x = dsk.from_array(HOST, chunks=(4, 12)).to_backend("devarray")
    for _ in range(2):
        got = (x * 2 + 1).sum(axis=0).compute(scheduler=threads, chunksize=3)
        np.testing.assert_allclose(got.copy_to_host(), (HOST * 2 + 1).sum(axis=0))


def test_errors_reach_the_caller(threads: devdask.DeviceThreads) -> None:
    x = dsk.from_array(HOST, chunks=(10, 12)).to_backend("devarray")
    with pytest.raises(da.errors.ShapeError):
        x.map_blocks(lambda b: b.reshape(7, 7), meta=x._meta).compute(scheduler=threads)
    with pytest.raises(da.errors.DTypeError, match="Device is wanted"):
        x.compute(scheduler=devdask.DeviceThreads(threads.devices, lambda key, devices: "gpu"))


@pytest.mark.parametrize(
    ("given", "words"),
    [({"devices": []}, "no device"), ({"place": "by name"}, "round robin"), ({"threads_per_device": 0}, "at least 1")],
)
def test_bad_arguments(given: dict[str, Any], words: str) -> None:
    with pytest.raises(da.errors.ValueError, match=words):
        devdask.DeviceThreads(**given)


def test_operands_of_two_devices_are_an_error_without_it(pair: Any) -> None:
    """Where no scheduler says that they may move: the message names both."""
    a, b = (da.ones(3, device=d) for d in pair)
    for mix in (lambda: a + b, lambda: da.concat([a, b]), lambda: a @ b, lambda: da.where(a > 0, a, b)):
        with pytest.raises(da.errors.DeviceError) as caught:
            mix()
        assert all(f"{d.driver}:{d.index}" in str(caught.value) for d in pair)


@pytest.mark.parametrize("axes", [(2, 1, 0), (1, 0, 2), (0, 1, 2)])
def test_transposed_arrays_keep_their_layout_on_another_device(axes: tuple[int, ...], pair: Any) -> None:
    """Making one dense would be work of the device that it comes from, behind all that this has to do."""
    host = np.arange(24.0).reshape(2, 3, 4).transpose(axes)
    x = da.asarray(np.arange(24.0).reshape(2, 3, 4), device=pair[0]).transpose(axes)
    launches = da.stats()["launches"]
    there = x.to_device(pair[1])
    assert there.device is pair[1] and there.strides == host.strides and da.stats()["launches"] == launches
    np.testing.assert_array_equal(there.copy_to_host(), host)
    for part in (np.s_[::-1], np.s_[:, ::2], np.s_[0], np.s_[..., None, :]):
        np.testing.assert_array_equal(x[part].to_device(pair[1]).copy_to_host(), host[part])
