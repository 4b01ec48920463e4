"""The methods of arrays of dates and durations that sort them."""

from __future__ import annotations

from typing import Any

from devarray._array.protocols import PROTOCOLS
from devarray.array import Array

__all__ = ["DateSorts"]


class DateSorts:
    """The part of `DatetimeArray` (dates.py) that sorts."""

    __slots__ = ()

    def sort(self: Any, axis: int = -1, kind: str | None = None, order: Any = None) -> None:
        """Sort along an axis in place; what is no time comes last.

        Parameters
        ----------
        axis : int
            The axis.
        kind : str, optional
            NumPy's; the sort is stable.
        order : optional
            NumPy's, of records.

        Examples
        --------
        >>> import devarray as da, numpy as np
        >>> x = da.asarray(np.array([3, 1], "timedelta64[s]"))
        >>> x.sort()
        >>> x.copy_to_host()
        array([1, 3], dtype='timedelta64[s]')
        """
        self[...] = PROTOCOLS["function_of_dates"]("sort", (self, axis), {"kind": kind, "order": order})

    def argsort(self: Any, axis: int = -1, kind: str | None = None, order: Any = None) -> Array:
        """The indices that sort along an axis.

        Parameters
        ----------
        axis : int
            The axis.
        kind : str, optional
            NumPy's; the sort is stable.
        order : optional
            NumPy's, of records.

        Returns
        -------
        Array
            Of int64.

        Examples
        --------
        >>> import devarray as da, numpy as np
        >>> da.asarray(np.array([3, 1], "timedelta64[s]")).argsort().copy_to_host()
        array([1, 0])
        """
        found: Array = PROTOCOLS["function_of_dates"]("argsort", (self, axis), {"kind": kind, "order": order})
        return found
