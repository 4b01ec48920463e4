"""Stable radix sort along an axis, for values and for indices.

An element becomes an unsigned key whose order is the element's: NaNs come last, and for indices -0 equals 0. Then, from
the lowest digit of 4 bits to the highest, each block of a row counts its digits, the counts of a row are scanned, and
each block moves its keys (and, for indices, the places they came from) to where its digits go.

Values are made from the sorted keys again, so that a sort of values moves no indices; there -0 comes before 0. Complex
numbers are sorted by indices: by imaginary part, then by real part, then by where NumPy puts their NaNs.

Rows may have at most 2**32 - 1 elements.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from math import prod

from devarray.codegen.dialect import CTYPE, Dialect
from devarray.codegen.elementwise import unravel
from devarray.codegen.launches import Launch, Plan, View, address, ceil_div, indent, move, view_slots, write
from devarray.codegen.scan import plan_scan
from devarray.ops.dtypes import KIND, REAL_OF, SIZE

__all__ = ["SortSpec", "plan_argsort", "plan_sort", "render"]

_GROUP = 256
_ITEMS = 8  # consecutive elements of a work-item
_BLOCK = _GROUP * _ITEMS
_BITS = 4
_DIGITS = 1 << _BITS


@dataclass(frozen=True, slots=True)
class SortSpec:
    """One kernel "k" of a sort.

    Attributes
    ----------
    phase : {"keys", "count", "move", "values", "gather", "indices"}
        keys: source (and indices, unless `first`) to keys and indices. count, move: one digit. The rest is the end:
        values from keys, values by indices, or indices alone.
    dtype : str
        Of the source.
    nkept : int
        Dims beside the sorted one, which is the last.
    part : {"whole", "re", "im", "class"}
        Of complex numbers: what the keys are made of.
    descending : bool
    payload : bool
        Whether indices are moved with the keys.
    first : bool
        Whether the keys are the first to be made: indices then begin in order.
    """

    phase: str
    dtype: str
    nkept: int = 0
    part: str = "whole"
    descending: bool = False
    payload: bool = False
    first: bool = True

    @property
    def access(self) -> str:
        """Which memory arguments are written ("w") and which read ("r")."""
        if self.phase == "keys":
            return "rw" + ("w" if self.first else "r") * self.payload
        move = "rrw" + "rw" * self.payload
        return {"count": "rw", "move": move, "values": "wr", "gather": "wrr", "indices": "wr"}[self.phase]

    @property
    def key_bytes(self) -> int:
        """Bytes of a key in memory: a class takes the type of a real part's."""
        return SIZE[REAL_OF.get(self.dtype, self.dtype)]

    @property
    def key(self) -> str:
        return f"u{8 * self.key_bytes}"


@lru_cache(maxsize=512)
def render(spec: SortSpec, dialect: Dialect) -> str:
    """Source of the kernel "k" of `spec`."""
    make = {"keys": _keys, "count": _count, "move": _move, "values": _end, "gather": _end, "indices": _end}
    return dialect.program(make[spec.phase](spec, dialect))


def _bits(spec: SortSpec, element: str) -> list[str]:
    """The key `key` of what memory holds, the storage element or a complex component's value `element`."""
    dtype = REAL_OF.get(spec.dtype, spec.dtype)
    width = 8 * SIZE[dtype]
    top = f"(({spec.key})1 << {width - 1})"
    if KIND[dtype] in "bu":
        lines = [f"{spec.key} key = ({spec.key})({element});"]
    elif KIND[dtype] == "i":
        lines = [f"{spec.key} key = ({spec.key})({element}) ^ {top};"]
    else:
        bits = {"float16": element, "float32": f"AS_U32({element})", "float64": f"AS_U64({element})"}[dtype]
        infinity = {16: "0x7c00u", 32: "0x7f800000u", 64: "0x7ff0000000000000UL"}[width]
        nan = {16: "0x7e00u", 32: "0x7fc00000u", 64: "0x7ff8000000000000UL"}[width]
        lines = [
            f"{spec.key} key = ({spec.key})({bits});",
            f"if (({spec.key})(key & ({spec.key})~{top}) > {infinity}) key = ({spec.key}){nan};",
            *([f"if (key == {top}) key = 0;"] if spec.payload else []),
            f"key = key & {top} ? ({spec.key})~key : ({spec.key})(key | {top});",
        ]
    return [*lines, *([f"key = ({spec.key})~key;"] if spec.descending else [])]


