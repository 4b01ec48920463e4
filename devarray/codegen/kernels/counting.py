"""How often numbers occur, or values lie in even intervals, and sums of their weights: the way of CPUs.

Each of a few work-items, a group of its own, counts a part of the elements, in order, in a row of its own. So nothing
is shared, no element is moved, and sums of floats are the same every time. The caller adds up the rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from devarray.codegen.kernels.launches import Launch, Plan, View, ceil_div, declare, indent, scalar_slots, units_of
from devarray.codegen.language.dialect import CTYPE, Dialect
from devarray.ops.dtypes import KIND

__all__ = ["CountSpec", "count_rows", "plan_count", "render"]

_ROWS_PER_UNIT = 4
_ROW_ELEMENTS = 8192  # less is not worth a row of its own
_ELEMENTS_PER_BIN = 4  # a row is cleared, and added to the others
_BLOCK = 256  # bins that are guessed at a time, by vectors


@dataclass(frozen=True, slots=True)
class CountSpec:
    """One kernel "k".

    Memory arguments: the rows, the elements, the edges if any, the weights if any. Slots: number of elements, elements
    of a row, bins, the first bin's number; the offset of each memory argument. Numbers of no bin are left out.

    Attributes
    ----------
    dtype : str
        Of the elements: of integers or bool, which are bins' numbers; with edges, of floats.
    edges : bool
        Whether the elements are values, and the edges of the bins that hold them, about evenly spaced, are given.
    weights : bool
        Whether there are weights to be added up instead of ones.
    sums : str
        Dtype of the rows and the weights.
    """

    dtype: str
    edges: bool
    weights: bool
    sums: str

    @property
    def access(self) -> str:
        """Which memory arguments are written ("w") and which read ("r")."""
        return "wr" + "r" * (self.edges + self.weights)


def count_rows(size: int, bins: int, dialect: Dialect) -> int:
    """Rows in which to count `size` elements: no more than pay for being cleared and added up."""
    part = max(_ROW_ELEMENTS, _ELEMENTS_PER_BIN * bins)
    return max(1, min(_ROWS_PER_UNIT * units_of(dialect), size // part))


@lru_cache(maxsize=128)
def render(spec: CountSpec, dialect: Dialect) -> str:
    """Source of the kernel "k" of `spec`."""
    sums = dialect.storage(spec.sums)
    names = ["from", *(["edges"] if spec.edges else []), *(["weights"] if spec.weights else [])]
    dtypes = [spec.dtype, *([spec.dtype] if spec.edges else []), spec.sums]
    pointers = [dialect.pointer(dtype, const=True) for dtype in dtypes]
    body = [
        "const i64 bins = s.v[2], begin = GROUP_ID(0) * s.v[1];",
        "const i64 end = s.v[0] - begin < s.v[1] ? s.v[0] : begin + s.v[1];",
        f"GLOBAL {sums}* row = (GLOBAL {sums}*)(m0 + s.v[4]) + GROUP_ID(0) * bins;",
        *(
            f"{pointer} {name} = ({pointer})(m{number} + s.v[{4 + number}]);"
            for number, (pointer, name) in enumerate(zip(pointers, names, strict=False), 1)
        ),
        f"const {sums} zero = {'{0, 0}' if KIND[spec.sums] == 'c' else '0'};",
        "for (i64 k = 0; k < bins; k++) row[k] = zero;",
        *(_by_edges(spec, dialect) if spec.edges else _by_number(spec, dialect)),
    ]
    return dialect.program(dialect.kernel("k", spec.access, 4 + len(spec.access), "\n".join(indent(body))))


def _by_number(spec: CountSpec, dialect: Dialect) -> list[str]:
    return [
        "for (i64 i = begin; i < end; i++) {",
        f"  const u64 k = (u64){dialect.load(spec.dtype, 'from', 'i')} - (u64)s.v[3];",
        f"  if (k < (u64)bins) {{ {_take(spec)} }}",
        "}",
    ]


def _by_edges(spec: CountSpec, dialect: Dialect) -> list[str]:
    """Guesses a block's bins, then moves each to where its edges hold the value, the last bin's both."""
    real = CTYPE[spec.dtype]

    def edge(index: str) -> str:
        return dialect.load(spec.dtype, "edges", index)

    def value(index: str) -> str:
        return dialect.load(spec.dtype, "from", index)

    return [
        f"const {real} first = {edge('0')}, last = {edge('bins')};",
        f"const {real} scale = ({real})bins / (last - first), top = ({real})(bins - 1);",
        f"i32 guess[{_BLOCK}];",
        f"for (i64 block = begin; block < end; block += {_BLOCK}) {{",
        f"  const i32 n = end - block < {_BLOCK} ? (i32)(end - block) : {_BLOCK};",
        "  for (i32 j = 0; j < n; j++) {",
        f"    {real} place = ({value('block + j')} - first) * scale;",
        "    place = place > 0 ? place : 0;",  # NaN, too
        "    guess[j] = (i32)(place < top ? place : top);",
        "  }",
        "  for (i32 j = 0; j < n; j++) {",
        "    const i64 i = block + j;",
        f"    {declare(spec.dtype, 'value', value('i'))}",
        "    if (!(value >= first && value <= last)) continue;",
        "    i64 k = guess[j];",
        f"    while (value < {edge('k')}) k--;",
        f"    while (k < bins - 1 && value >= {edge('k + 1')}) k++;",
        f"    {_take(spec)}",
        "  }",
        "}",
    ]


def _take(spec: CountSpec) -> str:
    """Adds element `i` to bin `k`."""
    if not spec.weights:
        return "row[k] += 1;"
    if KIND[spec.sums] == "c":
        return "row[k].re += weights[i].re; row[k].im += weights[i].im;"
    return "row[k] += weights[i];"


@lru_cache(maxsize=256)
def plan_count(
    rows: View, elements: View, edges: View | None, weights: View | None, dialect: Dialect, *, least: int = 0
) -> Plan:
    """Counts elements in rows whose sum is the result.

    Parameters
    ----------
    rows : View
        Of shape (`count_rows(...)`, bins), where bins are less than 2**24 if there are edges; like all of these
        contiguous.
    elements : View
        One-dimensional: the numbers of their bins, or values. What is in no bin is left out.
    edges : View, optional
        In order, about evenly spaced, one more than bins; of the values' dtype. The last bin holds the last edge.
    weights : View, optional
        Of the elements' shape and the rows' dtype; what is added up instead of ones.
    least : int
        The number of the first bin, where elements are numbers.
    """
    parts, bins = rows.shape
    views = [rows, elements, *(view for view in (edges, weights) if view is not None)]
    spec = CountSpec(elements.dtype, edges is not None, weights is not None, rows.dtype)
    roles = tuple(view.role for view in views)
    first = scalar_slots(least, elements.dtype)
    slots: tuple[int | str, ...] = (elements.size, ceil_div(elements.size, parts), bins, *first, *roles)
    return Plan((Launch(render(spec, dialect), "k", (parts,), 1, roles, slots, spec.access),))
