"""How often numbers occur, and sums of their weights: the way of GPUs.

Each work-group counts a part of the elements in bins of its own, in local memory. Counts are added up by atomics, whose
order is of no matter. Weights are added up by groups of 32, 32 elements at a time: the first work-item of each bin adds
those of the others with the same bin, too, in the order of the elements, so sums of floats are the same every time.
Where bins are too many for local memory, further groups, along dimension 1, count the next ones. The caller adds up
the rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from devarray.codegen.kernels.launches import Launch, Plan, View, ceil_div, declare, indent, scalar_slots, units_of
from devarray.codegen.kernels.warps import has_warps, primitives
from devarray.codegen.language.dialect import CTYPE, Dialect
from devarray.ops.dtypes import KIND, SIZE

__all__ = ["GroupCountSpec", "GroupGeometry", "group_geometry", "plan_group_count", "render"]

_LOCAL_BYTES = 48 << 10  # what CUDA gives every group
_BYTES_PER_UNIT = 192 << 10
_EXCHANGE_BYTES = 1 << 10  # numbers and weights of 32 elements
_SUMMING = 32  # work-items; their votes on equal numbers are the bits of a word
_COUNTING = 256
_MOST_GROUPS = {_SUMMING: 32, _COUNTING: 8}  # of a compute unit, of these sizes
_LEAST_PART = 16  # elements of a work-item; less is not worth a row
_LEAST_ROOM = 64
_MOST_RANGES = 4  # each of them reads all elements
_AHEAD = 4  # elements of a work-item that are loaded at once

_FIRST_BIT = {"cuda": "#define FIRST_BIT(x) (__ffs((i32)(x)) - 1)\n"}
_PORTABLE_FIRST_BIT = "#define FIRST_BIT(x) ((i32)(31 - clz((x) & -(x))))\n"


@dataclass(frozen=True, slots=True)
class GroupCountSpec:
    """One kernel "k".

    Memory arguments: the rows, the elements, the edges if any, the weights if any. Slots: number of elements, elements
    of a group, bins, the first bin's number; the offset of each memory argument. Numbers of no bin are left out.

    Attributes
    ----------
    dtype : str
        Of the elements: of integers or bool, which are bins' numbers; with edges, of floats.
    sums : str, optional
        Dtype of the rows where there are weights, which are cast to it. None: ones are counted, in rows of int64.
    weights : str, optional
        Dtype of the weights.
    room : int
        Bins of a group.
    edges : bool
        Whether the elements are values, and the edges of the bins that hold them, about evenly spaced, are given.
    """

    dtype: str
    sums: str | None
    room: int
    edges: bool = False
    weights: str | None = None

    @property
    def group(self) -> int:
        """Work-items of a group."""
        return _COUNTING if self.sums is None else _SUMMING

    @property
    def access(self) -> str:
        """Which memory arguments are written ("w") and which read ("r")."""
        return "wr" + "r" * (self.edges + (self.sums is not None))


@dataclass(frozen=True, slots=True)
class GroupGeometry:
    """How elements and bins are cut up.

    Attributes
    ----------
    parts : int
        Of the elements; each has a row.
    ranges : int
        Of the bins.
    room : int
        Bins of a range.
    """

    parts: int
    ranges: int
    room: int


@lru_cache(maxsize=256)
def group_geometry(size: int, bins: int, sums: str | None, dialect: Dialect) -> GroupGeometry | None:
    """The geometry for `size` elements, with weights of dtype `sums` if any. None where bins are too many to count."""
    itemsize, group = (4, _COUNTING) if sums is None else (SIZE[sums], _SUMMING)
    local = min(_LOCAL_BYTES, int(dialect.caps.get("local_memory") or _LOCAL_BYTES))
    most = (local - _EXCHANGE_BYTES) // itemsize
    room = _LEAST_ROOM
    while room < bins:
        room *= 2
    room = min(room, most)
    ranges = ceil_div(bins, room)
    if ranges > _MOST_RANGES:
        return None
    resident = max(1, min(_MOST_GROUPS[group], _BYTES_PER_UNIT // (room * itemsize)))
    wanted = ceil_div(units_of(dialect) * resident, ranges)
    return GroupGeometry(max(1, min(wanted, size // max(_LEAST_PART * group, room))), ranges, room)


@lru_cache(maxsize=128)
def render(spec: GroupCountSpec, dialect: Dialect) -> str:
    """Source of the kernel "k" of `spec`."""
    row = "u32" if spec.sums is None else dialect.storage(spec.sums)
    sums = dialect.pointer(spec.sums or "int64", const=False)
    elements = dialect.pointer(spec.dtype, const=True)
    body = [
        "const i32 lid = LOCAL_ID(0);",
        f"const i64 lead = GROUP_ID(1) * {spec.room}, begin = GROUP_ID(0) * s.v[1];",
        "const i64 end = s.v[0] - begin < s.v[1] ? s.v[0] : begin + s.v[1];",
        f"const u32 bins = s.v[2] - lead < {spec.room} ? (u32)(s.v[2] - lead) : {spec.room}u;",
        "const u64 first = (u64)s.v[3] + (u64)lead;",
        f"{sums} out = ({sums})(m0 + s.v[4]) + GROUP_ID(0) * s.v[2] + lead;",
        f"{elements} from = ({elements})(m1 + s.v[5]);",
        f"const {row} zero = {'{0, 0}' if KIND[spec.sums or 'int64'] == 'c' else '0'};",
        *(_bounds(spec, dialect) if spec.edges else []),
        f"LOCAL {row} row[{spec.room}];",
        f"for (i32 k = lid; k < {spec.room}; k += {spec.group}) row[k] = zero;",
        *(_counted(spec, dialect) if spec.sums is None else _summed(spec.sums, spec, dialect)),
        f"for (u32 k = lid; k < bins; k += {spec.group}) out[k] = row[k];",
    ]
    text = dialect.kernel("k", spec.access, 4 + len(spec.access), "\n".join(indent(body)), group=spec.group)
    first_bit = _FIRST_BIT.get(dialect.driver, _PORTABLE_FIRST_BIT)
    warps = spec.sums is not None and has_warps(dialect)
    return dialect.program(primitives(dialect, warps, spec.room.bit_length()) + first_bit + text)


def _ahead(work: list[str]) -> list[str]:
    return ["#pragma unroll", f"for (i32 h = 0; h < {_AHEAD}; ++h) {{", *indent(work), "}"]


def _bounds(spec: GroupCountSpec, dialect: Dialect) -> list[str]:
    """What bins are guessed by."""
    real, edges = CTYPE[spec.dtype], dialect.pointer(spec.dtype, const=True)
    return [
        f"{edges} edges = ({edges})(m2 + s.v[6]);",
        f"const {real} low = {dialect.load(spec.dtype, 'edges', '0')};",
        f"const {real} high = {dialect.load(spec.dtype, 'edges', 's.v[2]')};",
        "const i32 last = (i32)s.v[2] - 1;",
        f"const {real} scale = ({real})s.v[2] / (high - low);",
    ]


def _numbers(spec: GroupCountSpec, dialect: Dialect) -> list[str]:
    """`b[h]`: the number of element `i`'s bin among the group's, or one that no bin has."""
    if spec.edges:
        return _guessed(spec, dialect)
    return [
        f"const i64 i = t + h * {spec.group} + lid;",
        f"const u64 place = i < end ? (u64){dialect.load(spec.dtype, 'from', 'i')} - first : bins;",
        "b[h] = place < bins ? (u32)place : bins;",
    ]


def _guessed(spec: GroupCountSpec, dialect: Dialect) -> list[str]:
    """The same of a value: a guess, and from there to where the edges hold it, the last bin's both."""
    return [
        f"const i64 i = t + h * {spec.group} + lid;",
        "b[h] = bins;",
        "if (i < end) {",
        f"  {declare(spec.dtype, 'value', dialect.load(spec.dtype, 'from', 'i'))}",
        "  if (value >= low && value <= high) {",
        f"    const {CTYPE[spec.dtype]} place = (value - low) * scale;",
        "    i32 k = place < last ? (i32)place : last;",
        f"    while (value < {dialect.load(spec.dtype, 'edges', 'k')}) k--;",
        f"    while (k < last && value >= {dialect.load(spec.dtype, 'edges', 'k + 1')}) k++;",
        "    const u64 found = (u64)k - first;",
        "    if (found < bins) b[h] = (u32)found;",
        "  }",
        "}",
    ]


