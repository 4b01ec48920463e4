"""Reductions: one kernel that evaluates an element-wise expression, accumulates it and finishes the result.

The iteration space has `nkept` kept and `nreduced` reduced dims, both outermost first. csrc/engine/reduce_plan.cpp
chooses the geometry; the kernel's contract with it is the following.

**Memory arguments**: leaves, extra outputs, result, and with `split` the partial results and the counters.
Extra outputs must not share memory with leaves: an element may be evaluated twice.

**Slots**: the kept sizes, the reduced sizes; for each leaf, then each extra output, its byte offset, followed (unless
its access is `uniform`) by its byte strides over the kept, then over the reduced dims; the result's byte offset and its
kept strides; the scalars of the absorbed expression; the scalars of the post expression; with `split` the number of
reduced elements for a group.

**Groups**: of `outs * lanes` work-items. `outs` outputs lie side by side in a group, `lanes` work-items share each.

====== ============================================== =====================================================
layout dimension 0 of the launch                      inside a group
====== ============================================== =====================================================
row    ceil(outputs / outs) groups                    neighbouring work-items share an output
column ceil(inner / (outs * tile)) groups or more,    neighbouring work-items own neighbouring outputs of the
       inner being the last kept size, times the      last kept dim, and up to `tile` of them each, as many as
       number of outputs over the other kept dims     spread `inner` evenly over the groups (`tile > 1` needs
                                                      `lanes == 1` and `inner >= outs`)
====== ============================================== =====================================================

Dimension 1 counts the groups that share an output (1 unless `split`). Each writes a partial result; the last one to
count itself merges them and sets the counter back to 0, so that counters need to be cleared only once.

**Accesses** tell of the innermost reduced dim in row layout, of the innermost kept dim in column layout: `unit`, `row`
(stride 0), `strided`, or `uniform` (one element for all).

**Accuracy of float and complex sums**: a lane adds at most 16 elements to an accumulator, adds its `unroll`
accumulators as a tree, and keeps the error of what it sums from then on (Knuth's two-sum), so that the length of a row
does not matter; in strips (`tile` > 1) an output adds up `unroll` elements, and 16 - `unroll` such sums where that is
more than one, before it does so. Lanes are added as a tree, `parts` partial results in `parts / lanes` steps. The
relative error against the sum of magnitudes is at most
(20 + log2(unroll) + log2(lanes) + parts / lanes) units in the last place, with the plans of reduce_plan.cpp below
NumPy's pairwise bound (about 16 + log2(n / 128)) for all but short rows, where both are at the level of one sequential
block, and below its sequential bound over outer axes.
"""

from __future__ import annotations

from collections.abc import Sequence

from devarray.codegen.kernels.accumulation import Accumulation
from devarray.codegen.kernels.cooperation import cooperation
from devarray.codegen.kernels.elementwise import Operand, node_statements, operands, unravel, user_functions
from devarray.codegen.kernels.reduction_spec import (
    REDUCTIONS,
    ReductionSpec,
    accumulator_dtype,
    combine,
    identity,
    partial_bytes,
)
from devarray.codegen.language.dialect import CTYPE, Dialect
from devarray.ops.dtypes import KIND, REAL_OF, SIZE

__all__ = ["REDUCTIONS", "ReductionSpec", "accumulator_dtype", "combine", "identity", "partial_bytes", "render"]

_STEPS = 16  # elements that an accumulator takes in a row before its value is added with care
_REGISTERS = 16  # outputs of a lane up to so many are held in registers, more in local memory
_APART = 8192  # elements between pieces of memory that are walked side by side: each in pages of its own
_LEAST_ROWS = 8  # of such a piece
_UNROLL_LIMIT = 32  # longer loops over accumulators stay loops: compilers choke on their text
_INDEX_BITS = 30  # of the steps of a block, where positions are kept
_NO_INDEX = "0x7fffffffffffffffL"


def render(spec: ReductionSpec, dialect: Dialect) -> str:
    """Source of the kernel "k" that computes `spec`."""
    return dialect.program(user_functions(dialect, spec.nodes) + _Kernel(spec, dialect).source())


def _indent(lines: Sequence[str], depth: int = 1) -> list[str]:
    return [f"{'  ' * depth}{line}" if line else "" for line in lines]


