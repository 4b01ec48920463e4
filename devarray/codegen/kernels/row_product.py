"""Product of a tall, narrow matrix and a small one, `a @ b`: each row of `a` is read once, and gives its row of the
result by itself.

A work-item has some columns of a row's result in registers, all of them where they are few; `b` lies in local memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from devarray.codegen.kernels.launches import Launch, Plan, View, ceil_div, indent
from devarray.codegen.kernels.tall_product import width_of
from devarray.codegen.language.dialect import CTYPE, Dialect
from devarray.ops.dtypes import SIZE

__all__ = ["RowProductSpec", "plan_row_product", "render"]

_GROUP = 256

# What was tuned.
_MOST_COLUMNS = 8
"""Of a work-item that has all of a row's."""
_SHARES = ((8, 4), (32, 8))
"""Up to so many elements of a row of `a`, the columns of each work-item where several share a row."""


@dataclass(frozen=True, slots=True)
class RowProductSpec:
    """One kernel "k". Memory: a, b, out. Slots: rows; offset and strides (rows, columns) of a and of b; offset of out,
    which is in C order.

    Attributes
    ----------
    dtype : str
    depth, columns : int
        Of `b`.
    width : int
        Neighbours in a row of `a` that are loaded at once.
    share : int
        Columns of a work-item.
    """

    dtype: str
    depth: int
    columns: int
    width: int
    share: int

    @property
    def lanes(self) -> int:
        """Work-items of a row."""
        return ceil_div(self.columns, self.share)

    @property
    def stored(self) -> int:
        """Neighbours in a row of the result that are stored at once."""
        wide = 16 // SIZE[self.dtype]
        while self.columns % wide or self.share % wide:
            wide //= 2
        return wide


@lru_cache(maxsize=256)
def render(spec: RowProductSpec, dialect: Dialect) -> str:
    """Source of the kernel "k" of `spec`."""
    kind, size, padded = CTYPE[spec.dtype], SIZE[spec.dtype], spec.lanes * spec.share
    zero = dialect.literal(0, spec.dtype)
    source = f"*(GLOBAL const {kind}*)(m1 + s.v[4] + e / {padded} * s.v[5] + e % {padded} * s.v[6])"
    body = [
        "const i32 lid = LOCAL_ID(0);",
        f"LOCAL {kind} small[{spec.depth * padded}];",
        f"for (i32 e = lid; e < {spec.depth * padded}; e += {_GROUP})",
        f"  small[e] = e % {padded} < {spec.columns} ? {source} : {zero};",
        "BARRIER;",
        f"const i64 item = GROUP_ID(0) * {_GROUP} + lid, row = item / {spec.lanes};",
        f"const i32 first = (i32)(item - row * {spec.lanes}) * {spec.share};",
        "if (row < s.v[0]) {",
        *indent([*_load(spec, dialect), *_multiply(spec, padded), *_store(spec, dialect, size)]),
        "}",
    ]
    return dialect.program(dialect.kernel("k", "rrw", 8, "\n".join(indent(body)), group=_GROUP))


def _load(spec: RowProductSpec, dialect: Dialect) -> list[str]:
    kind, width = CTYPE[spec.dtype], spec.width
    lines = [f"{kind} a[{spec.depth}];", "GLOBAL const char* from = m0 + s.v[1] + row * s.v[2];"]
    if width == 1:
        element = f"*(GLOBAL const {kind}*)(from + e * s.v[3])"
        return [*lines, "#pragma unroll", f"for (i32 e = 0; e < {spec.depth}; ++e) a[e] = {element};"]
    vector = f"{kind}x{width}"
    for chunk in range(spec.depth // width):
        lines.append(f"const {vector} v{chunk} = ((GLOBAL const {vector}*)from)[{chunk}];")
        lines.append(" ".join(f"a[{chunk * width + k}] = v{chunk}.{dialect.lane(k)};" for k in range(width)))
    return lines


def _multiply(spec: RowProductSpec, padded: int) -> list[str]:
    kind = CTYPE[spec.dtype]
    return [
        f"{kind} sum[{spec.share}];",
        "#pragma unroll",
        f"for (i32 c = 0; c < {spec.share}; ++c) sum[c] = a[0] * small[first + c];",
        "#pragma unroll",
        f"for (i32 e = 1; e < {spec.depth}; ++e)",
        "  #pragma unroll",
        f"  for (i32 c = 0; c < {spec.share}; ++c) sum[c] = fma(a[e], small[e * {padded} + first + c], sum[c]);",
    ]


def _store(spec: RowProductSpec, dialect: Dialect, size: int) -> list[str]:
    kind, wide = CTYPE[spec.dtype], spec.stored
    lines = [f"GLOBAL char* to = m2 + s.v[7] + (row * {spec.columns} + first) * {size};"]
    rest = spec.columns < spec.lanes * spec.share  # the last work-item of a row has fewer
    for at in range(0, spec.share, wide):
        if wide == 1:
            store = f"((GLOBAL {kind}*)to)[{at}] = sum[{at}];"
        else:
            parts = " ".join(f"w.{dialect.lane(k)} = sum[{at + k}];" for k in range(wide))
            store = f"{{ {kind}x{wide} w; {parts} ((GLOBAL {kind}x{wide}*)to)[{at // wide}] = w; }}"
        lines.append(f"if (first + {at} < {spec.columns}) {store}" if rest else store)
    return lines


@lru_cache(maxsize=256)
def plan_row_product(left: View, right: View, out: View, alignment: int, dialect: Dialect) -> Plan:
    """`left @ right`, of many rows and few columns.

    Parameters
    ----------
    left, right, out : View
        Of shapes (m, k), (k, n) and (m, n), float32 or float64, with any strides; `out` in C order.
    alignment : int
        The power of two that the address of `left` is a multiple of, up to 16.

    Returns
    -------
    Plan
        One launch.
    """
    (rows, depth), columns = left.shape, right.shape[1]
    width = width_of(left, alignment) if left.strides[1] == left.itemsize else 1
    share = columns if columns <= _MOST_COLUMNS else next(share for most, share in _SHARES if depth <= most)
    spec = RowProductSpec(left.dtype, depth, columns, width, share)
    groups = ceil_div(rows * spec.lanes, _GROUP)
    roles = (left.role, right.role, out.role)
    slots: tuple[int | str, ...] = (rows, left.role, *left.strides, right.role, *right.strides, out.role)
    return Plan((Launch(render(spec, dialect), "k", (groups,), _GROUP, roles, slots, "rrw"),))
