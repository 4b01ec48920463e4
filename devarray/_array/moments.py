"""Mean, variance and standard deviation of arrays, by NumPy's names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from devarray import _core
from devarray._array.masked import masked_mean, masked_variance, whole_variance
from devarray._array.operations import OP, reduced_axes
from devarray._array.out import checked_cast, write_out
from devarray._array.reductions import reduce
from devarray._runtime.lines import warn_there
from devarray.errors import DTypeError, ValueError

if TYPE_CHECKING:
    from devarray._core import Array

__all__ = ["MomentMethods", "freedom", "warn_of_few"]


_Axis = int | tuple[int, ...] | None
_DType = Any


def freedom(name: str, ddof: float, correction: float | None) -> float:
    """What is subtracted from the number of elements: Python's, since one of int8 takes no greater number beside it."""
    if correction is None:
        return ddof.item() if isinstance(ddof, np.generic) else ddof
    if ddof:
        raise ValueError(
            f"{name}: ddof and correction can't be provided simultaneously. They are one parameter under two names"
        )
    return correction.item() if isinstance(correction, np.generic) else correction


def _reduced_count(x: Any, axis: _Axis) -> int:
    axes = reduced_axes(axis, x.ndim)
    count = 1
    for a in axes:
        count *= x.shape[a]
    return count


def _widens(dtype: np.dtype, other: np.dtype) -> bool:
    """Whether fractions of another dtype hold more: sums are of the dtype of `out` then, as NumPy's."""
    return dtype.kind in "fc" and other.kind in "fc" and dtype != other and np.can_cast(dtype, other)


def warn_of_few(x: Any, axis: _Axis, where: object, less: float, text: str) -> None:
    """NumPy's warning of reductions of `less` elements or fewer, where shapes say so, at the line of the program."""
    if where is not True or _reduced_count(x, axis) > less:
        return
    kept = set(range(x.ndim)) - set(reduced_axes(axis, x.ndim))
    if 0 in (x.shape[a] for a in kept):
        return
    warn_there(text, RuntimeWarning)


def _division(x: Any, axis: _Axis, dtype: _DType, ddof: float) -> tuple[tuple[str, float], ...]:
    """What makes a variance of squared distances that are added up."""
    if dtype is not None and x.dtype.kind == "c" and np.dtype(dtype).kind != "c":
        raise DTypeError(f"var of {x.dtype} in {np.dtype(dtype)} would drop imaginary parts; take real() first")
    count = max(_reduced_count(x, axis) - ddof, 0)
    if not count:
        warn_of_few(x, axis, True, ddof, "Degrees of freedom <= 0 for slice")
    return (("divide", float(count)),)


class MomentMethods(_core.ArrayBase):
    """Methods that reduce an array to moments of its elements."""

    __slots__ = ()

    def mean(
        self,
        /,
        axis: _Axis = None,
        dtype: _DType = None,
        out: Array | None = None,
        keepdims: bool = False,
        where: object = True,
    ) -> Array:
        """Arithmetic mean of the elements over axes.

        Parameters
        ----------
        axis : int or tuple of int, optional
            The axes to reduce; all by default.
        dtype : dtype, optional
            To compute in. float64 by default for integers, else that of the array.
        out : Array, optional
            Where the result goes. It has the result's shape; its dtype may be any, as NumPy's.
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
        if not self.size:
            warn_of_few(self, axis, where, 0, "Mean of empty slice")
        if dtype is None and isinstance(out, _core.ArrayBase) and _widens(self.dtype, out.dtype):
            dtype = out.dtype
        if where is True and dtype is None:
            result = reduce(self, "mean", axis, keepdims)
            return result if out is None else write_out("mean", result, out, casting="unsafe")
        if where is not True:
            return write_out("mean", masked_mean(self, axis, dtype, keepdims, where), out, casting="unsafe")
        count = _reduced_count(self, axis)
        target = (
            np.dtype(dtype) if dtype is not None else np.dtype(np.float64) if self.dtype.kind in "biu" else self.dtype
        )
        if target.kind in "biu":  # as asked for: sums of that dtype, divided in float64
            total = reduce(self, "sum", axis, keepdims, target)
            return write_out("mean", (total / float(count)).astype(target), out, casting="unsafe")
        return write_out(
            "mean", reduce(self, "sum", axis, keepdims, target, post=(("divide", float(count)),)), out, casting="unsafe"
        )

    def var(
        self,
        /,
        axis: _Axis = None,
        dtype: _DType = None,
        out: Array | None = None,
        ddof: float = 0,
        keepdims: bool = False,
        *,
        where: object = True,
        mean: object = None,
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
            Where the result goes. It has the result's shape; its dtype may be any, as NumPy's.
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
        less = freedom("var", ddof, correction)
        if dtype is not None and np.dtype(dtype).kind in "biu" and self.dtype.kind != "c":
            value = whole_variance(self, axis, np.dtype(dtype), less, keepdims, where, mean)
            return write_out("var", value, out, casting="unsafe")
        if where is not True or mean is not None:
            return write_out(
                "var", masked_variance(self, axis, dtype, less, keepdims, where, mean), out, casting="unsafe"
            )
        post = _division(self, axis, dtype, less)
        value = reduce(self, "deviation", axis, keepdims, dtype, post)
        return write_out(
            "var", self._by_parts(axis, dtype, keepdims, post) if value is None else value, out, casting="unsafe"
        )

    def std(
        self,
        /,
        axis: _Axis = None,
        dtype: _DType = None,
        out: Array | None = None,
        ddof: float = 0,
        keepdims: bool = False,
        *,
        where: object = True,
        mean: object = None,
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
        less = freedom("std", ddof, correction)
        if dtype is not None and np.dtype(dtype).kind in "biu" and self.dtype.kind != "c":
            value = whole_variance(self, axis, np.dtype(dtype), less, keepdims, where, mean)
            root = _core.apply(OP["sqrt"], value)
            casting = "same_kind" if root.ndim else "unsafe"  # NumPy's rule for arrays, and for its scalars
            return write_out("std", checked_cast("std", root, value.dtype, casting), out)
        if where is not True or mean is not None:
            variance = masked_variance(self, axis, dtype, less, keepdims, where, mean)
            return write_out("std", _core.apply(OP["sqrt"], variance), out)
        post = (*_division(self, axis, dtype, less), ("sqrt", None))
        value = reduce(self, "deviation", axis, keepdims, dtype, post)
        return write_out("std", self._by_parts(axis, dtype, keepdims, post) if value is None else value, out)

    def _by_parts(self, axis: _Axis, dtype: _DType, keepdims: bool, post: tuple[Any, ...]) -> Array:
        """The reduction "deviation" as the mean, and then the distances from it."""
        x: Any = self
        if dtype is not None:
            x = x.astype(dtype, copy=False)
        if x.dtype.kind in "biu":
            x = x.astype(np.float64)
        distance = x - reduce(x, "mean", axis, True, only_read=True)
        if x.dtype.kind == "c":
            squares = _core.apply(OP["real"], distance * distance.conj())
        else:
            squares = _core.apply(OP["square"], distance)
        del distance  # dead inside the reduction's kernel, so nothing of it is stored
        made = reduce(squares, "sum", axis, keepdims, None, post, consume=True)
        return made if dtype is None or np.dtype(dtype).kind != "c" else made.astype(dtype)
