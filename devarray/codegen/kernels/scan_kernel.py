"""The kernels of scans; devarray/codegen/kernels/scan.py plans them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from devarray.codegen.kernels.launches import (
    address,
    declare,
    indent,
    move,
    read,
    write,
)
from devarray.codegen.kernels.operands import numbered, unravel
from devarray.codegen.kernels.reduction_spec import combine, identity
from devarray.codegen.kernels.spec import Node
from devarray.codegen.kernels.statements import node_statements, user_functions
from devarray.codegen.language.dialect import CTYPE, Dialect
from devarray.ops.dtypes import KIND, SIZE

__all__ = ["GROUP", "ITEMS", "SCANS", "Kernel", "ScanSpec", "render", "serial_group"]

SCANS = ("sum", "prod", "min", "max", "count_nonzero")
GROUP = 256
ITEMS = 8  # consecutive elements of a work-item in the group form
_SERIAL_GROUP = 64
_STAGED_BYTES = 8  # values of this size are staged in local memory
_BLOCK = 4096  # elements that are counted in 32 bits


@dataclass(frozen=True, slots=True)
class ScanSpec:
    """One scan kernel, named "k".

    Memory arguments: the inputs, then the partials where `first` or `carried`, then the sink's memory. Slots: kept
    sizes, scanned sizes, the part's length; each input's offset and strides; the scalars; the partials' offset, their
    byte strides over rows and parts; the sink's slots.

    Attributes
    ----------
    group : bool
        Group form or serial form.
    nkept, nscan : int
        Dims; the scanned ones are walked in C order.
    op : str
        One of `SCANS`.
    dtype, acc_dtype : str
        Of the values, and what to accumulate in.
    sink : {"partials", "scan", "nonzero", "select", "place"}
        What becomes of the values: "partials" is the first phase.
    out_dtype : str
        Dtype of what the sink writes.
    exclusive : bool
        Whether an element's own value is left out of its sum.
    carried : bool
        Whether a part goes on from the partials before it.
    unit : bool
        Whether the input's elements lie side by side; told only where a CPU counts.
    leaves, scalars, nodes
        What the values are computed by, as in an ElementwiseSpec, the last node last; `leaves` are dtypes alone. Empty
        where they are those of the one input.
    """

    group: bool
    nkept: int
    nscan: int
    op: str
    dtype: str
    acc_dtype: str
    sink: str
    out_dtype: str
    exclusive: bool = False
    carried: bool = False
    unit: bool = False
    leaves: tuple[str, ...] = ()
    scalars: tuple[str, ...] = ()
    nodes: tuple[Node, ...] = ()

    @property
    def inputs(self) -> int:
        return max(1, len(self.leaves))

    @property
    def partials(self) -> bool:
        return self.carried or self.sink == "partials"

    @property
    def access(self) -> str:
        """Which memory arguments are written ("w") and which read ("r")."""
        partials = "" if not self.partials else "w" if self.sink == "partials" else "r"
        return (
            "r" * self.inputs
            + partials
            + {"partials": "", "scan": "w", "nonzero": "w", "select": "rw", "place": "wr"}[self.sink]
        )


@lru_cache(maxsize=512)
def render(spec: ScanSpec, dialect: Dialect) -> str:
    """Source of the kernel "k" of `spec`."""
    return dialect.program(user_functions(dialect, spec.nodes) + Kernel(spec, dialect).source())


class Kernel:
    """What the forms of a scan share, and their bodies but that of one pass, for which see scan_onepass.py."""

    def __init__(self, spec: ScanSpec, dialect: Dialect) -> None:
        self.spec, self.dialect = spec, dialect
        self.acc = CTYPE[spec.acc_dtype]
        ndim = spec.nkept + spec.nscan
        self.chunk_slot = ndim
        self.input_slot = ndim + 1
        self.scalar_slot = self.input_slot + spec.inputs * (1 + ndim)
        self.partials_slot = self.scalar_slot + sum(dialect.slots_of(dtype) for dtype in spec.scalars)
        self.sink_slot = self.partials_slot + 3 * spec.partials
        self.sink_memory = spec.inputs + spec.partials
        sizes = {"partials": 0, "scan": 1 + ndim, "nonzero": 2, "select": 3 + ndim, "place": 3 + ndim}
        self.slots = self.sink_slot + sizes[spec.sink]
        self.indices = [f"o{dim}" for dim in range(spec.nkept)] + [f"r{dim}" for dim in range(spec.nscan)]

    def source(self) -> str:
        spec = self.spec
        body = self.group_body() if spec.group else self.serial_body()
        return self.dialect.kernel(
            "k",
            spec.access,
            self.slots,
            "\n".join(indent([*self.place(), *body])),
            restrict=False,  # the partials are scanned in place
            group=GROUP if spec.group else serial_group(spec.nkept, self.dialect),
        )

    def literal(self) -> str:
        """What a row begins with. A running sum of floats begins with -0, so that a first element of -0 stays -0."""
        spec = self.spec
        minus_zero = complex(-0.0, -0.0) if KIND[spec.acc_dtype] == "c" else -0.0
        signed = spec.op == "sum" and KIND[spec.acc_dtype] in "fc"
        return self.dialect.literal(minus_zero if signed else identity(spec.op, spec.acc_dtype), spec.acc_dtype)

    def op(self, a: str, b: str) -> str:
        return combine(self.spec.op, self.spec.acc_dtype, a, b, ordered=True)

    def place(self) -> list[str]:
        """The row, and the part of it."""
        spec = self.spec
        kept = [f"s.v[{dim}]" for dim in range(spec.nkept)]
        total = " * ".join(f"s.v[{spec.nkept + dim}]" for dim in range(spec.nscan))
        lines = [
            f"const i64 row = {'GROUP_ID(0)' if spec.group else 'GLOBAL_ID(0)'};",
            *([] if spec.group else [f"if (row >= {' * '.join(kept) or '1'}) return;"]),
            "const i64 part = GROUP_ID(1);",
            f"const i64 total = {total}, chunk = s.v[{self.chunk_slot}];",
            "const i64 begin = part * chunk;",
            "const i64 end = total - begin < chunk ? total : begin + chunk;",
        ]
        if kept:
            lines += unravel(self.dialect, "row", kept, self.indices[: spec.nkept], "i64")
        if spec.carried:
            before = self.partial("(part - 1)")
            lines.append(f"{self.acc} carry = {self.literal()};")
            lines.append(f"if (part > 0) carry = *(GLOBAL const {self.acc}*)({before});")
        else:
            lines.append(f"{self.acc} carry = {self.literal()};")
        return lines

    def partial(self, part: str) -> str:
        return address(self.spec.inputs, self.partials_slot, ["row", part])

    def position(self) -> list[str]:
        """Indices of element `i` of the row."""
        spec = self.spec
        sizes = [f"s.v[{spec.nkept + dim}]" for dim in range(spec.nscan)]
        return unravel(self.dialect, "i", sizes, self.indices[spec.nkept :], "i64")

    def value_into(self, target: str) -> list[str]:
        """Statements that give `target` the value of the element at the position."""
        spec, dialect = self.spec, self.dialect
        if not spec.nodes:
            return [f"{target} = {self.value()};"]
        lines, slot, ndim = [], self.scalar_slot, len(self.indices)
        names = [f"a{number}" for number in range(len(spec.leaves))]
        for number, (name, dtype) in enumerate(zip(names, spec.leaves, strict=True)):
            place = address(number, self.input_slot + number * (1 + ndim), self.indices)
            lines.append(declare(dtype, name, read(dialect, dtype, place)))
        for name, dtype in zip(numbered("c", len(spec.scalars)), spec.scalars, strict=True):
            lines.append(declare(dtype, name, dialect.slot(slot, dtype)))
            names.append(name)
            slot += dialect.slots_of(dtype)
        uniform = range(len(spec.leaves), len(names))
        made, values = node_statements(dialect, spec.nodes, names, [*spec.leaves, *spec.scalars], uniform=uniform)
        return [*lines, *made, f"{target} = {dialect.cast(spec.dtype, spec.acc_dtype, values[-1])};"]

    def declared_value(self) -> list[str]:
        return self.value_into(f"const {self.acc} v")

    def value(self) -> str:
        spec = self.spec
        place = address(0, self.input_slot, self.indices)
        if spec.unit:
            place = f"m0 + s.v[{self.input_slot}] + {self.indices[0]} * {SIZE[spec.dtype]}"
        text = read(self.dialect, spec.dtype, place)
        wanted = "bool" if spec.op == "count_nonzero" else spec.acc_dtype
        cast = self.dialect.cast(spec.dtype, wanted, f"({text})")
        return f"({self.acc}){cast}" if spec.op == "count_nonzero" else cast

    def emit(self, inclusive: str, before: str, own: str) -> list[str]:
        """What the sink does with element `i`: its sum with and without its own value."""
        spec, dialect, slot, memory = self.spec, self.dialect, self.sink_slot, self.sink_memory
        if spec.sink == "scan":
            value = dialect.cast(spec.acc_dtype, spec.out_dtype, before if spec.exclusive else inclusive)
            return [*self.position(), write(dialect, spec.out_dtype, address(memory, slot, self.indices), value)]
        if spec.sink == "nonzero":
            lines = []
            for dim, name in enumerate(self.indices):
                out = f"m{memory} + s.v[{slot}] + {dim} * s.v[{slot + 1}] + ({before}) * 8"
                lines.append(write(dialect, "int64", out, name))
        else:
            inside = address(memory, slot, self.indices)
            listed = address(memory + 1, slot + 1 + len(self.indices), [before])
            target, source = (listed, inside) if spec.sink == "select" else (inside, listed)
            lines = [move(dialect, spec.out_dtype, target, source)]
        return [f"if ({own}) {{", *indent([*self.position(), *lines]), "}"]

    def serial_body(self) -> list[str]:
        if self.spec.op == "count_nonzero":
            return self.count() if self.spec.sink == "partials" else self.compaction()
        if self.spec.sink == "partials":
            take, after = [f"carry = {self.op('carry', 'v')};"], [self.store_partial("carry")]
        else:
            take = [f"const {self.acc} w = {self.op('carry', 'v')};", *self.emit("w", "carry", "v"), "carry = w;"]
            after = []
        inner = self.without_repeats([*self.position(), *self.declared_value(), *take])
        return ["for (i64 i = begin; i < end; ++i) {", *indent(inner), "}", *after]

    def stepped(self, condition: str, lines: list[str]) -> tuple[list[str], list[str]]:
        """What comes before a loop from element `i`, and the loop, whose indices count up as a clock does: divisions
        take longer than most of what a loop does."""
        names, nkept = self.indices[self.spec.nkept :], self.spec.nkept
        if len(names) == 1:
            return [], [f"for (; {condition}; ++i) {{", f"  const i64 {names[0]} = i;", *indent(lines), "}"]
        sizes = [f"s.v[{nkept + dim}]" for dim in range(len(names))]
        starts = [line.removeprefix("const ") for line in unravel(self.dialect, "begin", sizes, names, "i64")]
        turns = [
            f"if (++{name} == {size}) {{ {name} = 0;" for name, size in zip(names[:0:-1], sizes[:0:-1], strict=True)
        ]
        turn = " ".join(turns) + f" ++{names[0]};" + " }" * len(turns)
        return starts, [f"for (; {condition}; ++i) {{", *indent([*lines, turn]), "}"]

    def count(self) -> list[str]:
        """Sums of 32 bits between those of 64: vectors of them hold as many again."""
        v = declare(self.spec.acc_dtype, "v", self.value())
        start, block = self.stepped("i < pause", [v, "some += (i32)v;"])
        return [
            "i64 i = begin;",
            *start,
            "while (i < end) {",
            f"  const i64 pause = end - i < {_BLOCK} ? end : i + {_BLOCK};",
            "  i32 some = 0;",
            *indent(block),
            "  carry += some;",
            "}",
            self.store_partial("carry"),
        ]

    def compaction(self) -> list[str]:
        """Every element is written, and the next one over it unless it counts: a branch on random truth costs more.
        What stands behind the part's own places is never touched."""
        own, slot, memory = declare(self.spec.acc_dtype, "v", self.value()), self.sink_slot, self.sink_memory
        inside = address(memory, slot, self.indices)
        listed = address(memory + 1, slot + 1 + len(self.indices), ["carry"])
        if self.spec.sink == "nonzero":
            rows = [
                f"m{memory} + s.v[{slot}] + {dim} * s.v[{slot + 1}] + carry * 8" for dim in range(len(self.indices))
            ]
            lines = [write(self.dialect, "int64", row, name) for row, name in zip(rows, self.indices, strict=True)]
        elif self.spec.sink == "select":
            lines = [move(self.dialect, self.spec.out_dtype, listed, inside)]
        else:
            some = f"v ? (GLOBAL const char*)({listed}) : (GLOBAL const char*)({inside})"
            lines = [move(self.dialect, self.spec.out_dtype, inside, some)]
        start, loop = self.stepped("i < end && carry < stop", [own, *lines, "carry += v;"])
        return [
            f"const i64 stop = *(GLOBAL const {self.acc}*)({self.partial('part')});",
            "i64 i = begin;",
            *start,
            "#pragma clang loop vectorize(disable)",
            *loop,
        ]

    def without_repeats(self, lines: list[str]) -> list[str]:
        """The position is named by loads and by sinks; once is enough inside one block."""
        position, seen, kept = set(self.position()), set(), []
        for line in lines:
            if line.strip() in position:
                if line.strip() in seen:
                    continue
                seen.add(line.strip())
            kept.append(line)
        return kept

    def store_partial(self, value: str) -> str:
        return f"*(GLOBAL {self.acc}*)({self.partial('part')}) = {value};"

    def group_body(self) -> list[str]:
        return self.group_reduce() if self.spec.sink == "partials" else self.group_scan()

    def group_reduce(self) -> list[str]:
        """Order does not matter to any of the operations, so neighbouring work-items read neighbouring elements."""
        take = f"carry = {self.op('carry', 'v')};"
        element = [*self.position(), *self.declared_value(), take]
        return [
            f"LOCAL {self.acc} shared[{GROUP}];",
            "const i32 lid = LOCAL_ID(0);",
            "#pragma unroll 8",
            f"for (i64 i = begin + lid; i < end; i += {GROUP}) {{",
            *indent(element),
            "}",
            "shared[lid] = carry;",
            "BARRIER;",
            f"for (i32 h = {GROUP // 2}; h > 0; h /= 2) {{",
            f"  if (lid < h) shared[lid] = {self.op('shared[lid]', 'shared[lid + h]')};",
            "  BARRIER;",
            "}",
            f"if (lid == 0) {self.store_partial('shared[0]')}",
        ]

    @property
    def staged(self) -> bool:
        """Whether values pass through local memory on their way in and out, so that neighbouring work-items read and
        write neighbouring elements, though each scans `ITEMS` that stand together."""
        return self.spec.sink == "scan" and SIZE[self.spec.acc_dtype] <= _STAGED_BYTES

    def every(self, element: str, lines: list[str]) -> list[str]:
        """For every item of a work-item that is inside the part; `element` is its place in the group's."""
        return [
            "  #pragma unroll",
            f"  for (i32 k = 0; k < {ITEMS}; ++k) {{",
            f"    const i32 j = {element};",
            "    const i64 i = base + j;",
            "    if (i < end) {",
            *indent(lines, 3),
            "    }",
            "  }",
        ]

    def group_scan(self) -> list[str]:
        load, own = [*self.position(), *self.value_into("x[k]")], f"lid * {ITEMS} + k"
        if self.staged:
            load = [*self.position(), *self.value_into("stage[PADDED(j)]")]
            # Padding keeps the banks apart where each work-item reads its own.
            loads = [*self.every(f"k * {GROUP} + lid", load), "  BARRIER;"]
            loads += self.every(own, ["x[k] = stage[PADDED(j)];"])
            result = "running" if self.spec.exclusive else "w"
            emit = [f"const {self.acc} w = {self.op('running', 'x[k]')};", f"stage[PADDED(j)] = {result};"]
            spec = replace(self.spec, exclusive=False)
            store = Kernel(spec, self.dialect).emit("stage[PADDED(j)]", "", "")
            stores = ["  BARRIER;", *self.every(f"k * {GROUP} + lid", store)]
        else:
            loads, stores = self.every(own, load), []
            emit = [f"const {self.acc} w = {self.op('running', 'x[k]')};", *self.emit("w", "running", "x[k]")]
        cells = GROUP * ITEMS
        stage = ["#define PADDED(j) ((j) + (j) / 32)", f"LOCAL {self.acc} stage[{cells + cells // 32}];"]
        return [
            *(stage if self.staged else []),
            f"LOCAL {self.acc} shared[{2 * GROUP}];",
            "const i32 lid = LOCAL_ID(0);",
            f"for (i64 base = begin; base < end; base += {cells}) {{",
            f"  {self.acc} x[{ITEMS}], sum = {self.literal()};",
            f"  for (i32 k = 0; k < {ITEMS}; ++k) x[k] = {self.literal()};",
            *loads,
            f"  for (i32 k = 0; k < {ITEMS}; ++k) sum = {self.op('sum', 'x[k]')};",
            # From one half of the local memory into the other and back: one barrier a step.
            "  i32 now = 0;",
            "  shared[lid] = sum;",
            "  BARRIER;",
            f"  for (i32 h = 1; h < {GROUP}; h *= 2) {{",
            f"    {self.acc} up = shared[now + lid];",
            f"    if (lid >= h) up = {self.op('shared[now + lid - h]', 'up')};",
            f"    now = {GROUP} - now;",
            "    shared[now + lid] = up;",
            "    BARRIER;",
            "  }",
            f"  {self.acc} running = carry;",
            f"  if (lid > 0) running = {self.op('carry', 'shared[now + lid - 1]')};",
            f"  carry = {self.op('carry', f'shared[now + {GROUP - 1}]')};",
            *self.every(own, [*emit, "running = w;"]),
            *stores,
            "  BARRIER;",
            "}",
        ]


def serial_group(nkept: int, dialect: Dialect) -> int:
    """One long row on a CPU: a group of one, whose loops the compilers make vectors of, not of work-items."""
    return 1 if dialect.strategy == "cpu" and nkept == 0 else _SERIAL_GROUP
