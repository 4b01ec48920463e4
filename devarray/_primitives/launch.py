"""Runs the launches that devarray/codegen plans: sort, scan, gather, matmul."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from devarray import _core
from devarray._runtime import compiler
from devarray.array import Array
from devarray.codegen.kernels.launches import Plan, View
from devarray.errors import DTypeError
from devarray.ops.dtypes import DTYPES

__all__ = ["NAMES", "run", "view_of"]

NAMES = {np.dtype(name): name for name in DTYPES}
"""Names of dtypes: `dtype.name` is a function of Python, and takes a microsecond."""


def view_of(role: str, x: Array) -> View:
    """An array as plans see it. Evaluates it."""
    name = NAMES.get(x.dtype)
    if name is None:
        raise DTypeError(f"an array of {x.dtype} has no arithmetic; take a field of it, or cast it with astype()")
    return View(role, name, x.shape, x.strides)


def run(plan: Plan, arrays: Mapping[str, Array]) -> None:
    """Enqueue a plan.

    Parameters
    ----------
    plan : Plan
    arrays : mapping of role to Array
        All of one device; the first one's queue and allocator serve. Temporaries that are given here are kept for
        another plan.
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
    offsets = {role: _core.byte_offset(x) for role, x in bound.items()}
    kernels = compiler.get_together(device, [(launch.source, launch.kernel) for launch in plan.launches])
    for launch, kernel in zip(plan.launches, kernels, strict=True):
        slots = [offsets[slot] if isinstance(slot, str) else slot for slot in launch.slots]
        memory = [bound[role] for role in launch.memory]
        _core.launch(kernel, launch.groups, (launch.local,), memory, slots, launch.writes)
