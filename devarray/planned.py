"""Runs the launches that devarray/codegen plans: sort, scan, gather, matmul."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from devarray import _core, compiler
from devarray.array import Array
from devarray.codegen.launches import Plan, View

__all__ = ["run", "view_of"]


def view_of(role: str, x: Array) -> View:
    """An array as plans see it. Evaluates it."""
    return View(role, x.dtype.name, x.shape, x.strides)


def run(plan: Plan, arrays: Mapping[str, Array], writes: frozenset[str] | set[str]) -> None:
    """Enqueue a plan.

    Parameters
    ----------
    plan : Plan
    arrays : mapping of role to Array
        All of one device; the first one's queue and allocator serve. Temporaries that are given here are kept for
        another plan.
    writes : set of str
        Roles that the plan writes, temporaries aside.
    """
    first = next(iter(arrays.values()))
    device = first.device
    bound = dict(arrays)
    for role, nbytes in plan.temporaries.items():
        if role in bound:
            continue
        if role in plan.cleared:
            bound[role] = _core.full((nbytes,), np.uint8, 0, first.queue, first.allocator)
        else:
            bound[role] = _core.empty((nbytes,), np.uint8, first.queue, first.allocator)
    written = set(writes) | (set(plan.temporaries) - set(arrays))
    offsets = {role: _core.byte_offset(x) for role, x in bound.items()}
    for launch in plan.launches:
        kernel = compiler.get(device, launch.source, launch.kernel)
        mask = sum(1 << place for place, role in enumerate(launch.memory) if role in written)
        slots = [offsets[slot] if isinstance(slot, str) else slot for slot in launch.slots]
        _core.launch(kernel, launch.groups, (launch.local,), [bound[role] for role in launch.memory], slots, mask)
