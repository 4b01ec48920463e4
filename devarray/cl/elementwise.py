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
from devarray.cl._templates import KernelTemplate

if TYPE_CHECKING:
    from devarray._core import Queue

__all__ = ["ElementwiseKernel", "ElementwiseTemplate"]


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


class ElementwiseTemplate(KernelTemplate):
    """An element-wise kernel whose texts hold names of types that :meth:`build` gives.

    Parameters
    ----------
    arguments : str or sequence
        C arguments.
    operation : str
        As `ElementwiseKernel` takes it.
    name : str
        What messages of the compiler call it.
    preamble : str
        Definitions before the kernel.
    template_processor : {None, "none", "printf", "mako"}
        ``"printf"`` replaces ``%(name)s`` by values that :meth:`build` gets, ``"mako"`` has Mako (which must be
        installed) make each text of them. A text that begins with ``//CL:mako//`` says so for itself.

    Notes
    -----
    PyOpenCL's class of that name.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray import cl
    >>> import devarray.cl.array as cl_array
    >>> from devarray.cl.elementwise import ElementwiseTemplate
    >>> context = cl.create_some_context(answers=["0"])
    >>> scale = ElementwiseTemplate("item_t *x, item_t factor", "x[i] *= factor", name="scale")
    >>> x = cl_array.arange(cl.CommandQueue(context), 4, dtype=np.int32)
    >>> event = scale.build(context, {"item_t": np.int32})(x, 3)
    >>> x.get()
    array([0, 3, 6, 9], dtype=int32)
    """

    def __init__(
        self,
        arguments: Any,
        operation: str,
        name: str = "elwise",
        preamble: str = "",
        template_processor: str | None = None,
    ) -> None:
        super().__init__(template_processor)
        self.arguments, self.operation, self.name, self.preamble = arguments, operation, name, preamble

    def build(
        self,
        context: object,
        type_aliases: Any = (),
        var_values: Any = (),
        more_preamble: str = "",
        more_arguments: Any = (),
        declare_types: Sequence[Any] = (),
        options: str | Sequence[str] | None = None,
    ) -> ElementwiseKernel:
        """The kernel for certain types.

        Parameters
        ----------
        context : Context
            Taken for PyOpenCL's sake.
        type_aliases : dict or sequence of (str, dtype)
            Names in the texts, and what they stand for.
        var_values : dict or sequence of (str, str)
            Values by name, for the template processor.
        more_preamble : str
            Added to the template's own.
        more_arguments : str or sequence
            Added to the template's own: C arguments, arguments of `tools`, or (type, name) of numbers.
        declare_types : sequence of dtype
            Structures whose texts go before the preamble, as those of `type_aliases` and of arguments do by themselves.
        options : str or sequence of str
            Of the compiler.

        Returns
        -------
        ElementwiseKernel
            To be called with arrays.
        """
        rendered = self._rendered(type_aliases, var_values)
        arguments = rendered.arguments(self.arguments, more_arguments)
        preamble = rendered.preamble(arguments, declare_types, self.preamble, more_preamble)
        operation, name = rendered.text(self.operation), rendered.text(self.name)
        return ElementwiseKernel(context, arguments, operation, name, options, preamble=preamble)
