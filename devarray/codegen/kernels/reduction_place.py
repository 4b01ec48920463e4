"""Addressing in reduction kernels: which outputs a work-item owns, which elements it reduces, and where they lie.

An output's elements are shared by `lanes` work-items; a work-group has `outs` outputs side by side, and in column
layout each work-item has `tile` of them. The names in the generated text:

    lane            the number of a work-item among those that share an output
    out, x          the output's index: over all kept dims, or in the last kept dim (column layout)
    begin, end      the reduced elements of this work-group
    q0, q1 ...      the address of each operand at the output's place
"""

from __future__ import annotations

from collections.abc import Sequence

from devarray.codegen.kernels.accumulation import Accumulation
from devarray.codegen.kernels.launches import indent
from devarray.codegen.kernels.operands import Operand, numbered, operands, unravel
from devarray.codegen.kernels.reduction_spec import REDUCTION, ReductionSpec
from devarray.codegen.language.dialect import CTYPE, Dialect
from devarray.ops.dtypes import KIND, SIZE
from devarray.ops.table import is_heavy

__all__ = ["APART", "REGISTERS", "STEPS", "Placement"]

STEPS = 16  # elements that are added up plainly before the sum is added to the compensated total
REGISTERS = 16  # up to so many outputs of a lane have their accumulators in registers, more in local memory
APART = 8192  # elements between pieces of memory that are walked side by side: each in pages of its own
_LEAST_ROWS = 8  # of such a piece
_UNROLL_LIMIT = 32  # longer loops over accumulators are not unrolled: compilers take too long for the text
_UNROLLED_WEIGHT = 384  # operations of all accumulators' elements, up to which each has text of its own
_WEIGHT_OF_HEAVY = 4  # as kHeavyOp in csrc/engine/config.hpp


