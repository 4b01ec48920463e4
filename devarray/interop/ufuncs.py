"""NumPy's ufuncs on device arrays: ``__array_ufunc__``. Nothing here copies to the host."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from devarray import _core, mathematics
from devarray.arguments import expect
from devarray.array import OP, PROTOCOLS, Array, normalize_axes
from devarray.errors import DTypeError, ValueError
from devarray.host import numbers_in
from devarray.ops.table import OPS
from devarray.outputs import checked_cast, into

__all__: list[str] = []

_OF_UFUNC = {op.ufunc: OP[op.name] for op in OPS.values() if op.ufunc}
_OF_UFUNC |= {op.ufunc: OP[op.name] for op in OPS.values() if op.name.startswith("np_")}  # NumPy's way
_OF_UFUNC |= {"degrees": OP["rad2deg"], "radians": OP["deg2rad"]}  # ufuncs of their own in NumPy

_REDUCTIONS = {
    "add": "sum",
    "multiply": "prod",
    "minimum": "min",
    "maximum": "max",
    "logical_and": "all",
    "logical_or": "any",
}
_ACCUMULATIONS = {
    "add": "sum",
    "multiply": "prod",
    "minimum": "min",
    "maximum": "max",
    "logical_and": "min",
    "logical_or": "max",
}
_PRODUCTS = ("matmul", "matvec", "vecdot", "vecmat")  # ufuncs over whole axes
_IDENTITIES = {"sum": 0, "prod": 1, "all": True, "any": False}


def _array_ufunc(ufunc: np.ufunc, method: str, inputs: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """What ``Array.__array_ufunc__`` does."""
    if not isinstance(ufunc, np.ufunc):
        expect("__array_ufunc__", "ufunc", ufunc, np.ufunc)
    name = ufunc.__name__
    inputs = tuple(x[()] if isinstance(x, np.ndarray) and x.ndim == 0 else x for x in inputs)  # what scalars become
    if any(isinstance(value, np.ndarray) for value in inputs):
        raise DTypeError(f"{name} got a device array and a NumPy array; move the latter with devarray.asarray()")
    targets = _targets(f"numpy.{name}", kwargs.pop("out", None))
    found = _METHODS.get(method)
    if found is None:
        raise _missing(name, method)
    return found(ufunc, name, inputs, targets, kwargs)


def _targets(name: str, out: Any) -> tuple[Array | None, ...] | None:
    targets = out if out is None or isinstance(out, tuple) else (out,)
    for target in targets or ():
        if target is not None and not isinstance(target, Array):
            raise DTypeError(f"{name}: out= is a device array where an operand is one, not {type(target).__name__}")
    return targets


def _elementwise(name: str, inputs: tuple[Any, ...], out: Any, where: Any, dtype: Any) -> Array:
    """What devarray's own functions do with NumPy's parameters."""
    if not any(isinstance(x, Array) for x in inputs):
        raise DTypeError(f"{name}: out=, where= and dtype= are for device arrays; none is among the operands")
    ufunc = getattr(np, OPS[name].ufunc or name, None)
    if dtype is not None and not isinstance(ufunc, np.ufunc):
        raise DTypeError(f"{name} takes no dtype=; cast with astype()")
    kwargs = {"where": where, "dtype": dtype}
    return _call(ufunc, name, inputs, _targets(name, out), kwargs, lambda *x: (_core.apply(OP[name], *x),))


def _of_scalars(name: str, *scalars: Any) -> Any:
    """What an operation gives where no operand is an array: NumPy's value, on the host."""
    operation = getattr(np, OPS[name].ufunc or name)
    return operation(*scalars)


def _missing(name: str, method: str) -> DTypeError:
    return DTypeError(f"numpy.{name}{'' if method == '__call__' else '.' + method} has no device kernel")


# --- calls ---------------------------------------------------------------------------------------------------------


def _call(
    ufunc: Any,
    name: str,
    inputs: Sequence[Any],
    targets: Any,
    kwargs: dict[str, Any],
    compute: Callable[..., tuple[Array, ...]] | None = None,
) -> Any:
    if name in _OF_UFUNC and not kwargs and targets is None:
        return _core.apply(_OF_UFUNC[name], *inputs)
    mask = kwargs.pop("where", True)
    casting = kwargs.pop("casting", "same_kind")
    kwargs.pop("subok", None)
    kwargs.pop("order", None)  # a hint about the result's strides
    dtype, signature = kwargs.pop("dtype", None), kwargs.pop("signature", None)
    if name in _PRODUCTS and mask is True and dtype is None and signature is None:
        results: tuple[Any, ...] = (getattr(import_module("devarray.linalg.products"), name)(*inputs, **kwargs),)
        kwargs = {}
    else:
        compute = compute or _SEVERAL.get(name) or _single(name)
        if dtype is not None or signature is not None or casting != "same_kind":
            inputs = _cast_inputs(ufunc, inputs, dtype, signature, casting)
        results = compute(*inputs)
    if kwargs:
        raise DTypeError(f"numpy.{name} on device arrays does not take {', '.join(kwargs)}")
    if dtype is not None and len(results) == 1 and results[0].dtype != np.dtype(dtype) and signature is None:
        results = (checked_cast(f"numpy.{name}", results[0], np.dtype(dtype), casting),)
    targets = targets or (None,) * len(results)
    answers = tuple(
        into(f"numpy.{name}", r, t, where=mask, casting=casting, spread=True)
        for r, t in zip(results, targets, strict=True)
    )
    return answers if len(answers) > 1 else answers[0]


