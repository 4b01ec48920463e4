"""Rows that are reduced and used again: one kernel for normalisation, softmax, standardisation and their like.

A group of work-items has whole rows, as in the row layout of devarray/codegen/kernels/reduction.py. It walks them once
for each reduction, and once more for the results over the whole space; from the second walk on the rows are in its
cache. What is the same for all elements of a row (a reduction's result, what is computed from it) is computed once.

**Memory arguments**: leaves, outputs. **Slots**: the kept sizes, the size of a row; for each leaf, then each output,
its byte offset, followed (unless its access is `uniform`) by its byte strides over the kept dims and along the row; the
scalars; the scalars that follow each reduction. Outputs share no memory with leaves.

Names in the text, beside those of reduction.py: `a0` ... what is loaded, `c0_` ... scalars, `y5_0` ... values of rows
and `t7_0` ... of elements, by their value ids.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from devarray.codegen.kernels import reduction
from devarray.codegen.kernels.elementwise import node_statements, user_functions
from devarray.codegen.kernels.launches import indent
from devarray.codegen.kernels.operands import Operand, numbered
from devarray.codegen.kernels.reduction_loops import Loops
from devarray.codegen.kernels.reduction_spec import ReductionSpec
from devarray.codegen.kernels.spec import Leaf, Node, Output
from devarray.codegen.language.dialect import CTYPE, Dialect
from devarray.ops.dtypes import SIZE

__all__ = ["REDUCTION", "RowsSpec", "Step", "render"]

REDUCTION = "reduction"
"""The name of a reduction among the nodes; its argument is the value that it reduces."""

Step = tuple[int, str, str, int, tuple[str, ...], tuple[Node, ...], tuple[int, str]]
"""(value id of the reduction's node, op, accumulator's dtype, value id of what is reduced, post scalars, post nodes,
(post value id, dtype) of the result), as in a ReductionSpec."""


@dataclass(frozen=True, slots=True)
class RowsSpec:
    """One kernel of rows.

    Value ids count leaves first, then `scalars`, then `nodes`.

    Attributes
    ----------
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
            "row", self.nkept, 1, False, self.wide, False, False, *geometry, self.leaves, self.scalars, nodes,
            outputs, op, acc_dtype, 0, post_scalars, post, result,
        )  # fmt: skip


def render(spec: RowsSpec, dialect: Dialect) -> str:
    """Source of the kernel "k" that computes `spec`."""
    nodes = [node for node in spec.nodes if node[0] != REDUCTION]
    return dialect.program(user_functions(dialect, nodes) + _Rows(spec, dialect).source())


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