def _element(spec: SortSpec, dialect: Dialect) -> list[str]:
    """The key of the element at the byte address `from`."""
    if KIND[spec.dtype] != "c":
        return _bits(spec, f"*(GLOBAL const {dialect.storage(spec.dtype)}*)from")
    real = CTYPE[REAL_OF[spec.dtype]]
    lines = [f"const {real} re = ((GLOBAL const {real}*)from)[0], im = ((GLOBAL const {real}*)from)[1];"]
    if spec.part != "class":
        return lines + _bits(spec, spec.part)
    order = "re != re ? 2 : im != im ? 1 : 0"
    return [*lines, f"const {spec.key} key = ({spec.key})({f'2 - ({order})' if spec.descending else order});"]


def _place(spec: SortSpec, number: int, slot: int, index: str) -> str:
    names = [f"o{dim}" for dim in range(spec.nkept)]
    return address(number, slot, [*names, index])


def _rows(spec: SortSpec) -> list[str]:
    """Row and index of a work-item that has one element; the sizes stand first in the slots."""
    kept = [f"s.v[{dim}]" for dim in range(spec.nkept)]
    names = [f"o{dim}" for dim in range(spec.nkept)]
    return [
        f"const i64 n = s.v[{spec.nkept}], at = GLOBAL_ID(0);",
        f"if (at >= {' * '.join([*kept, 'n'])}) return;",
        "const i64 row = at / n, i = at - row * n;",
        *(unravel("row", kept, names, "i64") if kept else []),
    ]


def _keys(spec: SortSpec, dialect: Dialect) -> str:
    """Slots: sizes, source. Memory: source, keys, and with payload indices."""
    slot = spec.nkept + 1
    index = "i" if spec.first else f"(i64)((GLOBAL const u32*)(m2 + s.v[{2 * slot + 2}]))[at]"
    lines = [
        *_rows(spec),
        f"GLOBAL const char* from = {_place(spec, 0, slot, index)};",
        *_element(spec, dialect),
        f"((GLOBAL {spec.key}*)(m1 + s.v[{2 * slot + 1}]))[at] = key;",
    ]
    if spec.payload and spec.first:
        lines.append(f"((GLOBAL u32*)(m2 + s.v[{2 * slot + 2}]))[at] = (u32)i;")
    return dialect.kernel("k", spec.access, 2 * slot + 3, "\n".join(indent(lines)), group=_GROUP)


def _block(spec: SortSpec) -> list[str]:
    """Slots of a digit: row length, blocks a row, shift."""
    return [
        "const i32 lid = LOCAL_ID(0);",
        "const i64 n = s.v[0], blocks = s.v[1];",
        "const u32 shift = (u32)s.v[2];",
        "const i64 row = GROUP_ID(0) / blocks, block = GROUP_ID(0) - row * blocks;",
        f"const i64 first = block * {_BLOCK} + lid * {_ITEMS};",
        f"LOCAL u32 counts[{_DIGITS * _GROUP}];",
        f"for (i32 d = 0; d < {_DIGITS}; ++d) counts[d * {_GROUP} + lid] = 0;",
        f"GLOBAL const {spec.key}* keys = (GLOBAL const {spec.key}*)(m0 + s.v[3]) + row * n;",
        f"for (i32 k = 0; k < {_ITEMS}; ++k) {{",
        "  const i64 i = first + k;",
        f"  if (i < n) ++counts[((u32)(keys[i] >> shift) & {_DIGITS - 1}) * {_GROUP} + lid];",
        "}",
        "BARRIER;",
    ]


def _count(spec: SortSpec, dialect: Dialect) -> str:
    """Memory: keys, counts by row, digit and block."""
    lines = [
        *_block(spec),
        f"for (i32 h = {_GROUP // 2}; h >= {_GROUP // _DIGITS}; h /= 2) {{",
        # All work-items fold all digits' rows at once: h of the 256 counts of each digit take h others.
        f"  for (i32 j = lid; j < {_DIGITS} * h; j += {_GROUP}) {{",
        f"    const i32 d = j / h * {_GROUP} + j % h;",
        "    counts[d] += counts[d + h];",
        "  }",
        "  BARRIER;",
        "}",
        f"if (lid < {_DIGITS}) {{",
        "  u32 sum = 0;",
        f"  for (i32 j = 0; j < {_GROUP // _DIGITS}; ++j) sum += counts[lid * {_GROUP} + j];",
        f"  ((GLOBAL u32*)(m1 + s.v[4]))[(row * {_DIGITS} + lid) * blocks + block] = sum;",
        "}",
    ]
    return dialect.kernel("k", spec.access, 5, "\n".join(indent(lines)), group=_GROUP)


