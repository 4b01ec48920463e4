"""What a kernel is to compute: the description that the engine hands to the code generator.

The layout of memory arguments and slots that belongs to a spec is fixed in docs/design.md, "Engine kernels".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["ElementwiseSpec", "Leaf", "Node", "Output"]

Leaf = tuple[str, str]
"""(dtype, access) of a memory operand that is read; "shifted:01:unit" is the access "unit" to an operand of two dims,
the second of which is read shifted."""

Node = tuple[str, str, str, tuple[int, ...]]
"""(op, compute dtype, result dtype, value ids of the arguments)."""

Output = tuple[int, str, str]
"""(value id, dtype, access) of a memory operand that is written."""


@dataclass(frozen=True, slots=True)
class ElementwiseSpec:
    """One fused element-wise kernel.

    Value ids count leaves first, then scalars, then nodes.

    Attributes
    ----------
    mode : {"linear", "rows", "flat", "tiles"}
        How the iteration space is walked.
    ndim : int
        Dims of the collapsed iteration space (1 for linear).
    wide : bool
        Whether indices need 64 bits. CPU kernels always use 64.
    vec : int
        Elements that a work-item handles side by side (linear and flat mode; 1 elsewhere and on CPUs).
    rows : int
        Neighbouring rows that a work-item of a GPU handles, one after the other, in rows mode.
    alias : bool
        Whether an output may share memory with a leaf (donation, in-place); each element is then read before it is
        written, but no pointer is marked as the only one to its memory.
    leaves : tuple of (dtype, access)
    scalars : tuple of dtype
    nodes : tuple of (op, compute dtype, result dtype, args)
        In order of evaluation.
    outputs : tuple of (value id, dtype, access)
    alike : tuple of int
        For each memory operand the first one that has the same strides, itself perhaps; then for each dim of each leaf
        that is read shifted the first leaf that has the same shift there; then for each leaf the first one that begins
        at the same place. Empty: none has another's.
    constants : tuple of (scalar, bits)
        Scalars by number whose value is part of the kernel, and what a launch has in their slots nevertheless.
    sets : int
        How many launches one of the kernel may be for, each with memory arguments and slots of its own; the third
        dimension of the grid says which.
    apart : bool
        Whether the `vec` elements of a work-item lie a group's size apart, since not all operands are aligned to
        vectors (linear mode).
    across : int
        The dim along which leaves of the access "tiled" have their neighbours (tiles mode).
    tile_across, tile_along : int
        The sides of a tile along that dim and along the last one, powers of two; 0 in other modes.
    """

    mode: str
    ndim: int
    wide: bool
    vec: int
    rows: int
    alias: bool
    leaves: tuple[Leaf, ...]
    scalars: tuple[str, ...]
    nodes: tuple[Node, ...]
    outputs: tuple[Output, ...]
    alike: tuple[int, ...] = ()
    constants: tuple[tuple[int, int], ...] = ()
    sets: int = 1
    apart: bool = False
    across: int = 0
    tile_across: int = 0
    tile_along: int = 0

    def value_dtypes(self) -> list[str]:
        """Dtype of every value id."""
        return [dtype for dtype, _ in self.leaves] + list(self.scalars) + [node[2] for node in self.nodes]

    def operands(self) -> Iterator[tuple[str, str]]:
        """(dtype, access) of every memory argument: leaves, then outputs."""
        yield from self.leaves
        for _, dtype, access in self.outputs:
            yield dtype, access
