"""Methods of arrays that are functions of a chapter, by NumPy's names; the chapter is imported when one is called."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from devarray import _core
from devarray._array.order import is_fortran

if TYPE_CHECKING:
    from devarray._core import Array
    from devarray._typing import ArrayLike, DTypeLike

__all__ = ["FUNCTIONS", "RoutineMethods"]

FUNCTIONS: dict[str, Callable[..., Any]] = {}
"""The chapters' functions by name; devarray itself fills it."""


class RoutineMethods(_core.ArrayBase):
    """Methods that do what the function of the same name does. Those that return None write to the array."""

    __slots__ = ()

    def choose(self, /, *choices: object, out: Array | None = None, mode: str = "raise") -> Array:
        """Elements of several arrays, selected by the number in this array at each place.

        Parameters
        ----------
        *choices : array_like, or one sequence of them
            All broadcast with the array.
        out : Array, optional
            Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).
        mode : {"raise", "wrap", "clip"}
            What happens to other numbers, as in :func:`devarray.choose`. "raise" by default.

        Returns
        -------
        Array
            A new array of the dtype that the choices promote to, or `out`.

        Raises
        ------
        ValueError
            Where there are no choices, and for another `mode`.
        DTypeError
            Where the array is not of integers.

        Examples
        --------
        >>> import devarray as da
        >>> da.asarray([0, 1, 0]).choose([da.asarray([1, 2, 3]), -1]).copy_to_host()
        array([ 1, -1,  3])
        """
        return FUNCTIONS["choose"](self, choices[0] if len(choices) == 1 else choices, out, mode)

    def compress(self, /, condition: ArrayLike, axis: int | None = None, out: Array | None = None) -> Array:
        """The slices along an axis for which a condition holds. Waits for their number.

        Parameters
        ----------
        condition : array_like
            One-dimensional: at most as long as the axis, or false behind its end.
        axis : int, optional
            The axis to select along. By default the array is flattened.
        out : Array, optional
            Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).

        Returns
        -------
        Array
            A new array, or `out`.

        Raises
        ------
        IndexError
            Where the condition holds behind the end of the axis.
        ShapeError
            Where the condition has another number of dimensions than one.

        Examples
        --------
        >>> import devarray as da
        >>> da.asarray([1, 2, 3]).compress([True, False, True]).copy_to_host()
        array([1, 3])
        """
        return FUNCTIONS["compress"](condition, self, axis, out)

    def cumprod(self, /, axis: int | None = None, dtype: DTypeLike | None = None, out: Array | None = None) -> Array:
        """Cumulative products along an axis, or of the flattened array.

        Parameters
        ----------
        axis : int, optional
            The axis. By default the array is flattened.
        dtype : dtype, optional
            Of the result; elements are cast to it first. By default 64 bits for integers, else that of the array.
        out : Array, optional
            Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).

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
        >>> da.asarray([2, 3, 4]).cumprod().copy_to_host()
        array([ 2,  6, 24])
        """
        return FUNCTIONS["cumprod"](self, axis, dtype, out=out)

    def cumsum(self, /, axis: int | None = None, dtype: DTypeLike | None = None, out: Array | None = None) -> Array:
        """Cumulative sums along an axis, or of the flattened array.

        Parameters
        ----------
        axis : int, optional
            The axis. By default the array is flattened.
        dtype : dtype, optional
            Of the result; elements are cast to it first. By default 64 bits for integers, else that of the array.
        out : Array, optional
            Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).

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
        >>> da.asarray([2, 3, 4]).cumsum().copy_to_host()
        array([2, 5, 9])
        """
        return FUNCTIONS["cumsum"](self, axis, dtype, out=out)

    def diagonal(self, /, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
        """Diagonals of the matrices that two axes make, as a last axis.

        Parameters
        ----------
        offset : int
            Which diagonal: 0 is the main one (the default), positive ones are above it.
        axis1, axis2 : int
            The axes of the matrices: rows and columns. The first two by default.

        Returns
        -------
        Array
            A read-only view.

        Raises
        ------
        ShapeError
            Where the array has fewer than two dimensions, or the axes are the same.
        AxisError
            For an axis that the array does not have.

        Examples
        --------
        >>> import devarray as da
        >>> da.asarray([[1, 2], [3, 4]]).diagonal().copy_to_host()
        array([1, 4])
        """
        return FUNCTIONS["diagonal"](self, offset, axis1, axis2)

    def nonzero(self, /) -> tuple[Array, ...]:
        """Indices of the elements that are not zero, in C order. Waits for their number.

        Returns
        -------
        tuple of Array
            int64, one for each axis.

        Raises
        ------
        ShapeError
            Where the array has no axis.

        Examples
        --------
        >>> import devarray as da
        >>> da.asarray([0, 5, 7]).nonzero()[0].copy_to_host()
        array([1, 2])
        """
        return FUNCTIONS["nonzero"](self)

    def put(self, /, indices: object, values: ArrayLike, mode: str = "raise") -> None:
        """Write values at indices into the flattened array, in place.

        Parameters
        ----------
        indices : array_like of int
            Of several values for one element, one stays.
        values : array_like
            Cast to the dtype; repeated, or cut off, to as many as there are indices.
        mode : {"raise", "wrap", "clip"}
            What happens to indices outside, as in :func:`devarray.put`. "raise" by default.

        Raises
        ------
        IndexError
            For host indices outside the array.
        DTypeError
            For indices that are not integers.

        Examples
        --------
        >>> import devarray as da
        >>> x = da.zeros(3)
        >>> x.put([0, 2], [5, 6])
        >>> x.copy_to_host()
        array([5., 0., 6.])
        """
        FUNCTIONS["put"](self, indices, values, mode)

    def repeat(self, /, repeats: object, axis: int | None = None) -> Array:
        """The array with each element repeated.

        Parameters
        ----------
        repeats : int or array_like of int
            One count for all, or one for each element along the axis (read from the device where it is there, which
            waits).
        axis : int, optional
            The axis to repeat along. By default the flattened array is repeated.

        Returns
        -------
        Array
            A new array.

        Raises
        ------
        ShapeError
            Where there is not one count for each element along the axis.
        ValueError
            For a negative count.

        Examples
        --------
        >>> import devarray as da
        >>> da.asarray([1, 2]).repeat(2).copy_to_host()
        array([1, 1, 2, 2])
        """
        return FUNCTIONS["repeat"](self, repeats, axis)

    def take(self, /, indices: object, axis: int | None = None, out: Array | None = None, mode: str = "raise") -> Array:
        """Elements at indices along an axis, or of the flattened array.

        Parameters
        ----------
        indices : array_like of int
            Negative ones count from the end. Those outside raise IndexError: of the host at the call, of the device at
            the next point where the host waits for it.
        axis : int, optional
            The axis to take along. By default the array is flattened.
        out : Array, optional
            Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).
        mode : {"raise", "wrap", "clip"}
            What happens to indices outside, as in :func:`devarray.take`. "raise" by default.

        Returns
        -------
        Array
            A new array with the axes of `indices` in place of the axis, or `out`.

        Raises
        ------
        DTypeError
            For indices that are not integers.
        AxisError
            For an axis that the array does not have.

        Examples
        --------
        >>> import devarray as da
        >>> da.asarray([10, 20, 30]).take([2, 0]).copy_to_host()
        array([30, 10])
        """
        return FUNCTIONS["take"](self, indices, axis, out, mode)

    def tobytes(self: Any, /, order: str = "C") -> bytes:
        r"""The bytes of the values. Waits for the device.

        Parameters
        ----------
        order : {"C", "F", "A"}
            Which axis runs fastest: the last one (the default), the first one, or the first one where the copy on the
            host is dense in that order only.

        Returns
        -------
        bytes
            On the host.

        Examples
        --------
        >>> import devarray as da
        >>> da.asarray([1, 2], dtype=da.uint8).tobytes()
        b'\x01\x02'
        """
        if order == "A":  # the copy on the host is in C order
            order = "F" if is_fortran(self, order) else "C"
        return self.copy_to_host().tobytes(order)

    def trace(
        self: Any,
        /,
        offset: int = 0,
        axis1: int = 0,
        axis2: int = 1,
        dtype: DTypeLike | None = None,
        out: Array | None = None,
    ) -> Array:
        """Sums along the diagonals of the matrices that two axes make.

        Parameters
        ----------
        offset : int
            Which diagonal: 0 is the main one (the default), positive ones are above it.
        axis1, axis2 : int
            The axes of the matrices: rows and columns. The first two by default.
        dtype : dtype, optional
            To add in, and of the result. 64 bits for integers by default.
        out : Array, optional
            Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).

        Returns
        -------
        Array
            A new array, or `out`.

        Raises
        ------
        ShapeError
            Where the array has fewer than two dimensions, or the axes are the same.

        Examples
        --------
        >>> import devarray as da
        >>> da.asarray([[1, 2], [3, 4]]).trace().item()
        5
        """
        return self.diagonal(offset, axis1, axis2).sum(-1, dtype, out=out)

    def _matmul(self, other: Array) -> Array:
        """What the operator ``@`` does."""
        return FUNCTIONS["matmul"](self, other)
