"""Transforms of devices that are not the CPU: cuFFT where it is, else kernels of our own."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from types import ModuleType

from devarray.array import Array
from devarray.fft.kinds import Transform

__all__ = ["transform"]


@cache
def _has_cufft() -> bool:
    from devarray.cuda import cufft

    return cufft.available("cufft")


@cache
def _library(name: str) -> ModuleType:
    return import_module(f"devarray.fft.{name}")


def transform(x: Array, kind: Transform, sizes: Sequence[int], axes: Sequence[int]) -> Array:
    """Unscaled transform of data that already has the right size along each axis.

    Parameters
    ----------
    x : Array
    kind : Transform
    sizes : sequence of int
        Logical ones: of the result where it is real.
    axes : sequence of int
    """
    library = _library("cufft" if x.device.driver == "cuda" and _has_cufft() else "own")
    if kind is Transform.FROM_REAL:
        return library.real_to_complex(x, axes)
    if kind is Transform.TO_REAL:
        return library.complex_to_real(x, sizes, axes)
    return library.complex_to_complex(x, axes, kind is Transform.INVERSE)
