"""Transforms on the host, by the strategy of CPUs: NumPy's pocketfft, rows in blocks on all cores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from devarray._primitives.host_threads import each_block
from devarray.fft.kinds import Transform

__all__ = ["host_transform"]


def host_transform(
    given: np.ndarray, kind: Transform, sizes: Sequence[int], axes: Sequence[int], norm: str, out: np.ndarray
) -> None:
    """Fill `out` with the transform of logical `sizes` along `axes`, which NumPy's function takes in the same order."""
    steps = list(zip(axes, sizes, strict=True))
    if kind is Transform.TO_REAL:  # the last axis, the halved one, comes last
        for axis, size in steps[:-1]:
            given = _along(np.fft.ifft, given, axis, size, norm)
        _along(np.fft.irfft, given, *steps[-1], norm, out)
        return
    # the last axis comes first, while data is real
    functions = {Transform.FORWARD: np.fft.fft, Transform.INVERSE: np.fft.ifft}
    first: Any = np.fft.rfft if kind is Transform.FROM_REAL else functions[kind]
    rest = np.fft.fft if kind is Transform.FROM_REAL else functions[kind]
    for k, (axis, size) in enumerate(reversed(steps)):
        last = k == len(steps) - 1
        given = _along(rest if k else first, given, axis, size, norm, out if last else None)


def _along(
    function: Callable[..., np.ndarray],
    given: np.ndarray,
    axis: int,
    size: int,
    norm: str,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """A transform along one axis, in blocks along the longest of the others."""
    others = [k for k in range(given.ndim) if k != axis]
    if not others:
        return function(given, size, axis, norm, out)
    if out is None:  # what comes between is complex
        shape = list(given.shape)
        shape[axis] = size // 2 + 1 if function is np.fft.rfft else size
        out = np.empty(shape, np.result_type(given.dtype, np.complex64))
    split = max(others, key=lambda k: given.shape[k])

    def block(begin: int, end: int) -> None:
        part = (slice(None),) * split + (slice(begin, end),)
        function(given[part], size, axis, norm, out[part])

    rows = given.shape[split]
    each_block(block, rows, max(given.size, out.size) // max(rows, 1))
    return out
