"""The kernels of a radix sort by digits of 8 bits; devarray/codegen/kernels/sort.py plans them.

A *tile* is what a work-group sorts at once: it ranks its keys by a digit, stably, reorders them in local memory, and
then either goes on with the next digit (rows of one tile) or writes runs of equal digits to where they go in the row.

Two ways to rank. Where work-items run in warps of 32 that can vote, each warp finds the equals of a digit by 8 ballots
and counts digits in counters of its own. Else each work-item counts digits of 4 bits in counters of its own, twice.

Two ways to find where a tile's digits begin in the row. With *look-back* (Merrill and Garland, "Single-pass Parallel
Prefix Scan with Decoupled Look-back", 2016; Adinets and Merrill, "Onesweep", 2022) tiles hand their counts on while
they run: a tile publishes its own counts, then adds those of the tiles before it, back to one whose sum is known. Tiles
are numbered by a ticket drawn at the start, so whoever is waited for is running. Else the counts of all tiles are made
and scanned by kernels before.
"""

from __future__ import annotations

from functools import lru_cache

from devarray.codegen.kernels.keys import canonical, key_dtype
from devarray.codegen.kernels.launches import indent
from devarray.codegen.kernels.radix_rank import Ranking
from devarray.codegen.kernels.radix_spec import DIGITS, FEW_GROUP, TICKETS, SortSpec, bits_of
from devarray.codegen.kernels.warps import primitives
from devarray.codegen.language.dialect import Dialect
from devarray.ops.dtypes import SIZE

__all__ = ["render"]

_COPIES = 4  # of the histogram in local memory: neighbours count the same digit without waiting for each other


@lru_cache(maxsize=512)
def render(spec: SortSpec, dialect: Dialect) -> str:
    """Source of the kernel "k" of `spec`."""
    kernel = _Kernel(spec, dialect)
    body = {
        "few": kernel.few,
        "row": kernel.row,
        "count": kernel.count,
        "histogram": kernel.histogram,
        "starts": kernel.starts,
        "sweep": kernel.sweep,
    }[spec.phase]()
    group = FEW_GROUP if spec.phase == "few" else spec.group
    # Registers of a compute unit are shared by its groups: these kernels wait much, and want company.
    resident = spec.resident if spec.phase in ("sweep", "row") else 0
    text = dialect.kernel(
        "k", spec.access, kernel.slots, "\n".join(indent(body)), restrict=False, group=group, resident=resident
    )
    return dialect.program(primitives(dialect, spec.warps) + text)


