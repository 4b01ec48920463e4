"""Cumulative sums and their like along rows of a GPU's memory, in one pass: each element is read and written once.

Work-groups take tiles of a row by tickets, in their order. A group scans its tile, and hands the tile's value on; what
comes before the tile it puts together from values that others have handed on (D. Merrill and M. Garland, "Single-pass
parallel prefix scan with decoupled look-back", 2016). In which order values are combined does not depend on who came
when: those of 32 tiles, a *span*, one after the other, and those of the spans before one after the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from devarray.codegen.kernels.cooperation import cooperation
from devarray.codegen.kernels.launches import Launch, Plan, View, address, ceil_div, indent, read, view_slots, write
from devarray.codegen.kernels.operands import unravel
from devarray.codegen.kernels.reduction_spec import combine, identity
from devarray.codegen.kernels.warps import primitives
from devarray.codegen.language.dialect import CTYPE, Dialect
from devarray.ops.dtypes import KIND, SIZE

__all__ = ["ChainSpec", "plan_chain", "suits_chain"]

GROUP = 256
SPAN = 32
"""Tiles whose values a group may have to add up one by one."""
WINDOW = 64
"""Spans that a group looks back upon at most: more tiles than any GPU's groups work on at once."""
_TILE_BYTES = 16384
_LEAST_TILES = 2
_TICKETS = 4  # words before the tiles' and the spans' own


@dataclass(frozen=True, slots=True)
class ChainSpec:
    """One kernel, named "k".

    Memory arguments: the input, the result, values of tiles and spans, words of them. Slots: kept sizes, the row's
    length, its tiles and its spans, the tiles of all rows; offsets and byte strides of the input and the result; the
    offsets of the values and of the words.

    Attributes
    ----------
    nkept : int
    op : {"sum", "prod", "min", "max"}
    dtype, acc_dtype, out_dtype : str
        Of the input, what to accumulate in, and of the result.
    exclusive : bool
        Whether an element's own value is left out.
    """

    nkept: int
    op: str
    dtype: str
    acc_dtype: str
    out_dtype: str
    exclusive: bool

    @property
    def items(self) -> int:
        """Elements of a work-item."""
        return _TILE_BYTES // GROUP // SIZE[self.acc_dtype]


def suits_chain(source: View, target: View, acc_dtype: str, dialect: Dialect) -> bool:
    """Whether rows, along the last axis, lie side by side in a GPU's memory, and are some tiles long."""
    tile = _TILE_BYTES // SIZE[acc_dtype]
    return (
        dialect.strategy == "gpu"
        and KIND[acc_dtype] != "c"
        and SIZE[acc_dtype] in (4, 8)
        and source.shape[-1] > _LEAST_TILES * tile
        and source.strides[-1] == source.itemsize
        and target.strides[-1] == target.itemsize
    )


def plan_chain(source: View, target: View, op: str, acc_dtype: str, exclusive: bool, dialect: Dialect) -> Plan:
    """Cumulative `op` along the last axis of views that `suits_chain` is true of."""
    kept, length = source.shape[:-1], source.shape[-1]
    spec = ChainSpec(len(kept), op, source.dtype, acc_dtype, target.dtype, exclusive)
    tiles = ceil_div(length, spec.items * GROUP)
    spans, rows = ceil_div(tiles, SPAN), source.size // length
    slots = (*kept, length, tiles, spans, rows * tiles, *view_slots(source), *view_slots(target), "values", "words")
    memory = (source.role, target.role, "values", "words")
    launch = Launch(render(spec, dialect), "k", (rows * tiles,), GROUP, memory, slots, "rwww")
    size = SIZE[acc_dtype]
    temporaries = {"values": rows * (tiles + 2 * spans) * size, "words": (_TICKETS + rows * (tiles + spans)) * 4}
    return Plan((launch,), temporaries, frozenset({"words"}))


@lru_cache(maxsize=128)
def render(spec: ChainSpec, dialect: Dialect) -> str:
    """Source of the kernel "k" of `spec`."""
    text = _Kernel(spec, dialect).source()
    return dialect.program(cooperation(dialect) + primitives(dialect, False) + text)