def _single(name: str) -> Callable[..., tuple[Array]]:
    if name not in _OF_UFUNC:
        raise _missing(name, "__call__")
    return lambda *inputs: (_core.apply(_OF_UFUNC[name], *inputs),)


def _cast_inputs(ufunc: np.ufunc, inputs: Sequence[Any], dtype: Any, signature: Any, casting: Any) -> tuple[Any, ...]:
    """The inputs in the dtypes of the loop that NumPy would take."""
    given = [x.dtype if isinstance(x, Array | np.generic) else type(x) for x in inputs] + [None] * ufunc.nout
    if dtype is not None:
        signature = (None,) * ufunc.nin + (np.dtype(dtype),) * ufunc.nout
    try:
        loop = ufunc.resolve_dtypes(tuple(given), signature=signature, casting=casting)
    except TypeError as error:
        raise DTypeError(f"numpy.{ufunc.__name__}: {error}") from None
    return tuple(
        x.astype(target, copy=False) if isinstance(x, Array) else target.type(x)
        for x, target in zip(inputs, loop[: ufunc.nin], strict=True)
    )


# --- ufuncs that are not one operation ------------------------------------------------------------------------------


def _divmod(a: Any, b: Any) -> tuple[Array, Array]:
    return _core.apply(_OF_UFUNC["floor_divide"], a, b), _core.apply(OP["remainder"], a, b)


_SEVERAL: dict[str, Callable[..., tuple[Array, ...]]] = {
    "divmod": _divmod,  # NumPy's way
    "frexp": mathematics.frexp,
    "ldexp": lambda x, n: (mathematics.ldexp(x, n),),
    "modf": mathematics.modf,
}


# --- methods -------------------------------------------------------------------------------------------------------


def reduction(
    name: str,
    x: Array,
    axis: Any = None,
    dtype: Any = None,
    keepdims: bool = False,
    initial: Any = np._NoValue,
    where: Any = True,
) -> Array:
    """A reduction with NumPy's `initial` and `where`."""
    kind = name
    identity = _IDENTITIES.get(kind, initial) if initial is not None else np._NoValue
    if initial is None:  # NumPy's word for: begin with an element
        initial = np._NoValue
        result = _reduce(kind, x, axis, dtype, keepdims) if x.size == 0 and where is True else None
        if result is not None and result.size:
            raise ValueError(f"numpy.{kind}: an array without elements has nothing to begin with; give initial=")
    if where is not True:
        if identity is np._NoValue:
            raise ValueError(f"numpy.{kind} has no identity, so that where= needs initial=")
        x = _core.apply(OP["where"], where, x, _like(x, identity))
    if initial is np._NoValue:
        return _reduce(kind, x, axis, dtype, keepdims)
    if x.size == 0 and kind in ("min", "max"):
        empty = _reduce("sum", x, axis, x.dtype if x.dtype.kind != "b" else None, keepdims)
        initial = initial if isinstance(initial, Array) else numbers_in(initial, x.dtype)[()]
        return _core.full(empty.shape, x.dtype, initial, x.queue, x.allocator)
    result = _reduce(kind, x, axis, dtype, keepdims)
    initial = (  # in the result's dtype, which it does not widen
        initial.astype(result.dtype) if isinstance(initial, Array) else numbers_in(initial, result.dtype)[()]
    )
    combine = {"sum": "add", "prod": "multiply", "min": "minimum", "max": "maximum"}[kind]
    return _core.apply(OP[combine], result, initial)


def _like(x: Array, value: Any) -> Any:
    """A Python scalar that keeps the dtype of `x`."""
    return bool(value) if x.dtype.kind == "b" else int(value) if isinstance(value, bool) else value


def _reduce(kind: str, x: Array, axis: Any, dtype: Any, keepdims: bool) -> Array:
    more = {} if dtype is None else {"dtype": dtype}
    if dtype is not None and kind not in ("sum", "prod"):
        if kind in ("min", "max"):
            return getattr(x.astype(dtype, copy=False), kind)(axis=axis, keepdims=keepdims)
        more = {}
    return getattr(x, kind)(axis=axis, keepdims=keepdims, **more)


