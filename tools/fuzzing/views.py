"""Views that the programs of the fuzzer take of their arrays, and of expressions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from fuzzing.bounds import Unfit
from fuzzing.program import Statement
from fuzzing.vocabulary import LARGEST

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


def views_of_pending(g: Generator) -> Statement:
    """Views of an expression that nothing else holds, read together."""
    name = g.operand(lambda x: x.dtype.kind in "iuf" and x.ndim > 0 and x.shape[0] > 1)
    x = g.value(name)
    other = g.beside(x, within=True)
    if g.value(other).dtype.kind == "c":
        raise Unfit("not exact")
    n, d = x.shape[0], g.rng.randint(1, min(x.shape[0] - 1, 3))
    key = g.key(x.shape)
    pairs = f"y[{d}:, None] * y[None, :{n - d}]" if x.size * n <= LARGEST else "y[0, ...] + y"
    text = g.rng.choice((
        f"y[{d}:] - y[:{n - d}]", f"y[{d}:] * y[:{n - d}] + y[{d}:]", "y[::-1] + y", "y.T * y.T",
        f"y{key} + 1", f"y{key} * y{key}", f"xp.flip(y)[::{d}] + 2", pairs,
        f"(y[{d}:, ...] + 1)[::-1] - y[:{n - d}]", f"y[None, ::{d}][0] + (y + 1)[::{d}]",
    ))  # fmt: skip
    value = f"{name} {g.rng.choice('+*-')} {other}"
    kinds = {g.value(name).dtype.kind, g.value(other).dtype.kind}
    if kinds == {"b"}:
        raise Unfit("no difference of truths")
    return g.bound(f"(lambda y: {text})({value})", "exact", name, other)
