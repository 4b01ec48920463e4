"""What arrays of records have of NumPy's methods that move elements and compute nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from devarray._array.methods import FUNCTIONS
from devarray._array.operations import normalize_axes
from devarray._primitives.opaque_dtypes import is_number
from devarray.array import Array

__all__ = ["OpaqueMoves"]


class OpaqueMoves:
    """Methods that move whole elements: they do with the array of bytes what NumPy does with the elements."""

    __slots__ = ()
    bytes: Array
    dtype: np.dtype[Any]

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

        Returns
        -------
        OpaqueArray

        Examples
        --------
        >>> import devarray as da
        >>> da.OpaqueArray((2, 3), "V4").swapaxes(0, -1).shape
        (3, 2)
        """
        first, second = normalize_axes((axis1, axis2), self.ndim)
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
        order : {"C", "F"}
            Which axis is the fastest: the last one (the default), or the first one.

        Returns
        -------
        OpaqueArray

        Examples
        --------
        >>> import devarray as da
        >>> da.OpaqueArray((2, 3), "V4").flatten().shape
        (6,)
        """
        return (self.T if order == "F" else self).copy().ravel()

    def take(self: Any, indices: object, /, axis: int | None = None, out: None = None, mode: str = "raise") -> Any:
        """Elements at indices along an axis, or of the flattened array.

        Parameters
        ----------
        indices : array_like of int
        axis : int, optional
        out : None
            Not for records: assign the result.
        mode : {"raise", "wrap", "clip"}
            What is done with indices outside.

        Returns
        -------
        OpaqueArray

        Examples
        --------
        >>> import devarray as da
        >>> da.OpaqueArray(3, "V4").take([2, 0]).shape
        (2,)
        """
        source = self.ravel() if axis is None else self
        place = 0 if axis is None else normalize_axes(axis, self.ndim)[0]
        return self._of(source.bytes.take(indices, axis=place, out=out, mode=mode), self.dtype)

    def repeat(self: Any, repeats: object, /, axis: int | None = None) -> Any:
        """The array with each element repeated.

        Parameters
        ----------
        repeats : int or array_like of int
        axis : int, optional
            The flattened array by default.

        Returns
        -------
        OpaqueArray

        Examples
        --------
        >>> import devarray as da
        >>> da.OpaqueArray(3, "V4").repeat(2).shape
        (6,)
        """
        source = self.ravel() if axis is None else self
        place = 0 if axis is None else normalize_axes(axis, self.ndim)[0]
        return self._of(source.bytes.repeat(repeats, axis=place), self.dtype)

    def sort(self: Any, axis: int = -1, kind: str | None = None, order: Any = None) -> None:
        """Sort the records of one axis in place, by their fields.

        Parameters
        ----------
        axis : int
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
        kind : str, optional
            NumPy's; the sort is stable.
        order : str or sequence of str, optional
            The fields that count first.

        Returns
        -------
        Array

        Examples
        --------
        >>> import devarray as da, numpy as np
        >>> da.to_device(np.array([(2, 0.5), (1, 2.5)], [("n", "i4"), ("x", "f4")])).argsort().tolist()
        [1, 0]
        """
        found: Array = FUNCTIONS["argsort"](self._sortable(), axis, kind=kind, order=order)
        return found

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

        Returns
        -------
        bytes

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
        self.copy_to_host().tofile(fid, sep, format)
