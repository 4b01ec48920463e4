"""Runs a plan on host arrays."""

from __future__ import annotations

import numpy as np
from launching import run
from runtimes import Runtime

from devarray.codegen.kernels.launches import Plan, View


def whole(array: np.ndarray) -> tuple[np.ndarray, int]:
    """The array that owns the memory of a view, and the view's byte offset there."""
    base = array
    while isinstance(base.base, np.ndarray):
        base = base.base
    return base, array.__array_interface__["data"][0] - base.__array_interface__["data"][0]


def view(role: str, array: np.ndarray) -> View:
    return View(role, array.dtype.name, array.shape, array.strides)


def execute(
    runtime: Runtime, plan: Plan, arrays: dict[str, np.ndarray], kept: dict[str, np.ndarray] | None = None
) -> dict[str, np.ndarray]:
    """Runs the launches; the arrays get their new contents. Answers the temporaries.

    What is not to be cleared holds rubbish at the start. `kept` are the temporaries of an earlier plan.
    """
    temporaries = {
        role: np.full(max(size, 8), 0 if role in plan.cleared else 0x5A, np.uint8)
        for role, size in plan.temporaries.items()
    }
    temporaries |= kept or {}
    places = {role: whole(array) for role, array in arrays.items()}
    places |= {role: (array, 0) for role, array in temporaries.items()}
    for launch in plan.launches:
        memory = [places[role][0] for role in launch.memory]
        slots = [places[slot][1] if isinstance(slot, str) else slot for slot in launch.slots]
        run(runtime, launch.source, launch.kernel, memory, slots, launch.groups, launch.local)
    return temporaries
