"""Transforms by cuFFT: up to three axes at once, any strides that its layout expresses, others through a copy."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod

import numpy as np

from devarray import _core
from devarray.array import Array
from devarray.codegen.kernels.launches import collapse
from devarray.cuda import cufft

__all__ = ["complex_to_complex", "complex_to_real", "layout", "real_to_complex"]

_RANK = 3  # axes of one plan


def complex_to_complex(x: Array, axes: Sequence[int], inverse: bool) -> Array:
    """Unscaled transform along axes of any number, into fresh memory."""
    left = [axis for axis in sorted(axes) if x.shape[axis] > 1]
    if not left:
        return x.copy()
    kind = "C2C" if x.dtype == np.complex64 else "Z2Z"
    direction = cufft.INVERSE if inverse else cufft.FORWARD
    while left:
        group, left = left[-_RANK:], left[:-_RANK]
        x = _execute(x, kind, [x.shape[axis] for axis in group], group, x.shape, x.dtype, direction)
    return x


def real_to_complex(x: Array, axes: Sequence[int]) -> Array:
    """Unscaled transform of real data, the last axis halved."""
    group, rest = axes[-_RANK:], axes[:-_RANK]
    kind, dtype = ("R2C", np.complex64) if x.dtype == np.float32 else ("D2Z", np.complex128)
    shape = list(x.shape)
    shape[axes[-1]] = shape[axes[-1]] // 2 + 1
    x = _execute(x, kind, [x.shape[axis] for axis in group], group, tuple(shape), np.dtype(dtype), cufft.FORWARD)
    return complex_to_complex(x, rest, inverse=False) if rest else x


def complex_to_real(x: Array, sizes: Sequence[int], axes: Sequence[int]) -> Array:
    """Unscaled inverse of :func:`real_to_complex`; `sizes` are the result's along the axes."""
    group, rest = axes[-_RANK:], axes[:-_RANK]
    if rest:
        x = complex_to_complex(x, rest, inverse=True)
    elif len(group) > 1:
        x = _scratch(x)  # along several axes cuFFT overwrites its input
    kind, dtype = ("C2R", np.float32) if x.dtype == np.complex64 else ("Z2D", np.float64)
    shape = list(x.shape)
    shape[axes[-1]] = sizes[-1]
    return _execute(x, kind, list(sizes[-_RANK:]), group, tuple(shape), np.dtype(dtype), cufft.INVERSE)


def _scratch(x: Array) -> Array:
    """A copy in C order. What is pending is computed there, and where that is cheap it stays pending: one pass over
    memory less, or two."""
    made = _core.empty_at(x, x.shape, x.dtype)
    _core.assign(made, x)
    return made


def _execute(
    x: Array,
    kind: str,
    sizes: Sequence[int],
    axes: Sequence[int],
    shape: tuple[int, ...],
    dtype: np.dtype,
    direction: int,
) -> Array:
    """One plan's transform into fresh memory."""
    result = _core.empty_at(x, shape, dtype)
    if result.size == 0:
        return result
    sides = layout(x.shape, x.strides, x.itemsize, shape, result.strides, result.itemsize, tuple(axes))
    # cuFFT wants real data, too, to start where a complex element could.
    aligned = _core.byte_offset(x) % max(x.itemsize, result.itemsize) == 0
    if sides is None or not aligned:  # with the axes at the end of contiguous memory there always is one
        others = [axis for axis in range(x.ndim) if axis not in axes]
        order = [*others, *axes]
        moved = _core.empty_at(x, tuple(x.shape[axis] for axis in order))
        moved[...] = _core.permute(x, order)
        last = list(range(len(others), x.ndim))
        answer = _execute(moved, kind, sizes, last, tuple(shape[axis] for axis in order), dtype, direction)
        return _core.permute(answer, [order.index(axis) for axis in range(x.ndim)])
    key = (x.device.index, kind, tuple(sizes), *sides)
    plan = cufft.kept(*key) or _core.enqueue(lambda *_: cufft.plan(*key), [result], 1)
    stream, arrays, writes = x.queue._handle, [x, result], 0b10
    if plan.work_bytes:
        arrays.append(_core.empty((plan.work_bytes,), np.uint8, x.queue, x.allocator))
        writes = 0b110

    def run(given: int, wanted: int, scratch: int = 0) -> None:
        plan.execute(stream, given, wanted, scratch, direction)

    _core.enqueue(run, arrays, writes)
    return result


_Side = tuple[tuple[int, ...], int, int]


@lru_cache(maxsize=256)
def layout(
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    size: int,
    other_shape: tuple[int, ...],
    other_strides: tuple[int, ...],
    other_size: int,
    axes: tuple[int, ...],
) -> tuple[_Side, _Side, int] | None:
    """cuFFT's advanced layout of an input and an output: (embed, stride, dist) of both in elements, and the batch.

    None where the strides do not nest as cuFFT wants them, or the other axes do not merge into one.

    Examples
    --------
    >>> layout((4, 8), (64, 8), 8, (4, 8), (64, 8), 8, (1,))
    (((8,), 1, 8), ((8,), 1, 8), 4)
    >>> layout((4, 8), (64, 8), 8, (4, 8), (64, 8), 8, (0,))
    (((4,), 8, 1), ((4,), 8, 1), 8)
    """
    others = [axis for axis in range(len(shape)) if axis not in axes]
    steps = [[own[axis] for axis in others] for own in (strides, other_strides)]
    batch, (dist, other_dist) = collapse([shape[axis] for axis in others], steps)
    if len(batch) > 1:
        return None
    first = _side(shape, strides, size, axes, dist[0], batch[0])
    second = _side(other_shape, other_strides, other_size, axes, other_dist[0], batch[0])
    return None if first is None or second is None else (first, second, prod(batch))


def _side(
    shape: Sequence[int], strides: Sequence[int], size: int, axes: Sequence[int], dist: int, batch: int
) -> _Side | None:
    steps = [strides[axis] for axis in axes]
    if batch == 1:
        dist = size  # counts for nothing, but must not be 0
    if dist <= 0 or dist % size or steps[-1] <= 0 or any(step % size for step in steps):
        return None
    embed = [shape[axes[0]]]
    for outer, inner, axis in zip(steps, steps[1:], axes[1:], strict=False):
        if outer <= 0 or outer % inner or outer // inner < shape[axis]:
            return None
        embed.append(outer // inner)
    return tuple(embed), steps[-1] // size, dist // size
