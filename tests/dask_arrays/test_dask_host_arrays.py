"""Chunks of arrays of the host, which nobody copies as a whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import devarray as da

dask = pytest.importorskip("dask")

import devarray.dask as devdask  # noqa: E402

HOST = np.random.default_rng(8).normal(size=(50, 12))


@pytest.mark.parametrize("scheduler", ["sync", "threads", "devices"])
@pytest.mark.parametrize(
    "host",
    [HOST, HOST[::-1, ::2], HOST.astype(">f4"), HOST.astype(np.int16)[:0], HOST[:, 0]],
    ids=lambda h: str(h.shape),
)
def test_values(device: da.Device, host: np.ndarray, scheduler: str) -> None:
    given: Any = devdask.DeviceThreads([device]) if scheduler == "devices" else scheduler
    x = devdask.from_host(host, 7, device=device)
    assert x.shape == host.shape and x.dtype == host.dtype.newbyteorder("=") and isinstance(x._meta, da.Array)
    got = (x * 2).compute(scheduler=given)
    assert got.device is device
    np.testing.assert_array_equal(got.copy_to_host(), host * 2)


@pytest.mark.parametrize("kind", ["page-locked", "file"])
def test_nothing_is_copied_before(device: da.Device, kind: str, tmp_path: Path) -> None:
    """What is written until a chunk is computed is seen."""
    if kind == "file":
        host: Any = np.memmap(tmp_path / "x", np.float32, "w+", shape=(40, 3))
    else:
        host = da.pinned_array((40, 3), np.float32, device=device)
    host[...] = 1
    x = devdask.from_host(host, (10, 3), device=device)
    host[30:] = 5
    with da.use(device=device):
        for scheduler in (devdask.DeviceThreads([device]), "threads"):
            np.testing.assert_array_equal(x.compute(scheduler=scheduler).copy_to_host(), host)
            assert float(x.sum().compute(scheduler=scheduler)) == host.sum()


def test_more_than_a_pool_may_hold(device: da.Device) -> None:
    limit = 4 << 20
    host = da.pinned_array((10 * limit // 80, 10), np.float64, device=device)
    host[...] = np.arange(10)
    pool = da.alloc.PoolMemoryResource(da.alloc.LimitingResourceAdaptor(da.alloc.DeviceMemoryResource(device), limit))
    x = devdask.from_host(host, (len(host) // 160, 10), allocator=pool)  # a sixteenth of it
    threads = devdask.DeviceThreads([device], threads_per_device=3)
    for _ in range(2):
        np.testing.assert_array_equal(x.sum(axis=0).compute(scheduler=threads).copy_to_host(), host.sum(axis=0))
    assert pool.peak_managed_bytes <= limit


def test_dtypes_without_arithmetic(device: da.Device) -> None:
    host = np.array(["2020-01-01", "2021-05-05"], "M8[D]")
    got = devdask.from_host(host, 1, device=device).compute(scheduler="sync")
    np.testing.assert_array_equal(got.copy_to_host(), host)


def test_errors() -> None:
    with pytest.raises(da.errors.DTypeError, match="NumPy array, not list"):
        devdask.from_host([1, 2])  # type: ignore[arg-type]
    with pytest.raises(da.errors.ShapeError, match="at least one dim"):
        devdask.from_host(np.array(1.0))
