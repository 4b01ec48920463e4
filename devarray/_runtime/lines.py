"""Lines of the user's program."""

from __future__ import annotations

import linecache
import os
import sys
import warnings
from typing import NamedTuple

import numpy as np

__all__ = ["Line", "warn_of_parts", "warn_there"]


class Line(NamedTuple):
    """A line of the user's program."""

    file: str
    number: int
    function: str

    @property
    def text(self) -> str:
        """The source, where the file can be read."""
        return linecache.getline(self.file, self.number).strip()

    def __str__(self) -> str:
        return f"{os.path.basename(self.file)}:{self.number}"


def warn_of_parts(what: str = "an assignment") -> None:
    """Tell of imaginary parts that are discarded, and by what."""
    warn_there(f"{what} discards the imaginary parts; x.real says so", np.exceptions.ComplexWarning)


def warn_there(text: str, category: type[Warning]) -> None:
    """Warn at the line of the user's program, by which Python shows a warning once and filters choose."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "devarray":
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)
