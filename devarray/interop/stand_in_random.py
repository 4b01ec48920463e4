"""``numpy.random``'s generators for a program that runs unmodified.

Their methods give the program arrays of the device, and everybody else, so the installed packages that are given a
generator (``random_state=``, ``rng=``), NumPy's.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from devarray._primitives.host_calls import on_host
from devarray.interop.stand_in_types import is_programs

__all__ = ["Generator", "RandomState", "default_rng"]


class _AlsoNumpys(type):
    """Classes whose instances are also the objects of the NumPy class below which they stand."""

    def __instancecheck__(cls, x: object) -> bool:
        return isinstance(x, cls.__bases__)


def _method(of: Any, name: str) -> Any:
    found = of.__getattribute__(name)
    if name.startswith("_") or name in ("bit_generator", "spawn") or not callable(found):
        return found
    return on_host(found) if is_programs(sys._getframe(2)) else found


class Generator(np.random.Generator, metaclass=_AlsoNumpys):
    """``numpy.random.Generator`` to the program."""

    __slots__ = ()

    def __getattribute__(self, name: str) -> Any:
        return _method(super(), name)

    def __reduce__(self) -> tuple[Any, ...]:
        return Generator, (self.bit_generator,)


class RandomState(np.random.RandomState, metaclass=_AlsoNumpys):
    """``numpy.random.RandomState`` to the program.

    Parameters
    ----------
    seed : int, array_like of int, or BitGenerator, optional
        As NumPy's takes it.
    """

    __slots__ = ()

    def __init__(self, seed: Any = None) -> None:
        on_host(super().__init__)(seed)

    def __getattribute__(self, name: str) -> Any:
        return _method(super(), name)

    def __reduce__(self) -> tuple[Any, ...]:
        _, (bits, *_), state = super().__reduce__()
        return RandomState, (bits,), state


def default_rng(seed: Any = None) -> Generator:
    """``numpy.random.default_rng`` to the program.

    Parameters
    ----------
    seed : int, array_like of int, SeedSequence, BitGenerator, Generator or RandomState, optional
        As NumPy's takes it.
    """
    if type(seed) is Generator:
        return seed
    return Generator(on_host(np.random.default_rng)(seed).bit_generator)
