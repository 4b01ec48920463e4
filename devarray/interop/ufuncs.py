"""NumPy's ufuncs on device arrays: ``__array_ufunc__``. Only ``out=`` of the host copies there, where it may."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from devarray import _core
from devarray._array.masked import reduction
from devarray._array.numbers import in_integers, stored_number
from devarray._array.out import summed_in, write_out
from devarray._array.protocols import PLAIN_CALLS, PROTOCOLS, overrides
from devarray._array.ufunc_call import OF_UFUNC, REDUCTIONS, call, is_scipys, no_kernel, operation_of, targets_of
from devarray._primitives.convert import as_operand, asarray, has_own_functions
from devarray._primitives.host import announce
from devarray._primitives.host_calls import on_host
from devarray._primitives.join import stack
from devarray._primitives.opaque import OpaqueArray
from devarray._primitives.opaque_numbers import computed_in
from devarray._primitives.operands import as_arrays, asarray_like
from devarray._primitives.small import few_accumulated
from devarray._routines.manipulation.shapes import expand_dims
from devarray._routines.manipulation.splitting import unstack
from devarray._routines.math import parts
from devarray._runtime.arguments import expect
from devarray._runtime.config import config
from devarray.array import OP, Array, normalize_axis, reduced_axes
from devarray.errors import DTypeError, ValueError
from devarray.ops.dtypes import on_no_device
from devarray.ops.table import OPS

if TYPE_CHECKING:
    from devarray._typing import BoolLike, DTypeLike

__all__: list[str] = []

_ACCUMULATIONS = {
    "add": "sum",
    "multiply": "prod",
    "minimum": "min",
    "maximum": "max",
    "logical_and": "min",
    "logical_or": "max",
}


def array_ufunc(ufunc: np.ufunc, method: str, inputs: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """What ``Array.__array_ufunc__`` does."""
    if not isinstance(ufunc, np.ufunc):
        expect("__array_ufunc__", "ufunc", ufunc, np.ufunc)
    name = ufunc.__name__
    if method != "__call__" and "out" not in kwargs and ufunc is not np.power and _are_plain(inputs):
        found = _METHODS.get(method)
        if found is not None:
            return found(ufunc, name, inputs, None, kwargs)
    if method == "__call__" and _of_dates(inputs):
        return PROTOCOLS["ufunc_of_dates"](name, ufunc, inputs, **kwargs)
    out = kwargs.pop("out", None)
    found = _METHODS.get(method)
    if found is None:
        raise no_kernel(name, method)
    targets = [x for x in out or () if computed_in(x) is None]
    if any(map(_overrides, (*inputs, *targets, kwargs.get("where")))):
        return NotImplemented
    if config.fallback == "allow" and any(map(_of_host_alone, (*inputs, *(out or ())))):
        return on_host(getattr(ufunc, method))(*inputs, **_named(out), **kwargs)
    into_host = out is not None and _into_host(out)
    if into_host and method == "__call__" and all(map(_of_host, (*inputs, kwargs.get("where")))):
        numbers = {key: _number_on_host(x) for key, x in kwargs.items()}
        return ufunc(*map(_number_on_host, inputs), out=out, **numbers)
    if ufunc is np.power and method in ("__call__", "outer", "at") and in_integers(kwargs):
        _core.require_known_power(inputs[0], inputs[-1])
    inputs = _moved(method, inputs, out, kwargs)
    if into_host and config.fallback == "allow":
        return _to_host(found(ufunc, name, inputs, None, dict(kwargs)), out[0], kwargs)
    return found(ufunc, name, inputs, targets_of(f"numpy.{name}", out, ufunc.nout), kwargs)


_MAY_BE_DATES = (np.ndarray, np.generic, OpaqueArray)
_PYTHONS = (bool, int, float, complex)
_OURS = (Array, np.ndarray, np.generic, int, float, complex, list, tuple)


def _of_dates(inputs: Sequence[Any]) -> bool:
    for x in inputs:  # noqa: SIM110 (a generator takes twice the time)
        if not isinstance(x, Array) and isinstance(x, _MAY_BE_DATES) and x.dtype.kind in "mM":
            return True
    return False


def _are_plain(inputs: Sequence[Any]) -> bool:
    """Whether all are arrays of ours and Python's numbers, which no check concerns."""
    for x in inputs:
        if type(x) is not Array and type(x) not in _PYTHONS:
            return False
    return type(inputs[0]) is Array


