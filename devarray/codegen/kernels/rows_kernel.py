"""What the kernels of devarray/codegen/kernels/rows.py have in common: the spec, operands, values, stores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from devarray.codegen.kernels import reduction
from devarray.codegen.kernels.cooperation import cooperation
from devarray.codegen.kernels.deviation import Deviation
from devarray.codegen.kernels.launches import indent
from devarray.codegen.kernels.operands import Operand, numbered
from devarray.codegen.kernels.reduction_loops import Loops
from devarray.codegen.kernels.reduction_spec import DEVIATION, REDUCTION, ReductionSpec, Step
from devarray.codegen.kernels.row_values import RowValues, braced
from devarray.codegen.kernels.spec import Leaf, Node, Output
from devarray.codegen.kernels.warps import WARP, across, has_warps, peers
from devarray.codegen.language.dialect import CTYPE, Dialect
from devarray.ops.dtypes import KIND, SIZE

__all__ = ["PARTIAL_BYTES", "RowsKernel", "RowsSpec", "StepKernel", "elements"]

PARTIAL_BYTES = 32
"""Of scratch memory for a partial result of any dtype, where reductions share a walk."""


@dataclass(frozen=True, slots=True)
class RowsSpec:
    """One kernel.

    Value ids count leaves first, then `scalars`, then `nodes`.

    Attributes
    ----------
    shared, split : bool
        Whether one walk does all reductions, and whether several groups share it.
    nkept : int
        Dims of the collapsed space before the last one, which is a row. Where a walk is shared, they are reduced, too.
    wide : bool
        Whether indices along a row need 64 bits.
    outs, lanes, unroll, pack : int
        Geometry of a group, as in a ReductionSpec of layout "row".
    held : int
        Elements of a row that a lane keeps in registers, all of the row's by all lanes; 0 where rows are walked.
    rest : int
        The last ones of them, of which a lane may have one less than others.
    several : int
        Rows that a work-item has one after the other.
    still : tuple of int
        Leaves that are the same for all rows, where there are several.
    beside : tuple of int
        Three numbers each: a leaf, one before it that has the same strides, and how many elements behind that it lies.
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
    held: int
    rest: int
    several: int
    still: tuple[int, ...]
    beside: tuple[int, ...]
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
        geometry = (self.outs, self.lanes, 1, self.unroll, 1 if self.held else self.pack)
        dims = (0, self.nkept + 1) if self.shared else (self.nkept, 1)
        return ReductionSpec(
            "row", *dims, False, self.wide, self.split, False, *geometry, self.leaves, self.scalars, nodes,
            outputs, op, acc_dtype, 0, post_scalars, post, result,
        )  # fmt: skip


class StepKernel(reduction.Kernel):
    """A reduction. Names of its own: `shared0` the lanes' values; `sum0`, `err0`, `v0_` where walks are shared."""

    def __init__(self, rows: RowsSpec, values: RowValues, step: Step, number: int, first_slot: int) -> None:
        self.values = values
        self.step = step
        self.node, self.value = step[0], step[3]
        self.needed = values.needed([self.value])
        nodes = tuple(values.nodes[v - values.first_node] for v in self.needed if v >= values.first_node)
        super().__init__(rows.walk(step, nodes), values.dialect)
        self.packed = [leaf for leaf in self.packed if leaf.number in self.needed]
        self.number = number
        self.first_slot = first_slot
        self.shared = f"shared{number}"

    def element(self, packed: bool = False) -> list[str]:
        return [*elements(self, self.values, self.needed, packed), self.reduced()]

    def reduced(self) -> str:
        """The declaration of the value of an element that is reduced."""
        return self.values.reduced(self.step, self.v)

    def finished(self, total: str) -> list[str]:
        """Statements that give the value of a row from the accumulated one."""
        return self.values.finished(self.step, total, self.first_slot)

    def declared(self) -> str:
        return self.values.declared(self.step)

    @property
    def by_warp(self) -> bool:
        """Whether the lanes of a row are some of a warp's, which need no local memory."""
        return 1 < self.spec.lanes <= WARP and self.spec.outs > 1 and has_warps(self.dialect)

    def joined(self) -> tuple[list[str], str]:
        """Statements that make one value of the lanes' sums, and where all of them find it."""
        if self.spec.lanes == 1:
            return [], self.sum
        if not self.by_warp:
            return self.tree(), f"{self.shared}[lid - lane]"
        lines, h = [f"const u32 peers = {peers(self.spec.lanes)};"], self.spec.lanes // 2
        while h:
            other = f"const {self.lane_type} z = across_{self.lane_type}({self.sum}, {h}, peers);"
            lines += braced([other, *self.fold(self.sum, "", "z", "")])
            h //= 2
        return lines, self.sum

    def text(self) -> list[str]:
        """Declares the value of the lane's row, by a walk of its own."""
        lines, total = self.joined()
        walk = [*self.state(), *self.walk(), *self.close_lane()]
        return [self.declared(), *braced([*walk, *lines, *self.finished(total)])]