def _counted(spec: GroupCountSpec, dialect: Dialect) -> list[str]:
    """Counts the group's elements."""
    return [
        "BARRIER;",
        f"for (i64 t = begin; t < end; t += {_AHEAD * spec.group}) {{",
        f"  u32 b[{_AHEAD}];",
        *indent(_ahead(_numbers(spec, dialect))),
        *indent(_ahead(["if (b[h] < bins) COUNT_LOCAL(row + b[h]);"])),
        "}",
        "BARRIER;",
    ]


def _summed(sums: str, spec: GroupCountSpec, dialect: Dialect) -> list[str]:
    """Adds up the weights of the group's elements."""
    stored = spec.weights or sums
    weights, value, number = dialect.pointer(stored, const=True), dialect.storage(sums), 2 + spec.edges
    loaded = dialect.cast(stored, sums, dialect.load(stored, "weights", "i"))
    return [
        f"{weights} weights = ({weights})(m{number} + s.v[{4 + number}]);",
        *([] if has_warps(dialect) else [f"LOCAL u32 numbers[{_SUMMING}];"]),
        f"LOCAL {value} values[{_SUMMING}];",
        f"for (i64 t = begin; t < end; t += {_AHEAD * _SUMMING}) {{",
        f"  u32 b[{_AHEAD}];",
        f"  {value} w[{_AHEAD}];",
        *indent(_ahead([*_numbers(spec, dialect), f"w[h] = i < end ? {loaded} : zero;"])),
        *indent(_ahead(_in_order(sums, has_warps(dialect)))),
        "}",
        "BARRIER;",
    ]


