"""Reductions under ``pyopencl.reduction``'s names.

Examples
--------
>>> import numpy as np
>>> from devarray import cl
>>> import devarray.cl.array as cl_array
>>> from devarray.cl.reduction import ReductionKernel
>>> context = cl.create_some_context(answers=["0"])
>>> x = cl_array.arange(cl.CommandQueue(context), 4, dtype=np.float32)
>>> dot = ReductionKernel(context, np.float32, "0", "a+b", "x[i]*y[i]", "float *x, float *y")
>>> float(dot(x, x).get())
14.0
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from devarray._kernels.pointers import Reduction
from devarray._primitives.opaque import OpaqueArray
from devarray.cl._events import event_behind, wait_for_events
from devarray.cl._records import RecordArray, as_records
from devarray.cl.array import Array
from devarray.cl.elementwise import options_of

if TYPE_CHECKING:
    from devarray._core import Queue

__all__ = ["ReductionKernel"]


class ReductionKernel:
    """A reduction of what a text gives for each index ``i`` of its arrays.

    Parameters
    ----------
    ctx : Context
        Taken for PyOpenCL's sake; the kernel is compiled for the device of the arrays.
    dtype_out : dtype
        A number's, or that of a structure which `tools.get_or_register_dtype` knows; its C text is then in `preamble`.
    neutral : str or number
        The value of no elements.
    reduce_expr : str
        What ``a`` and ``b`` are reduced to.
    map_expr : str, optional
        The value for an index ``i``; the first array's element by default.
    arguments : str or sequence, optional
        C arguments: numbers, and pointers to numbers.
    name : str
        What messages of the compiler call it.
    options : str or sequence of str
        Of the compiler.
    preamble : str
        Definitions before the kernel.

    Notes
    -----
    PyOpenCL's class of that name.
    """

    def __init__(
        self,
        ctx: Any,
        dtype_out: Any,
        neutral: Any,
        reduce_expr: str,
        map_expr: str | None = None,
        arguments: Any = None,
        name: str = "reduce_kernel",
        options: str | Sequence[str] | None = None,
        preamble: str = "",
    ) -> None:
        self.context = ctx
        self._kernel = Reduction(
            dtype_out, neutral, reduce_expr, map_expr, arguments, name, options_of(options), preamble
        )

    def __call__(
        self,
        *args: Any,
        queue: Queue | None = None,
        allocator: Any = None,
        wait_for: Any = None,
        return_event: bool = False,
        out: Any = None,
        range: Any = None,
        slice: Any = None,
    ) -> Any:
        """Reduce over all elements of the first array, or those that `range` or `slice` say.

        Parameters
        ----------
        *args : Array or scalar
            As `arguments` has them.
        queue : CommandQueue, optional
            Taken for PyOpenCL's sake; the arrays' own orders the work.
        allocator : memory resource, optional
            Taken for PyOpenCL's sake; the arrays' own serves.
        wait_for : sequence of Event, optional
            Waited for.
        return_event : bool, default False
            Whether to return an event, too.
        out : Array, optional
            A 0-d array for the result.
        range, slice : slice, optional
            Indices ``i``.

        Returns
        -------
        Array or (Array, Event)
            The result, 0-d.
        """
        wait_for_events(wait_for)
        result = self._kernel(args, out, range, slice, queue)
        if isinstance(result, OpaqueArray):
            record = result if isinstance(result, RecordArray) else as_records(result)
            return (record, event_behind(record.bytes)) if return_event else record
        made = result if isinstance(result, Array) else Array._of(result)
        return (made, event_behind(made)) if return_event else made
