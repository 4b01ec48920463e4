"""Counting how often integers occur in one pass."""

from __future__ import annotations

from typing import Any

import numpy as np

from devarray import _core
from devarray.array import Array

__all__ = ["by_counting", "counted", "counted_by_groups", "fits_groups"]


def by_counting(x: Array) -> bool:
    """Whether x lies on a device that counts: one whose few work-items each have a cache of their own."""
    return x.device.strategy == "cpu"


def fits_groups(x: Array, total: int, weights: Array | None = None) -> bool:
    """Whether so many bins are few enough for the work-groups of x's device, a GPU."""
    return not (x.size and total) or _geometry(x, total, weights) is not None


def _geometry(x: Array, total: int, weights: Array | None) -> Any:
    from devarray._runtime.compiler import dialect
    from devarray.codegen.kernels.counting_groups import group_geometry

    return group_geometry(x.size, total, None if weights is None else weights.dtype.name, dialect(x.device))


def counted_by_groups(
    x: Array, total: int, weights: Array | None = None, *, least: int = 0, edges: Array | None = None
) -> Array:
    """The same as `counted`, by the work-groups of a GPU, where :func:`fits_groups`."""
    dtype = np.dtype(np.int64) if weights is None else weights.dtype
    if not (x.size and total):
        return _core.full((total,), dtype, 0, x.queue, x.allocator)
    from devarray._primitives.launch import planned, run, view_of
    from devarray._runtime.compiler import dialect
    from devarray.codegen.kernels.counting_groups import plan_group_count

    parts = _geometry(x, total, weights).parts
    rows = _core.empty((parts, total), dtype, x.queue, x.allocator)
    weights = None if weights is None else _core.before_cast(weights)
    given = {"rows": rows, "in": x, "edges": edges, "weights": weights}
    arrays = {role: _core.contiguous(array) for role, array in given.items() if array is not None}
    views = [view_of(role, arrays[role]) if role in arrays else None for role in given]
    run(planned(plan_group_count, *views, dialect(x.device), least=least), arrays)
    return rows.sum(0) if parts > 1 else rows[0]


def counted(x: Array, total: int, weights: Array | None = None, *, least: int = 0, edges: Array | None = None) -> Array:
    """How often each of the numbers from `least` on occurs, int64, or the sums of their weights, :func:`by_counting`.

    Parameters
    ----------
    x : Array
        One-dimensional, of integers or bool; with edges, of floats.
    total : int
        Of the numbers that are counted; others are left out.
    weights : Array, optional
        Of x's shape; the sums have its dtype, which is wide enough to add up in.
    least : int
        The first number.
    edges : Array, optional
        In order, about evenly spaced, ``total + 1`` of x's dtype. Then the bins between them are counted, the last one
        with its right edge.
    """
    dtype = np.dtype(np.int64) if weights is None else weights.dtype
    if not (x.size and total):
        return _core.full((total,), dtype, 0, x.queue, x.allocator)
    from devarray._primitives.launch import planned, ready, run, view_of
    from devarray._runtime.compiler import dialect
    from devarray.codegen.kernels.counting import count_rows, plan_count

    language = dialect(x.device)
    rows = _core.empty((count_rows(x.size, total, language), total), dtype, x.queue, x.allocator)
    given = {"rows": rows, "in": x, "edges": edges, "weights": weights}
    arrays = {role: _core.contiguous(array) for role, array in given.items() if array is not None}
    views = [view_of(role, arrays[role]) if role in arrays else None for role in given]
    plan = planned(plan_count, *views, language, least=least)
    if weights is None and not ready(plan, x.device):
        fresh = _counted_on_host(arrays["in"], total, least, arrays.get("edges"))
        if fresh is not None:
            return fresh
    run(plan, arrays)
    return rows.sum(0) if rows.shape[0] > 1 else rows[0]


def _counted_on_host(x: Array, total: int, least: int, edges: Array | None) -> Array | None:
    """The counts, by the host; None where it may not read the memory."""
    given = _core.standing_view(x)
    bounds = None if edges is None else _core.standing_view(edges)
    if given is None or (edges is not None and bounds is None):
        return None
    if bounds is not None:
        inside = given[(given >= bounds[0]) & (given <= bounds[-1])]
        numbers = np.minimum(np.searchsorted(bounds, inside, "right") - 1, total - 1)
    else:
        inside = given[(given >= least) & (given <= least + (total - 1))]
        numbers = inside.astype(np.int64) - least if inside.dtype.kind != "u" else (inside - least).astype(np.int64)
    counts = _core.empty((total,), np.int64, x.queue, x.allocator)
    _core.copy_from_host(counts, np.bincount(numbers, minlength=total))
    return counts
