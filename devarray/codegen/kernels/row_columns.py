"""Reductions over rows of values that are computed from the rows' own reductions: `x.T @ f(x @ w)` and its like.

A reduction in column layout whose work-items have all columns: whole rows. Reductions of a row (`steps`, nodes named
"reduction") are done in registers before the loop over the columns, and so is what is computed from them. Accesses tell
of the columns: operands that are `row` there have one element for a row, or are stored once a row.

Where `outs` > 1, so many neighbours in a warp share a row, and reduce it by shuffles, in the same order. A row is then
one access of each of them, and they keep few accumulators, so that more rows are under way.

Behind the slots of the post expression stand the scalars that follow each step.
"""

from __future__ import annotations

from devarray.codegen.kernels import reduction
from devarray.codegen.kernels.launches import indent
from devarray.codegen.kernels.operands import Operand
from devarray.codegen.kernels.reduction_spec import REDUCTION, ReductionSpec, Step, combine, identity
from devarray.codegen.kernels.row_values import RowValues, braced
from devarray.codegen.kernels.statements import user_functions
from devarray.codegen.kernels.warps import across, peers
from devarray.codegen.language.dialect import CTYPE, Dialect

__all__ = ["render"]

_ACCUMULATORS = 8  # of a row's reduction; rows of no more elements are added up one after the other


def render(spec: ReductionSpec, dialect: Dialect) -> str:
    """Source of the kernel "k" that computes a `spec` with steps."""
    nodes = [node for node in spec.nodes if node[0] != REDUCTION]
    shuffled = across(dialect, [dtype for _, _, dtype, *_ in spec.steps]) if spec.outs > 1 else ""
    return dialect.program(user_functions(dialect, nodes) + shuffled + _Kernel(spec, dialect).source())


class _Kernel(reduction.Kernel):
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

    def loads_ahead(self, index: str) -> list[str]:
        """Of a block's rows, where they are shared: what a row is computed from would keep the next one's waiting."""
        if self.spec.outs == 1:
            return []
        unroll, tile = self.spec.unroll, self.spec.tile
        lines = [f"{CTYPE[leaf.dtype]} h{leaf.number}_[{unroll * tile}];" for leaf in self.packed]
        lines += [f"{CTYPE[leaf.dtype]} h{leaf.number}_[{unroll}];" for leaf in self.of_row()]
        keep = [f"h{leaf.number}_[k * {tile} + u] = b{leaf.number}_[u];" for leaf in self.packed]
        body = [
            f"const {self.itype} i = t + {index};",
            *super().packs(tile),
            *self.each(tile, "u", keep),
            *(self.load(leaf, *self.location(leaf, self.reduced_names())) for leaf in self.of_row()),
            *(f"h{leaf.number}_[k] = a{leaf.number};" for leaf in self.of_row()),
        ]
        return [*lines, *self.each(unroll, "k", body)]

    def packs(self, count: int) -> list[str]:
        if self.spec.outs == 1:
            return super().packs(count)
        lines = []
        for leaf in self.packed:
            elements = ", ".join(f"h{leaf.number}_[k * {count} + {u}]" for u in range(count))
            lines.append(f"const {CTYPE[leaf.dtype]} b{leaf.number}_[{count}] = {{{elements}}};")
        return lines

    def of_row(self) -> list[Operand]:
        """Leaves that have one element for a row, and another one for the next."""
        return [leaf for leaf in self.operands if leaf.innermost == "row" and not (leaf.written or leaf.fixed)]

    def row(self, packed: bool) -> list[str]:
        ahead = self.of_row() if packed and self.spec.outs > 1 else []
        lines = [f"const {CTYPE[leaf.dtype]} a{leaf.number} = h{leaf.number}_[k];" for leaf in ahead]
        leaves = [leaf for leaf in self.operands if leaf.innermost == "row" and not leaf.written and leaf not in ahead]
        lines += [self.load(leaf, *self.location(leaf, self.reduced_names())) for leaf in leaves]
        slots = zip(self.spec.steps, self.step_slots, strict=True)
        lines += self.values.of_row({step[0]: self.step(step, slot, packed) for step, slot in slots})
        stores = [line for result in self.results if result[0].innermost == "row" for line in self.put(*result)]
        if stores and self.spec.outs > 1:
            stores = [f"if ({self.own()} == 0) {{", *indent(stores), "}"]
        return [*lines, *stores]

    def reduced_names(self) -> list[str]:
        return [f"r{dim}" for dim in range(self.spec.nreduced)]

    def step(self, step: Step, slot: int, packed: bool) -> list[str]:
        """Declares the value of row `i`."""
        _, op, dtype, value, *_ = step
        tile, shared = self.spec.tile, self.spec.outs
        if shared > 1 and shared * tile != 2 * _ACCUMULATORS:
            raise ValueError(f"rows of {shared * tile} elements are reduced in another order than by shuffles")
        count = min(tile, _ACCUMULATORS) if shared > 1 else 1 if tile <= _ACCUMULATORS else _ACCUMULATORS
        place = f"part[u % {count}]"
        start = self.dialect.literal(identity(op, dtype), dtype)
        element = [*self.loaded(self.values.needed([value]), packed), self.values.reduced(step, "z")]
        lines = [
            f"{CTYPE[dtype]} part[{count}];",
            *self.each(count, "u", [f"part[u] = {start};"]),
            *self.outputs([*element, f"{place} = {combine(op, dtype, place, 'z')};"]),
        ]
        if shared > 1:
            lines.append(f"const u32 peers = {peers(shared)};")
        while shared > 1:
            shared //= 2
            other = f"const {CTYPE[dtype]} z = across_{CTYPE[dtype]}(part[u], {shared}, peers);"
            lines += self.each(count, "u", [other, f"part[u] = {combine(op, dtype, 'part[u]', 'z')};"])
        while count > 1:
            count //= 2
            folded = combine(op, dtype, "part[u]", f"part[u + {count}]")
            lines += self.each(count, "u", [f"part[u] = {folded};"])
        return [self.values.declared(step), *braced([*lines, *self.values.finished(step, "part[0]", slot)])]

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
                lines.append(self.load(leaf, *self.location(leaf, self.reduced_names())))
        return lines

    def put(self, operand: Operand, value: int) -> list[str]:
        address, index = self.location(operand, self.reduced_names())
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
