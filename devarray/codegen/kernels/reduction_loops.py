"""What a work-item of a reduction does by itself: the loops over its elements, and the store of a result.

The names in the generated text are those of devarray/codegen/kernels/reduction.py and reduction_place.py.
"""

from __future__ import annotations

from collections.abc import Sequence

from devarray.codegen.kernels.launches import indent
from devarray.codegen.kernels.operands import Operand, numbered, unravel
from devarray.codegen.kernels.reduction_place import APART, STEPS, Placement
from devarray.codegen.kernels.reduction_spec import ReductionSpec, combine
from devarray.codegen.kernels.statements import ALL_WELL, check_of, count_checked, node_statements
from devarray.codegen.language.dialect import CTYPE, Dialect
from devarray.ops.dtypes import KIND, SIZE
from devarray.ops.table import INDEXED
from devarray.ops.user import flags_of

__all__ = ["NO_INDEX", "Loops"]

NO_INDEX = "0x7fffffffffffffffL"
_INDEX_BITS = 30  # of the steps of a block, where positions are kept


class Loops(Placement):
    """The loops over the reduced elements, and what follows them."""

    checks = True  # whether `element` knows of divisions without a branch

    def __init__(self, spec: ReductionSpec, dialect: Dialect) -> None:
        super().__init__(spec, dialect)
        self.piece = spec.pack  # neighbours that a work-item loads at once

    @property
    def reduced_names(self) -> list[str]:
        """Indices in the reduced dims."""
        return [f"r{dim}" for dim in range(self.spec.nreduced)]

    def state(self) -> list[str]:
        spec = self.spec
        held = self.of_output()
        if self.blocks > 1:
            held.append((self.acc, "held", self.literal()))
        if spec.indexed:
            held.append(("i64", "at", NO_INDEX))
        if spec.tile == 1:
            return [*(f"{ctype} {name} = {value};" for ctype, name, value in held), *self.of_lane()]
        # Local memory lies side by side for neighbouring work-items; private arrays do not, and would be gathered.
        arrays = [f"{ctype} {name}s[{spec.tile}];" for ctype, name, _ in held]
        if not self.narrow:
            arrays = [f"LOCAL {ctype} {name}s[{spec.tile * spec.outs}];" for ctype, name, _ in held]
        arrays += ["i32 blocks = 0;"] * (self.blocks > 1)
        arrays += self.of_lane()
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
        taken = self.outputs([*self.element(), *self.take_careful(position)])
        rest = [*self.row(False), *taken, *self.rest_taken()]
        return [
            f"{self.itype} t = {start};",
            *body,
            *self.rest_begin(),
            *self.loop_hint,
            f"for ({self.itype} i = t + lane; i < {stop}; i += {self.spec.lanes}) {{",
            *indent(rest),
            "}",
            *self.rest_end(),
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
        index, place, step = "k", "place[u]", unroll
        if spec.lanes > 1:
            index, place, step = f"k * {spec.lanes} + lane", f"place[u] * {spec.lanes} + lane", spec.lanes * unroll
        walked = self.narrow_rows(index, "#pragma unroll", self.element(packed=True))
        if self.checks and spec.lanes > 1 and self.dialect.branching and count_checked(spec.nodes):
            # Compilers see that outputs share a value, but not that they share its test.
            test = "well &= ok;" if self.checks_differ() else "if (u == 0) well &= ok;"
            checked = [f"u32 ok = {ALL_WELL};", *self.made_element(packed=True, checked=True), test]
            fast = self.narrow_rows(index, "#pragma unroll", checked)
            again = self.narrow_rows(index, "#pragma unroll 1", self.element(packed=True))
            walked = [f"u32 well = {ALL_WELL};", *fast, f"if (!(well & {ALL_WELL})) {{", *indent(again), "}"]
        block = [
            *self.loads_ahead(index),
            f"{self.block_type} acc[{spec.tile}];",
            *([f"i32 place[{spec.tile}];"] if spec.indexed else []),
            *walked,
            *self.weigh(str(unroll)),
            *self.outputs(self.close_block("acc[u]", f"({position}t + {place})")),
        ]
        return [*self.loop_hint, f"for (; t + {step - 1} < {stop}; t += {step}) {{", *indent(block), "}"]

    def checks_differ(self) -> bool:
        """Whether something without a branch is not the same for all outputs of a lane."""
        differs = [
            leaf.number not in self.column_of and leaf.access != "uniform" and leaf.innermost != "row"
            for leaf in self.operands[: len(self.spec.leaves)]
        ]
        differs += [False] * len(self.spec.scalars)
        for node in self.spec.nodes:
            differs.append(any(differs[arg] for arg in node[3]) or bool(flags_of(node[0]) & INDEXED))
            if differs[-1] and check_of(node):
                return True
        return False

    def narrow_rows(self, index: str, pragma: str, element: Sequence[str]) -> list[str]:
        """The rows of a block into the accumulators of all outputs, from the first one on.

        A division's branch would keep the rows' instructions and loads apart, which are under way together without it.
        """
        first = [f"acc[u] = {self.block_literal()};", *(["place[u] = 0;"] if self.spec.indexed else [])]
        row = self.outputs([*element, *self.take("acc[u]", "place[u]", "k")])
        start = f"const {self.itype} i = t + {index};"
        rows = [start, *self.packs(self.spec.tile), *self.row(True), *row, *self.taken()]
        return [
            *self.outputs(first),
            *self.loop_hint,
            *([pragma] if self.spec.lanes > 1 else []),
            f"for (i32 k = 0; k < {self.spec.unroll}; ++k) {{",
            *indent(rows),
            "}",
        ]

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
        if self.dialect.strategy == "gpu" and spec.indexed and unroll > 1 and KIND[spec.acc_dtype] != "c":
            return self.extreme_steps(stop, position)
        step, indexed = spec.lanes * unroll, spec.indexed
        limit = (
            step * STEPS if self.careful or self.counts else step << _INDEX_BITS if indexed and itype == "i64" else 0
        )
        most = self.first_block(step, limit)
        last = f"{stop} - t > {most} ? t + {most} : {stop}" if limit else stop
        index = self.place_in_step("k")
        block = self.steps(f"t + {index}", str(step))
        place = f"({position}t0 + ({itype})place[k] * {step} + {index})"
        return [
            f"while (t + {step - 1} < {stop}) {{",
            *indent([f"const {itype} last = ({last}) - {step - 1};", *block, *self.fold_block(place)]),
            "}",
        ]

    def place_in_step(self, k: str) -> str:
        """Where the lane's element number `k` lies among all lanes' elements of a step."""
        pack, lanes = self.spec.pack, self.spec.lanes
        return f"({k} / {pack} * {lanes} + lane) * {pack} + {k} % {pack}" if pack > 1 else f"{k} * {lanes} + lane"

    def extreme_steps(self, stop: str, position: str) -> list[str]:
        """Steps of a GPU for the place of an extreme: the best of each step is compared with the best so far, and which
        element of its step that was is looked for behind all of them."""
        spec, itype = self.spec, self.itype
        step = spec.lanes * spec.unroll
        most = f"((i64){step} << {_INDEX_BITS})"
        last = f"{stop} - t > {most} ? t + {most} : {stop}" if itype == "i64" else stop
        better = combine("max" if spec.op == "argmax" else "min", spec.acc_dtype, "best", self.v)
        walked = [
            f"{self.acc} best = {self.literal()};",
            *self.elements_of_step([f"best = {better};"]),
            f"if ({self.better('best', 'acc')}) {{",
            "  acc = best;",
            "  found = n;",
            "}",
            "++n;",
        ]
        looked = [
            f"t = t0 + ({itype})found * {step};",
            f"i32 place = {spec.unroll};",
            *self.elements_of_step([f"if (k < place & !{self.better('acc', self.v)}) place = k;"]),
            *self.fold(self.sum, self.at, "acc", f"({position}t + {self.place_in_step('place')})"),
        ]
        block = [
            f"const {itype} last = ({last}) - {step - 1}, t0 = t;",
            f"{self.acc} acc = {self.literal()};",
            "i32 found = 0, n = 0;",
            f"for (; t < last; t += {step}) {{",
            *indent(walked),
            "}",
            f"const {itype} next = t;",
            *looked,
            "t = next;",
        ]
        return [f"while (t + {step - 1} < {stop}) {{", *indent(block), "}"]

    def elements_of_step(self, taken: Sequence[str]) -> list[str]:
        """A lane's elements of the step at `t`, each followed by what takes its value `v`."""
        if self.packed:
            return self.packed_steps(taken)
        start = f"const {self.itype} i = t + {self.place_in_step('k')};"
        return self.each_element(self.spec.unroll, "k", [start, *self.element(), *taken])

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
        taken = self.take("acc[k]", "place[k]", "n")
        if self.rolled:  # accumulators are registers, which only constants index
            taken = self.each(unroll, "u", ["if (u == k) {", *indent(self.take("acc[u]", "place[u]", "n")), "}"])
        if self.packed:
            step = self.packed_steps(taken)
        else:
            step = self.each_element(unroll, "k", [f"const {itype} i = {index};", *self.element(), *taken])
        return [
            f"{self.block_type} acc[{unroll}];",
            *([f"i32 place[{unroll}], n = 0;"] if indexed else []),
            *([f"const {itype} t0 = t;"] if indexed or self.counts else []),
            *self.each(unroll, "k", [f"acc[k] = {self.block_literal()};", *(["place[k] = 0;"] if indexed else [])]),
            *self.loop_hint,
            f"for (; t < last; t += {stride}) {{",
            *indent(step),
            *(["  ++n;"] if indexed else []),
            "}",
        ]

    def packs(self, count: int) -> list[str]:
        """Loads of `count` neighbours of each aligned operand, from `base` (column layout) or `p` on, as `b0_` ..."""
        dialect = self.dialect
        loads = []
        for leaf in self.packed:
            number, chunks = leaf.number, dialect.chunks(leaf.dtype, count)
            each = count // len(chunks)
            address = f"q{number} + (i64)p * {SIZE[leaf.dtype]}"
            if self.column:
                address = self.address(leaf, [f"r{dim}" for dim in range(self.spec.nreduced)], x="base")
            for piece, chunk in enumerate(chunks):
                vector = dialect.chunk_type(leaf.dtype, chunk)
                loads.append(f"const {vector} v{number}_{piece} = ((GLOBAL const {vector}*)({address}))[{piece}];")
            if not self.rolled:
                elements = ", ".join(
                    dialect.element_of_chunk(leaf.dtype, f"v{number}_{at // each}", at % each) for at in range(count)
                )
                loads.append(f"const {CTYPE[leaf.dtype]} b{number}_[{count}] = {{{elements}}};")
        return loads

    def of_pack(self, leaf: Operand) -> str:
        """One of the neighbours that `packs` loaded."""
        if not self.rolled:
            return f"b{leaf.number}_[{'u' if self.column else 'j'}]"
        *others, last = (self.dialect.element_of_chunk(leaf.dtype, f"v{leaf.number}_0", at) for at in range(self.piece))
        return "".join(f"j == {at} ? {element} : " for at, element in enumerate(others)) + last

    def packed_steps(self, taken: Sequence[str]) -> list[str]:
        """The elements of one step in row layout, neighbours loaded together where their operand is aligned."""
        if self.piece < self.spec.pack:
            return self.exchanged_steps(taken)
        spec, itype = self.spec, self.itype
        side = [f"const i32 k = h * {spec.pack} + j;", f"const {itype} i = p + j;", *self.element(packed=True), *taken]
        front = f"const {itype} p = t + (h * {spec.lanes} + lane) * {spec.pack};"
        inner = self.each_element(spec.pack, "j", side)
        return self.each_element(spec.unroll // spec.pack, "h", [front, *self.packs(spec.pack), *inner])

    def exchanged_steps(self, taken: Sequence[str]) -> list[str]:
        """The same by accesses of `piece` elements: lanes hand on the values to those that add them up.

        The order in which these are added up is that of `packed_steps`. Whole accesses of many operands fill a compute
        unit's registers with one group, which either loads or computes; of single elements, compilers put each load
        just before its use.
        """
        spec, itype, piece = self.spec, self.itype, self.piece
        place = f"({spec.lanes} * g + lane) * {piece}"
        front = f"const {itype} p = t + h * {spec.lanes * spec.pack} + {place};"
        side = [f"const {itype} i = p + j;", *self.element(packed=True), f"exchange[{place} + j] = v;"]
        made = [front, *self.packs(piece), *self.each_element(piece, "j", side)]
        own = [f"const i32 k = h * {spec.pack} + j;", f"const {self.acc} v = exchange[lane * {spec.pack} + j];", *taken]
        lines = [*self.each_element(spec.pack // piece, "g", made), "BARRIER;"]
        lines += [*self.each(spec.pack, "j", own), "BARRIER;"]
        return self.each_element(spec.unroll // spec.pack, "h", lines)

    def fold_block(self, place: str) -> list[str]:
        """A block's accumulators into the lane's value: as a tree, or one by one where positions decide."""
        if self.spec.indexed:
            return self.each(self.spec.unroll, "k", self.fold(self.sum, self.at, "acc[k]", place))
        return self.folded_block("acc")

    def folded_block(self, acc: str) -> list[str]:
        """A block's accumulators as a tree into the lane's value."""
        closing = self.close_accumulators(acc, f"(t - t0) / {self.spec.lanes}")
        return ["if (t > t0) {", *indent(closing), "}"] if self.counts else closing

    def close_accumulators(self, acc: str, count: str) -> list[str]:
        """Those of a block of `count` elements as a tree, into the lane's value."""
        lines = []
        half = self.spec.unroll // 2
        while half:
            lines += self.each(half, "k", self.join_accumulators(f"{acc}[k]", f"{acc}[k + {half}]"))
            half //= 2
        return [*lines, *self.weigh(count), *self.close_block(f"{acc}[0]", "")]

    def close_first(self, acc: str, stride: str) -> list[str]:
        """Closes the first of all steps, behind one at `t`, where the first block may not be shorter than sums'."""
        if not self.counts:
            return []
        empty = self.each(self.spec.unroll, "k", [f"{acc}[k] = {self.block_literal()};"])
        closing = [*self.close_accumulators(acc, str(self.spec.unroll)), *empty, f"t0 = t + {stride};"]
        return [f"if (seen{self.tag} == 0) {{", *indent(closing), "}"]

    def close_block(self, acc: str, place: str) -> list[str]:
        """The value `acc` of a block into the output's, which has only seen elements before it."""
        if self.careful:
            return self.add_careful(acc)
        if self.spec.indexed:
            return [
                f"if ({self.better(acc, self.sum)} | ({self.at} == {NO_INDEX})) {{",
                f"  {self.sum} = {acc};",
                f"  {self.at} = {place};",
                "}",
            ]
        return self.fold(self.sum, "", acc, "")

    def close_held(self) -> list[str]:
        """The blocks of every output that were added up, into its value."""
        return self.outputs([*self.add_careful(self.held), f"{self.held} = {self.literal()};"])

    def loads_ahead(self, index: str) -> list[str]:
        """Loads of all rows of a block, before the first one is worked on."""
        return []

    def row(self, packed: bool) -> list[str]:
        """What all outputs of index `i` share, before the loop over them: nothing but where whole rows are reduced."""
        return []

    def element(self, packed: bool = False) -> list[str]:
        """Loads, nodes and extra outputs of element `i`; the value to reduce is `v`."""
        return self.made_element(packed)

    def made_element(self, packed: bool, checked: bool = False) -> list[str]:
        """The same; `checked` as in node_statements()."""
        spec, dialect = self.spec, self.dialect
        names = self.reduced_names
        lines = []
        if spec.flat and spec.nreduced > 1:
            sizes = [self.size(spec.nkept + dim) for dim in range(spec.nreduced)]
            lines += unravel(dialect, "i", sizes, names, self.itype)
        leaves = [operand for operand in self.operands if not operand.written]
        for leaf in leaves:
            if packed and leaf in self.packed:
                lines.append(f"const {CTYPE[leaf.dtype]} a{leaf.number} = {self.of_pack(leaf)};")
            elif leaf.number in self.column_of:
                lines.append(self.column_load(leaf, packed, names))
            elif leaf.access != "uniform":
                lines.append(self.load(leaf, *self.location(leaf, names)))
        inputs = [f"a{i}" for i in range(len(spec.leaves))] + numbered("c", len(spec.scalars))
        dtypes = spec.value_dtypes()
        uniform = range(len(spec.leaves), len(inputs))
        kept = [spec.value, *(value for value, _, _ in spec.outputs)]
        nodes, values = node_statements(
            dialect, spec.nodes, inputs, dtypes[: len(inputs)], uniform=uniform, kept=kept, checked=checked
        )
        lines += nodes
        for operand, (value, dtype, _) in zip(self.operands[len(leaves) :], spec.outputs, strict=True):
            address, index = self.location(operand, names)
            typed = f"(({dialect.pointer(dtype, const=False)})({address}))"
            lines.append(dialect.store(dtype, typed, index, dialect.cast(dtypes[value], dtype, values[value])))
        wanted = "bool" if spec.op in ("any", "all", "count_nonzero") else spec.acc_dtype
        text = dialect.cast(dtypes[spec.value], wanted, values[spec.value])
        lines.append(f"const {self.acc} v = {text};")
        return lines

    def close_lane(self) -> list[str]:
        """What a lane's value still lacks when all its elements were seen."""
        if not self.careful:
            return []
        return (self.close_held() if self.blocks > 1 else []) + self.outputs(self.add_errors())

    def store(self) -> list[str]:
        spec, dialect = self.spec, self.dialect
        names = ["z", *numbered("d", len(spec.post_scalars))]
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
            f"const {CTYPE[spec.accumulated_dtype]} z = {self.total()};",
            *nodes,
            dialect.store(dtype, typed, "0", dialect.cast(dtypes[which], dtype, names[which])),
        ]
        return ["if (active && lane == 0) {", *indent(self.outputs(lines)), "}"]
