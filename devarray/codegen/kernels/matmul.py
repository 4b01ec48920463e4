"""Batched matrix product of arbitrarily strided operands: tiles in local memory, a block of results in each work-item.

Products of reals are accumulated with fused multiply-add, float16 in float32. For a matrix times a vector, and for
products of vectors, a reduction that absorbs the multiplication is the better kernel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod

from devarray.codegen.kernels.launches import (
    Launch,
    Plan,
    View,
    address,
    ceil_div,
    collapse,
    indent,
    read,
    units_of,
    write,
)
from devarray.codegen.kernels.operands import numbered, unravel
from devarray.codegen.kernels.statements import expression
from devarray.codegen.language.dialect import CTYPE, Dialect
from devarray.ops.dtypes import KIND, SIZE
from devarray.ops.table import OPS

__all__ = ["MatmulSpec", "plan_matmul", "render"]

_SIDE = 16  # a group is 16 x 16 work-items
_GROUP = _SIDE * _SIDE
_DEPTH = 16  # of a tile along the summed dim
_MAX_ROW_TILES = 65535  # dimension 1 of a CUDA grid


@dataclass(frozen=True, slots=True)
class MatmulSpec:
    """One kernel "k". Memory: left, right, out. Slots: m, n, k, the sizes of the batch dims; offset and strides (batch
    dims, rows, columns) of left, right and out.

    Attributes
    ----------
    nbatch : int
        Batch dims after collapsing, at least 1.
    left, right, out : str
        Dtypes; both operands are cast to `acc_dtype` first.
    acc_dtype : str
    block : int
        Each work-item makes block x block results.
    left_along, right_along : bool
        Whether neighbours in memory lie along the summed dim.
    """

    nbatch: int
    left: str
    right: str
    out: str
    acc_dtype: str
    block: int
    left_along: bool
    right_along: bool


@lru_cache(maxsize=256)
def render(spec: MatmulSpec, dialect: Dialect) -> str:
    """Source of the kernel "k" of `spec`."""
    acc, block, tile = CTYPE[spec.acc_dtype], spec.block, _SIDE * spec.block
    first = 3 + spec.nbatch
    batch = numbered("b", spec.nbatch)
    slots = [first + number * (spec.nbatch + 3) for number in range(3)]
    zero = dialect.literal(0, spec.acc_dtype)
    body = [
        "const i32 lid = LOCAL_ID(0);",
        f"const i32 tx = lid % {_SIDE}, ty = lid / {_SIDE};",
        "const i64 m = s.v[0], n = s.v[1], depth = s.v[2];",
        f"const i64 tiles = (n + {tile - 1}) / {tile}, batch = GROUP_ID(0) / tiles;",
        *unravel(dialect, "batch", [f"s.v[{3 + dim}]" for dim in range(spec.nbatch)], batch, "i64"),
        f"const i64 row0 = GROUP_ID(1) * {tile}, column0 = (GROUP_ID(0) - batch * tiles) * {tile};",
        # One element of padding spreads a column of a tile over the banks of local memory.
        f"LOCAL {acc} left[{_DEPTH}][{tile + 1}], right[{_DEPTH}][{tile + 1}];",
        f"{acc} sum[{block}][{block}];",
        *_each(block, "r", _each(block, "c", [f"sum[r][c] = {zero};"])),
        f"for (i64 k0 = 0; k0 < depth; k0 += {_DEPTH}) {{",
        *indent(_load(spec, dialect, 0, slots[0], batch)),
        *indent(_load(spec, dialect, 1, slots[1], batch)),
        "  BARRIER;",
        f"  for (i32 k = 0; k < {_DEPTH}; ++k) {{",
        f"    {acc} a[{block}], b[{block}];",
        *indent(_each(block, "r", [f"a[r] = left[k][ty + r * {_SIDE}];"]), 2),
        *indent(_each(block, "c", [f"b[c] = right[k][tx + c * {_SIDE}];"]), 2),
        *indent(_each(block, "r", _each(block, "c", _multiply_add(spec.acc_dtype))), 2),
        "  }",
        "  BARRIER;",
        "}",
        *_each(block, "r", _each(block, "c", _store(spec, dialect, slots[2], batch))),
    ]
    kernel = dialect.kernel("k", "rrw", slots[2] + spec.nbatch + 3, "\n".join(indent(body)), group=_GROUP)
    return dialect.program(kernel)


def _each(count: int, name: str, lines: Sequence[str]) -> list[str]:
    return ["#pragma unroll", f"for (i32 {name} = 0; {name} < {count}; ++{name}) {{", *indent(lines), "}"]


def _load(spec: MatmulSpec, dialect: Dialect, number: int, slot: int, batch: list[str]) -> list[str]:
    """One operand's tile to local memory, zeros outside; neighbouring work-items read neighbours in memory."""
    name, dtype = ("left", spec.left) if number == 0 else ("right", spec.right)
    along, tile = (spec.left_along, spec.right_along)[number], _SIDE * spec.block
    k, other = (f"j % {_DEPTH}", f"j / {_DEPTH}") if along else (f"j / {tile}", f"j % {tile}")
    start, limit = ("row0", "m") if number == 0 else ("column0", "n")
    names = [*batch, *(("at", "k0 + k") if number == 0 else ("k0 + k", "at"))]
    value = dialect.cast(dtype, spec.acc_dtype, f"({read(dialect, dtype, address(number, slot, names))})")
    return [
        "#pragma unroll",
        f"for (i32 j = lid; j < {_DEPTH * tile}; j += {_GROUP}) {{",
        f"  const i32 k = {k}, i = {other};",
        f"  const i64 at = {start} + i;",
        f"  {CTYPE[spec.acc_dtype]} value = {dialect.literal(0, spec.acc_dtype)};",
        f"  if (at < {limit} && k0 + k < depth) value = {value};",
        f"  {name}[k][i] = value;",
        "}",
    ]


