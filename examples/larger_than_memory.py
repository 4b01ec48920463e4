"""Ten times what the device may hold: statistics, products, singular values, k-means and a sort of a file, by chunk.

    python examples/larger_than_memory.py [MB of the device, 64 by default]

A limit stands for the device's memory: the chunks come from it, and results come from where their operands do. Dask
reads the file chunk by chunk, each chunk moves to the device, is used up by a task and gone; what the statistics say at
the end is the most that lived at once.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import nullcontext
from itertools import pairwise
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # Dask's threads are enough; BLAS's own would stand in their way

import dask
import dask.array as dsk
import numpy as np
from dask.diagnostics import ProgressBar

import devarray as da
import devarray.dask

COLUMNS = 32
GROUPS = 5


def write(path: Path, nbytes: int) -> np.memmap:
    """A file of points around five centres, written piece by piece."""
    rows, rng = nbytes // (8 * COLUMNS), np.random.default_rng(0)
    centres = rng.normal(scale=8, size=(GROUPS, COLUMNS))
    points = np.memmap(path, np.float64, "w+", shape=(rows, COLUMNS))
    for start in range(0, rows, 1 << 16):
        piece = points[start : start + (1 << 16)]
        piece[:] = rng.normal(size=piece.shape) + centres[np.arange(start, start + len(piece)) % GROUPS]
    return points


def nearest(points: da.Array, centres: da.Array) -> da.Array:
    """The number of the nearest centre: by squares, whose common part does not matter."""
    return ((centres * centres).sum(axis=1) - 2 * (points @ centres.T)).argmin(axis=1)


def sums(points: da.Array, centres: da.Array) -> da.Array:
    """Sums and counts of a chunk's points by their nearest centre, as one block of (1, centres, columns + 1)."""
    group = nearest(points, centres)[:, None] == da.arange(len(centres))
    counts = group.sum(axis=0)[:, None]
    return da.concatenate([group.astype(points.dtype).T @ points, counts.astype(points.dtype)], axis=1)[None]


def k_means(points: dsk.Array, rounds: int) -> da.Array:
    """Centres of groups, by Lloyd's algorithm: each round reads the file once."""
    centres = points[:GROUPS].compute()
    for _ in range(rounds):
        parts = points.map_blocks(
            sums, centres, dtype=points.dtype, new_axis=2, chunks=((1,) * points.numblocks[0], GROUPS, COLUMNS + 1)
        )
        total = parts.sum(axis=0, split_every=4).compute()
        centres = total[:, :-1] / total[:, -1:]
    return centres


def sort_by(points: dsk.Array, column: int, target: np.ndarray) -> None:
    """Rows into `target` in the order of a column: samples cut the keys into ranges that the device holds.

    The first pass counts each chunk's rows in each range, so that the second knows where they go; the third sorts the
    ranges, in place.
    """
    edges = da.asarray(
        dsk.percentile(points[:, column], np.linspace(0, 100, 2 * points.numblocks[0] + 1)[1:-1]).compute()
    )

    def sorted_rows(chunk: da.Array) -> tuple[da.Array, np.ndarray]:
        rows = chunk[da.argsort(chunk[:, column])]
        ends = da.searchsorted(rows[:, column], edges).copy_to_host()
        return rows, np.concatenate([[0], ends, [len(rows)]])

    def write(chunk: da.Array, starts: np.ndarray) -> None:
        rows, ends = sorted_rows(chunk)
        values = rows.copy_to_host()
        for start, begin, end in zip(starts, ends, ends[1:], strict=False):
            target[start : start + end - begin] = values[begin:end]

    def sort_range(begin: int, end: int) -> None:
        rows = da.asarray(target[begin:end], allocator=points._meta.allocator)
        target[begin:end] = rows[da.argsort(rows[:, column])].copy_to_host()

    chunks = points.to_delayed().ravel()
    counts = np.array(dask.compute(*(dask.delayed(lambda c: np.diff(sorted_rows(c)[1]))(chunk) for chunk in chunks)))
    first = np.concatenate([[0], counts.sum(axis=0).cumsum()])
    starts = first[:-1] + counts.cumsum(axis=0) - counts
    dask.compute(*(dask.delayed(write)(chunk, start) for chunk, start in zip(chunks, starts, strict=True)))
    dask.compute(*(dask.delayed(sort_range)(begin, end) for begin, end in pairwise(first)))


