"""Rows that are reduced and used again, held in registers: each lane loads its elements once.

A lane has `held` elements of its row, which all lanes together have whole: element `h * pack + j` of a lane is number
`(h * lanes + lane) * pack + j` of the row, but for the last `rest` ones, which lie `lanes` apart behind those and may
not be there. What is computed of an element is kept beside it, so that nothing is computed twice. The order of sums is
that of reduction.py: `unroll` accumulators a lane, added as a tree, the rest one by one, then the lanes as a tree.

Where a lane has a whole row, neighbouring work-items would read and write memory a row apart. Rows of more than one
access go through local memory (`stage`), which neighbouring work-items fill with neighbouring elements. An odd number
of elements from row to row keeps its banks apart.

Names in the text, beside those of rows.py: `e` counts a lane's elements, `r` those of the rest; `a0_` ... the elements
of leaves, `h7_` ... those of nodes, `v0_` ... what the steps reduce.
"""

from __future__ import annotations

from collections.abc import Sequence

from devarray.codegen.kernels.launches import indent
from devarray.codegen.kernels.operands import Operand, unravel
from devarray.codegen.kernels.reduction_spec import combine
from devarray.codegen.kernels.row_values import braced
from devarray.codegen.kernels.rows_kernel import RowsKernel, RowsSpec, StepKernel
from devarray.codegen.language.dialect import CTYPE, Dialect
from devarray.ops.dtypes import SIZE

__all__ = ["Held"]

_ACCESS = 16  # bytes of the widest access