class _Walk(reduction.Kernel):
    """The walk of one step."""

    def __init__(self, values: _Values, step: Step, number: int) -> None:
        self.values = values
        self.value = step[3]
        self.needed = values.needed([self.value])
        nodes = tuple(values.spec.nodes[v - values.first_node] for v in self.needed if v >= values.first_node)
        super().__init__(values.spec.walk(step, nodes), values.dialect)
        self.packed = [leaf for leaf in self.packed if leaf.number in self.needed]
        self.shared = f"shared{number}"

    def element(self, packed: bool = False) -> list[str]:
        wanted = "bool" if self.spec.op in ("any", "all", "count_nonzero") else self.spec.acc_dtype
        return [
            *elements(self, self.values, self.needed, packed),
            f"const {self.acc} v = {self.values.cast(self.value, wanted)};",
        ]

    def text(self, row_value: str, scalars: Sequence[str]) -> list[str]:
        """Declares the value `row_value` of the lane's row."""
        spec, dialect = self.spec, self.dialect
        _, result = spec.result
        total = f"{self.shared}[lid - lane]" if spec.lanes > 1 else self.sum
        dtypes = [spec.acc_dtype, *spec.post_scalars]
        nodes, names = node_statements(dialect, spec.post, ["z", *scalars], dtypes, prefix="e")
        dtypes += [node[2] for node in spec.post]
        which = spec.result[0]
        return [
            f"{CTYPE[result]} {row_value};",
            "{",
            *indent([*self.state(), *self.walk(), *self.close_lane()]),
            *indent(self.tree() if spec.lanes > 1 else []),
            f"  const {self.acc} z = {total};",
            *indent(nodes),
            f"  {row_value} = {dialect.cast(dtypes[which], result, names[which])};",
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
            lines.append(place.load(leaf, place.address(leaf, ["r0"])))
    return lines


class _Rows(Loops):
    """The whole kernel."""

    def __init__(self, spec: RowsSpec, dialect: Dialect) -> None:
        super().__init__(spec.walk(spec.steps[0], outputs=spec.outputs), dialect)
        self.rows = spec
        self.values = _Values(spec, dialect)
        self.scalar_slot = self.result.slot  # there is none
        counts = [dialect.slots_of(dtype) for dtype in spec.scalars]
        self.step_slots = []
        for step in spec.steps:
            self.step_slots.append(self.scalar_slot + sum(counts))
            counts += [dialect.slots_of(dtype) for dtype in step[4]]
        self.slots = self.scalar_slot + sum(counts)

    def source(self) -> str:
        spec = self.rows
        walks = [_Walk(self.values, step, number) for number, step in enumerate(spec.steps)]
        size = spec.outs * spec.lanes
        body = [f"LOCAL {walk.acc} {walk.shared}[{size}];" for walk in walks if spec.lanes > 1]
        body += [*self.scalars(), *self.uniform(), *self.place(), *self.fixed()]
        waiting = dict(zip((step[0] for step in spec.steps), walks, strict=True))
        for value in range(self.values.first_node, len(self.values.names)):
            if value in waiting:
                names = numbered("d", len(self.rows.steps[walks.index(waiting[value])][4]))
                names = [f"{name}{value}" for name in names]
                body += self.post_scalars(walks.index(waiting[value]), names)
                body += waiting[value].text(self.values.names[value], names)
            elif self.values.of_rows[value]:
                body += self.values.statement(value)
        body += [*self.store_elements(), *self.store_rows()]
        written = "".join("w" if operand.written else "r" for operand in self.operands)
        return self.dialect.kernel("k", written, self.slots, "\n".join(indent(body)), group=size)

    def scalars(self) -> list[str]:
        lines, slot = [], self.scalar_slot
        for name, dtype in zip(numbered("c", len(self.rows.scalars)), self.rows.scalars, strict=True):
            lines.append(f"const {CTYPE[dtype]} {name} = {self.dialect.slot(slot, dtype)};")
            slot += self.dialect.slots_of(dtype)
        return lines

    def post_scalars(self, step: int, names: Sequence[str]) -> list[str]:
        lines, slot = [], self.step_slots[step]
        for name, dtype in zip(names, self.rows.steps[step][4], strict=True):
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

    def store_elements(self) -> list[str]:
        """The last walk: results that have an element for each one of the space."""
        written = self.operands[len(self.rows.leaves) :]
        results = [
            (operand, value)
            for operand, (value, _, _) in zip(written, self.rows.outputs, strict=True)
            if operand.innermost != "row"
        ]
        if not results:
            return []
        needed = self.values.needed(value for _, value in results)
        self.packed = [leaf for leaf in self.packed if leaf.number in needed and not leaf.written]
        itype, lanes, pack = self.itype, self.rows.lanes, self.rows.pack
        alone = [*elements(self, self.values, needed, False)]
        for operand, value in results:
            alone += self.store_one(operand, value)
        lines = [f"{itype} t = begin;"]
        if pack > 1:
            side = [f"const {itype} i = p + j;", *elements(self, self.values, needed, True)]
            arrays, stores = [], []
            for operand, value in results:
                if operand.access == "packed:unit":
                    arrays.append(f"{CTYPE[operand.dtype]} o{operand.number}_[{pack}];")
                    side.append(f"o{operand.number}_[j] = {self.values.cast(value, operand.dtype)};")
                    stores += self.store_pack(operand)
                else:
                    side += self.store_one(operand, value)
            lines += [
                f"for (; t + {lanes * pack - 1} < end; t += {lanes * pack}) {{",
                f"  const {itype} p = t + lane * {pack};",
                *indent([*self.packs(pack), *arrays, *self.each(pack, "j", side), *stores]),
                "}",
            ]
        return [*lines, f"for ({itype} i = t + lane; i < end; i += {lanes}) {{", *indent(alone), "}"]

    def store_one(self, operand: Operand, value: int) -> list[str]:
        typed = f"(({self.dialect.pointer(operand.dtype, const=False)})({self.address(operand, ['r0'])}))"
        return [self.dialect.store(operand.dtype, typed, "0", self.values.cast(value, operand.dtype))]

    def store_pack(self, operand: Operand) -> list[str]:
        """Neighbours of a result, from the place `p` on, by one access."""
        dialect, number, dtype = self.dialect, operand.number, operand.dtype
        [chunk] = dialect.chunks(dtype, self.rows.pack)
        vector = dialect.chunk_type(dtype, chunk)
        lines = [f"{vector} w{number};"]
        for at in range(self.rows.pack):
            element = f"o{number}_[{at}]"
            if CTYPE[dtype].startswith("c"):
                lines.append(f"w{number}.{dialect.lane(2 * at)} = {element}.re;")
                lines.append(f"w{number}.{dialect.lane(2 * at + 1)} = {element}.im;")
            else:
                lines.append(f"w{number}.{dialect.lane(at)} = {dialect.to_storage(dtype, element)};")
        lines.append(f"((GLOBAL {vector}*)(q{number} + (i64)p * {SIZE[dtype]}))[0] = w{number};")
        return lines

    def store_rows(self) -> list[str]:
        """Results that have one element for a row."""
        written = self.operands[len(self.rows.leaves) :]
        lines = []
        for operand, (value, _, _) in zip(written, self.rows.outputs, strict=True):
            if operand.innermost == "row":
                lines += self.store_one(operand, value)
        return ["if (active && lane == 0) {", *indent(lines), "}"] if lines else []
