"""Sums of weights over runs of equal numbers, in the order of the elements: what `bincount` adds up behind a sort.

A work-group adds up a piece of the elements, each work-item some of them. A run that goes on in the elements of other
work-items is added up by the one in whose elements it begins; what it has in further pieces by a second kernel, with a
work-item for each number. No sum has more in it than its own weights: differences of running sums would lose small
ones, and all that stand behind an infinite one.
"""

from __future__ import annotations

from functools import lru_cache

from devarray.codegen.kernels.launches import Launch, Plan, View, ceil_div
from devarray.codegen.language.dialect import CTYPE, Dialect

__all__ = ["plan_run_sums"]

_GROUP = 256
_EACH = 4  # elements of a work-item: 25 KiB of local memory
_PIECE = _GROUP * _EACH

# m0 the numbers, m1 their weights, m2 the sums, m3 the sums of each piece's first and last run; slots: the offset of
# each, elements. Local memory has a gap behind the elements of each work-item: all read from banks of their own.
_PIECES = """\
  const i32 lid = LOCAL_ID(0);
  const i64 begin = GROUP_ID(0) * {piece};
  const i32 count = s.v[4] - begin < {piece} ? (i32)(s.v[4] - begin) : {piece}, items = (count + {each} - 1) / {each};
  LOCAL {key} numbers[{room}];
  LOCAL f64 weights[{room}], first[{group}], last[{group}];
  LOCAL u8 begins[{group}], several[{group}];
  #pragma unroll
  for (i32 k = 0; k < {each}; ++k) {{
    const i32 e = k * {group} + lid;
    if (e < count) {{
      numbers[e + e / {each}] = ((GLOBAL const {key}*)(m0 + s.v[0]))[begin + e];
      weights[e + e / {each}] = ((GLOBAL const f64*)(m1 + s.v[1]))[begin + e];
    }}
  }}
  BARRIER;
  GLOBAL f64* sums = (GLOBAL f64*)(m2 + s.v[2]);
  {key} number = 0;
  if (lid < items) {{
    const i32 from = lid * {each}, gap = lid * {each} + lid;
    f64 sum = 0, own = 0;
    u8 runs = 0;
    number = numbers[gap];
    const {key} lead = number;
    const u8 starts = lid > 0 && numbers[gap - 2] != number;
    for (i32 e = 0; e < {each} && from + e < count; ++e) {{
      const {key} here = numbers[gap + e];
      if (here != number) {{
        if (runs) sums[(i64)number] = sum;
        else own = sum;
        runs = 1;
        number = here;
        sum = 0;
      }}
      sum += weights[gap + e];
    }}
    if (runs && starts) sums[(i64)lead] = own;
    first[lid] = runs ? own : sum;
    last[lid] = sum;
    begins[lid] = starts;
    several[lid] = runs;
  }}
  BARRIER;
  GLOBAL f64* ends = (GLOBAL f64*)(m3 + s.v[3]) + GROUP_ID(0) * 2;
  if (lid < items && (lid == 0 || begins[lid] || several[lid])) {{
    if (lid == 0) {{
      f64 sum = first[0];
      for (i32 k = 0; !several[k] && k + 1 < items && !begins[k + 1];) sum += first[++k];
      ends[0] = sum;
    }}
    if (lid > 0 || several[0]) {{
      f64 sum = last[lid];
      i32 k = lid;
      u8 ended = 0;
      while (!ended && k + 1 < items && !begins[k + 1]) {{
        sum += first[++k];
        ended = several[k];
      }}
      if (ended || k + 1 < items) sums[(i64)number] = sum;
      else ends[1] = sum;
    }}
  }}
"""
# m0 where each number's run begins, and the end of the last one; m1 the pieces' ends, m2 the sums; slots: the offset of
# each, elements, numbers.
_NUMBERS = """\
  const i64 number = GLOBAL_ID(0);
  if (number < s.v[4]) {{
    GLOBAL const i64* starts = (GLOBAL const i64*)(m0 + s.v[0]);
    GLOBAL const f64* ends = (GLOBAL const f64*)(m1 + s.v[1]);
    const i64 begin = starts[number], end = starts[number + 1];
    const i64 first = begin / {piece}, last = end > begin ? (end - 1) / {piece} : first;
    const i64 behind = (first + 1) * {piece} < s.v[3] ? (first + 1) * {piece} : s.v[3];
    const i32 leads = begin == first * {piece};
    f64 sum = 0;
    if (end > begin) sum = ends[first * 2 + 1 - leads];
    for (i64 piece = first + 1; piece <= last; ++piece) sum += ends[piece * 2];
    if (leads || end == begin || end >= behind) ((GLOBAL f64*)(m2 + s.v[2]))[number] = sum;
  }}
"""


@lru_cache(maxsize=64)
def _source(body: str, memory: str, slots: int, key: str, dialect: Dialect) -> str:
    text = body.format(key=key, piece=_PIECE, each=_EACH, group=_GROUP, room=_PIECE + _GROUP)
    return dialect.program(dialect.kernel("k", memory, slots, text, restrict=False, group=_GROUP))


@lru_cache(maxsize=256)
def plan_run_sums(numbers: View, weights: View, starts: View, out: View, dialect: Dialect) -> Plan:
    """The sum of the weights of each number.

    Parameters
    ----------
    numbers : View
        Of integers from 0 on, in order.
    weights : View
        float64, of the same size.
    starts : View
        int64, where each number's run begins, and the end of the last one.
    out : View
        float64, one element for each number. All views are contiguous.

    Returns
    -------
    Plan
        Two launches.
    """
    if numbers.size == 0:
        raise ValueError("there are no runs of no elements")
    pieces = ceil_div(numbers.size, _PIECE)
    roles = (numbers.role, weights.role, out.role, "ends")
    first = Launch(
        _source(_PIECES, "rrww", 5, CTYPE[numbers.dtype], dialect),
        "k",
        (pieces,),
        _GROUP,
        roles,
        (*roles, numbers.size),
        "rrww",
    )
    roles_of_sums = (starts.role, "ends", out.role)
    second = Launch(
        _source(_NUMBERS, "rrw", 5, "", dialect),
        "k",
        (ceil_div(out.size, _GROUP),),
        _GROUP,
        roles_of_sums,
        (*roles_of_sums, numbers.size, out.size),
        "rrw",
    )
    return Plan((first, second), {"ends": pieces * 16})
