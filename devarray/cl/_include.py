"""Where the OpenCL C header lies that programs may include: ``pyopencl-complex.h``."""

from __future__ import annotations

from pathlib import Path

__all__ = ["FOLDER"]

FOLDER = str(Path(__file__).parent / "include")
"""What the compiler gets as an option where a program includes it."""
