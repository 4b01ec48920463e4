"""Copies between host and devices: any layout on either side, and no byte beside it touched."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np
import pytest
from oracle import DTYPES, host, moderate, same, skip_without, values
from second_runtime import lacking

import devarray as da

pytestmark = pytest.mark.usefixtures("device")

A = values("int32", (4, 6), 1)
HOST_VIEWS: dict[str, Any] = {
    "C order": ((4, 6), lambda h: h),
    "F order": ((6, 4), lambda h: h.T),
    "every other": ((8, 12), lambda h: h[::2, 1::2]),
    "reversed": ((4, 6), lambda h: h[::-1, ::-1]),
    "reversed steps": ((8, 18), lambda h: h[::-2, ::-3]),
    "a part": ((9, 11), lambda h: h[3:7, 2:8]),
    "a column of a field": ((4, 6, 3), lambda h: h[..., 1]),
    "reversed F order": ((6, 4), lambda h: h.T[::-1]),
}
DEVICE_VIEWS: dict[str, Any] = {
    "dense": lambda x: x,
    "transposed": lambda x: da.asarray(np.ascontiguousarray(A.T)).T,
    "reversed": lambda x: da.asarray(A[::-1].copy())[::-1],
    "pending": lambda x: x + 0,
    "a part": lambda x: da.asarray(np.pad(A, 2))[2:-2, 2:-2],
}


@pytest.mark.parametrize("view", HOST_VIEWS)
@pytest.mark.parametrize("source", DEVICE_VIEWS)
def test_copy_to_host_writes_the_elements_and_nothing_else(view: str, source: str) -> None:
    shape, pick = HOST_VIEWS[view]
    x = DEVICE_VIEWS[source](da.asarray(A))
    memory = np.full(shape, 0x5A5A5A5A, np.int32)
    wanted = memory.copy()
    target = pick(memory)
    assert x.copy_to_host(target) is target
    pick(wanted)[...] = A
    assert (memory == wanted).all()


@pytest.mark.parametrize("view", HOST_VIEWS)
def test_copy_to_device_reads_any_layout(view: str) -> None:
    shape, pick = HOST_VIEWS[view]
    source = values("int32", shape, 2)
    x = da.zeros((4, 6), da.int32)
    x.copy_to_device(pick(source))
    same(x, pick(source))
    big = da.zeros((10, 14), da.int32)
    big[1:9:2, 12:0:-2].copy_to_device(pick(source))
    wanted = np.zeros((10, 14), np.int32)
    wanted[1:9:2, 12:0:-2] = pick(source)
    same(big, wanted)


@pytest.mark.parametrize("dtype", DTYPES)
def test_strided_copies_of_every_itemsize(dtype: str) -> None:
    skip_without(dtype)
    a = values(dtype, (7, 5), 3)
    memory = np.zeros((14, 10), dtype)
    da.asarray(a).copy_to_host(memory[::-2, ::2])
    same(memory[::-2, ::2], a)
    assert not memory[::2].any() and not memory[:, 1::2].any()


def test_copy_to_host_into_what_does_not_match() -> None:
    x = da.asarray(A)
    with pytest.raises(da.ShapeError, match=r"\(6, 4\).*\(4, 6\)"):
        x.copy_to_host(np.empty((6, 4), np.int32))
    with pytest.raises(da.DTypeError, match=r"float32.*int32"):
        x.copy_to_host(np.empty((4, 6), np.float32))
    with pytest.raises(da.DTypeError, match="list"):
        x.copy_to_host([0])
    locked = np.zeros((4, 6), np.int32)
    locked.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        x.copy_to_host(locked)
    with pytest.raises(da.ShapeError, match=r"\(4,\).*\(4, 6\)"):
        x.copy_to_device(np.zeros(4, np.int32))
    same(x, A)


def test_copies_on_a_stream(device: da.Device) -> None:
    stream = da.queue(device)
    a = moderate("float32", 100_000, 1)
    x = da.to_device(a, stream=stream)
    y = x * 2
    out = np.zeros_like(a)
    assert y.copy_to_host(out, stream=stream) is out
    stream.finish()
    same(out, a * np.float32(2))


def test_to_device_into_an_array() -> None:
    x = da.zeros((4, 6), da.int32)
    assert da.to_device(A, to=x) is x
    same(x, A)
    assert da.to_device(A, copy=False).shape == A.shape


def test_a_copy_from_the_host_respects_pending_readers() -> None:
    x = da.asarray(A)
    y = x + 1
    x.copy_to_device(np.zeros_like(A))
    same(y, A + 1)
    same(x, np.zeros_like(A))


def test_host_memory_may_change_after_the_call() -> None:
    a = np.arange(100_000)
    x = da.to_device(a)
    z = da.asarray(a)
    a[...] = -1
    same(x, np.arange(100_000))
    same(z, np.arange(100_000))


def test_copies_are_counted() -> None:
    before = da.stats()
    x = da.asarray(A)
    x.copy_to_host()
    after = da.stats()
    assert after["bytes_to_device"] - before["bytes_to_device"] == A.nbytes
    assert after["bytes_to_host"] - before["bytes_to_host"] == A.nbytes
    assert after["waits"] > before["waits"]


def test_memory_kinds_copy_alike(memory_kind: str) -> None:
    x = da.asarray(A)
    same(x.T[::-1], A.T[::-1])
    out = np.zeros((8, 6), np.int32)
    x.copy_to_host(out[::2])
    same(out[::2], A)
    assert not out[1::2].any()


def test_forbidden_waits_are_errors_that_name_what_waits() -> None:
    x = da.asarray(A)
    y = (x * 2).sum()
    da.config.forbid_waits = True
    try:
        z = (x + y).evaluate()
        for call in (z.copy_to_host, y.item, lambda: bool(y), da.synchronize, lambda: repr(x), lambda: x.tolist()):
            with pytest.raises(da.Error, match="waits"):
                call()
    finally:
        da.config.forbid_waits = False
    same(z, A + (A * 2).sum(dtype=np.int64))


# --- between devices -------------------------------------------------------------------------------------------------


@pytest.fixture
def other(device: da.Device) -> da.Device:
    for d in da.devices():
        if d is not device:
            return d
    pytest.skip(lacking() or "there is one device")


def test_arrays_move_between_devices(device: da.Device, other: da.Device) -> None:
    x = da.asarray(moderate("float32", (5, 6), 1))
    assert x.to_device(device) is x
    y = (x[::2, ::-1] * 2).to_device(other)
    assert y.device is other
    same(y + 1, moderate("float32", (5, 6), 1)[::2, ::-1] * 2 + 1)
    z = y.to_device(device)
    assert z.device is device
    same(z + x[:3], moderate("float32", (5, 6), 1)[::2, ::-1] * 2 + moderate("float32", (5, 6), 1)[:3])
    x[:3].copy_to_device(y)
    same(x[:3], host(y))
    pending = da.zeros((3, 6), dtype="float32", device=other)
    before = pending + 1
    pending.copy_to_device(x[:3])
    pending[::2].copy_to_device(x[3:1:-1])
    same(pending, np.stack([host(x)[3], host(x)[1], host(x)[2]]))
    same(before, np.ones((3, 6), "float32"))


def test_creation_on_another_device(device: da.Device, other: da.Device) -> None:
    there: dict[str, Any] = {"device": other}
    for x in (da.zeros(3, **there), da.asarray([1, 2], **there), da.arange(3, **there), da.to_device(A, **there)):
        assert x.device is other
        assert (x + 1).device is other
        assert da.sum(x).allocator.device is other
    with da.use(other):
        assert da.device() is other
        x = da.ones(4, da.int32)
    same(x * 3, np.full(4, 3, np.int32))
    assert da.device() is device


def test_mixing_devices_is_an_error_that_names_both(device: da.Device, other: da.Device) -> None:
    x, y = da.ones(3), da.ones(3, device=other)

    def assign() -> None:
        x[...] = y

    def update() -> None:
        nonlocal x
        x += y

    for call in (lambda: x + y, assign, update, lambda: da.where(x > 0, x, y), lambda: x @ y):
        with pytest.raises(da.DeviceError) as caught:
            call()
        for d in (device, other):
            assert f"{d.driver}:{d.index}" in str(caught.value)
    pool = da.alloc.PoolMemoryResource(da.alloc.DeviceMemoryResource(other))
    with pytest.raises(da.DeviceError, match="agree"):
        da.ones(3, device=device, allocator=pool)
    same(x, np.ones(3))


# --- chunks and progress -------------------------------------------------------------------------------------------


def test_chunks_are_joined_along_the_first_axis(tmp_path: Any) -> None:
    path = tmp_path / "data"
    values("float32", (1000, 7), 5).tofile(path)
    on_disk = np.memmap(path, np.float32, "r", shape=(1000, 7))
    pieces = [slice(i, i + 96) for i in range(0, 1000, 96)]
    same(da.to_device(on_disk[rows] for rows in pieces), np.asarray(on_disk))
    target = da.empty((1000, 7), da.float32)
    seen: list[tuple[int, int | None]] = []
    got = da.to_device(
        (on_disk[rows] for rows in pieces), to=target, progress=lambda done, total: seen.append((done, total))
    )
    assert got is target
    same(target, np.asarray(on_disk))
    assert seen[0] == (96 * 28, 28000) and seen[-1] == (28000, 28000) and len(seen) == len(pieces)
    same(da.to_device(iter([[1, 2], [3], []][:2])), np.array([1, 2, 3]))
    records = np.zeros(10, [("a", "i4"), ("b", "f4")])
    records["a"] = range(10)
    assert (da.to_device(iter([records[:4], records[4:]])).copy_to_host() == records).all()


def test_chunks_that_do_not_match() -> None:
    with pytest.raises(da.ShapeError, match=r"3 rows.*4"):
        da.to_device(iter([A[:3]]), to=da.empty((4, 6), da.int32))
    with pytest.raises(da.ShapeError, match="does not fit at row 3"):
        da.to_device(iter([A[:3], A[:3]]), to=da.empty((4, 6), da.int32))
    with pytest.raises(da.ShapeError, match="differ"):
        da.to_device(iter([A, A[:, :3]]))
    with pytest.raises(da.ShapeError, match="axis"):
        da.to_device(iter([1, 2]))
    with pytest.raises(ValueError, match="no chunk"):
        da.to_device(iter([]))


def test_progress_of_one_large_array(monkeypatch: pytest.MonkeyPatch) -> None:
    import devarray._routines.transfers

    monkeypatch.setattr(devarray._routines.transfers, "PROGRESS_BYTES", 1000)
    a, seen = values("int32", (100, 30), 6), []
    same(da.to_device(a, progress=lambda done, total: seen.append((done, total))), a)
    assert [done for done, _ in seen] == sorted({min(n * 120, 12000) for n in range(8, 108, 8)})
    assert {total for _, total in seen} == {12000}
    seen.clear()
    f = np.asfortranarray(a)
    same(da.to_device(f, progress=lambda done, total: seen.append((done, total))), f)
    assert seen[-1] == (12000, 12000)


def test_every_way_of_to_device(device: da.Device) -> None:
    stream = da.queue(device)
    same(da.to_device(A, 0), A)  # numba's default stream
    same(da.to_device(A.T, stream), A.T)
    same(da.to_device(A.astype(A.dtype.newbyteorder())), A)
    assert da.to_device(A.T).strides == A.T.strides
    same(da.to_device(np.float32(2.5)), np.float32(2.5))
    x = da.to_device(A, stream)
    assert x.queue is stream
    assert da.to_device(x, copy=False).shape == A.shape
    same(da.to_device(x, to=da.empty((4, 6), da.int32)), A)
    with pytest.raises(da.DTypeError, match="object"):
        da.to_device(np.array([None]))
    with pytest.raises(da.DTypeError):
        da.to_device(np.array(["text"]))
    with pytest.raises(ValueError, match="broadcast"):
        da.broadcast_to(da.zeros(6, da.int32), (4, 6)).copy_to_device(A)


def test_enqueued_copies_keep_the_hosts_memory_and_not_the_devices(device: da.Device) -> None:
    """The device's memory goes on to the next array as soon as nobody has the first one, its copy still under way."""
    pool = da.alloc.PoolMemoryResource(da.alloc.DeviceMemoryResource(device))
    host = da.pinned_array(1 << 20, np.float32, device=device)
    host[...] = 3
    memory = weakref.ref(host)
    for _ in range(3):
        x = da.empty(host.shape, host.dtype, allocator=pool)
        x.copy_to_device(host, stream=x.queue)
        y = da.empty(host.shape, host.dtype, allocator=pool)
        y.copy_to_device(host, stream=y.queue)
        del x
        assert pool.active_bytes == y.nbytes
        same(y, np.full(host.shape, 3, host.dtype))
        del y
    assert pool.active_bytes == 0
    x = da.empty(host.shape, host.dtype, allocator=pool)
    x.copy_to_device(host, stream=x.queue)
    del host
    same(x, np.full(x.shape, 3, x.dtype))
    other = da.pinned_array(1, np.float32, device=device)
    da.zeros(1, np.float32).copy_to_device(other, stream=da.queue(device))  # the next such copy lets go of it
    assert memory() is None
