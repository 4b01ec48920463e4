"""NumPy's differences, integrals and interpolation of sampled functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from devarray import _core
from devarray._array.order import made_in_order
from devarray._primitives.join import concat
from devarray._primitives.operands import as_arrays, asarray_like
from devarray._primitives.planned import run_planned
from devarray._routines.sorting.searching import take
from devarray._routines.sorting.sorting import argsort
from devarray._routines.statistics.cumulative import diff
from devarray.array import OP, Array, normalize_axes, normalize_axis
from devarray.errors import DTypeError, ShapeError, ValueError

if TYPE_CHECKING:
    from devarray._typing import ArrayLike

__all__ = ["ediff1d", "gradient", "interp", "trapezoid"]


def ediff1d(ary: Array, to_end: Any = None, to_begin: Any = None) -> Array:
    """Differences of neighbours in the flattened array.

    Parameters
    ----------
    ary : array_like
        Of numbers.
    to_end, to_begin : array_like, optional
        Put behind and before the differences.

    Returns
    -------
    Array
        A new one-dimensional array of the dtype of `ary`.

    Raises
    ------
    DTypeError
        Where `to_end` or `to_begin` is of another kind of numbers, such as floats for an array of integers.

    Examples
    --------
    >>> import devarray as da
    >>> da.ediff1d(da.asarray([1, 4, 9]), to_begin=0).copy_to_host()
    array([0, 3, 5])
    """
    flat = ary.reshape(-1)
    steps = _core.apply(OP["subtract"], flat[1:], flat[:-1])
    parts = []
    for name, end in (("to_begin", to_begin), ("to_end", to_end)):
        if end is not None:
            end = asarray_like(end, ary)
            if not np.can_cast(end.dtype, ary.dtype, "same_kind"):
                raise DTypeError(
                    f"dtype of `{name}` must be compatible with input `ary` under the `same_kind` rule: ediff1d: "
                    f"{end.dtype} does not fit among differences of {ary.dtype}"
                )
            parts.append(end.reshape(-1).astype(ary.dtype, copy=False))
        if name == "to_begin":
            parts.append(steps)
    return concat(parts) if len(parts) > 1 else steps


# --- derivatives ---------------------------------------------------------------------------------------------------


def gradient(f: object, *varargs: Any, axis: int | tuple[int, ...] | None = None, edge_order: int = 1) -> Any:
    """Derivatives along axes, by central differences inside and one-sided ones at the ends.

    Parameters
    ----------
    f : array_like
        Values on a grid, at least ``edge_order + 1`` along each axis. Integers are taken as float64.
    *varargs : array_like
        The distances of neighbours: one scalar for all axes, or for each axis a scalar or the coordinates of the
        points. 1 by default.
    axis : int or tuple of int, optional
        All axes by default.
    edge_order : {1, 2}
        Order of accuracy at the ends. 1 by default.

    Returns
    -------
    Array or tuple of Array
        The derivative along the axis; a tuple for several axes. New arrays of the shape of `f`.

    Raises
    ------
    ShapeError
        Where there are too few values along an axis, or coordinates do not fit.
    ValueError
        For another `edge_order`.
    DTypeError
        Where there is not one distance for each axis.

    Examples
    --------
    >>> import devarray as da
    >>> da.gradient(da.asarray([1.0, 2.0, 4.0, 7.0])).copy_to_host()
    array([1. , 1.5, 2.5, 3. ])
    >>> da.gradient(da.asarray([0.0, 1.0, 9.0]), [0.0, 1.0, 3.0], edge_order=2).copy_to_host()
    array([0., 2., 6.])
    """
    (f,) = as_arrays(f)
    axes = list(range(f.ndim)) if axis is None else normalize_axes(axis, f.ndim)
    if edge_order not in (1, 2):
        raise ValueError(f"gradient: 'edge_order' greater than 2 not supported: it is 1 or 2, not {edge_order!r}")
    if len(varargs) not in (0, 1, len(axes)) or (len(varargs) == 1 != len(axes) and np.ndim(varargs[0])):
        raise DTypeError(
            f"gradient: invalid number of arguments: it takes one distance, or one for each of {len(axes)} axes, not "
            f"{len(varargs)}"
        )
    steps = list(varargs) * (len(axes) if len(varargs) == 1 != len(axes) else 1) or [1.0] * len(axes)
    if f.dtype.kind in "iu":
        f = f.astype(np.float64)
    results = tuple(_derivative(f, a, step, edge_order) for a, step in zip(axes, steps, strict=True))
    return results[0] if len(axes) == 1 else results


def _derivative(f: Array, axis: int, step: Any, edge_order: int) -> Array:
    if f.shape[axis] <= edge_order:
        raise ShapeError(
            "Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) elements are "
            f"required: axis {axis} has {f.shape[axis]}, edge_order is {edge_order}"
        )
    dtype = f.dtype if f.dtype.kind in "fc" else np.float64
    result: Array = made_in_order(lambda shape: _core.empty_at(f, shape, dtype), f.shape, "K", f)

    def part(x: Array, start: int | None, stop: int | None) -> Array:
        return x[(*(slice(None),) * axis, slice(start, stop))]

    before, here, behind = part(f, None, -2), part(f, 1, -1), part(f, 2, None)
    even = np.ndim(step) == 0
    if even:
        part(result, 1, -1)[...] = (behind - before) / (step * 2.0)
        first, last = (step, step), (step, step)
    else:
        gaps = diff(_coordinates(f, axis, step)).reshape((-1, *(1,) * (f.ndim - 1 - axis)))
        left, right = gaps[:-1], gaps[1:]
        inside = before * (-right / (left * (left + right))) + here * ((right - left) / (left * right))
        part(result, 1, -1)[...] = inside + behind * (left / (right * (left + right)))
        first, last = (gaps[:1], gaps[1:2]), (gaps[-1:], gaps[-2:-1])
    if edge_order == 1:
        part(result, None, 1)[...] = (part(f, 1, 2) - part(f, None, 1)) / first[0]
        part(result, -1, None)[...] = (part(f, -1, None) - part(f, -2, -1)) / last[0]
        return result
    part(result, None, 1)[...] = _outermost(part(f, None, 1), part(f, 1, 2), part(f, 2, 3), *first)
    part(result, -1, None)[...] = -_outermost(part(f, -1, None), part(f, -2, -1), part(f, -3, -2), *last)
    return result


def _coordinates(f: Array, axis: int, given: Any) -> Array:
    points = asarray_like(given, f)
    if points.shape != (f.shape[axis],):
        raise ShapeError(
            "gradient: when 1d, distances must match the length of the corresponding dimension: coordinates of shape "
            f"{points.shape} are not one for each of {f.shape[axis]} values"
            if points.ndim == 1
            else f"gradient: distances must be either scalars or 1d, not of shape {points.shape}"
        )
    return points.astype(np.float64) if points.dtype.kind in "iu" else points


def _outermost(end: Array, second: Array, third: Array, near: Any, far: Any) -> Array:
    """The derivative at the first of three values by the parabola through them; `near` and `far` are the distances."""
    both = near + far
    return end * (-(near + both) / (near * both)) + second * (both / (near * far)) - third * (near / (far * both))


# --- integrals -----------------------------------------------------------------------------------------------------


def trapezoid(y: ArrayLike, x: ArrayLike | None = None, dx: object = 1.0, axis: int = -1) -> Array:
    """Integral along an axis by the trapezoidal rule, in one kernel.

    Parameters
    ----------
    y : array_like
        The values of the function.
    x : array_like, optional
        The points of these values: of the shape of `y`, or one-dimensional along `axis`.
    dx : array_like
        The distance of the points where `x` is not given. 1 by default.
    axis : int
        The axis to integrate along. The last one by default.

    Returns
    -------
    Array
        A new array without the axis.

    Raises
    ------
    AxisError
        For an axis that the array does not have.
    ShapeError
        Where `x` does not fit.

    Examples
    --------
    >>> import devarray as da
    >>> da.trapezoid(da.asarray([1.0, 2.0, 3.0])).item()
    4.0
    >>> da.trapezoid(da.asarray([1.0, 2.0, 3.0]), x=[4, 6, 8]).item()
    8.0
    """
    if x is None:
        (y,) = as_arrays(y)
    else:
        y, x = as_arrays(y, x)
    place = normalize_axis(axis, y.ndim)
    along = (slice(None),) * place
    if x is not None:
        dx = diff(x).reshape((-1, *(1,) * (y.ndim - 1 - place))) if x.ndim == 1 else diff(x, axis=axis)
    return (dx * (y[(*along, slice(1, None))] + y[(*along, slice(None, -1))]) / 2.0).sum(axis)


# --- interpolation -------------------------------------------------------------------------------------------------


def interp(
    x: ArrayLike,
    xp: object,
    fp: object,
    left: ArrayLike | None = None,
    right: ArrayLike | None = None,
    period: float | None = None,
) -> Array:
    """Values of the piecewise linear function through given points.

    Parameters
    ----------
    x : array_like
        Where to evaluate the function; real.
    xp : array_like
        The points' coordinates, one-dimensional and increasing, which is not checked; with `period` in any order.
    fp : array_like
        The points' values, as many.
    left, right : scalar, optional
        Values before the first and behind the last point; by default those of these points.
    period : float, optional
        Period of the function. `left` and `right` then have no meaning.

    Returns
    -------
    Array
        float64, or complex128 for complex values, of the shape of `x`; of a number a value. NaN where `x` is.

    Raises
    ------
    ShapeError
        Where `xp` and `fp` are not two rows of one size.
    ValueError
        Where there are no points, or the period is zero.
    DTypeError
        For complex coordinates.

    Examples
    --------
    >>> import devarray as da
    >>> da.interp(da.asarray([0.0, 1.5, 4.0]), [1, 2, 3], [3.0, 2.0, 0.0]).copy_to_host()
    array([3. , 2.5, 0. ])
    """
    x, xp, fp = as_arrays(x, xp, fp)
    if xp.ndim != 1 or xp.shape != fp.shape:
        raise ShapeError(
            "interp: "
            + (
                "object too deep for desired array"
                if xp.ndim > 1 or fp.ndim > 1
                else "fp and xp are not of the same length"
            )
            + f": points of shape {xp.shape} and values of shape {fp.shape} are not two equal rows"
        )
    if xp.size == 0:
        raise ValueError("interp: array of sample points is empty")
    if "c" in (x.dtype.kind, xp.dtype.kind):
        raise DTypeError("interp: coordinates are real numbers; complex ones have no order")
    x, xp = x.astype(np.float64, copy=False), xp.astype(np.float64, copy=False)
    fp = fp.astype(np.complex128 if fp.dtype.kind == "c" else np.float64, copy=False)
    if period is not None:
        if period == 0:
            raise ValueError("interp: period must be a non-zero value")
        left, right, period = None, None, abs(period)
        x, xp = x % period, xp % period
        order = argsort(xp)
        xp, fp = take(xp, order), take(fp, order)
        xp, fp = concat([xp[-1:] - period, xp, xp[:1] + period]), concat([fp[-1:], fp, fp[:1]])
    left, right = (
        end if end is None else _one_number(name, end, fp) for name, end in (("left", left), ("right", right))
    )
    if fp.dtype.kind != "c":
        made = _between(x, xp, fp, left, right)
        return made if x.ndim else _core.as_value(made)
    result = _core.empty_at(x, None, np.complex128)  # by parts: an infinite one makes no NaN of the other
    for name in ("real", "imag"):
        parts = (end if end is None else getattr(end, name) for end in (left, right))
        getattr(result, name)[...] = _between(x, xp, getattr(fp, name), *parts)
    return result if x.ndim else _core.as_value(result)


def _one_number(name: str, given: Any, fp: Array) -> Any:
    """A value beyond an end as a number of the dtype of `fp`; one of the device stays there."""
    if isinstance(given, Array) and given.ndim == 0:
        return given.astype(fp.dtype, copy=False)
    number = complex if fp.dtype.kind == "c" else float
    if np.ndim(given) or (not hasattr(given, f"__{number.__name__}__") and not hasattr(given, "__float__")):
        raise DTypeError(f"interp: {name} must be one {'' if number is complex else 'real '}number, not {given!r}")
    return number(given)


def _between(x: Array, xp: Array, fp: Array, left: ArrayLike | None, right: ArrayLike | None) -> Array:
    """The values at `x`; beyond the ends None stands for the value of the point there."""
    where = OP["where"]
    if xp.size == 1:
        value = _core.apply(OP["positive"], _core.broadcast_to(fp[0], x.shape))
    else:
        value = _core.empty_at(x, None, np.float64)
    if xp.size > 1 and x.size:
        from devarray.codegen.kernels.interpolate import plan_interpolate

        run_planned(plan_interpolate, ("points", "values", "places", "out"), (xp, fp, _core.contiguous(x), value))
    if left is not None:
        value = _core.apply(where, x < xp[0], left, value)
    return value if right is None else _core.apply(where, x > xp[-1], right, value)
