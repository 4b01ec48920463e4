"""Reductions over rows of values that are computed from the rows' own reductions: `x.T @ f(x @ w)` and its like.

A reduction in column layout whose work-items have all columns: whole rows. Reductions of a row (`steps`, nodes named
"reduction") are done in registers before the loop over the columns, and so is what is computed from them. Accesses tell
of the columns: operands that are `row` there have one element for a row, or are stored once a row.

Where `outs` > 1, so many neighbours in a warp share a row (`row_neighbours.py`).

Behind the slots of the post expression stand the scalars that follow each step.
"""

from __future__ import annotations

from devarray.codegen.kernels import reduction
from devarray.codegen.kernels.operands import Operand
from devarray.codegen.kernels.reduction_spec import ReductionSpec, Step, combine, identity
from devarray.codegen.kernels.row_values import RowValues, braced
from devarray.codegen.language.dialect import CTYPE, Dialect

__all__ = ["ACCUMULATORS", "RowColumns"]

ACCUMULATORS = 8  # of a row's reduction; rows of no more elements are added up one after the other


class RowColumns(reduction.Kernel):
    """The text of such a kernel."""

    checks = False

    def __init__(self, spec: ReductionSpec, dialect: Dialect) -> None:
        super().__init__(spec, dialect)
        of_rows = [access in ("uniform", "row", "fixed:row") for _, access in spec.leaves]
        self.values = RowValues(dialect, of_rows, len(spec.scalars), spec.nodes, spec.value_dtypes())
        self.step_slots = []
        for step in spec.steps:
            self.step_slots.append(self.chunk_slot)
            self.chunk_slot += sum(dialect.slots_of(dtype) for dtype in step[4])
        self.slots = self.chunk_slot + (spec.split or self.turns)
        written = self.operands[len(spec.leaves) :]
        self.results = [(o, value) for o, (value, _, _) in zip(written, spec.outputs, strict=True)]

    def row(self, packed: bool) -> list[str]:
        lines = [self.load(leaf, *self.location(leaf, self.reduced_names)) for leaf in self.of_row()]
        slots = zip(self.spec.steps, self.step_slots, strict=True)
        lines += self.values.of_row({step[0]: self.step(step, slot, packed) for step, slot in slots})
        return [*lines, *self.stores_of_row()]

    def of_row(self) -> list[Operand]:
        """Leaves that have one element for a row."""
        return [leaf for leaf in self.operands if leaf.innermost == "row" and not leaf.written]

    def stores_of_row(self) -> list[str]:
        return [line for result in self.results if result[0].innermost == "row" for line in self.put(*result)]

    def step(self, step: Step, slot: int, packed: bool) -> list[str]:
        """Declares the value of row `i`."""
        _, op, dtype, value, *_ = step
        count = self.accumulators()
        place = f"part[u % {count}]"
        start = self.dialect.literal(identity(op, dtype), dtype)
        element = [*self.loaded(self.values.needed([value]), packed), self.values.reduced(step, "z")]
        lines = [
            f"{CTYPE[dtype]} part[{count}];",
            *self.each(count, "u", [f"part[u] = {start};"]),
            *self.outputs([*element, f"{place} = {combine(op, dtype, place, 'z')};"]),
            *self.joined(op, dtype),
            *self.folded(op, dtype),
        ]
        return [self.values.declared(step), *braced([*lines, *self.values.finished(step, "part[0]", slot)])]

    def accumulators(self) -> int:
        """Of a row's reduction, that a work-item has."""
        return 1 if self.spec.tile <= ACCUMULATORS else ACCUMULATORS

    def joined(self, op: str, dtype: str) -> list[str]:
        """Joins what work-items that share a row have in `part`: no others do."""
        return []

    def folded(self, op: str, dtype: str) -> list[str]:
        lines, count = [], self.accumulators()
        while count > 1:
            count //= 2
            folded = combine(op, dtype, "part[u]", f"part[u + {count}]")
            lines += self.each(count, "u", [f"part[u] = {folded};"])
        return lines

    def loaded(self, needed: list[int], packed: bool) -> list[str]:
        """Loads and nodes of an element, in column `x` of row `i`."""
        lines = []
        for value in needed:
            if value >= self.values.first_node:
                lines += self.values.statement(value)
                continue
            leaf = self.operands[value]
            if packed and leaf in self.packed:
                lines.append(f"const {CTYPE[leaf.dtype]} a{leaf.number} = {self.of_pack(leaf)};")
            else:
                lines.append(self.load(leaf, *self.location(leaf, self.reduced_names)))
        return lines

    def put(self, operand: Operand, value: int) -> list[str]:
        address, index = self.location(operand, self.reduced_names)
        typed = f"(({self.dialect.pointer(operand.dtype, const=False)})({address}))"
        return [self.dialect.store(operand.dtype, typed, index, self.values.cast(value, operand.dtype))]

    def element(self, packed: bool = False) -> list[str]:
        results = [(operand, value) for operand, value in self.results if operand.innermost != "row"]
        needed = self.values.needed([self.spec.value, *(value for _, value in results)])
        wanted = "bool" if self.spec.op in ("any", "all", "count_nonzero") else self.spec.acc_dtype
        return [
            *self.loaded(needed, packed),
            *(line for result in results for line in self.put(*result)),
            f"const {self.acc} v = {self.values.cast(self.spec.value, wanted)};",
        ]
