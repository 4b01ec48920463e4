"""Scans under ``pycuda.scan``'s names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from devarray._kernels.pointers import Scan, argument_of
from devarray.cuda._c_types import CUDA_RECORDS
from devarray.cuda.elementwise import options_of

__all__ = ["ExclusiveScanKernel", "InclusiveScanKernel"]


class InclusiveScanKernel:
    """Running values of an array, each element's own included.

    Parameters
    ----------
    dtype : dtype
        Of the array.
    scan_expr : str
        What ``a`` and ``b``, its right neighbour, become.
    neutral : str or number, optional
        The value before the first element.
    name_prefix : str
        What messages of the compiler call it.
    options : str or sequence of str
        Of the compiler.
    preamble : str
        Definitions before the kernel.
    devices : sequence, optional
        Not needed.

    Notes
    -----
    PyCUDA's class of that name. It runs on arrays of any device.

    Examples
    --------
    >>> import devarray as da
    >>> from devarray.cuda.scan import InclusiveScanKernel
    >>> InclusiveScanKernel("int32", "a+b")(da.arange(5, dtype="int32")).copy_to_host()
    array([ 0,  1,  3,  6, 10], dtype=int32)
    """

    _output = "out_[i] = item"

    def __init__(
        self,
        dtype: Any,
        scan_expr: str,
        neutral: Any = None,
        name_prefix: str = "scan",
        options: str | Sequence[str] | None = None,
        preamble: str = "",
        devices: object = None,
    ) -> None:
        arguments = [argument_of(n, dtype, True, n == "in_", CUDA_RECORDS) for n in ("in_", "out_")]
        self._scan = Scan(
            dtype, arguments, "in_[i]", scan_expr, neutral, self._output, name=name_prefix,
            options=options_of(options), preamble=preamble, records=CUDA_RECORDS,
        )  # fmt: skip

    def __call__(
        self,
        input_ary: object,
        output_ary: object = None,
        allocator: object = None,
        stream: object = None,
        n: int | None = None,
    ) -> Any:
        """Scan an array.

        Parameters
        ----------
        input_ary : Array
            Of one dimension.
        output_ary : Array, optional
            Where the values go; the input itself by default.
        allocator : memory resource, optional
            Taken for PyCUDA's sake.
        stream : Stream, optional
            Taken for PyCUDA's sake.
        n : int, optional
            The number of elements.

        Returns
        -------
        Array
            The values.
        """
        output = input_ary if output_ary is None else output_ary
        self._scan([input_ary, output], n)
        return output


class ExclusiveScanKernel(InclusiveScanKernel):
    """Running values of an array, each element's own excluded.

    Parameters
    ----------
    dtype : dtype
        Of the array.
    scan_expr : str
        What ``a`` and ``b``, its right neighbour, become.
    neutral : str or number
        The value before the first element.
    name_prefix : str
        What messages of the compiler call it.
    options : str or sequence of str
        Of the compiler.
    preamble : str
        Definitions before the kernel.
    devices : sequence, optional
        Not needed.
    """

    _output = "out_[i] = prev_item"