class Placement(Accumulation):
    """The start of a reduction kernel: scalars, operands, outputs and the stretch of reduced elements."""

    def __init__(self, spec: ReductionSpec, dialect: Dialect) -> None:
        super().__init__(spec, dialect)
        self.column = spec.layout == "column"
        self.nested = not spec.flat and spec.nreduced > 1
        self.itype = "i64" if spec.wide or dialect.strategy == "cpu" else "i32"
        ndim = spec.nkept + spec.nreduced
        extra = [(dtype, access) for _, dtype, access in spec.outputs]
        self.operands, slot = operands(spec.leaves, extra, ndim, ndim)
        self.result = Operand(len(self.operands), spec.result[1], "strided", True, slot)
        self.scalar_slot = slot + 1 + spec.nkept
        counts = (dialect.slots_of(dtype) for dtype in (*spec.scalars, *spec.post_scalars))
        self.chunk_slot = self.scalar_slot + sum(counts)
        self.turns = dialect.strategy == "gpu" and not spec.wide  # as in csrc/engine/reduce_plan.cpp
        self.slots = self.chunk_slot + (spec.split or self.turns)
        triples = zip(spec.columns[::3], spec.columns[1::3], spec.columns[2::3], strict=True)
        self.column_of = {leaf: (leader, column) for leaf, leader, column in triples}
        weight = sum(_WEIGHT_OF_HEAVY if is_heavy(op) else 1 for op, *_ in spec.nodes if op != REDUCTION)
        # Accumulators share one text of an element where that is long: NVRTC takes a second for eight of them.
        self.rolled = dialect.strategy == "gpu" and spec.tile == 1 and weight * spec.unroll > _UNROLLED_WEIGHT
        self.packed = [operand for operand in self.operands if operand.access == "packed:unit"]
        # Neighbouring work-items of a CPU are one vector; one of a GPU loads neighbouring outputs' elements at once.
        self.strided_tile = dialect.strategy == "cpu"
        self.narrow = 1 < spec.tile <= REGISTERS
        # Blocks of a strip that are added up plainly before their sum is added to the compensated total: the totals'
        # error terms are as much memory again to read and write.
        strips = spec.tile > 1 and not self.narrow
        self.blocks = max(1, STEPS - spec.unroll) if self.careful and strips else 1
        # Intel's compiler (2026.2) crashes when it vectorises functions of complex numbers' components: abs(imag(z)).
        one_lane = dialect.strategy == "cpu" and spec.lanes == 1 and any(KIND[dtype] == "c" for dtype, _ in spec.leaves)
        # Where it vectorises a work-item's own loop, as it does in small groups, it changes the order of a sum.
        alone = "Intel" in dialect.caps.get("platform", "") and spec.lanes == 1 and spec.outs < 16
        one_lane |= dialect.strategy == "cpu" and alone
        self.loop_hint = ["#pragma clang loop vectorize(disable)"] if one_lane else []

    def scalars(self) -> list[str]:
        lines, slot = [], self.scalar_slot
        for prefix, dtypes in (("c", self.spec.scalars), ("d", self.spec.post_scalars)):
            for name, dtype in zip(numbered(prefix, len(dtypes)), dtypes, strict=True):
                lines.append(f"const {CTYPE[dtype]} {name} = {self.dialect.slot(slot, dtype)};")
                slot += self.dialect.slots_of(dtype)
        return lines

    def uniform(self) -> list[str]:
        return [
            self.load(leaf, f"m{leaf.number} + {leaf.offset()}")
            for leaf in self.operands
            if leaf.access == "uniform" and not leaf.written
        ]

    def size(self, dim: int) -> str:
        return f"({self.itype})s.v[{dim}]" if self.itype == "i32" else f"s.v[{dim}]"

    def reduced_stride(self, operand: Operand, dim: int) -> str:
        return operand.stride(self.spec.nkept + dim, not self.column and dim == self.spec.nreduced - 1)

    def place(self) -> list[str]:
        """Which outputs, which reduced elements, and the operands' addresses there."""
        spec, itype = self.spec, self.itype
        kept = [f"o{dim}" for dim in range(spec.nkept)]
        reduced = " * ".join(self.size(spec.nkept + dim) for dim in range(spec.nreduced))
        lines = ["const i32 lid = LOCAL_ID(0);", f"const {itype} total = {reduced};"]
        if spec.split:
            lines.append(f"const {itype} chunk = {self.size(self.chunk_slot)};")
            lines.append(f"const {itype} begin = ({itype}){self.group(1)} * chunk;")
            lines.append(f"{itype} end = total - begin < chunk ? total : begin + chunk;")
        else:
            lines.append(f"const {itype} begin = 0;")
            lines.append(f"{itype} end = total;")
        lines += self.column_place(kept) if self.column else self.row_place(kept)
        for operand in self.operands:
            if operand.access != "uniform":
                const = "" if operand.written else "const "
                lines.append(f"GLOBAL {const}char* q{operand.number} = {self.base(operand, kept)};")
        return lines

    def group(self, dim: int = 0) -> str:
        """The number of the work-group; groups may run from the last one to the first (csrc/engine/launch.hpp)."""
        here = f"GROUP_ID({dim})"
        return f"(s.v[{self.chunk_slot}] >> 32 ? GROUPS({dim}) - 1 - {here} : {here})" if self.turns else here

    def row_place(self, kept: list[str]) -> list[str]:
        spec = self.spec
        outputs = " * ".join(f"s.v[{dim}]" for dim in range(spec.nkept)) or "1"
        return [
            f"const {self.itype} lane = {self.lane()};",
            f"const i64 out = {self.group()} * {spec.outs} + {self.own()};",
            f"const b8 active = out < {outputs};",
            *(unravel(self.dialect, "out", [f"s.v[{dim}]" for dim in range(spec.nkept)], kept, "i64") if kept else []),
            "if (!active) end = begin;",
        ]

    def lane(self) -> str:
        """A work-item's lane: a constant or the plain local id where possible, which Intel's vectoriser needs."""
        if self.spec.lanes == 1:
            return "0"
        if self.column:
            return f"lid / {self.spec.outs}" if self.spec.outs > 1 else "lid"
        return f"lid % {self.spec.lanes}" if self.spec.outs > 1 else "lid"

    def own(self) -> str:
        """The number of a work-item's output among those of its group."""
        if self.spec.outs == 1:
            return "0"
        if self.column:
            return f"lid % {self.spec.outs}" if self.spec.lanes > 1 else "lid"
        return f"lid / {self.spec.lanes}" if self.spec.lanes > 1 else "lid"

    def column_place(self, kept: list[str]) -> list[str]:
        spec, last = self.spec, self.spec.nkept - 1
        outers = " * ".join(f"s.v[{dim}]" for dim in range(last)) or "1"
        lines = [
            f"const {self.itype} lane = {self.lane()};",
            f"const i64 inner = s.v[{last}];",
        ]
        if spec.tile > REGISTERS:
            lines.append(f"const i64 strips = GROUPS(0) / ({outers});")
            lines.append(
                f"const i64 wide = ((inner + strips - 1) / strips + {spec.outs - 1}) / {spec.outs} * {spec.outs};"
            )
            lines.append(f"const i64 piece = wide * {_LEAST_ROWS} < {APART} ? {APART} / wide : {_LEAST_ROWS};")
        else:
            width = spec.outs * spec.tile
            lines.append(f"const i64 strips = (inner + {width - 1}) / {width}, wide = {width};")
        lines.append(f"const i64 strip = {self.group()}, outer = strip / strips;")
        lines.append("const i64 first = (strip - outer * strips) * wide;")
        if last:
            lines += unravel(self.dialect, "outer", [f"s.v[{dim}]" for dim in range(last)], kept[:-1], "i64")
        if self.narrow:  # the last strip starts earlier and overlaps the one before it, so that all of it exists
            own = self.own() if self.strided_tile else f"{self.own()} * {spec.tile}"
            lines.append(f"const i64 base = (first < inner - wide ? first : inner - wide) + {own};")
            lines.append("const b8 active = 1;")
        elif spec.tile > 1:  # the same, but only the last outputs of the last strip start earlier
            lines.append("const i64 rest = inner - first < wide ? inner - first : wide;")
            lines.append(
                f"const i64 count = (rest + {spec.outs - 1}) / {spec.outs} * {spec.outs}, back = count - rest;"
            )
            lines.append("const b8 active = 1;")
        else:
            lines.append(f"const i64 x = first + {self.own()};")
            lines.append("const b8 active = x < inner;")
            lines.append("if (!active) end = begin;")
        return lines

    def outputs(self, lines: Sequence[str]) -> list[str]:
        """A loop over a lane's outputs: `x` is the index in the last kept dim, `mine` the place in local arrays."""
        spec = self.spec
        if spec.tile == 1:
            return ["{", *indent(lines), "}"]
        if self.narrow:
            step = spec.outs if self.strided_tile else 1
            return self.each(spec.tile, "u", [f"const i64 x = base + u * {step}, mine = u;", *lines])
        moved = f" - (u + {spec.outs} < count ? 0 : back)" if spec.outs > 1 else ""
        return [
            f"for (i64 u = 0; u < count; u += {spec.outs}) {{",
            f"  const i64 x = first + {self.own()} + u{moved}, mine = u + {self.own()};",
            *indent(lines),
            "}",
        ]

    def base(self, operand: Operand, kept: Sequence[str]) -> str:
        """Byte address at the output's place; in column layout at the start of the last kept dim."""
        terms = [f"m{operand.number} + {operand.offset()}"]
        for dim, name in enumerate(kept[:-1] if self.column else kept):
            terms.append(f"{name} * {operand.stride(dim)}")
        return " + ".join(terms)

    def each(self, count: int, name: str, lines: Sequence[str]) -> list[str]:
        """A loop that is unrolled where it is short."""
        if count == 1:
            return ["{", f"  const i32 {name} = 0;", *indent(lines), "}"]
        pragma = ["#pragma unroll"] if count <= _UNROLL_LIMIT else []
        return [*pragma, f"for (i32 {name} = 0; {name} < {count}; ++{name}) {{", *indent(lines), "}"]

    def each_element(self, count: int, name: str, lines: Sequence[str]) -> list[str]:
        """The same for a loop over elements, which stays one where their text is shared."""
        if not self.rolled:
            return self.each(count, name, lines)
        return ["#pragma unroll 1", f"for (i32 {name} = 0; {name} < {count}; ++{name}) {{", *indent(lines), "}"]

    def load(self, leaf: Operand, address: str, index: str = "0") -> str:
        typed = f"(({self.dialect.pointer(leaf.dtype, const=True)})({address}))"
        return f"const {CTYPE[leaf.dtype]} a{leaf.number} = {self.dialect.load(leaf.dtype, typed, index)};"

    def column_load(self, leaf: Operand, packed: bool, names: Sequence[str]) -> str:
        """The load of a leaf that is one column of another one, all of whose columns the work-item has."""
        leader, column = self.column_of[leaf.number]
        rows = self.operands[leader]
        if packed and rows in self.packed:
            return f"const {CTYPE[leaf.dtype]} a{leaf.number} = b{leader}_[{column}];"
        return self.load(leaf, *self.location(rows, names, f"(base + {column})"))

    def location(self, operand: Operand, names: Sequence[str], x: str = "x") -> tuple[str, str]:
        """An address and the number of the element behind it that is element `i` of the lane's output at `x`.

        On GPUs the number has 32 bits and counts elements: added to an address, it is one instruction.
        """
        size = SIZE[operand.dtype]
        if self.itype == "i64" or KIND[operand.dtype] == "c" or size == 1:
            return self.address(operand, names, x), "0"
        terms = [f"{'w' if self.nested else 'q'}{operand.number}"]
        if self.column and operand.innermost != "row":
            unit = operand.innermost == "unit"
            terms.append(f"{x} * {size if unit else operand.stride(self.spec.nkept - 1, True)}")
        return " + ".join(terms), " + ".join(self.elements_to(operand, names)) or "0"

    def elements_to(self, operand: Operand, names: Sequence[str]) -> list[str]:
        """Elements to those of an operand at the indices in the reduced dims."""
        places: dict[int, str] = {}
        if self.spec.flat and self.spec.nreduced > 1:
            places = dict(enumerate(names))
        elif self.column or operand.innermost == "strided":
            places = {self.spec.nreduced - 1: "i"}
        elif operand.innermost == "unit" and not operand.fixed:
            return ["i"]
        shift = SIZE[operand.dtype].bit_length() - 1
        strides = {dim: self.reduced_stride(operand, dim) for dim in places}
        return [f"{places[dim]} * ((i32){strides[dim]} >> {shift})" for dim in places if not operand.fixed]

    def address(self, operand: Operand, names: Sequence[str], x: str = "x") -> str:
        """Byte address of element `i` of the lane's output at `x`. Constant strides let compilers see neighbours."""
        spec, size = self.spec, SIZE[operand.dtype]
        terms = [f"{'w' if self.nested else 'q'}{operand.number}"]
        if operand.fixed:
            pass  # the compiler takes the load out of the loop
        elif spec.flat and spec.nreduced > 1:
            terms += [self.distance(name, operand, dim) for dim, name in enumerate(names)]
        elif self.column or operand.innermost == "strided":
            terms.append(self.distance("i", operand, spec.nreduced - 1))
        elif operand.innermost == "unit":
            terms.append(f"(i64)i * {size}")
        if self.column and operand.innermost != "row":
            stride = str(size) if operand.innermost == "unit" else operand.stride(spec.nkept - 1, True)
            terms.append(f"{x} * {stride}")
        return " + ".join(terms)

    def distance(self, index: str, operand: Operand, dim: int) -> str:
        """Bytes to `index` in a reduced dim: of 32 bits where indices are, as in element-wise kernels."""
        stride = self.reduced_stride(operand, dim)
        return f"{index} * {stride}" if self.itype == "i64" else f"{index} * (i32){stride}"
