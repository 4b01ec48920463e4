"""Product of two tall, narrow matrices along their long side, `a.T @ b`: the rows of both are read once, side by side.

A row is shared by `lanes` work-items, each of which adds up a block of the result, some columns of `a` by some of `b`,
in registers. Blocks are added up over the rows of a warp, over a group's warps, and over groups: the last group to come
does that. All in a fixed order, in up to log2(rows) + rows / (all work-items) steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from devarray.codegen.kernels.cooperation import cooperation
from devarray.codegen.kernels.launches import Launch, Plan, View, ceil_div, indent, units_of
from devarray.codegen.kernels.warps import WARP, across, has_warps
from devarray.codegen.language.dialect import CTYPE, Dialect
from devarray.ops.dtypes import SIZE

__all__ = ["Side", "TallProductSpec", "plan_tall_product", "render", "width_of"]

_GROUP = 256
_RECORD_BYTES = 4096
"""Of a group's partial results, of which local memory holds one for each warp. The core asks for no others."""
_EXCHANGED_BYTES = 64
"""Of each work-item at once, where they pass through local memory."""

# What was tuned.
_GROUPS_PER_UNIT = 2
_BYTES_IN_FLIGHT = 96
"""That a work-item asks for before it waits, of those that no other asks for."""
_WORDS = 96
"""Registers for a block and for the elements in flight."""
_MOST_ROWS = 8


@dataclass(frozen=True, slots=True)
class Side:
    """How the work-items of a row share one matrix's columns.

    Attributes
    ----------
    columns : int
    width : int
        Neighbours that are loaded at once.
    lanes : int
        Work-items that have different columns, a power of two: number j has the chunks j, j + lanes, ...
    chunks : int
        Of each.
    """

    columns: int
    width: int
    lanes: int
    chunks: int

    @property
    def block(self) -> int:
        return self.width * self.chunks


@dataclass(frozen=True, slots=True)
class TallProductSpec:
    """One kernel "k". Memory: a, b, the groups' parts, the counter, out. Slots: rows, rows of a group; offset and
    row stride of a and of b; offsets of the parts, the counter and out, which is in C order.

    Attributes
    ----------
    dtype : str
    left, right : Side
    rows : int
        Of a work-item that are under way at once.
    resident : int
        Groups on a compute unit.
    """

    dtype: str
    left: Side
    right: Side
    rows: int
    resident: int

    @property
    def lanes(self) -> int:
        """Work-items of a row."""
        return self.left.lanes * self.right.lanes

    @property
    def block(self) -> int:
        """Results of a work-item."""
        return self.left.block * self.right.block

    @property
    def wide(self) -> int:
        """Elements in 16 bytes."""
        return 16 // SIZE[self.dtype]

    @property
    def record(self) -> int:
        """Elements of a group's partial results: the blocks of a row's work-items."""
        return ceil_div(self.lanes * self.block, self.wide) * self.wide


@lru_cache(maxsize=256)
def render(spec: TallProductSpec, dialect: Dialect) -> str:
    """Source of the kernel "k" of `spec`."""
    return dialect.program(cooperation(dialect) + _Kernel(spec, dialect).source())


def _each(start: int, stop: int, statement: str) -> list[str]:
    return ["#pragma unroll", f"for (i32 e = {start}; e < {stop}; ++e) {statement}"]


def _spread(count: int, statements: Sequence[str]) -> list[str]:
    """For each `e` below `count`, by the work-items of a group together."""
    if count <= _GROUP:
        return [f"if (lid < {count}) {{", "  const i32 e = lid;", *indent(statements), "}"]
    return [f"for (i32 e = lid; e < {count}; e += {_GROUP}) {{", *indent(statements), "}"]


