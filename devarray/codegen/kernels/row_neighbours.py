"""Reductions over rows of values computed from the rows' own reductions, where neighbours in a warp share a row.

A row is one access of each of `outs` neighbours, which keep few accumulators, so that more rows are under way. What a
row has one of is reduced by shuffles, in the order in which one work-item alone does it. A block's rows are loaded
before the first one is worked on. Neighbours take as many rows together as they are: each shuffle halves the rows that
a work-item has sums of, until it has one row's, computes what follows from it for that row alone, and hands that on.
"""

from __future__ import annotations

from collections.abc import Iterable

from devarray.codegen.kernels.launches import indent
from devarray.codegen.kernels.reduction_spec import REDUCTION, ReductionSpec, Step, combine, identity
from devarray.codegen.kernels.row_columns import ACCUMULATORS, RowColumns
from devarray.codegen.kernels.row_values import braced
from devarray.codegen.kernels.statements import user_functions
from devarray.codegen.kernels.warps import WARP, across, of_lane, peers
from devarray.codegen.language.dialect import CTYPE, Dialect
from devarray.ops.dtypes import SIZE

__all__ = ["render"]

_ITEMS_OF_A_UNIT = 1024
"""Work-items that shall fit on a compute unit, where few registers hold the rows: groups that load beside groups that
compute. More of them leave too few registers for a block."""
_FEW_HELD_BYTES = 64


def render(spec: ReductionSpec, dialect: Dialect) -> str:
    """Source of the kernel "k" that computes a `spec` with steps."""
    nodes = [node for node in spec.nodes if node[0] != REDUCTION]
    if spec.outs == 1:
        return dialect.program(user_functions(dialect, nodes) + RowColumns(spec, dialect).source())
    kernel = _Neighbours(spec, dialect)
    source = kernel.source()
    shuffles = across(dialect, [dtype for _, _, dtype, *_ in spec.steps]) + of_lane(dialect, kernel.handed_on)
    return dialect.program(user_functions(dialect, nodes) + shuffles + source)