def timed(work: Callable[[], Any]) -> float:
    """Seconds that it takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def overlap(points: dsk.Array) -> tuple[float, float, float]:
    """Seconds of moving all chunks to the device, of as much work on one that is there, and of both together."""

    def work(chunk: da.Array) -> da.Array:
        return da.sin(chunk * chunk + 1).sum(axis=0, keepdims=True)

    one = points.blocks[0].compute().evaluate()
    there = dsk.concatenate([dsk.from_array(one, chunks=one.shape)] * points.numblocks[0])
    ends = [(1,) * points.numblocks[0], points.chunks[1]]
    moved = points.map_blocks(lambda chunk: chunk[:1].copy(), chunks=ends)
    both, alone = points.map_blocks(work, chunks=ends), there.map_blocks(work, chunks=ends)
    return tuple(
        min(timed(lambda x=x: x.sum(axis=0).compute().queue.finish()) for _ in range(2)) for x in (moved, alone, both)
    )


def main(megabytes: int = 64, folder: str | None = None, show: bool = True) -> dict[str, float]:
    """Run all of it; differences from NumPy's results over the whole file, and the most bytes at once."""
    limit = megabytes << 20
    device = da.device()
    seen = da.alloc.StatisticsResourceAdaptor(
        da.alloc.PoolMemoryResource(da.alloc.LimitingResourceAdaptor(da.alloc.DeviceMemoryResource(device), limit))
    )
    with tempfile.TemporaryDirectory(dir=folder) as name:
        file = write(Path(name) / "points", 10 * limit)
        rows = max(1, limit // 16 // (8 * COLUMNS))
        points = dsk.from_array(file, chunks=(rows, COLUMNS)).to_backend("devarray", allocator=seen)
        found: dict[str, float] = {}

        def compare(what: str, lazy: dsk.Array, wanted: np.ndarray) -> None:
            start = time.perf_counter()
            got = lazy.compute().copy_to_host()
            found[what] = float(np.abs(got - wanted).max() / np.abs(wanted).max())
            if show:
                print(f"{what:18} {time.perf_counter() - start:6.2f} s   relative difference {found[what]:.1e}")

        with dask.config.set(scheduler="threads", num_workers=2), ProgressBar(minimum=5) if show else nullcontext():
            gram = file.T @ file
            compare("mean", points.mean(axis=0), file.mean(axis=0))
            compare("std", points.std(axis=0), file.std(axis=0))
            compare("x.T @ x", points.T @ points, gram)
            weights = np.random.default_rng(1).normal(size=(COLUMNS, COLUMNS // 2))
            product = np.memmap(Path(name) / "product", np.float64, "w+", shape=(len(file), COLUMNS // 2))
            devarray.dask.store(points @ da.asarray(weights), product)
            found["x @ w"] = float(np.abs(product - file @ weights).max() / np.abs(product).max())
            del product
            ordered = np.memmap(Path(name) / "ordered", np.float64, "w+", shape=file.shape)
            sort_by(points, 3, ordered)
            found["sort by a key"] = float(np.abs(ordered - file[np.argsort(file[:, 3])]).max())
            del ordered
            compare("singular values", dsk.linalg.svd(points)[1], np.sqrt(np.linalg.eigvalsh(gram)[::-1]))
            centres = np.sort(k_means(points, 3).copy_to_host(), axis=0)
            if show:
                moved, worked, both = overlap(points)
                print(f"transfers {moved:.2f} s, work {worked:.2f} s, both at once {both:.2f} s")
        exact = np.sort([file[i::GROUPS].mean(axis=0) for i in range(GROUPS)], axis=0)
        found["k-means"] = float(np.abs(centres - exact).max())
        del file, points
    found["peak"] = seen.allocation_counts.peak_bytes
    if show:
        peak = seen.allocation_counts.peak_bytes / 2**20
        print(f"the file: {10 * limit >> 20} MB; the most on the device: {peak:.1f} of {megabytes} MB")
    return found


if __name__ == "__main__":
    devarray.dask.register()
    main(*map(int, sys.argv[1:]))