class _Kernel(Ranking):
    """The phases of a sort."""

    # Rows in one group

    def few(self) -> list[str]:
        """A group has as many whole rows as fit."""
        spec = self.spec
        parts = list(reversed(spec.parts))
        before = "j < i"
        for part in reversed(parts):
            before = f"(keys_{part}[at] < own_{part} || (keys_{part}[at] == own_{part} && {before}))"
        load = []
        for part in parts:
            load += ["{", *indent(self.key_at(part, "i", f"k_{part}")), "}"]
            load.append(f"keys_{part}[lid] = {canonical(spec.dtype, not spec.payload, f'k_{part}')};")
        return [
            "const i32 lid = LOCAL_ID(0);",
            f"const i64 n = {self.slot(0)};",
            f"const i32 held = {FEW_GROUP} / (i32)n, mine = lid / (i32)n, i = lid - mine * (i32)n;",
            "const i64 row = GROUP_ID(0) * held + mine;",
            f"const i32 busy = mine < held && row < {self.rows};",
            *self.unravelled(),
            *[f"LOCAL {spec.key} keys_{part}[{FEW_GROUP}]; {spec.key} k_{part} = 0;" for part in parts],
            "if (busy) {",
            *indent(load),
            "}",
            "BARRIER;",
            "if (busy) {",
            *[f"  const {spec.key} own_{part} = keys_{part}[lid];" for part in parts],
            "  i32 place = 0;",
            "  for (i32 j = 0; j < n; ++j) {",
            "    const i32 at = mine * (i32)n + j;",
            f"    place += {before} ? 1 : 0;",
            "  }",
            *indent(self.put("i", f"k_{parts[0]}", "place")),
            "}",
        ]

    def row(self) -> list[str]:
        """All digits of one row."""
        spec = self.spec
        lines = [
            "const i32 lid = LOCAL_ID(0);",
            f"const i64 n = {self.slot(0)}, row = GROUP_ID(0);",
            *self.unravelled(),
            *self.room(spec.tile * max(SIZE[key_dtype(spec.dtype)], 4 * spec.payload)),
            f"{spec.key} x[{spec.items}];",
            f"u32 r[{spec.items}];",
        ]
        if spec.payload:
            lines.append(f"u32 p[{spec.items}];")
            lines += self.each([f"p[k] = (u32){self.position()};"])
        for number, part in enumerate(spec.parts):
            i = self.position() if number == 0 else "(i64)p[k]"
            key = self.key_at(part, "i", "x[k]")
            # What lies behind the row comes last, and stays there: it is behind all equals.
            load = [f"const i64 i = {i};", f"x[k] = ({spec.key})~({spec.key})0;", "if (i < n) {", *indent(key), "}"]
            lines += self.each(load)
            payload = self.exchange("p", "u32") if spec.payload else []
            digit = [*self.rank(), *self.exchange("x", spec.key), *payload]
            lines += [f"for (i32 shift = 0; shift < {bits_of(spec, part)}; shift += 8) {{", *indent(digit), "}"]
        index = "p[k]" if spec.payload else ""
        store = self.put(index, "x[k]", "i")
        return [*lines, *self.each([f"const i64 i = {self.position()};", "if (i < n) {", *indent(store), "}"])]

    # Rows of many tiles

    def count(self) -> list[str]:
        """Counts of a digit in each tile, by row, digit and tile."""
        spec = self.spec
        key = self.key_in("i", "x")
        return [
            "const i32 lid = LOCAL_ID(0);",
            *self.tile_of("GROUP_ID(0)"),
            f"const i32 shift = (i32){self.slot(3)};",
            f"LOCAL u32 digits[{DIGITS}];",
            f"for (i32 d = lid; d < {DIGITS}; d += {spec.group}) digits[d] = 0;",
            "BARRIER;",
            f"for (i32 k = lid; k < count; k += {spec.group}) {{",
            "  const i64 i = first + k;",
            f"  {spec.key} x;",
            *indent(["{", *indent(key), "}"]),
            f"  COUNT_LOCAL(&digits[{self.digit('x', 'shift')}]);",
            "}",
            "BARRIER;",
            f"for (i32 d = lid; d < {DIGITS}; d += {spec.group})",
            f"  {self.pointer('counts', 'u32')}[(row * {DIGITS} + d) * blocks + block] = digits[d];",
        ]

    def histogram(self) -> list[str]:
        """Counts of every digit in a row: [row][pass][digit], behind the tickets."""
        spec = self.spec
        passes = bits_of(spec, spec.part) // 8
        copies = _COPIES if passes <= 4 else 1
        counters = passes * DIGITS
        count = [
            f"COUNT_LOCAL(&digits[({number * DIGITS} + {self.digit('x', str(8 * number))}) * {copies} + copy]);"
            for number in range(passes)
        ]
        return [
            "const i32 lid = LOCAL_ID(0);",
            f"const i64 n = {self.slot(0)}, row = GROUP_ID(0), chunk = {self.slot(2)}, begin = GROUP_ID(1) * chunk;",
            "const i64 end = n - begin < chunk ? n : begin + chunk;",
            *self.unravelled(),
            f"LOCAL u32 digits[{counters * copies}];",
            f"for (i32 j = lid; j < {counters * copies}; j += {spec.group}) digits[j] = 0;",
            "BARRIER;",
            f"const i32 copy = lid & {copies - 1};",
            "#pragma unroll 4",
            f"for (i64 i = begin + lid; i < end; i += {spec.group}) {{",
            f"  {spec.key} x;",
            *indent(["{", *indent(self.key_in("i", "x")), "}"]),
            *indent(count),
            "}",
            "BARRIER;",
            f"GLOBAL u32* all = {self.pointer('state', 'u32')} + {TICKETS} + "
            f"(row * {self.slot(5)} + {self.slot(4)}) * {DIGITS};",
            f"for (i32 j = lid; j < {counters}; j += {spec.group}) {{",
            "  u32 sum = 0;",
            f"  for (i32 c = 0; c < {copies}; ++c) sum += digits[j * {copies} + c];",
            "  if (sum) COUNT_UP_BY(all + j, sum);",
            "}",
        ]

    def starts(self) -> list[str]:
        """A group makes exclusive sums of one row's digits in one pass."""
        scan = self.scan_by_shuffles() if self.spec.warps else self.scan_by_steps()
        return [
            "const i32 lid = LOCAL_ID(0);",
            f"LOCAL u32 {f'tops[{self.warps}]' if self.spec.warps else f'sums[{self.spec.group}]'};",
            f"GLOBAL u32* digit = {self.pointer('state', 'u32')} + {TICKETS} + GROUP_ID(0) * {DIGITS} + lid;",
            "const u32 total = *digit;",
            *scan,
            "*digit = start;",
        ]

    def sweep(self) -> list[str]:
        """One digit of a tile."""
        spec = self.spec
        ticket = []
        if spec.lookback:
            counter = f"{self.pointer('state', 'u32')} + {self.slot(4)}"
            ticket = ["LOCAL u32 ticket;", f"if (lid == 0) ticket = COUNT_UP_BY({counter}, 1u);", "BARRIER;"]
        place = [
            f"const {spec.key} key = ((SHARED {spec.key}*)room)[j];",
            f"t[k] = bases[{self.digit('key', 'shift')}] + (u32)j;",
        ]
        if spec.store == "keys":
            place.append(f"{self.pointer('keys_out', spec.key)}[row * n + t[k]] = key;")
        elif spec.store == "values":
            place += self.put("", "key", "t[k]")
        lines = [
            "const i32 lid = LOCAL_ID(0);",
            *ticket,
            *self.tile_of("(i64)ticket" if spec.lookback else "GROUP_ID(0)"),
            f"const i32 shift = (i32){self.slot(3)};",
            *self.room(spec.tile * max(SIZE[key_dtype(spec.dtype)], 4 * spec.payload)),
            f"LOCAL u32 bases[{DIGITS}];",
            f"{spec.key} x[{spec.items}];",
            f"u32 r[{spec.items}], t[{spec.items}];",
            *self.load_tile(),
            *self.rank(),
            *self.each([f"((SHARED {spec.key}*)room)[r[k]] = x[k];"]),
            *([] if spec.warps else self.count_tile()),
            *self.bases(),
            "BARRIER;",
            *self.each([f"const i32 j = k * {spec.group} + lid;", "if (j < count) {", *indent(place), "}"]),
        ]
        return [*lines, *(self.store_payload() if spec.payload else [])]

    def load_tile(self) -> list[str]:
        """Keys x, and without warps indices p, too: there they move while ranks are made."""
        spec = self.spec
        if spec.warps:
            key = ["const i64 i = first + at_k;", *self.key_in("i", "x[k]")]
            return self.each(
                [
                    f"const i32 at_k = {self.position()};",
                    f"x[k] = ({spec.key})~({spec.key})0;",
                    "if (at_k < count) {",
                    *indent(key),
                    "}",
                ]
            )
        # Neighbours read neighbouring elements, and get those that stand together from local memory.
        lines = [f"u32 p[{spec.items}];"] if spec.payload else []
        arrays = [("x", spec.key, self.key_in("i", "x[k]"))]
        if spec.payload:
            arrays.append(("p", "u32", [f"p[k] = {self.index_in('i')};"]))
        for array, kind, load in arrays:
            lines += self.each(
                [
                    f"const i32 at_k = k * {spec.group} + lid;",
                    "const i64 i = first + at_k;",
                    f"r[k] = (u32)at_k; {array}[k] = ({kind})~({kind})0;",
                    "if (at_k < count) {",
                    *indent(load),
                    "}",
                ]
            )
            lines += self.exchange(array, kind)
        return lines

    def count_tile(self) -> list[str]:
        """`total` and `start` of the work-item's own digit."""
        return [
            f"LOCAL u32 digits[{DIGITS}];",
            "digits[lid] = 0;",
            "BARRIER;",
            *self.each([f"COUNT_LOCAL(&digits[{self.digit('x[k]', 'shift')}]);"]),
            "BARRIER;",
            "u32 total = digits[lid];",
            *self.scan_by_steps(),
            *self.publish(),
        ]

    def bases(self) -> list[str]:
        """Where each digit's run begins in the row, less where it begins in the tile."""
        if not self.spec.lookback:
            counts = f"{self.pointer('counts', 'u32')}[(row * {DIGITS} + lid) * blocks + block]"
            return [f"if (lid < {DIGITS}) bases[lid] = {counts} - start;"]
        begin = f"{self.pointer('state', 'u32')}[{TICKETS} + (row * {self.slot(5)} + {self.slot(4)}) * {DIGITS} + lid]"
        return [
            f"if (lid < {DIGITS}) {{",
            "  u32 before = 0;",
            "  if (block > 0) {",
            "    GLOBAL u32* other = status;",
            "    u32 v;",
            "    do {",
            f"      other -= {DIGITS};",
            "      do v = LOOK(other); while (v >> 30 == 0);",
            "      before += v & 0x3fffffffu;",
            "    } while (v >> 30 == 1);",
            "    HAND_ON(status, (before + known) | 2u << 30);",
            "  }",
            f"  bases[lid] = {begin} + before - start;",
            "}",
        ]

    def store_payload(self) -> list[str]:
        spec = self.spec
        room = "((SHARED u32*)room)"
        index = f"{room}[k * {spec.group} + lid]"
        load = [f"const i32 at_k = {self.position()};", "const i64 i = first + at_k;"]
        payload = "p[k]" if not spec.warps else f"at_k < count ? {self.index_in('i')} : 0u"
        if spec.store == "keys":
            store = [f"{self.pointer('indices_out', 'u32')}[row * n + t[k]] = {index};"]
        else:
            store = self.put(index, "", "t[k]")
        return [
            "BARRIER;",
            *self.each([*load, f"{room}[r[k]] = {payload};"]),
            "BARRIER;",
            *self.each([f"if (k * {spec.group} + lid < count) {{", *indent(store), "}"]),
        ]
