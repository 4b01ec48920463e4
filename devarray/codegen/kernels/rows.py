"""Kernels that reduce and do more: what is computed from reduced rows, or several reductions of all elements.

**Rows**: normalisation, softmax, standardisation and their like. A group of work-items has whole rows, as in the row
layout of devarray/codegen/kernels/reduction.py. It walks them once for each reduction, and once more for the results
over the whole space; from the second walk on the rows are in its cache. What is the same for all elements of a row (a
reduction's result, what is computed from it) is computed once.

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

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from devarray.codegen.kernels import reduction
from devarray.codegen.kernels.cooperation import cooperation, last_group
from devarray.codegen.kernels.launches import indent
from devarray.codegen.kernels.operands import Operand, numbered
from devarray.codegen.kernels.reduction_loops import Loops
from devarray.codegen.kernels.reduction_spec import ReductionSpec
from devarray.codegen.kernels.spec import Leaf, Node, Output
from devarray.codegen.kernels.statements import node_statements, user_functions
from devarray.codegen.language.dialect import CTYPE, Dialect
from devarray.ops.dtypes import KIND, SIZE

__all__ = ["PARTIAL_BYTES", "REDUCTION", "RowsSpec", "Step", "render"]

PARTIAL_BYTES = 16
"""Of scratch memory for a partial result of any dtype, where reductions share a walk."""

REDUCTION = "reduction"
"""The name of a reduction among the nodes; its argument is the value that it reduces."""

Step = tuple[int, str, str, int, tuple[str, ...], tuple[Node, ...], tuple[int, str]]
"""(value id of the reduction's node, op, accumulator's dtype, value id of what is reduced, post scalars, post nodes,
(post value id, dtype) of the result), as in a ReductionSpec."""


@dataclass(frozen=True, slots=True)
class RowsSpec:
    """One kernel.

    Value ids count leaves first, then `scalars`, then `nodes`.

    Attributes
    ----------
    shared, split : bool
        Whether one walk does all reductions, and whether several groups share it.
    nkept : int
        Dims of the collapsed space before the last one, which is a row.
    wide : bool
        Whether indices along a row need 64 bits.
    outs, lanes, unroll, pack : int
        Geometry of a group, as in a ReductionSpec of layout "row".
    leaves : tuple of (dtype, access)
        "fixed:" ones and "uniform" have one element for a row.
    scalars : tuple of dtype
    nodes : tuple of (op, compute dtype, result dtype, args)
        In order of evaluation, reductions among them.
    outputs : tuple of (value id, dtype, access)
        "row" ones have one element for a row. "packed:unit": neighbours are stored together.
    steps : tuple of Step
        The reductions, in the order of their nodes.
    """

    shared: bool
    split: bool
    nkept: int
    wide: bool
    outs: int
    lanes: int
    unroll: int
    pack: int
    leaves: tuple[Leaf, ...]
    scalars: tuple[str, ...]
    nodes: tuple[Node, ...]
    outputs: tuple[Output, ...]
    steps: tuple[Step, ...]

    def value_dtypes(self) -> list[str]:
        """Dtype of every value id."""
        return [dtype for dtype, _ in self.leaves] + list(self.scalars) + [node[2] for node in self.nodes]

    def walk(self, step: Step, nodes: tuple[Node, ...] = (), outputs: tuple[Output, ...] = ()) -> ReductionSpec:
        """The reduction of a step, over the same operands."""
        _, op, acc_dtype, _, post_scalars, post, result = step
        geometry = (self.outs, self.lanes, 1, self.unroll, self.pack)
        return ReductionSpec(
            "row", self.nkept, 1, False, self.wide, self.split, False, *geometry, self.leaves, self.scalars, nodes,
            outputs, op, acc_dtype, 0, post_scalars, post, result,
        )  # fmt: skip


def render(spec: RowsSpec, dialect: Dialect) -> str:
    """Source of the kernel "k" that computes `spec`."""
    nodes = [node for node in spec.nodes if node[0] != REDUCTION]
    kernel = (_Shared if spec.shared else _Rows)(spec, dialect)
    return dialect.program(user_functions(dialect, nodes) + kernel.source())


class _Values:
    """The values of a spec: their names, which of them a row has one of, and the text that computes them."""

    def __init__(self, spec: RowsSpec, dialect: Dialect) -> None:
        self.spec = spec
        self.dialect = dialect
        self.dtypes = spec.value_dtypes()
        self.first_scalar, self.first_node = len(spec.leaves), len(spec.leaves) + len(spec.scalars)
        self.names = [f"a{i}" for i in range(self.first_scalar)] + numbered("c", len(spec.scalars))
        self.of_rows = [access == "uniform" or access.startswith("fixed:") for _, access in spec.leaves]
        self.of_rows += [True] * len(spec.scalars)
        for number, (op, _, _, args) in enumerate(spec.nodes, self.first_node):
            self.of_rows.append(op == REDUCTION or all(self.of_rows[arg] for arg in args))
            self.names.append(f"y{number}_0" if self.of_rows[-1] else f"t{number}_0")

    def needed(self, wanted: Iterable[int]) -> list[int]:
        """The leaves and nodes that elements' values are computed from, in order, but for values of rows."""
        found: set[int] = set()
        stack = list(wanted)
        while stack:
            value = stack.pop()
            if self.of_rows[value] or value in found:
                continue
            found.add(value)
            if value >= self.first_node:
                stack += self.spec.nodes[value - self.first_node][3]
        return sorted(found)

    def statement(self, value: int) -> list[str]:
        """The declaration of a node's value."""
        op, compute, result, args = self.spec.nodes[value - self.first_node]
        scalars = {place for place, arg in enumerate(args) if self.first_scalar <= arg < self.first_node}
        names = [self.names[arg] for arg in args]
        dtypes = [self.dtypes[arg] for arg in args]
        node = (op, compute, result, tuple(range(len(args))))
        lines, _ = node_statements(self.dialect, [node], names, dtypes, self.names[value][:-1], scalars)
        return lines

    def cast(self, value: int, dtype: str) -> str:
        return self.dialect.cast(self.dtypes[value], dtype, self.names[value])


