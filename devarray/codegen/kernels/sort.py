"""Stable radix sort along an axis, for values and for indices: the plans. The kernels are in radix.py.

An element becomes an unsigned key whose order is the element's (keys.py): NaNs come last, -0 equals 0.
Values are made from the sorted keys again, so that a sort of values moves no indices. Complex numbers are sorted by
indices: by imaginary part, then by real part, then by where NumPy puts their NaNs.

Very short rows are sorted by counting, several in one work-group; rows of one tile by a group each, in local memory.
Longer rows take a sweep over memory for each digit of 8 bits, from the lowest: the first reads the source, the last
writes the result.

Rows may have at most 2**32 - 1 elements.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from math import prod

from devarray.codegen.kernels.keys import key_dtype
from devarray.codegen.kernels.launches import Launch, Plan, View, ceil_div, units_of, view_slots
from devarray.codegen.kernels.radix import render
from devarray.codegen.kernels.radix_spec import DIGITS, FEW_GROUP, TICKETS, SortSpec, bits_of
from devarray.codegen.kernels.scan import plan_scan
from devarray.codegen.kernels.warps import has_warps
from devarray.codegen.language.dialect import Dialect
from devarray.ops.dtypes import KIND, SIZE

__all__ = ["Form", "form_of", "plan_argsort", "plan_sort"]

_COUNTED = 64  # rows as short as this are sorted by counting
_HISTOGRAMS_PER_UNIT = 8
_LOOKBACK_ROW = 1 << 30  # a word that is handed on has two bits of flag


@dataclass(frozen=True, slots=True)
class Form:
    """How a device sorts.

    Attributes
    ----------
    warps, lookback : bool
        See devarray/codegen/kernels/radix.py.
    group : int
        Work-items of a group that sweeps.
    items : tuple of int
        Elements of each of them, for keys of 1 or 2, 4, and 8 bytes; with indices a quarter fewer.
    row_items : int
        Most elements of a work-item where a group has a whole row.
    resident : int
        Groups that a compute unit should hold at once.
    """

    warps: bool
    lookback: bool
    group: int
    items: tuple[int, int, int]
    row_items: int
    resident: int = 0

    def sweep_items(self, key_bytes: int, payload: bool) -> int:
        items = self.items[{1: 0, 2: 0, 4: 1, 8: 2}[key_bytes]]
        return items * 3 // 4 if payload else items


WARPS = Form(warps=True, lookback=True, group=256, items=(20, 20, 16), row_items=16, resident=3)
PLAIN = Form(warps=False, lookback=False, group=256, items=(8, 8, 8), row_items=8)


def form_of(dialect: Dialect) -> Form:
    """The form for a device."""
    return WARPS if has_warps(dialect) else PLAIN


class _Planner:
    """Launches of one sort. The sorted axis is the last of `source` and of `out`."""

    def __init__(
        self,
        source: View,
        out: View,
        axis: int,
        store: str,
        descending: bool,
        dialect: Dialect,
        form: Form | None,
        bits: int,
    ) -> None:
        if source.shape != out.shape:
            raise ValueError(f"a sort's result has its input's shape {source.shape}, not {out.shape}")
        if source.role == out.role:
            raise ValueError("an array cannot be sorted in place; give another one for the result")
        if source.size and source.shape[axis] >= 1 << 32:
            raise ValueError(f"rows of at most 2**32 - 1 elements can be sorted, not of {source.shape[axis]}")
        order = [*(dim for dim in range(len(source.shape)) if dim != axis), axis]
        self.source, self.out, self.dialect = source.moved(order), out.moved(order), dialect
        self.rows, self.length = prod(self.source.shape[:-1]), self.source.shape[-1]
        self.form = form or form_of(dialect)
        self.store = store
        payload = store != "values"
        self.spec = SortSpec(
            "few",
            source.dtype,
            len(order) - 1,
            "all",
            descending,
            payload,
            store=store,
            warps=self.form.warps,
            unit=all(view.strides[axis] == view.itemsize for view in (source, out)),
            resident=self.form.resident,
            bits=ceil_div(bits, 8) * 8,
        )
        self.key_bytes = SIZE[key_dtype(source.dtype)]
        self.blocks, self.passes = 1, 0

    def plan(self) -> Plan:
        if self.source.size == 0:
            return Plan(())
        if self.length <= _COUNTED:
            groups = ceil_div(self.rows, FEW_GROUP // self.length)
            return Plan((self.launch(replace(self.spec, warps=False), (groups,)),))
        items = ceil_div(self.length, self.spec.group)
        if items <= self.form.row_items:
            items = 1 << (items - 1).bit_length()
            return Plan((self.launch(replace(self.spec, phase="row", items=items), (self.rows,)),))
        return self.long()

    def launch(
        self, spec: SortSpec, groups: tuple[int, ...], flip: int = 0, shift: int = 0, number: int = 0, chunk: int = 0
    ) -> Launch:
        """A launch that reads the keys and indices of number `flip` and writes the others."""
        views = {"source": self.source, "out": self.out}
        roles = {
            "keys_in": f"keys{flip}",
            "indices_in": f"indices{flip}",
            "keys_out": f"keys{1 - flip}",
            "indices_out": f"indices{1 - flip}",
            "source": self.source.role,
            "out": self.out.role,
        }
        slots: list[int | str] = [*self.source.shape, self.blocks, chunk, shift, number, self.passes]
        for role in spec.roles:
            slots += view_slots(views[role]) if role in views else (roles.get(role, role),)
        memory = tuple(roles.get(role, role) for role in spec.roles)
        local = FEW_GROUP if spec.phase == "few" else spec.group
        return Launch(render(spec, self.dialect), "k", groups, local, memory, tuple(slots), spec.access)

    def long(self) -> Plan:
        """Rows of several tiles."""
        form = self.form
        parts = replace(self.spec, part="all").parts
        digits = [(part, shift) for part in parts for shift in range(0, bits_of(self.spec, part), 8)]
        items = form.sweep_items(self.key_bytes, self.spec.payload)
        spec = replace(self.spec, group=form.group, items=items)
        self.passes = len(digits)
        self.blocks = ceil_div(self.length, spec.tile)
        lookback = form.lookback and self.length < _LOOKBACK_ROW
        spec = replace(spec, lookback=lookback)
        launches = list(self.histograms(spec, digits)) if lookback else []
        for number, (part, shift) in enumerate(digits):
            load = "source" if number == 0 else "gather" if shift == 0 else "keys"
            store = self.store if number == len(digits) - 1 else "keys"
            sweep = replace(spec, phase="sweep", part=part, load=load, store=store)
            place = (self.rows * self.blocks,), number % 2, shift, number
            if not lookback:
                launches.append(self.launch(replace(sweep, phase="count", store="keys"), *place))
                launches += self.scan().launches
            launches.append(self.launch(sweep, *place))
        return self.with_temporaries(launches)

    def histograms(self, spec: SortSpec, digits: list[tuple[str, int]]) -> Iterator[Launch]:
        """Where each digit of each pass begins in each row."""
        # The kernel reads much and keeps little: groups of 256 whatever the tiles' size.
        spec = replace(spec, phase="histogram", load="source", store="keys", group=256, items=1)
        chunks = min(
            ceil_div(units_of(self.dialect) * _HISTOGRAMS_PER_UNIT, self.rows), ceil_div(self.length, 16 * spec.group)
        )
        chunk = ceil_div(self.length, chunks)
        groups = (self.rows, ceil_div(self.length, chunk))
        for number, (part, shift) in enumerate(digits):
            if shift == 0:
                yield self.launch(replace(spec, part=part), groups, number=number, chunk=chunk)
        yield self.launch(replace(spec, phase="starts", group=DIGITS), (self.rows * self.passes,))

    def scan(self) -> Plan:
        counts = View.contiguous("counts", "uint32", (self.rows, DIGITS * self.blocks))
        return plan_scan(counts, counts, 1, "sum", self.dialect, exclusive=True, part_of_a_plan=True)

    def with_temporaries(self, launches: list[Launch]) -> Plan:
        count, tiles = self.rows * self.length, self.rows * self.blocks
        sizes = {
            **{f"keys{i}": count * self.key_bytes for i in (0, 1)},
            **{f"indices{i}": count * 4 for i in (0, 1)},
            "counts": tiles * DIGITS * 4,
            "state": 4 * (TICKETS + (self.rows + tiles) * self.passes * DIGITS),
            **self.scan().temporaries,
        }
        used = {role for launch in launches for role in launch.memory}
        temporaries = {role: size for role, size in sizes.items() if role in used}
        return Plan(tuple(launches), temporaries, frozenset({"state"} & used))


def plan_sort(
    source: View,
    out: View,
    axis: int,
    dialect: Dialect,
    *,
    descending: bool = False,
    form: Form | None = None,
    bits: int = 0,
) -> Plan:
    """`sort(source, axis=axis, stable=True)`; `out` has the source's dtype and shape, and is another array.

    NaNs come last, or first where `descending`. Roles: the views', and temporaries. `form` is the device's by default.
    Of integers that differ in some lowest bits alone `bits` is how many, for fewer passes; 0: in any.
    """
    if source.dtype != out.dtype:
        raise ValueError(f"sorted values have their input's dtype {source.dtype}, not {out.dtype}")
    store = "gather" if KIND[source.dtype] == "c" else "values"
    return _plan(source, out, axis, store, descending, dialect, form, bits)


def plan_argsort(
    source: View,
    out: View,
    axis: int,
    dialect: Dialect,
    *,
    descending: bool = False,
    form: Form | None = None,
    bits: int = 0,
) -> Plan:
    """`argsort(source, axis=axis, stable=True)` into the int64 `out`; equal elements stay in order either way."""
    if out.dtype != "int64":
        raise ValueError(f"indices are int64, not {out.dtype}")
    return _plan(source, out, axis, "indices", descending, dialect, form, bits)


@lru_cache(maxsize=256)
def _plan(
    source: View, out: View, axis: int, store: str, descending: bool, dialect: Dialect, form: Form | None, bits: int
) -> Plan:
    """Kept: planning a sort of many launches takes as long as a small sort."""
    return _Planner(source, out, axis, store, descending, dialect, form, bits).plan()
