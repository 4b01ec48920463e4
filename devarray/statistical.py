"""Reductions and statistics. Each absorbs the pending expression it is given: one kernel for both."""

from __future__ import annotations

from typing import Any

from devarray.array import Array, reduce

__all__ = [
    "all",
    "amax",
    "amin",
    "any",
    "count_nonzero",
    "max",
    "mean",
    "min",
    "prod",
    "std",
    "sum",
    "var",
]

_Axis = int | tuple[int, ...] | None


def sum(x: Array, /, *, axis: _Axis = None, dtype: Any = None, keepdims: bool = False) -> Array:
    """Sum over axes (all by default). Integers add up in 64 bits; floats in their own dtype, float16 in float32.

    Examples
    --------
    >>> import devarray as da
    >>> da.sum(da.ones((2, 3)), axis=0).copy_to_host()
    array([2., 2., 2.])
    """
    return x.sum(axis, dtype, keepdims)


def prod(x: Array, /, *, axis: _Axis = None, dtype: Any = None, keepdims: bool = False) -> Array:
    """Product over axes (all by default). Integers multiply in 64 bits.

    Examples
    --------
    >>> import devarray as da
    >>> da.prod(da.asarray([2, 3, 4])).item()
    24
    """
    return x.prod(axis, dtype, keepdims)


def max(x: Array, /, *, axis: _Axis = None, keepdims: bool = False) -> Array:
    """Greatest element over axes; NaN where there is one.

    Examples
    --------
    >>> import devarray as da
    >>> da.max(da.asarray([1, 3, 2])).item()
    3
    """
    return x.max(axis, keepdims)


def min(x: Array, /, *, axis: _Axis = None, keepdims: bool = False) -> Array:
    """Least element over axes; NaN where there is one.

    Examples
    --------
    >>> import devarray as da
    >>> da.min(da.asarray([2, 1, 3])).item()
    1
    """
    return x.min(axis, keepdims)


amax = max
amin = min


def mean(x: Array, /, *, axis: _Axis = None, dtype: Any = None, keepdims: bool = False) -> Array:
    """Arithmetic mean over axes; integers are averaged in float64.

    Examples
    --------
    >>> import devarray as da
    >>> da.mean(da.asarray([1.0, 2.0])).item()
    1.5
    """
    return x.mean(axis, dtype, keepdims)


def var(
    x: Array,
    /,
    *,
    axis: _Axis = None,
    correction: float = 0.0,
    keepdims: bool = False,
    dtype: Any = None,
    ddof: float = 0,
) -> Array:
    """Variance over axes: squared deviations from the mean, divided by the count less `correction` (NumPy's ddof).

    Examples
    --------
    >>> import devarray as da
    >>> da.var(da.asarray([1.0, 3.0])).item()
    1.0
    """
    return x.var(axis, dtype, correction or ddof, keepdims)


def std(
    x: Array,
    /,
    *,
    axis: _Axis = None,
    correction: float = 0.0,
    keepdims: bool = False,
    dtype: Any = None,
    ddof: float = 0,
) -> Array:
    """Standard deviation over axes, the root of :func:`var`. Two kernels.

    Examples
    --------
    >>> import devarray as da
    >>> da.std(da.asarray([1.0, 3.0])).item()
    1.0
    """
    return x.std(axis, dtype, correction or ddof, keepdims)


def any(x: Array, /, *, axis: _Axis = None, keepdims: bool = False) -> Array:
    """Whether an element over axes is non-zero (NaN is).

    Examples
    --------
    >>> import devarray as da
    >>> da.any(da.asarray([0, 1])).item()
    True
    """
    return x.any(axis, keepdims)


def all(x: Array, /, *, axis: _Axis = None, keepdims: bool = False) -> Array:
    """Whether all elements over axes are non-zero.

    Examples
    --------
    >>> import devarray as da
    >>> da.all(da.asarray([0, 1])).item()
    False
    """
    return x.all(axis, keepdims)


def count_nonzero(x: Array, /, *, axis: _Axis = None, keepdims: bool = False) -> Array:
    """Number of non-zero elements over axes, int64.

    Examples
    --------
    >>> import devarray as da
    >>> da.count_nonzero(da.asarray([0, 1, 2])).item()
    2
    """
    return reduce(x, "count_nonzero", axis, keepdims)