class _Kernel:
    def __init__(self, spec: ChainSpec, dialect: Dialect) -> None:
        self.spec, self.dialect = spec, dialect
        self.acc = CTYPE[spec.acc_dtype]
        self.input_slot = spec.nkept + 4
        self.output_slot = self.input_slot + 2 + spec.nkept
        self.values_slot = self.output_slot + 2 + spec.nkept
        self.slots = self.values_slot + 2
        self.cells = spec.items * GROUP

    def source(self) -> str:
        lines = [*self.take_tile(), *self.load(), *self.scan(), *self.hand_on(), *self.look_back(), *self.store()]
        text = "\n".join(indent(lines))
        return self.dialect.kernel("k", "rwww", self.slots, text, restrict=False, group=GROUP)

    def op(self, a: str, b: str) -> str:
        return combine(self.spec.op, self.spec.acc_dtype, a, b, ordered=True)

    def literal(self) -> str:
        """What changes nothing; of sums -0, so that a first element of -0 stays -0."""
        signed = self.spec.op == "sum" and KIND[self.spec.acc_dtype] == "f"
        value = -0.0 if signed else identity(self.spec.op, self.spec.acc_dtype)
        return self.dialect.literal(value, self.spec.acc_dtype)

    def size(self, number: int) -> str:
        return f"s.v[{self.spec.nkept + number}]"

    def take_tile(self) -> list[str]:
        """Tickets: whoever is waited for has begun."""
        spec, names = self.spec, [f"o{dim}" for dim in range(self.spec.nkept)]
        cells = self.cells
        rows = unravel(self.dialect, "row", [f"s.v[{dim}]" for dim in range(spec.nkept)], names, "i64") if names else []
        return [
            "const i32 lid = LOCAL_ID(0);",
            f"GLOBAL u32* words = (GLOBAL u32*)(m3 + s.v[{self.values_slot + 1}]);",
            f"GLOBAL {self.acc}* values = (GLOBAL {self.acc}*)(m2 + s.v[{self.values_slot}]);",
            "LOCAL u32 ticket;",
            "if (lid == 0) ticket = COUNT_UP_BY(words, 1u);",
            "BARRIER;",
            f"const i64 length = {self.size(0)}, tiles = {self.size(1)}, spans = {self.size(2)}, every = {self.size(3)};",
            "const i64 tile = ticket, row = tile / tiles, block = tile - row * tiles;",
            *rows,
            f"const i64 begin = block * {cells};",
            f"const i32 count = length - begin < {cells} ? (i32)(length - begin) : {cells};",
            f"const i32 within = (i32)(block % {SPAN});",
            f"const i64 span = block / {SPAN}, first = row * spans;",
            f"GLOBAL u32* flags = words + {_TICKETS};",
            "GLOBAL u32* spanned = flags + every + first;",
            f"GLOBAL {self.acc}* sums = values + every + 2 * first;",
            "GLOBAL const char* in = " + address(0, self.input_slot, [*names, "begin"]) + ";",
            "GLOBAL char* out = " + address(1, self.output_slot, [*names, "begin"]) + ";",
        ]

    def each(self, place: str, lines: list[str]) -> list[str]:
        return [
            "#pragma unroll",
            f"for (i32 k = 0; k < {self.spec.items}; ++k) {{",
            f"  const i32 j = {place};",
            *indent(lines),
            "}",
        ]

    def load(self) -> list[str]:
        """By way of local memory, so that neighbouring work-items read neighbouring elements though each scans some
        that stand together. Padding keeps the banks apart."""
        spec = self.spec
        text = read(self.dialect, spec.dtype, f"in + (i64)j * {SIZE[spec.dtype]}")
        value = self.dialect.cast(spec.dtype, spec.acc_dtype, f"({text})")
        return [
            "#define PADDED(j) ((j) + (j) / 32)",
            f"LOCAL {self.acc} stage[{self.cells + self.cells // 32}];",
            *self.each(f"k * {GROUP} + lid", [f"stage[PADDED(j)] = j < count ? {value} : {self.literal()};"]),
            "BARRIER;",
            f"{self.acc} x[{spec.items}], own = {self.literal()};",
            *self.each(f"lid * {spec.items} + k", ["x[k] = stage[PADDED(j)];", f"own = {self.op('own', 'x[k]')};"]),
        ]

    def scan(self) -> list[str]:
        """Of the work-items' values: from one half of the local memory into the other and back."""
        return [
            f"LOCAL {self.acc} shared[{2 * GROUP}];",
            "i32 now = 0;",
            "shared[lid] = own;",
            "BARRIER;",
            f"for (i32 h = 1; h < {GROUP}; h *= 2) {{",
            f"  {self.acc} up = shared[now + lid];",
            f"  if (lid >= h) up = {self.op('shared[now + lid - h]', 'up')};",
            f"  now = {GROUP} - now;",
            "  shared[now + lid] = up;",
            "  BARRIER;",
            "}",
        ]

    def publish(self, place: str, value: str, word: str, state: int) -> list[str]:
        return [
            f"*(volatile GLOBAL {self.acc}*)({place}) = {value};",
            "DEVICE_FENCE;",
            f"HAND_ON({word}, {state}u);",
        ]

    def hand_on(self) -> list[str]:
        """The tile's value, and what the tiles before it in its span add up to; of the span's last tile, the span's."""
        total = f"shared[now + {GROUP - 1}]"
        volatile = f"*(volatile GLOBAL {self.acc}*)"
        return [
            f"LOCAL {self.acc} seen[{SPAN}], ahead[1];",
            "if (lid == 0) {",
            *indent(self.publish("values + tile", total, "flags + tile", 1)),
            "}",
            "if (lid < within) {",
            "  while (LOOK(flags + tile - within + lid) == 0) { }",
            "  DEVICE_FENCE;",
            f"  seen[lid] = {volatile}(values + tile - within + lid);",
            "}",
            "BARRIER;",
            f"{self.acc} before = {self.literal()}, whole = before;",
            "if (lid == 0) {",
            f"  for (i32 k = 0; k < within; ++k) before = {self.op('before', 'seen[k]')};",
            f"  whole = {self.op('before', total)};",
            f"  if (within == {SPAN - 1}) {{",
            *indent(self.publish("sums + 2 * span", "whole", "spanned + span", 1), 2),
            "  }",
            "}",
        ]

    def look_back(self) -> list[str]:
        """A span's word is 1 when its own value is there, and 2 when that of the row up to its end is. The farthest
        span that is looked upon is waited for until it is 2, or is the row's first."""
        volatile = f"*(volatile GLOBAL {self.acc}*)"
        return [
            f"LOCAL {self.acc} parts[{WINDOW}];",
            f"LOCAL u32 states[{WINDOW}];",
            f"if (lid < {WINDOW} && lid < span) {{",
            "  const i64 other = span - 1 - lid;",
            f"  const u32 least = lid == {WINDOW - 1} ? 2u : 1u;",
            "  u32 state;",
            "  do state = LOOK(spanned + other); while (state < least);",
            "  DEVICE_FENCE;",
            "  states[lid] = state;",
            f"  parts[lid] = {volatile}(sums + 2 * other + (state == 2));",
            "}",
            "BARRIER;",
            "if (lid == 0) {",
            f"  const i32 many = span < {WINDOW} ? (i32)span : {WINDOW};",
            "  i32 far = 0;",
            "  while (far < many && states[far] == 1) ++far;",
            f"  {self.acc} earlier = {self.literal()};",
            "  if (far < many) earlier = parts[far];",
            f"  for (i32 k = far - 1; k >= 0; --k) earlier = {self.op('earlier', 'parts[k]')};",
            f"  if (within == {SPAN - 1}) {{",
            f"    whole = {self.op('earlier', 'whole')};",
            *indent(self.publish("sums + 2 * span + 1", "whole", "spanned + span", 2), 2),
            "  }",
            f"  ahead[0] = {self.op('earlier', 'before')};",
            "}",
            "BARRIER;",
        ]

    def store(self) -> list[str]:
        spec = self.spec
        result = "running" if spec.exclusive else "w"
        value = self.dialect.cast(spec.acc_dtype, spec.out_dtype, "stage[PADDED(j)]")
        written = write(self.dialect, spec.out_dtype, f"out + (i64)j * {SIZE[spec.out_dtype]}", value)
        own = [
            f"const {self.acc} w = {self.op('running', 'x[k]')};",
            f"stage[PADDED(j)] = {result};",
            "running = w;",
        ]
        return [
            f"{self.acc} running = ahead[0];",
            f"if (lid > 0) running = {self.op('ahead[0]', 'shared[now + lid - 1]')};",
            *self.each(f"lid * {spec.items} + k", own),
            "BARRIER;",
            *self.each(f"k * {GROUP} + lid", [f"if (j < count) {{ {written} }}"]),
        ]
