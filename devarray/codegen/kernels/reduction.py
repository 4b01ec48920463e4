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
(stride 0), `strided`, or `uniform` (one element for all). On GPUs `fixed:` before one of the first three says that the
operand stays where it is along all reduced dims, so that it is loaded once for each output.

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

from devarray.codegen.kernels.cooperation import cooperation
from devarray.codegen.kernels.elementwise import node_statements, user_functions
from devarray.codegen.kernels.launches import indent
from devarray.codegen.kernels.operands import unravel
from devarray.codegen.kernels.reduction_place import APART, STEPS, Placement
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

_INDEX_BITS = 30  # of the steps of a block, where positions are kept
_NO_INDEX = "0x7fffffffffffffffL"


def render(spec: ReductionSpec, dialect: Dialect) -> str:
    """Source of the kernel "k" that computes `spec`."""
    return dialect.program(user_functions(dialect, spec.nodes) + _Kernel(spec, dialect).source())


class _Kernel(Placement):
    """The parts of a reduction kernel's text.

    Names in it: `q0` ... addresses of operands at the output's place, `i` the reduced index, `x` the index in the last
    kept dim (column layout), `u` counts a lane's outputs, `k` its accumulators; `acc` the accumulators of a block,
    `sum` and `err` a lane's value and what its rounding lost, `at` positions.
    """

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
        kernel = self.dialect.kernel("k", written, self.slots, "\n".join(indent(body)), group=spec.outs * spec.lanes)
        return (cooperation(self.dialect) if spec.split else "") + kernel

    # The loops over the reduced elements

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
                start = f"q{operand.number}" if operand.fixed else f"q{operand.number} + {steps}"
                lines.append(f"GLOBAL {const}char* w{operand.number} = {start};")
        lines += self.stretch("x0", "x1", "row * columns + ")
        lines.append("pos += x1 - x0;")
        return [
            f"const {itype} columns = {self.size(last)};",
            f"for ({itype} pos = begin; pos < end;) {{",
            *indent(lines),
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
            *indent(rest),
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
            block += [f"if (++blocks == {self.blocks}) {{", "  blocks = 0;", *indent(self.close_held()), "}"]
        if indexed:  # in order: looking at positions costs more than streams save
            return [f"for (; t + {unroll - 1} < {stop}; t += {unroll}) {{", *indent(block), "}"]
        return self.pieces(stop, "piece", ["for (; t < turn; t += stride) {", *indent(block), "}"])

    def narrow_blocks(self, stop: str, position: str) -> list[str]:
        spec, unroll = self.spec, self.spec.unroll
        first = [f"acc[u] = {self.literal()};", *(["place[u] = 0;"] if spec.indexed else [])]
        row = [*self.element(), *self.take("acc[u]", "place[u]", "k")]
        rows = [f"const {self.itype} i = t + k;", *self.outputs(row)]
        block = [
            f"{self.acc} acc[{spec.tile}];",
            *([f"i32 place[{spec.tile}];"] if spec.indexed else []),
            *self.outputs(first),
            *self.loop_hint,
            f"for (i32 k = 0; k < {unroll}; ++k) {{",
            *indent(rows),
            "}",
            *self.outputs(self.close_block("acc[u]", f"({position}t + place[u])")),
        ]
        return [*self.loop_hint, f"for (; t + {unroll - 1} < {stop}; t += {unroll}) {{", *indent(block), "}"]

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
            *indent(body),
            "  t = after;",
            "}",
        ]

    def lane_blocks(self, stop: str, position: str) -> list[str]:
        """Blocks of steps, each of `unroll` elements a lane. Positions count steps in 32 bits within a block."""
        spec, itype, unroll = self.spec, self.itype, self.spec.unroll
        if self.dialect.strategy == "cpu" and spec.lanes > 1 and unroll > 1:
            return self.streams(stop, position)
        step, indexed = spec.lanes * unroll, spec.indexed
        limit = step * STEPS if self.careful else step << _INDEX_BITS if indexed and itype == "i64" else 0
        last = f"{stop} - t > {limit} ? t + {limit} : {stop}" if limit else stop
        block = self.steps(f"t + k * {spec.lanes} + lane", str(step))
        place = f"({position}t0 + ({itype})place[k] * {step} + k * {spec.lanes} + lane)"
        return [
            f"while (t + {step - 1} < {stop}) {{",
            *indent([f"const {itype} last = ({last}) - {step - 1};", *block, *self.fold_block(place)]),
            "}",
        ]

    def streams(self, stop: str, position: str) -> list[str]:
        """Blocks of steps on a CPU, whose accumulators may walk pieces of memory of their own."""
        itype = self.itype
        steps = STEPS if self.careful else APART
        walk = [
            f"const {itype} last = turn - t > {steps} * stride ? t + {steps} * stride : turn;",
            *self.steps("t + k * apart + lane", "stride"),
            *self.fold_block(f"({position}t0 + ({itype})place[k] * stride + k * apart + lane)"),
        ]
        return self.pieces(stop, str(APART), ["while (t < turn) {", *indent(walk), "}"])

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
            *indent(self.each(unroll, "k", [f"const {itype} i = {index};", *take])),
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
        for operand, (value, dtype, _) in zip(self.operands[len(leaves) :], spec.outputs, strict=True):
            typed = f"(({dialect.pointer(dtype, const=False)})({self.address(operand, names)}))"
            lines.append(dialect.store(dtype, typed, "0", dialect.cast(dtypes[value], dtype, values[value])))
        wanted = "bool" if spec.op in ("any", "all", "count_nonzero") else spec.acc_dtype
        text = dialect.cast(dtypes[spec.value], wanted, values[spec.value])
        lines.append(f"const {self.acc} v = {text};")
        return lines

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
            *indent(fold, 2),
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
            *indent([*self.read_partial(scratch, record), *self.fold(self.sum, self.at, "v", "v_at")]),
            "}",
        ]
        final = self.outputs(merge) + (self.tree() if spec.lanes > 1 else [])
        return [
            "const i64 parts = GROUPS(1);",
            "LOCAL i32 is_last;",
            "if (lane == 0) {",
            "  const i64 part = GROUP_ID(1);",
            *indent(self.outputs(self.write_partial(scratch, record))),
            "}",
            "DEVICE_FENCE;",
            "BARRIER;",
            f"GLOBAL char* counter = m{counters} + GROUP_ID(0) * 4;",
            "if (lid == 0) is_last = COUNT_UP(counter) == parts - 1;",
            "BARRIER;",
            "if (is_last) {",
            "  DEVICE_FENCE;",
            *indent(final),
            *indent(self.store()),
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
        return ["if (active && lane == 0) {", *indent(self.outputs(lines)), "}"]