def _multiply_add(dtype: str) -> list[str]:
    if KIND[dtype] == "f":
        return ["sum[r][c] = fma(a[r], b[c], sum[r][c]);"]
    if KIND[dtype] == "c":
        return [
            "sum[r][c].re = fma(a[r].re, b[c].re, fma(-a[r].im, b[c].im, sum[r][c].re));",
            "sum[r][c].im = fma(a[r].re, b[c].im, fma(a[r].im, b[c].re, sum[r][c].im));",
        ]
    product = f"({CTYPE[dtype]})({expression(OPS['multiply'], dtype, ['a[r]', 'b[c]'])})"
    return [f"sum[r][c] = ({CTYPE[dtype]})({expression(OPS['add'], dtype, ['sum[r][c]', product])});"]


def _store(spec: MatmulSpec, dialect: Dialect, slot: int, batch: list[str]) -> list[str]:
    value = dialect.cast(spec.acc_dtype, spec.out, "sum[r][c]")
    store = write(dialect, spec.out, address(2, slot, [*batch, "row", "column"]), value)
    return [
        f"const i64 row = row0 + ty + r * {_SIDE}, column = column0 + tx + c * {_SIDE};",
        f"if (row < m && column < n) {{ {store} }}",
    ]


def _block(m: int, n: int, batches: int, acc_dtype: str, dialect: Dialect) -> int:
    """The largest block that still gives every compute unit a group, within the registers of a work-item."""
    largest = {4: 8, 8: 4, 16: 2}.get(SIZE[acc_dtype], 4)
    for block in (8, 4, 2):
        tile = _SIDE * block
        groups = ceil_div(m, tile) * ceil_div(n, tile) * batches
        if block <= largest and (groups >= units_of(dialect) or block == 2):
            return block
    return 2


@lru_cache(maxsize=256)
def plan_matmul(left: View, right: View, out: View, dialect: Dialect) -> Plan:
    """`left @ right`, over batch dims that are broadcast already (stride 0).

    Parameters
    ----------
    left, right, out : View
        Of shapes (..., m, k), (..., k, n) and (..., m, n), with any strides. The dtypes of the operands are cast to the
        dtype of `out` (accumulated in float32 where that is float16).

    Returns
    -------
    Plan
        One launch.
    """
    batch, (m, n), depth = out.shape[:-2], out.shape[-2:], left.shape[-1]
    if left.shape != (*batch, m, depth) or right.shape != (*batch, depth, n):
        raise ValueError(
            f"matrices of shapes {left.shape} and {right.shape} have no product of shape {out.shape}; "
            "wanted are (..., m, k), (..., k, n) and (..., m, n)"
        )
    if out.size == 0:
        return Plan(())
    operands = (left, right, out)
    sizes, strides = collapse(batch, [view.strides[:-2] for view in operands])
    acc = "float32" if out.dtype == "float16" else out.dtype
    spec = MatmulSpec(
        nbatch=len(sizes),
        left=left.dtype,
        right=right.dtype,
        out=out.dtype,
        acc_dtype=acc,
        block=_block(m, n, prod(sizes), acc, dialect),
        left_along=abs(left.strides[-1]) <= abs(left.strides[-2]),
        right_along=abs(right.strides[-2]) < abs(right.strides[-1]),
    )
    tile = _SIDE * spec.block
    groups = (prod(sizes) * ceil_div(n, tile), ceil_div(m, tile))
    if groups[1] > _MAX_ROW_TILES:
        raise ValueError(f"a matrix of {m} rows is beyond the {_MAX_ROW_TILES * tile} that one launch covers")
    slots: list[int | str] = [m, n, depth, *sizes]
    for view, own in zip(operands, strides, strict=True):
        slots += [view.role, *own, *view.strides[-2:]]
    roles = (left.role, right.role, out.role)
    return Plan((Launch(render(spec, dialect), "k", groups, _GROUP, roles, tuple(slots), "rrw"),))
