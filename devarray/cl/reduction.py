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
from devarray.cl._array import Array, wrap
from devarray.cl._events import event_behind, wait_for_events
from devarray.cl._templates import KernelTemplate
from devarray.cl.elementwise import options_of

if TYPE_CHECKING:
    from devarray._core import Queue

__all__ = ["ReductionKernel", "ReductionTemplate"]


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
        ctx: object,
        dtype_out: object,
        neutral: object,
        reduce_expr: str,
        map_expr: str | None = None,
        arguments: object = None,
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
        *args: object,
        queue: Queue | None = None,
        allocator: object = None,
        wait_for: object = None,
        return_event: bool = False,
        out: object = None,
        range: object = None,
        slice: object = None,
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
            record = result if isinstance(result, Array) else wrap(result)
            return (record, event_behind(record.bytes)) if return_event else record
        made = result if isinstance(result, Array) else Array._of(result)
        return (made, event_behind(made)) if return_event else made


class ReductionTemplate(KernelTemplate):
    """A reduction whose texts hold names of types that :meth:`build` gives.

    Parameters
    ----------
    arguments : str or sequence
        C arguments.
    neutral, reduce_expr, map_expr : str
        As `ReductionKernel` takes them.
    is_segment_start_expr, input_fetch_exprs : optional
        Taken for PyOpenCL's sake.
    name_prefix : str
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
    >>> from devarray.cl.reduction import ReductionTemplate
    >>> context = cl.create_some_context(answers=["0"])
    >>> largest = ReductionTemplate("reduction_t *x", "x[0]", "max(a, b)", "x[i]", name_prefix="largest")
    >>> x = cl_array.arange(cl.CommandQueue(context), 5, dtype=np.int32)
    >>> int(largest.build(context, {"reduction_t": np.int32})(x).get())
    4
    """

    def __init__(
        self,
        arguments: Any,
        neutral: str,
        reduce_expr: str,
        map_expr: str | None = None,
        is_segment_start_expr: str | None = None,
        input_fetch_exprs: object = None,
        name_prefix: str = "reduce",
        preamble: str = "",
        template_processor: str | None = None,
    ) -> None:
        super().__init__(template_processor)
        self.arguments, self.neutral, self.reduce_expr, self.map_expr = arguments, neutral, reduce_expr, map_expr
        self.name_prefix, self.preamble = name_prefix, preamble

    def build(
        self,
        context: object,
        type_aliases: Any = (),
        var_values: Any = (),
        more_preamble: str = "",
        more_arguments: Any = (),
        declare_types: Sequence[Any] = (),
        options: str | Sequence[str] | None = None,
        devices: object = None,
    ) -> ReductionKernel:
        """The kernel for certain types.

        Parameters
        ----------
        context : Context
            Taken for PyOpenCL's sake.
        type_aliases : dict or sequence of (str, dtype)
            Names in the texts, and what they stand for; ``reduction_t`` is the result's.
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
        devices : sequence, optional
            Not needed.

        Returns
        -------
        ReductionKernel
            To be called with arrays.

        Raises
        ------
        ValueError
            Where nothing says what ``reduction_t`` is.
        """
        rendered = self._rendered(type_aliases, var_values)
        dtype, text = rendered.type("reduction_t"), rendered.text
        arguments = rendered.arguments(self.arguments, more_arguments)
        return ReductionKernel(
            context,
            dtype,
            text(self.neutral),
            text(self.reduce_expr),
            text(self.map_expr),
            arguments,
            text(self.name_prefix),
            options,
            rendered.preamble(arguments, declare_types, self.preamble, more_preamble),
        )
