"""pandas' keys and groups, for a program that runs unmodified: arrays of the device become NumPy's there.

pandas asks for ``numpy.ndarray`` by class where it takes a mask, and has no protocol for others.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from importlib import import_module
from typing import Any

from devarray._primitives.host_calls import to_host

__all__ = ["teach"]

_READERS = (
    "pandas.core.common apply_if_callable",  # keys of frames, columns and their `loc`
    "pandas.core.algorithms _ensure_arraylike",  # values of unique() and factorize()
    "pandas.core.groupby.groupby get_grouper",
    "pandas.core.frame DataFrame.set_index",
    "pandas.core.frame DataFrame.pivot_table",
)
"""Functions of pandas' that read what they are given; one that a version does not have is left out."""


def teach() -> Callable[[], None]:
    """Let these functions take arrays of the device; returns what undoes it."""
    kept = []
    for module, path in map(str.split, _READERS):
        *classes, name = path.split(".")
        place = functools.reduce(getattr, classes, import_module(module))
        plain = getattr(place, name, None)
        if plain is not None:
            kept.append((place, name, plain))
            setattr(place, name, _on_host(plain))

    def undo() -> None:
        for row in kept:
            setattr(*row)

    return undo


def _on_host(plain: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(plain)
    def reader(*args: Any, **kwargs: Any) -> Any:
        return plain(*map(to_host, args), **{key: to_host(value) for key, value in kwargs.items()})

    return reader
