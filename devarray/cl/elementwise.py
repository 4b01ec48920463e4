"""Element-wise kernels under ``pyopencl.elementwise``'s names.

Examples
--------
>>> import numpy as np
>>> from devarray import cl
>>> import devarray.cl.array as cl_array
>>> from devarray.cl.elementwise import ElementwiseKernel
>>> context = cl.create_some_context(answers=["0"])
>>> x = cl_array.arange(cl.CommandQueue(context), 4, dtype=np.float32)
>>> z = cl_array.empty_like(x)
>>> event = ElementwiseKernel(context, "float a, float *x, float *z", "z[i] = a * x[i]", "scale")(5, x, z)
>>> z.get()
array([ 0.,  5., 10., 15.], dtype=float32)
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from devarray._kernels.pointers import Elementwise
from devarray.cl._arguments import Argument as Argument
from devarray.cl._arguments import ScalarArg as ScalarArg
from devarray.cl._arguments import VectorArg as VectorArg
from devarray.cl._events import event_behind, wait_for_events

if TYPE_CHECKING:
    from devarray._core import Queue

__all__ = ["ElementwiseKernel"]


class ElementwiseKernel:
    """A kernel that runs a text once for each index ``i`` of its arrays.

    Parameters
    ----------
    context : Context
        Taken for PyOpenCL's sake; the kernel is compiled for the device of the arrays.
    arguments : str or sequence of `ScalarArg` and `VectorArg`
        C arguments: numbers, and pointers to numbers.
    operation : str
        Statements, which index the arrays by ``i``.
    name : str
        What messages of the compiler call it.
    options : str or sequence of str
        Of the compiler.
    preamble, loop_prep, after_loop : str
        Definitions before the kernel; statements of each work-item before and after its elements.
    **_
        Taken for PyOpenCL's sake.

    Notes
    -----
    PyOpenCL's class of that name.
    """

    def __init__(
        self,
        context: object,
        arguments: object,
        operation: str,
        name: str = "elwise_kernel",
        options: str | Sequence[str] | None = None,
        *,
        preamble: str = "",
        loop_prep: str = "",
        after_loop: str = "",
        **_: object,
    ) -> None:
        self.context, self.arguments, self.operation, self.name = context, arguments, operation, name
        texts = {"preamble": preamble, "loop_prep": loop_prep, "after_loop": after_loop}
        self._kernel = Elementwise(arguments, operation, name, options_of(options), texts)

    def __call__(
        self,
        *args: object,
        range: object = None,
        slice: object = None,
        queue: Queue | None = None,
        wait_for: object = None,
        **_: object,
    ) -> Any:
        """Run the kernel over all elements of the first array, or those that `range` or `slice` say.

        Parameters
        ----------
        *args : Array or scalar
            As `arguments` has them.
        range, slice : slice, optional
            Indices ``i``; those of `slice` count from the end where they are negative.
        queue : CommandQueue, optional
            Taken for PyOpenCL's sake; the arrays' own orders the work.
        wait_for : sequence of Event, optional
            Waited for.
        **_
            Not used.

        Returns
        -------
        Event
            Behind the kernel.
        """
        wait_for_events(wait_for)
        first = self._kernel(args, range, slice)
        return event_behind(first)


def options_of(options: str | Sequence[str] | None) -> list[str]:
    """Options of the compiler as a list."""
    return shlex.split(options) if isinstance(options, str) else list(options or ())
