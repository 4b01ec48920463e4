"""Functions of a runtime that fall short of NumPy's accuracy or special cases, written anew."""

from __future__ import annotations

__all__ = ["POCL"]

POCL: dict[tuple[str, str], str] = {}
