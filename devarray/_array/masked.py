"""Reductions with NumPy's `initial` and `where`."""

from __future__ import annotations

from typing import Any

import numpy as np

from devarray import _core
from devarray._array.numbers import stored_number
from devarray._array.operations import OP
from devarray._array.out import mask_of
from devarray.errors import ValueError

__all__ = ["masked_mean", "masked_variance", "reduction", "whole_variance"]

_UFUNCS = {"max": "maximum", "min": "minimum"}
"""NumPy's names, for messages."""
_IDENTITIES = {"sum": 0, "prod": 1, "all": True, "any": False}
_COMBINED_BY = {"sum": "add", "prod": "multiply", "min": "minimum", "max": "maximum"}
_COMBINED_BY |= {"all": "logical_and", "any": "logical_or"}


def reduction(
    name: str,
    x: Any,
    axis: Any = None,
    dtype: Any = None,
    keepdims: bool = False,
    initial: Any = np._NoValue,
    where: Any = True,
    out: Any = None,
) -> Any:
    """A reduction with NumPy's `initial` and `where`.

    `out` is where the caller will write the result. NumPy begins in it, so that `initial` is of its dtype first.
    """
    kind, where = name, mask_of(name, where)
    if isinstance(out, _core.ArrayBase) and initial is not np._NoValue and initial is not None:
        both = _core.promote(x.dtype, out.dtype)
        initial = _as_given(initial, both).astype(out.dtype)
        if kind in ("min", "max"):
            x = x.astype(both, copy=False)
    identity = _IDENTITIES.get(kind, initial) if initial is not None else np._NoValue
    if initial is None:  # NumPy's word for: begin with an element
        initial = np._NoValue
        result = _plain(kind, x, axis, dtype, keepdims) if x.size == 0 and where is True else None
        if result is not None and result.size:
            raise ValueError(
                f"zero-size array to reduction operation {_UFUNCS.get(kind, kind)} which has no identity: {kind} of no "
                "elements has nothing to begin with; give initial="
            )
    if where is not True:
        if identity is np._NoValue:
            raise ValueError(
                f"reduction operation {_UFUNCS.get(kind, kind)!r} does not have an identity, so to use a where mask "
                "one has to specify 'initial'"
            )
        x = _core.apply(
            OP["where"], where, x, _weak(x, identity) if kind in _IDENTITIES else _as_given(identity, x.dtype)
        )
    if initial is np._NoValue:
        return _plain(kind, x, axis, dtype, keepdims)
    if x.size == 0 and kind in ("min", "max"):
        empty = _plain("sum", x, axis, x.dtype if x.dtype.kind != "b" else None, keepdims)
        made = _core.full(empty.shape, x.dtype, _as_given(initial, x.dtype), x.queue, x.allocator)
        return made if made.ndim else _core.as_value(made)
    result = _plain(kind, x, axis, dtype, keepdims)
    # In this order, by which a zero's sign is NumPy's, who begins with it.
    return _core.apply(OP[_COMBINED_BY[kind]], _as_given(initial, result.dtype), result)


def _as_given(initial: Any, dtype: np.dtype) -> Any:
    """What a result starts with, in its dtype, which it does not widen."""
    if isinstance(initial, _core.ArrayBase) and initial.ndim:
        raise ValueError(
            "setting an array element with a sequence: a reduction's initial= is one number, not an array of shape "
            f"{initial.shape}"
        )
    return _core.astype(initial, dtype) if isinstance(initial, _core.ArrayBase) else stored_number(initial, dtype)


def _weak(x: Any, value: Any) -> Any:
    """A Python scalar that keeps the dtype of `x`."""
    return bool(value) if x.dtype.kind == "b" else int(value) if isinstance(value, bool) else value


def _plain(kind: str, x: Any, axis: Any, dtype: Any, keepdims: bool) -> Any:
    more = {} if dtype is None else {"dtype": dtype}
    if dtype is not None and kind not in ("sum", "prod"):
        if kind in ("min", "max"):
            return getattr(x.astype(dtype, copy=False), kind)(axis=axis, keepdims=keepdims)
        more = {}
    return getattr(x, kind)(axis=axis, keepdims=keepdims, **more)


def masked_mean(x: Any, axis: object, dtype: Any, keepdims: bool, where: object) -> Any:
    """The mean of the elements that `where` names."""
    target = np.dtype(dtype if dtype is not None else np.float64 if x.dtype.kind in "biu" else x.dtype)
    half = dtype is None and target == np.float16  # whose sums overflow: NumPy's are in float32, too
    total = reduction("sum", x, axis, np.float32 if half else target, keepdims, where=where)
    return (total / _count(x, axis, keepdims, where)).astype(target, copy=False)


def masked_variance(
    x: Any, axis: Any, dtype: Any, ddof: float, keepdims: bool, where: Any = True, center: Any = None
) -> Any:
    """The variance of the elements that `where` names, around their mean or a `center` with kept axes."""
    if dtype is not None and np.dtype(dtype).kind in "fc":
        x = x.astype(dtype, copy=False)
    elif x.dtype.kind in "biu":
        x = x.astype(np.float64)
    if center is None:
        center = masked_mean(x, axis, None, True, where)
    distance = x - center
    if x.dtype.kind == "c":
        squares = _core.apply(OP["real"], distance * distance.conj())
    else:
        squares = _core.apply(OP["square"], distance)
    total = reduction("sum", squares, axis, None, keepdims, where=where)
    if where is True:
        return total / max(x.size // total.size - ddof, 0)
    free = _core.apply(OP["maximum"], _count(x, axis, keepdims, where) - ddof, 0)
    return (total / free).astype(total.dtype, copy=False)


def whole_variance(
    x: Any, axis: Any, dtype: np.dtype, ddof: float, keepdims: bool, where: Any = True, center: Any = None
) -> Any:
    """The variance in a dtype of integers or truths, as NumPy has it: mean and result lose their fractions."""
    if center is None:
        center = x.mean(axis, dtype, keepdims=True, where=where)
    distance = x - center
    squares = distance * distance
    total = reduction("sum", squares, axis, dtype, keepdims, where=where)
    taken = x.size // max(total.size, 1) if where is True else _count(x, axis, keepdims, where)
    return (total / _core.apply(OP["maximum"], taken - ddof, 0)).astype(dtype)


def _count(x: Any, axis: Any, keepdims: bool, where: Any) -> Any:
    if not isinstance(where, _core.ArrayBase):  # a list or a truth
        where = _core.apply(OP["where"], where, _core.full(x.shape, np.dtype(bool), True, x.queue, x.allocator), False)
    return _core.broadcast_to(where, x.shape).sum(axis, keepdims=keepdims)
