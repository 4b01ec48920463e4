"""How a work-group of a radix sort ranks the keys of its tile by one digit; see devarray/codegen/kernels/radix.py."""

from __future__ import annotations

from devarray.codegen.kernels.launches import indent
from devarray.codegen.kernels.radix_spec import DIGITS, TICKETS
from devarray.codegen.kernels.radix_tile import Tile

__all__ = ["Ranking"]


class Ranking(Tile):
    """Ranks of a tile's keys: by ballots of warps, or by counters of 4 bits."""

    def room(self, nbytes: int) -> list[str]:
        """Local memory that counters and the tile use in turn."""
        spec = self.spec
        if spec.warps:
            nbytes = max(nbytes, self.warps * DIGITS * 4)
            lines = [f"LOCAL u32 tops[{self.warps}];"]
        else:
            lines = [f"LOCAL u16 nibbles[{16 * spec.group}];", f"LOCAL u32 sums[{spec.group}];"]
        return [f"LOCAL u64 room[{-(-nbytes // 8)}];", *lines]

    def exchange(self, array: str, kind: str) -> list[str]:
        """Each item to its rank."""
        room = f"((SHARED {kind}*)room)"
        return [
            *self.each([f"{room}[r[k]] = {array}[k];"]),
            "BARRIER;",
            *self.each([f"{array}[k] = {room}[{self.position()}];"]),
            "BARRIER;",
        ]

    def rank(self) -> list[str]:
        """Ranks r of the items x by the digit at `shift`.

        With warps, `total` is the count of the work-item's own digit in the tile, and `start` where it begins.
        """
        return self.rank_by_ballots() if self.spec.warps else self.rank_by_nibbles()

    def rank_by_ballots(self) -> list[str]:
        spec = self.spec
        counters = "((SHARED u32*)room)"
        return [
            # Digit, equals before in the warp, and equals in all: votes of many items are under way at once.
            *self.each(
                [
                    f"const u32 d = {self.digit('x[k]', 'shift')};",
                    "const u32 peers = equal_in_warp(d);",
                    "r[k] = d | BITS_SET(peers & ((1u << (lid & 31)) - 1u)) << 8 | BITS_SET(peers) << 16;",
                ]
            ),
            f"for (i32 j = lid; j < {self.warps * DIGITS}; j += {spec.group}) {counters}[j] = 0;",
            "BARRIER;",
            f"SHARED u32* own = {counters} + lid / 32 * {DIGITS};",
            *self.each(
                [
                    f"const u32 d = r[k] & {DIGITS - 1}u, before = r[k] >> 8 & 255u;",
                    "const u32 old = own[d];",
                    "WARP_BARRIER;",
                    "if (before == 0) own[d] = old + (r[k] >> 16);",
                    "WARP_BARRIER;",
                    "r[k] = d | (old + before) << 8;",
                ]
            ),
            "BARRIER;",
            "u32 total = 0;",
            f"if (lid < {DIGITS}) {{",
            "  #pragma unroll",
            f"  for (i32 w = 0; w < {self.warps}; ++w) {{",
            f"    const u32 c = {counters}[w * {DIGITS} + lid];",
            f"    {counters}[w * {DIGITS} + lid] = total;",
            "    total += c;",
            "  }",
            "}",
            *(self.publish() if spec.phase == "sweep" else []),
            *self.scan_by_shuffles(),
            f"if (lid < {DIGITS}) {{",
            "  #pragma unroll",
            f"  for (i32 w = 0; w < {self.warps}; ++w) {counters}[w * {DIGITS} + lid] += start;",
            "}",
            "BARRIER;",
            *self.each([f"r[k] = (r[k] >> 8) + own[r[k] & {DIGITS - 1}u];"]),
            "BARRIER;",
        ]

    def scan_by_shuffles(self) -> list[str]:
        """`start`: the sum of `total` of the work-items before."""
        return [
            "u32 start = total;",
            "for (i32 h = 1; h < 32; h *= 2) {",
            "  const u32 other = SHUFFLE_UP(start, h);",
            "  if ((lid & 31) >= h) start += other;",
            "}",
            "if ((lid & 31) == 31) tops[lid / 32] = start;",
            "BARRIER;",
            "start -= total;",
            "for (i32 w = 0; w < lid / 32; ++w) start += tops[w];",
        ]

    def scan_by_steps(self) -> list[str]:
        """`start`: the sum of `total` of the work-items before."""
        return [
            "sums[lid] = total;",
            "BARRIER;",
            f"for (i32 h = 1; h < {self.spec.group}; h *= 2) {{",
            "  const u32 other = lid >= h ? sums[lid - h] : 0;",
            "  BARRIER;",
            "  sums[lid] += other;",
            "  BARRIER;",
            "}",
            "const u32 start = sums[lid] - total;",
        ]

    def nibble(self, low: int) -> list[str]:
        """Ranks by 4 bits of the digit, from counters [digit][work-item]."""
        spec = self.spec
        digit = f"({self.digit('x[k]', 'shift')} >> {low} & 15u)"
        return [
            "{",
            *indent(
                [
                    f"for (i32 d = 0; d < 16; ++d) nibbles[d * {spec.group} + lid] = 0;",
                    *self.each([f"r[k] = nibbles[{digit} * {spec.group} + lid]++;"]),
                    "BARRIER;",
                    "u32 total = 0;",
                    "for (i32 j = 0; j < 16; ++j) {",
                    "  const u32 c = nibbles[lid * 16 + j];",
                    "  nibbles[lid * 16 + j] = (u16)total;",
                    "  total += c;",
                    "}",
                    *self.scan_by_steps(),
                    "for (i32 j = 0; j < 16; ++j) nibbles[lid * 16 + j] += (u16)start;",
                    "BARRIER;",
                    *self.each([f"r[k] += nibbles[{digit} * {spec.group} + lid];"]),
                    "BARRIER;",
                ]
            ),
            "}",
        ]

    def rank_by_nibbles(self) -> list[str]:
        payload = self.exchange("p", "u32") if self.spec.payload else []
        return [*self.nibble(0), *self.exchange("x", self.spec.key), *payload, *self.nibble(4)]

    def publish(self) -> list[str]:
        """Hands on the tile's own counts, for look-back: those of all tiles so far where it is the row's first."""
        if not self.spec.lookback:
            return []
        tiles = f"{self.rows} * blocks"
        return [
            f"GLOBAL u32* status = {self.pointer('state', 'u32')} + {TICKETS} + {self.rows} * {self.slot(5)} * {DIGITS}"
            f" + ({self.slot(4)} * ({tiles}) + tile) * {DIGITS} + lid;",
            # The padding counts as the last digit.
            f"const u32 known = total - (lid == {DIGITS - 1} ? (u32)({self.spec.tile} - count) : 0u);",
            f"if (lid < {DIGITS}) HAND_ON(status, known | (block == 0 ? 2u << 30 : 1u << 30));",
        ]
