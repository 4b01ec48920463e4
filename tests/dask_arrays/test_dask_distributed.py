"""What clusters need of arrays: how they travel, and where a worker holds them."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import devarray as da

distributed = pytest.importorskip("distributed")

from distributed.protocol import deserialize, serialize  # noqa: E402

import devarray.dask as devdask  # noqa: E402

X = np.random.default_rng(1).normal(size=(60, 40))


# --- how arrays travel ------------------------------------------------------------------------------------------------

LAYOUTS = {
    "dense": lambda x: x,
    "transposed": lambda x: x.T,
    "strided": lambda x: x[::-2, 3:9],
    "pending": lambda x: x * 2 + 1,
    "no elements": lambda x: x[:0],
    "no axes": lambda x: x[0, 0],
    "float32": lambda x: x.astype("float32"),
    "complex": lambda x: x + 1j,
    "bool": lambda x: x > 0,
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_arrays_travel_as_frames_of_the_host(name: str, device: da.Device) -> None:
    x, host = LAYOUTS[name](da.asarray(X)), LAYOUTS[name](X)
    header, frames = serialize(x)
    assert sum(memoryview(frame).nbytes for frame in frames) <= host.nbytes + 1000
    back = deserialize(header, [bytes(memoryview(frame)) for frame in frames])
    assert isinstance(back, da.Array) and back.dtype == x.dtype and back.shape == x.shape
    assert np.array_equal(back.copy_to_host(), host)


def test_frames_are_the_only_copy(device: da.Device) -> None:
    """By pickle's protocol 5: the values lie in one buffer beside the pickle, which holds no copy of them."""
    buffers: list[Any] = []
    text = pickle.dumps(da.asarray(X), protocol=5, buffer_callback=buffers.append)
    assert len(text) < 1000 and [b.raw().nbytes for b in buffers] == [X.nbytes]
    assert np.array_equal(pickle.loads(text, buffers=buffers).copy_to_host(), X)


def test_frames_of_devices_are_arrays_of_bytes(device: da.Device) -> None:
    """What UCX takes on CUDA, here on any device: nothing goes by the host."""
    from distributed.protocol.cuda import cuda_dumps, cuda_loads

    import devarray.dask.frames  # noqa: F401 (registers them)

    for name, layout in LAYOUTS.items():
        x = layout(da.asarray(X))
        da.reset_stats()
        header, frames = cuda_dumps(x)
        back = cuda_loads(header, frames)
        assert da.stats()["bytes_to_host"] == 0
        assert [f.dtype for f in frames] == [np.uint8] and sum(f.nbytes for f in frames) == x.nbytes, name
        assert back.dtype == x.dtype and np.array_equal(back.copy_to_host(), layout(X)), name


# --- where a worker holds them ----------------------------------------------------------------------------------------


@pytest.fixture
def held(tmp_path: Path, device: da.Device) -> Iterator[devdask.DeviceSpill]:
    """Room for two arrays of 800 bytes on the device, and three on the host."""
    yield devdask.DeviceSpill(1700, 3000, str(tmp_path))


def numbers(i: int) -> np.ndarray:
    return np.arange(100.0) + i


def test_the_oldest_chunks_leave_the_device(held: devdask.DeviceSpill) -> None:
    for i in range(7):
        held[f"x{i}"] = da.asarray(numbers(i))
    assert len(held) == 7 and len(held.on_device) == 2 and held.on_host and held.on_disk
    assert set(held.on_device) == {"x5", "x6"}
    for i in range(7):
        assert np.array_equal(held[f"x{i}"].copy_to_host(), numbers(i))
    assert set(held) == {f"x{i}" for i in range(7)}


def test_what_is_used_comes_back_to_the_device(held: devdask.DeviceSpill) -> None:
    for i in range(4):
        held[i] = da.asarray(numbers(i))
    assert 0 not in held.on_device and isinstance(held[0], da.Array)
    assert 0 in held.on_device and 2 not in held.on_device
    assert len(held) == 4


def test_other_values_are_dasks_own(held: devdask.DeviceSpill) -> None:
    held["text"], held["host"] = "abc", numbers(1)
    held["x"] = da.asarray(numbers(2))
    assert held["text"] == "abc" and np.array_equal(held["host"], numbers(1))
    assert "text" in held and "text" not in held.on_device
    held["x"] = 5  # another kind of value under the same key
    assert held["x"] == 5 and len(held) == 3
    held["text"] = da.asarray(numbers(3))
    assert isinstance(held["text"], da.Array) and len(held) == 3
    for key in list(held):
        del held[key]
    assert len(held) == 0 and list(held) == []
    with pytest.raises(KeyError):
        held["x"]


def test_a_worker_evicts_to_the_disk(held: devdask.DeviceSpill) -> None:
    for i in range(4):
        held[i] = da.asarray(numbers(i))
    while held.on_host:
        assert held.evict() > 0
    assert np.array_equal(held[0].copy_to_host(), numbers(0))


def test_memory_that_a_failing_allocation_frees(tmp_path: Path, device: da.Device) -> None:
    """Our pool told to free: the callback moves chunks to the host until the allocation fits."""
    held = devdask.DeviceSpill("1 GB", "1 GB", str(tmp_path))
    limit = da.alloc.LimitingResourceAdaptor(da.alloc.DeviceMemoryResource(device), 4 << 20)
    pool = da.alloc.FailureCallbackResourceAdaptor(limit, lambda nbytes: held.free_device() > 0)
    with da.use(allocator=pool):
        for i in range(10):
            held[i] = da.full(1 << 17, float(i)).evaluate()  # 1 MiB each
            held[i].queue.finish()
    assert len(held.on_device) <= 4 and len(held) == 10
    assert [float(held[i][0]) for i in range(10)] == [float(i) for i in range(10)]


def test_a_limit_is_positive(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="positive"):
        devdask.DeviceSpill(0, 0, str(tmp_path))


@pytest.mark.parametrize("name", da.errors.__all__)
def test_errors_travel(name: str) -> None:
    """As distributed brings them: by their class's own way to make one, behind their traceback."""
    kind = getattr(da.errors, name)
    error = kind.__new__(kind, "what was asked")
    assert type(error) is kind and error.args == ("what was asked",)
    assert pickle.loads(pickle.dumps(kind("what was asked"))).args == ("what was asked",)
