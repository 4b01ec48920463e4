"""Sums of values by the places that they are for, by atomic operations: in any order, so that the last bits of sums of
floats differ from run to run. ``devarray.config.deterministic`` says whether that is wanted.
"""

from __future__ import annotations

from functools import lru_cache

from devarray.codegen.kernels.launches import Launch, Plan, View, ceil_div
from devarray.codegen.language.dialect import CTYPE, Dialect

__all__ = ["has_atomic_sums", "plan_atomic_sums"]

_GROUP = 256
_FROM_CUDA = "#define ADD(p, x) atomicAdd(p, x)\n"
_BY_SWAPS = """\
FN void ADD(volatile global {type}* p, {type} x) {{
  {bits} old = *(volatile global {bits}*)p, seen;
  for (;;) {{
    seen = {swap}((volatile global {bits}*)p, old, as_{bits}(as_{type}(old) + x));
    if (seen == old) return;
    old = seen;
  }}
}}
"""
_OPENCL = {
    "float32": _BY_SWAPS.format(type="float", bits="uint", swap="atomic_cmpxchg"),
    "float64": "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
    + _BY_SWAPS.format(type="double", bits="ulong", swap="atom_cmpxchg"),
}
_BODY = """\
  const i64 i = GLOBAL_ID(0);
  if (i < s.v[3]) {{
    const i64 value = i / s.v[4], column = i - value * s.v[4];
    const i64 place = (i64)((GLOBAL const {key}*)(m0 + s.v[0]))[value];
    ADD((GLOBAL {type}*)(m2 + s.v[2]) + place * s.v[4] + column, ((GLOBAL const {type}*)(m1 + s.v[1]))[i]);
  }}
"""


def has_atomic_sums(dtype: str, dialect: Dialect) -> bool:
    """Whether a device adds up numbers of a dtype so."""
    if dtype not in _OPENCL or dialect.strategy != "gpu" or dialect.check_bounds:
        return False
    return dtype == "float32" or bool(dialect.caps.get("int64_atomics"))


@lru_cache(maxsize=64)
def _source(dtype: str, key: str, dialect: Dialect) -> str:
    text = _BODY.format(key=CTYPE[key], type=CTYPE[dtype])
    add = _FROM_CUDA if dialect.driver == "cuda" else _OPENCL[dtype]
    return dialect.program(add + dialect.kernel("k", "rrw", 5, text, restrict=False, group=_GROUP))


@lru_cache(maxsize=256)
def plan_atomic_sums(places: View, values: View, out: View, dialect: Dialect) -> Plan:
    """Add each of the values to the element, or the row, of `out` that its place says.

    Parameters
    ----------
    places : View
        Of integers: rows of `out`.
    values, out : View
        Of one dtype, float32 or float64; `values` has a row for each place. All views are contiguous.

    Returns
    -------
    Plan
        One launch.
    """
    if values.dtype != out.dtype or not places.size:
        raise ValueError(
            f"{places.size} values of {values.dtype} are added to {out.dtype}: one dtype and some are wanted"
        )
    columns = values.size // places.size
    roles = (places.role, values.role, out.role)
    source = _source(out.dtype, places.dtype, dialect)
    groups = (ceil_div(values.size, _GROUP),)
    return Plan((Launch(source, "k", groups, _GROUP, roles, (*roles, values.size, columns), "rrw"),))
