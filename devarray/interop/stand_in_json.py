"""json, for a program that runs unmodified: a value of float64 is written as the Python float that NumPy's is."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np

from devarray import _core
from devarray.array import Array

__all__ = ["teach"]


def teach() -> Callable[[], None]:
    """Let encoders without a `default` of their own write such values; returns what undoes it."""
    plain = json.JSONEncoder.default

    def default(self: json.JSONEncoder, o: Any) -> Any:
        """What is written for an object."""
        return o.item() if isinstance(o, Array) and _core.is_value(o) and o.dtype == np.float64 else plain(self, o)

    json.JSONEncoder.default = default  # type: ignore[method-assign]

    def undo() -> None:
        json.JSONEncoder.default = plain  # type: ignore[method-assign]

    return undo