class _Step(reduction.Kernel):
    """A reduction. Names of its own: `shared0` the lanes' values; `sum0`, `err0`, `v0_` where walks are shared."""

    def __init__(self, values: _Values, step: Step, number: int, first_slot: int) -> None:
        self.values = values
        self.node, self.value = step[0], step[3]
        self.needed = values.needed([self.value])
        nodes = tuple(values.spec.nodes[v - values.first_node] for v in self.needed if v >= values.first_node)
        super().__init__(values.spec.walk(step, nodes), values.dialect)
        self.packed = [leaf for leaf in self.packed if leaf.number in self.needed]
        self.number = number
        self.first_slot = first_slot
        self.shared = f"shared{number}"

    def element(self, packed: bool = False) -> list[str]:
        return [*elements(self, self.values, self.needed, packed), self.reduced()]

    def reduced(self) -> str:
        """The declaration of the value of an element that is reduced."""
        wanted = "bool" if self.spec.op in ("any", "all", "count_nonzero") else self.spec.acc_dtype
        return f"const {self.acc} {self.v} = {self.values.cast(self.value, wanted)};"

    def finished(self, total: str) -> list[str]:
        """Statements that give the value of a row from the accumulated one."""
        spec, dialect = self.spec, self.dialect
        which, result = spec.result
        scalars, slot = numbered("d", len(spec.post_scalars)), self.first_slot
        lines = [f"const {self.acc} z = {total};"]
        for name, dtype in zip(scalars, spec.post_scalars, strict=True):
            lines.append(f"const {CTYPE[dtype]} {name} = {dialect.slot(slot, dtype)};")
            slot += dialect.slots_of(dtype)
        dtypes = [spec.acc_dtype, *spec.post_scalars]
        nodes, names = node_statements(dialect, spec.post, ["z", *scalars], dtypes, prefix="e")
        dtypes += [node[2] for node in spec.post]
        value = dialect.cast(dtypes[which], result, names[which])
        return [*lines, *nodes, f"{self.values.names[self.node]} = {value};"]

    def declared(self) -> str:
        return f"{CTYPE[self.spec.result[1]]} {self.values.names[self.node]};"

    def text(self) -> list[str]:
        """Declares the value of the lane's row, by a walk of its own."""
        total = f"{self.shared}[lid - lane]" if self.spec.lanes > 1 else self.sum
        return [
            self.declared(),
            "{",
            *indent([*self.state(), *self.walk(), *self.close_lane()]),
            *indent([*(self.tree() if self.spec.lanes > 1 else []), *self.finished(total)]),
            "}",
        ]


def elements(place: Loops, values: _Values, needed: Iterable[int], packed: bool) -> list[str]:
    """Loads and nodes of element `i`."""
    lines = []
    for value in needed:
        if value >= values.first_node:
            lines += values.statement(value)
            continue
        leaf = place.operands[value]
        if packed and leaf in place.packed:
            lines.append(f"const {CTYPE[leaf.dtype]} a{leaf.number} = {place.of_pack(leaf)};")
        else:
            lines.append(place.load(leaf, *place.location(leaf, ["r0"])))
    return lines


