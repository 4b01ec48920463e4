"""Loops that may end early: programs whose steps keep, by a mask, what has escaped, converged or arrived.

A step is a function of the values that it carries and of values from before the loop. So where one leaves all carried
values as they were, bit for bit, each step behind it would do so, too, and the loop may end there.
"""

from __future__ import annotations

from collections.abc import Sequence

from devarray.codegen.kernels.loops import Loop, Source
from devarray.codegen.kernels.spec import Node
from devarray.ops.dtypes import KIND
from devarray.ops.table import OPS, WHERE

__all__ = ["is_worth_a_test", "run_length", "same_bits"]

LEAST_TESTED = 10
"""Steps of a loop that may end early: csrc/engine/steps.cpp has the same number."""
_RUNS = range(8, 4, -1)  # steps from one test to the next, the best first; 7 of 49 were best for Mandelbrot's set
_SUMS = ("add", "subtract")
_BOUNDS = ("maximum", "minimum", "fmax", "fmin", "logical_and", "logical_or", "bitwise_and", "bitwise_or")


def is_worth_a_test(loop: Loop, nodes: Sequence[Node], dtypes: Sequence[str]) -> bool:
    """Whether a loop's values are likely to stay as they are from some step on.

    Some carried value is a `where` a branch of which, perhaps one within a branch, is the value itself; or it is the
    value itself plus or minus what a mask makes zero (a bool, a `where`, a product with a bool). Every other one is
    such, too, or its bound so far (`maximum`, `logical_and` and the like), or depends on itself by way of those alone.
    A time step that moves everything, as Lorenz's, has nothing to test.

    Parameters
    ----------
    loop : Loop
    nodes : sequence of Node
        Those in which it was found.
    dtypes : sequence of str
        Of every value id.
    """
    step = nodes[loop.start : loop.start + loop.period]
    step_dtypes = [_dtypes_read(loop, place, nodes, dtypes) for place in range(loop.period)]
    kept = {which: _keeps(loop, step, step_dtypes, which) for which in range(len(loop.carried))}
    if loop.count < LEAST_TESTED or "mask" not in kept.values():
        return False
    settled = {which for which, how in kept.items() if how}
    masks = {loop.carried[which][0] for which in settled}
    read = _carried_by_place(loop, masks)
    while True:
        more = {
            which for which, (place, _) in enumerate(loop.carried) if which not in settled and read[place] <= settled
        }
        if not more:
            return len(settled) == len(loop.carried)
        settled |= more


def _dtypes_read(loop: Loop, place: int, nodes: Sequence[Node], dtypes: Sequence[str]) -> list[str]:
    """Dtypes of what a node of the step reads."""
    return [
        nodes[loop.start + (at if kind == "step" else loop.carried[at][0])][2] if kind != "value" else dtypes[at]
        for kind, at in loop.sources[place]
    ]


def _keeps(loop: Loop, step: Sequence[Node], dtypes: Sequence[Sequence[str]], which: int) -> str:
    """By what kind of node a carried value may stay what it is: "mask", "bound", or "" for none."""
    place = loop.carried[which][0]
    op, own = step[place][0], ("carried", which)
    sources = loop.sources[place]
    if _is_where(op):
        return "mask" if _chooses(own, sources, step, loop.sources) else ""
    if own not in sources or op in _BOUNDS:
        return "bound" if own in sources else ""
    if op not in _SUMS or (op == "subtract" and sources[0] != own):
        return ""
    other = 1 - sources.index(own)
    return "mask" if dtypes[place][other] == "bool" or _is_masked(sources[other], loop, step, dtypes) else ""


def _chooses(own: Source, sources: Sequence[Source], step: Sequence[Node], of: Sequence[Sequence[Source]]) -> bool:
    """Whether a branch of a `where`, or of one that is a branch, is the value `own`."""
    inner = (place for kind, place in sources[1:] if kind == "step" and _is_where(step[place][0]))
    return own in sources[1:] or any(_chooses(own, of[place], step, of) for place in inner)


def _is_masked(source: Source, loop: Loop, step: Sequence[Node], dtypes: Sequence[Sequence[str]]) -> bool:
    """Whether a value is one of a step, this one or the one before, that a mask may make zero."""
    kind, at = source
    if kind == "value":
        return False
    place = at if kind == "step" else loop.carried[at][0]
    op = step[place][0]
    return _is_where(op) or (op == "multiply" and "bool" in dtypes[place])


def _is_where(op: str) -> bool:
    return op in OPS and bool(OPS[op].flags & WHERE)


def _carried_by_place(loop: Loop, masks: set[int]) -> list[set[int]]:
    """Which carried values each node of a step depends on, by way of none of the nodes `masks`."""
    read: list[set[int]] = []
    for place, sources in enumerate(loop.sources):
        seen: set[int] = set()
        for kind, at in sources if place not in masks else ():
            if kind != "value":
                seen |= {at} if kind == "carried" else read[at]
        read.append(seen)
    return read


def run_length(count: int) -> int:
    """How many steps there are from one test to the next, so that few of `count` steps are left over."""
    return min(_RUNS, key=lambda length: count % length)


def same_bits(dtype: str, a: str, b: str) -> str:
    """C text: whether two values of a dtype are the same bit for bit. NaNs are, zeros of different sign are not."""
    if KIND[dtype] == "c":
        bits = "AS_U64" if dtype == "complex128" else "AS_U32"
        return " && ".join(f"{bits}({a}.{part}) == {bits}({b}.{part})" for part in ("re", "im"))
    if KIND[dtype] == "f":
        bits = "AS_U64" if dtype == "float64" else "AS_U32"
        return f"{bits}({a}) == {bits}({b})"
    return f"{a} == {b}"
