"""numpy.testing, for a program that runs unmodified: assertions of test files and libraries take device arrays."""

from __future__ import annotations

import importlib
from collections.abc import Callable

from devarray.testing import compares, comparing_on_host

__all__ = ["teach"]


def teach() -> Callable[[], None]:
    """Let NumPy's assertions compare arrays of the device on the host; returns what undoes it."""
    module = importlib.import_module("numpy.testing")
    plain = {name: found for name, found in vars(module).items() if callable(found) and compares(name, found)}
    plain = {name: found for name, found in plain.items() if not hasattr(found, "__wrapped__")}  # taught before
    for name, found in plain.items():
        setattr(module, name, comparing_on_host(found))

    def undo() -> None:
        for name, found in plain.items():
            setattr(module, name, found)

    return undo
