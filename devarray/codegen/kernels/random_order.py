"""The order of many random words, on CPUs: what `argsort` gives, in a seventh of its time.

Words are as likely as each other, so that their leading bits put them into buckets of about as many each: a dozen,
which are sorted by insertion. A work-item walks a part of the words, first to count, then to move each word, with its
number, to where its part of the bucket has come; so equal words keep their order. A sort by digits (radix.py) reads and
writes all words eight times, and counts in local memory, which CPUs do not have.
"""

from __future__ import annotations

from functools import lru_cache

from devarray.codegen.kernels.launches import Launch, Plan, View, ceil_div, units_of
from devarray.codegen.language.dialect import Dialect

__all__ = ["plan_order"]

_BUCKET = 8  # words of a bucket, at least
_MOST_BITS = 22
_PARTS_PER_UNIT, _RANGES_PER_UNIT = 2, 8

_PAIR = "typedef struct { u64 word; i64 number; } pair;\n"

# m0 the words, m1 the counts of a part's buckets; slots: offsets of both, words, words of a part, buckets, shift.
_COUNT = """\
  GLOBAL const u64* words = (GLOBAL const u64*)(m0 + s.v[0]);
  GLOBAL u32* counts = (GLOBAL u32*)(m1 + s.v[1]) + GLOBAL_ID(0) * s.v[4];
  const i64 begin = GLOBAL_ID(0) * s.v[3], end = begin + s.v[3] < s.v[2] ? begin + s.v[3] : s.v[2];
  for (i64 b = 0; b < s.v[4]; ++b) counts[b] = 0;
  for (i64 i = begin; i < end; ++i) ++counts[words[i] >> s.v[5]];
"""
# m0 the counts, which become the places where each part's words of a bucket begin; slots: offset, parts, buckets.
_PLACES = """\
  GLOBAL u32* counts = (GLOBAL u32*)(m0 + s.v[0]);
  u32 place = 0;
  for (i64 b = 0; b < s.v[2]; ++b) {
    for (i64 part = 0; part < s.v[1]; ++part) {
      const u32 count = counts[part * s.v[2] + b];
      counts[part * s.v[2] + b] = place;
      place += count;
    }
  }
"""
# As the first, and m2 the pairs, at the offset in the last slot. The places end where the next part's begin.
_MOVE = """\
  GLOBAL const u64* words = (GLOBAL const u64*)(m0 + s.v[0]);
  GLOBAL u32* places = (GLOBAL u32*)(m1 + s.v[1]) + GLOBAL_ID(0) * s.v[4];
  GLOBAL pair* pairs = (GLOBAL pair*)(m2 + s.v[6]);
  const i64 begin = GLOBAL_ID(0) * s.v[3], end = begin + s.v[3] < s.v[2] ? begin + s.v[3] : s.v[2];
  for (i64 i = begin; i < end; ++i) {
    const pair x = {words[i], i};
    pairs[places[x.word >> s.v[5]]++] = x;
  }
"""
# m0 the last part's places, where buckets now end; m1 the pairs, m2 the order; slots: offsets of the three, buckets,
# buckets of a work-item, and the number of the first of the places.
_FINISH = """\
  GLOBAL const u32* ends = (GLOBAL const u32*)(m0 + s.v[0]) + s.v[5];
  GLOBAL pair* pairs = (GLOBAL pair*)(m1 + s.v[1]);
  GLOBAL i64* order = (GLOBAL i64*)(m2 + s.v[2]);
  const i64 first = GLOBAL_ID(0) * s.v[4], last = first + s.v[4] < s.v[3] ? first + s.v[4] : s.v[3];
  for (i64 b = first; b < last; ++b) {
    const i64 begin = b ? ends[b - 1] : 0, end = ends[b];
    for (i64 i = begin + 1; i < end; ++i) {
      const pair x = pairs[i];
      i64 j = i;
      for (; j > begin && pairs[j - 1].word > x.word; --j) pairs[j] = pairs[j - 1];
      pairs[j] = x;
    }
    for (i64 i = begin; i < end; ++i) order[i] = pairs[i].number;
  }
"""


@lru_cache(maxsize=16)
def _source(body: str, memory: str, slots: int, dialect: Dialect) -> str:
    return dialect.program(_PAIR + dialect.kernel("k", memory, slots, body, group=1))


@lru_cache(maxsize=64)
def plan_order(words: View, order: View, dialect: Dialect) -> Plan:
    """`argsort(words, stable=True)` of random words.

    Parameters
    ----------
    words : View
        uint64, of one dimension and contiguous; from 16 to 2**32 - 1 of them.
    order : View
        int64, of the same shape, contiguous.
    """
    count, units = words.size, units_of(dialect)
    bits = min((count // _BUCKET).bit_length() - 1, _MOST_BITS)
    buckets = 1 << bits
    parts = min(units * _PARTS_PER_UNIT, max(1, count // (2 * buckets)))
    share, ranges = ceil_div(count, parts), min(units * _RANGES_PER_UNIT, buckets)
    parts = ceil_div(count, share)
    each = ceil_div(buckets, ranges)
    walk = (words.role, "counts", count, share, buckets, 64 - bits)

    def launch(body: str, items: int, memory: tuple[str, ...], access: str, slots: tuple[int | str, ...]) -> Launch:
        return Launch(_source(body, access, len(slots), dialect), "k", (items,), 1, memory, slots, access)

    return Plan(
        (
            launch(_COUNT, parts, (words.role, "counts"), "rw", walk),
            launch(_PLACES, 1, ("counts",), "w", ("counts", parts, buckets)),
            launch(_MOVE, parts, (words.role, "counts", "pairs"), "rww", (*walk, "pairs")),
            launch(
                _FINISH,
                ceil_div(buckets, each),
                ("counts", "pairs", order.role),
                "rww",
                ("counts", "pairs", order.role, buckets, each, (parts - 1) * buckets),
            ),
        ),
        {"counts": 4 * parts * buckets, "pairs": 16 * count},
    )
