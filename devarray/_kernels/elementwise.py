"""ElementwiseKernel: a user's C text as an element-wise function of arrays."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from devarray import _core
from devarray._kernels.arguments import broadcast, made, place_near, raw_slots, read, read_results, scalar, written
from devarray._kernels.check import compiled
from devarray._kernels.formula import NotPlain, formula_of
from devarray._kernels.parameters import Declared, Types, declared, resolve
from devarray.array import Array
from devarray.codegen.kernels.launches import collapse, scalar_slots
from devarray.codegen.kernels.user import Body, Parameter, element_function, element_kernel
from devarray.codegen.language.words import WORD
from devarray.errors import DTypeError, ShapeError, ValueError
from devarray.ops import user

__all__ = ["ElementwiseKernel"]

_MAX_OP_INPUTS = 3
_MAX_FORMULA_INPUTS = 16
_GROUP = 256
_REMEMBERED = 1024  # combinations of dtypes and devices, which come and go with their contexts


@_core.call_known
class ElementwiseKernel(_core.KnownCalls):
    """An element-wise function of arrays, written in C; one text serves OpenCL and CUDA devices.

    A call with arrays records the function like any other operation: it fuses with what comes before and after. Plain
    arithmetic is read as the library's own operations. Other texts with more than three inputs, and those with `raw`
    parameters or more than one result, are launched on their own.

    Parameters
    ----------
    in_params, out_params : str
        Types and names, ``"T x, float32 a, raw T table"``. One letter is a type variable, which the arrays of a call
        give its meaning. What is `raw` is not broadcast: the text indexes it.
    operation : str
        Statements, in the common subset of CUDA C and OpenCL C, that assign the results. ``i`` is the element's number
        in C order, ``n`` (or ``_ind.size()``) how many there are, ``_ind.get()`` the indices. ``return`` leaves the
        element.
    name : str, default "kernel"
        What messages of the compiler call the text.
    reduce_dims : bool, default True
        Whether axes may be merged; taken for CuPy's sake, since no result depends on it.
    preamble : str
        Definitions before the kernel: functions, types, macros.
    no_return : bool, default False
        Whether calls return None.
    return_tuple : bool, default False
        Whether calls return a tuple for a single result, too.
    loop_prep, after_loop : str
        Statements of each work-item before and after its elements.
    options : sequence of str
        Further options of the compiler.
    doc : str, optional
        The object's documentation.

    Notes
    -----
    CuPy's class of that name. Complex values are structures with the members ``re`` and ``im``, float16 is computed in
    float32.

    Examples
    --------
    >>> import devarray as da
    >>> squared_diff = da.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_diff")
    >>> squared_diff(da.arange(4.0), 2.0).copy_to_host()
    array([4., 1., 0., 1.])
    """

    def __init__(
        self,
        in_params: str | tuple[Declared, ...],
        out_params: str | tuple[Declared, ...],
        operation: str,
        name: str = "kernel",
        reduce_dims: bool = True,
        preamble: str = "",
        no_return: bool = False,
        return_tuple: bool = False,
        loop_prep: str = "",
        after_loop: str = "",
        options: Sequence[str] = (),
        *,
        doc: str | None = None,
    ) -> None:
        self.in_params, self.out_params = declared(in_params), declared(out_params)
        if not isinstance(name, str) or not name.isidentifier():
            raise ValueError(f"Invalid kernel name: {name!r} is no identifier")
        names = [p.name for p in (*self.in_params, *self.out_params)]
        if len(set(names)) != len(names):
            raise ValueError(f"{name}: a name stands twice among the parameters {', '.join(names)}")
        self.operation, self.name, self.preamble = operation, name, preamble
        self.reduce_dims, self.no_return, self.return_tuple = reduce_dims, no_return, return_tuple
        self.loop_prep, self.after_loop, self.options = loop_prep, after_loop, tuple(options)
        if doc is not None:
            self.__doc__ = doc
        self._words = frozenset(WORD.findall(re.sub(r"//[^\n]*|/\*.*?\*/", " ", operation, flags=re.S)))
        self._reads = tuple(_reads(operation, p.name) for p in self.out_params)
        self._is_recorded = (
            len(self.out_params) == 1
            and 1 <= len(self.in_params) <= _MAX_FORMULA_INPUTS
            and not any(p.raw for p in self._parameters)
            and not (loop_prep or after_loop or options or no_return)
            and not self._words & {"n", "_ind", "_i"}
        )
        self._forget()

    def _forget(self) -> None:
        self._numbers: dict[Types, int | None] = {}
        self._formulas: dict[Any, Any] = {}
        self._forget_calls()
        self._cached_codes: dict[Any, str] = {}

    def __getstate__(self) -> dict[str, Any]:
        """What a pickle and a copy hold: not the numbers of operations, which are those of this process."""
        state = self.__dict__.copy()
        for name in ("_numbers", "_formulas", "_cached_codes"):
            del state[name]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._forget()

    @property
    def _parameters(self) -> tuple[Declared, ...]:
        return (*self.in_params, *self.out_params)

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
        return f"<devarray.ElementwiseKernel {self.name!r}>"

    def __call__(self, *args: object, size: int | None = None, block_size: int = _GROUP, stream: object = None) -> Any:
        """Apply the function.

        Parameters
        ----------
        *args : Array or scalar
            The inputs, and arrays for the results behind them where those shall not be new ones.
        size : int, optional
            The number of elements; given if, and only if, no input decides it by its shape.
        block_size : int
            Work-items of a group, where the kernel is launched on its own.
        stream : Queue, optional
            Taken for CuPy's sake; the work goes to the arrays' own queue.

        Returns
        -------
        Array, tuple of Array or None
            The results.

        Raises
        ------
        DTypeError
            For another number of arguments, and dtypes that the parameters do not have.
        ShapeError
            For shapes that do not broadcast, and arrays for results of another shape than theirs.
        ValueError
            For a `size` that is missing, or beside arrays that decide it, and for a `block_size` below 1.
        CompileError
            Where the text does not compile; it names the line of the text.
        """
        if block_size < 1:
            raise ValueError(f"{self.name}: block_size is {block_size}; at least 1 is wanted")
        given, results = self._arguments(args)
        types = resolve(self.name, self.in_params, self.out_params, given, results)
        if self._is_recorded and size is None:
            like = next((x for x in given if isinstance(x, Array)), None)
            step = None if like is None else self._step(types, given, like.device)
            if step is not None:
                made = self._record(step, types, given, results)
                if results is None and not self.return_tuple:
                    self._remember(args, step)
                return made
        return self._launch(types, given, results, size, block_size)

    def _remember(self, args: tuple[Any, ...], step: Any) -> None:
        """Has later calls with operands of these dtypes recorded at once; a function is compiled for their device."""
        if not all(isinstance(x, Array) for x in args):
            of_arrays = {p.variable for p, x in zip(self.in_params, args, strict=True) if isinstance(x, Array)}
            if isinstance(step, int) or not of_arrays.issuperset(p.variable for p in self._parameters if p.variable):
                return  # what the scalars are would have to be looked at
        self._remember_calls(args, step)

    # What both ways need

    def _arguments(self, args: tuple[Any, ...]) -> tuple[list[Any], list[Array] | None]:
        """The inputs, moved to one device, and the arrays for results."""
        if len(args) not in (self.nin, self.nargs):
            raise DTypeError(
                f"Wrong number of arguments for {self.name!r}: it takes {self.nin} inputs, or {self.nargs} with the "
                f"arrays for its results, and {len(args)} were given"
            )
        results = read_results(self.name, self.out_params, args[self.nin :])
        like = next((x for x in args if isinstance(x, Array)), None)
        return read(self.name, self.in_params, args[: self.nin], like), results

    def _body(self, types: Types, scalars: Sequence[bool]) -> Body:
        return Body(
            self.name,
            tuple(made(self.name, p, types, alone) for p, alone in zip(self.in_params, scalars, strict=True)),
            tuple(made(self.name, p, types) for p in self.out_params),
            self.operation,
            self.preamble,
            self.loop_prep,
            self.after_loop,
            types,
        )

    def _answer(self, results: Sequence[Array]) -> Any:
        if self.no_return:
            return None
        return results[0] if len(results) == 1 and not self.return_tuple else tuple(results)

    # As ops of the graph

    def _step(self, types: Types, given: Sequence[Any], device: Any) -> Any:
        """What is recorded for these types: a formula, or the number of an op; None where there is neither."""
        formula = self._formula(types, tuple(not isinstance(x, Array) for x in given), device.fp64)
        if formula is not None:
            self._keep_code((types, device.serial), self.operation)
            return formula
        return self._number(types) if self.nin <= _MAX_OP_INPUTS and not any(self._reads) else None

    def _formula(self, types: Types, scalars: tuple[bool, ...], double: bool) -> Any:
        key = (types, scalars, double)
        if key not in self._formulas:
            try:
                with np.errstate(all="ignore"):  # constants are converted as C does, without a word
                    self._formulas[key] = formula_of(self._body(types, scalars), double=double)
            except (NotPlain, RecursionError):  # the latter of deeply nested parentheses
                self._formulas[key] = None
        return self._formulas[key]

    def _number(self, types: Types) -> int | None:
        """The number of the op for these types."""
        if types not in self._numbers:
            body = self._body(types, [False] * self.nin)
            self._numbers[types] = user.register(
                body,
                tuple(p.dtype for p in body.inputs),
                body.outputs[0].dtype,
                "i" in self._words,
                partial(_function, body, "i" in self._words),
            )
        return self._numbers[types]

    def _record(self, step: Any, types: Types, given: Sequence[Any], results: Sequence[Array] | None) -> Any:
        like = next(x for x in given if isinstance(x, Array))
        known = dict(types)
        operands = [
            x if isinstance(x, Array) else scalar(self.name, p.name, x, p.dtype or known[p.variable])
            for p, x in zip(self.in_params, given, strict=True)
        ]
        if isinstance(step, int):
            self._check(step, types, like.device)
            value = _core.apply(step, *operands)
        else:
            value = _core.record_formula(step, tuple(x if isinstance(x, Array) else x.item() for x in operands))
        if results is None:
            return self._answer([value])
        target = results[0]
        if target.shape != value.shape:
            raise ShapeError(f"{self.name}: Out shape is mismatched: {target.shape}, and the result is {value.shape}")
        _core.store(target, value)
        return self._answer([target])

    def _check(self, number: int, types: Types, device: Any) -> None:
        """Compiles the function alone, once for each device: errors belong to the call that makes them."""
        key = (number, device.serial)
        if key in self._cached_codes:
            return
        op = user.op_numbered(number)

        def source(dialect: Any) -> str:
            name, text = op.function(dialect)
            zeros = [dialect.literal(0, dtype) for dtype in op.parameters] + ["0"] * op.indexed
            dtype = dialect.pointer(op.result, const=False)
            store = dialect.store(op.result, f"(({dtype})m0)", "0", f"{name}({', '.join(zeros)})")
            return dialect.program(text + dialect.kernel("k", "w", 0, f"  {store}"))

        self._keep_code(key, compiled(self.name, device, source, self._texts()).source)

    def _keep_code(self, key: Any, text: str) -> None:
        if len(self._cached_codes) >= _REMEMBERED:
            self._cached_codes.clear()
        self._cached_codes[key] = text

    def _texts(self) -> dict[str, str]:
        return {
            self.name: self.operation,
            f"{self.name} (preamble)": self.preamble,
            f"{self.name} (loop_prep)": self.loop_prep,
            f"{self.name} (after_loop)": self.after_loop,
        }

    # As a launch

    def _launch(
        self, types: Types, given: Sequence[Any], results: Sequence[Array] | None, size: int | None, group: int
    ) -> Any:
        like = next((x for x in (*given, *(results or ())) if isinstance(x, Array)), None)
        shape = self._shape(given, results, size)
        scalars = [not isinstance(x, Array) for x in given]
        body = self._body(types, scalars)
        outs = self._results(body, results, shape, like)
        like = like if like is not None else outs[0]
        held = [_raw(x) if p.raw else broadcast(x, shape) for p, x in _arrays(body.inputs, given)]
        read = [x for (p, _), x in zip(_arrays(body.inputs, given), held, strict=True) if not p.raw]
        targets = [_raw(x) if p.raw else _apart(x, read) for p, x in zip(body.outputs, outs, strict=True)]
        raws = [p.raw for p in (*body.inputs, *body.outputs) if not p.scalar]
        operands = [*held, *targets]
        if "ndim" in self._words:
            body = _with_axes(body, held, targets)
        count = int(np.prod(shape, dtype=object))
        steps = [x.strides for x, raw in zip(operands, raws, strict=True) if not raw]
        sizes, flat = (tuple(shape), steps) if "_ind" in self._words else collapse(shape, steps)
        if not steps and "_ind" not in self._words:
            sizes = ()
        loaded = [results is not None and reads for reads in self._reads]
        kernel = self._kernel(body, len(sizes), loaded, like.device)
        slots = [count, *sizes]
        moving = iter(flat)
        for x, raw in zip(operands, raws, strict=True):
            slots.append(_core.byte_offset(x))
            slots += raw_slots(x) if raw else next(moving)
        for p, x in zip(body.inputs, given, strict=True):
            if p.scalar:
                slots += scalar_slots(scalar(self.name, p.name, x, p.dtype).item(), p.dtype)
        if count:
            group = min(group, kernel.max_work_group_size)
            groups = min(-(-count // group), 65535 if like.device.strategy == "gpu" else 1 << 30)
            writes = written(self.name, len(held), len(operands))
            _core.launch(kernel, (groups,), (group,), operands, slots, writes)
        for x, target in zip(outs, targets, strict=True):
            if x is not target:
                x[...] = target.reshape(x.shape)
        return self._answer(outs)

    def _kernel(self, body: Body, ndim: int, loaded: Sequence[bool], device: Any) -> Any:
        made = compiled(
            self.name, device, lambda dialect: element_kernel(body, ndim, loaded, dialect), self._texts(), self.options
        )
        self._keep_code((body, ndim, tuple(loaded), device.serial), made.source)
        return made.kernel

    def _shape(self, given: Sequence[Any], results: Sequence[Array] | None, size: int | None) -> tuple[int, ...]:
        """Of the elements that the kernel runs over."""
        pairs = [*zip(self.in_params, given, strict=True), *zip(self.out_params, results or (), strict=False)]
        shapes = [x.shape for p, x in pairs if isinstance(x, Array) and not p.raw]
        if size is not None:
            if shapes:
                raise ValueError(
                    "Specified 'size' can be used only if all of the ndarray are 'raw'. Here the shape of an array "
                    "that is not raw decides the size"
                )
            return (int(size),)
        if not shapes:
            raise ValueError(f"Loop size is undecided. No array of {self.name!r} has a shape to run over: give size=")
        return np.broadcast_shapes(*shapes)

    def _results(
        self, body: Body, results: Sequence[Array] | None, shape: tuple[int, ...], like: Array | None
    ) -> list[Array]:
        if results is None:
            place = (None, None) if like is None else place_near(like)
            return [_core.empty(shape, np.dtype(p.dtype), *place) for p in body.outputs]
        for p, x in zip(body.outputs, results, strict=True):
            if not p.raw and x.shape != shape:
                raise ShapeError(
                    f"{self.name}: Out shape is mismatched: {p.name} has shape {x.shape}, and the result is {shape}"
                )
        return list(results)


def _function(body: Body, indexed: bool, dialect: Any) -> tuple[str, str]:
    return element_function(body, user.place_of(body), indexed, dialect)


def _arrays(parameters: Sequence[Parameter], given: Sequence[Any]) -> list[tuple[Parameter, Any]]:
    return [(p, x) for p, x in zip(parameters, given, strict=True) if not p.scalar]


def _with_axes(body: Body, inputs: Sequence[Array], outputs: Sequence[Array]) -> Body:
    """A body whose raw arrays say how many axes they have."""
    arrays = iter(inputs)
    taken = tuple(p if p.scalar else replace(p, ndim=next(arrays).ndim) for p in body.inputs)
    made = tuple(replace(p, ndim=x.ndim) for p, x in zip(body.outputs, outputs, strict=True))
    return replace(body, inputs=taken, outputs=made)


def _apart(x: Array, inputs: Sequence[Array]) -> Array:
    """The array of a result, or a copy where an input lies in it otherwise than element upon element: what one
    work-item writes another one may still read."""
    for a in inputs:
        upon = a.strides == x.strides and a.itemsize == x.itemsize and _core.byte_offset(a) == _core.byte_offset(x)
        if _core.shares_memory(a, x) and not upon:
            return x.copy()
    return x


def _raw(x: Array) -> Array:
    """An array as a pointer to its elements in C order."""
    return _core.contiguous(x)


def _reads(text: str, name: str) -> bool:
    """Whether a text may read a result, or leave it as it was: its first use is not a plain assignment that always
    happens."""
    flat = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.S)
    first = re.search(rf"(?<![\w.>]){re.escape(name)}\b", flat)
    if first is None:
        return True
    before = flat[: first.start()]
    if any(before.count(a) != before.count(b) for a, b in ("()", "{}", "[]")) or re.search(
        r"\b(return|goto)\b", before
    ):
        return True
    start = re.search(r"[;}]?\s*$", before)
    alone = not before.strip() or (start is not None and start[0].strip() in (";", "}"))
    return not alone or not re.match(r"\s*=(?!=)", flat[first.end() :])
