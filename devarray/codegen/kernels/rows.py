"""Kernels that reduce and do more: what is computed from reduced rows, or several reductions of all elements.

**Rows**: normalisation, softmax, standardisation and their like. A group of work-items has whole rows, as in the row
layout of devarray/codegen/kernels/reduction.py. It walks them once for each reduction, and once more for the results
over the whole space; from the second walk on the rows are in its cache. What is the same for all elements of a row (a
reduction's result, what is computed from it) is computed once. Rows that fit are held in registers instead
(rows_held.py).

**Shared**: one walk does all reductions, none of which is computed from another's result, and the results over the
whole space. There is one row, of all elements, which several groups share where the spec says `split`: partial results
as in reduction.py, those of one reduction behind those of the one before it.

**Memory arguments**: leaves, outputs, and with `split` the partial results and the counters. **Slots**: the kept sizes,
the size of a row; for each leaf, then each output, its byte offset, followed (unless its access is `uniform`) by its
byte strides over the kept dims and along the row; the scalars; the scalars that follow each reduction; with `split` the
elements for a group. Outputs share no memory with leaves.

Names in the text, beside those of reduction.py: `a0` ... what is loaded, `c0_` ... scalars, `y5_0` ... values of rows
and `t7_0` ... of elements, by their value ids.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from devarray.codegen.kernels.cooperation import last_group
from devarray.codegen.kernels.launches import indent
from devarray.codegen.kernels.reduction_spec import REDUCTION, Step
from devarray.codegen.kernels.row_values import braced
from devarray.codegen.kernels.rows_held import Held
from devarray.codegen.kernels.rows_kernel import PARTIAL_BYTES, RowsKernel, RowsSpec, StepKernel, elements
from devarray.codegen.kernels.statements import user_functions
from devarray.codegen.language.dialect import Dialect

__all__ = ["PARTIAL_BYTES", "REDUCTION", "RowsSpec", "Step", "render"]


def render(spec: RowsSpec, dialect: Dialect) -> str:
    """Source of the kernel "k" that computes `spec`."""
    nodes = [node for node in spec.nodes if node[0] != REDUCTION]
    kernel = _Shared if spec.shared else Held if spec.held else _Rows
    return dialect.program(user_functions(dialect, nodes) + kernel(spec, dialect).source())


class _Rows(RowsKernel):
    """Whole rows, walked once for each reduction, and once more."""

    def body(self) -> list[str]:
        lines = self.values.of_row({step.node: step.text() for step in self.steps_of})
        return [*lines, *(self.last_walk() if self.results else []), *self.store_rows()]

    def last_walk(self) -> list[str]:
        """Results that have an element for each one of the space."""
        needed = self.values.needed(value for _, value in self.results)
        self.packed = [leaf for leaf in self.packed if leaf.number in needed and not leaf.written]
        itype, lanes, pack = self.itype, self.rows.lanes, self.rows.pack
        lines = [f"{itype} t = begin;"]
        if pack > 1:
            side = [f"const {itype} i = p + j;", *elements(self, self.values, needed, True), *self.put(True)]
            lines += [
                f"for (; t + {lanes * pack - 1} < end; t += {lanes * pack}) {{",
                f"  const {itype} p = t + lane * {pack};",
                *indent([*self.packs(pack), *self.pack_arrays(), *self.each(pack, "j", side), *self.store_packs()]),
                "}",
            ]
        alone = [*elements(self, self.values, needed, False), *self.put(False)]
        return [*lines, f"for ({itype} i = t + lane; i < end; i += {lanes}) {{", *indent(alone), "}"]


class _Shared(RowsKernel):
    """All elements, walked once for all reductions and all results."""

    def __init__(self, spec: RowsSpec, dialect: Dialect) -> None:
        super().__init__(spec, dialect)
        self.walked = self.different_steps()
        self.careful = any(step.careful or step.counts for step in self.walked)
        self.counts = any(step.counts for step in self.walked)
        self.needed = self.values.needed([*(step.value for step in self.walked), *(v for _, v in self.results)])
        self.packed = [leaf for leaf in self.packed if leaf.number in self.needed and not leaf.written]

    def different_steps(self) -> list[StepKernel]:
        """The reductions without those of the same values by the same operation as one before, whose sum they take."""
        first: dict[tuple[str, str, int], StepKernel] = {}
        for step in self.steps_of:
            same = first.setdefault((step.spec.op, step.spec.acc_dtype, step.value), step)
            number = same.number
            step.sum, step.err, step.v, step.tag = f"sum{number}", f"err{number}", f"v{number}_", str(number)
        return list(first.values())

    def body(self) -> list[str]:
        lines = self.values.of_row({step.node: [] for step in self.steps_of})
        lines += [*self.state(), *self.walk(), *self.close_lane()]
        if self.rows.lanes > 1:
            lines += self.of_steps(lambda step: step.joined_lanes())
        return [*lines, *(self.merged_parts() if self.rows.split else self.stored())]

    def state(self) -> list[str]:
        lines = []
        for step in self.walked:
            lines += [f"{ctype} {getattr(step, name)} = {value};" for ctype, name, value in step.of_output()]
            lines += step.of_lane()
        return lines

    def element(self, packed: bool = False) -> list[str]:
        return [
            *elements(self, self.values, self.needed, packed),
            *self.put(packed and bool(self.packed)),
            *(step.reduced() for step in self.walked),
        ]

    def packed_steps(self, taken: Sequence[str]) -> list[str]:
        """As those of one reduction, with results that are stored together."""
        pack, itype = self.rows.pack, self.itype
        side = [f"const i32 k = h * {pack} + j;", f"const {itype} i = p + j;", *self.element(packed=True), *taken]
        front = f"const {itype} p = t + (h * {self.rows.lanes} + lane) * {pack};"
        inner = [*self.pack_arrays(), *self.each_element(pack, "j", side), *self.store_packs()]
        return self.each_element(self.rows.unroll // pack, "h", [front, *self.packs(pack), *inner])

    def steps(self, index: str, stride: str) -> list[str]:
        unroll = self.rows.unroll
        taken = [line for step in self.walked for line in step.take(f"acc{step.number}_[k]", "", "")]
        if self.rolled:
            by_number = [line for step in self.walked for line in step.take(f"acc{step.number}_[u]", "", "")]
            taken = self.each(unroll, "u", ["if (u == k) {", *indent(by_number), "}"])
        if self.packed:
            walk = self.packed_steps(taken)
        else:
            walk = self.each_element(unroll, "k", [f"const {self.itype} i = {index};", *self.element(), *taken])
        begin = [f"acc{step.number}_[k] = {step.block_literal()};" for step in self.walked]
        return [
            *(f"{step.block_type} acc{step.number}_[{unroll}];" for step in self.walked),
            *[f"{self.itype} t0 = t;"] * self.counts,
            *self.each(unroll, "k", begin),
            *self.loop_hint,
            f"for (; t < last; t += {stride}) {{",
            *indent([*walk, *self.of_steps(lambda step: step.close_first(f"acc{step.number}_", stride))]),
            "}",
        ]

    def of_steps(self, lines: Callable[[StepKernel], list[str]]) -> list[str]:
        """What each reduction has there."""
        return [line for step in self.walked for line in lines(step)]

    def fold_block(self, place: str) -> list[str]:
        return self.of_steps(lambda step: braced(step.folded_block(f"acc{step.number}_")))

    def take_careful(self, position: str) -> list[str]:
        return self.of_steps(lambda step: step.take_careful(position))

    def rest_begin(self) -> list[str]:
        return self.of_steps(lambda step: step.rest_begin())

    def rest_taken(self) -> list[str]:
        return self.of_steps(lambda step: step.rest_taken())

    def rest_end(self) -> list[str]:
        return self.of_steps(lambda step: step.rest_end())

    def close_lane(self) -> list[str]:
        return self.of_steps(lambda step: step.close_lane())

    def stored(self) -> list[str]:
        """The values of reductions, and their results, by one lane."""
        lines = []
        for step in self.steps_of:
            lines += [step.declared(), *braced(step.finished(step.total()))]
        return ["if (active && lane == 0) {", *indent([*lines, *self.store_rows()]), "}"]

    def merged_parts(self) -> list[str]:
        """Partial results of each group; the last group to come merges all of them."""
        scratch, counters = len(self.operands), len(self.operands) + 1
        writes, final = [], []
        for step in self.walked:
            begin = f"m{scratch} + parts * {step.number * PARTIAL_BYTES}"
            writes += braced(step.write_partial(begin, "part"))
            final += [
                f"{step.sum} = {step.literal()};",
                *step.merged_partials(begin, "part"),
                *(step.joined_lanes() if self.rows.lanes > 1 else []),
            ]
        alone = self.rows.outs == 1
        return last_group(counters, writes, [*final, *self.stored()], self.group(1), alone=alone)
