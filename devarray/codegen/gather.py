"""Indexing by integer arrays: gather, scatter, and the functions of the standard that are one of the two.

All of them walk one iteration space. An element of the *table* (the array that is indexed) lies at its place in the
space, where indexed axes have stride 0, plus each index times the byte stride of the axis that it indexes. Index arrays
and the other array are views over the whole space, with stride 0 where they are repeated.

An index out of bounds touches no memory: a gather gives zero bits there, a scatter leaves that element out, and the
word in the role "flag" (int32) is raised to the number of the index array, counted from 1. The host looks at it when it
synchronises next, raises IndexError, and clears it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod

from devarray.codegen.cooperation import cooperation
from devarray.codegen.dialect import Dialect
from devarray.codegen.elementwise import unravel
from devarray.codegen.launches import Launch, Plan, View, address, ceil_div, collapse, indent, read
from devarray.ops.dtypes import INTEGERS, KIND

__all__ = [
    "IndexArray",
    "IndexingSpec",
    "plan_gather",
    "plan_put_along_axis",
    "plan_scatter",
    "plan_take",
    "plan_take_along_axis",
    "render",
]

_SHORT_ROW = 32
_CPU_GROUP, _GPU_GROUP = 64, 256
_MAX_ROWS = 65535  # dimension 1 of a CUDA grid


@dataclass(frozen=True, slots=True)
class IndexArray:
    """Indices into one axis of the table.

    Attributes
    ----------
    view : View
        Over the whole space; of an integer dtype.
    length, stride : int
        Size and byte stride of the axis that is indexed.
    """

    view: View
    length: int
    stride: int


@dataclass(frozen=True, slots=True)
class IndexingSpec:
    """One kernel "k".

    Memory arguments: the table, the other array, the index arrays, the flag. Slots: the sizes of the space; offset and
    strides of the table and of the other array; for each index array its axis' length and byte stride, then its offset
    and strides; the flag's offset.

    Attributes
    ----------
    ndim : int
        Dims of the collapsed space.
    flat : bool
        One index over the whole space; otherwise the innermost dim is launch dimension 0.
    scatter : bool
        Whether the table is written.
    dtype : str
        Of the table and of the other array.
    indices : tuple of dtype
    """

    ndim: int
    flat: bool
    scatter: bool
    dtype: str
    indices: tuple[str, ...]

    @property
    def access(self) -> str:
        """Which memory arguments are written ("w") and which read ("r")."""
        return ("wr" if self.scatter else "rw") + "r" * len(self.indices) + "w"


@lru_cache(maxsize=512)
def render(spec: IndexingSpec, dialect: Dialect) -> str:
    """Source of the kernel "k" of `spec`."""
    ndim, flag = spec.ndim, 2 + len(spec.indices)
    table, other, first = ndim, 2 * ndim + 1, 3 * ndim + 2
    flag_slot = first + len(spec.indices) * (ndim + 3)
    names = [f"i{dim}" for dim in range(ndim)]
    sizes = [f"s.v[{dim}]" for dim in range(ndim)]
    storage = dialect.storage(spec.dtype)
    lines = [f"i64 place = {address(0, table, names)[len('m0 + ') :]};", "i32 bad = 0;"]
    for number, dtype in enumerate(spec.indices):
        slot = first + number * (ndim + 3)
        lines += _index(dialect, dtype, number, slot, address(2 + number, slot + 2, names))
    const, written = f"GLOBAL const {storage}*", f"GLOBAL {storage}*"
    there = f"({written if spec.scatter else const})(m0 + place)"
    here = f"({const if spec.scatter else written})({address(1, other, names)})"
    if spec.scatter:
        lines += [f"if (!bad) *{there} = *{here};"]
    else:
        zero = f"{storage} value = {'{0, 0}' if KIND[spec.dtype] == 'c' else '0'};"
        lines += [zero, f"if (!bad) value = *{there};", f"*{here} = value;"]
    lines.append(f"if (bad) RAISE_FLAG(m{flag} + s.v[{flag_slot}], bad);")
    if spec.flat:
        body = [
            "const i64 i = GLOBAL_ID(0);",
            f"if (i < {' * '.join(sizes)}) {{",
            *indent([*unravel("i", sizes, names, "i64"), *lines]),
            "}",
        ]
    else:
        body = [
            f"const i64 {names[-1]} = GLOBAL_ID(0);",
            f"if ({names[-1]} < {sizes[-1]}) {{",
            f"  for (i64 y = GLOBAL_ID(1); y < {' * '.join(sizes[:-1]) or '1'}; y += GLOBAL_SIZE(1)) {{",
            *indent([*(unravel("y", sizes[:-1], names[:-1], "i64") if ndim > 1 else []), *lines], 2),
            "  }",
            "}",
        ]
    kernel = dialect.kernel("k", spec.access, flag_slot + 1, "\n".join(indent(body)), restrict=False)
    return dialect.program(cooperation(dialect) + kernel)


def _index(dialect: Dialect, dtype: str, number: int, slot: int, place: str) -> list[str]:
    """Adds one index to `place`; negative ones count from the end."""
    length, stride = f"s.v[{slot}]", f"s.v[{slot + 1}]"
    value = read(dialect, dtype, place)
    lines = [f"i64 j{number} = (i64)({value});"]
    if KIND[dtype] == "i":
        lines.append(f"if (j{number} < 0) j{number} += {length};")
    lines.append(f"if (j{number} < 0 || j{number} >= {length}) bad = {number + 1};")
    lines.append(f"place += j{number} * {stride};")
    return lines


@lru_cache(maxsize=256)
def _plan(table: View, other: View, indices: tuple[IndexArray, ...], scatter: bool, dialect: Dialect) -> Plan:
    if table.dtype != other.dtype:
        raise ValueError(f"indexing moves elements of one dtype, not between {table.dtype} and {other.dtype}")
    if not indices:
        raise ValueError("indexing by arrays needs at least one index array")
    for view in (other, *(index.view for index in indices)):
        if view.shape != table.shape:
            raise ValueError(f"all views must have the shape of the space {table.shape}, not {view.shape}")
    for index in indices:
        if index.view.dtype not in INTEGERS:
            raise ValueError(f"indices are integers, not {index.view.dtype}")
    if table.size == 0:
        return Plan(())
    views = [table, other, *(index.view for index in indices)]
    sizes, strides = collapse(table.shape, [view.strides for view in views])
    flat = len(sizes) == 1 or sizes[-1] < _SHORT_ROW
    spec = IndexingSpec(len(sizes), flat, scatter, table.dtype, tuple(index.view.dtype for index in indices))
    slots: list[int | str] = [*sizes, table.role, *strides[0], other.role, *strides[1]]
    for index, own in zip(indices, strides[2:], strict=True):
        slots += [index.length, index.stride, index.view.role, *own]
    local = _CPU_GROUP if dialect.is_cpu else _GPU_GROUP
    inner = prod(sizes) if flat else sizes[-1]
    groups = (ceil_div(inner, local), 1 if flat else min(prod(sizes[:-1]), _MAX_ROWS))
    roles = (table.role, other.role, *(index.view.role for index in indices), "flag")
    return Plan((Launch(render(spec, dialect), "k", groups, local, roles, (*slots, "flag"), spec.access),))


def plan_gather(table: View, indices: Sequence[IndexArray], out: View, dialect: Dialect) -> Plan:
    """`out[...] = table[indices]`.

    Parameters
    ----------
    table : View
        Over the space of `out`: the strides of axes that are not indexed, 0 elsewhere.
    indices : sequence of IndexArray
    out : View

    Returns
    -------
    Plan
        Roles: the views' and "flag", an int32.
    """
    return _plan(table, out, tuple(indices), False, dialect)


def plan_scatter(table: View, indices: Sequence[IndexArray], values: View, dialect: Dialect) -> Plan:
    """`table[indices] = values`, with `values` seen over the space. Of several values for one element one stays; which
    one is not said (NumPy: the last)."""
    return _plan(table, values, tuple(indices), True, dialect)


def _taken(table: View, indices: View, axis: int) -> tuple[View, IndexArray]:
    """The space of `take`: the table's dims with the index array's in place of `axis`."""
    before, after = table.shape[:axis], table.shape[axis + 1 :]
    shape = before + indices.shape + after
    zeros = (0,) * len(indices.shape)
    seen = View(table.role, table.dtype, shape, table.strides[:axis] + zeros + table.strides[axis + 1 :])
    strides = (0,) * len(before) + indices.strides + (0,) * len(after)
    index = View(indices.role, indices.dtype, shape, strides)
    return seen, IndexArray(index, table.shape[axis], table.strides[axis])


def plan_take(table: View, indices: View, axis: int, out: View, dialect: Dialect) -> Plan:
    """`take(table, indices, axis=axis)`, for an index array of any number of dims; `axis` is not negative."""
    seen, index = _taken(table, indices, axis)
    return plan_gather(seen, [index], out, dialect)


def _along(table: View, indices: View, axis: int) -> tuple[View, IndexArray]:
    strides = tuple(
        0 if dim == axis or size == 1 else stride
        for dim, (size, stride) in enumerate(zip(table.shape, table.strides, strict=True))
    )
    seen = View(table.role, table.dtype, indices.shape, strides)
    return seen, IndexArray(indices, table.shape[axis], table.strides[axis])


def plan_take_along_axis(table: View, indices: View, axis: int, out: View, dialect: Dialect) -> Plan:
    """`take_along_axis(table, indices, axis=axis)`, the two broadcast except along `axis`, which is not negative."""
    seen, index = _along(table, indices, axis)
    return plan_gather(seen, [index], out, dialect)


def plan_put_along_axis(table: View, indices: View, axis: int, values: View, dialect: Dialect) -> Plan:
    """`put_along_axis(table, indices, values, axis=axis)`, the inverse of `plan_take_along_axis`."""
    seen, index = _along(table, indices, axis)
    return plan_scatter(seen, [index], values, dialect)