class _Kernel(Loops):
    """What both kinds have: operands, values, the stores of results."""

    def __init__(self, spec: RowsSpec, dialect: Dialect) -> None:
        nodes = tuple(node for node in spec.nodes if node[0] != REDUCTION and spec.shared)
        super().__init__(spec.walk(spec.steps[0], nodes, spec.outputs), dialect)
        self.rows = spec
        self.values = _Values(spec, dialect)
        self.scalar_slot = self.result.slot  # there is none
        slot = self.scalar_slot + sum(dialect.slots_of(dtype) for dtype in spec.scalars)
        self.steps_of = []
        for number, step in enumerate(spec.steps):
            self.steps_of.append(_Step(self.values, step, number, slot))
            slot += sum(dialect.slots_of(dtype) for dtype in step[4])
        self.chunk_slot = slot
        self.slots = slot + spec.split
        written = zip(self.operands[len(spec.leaves) :], spec.outputs, strict=True)
        results = [(operand, value) for operand, (value, _, _) in written]
        self.results = [(operand, value) for operand, value in results if operand.innermost != "row"]
        self.row_results = [(operand, value) for operand, value in results if operand.innermost == "row"]

    def source(self) -> str:
        size = self.rows.outs * self.rows.lanes
        body = [f"LOCAL {step.acc} {step.shared}[{size}];" for step in self.steps_of if self.rows.lanes > 1]
        body += [*self.scalars(), *self.uniform(), *self.place(), *self.fixed(), *self.body()]
        written = "".join("w" if operand.written else "r" for operand in self.operands) + "ww" * self.rows.split
        kernel = self.dialect.kernel("k", written, self.slots, "\n".join(indent(body)), group=size)
        return (cooperation(self.dialect) if self.rows.split else "") + kernel

    def body(self) -> list[str]:
        raise NotImplementedError

    def scalars(self) -> list[str]:
        lines, slot = [], self.scalar_slot
        for name, dtype in zip(numbered("c", len(self.rows.scalars)), self.rows.scalars, strict=True):
            lines.append(f"const {CTYPE[dtype]} {name} = {self.dialect.slot(slot, dtype)};")
            slot += self.dialect.slots_of(dtype)
        return lines

    def fixed(self) -> list[str]:
        """The operands that have one element for a row. Work-items without a row read that of the first one."""
        return [
            self.load(leaf, f"active ? q{leaf.number} : m{leaf.number} + {leaf.offset()}")
            for leaf in self.operands
            if leaf.fixed and not leaf.written
        ]

    def store_one(self, operand: Operand, value: int) -> list[str]:
        address, index = self.location(operand, ["r0"])
        typed = f"(({self.dialect.pointer(operand.dtype, const=False)})({address}))"
        return [self.dialect.store(operand.dtype, typed, index, self.values.cast(value, operand.dtype))]

    def store_pack(self, operand: Operand) -> list[str]:
        """Neighbours of a result, from the place `p` on, by one access."""
        dialect, number, dtype = self.dialect, operand.number, operand.dtype
        [chunk] = dialect.chunks(dtype, self.rows.pack)
        vector = dialect.chunk_type(dtype, chunk)
        lines = [f"{vector} w{number};"]
        for at in range(self.rows.pack):
            element = f"o{number}_[{at}]"
            if KIND[dtype] == "c":
                lines.append(f"w{number}.{dialect.lane(2 * at)} = {element}.re;")
                lines.append(f"w{number}.{dialect.lane(2 * at + 1)} = {element}.im;")
            else:
                lines.append(f"w{number}.{dialect.lane(at)} = {dialect.to_storage(dtype, element)};")
        lines.append(f"((GLOBAL {vector}*)(q{number} + (i64)p * {SIZE[dtype]}))[0] = w{number};")
        return lines

    def store_rows(self) -> list[str]:
        """Results that have one element for a row."""
        lines = [line for operand, value in self.row_results for line in self.store_one(operand, value)]
        return ["if (active && lane == 0) {", *indent(lines), "}"] if lines else []

    def pack_arrays(self) -> list[str]:
        """Neighbours of results that are stored together."""
        packed = [operand for operand, _ in self.results if operand.access == "packed:unit"]
        return [f"{CTYPE[operand.dtype]} o{operand.number}_[{self.rows.pack}];" for operand in packed]

    def put(self, packed: bool) -> list[str]:
        """An element's results, stored or put beside its neighbours'."""
        lines = []
        for operand, value in self.results:
            if packed and operand.access == "packed:unit":
                lines.append(f"o{operand.number}_[j] = {self.values.cast(value, operand.dtype)};")
            else:
                lines += self.store_one(operand, value)
        return lines

    def store_packs(self) -> list[str]:
        packed = [operand for operand, _ in self.results if operand.access == "packed:unit"]
        return [line for operand in packed for line in self.store_pack(operand)]


