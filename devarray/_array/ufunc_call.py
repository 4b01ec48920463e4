"""A ufunc's call with NumPy's parameters: `out`, `where`, `dtype`, `casting` and `signature`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from devarray import _core
from devarray._array.operations import OP
from devarray._array.order import order_of
from devarray._array.out import checked_cast, write_out
from devarray._array.protocols import PROTOCOLS
from devarray._core import ArrayBase
from devarray._runtime.config import config
from devarray.errors import DTypeError, ValueError
from devarray.ops.table import OPS, SPECIAL

if TYPE_CHECKING:
    from devarray._typing import BoolLike

__all__ = [
    "OF_UFUNC",
    "REDUCTIONS",
    "call",
    "check_casting",
    "elementwise",
    "in_loop_of",
    "is_masked",
    "is_scipys",
    "no_kernel",
    "of_scalars",
    "one_signature",
    "operation_of",
    "targets_of",
    "writable",
]

REDUCTIONS = {
    "add": "sum",
    "multiply": "prod",
    "minimum": "min",
    "maximum": "max",
    "logical_and": "all",
    "logical_or": "any",
}
"""The methods of arrays that are reductions by ufuncs."""

_SCALARS = (bool, int, float, complex, np.generic)
_NUMBERS = (int, float, complex)  # which take the dtype of what stands beside them

OF_UFUNC = {op.ufunc: OP[op.name] for op in OPS.values() if op.ufunc}
OF_UFUNC |= {op.ufunc: OP[op.name] for op in OPS.values() if op.name.startswith("np_")}  # NumPy's way
OF_UFUNC |= {"degrees": OP["rad2deg"], "radians": OP["deg2rad"]}  # ufuncs of their own in NumPy
"""The operation of each of NumPy's ufuncs, by the ufunc's name."""

_OF_SCIPY = {op.name: OP[op.name] for op in OPS.values() if op.flags & SPECIAL}
_OF_SCIPY |= {name: OP[name] for name in ("cbrt", "exp2", "expm1", "i0", "log1p")} | {"psi": OP["digamma"]}
_OF_SCIPY |= {"round": OP["rint"]}


def operation_of(ufunc: Any) -> int | None:
    """The operation of a ufunc of NumPy's or of scipy.special's; None where there is none."""
    name = ufunc.__name__
    if getattr(np, name, None) is ufunc:
        return OF_UFUNC.get(name)
    return _OF_SCIPY.get(name) if is_scipys(ufunc) else None


def is_scipys(ufunc: Any) -> bool:
    """Whether a ufunc is scipy.special's."""
    module = sys.modules.get("scipy.special._ufuncs")
    return module is not None and getattr(module, ufunc.__name__, None) is ufunc


def is_masked(x: object) -> bool:
    """Whether something is a masked array of NumPy's, of which asarray() would take the hidden values, too."""
    module = sys.modules.get("numpy.ma")
    return module is not None and isinstance(x, module.MaskedArray)


def elementwise(
    name: str,
    inputs: tuple[Any, ...],
    out: object,
    where: BoolLike,
    casting: str,
    order: str,
    dtype: Any,
    signature: Any,
) -> Any:
    """What devarray's own functions do with NumPy's parameters."""
    if out is ...:
        return writable(elementwise(name, inputs, None, where, casting, order, dtype, signature))
    ufunc = getattr(np, OPS[name].ufunc or name, None)
    if (dtype is not None or signature is not None) and not isinstance(ufunc, np.ufunc):
        raise DTypeError(f"{name} takes no dtype= and signature=; cast with astype()")
    kwargs = {"where": where, "casting": casting, "order": order}
    kwargs |= {key: value for key, value in (("dtype", dtype), ("signature", signature)) if value is not None}
    if _of_dates(inputs):
        return PROTOCOLS["ufunc_of_dates"](name, ufunc, inputs, out=out, **_given(kwargs))
    if isinstance(ufunc, np.ufunc) and any(map(is_masked, (*inputs, where))):
        return PROTOCOLS["on_host_alone"](ufunc, f"{name} of a masked array")(*inputs, out=out, **_given(kwargs))
    targets = targets_of(name, out)
    if not any(isinstance(x, ArrayBase) for x in inputs):
        if targets is None and where is True and ufunc is not None and all(isinstance(x, _SCALARS) for x in inputs):
            return ufunc(*inputs, **kwargs) if isinstance(ufunc, np.ufunc) else ufunc(*inputs)
        operands = inputs
        if isinstance(ufunc, np.ufunc) and PROTOCOLS["are_asked"](operands, "__array_ufunc__"):
            return ufunc(*operands, out=out, **_given(kwargs))
        try:
            inputs = PROTOCOLS["as_arrays"](name, *operands)
        except DTypeError as error:
            return PROTOCOLS["ufunc_of_objects"](ufunc, name, operands, error, out=out, **_given(kwargs))
        if dtype is None and targets is None:
            made = call(ufunc, name, inputs, None, kwargs, lambda *x: (_core.apply(OP[name], *x),))
            return PROTOCOLS["rounded"](made, operands)
    return call(ufunc, name, inputs, targets, kwargs, lambda *x: (_core.apply(OP[name], *x),))


