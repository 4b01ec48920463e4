"""Transforms by our own kernels (devarray/codegen/fft.py)."""

from __future__ import annotations

from collections.abc import Sequence

from devarray.array import Array

__all__ = ["complex_to_complex", "complex_to_real", "real_to_complex"]


def complex_to_complex(x: Array, axes: Sequence[int], inverse: bool) -> Array:
    raise NotImplementedError


def real_to_complex(x: Array, axes: Sequence[int]) -> Array:
    raise NotImplementedError


def complex_to_real(x: Array, sizes: Sequence[int], axes: Sequence[int]) -> Array:
    raise NotImplementedError
