"""Transforms on the host, by the strategy of CPUs: DUCC's where it is installed, else NumPy's, on all cores."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from devarray._primitives.host_threads import cores_for, each_block
from devarray.fft.kinds import Norm, Transform

__all__ = ["host_transform"]

_INVERSE = (Transform.INVERSE, Transform.TO_REAL)


def host_transform(
    given: np.ndarray, kind: Transform, sizes: Sequence[int], axes: Sequence[int], norm: Norm, out: np.ndarray
) -> None:
    """Fill `out` with the transform of logical `sizes` along different `axes`, in the order of NumPy's functions."""
    ducc = _ducc()
    if ducc is None:
        _by_numpy(given, kind, sizes, axes, norm, out)
    else:
        _by_ducc(ducc, given, kind, sizes, axes, norm, out)


@cache
def _ducc() -> Any:
    """The functions of the package ducc0, None without it."""
    try:
        return importlib.import_module("ducc0.fft")
    except ImportError:
        return None


def _by_ducc(
    ducc: Any,
    given: np.ndarray,
    kind: Transform,
    sizes: Sequence[int],
    axes: Sequence[int],
    norm: Norm,
    out: np.ndarray,
) -> None:
    """All axes in one call."""
    axes, held = list(axes), list(sizes)
    if kind is Transform.TO_REAL:
        held[-1] = sizes[-1] // 2 + 1
    given = _fitted(given, axes, held)
    scale = {"backward": 2 if kind in _INVERSE else 0, "ortho": 1, "forward": 0 if kind in _INVERSE else 2}[norm]
    threads = cores_for(max(given.size, out.size))
    if kind is Transform.FROM_REAL:
        ducc.r2c(given, axes, True, scale, out, threads)
    elif kind is Transform.TO_REAL:
        ducc.c2r(given, axes, sizes[-1], False, scale, out, threads)
    else:
        ducc.c2c(given, axes, kind is Transform.FORWARD, scale, out, threads)


def _fitted(given: np.ndarray, axes: Sequence[int], sizes: Sequence[int]) -> np.ndarray:
    """The array with `sizes` along `axes`: cut, or with zeros behind."""
    if [given.shape[axis] for axis in axes] == list(sizes):
        return given
    shape = list(given.shape)
    for axis, size in zip(axes, sizes, strict=True):
        shape[axis] = size
    given = given[tuple(map(slice, shape))]
    if given.shape == tuple(shape):
        return given
    fitted = np.zeros(shape, given.dtype)
    fitted[tuple(map(slice, given.shape))] = given
    return fitted


def _by_numpy(
    given: np.ndarray, kind: Transform, sizes: Sequence[int], axes: Sequence[int], norm: Norm, out: np.ndarray
) -> None:
    """Axis by axis, each in blocks."""
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
