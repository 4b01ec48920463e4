"""Reductions as methods of arrays, with NumPy's parameters in NumPy's order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from devarray import _core
from devarray._array.masked import reduction
from devarray._array.operations import reduced_axes
from devarray._array.out import summed_in, write_out
from devarray.errors import DTypeError

if TYPE_CHECKING:
    from devarray._core import Array

__all__ = ["ReductionMethods", "reduce"]

_Axis = int | tuple[int, ...] | None
_DType = Any
_NONE = np._NoValue


class ReductionMethods(_core.ArrayBase):
    """Methods that reduce: sums, products and extremes.

    `out` takes the result and is returned. `where` says which elements take part, `initial` what the result begins
    with; both as in NumPy.
    """

    __slots__ = ()

    @_core.QuickFunction
    def sum(
        self,
        /,
        axis: _Axis = None,
        dtype: _DType = None,
        out: Array | None = None,
        keepdims: bool = False,
        initial: object = _NONE,
        where: object = True,
    ) -> Array:
        """Sum of the elements over axes. Integers add up in 64 bits.

        Parameters
        ----------
        axis : int or tuple of int, optional
            The axes to reduce; all by default.
        dtype : dtype, optional
            To reduce in, and of the result. Integers are reduced in 64 bits by default; floats in their own dtype.
        out : Array, optional
            Where the result goes. It has the result's shape; its dtype may be any, as NumPy's.
        keepdims : bool
            Whether the reduced axes stay, with size 1. False by default.
        initial : scalar, optional
            What the result starts with.
        where : array_like of bool
            The elements that take part, broadcast to the array's shape; all by default.

        Returns
        -------
        Array
            A new array without the reduced axes, or `out`.

        Raises
        ------
        AxisError
            For an axis that the array does not have.

        Examples
        --------
        >>> import devarray as da
        >>> da.ones((2, 3)).sum(axis=0).copy_to_host()
        array([2., 2., 2.])
        """
        if out is not None:
            dtype = summed_in(self, dtype, out)
        if initial is not _NONE or where is not True:
            result = reduction("sum", self, axis, dtype, keepdims, initial, where, out)
            return write_out("sum", result, out, casting="unsafe")
        result = reduce(self, "sum", axis, keepdims, dtype)
        return result if out is None else write_out("sum", result, out, casting="unsafe")

    @_core.QuickFunction
    def prod(
        self,
        /,
        axis: _Axis = None,
        dtype: _DType = None,
        out: Array | None = None,
        keepdims: bool = False,
        initial: object = _NONE,
        where: object = True,
    ) -> Array:
        """Product of the elements over axes. Integers multiply in 64 bits.

        Parameters
        ----------
        axis : int or tuple of int, optional
            The axes to reduce; all by default.
        dtype : dtype, optional
            To reduce in, and of the result. Integers are reduced in 64 bits by default; floats in their own dtype.
        out : Array, optional
            Where the result goes. It has the result's shape; its dtype may be any, as NumPy's.
        keepdims : bool
            Whether the reduced axes stay, with size 1. False by default.
        initial : scalar, optional
            What the result starts with.
        where : array_like of bool
            The elements that take part, broadcast to the array's shape; all by default.

        Returns
        -------
        Array
            A new array without the reduced axes, or `out`.

        Raises
        ------
        AxisError
            For an axis that the array does not have.

        Examples
        --------
        >>> import devarray as da
        >>> da.asarray([2, 3, 4]).prod().item()
        24
        """
        if out is not None:
            dtype = summed_in(self, dtype, out)
        if initial is not _NONE or where is not True:
            result = reduction("prod", self, axis, dtype, keepdims, initial, where, out)
            return write_out("prod", result, out, casting="unsafe")
        result = reduce(self, "prod", axis, keepdims, dtype)
        return result if out is None else write_out("prod", result, out, casting="unsafe")

    @_core.QuickFunction
    def min(
        self,
        /,
        axis: _Axis = None,
        out: Array | None = None,
        keepdims: bool = False,
        initial: object = _NONE,
        where: object = True,
    ) -> Array:
        """Least element over axes; NaN where there is one.

        Parameters
        ----------
        axis : int or tuple of int, optional
            The axes to reduce; all by default.
        out : Array, optional
            Where the result goes. It has the result's shape; its dtype may be any, as NumPy's.
        keepdims : bool
            Whether the reduced axes stay, with size 1. False by default.
        initial : scalar, optional
            What the result starts with.
        where : array_like of bool
            The elements that take part, broadcast to the array's shape; all by default.

        Returns
        -------
        Array
            A new array without the reduced axes, or `out`.

        Raises
        ------
        ValueError
            Where there are no elements to reduce, and no `initial`.
        AxisError
            For an axis that the array does not have.

        Examples
        --------
        >>> import devarray as da
        >>> da.asarray([2, 1, 3]).min().item()
        1
        """
        if initial is not _NONE or where is not True:
            result = reduction("min", self, axis, None, keepdims, initial, where, out)
            return write_out("min", result, out, casting="unsafe")
        result = reduce(self, "min", axis, keepdims)
        return result if out is None else write_out("min", result, out, casting="unsafe")

    @_core.QuickFunction
    def max(
        self,
        /,
        axis: _Axis = None,
        out: Array | None = None,
        keepdims: bool = False,
        initial: object = _NONE,
        where: object = True,
    ) -> Array:
        """Greatest element over axes; NaN where there is one.

        Parameters
        ----------
        axis : int or tuple of int, optional
            The axes to reduce; all by default.
        out : Array, optional
            Where the result goes. It has the result's shape; its dtype may be any, as NumPy's.
        keepdims : bool
            Whether the reduced axes stay, with size 1. False by default.
        initial : scalar, optional
            What the result starts with.
        where : array_like of bool
            The elements that take part, broadcast to the array's shape; all by default.

        Returns
        -------
        Array
            A new array without the reduced axes, or `out`.

        Raises
        ------
        ValueError
            Where there are no elements to reduce, and no `initial`.
        AxisError
            For an axis that the array does not have.

        Examples
        --------
        >>> import devarray as da
        >>> da.asarray([1, 3, 2]).max().item()
        3
        """
        if initial is not _NONE or where is not True:
            result = reduction("max", self, axis, None, keepdims, initial, where, out)
            return write_out("max", result, out, casting="unsafe")
        result = reduce(self, "max", axis, keepdims)
        return result if out is None else write_out("max", result, out, casting="unsafe")

    @_core.QuickFunction
    def any(
        self, /, axis: _Axis = None, out: Array | None = None, keepdims: bool = False, *, where: object = True
    ) -> Array:
        """Whether any element over axes is not zero.

        Parameters
        ----------
        axis : int or tuple of int, optional
            The axes to reduce; all by default.
        out : Array, optional
            Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).
        keepdims : bool
            Whether the reduced axes stay, with size 1. False by default.
        where : array_like of bool
            The elements that take part, broadcast to the array's shape; all by default.

        Returns
        -------
        Array
            bool; a new array without the reduced axes, or `out`.

        Raises
        ------
        AxisError
            For an axis that the array does not have.

        Examples
        --------
        >>> import devarray as da
        >>> da.asarray([0, 1]).any().item()
        True
        """
        if where is not True:
            return write_out("any", reduction("any", self, axis, None, keepdims, where=where), out)
        result = reduce(self, "any", axis, keepdims)
        return result if out is None else write_out("any", result, out)

    @_core.QuickFunction
    def all(
        self, /, axis: _Axis = None, out: Array | None = None, keepdims: bool = False, *, where: object = True
    ) -> Array:
        """Whether all elements over axes are not zero.

        Parameters
        ----------
        axis : int or tuple of int, optional
            The axes to reduce; all by default.
        out : Array, optional
            Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).
        keepdims : bool
            Whether the reduced axes stay, with size 1. False by default.
        where : array_like of bool
            The elements that take part, broadcast to the array's shape; all by default.

        Returns
        -------
        Array
            bool; a new array without the reduced axes, or `out`.

        Raises
        ------
        AxisError
            For an axis that the array does not have.

        Examples
        --------
        >>> import devarray as da
        >>> da.asarray([0, 1]).all().item()
        False
        """
        if where is not True:
            return write_out("all", reduction("all", self, axis, None, keepdims, where=where), out)
        result = reduce(self, "all", axis, keepdims)
        return result if out is None else write_out("all", result, out)

    @_core.QuickFunction
    def argmin(self, /, axis: int | None = None, out: Array | None = None, *, keepdims: bool = False) -> Array:
        """Index of the first least element along an axis, or into the flattened array.

        Parameters
        ----------
        axis : int, optional
            The axis to search along. By default the index is that into the flattened array.
        out : Array, optional
            Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).
        keepdims : bool
            Whether the axis stays, with size 1. False by default.

        Returns
        -------
        Array
            int64; a new array, or `out`.

        Raises
        ------
        ValueError
            Where there are no elements to search.
        AxisError
            For an axis that the array does not have.

        Examples
        --------
        >>> import devarray as da
        >>> da.asarray([2, 1, 3]).argmin().item()
        1
        """
        result = reduce(self, "argmin", axis, keepdims)
        return result if out is None else write_out("argmin", result, out, casting="back")

    @_core.QuickFunction
    def argmax(self, /, axis: int | None = None, out: Array | None = None, *, keepdims: bool = False) -> Array:
        """Index of the first greatest element along an axis, or into the flattened array.

        Parameters
        ----------
        axis : int, optional
            The axis to search along. By default the index is that into the flattened array.
        out : Array, optional
            Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).
        keepdims : bool
            Whether the axis stays, with size 1. False by default.

        Returns
        -------
        Array
            int64; a new array, or `out`.

        Raises
        ------
        ValueError
            Where there are no elements to search.
        AxisError
            For an axis that the array does not have.

        Examples
        --------
        >>> import devarray as da
        >>> da.asarray([1, 3, 2]).argmax().item()
        1
        """
        result = reduce(self, "argmax", axis, keepdims)
        return result if out is None else write_out("argmax", result, out, casting="back")


def _is_axis(axis: object, ndim: int) -> bool:
    """Whether it is one axis of as many, in the common form."""
    return type(axis) is int and -ndim <= axis < ndim


_OF_BOOLS = {"sum": "any", "prod": "all"}
_OF_VALUES = frozenset(["sum", "prod", "min", "max", "any", "all", "argmin", "argmax", "count_nonzero"])
"""Reductions that take axis 0 or -1 of an array without axes, as NumPy's ufuncs do."""


