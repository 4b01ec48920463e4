"""Running sums and products, and differences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from devarray import _core
from devarray._array.order import along_memory
from devarray._array.out import summed_in, write_out
from devarray._primitives.join import concat
from devarray._primitives.operands import asarray_like
from devarray._primitives.planned import run_planned
from devarray._primitives.small import few_accumulated
from devarray._routines.statistics.missing import replace_nan
from devarray.array import OP, Array, normalize_axis
from devarray.errors import DTypeError, ShapeError, ValueError

if TYPE_CHECKING:
    from devarray.codegen.kernels.launches import Plan, View
    from devarray.codegen.language.dialect import Dialect

__all__ = [
    "cumprod",
    "cumsum",
    "cumulative_prod",
    "cumulative_sum",
    "diff",
    "nancumprod",
    "nancumsum",
]

_Axis = int | tuple[int, ...] | None
_NONE = np._NoValue
_UFUNCS = {"sum": np.add, "prod": np.multiply, "min": np.minimum, "max": np.maximum}
_WIDE = {"b": np.int64, "i": np.int64, "u": np.uint64}


def cumulative_sum(
    x: Array,
    /,
    *,
    axis: int | None = None,
    dtype: object = None,
    include_initial: bool = False,
    out: Array | None = None,
) -> Array:
    """Sums of the elements up to each one along an axis. Integers add up in 64 bits.

    Parameters
    ----------
    x : Array
        The array.
    axis : int, optional
        The axis. It may be left out for one-dimensional arrays.
    dtype : dtype, optional
        Of the result; elements are cast to it before they are combined. By default 64 bits for integers, else that of
        `x`.
    include_initial : bool
        Whether each row begins with the empty sum or product, 0 or 1, so that it has one element more. False by
        default.
    out : Array, optional
        Where the result goes. It has the result's shape; its dtype may be any, as NumPy's.

    Returns
    -------
    Array
        A new array of the shape of `x`, or with one element more along the axis; or `out`.

    Raises
    ------
    ValueError
        Where an array of several dimensions has no `axis`.
    ShapeError
        Where the array has no axis.
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.cumulative_sum(da.asarray([1, 2, 3])).copy_to_host()
    array([1, 3, 6])
    """
    return write_out(
        "cumulative_sum", running(x, "sum", axis, summed_in(x, dtype, out), include_initial), out, casting="unsafe"
    )


def cumulative_prod(
    x: Array,
    /,
    *,
    axis: int | None = None,
    dtype: object = None,
    include_initial: bool = False,
    out: Array | None = None,
) -> Array:
    """Products of the elements up to each one along an axis; see :func:`cumulative_sum`.

    Parameters
    ----------
    x : array_like
        The array.
    axis : int, optional
        The axis. It may be left out for one-dimensional arrays.
    dtype : dtype, optional
        Of the result; elements are cast to it before they are combined. By default 64 bits for integers, else that of
        `x`.
    include_initial : bool
        Whether each row begins with the empty sum or product, 0 or 1, so that it has one element more. False by
        default.
    out : Array, optional
        Where the result goes. It has the result's shape; its dtype may be any, as NumPy's.

    Returns
    -------
    Array
        A new array of the shape of `x`, or with one element more along the axis; or `out`.

    Raises
    ------
    ValueError
        Where an array of several dimensions has no `axis`.
    ShapeError
        Where the array has no axis.
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.cumulative_prod(da.asarray([1, 2, 3])).copy_to_host()
    array([1, 2, 6])
    """
    return write_out(
        "cumulative_prod", running(x, "prod", axis, summed_in(x, dtype, out), include_initial), out, casting="unsafe"
    )


def cumsum(a: Array, axis: int | None = None, dtype: object = None, out: Array | None = None) -> Array:
    """NumPy's :func:`cumulative_sum`: without `axis`, over the flattened array.

    Parameters
    ----------
    a : array_like
        The array.
    axis : int, optional
        The axis. By default `a` is flattened.
    dtype : dtype, optional
        Of the result; elements are cast to it before they are combined. By default 64 bits for integers, else that of
        `a`.
    out : Array, optional
        Where the result goes. It has the result's shape; its dtype may be any, as NumPy's.

    Returns
    -------
    Array
        A new array, or `out`.

    Raises
    ------
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.cumsum(da.asarray([[1, 2], [3, 4]])).copy_to_host()
    array([ 1,  3,  6, 10])
    """
    dtype = summed_in(a, dtype, out)
    return write_out(
        "cumsum",
        running(_flat(a), "sum", 0, dtype) if axis is None else running(a, "sum", axis, dtype),
        out,
        casting="unsafe",
    )


def cumprod(a: Array, axis: int | None = None, dtype: object = None, out: Array | None = None) -> Array:
    """NumPy's :func:`cumulative_prod`: without `axis`, over the flattened array.

    Parameters
    ----------
    a : array_like
        The array.
    axis : int, optional
        The axis. By default `a` is flattened.
    dtype : dtype, optional
        Of the result; elements are cast to it before they are combined. By default 64 bits for integers, else that of
        `a`.
    out : Array, optional
        Where the result goes. It has the result's shape; its dtype may be any, as NumPy's.

    Returns
    -------
    Array
        A new array, or `out`.

    Raises
    ------
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.cumprod(da.asarray([[1, 2], [3, 4]])).copy_to_host()
    array([ 1,  2,  6, 24])
    """
    dtype = summed_in(a, dtype, out)
    return write_out(
        "cumprod",
        running(_flat(a), "prod", 0, dtype) if axis is None else running(a, "prod", axis, dtype),
        out,
        casting="unsafe",
    )


def running(x: Array, op: str, axis: int | None, dtype: Any, include_initial: bool = False) -> Array:
    """The elements up to each one combined, by "sum", "prod", "min" or "max"; see :func:`cumulative_sum`."""
    name = f"cumulative_{op}"
    if x.ndim == 0:
        x = x.reshape(1)
    if axis is None:
        if x.ndim != 1:
            raise ValueError(
                f"{name}: For arrays which have more than one dimension ``axis`` argument is required; this one has "
                f"{x.ndim}"
            )
        axis = 0
    usual = x.dtype if op in ("min", "max") else np.dtype(_WIDE.get(x.dtype.kind, x.dtype))
    dtype = usual if dtype is None else np.dtype(dtype)

    def by_rows(x: Array, axis: int) -> Array:
        quick = None
        if x.ndim > 1 and dtype == usual and not include_initial:
            quick = few_accumulated(x, _UFUNCS[op], axis)
        return _running_by_rows(x, op, axis, dtype, include_initial) if quick is None else quick

    result: Array = along_memory(by_rows, x, normalize_axis(axis, x.ndim))
    return result


def _flat(a: Array) -> Array:
    return a if a.ndim == 1 else a.reshape(-1)


def _running_by_rows(x: Array, op: str, axis: int, dtype: np.dtype, include_initial: bool) -> Array:
    shape = list(x.shape)
    shape[axis] += include_initial
    result = _core.empty_at(x, shape, dtype)
    target = result
    if include_initial:
        before = (slice(None),) * axis
        result[(*before, slice(0, 1))] = 0 if op == "sum" else 1
        target = result[(*before, slice(1, None))]
    if x.size == 0:
        return result
    if x.dtype.kind == "c" and target.dtype.kind != "c":
        raise DTypeError(f"cumulative_{op}: complex numbers do not add up in {target.dtype}")
    expression = _core.expression_of(x) if op in ("sum", "prod") else None
    if expression is None:
        run_planned(_plan_scan, ("in", "out"), (x, target), axis, op)
    else:
        sources, scalars, nodes, slots = expression
        roles = (*(f"in{number}" for number in range(len(sources))), "out")
        run_planned(_plan_scan_of, roles, (*sources, target), axis, op, scalars, nodes, slots)
    return result


def _plan_scan_of(*arguments: Any) -> Plan:
    from devarray.codegen.kernels.scan import plan_scan_of

    *views, axis, op, scalars, nodes, slots, dialect = arguments
    return plan_scan_of(tuple(views[:-1]), views[-1], axis, op, dialect, scalars, nodes, slots)


def _plan_scan(source: View, target: View, axis: int, op: str, dialect: Dialect) -> Plan:
    from devarray.codegen.kernels.scan import plan_scan

    return plan_scan(source, target, axis, op, dialect)


def diff(a: Array, n: int = 1, axis: int = -1, prepend: object = _NONE, append: object = _NONE) -> Array:
    """Differences of neighbours along an axis, `n` times over. Of bools: whether they differ.

    Parameters
    ----------
    a : Array
        The array.
    n : int
        How often the differences are taken. 1 by default.
    axis : int
        The axis along which the elements are neighbours. The last one by default.
    prepend, append : array_like, optional
        Joined to `a` along the axis first; a scalar is one element in each row.

    Returns
    -------
    Array
        A new array that is shorter by `n` along the axis; of bools, bool.

    Raises
    ------
    ValueError
        For a negative `n`.
    ShapeError
        Where the array has no axis, and `n` is not 0.
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.diff(da.asarray([1, 4, 9])).copy_to_host()
    array([3, 5])
    """
    if n < 0:
        raise ValueError(f"diff: order must be non-negative but got {n}")
    if n == 0:
        return a
    if a.ndim == 0:
        raise ShapeError("diff requires input that is at least one dimensional: a number has no neighbours")
    axis = normalize_axis(axis, a.ndim)
    parts = (_row(prepend, a, axis), a, _row(append, a, axis))
    if parts[0] is not None or parts[2] is not None:
        a = concat([part for part in parts if part is not None], axis=axis)
    op = OP["not_equal" if a.dtype.kind == "b" else "subtract"]
    before = (slice(None),) * axis
    size = a.shape[axis]
    for _ in range(n if n < size else size or 1):  # then nothing is left
        a = _core.apply(op, a[(*before, slice(1, None))], a[(*before, slice(None, -1))])
    return a


def _row(value: Any, x: Array, axis: int) -> Array | None:
    """What diff joins to x; a scalar, in its own dtype, stands for one element in each row."""
    if value is None or value is _NONE:
        return None
    value = asarray_like(value, x)
    return value if value.ndim else _core.broadcast_to(value, (*x.shape[:axis], 1, *x.shape[axis + 1 :]))


def nancumsum(a: Array, axis: int | None = None, dtype: object = None, out: Array | None = None) -> Array:
    """Cumulative sums along an axis, or over the flattened array, with NaN counted as 0.

    Parameters
    ----------
    a : array_like
        The array.
    axis : int, optional
        The axis. By default `a` is flattened.
    dtype : dtype, optional
        Of the result; elements are cast to it before they are combined. By default 64 bits for integers, else that of
        `a`.
    out : Array, optional
        Where the result goes. It has the result's shape; its dtype may be any, as NumPy's.

    Returns
    -------
    Array
        A new array, or `out`.

    Raises
    ------
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.nancumsum(da.asarray([1.0, da.nan, 3.0])).copy_to_host()
    array([1., 1., 4.])
    """
    return write_out("nancumsum", cumsum(replace_nan(a, 0), axis, summed_in(a, dtype, out)), out, casting="unsafe")


def nancumprod(a: Array, axis: int | None = None, dtype: object = None, out: Array | None = None) -> Array:
    """Cumulative products along an axis, or over the flattened array, with NaN counted as 1.

    Parameters
    ----------
    a : array_like
        The array.
    axis : int, optional
        The axis. By default `a` is flattened.
    dtype : dtype, optional
        Of the result; elements are cast to it before they are combined. By default 64 bits for integers, else that of
        `a`.
    out : Array, optional
        Where the result goes. It has the result's shape; its dtype may be any, as NumPy's.

    Returns
    -------
    Array
        A new array, or `out`.

    Raises
    ------
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.nancumprod(da.asarray([2.0, da.nan, 3.0])).copy_to_host()
    array([2., 2., 6.])
    """
    return write_out("nancumprod", cumprod(replace_nan(a, 1), axis, summed_in(a, dtype, out)), out, casting="unsafe")
