"""Reductions as methods of arrays, with NumPy's parameters in NumPy's order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from devarray import _core
from devarray.errors import DTypeError, ShapeError
from devarray.methods import NumPyMethods
from devarray.outputs import into
from devarray.registry import OP, PROTOCOLS, normalize_axes

if TYPE_CHECKING:
    from devarray.array import Array

__all__ = ["ReducingArray", "reduce"]

_Axis = int | tuple[int, ...] | None
_DType = Any
_NONE = np._NoValue


class ReducingArray(NumPyMethods):
    """Sums, products, extremes, and what is made of them.

    `out` takes the result and is returned. `where` says which elements take part, `initial` what the result begins
    with; both as in NumPy.
    """

    __slots__ = ()

    def sum(
        self,
        axis: _Axis = None,
        dtype: _DType = None,
        out: Array | None = None,
        keepdims: bool = False,
        initial: Any = _NONE,
        where: Any = True,
    ) -> Array:
        """Sum over `axis` (all by default). Integers add up in 64 bits."""
        if initial is not _NONE or where is not True:
            return PROTOCOLS["numpy"]("sum")(self, axis, dtype, out, keepdims, initial, where)
        return into("sum", reduce(self, "sum", axis, keepdims, dtype), out)

    def prod(
        self,
        axis: _Axis = None,
        dtype: _DType = None,
        out: Array | None = None,
        keepdims: bool = False,
        initial: Any = _NONE,
        where: Any = True,
    ) -> Array:
        """Product over `axis` (all by default). Integers multiply in 64 bits."""
        if initial is not _NONE or where is not True:
            return PROTOCOLS["numpy"]("prod")(self, axis, dtype, out, keepdims, initial, where)
        return into("prod", reduce(self, "prod", axis, keepdims, dtype), out)

    def min(
        self,
        axis: _Axis = None,
        out: Array | None = None,
        keepdims: bool = False,
        initial: Any = _NONE,
        where: Any = True,
    ) -> Array:
        """Least element over `axis`; NaN where there is one."""
        if initial is not _NONE or where is not True:
            return PROTOCOLS["numpy"]("min")(self, axis, out, keepdims, initial=initial, where=where)
        return into("min", reduce(self, "min", axis, keepdims), out)

    def max(
        self,
        axis: _Axis = None,
        out: Array | None = None,
        keepdims: bool = False,
        initial: Any = _NONE,
        where: Any = True,
    ) -> Array:
        """Greatest element over `axis`; NaN where there is one."""
        if initial is not _NONE or where is not True:
            return PROTOCOLS["numpy"]("max")(self, axis, out, keepdims, initial=initial, where=where)
        return into("max", reduce(self, "max", axis, keepdims), out)

    def any(self, axis: _Axis = None, out: Array | None = None, keepdims: bool = False, *, where: Any = True) -> Array:
        """Whether an element over `axis` is non-zero."""
        if where is not True:
            return PROTOCOLS["numpy"]("any")(self, axis, out, keepdims, where=where)
        return into("any", reduce(self, "any", axis, keepdims), out)

    def all(self, axis: _Axis = None, out: Array | None = None, keepdims: bool = False, *, where: Any = True) -> Array:
        """Whether all elements over `axis` are non-zero."""
        if where is not True:
            return PROTOCOLS["numpy"]("all")(self, axis, out, keepdims, where=where)
        return into("all", reduce(self, "all", axis, keepdims), out)

    def argmin(self, axis: int | None = None, out: Array | None = None, *, keepdims: bool = False) -> Array:
        """Index of the first least element along `axis`, or into the flattened array."""
        return into("argmin", reduce(self, "argmin", axis, keepdims), out)

    def argmax(self, axis: int | None = None, out: Array | None = None, *, keepdims: bool = False) -> Array:
        """Index of the first greatest element along `axis`, or into the flattened array."""
        return into("argmax", reduce(self, "argmax", axis, keepdims), out)

    def mean(
        self,
        axis: _Axis = None,
        dtype: _DType = None,
        out: Array | None = None,
        keepdims: bool = False,
        where: Any = True,
    ) -> Array:
        """Arithmetic mean over `axis`; integers are averaged in float64."""
        if where is not True:
            return PROTOCOLS["numpy"]("mean")(self, axis, dtype, out, keepdims, where=where)
        count = _reduced_count(self, axis)
        target = (
            np.dtype(dtype) if dtype is not None else np.dtype(np.float64) if self.dtype.kind in "biu" else self.dtype
        )
        if target.kind in "biu":  # as asked for: sums of that dtype, divided in float64
            return into("mean", (reduce(self, "sum", axis, keepdims, target) / float(count)).astype(target), out)
        return into("mean", reduce(self, "sum", axis, keepdims, target, post=(("divide", float(count)),)), out)

    def var(
        self,
        axis: _Axis = None,
        dtype: _DType = None,
        out: Array | None = None,
        ddof: float = 0,
        keepdims: bool = False,
        *,
        correction: float | None = None,
        where: Any = True,
    ) -> Array:
        """Variance over `axis`: squared deviations from the mean, divided by the count less `ddof`."""
        less = ddof if correction is None else correction
        if where is not True:
            return PROTOCOLS["numpy"]("var")(self, axis, dtype, out, less, keepdims, where=where)
        return into("var", self._deviation(axis, dtype, less, keepdims, ()), out)

    def std(
        self,
        axis: _Axis = None,
        dtype: _DType = None,
        out: Array | None = None,
        ddof: float = 0,
        keepdims: bool = False,
        *,
        correction: float | None = None,
        where: Any = True,
    ) -> Array:
        """Standard deviation over `axis`, the root of :meth:`var`."""
        less = ddof if correction is None else correction
        if where is not True:
            return PROTOCOLS["numpy"]("std")(self, axis, dtype, out, less, keepdims, where=where)
        return into("std", self._deviation(axis, dtype, less, keepdims, (("sqrt", None),)), out)

    def _deviation(self, axis: _Axis, dtype: _DType, ddof: float, keepdims: bool, post: tuple) -> Array:
        x: Any = self
        if dtype is not None:
            x = x.astype(dtype, copy=False)
        if x.dtype.kind in "biu":
            x = x.astype(np.float64)
        distance = x - x.mean(axis, keepdims=True)
        if x.dtype.kind == "c":
            squares = _core.apply(OP["real"], distance * distance.conj())
        else:
            squares = _core.apply(OP["square"], distance)
        del distance  # dead inside the reduction's kernel, so nothing of it is stored
        count = max(_reduced_count(self, axis) - ddof, 0)
        return reduce(squares, "sum", axis, keepdims, None, post=(("divide", float(count)), *post))


_OF_BOOLS = {"sum": "any", "prod": "all"}


def reduce(
    x: Any,
    kind: str,
    axis: _Axis,
    keepdims: bool,
    dtype: _DType = None,
    post: tuple[tuple[str, float | None], ...] = (),
) -> Array:
    """Reduce over axes, in one kernel with the expression that feeds it.

    `post` are element-wise operations on the reduced value: (op, second operand or None).
    """
    try:
        axes = list(range(x.ndim)) if axis is None else normalize_axes(axis, x.ndim)
    except AttributeError:
        if isinstance(x, tuple) and dtype is None and not post:  # such as x.shape: of the host, as is the result
            return getattr(np, kind)(x, axis=axis)
        raise DTypeError(f"{kind} takes a device array, not {type(x).__name__}; make one with asarray()") from None
    if kind in ("argmin", "argmax") and axis is not None and len(axes) != 1:
        raise ShapeError(f"{kind} takes one axis or None, not {axis!r}")
    result = None if dtype is None else np.dtype(dtype)
    if result == np.bool_ and kind in _OF_BOOLS:  # bools add up and multiply as truths, as NumPy's do
        kind, result = _OF_BOOLS[kind], None
    return _core.reduce(x, kind, axes, bool(keepdims), result, list(post))


def _reduced_count(x: Any, axis: _Axis) -> int:
    axes = range(x.ndim) if axis is None else normalize_axes(axis, x.ndim)
    count = 1
    for a in axes:
        count *= x.shape[a]
    return count
