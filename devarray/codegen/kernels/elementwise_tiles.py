"""Kernels for GPUs whose operands lie along different dims, as in `a + a.T`.

Neighbouring work-items would read such a leaf far apart, a sector of memory for each element. A group has a tile over
two dims, the last one and the one along which the leaf's neighbours lie: it reads the leaf along that one into local
memory, and computes along the last one.
"""

from __future__ import annotations

from collections.abc import Sequence

from devarray.codegen.kernels.elementwise_body import GROUP_OF_TILE, Kernel, Walk, group_of, indent
from devarray.codegen.kernels.operands import Operand, numbered

__all__ = ["tile_body"]

_MOST_UNROLLED = 8
"""Elements of a work-item that are computed side by side."""


def tile_body(k: Kernel) -> tuple[str, list[str]]:
    """The statements of a kernel by tiles of `tile_across` by `tile_along` elements."""
    return "", _Tiles(k).statements()


class _Tiles:
    """Of a tile's elements, each is `e<dim>` along the tile's dims, and `i<dim>_` along all dims of the array."""

    def __init__(self, k: Kernel) -> None:
        spec = k.spec
        self.k = k
        self.across, self.along = spec.across, spec.ndim - 1
        self.sides = {self.across: spec.tile_across, self.along: spec.tile_along}
        self.each = spec.tile_across * spec.tile_along // GROUP_OF_TILE
        self.names = numbered("i", spec.ndim)
        self.places = [f"{name}tile" if dim in self.sides else name for dim, name in enumerate(self.names)]
        self.sizes = [k.size(dim) for dim in range(spec.ndim)]
        self.tiled = [leaf for leaf in k.leaves if leaf.innermost == "tiled"]

    def statements(self) -> list[str]:
        k = self.k
        pieces = list(self.sizes)
        for dim, side in self.sides.items():
            pieces[dim] = f"(({self.sizes[dim]} + {side - 1}) / {side})"
        flat = self.names[0]
        for name, size in zip(self.names[1:], self.sizes[1:], strict=True):
            flat = f"({flat} * {size} + {name})"
        body = [*k.index(flat), *_WalkInTile(k, self.names, self.in_tile()).element()]
        rolled = any(line.endswith(" break;") for line in k.nodes)
        room = (k.spec.tile_across + 1) * k.spec.tile_along
        return [
            *(f"LOCAL {k.dialect.storage(leaf.dtype)} tile{leaf.number}[{room}];" for leaf in self.tiled),
            *k.uniform(),
            *k.scalars(),
            "const u32 item = LOCAL_ID(0);",
            f"const {k.itype} group = {group_of(k, 0)};",
            *k.unravel("group", pieces, self.places),
            "{",
            *indent(self.loads()),
            "}",
            "BARRIER;",
            *self.elements(self.along, self.inside(body), 1 if rolled else min(_MOST_UNROLLED, self.each)),
        ]

    def in_tile(self) -> str:
        """Where an element lies in local memory. Rows of one more than they have: columns do not share a bank."""
        return f"e{self.along} * {self.sides[self.across] + 1} + e{self.across}"

    def loads(self) -> list[str]:
        """From global memory to local memory. All loads of a work-item are under way before the first is stored."""
        walk = Walk(self.k, self.names)
        for leaf in self.tiled:
            pointer, index = walk.pointer(leaf)
            walk.lines.append(f"v{leaf.number}[j] = {pointer}[{index}];")
        return [
            *(f"{self.k.dialect.storage(leaf.dtype)} v{leaf.number}[{self.each}];" for leaf in self.tiled),
            *self.elements(self.across, self.inside(walk.lines), self.each),
            *self.elements(
                self.across,
                [f"tile{leaf.number}[{self.in_tile()}] = v{leaf.number}[j];" for leaf in self.tiled],
                self.each,
            ),
        ]

    def inside(self, lines: Sequence[str]) -> list[str]:
        """The statements for an element, where it is one of the array."""
        itype = self.k.itype
        tests = [f"{self.names[dim]} < {self.sizes[dim]}" for dim in self.sides]
        return [
            *(f"const {itype} {self.names[d]} = {self.places[d]} * {side} + e{d};" for d, side in self.sides.items()),
            f"if ({' && '.join(tests)}) {{",
            *indent(lines),
            "}",
        ]

    def elements(self, dim: int, lines: Sequence[str], unroll: int) -> list[str]:
        """A loop over a work-item's elements of the tile; its neighbours have those beside it along `dim`."""
        other, side = self.across + self.along - dim, self.sides[dim]
        rounds = max(1, side // GROUP_OF_TILE)  # until the next row
        places = (
            [f"item % {side}", f"item / {side} + j * {GROUP_OF_TILE // side}"]
            if rounds == 1
            else [f"item + j % {rounds} * {GROUP_OF_TILE}", f"j / {rounds}"]
        )
        return [
            f"#pragma unroll {unroll}",
            f"for (u32 j = 0; j < {self.each}; ++j) {{",
            f"  const u32 e{dim} = {places[0]}, e{other} = {places[1]};",
            *indent(lines),
            "}",
        ]


class _WalkInTile(Walk):
    """Loads and stores of an element, some of whose values lie in local memory."""

    def __init__(self, k: Kernel, names: Sequence[str], in_tile: str) -> None:
        super().__init__(k, names)
        self.in_tile = in_tile

    def load(self, leaf: Operand) -> str:
        return (
            self.k.value(leaf, f"tile{leaf.number}", self.in_tile) if leaf.innermost == "tiled" else super().load(leaf)
        )
