"""Clusters of two workers: all programs, what comes to the host, a worker that is killed, chunks beyond the device."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import devarray as da

distributed = pytest.importorskip("distributed")
dsk = pytest.importorskip("dask.array")

from dask_programs import BODIES, OVER_THE_HOST, results  # noqa: E402

import devarray.dask as devdask  # noqa: E402

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),  # sockets and processes that a killed worker leaves to the collector
]


def environment() -> dict[str, str]:
    return {"DEVARRAY_CACHE_DIR": os.environ["DEVARRAY_CACHE_DIR"]}


@pytest.fixture
def client(device: da.Device) -> Iterator[Any]:
    with devdask.LocalCluster(2, env=environment()) as cluster, distributed.Client(cluster) as client:
        assert len(client.scheduler_info()["workers"]) == 2
        yield client


def to_the_host(dask_worker: Any) -> tuple[int, int]:
    """Bytes that a worker's arrays took to the host, and those of the values that it sent."""
    return da.stats()["bytes_to_host"], sum(entry["total"] for entry in dask_worker.transfer_outgoing_log)


def test_all_programs(client: Any) -> None:
    """NumPy's results; a worker's arrays go to the host to be sent, and for nothing else."""
    names = [name for name in BODIES if name not in OVER_THE_HOST]
    wanted = [results(name, lambda host: host) for name in names]
    wanted = [lazy.compute(scheduler="sync") for lazy in wanted]
    found = client.gather(client.compute([results(name, da.asarray) for name in names]))
    for name, got, expected in zip(names, found, wanted, strict=True):
        assert isinstance(got, da.Array), name
        np.testing.assert_allclose(got.copy_to_host(), expected, rtol=1e-9, atol=1e-12, err_msg=name)


def test_arrays_go_to_the_host_to_be_sent_only(client: Any) -> None:
    x = client.persist(devdask.default_rng(4).normal(size=(800, 300), chunks=(50, 300)))
    distributed.wait(x)
    before = client.run(to_the_host)
    programs = [
        (x @ x.T).sum(axis=0),
        x.std(axis=0),
        dsk.sqrt(x * x + 1)[::-1] - x,
        dsk.tensordot(x, x, axes=((0,), (0,))),
        x.map_overlap(lambda block: block[:-2] + block[2:], depth={0: 1}, boundary=0, trim=False),
        x.rechunk((800, 40)).cumsum(axis=0).max(axis=1),  # not by distributed's exchange of host memory
    ]
    held = client.persist(programs)
    distributed.wait(held)
    after = client.run(to_the_host)
    for place, (host, sent) in before.items():  # sizes are Dask's, who counts equal numbers of an array once
        assert 0 < after[place][0] - host <= 1.01 * (after[place][1] - sent)
    assert isinstance(client.compute(held[0]).result(), da.Array)


def slowly(block: da.Array) -> da.Array:
    time.sleep(0.05)
    return block * 2


def test_a_worker_that_is_killed_in_the_middle(client: Any) -> None:
    """Its chunks are computed again, with the same random numbers."""
    x = devdask.default_rng(4).normal(size=(1000, 300), chunks=(25, 300))
    wanted = 2 * da.random.default_rng(4).normal(size=(1000, 300)).copy_to_host()
    held = client.persist(x.map_blocks(slowly))
    total = client.compute((held @ held.T).sum(axis=0))
    victim = None
    while victim is None:
        places = client.who_has(held)
        owners = [worker for workers in places.values() for worker in workers]
        victim = next((worker for worker in owners if owners.count(worker) >= 3), None)
        assert len(owners) < len(places), "some chunks are still to be computed"
    os.kill(client.run(os.getpid, workers=[victim])[victim], signal.SIGKILL)
    got = total.result(timeout=120).copy_to_host()
    np.testing.assert_allclose(got, (wanted @ wanted.T).sum(axis=0), rtol=1e-9, atol=1e-9)


def test_workers_whose_device_holds_less_than_their_chunks(device: da.Device) -> None:
    with (
        devdask.LocalCluster(1, env=environment(), device_memory="1 MB", memory_limit="2 GB") as cluster,
        distributed.Client(cluster) as client,
    ):
        x = client.persist(devdask.default_rng(4).normal(size=(1000, 1000), chunks=(50, 1000)))  # 8 MB
        distributed.wait(x)
        held = client.run(lambda dask_worker: (len(dask_worker.data.on_device), len(dask_worker.data)))
        assert [n <= 2 and total == 20 for n, total in held.values()] == [True]
        wanted = da.random.default_rng(4).normal(size=(1000, 1000)).sum().item()
        assert x.sum().compute().item() == pytest.approx(wanted, rel=1e-9)


def peak_of_the_pool() -> int:
    """The most bytes that the worker's allocator had from the device: what its upstream's limit lets through."""
    pool = da.alloc.default_allocator(da.device()).upstream
    assert isinstance(pool, da.alloc.PoolMemoryResource)
    assert isinstance(pool.upstream, da.alloc.LimitingResourceAdaptor)
    return pool.upstream.allocated_bytes


def test_tasks_and_chunks_share_a_limit(device: da.Device) -> None:
    """Chunks go to the host where a task's own arrays do not fit beside them."""
    with (
        devdask.LocalCluster(1, env=environment(), device_memory="9 MB", device_pool="10 MiB") as cluster,
        distributed.Client(cluster) as client,
    ):
        x = client.persist(devdask.default_rng(4).normal(size=(2000, 1000), chunks=(50, 1000)))  # 16 MB
        distributed.wait(x)
        got = client.compute((x[:, :50].T @ x).sum(axis=0)).result().copy_to_host()
        host = da.random.default_rng(4).normal(size=(2000, 1000)).copy_to_host()
        np.testing.assert_allclose(got, (host[:, :50].T @ host).sum(axis=0), rtol=1e-8, atol=1e-8)
        assert all(0 < held <= 10 << 20 for held in client.run(peak_of_the_pool).values())


@pytest.mark.parametrize("dtype", ["float64", "complex64", "datetime64[s]"])
def test_chunks_are_cut_anew_by_the_exchange_of_all_with_all(client: Any, dtype: str) -> None:
    """Its messages are the host's memory; the chunks before and behind are on the device."""
    host = np.arange(96).reshape(12, 8).astype(dtype)
    lazy = dsk.from_array(da.asarray(host), chunks=(3, 8)).rechunk((12, 2), method="p2p")
    assert lazy.chunks == ((12,), (2, 2, 2, 2)) and not isinstance(lazy._meta, np.ndarray)
    chunks = client.gather(client.compute(list(lazy.to_delayed().ravel())))
    assert all(not isinstance(chunk, np.ndarray) for chunk in chunks)
    np.testing.assert_array_equal(np.hstack([chunk.copy_to_host() for chunk in chunks]), host)