def one_signature(name: str, signature: Any, sig: Any) -> Any:
    """The signature, which NumPy takes under either of its names."""
    if sig is None:
        return signature
    if signature is not None:
        raise DTypeError(f"{name}: cannot specify both 'sig' and 'signature', which mean the same")
    return sig


def writable(made: Any) -> Any:
    """What ``out=...`` gives: results that are arrays, also without axes, where they would be values."""
    if isinstance(made, tuple):
        return tuple(map(writable, made))
    (x,) = PROTOCOLS["as_arrays"]("out", made)
    return x[...] if isinstance(x, ArrayBase) and _core.is_value(x) else x


def of_scalars(name: str, *operands: object) -> Any:
    """What an operation gives where no operand is an array: of scalars NumPy's value, on the host; else arrays."""
    ufunc = getattr(np, OPS[name].ufunc or name, None)
    if ufunc is not None and all(isinstance(x, _SCALARS) for x in operands):
        return ufunc(*operands)
    if _of_dates(operands):
        return PROTOCOLS["ufunc_of_dates"](name, ufunc, operands)
    if ufunc is not None and any(map(is_masked, operands)):
        return PROTOCOLS["on_host_alone"](ufunc, f"{name} of a masked array")(*operands)
    if isinstance(ufunc, np.ufunc) and PROTOCOLS["are_asked"](operands, "__array_ufunc__"):
        return ufunc(*operands)
    try:
        moved = PROTOCOLS["as_arrays"](name, *operands)
    except DTypeError as error:
        return PROTOCOLS["ufunc_of_objects"](ufunc, name, operands, error)
    if name == "where" and any(_is_record(x) for x in moved):
        return PROTOCOLS["records_moved"](sys.modules["devarray"].where, moved, {})
    others = [x for x in moved if not isinstance(x, (ArrayBase, *_SCALARS))]
    if others or not any(isinstance(x, ArrayBase) for x in moved):
        given = " and ".join(sorted({type(x).__name__ for x in others or moved}))
        raise DTypeError(
            f"{name} is defined for numbers, not for the {given} given; compute with its fields, as x['field'],"
            " or on the host with copy_to_host()"
        )
    return PROTOCOLS["rounded"](_core.apply(OP[name], *moved), operands)


def _is_record(x: object) -> bool:
    dtype = getattr(x, "dtype", None)
    return getattr(dtype, "kind", "") == "V" and getattr(dtype, "name", "") != "bfloat16"


def _of_dates(operands: tuple[Any, ...]) -> bool:
    """Whether dates or durations are among them, and not scalars of NumPy's alone."""
    for x in operands:
        if not isinstance(x, ArrayBase) and getattr(getattr(x, "dtype", None), "kind", "") in ("m", "M"):
            return not all(isinstance(x, _SCALARS) for x in operands)
    return False


def _given(kwargs: dict[str, Any]) -> dict[str, Any]:
    """The parameters of a ufunc's call that are not the default's."""
    defaults = {"where": True, "casting": "same_kind", "order": "K"}
    return {key: value for key, value in kwargs.items() if value is not defaults.get(key)}


def targets_of(name: str, out: object, results: int = 1) -> tuple[Any, ...] | None:
    """Where each of a function's results goes; None where all of them are new arrays."""
    if out is not None and not isinstance(out, tuple) and results > 1:
        raise DTypeError(
            f"{name}: 'out' must be a tuple of arrays, of one for each of the {results} results, not "
            f"{type(out).__name__}; give None for a new array"
        )
    targets = out if out is None or isinstance(out, tuple) else (out,)
    if targets is not None and len(targets) != results:
        raise ValueError(
            f"The 'out' tuple must have exactly one entry per ufunc output: {name} has {results}, {len(targets)} were "
            "given"
        )
    for target in targets or ():
        of_host = isinstance(target, np.ndarray) and config.fallback == "allow"
        ours = isinstance(target, ArrayBase) or of_host or target is None
        if not ours and PROTOCOLS["computed_in"](target) is None:
            raise DTypeError(
                f"{name}: return arrays must be of ArrayType: out= is a device array where an operand is one, not "
                f"{type(target).__name__}"
            )
    return targets


