"""The parts of cluster.py that copy: between two devices, between two processes, and from the host, out of core."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import devarray as da

GB = 1e9
LEAST_RUNS = 5
SOME = 4  # chunks that one task takes from another worker


def say(**what: Any) -> None:
    """Hand figures to the parent process."""
    print(json.dumps({key: round(v, 4) if isinstance(v, float) else v for key, v in what.items()}), flush=True)


def rate(nbytes: int, work: Callable[[], Any], runs: int = LEAST_RUNS) -> float:
    """GB/s of the quickest of some runs, behind one that warms up."""
    work()
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return nbytes / min(times) / GB


def exchange(names: list[str], given: argparse.Namespace) -> None:
    """Copy an array between two devices of a process, and between two processes."""
    nbytes = 1 << 24 if given.quick else 10**9
    source, target = da.device(names[0]), da.device(names[-1])
    link = raw_link(source, target, nbytes) if source.driver == "cuda" else None
    if link:
        say(what="the driver's own copy, GB/s", link=link)
    x = da.ones(nbytes // 4, np.float32, device=source).evaluate()
    x.queue.finish()
    if target is not source:

        def across() -> None:
            x.to_device(target).queue.finish()

        before = da.stats()
        got = rate(nbytes, across)
        after = da.stats()
        say(
            what="between two devices of a process, GB/s",
            rate=got,
            of_link=got / link if link else None,
            counted=(after["bytes_between_devices"] - before["bytes_between_devices"]) / GB,
            by_the_host=(after["bytes_to_host"] - before["bytes_to_host"]) / GB,
        )
    if source.driver == "cuda":
        between_processes(source, target, names, nbytes, link)
    workers(names, nbytes, link)


def raw_link(source: da.Device, target: da.Device, nbytes: int) -> float:
    """GB/s of cuMemcpyPeerAsync (of a copy on the device where there is but one), by events."""
    from devarray import cuda

    contexts = [cuda.Device(d.index).retain_primary_context() for d in (source, target)]
    memory = []
    for context in contexts:
        context.push()
        memory.append(cuda.mem_alloc(nbytes))
        cuda.Context.pop()
    if source is not target:
        for here, there in (contexts, contexts[::-1]):
            here.push()
            try:
                here.enable_peer_access(there)
            except da.errors.DriverError as error:  # no link, or enabled before
                say(what="peer access", said=str(error)[:120])
            cuda.Context.pop()
    contexts[1].push()
    stream, best = cuda.Stream(), float("inf")
    for _ in range(LEAST_RUNS + 1):
        begin, end = cuda.Event(), cuda.Event()
        begin.record(stream)
        cuda.memcpy_peer_async(memory[1], memory[0], nbytes, contexts[1], contexts[0], stream)
        end.record(stream)
        end.synchronize()
        best = min(best, end.time_since(begin) * 1e-3)
    cuda.Context.pop()
    return nbytes / best / GB


def between_processes(source: da.Device, target: da.Device, names: list[str], nbytes: int, link: float | None) -> None:
    """CUDA IPC by what distributed calls: a header one way, an answer back."""
    from devarray.dask import ipc

    context = multiprocessing.get_context("spawn")
    mine, theirs = context.Pipe()
    process = context.Process(target=receive, args=(theirs, names[-1], nbytes), daemon=True)
    process.start()
    place = answer(mine)
    with da.use(device=source):
        x = da.ones(nbytes // 4, np.float32).evaluate()
        for _ in range(LEAST_RUNS + 1):
            mine.send(ipc.dump(x, context={"recipient": {"devarray": place}})[0])
            answer(mine)
    mine.send(None)
    figures = answer(mine)
    process.join()
    say(what="between two processes by CUDA IPC, GB/s", **figures, of_link=figures["rate"] / link if link else None)


def answer(pipe: Any) -> Any:
    """What the other process says, if it still lives."""
    if not pipe.poll(20):
        raise TimeoutError("the other process says nothing")
    return pipe.recv()


def receive(pipe: Any, name: str, nbytes: int) -> None:
    """The other process: it copies what it is sent, and says how long that takes."""
    from devarray.dask import ipc

    with da.use(device=name):
        pipe.send(ipc.here(da.device()))
        times, total, opening = [], 0.0, 0.0
        while (header := pipe.recv()) is not None:
            opening = opened(header["handles"])
            start = time.perf_counter()
            x = ipc.load(header, [])
            x.queue.finish()
            times.append(time.perf_counter() - start)
            total = float(x[: 1 << 20].sum())
            del x
            pipe.send(True)
        host, least = da.stats()["bytes_to_host"], min(times)
        pipe.send(
            {
                "rate": nbytes / least / GB,
                "milliseconds": least * 1e3,
                "of them opening": opening * 1e3,
                "right": total == 1 << 20,
                "bytes_to_host": host,
            }
        )


def opened(handles: Any) -> float:
    """Seconds that the two handles take to open and close."""
    from devarray import cuda

    context = cuda.Device(da.device().index).retain_primary_context()
    context.push()
    start = time.perf_counter()
    memory, event = cuda.IPCMemoryHandle(handles[0]), cuda.Event.from_ipc_handle(handles[1])
    memory.close()
    del event
    seconds = time.perf_counter() - start
    cuda.Context.pop()
    return seconds


def workers(names: list[str], nbytes: int, link: float | None) -> None:
    """Chunks of one worker of a LocalCluster are taken by the other: one by one, and some by one task."""
    import distributed

    import devarray.dask

    with (
        devarray.dask.LocalCluster([names[0], names[-1]], silence_logs=50) as cluster,
        distributed.Client(cluster) as client,
    ):
        first, second = client.scheduler_info(n_workers=-1)["workers"]
        single = [taken(client, nbytes, 1, first, second) for _ in range(2 * LEAST_RUNS)]
        several = [taken(client, nbytes, SOME, first, second) for _ in range(LEAST_RUNS)]
        host = client.run(to_the_host, workers=[first])[first]
    for what, size, seconds in (
        ("between two workers, GB/s", nbytes, single[1:]),
        (f"between two workers, {SOME} for a task, GB/s", SOME * nbytes, several),
    ):
        best = size / min(seconds) / GB
        say(
            what=what,
            rate=best,
            milliseconds=[round(s * 1e3, 2) for s in seconds],
            of_link=best / link if link else None,
            bytes_to_host=host,
        )


def made(nbytes: int, value: int) -> da.Array:
    """A worker's chunk."""
    x = da.full(nbytes // 4, np.float32(value)).evaluate()
    x.queue.finish()
    return x


def taken(client: Any, nbytes: int, count: int, first: str, second: str) -> float:
    """Seconds from the first question for arrays of a worker until they lie on the other's device."""
    import distributed

    arrays = [client.submit(made, nbytes, i, workers=[first], pure=False) for i in range(count)]
    distributed.wait(arrays)
    before = len(client.run(incoming, workers=[second])[second])
    end = client.submit(arrived, arrays, workers=[second], pure=False).result()
    return end - client.run(incoming, workers=[second])[second][before]


def arrived(arrays: list[da.Array]) -> float:
    """What the other worker does with them."""
    for x in arrays:
        x.queue.finish()
    return time.time()


def incoming(dask_worker: Any) -> list[float]:
    """When a worker's incoming transfers began."""
    ahead = dask_worker.scheduler_delay  # distributed's log is by the scheduler's clock
    return [entry["start"] - ahead for entry in dask_worker.transfer_incoming_log]


def to_the_host() -> int:
    """Bytes that a process's arrays took to the host."""
    return int(da.stats()["bytes_to_host"])


def outofcore(names: list[str], given: argparse.Namespace) -> None:
    """Reduce data of the host by chunk, in a pool of a tenth of their bytes, beside the transfer's limit."""
    import devarray.dask

    gigabytes, chunk = (0.2, 1 << 19) if given.quick else (6, 96 << 20)
    columns = 64
    rows = int(gigabytes * 2**30 / 4 / columns)
    device = da.device(names[0])
    piece = da.pinned_array((chunk // 4 // columns, columns), np.float32)
    piece[...] = 1
    there = da.empty(piece.shape, np.float32, device=device)

    def transfer() -> None:
        for _ in range(8):
            there.copy_to_device(piece, stream=there.queue)
        there.queue.finish()

    limit = rate(8 * piece.nbytes, transfer)
    say(what="pinned transfer, GB/s", limit=limit)
    for kind in ("pinned", "pageable"):
        host = (
            da.pinned_array((rows, columns), np.float32) if kind == "pinned" else np.empty((rows, columns), np.float32)
        )
        host[...] = 1
        most = host.nbytes // 10
        limited = da.alloc.LimitingResourceAdaptor(da.alloc.DeviceMemoryResource(device), most)
        pool = da.alloc.PoolMemoryResource(limited)
        x = devarray.dask.from_host(host, (chunk // 4 // columns, columns), allocator=pool)
        threads = devarray.dask.DeviceThreads([device], threads_per_device=3)
        for name, lazy in (("sum", x.sum()), ("std", x.std(axis=0).max()), ("x.T @ x", (x.T @ x).max())):
            compute = partial(lazy.compute, scheduler=threads)
            got = rate(host.nbytes, lambda compute=compute: float(compute()), 2)
            say(what=f"out of core, {kind}, {name}", rate=got, of_limit=got / limit, value=float(compute()))
        say(
            what="device memory of the limit", peak=pool.peak_managed_bytes / GB, limit=most / GB, data=host.nbytes / GB
        )
        del x, lazy, compute, host, pool, limited