def _into_host(out: Any) -> bool:
    return isinstance(out, tuple) and len(out) == 1 and isinstance(out[0], np.ndarray)


def _of_host(x: object) -> bool:
    """Whether an operand is the host's. Numbers are, on the device or not, and are read as ``float()`` reads them."""
    return isinstance(x, np.ndarray) or not getattr(x, "ndim", 0)


def _number_on_host(x: Any) -> Any:
    return x.copy_to_host()[()] if isinstance(x, Array) else x


def _overrides(x: object) -> bool:
    """Whether x is an array of another library that has ufuncs of its own."""
    if isinstance(x, np.ndarray):
        return overrides(type(x), "__array_ufunc__")
    return not isinstance(x, _OURS) and getattr(type(x), "__array_ufunc__", None) is not None


def _of_host_alone(x: object) -> bool:
    """Whether x is what no device holds: of such a dtype, or an array of a class of its own, as the result is."""
    if isinstance(x, np.generic):
        return on_no_device(x.dtype)
    return isinstance(x, np.ndarray) and (on_no_device(x.dtype) or has_own_functions(type(x)))


def _named(out: Any) -> dict[str, Any]:
    if out is None:
        return {}
    return {"out": out[0] if len(out) == 1 else out}


def _moved(method: str, inputs: Sequence[Any], out: Any, kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """The inputs, host arrays among them where the first device array is. Places stay: the host checks them."""
    like = next(x for x in (*inputs, *(out or ()), kwargs.get("where")) if isinstance(x, Array))
    if method == "__call__" and not any(isinstance(x, (Array, np.ndarray)) for x in inputs):
        # An operation of scalars alone would be the host's: those that have a dtype go to the device, else all.
        weak = (int, float, complex) if not all(type(x) in _PYTHONS for x in inputs) else ()
        return tuple(x if type(x) in weak else asarray_like(x, like) for x in inputs)
    values = {"at": (2,), "reduceat": (0,)}.get(method, range(len(inputs)))  # `at` writes to the first
    return tuple(
        as_operand(x, like) if i in values and isinstance(x, np.ndarray) and not hasattr(x, "mask") else x
        for i, x in enumerate(inputs)
    )


def _to_host(result: Array, out: np.ndarray, kwargs: dict[str, Any]) -> np.ndarray:
    where = kwargs.get("where", True)
    mask = where.copy_to_host() if isinstance(where, Array) else where
    np.copyto(out, result.copy_to_host(), casting=kwargs.get("casting", "same_kind"), where=mask)
    return out


# --- calls ---------------------------------------------------------------------------------------------------------


def _divmod(a: object, b: object) -> tuple[Array, Array]:
    return _core.apply(OF_UFUNC["floor_divide"], a, b), _core.apply(OP["remainder"], a, b)


_SEVERAL: dict[str, Callable[..., tuple[Array, ...]]] = {
    "divmod": _divmod,  # NumPy's way
    "frexp": parts.frexp,
    "_ones_like": lambda x: (_core.full(x.shape, x.dtype, 1, x.queue, x.allocator),),
    "ldexp": lambda x, n: (parts.ldexp(x, n),),
    "modf": parts.modf,
}
_OF_REALS = {OP[op.name] for op in OPS.values() if op.compute.endswith("-")}
"""Operations that are not defined for complex numbers."""
_PRODUCTS = ("matmul", "matvec", "vecdot", "vecmat")  # ufuncs over whole axes
_SUMS = ("add", "multiply")

PLAIN_CALLS.update(
    (ufunc, operation)
    for name, operation in OF_UFUNC.items()
    if isinstance(ufunc := getattr(np, name, None), np.ufunc) and ufunc.__name__ == name
    if ufunc.nin <= 2 and name not in _SEVERAL and name not in _PRODUCTS
)


def _call_method(ufunc: np.ufunc, name: str, inputs: Sequence[Any], targets: Any, kwargs: dict[str, Any]) -> Any:
    if getattr(np, name, None) is not ufunc and name not in _SEVERAL:
        operation = operation_of(ufunc)
        if operation is None or (operation in _OF_REALS and _are_complex(inputs)):
            return _through_host(ufunc, inputs, targets, kwargs)
        return call(ufunc, name, inputs, targets, kwargs)
    if name in _PRODUCTS:
        from devarray.linalg import products, vector_products

        return getattr(vector_products if name == "vecdot" else products, name)(
            *as_arrays(*inputs), out=targets and targets[0], **kwargs
        )
    return call(ufunc, name, inputs, targets, kwargs, _SEVERAL.get(name))


def _are_complex(inputs: Sequence[Any]) -> bool:
    return any(isinstance(x, complex) or getattr(x, "dtype", np.dtype(bool)).kind == "c" for x in inputs)


def _through_host(ufunc: np.ufunc, inputs: Sequence[Any], targets: Any, kwargs: dict[str, Any]) -> Any:
    """A ufunc of another package's that has no kernel, on the host, as ``config.fallback`` says."""
    name = f"scipy.special.{ufunc.__name__}" if is_scipys(ufunc) else f"the ufunc {ufunc.__name__}"
    like = next(x for x in (*inputs, *(targets or ()), kwargs.get("where")) if isinstance(x, Array))
    announce(name, like)
    on_host = [x.copy_to_host() if isinstance(x, Array) else x for x in inputs]
    options = {key: x.copy_to_host() if isinstance(x, Array) else x for key, x in kwargs.items() if key != "where"}
    results = ufunc(*on_host, **options)
    results = results if isinstance(results, tuple) else (results,)
    where = kwargs.get("where", True)
    answers = tuple(
        write_out(name, asarray(result, queue=like.queue, allocator=like.allocator), target, where=where, spread=True)
        for result, target in zip(results, targets or (None,) * len(results), strict=True)
    )
    return answers if len(answers) > 1 else answers[0]


# --- methods -------------------------------------------------------------------------------------------------------


def _reduce_method(ufunc: np.ufunc, name: str, inputs: Sequence[Any], targets: Any, kwargs: dict[str, Any]) -> Any:
    (x,) = inputs
    axis = kwargs.pop("axis", 0)
    if x.ndim == 0 and axis in (0, -1):
        axis = None
    kind = REDUCTIONS.get(name)
    if kind and not targets and kwargs.get("where", True) is True and _is_plain_reduction(kwargs):
        return getattr(x, kind)(axis, keepdims=kwargs.get("keepdims", False))
    if name in _SUMS:
        kwargs["dtype"] = summed_in(x, kwargs.get("dtype"), targets and targets[0])
    if name in REDUCTIONS:
        result = reduction(REDUCTIONS[name], x, axis, **kwargs, out=targets and targets[0])
    else:
        kwargs["dtype"] = _asked_dtype(ufunc, kwargs.get("dtype"), targets)
        result = _reduce_by_halves(ufunc, x, axis, **kwargs)
        return write_out(f"numpy.{name}.reduce", result, targets and targets[0], casting="unsafe")  # as NumPy's
    return write_out(f"numpy.{name}.reduce", result, targets and targets[0])


def _is_plain_reduction(kwargs: dict[str, Any]) -> bool:
    """Whether a reduction has nothing to begin with and no dtype of its own."""
    given = kwargs.keys() <= {"dtype", "keepdims", "initial", "where"}
    return given and kwargs.get("dtype") is None and kwargs.get("initial", np._NoValue) is np._NoValue


def _reduce_by_halves(
    ufunc: np.ufunc,
    x: Array,
    axis: int | tuple[int, ...] | None,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    initial: object = np._NoValue,
    where: BoolLike = True,
) -> Array:
    from devarray.interop import segments

    if where is True and _is_of_pairs(ufunc) and x.ndim and _core.count_float_watchers() <= 0:
        made = _reduced_by_numpy(ufunc, x, reduced_axes(axis, x.ndim), dtype, initial)
        if made is not None:
            return made if keepdims else _without_axes(made, reduced_axes(axis, x.ndim))
    if segments.COMBINED_BY.get(ufunc.__name__) != ufunc.__name__:
        if where is not True:
            raise no_kernel(ufunc.__name__, "reduce with where=")
        if axis == () or (axis is None and not x.ndim):
            return _steps(ufunc, "reduce", x.reshape(1, *x.shape), 0, dtype, initial)[-1]
        steps = _steps(ufunc, "reduce", x, axis, dtype, initial)
        (place,) = reduced_axes(axis, x.ndim)
        return expand_dims(steps[-1], place) if keepdims else steps[-1]
    x = x.astype(_loop_dtype(ufunc, "reduce", x, dtype), copy=False)
    axes = reduced_axes(axis, x.ndim)
    result: Array = segments.reduce(ufunc, x, axes, keepdims, initial, where)
    return result


def _is_of_pairs(ufunc: np.ufunc) -> bool:
    return ufunc.nin == 2 and ufunc.nout == 1 and ufunc.__name__ in OF_UFUNC


def _reduced_by_numpy(
    ufunc: np.ufunc, x: Array, axes: list[int], dtype: DTypeLike | None, initial: object
) -> Array | None:
    from devarray.interop import segments

    x = x.astype(_loop_dtype(ufunc, "reduce", x, dtype), copy=False)
    if isinstance(initial, Array):
        initial = initial.item()
    elif initial is not np._NoValue and initial is not None:
        initial = stored_number(initial, x.dtype)
    return segments.by_numpy(ufunc, "reduce", x, axes, initial=initial)


def _without_axes(x: Array, axes: list[int]) -> Array:
    """Without axes of size 1; a value where none is left."""
    left = [size for axis, size in enumerate(x.shape) if axis not in axes]
    flat: Array = x.reshape(left or -1)
    return flat if left else flat[0]


def _steps(
    ufunc: np.ufunc,
    method: str,
    x: Array,
    axis: int | tuple[int, ...] | None,
    dtype: DTypeLike | None,
    initial: object = np._NoValue,
) -> list[Array]:
    """What the elements along an axis give one after the other: for functions that depend on their order."""
    name = ufunc.__name__
    if ufunc.nin != 2 or name not in OF_UFUNC:
        raise (
            no_kernel(name, method)
            if ufunc.nin == 2
            else ValueError(f"{method} only supported for binary functions: {name} is none")
        )
    axes = reduced_axes(axis, x.ndim)
    if len(axes) != 1:
        raise ValueError(
            f"{name}.{method}: reduction operation {name!r} is not reorderable, so at most one axis may be specified: "
            "it depends on the order of the elements"
        )
    dtype = _loop_dtype(ufunc, method, x, dtype)
    parts = list(unstack(x.astype(dtype, copy=False), axis=axes[0]))
    if initial is not np._NoValue and initial is not None:  # in the result's dtype, which it does not widen
        left = x.shape[: axes[0]] + x.shape[axes[0] + 1 :]
        number = initial.item() if isinstance(initial, Array) else stored_number(initial, dtype).item()
        parts.insert(0, _core.full(left, dtype, number, x.queue, x.allocator))
    if not parts and method == "reduce":
        raise ValueError(
            f"zero-size array to reduction operation {name} which has no identity: {name}.{method} of no elements has "
            "nothing to begin with"
        )
    steps = parts[:1]
    watched = _core.count_float_watchers() > 0
    for part in parts[1:]:
        steps.append(_core.apply(OF_UFUNC[name], steps[-1], part))
        if watched:
            PROTOCOLS["float_errors"](name, (steps[-2], part), steps[-1], True, method)
    return steps


def _asked_dtype(ufunc: np.ufunc, dtype: DTypeLike | None, targets: Any) -> DTypeLike | None:
    """The dtype in which a method combines, where one is given: by default that of the loop for `out`'s, as NumPy's."""
    if dtype is not None or not targets or not isinstance(targets[0], Array) or ufunc.__name__.startswith("logical"):
        return dtype
    given = targets[0].dtype
    try:
        return ufunc.resolve_dtypes((given, given, None))[-1]
    except TypeError as error:
        raise DTypeError(f"numpy.{ufunc.__name__}: {error}") from None


def _loop_dtype(ufunc: np.ufunc, method: str, x: Array, dtype: DTypeLike | None) -> np.dtype:
    """The dtype in which a ufunc takes its own results again."""
    if ufunc.__name__.startswith("logical"):
        return np.dtype(np.bool_)
    given = x.dtype if dtype is None else np.dtype(dtype)
    try:
        first, second, result = ufunc.resolve_dtypes((given, given, None))
    except TypeError as error:
        raise DTypeError(f"numpy.{ufunc.__name__}.{method}: {error}") from None
    if dtype is not None and given != result:
        raise DTypeError(f"numpy.{ufunc.__name__}.{method}: there is no loop of dtype {given}; {result} would do")
    if first != result or second != result:
        raise DTypeError(
            f"numpy.{ufunc.__name__}.{method}: a result of {result} is no operand again, beside elements of {x.dtype}"
        )
    return result


def _accumulate_method(ufunc: np.ufunc, name: str, inputs: Sequence[Any], targets: Any, kwargs: dict[str, Any]) -> Any:
    (x,) = inputs
    axis, dtype = kwargs.pop("axis", 0), kwargs.pop("dtype", None)
    if name not in _ACCUMULATIONS:
        dtype = _asked_dtype(ufunc, dtype, targets)
        made = _accumulated_by_numpy(ufunc, x, axis, dtype)
        if made is not None:
            return write_out(f"numpy.{name}.accumulate", made, targets and targets[0])
        steps = _steps(ufunc, "accumulate", x, axis, dtype)
        place = normalize_axis(axis, x.ndim)
        joined = stack(steps, axis=place) if steps else x.astype(_loop_dtype(ufunc, "accumulate", x, dtype))
        return write_out(f"numpy.{name}.accumulate", joined, targets and targets[0])
    if (
        dtype is targets is None
        and not kwargs
        and type(axis) is int
        and (quick := few_accumulated(x, ufunc, axis)) is not None
    ):
        return quick
    if _ACCUMULATIONS[name] in ("min", "max"):
        x = x.astype(np.bool_ if name.startswith("logical") else x.dtype if dtype is None else dtype, copy=False)
        dtype = x.dtype  # where sums widen
    else:
        dtype = summed_in(x, dtype, targets and targets[0])
    from devarray._routines.statistics.cumulative import running

    result = running(x, _ACCUMULATIONS[name], axis, dtype)
    if kwargs:
        raise DTypeError(f"numpy.{name}.accumulate on device arrays does not take {', '.join(kwargs)}")
    return write_out(f"numpy.{name}.accumulate", result, targets and targets[0])


def _accumulated_by_numpy(ufunc: np.ufunc, x: Array, axis: Any, dtype: DTypeLike | None) -> Array | None:
    from devarray.interop import segments

    if not _is_of_pairs(ufunc) or not x.ndim or _core.count_float_watchers() > 0:
        return None
    axes = reduced_axes(axis, x.ndim)
    if len(axes) != 1:
        return None
    x = x.astype(_loop_dtype(ufunc, "accumulate", x, dtype), copy=False)
    return segments.by_numpy(ufunc, "accumulate", x, axes)


def _outer_method(ufunc: np.ufunc, name: str, inputs: Sequence[Any], targets: object, kwargs: dict[str, Any]) -> Any:
    if ufunc.nin != 2:
        raise ValueError(f"outer product only supported for binary functions: {name} is none")
    if name in _PRODUCTS:
        raise no_kernel(name, "outer")  # nor has NumPy: it is over whole axes
    like = next(x for x in inputs if isinstance(x, Array))
    # scalars bring their dtype here
    a, b = (asarray_like(x, like) if isinstance(x, Array) or np.ndim(x) else np.asarray(x)[()] for x in inputs)
    depth = b.ndim if isinstance(b, Array) else 0
    spread = a.reshape(a.shape + (1,) * depth) if isinstance(a, Array) else a
    return _call_method(ufunc, name, (spread, b), targets, kwargs)


def _at_method(ufunc: np.ufunc, name: str, inputs: Sequence[Any], targets: object, kwargs: dict[str, Any]) -> None:
    from devarray.interop import segments

    if isinstance(inputs[0], np.ndarray) and config.fallback == "allow":
        return on_host(ufunc.at)(*inputs)
    if not isinstance(inputs[0], Array):
        given = type(inputs[0]).__name__
        raise DTypeError(f"numpy.{name}.at beside arrays of the device writes to an Array, not to {given}")
    if name not in OF_UFUNC or len(inputs) != ufunc.nin + 1:
        raise no_kernel(name, "at")
    if ufunc.nin == 1:
        segments.at_alone(ufunc, OF_UFUNC[name], *inputs)
    else:
        segments.at(ufunc, OF_UFUNC[name], *inputs)


def _reduceat_method(ufunc: np.ufunc, name: str, inputs: Sequence[Any], targets: Any, kwargs: dict[str, Any]) -> Any:
    from devarray.interop import segments

    x, indices = inputs
    if ufunc.nin != 2 or name not in OF_UFUNC or not isinstance(x, Array):
        raise no_kernel(name, "reduceat")
    dtype, axis = kwargs.pop("dtype", None), kwargs.pop("axis", 0)
    if kwargs:
        raise DTypeError(f"numpy.{name}.reduceat on device arrays does not take {', '.join(kwargs)}")
    dtype = _asked_dtype(ufunc, dtype, targets)
    if dtype is None and name in ("add", "multiply"):  # sums of integers are 64 bits wide, as reduce has them
        dtype = _sum_dtype(x.dtype)
    x = x.astype(_loop_dtype(ufunc, "reduceat", x, dtype), copy=False)
    axes = reduced_axes(axis, x.ndim)
    if len(axes) != 1:
        raise ValueError(f"{name}.reduceat goes along one axis, not {len(axes)}")
    result = None
    if _core.count_float_watchers() <= 0:
        result = segments.by_numpy(ufunc, "reduceat", x, axes, indices)
    if result is None:
        result = segments.reduceat(name, OF_UFUNC[name], x, indices, axes[0])
    return write_out(f"numpy.{name}.reduceat", result, targets and targets[0])


def _sum_dtype(dtype: np.dtype) -> np.dtype:
    wide = {"b": np.int64, "i": np.int64, "u": np.uint64}.get(dtype.kind, dtype)
    return np.dtype(wide)


def _looked_at(method: str, found: Callable[..., Any]) -> Callable[..., Any]:
    """A method that combines elements, whose results are looked at where `errstate` asks for errors."""

    def combine(ufunc: np.ufunc, name: str, inputs: Sequence[Any], targets: Any, kwargs: dict[str, Any]) -> Any:
        initial = kwargs.get("initial", np._NoValue)
        whole = kwargs.get("where", True) is True and (initial is np._NoValue or initial is None)
        if name not in _SUMS or not whole or _core.count_float_watchers() <= 0:
            return found(ufunc, name, inputs, targets, kwargs)
        given = {key: value for key, value in kwargs.items() if key in ("axis", "keepdims")}
        made = found(ufunc, name, inputs, targets, kwargs)

        def joined(x: Array) -> Any:
            return found(np.logical_or, "logical_or", (x, *inputs[1:]), None, dict(given))

        PROTOCOLS["float_errors_of_method"](method, inputs[0], made, joined)
        return made

    return combine


_METHODS = {
    "__call__": _call_method,
    "reduce": _looked_at("reduce", _reduce_method),
    "accumulate": _looked_at("accumulate", _accumulate_method),
    "outer": _outer_method,
    "at": _at_method,
    "reduceat": _looked_at("reduceat", _reduceat_method),
}
