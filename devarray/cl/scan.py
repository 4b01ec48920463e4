"""Scans under ``pyopencl.scan``'s names.

Examples
--------
>>> import numpy as np
>>> from devarray import cl
>>> import devarray.cl.array as cl_array
>>> from devarray.cl.scan import InclusiveScanKernel
>>> context = cl.create_some_context(answers=["0"])
>>> x = cl_array.arange(cl.CommandQueue(context), 5, dtype=np.int32)
>>> InclusiveScanKernel(context, np.int32, "a+b")(x, cl_array.empty_like(x)).get()
array([ 0,  1,  3,  6, 10], dtype=int32)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from devarray._kernels.pointers import Scan
from devarray.cl._events import event_behind, wait_for_events
from devarray.cl._templates import KernelTemplate
from devarray.cl.elementwise import options_of

if TYPE_CHECKING:
    from devarray._core import Queue
    from devarray._typing import DTypeLike

__all__ = [
    "ExclusiveScanKernel",
    "GenericDebugScanKernel",
    "GenericScanKernel",
    "GenericScanKernelBase",
    "InclusiveScanKernel",
    "ScanPerformanceWarning",
    "ScanTemplate",
]


class GenericScanKernelBase:
    """A scan of what a text gives for each index ``i``, whose values another text writes.

    Parameters
    ----------
    ctx : Context
        Taken for PyOpenCL's sake; the kernel is compiled for the device of the arrays.
    dtype : dtype
        Of the values: a number's, or that of a structure which `tools.get_or_register_dtype` knows.
    arguments : str or sequence
        C arguments: numbers, and pointers to numbers.
    input_expr : str
        The value for an index ``i``.
    scan_expr : str
        What ``a`` and ``b``, its right neighbour, become; ``across_seg_boundary`` says whether a segment begins between
        them.
    neutral : str or number, optional
        ``prev_item`` of the first element, and of a segment's first.
    output_statement : str
        Statements for each index, of ``item``, ``prev_item`` and ``last_item``.
    is_segment_start_expr : str, optional
        Whether a segment begins at ``i``.
    input_fetch_exprs : sequence of (str, str, int)
        Name, array and offset (0 or -1) of values that `input_expr` reads beside its element.
    index_dtype : dtype
        Taken for PyOpenCL's sake; indices have 64 bits.
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
    PyOpenCL's class of that name.
    """

    def __init__(
        self,
        ctx: object,
        dtype: DTypeLike | None,
        arguments: object,
        input_expr: str,
        scan_expr: str,
        neutral: object,
        output_statement: str,
        is_segment_start_expr: str | None = None,
        input_fetch_exprs: Sequence[tuple[str, str, int]] | None = None,
        index_dtype: object = np.int32,
        name_prefix: str = "scan",
        options: str | Sequence[str] | None = None,
        preamble: str = "",
        devices: object = None,
    ) -> None:
        self.context, self.dtype = ctx, np.dtype(dtype)
        self._kernel = Scan(
            dtype,
            arguments,
            input_expr,
            scan_expr,
            neutral,
            output_statement,
            is_segment_start_expr,
            input_fetch_exprs or (),
            name_prefix,
            options_of(options),
            preamble,
        )

    def __call__(
        self,
        *args: object,
        allocator: object = None,
        queue: Queue | None = None,
        size: int | None = None,
        wait_for: object = None,
    ) -> Any:
        """Run the scan over the first array's elements.

        Parameters
        ----------
        *args : Array or scalar
            As `arguments` has them.
        allocator : memory resource, optional
            Taken for PyOpenCL's sake; the arrays' own serves.
        queue : CommandQueue, optional
            Taken for PyOpenCL's sake; the arrays' own orders the work.
        size : int, optional
            The number of elements.
        wait_for : sequence of Event, optional
            Waited for.

        Returns
        -------
        Event
            Behind the scan.
        """
        wait_for_events(wait_for)
        return event_behind(self._kernel(args, size))


class GenericScanKernel(GenericScanKernelBase):
    __doc__ = GenericScanKernelBase.__doc__


class GenericDebugScanKernel(GenericScanKernelBase):
    __doc__ = GenericScanKernelBase.__doc__


class InclusiveScanKernel:
    """Running values of an array, each element's own included.

    Parameters
    ----------
    ctx : Context
        Taken for PyOpenCL's sake.
    dtype : dtype
        Of the array, a number's.
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
    PyOpenCL's class of that name.
    """

    _output = "out_[i] = item"

    def __init__(
        self,
        ctx: object,
        dtype: DTypeLike | None,
        scan_expr: str,
        neutral: object = None,
        name_prefix: str = "scan",
        options: str | Sequence[str] | None = None,
        preamble: str = "",
        devices: object = None,
    ) -> None:
        from devarray._kernels.pointers import argument_of

        arguments = [argument_of("in_", dtype, True, True), argument_of("out_", dtype, True, False)]
        self._scan = GenericScanKernel(
            ctx, dtype, arguments, "in_[i]", scan_expr, neutral, self._output, name_prefix=name_prefix,
            options=options, preamble=preamble,
        )  # fmt: skip

    def __call__(
        self,
        input_ary: object,
        output_ary: object = None,
        allocator: object = None,
        queue: Queue | None = None,
        n: int | None = None,
        wait_for: object = None,
    ) -> Any:
        """Scan an array.

        Parameters
        ----------
        input_ary : Array
            Of one dimension.
        output_ary : Array, optional
            Where the values go; the input itself by default.
        allocator : memory resource, optional
            Taken for PyOpenCL's sake.
        queue : CommandQueue, optional
            Taken for PyOpenCL's sake.
        n : int, optional
            The number of elements.
        wait_for : sequence of Event, optional
            Waited for.

        Returns
        -------
        Array
            The values.
        """
        output = input_ary if output_ary is None else output_ary
        self._scan(input_ary, output, size=n, wait_for=wait_for)
        return output


class ExclusiveScanKernel(InclusiveScanKernel):
    """Running values of an array, each element's own excluded.

    Parameters
    ----------
    ctx : Context
        Taken for PyOpenCL's sake.
    dtype : dtype
        Of the array, a number's.
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

    Notes
    -----
    PyOpenCL's class of that name.
    """

    _output = "out_[i] = prev_item"


class ScanPerformanceWarning(UserWarning):
    """A scan runs slower than it could.

    PyOpenCL's category, for filters of warnings. Nothing is issued here.
    """


class ScanTemplate(KernelTemplate):
    """A scan whose texts hold names of types that :meth:`build` gives.

    Parameters
    ----------
    arguments : str or sequence
        C arguments.
    input_expr, scan_expr, neutral, output_statement, is_segment_start_expr : str
        As `GenericScanKernel` takes them.
    input_fetch_exprs : sequence of (str, str, int), optional
        As `GenericScanKernel` takes them.
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
    >>> from devarray.cl.scan import ScanTemplate
    >>> context = cl.create_some_context(answers=["0"])
    >>> largest = ScanTemplate("scan_t *x", "x[i]", "max(a, b)", "x[0]", "x[i] = item")
    >>> x = cl_array.to_device(cl.CommandQueue(context), np.array([2, 1, 5, 3], np.int32))
    >>> event = largest.build(context, {"scan_t": np.int32})(x)
    >>> x.get()
    array([2, 2, 5, 5], dtype=int32)
    """

    def __init__(
        self,
        arguments: Any,
        input_expr: str,
        scan_expr: str,
        neutral: str | None,
        output_statement: str,
        is_segment_start_expr: str | None = None,
        input_fetch_exprs: Sequence[tuple[str, str, int]] | None = None,
        name_prefix: str = "scan",
        preamble: str = "",
        template_processor: str | None = None,
    ) -> None:
        super().__init__(template_processor)
        self.arguments, self.input_expr, self.scan_expr, self.neutral = arguments, input_expr, scan_expr, neutral
        self.output_statement, self.is_segment_start_expr = output_statement, is_segment_start_expr
        self.input_fetch_exprs, self.name_prefix, self.preamble = input_fetch_exprs, name_prefix, preamble

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
        scan_cls: type[GenericScanKernelBase] = GenericScanKernel,
    ) -> GenericScanKernelBase:
        """The kernel for certain types.

        Parameters
        ----------
        context : Context
            Taken for PyOpenCL's sake.
        type_aliases : dict or sequence of (str, dtype)
            Names in the texts, and what they stand for; ``scan_t`` is that of the values.
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
        scan_cls : type
            The class of the kernel.

        Returns
        -------
        GenericScanKernelBase
            To be called with arrays.

        Raises
        ------
        ValueError
            Where nothing says what ``scan_t`` is.
        """
        rendered = self._rendered(type_aliases, var_values)
        dtype, text = rendered.type("scan_t"), rendered.text
        arguments = rendered.arguments(self.arguments, more_arguments)
        return scan_cls(
            context,
            dtype,
            arguments,
            text(self.input_expr),
            text(self.scan_expr),
            text(self.neutral),
            text(self.output_statement),
            text(self.is_segment_start_expr),
            self.input_fetch_exprs,
            rendered.types.get("index_t", np.int32),
            text(self.name_prefix),
            options,
            rendered.preamble(arguments, declare_types, self.preamble, more_preamble),
            devices,
        )
