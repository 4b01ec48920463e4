"""How large floats can be where the tests of operations before them hold: tests that follow are left out.

A range holds for numbers; any value may be NaN besides, which the operations without a branch hand on as the others do.
"""

from __future__ import annotations

import math
import struct
import sys
from collections.abc import Container, Mapping, Sequence
from typing import NamedTuple

from devarray.codegen.kernels.spec import Node

__all__ = ["ANY", "Range", "is_ordinary", "ranges_of"]


class Range(NamedTuple):
    """Of magnitudes.

    Attributes
    ----------
    least, most : float
        Bounds of the magnitude, both included.
    positive : bool
        Whether no number below zero is among them.
    """

    least: float = 0.0
    most: float = math.inf
    positive: bool = False


ANY = Range()
_TESTED = {"float32": Range(2.0**-50, 2.0**78), "float64": Range(2.0**-400, 2.0**624)}
"""What the tests find: the prelude's gpu.py tells why."""
_ROUNDED = 1 + 2.0**-20
"""More than rounding changes a normal number."""
_NORMAL = {"float32": Range(2.0**-120, 2.0**120), "float64": Range(2.0**-1000, 2.0**1000)}
"""Results beyond may be rounded otherwise."""


def is_ordinary(value: Range, dtype: str) -> bool:
    """Whether a test of the value would hold."""
    return value.least >= _TESTED[dtype].least and value.most < _TESTED[dtype].most


def ranges_of(
    nodes: Sequence[Node], dtypes: Sequence[str], known: Mapping[int, int], tested: Container[int]
) -> list[Range]:
    """The range of every value.

    Parameters
    ----------
    nodes : sequence of Node
    dtypes : sequence of str
        Of the values before the nodes, and of the nodes.
    known : mapping of int to int
        Bits of values that stand in the text.
    tested : container of int
        Nodes that have no branch, by their number: what tests tell of them is true behind them.
    """
    first = len(dtypes) - len(nodes)
    ranges = [_of_number(known[i], dtypes[i]) if i in known else ANY for i in range(first)]
    for number, (name, compute, dtype, args) in enumerate(nodes):
        found = ANY
        if compute in _TESTED and {compute, dtype, *(dtypes[i] for i in args[name == "where" :])} == {compute}:
            of, test = [ranges[i] for i in args], _TESTED[compute] if number in tested else None
            by_number = test is not None and name == "divide" and args[1] in known
            found = _by_number(of[0], of[1].most, _TESTED[compute]) if by_number else _of_node(name, args, of, test)
            normal = _NORMAL[compute]
            found = Range(
                found.least / _ROUNDED if found.least >= normal.least else 0.0,
                found.most * _ROUNDED if found.most <= normal.most else math.inf,
                found.positive,
            )
        ranges.append(found)
    return ranges


def _of_number(bits: int, dtype: str) -> Range:
    if dtype not in _TESTED:
        return ANY
    size, kind = (4, "f") if dtype == "float32" else (8, "d")
    (value,) = struct.unpack(kind, (bits & (1 << 8 * size) - 1).to_bytes(size, sys.byteorder))
    return Range(abs(value), abs(value), value > 0) if math.isfinite(value) else ANY


def _by_number(of: Range, divisor: float, tested: Range) -> Range:
    """Of a tested dividend's quotients."""
    least, most = max(of.least, tested.least), min(of.most, tested.most)
    return Range(least / divisor, most / divisor, of.positive)


def _of_node(name: str, args: Sequence[int], of: Sequence[Range], tested: Range | None) -> Range:
    """Before rounding."""
    match name:
        case "positive" | "negative":
            return Range(of[0].least, of[0].most, of[0].positive and name == "positive")
        case "abs" | "fabs":
            return Range(of[0].least, of[0].most, positive=True)
        case "multiply":
            return _product(of[0], of[1], args[0] == args[1] or _positive(of))
        case "square":
            return _product(of[0], of[0], positive=True)
        case "add":
            return Range(max(x.least for x in of) if _positive(of) else 0.0, of[0].most + of[1].most, _positive(of))
        case "subtract":
            return Range(0.0, of[0].most + of[1].most)
        case "where":
            return Range(min(x.least for x in of[1:]), max(x.most for x in of[1:]), _positive(of[1:]))
        case "maximum":
            least = max((x.least for x in of if x.positive), default=0.0)
            return Range(least, max(x.most for x in of), any(x.positive for x in of))
    if tested is None:
        return ANY
    match name:
        case "divide":
            return tested._replace(positive=_positive(of))
        case "reciprocal":
            return Range(1 / tested.most, 1 / tested.least, of[0].positive)
        case "sqrt":
            least, most = max(of[0].least, tested.least), min(of[0].most, tested.most)
            return Range(math.sqrt(least), math.sqrt(most), positive=True)
    return ANY


def _positive(of: Sequence[Range]) -> bool:
    return all(x.positive for x in of)


def _product(a: Range, b: Range, positive: bool) -> Range:
    return Range(a.least * b.least, 0.0 if 0.0 in (a.most, b.most) else a.most * b.most, positive)
