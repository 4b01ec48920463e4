"""Sums of products of a short row, the taps, that slides along a longer one: a work-item makes several sums."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from devarray.codegen.kernels.launches import Launch, Plan, View, ceil_div, declare, indent, read, write
from devarray.codegen.kernels.statements import expression
from devarray.codegen.language.dialect import CTYPE, Dialect
from devarray.ops.dtypes import KIND, SIZE
from devarray.ops.table import OPS

__all__ = ["SlideSpec", "plan_slide", "render"]

_CPU_GROUP, _GPU_GROUP = 64, 128
_EACH = 4
"""Sums of a work-item, a group's items apart: each tap is read once for all of them."""


@dataclass(frozen=True, slots=True)
class SlideSpec:
    """One kernel "k". Memory arguments: the row, the taps, the sums. Slots: number of sums, of taps, and of the row's
    elements; places before the row; offset of the row; offset and stride of the taps; offset of the sums.

    Attributes
    ----------
    dtype : str
        Of all three. Products and sums are rounded to it.
    local : int
        Work-items of a group.
    """

    dtype: str
    local: int


@lru_cache(maxsize=64)
def render(spec: SlideSpec, dialect: Dialect) -> str:
    """Source of the kernel "k" of `spec`."""
    ctype, size = CTYPE[spec.dtype], SIZE[spec.dtype]
    start = dialect.literal(-0.0 if KIND[spec.dtype] in "fc" else 0, spec.dtype)  # what changes no first addend
    whole = spec.local * _EACH
    body = [
        "const i64 count = s.v[0], taps = s.v[1], size = s.v[2], before = s.v[3];",
        f"const i64 first = GROUP_ID(0) * {whole}, k0 = first + LOCAL_ID(0);",
        f"{ctype} total[{_EACH}];",
        *_each([f"total[r] = {start};"]),
        # Uniform in a group, so that its loop over the taps is, too.
        f"if (first >= before && first + {whole - 1} + taps <= before + size) {{",
        *indent(_taps(spec, dialect, _add(spec, dialect))),
        "} else {",
        *indent(
            _taps(spec, dialect, ["if (k + i >= before && k + i < before + size) {", *indent(_add(spec, dialect)), "}"])
        ),
        "}",
        *_each(
            [
                f"const i64 k = k0 + r * {spec.local};",
                f"if (k < count) {{ {write(dialect, spec.dtype, f'm2 + s.v[7] + k * {size}', 'total[r]')} }}",
            ]
        ),
    ]
    return dialect.program(dialect.kernel("k", "rrw", 8, "\n".join(indent(body)), group=spec.local))


def _each(lines: list[str]) -> list[str]:
    return ["#pragma unroll", f"for (i32 r = 0; r < {_EACH}; ++r) {{", *indent(lines), "}"]


def _taps(spec: SlideSpec, dialect: Dialect, lines: list[str]) -> list[str]:
    """The lines for each tap by each sum, by rising tap."""
    return [
        "for (i64 i = 0; i < taps; ++i) {",
        f"  {declare(spec.dtype, 'tap', read(dialect, spec.dtype, 'm1 + s.v[5] + i * s.v[6]'))}",
        *indent(_each([f"const i64 k = k0 + r * {spec.local};", *lines])),
        "}",
    ]


def _add(spec: SlideSpec, dialect: Dialect) -> list[str]:
    dtype, ctype = spec.dtype, CTYPE[spec.dtype]
    element = read(dialect, dtype, f"m0 + s.v[4] + (k + i - before) * {SIZE[dtype]}")
    product = f"({ctype})({expression(OPS['multiply'], dtype, ['element', 'tap'])})"
    return [
        declare(dtype, "element", element),
        declare(dtype, "product", product),
        f"total[r] = ({ctype})({expression(OPS['add'], dtype, ['total[r]', 'product'])});",
    ]


@lru_cache(maxsize=64)
def plan_slide(row: View, taps: View, out: View, before: int, dialect: Dialect) -> Plan:
    """``out[k] = sum(row[k + i - before] * taps[i])`` over the elements that `row` has, added up by rising i.

    Parameters
    ----------
    row, taps, out : View
        One-dimensional, of one dtype, none of them empty; `row` and `out` are contiguous.
    before : int
        Places before the row at which sums begin.
    """
    local = _CPU_GROUP if dialect.strategy == "cpu" else _GPU_GROUP
    source = render(SlideSpec(row.dtype, local), dialect)
    slots = (out.size, taps.size, row.size, before, row.role, taps.role, taps.strides[0], out.role)
    groups = (ceil_div(out.size, local * _EACH),)
    return Plan((Launch(source, "k", groups, local, (row.role, taps.role, out.role), slots, "rrw"),))
