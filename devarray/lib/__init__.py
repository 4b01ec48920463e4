"""NumPy's ``lib``: :mod:`devarray.lib.stride_tricks` and ``scimath``, and on the host ``format`` and others."""

from importlib import import_module
from typing import Any

import numpy as np

from devarray.lib import stride_tricks

__all__ = [
    "array_utils",
    "format",
    "introspect",
    "mixins",
    "npyio",
    "recfunctions",
    "scimath",
    "stride_tricks",
]
_NUMPYS = frozenset(["Arrayterator", "NumpyVersion", "add_docstring", "add_newdoc", "tracemalloc_domain"])


def __getattr__(name: str) -> Any:
    """The modules when they are first asked for, and what NumPy has of versions and its own documentation."""
    if name in __all__:
        return import_module(f"devarray.lib.{name}")
    if name in _NUMPYS:
        return getattr(np.lib, name)
    raise AttributeError(f"module 'devarray.lib' has no attribute {name!r}")
