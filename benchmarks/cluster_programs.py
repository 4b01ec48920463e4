"""The programs of cluster.py: six over Dask arrays of any chunks, and the same by jax.jit over a sharded array.

Every library computes on the same numbers, which follow from their places.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

GROUPS, CENTRES, ROUNDS, COLUMNS = 1024, 8, 3, 16


def sizes(gigabytes: float) -> dict[str, tuple[int, ...]]:
    """Shapes of float32 arrays: `x` and `tall` of so many GiB, the grid of half as many since the result is as large.

    The values are a quarter, since their weights are float64; the factor of `x @ x.T` follows from its work.
    """
    elements = gigabytes * 2**30 / 4
    side = max(256, 2 ** round(math.log2(math.sqrt(elements / 4))))
    return {
        "x": (int(elements / COLUMNS), COLUMNS),
        "factor": (side, side // 16),
        "tall": (int(elements / 512), 512),
        "grid": (int(math.sqrt(elements / 2)), int(math.sqrt(elements / 2))),
        "values": (int(elements / 4), 1),
    }


def numbers(xp: Any, rows: Any, columns: int) -> Any:
    """Values in [0, 1) that follow from their place in an array of so many columns."""
    place = rows[:, None] * columns + xp.arange(columns, dtype=np.uint32)
    mixed = (place ^ (place >> 16)) * 0x045D9F3B
    return ((mixed ^ (mixed >> 15)) >> 8).astype(np.float32) * np.float32(2**-24)


def chunked(dsk: Any, xp: Any, shape: tuple[int, ...], pieces: int) -> Any:
    """A Dask array whose chunks are made where the task runs."""

    def make(block_info: Any = None) -> Any:
        (begin, end), (_, columns) = block_info[None]["array-location"]
        rows = xp.arange(end - begin, dtype=np.uint32) + np.uint32(begin % 2**32)
        return numbers(xp, rows, columns)

    size = -(-shape[0] // pieces)
    chunks = (tuple(min(size, shape[0] - at) for at in range(0, shape[0], size)), (shape[1],))
    return dsk.map_blocks(make, chunks=chunks, dtype=np.float32, meta=xp.empty((0, 0), np.float32))


def relaxed(block: Any) -> Any:
    """A step of a five-point stencil; a block has its neighbours' rows, and is periodic along the other axis."""
    middle = block[1:-1]
    around = block[:-2] + block[2:] + np.roll(middle, 1, 1) + np.roll(middle, -1, 1)
    return middle + np.float32(0.2) * (around - 4 * middle)


def sums_by_centre(xp: Any, points: Any, centres: Any) -> Any:
    """Sums and counts of points by their nearest centre."""
    near = ((centres * centres).sum(axis=1) - 2 * (points @ centres.T)).argmin(axis=1)
    member = (near[:, None] == xp.arange(CENTRES)).astype(points.dtype)
    return xp.concatenate([member.T @ points, member.sum(axis=0)[:, None]], axis=1)


def start_of_centres() -> np.ndarray:
    """Where k-means begins."""
    return np.random.default_rng(0).random((CENTRES, COLUMNS), np.float32)


def k_means(xp: Any, x: Any, **how: Any) -> Any:
    """Lloyd's rounds over chunks: each task gives sums and counts; the centres are the host's."""
    centres = start_of_centres()
    for _ in range(ROUNDS):
        parts = x.map_blocks(
            lambda points, c: sums_by_centre(xp, points, xp.asarray(c))[None],
            centres,
            dtype=x.dtype,
            new_axis=2,
            chunks=((1,) * x.numblocks[0], (CENTRES,), (COLUMNS + 1,)),
            meta=xp.empty((0, 0, 0), np.float32),
        )
        total = parts.sum(axis=0).compute(**how).get()
        centres = total[:, :-1] / np.maximum(total[:, -1:], 1)
    return centres


def programs(dsk: Any, xp: Any, how: dict[str, Any]) -> dict[str, tuple[tuple[str, ...], Callable[..., Any]]]:
    """By name: the arrays that a program reads, and the program; it returns what is computed, or a Dask array to be."""
    return {
        "std": (("x",), lambda x: x.std()),
        "k-means": (("x",), lambda x: k_means(xp, x, **how)),
        "x @ x.T": (("factor",), lambda x: x @ x.T),
        "svd_compressed": (("tall",), lambda x: dsk.linalg.svd_compressed(x, 10, n_power_iter=1, seed=0)[1]),
        "stencil": (
            ("grid",),
            lambda g: g.map_overlap(
                relaxed, depth={0: 1, 1: 0}, boundary={0: "periodic"}, trim=False, chunks=g.chunks, meta=g._meta
            ),
        ),
        "group-by": (
            ("values",),
            lambda v: dsk.bincount(
                (v[:, 0] * GROUPS).astype(np.int32), weights=v[:, 0].astype(np.float64), minlength=GROUPS
            ),
        ),
    }


def jax_programs(jax: Any) -> dict[str, tuple[tuple[str, ...], Callable[..., Any]]]:
    """The same by jax.numpy over arrays whose rows are sharded."""
    jnp = jax.numpy

    def svd_compressed(x: Any) -> Any:
        omega = jax.random.normal(jax.random.key(0), (x.shape[1], 20), x.dtype)
        q = jnp.linalg.qr(x @ omega)[0]
        q = jnp.linalg.qr(x @ jnp.linalg.qr(x.T @ q)[0])[0]
        return jnp.linalg.svd(q.T @ x, compute_uv=False)[:10]

    def stencil(g: Any) -> Any:
        around = sum(jnp.roll(g, step, axis) for axis in (0, 1) for step in (1, -1))
        return g + np.float32(0.2) * (around - 4 * g)

    def means(x: Any) -> Any:
        centres = jnp.asarray(start_of_centres())
        for _ in range(ROUNDS):
            total = sums_by_centre(jnp, x, centres)
            centres = total[:, :-1] / jnp.maximum(total[:, -1:], 1)
        return centres

    def grouped(v: Any) -> Any:
        return jnp.bincount((v[:, 0] * GROUPS).astype(np.int32), weights=v[:, 0], length=GROUPS)

    return {
        "std": (("x",), lambda x: x.std()),
        "k-means": (("x",), means),
        "x @ x.T": (("factor",), lambda x: x @ x.T),
        "svd_compressed": (("tall",), svd_compressed),
        "stencil": (("grid",), stencil),
        "group-by": (("values",), grouped),
    }
