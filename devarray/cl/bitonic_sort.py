"""Sorting in place under ``pyopencl.bitonic_sort``'s names, by this package's sorts.

Examples
--------
>>> import numpy as np
>>> from devarray import cl
>>> import devarray.cl.array as cl_array
>>> from devarray.cl.bitonic_sort import BitonicSort
>>> queue = cl.CommandQueue(cl.create_some_context(answers=["0"]))
>>> x = cl_array.to_device(queue, np.array([3, 1, 2]))
>>> found, event = BitonicSort(queue.context)(x)
>>> x.get()
array([1, 2, 3])
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import devarray as da
from devarray._primitives.checks import require_array
from devarray.cl._events import event_behind, wait_for_events
from devarray.cl.array import Array

if TYPE_CHECKING:
    from devarray._core import Queue

__all__ = ["BitonicSort"]


class BitonicSort:
    """A sort of an array along an axis, in place, with indices or other values that move along.

    Parameters
    ----------
    context : Context
        Taken for PyOpenCL's sake.

    Notes
    -----
    PyOpenCL's class of that name. An axis may have any length, and equal elements stay in their order.
    """

    def __init__(self, context: object) -> None:
        self.context = context

    def __call__(
        self, arr: Array, idx: Array | None = None, queue: Queue | None = None, wait_for: object = None, axis: int = 0
    ) -> tuple[Array, Any]:
        """Sort an array in place.

        Parameters
        ----------
        arr : Array
            What is sorted.
        idx : Array, optional
            Of the same shape: its elements move as those of `arr` do.
        queue : CommandQueue, optional
            Taken for PyOpenCL's sake; the array's own orders the work.
        wait_for : sequence of Event, optional
            Waited for.
        axis : int
            Along which it sorts.

        Returns
        -------
        arr : Array
            The array itself.
        event : Event
            Behind the work.

        Raises
        ------
        DTypeError
            For what is no array.
        AxisError
            For an axis that the array has not.
        """
        require_array("BitonicSort", arr, *(() if idx is None else (idx,)))
        wait_for_events(wait_for)
        if idx is None:
            arr.sort(axis=axis, stable=True)
        else:
            order = da.argsort(arr, axis=axis, stable=True)
            moved = da.take_along_axis(idx, order, axis=axis)
            arr[...] = da.take_along_axis(arr, order, axis=axis)
            idx[...] = moved
        return arr, event_behind(arr)
