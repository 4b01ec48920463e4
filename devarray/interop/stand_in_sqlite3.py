"""sqlite3, for a program that runs unmodified: arrays and values are stored as NumPy's are, by its adapters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from devarray import _core
from devarray.array import Array

__all__ = ["teach"]


def teach() -> Callable[[], None]:
    """Let sqlite3 store NumPy's array or scalar in place of a device array; returns what undoes it.

    sqlite3 looks for adapters by class, and for numbers by Python's classes, before it takes an object's bytes.
    """
    import sqlite3  # not in every build of Python

    key = (Array, sqlite3.PrepareProtocol)
    written = sqlite3.adapters.get(key)

    def adapt(x: Array) -> Any:
        """What is stored for an array: what the program's adapter of NumPy's class makes, else NumPy's object."""
        copied = x.copy_to_host()
        of_numpy = copied[()] if _core.is_value(x) else copied
        return sqlite3.adapt(of_numpy, sqlite3.PrepareProtocol, of_numpy)

    sqlite3.register_adapter(Array, adapt)

    def undo() -> None:
        if written is None:
            sqlite3.adapters.pop(key, None)
        else:
            sqlite3.adapters[key] = written

    return undo