class _Kernel(Accumulation):
    """The parts of a reduction kernel's text.

    Names in it: `q0` ... addresses of operands at the output's place, `i` the reduced index, `x` the index in the last
    kept dim (column layout), `u` counts a lane's outputs, `k` its accumulators; `acc` the accumulators of a block,
    `sum` and `err` a lane's value and what its rounding lost, `at` positions.
    """

    def __init__(self, spec: ReductionSpec, dialect: Dialect) -> None:
        super().__init__(spec, dialect)
        self.column = spec.layout == "column"
        self.nested = not spec.flat and spec.nreduced > 1
        self.itype = "i64" if spec.wide or dialect.strategy == "cpu" else "i32"
        ndim = spec.nkept + spec.nreduced
        extra = [(dtype, access) for _, dtype, access in spec.extra_outputs]
        self.operands, slot = operands(spec.leaves, extra, ndim, ndim)
        self.result = Operand(len(self.operands), spec.result[1], "strided", True, slot)
        self.scalar_slot = slot + 1 + spec.nkept
        counts = (dialect.slots_of(dtype) for dtype in (*spec.scalars, *spec.post_scalars))
        self.chunk_slot = self.scalar_slot + sum(counts)
        self.slots = self.chunk_slot + spec.split
        self.narrow = 1 < spec.tile <= _REGISTERS
        # Blocks of a strip that are added up before their sum is added with care: errors are more memory to walk.
        strips = spec.tile > 1 and not self.narrow
        self.blocks = max(1, _STEPS - spec.unroll) if self.careful and strips else 1
        # Intel's compiler (2026.2) dies of making vectors of functions of complex numbers' components: abs(imag(z)).
        one_lane = dialect.strategy == "cpu" and spec.lanes == 1 and any(KIND[dtype] == "c" for dtype, _ in spec.leaves)
        # Where it makes vectors of a work-item's own loop, which it does in groups of one, it changes the order of a sum.
        alone = "Intel" in dialect.caps.get("platform", "") and spec.outs * spec.lanes == 1 and not self.column
        one_lane |= dialect.strategy == "cpu" and alone
        self.loop_hint = ["#pragma clang loop vectorize(disable)"] if one_lane else []

    def source(self) -> str:
        spec = self.spec
        body = [
            *self.scalars(),
            *self.uniform(),
            *self.place(),
            *self.state(),
            *self.walk(),
            *self.close_lane(),
            *self.merge_lanes(),
            *(self.merge_parts() if spec.split else self.store()),
        ]
        written = "".join("w" if operand.written else "r" for operand in self.operands) + "w" + "ww" * spec.split
        kernel = self.dialect.kernel("k", written, self.slots, "\n".join(_indent(body)), group=spec.outs * spec.lanes)
        return (cooperation(self.dialect) if spec.split else "") + kernel

    # The start: scalars, which output and which part of it

    def scalars(self) -> list[str]:
        lines, slot = [], self.scalar_slot
        for prefix, dtypes in (("c", self.spec.scalars), ("d", self.spec.post_scalars)):
            for i, dtype in enumerate(dtypes):
                lines.append(f"const {CTYPE[dtype]} {prefix}{i} = {self.dialect.slot(slot, dtype)};")
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
        return operand.stride(self.spec.nkept + dim)

    def place(self) -> list[str]:
        """Which outputs, which reduced elements, and the operands' addresses there."""
        spec, itype = self.spec, self.itype
        kept = [f"o{dim}" for dim in range(spec.nkept)]
        reduced = " * ".join(self.size(spec.nkept + dim) for dim in range(spec.nreduced))
        lines = ["const i32 lid = LOCAL_ID(0);", f"const {itype} total = {reduced};"]
        if spec.split:
            lines.append(f"const {itype} chunk = {self.size(self.chunk_slot)};")
            lines.append(f"const {itype} begin = ({itype})GROUP_ID(1) * chunk;")
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

    def row_place(self, kept: list[str]) -> list[str]:
        spec = self.spec
        outputs = " * ".join(f"s.v[{dim}]" for dim in range(spec.nkept)) or "1"
        return [
            f"const {self.itype} lane = {self.lane()};",
            f"const i64 out = GROUP_ID(0) * {spec.outs} + {self.own()};",
            f"const b8 active = out < {outputs};",
            *(unravel(self.dialect, "out", [f"s.v[{dim}]" for dim in range(spec.nkept)], kept, "i64") if kept else []),
            "if (!active) end = begin;",
        ]

    def lane(self) -> str:
        """A work-item's lane; a plain constant or local id where it can be, for Intel's vectoriser looks no further."""
        if self.spec.lanes == 1:
            return "0"
        if self.column:
            return f"lid / {self.spec.outs}" if self.spec.outs > 1 else "lid"
        return f"lid % {self.spec.lanes}" if self.spec.outs > 1 else "lid"

    def own(self) -> str:
        """A work-item's place among the group's outputs."""
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
        if spec.tile > _REGISTERS:
            lines.append(f"const i64 strips = GROUPS(0) / ({outers});")
            lines.append(
                f"const i64 wide = ((inner + strips - 1) / strips + {spec.outs - 1}) / {spec.outs} * {spec.outs};"
            )
            lines.append(f"const i64 piece = wide * {_LEAST_ROWS} < {_APART} ? {_APART} / wide : {_LEAST_ROWS};")
        else:
            width = spec.outs * spec.tile
            lines.append(f"const i64 strips = (inner + {width - 1}) / {width}, wide = {width};")
        lines.append("const i64 outer = GROUP_ID(0) / strips, first = (GROUP_ID(0) - outer * strips) * wide;")
        if last:
            lines += unravel(self.dialect, "outer", [f"s.v[{dim}]" for dim in range(last)], kept[:-1], "i64")
        if self.narrow:  # the last outputs move back so that all exist
            lines.append(f"const i64 base = (first < inner - wide ? first : inner - wide) + {self.own()};")
            lines.append("const b8 active = 1;")
        elif spec.tile > 1:  # the same, of the last ones alone
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
            return ["{", *_indent(lines), "}"]
        if self.narrow:
            return self.each(spec.tile, "u", [f"const i64 x = base + u * {spec.outs}, mine = u;", *lines])
        moved = f" - (u + {spec.outs} < count ? 0 : back)" if spec.outs > 1 else ""
        return [
            f"for (i64 u = 0; u < count; u += {spec.outs}) {{",
            f"  const i64 x = first + {self.own()} + u{moved}, mine = u + {self.own()};",
            *_indent(lines),
            "}",
        ]

    def base(self, operand: Operand, kept: Sequence[str]) -> str:
        """Byte address at the output's place; in column layout at the start of the last kept dim."""
        terms = [f"m{operand.number} + {operand.offset()}"]
        for dim, name in enumerate(kept[:-1] if self.column else kept):
            terms.append(f"{name} * {operand.stride(dim)}")
        return " + ".join(terms)

    # The loops over the reduced elements

    def each(self, count: int, name: str, lines: Sequence[str]) -> list[str]:
        """A loop that is unrolled where it is short."""
        if count == 1:
            return ["{", f"  const i32 {name} = 0;", *_indent(lines), "}"]
        pragma = ["#pragma unroll"] if count <= _UNROLL_LIMIT else []
        return [*pragma, f"for (i32 {name} = 0; {name} < {count}; ++{name}) {{", *_indent(lines), "}"]

    def state(self) -> list[str]:
        spec = self.spec
        held = [(self.acc, "sum", self.literal())]
        if self.careful:
            held.append((self.acc, "err", self.literal()))
        if self.blocks > 1:
            held.append((self.acc, "held", self.literal()))
        if spec.indexed:
            held.append(("i64", "at", _NO_INDEX))
        if spec.tile == 1:
            return [f"{ctype} {name} = {value};" for ctype, name, value in held]
        # Local memory lies side by side for neighbouring work-items; private arrays do not, and would be gathered.
        arrays = [f"{ctype} {name}s[{spec.tile}];" for ctype, name, _ in held]
        if not self.narrow:
            arrays = [f"LOCAL {ctype} {name}s[{spec.tile * spec.outs}];" for ctype, name, _ in held]
        arrays += ["i32 blocks = 0;"] * (self.blocks > 1)
        return arrays + self.outputs([f"{getattr(self, name)} = {value};" for _, name, value in held])

    def walk(self) -> list[str]:
        spec, itype = self.spec, self.itype
        if not self.nested:
            return self.stretch("begin", "end", "")
        last = spec.nkept + spec.nreduced - 1
        names = [f"r{dim}" for dim in range(spec.nreduced - 1)]
        sizes = [self.size(spec.nkept + dim) for dim in range(spec.nreduced - 1)]
        lines = [
            f"const {itype} row = pos / columns, x0 = pos - row * columns;",
            f"const {itype} x1 = columns - x0 < end - pos ? columns : x0 + (end - pos);",
            *unravel(self.dialect, "row", sizes, names, itype),
        ]
        for operand in self.operands:
            if operand.access != "uniform":
                const = "" if operand.written else "const "
                steps = " + ".join(f"{name} * {self.reduced_stride(operand, d)}" for d, name in enumerate(names))
                lines.append(f"GLOBAL {const}char* w{operand.number} = q{operand.number} + {steps};")
        lines += self.stretch("x0", "x1", "row * columns + ")
        lines.append("pos += x1 - x0;")
        return [
            f"const {itype} columns = {self.size(last)};",
            f"for ({itype} pos = begin; pos < end;) {{",
            *_indent(lines),
            "}",
        ]

    def stretch(self, start: str, stop: str, position: str) -> list[str]:
        """Everything from index `start` to `stop`: blocks of all accumulators, then what is left."""
        body = self.tiled_blocks(stop, position) if self.spec.tile > 1 else self.lane_blocks(stop, position)
        rest = self.outputs([*self.element(), *self.take_careful(position)])
        return [
            f"{self.itype} t = {start};",
            *body,
            *self.loop_hint,
            f"for ({self.itype} i = t + lane; i < {stop}; i += {self.spec.lanes}) {{",
            *_indent(rest),
            "}",
        ]

    def tiled_blocks(self, stop: str, position: str) -> list[str]:
        """Blocks of `unroll` elements of every output.

        Outputs in registers go from row to row. Of strips, the rows stand in the innermost loop, which is unrolled: as
        many long pieces of memory are walked side by side, and an output's accumulator is a register.
        """
        if self.narrow:
            return self.narrow_blocks(stop, position)
        unroll, indexed = self.spec.unroll, self.spec.indexed
        index = f"const {self.itype} i = t + k{'' if indexed else ' * apart'};"
        first = [f"{self.acc} acc = {self.literal()};", *(["i32 place = 0;"] if indexed else [])]
        row = [*self.element(), *self.take("acc", "place", "k")]
        close = self.close_block("acc", f"({position}t + place)")
        if self.blocks > 1:
            close = self.fold(self.held, "", "acc", "")
        block = self.outputs([*first, *self.each(unroll, "k", [index, *row]), *close])
        if self.blocks > 1:
            block += [f"if (++blocks == {self.blocks}) {{", "  blocks = 0;", *_indent(self.close_held()), "}"]
        if indexed:  # in order: looking at positions costs more than streams save
            return [f"for (; t + {unroll - 1} < {stop}; t += {unroll}) {{", *_indent(block), "}"]
        return self.pieces(stop, "piece", ["for (; t < turn; t += stride) {", *_indent(block), "}"])

    def narrow_blocks(self, stop: str, position: str) -> list[str]:
        spec, unroll = self.spec, self.spec.unroll
        first = [f"acc[u] = {self.literal()};", *(["place[u] = 0;"] if spec.indexed else [])]
        row = [*self.element(), *self.take("acc[u]", "place[u]", "k")]
        rows = [f"const {self.itype} i = t + k;", *self.outputs(row)]
        block = [
            f"{self.acc} acc[{spec.tile}];",
            *([f"i32 place[{spec.tile}];"] if spec.indexed else []),
            *self.outputs(first),
            f"for (i32 k = 0; k < {unroll}; ++k) {{",
            *_indent(rows),
            "}",
            *self.outputs(self.close_block("acc[u]", f"({position}t + place[u])")),
        ]
        return [f"for (; t + {unroll - 1} < {stop}; t += {unroll}) {{", *_indent(block), "}"]

    def pieces(self, stop: str, apart: str, body: Sequence[str]) -> list[str]:
        """Loop of a CPU over blocks, in which `body` brings `t` to `turn` by steps of `stride`.

        Accumulator k reads at `t + k * apart`: from pieces of memory of its own where there is enough of it, else from
        neighbours. One stream of loads leaves the memory waiting; several side by side do not.
        """
        itype, lanes, unroll = self.itype, self.spec.lanes, self.spec.unroll
        step = lanes * unroll
        return [
            f"while (t + {step - 1} < {stop}) {{",
            f"  const b8 far = {stop} - t >= {unroll} * {apart};",
            f"  const {itype} apart = far ? {apart} : {lanes}, stride = far ? {lanes} : {step};",
            f"  const {itype} after = t + (far ? {unroll} * {apart} : ({stop} - t) / {step} * {step});",
            f"  const {itype} turn = far ? t + {apart} : after;",
            *_indent(body),
            "  t = after;",
            "}",
        ]

    def lane_blocks(self, stop: str, position: str) -> list[str]:
        """Blocks of steps, each of `unroll` elements a lane. Positions count steps in 32 bits within a block."""
        spec, itype, unroll = self.spec, self.itype, self.spec.unroll
        if self.dialect.strategy == "cpu" and spec.lanes > 1 and unroll > 1:
            return self.streams(stop, position)
        step, indexed = spec.lanes * unroll, spec.indexed
        limit = step * _STEPS if self.careful else step << _INDEX_BITS if indexed and itype == "i64" else 0
        last = f"{stop} - t > {limit} ? t + {limit} : {stop}" if limit else stop
        block = self.steps(f"t + k * {spec.lanes} + lane", str(step))
        place = f"({position}t0 + ({itype})place[k] * {step} + k * {spec.lanes} + lane)"
        return [
            f"while (t + {step - 1} < {stop}) {{",
            *_indent([f"const {itype} last = ({last}) - {step - 1};", *block, *self.fold_block(place)]),
            "}",
        ]

    def streams(self, stop: str, position: str) -> list[str]:
        """Blocks of steps on a CPU, whose accumulators may walk pieces of memory of their own."""
        itype = self.itype
        steps = _STEPS if self.careful else _APART
        walk = [
            f"const {itype} last = turn - t > {steps} * stride ? t + {steps} * stride : turn;",
            *self.steps("t + k * apart + lane", "stride"),
            *self.fold_block(f"({position}t0 + ({itype})place[k] * stride + k * apart + lane)"),
        ]
        return self.pieces(stop, str(_APART), ["while (t < turn) {", *_indent(walk), "}"])

    def steps(self, index: str, stride: str) -> list[str]:
        """Steps of `unroll` accumulators from `t` up to `last`."""
        itype, unroll, indexed = self.itype, self.spec.unroll, self.spec.indexed
        take = [*self.element(), *self.take("acc[k]", "place[k]", "n")]
        return [
            f"{self.acc} acc[{unroll}];",
            *([f"i32 place[{unroll}], n = 0;", f"const {itype} t0 = t;"] if indexed else []),
            *self.each(unroll, "k", [f"acc[k] = {self.literal()};", *(["place[k] = 0;"] if indexed else [])]),
            *self.loop_hint,
            f"for (; t < last; t += {stride}) {{",
            *_indent(self.each(unroll, "k", [f"const {itype} i = {index};", *take])),
            *(["  ++n;"] if indexed else []),
            "}",
        ]

    def fold_block(self, place: str) -> list[str]:
        """A block's accumulators into the lane's value: as a tree, or one by one where positions decide."""
        if self.spec.indexed:
            return self.each(self.spec.unroll, "k", self.fold(self.sum, self.at, "acc[k]", place))
        lines = []
        half = self.spec.unroll // 2
        while half:
            lines += self.each(half, "k", self.fold("acc[k]", "", f"acc[k + {half}]", ""))
            half //= 2
        return lines + self.close_block("acc[0]", "")

    def close_block(self, acc: str, place: str) -> list[str]:
        """The value `acc` of a block into the output's, which has only seen elements before it."""
        if self.careful:
            return self.add_careful(acc)
        if self.spec.indexed:
            return [
                f"if ({self.better(acc, self.sum)} | ({self.at} == {_NO_INDEX})) {{",
                f"  {self.sum} = {acc};",
                f"  {self.at} = {place};",
                "}",
            ]
        return self.fold(self.sum, "", acc, "")

    def close_held(self) -> list[str]:
        """The blocks of every output that were added up, into its value."""
        return self.outputs([*self.add_careful(self.held), f"{self.held} = {self.literal()};"])

    def element(self) -> list[str]:
        """Loads, nodes and extra outputs of element `i`; the value to reduce is `v`."""
        spec, dialect = self.spec, self.dialect
        names = [f"r{dim}" for dim in range(spec.nreduced)]
        lines = []
        if spec.flat and spec.nreduced > 1:
            sizes = [self.size(spec.nkept + dim) for dim in range(spec.nreduced)]
            lines += unravel(dialect, "i", sizes, names, self.itype)
        leaves = [operand for operand in self.operands if not operand.written]
        lines += [self.load(leaf, self.address(leaf, names)) for leaf in leaves if leaf.access != "uniform"]
        inputs = [f"a{i}" for i in range(len(spec.leaves))] + [f"c{i}" for i in range(len(spec.scalars))]
        dtypes = spec.value_dtypes()
        uniform = range(len(spec.leaves), len(inputs))
        nodes, values = node_statements(dialect, spec.nodes, inputs, dtypes[: len(inputs)], uniform=uniform)
        lines += nodes
        for operand, (value, dtype, _) in zip(self.operands[len(leaves) :], spec.extra_outputs, strict=True):
            typed = f"(({dialect.pointer(dtype, const=False)})({self.address(operand, names)}))"
            lines.append(dialect.store(dtype, typed, "0", dialect.cast(dtypes[value], dtype, values[value])))
        wanted = "bool" if spec.op in ("any", "all", "count_nonzero") else spec.acc_dtype
        text = dialect.cast(dtypes[spec.value], wanted, values[spec.value])
        lines.append(f"const {self.acc} v = {text};")
        return lines

    def load(self, leaf: Operand, address: str) -> str:
        typed = f"(({self.dialect.pointer(leaf.dtype, const=True)})({address}))"
        return f"const {CTYPE[leaf.dtype]} a{leaf.number} = {self.dialect.load(leaf.dtype, typed, '0')};"

    def address(self, operand: Operand, names: Sequence[str]) -> str:
        """Byte address of element `i` of the lane's output `u`. Constant strides let compilers see neighbours."""
        spec, size = self.spec, SIZE[operand.dtype]
        terms = [f"{'w' if self.nested else 'q'}{operand.number}"]
        if spec.flat and spec.nreduced > 1:
            terms += [f"{name} * {self.reduced_stride(operand, dim)}" for dim, name in enumerate(names)]
        elif self.column or operand.access == "strided":
            terms.append(f"i * {self.reduced_stride(operand, spec.nreduced - 1)}")
        elif operand.access == "unit":
            terms.append(f"(i64)i * {size}")
        if self.column and operand.access != "row":
            stride = str(size) if operand.access == "unit" else operand.stride(spec.nkept - 1)
            terms.append(f"x * {stride}")
        return " + ".join(terms)

    def close_lane(self) -> list[str]:
        """What a lane's value still lacks when all its elements were seen."""
        if not self.careful:
            return []
        return (self.close_held() if self.blocks > 1 else []) + self.outputs(self.add_errors())

    # Merging

    def merge_lanes(self) -> list[str]:
        """The lanes' values as a tree in local memory, into `sum` of lane 0 and of no other."""
        spec = self.spec
        if spec.lanes == 1:
            return []
        size = spec.outs * spec.lanes
        places = [f"LOCAL i64 places[{size}];"] if spec.indexed else []
        return [f"LOCAL {self.acc} shared[{size}];", *places, *self.tree()]

    def tree(self) -> list[str]:
        apart = self.spec.outs if self.column else 1
        fold = self.fold("shared[lid]", "places[lid]", f"shared[lid + h * {apart}]", f"places[lid + h * {apart}]")
        indexed = self.spec.indexed
        return [
            "shared[lid] = sum;",
            *(["places[lid] = at;"] if indexed else []),
            "BARRIER;",
            f"for (i32 h = {self.spec.lanes // 2}; h > 0; h /= 2) {{",
            "  if (lane < h) {",
            *_indent(fold, 2),
            "  }",
            "  BARRIER;",
            "}",
            "sum = shared[lid];",
            *(["at = places[lid];"] if indexed else []),
        ]

    def merge_parts(self) -> list[str]:
        """A partial result of each group to scratch memory; the last group to come merges all of them."""
        spec = self.spec
        scratch, counters = self.result.number + 1, self.result.number + 2
        width = "wide" if self.column else str(spec.outs)
        record = f"(GROUP_ID(0) * parts + part) * {width} + {'mine' if spec.tile > 1 else self.own()}"
        merge = [f"{self.sum} = {self.literal()};", *([f"{self.at} = {_NO_INDEX};"] if spec.indexed else [])]
        merge += [
            f"for (i64 part = lane; part < parts; part += {spec.lanes}) {{",
            *_indent([*self.read_partial(scratch, record), *self.fold(self.sum, self.at, "v", "v_at")]),
            "}",
        ]
        final = self.outputs(merge) + (self.tree() if spec.lanes > 1 else [])
        return [
            "const i64 parts = GROUPS(1);",
            "LOCAL i32 is_last;",
            "if (lane == 0) {",
            "  const i64 part = GROUP_ID(1);",
            *_indent(self.outputs(self.write_partial(scratch, record))),
            "}",
            "DEVICE_FENCE;",
            "BARRIER;",
            f"GLOBAL char* counter = m{counters} + GROUP_ID(0) * 4;",
            "if (lid == 0) is_last = COUNT_UP(counter) == parts - 1;",
            "BARRIER;",
            "if (is_last) {",
            "  DEVICE_FENCE;",
            *_indent(final),
            *_indent(self.store()),
            "  if (lid == 0) *(GLOBAL i32*)counter = 0;",
            "}",
        ]

    def partial_places(self) -> list[tuple[str, str, str]]:
        """(C type, suffix, byte offset) of the pieces of a partial result."""
        if KIND[self.spec.acc_dtype] == "c":
            real = REAL_OF[self.spec.acc_dtype]
            return [(CTYPE[real], ".re", "0"), (CTYPE[real], ".im", str(SIZE[real]))]
        return [(self.acc, "", "0")]

    def write_partial(self, scratch: int, record: str) -> list[str]:
        size = partial_bytes(self.spec.op, self.spec.acc_dtype)
        lines = [f"GLOBAL char* partial = m{scratch} + ({record}) * {size};"]
        for ctype, suffix, offset in self.partial_places():
            lines.append(f"*(volatile GLOBAL {ctype}*)(partial + {offset}) = {self.sum}{suffix};")
        if self.spec.indexed:
            lines.append(f"*(volatile GLOBAL i64*)(partial + {size - 8}) = {self.at};")
        return lines

    def read_partial(self, scratch: int, record: str) -> list[str]:
        size = partial_bytes(self.spec.op, self.spec.acc_dtype)
        lines = [f"GLOBAL char* partial = m{scratch} + ({record}) * {size};", f"{self.acc} v;"]
        for ctype, suffix, offset in self.partial_places():
            lines.append(f"v{suffix} = *(volatile GLOBAL {ctype}*)(partial + {offset});")
        if self.spec.indexed:
            lines.append(f"const i64 v_at = *(volatile GLOBAL i64*)(partial + {size - 8});")
        return lines

    # The result

    def store(self) -> list[str]:
        spec, dialect = self.spec, self.dialect
        value = self.at if spec.indexed else self.sum
        names = ["z", *(f"d{i}" for i in range(len(spec.post_scalars)))]
        dtypes = [spec.accumulated_dtype, *spec.post_scalars]
        nodes, names = node_statements(dialect, spec.post, names, dtypes, prefix="e")
        dtypes += [node[2] for node in spec.post]
        which, dtype = spec.result
        terms = [f"m{self.result.number} + {self.result.offset()}"]
        for dim in range(spec.nkept):
            index = "x" if self.column and dim == spec.nkept - 1 else f"o{dim}"
            terms.append(f"{index} * {self.result.stride(dim)}")
        typed = f"(({dialect.pointer(dtype, const=False)})({' + '.join(terms)}))"
        lines = [
            f"const {CTYPE[spec.accumulated_dtype]} z = {value};",
            *nodes,
            dialect.store(dtype, typed, "0", dialect.cast(dtypes[which], dtype, names[which])),
        ]
        return ["if (active && lane == 0) {", *_indent(self.outputs(lines)), "}"]
