"""Counting how often integers occur in one pass: what CPU devices do where the others sort."""

from __future__ import annotations

import numpy as np

from devarray import _core
from devarray.array import Array

__all__ = ["by_counting", "counted"]


def by_counting(x: Array) -> bool:
    """Whether x lies on a device that counts: one whose few work-items each have a cache of their own."""
    return x.device.strategy == "cpu"


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
    from devarray._primitives.launch import run, view_of
    from devarray._runtime.compiler import dialect
    from devarray.codegen.kernels.counting import count_rows, plan_count

    language = dialect(x.device)
    rows = _core.empty((count_rows(x.size, total, language), total), dtype, x.queue, x.allocator)
    given = {"rows": rows, "in": x, "edges": edges, "weights": weights}
    arrays = {role: _core.contiguous(array) for role, array in given.items() if array is not None}
    views = [view_of(role, arrays[role]) if role in arrays else None for role in given]
    run(plan_count(*views, language, least=least), arrays)
    return rows.sum(0) if rows.shape[0] > 1 else rows[0]
