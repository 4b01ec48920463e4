"""Reductions as methods of arrays, with NumPy's parameters in NumPy's order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from devarray import _core
from devarray._array.masked import masked_mean, masked_variance, reduction
from devarray._array.operations import OP, normalize_axes
from devarray._array.out import summed_in, write_out
from devarray.errors import DTypeError, ShapeError, ValueError

if TYPE_CHECKING:
    from devarray._core import Array

__all__ = ["ReductionMethods", "reduce"]

_Axis = int | tuple[int, ...] | None
_DType = Any
_NONE = np._NoValue


class ReductionMethods(_core.ArrayBase):
    """Methods that reduce: sums, products, extremes, means and deviations.

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
        """Sum of the elements over axes. Integers add up in 64 bits.

        Parameters
        ----------
        axis : int or tuple of int, optional
            The axes to reduce; all by default.
        dtype : dtype, optional
            To reduce in, and of the result. Integers are reduced in 64 bits by default; floats in their own dtype.
        out : Array, optional
            Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).
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
            return write_out("sum", reduction("sum", self, axis, dtype, keepdims, initial, where), out)
        result = reduce(self, "sum", axis, keepdims, dtype)
        return result if out is None else write_out("sum", result, out)

    def prod(
        self,
        axis: _Axis = None,
        dtype: _DType = None,
        out: Array | None = None,
        keepdims: bool = False,
        initial: Any = _NONE,
        where: Any = True,
    ) -> Array:
        """Product of the elements over axes. Integers multiply in 64 bits.

        Parameters
        ----------
        axis : int or tuple of int, optional
            The axes to reduce; all by default.
        dtype : dtype, optional
            To reduce in, and of the result. Integers are reduced in 64 bits by default; floats in their own dtype.
        out : Array, optional
            Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).
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
            return write_out("prod", reduction("prod", self, axis, dtype, keepdims, initial, where), out)
        result = reduce(self, "prod", axis, keepdims, dtype)
        return result if out is None else write_out("prod", result, out)

    def min(
        self,
        axis: _Axis = None,
        out: Array | None = None,
        keepdims: bool = False,
        initial: Any = _NONE,
        where: Any = True,
    ) -> Array:
        """Least element over axes; NaN where there is one.

        Parameters
        ----------
        axis : int or tuple of int, optional
            The axes to reduce; all by default.
        out : Array, optional
            Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).
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
            return write_out("min", reduction("min", self, axis, None, keepdims, initial, where), out)
        result = reduce(self, "min", axis, keepdims)
        return result if out is None else write_out("min", result, out)

    def max(
        self,
        axis: _Axis = None,
        out: Array | None = None,
        keepdims: bool = False,
        initial: Any = _NONE,
        where: Any = True,
    ) -> Array:
        """Greatest element over axes; NaN where there is one.

        Parameters
        ----------
        axis : int or tuple of int, optional
            The axes to reduce; all by default.
        out : Array, optional
            Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).
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
            return write_out("max", reduction("max", self, axis, None, keepdims, initial, where), out)
        result = reduce(self, "max", axis, keepdims)
        return result if out is None else write_out("max", result, out)

    def any(self, axis: _Axis = None, out: Array | None = None, keepdims: bool = False, *, where: Any = True) -> Array:
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

    def all(self, axis: _Axis = None, out: Array | None = None, keepdims: bool = False, *, where: Any = True) -> Array:
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

    def argmin(self, axis: int | None = None, out: Array | None = None, *, keepdims: bool = False) -> Array:
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
        return result if out is None else write_out("argmin", result, out)

    def argmax(self, axis: int | None = None, out: Array | None = None, *, keepdims: bool = False) -> Array:
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
        return result if out is None else write_out("argmax", result, out)

    def mean(
        self,
        axis: _Axis = None,
        dtype: _DType = None,
        out: Array | None = None,
        keepdims: bool = False,
        where: Any = True,
    ) -> Array:
        """Arithmetic mean of the elements over axes.

        Parameters
        ----------
        axis : int or tuple of int, optional
            The axes to reduce; all by default.
        dtype : dtype, optional
            To compute in. float64 by default for integers, else that of the array.
        out : Array, optional
            Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).
        keepdims : bool
            Whether the reduced axes stay, with size 1. False by default.
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
        >>> da.asarray([1.0, 2.0]).mean().item()
        1.5
        """
        if where is not True:
            return write_out("mean", masked_mean(self, axis, dtype, keepdims, where), out)
        count = _reduced_count(self, axis)
        target = (
            np.dtype(dtype) if dtype is not None else np.dtype(np.float64) if self.dtype.kind in "biu" else self.dtype
        )
        if target.kind in "biu":  # as asked for: sums of that dtype, divided in float64
            total = reduce(self, "sum", axis, keepdims, target)
            return write_out("mean", (total / float(count)).astype(target), out)
        return write_out("mean", reduce(self, "sum", axis, keepdims, target, post=(("divide", float(count)),)), out)

    def var(
        self,
        axis: _Axis = None,
        dtype: _DType = None,
        out: Array | None = None,
        ddof: float = 0,
        keepdims: bool = False,
        *,
        where: Any = True,
        mean: Any = None,
        correction: float | None = None,
    ) -> Array:
        """Variance over axes: the squared deviations from the mean, divided by the number of elements less `ddof`.

        Parameters
        ----------
        axis : int or tuple of int, optional
            The axes to reduce; all by default.
        dtype : dtype, optional
            To compute in. float64 by default for integers, else that of the array.
        out : Array, optional
            Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).
        ddof : float
            Subtracted from the number of elements that the sum is divided by. 0 by default.
        keepdims : bool
            Whether the reduced axes stay, with size 1. False by default.
        where : array_like of bool
            The elements that take part, broadcast to the array's shape; all by default.
        mean : array_like, optional
            The mean, with the reduced axes kept, where the caller has it already.
        correction : float, optional
            The Array API standard's name of `ddof`.

        Returns
        -------
        Array
            A new array of a real dtype without the reduced axes, or `out`.

        Raises
        ------
        AxisError
            For an axis that the array does not have.

        Examples
        --------
        >>> import devarray as da
        >>> da.asarray([1.0, 3.0]).var().item()
        1.0
        """
        less = _freedom("var", ddof, correction)
        if where is not True or mean is not None:
            return write_out("var", masked_variance(self, axis, dtype, less, keepdims, where, mean), out)
        return write_out("var", self._deviation(axis, dtype, less, keepdims, ()), out)

    def std(
        self,
        axis: _Axis = None,
        dtype: _DType = None,
        out: Array | None = None,
        ddof: float = 0,
        keepdims: bool = False,
        *,
        where: Any = True,
        mean: Any = None,
        correction: float | None = None,
    ) -> Array:
        """Standard deviation over axes: the square root of :meth:`var`.

        Parameters
        ----------
        axis : int or tuple of int, optional
            The axes to reduce; all by default.
        dtype : dtype, optional
            To compute in. float64 by default for integers, else that of the array.
        out : Array, optional
            Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).
        ddof : float
            Subtracted from the number of elements that the sum is divided by. 0 by default.
        keepdims : bool
            Whether the reduced axes stay, with size 1. False by default.
        where : array_like of bool
            The elements that take part, broadcast to the array's shape; all by default.
        mean : array_like, optional
            The mean, with the reduced axes kept, where the caller has it already.
        correction : float, optional
            The Array API standard's name of `ddof`.

        Returns
        -------
        Array
            A new array of a real dtype without the reduced axes, or `out`.

        Raises
        ------
        AxisError
            For an axis that the array does not have.

        Examples
        --------
        >>> import devarray as da
        >>> da.asarray([1.0, 3.0]).std().item()
        1.0
        """
        less = _freedom("std", ddof, correction)
        if where is not True or mean is not None:
            variance = masked_variance(self, axis, dtype, less, keepdims, where, mean)
            return write_out("std", _core.apply(OP["sqrt"], variance), out)
        return write_out("std", self._deviation(axis, dtype, less, keepdims, (("sqrt", None),)), out)

    def _deviation(self, axis: _Axis, dtype: _DType, ddof: float, keepdims: bool, post: tuple[Any, ...]) -> Array:
        x: Any = self
        if dtype is not None:
            if x.dtype.kind == "c" and np.dtype(dtype).kind != "c":
                raise DTypeError(f"var of {x.dtype} in {np.dtype(dtype)} would drop imaginary parts; take real() first")
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