class _Rows(_Kernel):
    """Whole rows, walked once for each reduction, and once more."""

    def body(self) -> list[str]:
        waiting = {step.node: step for step in self.steps_of}
        lines = []
        for value in range(self.values.first_node, len(self.values.names)):
            if value in waiting:
                lines += waiting[value].text()
            elif self.values.of_rows[value]:
                lines += self.values.statement(value)
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


class _Shared(_Kernel):
    """All elements, walked once for all reductions and all results."""

    def __init__(self, spec: RowsSpec, dialect: Dialect) -> None:
        super().__init__(spec, dialect)
        for step in self.steps_of:
            step.sum, step.err, step.v = f"sum{step.number}", f"err{step.number}", f"v{step.number}_"
        self.careful = any(step.careful for step in self.steps_of)
        self.needed = self.values.needed([*(step.value for step in self.steps_of), *(v for _, v in self.results)])
        self.packed = [leaf for leaf in self.packed if leaf.number in self.needed and not leaf.written]

    def body(self) -> list[str]:
        lines = []
        for value in range(self.values.first_node, len(self.values.names)):
            if self.values.of_rows[value] and self.rows.nodes[value - self.values.first_node][0] != REDUCTION:
                lines += self.values.statement(value)
        lines += [*self.state(), *self.walk(), *self.close_lane()]
        if self.rows.lanes > 1:
            lines += [line for step in self.steps_of for line in step.tree()]
        return [*lines, *(self.merged_parts() if self.rows.split else self.stored())]

    def state(self) -> list[str]:
        lines = []
        for step in self.steps_of:
            lines.append(f"{step.acc} {step.sum} = {step.literal()};")
            lines += [f"{step.acc} {step.err} = {step.literal()};"] * step.careful
        return lines

    def element(self, packed: bool = False) -> list[str]:
        return [
            *elements(self, self.values, self.needed, packed),
            *self.put(packed and bool(self.packed)),
            *(step.reduced() for step in self.steps_of),
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
        taken = [line for step in self.steps_of for line in step.take(f"acc{step.number}_[k]", "", "")]
        if self.rolled:
            by_number = [line for step in self.steps_of for line in step.take(f"acc{step.number}_[u]", "", "")]
            taken = self.each(unroll, "u", ["if (u == k) {", *indent(by_number), "}"])
        if self.packed:
            walk = self.packed_steps(taken)
        else:
            walk = self.each_element(unroll, "k", [f"const {self.itype} i = {index};", *self.element(), *taken])
        begin = [f"acc{step.number}_[k] = {step.literal()};" for step in self.steps_of]
        return [
            *(f"{step.acc} acc{step.number}_[{unroll}];" for step in self.steps_of),
            *self.each(unroll, "k", begin),
            *self.loop_hint,
            f"for (; t < last; t += {stride}) {{",
            *indent(walk),
            "}",
        ]

    def fold_block(self, place: str) -> list[str]:
        lines = []
        for step in self.steps_of:
            acc = f"acc{step.number}_"
            half = self.rows.unroll // 2
            while half:
                lines += self.each(half, "k", step.fold(f"{acc}[k]", "", f"{acc}[k + {half}]", ""))
                half //= 2
            lines += ["{", *indent(step.close_block(f"{acc}[0]", "")), "}"]
        return lines

    def take_careful(self, position: str) -> list[str]:
        return [line for step in self.steps_of for line in step.take_careful(position)]

    def close_lane(self) -> list[str]:
        return [line for step in self.steps_of for line in step.close_lane()]

    def stored(self) -> list[str]:
        """The values of reductions, and their results, by one lane."""
        lines = []
        for step in self.steps_of:
            lines += [step.declared(), "{", *indent(step.finished(step.sum)), "}"]
        return ["if (active && lane == 0) {", *indent([*lines, *self.store_rows()]), "}"]

    def merged_parts(self) -> list[str]:
        """Partial results of each group; the last group to come merges all of them."""
        scratch, counters = len(self.operands), len(self.operands) + 1
        writes, final = [], []
        for step in self.steps_of:
            begin = f"m{scratch} + parts * {step.number * PARTIAL_BYTES}"
            writes += ["{", *indent(step.write_partial(begin, "part")), "}"]
            final += [
                f"{step.sum} = {step.literal()};",
                f"for (i64 part = lane; part < parts; part += {self.rows.lanes}) {{",
                *indent([*step.read_partial(begin, "part"), *step.fold(step.sum, "", "v", "")]),
                "}",
                *(step.tree() if self.rows.lanes > 1 else []),
            ]
        return last_group(counters, writes, [*final, *self.stored()])
