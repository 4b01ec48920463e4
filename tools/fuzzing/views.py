"""Views that the programs of the fuzzer take of their arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from fuzzing.bounds import Unfit

if TYPE_CHECKING:
    from fuzzing.generate import Generator


def _reshaped(g: Generator, name: str, x: np.ndarray) -> str:
    factors, left = [], x.size
    for divisor in (2, 3, 5, 7, 17):
        if left and left % divisor == 0 and g.rng.random() < 0.5:
            factors.append(divisor)
            left //= divisor
    factors.insert(g.rng.randint(0, len(factors)), -1 if x.size and g.rng.random() < 0.5 else left)
    return f"{_in_order(g, name, x)}.reshape({tuple(factors)})"


def _in_order(g: Generator, name: str, x: np.ndarray) -> str:
    return name if g.ordered(x) else f"{name}.copy()"


def _broadcast(g: Generator, name: str, x: np.ndarray) -> str:
    shape = [g.rng.randint(0, 4) if n == 1 else n for n in x.shape]
    return f"xp.broadcast_to({name}, {(g.rng.randint(1, 3), *shape)})"


def _permuted(g: Generator, name: str, x: np.ndarray) -> str:
    return f"xp.transpose({name}, {tuple(g.rng.sample(range(x.ndim), x.ndim))})"


def _diagonal(g: Generator, name: str, x: np.ndarray) -> str:
    if x.ndim != 2:
        raise Unfit("devarray takes the last two axes, NumPy the first")
    return f"xp.diagonal({name}, {g.rng.randint(-1, 1)})"


def _part(g: Generator, name: str, x: np.ndarray) -> str:
    if x.dtype.kind != "c":
        raise Unfit("of real arrays NumPy's imag is read-only")
    return f"{name}.{g.rng.choice(('real', 'imag'))}"


VIEWS: list[Callable[[Generator, str, np.ndarray], str]] = [
    lambda g, name, x: f"{name}{g.key(x.shape)}",
    lambda g, name, x: f"{name}{g.key(x.shape)}",
    lambda g, name, x: f"{name}{g.key(x.shape)}",
    lambda g, name, x: f"{name}.T",
    lambda g, name, x: f"xp.expand_dims({name}, {g.rng.randint(-x.ndim - 1, x.ndim)})",
    lambda g, name, x: f"xp.squeeze({name})",
    lambda g, name, x: f"xp.flip({name})",
    lambda g, name, x: f"xp.swapaxes({name}, {g.axis(x)}, {g.axis(x)})",
    lambda g, name, x: f"{_in_order(g, name, x)}.ravel()",
    _reshaped, _reshaped, _broadcast, _permuted, _diagonal, _part,
]  # fmt: skip
