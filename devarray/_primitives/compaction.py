"""The elements that a mask picks: their places, their values, and values for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from devarray import _core
from devarray._primitives.host import plain_bools
from devarray._runtime.config import config
from devarray.array import Array
from devarray.errors import ShapeError

if TYPE_CHECKING:
    from devarray.codegen.kernels.launches import View

__all__ = ["compress_elements", "nonzero_rows", "place_elements"]

_FEW = 4096
"""Elements that a CPU's host looks through sooner than it launches two kernels, and waits for one of them."""


class _Compaction:
    """A mask with its count, and the counts of its parts, on the device. Waits to read a count that is not given."""

    def __init__(self, mask: Array, count: int | None = None) -> None:
        self.mask, self.count = mask, 0
        if mask.size == 0:
            return
        from devarray._primitives.launch import planned, run, view_of
        from devarray._runtime.compiler import dialect
        from devarray.codegen.kernels import scan

        plan = planned(scan.plan_count, view_of("mask", mask), dialect(mask.device))
        nbytes = plan.temporaries["partials"]
        self.partials = _core.empty((nbytes // 8,), np.int64, mask.queue, mask.allocator)
        run(plan, {"mask": mask, "partials": self.partials})
        self.count = int(self.partials[-1]) if count is None else count

    def run(self, planner: Any, arrays: dict[str, Array]) -> None:
        """One of the plans that follow the count, over `arrays` by role."""
        if self.count == 0:
            return
        from devarray._primitives.launch import planned, run, view_of
        from devarray._runtime.compiler import dialect

        views = [view_of(role, x) for role, x in {"mask": self.mask, **arrays}.items()]
        plan = planned(planner, *views, dialect(self.mask.device))
        run(plan, {"mask": self.mask, "partials": self.partials, **arrays})


_COLD = 1 << 22
"""Elements that a CPU's host looks through in less time than a compiler takes for two kernels."""


def _is_cold(mask: Array, planner: Any, views: list[View]) -> bool:
    """Whether the kernels of a count and of what follows it are being compiled, so that the host is to be quicker."""
    if mask.ndim == 0 or mask.size > _COLD or mask.device.strategy != "cpu":
        return False
    from devarray._primitives.launch import planned, ready, view_of
    from devarray._runtime.compiler import dialect
    from devarray.codegen.kernels import scan

    view, language = view_of("mask", mask), dialect(mask.device)
    plans = (planned(scan.plan_count, view, language), planned(planner, view, *views, language))
    compiled = [ready(plan, mask.device) for plan in plans]  # of both, so that one program is made of them
    return not all(compiled)


def nonzero_rows(x: Array) -> Array:
    """Indices of the elements that are not zero: int64 of shape (dims of x, count). Waits for the count."""
    few = x.ndim > 0 and x.size <= _FEW and x.device.strategy == "cpu"
    if not few:
        from devarray.codegen.kernels import scan
        from devarray.codegen.kernels.launches import View

        out = View("out", "int64", (x.ndim, x.size), (8 * x.size, 8))
        few = _is_cold(x, scan.plan_nonzero, [out])
    if few:
        places = np.array(np.nonzero(plain_bools(x.copy_to_host())), np.int64)
        rows = _core.empty(places.shape, np.int64, x.queue, x.allocator)
        if places.size:
            _core.copy_from_host(rows, places)
        return rows
    found = _Compaction(x)
    rows = _core.empty((x.ndim, found.count), np.int64, x.queue, x.allocator)
    found.run(scan.plan_nonzero, {"out": rows})
    return rows


def compress_elements(x: Array, mask: Array, count: int | None = None) -> Array:
    """The elements of x where a mask of its shape is true, in C order. Waits for their count, where it is not given."""
    few = _compressed_cold(x, mask, count)
    if few is not None:
        return few
    from devarray.codegen.kernels import scan

    found = _Compaction(mask, count)
    result = _core.empty_at(x, (found.count,), None)
    found.run(scan.plan_select, {"values": x, "out": result})
    return result


def _compressed_cold(x: Array, mask: Array, count: int | None) -> Array | None:
    """The elements, by the host, while the kernels are compiled."""
    if (count is None and config.forbid_waits) or mask.size == 0 or x.device.strategy != "cpu":
        return None
    from devarray._primitives.launch import view_of
    from devarray.codegen.kernels import scan
    from devarray.codegen.kernels.launches import View

    values = view_of("values", x)
    if not _is_cold(mask, scan.plan_select, [values, View("out", values.dtype, (x.size,), (x.itemsize,))]):
        return None
    table, chosen = _core.standing_view(x), _core.standing_view(mask)
    if table is None or chosen is None:
        return None
    chosen_values = table[plain_bools(chosen).astype(bool, copy=False)]
    result = _core.empty_at(x, chosen_values.shape, None)
    if result.size:
        _core.copy_from_host(result, chosen_values)
    return result


def place_elements(x: Array, mask: Array, values: Array) -> None:
    from devarray.codegen.kernels import scan

    found = _Compaction(mask)
    if values.ndim != 1 or values.shape[0] not in (1, found.count):
        raise ShapeError(
            f"NumPy boolean array indexing assignment cannot assign {values.size} input values to the {found.count} "
            f"output values where the mask is true: they take one value or {found.count}, not an array of shape "
            f"{values.shape}"
        )
    found.run(scan.plan_place, {"out": x, "values": _core.broadcast_to(values, (found.count,))})
