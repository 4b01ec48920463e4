"""Lines of the user's program."""

from __future__ import annotations

import linecache
import os
from typing import NamedTuple

__all__ = ["Line"]


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
