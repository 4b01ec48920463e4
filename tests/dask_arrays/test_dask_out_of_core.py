"""Data ten times what the device may hold: examples/larger_than_memory.py, and Zarr."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import devarray as da

dask = pytest.importorskip("dask")
dsk = pytest.importorskip("dask.array")

import devarray.dask as devdask  # noqa: E402


@pytest.mark.slow
def test_ten_times_the_limit(device: da.Device, tmp_path: Path) -> None:
    """In a process of its own, whose BLAS has one thread."""
    limit = 64 if device.driver == "cuda" else 8  # MiB; cuSOLVER's QR takes 6 of them for itself, in each thread
    path = Path(__file__).resolve().parents[2] / "examples"
    code = f"import larger_than_memory as e; print(json.dumps(e.main({limit}, {str(tmp_path)!r}, show=False)))"
    done = subprocess.run(
        [sys.executable, "-P", "-c", f"import json, sys; sys.path.append({str(path)!r}); {code}"],
        capture_output=True,
        text=True,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert 0 < found.pop("peak") <= limit << 20
    assert set(found) == {"mean", "std", "x.T @ x", "x @ w", "sort by a key", "singular values", "k-means"}
    assert all(difference < 1e-9 for difference in found.values()), found


def test_a_zarr_of_ten_times_the_limit(device: da.Device, tmp_path: Path) -> None:
    zarr = pytest.importorskip("zarr")
    limit = 8 << 20
    host = np.random.default_rng(3).normal(size=(10 * limit // 160, 20))
    stored = zarr.create_array(tmp_path / "x", shape=host.shape, chunks=(1250, 20), dtype=host.dtype)
    stored[:] = host
    limited = da.alloc.LimitingResourceAdaptor(da.alloc.DeviceMemoryResource(device), limit)
    pool = da.alloc.PoolMemoryResource(limited)
    with pytest.raises(da.OutOfMemoryError):
        da.asarray(host, allocator=pool)
    with dask.config.set(scheduler="threads", num_workers=2):
        x = devdask.from_zarr(tmp_path / "x", allocator=pool)
        np.testing.assert_allclose(x.var(axis=0).compute().copy_to_host(), host.var(axis=0), rtol=1e-10)
        np.testing.assert_allclose((x.T @ x).compute().copy_to_host(), host.T @ host, rtol=1e-9, atol=1e-8)
        mean = x.mean(axis=0).compute()  # by itself: a graph of both would keep all chunks for its second half
        devdask.to_zarr((x - mean) / 2, tmp_path / "y")
    assert np.allclose(zarr.open(tmp_path / "y")[:], (host - host.mean(axis=0)) / 2)
    assert limited.allocated_bytes <= limit
