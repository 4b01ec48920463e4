"""NumPy's classes of arrays, for a program that runs unmodified: ``x.view(np.ndarray)`` of theirs is an array."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from devarray.interop.stand_in_types import ANY_ARRAY, ArrayOfHost

__all__ = ["teach"]

_KINDS: tuple[Any, ...] = (np.char.chararray, np.ma.MaskedArray, np.matrix, np.memmap, np.recarray)


def teach() -> Callable[[], None]:
    """Let these classes' arrays be viewed by what the program has for the class of arrays; returns what undoes it.

    Such a view shares the memory, and takes indices and values of the device.
    """
    own = {kind: vars(kind).get("view") for kind in _KINDS}
    for kind in _KINDS:
        kind.view = _viewing(kind.view)

    def undo() -> None:
        for kind, view in own.items():
            if view is None:
                del kind.view
            else:
                kind.view = view

    return undo


def _viewing(plain: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(plain)
    def view(self: Any, *args: Any, **kwargs: Any) -> Any:
        args = tuple(ArrayOfHost if a is ANY_ARRAY else a for a in args)
        return plain(self, *args, **{name: ArrayOfHost if a is ANY_ARRAY else a for name, a in kwargs.items()})

    return view
