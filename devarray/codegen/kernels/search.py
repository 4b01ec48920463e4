"""Binary search in a sorted array: one work-item for each value."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from devarray.codegen.kernels.launches import Launch, Plan, View, ceil_div, declare, indent, read
from devarray.codegen.language.dialect import Dialect
from devarray.ops.dtypes import KIND, SIZE

__all__ = ["GROUP", "SearchSpec", "find", "plan_search", "render"]

GROUP = {"cpu": 64, "gpu": 256}
"""Work-items of a group."""


@dataclass(frozen=True, slots=True)
class SearchSpec:
    """One kernel "k".

    Memory arguments: the sorted array, the values, the results. Slots: number of values and of sorted elements; the
    sorted array's offset and stride; the values' offset; the results' offset.

    Attributes
    ----------
    dtype : str
        Of the sorted array and the values.
    wanted : {"left", "right", "member"}
        The position before the elements that equal the value, or behind them, as int64; or whether there is one, as
        bool.
    """

    dtype: str
    wanted: str


@lru_cache(maxsize=128)
def render(spec: SearchSpec, dialect: Dialect) -> str:
    """Source of the kernel "k" of `spec`."""
    body = [
        "const i64 i = GLOBAL_ID(0);",
        "if (i < s.v[0]) {",
        f"  {_declare(spec.dtype, 'value', f'm1 + s.v[4] + i * {SIZE[spec.dtype]}', dialect)}",
        *indent(find(spec.dtype, spec.wanted == "right", "s.v[1]", "m0 + s.v[2]", "s.v[3]", dialect)),
        *indent(_result(spec, dialect)),
        "}",
    ]
    return dialect.program(dialect.kernel("k", "rrw", 6, "\n".join(indent(body)), restrict=False))


def _result(spec: SearchSpec, dialect: Dialect) -> list[str]:
    if spec.wanted != "member":
        return ["*(GLOBAL i64*)(m2 + s.v[5] + i * 8) = low;"]
    return [
        "u8 found = 0;",
        "if (low < s.v[1]) {",
        f"  {_declare(spec.dtype, 'here', 'm0 + s.v[2] + low * s.v[3]', dialect)}",
        f"  found = {_equal(spec.dtype, 'here', 'value')};",
        "}",
        "*(GLOBAL u8*)(m2 + s.v[5] + i) = found;",
    ]


def find(dtype: str, right: bool, size: str, start: str, stride: str, dialect: Dialect) -> list[str]:
    """Lines that leave in `low` where `value` belongs in a sorted array of that size, start and stride, each C text."""
    before = _less(dtype, "value", "here") if right else _less(dtype, "here", "value")
    return [
        f"i64 low = 0, high = {size};",
        "while (low < high) {",
        "  const i64 middle = low + (high - low) / 2;",
        f"  {_declare(dtype, 'here', f'{start} + middle * {stride}', dialect)}",
        f"  if ({'!' if right else ''}({before})) low = middle + 1; else high = middle;",
        "}",
    ]


def _declare(dtype: str, name: str, place: str, dialect: Dialect) -> str:
    """The element at an address. A bool is made of its byte by arithmetic: where both sides of the comparison are known
    to be truths, Intel's compiler vectorises the search wrongly (values that are true find what false ones do)."""
    if dtype == "bool":
        return declare(dtype, name, f"(b8)(({read(dialect, 'uint8', place)} + 255) >> 8)")
    return declare(dtype, name, read(dialect, dtype, place))


def _less(dtype: str, a: str, b: str) -> str:
    """C text of the order that sort gives: NaN last. Complex numbers come by real, then by imaginary part; those with
    NaN last: in the imaginary, in the real part, in both."""
    if KIND[dtype] == "c":
        later = [f"(({x}.re != {x}.re) * 2 + ({x}.im != {x}.im))" for x in (a, b)]
        lower = f"{a}.re < {b}.re || (({a}.re == {b}.re || {later[0]} == 2) && {a}.im < {b}.im)"
        return f"{later[0]} < {later[1]} || ({later[0]} == {later[1]} && ({lower}))"
    return f"{a} < {b} || ({b} != {b} && {a} == {a})" if KIND[dtype] == "f" else f"{a} < {b}"


def _equal(dtype: str, a: str, b: str) -> str:
    return f"{a}.re == {b}.re && {a}.im == {b}.im" if KIND[dtype] == "c" else f"{a} == {b}"


@lru_cache(maxsize=256)
def plan_search(table: View, values: View, out: View, wanted: str, dialect: Dialect) -> Plan:
    """Positions in the sorted one-dimensional `table` where `values` belong, as `numpy.searchsorted` gives them, or
    whether they are in it.

    Parameters
    ----------
    table, values : View
        Of one dtype. `values` is contiguous.
    out : View
        int64, or bool for "member"; contiguous, with the size of `values`.
    wanted : {"left", "right", "member"}
    """
    if table.dtype != values.dtype:
        raise ValueError(f"search compares elements of one dtype, not {table.dtype} with {values.dtype}")
    if values.size == 0:
        return Plan(())
    local = GROUP[dialect.strategy]
    slots = (values.size, table.size, table.role, table.strides[0], values.role, out.role)
    source = render(SearchSpec(table.dtype, wanted), dialect)
    roles = (table.role, values.role, out.role)
    return Plan((Launch(source, "k", (ceil_div(values.size, local),), local, roles, slots, "rrw"),))
