"""The four transforms that the public functions are made from."""

from __future__ import annotations

from enum import Enum
from typing import Literal

__all__ = ["Norm", "Transform"]

Norm = Literal["backward", "ortho", "forward"]
"""Which way is divided by the length: the inverse one, both by its root, or the other."""


class Transform(Enum):
    """Complex to complex (two ways), real to the first half of its transform, and back; NumPy's function of each."""

    FORWARD = "fftn"
    INVERSE = "ifftn"
    FROM_REAL = "rfftn"
    TO_REAL = "irfftn"
