"""Cumulative sums and their like, and what follows from counting: nonzero, selection and assignment by mask.

Three phases: each part of a row is reduced to one value, these values are scanned, and each part is scanned from the
value before it. A row of one part needs the last phase only.

Two forms of each kernel. In the *group* form the work-items of a group walk a part together, which suits rows that are
contiguous in a GPU's memory. In the *serial* form one work-item walks a part; neighbouring work-items have neighbouring
rows. It suits CPUs, short rows, and axes other than the contiguous one.

Compaction (`plan_count`, then one of `plan_nonzero`, `plan_select`, `plan_place`) scans the truth of a mask. Between
the two stands the host, which reads the count: the last 8 bytes of the "partials".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from math import prod

from devarray.codegen.kernels.elementwise import unravel
from devarray.codegen.kernels.launches import (
    Launch,
    Plan,
    View,
    address,
    ceil_div,
    collapse,
    declare,
    indent,
    move,
    read,
    units_of,
    view_slots,
    write,
)
from devarray.codegen.kernels.reduction_spec import combine, identity
from devarray.codegen.language.dialect import CTYPE, Dialect
from devarray.ops.dtypes import KIND, SIZE

__all__ = ["SCANS", "ScanSpec", "plan_count", "plan_nonzero", "plan_place", "plan_scan", "plan_select", "render"]

SCANS = ("sum", "prod", "min", "max", "count_nonzero")
_GROUP = 256
_ITEMS = 8  # consecutive elements of a work-item in the group form
_SERIAL_GROUP = 64
_STAGED_BYTES = 8  # values of this size are staged in local memory
_SHORT_ROW = 512  # not worth a group
_PARTS_PER_UNIT = 8
_BLOCK = 4096  # elements that are counted in 32 bits

_Roles = tuple[str, ...]
_Slots = tuple[int | str, ...]


@dataclass(frozen=True, slots=True)
class ScanSpec:
    """One scan kernel, named "k".

    Memory arguments: the input, then the partials where `first` or `carried`, then the sink's memory. Slots: kept
    sizes, scanned sizes, the part's length; the input's offset and strides; the partials' offset, their byte strides
    over rows and parts; the sink's slots.

    Attributes
    ----------
    group : bool
        Group form or serial form.
    nkept, nscan : int
        Dims; the scanned ones are walked in C order.
    op : str
        One of `SCANS`.
    dtype, acc_dtype : str
        Of the input, and what to accumulate in.
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

    @property
    def partials(self) -> bool:
        return self.carried or self.sink == "partials"

    @property
    def access(self) -> str:
        """Which memory arguments are written ("w") and which read ("r")."""
        partials = "" if not self.partials else "w" if self.sink == "partials" else "r"
        return "r" + partials + {"partials": "", "scan": "w", "nonzero": "w", "select": "rw", "place": "wr"}[self.sink]


@lru_cache(maxsize=512)
def render(spec: ScanSpec, dialect: Dialect) -> str:
    """Source of the kernel "k" of `spec`."""
    return dialect.program(_Kernel(spec, dialect).source())


