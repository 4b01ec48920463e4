"""Steps of a stencil as one kernel, by tiles (csrc/engine/stencil_chain.hpp): temporal blocking.

A group of work-items has a tile of rows and columns in local memory. All steps are computed for all of it: the further
a step, the less of its tile's margin is right, and the rest is what the last one stores. Work-items have a column each,
and some rows one below the other, whose loads they share. What a step reads of earlier results at its own place stays
in registers. Nothing but stores is behind a test, so that compilers see which loads are the same; places outside of the
arrays are moved into them, and give values that nobody reads.

Memory arguments and slots are those of each step's own kernel, one step behind the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from devarray.codegen.kernels.elementwise_body import Kernel, Walk
from devarray.codegen.kernels.operands import Operand
from devarray.codegen.kernels.spec import ElementwiseSpec
from devarray.codegen.kernels.statements import user_functions
from devarray.codegen.language.dialect import CTYPE, Dialect
from devarray.ops.dtypes import KIND, SIZE

__all__ = ["Link", "StencilChainSpec", "render"]

_NO_DISTANCE = 128  # kNoDistance in csrc/engine/stencil_links.hpp
_REACH = 4  # kReach


@dataclass(frozen=True, slots=True)
class Link:
    """A leaf of a step that is an earlier step's result, so many rows below and columns to the right."""

    reader: int
    leaf: int
    writer: int
    output: int
    rows: int
    columns: int


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A leaf of a step, read so many rows below and columns to the right of another leaf's first element."""

    stage: int
    leaf: int
    leader: int
    rows: int
    columns: int


@dataclass(frozen=True, slots=True)
class StencilChainSpec:
    """The kernel of a chain.

    Attributes
    ----------
    stages : tuple of ElementwiseSpec
        The steps, in rows mode over two dims.
    links : tuple of Link
    neighbours : tuple of Neighbour
        Leaves that are read near to each other, in the same memory, and those that are read alone.
    frames : tuple of (stage, output)
        Results around which one value lies. The values come behind the slots of all steps, two slots each.
    stored : tuple of (stage, output)
        Results that are written to memory.
    margins : tuple of (rows, columns)
        How much smaller than the tile each step's part is, at each side.
    bounded : bool
        Whether results are windows, around which memory holds what is read, instead of periodic.
    restrict : bool
        Whether no memory is both read and written.
    columns, rows : int
        Of a tile.
    several : int
        Rows of a work-item.
    """

    stages: tuple[ElementwiseSpec, ...]
    links: tuple[Link, ...]
    neighbours: tuple[Neighbour, ...]
    frames: tuple[tuple[int, int], ...]
    stored: tuple[tuple[int, int], ...]
    margins: tuple[tuple[int, int], ...]
    bounded: bool
    restrict: bool
    columns: int
    rows: int
    several: int

    @classmethod
    def of(
        cls,
        stages: Iterable[dict[str, Any]],
        links: tuple[int, ...],
        neighbours: tuple[int, ...],
        frames: tuple[int, ...],
        stored: tuple[int, ...],
        margins: tuple[int, ...],
        **others: Any,
    ) -> StencilChainSpec:
        """From the fields that the engine gives: numbers one behind the other, distances around 128."""

        def apart(numbers: tuple[int, ...], width: int) -> list[list[int]]:
            rows = [list(numbers[i : i + width]) for i in range(0, len(numbers), width)]
            return [[*row[:-2], *(number - _NO_DISTANCE for number in row[-2:])] for row in rows]

        return cls(
            tuple(ElementwiseSpec(**stage) for stage in stages),
            tuple(Link(*numbers) for numbers in apart(links, 6)),
            tuple(Neighbour(*numbers) for numbers in apart(neighbours, 5)),
            tuple(zip(frames[::2], frames[1::2], strict=True)),
            tuple(zip(stored[::2], stored[1::2], strict=True)),
            tuple(zip(margins[::2], margins[1::2], strict=True)),
            **others,
        )

    def links_of(self, reader: int) -> dict[int, Link]:
        """By leaf."""
        return {link.leaf: link for link in self.links if link.reader == reader}

    def links_to(self, writer: int, output: int) -> list[Link]:
        return [link for link in self.links if (link.writer, link.output) == (writer, output)]


