"""Where the compiled core lies."""

from __future__ import annotations

import os
import sys

__all__ = ["add_core"]


def _has_core(folder: str) -> bool:
    return os.path.isdir(folder) and any(
        name.startswith("_core.") for name in os.listdir(folder) if name != "_core.pyi"
    )


def add_core(path: list[str]) -> None:
    """Add the installed package's folder to a package path that lacks the core.

    In a clone, ``python -m devarray`` finds the source folder first; the core lies in the installed package's.
    """
    if not any(map(_has_core, path)):
        path += filter(_has_core, (os.path.join(entry, "devarray") for entry in sys.path))
