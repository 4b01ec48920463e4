"""Cumulative sums and their like, and what follows from counting: nonzero, selection and assignment by mask.

Three phases: each part of a row is reduced to one value, these values are scanned, and each part is scanned from the
value before it. A row of one part needs the last phase only. On NVIDIA's GPUs long rows are scanned in one pass over
memory instead, see scan_onepass.py.

Two forms of each kernel. In the *group* form the work-items of a group walk a part together, which suits rows that are
contiguous in a GPU's memory. In the *serial* form one work-item walks a part; neighbouring work-items have neighbouring
rows. It suits CPUs, short rows, and axes other than the contiguous one.

Compaction (`plan_count`, then one of `plan_nonzero`, `plan_select`, `plan_place`) scans the truth of a mask. Between
the two stands the host, which reads the count: the last 8 bytes of the "partials".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from math import prod

from devarray.codegen.kernels.launches import (
    Launch,
    Plan,
    View,
    ceil_div,
    collapse,
    units_of,
    view_slots,
)
from devarray.codegen.kernels.scan_kernel import GROUP, ITEMS, SCANS, ScanSpec, render, serial_group
from devarray.codegen.kernels.scan_onepass import render_one_pass
from devarray.codegen.kernels.scan_tiles import Tiles, one_pass, state_bytes, tiles_for
from devarray.codegen.kernels.spec import Node
from devarray.codegen.language.dialect import Dialect
from devarray.ops.dtypes import SIZE

__all__ = ["plan_count", "plan_nonzero", "plan_place", "plan_scan", "plan_scan_of", "plan_select"]

_SHORT_ROW = 512  # not worth a group
_PARTS_PER_UNIT = 8

_Roles = tuple[str, ...]
_Slots = tuple[int | str, ...]


@dataclass(frozen=True, slots=True)
class _Geometry:
    """How rows are cut into parts, and where a part's value lies."""

    group: bool
    parts: int
    chunk: int
    row_stride: int
    part_stride: int
    rows: int

    @property
    def bytes(self) -> int:
        return self.rows * self.parts * abs(min(self.row_stride, self.part_stride))


def _geometry(
    kept: tuple[int, ...], length: int, step: int, neighbour: int, acc_dtype: str, dialect: Dialect
) -> _Geometry:
    """`step` and `neighbour` are the byte strides of the input along the row and between neighbouring rows."""
    rows, wanted = prod(kept), units_of(dialect) * _PARTS_PER_UNIT
    worth_groups = length > _SHORT_ROW or rows <= wanted  # few rows: one launch of groups, not three of items
    group = dialect.strategy == "gpu" and worth_groups and (not kept or abs(step) <= abs(neighbour))
    items = GROUP * ITEMS if group else 1
    if group or dialect.strategy == "cpu":
        parts = min(ceil_div(wanted, rows), ceil_div(length, 2 * items if group else 4096))
    else:
        parts = min(ceil_div(wanted * GROUP, rows), ceil_div(length, 64))
    chunk = ceil_div(ceil_div(length, max(parts, 1)), items) * items
    parts = max(1, ceil_div(length, max(chunk, 1)))
    size = SIZE[acc_dtype]
    strides = (parts * size, size) if group or rows == 1 else (size, rows * size)
    return _Geometry(group, parts, chunk, *strides, rows)


def _grid(geometry: _Geometry, nkept: int, dialect: Dialect) -> tuple[tuple[int, int], int]:
    if geometry.group:
        return (geometry.rows, geometry.parts), GROUP
    local = serial_group(nkept, dialect)
    return (ceil_div(geometry.rows, local), geometry.parts), local


def _partial_slots(geometry: _Geometry) -> tuple[int | str, ...]:
    return ("partials", geometry.row_stride, geometry.part_stride)


@dataclass(frozen=True, slots=True)
class _Source:
    """What is scanned: views of one shape, and the slots of the scalars that their elements are combined with."""

    views: tuple[View, ...]
    scalars: tuple[int, ...] = ()

    @property
    def slots(self) -> _Slots:
        return (*(slot for view in self.views for slot in view_slots(view)), *self.scalars)

    @property
    def roles(self) -> _Roles:
        return tuple(view.role for view in self.views)


def _launch(
    spec: ScanSpec, dialect: Dialect, geometry: _Geometry, source: _Source, memory: _Roles, slots: _Slots
) -> Launch:
    groups, local = _grid(geometry, spec.nkept, dialect)
    partials = ("partials",) if spec.partials else ()
    own = _partial_slots(geometry) if spec.partials else ()
    every = (*source.views[0].shape, geometry.chunk, *source.slots, *own, *slots)
    return Launch(render(spec, dialect), "k", groups, local, (*source.roles, *partials, *memory), every, spec.access)


