"""Data ten times what the device may hold: examples/larger_than_memory.py, and Zarr."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import devarray as da

dask = pytest.importorskip("dask")
dsk = pytest.importorskip("dask.array")

import devarray.dask as devdask  # noqa: E402


def example() -> Any:
    path = Path(__file__).resolve().parents[2] / "examples" / "larger_than_memory.py"
    spec = importlib.util.spec_from_file_location("larger_than_memory", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_ten_times_the_limit(device: da.Device, tmp_path: Path) -> None:
    found = example().main(8, str(tmp_path), show=False)
    assert 0 < found.pop("peak") <= 8 << 20
    assert set(found) == {"mean", "std", "x.T @ x", "singular values", "k-means"}
    assert all(difference < 1e-9 for difference in found.values()), found


def test_a_zarr_of_ten_times_the_limit(device: da.Device, tmp_path: Path) -> None:
    zarr = pytest.importorskip("zarr")
    limit = 4 << 20
    host = np.random.default_rng(3).normal(size=(10 * limit // 800, 100))
    stored = zarr.create_array(tmp_path / "x", shape=host.shape, chunks=(1000, 100), dtype=host.dtype)
    stored[:] = host
    before = da.alloc.default_allocator(device)
    limited = da.alloc.LimitingResourceAdaptor(da.alloc.DeviceMemoryResource(device), limit)
    da.alloc.set_default_allocator(device, da.alloc.PoolMemoryResource(limited))
    try:
        with dask.config.set(scheduler="threads", num_workers=2):
            x = devdask.from_zarr(tmp_path / "x")
            with pytest.raises(da.OutOfMemoryError):
                da.asarray(host)
            np.testing.assert_allclose(x.var(axis=0).compute().copy_to_host(), host.var(axis=0), rtol=1e-10)
            np.testing.assert_allclose((x.T @ x).compute().copy_to_host(), host.T @ host, rtol=1e-9, atol=1e-8)
            devdask.to_zarr((x - x.mean(axis=0)) / 2, tmp_path / "y")
        assert np.allclose(zarr.open(tmp_path / "y")[:], (host - host.mean(axis=0)) / 2)
    finally:
        da.alloc.set_default_allocator(device, before)