def _freedom(name: str, ddof: float, correction: float | None) -> float:
    """What is subtracted from the number of elements."""
    if correction is None:
        return ddof
    if ddof:
        raise ValueError(
            f"{name}: ddof and correction can't be provided simultaneously. They are one parameter under two names"
        )
    return correction


_OF_BOOLS = {"sum": "any", "prod": "all"}


def reduce(
    x: Any,
    kind: str,
    axis: _Axis,
    keepdims: bool,
    dtype: _DType = None,
    post: tuple[tuple[str, float | None], ...] = (),
) -> Any:
    """Reduce over axes, in one kernel with the expression that feeds it.

    A pending `x` that only the caller's temporary holds, by its reference count, stays pending; of another one the
    kernel writes the elements, too. The result is the same.

    `post` are element-wise operations on the reduced value: (op, second operand or None).
    """
    if axis is None and dtype is None and isinstance(x, _core.ArrayBase):
        return _core.reduce(x, kind, None, bool(keepdims), None, post)
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
    return _core.reduce(x, kind, axes, bool(keepdims), result, post)


def _reduced_count(x: Any, axis: _Axis) -> int:
    axes = range(x.ndim) if axis is None else normalize_axes(axis, x.ndim)
    count = 1
    for a in axes:
        count *= x.shape[a]
    return count