def render(spec: StencilChainSpec, dialect: Dialect) -> str:
    """Source of the kernel "k" that computes `spec`."""
    kernels = [Kernel(stage, dialect) for stage in spec.stages]
    tile = _Tile(spec, kernels)
    lines = [*tile.local_memory(), *tile.place(), *tile.frames()]
    memory, slots = 0, 0
    for number, kernel in enumerate(kernels):
        if number:
            lines.append("BARRIER;")
        lines += _moved(["{", *_indent(_Step(tile, number).lines()), "}"], memory, slots)
        memory += len(kernel.operands)
        slots += kernel.slots
    slots += 2 * len(spec.frames)
    letters = "".join(tile.letter(n, operand) for n, kernel in enumerate(kernels) for operand in kernel.operands)
    text = dialect.kernel(
        "k", letters, slots, "\n".join(_indent(lines)), restrict=spec.restrict, group=spec.columns * tile.lanes
    )
    nodes = [node for stage in spec.stages for node in stage.nodes]
    return dialect.program(user_functions(dialect, nodes) + text)


def _indent(lines: Iterable[str]) -> list[str]:
    return [f"  {line}" for line in lines]


def _moved(lines: list[str], memory: int, slots: int) -> list[str]:
    """The statements of a kernel of its own, for memory arguments and slots that come behind others."""
    moved = [re.sub(r"\bm(\d+)\b", lambda m: f"m{int(m[1]) + memory}", line) for line in lines]
    return [re.sub(r"\bs\.v\[(\d+)\]", lambda m: f"s.v[{int(m[1]) + slots}]", line) for line in moved]