class _Kernel:
    def __init__(self, spec: ScanSpec, dialect: Dialect) -> None:
        self.spec, self.dialect = spec, dialect
        self.acc = CTYPE[spec.acc_dtype]
        ndim = spec.nkept + spec.nscan
        self.chunk_slot = ndim
        self.input_slot = ndim + 1
        self.partials_slot = self.input_slot + 1 + ndim
        self.sink_slot = self.partials_slot + 3 * spec.partials
        self.sink_memory = 1 + spec.partials
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
            group=_GROUP if spec.group else _serial_group(spec.nkept, self.dialect),
        )

    def literal(self) -> str:
        """What a row begins with. A running sum of floats begins with -0, so that a first element of -0 stays -0."""
        spec = self.spec
        minus_zero = complex(-0.0, -0.0) if KIND[spec.acc_dtype] == "c" else -0.0
        signed = spec.op == "sum" and KIND[spec.acc_dtype] in "fc"
        return self.dialect.literal(minus_zero if signed else identity(spec.op, spec.acc_dtype), spec.acc_dtype)

    def op(self, a: str, b: str) -> str:
        return combine(self.spec.op, self.spec.acc_dtype, a, b)

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
        return address(1, self.partials_slot, ["row", part])

    def position(self) -> list[str]:
        """Indices of element `i` of the row."""
        spec = self.spec
        sizes = [f"s.v[{spec.nkept + dim}]" for dim in range(spec.nscan)]
        return unravel(self.dialect, "i", sizes, self.indices[spec.nkept :], "i64")

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
        inner = self.without_repeats([*self.position(), declare(self.spec.acc_dtype, "v", self.value()), *take])
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
        element = [*self.position(), declare(self.spec.acc_dtype, "v", self.value()), take]
        return [
            f"LOCAL {self.acc} shared[{_GROUP}];",
            "const i32 lid = LOCAL_ID(0);",
            "#pragma unroll 8",
            f"for (i64 i = begin + lid; i < end; i += {_GROUP}) {{",
            *indent(element),
            "}",
            "shared[lid] = carry;",
            "BARRIER;",
            f"for (i32 h = {_GROUP // 2}; h > 0; h /= 2) {{",
            f"  if (lid < h) shared[lid] = {self.op('shared[lid]', 'shared[lid + h]')};",
            "  BARRIER;",
            "}",
            f"if (lid == 0) {self.store_partial('shared[0]')}",
        ]

    @property
    def staged(self) -> bool:
        """Whether values pass through local memory on their way in and out, so that neighbouring work-items read and
        write neighbouring elements, though each scans `_ITEMS` that stand together."""
        return self.spec.sink == "scan" and SIZE[self.spec.acc_dtype] <= _STAGED_BYTES

    def every(self, element: str, lines: list[str]) -> list[str]:
        """For every item of a work-item that is inside the part; `element` is its place in the group's."""
        return [
            "  #pragma unroll",
            f"  for (i32 k = 0; k < {_ITEMS}; ++k) {{",
            f"    const i32 j = {element};",
            "    const i64 i = base + j;",
            "    if (i < end) {",
            *indent(lines, 3),
            "    }",
            "  }",
        ]

    def group_scan(self) -> list[str]:
        load, own = [*self.position(), f"x[k] = {self.value()};"], f"lid * {_ITEMS} + k"
        if self.staged:
            load = [*self.position(), f"stage[PADDED(j)] = {self.value()};"]
            # Padding keeps the banks apart where each work-item reads its own.
            loads = [*self.every(f"k * {_GROUP} + lid", load), "  BARRIER;"]
            loads += self.every(own, ["x[k] = stage[PADDED(j)];"])
            result = "running" if self.spec.exclusive else "w"
            emit = [f"const {self.acc} w = {self.op('running', 'x[k]')};", f"stage[PADDED(j)] = {result};"]
            spec = replace(self.spec, exclusive=False)
            store = _Kernel(spec, self.dialect).emit("stage[PADDED(j)]", "", "")
            stores = ["  BARRIER;", *self.every(f"k * {_GROUP} + lid", store)]
        else:
            loads, stores = self.every(own, load), []
            emit = [f"const {self.acc} w = {self.op('running', 'x[k]')};", *self.emit("w", "running", "x[k]")]
        cells = _GROUP * _ITEMS
        stage = ["#define PADDED(j) ((j) + (j) / 32)", f"LOCAL {self.acc} stage[{cells + cells // 32}];"]
        return [
            *(stage if self.staged else []),
            f"LOCAL {self.acc} shared[{2 * _GROUP}];",
            "const i32 lid = LOCAL_ID(0);",
            f"for (i64 base = begin; base < end; base += {cells}) {{",
            f"  {self.acc} x[{_ITEMS}], sum = {self.literal()};",
            f"  for (i32 k = 0; k < {_ITEMS}; ++k) x[k] = {self.literal()};",
            *loads,
            f"  for (i32 k = 0; k < {_ITEMS}; ++k) sum = {self.op('sum', 'x[k]')};",
            # From one half of the local memory into the other and back: one barrier a step.
            "  i32 now = 0;",
            "  shared[lid] = sum;",
            "  BARRIER;",
            f"  for (i32 h = 1; h < {_GROUP}; h *= 2) {{",
            f"    {self.acc} up = shared[now + lid];",
            f"    if (lid >= h) up = {self.op('shared[now + lid - h]', 'up')};",
            f"    now = {_GROUP} - now;",
            "    shared[now + lid] = up;",
            "    BARRIER;",
            "  }",
            f"  {self.acc} running = carry;",
            f"  if (lid > 0) running = {self.op('carry', 'shared[now + lid - 1]')};",
            f"  carry = {self.op('carry', f'shared[now + {_GROUP - 1}]')};",
            *self.every(own, [*emit, "running = w;"]),
            *stores,
            "  BARRIER;",
            "}",
        ]


