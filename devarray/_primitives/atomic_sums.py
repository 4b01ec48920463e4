"""Sums of floats by atomic operations, where ``devarray.config.deterministic`` is off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devarray import _core
from devarray._primitives.planned import run_planned
from devarray._runtime.config import config
from devarray.array import Array

if TYPE_CHECKING:
    from devarray.codegen.kernels.launches import Plan, View
    from devarray.codegen.language.dialect import Dialect

__all__ = ["add_in_any_order", "may_add_in_any_order"]


def may_add_in_any_order(out: Array) -> bool:
    """Whether values may be added to the elements of an array in any order, by atomic operations of its device."""
    if config.deterministic or out.device.strategy != "gpu" or out.dtype.kind != "f":
        return False
    from devarray._runtime.compiler import dialect
    from devarray.codegen.kernels.atomic_sums import has_atomic_sums

    return has_atomic_sums(out.dtype.name, dialect(out.device))


def add_in_any_order(out: Array, places: Array, values: Array) -> None:
    """Add values, of the dtype of `out`, to the rows of a contiguous array; places are within it."""
    if values.size:
        arrays = (_core.contiguous(places), _core.contiguous(values), out)
        run_planned(_plan, ("places", "values", "out"), arrays)


def _plan(places: View, values: View, out: View, dialect: Dialect) -> Plan:
    from devarray.codegen.kernels.atomic_sums import plan_atomic_sums

    return plan_atomic_sums(places, values, out, dialect)