class _Tile:
    """What all steps have in common."""

    def __init__(self, spec: StencilChainSpec, kernels: list[Kernel]) -> None:
        self.spec = spec
        self.kernels = kernels
        self.lanes = spec.rows // spec.several
        self.itype = kernels[0].itype
        self.far = max(max(abs(link.rows), abs(link.columns)) for link in spec.links)
        self.buffers = self._buffers()

    def shared(self, stage: int, output: int) -> bool:
        """Whether a result is read at other places."""
        return any(link.rows or link.columns for link in self.spec.links_to(stage, output))

    def kept(self, stage: int, output: int) -> bool:
        """Whether a result is read at its own place."""
        return any(not (link.rows or link.columns) for link in self.spec.links_to(stage, output))

    def results(self) -> Iterable[tuple[int, int, str]]:
        for stage, kernel in enumerate(self.kernels):
            for output, (_, dtype, _) in enumerate(kernel.spec.outputs):
                yield stage, output, CTYPE[dtype]

    def _buffers(self) -> dict[tuple[int, int], str]:
        """Names of the local memory that each shared result lies in: a step uses again what the last but one had."""
        names = {}
        used: dict[tuple[int, str], int] = {}
        for stage, output, ctype in self.results():
            if self.shared(stage, output):
                number = used[stage, ctype] = used.get((stage, ctype), -1) + 1
                names[stage, output] = f"l{stage % 2}_{ctype}_{number}"
        return names

    def local_memory(self) -> list[str]:
        """Declarations of tiles, and of what a work-item keeps of each of its rows."""
        spec = self.spec
        size = spec.rows * spec.columns + 2 * self.before()
        tiles = {
            self.buffers[stage, output]: ctype
            for stage, output, ctype in self.results()
            if (stage, output) in self.buffers
        }
        kept = [
            f"{ctype} o{stage}_{output}[{spec.several}];"
            for stage, output, ctype in self.results()
            if self.kept(stage, output)
        ]
        return [*(f"LOCAL {ctype} {name}[{size}];" for name, ctype in tiles.items()), *kept]

    def before(self) -> int:
        """Elements of local memory in front of a tile and behind it, so that every place has neighbours."""
        return self.far * (self.spec.columns + 1)

    def shared_place(self, name: str, rows: int = 0, columns: int = 0) -> str:
        return f"{name}[ly * {self.spec.columns} + tx + {rows * self.spec.columns + columns + self.before()}]"

    def place(self) -> list[str]:
        """Declarations of the work-item's place in the tile, and the tile's in the arrays."""
        rows, columns = self.spec.margins[-1]
        spec, k = self.spec, self.kernels[0]
        group = "(s.v[0] >> 32 ? GROUPS(1) - 1 - GROUP_ID(1) : GROUP_ID(1))"
        lines = [
            f"const i32 height = (i32){k.size(0)};",
            f"const i32 width = (i32){k.size(1)};",
            f"const i32 tx = LOCAL_ID(0) % {spec.columns};",
            f"const i32 ty = LOCAL_ID(0) / {spec.columns} * {spec.several};",
            f"const i32 top = (i32){group} * {spec.rows - 2 * rows} - {rows};",
            f"const i32 gx = (i32)GROUP_ID(0) * {spec.columns - 2 * columns} - {columns} + tx;",
            f"const u32 room = min({spec.rows - 2 * rows}, height - top - {rows});  // rows that are its own",
            f"const bool mine = (u32)(tx - {columns}) < {spec.columns - 2 * columns}u && gx < width;",
        ]
        if not spec.bounded:  # the first row and column that are read, within the array
            for start, place, size in (("first", "top + ty", "height"), ("left", "gx", "width")):
                there = f"{place} - {_REACH}"
                lines.append(f"const u32 {start} = (u32)({there} < 0 ? {there} + {size} : {there});")
        return [*lines, f"const {self.itype} x = ({self.itype}){self.column(0, 0)};"]

    def frames(self) -> list[str]:
        """Declarations of the values around windows."""
        lines = []
        slot = sum(kernel.slots for kernel in self.kernels)
        for stage, output in self.spec.frames:
            kernel = self.kernels[stage]
            dtype = kernel.spec.outputs[output][1]
            lines.append(f"const {CTYPE[dtype]} e{stage}_{output} = {kernel.dialect.slot(slot, dtype)};")
            slot += 2
        return lines

    def row(self, distance: int, far: int) -> str:
        """Row `r` of the work-item and so many below, within the array, or as far around it."""
        if not self.spec.bounded:
            return self.wrapped(f"first + (u32)(r + {distance + _REACH})", "height")
        return f"max(min(gy + {distance}, height + {far - 1}), {-far})"

    def column(self, distance: int, far: int) -> str:
        if not self.spec.bounded:
            return self.wrapped(f"left + {distance + _REACH}u", "width")
        return f"max(min(gx + {distance}, width + {far - 1}), {-far})"

    @staticmethod
    def wrapped(place: str, size: str) -> str:
        """A place that is outside by less than the size of the array: the smaller one of two unsigned numbers."""
        return f"min({place}, {place} - (u32){size})"

    def letter(self, stage: int, operand: Operand) -> str:
        """Whether memory is written."""
        output = operand.number - len(self.kernels[stage].leaves)
        return "w" if operand.written and (stage, output) in self.spec.stored else "r"


