"""Page-locked and mapped host arrays, and device memory seen by the host in place."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest
from oracle import moderate, same

import devarray as da
from devarray import _core

pytestmark = pytest.mark.usefixtures("device")

HOST_VISIBLE = ("svm_fine", "managed", "pinned")


def of_kind(device: da.Device, kind: str) -> Any:
    if kind not in device.memory_kinds:
        pytest.skip(f"the device has no memory of kind {kind}")
    return da.alloc.DeviceMemoryResource(device, kind)


# --- pinned ----------------------------------------------------------------------------------------------------------


def test_a_pinned_array_is_an_ndarray_that_copies_like_any_other(device: da.Device) -> None:
    h = da.pinned_array((30, 50), "float32")
    assert (type(h), h.shape, h.dtype, h.flags.c_contiguous, h.flags.writeable) == (
        np.ndarray,
        (30, 50),
        np.float32,
        True,
        True,
    )
    assert _core.is_page_locked(device, h)
    h[...] = moderate("float32", (30, 50), 1)
    x = da.to_device(h)
    same(x, h)
    out = da.pinned_array((30, 50), "float32", order="F")
    assert out.flags.f_contiguous
    (x * 2).copy_to_host(out)
    same(out, h * np.float32(2))


def test_pinned_arrays_with_strides() -> None:
    h = da.pinned_array((4, 5), "int32", strides=(40, 4))
    assert h.strides == (40, 4)
    h[...] = 3
    same(da.to_device(h), np.full((4, 5), 3, np.int32))
    assert da.pinned_array(0).shape == (0,)
    assert da.pinned_array((), [("a", "i4"), ("b", "S3")]).dtype.itemsize == 7
    with pytest.raises(da.ShapeError, match="negative"):
        da.pinned_array((4,), "int32", strides=(-4,))
    with pytest.raises(da.ShapeError, match="negative"):
        da.pinned_array((-4,))
    with pytest.raises(da.DTypeError, match="objects"):
        da.pinned_array(3, object)


def test_pinned_memory_goes_back_to_its_pool(device: da.Device) -> None:
    pool = _core.page_locked_pool(device)
    before = pool.active_bytes
    h = da.pinned_array(1000, "uint8")
    part = h[10:20]
    del h
    assert pool.active_bytes == before + 1000
    del part
    assert pool.active_bytes == before


def test_copies_of_pinned_memory_on_a_stream(device: da.Device) -> None:
    stream = da.queue(device)
    h = da.pinned_array(1 << 20, "int32")
    h[:] = np.arange(1 << 20)
    x = da.to_device(h, stream=stream)
    y = (x * 2).copy_to_host(stream=stream)
    out = da.pinned_array(1 << 20, "int32")
    x.copy_to_host(out, stream)
    stream.finish()
    same(y, np.arange(1 << 20, dtype=np.int32) * 2)
    same(out, np.arange(1 << 20, dtype=np.int32))


def test_both_ends_of_a_copy_on_a_stream_are_kept(device: da.Device) -> None:
    stream = da.queue(device)
    wanted = np.arange(1 << 18, dtype=np.int32)
    arrays = []
    for i in range(20):
        h = da.pinned_array(1 << 18, "int32")
        h[:] = wanted + i
        arrays.append(da.to_device(h, stream=stream))
        del h  # its memory may be the next one's, but not before it was read
    stream.finish()
    for i, x in enumerate(arrays):
        same(x, wanted + np.int32(i))


def test_pinned_as_a_context(device: da.Device) -> None:
    h = moderate("float32", 1 << 16, 2)
    with da.pinned(h):
        assert _core.is_page_locked(device, h) == (device.driver == "cuda")
        x = da.to_device(h, stream=da.queue(device))
    assert not _core.is_page_locked(device, h)
    same(x, h)


# --- mapped ----------------------------------------------------------------------------------------------------------


def test_a_mapped_array_is_seen_by_both(device: da.Device) -> None:
    if not {"pinned", "svm_fine"} & set(device.memory_kinds):
        with pytest.raises(da.DeviceError, match="no memory that the host sees"):
            da.mapped_array(3)
        return
    h = da.mapped_array((3, 4), "float32", order="F")
    assert isinstance(h, da.MappedNDArray) and isinstance(h, np.ndarray)
    assert h.flags.f_contiguous and h.device_array.strides == h.strides
    h[...] = np.arange(12).reshape(3, 4)
    h.device_array *= 2
    same(h.copy_to_host(), np.arange(12, dtype=np.float32).reshape(3, 4) * 2)
    same(np.asarray(h), np.arange(12, dtype=np.float32).reshape(3, 4) * 2)
    h.copy_to_device(np.ones((3, 4), np.float32))
    da.synchronize()
    assert (h == 1).all()
    assert h[0].device_array is None
    line = da.mapped_array(10, "int32")
    assert [len(part) for part in line.split(4)] == [4, 4, 2]


def test_mapped_memory_lives_as_long_as_either_side(device: da.Device) -> None:
    if not {"pinned", "svm_fine"} & set(device.memory_kinds):
        pytest.skip("the device has no memory that the host sees")
    h = da.mapped_array(1000, "int32")
    h[:] = 5
    x, view = h.device_array, np.asarray(h)
    del h
    gc.collect()
    x += 1
    da.synchronize()
    assert (view == 6).all()
    del x
    gc.collect()
    assert (view == 6).all()


def test_mapped_as_a_context() -> None:
    a, b = np.zeros(1000, np.int32), np.arange(1000, dtype=np.int32)
    with da.mapped(a, b) as (x, y):
        x[...] = y * 2
    same(a, b * 2)
    with da.mapped(a) as x:
        x += 1
    same(a, np.arange(1000, dtype=np.int32) * 2 + 1)
    with pytest.raises(ValueError, match="C order"), da.mapped(np.zeros((4, 4))[:, 1]):
        pass


# --- map and host views ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["buffer", "svm_coarse", "svm_fine", "managed", "pinned"])
def test_map_shows_the_arrays_own_memory(device: da.Device, kind: str) -> None:
    x = da.asarray(np.arange(12, dtype=np.int32).reshape(3, 4), allocator=of_kind(device, kind))
    before = x + 100  # reads what is there before the host writes
    with x[:, ::2].map() as host:
        same(host, np.arange(12, dtype=np.int32).reshape(3, 4)[:, ::2])
        host[...] = -1
    wanted = np.arange(12, dtype=np.int32).reshape(3, 4)
    same(before, wanted + 100)
    wanted[:, ::2] = -1
    same(x + 0, wanted)
    assert not host.flags.writeable
    with x.map("r") as host, pytest.raises(ValueError, match="read-only"):
        host[...] = 0
    with pytest.raises(ValueError, match="mode"), x.map("w"):
        pass
    with x[:0].map() as host:
        assert host.shape == (0, 4)


def test_memory_that_the_host_cannot_see(device: da.Device) -> None:
    if "device" in device.memory_kinds:
        x = da.zeros(3, allocator=of_kind(device, "device"))
        with pytest.raises(da.DeviceError, match="managed or pinned"), x.map():
            pass
    hidden = next(kind for kind in ("device", "buffer", "svm_coarse") if kind in device.memory_kinds)
    with pytest.raises(da.DeviceError, match=f"'{hidden}'"):
        da.zeros(3, allocator=of_kind(device, hidden)).as_host_view()


@pytest.mark.parametrize("kind", HOST_VISIBLE)
def test_a_host_view_stays(device: da.Device, kind: str) -> None:
    x = da.asarray(np.arange(6, dtype=np.int32), allocator=of_kind(device, kind))
    before = x * 10
    view = x[::-1].as_host_view()
    same(view, np.arange(6, dtype=np.int32)[::-1])
    view[0] = 50
    same(before, np.arange(6, dtype=np.int32) * 10)
    same(x, np.array([0, 1, 2, 3, 4, 50], np.int32))
    x += 1  # exposed, so not deferred
    da.synchronize()
    same(view, np.array([51, 5, 4, 3, 2, 1], np.int32))
    del x
    gc.collect()
    assert view[0] == 51
