"""How large float32 values can be where the tests of the divisions and roots before them hold, so that tests which
follow from others are left out.

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
_TESTED = Range(2.0**-50, 2.0**78)
"""What the tests find: the prelude's gpu.py tells why."""
_ROUNDED = 1 + 2.0**-20
"""More than rounding changes a normal float32."""
_SMALLEST, _LARGEST = 2.0**-120, 2.0**120
"""Results beyond may be rounded otherwise."""


def is_ordinary(value: Range) -> bool:
    """Whether a test of the value would hold."""
    return value.least >= _TESTED.least and value.most < _TESTED.most


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
        plain = {compute, dtype, *(dtypes[i] for i in args[name == "where" :])} == {"float32"}
        ranges.append(_of_node(name, args, [ranges[i] for i in args], number in tested) if plain else ANY)
    return ranges


def _of_number(bits: int, dtype: str) -> Range:
    if dtype != "float32":
        return ANY
    (value,) = struct.unpack("f", (bits & 0xFFFFFFFF).to_bytes(4, sys.byteorder))
    return Range(abs(value), abs(value), value > 0) if math.isfinite(value) else ANY


def _of_node(name: str, args: Sequence[int], of: Sequence[Range], tested: bool) -> Range:
    match name:
        case "positive" | "negative":
            return Range(of[0].least, of[0].most, of[0].positive and name == "positive")
        case "abs" | "fabs":
            return Range(of[0].least, of[0].most, positive=True)
        case "multiply":
            same = args[0] == args[1]
            return _rounded(of[0].least * of[1].least, _product(of[0].most, of[1].most), same or _positive(of))
        case "square":
            return _rounded(of[0].least ** 2, _product(of[0].most, of[0].most), positive=True)
        case "add":
            return _rounded(max(x.least for x in of) if _positive(of) else 0.0, of[0].most + of[1].most, _positive(of))
        case "subtract":
            return _rounded(0.0, of[0].most + of[1].most, positive=False)
        case "where":
            return Range(min(x.least for x in of[1:]), max(x.most for x in of[1:]), _positive(of[1:]))
        case "maximum":
            least = max((x.least for x in of if x.positive), default=0.0)
            return Range(least, max(x.most for x in of), any(x.positive for x in of))
        case "divide" if tested:
            return _TESTED._replace(positive=_positive(of))
        case "reciprocal" if tested:
            return _rounded(1 / _TESTED.most, 1 / _TESTED.least, of[0].positive)
        case "sqrt" if tested:
            inside = Range(max(of[0].least, _TESTED.least), min(of[0].most, _TESTED.most))
            return _rounded(math.sqrt(inside.least), math.sqrt(inside.most), positive=True)
    return ANY


def _positive(of: Sequence[Range]) -> bool:
    return all(x.positive for x in of)


def _product(a: float, b: float) -> float:
    return 0.0 if 0.0 in (a, b) else a * b


def _rounded(least: float, most: float, positive: bool) -> Range:
    return Range(
        least / _ROUNDED if least >= _SMALLEST else 0.0, most * _ROUNDED if most <= _LARGEST else math.inf, positive
    )
