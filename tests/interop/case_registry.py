"""Where calls of NumPy's functions are listed for test_numpys_chapters.py, and the arrays of these calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from oracle import moderate, values

Body = Callable[..., Any]

CASES: dict[str, list[tuple[Body, tuple[np.ndarray, ...]]]] = {}
"""By the function's name: bodies of the namespace and arrays."""

WRONG: list[tuple[str, Body]] = []
"""Names, and bodies that raise under both."""


def cases(name: str, arrays: tuple[np.ndarray, ...], *bodies: Body) -> None:
    CASES.setdefault(name, []).extend((body, arrays) for body in bodies)


def wrong(name: str, *bodies: Body) -> None:
    WRONG.extend((name, body) for body in bodies)


V = moderate("float32", 7, 1)
X, Y = moderate("float32", (4, 6), 1), moderate("float64", (4, 6), 2)
K, L = moderate("int32", (4, 6), 3), moderate("int64", (4, 6), 4)
T = moderate("int16", (3, 3, 3), 6)
B, U = moderate("bool", (4, 6), 7), values("uint8", (4, 6))
SPOTS = np.array([[0, 5, 3], [23, 7, 1]])
EMPTY = np.empty((0, 3), np.float32)


def after(body: Callable[..., None]) -> Body:
    """A function that writes to its first array, which is then the result."""

    def call(xp: Any, x: Any, *more: Any) -> Any:
        assert body(xp, x, *more) is None
        return x

    return call
