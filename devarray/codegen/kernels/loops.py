"""Steps that an expression repeats, found in its nodes: a program's time steps, iterations, rounds.

As text of their own, each step would be compiled anew. A loop is compiled once, and computes the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from devarray.codegen.kernels.spec import Node

__all__ = ["Loop", "Source", "find_loop"]

LEAST_STEPS = 3
LEAST_SAVED = 32
"""Nodes that a loop must make up for: a few more lines take no time to compile."""
_ALIKE = 3  # nodes in a row by which a step is recognised
_PERIODS = 3  # that are tried, the most frequent first

Source = tuple[str, int]
"""What a step reads: ("value", id) that was there before the loop, ("step", which of the step's nodes), or
("carried", which of `Loop.carried`)."""


@dataclass(frozen=True, slots=True)
class Loop:
    """Nodes that are `count` times the same step.

    Attributes
    ----------
    start, period, count : int
        The number of the first node, the nodes of a step, and the steps.
    carried : tuple of (int, int)
        Values that a step reads of the one before it: which of its nodes, and the value id that stands for it in the
        first step.
    sources : tuple of tuple of Source
        What each node of a step reads.
    """

    start: int
    period: int
    count: int
    carried: tuple[tuple[int, int], ...]
    sources: tuple[tuple[Source, ...], ...]

    @property
    def end(self) -> int:
        """The number of the first node behind the loop."""
        return self.start + self.period * self.count


def find_loop(nodes: Sequence[Node], first: int, kept: Sequence[int], dtypes: Sequence[str]) -> Loop | None:
    """The loop that saves most, or None.

    Parameters
    ----------
    nodes : sequence of Node
        In order of evaluation.
    first : int
        The value id of the first of them.
    kept : sequence of int
        Value ids that are read afterwards.
    dtypes : sequence of str
        Of every value id.
    """
    if len(nodes) < LEAST_SAVED + _ALIKE:
        return None
    best = None
    for period in _periods(nodes, first):
        for start, end in _runs(nodes, first, period):
            for begin in range(max(start - period, 0), start + 1):
                if _begins(nodes, first, dtypes, begin, start, period):
                    loop = _loop(nodes, first, kept, dtypes, begin, end, period)
                    if loop and (best is None or _saved(loop) > _saved(best)):
                        best = loop
    return best


def _saved(loop: Loop) -> int:
    return loop.period * (loop.count - 1)


def _periods(nodes: Sequence[Node], first: int) -> list[int]:
    """The commonest distances between nodes that begin alike."""
    forms = [
        (op, compute, result, *(arg - first - i if arg >= first else arg for arg in args))
        for i, (op, compute, result, args) in enumerate(nodes)
    ]
    seen: dict[tuple[object, ...], int] = {}
    distances: Counter[int] = Counter()
    for i in range(len(nodes) - _ALIKE + 1):
        form = tuple(forms[i : i + _ALIKE])
        if form in seen:
            distances[i - seen[form]] += 1
        seen[form] = i
    return [distance for distance, _ in distances.most_common(_PERIODS)]


def _runs(nodes: Sequence[Node], first: int, period: int) -> Iterator[tuple[int, int]]:
    """Ranges of nodes each of which does what the one a period before it did, that one's range included."""
    begin = period
    for i in range(period, len(nodes) + 1):
        if i < len(nodes) and _repeats(nodes[i], nodes[i - period], first, period, begin - period):
            continue
        if i - begin >= period:
            yield begin - period, i
        begin = i + 1


def _repeats(node: Node, before: Node, first: int, period: int, start: int) -> bool:
    """Whether a node does what the one a period before it does: it reads the same value, or the one a period later."""
    return node[:3] == before[:3] and all(
        x - y == period and y >= first if x != y else x < first + start for x, y in zip(node[3], before[3], strict=True)
    )


def _loop(
    nodes: Sequence[Node], first: int, kept: Sequence[int], dtypes: Sequence[str], start: int, end: int, period: int
) -> Loop | None:
    """The loop of the whole steps in a range of nodes, as far as only the last one's values are read afterwards."""
    read = [arg for node in nodes[end:] for arg in node[3]] + list(kept)
    inside = [value - first - start for value in read if start <= value - first < end]
    count = min([(end - start) // period, *(value // period + 1 for value in inside)])
    if count < LEAST_STEPS or period * (count - 1) < LEAST_SAVED:
        return None
    carried: dict[tuple[int, int], int] = {}
    sources = []
    for i in range(start, start + period):
        read_here = []
        for x, y in zip(nodes[i + period][3], nodes[i][3], strict=True):
            at = x - first - start
            if at >= period:
                read_here.append(("step", at - period))
            elif at >= 0:
                if dtypes[y] != dtypes[x]:
                    return None
                read_here.append(("carried", carried.setdefault((at, y), len(carried))))
            elif x == y:
                read_here.append(("value", x))
            else:  # of two steps before
                return None
        sources.append(tuple(read_here))
    return Loop(start, period, count, tuple(carried), tuple(sources))


def _begins(nodes: Sequence[Node], first: int, dtypes: Sequence[str], begin: int, start: int, period: int) -> bool:
    """Whether the nodes from `begin` to `start`, behind which nodes repeat, are a loop's first ones: they do what those
    a period later do, with other values, from before the loop, in place of what these read of the step before."""
    for i in range(begin, start):
        if nodes[i][:3] != nodes[i + period][:3]:
            return False
        for x, y in zip(nodes[i + period][3], nodes[i][3], strict=True):
            at = x - first - begin
            if 0 <= at < period:
                if dtypes[x] != dtypes[y] or y >= first + begin:
                    return False
            elif x - y != period if at >= period else x != y:
                return False
    return True
