"""Element-wise kernels under ``pycuda.elementwise``'s names."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from devarray._kernels.pointers import Elementwise
from devarray.cuda._c_types import CUDA_RECORDS

__all__ = ["ElementwiseKernel"]


class ElementwiseKernel:
    """A kernel that runs a text once for each index ``i`` of its arrays.

    Parameters
    ----------
    arguments : str or sequence of `ScalarArg` and `VectorArg`
        C arguments: numbers, and pointers to numbers.
    operation : str
        Statements, which index the arrays by ``i``.
    name : str
        What messages of the compiler call it.
    keep : bool
        Taken for PyCUDA's sake.
    options : sequence of str
        Of the compiler.
    preamble : str
        Definitions before the kernel.
    loop_prep : str
        Statements of each thread before its elements.
    after_loop : str
        Statements of each thread after them.

    Notes
    -----
    PyCUDA's class of that name. It runs on arrays of any device.

    Examples
    --------
    >>> import devarray as da
    >>> from devarray.cuda.elementwise import ElementwiseKernel
    >>> x = da.arange(4, dtype="float32")
    >>> z = da.empty_like(x)
    >>> ElementwiseKernel("float a, float *x, float *z", "z[i] = a * x[i]")(5, x, z)
    >>> z.copy_to_host()
    array([ 0.,  5., 10., 15.], dtype=float32)
    """

    def __init__(
        self,
        arguments: object,
        operation: str,
        name: str = "kernel",
        keep: bool = False,
        options: str | Sequence[str] | None = None,
        *,
        preamble: str = "",
        loop_prep: str = "",
        after_loop: str = "",
    ) -> None:
        texts = {"preamble": preamble, "loop_prep": loop_prep, "after_loop": after_loop}
        self._kernel = Elementwise(arguments, operation, name, options_of(options), texts, CUDA_RECORDS)

    def __call__(self, *args: object, range: object = None, slice: object = None, stream: object = None) -> None:
        """Run the kernel over all elements of the first array, or those that `range` or `slice` say.

        Parameters
        ----------
        *args : Array or scalar
            As `arguments` has them.
        range : slice, optional
            Indices ``i``.
        slice : slice, optional
            The same, from the end where they are negative.
        stream : Stream, optional
            Taken for PyCUDA's sake; the arrays' own orders the work.
        """
        self._kernel(args, range, slice)


def options_of(options: str | Sequence[str] | None) -> list[str]:
    """Options of the compiler as a list."""
    return shlex.split(options) if isinstance(options, str) else list(options or ())
