"""What arrays of records have of NumPy's methods that move elements and compute nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from devarray._array.attributes import Flags
from devarray._array.methods import FUNCTIONS
from devarray._array.numpy_forms import require_file
from devarray._array.operations import normalize_axes, normalize_axis
from devarray._array.order import axes_as_they_lie, order_of
from devarray._primitives.opaque_dtypes import is_number
from devarray._runtime.arguments import few
from devarray.array import Array
from devarray.errors import DTypeError, ShapeError, ValueError

__all__ = ["OpaqueMoves"]


class OpaqueMoves:
    """Methods that move whole elements: they do with the array of bytes what NumPy does with the elements."""

    __slots__ = ()
    bytes: Array
    dtype: np.dtype[Any]

    @property
    def flags(self) -> Flags:
        """NumPy's flags, as a dict or by attributes, as :attr:`Array.flags` gives them.

        Examples
        --------
        >>> import devarray as da
        >>> x = da.OpaqueArray((2, 3), "V4")
        >>> x.flags.c_contiguous, x.T.flags.f_contiguous
        (True, True)
        """
        last = self.bytes.ndim - 1
        return Flags(self.bytes, self.bytes.transpose(last, *range(last)))

    def reshape(self: Any, *shape: Any, order: str | None = "C", copy: bool | None = None) -> Any:
        """The elements under another shape.

        Parameters
        ----------
        *shape : int or tuple of int
            Sizes of the new axes. One of them may be -1, which stands for what is left.
        order : {"C", "F", "A"}
            Which axis runs fastest as elements are read and placed: the last one (the default), the first one, or the
            first one where the array is dense in that order only.
        copy : bool, optional
            Whether the result is a copy; by default only where it must be.

        Returns
        -------
        OpaqueArray
            A view where the strides allow it, else a new array.

        Raises
        ------
        ShapeError
            Where the shape does not have as many elements, or where it needs a copy and `copy` is false.

        Examples
        --------
        >>> import devarray as da
        >>> da.OpaqueArray((2, 3), "V4").reshape(3, -1).shape
        (3, 2)
        """
        sizes = few("reshape", "shape", shape[0]) if len(shape) == 1 and not isinstance(shape[0], int) else shape
        known = math.prod(n for n in sizes if n != -1)
        sizes = [self.size // max(known, 1) if n == -1 else n for n in sizes]
        letter = order_of(order, "CFA", "reshape")
        if letter == "F" or (letter == "A" and self.flags.fnc):
            return self.T.reshape(sizes[::-1], copy=copy).T
        try:
            return self._of(self.bytes.reshape((*sizes, self.itemsize), copy=copy), self.dtype)
        except ShapeError as error:
            if not str(error).startswith("cannot reshape"):
                raise
            wanted = f"cannot reshape array of size {self.size} into shape {tuple(sizes)}"
            raise ShapeError(f"{wanted}: the array has shape {self.shape}") from None  # without the axis of bytes

    def ravel(self: Any, order: str | None = "C") -> Any:
        """The elements as one axis.

        Parameters
        ----------
        order : {"C", "F", "A", "K"}
            Which axis runs fastest, as in :meth:`reshape`, or as in memory.

        Returns
        -------
        OpaqueArray
            A view where the strides allow it, else a new array.

        Examples
        --------
        >>> import devarray as da
        >>> da.OpaqueArray((2, 3), "V4").ravel().shape
        (6,)
        """
        letter = order_of(order or "C", name="ravel")
        if letter == "K":
            return self.transpose(axes_as_they_lie(self.strides)).reshape(-1)
        return self.reshape(self.size, order=letter)

    def copy(self: Any, order: str = "C") -> Any:
        """The values in a new array.

        Parameters
        ----------
        order : {"C", "F", "A", "K"}
            NumPy's; the memory order is C.

        Returns
        -------
        OpaqueArray
            Of the same shape and dtype.

        Raises
        ------
        ValueError
            For another `order`.

        Examples
        --------
        >>> import devarray as da, numpy as np
        >>> x = da.to_device(np.array([(1, 2.5)], [("n", "i4"), ("x", "f4")]))
        >>> y = x.copy()
        >>> y["n"] = 7
        >>> x.tolist()
        [(1, 2.5)]
        """
        if order not in ("C", "F", "A", "K"):
            raise ValueError(f"copy: order must be one of 'C', 'F', 'A', or 'K' (got {order!r})")
        return self._of(self.bytes.copy(), self.dtype)

    def __copy__(self: Any) -> Any:
        made = self.copy("K")
        if self.is_element and not made.is_element:  # of dates the memory says it
            made.is_element = True
        return made

    @property
    def T(self) -> Any:
        """The axes in the other order; a view."""
        return self.transpose()

    def transpose(self: Any, *axes: Any) -> Any:
        """The axes in another order; a view.

        Parameters
        ----------
        *axes : int, or tuple of int
            Which axis comes where; reversed by default.

        Returns
        -------
        OpaqueArray
            A view.

        Examples
        --------
        >>> import devarray as da
        >>> da.OpaqueArray((2, 3), "V4").transpose().shape
        (3, 2)
        """
        given = axes[0] if len(axes) == 1 and not hasattr(axes[0], "__index__") else axes
        order = range(self.ndim)[::-1] if not axes or given is None else normalize_axes(given, self.ndim)
        return self._of(self.bytes.transpose(*order, self.ndim), self.dtype)

    def swapaxes(self: Any, axis1: int, axis2: int, /) -> Any:
        """Two axes swapped; a view.

        Parameters
        ----------
        axis1, axis2 : int
            The axes.

        Returns
        -------
        OpaqueArray
            A view.

        Examples
        --------
        >>> import devarray as da
        >>> da.OpaqueArray((2, 3), "V4").swapaxes(0, -1).shape
        (3, 2)
        """
        first, second = normalize_axis(axis1, self.ndim), normalize_axis(axis2, self.ndim)
        return self._of(self.bytes.swapaxes(first, second), self.dtype)

    def squeeze(self: Any, axis: int | Sequence[int] | None = None) -> Any:
        """The array without axes of size 1; a view.

        Parameters
        ----------
        axis : int or tuple of int, optional
            Which ones; all of them by default.

        Returns
        -------
        OpaqueArray
            A view.

        Examples
        --------
        >>> import devarray as da
        >>> da.OpaqueArray((1, 3), "V4").squeeze().shape
        (3,)
        """
        single = tuple(i for i, n in enumerate(self.shape) if n == 1)
        axes = single if axis is None else normalize_axes(axis, self.ndim)
        return self._of(self.bytes.squeeze(tuple(axes)) if axes else self.bytes, self.dtype)

    def flatten(self: Any, order: str = "C") -> Any:
        """The elements as one axis, in new memory.

        Parameters
        ----------
        order : {"C", "F", "A", "K"}
            Which axis runs fastest, as in :meth:`ravel`.

        Returns
        -------
        OpaqueArray
            A new array of one axis.

        Examples
        --------
        >>> import devarray as da
        >>> da.OpaqueArray((2, 3), "V4").flatten().shape
        (6,)
        """
        return self.ravel(order).copy()

    def take(self: Any, indices: object, axis: int | None = None, out: Any = None, mode: str = "raise") -> Any:
        """Elements at indices along an axis, or of the flattened array.

        Parameters
        ----------
        indices : array_like of int
            Negative ones count from the end.
        axis : int, optional
            The axis that they count along; the flattened array's by default.
        out : OpaqueArray, optional
            Of the indices' shape and the same dtype; of numbers any that NumPy casts to.
        mode : {"raise", "wrap", "clip"}
            What is done with indices outside.

        Returns
        -------
        OpaqueArray
            A new array of the indices' shape, in place of the axis; or `out`.

        Raises
        ------
        DTypeError
            For an `out` of another shape or dtype.

        Examples
        --------
        >>> import devarray as da
        >>> da.OpaqueArray(3, "V4").take([2, 0]).shape
        (2,)
        """
        source, place = self._along(axis)
        if out is not None and is_number(self.dtype):
            return self._numbers().take(indices, axis=axis, out=out, mode=mode)
        return self._into(out, source.bytes.take(indices, axis=place, mode=mode), "take")

    def _into(self: Any, out: Any, made: Array, name: str) -> Any:
        """What a method made, as an array of this dtype, or written to `out`."""
        result = self._of(made, self.dtype)
        if out is None:
            return result
        if not isinstance(out, type(self)) or (out.dtype, out.shape) != (result.dtype, result.shape):
            raise DTypeError(f"{name}: out= is an OpaqueArray of shape {result.shape} and dtype {result.dtype}")
        out[...] = result
        return out

    def _along(self: Any, axis: int | None) -> tuple[Any, int]:
        """What has an axis to go along, and which: all elements for None, one element for an array without axes."""
        if axis is None:
            return self.ravel(), 0
        source = self if self.ndim else self.ravel()
        return source, normalize_axis(axis, source.ndim)

    def repeat(self: Any, repeats: object, axis: int | None = None) -> Any:
        """The array with each element repeated.

        Parameters
        ----------
        repeats : int or array_like of int
            One count for all, or one for each element along the axis.
        axis : int, optional
            The flattened array by default.

        Returns
        -------
        OpaqueArray
            A new array.

        Examples
        --------
        >>> import devarray as da
        >>> da.OpaqueArray(3, "V4").repeat(2).shape
        (6,)
        """
        source, place = self._along(axis)
        return self._of(source.bytes.repeat(repeats, axis=place), self.dtype)

    def compress(self: Any, condition: Any, axis: int | None = None, out: Any = None) -> Any:
        """The slices along an axis for which a condition holds. Waits for their number.

        Parameters
        ----------
        condition : array_like
            One-dimensional.
        axis : int, optional
            The axis to select along; the flattened array by default.
        out : OpaqueArray, optional
            Where the result goes.

        Returns
        -------
        OpaqueArray
            A new array, or `out`.

        Examples
        --------
        >>> import devarray as da
        >>> da.OpaqueArray(2, "V4").compress([True]).shape
        (1,)
        """
        source, place = self._along(axis)
        return self._into(out, source.bytes.compress(condition, axis=place), "compress")

    def diagonal(self: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
        """A diagonal of two axes, as a view.

        Parameters
        ----------
        offset, axis1, axis2 : int
            How far above the main diagonal; the two axes.

        Returns
        -------
        OpaqueArray
            The diagonal, as the last axis.
        """
        axis1, axis2 = normalize_axes((axis1, axis2), self.ndim)
        return self._of(self.bytes.diagonal(offset, axis1, axis2).swapaxes(-1, -2), self.dtype)

    def sort(self: Any, axis: int = -1, kind: str | None = None, order: Any = None) -> None:
        """Sort the records along an axis in place, by their fields.

        Parameters
        ----------
        axis : int
            The axis, the last one by default.
        kind : str, optional
            NumPy's; the sort is stable.
        order : str or sequence of str, optional
            The fields that count first.

        Examples
        --------
        >>> import devarray as da, numpy as np
        >>> x = da.to_device(np.array([(2, 0.5), (1, 2.5)], [("n", "i4"), ("x", "f4")]))
        >>> x.sort(order="n")
        >>> x["n"].tolist()
        [1, 2]
        """
        self[...] = FUNCTIONS["sort"](self._sortable(), axis, kind=kind, order=order)

    def argsort(self: Any, axis: int = -1, kind: str | None = None, order: Any = None) -> Array:
        """The indices that :meth:`sort` the records.

        Parameters
        ----------
        axis : int
            The axis, the last one by default.
        kind : str, optional
            NumPy's; the sort is stable.
        order : str or sequence of str, optional
            The fields that count first.

        Returns
        -------
        Array
            Of int64.

        Examples
        --------
        >>> import devarray as da, numpy as np
        >>> da.to_device(np.array([(2, 0.5), (1, 2.5)], [("n", "i4"), ("x", "f4")])).argsort().tolist()
        [1, 0]
        """
        found: Array = FUNCTIONS["argsort"](self._sortable(), axis, kind=kind, order=order)
        return found

    def partition(self: Any, kth: Any, axis: int = -1, kind: str = "introselect", order: Any = None) -> None:
        """Sort the records along an axis in place, by their fields: more than NumPy's method promises.

        Parameters
        ----------
        kth : int or sequence of int
            Places along the axis.
        axis : int
            The axis, the last one by default.
        kind : {"introselect"}
            NumPy's algorithm, which is not used.
        order : str or sequence of str, optional
            The fields that count first.

        Examples
        --------
        >>> import devarray as da, numpy as np
        >>> x = da.to_device(np.array([(2, 0.5), (1, 2.5)], [("n", "i4"), ("x", "f4")]))
        >>> x.partition(0, order="n")
        >>> x[0]["n"].item()
        1
        """
        self[...] = FUNCTIONS["partition"](self._sortable(), kth, axis, kind, order)

    def _sortable(self: Any) -> Any:
        return self._numbers() if is_number(self.dtype) else self

    def fill(self: Any, value: object) -> Any:  # PyOpenCL's arrays give themselves
        """Write one value to all elements.

        Parameters
        ----------
        value : object
            What NumPy makes an element of: a tuple, say.

        Examples
        --------
        >>> import devarray as da
        >>> x = da.OpaqueArray(2, [("n", "i4"), ("x", "f4")])
        >>> x.fill((1, 2.5))
        >>> x.tolist()
        [(1, 2.5), (1, 2.5)]
        """
        self[...] = value

    def tobytes(self: Any, order: str = "C") -> Any:
        """The bytes of all elements. Waits for the device.

        Parameters
        ----------
        order : {"C", "F", "A"}
            Of the elements: C order by default.

        Returns
        -------
        bytes
            On the host.

        Examples
        --------
        >>> import devarray as da, numpy as np
        >>> da.to_device(np.array([(1, 2)], [("n", "u1"), ("x", "u1")])).tobytes()
        b'\\x01\\x02'
        """
        return self.copy_to_host().tobytes(order)

    def tofile(self: Any, fid: Any, /, sep: str = "", format: str = "%s") -> None:
        """Write the values to a file, as :meth:`numpy.ndarray.tofile`. Waits for the device.

        Parameters
        ----------
        fid : file or str or path
            Where to.
        sep : str
            Between the values of a text; "" (the default) writes bytes.
        format : str
            Of a value in a text.

        Examples
        --------
        >>> import devarray as da, os, tempfile
        >>> with tempfile.NamedTemporaryFile() as file:
        ...     da.OpaqueArray(3, "V4").tofile(file.name)
        ...     os.path.getsize(file.name)
        12
        """
        require_file("tofile", "fid", fid)
        self.copy_to_host().tofile(fid, sep, format)