def _in_order(sums: str, warps: bool) -> list[str]:
    """Adds the weights `w[h]` of 32 work-items to their bins `b[h]`, those of the same bin in order."""
    value = CTYPE[sums]
    if warps:
        peers = ["WARP_BARRIER;", "values[lid] = w[h];", "WARP_BARRIER;", "u32 peers = equal_in_warp(b[h]);"]
    else:
        peers = [
            "BARRIER;",
            "numbers[lid] = b[h];",
            "values[lid] = w[h];",
            "BARRIER;",
            "u32 peers = 0;",
            "#pragma unroll",
            f"for (i32 j = 0; j < {_SUMMING}; ++j) peers |= (numbers[j] == b[h] ? 1u : 0u) << j;",
        ]
    return [
        *peers,
        "if (b[h] < bins && FIRST_BIT(peers) == lid) {",
        f"  {value} sum = row[b[h]];",
        "  for (; peers; peers &= peers - 1u) {",
        f"    const {value} weight = values[FIRST_BIT(peers)];",
        f"    {'sum.re += weight.re; sum.im += weight.im;' if KIND[sums] == 'c' else 'sum += weight;'}",
        "  }",
        "  row[b[h]] = sum;",
        "}",
    ]


@lru_cache(maxsize=256)
def plan_group_count(
    rows: View, elements: View, edges: View | None, weights: View | None, dialect: Dialect, *, least: int = 0
) -> Plan:
    """Counts elements in rows whose sum is the result.

    Parameters
    ----------
    rows : View
        Of shape (`group_geometry(...).parts`, bins); like all of these contiguous.
    elements : View
        One-dimensional, the numbers of their bins, or with edges the values in them. What is in no bin is left out.
    edges : View, optional
        About evenly spaced, one more than there are bins, of the elements' dtype.
    weights : View, optional
        Of the elements' shape; what is added up instead of ones, in the rows' dtype.
    least : int
        The number of the first bin.
    """
    parts, bins = rows.shape
    sums = None if weights is None else rows.dtype
    geometry = group_geometry(elements.size, bins, sums, dialect)
    if geometry is None:
        raise ValueError(f"{bins} bins do not fit into local memory")
    views = [view for view in (rows, elements, edges, weights) if view is not None]
    stored = None if weights is None else weights.dtype
    spec = GroupCountSpec(elements.dtype, sums, geometry.room, edges is not None, stored)
    roles = tuple(view.role for view in views)
    first = scalar_slots(least, elements.dtype if edges is None else "int64")
    part = ceil_div(elements.size, parts * _SUMMING) * _SUMMING  # begins of parts are aligned
    slots: tuple[int | str, ...] = (elements.size, part, bins, *first, *roles)
    source = render(spec, dialect)
    return Plan((Launch(source, "k", (parts, geometry.ranges), spec.group, roles, slots, spec.access),))