class _Step:
    """The statements of one step."""

    def __init__(self, tile: _Tile, number: int) -> None:
        self.tile = tile
        self.spec = tile.spec
        self.number = number
        self.kernel = tile.kernels[number]
        self.links = tile.spec.links_of(number)
        self.near = {n.leaf: n for n in tile.spec.neighbours if n.stage == number}

    def lines(self) -> list[str]:
        row = [
            "const i32 ly = ty + r;",
            "const i32 gy = top + ly;",
            f"const {self.tile.itype} y0 = ({self.tile.itype}){self.tile.row(0, 0)};",
            *self.element(),
        ]
        return [
            *self.kernel.uniform(),
            *self.kernel.scalars(),
            "#pragma unroll",
            f"for (i32 r = 0; r < {self.spec.several}; ++r) {{",
            *_indent(row),
            "}",
        ]

    def element(self) -> list[str]:
        """The statements for the element in the work-item's column of one of its rows."""
        k = self.kernel
        walk = Walk(k, ["y0", "x"])
        for leaf in k.leaves:
            if leaf.number in self.links:
                walk.lines.append(f"const {CTYPE[leaf.dtype]} a{leaf.number} = {self.linked(self.links[leaf.number])};")
            elif leaf.number in self.near:
                walk.lines.append(k.value(leaf, *self.neighbour(walk, self.near[leaf.number])))
            elif leaf.access != "uniform":
                walk.lines.append(k.value(leaf, *walk.pointer(leaf)))
        walk.lines += k.nodes
        for output in k.outputs:
            self.result(walk, output)
        return walk.lines

    def linked(self, link: Link) -> str:
        if not (link.rows or link.columns):
            return f"o{link.writer}_{link.output}[r]"
        return self.tile.shared_place(self.tile.buffers[link.writer, link.output], link.rows, link.columns)

    def neighbour(self, walk: Walk, near: Neighbour) -> tuple[str, str]:
        """Pointer and index of a leaf that is read near to another one."""
        k = self.kernel
        far = 0
        if self.spec.bounded:
            group = [n for n in self.near.values() if n.leader == near.leader]
            far = max(max(abs(n.rows), abs(n.columns)) for n in group)
        names = []
        for axis, place, distance in (("y", self.tile.row, near.rows), ("x", self.tile.column, near.columns)):
            names.append(f"n{axis}{distance + _REACH}_{far}")  # no sign in names
            walk.declare(names[-1], f"const i32 {names[-1]} = (i32){place(distance, far)};")
        leader = k.leaves[near.leader]
        start = k.leaves[k.like_start[near.leader]]
        stride = f"((i32){k.operands[k.like[near.leader]].stride(0)} >> {SIZE[leader.dtype].bit_length() - 1})"
        if KIND[leader.dtype] == "c":
            stride = f"((i32){k.operands[k.like[near.leader]].stride(0)} / {SIZE[leader.dtype]})"
        return f"({k.pointer(leader, f'm{start.number} + {start.offset()}')})", f"{names[0]} * {stride} + {names[1]}"

    def result(self, walk: Walk, output: Operand) -> None:
        """Statements for what becomes of a result."""
        k, number = self.kernel, output.number - len(self.kernel.leaves)
        stored = (self.number, number) in self.spec.stored
        shared, kept = self.tile.shared(self.number, number), self.tile.kept(self.number, number)
        if not (stored or shared or kept):
            return
        walk.lines.append(f"{CTYPE[output.dtype]} r{number} = {k.result(output)};")
        if kept:
            walk.lines.append(f"o{self.number}_{number}[r] = r{number};")
        if stored:
            rows, _ = self.spec.margins[-1]
            store = k.dialect.store(output.dtype, *walk.pointer(output), f"r{number}")
            walk.lines.append(f"if (mine && (u32)(ly - {rows}) < room) {{ {store} }}")
        if shared:
            if self.spec.bounded:
                walk.lines += self.around(output, number)
            walk.lines.append(f"{self.tile.shared_place(self.tile.buffers[self.number, number])} = r{number};")

    def around(self, output: Operand, number: int) -> list[str]:
        """What lies around a window and is read from the tile is one value, or comes from memory."""
        k = self.kernel
        inside = "(u32)gy < (u32)height && (u32)gx < (u32)width"
        if (self.number, number) in self.spec.frames:
            return [f"if (!({inside})) r{number} = e{self.number}_{number};"]
        links = self.spec.links_to(self.number, number)
        far = max(max(abs(link.rows), abs(link.columns)) for link in links)
        reach = f"gy >= {-far} && gy < height + {far} && gx >= {-far} && gx < width + {far}"
        start = k.operands[output.number]
        stride = f"((i32){start.stride(0)} / {SIZE[output.dtype]})"
        pointer = f"({k.pointer(output, f'm{output.number} + {output.offset()}')})"
        value = k.dialect.load(output.dtype, pointer, f"gy * {stride} + gx")
        return [f"if (!({inside}) && {reach}) r{number} = {value};"]