def _totals(spec: ScanSpec, dialect: Dialect, geometry: _Geometry, source: _Source) -> tuple[Launch, ...]:
    """The first two phases: the partials become inclusive sums of the parts."""
    first = replace(spec, sink="partials", carried=False, exclusive=False)
    launches = [_launch(first, dialect, geometry, source, (), ())]
    if geometry.parts > 1:
        strides = (geometry.row_stride, geometry.part_stride)
        partials = View("partials", spec.acc_dtype, (geometry.rows, geometry.parts), strides)
        alone = dialect.strategy == "gpu" and geometry.rows < GROUP
        op = "sum" if spec.op == "count_nonzero" else spec.op
        scan = ScanSpec(alone, 1, 1, op, spec.acc_dtype, spec.acc_dtype, "scan", spec.acc_dtype)
        whole = _Geometry(alone, 1, geometry.parts, *strides, geometry.rows)
        launches.append(_launch(scan, dialect, whole, _Source((partials,)), ("partials",), view_slots(partials)))
    return tuple(launches)


@lru_cache(maxsize=256)
def plan_scan(
    source: View,
    target: View,
    axis: int,
    op: str,
    dialect: Dialect,
    *,
    exclusive: bool = False,
    tiles: Tiles | None = None,
    part_of_a_plan: bool = False,
) -> Plan:
    """Cumulative `op` along an axis.

    Parameters
    ----------
    source, target : View
        Of one shape, any strides. What is accumulated is cast to the target's dtype first (float16 is accumulated in
        float32).
    axis : int
        Not negative.
    op : {"sum", "prod", "min", "max"}
    exclusive : bool
        Whether an element's own value is left out; the first of a row is then the operation's identity.
    tiles : Tiles, optional
        Those of one pass over memory, whatever the rows and the device. By default the device's, for long rows.
    part_of_a_plan : bool
        Whether other launches share the plan's temporaries. One pass needs cleared ones of its own, and is not taken.

    Returns
    -------
    Plan
        Roles: the views'; a temporary "partials" where rows are cut, or "state" where they are scanned in one pass.
    """
    shared = part_of_a_plan
    return _plan_scan((source,), target, axis, op, dialect, source.dtype, exclusive, tiles=tiles, shared=shared)


@lru_cache(maxsize=256)
def plan_scan_of(
    sources: tuple[View, ...],
    target: View,
    axis: int,
    op: str,
    dialect: Dialect,
    scalars: tuple[str, ...],
    nodes: tuple[Node, ...],
    slots: tuple[int, ...],
    tiles: Tiles | None = None,
) -> Plan:
    """:func:`plan_scan` of values that are computed from arrays of one shape by element-wise operations.

    Parameters
    ----------
    sources : tuple of View
    scalars, nodes
        As in an ElementwiseSpec; the last node is what is scanned.
    slots : tuple of int
        Of the scalars.
    tiles
        As there.
    """
    return _plan_scan(sources, target, axis, op, dialect, nodes[-1][2], False, scalars, nodes, slots, tiles)


def _plan_scan(
    sources: tuple[View, ...],
    target: View,
    axis: int,
    op: str,
    dialect: Dialect,
    dtype: str,
    exclusive: bool,
    scalars: tuple[str, ...] = (),
    nodes: tuple[Node, ...] = (),
    slots: tuple[int, ...] = (),
    tiles: Tiles | None = None,
    shared: bool = False,
) -> Plan:
    if op not in SCANS:
        raise ValueError(f"unknown scan {op!r}; there are {', '.join(SCANS)}")
    if sources[0].shape != target.shape:
        raise ValueError(f"a scan's result has its input's shape {sources[0].shape}, not {target.shape}")
    if target.size == 0:
        return Plan(())
    order = [*(dim for dim in range(len(target.shape)) if dim != axis), axis]
    views, target = tuple(view.moved(order) for view in sources), target.moved(order)
    source = max(views, key=lambda view: abs(view.strides[-1]) * view.itemsize)  # repeated ones have no say
    acc = "float32" if target.dtype == "float16" else target.dtype
    kept = source.shape[:-1]
    neighbour = min((abs(s) for s, n in zip(source.strides[:-1], kept, strict=True) if n > 1), default=1 << 62)
    geometry = _geometry(kept, source.shape[-1], source.strides[-1], neighbour, acc, dialect)
    spec = ScanSpec(geometry.group, len(kept), 1, op, dtype, acc, "scan", target.dtype, exclusive)
    if nodes:
        spec = replace(spec, leaves=tuple(view.dtype for view in views), scalars=scalars, nodes=nodes)
    given = _Source(views, slots)
    if tiles is None and geometry.group and geometry.parts > 1 and not shared:
        tiles = tiles_for(dialect)
    if tiles:
        return _in_one_pass(spec, tiles, dialect, given, target)
    launches: tuple[Launch, ...] = ()
    if geometry.parts > 1:
        launches = _totals(spec, dialect, geometry, given)
        spec = replace(spec, carried=True)
    last = _launch(spec, dialect, geometry, given, (target.role,), view_slots(target))
    return Plan((*launches, last), {"partials": geometry.bytes} if geometry.parts > 1 else {})


