"""Which library serves the products and decompositions of a device."""

from __future__ import annotations

from functools import cache
from types import ModuleType

from devarray.array import Array
from devarray.linalg import host

__all__ = ["decompositions", "has_cublas"]


def decompositions(x: Array) -> ModuleType:
    """The module that decomposes matrices where `x` lies: cuSOLVER's on CUDA devices that have it, else the host's."""
    if x.device.driver == "cuda" and _has_cusolver():
        from devarray.linalg import cuda

        return cuda
    return host


@cache
def _has_cusolver() -> bool:
    from devarray.cuda import cusolver

    return has_cublas() and cusolver.available("cusolver")


@cache
def has_cublas() -> bool:
    """Whether cuBLAS is there, and makes it ready. Asked for CUDA devices only."""
    from devarray.cuda import cublas

    return cublas.start()
