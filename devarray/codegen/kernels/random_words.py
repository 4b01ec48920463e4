"""Random words in order: the way of CPUs, where each block of four is computed once.

A CPU's element-wise kernel computes a block for each of its words; a GPU's has a block's elements in one work-item.
"""

from __future__ import annotations

from functools import lru_cache

from devarray.codegen.kernels.launches import Launch, Plan, View, ceil_div
from devarray.codegen.language.dialect import Dialect
from devarray.codegen.prelude.random import philox_block

__all__ = ["plan_words"]

_BLOCKS = 512  # of a work-item
_WIDE = 8  # blocks side by side in vectors
_WORD = f"ulong{_WIDE}"  # in OpenCL, which all CPU devices have

# No CPU's vectors have products of 64 bits: those of halves take a third of the time of one after the other.
_MULTIPLY = f"""
FN {_WORD} mul_high_{_WORD}(const u64 a, const {_WORD} b) {{
  const u64 a0 = a & 0xffffffffUL, a1 = a >> 32;
  const {_WORD} b0 = b & 0xffffffffUL, b1 = b >> 32;
  const {_WORD} low = a0 * b0, left = a1 * b0, right = a0 * b1;
  const {_WORD} middle = (low >> 32) + (right & 0xffffffffUL) + left;
  return a1 * b1 + (right >> 32) + (middle >> 32);
}}
"""
_STORES = "\n".join(
    f"      words[i + {4 * block + word}] = x{word}.s{block:x};" for block in range(_WIDE) for word in range(4)
)

# m0 the words; slots: their offset and number, the first one's number in the stream, the key.
_FILL = f"""\
  GLOBAL u64* words = (GLOBAL u64*)(m0 + s.v[0]);
  const i64 count = s.v[1];
  const u64 first = s.v[2], key0 = s.v[3], key1 = s.v[4];
  const i64 begin = GROUP_ID(0) * {4 * _BLOCKS} - (i64)(first & 3);
  const i64 end = begin + {4 * _BLOCKS} < count ? begin + {4 * _BLOCKS} : count;
  for (i64 i = begin; i < end;) {{
    const u64 at = first + i;
    if (i >= 0 && i + {4 * _WIDE} <= end) {{
{philox_block(word=_WORD, lanes=f" + ({_WORD})({', '.join(map(str, range(_WIDE)))})")}
{_STORES}
      i += {4 * _WIDE};
    }} else {{
{philox_block()}
      if (i >= 0) words[i] = x0;
      if (i >= -1 && i + 1 < count) words[i + 1] = x1;
      if (i >= -2 && i + 2 < count) words[i + 2] = x2;
      if (i + 3 < count) words[i + 3] = x3;
      i += 4;
    }}
  }}
"""


@lru_cache(maxsize=16)
def _source(dialect: Dialect) -> str:
    return dialect.program(_MULTIPLY + dialect.kernel("k", "w", 5, _FILL, group=1))


def plan_words(words: View, first: int, key: tuple[int, int], dialect: Dialect) -> Plan:
    """Words `first`, `first` + 1 ... of the stream of a key.

    Parameters
    ----------
    words : View
        uint64, of one dimension and contiguous.
    first : int
        From 0 to 2**64 - 1.
    key : tuple of two int
        The same.
    """
    groups = ceil_div(words.size + first % 4, 4 * _BLOCKS)
    numbers = [number - ((number >> 63) << 64) for number in (first, *key)]
    slots: tuple[int | str, ...] = (words.role, words.size, *numbers)
    return Plan((Launch(_source(dialect), "k", (groups,), 1, (words.role,), slots, "w"),))
