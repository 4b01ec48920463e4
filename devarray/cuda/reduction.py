"""Reductions under ``pycuda.reduction``'s names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from devarray._kernels.driver_records import RecordArray, as_records
from devarray._kernels.pointers import Reduction
from devarray._primitives.opaque import OpaqueArray
from devarray.array import Array
from devarray.cuda._c_types import CUDA_RECORDS
from devarray.cuda.elementwise import options_of

__all__ = ["ReductionKernel"]


class ReductionKernel:
    """A reduction of what a text gives for each index ``i`` of its arrays.

    Parameters
    ----------
    dtype_out : dtype
        A number's.
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
    keep : bool
        Taken for PyCUDA's sake.
    options : str or sequence of str
        Of the compiler.
    preamble : str
        Definitions before the kernel.
    allocator : memory resource, optional
        Taken for PyCUDA's sake; the arrays' own serves.

    Notes
    -----
    PyCUDA's class of that name. It runs on arrays of any device.

    Examples
    --------
    >>> import devarray as da
    >>> from devarray.cuda.reduction import ReductionKernel
    >>> x = da.arange(4, dtype="float32")
    >>> ReductionKernel("float32", "0", "a+b", "x[i]*y[i]", "float *x, float *y")(x, x).item()
    14.0
    """

    def __init__(
        self,
        dtype_out: object,
        neutral: object,
        reduce_expr: str,
        map_expr: str | None = None,
        arguments: object = None,
        name: str = "reduce_kernel",
        keep: bool = False,
        options: str | Sequence[str] | None = None,
        preamble: str = "",
        allocator: object = None,
    ) -> None:
        self._kernel = Reduction(
            dtype_out, neutral, reduce_expr, map_expr, arguments, name, options_of(options), preamble, CUDA_RECORDS
        )

    def __call__(
        self,
        *args: object,
        stream: object = None,
        out: object = None,
        allocator: object = None,
        range: object = None,
        slice: object = None,
    ) -> Any:
        """Reduce over all elements of the first array, or those that `range` or `slice` say.

        Parameters
        ----------
        *args : Array or scalar
            As `arguments` has them.
        stream : Stream, optional
            Taken for PyCUDA's sake; the arrays' own orders the work.
        out : Array, optional
            A 0-d array for the result.
        allocator : memory resource, optional
            Taken for PyCUDA's sake.
        range : slice, optional
            Indices ``i``.
        slice : slice, optional
            The same, from the end where they are negative.

        Returns
        -------
        Array
            The result, 0-d.
        """
        result = self._kernel(args, out, range, slice)
        if isinstance(result, OpaqueArray):
            return result if isinstance(result, RecordArray) else as_records(result)
        like = next((x for x in args if hasattr(x, "_like") and isinstance(result, Array)), None)
        return result if like is None else like._like(result)
