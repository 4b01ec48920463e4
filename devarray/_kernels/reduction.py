"""ReductionKernel: a user's map, reduction and finish as C text."""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt, prod
from typing import TYPE_CHECKING, Any

import numpy as np

from devarray import _core
from devarray._kernels.arguments import broadcast, made, place_near, raw_slots, read, read_results, scalar, written
from devarray._kernels.check import compiled
from devarray._kernels.parameters import Declared, Types, declared, resolve
from devarray._runtime import compiler
from devarray.array import Array, normalize_axes
from devarray.codegen.kernels.launches import ceil_div, collapse, scalar_slots, units_of
from devarray.codegen.kernels.user_reduction import PARTIAL_BYTES, ReductionBody, reduction_kernel
from devarray.errors import DTypeError, ShapeError, ValueError

if TYPE_CHECKING:
    from devarray._core import Device
    from devarray.codegen.kernels.user import Parameter

__all__ = ["ReductionKernel"]

_GROUP = 64
_PART = 64  # elements that make a part worth its launch
_MERGED = 256  # parts that one work-item merges


class ReductionKernel:
    """A reduction of arrays, written in C; one text serves OpenCL and CUDA devices.

    Parameters
    ----------
    in_params, out_params : str
        As :class:`devarray.ElementwiseKernel` takes them.
    map_expr : str
        The value of an element, of the inputs; ``_J`` is its number along the reduced axes.
    reduce_expr : str
        What ``a`` and ``b`` are reduced to. The order in which values meet is not said.
    post_map_expr : str
        Statements that assign the results, of the reduced value ``a``; ``i`` is the result's number.
    identity : str or number, optional
        The value of no elements; without one, a reduction of none raises ValueError.
    name : str, default "reduce_kernel"
        What messages of the compiler call the text.
    reduce_type : str, optional
        C type of the values that are reduced, at most 32 bytes; the first result's by default.
    reduce_dims : bool, default True
        Taken for CuPy's sake; no result depends on it.
    preamble : str
        Definitions before the kernel.
    options : sequence of str
        Further options of the compiler.

    Notes
    -----
    CuPy's class of that name.

    Examples
    --------
    >>> import devarray as da
    >>> norm = da.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")
    >>> norm(da.asarray([[3.0, 4.0], [6.0, 8.0]]), axis=1).copy_to_host()
    array([ 5., 10.])
    """

    def __init__(
        self,
        in_params: str | tuple[Declared, ...],
        out_params: str | tuple[Declared, ...],
        map_expr: str,
        reduce_expr: str,
        post_map_expr: str,
        identity: object = None,
        name: str = "reduce_kernel",
        reduce_type: str | None = None,
        reduce_dims: bool = True,
        preamble: str = "",
        options: Sequence[str] = (),
    ) -> None:
        self.in_params, self.out_params = declared(in_params), declared(out_params)
        if not isinstance(name, str) or not name.isidentifier():
            raise ValueError(f"Invalid kernel name: {name!r} is no identifier")
        if not self.out_params:
            raise ValueError(f"{name}: a reduction has at least one result")
        if any(p.raw for p in self.out_params):
            raise ValueError(f"{name}: results of a reduction are not raw")
        self.map_expr, self.reduce_expr, self.post_map_expr = map_expr, reduce_expr, post_map_expr
        self.identity = "" if identity is None else str(identity)
        self.name, self.reduce_type, self.reduce_dims = name, reduce_type, reduce_dims
        self.preamble, self.options = preamble, tuple(options)
        self._partial_bytes = PARTIAL_BYTES  # room for a partial value

    @property
    def nin(self) -> int:
        """Number of inputs."""
        return len(self.in_params)

    @property
    def nout(self) -> int:
        """Number of results."""
        return len(self.out_params)

    @property
    def nargs(self) -> int:
        """Number of inputs and results."""
        return self.nin + self.nout

    def __repr__(self) -> str:
        return f"<devarray.ReductionKernel {self.name!r}>"

    def __call__(
        self,
        *args: object,
        out: Array | None = None,
        axis: int | Sequence[int] | None = None,
        keepdims: bool = False,
        stream: object = None,
    ) -> Any:
        """Reduce arrays.

        Parameters
        ----------
        *args : Array or scalar
            The inputs, and arrays for the results behind them where those shall not be new ones.
        out : Array, optional
            Where the result goes, in place of one among `args`.
        axis : int or sequence of int, optional
            The axes that are reduced; all by default.
        keepdims : bool, default False
            Whether they stay, of size 1.
        stream : Queue, optional
            Taken for CuPy's sake; the work goes to the arrays' own queue.

        Returns
        -------
        Array or tuple of Array
            The results.

        Raises
        ------
        DTypeError
            For another number of arguments, and dtypes that the parameters do not have.
        ShapeError
            For arrays for results of another shape than theirs.
        ValueError
            For no elements where there is no identity.
        CompileError
            Where the text does not compile; it names the line of the text.
        """
        if len(args) not in (self.nin, self.nargs) or (out is not None and len(args) != self.nin):
            raise DTypeError(
                f"Wrong number of arguments for {self.name!r}: it takes {self.nin} inputs, or {self.nargs} with the "
                f"arrays for its results, and {len(args)} were given{' beside out' if out is not None else ''}"
            )
        results = read_results(self.name, self.out_params, (out,) if out is not None else args[self.nin :])
        like = next((x for x in args if isinstance(x, Array)), None)
        given = read(self.name, self.in_params, args[: self.nin], like)
        types = resolve(self.name, self.in_params, self.out_params, given, results)
        shapes = [x.shape for p, x in zip(self.in_params, given, strict=True) if isinstance(x, Array) and not p.raw]
        if like is None or not shapes:
            raise ValueError(f"{self.name}: no input is an array that is not raw: nothing says what to reduce")
        shape = np.broadcast_shapes(*shapes)
        reduced = normalize_axes(range(len(shape)) if axis is None else axis, len(shape))
        kept = [dim for dim in range(len(shape)) if dim not in reduced]
        final = tuple(1 if dim in reduced else shape[dim] for dim in range(len(shape)) if keepdims or dim in kept)
        outs = self._results(results, types, final, like)
        if prod(final):
            self._run(types, given, outs, shape, kept, reduced)
        return outs[0] if len(outs) == 1 else tuple(outs)

    def _reduce_indices(self, given: Sequence[Any], out: Array, start: int, step: int, count: int) -> None:
        """Reduce what the map expression gives for the indices ``i``; all arrays are raw."""
        types = resolve(self.name, self.in_params, self.out_params, given, [out])
        self._run(types, given, [out], (count,), [], [0], (start, step))

    def _results(self, results: list[Array] | None, types: Types, shape: tuple[int, ...], like: Array) -> list[Array]:
        if results is None:
            dtypes = [np.dtype(made(self.name, p, types).dtype) for p in self.out_params]
            return [_core.empty(shape, dtype, *place_near(like)) for dtype in dtypes]
        for p, x in zip(self.out_params, results, strict=True):
            if x.shape != shape:
                raise ShapeError(
                    f"{self.name}: Out shape is mismatched: {p.name} has shape {x.shape}, and the result is {shape}"
                )
        return results

    def _body(self, types: Types, given: Sequence[Any]) -> ReductionBody:
        outputs = tuple(made(self.name, p, types) for p in self.out_params)
        first = self.out_params[0]
        return ReductionBody(
            self.name,
            tuple(
                made(self.name, p, types, not isinstance(x, Array)) for p, x in zip(self.in_params, given, strict=True)
            ),
            outputs,
            self.map_expr,
            self.reduce_expr,
            self.post_map_expr,
            self.preamble,
            self.identity,
            self.reduce_type or first.record or _reduce_type(first.variable, outputs[0]),
            types,
            self._partial_bytes,
        )

    def _run(
        self,
        types: Types,
        given: Sequence[Any],
        outs: Sequence[Array],
        shape: tuple[int, ...],
        kept: Sequence[int],
        reduced: Sequence[int],
        indices: tuple[int, int] | None = None,
    ) -> None:
        body = self._body(types, given)
        like = outs[0]
        dialect = compiler.dialect(like.device)
        count = prod(shape[dim] for dim in reduced)
        if not count and not self.identity:
            raise ValueError(f"zero-size array to reduction operation {self.name} which has no identity")
        # Axes in the order kept, reduced; results without those that were kept of size 1.
        arrays = [x for x in given if isinstance(x, Array)]
        inputs = [
            _core.contiguous(x) if p.raw else broadcast(x, shape)
            for p, x in zip([p for p in body.inputs if not p.scalar], arrays, strict=True)
        ]
        raws = [p.raw for p in body.inputs if not p.scalar]
        strides = [x.strides for x, raw in zip(inputs, raws, strict=True) if not raw]
        results = [_apart(x, inputs).reshape(tuple(shape[dim] for dim in kept)) for x in outs]
        kept_sizes, kept_strides = collapse(
            [shape[dim] for dim in kept], [[s[dim] for dim in kept] for s in strides] + [x.strides for x in results]
        )
        sizes, reduced_strides = collapse(
            [shape[dim] for dim in reduced], [[s[dim] for dim in reduced] for s in strides]
        )
        total = prod(kept_sizes)
        target = units_of(dialect) * (4 if dialect.strategy == "cpu" else 2048)
        parts = max(1, min(ceil_div(target, total), count // _PART, 1 << 16))
        first, partial = True, None
        left = count
        while True:
            chunk = max(1, ceil_div(left, parts))
            parts = max(1, ceil_div(left, chunk))
            last = parts == 1
            slots: list[int] = [total, left, parts, chunk, *kept_sizes, *sizes]
            memory = []
            if first:
                steps = iter(zip(kept_strides, reduced_strides, strict=False))
                for x, raw in zip(inputs, raws, strict=True):
                    memory.append(x)
                    slots.append(_core.byte_offset(x))
                    slots += raw_slots(x) if raw else [step for part in next(steps) for step in part]
            else:
                assert partial is not None
                memory.append(partial)
                slots.append(_core.byte_offset(partial))
            first_written = len(memory)
            if last:
                for x, step in zip(results, kept_strides[len(strides) :], strict=True):
                    memory.append(x)
                    slots += [_core.byte_offset(x), *step]
            else:
                partial = _core.empty((total * parts * body.partial_bytes,), np.dtype("uint8"), *place_near(like))
                memory.append(partial)
                slots.append(_core.byte_offset(partial))
            if first:
                for p, x in zip(body.inputs, given, strict=True):
                    if p.scalar:
                        slots += scalar_slots(scalar(self.name, p.name, x, p.dtype).item(), p.dtype)
                slots += indices or ()
            kernel = self._kernel(
                body, len(kept_sizes), len(sizes), first, last, not count, like.device, indices is not None
            )
            group = min(_GROUP, kernel.max_work_group_size)
            writes = written(self.name, first_written, len(memory))
            _core.launch(kernel, (ceil_div(total * parts, group),), (group,), memory, slots, writes)
            if last:
                break
            first, left = False, parts
            parts = 1 if parts <= _MERGED else isqrt(parts)
        for x, result in zip(outs, results, strict=True):
            if not _core.shares_memory(x, result):
                x[...] = result.reshape(x.shape)

    def _kernel(
        self,
        body: ReductionBody,
        kept: int,
        reduced: int,
        first: bool,
        last: bool,
        empty: bool,
        device: Device | None,
        indices: bool,
    ) -> Any:
        texts = {
            f"{self.name} (map_expr)": self.map_expr,
            f"{self.name} (reduce_expr)": self.reduce_expr,
            f"{self.name} (post_map_expr)": self.post_map_expr,
            f"{self.name} (preamble)": self.preamble,
        }
        return compiled(
            self.name,
            device,
            lambda dialect: reduction_kernel(body, kept, reduced, first, last, empty, dialect, indices),
            texts,
            self.options,
        ).kernel


def _apart(x: Array, inputs: Sequence[Array]) -> Array:
    """The array of a result, or another one where inputs lie in it, which other work-items still read."""
    if not any(_core.shares_memory(x, a) for a in inputs):
        return x
    return _core.empty(x.shape, x.dtype, *place_near(x))


def _reduce_type(variable: str, output: Parameter) -> str:
    """C type of what is combined, where the user names none: that of the first result."""
    return output.variable if output.dtype == "bool" else variable or output.ctype