class _Neighbours(RowColumns):
    """The text of such a kernel. In it, `y5_0` is a value of the row that a work-item ends up with, and `y5_0_rows` are
    those of a block's rows."""

    def __init__(self, spec: ReductionSpec, dialect: Dialect) -> None:
        super().__init__(spec, dialect)
        self.handed_on: set[str] = set()  # dtypes
        self.together = min(spec.unroll, spec.outs)  # rows
        self.turns_of_block = spec.unroll // self.together
        self.sharers = spec.outs // self.together  # of a row, when each work-item has one row's sum
        if spec.unroll * spec.tile * sum(SIZE[leaf.dtype] for leaf in self.packed) <= _FEW_HELD_BYTES:
            self.resident = _ITEMS_OF_A_UNIT // (spec.outs * spec.lanes)

    def loads_ahead(self, index: str) -> list[str]:
        """Of a block's rows: what a row is computed from would keep the next one's waiting."""
        unroll, tile = self.spec.unroll, self.spec.tile
        own = [leaf for leaf in self.of_row() if not leaf.fixed]
        lines = [f"{CTYPE[leaf.dtype]} h{leaf.number}_[{unroll * tile}];" for leaf in self.packed]
        lines += [f"{CTYPE[leaf.dtype]} h{leaf.number}_[{self.turns_of_block}];" for leaf in own]
        keep = [f"h{leaf.number}_[k * {tile} + u] = b{leaf.number}_[u];" for leaf in self.packed]
        loads = [f"const {self.itype} i = t + {index};", *super().packs(tile), *self.each(tile, "u", keep)]
        lines += self.each(unroll, "k", loads) if self.packed else []
        loads = [self.own_row(), *(self.load(leaf, *self.location(leaf, self.reduced_names)) for leaf in own)]
        loads += [f"h{leaf.number}_[turn] = a{leaf.number};" for leaf in own]
        lines += self.each(self.turns_of_block, "turn", loads) if own else []
        return [*lines, *self.rows_together()]

    def packs(self, count: int) -> list[str]:
        lines = []
        for leaf in self.packed:
            elements = ", ".join(f"h{leaf.number}_[k * {count} + {u}]" for u in range(count))
            lines.append(f"const {CTYPE[leaf.dtype]} b{leaf.number}_[{count}] = {{{elements}}};")
        return lines

    def row(self, packed: bool) -> list[str]:
        if packed:
            written = [value for operand, value in self.results if operand.innermost != "row"]
            return [*self.still_leaves(), *self.handed_values([self.spec.value, *written])]
        return [f"const u32 peers = {peers(self.spec.outs)};", *super().row(False)]

    def stores_of_row(self) -> list[str]:
        stores = super().stores_of_row()
        return [f"if ({self.own()} == 0) {{", *indent(stores), "}"] if stores else []

    def still_leaves(self) -> list[str]:
        """Loads of leaves that have the same element for all rows."""
        leaves = [leaf for leaf in self.of_row() if leaf.fixed]
        return [self.load(leaf, *self.location(leaf, self.reduced_names)) for leaf in leaves]

    def accumulators(self) -> int:
        count = self.spec.outs * self.spec.tile
        if count != 2 * ACCUMULATORS:
            raise ValueError(f"rows of {count} elements are reduced in another order than by shuffles")
        return min(self.spec.tile, ACCUMULATORS)

    def joined(self, op: str, dtype: str) -> list[str]:
        """All of them have the whole row's afterwards."""
        return self.shuffled(op, dtype, 1)

    # The rows of a block

    def own_row(self) -> str:
        """Declares the index of the row that a work-item ends up with."""
        own = self.own() if self.sharers == 1 else f"{self.own()} / {self.sharers}"
        return f"const {self.itype} i = t + (turn * {self.together} + {own}) * {self.spec.lanes} + lane;"

    def rows_together(self) -> list[str]:
        """What the rows have one of: computed for the own row, and handed on where elements are computed from it."""
        values, steps = self.values, {step[0]: number for number, step in enumerate(self.spec.steps)}
        reduced = [self.spec.value, *(step[3] for step in self.spec.steps)]
        written = [value for operand, value in self.results if operand.innermost != "row"]
        wanted = self.used_by_elements([*reduced, *written])
        lines = [self.own_row(), f"const u32 peers = {peers(self.spec.outs)};", *self.still_leaves()]
        for leaf in self.of_row():
            if not leaf.fixed:
                lines.append(f"const {CTYPE[leaf.dtype]} a{leaf.number} = h{leaf.number}_[turn];")
                lines += self.hand_on(leaf.number) if leaf.number in wanted else []
        for value in range(values.first_node, len(values.names)):
            if value in steps:
                lines += self.step_together(self.spec.steps[steps[value]], self.step_slots[steps[value]])
            elif values.of_rows[value]:
                lines += values.statement(value)
            lines += self.hand_on(value) if value in wanted else []
        stores = super().stores_of_row()
        if stores and self.sharers > 1:
            stores = [f"if ({self.own()} % {self.sharers} == 0) {{", *indent(stores), "}"]
        arrays = [f"{CTYPE[values.dtypes[v]]} {values.names[v]}_rows[{self.spec.unroll}];" for v in wanted]
        return [*arrays, *self.each(self.turns_of_block, "turn", [*lines, *stores])]

    def used_by_elements(self, wanted: Iterable[int]) -> list[int]:
        """Values that a row has one of, and the next row another one, from which values of elements are computed."""
        values, used = self.values, set(wanted)
        for value in values.needed(list(used)):
            used.update(values.nodes[value - values.first_node][3] if value >= values.first_node else ())
        leaves = {leaf.number for leaf in self.of_row() if not leaf.fixed}
        return sorted(v for v in used if values.of_rows[v] and (v in leaves or v >= values.first_node))

    def hand_on(self, value: int) -> list[str]:
        """A value of the own row to the neighbours, and theirs to this one."""
        dtype, name = self.values.dtypes[value], self.values.names[value]
        self.handed_on.add(dtype)
        lane = f"(lid & {WARP - self.spec.outs}) + j * {self.sharers}"
        taken = f"of_lane_{CTYPE[dtype]}({name}, {lane}, peers)"
        return self.each(self.together, "j", [f"{name}_rows[turn * {self.together} + j] = {taken};"])

    def handed_values(self, wanted: Iterable[int]) -> list[str]:
        """Declares those of row `k` that the values of elements are computed from."""
        names, dtypes = self.values.names, self.values.dtypes
        return [f"const {CTYPE[dtypes[v]]} {names[v]} = {names[v]}_rows[k];" for v in self.used_by_elements(wanted)]

    def step_together(self, step: Step, slot: int) -> list[str]:
        """Declares the value of the own row."""
        _, op, dtype, value, *_ = step
        count, rows = self.accumulators(), self.together
        place, start = f"part[j * {count} + u % {count}]", self.dialect.literal(identity(op, dtype), dtype)
        element = [*self.loaded(self.values.needed([value]), True), self.values.reduced(step, "z")]
        row = [
            f"const i32 k = turn * {rows} + j;",
            f"const {self.itype} i = t + k * {self.spec.lanes} + lane;",
            *self.packs(self.spec.tile),
            *self.handed_values([value]),
            *self.outputs([*element, f"{place} = {combine(op, dtype, place, 'z')};"]),
        ]
        lines = [
            f"{CTYPE[dtype]} part[{rows * count}];",
            *self.each(rows * count, "u", [f"part[u] = {start};"]),
            *self.each(rows, "j", row),
            *self.shuffled(op, dtype, rows),
            *self.folded(op, dtype),
        ]
        return [self.values.declared(step), *braced([*lines, *self.values.finished(step, "part[0]", slot)])]

    def shuffled(self, op: str, dtype: str, rows: int) -> list[str]:
        """Joins what neighbours have of `rows` rows. Of two work-items one goes on with the first half of them, the
        other with the second; with one row left, both have the same."""
        lines, held, apart, kind = [], rows * self.accumulators(), self.spec.outs, CTYPE[dtype]
        while apart > 1:
            apart //= 2
            given, kept, first = "part[u]", "part[u]", []
            if held > self.accumulators():
                held //= 2
                first = [
                    f"const b8 upper = (lid & {apart}) != 0;",
                    f"const {kind} given = upper ? part[u] : part[u + {held}];",
                    f"const {kind} kept = upper ? part[u + {held}] : part[u];",
                ]
                given, kept = "given", "kept"
            other = f"const {kind} z = across_{kind}({given}, {apart}, peers);"
            lines += self.each(held, "u", [*first, other, f"part[u] = {combine(op, dtype, kept, 'z')};"])
        return lines