def reduce(
    x: Any,
    kind: str,
    axis: _Axis,
    keepdims: bool,
    dtype: _DType = None,
    post: tuple[tuple[str, float | None], ...] = (),
    *,
    consume: bool = False,
    only_read: bool = False,
) -> Any:
    """Reduce over axes, in one kernel with the expression that feeds it.

    `post` are element-wise operations on the reduced value: (op, second operand or None).

    The kernel writes the elements of a pending `x`, too, unless nobody will need them: the caller says so by
    `consume`, or it is a temporary of the user's by its reference count. The result is the same.

    A "deviation", the sum of the squared distances from the mean, is None where it is not computed in one pass.

    With `only_read` the caller promises that nobody writes to the result: it may be a view of an equal reduction's that
    has not been computed yet.
    """
    if dtype is None and isinstance(x, _core.ArrayBase) and (axis is None or _is_axis(axis, x.ndim)):
        return _core.reduce(x, kind, axis, keepdims, None, post, consume, only_read)
    if kind in ("argmin", "argmax") and isinstance(axis, tuple):
        raise DTypeError(f"{kind} takes one axis or None, not {axis!r}")
    try:
        if x.ndim == 0 and kind in _OF_VALUES and isinstance(axis, int | np.integer) and axis in (0, -1):
            axis = None
        axes = reduced_axes(axis, x.ndim)
    except AttributeError:
        if isinstance(x, tuple) and dtype is None and not post:  # such as x.shape: of the host, as is the result
            return getattr(np, kind)(x, axis=axis)
        raise DTypeError(f"{kind} takes a device array, not {type(x).__name__}; make one with asarray()") from None
    result = None if dtype is None else np.dtype(dtype)
    if result == np.bool_ and kind in _OF_BOOLS:  # bools add up and multiply as truths, as NumPy's do
        kind, result = _OF_BOOLS[kind], None
    if result is not None and result.kind in "iuf" and x.dtype.kind == "c":  # sum, prod and mean alone have a dtype
        x = x.astype(result)  # with NumPy's warning
    return _core.reduce(x, kind, axes, bool(keepdims), result, post, consume, only_read)