@dataclass(frozen=True, slots=True)
class _Geometry:
    """How rows are cut into parts, and where a part's value lies."""

    group: bool
    parts: int
    chunk: int
    row_stride: int
    part_stride: int
    rows: int

    @property
    def bytes(self) -> int:
        return self.rows * self.parts * abs(min(self.row_stride, self.part_stride))


def _geometry(
    kept: tuple[int, ...], length: int, step: int, neighbour: int, acc_dtype: str, dialect: Dialect
) -> _Geometry:
    """`step` and `neighbour` are the byte strides of the input along the row and between neighbouring rows."""
    rows, wanted = prod(kept), units_of(dialect) * _PARTS_PER_UNIT
    worth_groups = length > _SHORT_ROW or rows <= wanted  # few rows: one launch of groups, not three of items
    group = dialect.strategy == "gpu" and worth_groups and (not kept or abs(step) <= abs(neighbour))
    items = _GROUP * _ITEMS if group else 1
    if group or dialect.strategy == "cpu":
        parts = min(ceil_div(wanted, rows), ceil_div(length, 2 * items if group else 4096))
    else:
        parts = min(ceil_div(wanted * _GROUP, rows), ceil_div(length, 64))
    chunk = ceil_div(ceil_div(length, max(parts, 1)), items) * items
    parts = max(1, ceil_div(length, max(chunk, 1)))
    size = SIZE[acc_dtype]
    strides = (parts * size, size) if group or rows == 1 else (size, rows * size)
    return _Geometry(group, parts, chunk, *strides, rows)


def _serial_group(nkept: int, dialect: Dialect) -> int:
    """One long row on a CPU: a group of one, whose loops the compilers make vectors of, not of work-items."""
    return 1 if dialect.strategy == "cpu" and nkept == 0 else _SERIAL_GROUP


def _grid(geometry: _Geometry, nkept: int, dialect: Dialect) -> tuple[tuple[int, int], int]:
    if geometry.group:
        return (geometry.rows, geometry.parts), _GROUP
    local = _serial_group(nkept, dialect)
    return (ceil_div(geometry.rows, local), geometry.parts), local


def _partial_slots(geometry: _Geometry) -> tuple[int | str, ...]:
    return ("partials", geometry.row_stride, geometry.part_stride)


def _launch(spec: ScanSpec, dialect: Dialect, geometry: _Geometry, view: View, memory: _Roles, slots: _Slots) -> Launch:
    groups, local = _grid(geometry, spec.nkept, dialect)
    partials = ("partials",) if spec.partials else ()
    own = _partial_slots(geometry) if spec.partials else ()
    every = (*view.shape, geometry.chunk, *view_slots(view), *own, *slots)
    return Launch(render(spec, dialect), "k", groups, local, (view.role, *partials, *memory), every, spec.access)


def _totals(spec: ScanSpec, dialect: Dialect, geometry: _Geometry, view: View) -> tuple[Launch, ...]:
    """The first two phases: the partials become inclusive sums of the parts."""
    first = replace(spec, sink="partials", carried=False, exclusive=False)
    launches = [_launch(first, dialect, geometry, view, (), ())]
    if geometry.parts > 1:
        strides = (geometry.row_stride, geometry.part_stride)
        partials = View("partials", spec.acc_dtype, (geometry.rows, geometry.parts), strides)
        alone = dialect.strategy == "gpu" and geometry.rows < _GROUP
        op = "sum" if spec.op == "count_nonzero" else spec.op
        scan = ScanSpec(alone, 1, 1, op, spec.acc_dtype, spec.acc_dtype, "scan", spec.acc_dtype)
        whole = _Geometry(alone, 1, geometry.parts, *strides, geometry.rows)
        launches.append(_launch(scan, dialect, whole, partials, ("partials",), view_slots(partials)))
    return tuple(launches)


