"""Sorting: the sorting chapter of the Array API standard."""

from __future__ import annotations

import numpy as np

from devarray import _core
from devarray.array import Array, normalize_axes
from devarray.errors import ShapeError
from devarray.host import through_host

__all__ = ["argsort", "sort"]


def sort(x: Array, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Array:
    """A sorted copy; NaN last, -0 equal to 0, complex numbers by real part, then imaginary.

    Parameters
    ----------
    x : Array
    axis : int
    descending : bool
    stable : bool
        Equal elements keep their order (they always do).

    Examples
    --------
    >>> import devarray as da
    >>> da.sort(da.asarray([3, 1, 2])).copy_to_host()
    array([1, 2, 3])
    """
    return _sorted(x, axis, descending, False)


def argsort(x: Array, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Array:
    """Indices that sort an array, int64.

    Examples
    --------
    >>> import devarray as da
    >>> da.argsort(da.asarray([3, 1, 2])).copy_to_host()
    array([1, 2, 0])
    """
    return _sorted(x, axis, descending, True)


def _sorted(x: Array, axis: int, descending: bool, indices: bool) -> Array:
    if x.ndim == 0:
        raise ShapeError("sort: a 0-dimensional array has no axis to sort along")
    (axis,) = normalize_axes(axis, x.ndim)
    if x.device.type == "cpu":
        return _sorted_on_host(x, axis, descending, indices)
    from devarray.codegen import sort as template
    from devarray.compiler import dialect
    from devarray.planned import run, view_of

    if axis != x.ndim - 1 and x.size:
        # Each digit walks along rows; two copies that keep to memory's order cost less than walks across it.
        rows = _core.contiguous(_swapped(x, axis))
        return _core.contiguous(_swapped(_sorted(rows, x.ndim - 1, descending, indices), axis))
    result = _core.empty_at(x, x.shape, np.int64 if indices else None)
    if result.size:
        planner = template.plan_argsort if indices else template.plan_sort
        plan = planner(view_of("in", x), view_of("out", result), axis, dialect(x.device), descending=descending)
        run(plan, {"in": x, "out": result})
    return result


def _swapped(x: Array, axis: int) -> Array:
    """A view in which an axis and the last one have changed places."""
    axes = list(range(x.ndim))
    axes[axis], axes[-1] = axes[-1], axis
    return _core.permute(x, axes)


def _sorted_on_host(x: Array, axis: int, descending: bool, indices: bool) -> Array:
    def fill(values: np.ndarray, out: np.ndarray) -> None:
        if not descending and indices:
            out[...] = np.argsort(values, axis, kind="stable")
            return
        if not descending:
            out[...] = values
            out.sort(axis, kind="stable" if _order_shows(values) else None)
            return
        # Stable and descending: the last of equals comes first in the reversed array, so both ends are turned round.
        order = np.flip(np.argsort(np.flip(values, axis), axis, kind="stable"), axis)
        order = values.shape[axis] - 1 - order
        out[...] = order if indices else np.take_along_axis(values, order, axis)

    return through_host("sort", fill, [x], x.shape, np.int64 if indices else x.dtype)


def _order_shows(values: np.ndarray) -> bool:
    """Whether equal elements can be told apart, so that only a stable sort will do: zeros of both signs, complex."""
    if values.dtype.kind == "f":
        return bool(np.any((values == 0) & np.signbit(values)))
    return values.dtype.kind == "c"