def _move(spec: SortSpec, dialect: Dialect) -> str:
    """Memory: keys, scanned counts, keys to be; with payload indices, indices to be."""
    indices = [
        "GLOBAL const u32* from = (GLOBAL const u32*)(m3 + s.v[6]) + row * n;",
        "GLOBAL u32* to = (GLOBAL u32*)(m4 + s.v[7]) + row * n;",
    ]
    lines = [
        *_block(spec),
        f"LOCAL u32 sums[{_GROUP}], starts[{_DIGITS}];",
        # Exclusive scan of the counts, digit by digit and in a digit work-item by work-item: that is the stable order.
        "u32 sum = 0;",
        f"for (i32 j = 0; j < {_DIGITS}; ++j) {{",
        f"  const u32 own = counts[lid * {_DIGITS} + j];",
        f"  counts[lid * {_DIGITS} + j] = sum;",
        "  sum += own;",
        "}",
        "sums[lid] = sum;",
        "BARRIER;",
        f"for (i32 h = 1; h < {_GROUP}; h *= 2) {{",
        "  const u32 other = lid >= h ? sums[lid - h] : 0;",
        "  BARRIER;",
        "  sums[lid] += other;",
        "  BARRIER;",
        "}",
        "const u32 before = sums[lid] - sum;",
        f"for (i32 j = 0; j < {_DIGITS}; ++j) counts[lid * {_DIGITS} + j] += before;",
        "BARRIER;",
        f"if (lid < {_DIGITS}) {{",
        f"  const u32 base = ((GLOBAL const u32*)(m1 + s.v[4]))[(row * {_DIGITS} + lid) * blocks + block];",
        f"  starts[lid] = base - counts[lid * {_GROUP}];",
        "}",
        "BARRIER;",
        f"GLOBAL {spec.key}* sorted = (GLOBAL {spec.key}*)(m2 + s.v[5]) + row * n;",
        *(indices if spec.payload else []),
        f"for (i32 k = 0; k < {_ITEMS}; ++k) {{",
        "  const i64 i = first + k;",
        "  if (i < n) {",
        f"    const {spec.key} key = keys[i];",
        f"    const u32 d = (u32)(key >> shift) & {_DIGITS - 1};",
        f"    const u32 place = starts[d] + counts[d * {_GROUP} + lid]++;",
        "    sorted[place] = key;",
        *(["    to[place] = from[i];"] if spec.payload else []),
        "  }",
        "}",
    ]
    return dialect.kernel("k", spec.access, 6 + 2 * spec.payload, "\n".join(indent(lines)), group=_GROUP)


def _end(spec: SortSpec, dialect: Dialect) -> str:
    """Slots: sizes, out, keys or indices, and to gather the source. Memory: out, keys or indices, source."""
    slot = spec.nkept + 1
    target = _place(spec, 0, slot, "i")
    sorted_slot = 2 * slot + 1
    index = f"((GLOBAL const u32*)(m1 + s.v[{sorted_slot}]))[at]"
    lines, slots = _rows(spec), sorted_slot + 1
    if spec.phase == "indices":
        lines.append(write(dialect, "int64", target, f"(i64){index}"))
    elif spec.phase == "gather":
        lines.append(move(dialect, spec.dtype, target, _place(spec, 2, sorted_slot + 1, index)))
        slots += slot + 1
    else:
        lines += [f"{spec.key} key = ((GLOBAL const {spec.key}*)(m1 + s.v[{sorted_slot}]))[at];", *_unkey(spec)]
        storage = dialect.storage(spec.dtype)
        bits = {"float32": "AS_F32(key)", "float64": "AS_F64(key)"}.get(spec.dtype, f"({storage})key")
        lines.append(f"*(GLOBAL {storage}*)({target}) = {bits};")
    return dialect.kernel("k", spec.access, slots, "\n".join(indent(lines)), group=_GROUP)


def _unkey(spec: SortSpec) -> list[str]:
    """The inverse of `_bits`."""
    lines = [f"key = ({spec.key})~key;"] if spec.descending else []
    top = f"(({spec.key})1 << {8 * spec.key_bytes - 1})"
    if KIND[spec.dtype] == "i":
        lines.append(f"key = key ^ {top};")
    elif KIND[spec.dtype] == "f":
        lines.append(f"key = key & {top} ? ({spec.key})(key ^ {top}) : ({spec.key})~key;")
    return lines