def no_kernel(name: str, method: str) -> DTypeError:
    return DTypeError(f"numpy.{name}{'' if method == '__call__' else '.' + method} has no device kernel")


def call(
    ufunc: object,
    name: str,
    inputs: Sequence[Any],
    targets: Any,
    kwargs: dict[str, Any],
    compute: Callable[..., tuple[Any, ...]] | None = None,
) -> Any:
    watched = _core.count_float_watchers() > 0
    if compute is None and not kwargs and targets is None and not watched:
        operation = operation_of(ufunc)
        if operation is not None:
            return _core.apply(operation, *inputs)
    mask = kwargs.pop("where", True)
    casting = kwargs.pop("casting", "same_kind")
    kwargs.pop("subok", None)
    order = order_of(kwargs.pop("order", "K"), name=f"numpy.{name}")
    dtype, signature = kwargs.pop("dtype", None), kwargs.pop("signature", None)
    compute = compute or _single(ufunc)
    check_casting(casting)
    if isinstance(ufunc, np.ufunc) and (dtype is not None or signature is not None or casting != "same_kind"):
        inputs = in_loop_of(ufunc, inputs, dtype, signature, casting)
    results = compute(*inputs)
    if watched:
        PROTOCOLS["float_errors"](name, tuple(inputs), results, mask)
    if kwargs:
        raise DTypeError(f"numpy.{name} on device arrays does not take {', '.join(kwargs)}")
    if dtype is not None and len(results) == 1 and results[0].dtype != np.dtype(dtype) and signature is None:
        results = (checked_cast(f"numpy.{name}", results[0], np.dtype(dtype), casting),)
    if order != "K":
        letter = _one_order(inputs) if order == "A" else order
        results = tuple(_ordered(x, letter) for x in results)
    targets = targets or (None,) * len(results)
    answers = tuple(
        write_out(f"numpy.{name}", r, t, where=mask, casting=casting, spread=True)
        for r, t in zip(results, targets, strict=True)
    )
    return answers if len(answers) > 1 else answers[0]


def check_casting(casting: Any) -> None:
    """NumPy's error for a rule that it does not know."""
    if casting != "same_kind":
        np.can_cast(np.int8, np.int8, casting)


def _one_order(inputs: Sequence[Any]) -> str:
    """What "A" means for a ufunc's results: column-major where all operands lie so, else row-major."""
    arrays = [x for x in inputs if not isinstance(x, _SCALARS)]
    columns = (
        _core.is_contiguous(x, "F") if isinstance(x, ArrayBase) else np.asarray(x).flags.f_contiguous for x in arrays
    )
    return "F" if all(columns) else "C"


def _ordered(x: Any, order: str) -> Any:
    return x.copy(order) if getattr(x, "ndim", 0) > 1 else x


def _single(ufunc: Any) -> Callable[..., tuple[Any]]:
    operation = operation_of(ufunc)
    if operation is None:
        raise no_kernel(ufunc.__name__, "__call__")
    return lambda *inputs: (_core.apply(operation, *inputs),)


def in_loop_of(ufunc: np.ufunc, inputs: Sequence[Any], dtype: Any, signature: Any, casting: Any) -> tuple[Any, ...]:
    """The inputs in the dtypes of the loop that NumPy would take."""
    if dtype is not None and signature is not None:
        raise DTypeError(f"{ufunc.__name__} takes one of signature= and dtype=, which is the signature's last part")
    inputs = [x if isinstance(x, (ArrayBase, *_SCALARS)) else np.asarray(x) for x in inputs]
    # resolve_dtypes() ends the process where it raises beside Python's numbers, so that it is told dtypes alone.
    typed = [x.dtype for x in inputs if type(x) not in _NUMBERS and not isinstance(x, bool)]
    typed = typed if dtype is None else [np.dtype(dtype)]
    given = [
        np.result_type(*typed, type(x)()) if type(x) in _NUMBERS else getattr(x, "dtype", np.dtype(bool))
        for x in inputs
    ] + [None] * ufunc.nout
    if dtype is not None:
        signature = (None,) * ufunc.nin + (np.dtype(dtype),) * ufunc.nout
    wanted = {} if signature is None else {"signature": signature}
    try:
        loop = ufunc.resolve_dtypes(tuple(given), casting=casting, **wanted)
    except TypeError as error:
        raise DTypeError(f"numpy.{ufunc.__name__}: {error}") from None
    return tuple(
        target.type(x)
        if isinstance(x, _SCALARS)
        else _core.astype(x, target)
        if isinstance(x, ArrayBase)
        else x.astype(target)
        for x, target in zip(inputs, loop[: ufunc.nin], strict=True)
    )