@lru_cache(maxsize=256)
def plan_scan(source: View, target: View, axis: int, op: str, dialect: Dialect, *, exclusive: bool = False) -> Plan:
    """Cumulative `op` along an axis.

    Parameters
    ----------
    source, target : View
        Of one shape, any strides. What is accumulated is cast to the target's dtype first (float16 is accumulated in
        float32).
    axis : int
        Not negative.
    op : {"sum", "prod", "min", "max"}
    exclusive : bool
        Whether an element's own value is left out; the first of a row is then the operation's identity.

    Returns
    -------
    Plan
        Roles: the views'; a temporary "partials" where rows are cut.
    """
    if op not in SCANS:
        raise ValueError(f"unknown scan {op!r}; there are {', '.join(SCANS)}")
    if source.shape != target.shape:
        raise ValueError(f"a scan's result has its input's shape {source.shape}, not {target.shape}")
    if source.size == 0:
        return Plan(())
    order = [*(dim for dim in range(len(source.shape)) if dim != axis), axis]
    source, target = source.moved(order), target.moved(order)
    acc = "float32" if target.dtype == "float16" else target.dtype
    kept = source.shape[:-1]
    neighbour = min((abs(s) for s, n in zip(source.strides[:-1], kept, strict=True) if n > 1), default=1 << 62)
    geometry = _geometry(kept, source.shape[-1], source.strides[-1], neighbour, acc, dialect)
    spec = ScanSpec(geometry.group, len(kept), 1, op, source.dtype, acc, "scan", target.dtype, exclusive)
    launches: tuple[Launch, ...] = ()
    if geometry.parts > 1:
        launches = _totals(spec, dialect, geometry, source)
        spec = replace(spec, carried=True)
    last = _launch(spec, dialect, geometry, source, (target.role,), view_slots(target))
    return Plan((*launches, last), {"partials": geometry.bytes} if geometry.parts > 1 else {})


def _collapsed(*views: View) -> list[View]:
    """Views of one shape with as few dims as they can all do with."""
    shape, strides = collapse(views[0].shape, [view.strides for view in views])
    return [View(view.role, view.dtype, shape, own) for view, own in zip(views, strides, strict=True)]


def _mask(mask: View, dialect: Dialect) -> tuple[ScanSpec, _Geometry]:
    geometry = _geometry((), mask.size, mask.itemsize, 1 << 62, "int64", dialect)
    spec = ScanSpec(geometry.group, 0, len(mask.shape), "count_nonzero", mask.dtype, "int64", "nonzero", "int64")
    return spec, geometry


@lru_cache(maxsize=256)
def plan_count(mask: View, dialect: Dialect) -> Plan:
    """Counts the elements of `mask` that are not zero; `mask` has at least one dim and one element.

    Returns
    -------
    Plan
        With the role "partials" (int64) as a temporary that must be kept for the second step. After the launches its
        last 8 bytes hold the count.
    """
    if dialect.strategy == "cpu":
        (mask,) = _collapsed(mask)
    spec, geometry = _mask(mask, dialect)
    if dialect.strategy == "cpu" and mask.strides == (mask.itemsize,):
        spec = replace(spec, unit=True)
    return Plan(_totals(spec, dialect, geometry, mask), {"partials": geometry.bytes})


def _second(mask: View, dialect: Dialect, sink: str, dtype: str, memory: _Roles, slots: _Slots) -> Plan:
    spec, geometry = _mask(mask, dialect)
    spec = replace(spec, sink=sink, out_dtype=dtype, carried=True)
    return Plan((_launch(spec, dialect, geometry, mask, memory, slots),))


@lru_cache(maxsize=256)
def plan_nonzero(mask: View, out: View, dialect: Dialect) -> Plan:
    """Indices of the elements of `mask` that are not zero, in C order, after `plan_count` of the same mask.

    `out` is int64 of shape (dims of the mask, count), its rows contiguous; row d holds the indices along dim d.
    """
    return _second(mask, dialect, "nonzero", "int64", (out.role,), (out.role, out.strides[0]))


@lru_cache(maxsize=256)
def plan_select(mask: View, values: View, out: View, dialect: Dialect) -> Plan:
    """The elements of `values` where `mask`, of the same shape, is not zero, into the one-dimensional `out`."""
    _same_shape(mask, values)
    if dialect.strategy == "cpu":
        mask, values = _collapsed(mask, values)
    slots = (*view_slots(values), *view_slots(out))
    return _second(mask, dialect, "select", values.dtype, (values.role, out.role), slots)


@lru_cache(maxsize=256)
def plan_place(mask: View, target: View, values: View, dialect: Dialect) -> Plan:
    """The one-dimensional `values` (stride 0 for a scalar), one by one, to where `mask` is not zero in `target`."""
    _same_shape(mask, target)
    if dialect.strategy == "cpu":
        mask, target = _collapsed(mask, target)
    slots = (*view_slots(target), *view_slots(values))
    return _second(mask, dialect, "place", target.dtype, (target.role, values.role), slots)


def _same_shape(mask: View, other: View) -> None:
    if mask.shape != other.shape:
        raise ValueError(f"a mask of shape {mask.shape} does not fit an array of shape {other.shape}")
