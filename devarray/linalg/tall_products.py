"""Products of tall, narrow matrices along their long side, by a kernel of our own: of GPUs alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devarray import _core
from devarray._primitives.planned import run_planned
from devarray.array import Array

if TYPE_CHECKING:
    from devarray.codegen.kernels.launches import Plan, View
    from devarray.codegen.language.dialect import Dialect

__all__ = ["tall_product"]


def tall_product(left: Array, right: Array) -> Array:
    """`left @ right`, for which the core's `is_tall_product` holds."""
    rows = _core.permute(left, (1, 0))
    result = _core.empty_at(left, (left.shape[0], right.shape[1]), left.dtype)
    alignments = (_alignment(left), _alignment(right))
    arrays = (rows, right, _core.group_counter(left), result)
    run_planned(_plan, ("a", "b", "counter", "out"), arrays, alignments)
    return result


def _alignment(x: Array) -> int:
    """The largest power of two, up to 16, that the address of the first element is a multiple of."""
    place = _core.byte_offset(x) | 16
    return place & -place


def _plan(left: View, right: View, counter: View, out: View, alignments: tuple[int, int], dialect: Dialect) -> Plan:
    from devarray.codegen.kernels.tall_product import plan_tall_product

    return plan_tall_product(left, right, counter, out, alignments, dialect)