class _Planner:
    """Launches of one sort. The sorted axis is the last of `source` and of `out`."""

    def __init__(self, source: View, out: View, axis: int, descending: bool, dialect: Dialect) -> None:
        if source.shape != out.shape:
            raise ValueError(f"a sort's result has its input's shape {source.shape}, not {out.shape}")
        if source.size and source.shape[axis] >= 1 << 32:
            raise ValueError(f"rows of at most 2**32 - 1 elements can be sorted, not of {source.shape[axis]}")
        order = [*(dim for dim in range(len(source.shape)) if dim != axis), axis]
        self.source, self.out, self.dialect = source.moved(order), out.moved(order), dialect
        self.rows, self.length = prod(self.source.shape[:-1]), self.source.shape[-1]
        self.blocks = ceil_div(self.length, _BLOCK)
        self.spec = SortSpec("keys", source.dtype, len(order) - 1, descending=descending)
        self.flip = 0  # which of the two key and index buffers holds the data

    def single(self, spec: SortSpec, memory: tuple[str, ...], slots: tuple[int | str, ...]) -> Launch:
        """A launch with one work-item for each element."""
        groups = (ceil_div(self.rows * self.length, _GROUP),)
        return Launch(
            render(spec, self.dialect), "k", groups, _GROUP, memory, (*self.source.shape, *slots), spec.access
        )

    def keys(self, part: str, first: bool) -> Launch:
        spec = replace(self.spec, part=part, first=first)
        memory = (self.source.role, f"keys{self.flip}", *([f"indices{self.flip}"] if spec.payload else []))
        slots = (*view_slots(self.source), *memory[1:], *([] if spec.payload else [0]))
        return self.single(spec, memory, slots)

    def digit(self, shift: int) -> Iterator[Launch]:
        now, then = self.flip, 1 - self.flip
        spec = SortSpec("count", REAL_OF.get(self.spec.dtype, self.spec.dtype), payload=self.spec.payload)
        groups = (self.rows * self.blocks,)
        sizes = (self.length, self.blocks, shift)
        memory = (f"keys{now}", "counts")
        count = replace(spec, payload=False)
        yield Launch(render(count, self.dialect), "k", groups, _GROUP, memory, (*sizes, *memory), count.access)
        yield from self.scan().launches
        memory += (f"keys{then}", *((f"indices{now}", f"indices{then}") if spec.payload else ()))
        move = replace(spec, phase="move")
        yield Launch(render(move, self.dialect), "k", groups, _GROUP, memory, (*sizes, *memory), move.access)
        self.flip = then

    def scan(self) -> Plan:
        counts = View.contiguous("counts", "uint32", (self.rows, _DIGITS * self.blocks))
        return plan_scan(counts, counts, 1, "sum", self.dialect, exclusive=True)

    def end(self, phase: str) -> Launch:
        spec = replace(self.spec, phase=phase)
        data = f"keys{self.flip}" if phase == "values" else f"indices{self.flip}"
        gather = phase == "gather"
        memory = (self.out.role, data, *([self.source.role] if gather else []))
        slots = (*view_slots(self.out), data, *(view_slots(self.source) if gather else ()))
        return self.single(spec, memory, slots)

    def plan(self, phase: str) -> Plan:
        if self.source.size == 0:
            return Plan(())
        is_complex = KIND[self.spec.dtype] == "c"
        self.spec = replace(self.spec, payload=phase != "values")
        width = 8 * self.spec.key_bytes
        launches = []
        for number, part in enumerate(("im", "re", "class") if is_complex else ("whole",)):
            launches.append(self.keys(part, first=number == 0))
            for shift in range(0, _BITS if part == "class" else width, _BITS):
                launches += self.digit(shift)
        launches.append(self.end(phase))
        count = self.rows * self.length
        temporaries = {f"keys{i}": count * self.spec.key_bytes for i in (0, 1)}
        if self.spec.payload:
            temporaries |= {f"indices{i}": count * 4 for i in (0, 1)}
        temporaries["counts"] = self.rows * self.blocks * _DIGITS * 4
        return Plan(tuple(launches), temporaries | self.scan().temporaries)


def plan_sort(source: View, out: View, axis: int, dialect: Dialect, *, descending: bool = False) -> Plan:
    """`sort(source, axis=axis)`; `out` has the source's dtype and shape, and may be the source itself.

    NaNs come last, or first where `descending`. Roles: the views', and temporaries.
    """
    if source.dtype != out.dtype:
        raise ValueError(f"sorted values have their input's dtype {source.dtype}, not {out.dtype}")
    if KIND[source.dtype] == "c" and source.role == out.role:
        raise ValueError("complex numbers cannot be sorted in place")
    phase = "gather" if KIND[source.dtype] == "c" else "values"
    return _Planner(source, out, axis, descending, dialect).plan(phase)


def plan_argsort(source: View, out: View, axis: int, dialect: Dialect, *, descending: bool = False) -> Plan:
    """`argsort(source, axis=axis, stable=True)` into the int64 `out`; equal elements stay in order either way."""
    if out.dtype != "int64":
        raise ValueError(f"indices are int64, not {out.dtype}")
    return _Planner(source, out, axis, descending, dialect).plan("indices")
