"""The keywords of products, which are NumPy's ufuncs over whole axes: `axes`, `axis`, `keepdims`, `dtype` and more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from devarray._array.order import order_of
from devarray._array.out import write_out
from devarray._array.ufunc_call import check_casting, in_loop_of, one_signature
from devarray._routines.manipulation.axes import moveaxis
from devarray.array import Array
from devarray.errors import AxisError, DTypeError, ValueError

if TYPE_CHECKING:
    from devarray._typing import DTypeLike, Signature

__all__ = ["with_keywords"]

_CORE = {"matmul": (2, 2), "matvec": (2, 1), "vecdot": (1, 1), "vecmat": (1, 2)}
"""How many axes of each operand a product is about."""


def with_keywords(
    name: str,
    product: Callable[[Array, Array], Array],
    x1: Array,
    x2: Array,
    out: Array | None,
    axes: Sequence[int] | None,
    axis: int | None,
    keepdims: bool,
    casting: str,
    order: str,
    dtype: DTypeLike | None,
    signature: Signature | None,
    sig: Signature | None,
) -> Array:
    """A product of operands whose axes and dtypes keywords name.

    Parameters
    ----------
    product : callable
        The product of two arrays over their last axes, without a keyword.
    """
    check_casting(casting)
    signature = one_signature(name, signature, sig)
    order = order_of(order, name=name)
    depths = tuple(min(depth, x.ndim) for depth, x in zip(_CORE[name], (x1, x2), strict=True))
    left = sum(_CORE[name]) - 2 if name != "matmul" else depths[0] + depths[1] - 2  # axes of the result
    if (axis is not None or keepdims) and name != "vecdot":
        raise DTypeError(
            f"{name} takes no axis= and keepdims=, which are for one axis that all operands share; use axes="
        )
    if axes is not None and axis is not None:
        raise DTypeError(f"{name} takes one of axes= and axis=")
    if axis is not None:
        axes = [axis] * (2 + keepdims)
    elif axes is not None and keepdims and len(axes) == 2:
        axes = [*axes, -1]  # where the axis that is kept goes
    inputs, places = _turned(name, (x1, x2), depths, left + keepdims, axes)
    if dtype is not None or signature is not None or casting != "same_kind":
        inputs = list(in_loop_of(getattr(np, name), inputs, dtype, signature, casting))
    result = product(*inputs)
    if keepdims:
        result = result[..., None]
    if places:
        result = moveaxis(result, tuple(range(-len(places), 0)), places)
    if out is None and order in ("C", "F"):
        result = result.copy(order)
    return write_out(name, result, out, casting=casting, spread=True, inner=0 if places else left)


def _turned(
    name: str, operands: Sequence[Array], depths: Sequence[int], left: int, axes: Any
) -> tuple[list[Array], tuple[int, ...]]:
    """Operands with the axes that the product is about at the end, and where the result's axes go."""
    if axes is None:
        return list(operands), ()
    if not isinstance(axes, list):
        raise DTypeError(f"{name}: axes should be a list of tuples of integers, not {type(axes).__name__}")
    if len(axes) != 3 and not (len(axes) == 2 and name == "vecdot"):
        raise ValueError(
            f"{name}: axes should be a list with an entry for all 3 inputs and outputs; that of the output can only be "
            f"omitted if it has no core axes, not {axes!r}"
        )
    entries = [_entry(name, number, *given) for number, given in enumerate(zip(axes, (*depths, left), strict=False))]
    turned = [
        moveaxis(x, entry, tuple(range(-len(entry), 0))) if entry else x
        for x, entry in zip(operands, entries, strict=False)
    ]
    return turned, entries[2] if len(entries) == 3 else ()


def _entry(name: str, number: int, given: Any, depth: int) -> tuple[int, ...]:
    """The axes of one operand, or of the result, that an item of `axes` names."""
    if isinstance(given, tuple):
        if len(given) != depth:
            raise AxisError(
                f"{name}: operand {number} has {depth} core dimensions, but {len(given)} dimensions are specified by "
                f"axes tuple {given}"
            )
        return given
    if not hasattr(given, "__index__"):
        raise DTypeError(f"{name}: axes item {number} should be a tuple of {depth} integers, not {given!r}")
    if depth != 1:
        raise AxisError(f"{name}: operand {number} has {depth} core dimensions, but the axes item is a single integer")
    return (given,)
