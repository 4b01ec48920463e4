"""Modules of NumPy's that work on the host: their functions take arrays of the device, and say so."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import ModuleType
from typing import Any

from devarray._primitives.host_calls import on_host_alone

__all__ = ["names_of"]


def names_of(module: ModuleType, name: str, called: frozenset[str] = frozenset()) -> Callable[[str], Any]:
    """The ``__getattr__`` of a module that has the names of one of NumPy's.

    Parameters
    ----------
    module : module
        NumPy's.
    name : str
        Of the module that has them.
    called : frozenset of str
        Classes that are called as functions are; of others `isinstance` is asked.
    """

    @functools.cache
    def found_in(wanted: str) -> Any:
        if wanted.startswith("_") or not hasattr(module, wanted):
            raise AttributeError(f"module 'devarray.{name}' has no attribute {wanted!r}")
        found = getattr(module, wanted)
        if not callable(found) or (inspect.isclass(found) and wanted not in called):
            return found
        return on_host_alone(found, f"{name}.{wanted}")

    return found_in
