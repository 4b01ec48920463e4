"""Products of tall, narrow matrices by kernels of our own: of GPUs alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devarray import _core
from devarray._primitives.planned import run_planned
from devarray.array import Array

if TYPE_CHECKING:
    from devarray.codegen.kernels.launches import Plan, View
    from devarray.codegen.language.dialect import Dialect

__all__ = ["row_product", "tall_product"]


def tall_product(left: Array, right: Array) -> Array:
    """`left @ right` along their long side, for which the core's `is_tall_product` holds."""
    rows = _core.permute(left, (1, 0))
    result = _core.empty_at(left, (left.shape[0], right.shape[1]), left.dtype)
    alignments = (_alignment(left), _alignment(right))
    arrays = (rows, right, _core.group_counter(left), result)
    run_planned(_plan_tall, ("a", "b", "counter", "out"), arrays, alignments)
    return result


def row_product(left: Array, right: Array) -> Array:
    """`left @ right` of many rows and a small matrix, for which the core's `is_row_product` holds."""
    result = _core.empty_at(left, (left.shape[0], right.shape[1]), left.dtype)
    run_planned(_plan_rows, ("a", "b", "out"), (left, right, result), _alignment(left))
    return result


def _alignment(x: Array) -> int:
    """The largest power of two, up to 16, that the address of the first element is a multiple of."""
    place = _core.byte_offset(x) | 16
    return place & -place


def _plan_tall(
    left: View, right: View, counter: View, out: View, alignments: tuple[int, int], dialect: Dialect
) -> Plan:
    from devarray.codegen.kernels.tall_product import plan_tall_product

    return plan_tall_product(left, right, counter, out, alignments, dialect)


def _plan_rows(left: View, right: View, out: View, alignment: int, dialect: Dialect) -> Plan:
    from devarray.codegen.kernels.row_product import plan_row_product

    return plan_row_product(left, right, out, alignment, dialect)
