"""Methods of arrays that sort and search, by NumPy's names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from devarray import _core
from devarray._array.methods import FUNCTIONS
from devarray._array.operations import normalize_axis

if TYPE_CHECKING:
    from devarray._core import Array
    from devarray._typing import ArrayLike

__all__ = ["SortingMethods"]

_FEW = 256
"""Elements that NumPy's stable sort puts in order in less time than a copy takes."""


class SortingMethods(_core.ArrayBase):
    """Methods that do what the function of the same name does. Those that return None write to the array."""

    __slots__ = ()

    def argpartition(
        self, /, kth: int | Sequence[int], axis: int | None = -1, kind: str = "introselect", order: str | None = None
    ) -> Array:
        """The indices that :meth:`partition` the array: those that sort it.

        Parameters
        ----------
        kth : int or sequence of int
            From -n to n - 1 for n elements along the axis.
        axis : int, optional
            The axis, the last one by default. None: the flattened array.
        kind : {"introselect"}
            NumPy's algorithm, which is not used.
        order : None
            NumPy's names of fields, which arrays do not have.

        Returns
        -------
        Array
            int64.

        Raises
        ------
        ValueError
            For a `kth` outside the axis.
        AxisError
            For an axis that the array does not have.

        Examples
        --------
        >>> import devarray as da
        >>> da.asarray([3, 1, 2]).argpartition(1)[1].item()
        2
        """
        return FUNCTIONS["argpartition"](self, kth, axis, kind, order)

    def argsort(
        self,
        /,
        axis: int | None = -1,
        kind: str | None = None,
        order: str | None = None,
        *,
        stable: object = None,
        descending: object = None,
    ) -> Array:
        """The indices that sort the array along an axis.

        Parameters
        ----------
        axis : int, optional
            The axis to sort along, the last one by default. None: the flattened array.
        kind : {"quicksort", "heapsort", "mergesort", "stable"}, optional
            NumPy's algorithm, which is not used: equal elements always keep their order.
        order : None
            NumPy's names of fields, which arrays do not have.
        stable : bool, optional
            Not used, as `kind`.
        descending : bool, optional
            Whether the greatest comes first.

        Returns
        -------
        Array
            int64, of the same shape.

        Raises
        ------
        AxisError
            For an axis that the array does not have.

        Examples
        --------
        >>> import devarray as da
        >>> da.asarray([3, 1, 2]).argsort().copy_to_host()
        array([1, 2, 0])
        """
        return FUNCTIONS["argsort"](self, axis, kind, order, stable=stable, descending=bool(descending))

    def partition(
        self, /, kth: int | Sequence[int], axis: int = -1, kind: str = "introselect", order: str | None = None
    ) -> None:
        """Put the k-th element along an axis where sorting puts it, in place.

        Parameters
        ----------
        kth : int or sequence of int
            From -n to n - 1 for n elements along the axis.
        axis : int
            The axis. The last one by default.
        kind : {"introselect"}
            NumPy's algorithm, which is not used.
        order : None
            NumPy's names of fields, which arrays do not have.

        Raises
        ------
        ValueError
            For a `kth` outside the axis.
        AxisError
            For an axis that the array does not have.

        Examples
        --------
        >>> import devarray as da
        >>> x = da.asarray([3, 1, 2])
        >>> x.partition(1)
        >>> x[1].item()
        2
        """
        self[...] = FUNCTIONS["partition"](self, kth, normalize_axis(axis, self.ndim), kind, order)

    def searchsorted(self, /, v: ArrayLike, side: str = "left", sorter: object = None) -> Array:
        """Indices at which values would be inserted into the sorted array so that it stays sorted.

        Parameters
        ----------
        v : array_like
            The values.
        side : {"left", "right"}
            Whether to insert before elements that equal the value (the default), or behind them.
        sorter : array_like of int, optional
            Indices that sort the array.

        Returns
        -------
        Array
            int64, of the shape of `v`.

        Raises
        ------
        ShapeError
            Where the array has another number of dimensions than one.
        ValueError
            For another `side`.

        Examples
        --------
        >>> import devarray as da
        >>> da.asarray([1, 3, 5]).searchsorted([0, 3, 9]).copy_to_host()
        array([0, 1, 3])
        """
        return FUNCTIONS["searchsorted"](self, v, side, sorter)

    def sort(
        self,
        /,
        axis: int = -1,
        kind: str | None = None,
        order: str | None = None,
        *,
        stable: object = None,
        descending: object = None,
    ) -> None:
        """Sort the array along an axis, in place.

        Parameters
        ----------
        axis : int
            The axis to sort along. The last one by default.
        kind : {"quicksort", "heapsort", "mergesort", "stable"}, optional
            NumPy's algorithm, which is not used: equal elements always keep their order.
        order : None
            NumPy's names of fields, which arrays do not have.
        stable : bool, optional
            Not used, as `kind`.
        descending : bool, optional
            Whether the greatest comes first.

        Raises
        ------
        AxisError
            For an axis that the array does not have.

        Examples
        --------
        >>> import devarray as da
        >>> x = da.asarray([3, 1, 2])
        >>> x.sort()
        >>> x.copy_to_host()
        array([1, 2, 3])
        """
        hinted = kind is not None or order is not None or stable is not None or descending
        if not hinted and self.size <= _FEW and _core.update_on_host(np.ndarray.sort, self, axis, "stable"):
            return
        self[...] = FUNCTIONS["sort"](
            self, normalize_axis(axis, self.ndim), kind, order, stable=stable, descending=bool(descending)
        )
