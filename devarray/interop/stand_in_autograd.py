"""autograd, for a program that runs unmodified: it differentiates functions of device arrays, as of NumPy's.

autograd looks an argument's class up in tables of its own, and calls NumPy's functions, which the arrays answer.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from devarray.array import Array

__all__ = ["teach"]


def teach() -> Callable[[], None]:
    """Let autograd trace device arrays; returns what undoes it."""
    boxes, spaces = import_module("autograd.numpy.numpy_boxes"), import_module("autograd.numpy.numpy_vspaces")
    tracer, core = import_module("autograd.tracer"), import_module("autograd.core")

    def space(x: Array) -> Any:
        kind = spaces.ComplexArrayVSpace if np.iscomplexobj(x) else spaces.ArrayVSpace
        return kind(np.broadcast_to(np.zeros((), x.dtype), x.shape))  # of which it keeps shape and dtype

    boxes.ArrayBox.register(Array)
    core.VSpace.register(Array, space)

    def undo() -> None:
        tracer.Box.type_mappings.pop(Array, None)
        core.VSpace.mappings.pop(Array, None)

    return undo
