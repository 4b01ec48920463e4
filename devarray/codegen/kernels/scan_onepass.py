"""A scan of long rows that reads and writes memory once; devarray/codegen/kernels/scan.py plans it.

A work-group scans a *tile*, which it holds in registers, and tiles hand their totals on while they run (Merrill and
Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016). Tiles are numbered by a ticket drawn at the
start, so whoever is waited for is running.

There, a tile adds up what its neighbours have published until it meets one whose sum is known, so that rounding
depends on who was first. Here the order is fixed. A row's tiles stand in *blocks*. A tile publishes its own total,
reads the totals of all tiles before it in its block, a work-item each, and adds them up as a tree. Before them comes
the sum at the end of the block before, which the last tile of that block publishes. Sums go from block to block one
after the other, so a block has to take longer than that step: the last tile has all else added up when the sum comes.

A word that is handed on holds 32 bits of the value and a flag, and values of more bytes have several. No fence is
needed, and nothing but the words has to be cleared.

In a tile, a warp has neighbouring elements. It takes them in *runs*: each lane loads `pack` side by side, 16 bytes
where it can, and sums of lanes are made by shuffles.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from devarray.codegen.kernels.launches import address, declare, indent, read, write
from devarray.codegen.kernels.operands import numbered, unravel
from devarray.codegen.kernels.scan_kernel import Kernel
from devarray.codegen.kernels.scan_tiles import FIRST_WORD, LINE, OnePassSpec
from devarray.codegen.kernels.statements import node_statements, user_functions
from devarray.codegen.kernels.warps import from_words, primitives, word_count, words_of
from devarray.codegen.language.dialect import CTYPE, Dialect
from devarray.ops.dtypes import KIND, SIZE

__all__ = ["render_one_pass"]

_PAUSE = """\
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
#define PAUSE(ns) __nanosleep(ns)
#else
#define PAUSE(ns)
#endif
"""


@lru_cache(maxsize=512)
def render_one_pass(spec: OnePassSpec, dialect: Dialect) -> str:
    """Source of the kernel "k" of `spec`."""
    kernel, tiles = _Kernel(spec, dialect), spec.tiles
    body = "\n".join(indent(kernel.body()))
    text = dialect.kernel(
        "k", spec.access, kernel.slots, body, restrict=False, group=tiles.group, resident=tiles.resident
    )
    shuffle = kernel.shuffle_function() if tiles.warps else ""
    functions = user_functions(dialect, spec.scan.nodes)
    pause = _PAUSE if tiles.pause else ""
    return dialect.program(primitives(dialect, tiles.warps) + pause + functions + shuffle + text)


class _Kernel(Kernel):
    def __init__(self, spec: OnePassSpec, dialect: Dialect) -> None:
        super().__init__(spec.scan, dialect)
        self.one, self.tiles = spec, spec.tiles
        self.warps, self.words = spec.tiles.group // 32, word_count(spec.scan.acc_dtype)
        self.names = [f"q{number}" for number in range(spec.scan.inputs)] + ["q"]
        self.packed = [
            unit and len(dialect.chunks(dtype, spec.pack)) == 1 and dialect.chunks(dtype, spec.pack)[0].lanes > 1
            for dtype, unit in zip(spec.dtypes, spec.unit, strict=True)
        ]

    def body(self) -> list[str]:
        return [
            *self.draw(),
            *self.views(),
            *self.constants(),
            f"{self.acc} x[{self.one.items}];",
            *self.load(),
            *self.scan_tile(),
            *self.publish_total(),
            *self.place_runs(),
            *self.look_back(),
            *self.finish(),
            *self.store(),
        ]

    # Where the tile lies

    def draw(self) -> list[str]:
        """The number of the tile in all, its row, and its number in this."""
        spec, tile = self.spec, self.one.tile
        kept = [f"s.v[{dim}]" for dim in range(spec.nkept)]
        row = ["const u32 row = number / tiles, t = number - row * tiles;"]
        row += unravel(self.dialect, "(i64)row", kept, self.indices[: spec.nkept], "i64") if len(kept) == 1 else []
        if len(kept) > 1:
            row += ["const i64 at = (i64)row;", *unravel(self.dialect, "at", kept, self.indices[: spec.nkept], "i64")]
        return [
            "const i32 lid = LOCAL_ID(0), lane = lid & 31, warp = lid / 32;",
            "LOCAL u32 ticket;",
            f"if (lid == 0) ticket = COUNT_UP_BY((GLOBAL u32*)({self.state()}), 1u);",
            "BARRIER;",
            f"const u32 total = (u32)s.v[{self.partials_slot + 1}], tiles = (u32)s.v[{self.partials_slot + 2}];",
            "const u32 number = ticket;",
            *(row if kept else ["const u32 row = 0, t = number;"]),
            f"const u32 block = t / {self.tiles.block}, inner = t - block * {self.tiles.block};",
            f"const i64 first = (i64)t * {tile}, left = s.v[{spec.nkept}] - first;",
            f"const i32 count = left < {tile} ? (i32)left : {tile};",
            f"const i32 own = warp * {32 * self.one.items} + lane * {self.one.pack};",
        ]

    def state(self) -> str:
        return f"m{self.spec.inputs} + s.v[{self.partials_slot}]"

    def step(self, number: int) -> str:
        """Byte stride of a view along the row."""
        if self.one.unit[number]:
            return str(SIZE[self.one.dtypes[number]])
        ndim, result = len(self.indices), number == self.spec.inputs
        slot = self.sink_slot if result else self.input_slot + number * (1 + ndim)
        return f"s.v[{slot + ndim}]"

    def views(self) -> list[str]:
        """Pointers to the tile in each view."""
        indices, ndim = [*self.indices[:-1], "first"], len(self.indices)
        inputs = [
            f"GLOBAL const char* q{number} = {address(number, self.input_slot + number * (1 + ndim), indices)};"
            for number in range(self.spec.inputs)
        ]
        return [*inputs, f"GLOBAL char* q = {address(self.sink_memory, self.sink_slot, indices)};"]

    def constants(self) -> list[str]:
        """The scalars."""
        lines, slot = [], self.scalar_slot
        for name, dtype in zip(numbered("c", len(self.spec.scalars)), self.spec.scalars, strict=True):
            lines.append(declare(dtype, name, self.dialect.slot(slot, dtype)))
            slot += self.dialect.slots_of(dtype)
        return lines

    def aligned(self, numbers: Sequence[int]) -> str:
        """Whether vectors may move the tile of these views."""
        tests = [f"count == {self.one.tile}"]
        for number in numbers:
            nbytes = SIZE[self.one.dtypes[number]] * self.one.pack
            tests.append(f"((u64){self.names[number]} & {nbytes - 1}) == 0")
        return " && ".join(tests)

    # What is scanned

    def load(self) -> list[str]:
        vectors = [number for number in range(self.spec.inputs) if self.packed[number]]
        one_by_one = self.each_item(
            [f"x[e] = {self.literal()};", "if (j < count) {", *indent([*self.loads([]), *self.value_of("x[e]")]), "}"]
        )
        if not vectors:
            return one_by_one
        packs = self.each_run(
            [
                *(line for number in vectors for line in self.load_pack(number)),
                *self.each_of_run([*self.loads(vectors), *self.value_of("x[e]")]),
            ]
        )
        return [f"if ({self.aligned(vectors)}) {{", *indent(packs), "} else {", *indent(one_by_one), "}"]

    def load_pack(self, number: int) -> list[str]:
        """A lane's neighbours of a run, as `b0_` ..."""
        dtype, pack = self.one.dtypes[number], self.one.pack
        vector = self.dialect.chunk_type(dtype, self.dialect.chunks(dtype, pack)[0])
        place = f"q{number} + (i64)run * {SIZE[dtype]}"
        elements = ", ".join(self.dialect.element_of_chunk(dtype, f"v{number}_", at) for at in range(pack))
        return [
            f"const {vector} v{number}_ = ((GLOBAL const {vector}*)({place}))[0];",
            f"const {CTYPE[dtype]} b{number}_[{pack}] = {{{elements}}};",
        ]

    def loads(self, vectors: Sequence[int]) -> list[str]:
        """Element `j` of every input, as `a0` ..."""
        lines = []
        for number, dtype in enumerate(self.one.dtypes[:-1]):
            place = f"q{number} + (i64)j * {self.step(number)}"
            text = f"b{number}_[c]" if number in vectors else read(self.dialect, dtype, place)
            lines.append(declare(dtype, f"a{number}", text))
        return lines

    def value_of(self, target: str) -> list[str]:
        spec, dialect = self.spec, self.dialect
        names = [f"a{number}" for number in range(spec.inputs)]
        made: list[str] = []
        if spec.nodes:
            uniform = range(len(names), len(names) + len(spec.scalars))
            names += numbered("c", len(spec.scalars))
            made, names = node_statements(dialect, spec.nodes, names, [*spec.leaves, *spec.scalars], uniform=uniform)
        return [*made, f"{target} = {dialect.cast(spec.dtype, spec.acc_dtype, names[-1])};"]

    def each_run(self, lines: list[str]) -> list[str]:
        """For every run `k` of a work-item, which begins at `run` in the tile."""
        return self.each(self.one.runs, [f"const i32 run = own + k * {32 * self.one.pack};", *lines])

    def each(self, count: int, lines: list[str]) -> list[str]:
        return ["#pragma unroll", f"for (i32 k = 0; k < {count}; ++k) {{", *indent(lines), "}"]

    def each_of_run(self, lines: list[str]) -> list[str]:
        """For every element of the run: `j` in the tile, `e` among the work-item's."""
        pack = self.one.pack
        inner = [f"const i32 j = run + c, e = k * {pack} + c;", *lines]
        return ["#pragma unroll", f"for (i32 c = 0; c < {pack}; ++c) {{", *indent(inner), "}"]

    def each_item(self, lines: list[str]) -> list[str]:
        return self.each_run(self.each_of_run(lines))

    # Sums

    def rolled(self, head: str, statement: str) -> list[str]:
        """A loop over warps. Unrolled it takes registers, and with them up to a third of the groups at once."""
        return [*(["#pragma unroll 1"] if self.tiles.warps else []), f"for ({head}) {statement}"]

    def scan_tile(self) -> list[str]:
        """Values become sums of a lane's own in the run; `sums` are those of the lanes before in the run, `ends` those
        of whole runs, and `tops` of warps."""
        runs, pack = self.one.runs, self.one.pack
        x = [f"x[k * {pack} + {c}]" for c in range(pack)]
        adds = [f"{x[c]} = {self.op(x[c - 1], x[c])};" for c in range(1, pack)]
        return [
            f"{self.acc} sums[{runs}];",
            *self.each(runs, [*adds, f"sums[k] = {x[-1]};"]),
            *([] if self.tiles.warps else [f"LOCAL {self.acc} swap[{self.tiles.group * runs}];"]),
            *self.scan_lanes("sums", runs),
            f"LOCAL {self.acc} ends[{self.warps * runs}], tops[{self.warps}];",
            "if (lane == 31) {",
            f"  {self.acc} sum = sums[0];",
            f"  ends[warp * {runs}] = sum;",
            "  #pragma unroll",
            f"  for (i32 k = 1; k < {runs}; ++k) {{",
            f"    ends[warp * {runs} + k] = sums[k];",
            f"    sum = {self.op('sum', 'sums[k]')};",
            "  }",
            "  tops[warp] = sum;",
            "}",
            *self.from_below("sums", runs, "1", "sums[k] = up;"),
            "BARRIER;",
        ]

    def scan_lanes(self, array: str, count: int) -> list[str]:
        """Inclusive sums over the lanes of a warp."""
        take = f"if (lane >= h) {array}[k] = {self.op('up', f'{array}[k]')};"
        inner = self.from_below(array, count, "h", take)
        unroll = ["#pragma unroll"] if self.tiles.warps else []
        return [*unroll, "for (i32 h = 1; h < 32; h *= 2) {", *indent(inner), "}"]

    def from_below(self, array: str, count: int, h: str, take: str) -> list[str]:
        """`up` is the value that the lane `h` before has; the first lanes get whatever there is."""
        if self.tiles.warps:
            return self.each(count, [f"const {self.acc} up = value_up({array}[k], {h});", take])
        group, loop = self.tiles.group, f"for (i32 k = 0; k < {count}; ++k) {{"
        return [
            "BARRIER;",
            f"for (i32 k = 0; k < {count}; ++k) swap[k * {group} + lid] = {array}[k];",
            "BARRIER;",
            loop,
            f"  const {self.acc} up = swap[k * {group} + (lane >= {h} ? lid - {h} : lid)];",
            f"  {take}",
            "}",
        ]

    def shuffle_function(self) -> str:
        words = [f"SHUFFLE_UP({word}, h)" for word in words_of(self.spec.acc_dtype, "x")]
        value = from_words(self.spec.acc_dtype, words)
        return f"FN {self.acc} value_up({self.acc} x, i32 h) {{ return {value}; }}\n"

    def publish_total(self) -> list[str]:
        """The first work-item has the tile's total. It is of use to the tiles behind it in the block."""
        return [
            f"{self.acc} whole = tops[0];",
            "if (lid == 0) {",
            *indent(self.rolled(f"i32 w = 1; w < {self.warps}; ++w", f"whole = {self.op('whole', 'tops[w]')};")),
            f"  if (t + 1 < tiles && inner < {self.tiles.block - 1}) {{",
            f"    GLOBAL u64* out = {self.word('number')};",
            *indent(self.hand_on("out", "whole"), 2),
            "  }",
            "}",
        ]

    def place_runs(self) -> list[str]:
        """`sums` become those of all that is before in the tile: work that needs not wait for other tiles."""
        ends = f"ends[warp * {self.one.runs} + k]"
        return [
            f"{self.acc} lower = {self.literal()};",
            *self.rolled("i32 w = 0; w < warp; ++w", f"lower = {self.op('lower', 'tops[w]')};"),
            *self.each(
                self.one.runs,
                [
                    f"sums[k] = lane > 0 ? {self.op('lower', 'sums[k]')} : lower;",
                    f"lower = {self.op('lower', ends)};",
                ],
            ),
        ]

    def word(self, index: str) -> str:
        return f"(GLOBAL u64*)({self.state()}) + {FIRST_WORD} + (i64)({index}) * {self.words}"

    def hand_on(self, pointer: str, value: str) -> list[str]:
        words = words_of(self.spec.acc_dtype, value)
        return [f"HAND_ON_WIDE({pointer} + {i}, (u64)1 << 32 | {word});" for i, word in enumerate(words)]

    def end(self, block: str) -> str:
        """The words of the sum at the end of a block. They stand behind the totals, each on a cache line of its own:
        many groups wait for one, and those that look at neighbours would wait for each other."""
        before = f"(total * {self.words} + {LINE - 1}) / {LINE} + (i64)row * ((tiles - 1) / {self.tiles.block})"
        return f"(GLOBAL u64*)({self.state()}) + {FIRST_WORD} + ({before} + {block}) * {LINE}"

    def look(self, names: Sequence[str], pointer: str) -> list[str]:
        return [f"{name} = LOOK_WIDE({pointer} + {i});" for i, name in enumerate(names)]

    def wait(self, names: Sequence[str], pointer: str) -> list[str]:
        """Looks until the words are there."""
        return [
            f"while (!(({' & '.join(names)}) >> 32)) {{",
            *([f"  PAUSE({self.tiles.pause});"] if self.tiles.pause else []),
            *indent(self.look(names, pointer)),
            "}",
        ]

    def look_back(self) -> list[str]:
        """Into `backs`: totals of the tiles before in the block, 32 together.

        The first work-item looks for the end of the block before as well, and need not have it yet.

        No barrier stands under a condition, though that were the same for all: PoCL got the next condition wrong.
        """
        names, chain = [[f"{letter}{i}" for i in range(self.words)] for letter in "we"]
        value = from_words(self.spec.acc_dtype, [f"(u32){name}" for name in names])
        return [
            f"LOCAL {self.acc} backs[{self.warps + 1}];",
            "const b8 chained = lid == 0 && block > 0;",
            f"GLOBAL u64* end = {self.end('(i64)block - 1')};",
            f"u64 {', '.join(f'{name} = 0' for name in chain)};",
            "if (chained) {",
            *indent(self.look(chain, "end")),
            "}",
            f"{self.acc} v[1];",
            f"v[0] = {self.literal()};",
            "if (lid < (i32)inner) {",
            f"  GLOBAL u64* other = {self.word('number - inner + lid')};",
            f"  u64 {', '.join(f'{name} = LOOK_WIDE(other + {i})' for i, name in enumerate(names))};",
            *indent(self.wait(names, "other")),
            f"  v[0] = {value};",
            "}",
            *self.scan_lanes("v", 1),
            "if (lid < (i32)inner && (lane == 31 || lid == (i32)inner - 1)) backs[warp] = v[0];",
            "BARRIER;",
            f"{self.acc} inside = backs[0];",
            *self.rolled("i32 w = 1; w * 32 < (i32)inner; ++w", f"inside = {self.op('inside', 'backs[w]')};"),
        ]

    def finish(self) -> list[str]:
        """The sum before the tile; where it is the last of a block, the sum at its end is handed on.

        The ends of blocks wait for each other one after the other, so all that can be done before is done before.
        """
        chain = [f"e{i}" for i in range(self.words)]
        value = from_words(self.spec.acc_dtype, [f"(u32){name}" for name in chain])
        return [
            "if (lid == 0) {",
            f"  {self.acc} rest = whole;",
            f"  if (inner > 0) rest = {self.op('inside', 'whole')};",
            "  if (chained) {",
            *indent(self.wait(chain, "end"), 2),
            f"    const {self.acc} before = {value};",
            f"    backs[{self.warps}] = before;",
            f"    rest = {self.op('before', 'rest')};",
            "  }",
            f"  if (inner == {self.tiles.block - 1} && t + 1 < tiles) {{",
            f"    GLOBAL u64* out = {self.end('(i64)block')};",
            *(f"    {line}" for line in self.hand_on("out", "rest")),
            "  }",
            "}",
            "BARRIER;",
            f"const {self.acc} chain = backs[{self.warps}];",
            f"{self.acc} running = {self.literal()};",
            "if (block > 0) running = chain;",
            f"if (inner > 0) running = block > 0 ? {self.op('chain', 'inside')} : inside;",
        ]

    # Results

    def store(self) -> list[str]:
        pack, runs = self.one.pack, self.one.runs
        x = [f"x[k * {pack} + {c}]" for c in range(pack)]
        sums = [self.op("before", value) for value in x]
        if self.spec.exclusive:
            sums = ["before", *sums[:-1]]
        results = [f"{value} = {made};" for value, made in reversed(list(zip(x, sums, strict=True)))]
        scanned = self.each(runs, [f"const {self.acc} before = {self.op('running', 'sums[k]')};", *results])
        dtype = self.spec.out_dtype
        value = self.dialect.cast(self.spec.acc_dtype, dtype, "x[e]")
        put = write(self.dialect, dtype, f"q + (i64)j * {self.step(self.spec.inputs)}", value)
        one_by_one = self.each_item([f"if (j < count) {put}"])
        if not self.packed[-1]:
            return [*scanned, *one_by_one]
        packs = self.each_run(self.store_pack())
        condition = self.aligned([self.spec.inputs])
        return [*scanned, f"if ({condition}) {{", *indent(packs), "} else {", *indent(one_by_one), "}"]

    def store_pack(self) -> list[str]:
        spec, dialect, dtype, pack = self.spec, self.dialect, self.spec.out_dtype, self.one.pack
        vector = dialect.chunk_type(dtype, dialect.chunks(dtype, pack)[0])
        lines = [f"{vector} y;"]
        for c in range(pack):
            value = dialect.cast(spec.acc_dtype, dtype, f"x[k * {pack} + {c}]")
            if KIND[dtype] == "c":
                lines.append(f"const {CTYPE[dtype]} y{c} = {value};")
                lines += [f"y.{dialect.lane(2 * c)} = y{c}.re;", f"y.{dialect.lane(2 * c + 1)} = y{c}.im;"]
            else:
                lines.append(f"y.{dialect.lane(c)} = {dialect.to_storage(dtype, value)};")
        return [*lines, f"((GLOBAL {vector}*)(q + (i64)run * {SIZE[dtype]}))[0] = y;"]
