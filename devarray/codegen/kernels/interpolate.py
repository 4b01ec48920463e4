"""Linear interpolation between points: a binary search and one line for each place, by NumPy's formula."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from devarray.codegen.kernels.launches import Launch, Plan, View, ceil_div, declare, indent, read, write
from devarray.codegen.kernels.search import GROUP, find
from devarray.codegen.language.dialect import Dialect

__all__ = ["InterpolateSpec", "plan_interpolate", "render"]

_F8 = "float64"


@dataclass(frozen=True, slots=True)
class InterpolateSpec:
    """One kernel "k", all in float64. Memory arguments: the points, the values there, the places, the results. Slots:
    number of places and of points; offset and stride of the points and of the values; offset of the places and of the
    results.
    """


@lru_cache(maxsize=8)
def render(_: InterpolateSpec, dialect: Dialect) -> str:
    """Source of the kernel "k"."""

    def point(name: str, memory: int, number: str) -> str:
        place = f"m{memory} + s.v[{2 * memory + 2}] + ({number}) * s.v[{2 * memory + 3}]"
        return declare(_F8, name, read(dialect, _F8, place))

    body = [
        "const i64 i = GLOBAL_ID(0);",
        "if (i < s.v[0]) {",
        f"  {declare(_F8, 'value', read(dialect, _F8, 'm2 + s.v[6] + i * 8'))}",
        "  const i64 last = s.v[1] - 1;",
        *indent(find(_F8, True, "s.v[1]", "m0 + s.v[2]", "s.v[3]", dialect)),
        "  const i64 j = low < 1 ? 0 : low > last ? last - 1 : low - 1;",
        *(f"  {point(f'x{k}', 0, f'j + {k}')}" for k in (0, 1)),
        *(f"  {point(f'y{k}', 1, f'j + {k}')}" for k in (0, 1)),
        f"  {point('least', 0, '0')}",
        f"  {point('greatest', 0, 'last')}",
        "  const f64 slope = (y1 - y0) / (x1 - x0);",
        "  f64 y = slope * (value - x0) + y0;",
        "  if (y != y) {",  # an infinite slope meets a distance of zero: from the other end, then
        "    y = slope * (value - x1) + y1;",
        "    if (y != y && y0 == y1) y = y0;",
        "  }",
        "  if (value == x0) y = y0;",
        "  if (value == x1) y = y1;",
        f"  if (value < least) {{ {point('left', 1, '0')} y = left; }}",
        f"  if (value > greatest) {{ {point('right', 1, 'last')} y = right; }}",
        "  if (value != value) y = value;",
        f"  {write(dialect, _F8, 'm3 + s.v[7] + i * 8', 'y')}",
        "}",
    ]
    return dialect.program(dialect.kernel("k", "rrrw", 8, "\n".join(indent(body))))


@lru_cache(maxsize=64)
def plan_interpolate(points: View, values: View, places: View, out: View, dialect: Dialect) -> Plan:
    """``numpy.interp(places, points, values)``.

    Parameters
    ----------
    points, values : View
        One-dimensional, float64, of one size that is 2 at least.
    places, out : View
        float64, contiguous and of one size.
    """
    local = GROUP[dialect.strategy]
    slots = (places.size, points.size, points.role, points.strides[0], values.role, values.strides[0])
    roles = (points.role, values.role, places.role, out.role)
    source = render(InterpolateSpec(), dialect)
    return Plan(
        (Launch(source, "k", (ceil_div(places.size, local),), local, roles, (*slots, places.role, out.role), "rrrw"),)
    )