class DeviationStep(Deviation, StepKernel):
    """A sum of squared distances from the mean, where reductions share a walk."""


def elements(place: Loops, values: RowValues, needed: Iterable[int], packed: bool) -> list[str]:
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
            lines.append(place.load(leaf, *place.location(leaf, place.reduced_names)))
    return lines


class RowsKernel(Loops):
    """What both kinds have: operands, values, the stores of results."""

    def __init__(self, spec: RowsSpec, dialect: Dialect) -> None:
        nodes = tuple(node for node in spec.nodes if node[0] != REDUCTION and spec.shared)
        super().__init__(spec.walk(spec.steps[0], nodes, spec.outputs), dialect)
        self.rows = spec
        triples = zip(spec.beside[::3], spec.beside[1::3], spec.beside[2::3], strict=True)
        self.first_of = {leaf: (first, apart) for leaf, first, apart in triples}
        of_rows = [access == "uniform" or access.startswith("fixed:") for _, access in spec.leaves]
        self.values = RowValues(dialect, of_rows, len(spec.scalars), spec.nodes, spec.value_dtypes())
        self.scalar_slot = self.result.slot  # there is none
        slot = self.scalar_slot + sum(dialect.slots_of(dtype) for dtype in spec.scalars)
        self.steps_of = []
        for number, step in enumerate(spec.steps):
            kind = DeviationStep if step[1] == DEVIATION else StepKernel
            self.steps_of.append(kind(spec, self.values, step, number, slot))
            slot += sum(dialect.slots_of(dtype) for dtype in step[4])
        self.chunk_slot = slot
        self.slots = slot + (spec.split or self.turns)
        written = zip(self.operands[len(spec.leaves) :], spec.outputs, strict=True)
        results = [(operand, value) for operand, (value, _, _) in written]
        self.results = [(operand, value) for operand, value in results if operand.innermost != "row"]
        self.row_results = [(operand, value) for operand, value in results if operand.innermost == "row"]

    def source(self) -> str:
        size = self.rows.outs * self.rows.lanes
        local = [step for step in self.steps_of if self.rows.lanes > 1 and not step.by_warp]
        body = [f"LOCAL {step.lane_type} {step.shared}[{size}];" for step in local]
        body += [*self.scalars(), *self.uniform(), *self.rows_of_item()]
        written = "".join("w" if operand.written else "r" for operand in self.operands) + "ww" * self.rows.split
        kernel = self.dialect.kernel("k", written, self.slots, "\n".join(indent(body)), group=size)
        helpers = "".join(dict.fromkeys(self.shuffles()))
        return helpers + (cooperation(self.dialect) if self.rows.split else "") + kernel

    def shuffles(self) -> list[str]:
        """Definitions for the steps whose lanes are some of a warp's."""
        steps = [step for step in self.steps_of if step.by_warp or step.shuffled_lanes]
        shuffled = {step.spec.acc_dtype for step in steps}
        return [across(self.dialect, shuffled), *(step.more_shuffles() for step in steps)]

    def base(self, operand: Operand, kept: Sequence[str]) -> str:
        if operand.number in self.first_of:
            first, apart = self.first_of[operand.number]
            return f"q{first} + {apart * SIZE[operand.dtype]}"
        return super().base(operand, kept)

    def rows_of_item(self) -> list[str]:
        return [*self.place(), *self.fixed(), *self.body()]

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
        whole = self.nested and operand.innermost == "row"  # one element, stored behind the loops over the dims
        address, index = (f"q{operand.number}", "0") if whole else self.location(operand, self.reduced_names)
        typed = f"(({self.dialect.pointer(operand.dtype, const=False)})({address}))"
        return [self.dialect.store(operand.dtype, typed, index, self.values.cast(value, operand.dtype))]

    def store_pack(self, operand: Operand, first: str = "") -> list[str]:
        """Neighbours of a result, from the place `p` on, by aligned accesses; `first` is the first one's number."""
        dialect, number, dtype = self.dialect, operand.number, operand.dtype
        lines = []
        chunks = dialect.chunks(dtype, self.rows.pack)
        each = self.rows.pack // len(chunks)
        for piece, chunk in enumerate(chunks):
            vector, name = dialect.chunk_type(dtype, chunk), f"w{number}_{piece}"
            lines.append(f"{vector} {name};")
            for at in range(each):
                element = f"o{number}_[{first}{piece * each + at}]"
                if KIND[dtype] == "c":
                    lines.append(f"{name}.{dialect.lane(2 * at)} = {element}.re;")
                    lines.append(f"{name}.{dialect.lane(2 * at + 1)} = {element}.im;")
                else:
                    lines.append(f"{name}.{dialect.lane(at)} = {dialect.to_storage(dtype, element)};")
            lines.append(f"((GLOBAL {vector}*)(q{number} + (i64)p * {SIZE[dtype]}))[{piece}] = {name};")
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
