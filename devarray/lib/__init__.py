"""NumPy's ``lib``: :mod:`devarray.lib.stride_tricks`, and on the host ``format`` and ``recfunctions``."""

from importlib import import_module
from typing import Any

from devarray.lib import stride_tricks

__all__ = ["format", "recfunctions", "stride_tricks"]


def __getattr__(name: str) -> Any:
    """The modules of the host when they are first asked for."""
    if name in __all__:
        return import_module(f"devarray.lib.{name}")
    raise AttributeError(f"module 'devarray.lib' has no attribute {name!r}")
