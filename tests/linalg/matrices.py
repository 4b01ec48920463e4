"""Matrices for the tests of linear algebra, and how near results have to be."""

from __future__ import annotations

from typing import Any

import numpy as np
from oracle import host, moderate, skip_without

LAPACK = ("float32", "float64", "complex64", "complex128")
STACKS = ((4, 4), (3, 5, 5), (2, 1, 3, 3), (0, 3, 3), (2, 0, 0), (1, 1), (40, 40))
RECTANGLES = ((4, 4), (6, 3), (3, 6), (2, 5, 3), (2, 3, 5), (0, 3, 4), (2, 0, 3), (3, 0), (50, 20))
NUMBERS = ("int8", "uint16", "int64", "float16", "float32", "float64", "complex64", "complex128")


def matrices(dtype: str, shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    skip_without(dtype)
    return moderate(dtype, shape, seed)


def hermitian(dtype: str, shape: tuple[int, ...], positive: bool = False) -> np.ndarray:
    x = matrices(dtype, shape)
    if positive:
        return (x @ x.mT.conj() + np.eye(shape[-1])).astype(dtype)
    return ((x + x.mT.conj()) / 2).astype(dtype)


def near(ours: Any, wanted: Any, dtype: str, scale: float = 1.0, steps: int = 64) -> None:
    """Equal in dtype and shape; elements within so many steps of the dtype's precision, relative to `scale`."""
    ours, wanted = host(ours), np.asarray(wanted)
    assert ours.shape == wanted.shape
    assert ours.dtype == wanted.dtype
    bound = steps * float(np.finfo(dtype).eps) * scale
    if ours.size:
        assert np.max(np.abs(ours - wanted)) <= bound


def equal(ours: Any, wanted: Any) -> None:
    """Equal in dtype, shape and value. The order of additions decides on the sign of a zero."""
    ours, wanted = host(ours), np.asarray(wanted)
    assert (ours.dtype, ours.shape) == (wanted.dtype, wanted.shape)
    np.testing.assert_array_equal(ours, wanted)


def size(x: np.ndarray) -> float:
    """A norm to which errors are relative, at least 1."""
    return max(1.0, float(np.max(np.abs(x), initial=0)) * max(1, *x.shape[-2:]))


def real_of(dtype: str) -> str:
    return np.empty(0, dtype).real.dtype.name
