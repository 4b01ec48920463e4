"""Sums of weights over runs of equal numbers, in the order of the elements: what `bincount` adds up behind a sort.

A work-item adds up a piece of the elements. What a run has in pieces that it shares with others is added up by a second
kernel, with a work-item for each number. No sum has more in it than its own weights: differences of running sums would
lose small ones, and all that stand behind an infinite one.
"""

from __future__ import annotations

from functools import lru_cache

from devarray.codegen.kernels.launches import Launch, Plan, View, ceil_div
from devarray.codegen.language.dialect import CTYPE, Dialect

__all__ = ["plan_run_sums"]

_PIECE = 32
_GROUP = 256

# m0 the numbers, m1 their weights, m2 the sums, m3 the sums of each piece's first and last run; slots: the offset of
# each, elements, pieces.
_PIECES = """\
  const i64 piece = GLOBAL_ID(0);
  if (piece < s.v[5]) {{
    GLOBAL const {key}* numbers = (GLOBAL const {key}*)(m0 + s.v[0]);
    GLOBAL const f64* weights = (GLOBAL const f64*)(m1 + s.v[1]);
    GLOBAL f64* ends = (GLOBAL f64*)(m3 + s.v[3]) + piece * 2;
    const i64 begin = piece * {piece}, end = begin + {piece} < s.v[4] ? begin + {piece} : s.v[4];
    f64 sum = 0, first = 0;
    i32 runs = 0;
    {key} number = numbers[begin];
    for (i64 i = begin; i < end; ++i) {{
      const {key} here = numbers[i];
      if (here != number) {{
        if (runs == 0) first = sum;
        else ((GLOBAL f64*)(m2 + s.v[2]))[(i64)number] = sum;
        ++runs;
        number = here;
        sum = 0;
      }}
      sum += weights[i];
    }}
    ends[0] = runs == 0 ? sum : first;
    ends[1] = sum;
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
    text = body.format(key=key, piece=_PIECE)
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
        _source(_PIECES, "rrww", 6, CTYPE[numbers.dtype], dialect),
        "k",
        (ceil_div(pieces, _GROUP),),
        _GROUP,
        roles,
        (*roles, numbers.size, pieces),
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