def _in_one_pass(spec: ScanSpec, tiles: Tiles, dialect: Dialect, source: _Source, target: View) -> Plan:
    """The last dim of all views is scanned."""
    one = one_pass(spec, tiles, source.views, target)
    rows, length = prod(target.shape[:-1]), target.shape[-1]
    count = ceil_div(length, one.tile)
    memory = (*source.roles, "state", target.role)
    slots = (*target.shape, one.tile, *source.slots, "state", rows * count, count, *view_slots(target))
    launch = Launch(render_one_pass(one, dialect), "k", (rows * count,), tiles.group, memory, slots, one.access)
    return Plan((launch,), {"state": state_bytes(one, rows, count)}, frozenset({"state"}))


def _collapsed(*views: View) -> list[View]:
    """Views of one shape with as few dims as they can all do with."""
    shape, strides = collapse(views[0].shape, [view.strides for view in views])
    return [View(view.role, view.dtype, shape, own) for view, own in zip(views, strides, strict=True)]


def _mask(mask: View, dialect: Dialect) -> tuple[ScanSpec, _Geometry]:
    geometry = _geometry((), mask.size, mask.itemsize, 1 << 62, "int64", dialect)
    spec = ScanSpec(geometry.group, 0, len(mask.shape), "count_nonzero", mask.dtype, "int64", "nonzero", "int64")
    return spec, geometry


@lru_cache(maxsize=256)
def plan_count(mask: View, dialect: Dialect) -> Plan:
    """Counts the elements of `mask` that are not zero; `mask` has at least one dim and one element.

    Returns
    -------
    Plan
        With the role "partials" (int64) as a temporary that must be kept for the second step. After the launches its
        last 8 bytes hold the count.
    """
    if dialect.strategy == "cpu":
        (mask,) = _collapsed(mask)
    spec, geometry = _mask(mask, dialect)
    if dialect.strategy == "cpu" and mask.strides == (mask.itemsize,):
        spec = replace(spec, unit=True)
    return Plan(_totals(spec, dialect, geometry, _Source((mask,))), {"partials": geometry.bytes})


def _second(mask: View, dialect: Dialect, sink: str, dtype: str, memory: _Roles, slots: _Slots) -> Plan:
    spec, geometry = _mask(mask, dialect)
    spec = replace(spec, sink=sink, out_dtype=dtype, carried=True)
    return Plan((_launch(spec, dialect, geometry, _Source((mask,)), memory, slots),))


@lru_cache(maxsize=256)
def plan_nonzero(mask: View, out: View, dialect: Dialect) -> Plan:
    """Indices of the elements of `mask` that are not zero, in C order, after `plan_count` of the same mask.

    `out` is int64 of shape (dims of the mask, count), its rows contiguous; row d holds the indices along dim d.
    """
    return _second(mask, dialect, "nonzero", "int64", (out.role,), (out.role, out.strides[0]))


@lru_cache(maxsize=256)
def plan_select(mask: View, values: View, out: View, dialect: Dialect) -> Plan:
    """The elements of `values` where `mask`, of the same shape, is not zero, into the one-dimensional `out`."""
    _same_shape(mask, values)
    if dialect.strategy == "cpu":
        mask, values = _collapsed(mask, values)
    slots = (*view_slots(values), *view_slots(out))
    return _second(mask, dialect, "select", values.dtype, (values.role, out.role), slots)


@lru_cache(maxsize=256)
def plan_place(mask: View, target: View, values: View, dialect: Dialect) -> Plan:
    """The one-dimensional `values` (stride 0 for a scalar), one by one, to where `mask` is not zero in `target`."""
    _same_shape(mask, target)
    if dialect.strategy == "cpu":
        mask, target = _collapsed(mask, target)
    slots = (*view_slots(target), *view_slots(values))
    return _second(mask, dialect, "place", target.dtype, (target.role, values.role), slots)


def _same_shape(mask: View, other: View) -> None:
    if mask.shape != other.shape:
        raise ValueError(f"a mask of shape {mask.shape} does not fit an array of shape {other.shape}")