class Held(RowsKernel):
    """Whole rows in registers."""

    def __init__(self, spec: RowsSpec, dialect: Dialect) -> None:
        super().__init__(spec, dialect)
        self.known: set[int] = set()  # values that arrays have
        self.full = spec.held - spec.rest
        self.apart = spec.held | 1  # elements from row to row in `stage`

    def row_place(self, kept: list[str]) -> list[str]:
        """As elsewhere; work-items without a row do what the first one's do, but for stores."""
        sizes = [f"s.v[{dim}]" for dim in range(self.spec.nkept)]
        return [
            f"const {self.itype} lane = {self.lane()};",
            f"const i64 mine = {self.first_row()} + {self.own()};",
            f"const b8 active = mine < {' * '.join(sizes)};",
            "const i64 out = active ? mine : 0;",
            *unravel(self.dialect, "out", sizes, kept, "i64"),
        ]

    def first_row(self) -> str:
        """The number of the group's first row."""
        several = self.rows.several
        group = f"({self.group()} * {several} + part)" if several > 1 else self.group()
        return f"{group} * {self.spec.outs}"

    def rows_of_item(self) -> list[str]:
        staged = dict.fromkeys(CTYPE[operand.dtype] for operand in self.operands if self.is_staged(operand))
        size = self.rows.outs * self.apart
        stages = [f"LOCAL {ctype} stage_{ctype}[{size}];" for ctype in staged]
        if self.rows.several == 1:
            return [*stages, *super().rows_of_item()]
        barrier = ["BARRIER;"] * any(step.spec.lanes > 1 and not step.by_warp for step in self.steps_of)
        before = self.still_loads()
        loop = [f"for (i32 part = 0; part < {self.rows.several}; ++part) {{", *indent(super().rows_of_item())]
        return [*stages, *before, *loop, *indent(barrier), "}"]

    def still_loads(self) -> list[str]:
        """What is the same for all rows, before the first one."""
        still = self.rows.still
        lines = ["const i32 lid = LOCAL_ID(0);", f"const {self.itype} lane = {self.lane()};"]
        lines += [f"const {self.itype} total = {self.size(self.spec.nkept)};"]
        for number in still:
            leaf = self.operands[number]
            lines.append(f"GLOBAL const char* q{number} = m{number} + {leaf.offset()};")
            lines.append(f"{self.ctype(number)} a{number}_[{self.rows.held}];")
        self.known.update(still)
        return [*lines, *self.own_loads(still)]

    def fixed(self) -> list[str]:
        """As elsewhere: the addresses are those of a row in any case."""
        leaves = [leaf for leaf in self.operands if leaf.fixed and not leaf.written]
        return [self.load(leaf, f"q{leaf.number}") for leaf in leaves]

    def body(self) -> list[str]:
        texts = {step.node: self.step(step) for step in self.steps_of}
        return [*self.values.of_row(texts), *self.last(), *self.store_rows()]

    def is_staged(self, operand: Operand) -> bool:
        """Whether rows of an operand go through local memory."""
        spec = self.rows
        wide = spec.held * SIZE[operand.dtype] > _ACCESS
        moves = operand.innermost == "unit" and not operand.fixed and operand.number not in spec.still
        return spec.lanes == 1 and spec.nkept == 1 and wide and moves

    def side_by_side(self, operand: Operand, line: str) -> list[str]:
        """A loop over the elements of the group's rows in the order of memory: `line` moves element `i` of row `r`,
        whose address is `row`, from or to its place `at` in the stage."""
        outs, held = self.rows.outs, self.rows.held
        const = "" if operand.written else "const "
        base = f"m{operand.number} + {operand.offset()}"
        first = self.first_row()
        body = [
            f"const {self.itype} n = h * {outs} + lid, r = n / {held}, i = n - r * {held}, at = r * {self.apart} + i;",
            f"if ({first} + r < s.v[0]) {{",
            f"  GLOBAL {const}char* row = {base} + ({first} + r) * {operand.stride(0)};",
            f"  {line}",
            "}",
        ]
        return self.each(held, "h", body)

    def staged_load(self, leaf: Operand) -> list[str]:
        ctype = CTYPE[leaf.dtype]
        typed = f"(({self.dialect.pointer(leaf.dtype, const=True)})(row))"
        return [
            *self.side_by_side(leaf, f"stage_{ctype}[at] = {self.dialect.load(leaf.dtype, typed, 'i')};"),
            "BARRIER;",
            *self.each(self.rows.held, "e", [f"a{leaf.number}_[e] = stage_{ctype}[lid * {self.apart} + e];"]),
            "BARRIER;",
        ]

    def staged_store(self, operand: Operand) -> list[str]:
        ctype = CTYPE[operand.dtype]
        typed = f"(({self.dialect.pointer(operand.dtype, const=False)})(row))"
        stored = self.dialect.store(operand.dtype, typed, "i", f"stage_{ctype}[at]")
        return [
            *self.each(self.rows.held, "e", [f"stage_{ctype}[lid * {self.apart} + e] = o{operand.number}_[e];"]),
            "BARRIER;",
            *self.side_by_side(operand, stored),
            "BARRIER;",
        ]

    def step(self, step: StepKernel) -> list[str]:
        """Declares the value of the lane's row."""
        acc, unroll, values = f"acc{step.number}_", self.rows.unroll, f"v{step.number}_"
        loop = self.elements_of([step.value], [step.reduced(), f"{values}[e] = {step.v};"])
        place = f"{acc}[e % {unroll}]" if unroll > 1 else f"{acc}[0]"
        taken = combine(step.spec.op, step.spec.acc_dtype, place, f"{values}[e]")
        lines = [
            *loop,
            f"{step.acc} {acc}[{unroll}];",
            *self.each(unroll, "k", [f"{acc}[k] = {step.literal()};"]),
            *self.each(self.full, "e", [f"{place} = {taken};"]),
        ]
        half = unroll // 2
        while half:
            lines += self.each(half, "k", step.fold(f"{acc}[k]", "", f"{acc}[k + {half}]", ""))
            half //= 2
        total = f"{acc}[0]"
        if self.rows.rest:
            value = f"const {step.acc} {step.v} = {values}[{self.full} + r];"
            rest = self.of_rest([value, *step.take_careful("")])
            lines += [*step.state(), *step.close_block(total, ""), *rest, *step.close_lane()]
            total = step.sum
        if self.rows.lanes > 1:
            lines += [f"{step.acc} {step.sum} = {total};"] * (total != step.sum)
            joined, total = step.joined()
            lines += joined
        arrays = [*self.declarations, f"{step.acc} {values}[{self.rows.held}];"]
        return [step.declared(), *arrays, *braced([*lines, *step.finished(total)])]

    def of_rest(self, lines: Sequence[str]) -> list[str]:
        """A loop over the elements of the rest that there are."""
        lanes = self.rows.lanes
        index = f"const {self.itype} i = {self.full * lanes} + r * {lanes} + lane;"
        return self.each(self.rows.rest, "r", [index, "if (i < total) {", *indent(lines), "}"])

    def elements_of(self, wanted: Sequence[int], lines: Sequence[str]) -> list[str]:
        """Loads what has to be, and a loop over the lane's elements, in which the values `wanted` are known."""
        first_node = self.values.first_node
        needed = self.values.needed(wanted, self.known)
        loads = [value for value in needed if value < first_node and value not in self.known]
        made = [value for value in needed if value >= first_node and value not in self.known]
        text = []
        for value in needed:
            array = f"a{value}_" if value < first_node else f"h{value}_"
            if value in made:
                name = self.values.names[value]
                text += [*self.values.statement(value), f"{array}[e] = {name};"]
            else:
                text.append(f"const {self.ctype(value)} {self.values.names[value]} = {array}[e];")
        self.declarations = [f"{self.ctype(value)} a{value}_[{self.rows.held}];" for value in loads]
        self.declarations += [f"{self.ctype(value)} h{value}_[{self.rows.held}];" for value in made]
        self.known.update(loads, made)
        return [*self.loads(loads), *self.each(self.rows.held, "e", [*text, *lines])]

    def ctype(self, value: int) -> str:
        return CTYPE[self.values.dtypes[value]]

    def packs_of(self, lines: Sequence[str]) -> list[str]:
        """A loop over what a lane has side by side, from the place `p` on."""
        if not lines or not self.full:
            return []
        pack = self.rows.pack
        front = f"const {self.itype} p = (h * {self.rows.lanes} + lane) * {pack};"
        return self.each(self.full // pack, "h", [front, *lines])

    def loads(self, leaves: Sequence[int]) -> list[str]:
        """The lane's elements of leaves."""
        staged = [number for number in leaves if self.is_staged(self.operands[number])]
        lines = [line for number in staged for line in self.staged_load(self.operands[number])]
        return [*lines, *self.own_loads([number for number in leaves if number not in staged])]

    def own_loads(self, leaves: Sequence[int]) -> list[str]:
        """The same, each lane from its own place in memory."""
        pack = self.rows.pack
        every, self.packed = self.packed, [leaf for leaf in self.packed if leaf.number in leaves and not leaf.written]
        packed = [leaf.number for leaf in self.packed]
        together = self.packs(pack)
        self.packed = every
        for number in packed:
            together += self.each(pack, "j", [f"a{number}_[h * {pack} + j] = b{number}_[j];"])
        alone = [line for number in leaves if number not in packed for line in self.loaded(number, f"h * {pack} + j")]
        if alone:
            together += self.each(pack, "j", [f"const {self.itype} i = p + j;", *alone])
        lines = self.packs_of(together)
        if self.rows.rest and leaves:  # a zero where there is no element
            rest = [line for number in leaves for line in self.loaded(number, f"{self.full} + r")]
            zeros = [
                f"a{number}_[{self.full} + r] = {self.dialect.literal(0, self.operands[number].dtype)};"
                for number in leaves
            ]
            lines += [*self.each(self.rows.rest, "r", zeros), *self.of_rest(rest)]
        return lines

    def loaded(self, number: int, place: str) -> list[str]:
        """Element `i` of a leaf into its array."""
        leaf = self.operands[number]
        return braced([self.load(leaf, *self.location(leaf, ["r0"])), f"a{number}_[{place}] = a{number};"])

    def last(self) -> list[str]:
        """Results that have an element for each one of the space."""
        if not self.results:
            return []
        arrays = [f"{CTYPE[operand.dtype]} o{operand.number}_[{self.rows.held}];" for operand, _ in self.results]
        taken = [
            f"o{operand.number}_[e] = {self.values.cast(value, operand.dtype)};" for operand, value in self.results
        ]
        lines = self.elements_of([value for _, value in self.results], taken)
        staged = [operand for operand, _ in self.results if self.is_staged(operand)]
        own = [operand for operand, _ in self.results if operand not in staged]
        stores = [line for operand in own for line in self.stores(operand)]
        rest = [self.stored(operand, f"{self.full} + r") for operand in own]
        if own:
            rest = self.of_rest(rest) if self.rows.rest else []
            lines += ["if (active) {", *indent([*self.packs_of(stores), *rest]), "}"]
        return [*arrays, *self.declarations, *lines, *(line for o in staged for line in self.staged_store(o))]

    def stores(self, operand: Operand) -> list[str]:
        pack, first = self.rows.pack, f"h * {self.rows.pack} + "
        if operand.access == "packed:unit":
            return self.store_pack(operand, first)
        return self.each(pack, "j", [f"const {self.itype} i = p + j;", self.stored(operand, f"{first}j")])

    def stored(self, operand: Operand, place: str) -> str:
        """Element `i` of a result from its array."""
        address, index = self.location(operand, ["r0"])
        typed = f"(({self.dialect.pointer(operand.dtype, const=False)})({address}))"
        return self.dialect.store(operand.dtype, typed, index, f"o{operand.number}_[{place}]")
