"""Indexing by integer arrays: gather, scatter, and the functions of the standard that are one of the two.

All of them walk one iteration space. An element of the *table* (the array that is indexed) lies at its place in the
space, where indexed axes have stride 0, plus each index times the byte stride of the axis that it indexes. Index arrays
and the other array are views over the whole space, with stride 0 where they are repeated.

An index out of bounds touches no memory: a gather gives zero bits there, a scatter leaves that element out, and the
word in the role "flag" (int32) is raised to the number of the index array, counted from 1. The host looks at it when it
synchronises next, raises IndexError, and clears it.

On a GPU a work-item does one element. On a CPU it walks a piece of a row, or several rows: what does not change along
a row is done once for it, and a row whose elements lie side by side is copied as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import prod

from devarray.codegen.kernels.cooperation import cooperation
from devarray.codegen.kernels.launches import Launch, Plan, View, address, ceil_div, collapse, indent, read, units_of
from devarray.codegen.kernels.operands import numbered, unravel
from devarray.codegen.language.dialect import Dialect
from devarray.ops.dtypes import INTEGERS, KIND, SIZE

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
_GROUP = 256
_MAX_ROWS = 65535  # dimension 1 of a CUDA grid
_PIECE = 4096  # elements of a work-item that walks, at least
_PIECES_PER_UNIT = 8
_CHUNK_BYTES = 64  # that a walk copies at once: the widest vector of a CPU


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
    and strides; the flag's offset; of a walk, the elements of a row and the rows that a work-item walks.

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
    walk : tuple of bool, optional
        Of a walk: for each index array whether it changes along the innermost dim.
    steps : tuple of str
        Of a walk with rows as they are: how the table and the other array step along one: "unit" (the itemsize) or
        "none" (0); otherwise "any".
    """

    ndim: int
    flat: bool
    scatter: bool
    dtype: str
    indices: tuple[str, ...]
    walk: tuple[bool, ...] | None = None
    steps: tuple[str, str] = ("any", "any")

    @property
    def access(self) -> str:
        """Which memory arguments are written ("w") and which read ("r")."""
        return ("wr" if self.scatter else "rw") + "r" * len(self.indices) + "w"


