"""The version of PyOpenCL that devarray.cl follows, in a module of PyOpenCL's name."""

from __future__ import annotations

__all__ = ["VERSION", "VERSION_STATUS", "VERSION_TEXT"]

VERSION = (2026, 1, 4)
"""The version of PyOpenCL whose names and signatures these are."""
VERSION_STATUS = ""
VERSION_TEXT = ".".join(map(str, VERSION))