class _Kernel:
    def __init__(self, spec: TallProductSpec, dialect: Dialect) -> None:
        self.spec, self.dialect, self.type = spec, dialect, CTYPE[spec.dtype]
        self.size, self.warps = SIZE[spec.dtype], has_warps(dialect)
        self.vector = f"{self.type}x{spec.wide}"
        self.pass_rows = _GROUP // spec.lanes

    def source(self) -> str:
        spec = self.spec
        body = [
            *self.places(),
            *self.main_loop(),
            *self.add_rows_of_warp(),
            *self.add_warps(),
            *self.last_group(),
        ]
        text = "\n".join(indent(body))
        resident = spec.resident  # parts are read that other groups wrote: nothing to promise a compiler
        kernel = self.dialect.kernel("k", "rrwww", 9, text, restrict=False, group=_GROUP, resident=resident)
        return (across(self.dialect, [spec.dtype]) if self.warps else "") + kernel

    # Sums of rows

    def places(self) -> list[str]:
        left, zero = self.spec.left.lanes, self.dialect.literal(0, self.spec.dtype)
        return [
            f"const i32 lid = LOCAL_ID(0), lane = lid % {self.spec.lanes};",
            f"const i32 mine = lane % {left}, other = lane / {left};",
            "const i64 first = GROUP_ID(0) * s.v[1], end = first + s.v[1] < s.v[0] ? first + s.v[1] : s.v[0];",
            f"i64 i = first + lid / {self.spec.lanes};",
            "GLOBAL const char* row_a = m0 + s.v[2] + i * s.v[3];",
            "GLOBAL const char* row_b = m1 + s.v[4] + i * s.v[5];",
            f"const i64 step_a = {self.pass_rows} * s.v[3], step_b = {self.pass_rows} * s.v[5];",
            *self.chunks("a", self.spec.left, "mine"),
            *self.chunks("b", self.spec.right, "other"),
            f"{self.type} sum[{self.spec.block}];",
            *_each(0, self.spec.block, f"sum[e] = {zero};"),
        ]

    def chunks(self, name: str, side: Side, lane: str) -> list[str]:
        """Bytes from a row's start to each chunk. Behind the last column the last chunk stands in: it adds to results
        that nobody takes."""
        count, size, lines = side.columns // side.width, side.width * self.size, []
        for chunk in range(side.chunks):
            number = f"{lane} + {chunk * side.lanes}"
            if (chunk + 1) * side.lanes > count:
                number = f"({number} < {count} ? {number} : {count - 1})"
            lines.append(f"const i64 {name}{chunk} = (i64)({number}) * {size};")
        return lines

    def main_loop(self) -> list[str]:
        rows, step = self.spec.rows, self.pass_rows
        several = [
            f"for (; i + {(rows - 1) * step} < end; i += {rows * step}) {{",
            *indent(self.take_rows(rows)),
            "}",
        ]
        one = [f"for (; i < end; i += {step}) {{", *indent(self.take_rows(1)), "}"]
        return [*(several if rows > 1 else []), *one]

    def take_rows(self, rows: int) -> list[str]:
        """All loads first, so that they are under way together."""
        spec = self.spec
        lines = [f"{self.type} a[{rows}][{spec.left.block}], b[{rows}][{spec.right.block}];"]
        for row in range(rows):
            lines += [*self.load("a", row, spec.left), *self.load("b", row, spec.right)]
        return [
            *lines,
            "#pragma unroll",
            f"for (i32 r = 0; r < {rows}; ++r)",
            "  #pragma unroll",
            f"  for (i32 p = 0; p < {spec.left.block}; ++p)",
            "    #pragma unroll",
            f"    for (i32 q = 0; q < {spec.right.block}; ++q)",
            f"      sum[p * {spec.right.block} + q] = fma(a[r][p], b[r][q], sum[p * {spec.right.block} + q]);",
            f"row_a += {rows} * step_a;",
            f"row_b += {rows} * step_b;",
        ]

    def load(self, name: str, row: int, side: Side) -> Iterator[str]:
        for chunk in range(side.chunks):
            place = f"row_{name} + {row} * step_{name} + {name}{chunk}"
            first = chunk * side.width
            if side.width == 1:
                yield f"{name}[{row}][{first}] = *(GLOBAL const {self.type}*)({place});"
                continue
            kind, held = f"{self.type}x{side.width}", f"{name}{row}_{chunk}"
            yield f"const {kind} {held} = *(GLOBAL const {kind}*)({place});"
            moves = (f"{name}[{row}][{first + k}] = {held}.{self.dialect.lane(k)};" for k in range(side.width))
            yield " ".join(moves)

    # Sums over work-items

    def add_rows_of_warp(self) -> list[str]:
        """Each step halves the rows that a warp has sums of: of two work-items one goes on with the first half of the
        results, the other with the second. With an odd number left both go on with all, and have the same: bits of
        `twice`."""
        held, base, twice = self.spec.block, ["0"], 0
        lines = [f"LOCAL {self.type} pool[{self.pool_size()}];"]
        bit = self.spec.lanes
        while bit < WARP:
            if held % 2:
                twice |= bit
                lines += self.exchanged(bit, held, "sum[e]", "sum[e]")
            else:
                held //= 2
                base.append(f"(lid & {bit} ? {held} : 0)")
                upper = f"lid & {bit} ? sum[e + {held}]"
                lines += self.exchanged(bit, held, f"(lid & {bit} ? sum[e] : sum[e + {held}])", f"({upper} : sum[e])")
            bit *= 2
        place = f"lid / {WARP} * {self.spec.record} + lane * {self.spec.block} + {' + '.join(base)}"
        return [
            *lines,
            f"if ((lid & {twice}) == 0) {{",
            *indent(_each(0, held, f"pool[{place} + e] = sum[e];")),
            "}",
            "BARRIER;",
        ]

    def pool_size(self) -> int:
        """Elements of local memory: what work-items exchange where they have no warps, a record of each warp, 16 bytes
        of each work-item at the end."""
        shared = 0 if self.warps else _EXCHANGED_BYTES // self.size * _GROUP
        return max(shared, _GROUP // WARP * self.spec.record, _GROUP * self.spec.wide)

    def exchanged(self, bit: int, count: int, given: str, kept: str) -> list[str]:
        """`sum[e]` becomes what is kept of it and what the work-item with another `bit` gives for it."""
        if self.warps:
            return _each(0, count, f"sum[e] = {kept} + across_{self.type}({given}, {bit}, 0xffffffffu);")
        lines, piece = [], _EXCHANGED_BYTES // self.size
        for start in range(0, count, piece):
            stop, place = min(count, start + piece), f"pool[(e - {start}) * {_GROUP} + "
            lines += [*_each(start, stop, f"{place}lid] = {given};"), "BARRIER;"]
            lines += [*_each(start, stop, f"sum[e] = {kept} + {place}(lid ^ {bit})];"), "BARRIER;"]
        return lines

    def add_warps(self) -> list[str]:
        record = self.spec.record
        return [
            f"GLOBAL {self.type}* part = (GLOBAL {self.type}*)(m2 + s.v[6]) + GROUP_ID(0) * {record};",
            *_spread(
                record,
                [
                    f"{self.type} all = pool[e];",
                    "#pragma unroll",
                    f"for (i32 w = 1; w < {_GROUP // WARP}; ++w) all += pool[w * {record} + e];",
                    "part[e] = all;",
                ],
            ),
        ]

    def last_group(self) -> list[str]:
        """Work-items beside each other read 16 bytes each of a part, `shares` of them different parts."""
        spec, wide = self.spec, range(self.spec.wide)
        places = spec.record // spec.wide
        shares = 1 << ((_GROUP // places).bit_length() - 1)
        lanes = [self.dialect.lane(k) for k in wide]
        final = [
            "GROUP_FENCE;",
            f"const i32 place = lid % {places}, share = lid / {places};",
            f"{self.type} all[{spec.wide}];",
            " ".join(f"all[{k}] = 0;" for k in wide),
            f"if (share < {shares}) {{",
            "  #pragma unroll 8",
            f"  for (i32 g = share; g < parts; g += {shares}) {{",
            f"    const {self.vector} v = *(GLOBAL const {self.vector}*)"
            f"(m2 + s.v[6] + ((i64)g * {spec.record} + place * {spec.wide}) * {self.size});",
            "    " + " ".join(f"all[{k}] += v.{lane};" for k, lane in zip(wide, lanes, strict=True)),
            "  }",
            "}",
            " ".join(f"pool[lid * {spec.wide} + {k}] = all[{k}];" for k in wide),
            "BARRIER;",
            *self.tree(shares),
            *self.store(),
        ]
        return [
            "GROUP_FENCE;",
            "BARRIER;",
            "LOCAL i32 is_last;",
            "GLOBAL char* counter = m3 + s.v[7];",
            "if (lid == 0) {",
            "  is_last = arrive(counter) == (i32)GROUPS(0) - 1;",
            "  if (is_last) *(GLOBAL i32*)counter = 0;",
            "}",
            "BARRIER;",
            # PoCL loses results where a branch has barriers: without warps all groups go on, the others with no parts.
            "const i32 parts = is_last ? (i32)GROUPS(0) : 0;",
            *(["if (!is_last) return;"] if self.warps else []),
            *final,
        ]

    def tree(self, shares: int) -> list[str]:
        lines = []
        while shares > 1:
            shares //= 2
            half = shares * self.spec.record
            lines += [*_spread(half, [f"pool[e] += pool[e + {half}];"]), "BARRIER;"]
        return lines

    def store(self) -> list[str]:
        left, right = self.spec.left, self.spec.right
        column = "({lane} + {at} / {width} * {lanes}) * {width} + {at} % {width}"
        row = column.format(lane=f"l % {left.lanes}", at="p", width=left.width, lanes=left.lanes)
        other = column.format(lane=f"l / {left.lanes}", at="q", width=right.width, lanes=right.lanes)
        store = [
            f"const i32 l = e / {self.spec.block}, p = e % {self.spec.block} / {right.block}, q = e % {right.block};",
            f"const i32 row = {row}, column = {other};",
            f"if (is_last && row < {left.columns} && column < {right.columns})",
            f"  *(GLOBAL {self.type}*)(m4 + s.v[8] + (row * {right.columns} + column) * {self.size}) = pool[e];",
        ]
        return _spread(self.spec.lanes * self.spec.block, store)


# Planning


def _sides(columns: int, width: int) -> Iterator[Side]:
    """The ways to share columns that leave no work-item of a row without any, but for what a power of two takes."""
    lanes = 1
    while lanes <= WARP:
        chunks = ceil_div(columns, width * lanes)
        yield Side(columns, width, lanes, chunks)
        if chunks == 1:
            return
        lanes *= 2


def _shared(left: tuple[int, int], right: tuple[int, int], size: int) -> tuple[Side, Side]:
    """The cheapest way to share a row of given (columns, width) of both: a warp loads four bytes in the time of four
    fused operations, of float64 of two."""
    words = size // 4
    results = left[0] * right[0]
    most = 16 if words == 2 and results <= 256 else 64 if words == 1 and results > 512 else 32

    def cost(sides: tuple[Side, Side]) -> tuple[int, int]:
        a, b = sides
        lanes = a.lanes * b.lanes
        return lanes * words * (a.block * b.block + 4 * (a.block + b.block)), -a.lanes

    pairs = [(a, b) for a in _sides(*left) for b in _sides(*right)]
    fit = [
        (a, b)
        for a, b in pairs
        if a.lanes * b.lanes <= WARP
        and a.block * b.block <= most
        and a.lanes * b.lanes * a.block * b.block * size <= _RECORD_BYTES
    ]
    return min(fit, key=cost)


def width_of(view: View, alignment: int) -> int:
    """Elements of a row loaded at once: they divide it, and begin at multiples of their bytes wherever it lies."""
    bytes_at_once = 16
    row = view.shape[1] * view.itemsize
    while bytes_at_once > view.itemsize and any(n % bytes_at_once for n in (row, view.strides[0], alignment)):
        bytes_at_once //= 2
    return bytes_at_once // view.itemsize


def _rows(left: Side, right: Side, size: int) -> int:
    lanes, words = left.lanes * right.lanes, size // 4
    wanted = ceil_div(_BYTES_IN_FLIGHT * lanes, (left.columns + right.columns) * size)
    room = (_WORDS - left.block * right.block * words) // ((left.block + right.block) * words)
    return max(1, min(_MOST_ROWS, wanted, room))


@lru_cache(maxsize=256)
def plan_tall_product(
    left: View, right: View, counter: View, out: View, alignments: Sequence[int], dialect: Dialect
) -> Plan:
    """`left.T @ right`, both of as many rows, whose elements lie side by side.

    Parameters
    ----------
    left, right, out : View
        Of shapes (k, m), (k, n) and (m, n), float32 or float64; `out` in C order.
    counter : View
        One int32, zero before and after the launch.
    alignments : pair of int
        Powers of two that the addresses of `left` and `right` are multiples of, up to 16.

    Returns
    -------
    Plan
        One launch.
    """
    depth, size = left.shape[0], left.itemsize
    sides = [(view.shape[1], width_of(view, at)) for view, at in zip((left, right), alignments, strict=True)]
    a, b = _shared(sides[0], sides[1], size)
    spec = TallProductSpec(left.dtype, a, b, _rows(a, b, size), _GROUPS_PER_UNIT)
    once = _GROUP // spec.lanes * spec.rows  # rows of one turn of a group's loop: whole turns, but for the last group
    rows = ceil_div(depth, units_of(dialect) * _GROUPS_PER_UNIT * once) * once
    groups = ceil_div(depth, rows)
    slots = (depth, rows, left.role, left.strides[0], right.role, right.strides[0], "parts", counter.role, out.role)
    roles = (left.role, right.role, "parts", counter.role, out.role)
    launch = Launch(render(spec, dialect), "k", (groups,), _GROUP, roles, slots, "rrwww")
    return Plan((launch,), {"parts": groups * spec.record * size})