@lru_cache(maxsize=512)
def render(spec: IndexingSpec, dialect: Dialect) -> str:
    """Source of the kernel "k" of `spec`."""
    if spec.walk is not None:
        return dialect.program(_Walk(spec, dialect).source())
    ndim, flag = spec.ndim, 2 + len(spec.indices)
    table, other, first = ndim, 2 * ndim + 1, 3 * ndim + 2
    flag_slot = first + len(spec.indices) * (ndim + 3)
    names = numbered("i", ndim)
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
            *indent([*unravel(dialect, "i", sizes, names, "i64"), *lines]),
            "}",
        ]
    else:
        body = [
            f"const i64 {names[-1]} = GLOBAL_ID(0);",
            f"if ({names[-1]} < {sizes[-1]}) {{",
            f"  for (i64 y = GLOBAL_ID(1); y < {' * '.join(sizes[:-1]) or '1'}; y += GLOBAL_SIZE(1)) {{",
            *indent([*(unravel(dialect, "y", sizes[:-1], names[:-1], "i64") if ndim > 1 else []), *lines], 2),
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


class _Walk:
    """The kernel of a CPU. Work-item (p, q) walks piece p of the rows of piece q, one element after the other: a loop
    of its own is what both compilers make good code of, and a group costs them as much as a hundred elements."""

    def __init__(self, spec: IndexingSpec, dialect: Dialect) -> None:
        self.spec, self.dialect, ndim = spec, dialect, spec.ndim
        self.table, self.other, self.first = ndim, 2 * ndim + 1, 3 * ndim + 2
        self.flag = self.first + len(spec.indices) * (ndim + 3)
        self.names = numbered("i", ndim)
        self.storage = dialect.storage(spec.dtype)

    def source(self) -> str:
        spec, outer = self.spec, self.names[:-1]
        sizes = [f"s.v[{dim}]" for dim in range(spec.ndim)]
        body = [
            "i32 worst = 0;",
            f"const i64 begin = GLOBAL_ID(0) * s.v[{self.flag + 1}], row = GLOBAL_ID(1) * s.v[{self.flag + 2}];",
            f"const i64 end = begin + s.v[{self.flag + 1}] < {sizes[-1]} ? begin + s.v[{self.flag + 1}] : {sizes[-1]};",
            f"const i64 rows = {' * '.join(sizes[:-1]) or '1'};",
            f"for (i64 y = row; y < row + s.v[{self.flag + 2}] && y < rows; ++y) {{",
            *indent([*(unravel(self.dialect, "y", sizes[:-1], outer, "i64") if outer else []), *self.row()]),
            "}",
            f"if (worst) RAISE_FLAG(m{2 + len(spec.indices)} + s.v[{self.flag}], worst);",
        ]
        kernel = self.dialect.kernel("k", spec.access, self.flag + 3, "\n".join(indent(body)), restrict=False, group=1)
        chunk = f"typedef struct {{ {self.storage} v[{self.lanes}]; }} chunk;\n"
        return cooperation(self.dialect) + (chunk if self.as_runs else "") + kernel

    @property
    def lanes(self) -> int:
        return _CHUNK_BYTES // SIZE[self.spec.dtype]

    @property
    def as_runs(self) -> bool:
        """Whether rows are copied as they are, or filled with one value each."""
        return self.spec.steps[0] != "any"

    @property
    def fills(self) -> bool:
        return self.spec.steps[1 if self.spec.scatter else 0] == "none"

    def indices(self, varying: bool) -> list[str]:
        """Adds the indices that change along a row, or those that do not, to `place` and `bad`."""
        lines = []
        for number, (dtype, changes) in enumerate(zip(self.spec.indices, self.spec.walk or (), strict=True)):
            if changes != varying:
                continue
            slot = self.first + number * (self.spec.ndim + 3)
            names = self.names if changes else self.names[:-1]
            lines += _index(self.dialect, dtype, number, slot, address(2 + number, slot + 2, names))
        return lines

    def row(self) -> list[str]:
        outer = self.names[:-1]
        const, written = f"GLOBAL const {self.storage}*", f"GLOBAL {self.storage}*"
        table, other = (written, const) if self.spec.scatter else (const, written)
        offset = address(0, self.table, outer)[len("m0 + ") :]
        head = [f"i64 place = {offset};", "i32 bad = 0;", *self.indices(False)]
        here = f"GLOBAL {'const ' if self.spec.scatter else ''}char* here = {address(1, self.other, outer)};"
        if not self.as_runs:
            return [*head, here, *self.elements(table, other)]
        there = f"m0 + place + begin * s.v[{self.table + self.spec.ndim}]"
        beside = f"here + begin * s.v[{self.other + self.spec.ndim}]"
        source, target = (beside, there) if self.spec.scatter else (there, beside)
        lines = [
            *head,
            here,
            "if (bad) {",
            "  if (bad > worst) worst = bad;",
            *([] if self.spec.scatter else [f"  for (i64 x = begin; x < end; ++x) (({other})here)[x] = {self.zero};"]),
            "  continue;",
            "}",
            f"{written} to = ({written})({target});",
            f"{const} from = ({const})({source});",
        ]
        return [*lines, *self.run()]

    @property
    def zero(self) -> str:
        return f"({self.storage}){{0, 0}}" if KIND[self.spec.dtype] == "c" else "0"

    def run(self) -> list[str]:
        """The elements of a row, as they are: a structure's copy is one of the widest vectors, at any address."""
        if self.fills:
            value = f"const {self.storage} value = *from;"
            return [value, "for (i64 x = 0; x < end - begin; ++x) to[x] = value;"]
        return [
            "i64 x = 0;",
            f"for (; x + {self.lanes} <= end - begin; x += {self.lanes})",
            "  *(GLOBAL chunk*)(to + x) = *(GLOBAL const chunk*)(from + x);",
            "for (; x < end - begin; ++x) to[x] = from[x];",
        ]

    def elements(self, table: str, other: str) -> list[str]:
        """The elements of a row one by one; those whose index is out of bounds are left out, or zero."""
        inner, last = self.names[-1], self.spec.ndim
        there = f"*({table})(m0 + place)"
        here = f"*({other})(here + {inner} * s.v[{self.other + last}])"
        if self.spec.scatter:
            good, wrong = f"{there} = {here};", ""
        else:
            good, wrong = f"{here} = {there};", f"{here} = {self.zero}; "
        return [
            "const i64 corner = place;",
            "const i32 wrong = bad;",
            "#pragma clang loop vectorize(disable)",
            f"for (i64 {inner} = begin; {inner} < end; ++{inner}) {{",
            f"  i64 place = corner + {inner} * s.v[{self.table + last}];",
            "  i32 bad = wrong;",
            *indent(self.indices(True)),
            f"  if (!bad) {good}",
            f"  else {{ {wrong}if (bad > worst) worst = bad; }}",
            "}",
        ]


def _walk(
    sizes: tuple[int, ...], strides: list[tuple[int, ...]], spec: IndexingSpec, dialect: Dialect
) -> tuple[IndexingSpec, tuple[int, int], tuple[int, int]]:
    """The walk's spec, its pieces along a row and across rows, and how long each is."""
    walk = tuple(own[-1] != 0 for own in strides[2:])
    spec = replace(spec, flat=False, walk=walk)
    named = {SIZE[spec.dtype]: "unit", 0: "none"}
    table, other = (named.get(own[-1], "any") for own in strides[:2])
    target, source = (table, other) if spec.scatter else (other, table)
    if not any(walk) and target == "unit" and source != "any":
        spec = replace(spec, steps=(table, other))
    inner, rows = sizes[-1], prod(sizes[:-1])
    pieces = min(units_of(dialect) * _PIECES_PER_UNIT, ceil_div(inner * rows, _PIECE))
    down = ceil_div(rows, min(rows, pieces))
    lanes = _CHUNK_BYTES // SIZE[spec.dtype]
    along = ceil_div(ceil_div(inner, ceil_div(pieces, rows)), lanes) * lanes
    return spec, (ceil_div(inner, along), ceil_div(rows, down)), (along, down)


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
    roles = (table.role, other.role, *(index.view.role for index in indices), "flag")
    if dialect.strategy == "cpu":
        spec, groups, lengths = _walk(sizes, strides, spec, dialect)
        return Plan((Launch(render(spec, dialect), "k", groups, 1, roles, (*slots, "flag", *lengths), spec.access),))
    inner = prod(sizes) if flat else sizes[-1]
    groups = (ceil_div(inner, _GROUP), 1 if flat else min(prod(sizes[:-1]), _MAX_ROWS))
    return Plan((Launch(render(spec, dialect), "k", groups, _GROUP, roles, (*slots, "flag"), spec.access),))


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
