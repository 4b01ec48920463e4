"""Runs the launches that devarray/codegen plans: sort, scan, gather, matmul."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from devarray import _core
from devarray._runtime import compiler
from devarray._runtime.config import config
from devarray.array import Array
from devarray.codegen.kernels.launches import Plan, View
from devarray.errors import DTypeError
from devarray.ops.dtypes import DTYPES

__all__ = ["NAMES", "planned", "ready", "run", "run_first", "view_of"]

NAMES = {np.dtype(name): name for name in DTYPES}
"""Names of dtypes: `dtype.name` is a function of Python, and takes a microsecond."""


def view_of(role: str, x: Array) -> View:
    """An array as plans see it. Evaluates it."""
    name = NAMES.get(x.dtype)
    if name is None:
        raise DTypeError(f"an array of {x.dtype} has no arithmetic; take a field of it, or cast it with astype()")
    return View(role, name, x.shape, x.strides)


def run_first(
    planner: Callable[..., Plan],
    roles: Sequence[str],
    arrays: Sequence[Array],
    options: Any,
    stand_in: Callable[..., bool] | None = None,
) -> None:
    """The first time of :func:`devarray._primitives.planned.run_planned`: plan, prepare, launch, and keep."""
    device = arrays[0].device
    views = [view_of(role, x) for role, x in zip(roles, arrays, strict=True)]
    plan = planned(planner, *views, *options, compiler.dialect(device))
    if stand_in and not ready(plan, device) and stand_in(arrays, *options):
        return
    _core.launch_and_keep(planner, arrays, options, *_prepared(plan, roles, device))


def planned(planner: Callable[..., Plan], *arguments: Any, **options: Any) -> Plan:
    """A plan. The same for the same arguments: it may be asked for many times before its kernels are compiled."""
    return _planned(config.check_bounds, planner, *arguments, **options)


@lru_cache(64)
def _planned(_: bool, planner: Callable[..., Plan], *arguments: Any, **options: Any) -> Plan:
    return planner(*arguments, **options)


def _prepared(plan: Plan, roles: Sequence[str], device: _core.Device) -> tuple[list[Any], list[tuple[int, bool]]]:
    """The steps and temporaries that `launch_and_keep` takes."""
    temporaries = [role for role in plan.temporaries if role not in roles]
    number = {role: i for i, role in enumerate((*roles, *temporaries))}
    kernels = compiler.get_together(device, [(launch.source, launch.kernel) for launch in plan.launches])
    steps = []
    for launch, kernel in zip(plan.launches, kernels, strict=True):
        slots = [0 if isinstance(slot, str) else slot for slot in launch.slots]
        offsets = [(i, number[slot]) for i, slot in enumerate(launch.slots) if isinstance(slot, str)]
        memory = [number[role] for role in launch.memory]
        steps.append((kernel, launch.groups, launch.local, memory, slots, offsets, launch.writes))
    return steps, [(plan.temporaries[role], role in plan.cleared) for role in temporaries]


def ready(plan: Plan, device: _core.Device) -> bool:
    """Whether a plan is to be run: False where its kernels are not compiled yet and the host may stand in for them.

    Then the background compiles them. The host's way has to give the kernels' bits.
    """
    if not config.background or device.strategy != "cpu" or config.check_bounds:
        return True
    if any(launch.kernel != "k" for launch in plan.launches):
        return True
    return None not in [compiler.get_soon(device, launch.source) for launch in plan.launches]


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
    written = {role for step in plan.launches for i, role in enumerate(step.memory) if step.writes >> i & 1}
    _core.settle([bound[role] for role in written])  # before offsets are taken: elements that are read here may move
    offsets = {role: _core.byte_offset(x) for role, x in bound.items()}
    kernels = compiler.get_together(device, [(launch.source, launch.kernel) for launch in plan.launches])
    for launch, kernel in zip(plan.launches, kernels, strict=True):
        slots = [offsets[slot] if isinstance(slot, str) else slot for slot in launch.slots]
        memory = [bound[role] for role in launch.memory]
        _core.launch(kernel, launch.groups, (launch.local,), memory, slots, launch.writes)