def _reduce_method(ufunc: np.ufunc, name: str, inputs: Sequence[Any], targets: Any, kwargs: dict[str, Any]) -> Any:
    (x,) = inputs
    axis = kwargs.pop("axis", 0)
    if x.ndim == 0 and axis in (0, -1):
        axis = None
    if name in _REDUCTIONS:
        result = reduction(_REDUCTIONS[name], x, axis, **kwargs)
    else:
        result = _reduce_by_halves(ufunc, x, axis, **kwargs)
    return into(f"numpy.{name}.reduce", result, targets and targets[0])


def _reduce_by_halves(
    ufunc: np.ufunc,
    x: Array,
    axis: Any,
    dtype: Any = None,
    keepdims: bool = False,
    initial: Any = np._NoValue,
    where: Any = True,
) -> Array:
    segments = import_module("devarray.interop.segments")
    if segments.COMBINED_BY.get(ufunc.__name__) != ufunc.__name__:
        raise _missing(ufunc.__name__, "reduce")
    if dtype is not None or ufunc.__name__ == "logical_xor":
        x = x.astype(np.bool_ if dtype is None else dtype, copy=False)
    axes = list(range(x.ndim)) if axis is None else normalize_axes(axis, x.ndim)
    result: Array = segments.reduce(ufunc, x, axes, keepdims, initial, where)
    return result


def _accumulate_method(ufunc: np.ufunc, name: str, inputs: Sequence[Any], targets: Any, kwargs: dict[str, Any]) -> Any:
    if name not in _ACCUMULATIONS:
        raise _missing(name, "accumulate")
    (x,) = inputs
    axis, dtype = kwargs.pop("axis", 0), kwargs.pop("dtype", None)
    if _ACCUMULATIONS[name] in ("min", "max"):
        x = x.astype(np.bool_ if name.startswith("logical") else x.dtype if dtype is None else dtype, copy=False)
        dtype = x.dtype  # where sums widen
    result = import_module("devarray.statistical").running(x, _ACCUMULATIONS[name], axis, dtype)
    if kwargs:
        raise DTypeError(f"numpy.{name}.accumulate on device arrays does not take {', '.join(kwargs)}")
    return into(f"numpy.{name}.accumulate", result, targets and targets[0])


def _outer_method(ufunc: np.ufunc, name: str, inputs: Sequence[Any], targets: Any, kwargs: dict[str, Any]) -> Any:
    a, b = (x if isinstance(x, Array) else np.asarray(x)[()] for x in inputs)  # scalars bring their dtype here
    depth = b.ndim if isinstance(b, Array) else 0
    spread = a.reshape(a.shape + (1,) * depth) if isinstance(a, Array) else a
    return _call(ufunc, name, (spread, b), targets, kwargs)


def _at_method(ufunc: np.ufunc, name: str, inputs: Sequence[Any], targets: Any, kwargs: dict[str, Any]) -> None:
    segments = import_module("devarray.interop.segments")
    if name not in segments.COMBINED_BY or len(inputs) != 3 or not isinstance(inputs[0], Array):
        raise _missing(name, "at")
    segments.at(ufunc, *inputs)


def _reduceat_method(ufunc: np.ufunc, name: str, inputs: Sequence[Any], targets: Any, kwargs: dict[str, Any]) -> Any:
    segments = import_module("devarray.interop.segments")
    x, indices = inputs
    if segments.COMBINED_BY.get(name) != name or not isinstance(x, Array):
        raise _missing(name, "reduceat")
    dtype, axis = kwargs.pop("dtype", None), kwargs.pop("axis", 0)
    if kwargs:
        raise DTypeError(f"numpy.{name}.reduceat on device arrays does not take {', '.join(kwargs)}")
    if name.startswith("logical"):
        x = x.astype(np.bool_, copy=False)
    elif dtype is not None or name in ("add", "multiply"):  # sums of integers are 64 bits wide, as reduce has them
        x = x.astype(dtype if dtype is not None else _sum_dtype(x.dtype), copy=False)
    result = segments.reduceat(OP[name], x, indices, axis)
    return into(f"numpy.{name}.reduceat", result, targets and targets[0])


def _sum_dtype(dtype: np.dtype) -> np.dtype:
    wide = {"b": np.int64, "i": np.int64, "u": np.uint64}.get(dtype.kind, dtype)
    return np.dtype(wide)


_METHODS = {
    "__call__": _call,
    "reduce": _reduce_method,
    "accumulate": _accumulate_method,
    "outer": _outer_method,
    "at": _at_method,
    "reduceat": _reduceat_method,
}

PROTOCOLS["__array_ufunc__"] = _array_ufunc
