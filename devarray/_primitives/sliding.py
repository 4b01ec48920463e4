"""Sums of products of a short row slid along a longer one: their bounds, and few of them with the kernels' bits.

The core adds up in order, as kernels add up taps; NumPy's inner products do not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from devarray import _core

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["BY_TRANSFORM", "convolved", "correlated", "zeros_around"]

BY_TRANSFORM = 256
"""From this many elements of the shorter operand on, sums of products of floats are taken from Fourier transforms: on
two CPU cores a product by taps costs 0.07 ms a tap for 10**6 float32, one by transforms 15 ms in all."""

_Mode = Literal["full", "same", "valid"]
_MODES = frozenset(("full", "same", "valid"))
_FEW = 1 << 15
"""Up to this many products go by NumPy."""


def zeros_around(mode: str, taps: int) -> tuple[int, int]:
    """How many zeros stand before and behind a row along which one of `taps` elements slides."""
    return {"valid": (0, 0), "same": (taps // 2, (taps - 1) // 2), "full": (taps - 1, taps - 1)}[mode]


def convolved(a: ArrayLike, v: ArrayLike, mode: _Mode = "full") -> np.ndarray | None:
    """NumPy's convolve, its sums in the order of kernels; None for what kernels do."""
    rows = _few(a, v, mode)
    if rows is None:
        return None
    a, v = rows
    if a.dtype.kind != "f":
        return np.convolve(a, v, mode)
    return _slid(v, a[::-1], mode) if a.size < v.size else _slid(a, v[::-1], mode)


def correlated(a: ArrayLike, v: ArrayLike, mode: _Mode = "valid") -> np.ndarray | None:
    """NumPy's correlate, as :func:`convolved`."""
    rows = _few(a, v, mode)
    if rows is None:
        return None
    a, v = rows
    if a.dtype.kind != "f":
        return np.correlate(a, v, mode)
    if a.size >= v.size:
        return _slid(a, v, mode)
    made = _slid(v, a, mode)
    return None if made is None else made[::-1]


def _few(a: ArrayLike, v: ArrayLike, mode: str) -> tuple[np.ndarray, np.ndarray] | None:
    """Two rows of few products, of the dtype that theirs promote to; None of others: complex products of NumPy's round
    otherwise."""
    a, v = np.asarray(a), np.asarray(v)
    if mode not in _MODES or not a.ndim == v.ndim == 1 or a.size * v.size > _FEW:
        return None
    if a.dtype != v.dtype:
        dtype = np.result_type(a.dtype, v.dtype)
        a, v = a.astype(dtype), v.astype(dtype)
    return (a, v) if a.dtype.kind in "biuf" else None


def _slid(a: np.ndarray, v: np.ndarray, mode: str) -> np.ndarray | None:
    """Sums of ``a[k + i] * v[i]``, each added up by rising i; None where kernels add up in another order."""
    taps = v.size
    before, behind = zeros_around(mode, taps)
    count = a.size + before + behind - taps + 1
    if taps >= BY_TRANSFORM or count < taps:
        return None
    return _core.slide(a, v, before, behind)
